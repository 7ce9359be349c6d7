//! From C's syntax tree to the intermediate language, types checked on the way.
//!
//! One pass over the reachable part of the program: lowering begins with `main`, and a function
//! or variable is lowered when it is first mentioned. So a header may declare what cannot be
//! expressed here as long as it is not used.
//!
//! A scalar local whose address is never taken is a register; every other object lives in memory,
//! and every access to it is an instruction of its own, in C's order of evaluation. Operands go from
//! left to right, unless their order is open and matters ([`effects`], [`sequence`]): then an execution
//! chooses it. `&&`, `||` and `?:` become jumps unless what they guard is pure.
//!
//! [`expr`] lowers values, [`place`] and [`bitfield`] what can be assigned, [`arith`] has the
//! conversions, [`branch`] and [`stmt`] control flow, [`declare`] types, [`statics`] and [`local`]
//! names, [`units`] links translation units, [`control`] marks where the Linux kernel's control dependencies end, [`init`] has initial values, [`unspecified`] the bytes that belong to no value, [`call`] and [`spawn`] calls
//! and threads, [`harness`] what runs where no `main` is asked for, [`client`] threads that make given calls; `builtin/` has a file for each family of functions that are known without a body.

mod alignment;
mod arguments;
mod arith;
mod arith_checks;
mod atomic_record;
mod bitfield;
mod body;
mod branch;
mod builtin;
mod call;
mod called_type;
mod called_types;
mod client;
mod control;
mod declare;
mod dependence;
mod diagnostics;
mod effects;
mod expr;
mod float;
mod fold;
mod globals;
mod halves;
mod harness;
mod init;
mod int128;
mod layout;
mod linker_name;
mod local;
mod loops;
mod lowering;
mod made;
mod names;
mod options;
mod place;
mod purity;
mod refusal;
mod representation;
mod sequence;
mod spawn;
mod startup;
mod statics;
mod stmt;
mod subjects;
mod subscript;
mod synchronisation_types;
mod undefined;
mod units;
mod unspecified;
mod update;
mod variadic;
mod waits;

mod without_body;

use crate::front::c::ast;
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, Types};
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use body::Body;
pub use builtin::registry;
use diagnostics::Diagnostics;
use ir::program::*;
use linker_name::LinkerName;
use lowering::{Lowering, Place, TypedValue, WorkItem};
use made::Made;
use names::Names;
pub use options::{
    Arguments, Client, ClientArgument, ClientCall, Entry, Errors, Harness, LoweringOptions,
    Parallel, WeakCas,
};
use refusal::{Lowered, Refusal, wrong};
use representation::{Looks, Representation};
use std::collections::{BTreeSet, VecDeque};

/// Bytes of stack for the recursive passes over a deep tree.
const STACK: usize = 1 << 26;
/// Lowers a C program.
///
/// # Errors
/// What is wrong with it, or is not supported; every message names its place.
pub fn lower(
    sources: &SourceMap,
    unit: &ast::TranslationUnit,
    data_model: DataModel,
) -> Result<Program, Vec<Diag>> {
    lower_for(sources, unit, data_model, &LoweringOptions::default())
}

/// The same, for what is asked.
///
/// # Errors
/// As [`lower`].
pub fn lower_for(
    sources: &SourceMap,
    unit: &ast::TranslationUnit,
    data_model: DataModel,
    options: &LoweringOptions,
) -> Result<Program, Vec<Diag>> {
    lower_linked(sources, std::slice::from_ref(unit), data_model, options)
}

/// Lowers several translation units as one program.
///
/// # Errors
/// As [`lower`], and what the units declare differently or define twice.
pub fn lower_linked(
    sources: &SourceMap,
    units: &[ast::TranslationUnit],
    data_model: DataModel,
    options: &LoweringOptions,
) -> Result<Program, Vec<Diag>> {
    lower_units(sources, units, data_model, options)?.program
}

/// The names that a program refers to, as far as it is reachable, and none of its units defines; those
/// of library functions are among them.
///
/// # Errors
/// No thread can be started.
pub fn undefined(
    sources: &SourceMap,
    units: &[ast::TranslationUnit],
    data_model: DataModel,
    harness: Option<&Harness>,
) -> Result<BTreeSet<String>, Vec<Diag>> {
    let options = LoweringOptions {
        harness: harness.cloned(),
        ..LoweringOptions::default()
    };
    Ok(lower_units(sources, units, data_model, &options)?.undefined)
}

/// What a lowering comes to.
struct LoweredUnits {
    program: Result<Program, Vec<Diag>>,
    undefined: BTreeSet<String>,
    /// What it must be done again for.
    missed: Option<Looks>,
}

