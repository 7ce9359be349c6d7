//! Inline assembly: the fences, and the instructions that programs of this field write by hand.
//!
//! The instructions are those of litmus tests, read and lowered as these are ([`instructions`]); operands in
//! registers are registers, a memory operand is an access of the statement. Which of the machines is meant,
//! the instructions say. Of [`sparc`] only barriers are known. What is not known is refused by name.
//!
//! A barrier of a machine that the model does not describe acts by its nearest meaning.

mod instructions;
mod refusal;
mod retry;
mod sparc;
mod statement;
mod system_call;

use crate::front::c::ast::{Asm, AsmOperand, Expr as Ast, ExprKind};
use crate::front::c::types::{Type, TypeId};
use crate::front::litmus::ast::Machine;
use crate::front::litmus::register_named;
use crate::lower::c::names::Entity;
use crate::lower::c::{Lowered, Lowering, Place, TypedValue, fold, wrong};
use base::source::Span;
use ir::program::{BinOp, Expr, LocalId, Op, Width, mask};
use statement::{Bound, Statement};
use std::collections::BTreeMap;

impl<'a> Lowering<'a> {
    /// Lowers an assembly statement.
    pub fn asm(&mut self, asm: &'a Asm, span: Span) -> Lowered<()> {
        self.body.span = span;
        let mut statement = Statement {
            span,
            names: asm.operands.iter().map(|o| o.name.clone()).collect(),
            operands: Vec::new(),
            registers: BTreeMap::new(),
        };
        self.bind_operands(&mut statement, &asm.operands)?;
        let is_flag = |o: &Bound| matches!(o, Bound::Flag(..));
        let has_flags = statement.operands.iter().any(is_flag);
        if system_call::is_system_call(&asm.template) {
            self.system_call_instruction(&statement)?;
            return self.deliver_outputs(statement, Vec::new());
        }
        let flags = match sparc::barriers(&asm.template).filter(|_| !has_flags) {
            Some(barriers) => {
                for fence in barriers {
                    self.emit(Op::Fence(fence));
                }
                Vec::new()
            }
            None => self.instructions(&statement, asm)?,
        };
        self.deliver_outputs(statement, flags)
    }

    fn bind_operands(&mut self, m: &mut Statement, operands: &'a [AsmOperand]) -> Lowered<()> {
        for o in operands {
            let constraint = o.letters();
            let span = o.expr.span;
            if let Some(flag) = constraint.strip_prefix("@cc") {
                let place = self.place(&o.expr)?;
                m.operands.push(Bound::Flag(flag.to_string(), place));
                continue;
            }
            if o.is_in_memory() && self.is_place(&o.expr) {
                let place = self.place(&o.expr)?;
                let (addr, ty) = self.address(place, span)?;
                let width = self.operand_width(ty, span)?;
                let bound = Bound::Memory(self.bind(addr), width);
                m.operands.push(bound);
                continue;
            }
            if let Ok(number) = constraint.parse::<usize>() {
                self.bind_matching(m, number, o)?;
                continue;
            }
            let register = self.register_of(&o.expr, &constraint);
            let bound = if o.output {
                let place = self.output_place(&o.expr)?;
                let place = match place {
                    Place::Memory(addr, ty, within) => Place::Memory(self.bind(addr), ty, within),
                    other => other,
                };
                let width = self.scalar_width(Self::place_type(&place), span)?;
                let local = if o.constraint.contains('+') {
                    let value = self.read(place.clone(), span)?.expr;
                    let value = fold::resize(value.clone(), self.width_of(&value), width, false);
                    self.copy_of(value, width)
                } else {
                    let local = self.body.local("", width);
                    self.emit(Op::Havoc { dst: local });
                    local
                };
                Bound::Register(local, width, Some(place))
            } else {
                let value = self.value(&o.expr)?;
                let from = self.scalar_width(value.ty, span)?;
                match register.as_ref().and_then(|name| m.registers.get(name)) {
                    // An output is in the same register.
                    Some(local) => self.set_register(m, *local, value.expr, from),
                    None => Bound::Register(self.copy_of(value.expr, from), from, None),
                }
            };
            if let (Some(name), Bound::Register(local, ..)) = (register, &bound) {
                m.registers.insert(name, *local);
            }
            m.operands.push(bound);
        }
        Ok(())
    }

