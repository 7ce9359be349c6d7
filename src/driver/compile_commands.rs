//! `compile_commands.json`: which files a program consists of, and how each is compiled.
//!
//! A program begins in the entry. What it refers to and does not define is looked for in the other
//! files: one that defines it is linked, too, and so on. A file is opened when a name stands in it
//! outside of all braces. Another file with a `main` is no part of the program.

use crate::front::c::ast::{Derived, Item, TranslationUnit};
use crate::front::c::flags::{self, CompilerFlag};
use crate::front::c::scan::{CTokenKind, scan};
use crate::front::c::{self, ParseOptions};
use crate::lower;
use crate::lower::c::Harness;
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use ir::program::DataModel;
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// An entry of the file.
#[derive(Deserialize)]
struct Compilation {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// A file and how it is read.
#[derive(Clone)]
struct UnitFile {
    /// As messages name it.
    path: PathBuf,
    options: ParseOptions,
    /// Flags that change what the file means, and are not supported.
    unsupported: Vec<String>,
}

/// The files that are not linked yet.
struct Candidates {
    files: Vec<Candidate>,
}

struct Candidate {
    file: UnitFile,
    /// Names that stand outside of all braces.
    names: HashSet<String>,
    parsed: Option<Result<TranslationUnit, Vec<Diag>>>,
}

/// Parses the entry, and the files that define what the program refers to. The options are those of
/// the command line; they go after those of the files.
///
/// # Errors
/// The list cannot be read or does not have the entry, or one of the files cannot be used.
pub fn parse(
    sources: &mut SourceMap,
    (commands, entry): (&Path, &Path),
    options: &ParseOptions,
    data_model: DataModel,
    harness: Option<&Harness>,
) -> Result<Vec<TranslationUnit>, Vec<Diag>> {
    let mut files = read(commands, options)?;
    let wanted = canonical(entry);
    let named = |f: &UnitFile| canonical(&f.path) == wanted || f.path == entry;
    let Some(at) = files.iter().position(named) else {
        let message = format!(
            "no command of {} compiles {}",
            commands.display(),
            entry.display()
        );
        return Err(vec![Diag::bare(message)]);
    };
    let first = files.remove(at);
    if let Some(other) = files.iter().find(|f| f.path == first.path) {
        return Err(vec![compiled_twice(other)]);
    }
    let unit = parse_file(sources, &first, options)?;
    let is_program = defines(&unit, "main");
    let mut units = vec![unit];
    let mut candidates = Candidates::new(files);
    let mut sought = BTreeSet::new();
    loop {
        let undefined = lower::c::undefined(sources, &units, data_model, harness)?;
        let new: Vec<String> = undefined.difference(&sought).cloned().collect();
        if new.is_empty() {
            return Ok(units);
        }
        for name in &new {
            units.extend(candidates.take(sources, name, is_program, options)?);
        }
        sought.extend(new);
    }
}

impl Candidates {
    fn new(files: Vec<UnitFile>) -> Candidates {
        let files = files.into_iter().map(|file| Candidate {
            names: names_outside_of_braces(
                &std::fs::read_to_string(&file.path).unwrap_or_default(),
            ),
            file,
            parsed: None,
        });
        Candidates {
            files: files.collect(),
        }
    }

