//! From C's syntax tree to the intermediate language, types checked on the way.
//!
//! One pass over the reachable part of the program: lowering begins with `main`, and a function
//! or variable is lowered when it is first mentioned. So a header may declare what cannot be
//! expressed here as long as nobody uses it.
//!
//! A scalar local whose address is never taken is a register; every other object lives in memory,
//! and every access to it is an instruction of its own, in C's order of evaluation, operands from
//! left to right. `&&`, `||` and `?:` become jumps unless what they guard is pure.
//!
//! [`expr`] lowers values, [`place`] and [`bitfield`] what can be assigned, [`arith`] has the conversions,
//! [`branch`] and [`stmt`] control flow, [`declare`] types, [`statics`] and [`local`] names,
//! [`init`] initial values, [`call`] and [`spawn`] calls and threads; `builtin/` has a file for
//! each family of functions that are known without a body.

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
mod names;
mod place;
mod purity;
mod spawn;
mod statics;
mod stmt;
mod update;
mod uses;

use crate::base::diag::Diag;
use crate::base::idx::IdVec;
use crate::base::source::{SourceMap, Span};
use crate::front::c::ast;
use crate::front::c::bits::BitField;
use crate::front::c::types::{Type, TypeId, Types};
use crate::ir::program::*;
use body::Body;
use names::{Function, Scopes, Variable, VariableId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Bytes of stack for the recursive passes over a deep tree.
const STACK: usize = 1 << 26;
/// More errors than these help nobody.
const MAX_ERRORS: usize = 50;

/// Either a result or the one message that says why there is none.
type Lowered<T> = Result<T, Diag>;

/// A value: a scalar's bits; for a structure the address where it is.
#[derive(Clone, Debug)]
struct Value {
    expr: Expr,
    ty: TypeId,
}

/// Something that can be assigned.
#[derive(Clone, Debug)]
enum Place {
    /// A register.
    Register(LocalId, TypeId),
    /// Memory at an address.
    Memory(Expr, TypeId),
    /// A bit-field of the structure at an address, with its declared type.
    Bits(Expr, BitField, TypeId),
}

/// What waits to be lowered.
#[derive(Debug)]
enum Task<'a> {
    Body(ProcId, &'a ast::Function),
    Init(VariableId),
}

/// The state of a lowering.
struct Lowering<'a> {
    sources: &'a SourceMap,
    types: Types,
    program: Program,
    scopes: Scopes,
    functions: BTreeMap<String, Function<'a>>,
    variables: IdVec<VariableId, Variable<'a>>,
    layouts: BTreeMap<TypeId, LayoutId>,
    strings: BTreeMap<Vec<u8>, GlobalId>,
    tasks: VecDeque<Task<'a>>,
    body: Body,
    /// The body in which an asynchronous statement stands, while that is lowered.
    enclosing: Vec<Body>,
    errors: Vec<Diag>,
    /// An expression is lowered for its type alone.
    unevaluated: bool,
    /// Objects that the library has, by name.
    hidden: BTreeMap<&'static str, GlobalId>,
    /// Names of all functions that are called somewhere: what nobody does needs no check.
    called: BTreeSet<String>,
    /// What is asked of the program.
    asked: &'a Asked,
}

/// What is asked of a program, as far as its lowering depends on it.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Kinds of property that are checked. For [`PropertyKind::Deadlock`] waits on condition
    /// variables end when somebody signals; for [`PropertyKind::Overflow`] and
    /// [`PropertyKind::DivisionByZero`] the operators that may go wrong are asserted not to.
    pub checks: Vec<PropertyKind>,
    /// What violates [`PropertyKind::Assertion`].
    pub errors: Errors,
    /// When a weak compare-exchange may fail for no reason.
    pub weak_cas: WeakCas,
    /// A signed left shift whose result its type does not have is an overflow, too.
    pub left_shifts: bool,
}

/// When a weak compare-exchange may fail although it reads what it expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WeakCas {
    /// On every machine: C11 allows it.
    #[default]
    Always,
    /// On machines that make it of a linked load and a conditional store.
    Machine,
}

/// What violates [`PropertyKind::Assertion`]. Assertions and error functions that are not among it
/// end the process when they fail or are called.
#[derive(Clone, Debug)]
pub struct Errors {
    /// Assertions that fail.
    pub assertions: bool,
    /// Calls of these functions.
    pub calls: Vec<String>,
    /// Reaching these labels.
    pub labels: Vec<String>,
}

/// Functions that only ever mean an error.
const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

impl Default for Errors {
    fn default() -> Errors {
        Errors {
            assertions: true,
            calls: ERROR_FUNCTIONS.map(str::to_string).to_vec(),
            labels: Vec::new(),
        }
    }
}

impl Errors {
    /// Nothing: programs end there, and that is all.
    pub fn none() -> Errors {
        Errors {
            assertions: false,
            calls: Vec::new(),
            labels: Vec::new(),
        }
    }
}

/// Lowers a C program.
///
/// # Errors
/// What is wrong with it, or has no meaning here; every message names its place.
pub fn lower(
    sources: &SourceMap,
    unit: &ast::TranslationUnit,
    data_model: DataModel,
) -> Result<Program, Vec<Diag>> {
    lower_for(sources, unit, data_model, &Asked::default())
}

/// The same, for what is asked.
///
/// # Errors
/// As [`lower`].
pub fn lower_for(
    sources: &SourceMap,
    unit: &ast::TranslationUnit,
    data_model: DataModel,
    asked: &Asked,
) -> Result<Program, Vec<Diag>> {
    std::thread::scope(|scope| {
        let work = || lower_here(sources, unit, data_model, asked);
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
    asked: &Asked,
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
        asked,
    };
    for item in &unit.items {
        let mut called = match item {
            ast::Item::Function(f) => uses::called(&f.body),
            ast::Item::Declaration(d) => uses::called_by(d),
            ast::Item::StaticAssert(_) => BTreeSet::new(),
        };
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
            Task::Body(proc, function) => lowering.function_body(proc, function),
            Task::Init(variable) => lowering.global_init(variable),
        }
    }
    if lowering.errors.is_empty() {
        Ok(lowering.program)
    } else {
        Err(lowering.errors)
    }
}

impl<'a> Lowering<'a> {
    fn error(&mut self, diag: Diag) {
        let silent = diag.message.is_empty();
        if !silent && self.errors.len() < MAX_ERRORS && !self.errors.contains(&diag) {
            self.errors.push(diag);
        }
    }

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

    fn pointer_width(&self) -> Width {
        self.types.pointer_width
    }

    /// A constant of pointer width.
    fn pointer_constant(&self, value: u64) -> Expr {
        Expr::constant(value, self.pointer_width())
    }

    fn emit(&mut self, op: Op) {
        self.body.emit(op);
    }

    /// Bits of an expression over the current body's registers.
    fn width_of(&self, e: &Expr) -> Width {
        e.width(&self.program, &self.body.proc)
    }

    /// The expression itself when it is cheap to repeat, else a register that holds it.
    fn bind(&mut self, e: Expr) -> Expr {
        match e {
            Expr::Const { .. } | Expr::Local(_) | Expr::Global(_) | Expr::Proc(_) => e,
            e => {
                let width = self.width_of(&e);
                self.body.assign(width, e)
            }
        }
    }

    /// An unsupported construct.
    fn unsupported<T>(&self, span: Span, what: &str) -> Lowered<T> {
        Err(Diag::error(span, format!("{what} is not supported")))
    }
}
