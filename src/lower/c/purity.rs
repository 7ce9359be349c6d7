//! Syntactic questions: is an expression free of memory accesses, calls and effects, which locals
//! have their address taken, and which functions are called by their names.

use super::Lowering;
use super::arith_checks::may_go_wrong;
use super::names::Entity;
use crate::front::c::ast::*;
use crate::front::c::types::Type;
use std::collections::BTreeSet;

/// Functions that write a result through a pointer: the name and the argument's position. An
/// argument `&x` there does not force `x` into memory.
const RESULTS: [(&str, usize); 18] = [
    ("pthread_create", 0),
    ("pthread_join", 1),
    ("thrd_create", 0),
    ("thrd_join", 1),
    ("atomic_compare_exchange_strong", 1),
    ("atomic_compare_exchange_weak", 1),
    ("atomic_compare_exchange_strong_explicit", 1),
    ("atomic_compare_exchange_weak_explicit", 1),
    ("__atomic_compare_exchange_n", 1),
    ("__atomic_compare_exchange", 1),
    ("__atomic_load", 1),
    ("__atomic_exchange", 2),
    ("sem_getvalue", 1),
    ("pthread_mutexattr_gettype", 1),
    ("__builtin_add_overflow", 2),
    ("__builtin_sub_overflow", 2),
    ("__builtin_mul_overflow", 2),
    ("__c11_atomic_compare_exchange_strong", 1),
];

/// What `errno` calls in the platform's header.
pub const ERRNO: &str = "__errno_location";
/// Its other names: those of musl, of Android and newlib, and of BSD's libraries.
pub const ERRNO_ELSEWHERE: [&str; 3] = ["___errno_location", "__errno", "__error"];

/// Functions that make a thread-specific key.
const KEY_CREATE: [&str; 2] = ["pthread_key_create", "tss_create"];
/// Stands for the destructor of a thread-specific key among the names that are called.
pub const DESTRUCTOR: &str = "(destructor)";

/// True when the function writes its result through this argument and through nothing else.
pub fn is_result(function: &str, argument: usize) -> bool {
    RESULTS.contains(&(function, argument))
}

impl Lowering<'_> {
    /// True when evaluating the expression emits no instruction.
    pub fn is_pure(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Ident(name) => match self.names.scopes().find(name) {
                Some(Entity::Register(..) | Entity::Constant(..) | Entity::Function) => true,
                Some(Entity::Stack(_, ty, _)) => matches!(self.types.get(*ty), Type::Array(..)),
                Some(Entity::Variable(v)) => {
                    matches!(self.types.get(self.names.variable(*v).ty), Type::Array(..))
                }
                _ => false,
            },
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Str(_) => true,
            ExprKind::SizeofType(name) => name.derived.iter().all(|d| match d {
                Derived::Array { size: Some(size) } => self.is_pure(size),
                _ => true,
            }),
            ExprKind::SizeofExpr(_) | ExprKind::Alignof(_) | ExprKind::AlignofExpr(_) => true,
            ExprKind::Offsetof(_, path) => path.iter().all(|step| match step {
                Designator::Index(index) => self.is_pure(index),
                _ => true,
            }),
            ExprKind::Unary(UnaryOp::Address, inner) => match &inner.kind {
                ExprKind::Ident(name) => {
                    !matches!(self.names.scopes().find(name), Some(Entity::Register(..)))
                }
                _ => false,
            },
            ExprKind::Unary(UnaryOp::Deref, _) => false,
            ExprKind::Unary(UnaryOp::Minus, _) if self.checks_arithmetic() => false,
            ExprKind::Binary(op, ..) if self.checks_arithmetic() && may_go_wrong(*op) => false,
            // A number may be too large for an integer.
            ExprKind::Cast(_, inner) if self.checks_arithmetic() && self.may_be_float(inner) => {
                false
            }
            ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) => self.is_pure(inner),
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => {
                self.is_pure(a) && self.is_pure(b)
            }
            ExprKind::Conditional(c, a, b) => {
                self.is_pure(c) && a.as_ref().is_none_or(|a| self.is_pure(a)) && self.is_pure(b)
            }
            _ => false,
        }
    }

    /// False when a pure expression certainly has no floating type.
    fn may_be_float(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Float(..) => true,
            ExprKind::Ident(name) => match self.names.scopes().find(name) {
                Some(Entity::Register(_, ty, _)) => self.types.is_float(*ty),
                _ => false,
            },
            ExprKind::Cast(ty, _) => !matches!(ty.base.kind, TypeSpecKind::Int(_)),
            ExprKind::Unary(_, a) => self.may_be_float(a),
            ExprKind::Binary(_, a, b) => self.may_be_float(a) || self.may_be_float(b),
            ExprKind::Conditional(c, a, b) => {
                self.may_be_float(a.as_deref().unwrap_or(c)) || self.may_be_float(b)
            }
            _ => false,
        }
    }
}

