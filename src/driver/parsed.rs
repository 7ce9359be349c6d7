//! The first two passes of a C program, or of an x86 program for a fixed number of threads: text to syntax,
//! and syntax to the intermediate language.

use super::checks::Checks;
use super::client::{self, Observation};
use super::compile_commands;
use super::error::Error;
use super::input::{Input, InputKind, Units};
use super::options::ProgramOptions;
use super::specification::{assumed, chosen, lowering_options, numbers_assumed, sizes_assumed};
use crate::check::outcome::UnknownReason;
use crate::front::c::Reader;
use crate::front::c::target::{self, Target};
use crate::front::llvm::compile::{SourceLanguage, check_preprocessing, compile};
use crate::front::{asm, c, llvm};
use crate::lower;
use base::code::Code;
use base::diag::Diag;
use base::source::{SourceMap, Span};
use ir::program::{Program, PropertyKind};
use ir::validate;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A program that has been read.
pub struct ParsedProgram {
    name: String,
    syntax: Syntax,
    /// What the calls of a client return one after the other, if the program does not say it itself.
    spec: Option<c::ast::TranslationUnit>,
    /// Seconds that it took.
    seconds: f64,
}

/// The syntax tree of a program.
#[derive(Debug)]
enum Syntax {
    /// A C program, by its files.
    C(Vec<c::ast::TranslationUnit>),
    /// An x86 program, and how many threads it is checked for.
    Assembly(asm::ast::Program, u32),
}

