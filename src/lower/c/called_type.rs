//! Calls through a pointer of a type that is not compatible with the function's (C11 6.3.2.3p8,
//! 6.5.2.2p9).
//!
//! Which functions a pointer may lead to is known when all bodies are lowered: before a call stands an
//! assertion with a number for the type that the call has, and in the end it becomes that the pointer is
//! none of the functions of other types. Calls that the library makes are not looked at: what is given
//! to `pthread_create` or `qsort` is cast everywhere.

use super::Lowering;
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Callee, Expr, Op, ProcId, PropertyKind, Rule};

pub(super) const CALLED_TYPE: &str =
    "the type of the called function is compatible with that of the call";

impl Lowering<'_> {
    /// The address of a function is taken.
    pub fn address_is_taken(&mut self, name: &str, proc: ProcId) {
        let function = &self.names.functions()[name];
        if let (Some(_), Some(body)) = (function.misfit, function.definition) {
            let name = &body.name.name;
            return self.in_unit(function.unit, |l| l.address_is_taken(name, proc));
        }
        // A definition without a prototype is compatible with what its promoted parameters are.
        if function.definition.is_some_and(|f| f.old_style) {
            return;
        }
        let ty = function.ty;
        let has_prototype = |ty| match self.types.get(ty) {
            Type::Function(f) => !f.has_no_prototype(),
            _ => false,
        };
        let known = self.called_types.of_function(proc);
        if known.is_none_or(|known| !has_prototype(known)) {
            self.called_types.note_function(proc, ty);
        }
    }

    /// Asserts that a call of this type goes to a function of a compatible one.
    pub fn check_called_type(&mut self, callee: &Callee, ty: TypeId, span: Span) {
        if !self.is_checked(PropertyKind::Memory) || self.body.proc.name.starts_with(PREFIX) {
            return;
        }
        let pointer = match callee {
            Callee::Proc(proc) => Expr::Proc(*proc),
            Callee::Pointer(e) => e.clone(),
        };
        let number = self.called_types.note_call(ty);
        let number = self.pointer_constant(number as u64);
        let cond = Expr::binary(BinOp::Eq, pointer, number);
        self.check(Rule::CalledType, cond, CALLED_TYPE, span);
    }

    /// Gives the assertions their conditions.
    pub fn finish_called_types(&mut self) {
        let called = &self.called_types;
        let others = called.calls().iter().map(|call| {
            let other = |ty: &TypeId| self.types.compatible(*call, *ty).is_err();
            let others = called.functions().iter().filter(|(_, ty)| other(ty));
            others.map(|(proc, _)| *proc).collect::<Vec<ProcId>>()
        });
        let others: Vec<Vec<ProcId>> = others.collect();
        let ids: Vec<ProcId> = self.program.procs.ids().collect();
        let procs = &mut self.program.procs;
        for id in ids {
            for instr in &mut procs[id].body {
                let Op::Assert { cond, property } = &mut instr.op else {
                    continue;
                };
                // A call of a function by its name has its condition.
                let is_open = !matches!(cond, Expr::Const { .. });
                if property.rule == Rule::CalledType && is_open {
                    *cond = is_none_of(cond, &others);
                }
            }
        }
    }
}

/// That the pointer of an assertion is none of the functions that its number stands for.
fn is_none_of(cond: &Expr, others: &[Vec<ProcId>]) -> Expr {
    let ours = "`check_called_type` compares a pointer with a number";
    let Expr::Binary(_, pointer, number) = cond else {
        unreachable!("{ours}");
    };
    let Expr::Const { value, .. } = **number else {
        unreachable!("{ours}");
    };
    let differs = |p: &ProcId| match &**pointer {
        Expr::Proc(called) => Expr::constant(u64::from(called != p), 1),
        e => Expr::binary(BinOp::Ne, e.clone(), Expr::Proc(*p)),
    };
    let all = others[value as usize].iter().map(differs);
    let all = all.reduce(|a, b| super::fold::binary(BinOp::And, a, b, 1));
    all.unwrap_or(Expr::constant(1, 1))
}