fn lower_units(
    sources: &SourceMap,
    units: &[ast::TranslationUnit],
    data_model: DataModel,
    options: &LoweringOptions,
) -> Result<LoweredUnits, Vec<Diag>> {
    std::thread::scope(|scope| {
        let work = || {
            let mut lowered = lower_here(sources, units, data_model, options, Looks::default())?;
            while let Some(looks) = lowered.missed {
                lowered = lower_here(sources, units, data_model, options, looks)?;
            }
            Ok(lowered)
        };
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        let thread = thread.map_err(|e| {
            vec![Diag::bare(format!(
                "cannot start a thread for the lowering: {e}"
            ))]
        })?;
        let joined = thread.join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn lower_here(
    sources: &SourceMap,
    units: &[ast::TranslationUnit],
    data_model: DataModel,
    options: &LoweringOptions,
    looks: Looks,
) -> Result<LoweredUnits, Vec<Diag>> {
    let mut types = Types::new(data_model.pointer_width());
    let void = types.id(Type::Void);
    let Some(first) = units.first() else {
        return Err(vec![Diag::bare("there is no file to lower")]);
    };
    let mut lowering = Lowering {
        diagnostics: Diagnostics::new(sources),
        types,
        program: Program {
            data_model,
            reuses_addresses: options.reuse_addresses,
            ..Program::default()
        },
        names: Names::new(units.iter().map(|u| u.span.file)),
        made: Made::default(),
        tasks: VecDeque::new(),
        body: Body::new("", ProcId(u32::MAX), first.span, void),
        unevaluated: false,
        is_initial: false,
        sign_alone: false,
        called_types: Default::default(),
        summaries: Default::default(),
        at_exit: Vec::new(),
        undefined_objects: BTreeSet::new(),
        representation: Representation::knowing(looks),
        options,
    };
    let items = units.iter().flat_map(|unit| &unit.items);
    items.for_each(|item| lowering.note_functions(item));
    for (id, unit) in lowering.names.units().zip(units) {
        lowering.in_unit(id, |lowering| {
            unit.items.iter().for_each(|item| lowering.item(item));
        });
    }
    lowering.link();
    lowering.check_havoc();
    lowering.program.main = match &options.harness {
        Some(harness) => lowering.harness(harness),
        None => lowering.main_procedure(),
    };
    lowering.around_main(units);
    if lowering.program.main.is_none() && lowering.diagnostics.is_empty() {
        lowering.error(no_main(units));
    }
    while let Some(task) = lowering.tasks.pop_front() {
        match task {
            WorkItem::Body(proc, function, unit) => {
                lowering.in_unit(unit, |l| l.function_body(proc, function));
            }
            WorkItem::Init(variable) => {
                let unit = lowering.names.variable(variable).unit;
                let result = lowering.in_unit(unit, |l| l.global_init(variable));
                if let Err(refusal) = result {
                    lowering.error(refusal);
                }
            }
        }
    }
    lowering.undefined_objects_are_inputs();
    lowering.finish_called_types();
    control::mark(&mut lowering.program);
    Ok(LoweredUnits {
        program: lowering.diagnostics.unless_wrong(lowering.program),
        undefined: lowering.names.into_undefined(),
        missed: lowering.representation.missed(),
    })
}

fn no_main(units: &[ast::TranslationUnit]) -> Diag {
    let begins = "execution begins with `main`";
    let diag = match units {
        [unit] => Diag::error(unit.span, "this file has no function `main`").note(format!(
            "{begins}; if another file has it, name both files and --link"
        )),
        _ => Diag::bare("none of these files has a function `main`").note(begins),
    };
    diag.with_code(Code::NoMain).note(
        "--function F checks a function with arbitrary arguments, --parallel F,G runs functions as threads",
    )
}

impl<'a> Lowering<'a> {
    /// Notes which functions are called and defined, before anything is lowered.
    fn note_functions(&mut self, item: &'a ast::Item) {
        let mut called = match item {
            ast::Item::Function(f) => purity::called(&f.body),
            ast::Item::Declaration(d) => purity::called_by(d),
            ast::Item::StaticAssert(_) => BTreeSet::new(),
        };
        // Functions of the library that set `errno` do not look at it.
        if matches!(item, ast::Item::Function(f) if f.name.name.starts_with(PREFIX)) {
            called.remove(purity::ERRNO);
        }
        self.names.note_called(called);
        match item {
            ast::Item::Function(f) => self.names.note_defined(&f.name.name),
            ast::Item::Declaration(d) => {
                for declarator in &d.declarators {
                    if LinkerName::of(&declarator.derived).alias.is_some() {
                        self.names.note_defined(&declarator.name.name);
                    }
                }
            }
            ast::Item::StaticAssert(_) => {}
        }
    }

    fn item(&mut self, item: &'a ast::Item) {
        let result = match item {
            ast::Item::Declaration(d) => self.file_declaration(d),
            ast::Item::Function(f) => self.define_function(f),
            ast::Item::StaticAssert(s) => self.static_assert(s),
        };
        if let Err(refusal) = result {
            self.error(refusal);
        }
    }
}