    /// The place that an output is written to. In GNU C that may be a cast: the place is read and written as what it
    /// is cast to.
    fn output_place(&mut self, e: &'a Ast) -> Lowered<Place> {
        let ExprKind::Cast(ty, inner) = &e.kind else {
            return self.place(e);
        };
        let place = self.output_place(inner)?;
        let (to, from) = (self.named_type(ty)?, Self::place_type(&place));
        let widths = [to, from].map(|ty| self.types.width(ty));
        match widths {
            [Some(a), Some(b)] if a == b => Ok(place),
            _ => self.unsupported(e.span, "a cast to another size as an output of assembly"),
        }
    }

    /// Bits of an operand in memory. A structure or array says which memory is meant, not what an
    /// instruction accesses: that a register or the mnemonic has to say.
    fn operand_width(&mut self, ty: TypeId, span: Span) -> Lowered<Option<Width>> {
        let plain = self.types.plain(ty);
        if matches!(self.types.get(plain), Type::Record(_) | Type::Array(..)) {
            return Ok(None);
        }
        self.scalar_width(ty, span).map(Some)
    }

    /// `"0"(e)`: the value that an output operand has at first.
    fn bind_matching(
        &mut self,
        m: &mut Statement,
        number: usize,
        o: &'a AsmOperand,
    ) -> Lowered<()> {
        let span = o.expr.span;
        let value = self.value(&o.expr)?;
        let from = self.scalar_width(value.ty, span)?;
        let Some(Bound::Register(local, width, _)) = m.operands.get(number).cloned() else {
            let message = format!("the constraint \"{number}\" names no register operand");
            return wrong(span, message);
        };
        debug_assert_eq!(width, self.body.proc.locals[local].width);
        let bound = self.set_register(m, local, value.expr, from);
        m.operands.push(bound);
        Ok(())
    }

    /// Gives the register of an output its first value; what a narrower one leaves of it is any.
    fn set_register(&mut self, m: &Statement, local: LocalId, value: Expr, from: Width) -> Bound {
        let width = self.body.proc.locals[local].width;
        let value = match from < width {
            true => {
                let rest = self.temp(width);
                self.emit_at(m.span, Op::Havoc { dst: rest });
                let value = fold::resize(value, from, width, false);
                let rest = fold::binary(
                    BinOp::And,
                    Expr::Local(rest),
                    Expr::constant(mask(width) & !mask(from), width),
                    width,
                );
                fold::binary(BinOp::Or, rest, value, width)
            }
            false => fold::resize(value, from, width, false),
        };
        self.emit(Op::Assign { dst: local, value });
        Bound::Register(local, width, None)
    }

    /// The register of the machine that an operand is in, where its constraint says so, or the declaration
    /// of the variable that it is.
    fn register_of(&self, e: &Ast, constraint: &str) -> Option<String> {
        if let Some(name) = instructions::fixed(constraint) {
            return Some(name.to_string());
        }
        let (ExprKind::Ident(name), "r") = (&e.kind, constraint) else {
            return None;
        };
        let Some(Entity::Register(local, ..)) = self.names.scopes().find(name) else {
            return None;
        };
        let declared = self.body.machine_registers.get(local)?;
        let plain = declared.trim_start_matches(['%', '$']);
        Some(register_named(self.machine(), plain).unwrap_or_else(|| declared.clone()))
    }

    /// The machine that the program is read for.
    fn machine(&self) -> Machine {
        self.options
            .target
            .map_or(Machine::X86, instructions::machine_of)
    }

    fn copy_of(&mut self, value: Expr, width: Width) -> LocalId {
        let dst = self.body.local("", width);
        self.emit(Op::Assign { dst, value });
        dst
    }

    /// Writes the outputs; `flags` are the values of those that are flags, in order.
    fn deliver_outputs(&mut self, m: Statement, flags: Vec<Expr>) -> Lowered<()> {
        let span = m.span;
        let mut flags = flags.into_iter();
        for bound in m.operands {
            let (place, expr) = match bound {
                Bound::Register(local, _, Some(place)) => (place, Expr::Local(local)),
                Bound::Flag(_, place) => {
                    let flag = flags
                        .next()
                        .expect("every output that is a flag has its value");
                    let width = self.scalar_width(Self::place_type(&place), span)?;
                    (place, fold::resize(flag, 1, width, false))
                }
                _ => continue,
            };
            let ty = self.types.plain(Self::place_type(&place));
            self.write(place, TypedValue { expr, ty }, span)?;
        }
        Ok(())
    }
}
