//! From C's syntax tree to the intermediate language, types checked on the way.
//!
//! One pass over the reachable part of the program: lowering begins with `main`, and a function
//! or variable is lowered when it is first mentioned. So a header may declare what cannot be
//! expressed here as long as it is not used.
//!
//! A scalar local whose address is never taken is a register; every other object lives in memory,
//! and every access to it is an instruction of its own, in C's order of evaluation, operands from
//! left to right. `&&`, `||` and `?:` become jumps unless what they guard is pure.
//!
//! [`expr`] lowers values, [`place`] and [`bitfield`] what can be assigned, [`arith`] has the
//! conversions, [`branch`] and [`stmt`] control flow, [`declare`] types, [`statics`] and [`local`]
//! names, [`init`] initial values, [`call`] and [`spawn`] calls and threads; `builtin/` has a file
//! for each family of functions that are known without a body.

mod arguments;
mod arith;
mod arith_checks;
mod bitfield;
mod body;
mod branch;
mod builtin;
mod call;
mod declare;
mod expr;
mod float;
mod fold;
mod globals;
mod init;
mod layout;
mod local;
mod loops;
mod lowering;
mod names;
mod options;
mod place;
mod purity;
mod spawn;
mod statics;
mod stmt;
mod update;

use crate::base::diag::Diag;
use crate::base::idx::IdVec;
use crate::base::source::SourceMap;
use crate::front::c::ast;
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, Types};
use crate::ir::program::*;
use body::Body;
use lowering::{Lowered, Lowering, Place, TypedValue, WorkItem};
use names::Scopes;
use options::ERROR_FUNCTIONS;
pub use options::{Arguments, Errors, LoweringOptions, WeakCas};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
    std::thread::scope(|scope| {
        let work = || lower_here(sources, unit, data_model, options);
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        let thread = thread.map_err(|e| {
            vec![Diag::bare(format!(
                "cannot start a thread for the lowering: {e}"
            ))]
        })?;
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn lower_here(
    sources: &SourceMap,
    unit: &ast::TranslationUnit,
    data_model: DataModel,
    options: &LoweringOptions,
) -> Result<Program, Vec<Diag>> {
    let mut types = Types::new(data_model.pointer_width());
    let void = types.id(Type::Void);
    let mut lowering = Lowering {
        sources,
        types,
        program: Program {
            data_model,
            ..Program::default()
        },
        scopes: Scopes::new(),
        functions: BTreeMap::new(),
        variables: IdVec::new(),
        layouts: BTreeMap::new(),
        strings: BTreeMap::new(),
        tasks: VecDeque::new(),
        body: Body::new("", ProcId(u32::MAX), unit.span, void),
        enclosing: Vec::new(),
        errors: Vec::new(),
        unevaluated: false,
        hidden: BTreeMap::new(),
        called: BTreeSet::new(),
        options,
    };
    for item in &unit.items {
        let mut called = match item {
            ast::Item::Function(f) => purity::called(&f.body),
            ast::Item::Declaration(d) => purity::called_by(d),
            ast::Item::StaticAssert(_) => BTreeSet::new(),
        };
        // Functions of the library that set `errno` do not look at it.
        if matches!(item, ast::Item::Function(f) if f.name.name.starts_with(PREFIX)) {
            called.remove(purity::ERRNO);
        }
        lowering.called.append(&mut called);
        lowering.item(item);
    }
    match lowering.functions.get("main").and_then(|f| f.definition) {
        Some(main) => lowering.program.main = Some(lowering.procedure("main", main.name.span)),
        None if lowering.errors.is_empty() => {
            let diag = Diag::error(unit.span, "this file has no function `main`");
            lowering
                .errors
                .push(diag.note("execution begins with `main`"));
        }
        None => {}
    }
    while let Some(task) = lowering.tasks.pop_front() {
        match task {
            WorkItem::Body(proc, function) => lowering.function_body(proc, function),
            WorkItem::Init(variable) => lowering.global_init(variable),
        }
    }
    if lowering.errors.is_empty() {
        Ok(lowering.program)
    } else {
        Err(lowering.errors)
    }
}

impl<'a> Lowering<'a> {
    fn item(&mut self, item: &'a ast::Item) {
        let result = match item {
            ast::Item::Declaration(d) => self.file_declaration(d),
            ast::Item::Function(f) => self.define_function(f),
            ast::Item::StaticAssert(s) => self.static_assert(s),
        };
        if let Err(diag) = result {
            self.error(diag);
        }
    }
}
