//! The state of a lowering, and what every part of it does: emit, bind, refuse.

use super::body::Body;
use super::called_types::CalledTypes;
use super::dependence::Summaries;
use super::diagnostics::Diagnostics;
use super::made::Made;
use super::names::{Names, UnitId, VariableId};
use super::options::LoweringOptions;
use super::refusal::{Lowered, Refusal};
use super::representation::{Enclosing, Representation};
use crate::front::c::ast;
use crate::front::c::bits::BitField;
use crate::front::c::types::{TypeId, Types};
use base::diag::Diag;
use base::source::Span;
use ir::program::*;
use std::collections::{BTreeSet, VecDeque};

/// A value: a scalar's bits; for a structure the address where it is.
#[derive(Clone, Debug)]
pub(super) struct TypedValue {
    pub(super) expr: Expr,
    pub(super) ty: TypeId,
}

impl TypedValue {
    pub(super) fn new(expr: Expr, ty: TypeId) -> TypedValue {
        TypedValue { expr, ty }
    }
}

/// Something that can be assigned.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A register.
    Register(LocalId, TypeId),
    /// Memory at an address, and what it is a part of.
    Memory(Expr, TypeId, Vec<Enclosing>),
    /// A bit-field of the structure at an address, with its declared type.
    Bits(Expr, BitField, TypeId, Vec<Enclosing>),
}

impl Place {
    /// An object by itself, or one that nothing is known of.
    pub(super) fn object(at: Expr, ty: TypeId) -> Place {
        Place::Memory(at, ty, Vec::new())
    }

    /// What it is a part of.
    pub(super) fn within(&self) -> Vec<Enclosing> {
        match self {
            Place::Register(..) => Vec::new(),
            Place::Memory(_, _, within) | Place::Bits(_, _, _, within) => within.clone(),
        }
    }
}

/// What waits to be lowered.
#[derive(Debug)]
pub(super) enum WorkItem<'a> {
    Body(ProcId, &'a ast::Function, UnitId),
    Init(VariableId),
}

/// The state of a lowering.
pub(super) struct Lowering<'a> {
    pub(super) diagnostics: Diagnostics<'a>,
    pub(super) types: Types,
    pub(super) program: Program,
    pub(super) names: Names<'a>,
    pub(super) made: Made,
    pub(super) tasks: VecDeque<WorkItem<'a>>,
    pub(super) body: Body,
    /// An expression is lowered for its type alone.
    pub(super) unevaluated: bool,
    /// The initial value of an object with static storage is lowered, which a compiler has computed.
    pub(super) is_initial: bool,
    /// Of the call that is lowered next the sign alone is looked at.
    pub(super) sign_alone: bool,
    /// What calls through pointers are checked against.
    pub(super) called_types: CalledTypes,
    /// What functions do, of those that some order of operands depends on.
    pub(super) summaries: Summaries,
    /// What runs when the program ends: functions with the attribute `destructor`, in their order.
    pub(super) at_exit: Vec<ProcId>,
    /// Objects that no file defines.
    pub(super) undefined_objects: BTreeSet<GlobalId>,
    /// Which bytes the program looks at.
    pub(super) representation: Representation,
    /// What is asked of the program.
    pub(super) options: &'a LoweringOptions,
}

impl<'a> Lowering<'a> {
    /// Reports why a part of the program is not lowered, unless that has been reported.
    pub(super) fn error(&mut self, refusal: impl Into<Refusal>) {
        self.diagnostics.report(refusal.into());
    }

    pub(super) fn pointer_width(&self) -> Width {
        self.types.pointer_width
    }

    /// A constant of pointer width.
    pub(super) fn pointer_constant(&self, value: u64) -> Expr {
        Expr::constant(value, self.pointer_width())
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.body.emit(op);
    }

    /// Bits of an expression over the current body's registers.
    pub(super) fn width_of(&self, e: &Expr) -> Width {
        e.width(&self.program, &self.body.proc)
    }

    /// The expression itself when it is cheap to repeat, else a register that holds it.
    pub(super) fn bind(&mut self, e: Expr) -> Expr {
        match e {
            Expr::Const { .. } | Expr::Local(_) | Expr::Global(_) | Expr::Proc(_) => e,
            e => {
                let width = self.width_of(&e);
                self.body.assign(width, e)
            }
        }
    }

    /// An unsupported construct.
    pub(super) fn unsupported<T>(&self, span: Span, what: &str) -> Lowered<T> {
        let message = format!("{what} is not supported");
        Err(Diag::unsupported(span, message).into())
    }

    /// Lowers something that may not be supported: then execution stops where it would begin, and the
    /// answer is `UNKNOWN` if that can be reached. `None` says so.
    ///
    /// Nothing of what it has emitted is left, so it must not place a label that the rest of the
    /// procedure jumps to.
    pub(super) fn where_reached<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<Option<T>> {
        let mark = self.body.mark();
        match work(self) {
            Ok(value) => Ok(Some(value)),
            Err(Refusal::Unsupported(diag)) if !self.names.scopes().at_file() => {
                self.body.rewind(mark);
                self.stop(&diag);
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Execution stops here: what follows is not supported.
    pub(super) fn stop(&mut self, why: &Diag) {
        if let Some((span, _)) = why.labels.first() {
            self.body.span = *span;
        }
        self.emit(Op::Unknown(why.message.clone()));
        self.emit(Op::Halt);
    }
}
