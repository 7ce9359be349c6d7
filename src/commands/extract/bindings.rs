//! What the registers of a procedure stand for.

use super::extraction::Argument;
use super::registers::{is_assigned, is_stable};
use super::thread::Builder;
use super::unsupported::{Unsupported, unsupported};
use super::value::{Binding, Cases, OwnNumbers, Reader};
use crate::commands::arith::Linear;
use crate::commands::program::VariableKind;
use ::ir::program::{self as ir, Op};
use base::source::Span;

impl<'a> Builder<'a, '_> {
    /// What a register of a procedure with these arguments stands for.
    pub(super) fn binding(
        &mut self,
        id: ir::ProcId,
        l: ir::LocalId,
        args: &[Argument],
        span: Span,
    ) -> Result<Binding, Unsupported> {
        let proc = &self.all.ir.procs[id];
        let param = proc.params.iter().position(|p| *p == l);
        match param.and_then(|i| args.get(i)) {
            Some(Argument::Address(..)) if is_assigned(proc, l) => {
                return Err(unsupported(span, "pointers as values"));
            }
            // What is stored through it would have no variable here, and one for those who name the object.
            Some(Argument::Address(..))
                if self.all.handles.as_ref().is_some_and(|h| h.is_about(id, l)) =>
            {
                let what = "the handle of a thread that is stored through a parameter";
                return Err(unsupported(span, what));
            }
            Some(Argument::Address(object, offset)) => {
                return Ok(Binding::Address(*object, Linear::constant(*offset)));
            }
            Some(Argument::Number(cases)) if !is_assigned(proc, l) => {
                if let [(_, value)] = &cases[..]
                    && let Some(n) = value.as_constant()
                {
                    return Ok(Binding::Fixed(n));
                }
            }
            _ => {}
        }
        let handles = self.all.handles.as_ref();
        if handles.is_some_and(|h| h.is_about(id, l)) {
            return Ok(Binding::Handle);
        }
        let local = &proc.locals[l];
        Ok(Binding::Var(if local.name.is_empty() {
            let name = format!("${}", self.all.program.vars.len());
            self.variable(name, VariableKind::Temporary(self.id))
        } else {
            let name = self.fresh_name(&local.name);
            self.variable(name, self.all.register_kind(self.id))
        }))
    }

    /// Registers that are set once, to an address that is always the same where they are used.
    pub(super) fn find_addresses(&self, proc: &'a ir::Proc, bindings: &mut [Binding]) {
        for (at, instr) in proc.body.iter().enumerate() {
            let Op::Assign { dst, value } = &instr.op else {
                continue;
            };
            let sets = |i: &&ir::Instr| i.op.results().contains(dst);
            if proc.params.contains(dst) || proc.body.iter().filter(sets).count() > 1 {
                continue;
            }
            let reader = Reader {
                ir: self.all.ir,
                proc,
                bindings,
                any_threads: self.all.handles.is_some(),
                own: self.own_numbers(),
                naturals: None,
                arrays: self.all.numbering.as_ref().map(|n| &n.arrays),
                span: instr.span,
            };
            let Ok((object, offset)) = reader.address(value) else {
                continue;
            };
            let is_part = |l: ir::LocalId| match &bindings[l.0 as usize] {
                Binding::Var(x) => offset.terms.contains_key(x),
                _ => false,
            };
            if offset.as_constant().is_some() || is_stable(proc, at, *dst, &is_part) {
                bindings[dst.0 as usize] = Binding::Address(object, offset);
            }
        }
    }

    pub(super) fn own_numbers(&self) -> OwnNumbers<'_> {
        OwnNumbers {
            registers: &self.all.program.own_numbers,
            width: self.all.numbering.as_ref().map_or(0, |n| n.width),
        }
    }

    /// They are the number of the thread.
    pub(super) fn is_own_number(&self, cases: &Cases) -> bool {
        let own = &self.all.program.own_numbers;
        matches!(&cases[..], [(_, v)] if v.as_var().is_some_and(|x| own.contains(&x)))
    }
}