/// A program that has been lowered, and what is checked of it.
#[derive(Clone)]
pub struct LoweredProgram {
    /// The name of the input.
    pub name: String,
    /// The program over registers and memory.
    pub program: Program,
    /// What is checked.
    pub checks: Checks,
    /// How many threads an x86 program is checked for.
    pub threads: Option<u32>,
    /// A directive that looks whether the text is compiled for x86, and finds that it is.
    pub looks_for_x86: Option<Span>,
    /// Of a client whose results are checked: what is known of them, or why nothing is.
    pub(super) observation: Option<Arc<Observed>>,
    /// Seconds of the passes.
    pub seconds: [(&'static str, f64); 2],
}

impl ParsedProgram {
    /// Reads a program; of a file the extension says whether it is one.
    ///
    /// # Errors
    /// What is wrong with the text, or that this kind of input is not supported.
    pub fn read(
        sources: &mut SourceMap,
        input: &Input,
        options: &ProgramOptions,
    ) -> Result<ParsedProgram, Error> {
        let start = Instant::now();
        let syntax = parse(sources, input, options).map_err(|d| Error::refused(sources, d))?;
        let spec = match &options.spec {
            None => None,
            Some(file) => {
                let unit = parse_unit(sources, file, None, &c_options(options));
                Some(unit.map_err(|d| Error::refused(sources, d))?)
            }
        };
        Ok(ParsedProgram {
            name: input.shown(),
            syntax,
            spec,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// The syntax tree as text.
    pub fn syntax(&self) -> String {
        match &self.syntax {
            Syntax::C(units) => units.iter().map(|unit| format!("{unit:#?}\n")).collect(),
            Syntax::Assembly(program, _) => format!("{program:#?}\n"),
        }
    }

    /// Lowers the program to the intermediate language, for the kinds of property that are asked
    /// for, or for those that are the default for a program as it is.
    ///
    /// # Errors
    /// What is wrong with its types, or is not supported.
    pub fn lower(
        &self,
        sources: &SourceMap,
        options: &ProgramOptions,
    ) -> Result<LoweredProgram, Error> {
        let start = Instant::now();
        let (mut warnings, mut looks_for_x86, mut of_threads) = (Vec::new(), None, None);
        let Checked {
            mut program,
            checks,
        } = match &self.syntax {
            Syntax::C(units) => {
                warnings.extend(units.iter().flat_map(|u| u.warnings.iter().cloned()));
                if matches!(options.c.target, None | Some(Target::X86_64)) {
                    looks_for_x86 = find_x86(sources, units);
                }
                lower_c(sources, units, options)
            }
            Syntax::Assembly(source, threads) => {
                of_threads = Some(*threads);
                lower_assembly(sources, source, *threads)
            }
        }
        .map_err(|diags| Error::refused(sources, diags))?;
        warnings.append(&mut program.warnings);
        program.warnings = warnings;
        let (program, observation) = self.observed(program, &checks, (sources, options))?;
        validate::check(&program).map_err(Error::invalid)?;
        Ok(LoweredProgram {
            name: self.name.clone(),
            program,
            observation,
            checks,
            threads: of_threads,
            looks_for_x86,
            seconds: [
                ("parse", self.seconds),
                ("lower", start.elapsed().as_secs_f64()),
            ],
        })
    }
}

impl ParsedProgram {
    /// Lowers the program for everything that runs instead of `main` ([`ProgramOptions::other_harnesses`]) but the first.
    ///
    /// # Errors
    /// As [`ParsedProgram::lower`].
    pub fn lower_others(
        &self,
        sources: &SourceMap,
        options: &ProgramOptions,
    ) -> Result<Vec<LoweredProgram>, Error> {
        let others = options.other_harnesses.iter().map(|harness| {
            let options = ProgramOptions {
                harness: Some(harness.clone()),
                other_harnesses: Vec::new(),
                ..options.clone()
            };
            self.lower(sources, &options)
        });
        others.collect()
    }

    /// A client with an assertion about its results, if they are checked.
    fn observed(
        &self,
        program: Program,
        checks: &Checks,
        (sources, options): (&SourceMap, &ProgramOptions),
    ) -> Result<(Program, Option<Arc<Observed>>), Error> {
        let Some(client) = &program.client else {
            return Ok((program, None));
        };
        let spec = match &self.spec {
            None => None,
            Some(unit) => {
                let units = std::slice::from_ref(unit);
                let lowered = lower_c(sources, units, options);
                Some(
                    lowered
                        .map_err(|diags| Error::refused(sources, diags))?
                        .program,
                )
            }
        };
        let spec = spec.as_ref();
        let spec = spec.and_then(|spec| Some((spec, spec.client.as_ref()?)));
        if let Some((_, calls)) = spec {
            let agree = client::agree(client, calls);
            agree.map_err(|diag| Error::refused(sources, vec![diag]))?;
        }
        let bounds = &options.bounded.explored;
        let observation = client::observed((&program, client), spec, checks.of_all(), bounds);
        match observation.transpose() {
            None => Ok((program, None)),
            Some(Ok(observation)) => {
                let observed = observation.program().clone();
                Ok((observed, Some(Arc::new(Ok(observation)))))
            }
            Some(Err(reason)) => Ok((program, Some(Arc::new(Err(reason))))),
        }
    }
}

/// What is known of the results of a client, or why nothing is.
pub(super) type Observed = Result<Observation, UnknownReason>;

/// A program, and what is checked of it.
struct Checked {
    program: Program,
    checks: Checks,
}

fn lower_assembly(
    sources: &SourceMap,
    source: &asm::ast::Program,
    threads: u32,
) -> Result<Checked, Vec<Diag>> {
    has_threads(source, threads)?;
    Ok(Checked {
        program: lower::asm::lower(sources, source, threads)?,
        checks: Checks::named(vec![PropertyKind::Assertion]),
    })
}

/// Lowers a C program for the kinds of property that are asked for, or for those that are the
/// default for a program as it is.
fn lower_c(
    sources: &SourceMap,
    units: &[c::ast::TranslationUnit],
    options: &ProgramOptions,
) -> Result<Checked, Vec<Diag>> {
    let lowered = |checks: Checks| {
        let lowering = lowering_options(options, checks.of_all());
        let mut program = lower::c::lower_linked(sources, units, options.data_model, &lowering)?;
        let (sizes, numbers) = (sizes_assumed(&program), numbers_assumed(&program));
        let assumptions = &mut program.assumptions;
        assumptions.extend(options.c.target.and_then(Target::assumption));
        assumptions.extend(assumed(options));
        assumptions.extend(sizes);
        assumptions.extend(numbers);
        Ok(Checked { program, checks })
    };
    match chosen(options) {
        Some(kinds) => lowered(Checks::named(kinds).and(&options.also)),
        None if !options.also.is_empty() => lowered(Checks::defaults(true).and(&options.also)),
        None => match lowered(Checks::defaults(true))? {
            without if without.program.assertions() == 0 => lowered(Checks::defaults(false)),
            with => Ok(with),
        },
    }
}

/// Where the text of a unit looks whether it is compiled for x86.
fn find_x86(sources: &SourceMap, units: &[c::ast::TranslationUnit]) -> Option<Span> {
    units.iter().find_map(|unit| {
        let file = unit.span.file;
        let (start, end) = target::looks_for_x86(&sources.file(file).text)?;
        Some(Span {
            file,
            start: start as u32,
            end: end as u32,
        })
    })
}

/// Whether so many threads are as many as the property of an x86 program names: with fewer it holds in
/// no state, and `SAFE` would say nothing.
fn has_threads(source: &asm::ast::Program, threads: u32) -> Result<(), Vec<Diag>> {
    let named = source.property_threads().len();
    if named <= threads as usize {
        return Ok(());
    }
    let message = format!("the property names {named} threads, more than --threads {threads}");
    let note = "with so few threads it holds in no state";
    Err(vec![Diag::error(source.property_span, message).note(note)])
}

/// How C files are read.
fn c_options(options: &ProgramOptions) -> c::ParseOptions {
    c::ParseOptions {
        pointer_width: options.data_model.pointer_width(),
        ..options.c.clone()
    }
}

/// Parses what is a C program by its name, or an x86 program.
fn parse(
    sources: &mut SourceMap,
    input: &Input,
    options: &ProgramOptions,
) -> Result<Syntax, Vec<Diag>> {
    let c_options = c_options(options);
    if let (InputKind::Assembly, Some(threads)) = (input.kind, options.threads) {
        let file = match &input.text {
            Some(text) => sources.add(input.shown(), text),
            None => sources
                .load(&input.name)
                .map_err(|e| vec![Diag::unreadable(&e)])?,
        };
        let program = asm::parse(sources, file)?;
        return Ok(Syntax::Assembly(program, threads));
    }
    match &input.units {
        Units::One => {}
        Units::Linked(files) => return parse_all(sources, files, &c_options).map(Syntax::C),
        Units::Needed(commands) => {
            let (model, entry) = (options.data_model, &input.name);
            let units = compile_commands::parse(
                sources,
                (commands, entry),
                &c_options,
                model,
                options.harness.as_ref(),
            )?;
            return Ok(Syntax::C(units));
        }
    }
    // Of several files the options are for those that have a preprocessor.
    check_preprocessing(&input.name, &c_options)?;
    let unit = parse_unit(sources, &input.name, input.text.as_deref(), &c_options)?;
    Ok(Syntax::C(vec![unit]))
}

/// Parses what is a C file by its name.
fn parse_unit(
    sources: &mut SourceMap,
    name: &Path,
    text: Option<&str>,
    options: &c::ParseOptions,
) -> Result<c::ast::TranslationUnit, Vec<Diag>> {
    let sentence = |why: &str| format!("{}: {why}", name.display());
    let refused = |why: &str| Diag::bare(sentence(why));
    let extension = name.extension().and_then(|e| e.to_str());
    if let Some(language) = SourceLanguage::of(name) {
        return parse_compiled(sources, name, language, text, options);
    }
    if !options.compiler_flags.is_empty() && options.reader == Reader::Own {
        let message =
            "--compiler-flags is for files that a compiler reads: C++, Rust, C with --front clang";
        return Err(vec![Diag::bare(message)]);
    }
    let diag = match (extension.unwrap_or(""), text) {
        ("c" | "i", text) if options.reader == Reader::Clang => {
            return parse_compiled(sources, name, SourceLanguage::C, text, options);
        }
        ("c" | "i" | "h", None) => return c::parse(sources, name, options),
        ("c" | "i" | "h", Some(text)) => return c::parse_source(sources, name, text, options),
        ("ll", text) => return parse_module(sources, name, text, options),
        (known @ ("litmus" | "asm"), _) => {
            Diag::unsupported_input(sentence(&format!(".{known} files are not supported yet")))
        }
        ("cat", _) => refused("a memory model is no program; name it with --mm"),
        ("", _) => refused("the name has no extension that tells what it is"),
        (other, _) => refused(&format!("programs of kind .{other} are not known")),
    };
    let kinds =
        "this build reads C (.c, .i, .h), C++ (.cpp, .cc, .cxx), Rust (.rs) and LLVM IR (.ll, .bc)";
    Err(vec![diag.note(kinds)])
}

/// Parses what a compiler makes of a file.
fn parse_compiled(
    sources: &mut SourceMap,
    name: &Path,
    language: SourceLanguage,
    text: Option<&str>,
    options: &c::ParseOptions,
) -> Result<c::ast::TranslationUnit, Vec<Diag>> {
    let Some(text) = text else {
        let module = compile(name, language, options)?;
        let shown = name.with_extension("ll");
        return parse_module(sources, &shown, Some(&module), options);
    };
    let unwritten = |e: std::io::Error| {
        let message = format!("cannot write `{}` to a temporary file: {e}", name.display());
        vec![Diag::bare(message).with_code(Code::File)]
    };
    let folder = tempfile::tempdir().map_err(unwritten)?;
    let file = Path::new("input").with_extension(name.extension().unwrap_or_default());
    let path = folder.path().join(file);
    std::fs::write(&path, text).map_err(unwritten)?;
    let module = compile(&path, language, options)?;
    parse_module(sources, &name.with_extension("ll"), Some(&module), options)
}

/// Parses a module of LLVM IR.
fn parse_module(
    sources: &mut SourceMap,
    name: &Path,
    text: Option<&str>,
    options: &c::ParseOptions,
) -> Result<c::ast::TranslationUnit, Vec<Diag>> {
    let file = match text {
        Some(text) => sources.add(name.display().to_string(), text),
        None => sources.load(name).map_err(|e| vec![Diag::unreadable(&e)])?,
    };
    let module = llvm::parse(sources, file)?;
    let prelude = lower::llvm::prelude(&module);
    // The runtime is ours, and what the options say of headers and macros is about the program.
    let plain = c::ParseOptions {
        pointer_width: options.pointer_width,
        ..c::ParseOptions::default()
    };
    let prelude = c::parse_source(sources, Path::new("<runtime>.c"), &prelude, &plain)?;
    lower::llvm::translate(&module, prelude, options.pointer_width, sources)
}

/// Parses the files of a program.
fn parse_all(
    sources: &mut SourceMap,
    files: &[PathBuf],
    options: &c::ParseOptions,
) -> Result<Vec<c::ast::TranslationUnit>, Vec<Diag>> {
    let (mut units, mut diags) = (Vec::new(), Vec::new());
    for (i, file) in files.iter().enumerate() {
        if files[..i].contains(file) {
            let message = format!("{}: this file is named twice", file.display());
            diags.push(Diag::bare(message).with_code(Code::Linking));
            continue;
        }
        match parse_unit(sources, file, None, options) {
            Ok(unit) => units.push(unit),
            Err(more) => diags.extend(more),
        }
    }
    match diags.is_empty() {
        true => Ok(units),
        false => Err(diags),
    }
}