/// Names under an address operator in a function's body, and of operands of assembly that are in memory. `defined` tells which functions the
/// program defines itself.
pub fn addressed(body: &[BlockItem], defined: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    find(body, defined).names
}

/// Names of the functions that a function's body calls; [`ERRNO`] where it speaks of `errno`.
pub fn called(body: &[BlockItem]) -> BTreeSet<String> {
    find(body, &|_| false).calls
}

/// All names in a function's body.
pub fn mentioned(body: &[BlockItem]) -> BTreeSet<String> {
    find(body, &|_| false).mentioned
}

/// Names of the functions that the initial values of a declaration call.
pub fn called_by(d: &Declaration) -> BTreeSet<String> {
    let mut out = Found {
        names: BTreeSet::new(),
        calls: BTreeSet::new(),
        mentioned: BTreeSet::new(),
        defined: &|_| false,
    };
    let values = d.declarators.iter().filter_map(|d| d.init.as_ref());
    values.for_each(|i| init(i, &mut out));
    out.calls
}

/// True for `0` and `NULL`.
fn is_null(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(0, _) => true,
        ExprKind::Cast(_, inner) => is_null(inner),
        _ => false,
    }
}

fn find<'a>(body: &[BlockItem], defined: &'a dyn Fn(&str) -> bool) -> Found<'a> {
    let mut out = Found {
        names: BTreeSet::new(),
        calls: BTreeSet::new(),
        mentioned: BTreeSet::new(),
        defined,
    };
    block(body, &mut out);
    out
}

struct Found<'a> {
    names: BTreeSet<String>,
    calls: BTreeSet<String>,
    mentioned: BTreeSet<String>,
    defined: &'a dyn Fn(&str) -> bool,
}

fn block(items: &[BlockItem], out: &mut Found) {
    items.iter().for_each(|i| item(i, out));
}

fn item(item: &BlockItem, out: &mut Found) {
    match item {
        BlockItem::Declaration(d) => {
            for declarator in &d.declarators {
                declarator.derived.iter().for_each(|d| size(d, out));
                declarator.init.iter().for_each(|i| init(i, out));
            }
        }
        BlockItem::StaticAssert(_) => {}
        BlockItem::Stmt(s) => stmt(s, out),
    }
}

/// The size of an array, which may be computed.
fn size(d: &Derived, out: &mut Found) {
    if let Derived::Array { size: Some(e) } = d {
        expr(e, out);
    }
}

fn init(i: &Init, out: &mut Found) {
    match i {
        Init::Expr(e) => expr(e, out),
        Init::List(items, _) => items.iter().for_each(|i| init(&i.init, out)),
    }
}