    /// The units that define a name; they are no candidates any more.
    ///
    /// # Errors
    /// No file that can be read defines it, and one that may define it cannot be read; or one that does
    /// is compiled in several ways.
    fn take(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        is_program: bool,
        options: &ParseOptions,
    ) -> Result<Vec<TranslationUnit>, Vec<Diag>> {
        let (mut found, mut rest, mut diags) = (Vec::new(), Vec::new(), Vec::new());
        let mut paths: Vec<PathBuf> = Vec::new();
        for mut candidate in std::mem::take(&mut self.files) {
            if !candidate.names.contains(name) {
                rest.push(candidate);
                continue;
            }
            let parsed = match candidate.parsed.take() {
                Some(parsed) => parsed,
                None => parse_file(sources, &candidate.file, options),
            };
            match parsed {
                Ok(unit) if defines(&unit, name) && !(is_program && defines(&unit, "main")) => {
                    if paths.contains(&candidate.file.path) {
                        return Err(vec![compiled_twice(&candidate.file)]);
                    }
                    paths.push(candidate.file.path);
                    found.push(unit);
                }
                parsed => {
                    diags.extend(parsed.as_ref().err().cloned().unwrap_or_default());
                    candidate.parsed = Some(parsed);
                    rest.push(candidate);
                }
            }
        }
        self.files = rest;
        match found.is_empty() && !diags.is_empty() {
            true => Err(diags),
            false => Ok(found),
        }
    }
}

fn compiled_twice(file: &UnitFile) -> Diag {
    let path = file.path.display();
    Diag::bare(format!("{path} is compiled in two ways"))
        .with_code(Code::Linking)
        .note("name the files of one program with --link instead")
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn parse_file(
    sources: &mut SourceMap,
    file: &UnitFile,
    options: &ParseOptions,
) -> Result<TranslationUnit, Vec<Diag>> {
    let path = file.path.display();
    if let Some(flag) = file.unsupported.first() {
        let message = format!("{path} is compiled with {flag}, which is not supported");
        return Err(vec![Diag::unsupported_input(message)]);
    }
    if file.options.pointer_width != options.pointer_width {
        let bits = file.options.pointer_width;
        let model = if bits == 32 { "ilp32" } else { "lp64" };
        let message =
            format!("{path} is compiled with -m{bits}; check it with --data-model {model}");
        return Err(vec![Diag::bare(message)]);
    }
    c::parse(sources, &file.path, &file.options)
}

/// Reads the list; a file that is compiled several times in the same way is in it once.
fn read(commands: &Path, options: &ParseOptions) -> Result<Vec<UnitFile>, Vec<Diag>> {
    let refuse = |why: String| {
        let message = format!("{}: {why}", commands.display());
        vec![Diag::bare(message)]
    };
    let text = std::fs::read_to_string(commands).map_err(|e| {
        let diags = refuse(e.to_string()).into_iter();
        diags.map(|d| d.with_code(Code::File)).collect::<Vec<_>>()
    })?;
    let entries: Vec<Compilation> = serde_json::from_str(&text)
        .map_err(|e| refuse(format!("this is no list of compile commands: {e}")))?;
    let mut files: Vec<UnitFile> = Vec::new();
    for entry in &entries {
        let file = unit_file(entry, options);
        let is_c = file.path.extension().is_some_and(|e| e == "c");
        let same = |f: &UnitFile| f.path == file.path && f.options == file.options;
        if is_c && !files.iter().any(same) {
            files.push(file);
        }
    }
    Ok(files)
}

fn unit_file(entry: &Compilation, options: &ParseOptions) -> UnitFile {
    let words = match entry.arguments.is_empty() {
        true => shell_words(&entry.command),
        false => entry.arguments.clone(),
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (mut all, mut unsupported) = (Vec::new(), Vec::new());
    // The first word is the compiler.
    let mut at = 1;
    while at < words.len() {
        let (flag, taken) = match flags::read(&words[at..]) {
            Some((flag, taken)) => (Some(flag), taken),
            None => (None, 1),
        };
        at += taken;
        let within = |path: PathBuf| shown(&entry.directory.join(path));
        match flag {
            Some(CompilerFlag::Unsupported(flag)) => unsupported.push(flag),
            Some(CompilerFlag::IncludeDir(d)) => all.push(CompilerFlag::IncludeDir(within(d))),
            Some(CompilerFlag::QuoteDir(d)) => all.push(CompilerFlag::QuoteDir(within(d))),
            Some(CompilerFlag::SystemDir(d)) => all.push(CompilerFlag::SystemDir(within(d))),
            Some(CompilerFlag::AfterDir(d)) => all.push(CompilerFlag::AfterDir(within(d))),
            Some(CompilerFlag::IncludeFile(f)) => all.push(CompilerFlag::IncludeFile(within(f))),
            Some(flag) => all.push(flag),
            None => {}
        }
    }
    // What the user says goes last.
    all.extend(options.defines.iter().cloned().map(CompilerFlag::Define));
    all.extend(
        options
            .undefines
            .iter()
            .cloned()
            .map(CompilerFlag::Undefine),
    );
    all.extend(options.standard.iter().cloned().map(CompilerFlag::Standard));
    let mut own = ParseOptions {
        defines: Vec::new(),
        // The files are read as the build reads them.
        redefine: false,
        undefines: Vec::new(),
        standard: None,
        pointer_width: 64,
        ..options.clone()
    };
    if !words.iter().any(|w| ["-m32", "-m64"].contains(w)) {
        own.pointer_width = options.pointer_width;
    }
    flags::apply(all, &mut own);
    UnitFile {
        path: shown(&entry.directory.join(&entry.file)),
        options: own,
        unsupported,
    }
}

/// A path without detours, relative to the working directory where it is in it.
fn shown(path: &Path) -> PathBuf {
    let path = canonical(path);
    let here = canonical(Path::new("."));
    let inside = path.strip_prefix(&here).ok();
    match inside.filter(|p| !p.as_os_str().is_empty()) {
        Some(inside) => inside.to_path_buf(),
        None => path,
    }
}

/// The words of a command, as a shell takes it apart: quotes and backslashes.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Whether a unit defines a name for the others.
fn defines(unit: &TranslationUnit, name: &str) -> bool {
    unit.items.iter().any(|item| match item {
        Item::Function(f) => {
            let hidden = f.storage.internal || f.storage.inline && !f.storage.external;
            f.name.name == name && !hidden
        }
        Item::Declaration(d) if d.storage.typedef || d.storage.internal => false,
        Item::Declaration(d) => d.declarators.iter().any(|v| {
            let function = matches!(v.derived.last(), Some(Derived::Function { .. }));
            v.name.name == name && !function && (!d.storage.external || v.init.is_some())
        }),
        Item::StaticAssert(_) => false,
    })
}

/// The names outside of all braces; all names where braces do not match, as where some are for one
/// platform and some for another.
fn names_outside_of_braces(text: &str) -> HashSet<String> {
    let (mut outside, mut all) = (HashSet::new(), HashSet::new());
    let mut depth = 0i64;
    let mut matched = true;
    for token in scan(text) {
        match token.kind {
            CTokenKind::Punct(b'{') => depth += 1,
            CTokenKind::Punct(b'}') => depth -= 1,
            CTokenKind::Word => {
                let name = token.text(text).to_string();
                if depth == 0 {
                    outside.insert(name.clone());
                }
                all.insert(name);
            }
            _ => {}
        }
        matched &= depth >= 0;
    }
    match matched && depth == 0 {
        true => outside,
        false => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_apart_as_by_a_shell() {
        let command = r#"cc -DNAME=\"x\" '-DTEXT=a b' -I "my dir" a.c"#;
        assert_eq!(
            shell_words(command),
            ["cc", "-DNAME=\"x\"", "-DTEXT=a b", "-I", "my dir", "a.c"]
        );
    }

    #[test]
    fn names_of_definitions_stand_outside_of_braces() {
        let names = names_outside_of_braces("int f(void) { return g(); }\nint x = 1;");
        assert!(names.contains("f") && names.contains("x") && !names.contains("g"));
        let unmatched = names_outside_of_braces("#ifdef A\nint f() {\n#endif\n g(); int h() { }");
        assert!(unmatched.contains("g"));
    }
}