fn stmt(s: &Stmt, out: &mut Found) {
    match &s.kind {
        StmtKind::Expr(e) | StmtKind::Return(e) => e.iter().for_each(|e| expr(e, out)),
        StmtKind::Block(items) => block(items, out),
        StmtKind::If(c, a, b) => {
            expr(c, out);
            stmt(a, out);
            b.iter().for_each(|b| stmt(b, out));
        }
        StmtKind::While(c, b) | StmtKind::DoWhile(b, c) | StmtKind::Switch(c, b) => {
            expr(c, out);
            stmt(b, out);
        }
        StmtKind::For {
            init,
            cond,
            step,
            body,
        } => {
            init.iter().for_each(|i| item(i, out));
            cond.iter().chain(step).for_each(|e| expr(e, out));
            stmt(body, out);
        }
        StmtKind::Case(_, _, b) | StmtKind::Default(b) | StmtKind::Label(_, b) => stmt(b, out),
        StmtKind::Asm(asm) => {
            for operand in &asm.operands {
                expr(&operand.expr, out);
                if let (true, ExprKind::Ident(name)) = (operand.is_in_memory(), &operand.expr.kind)
                {
                    out.names.insert(name.clone());
                }
            }
        }
        StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
    }
}

fn expr(e: &Expr, out: &mut Found) {
    match &e.kind {
        ExprKind::Unary(UnaryOp::Address, inner) => {
            expr(inner, out);
            if let ExprKind::Ident(name) = &inner.kind {
                out.names.insert(name.clone());
            }
        }
        ExprKind::Call(callee, args) => {
            expr(callee, out);
            if let ExprKind::Generic(_, cases) = &callee.kind {
                for (_, case) in cases {
                    if let ExprKind::Ident(name) = &case.kind {
                        out.calls.insert(name.clone());
                        out.calls.extend(super::waits::marks(name, args));
                    }
                }
            }
            if let ExprKind::Ident(name) = &callee.kind {
                out.calls.insert(name.clone());
                out.calls.extend(super::waits::marks(name, args));
                if KEY_CREATE.contains(&name.as_str()) && !args.get(1).is_none_or(is_null) {
                    out.calls.insert(DESTRUCTOR.to_string());
                }
            }
            for (i, arg) in args.iter().enumerate() {
                match (&callee.kind, &arg.kind) {
                    (ExprKind::Ident(f), ExprKind::Unary(UnaryOp::Address, inner))
                        if is_result(f, i) && !(out.defined)(f) =>
                    {
                        match &inner.kind {
                            ExprKind::Ident(name) => _ = out.mentioned.insert(name.clone()),
                            _ => expr(inner, out),
                        }
                    }
                    _ => expr(arg, out),
                }
            }
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Step { operand: a, .. } => {
            expr(a, out)
        }
        ExprKind::Member { base: a, .. } | ExprKind::VaArg(a, _) => expr(a, out),
        ExprKind::Binary(_, a, b)
        | ExprKind::Logical(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Index(a, b) => {
            expr(a, out);
            expr(b, out);
        }
        ExprKind::Conditional(c, a, b) => {
            expr(c, out);
            a.iter().for_each(|a| expr(a, out));
            expr(b, out);
        }
        ExprKind::Comma(list) => list.iter().for_each(|e| expr(e, out)),
        ExprKind::Compound(_, items) => items.iter().for_each(|i| init(&i.init, out)),
        ExprKind::Generic(_, cases) => cases.iter().for_each(|(_, e)| expr(e, out)),
        ExprKind::Choose(operands) => operands.iter().for_each(|e| expr(e, out)),
        ExprKind::Block(items) => block(items, out),
        ExprKind::Ident(name) => {
            if name == "errno" {
                out.calls.insert(ERRNO.to_string());
            }
            out.mentioned.insert(name.clone());
        }
        ExprKind::Int(..)
        | ExprKind::Float(..)
        | ExprKind::Str(_)
        | ExprKind::WideStr(..)
        | ExprKind::TypesCompatible(_) => {}
        ExprKind::SizeofType(_)
        | ExprKind::SizeofExpr(_)
        | ExprKind::Alignof(_)
        | ExprKind::AlignofExpr(_) => {}
        ExprKind::Offsetof(_, path) => {
            for step in path {
                if let Designator::Index(index) = step {
                    expr(index, out);
                }
            }
        }
        ExprKind::Unsupported(_) => {}
    }
}
