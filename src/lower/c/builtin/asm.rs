//! Inline assembly: the fences, and the instructions that programs of this field write by hand.
//!
//! A statement is read line by line and every instruction becomes what it does to the operands:
//! registers are registers of the body, a memory operand is an access of the statement. Instructions
//! of x86 are read and lowered as those of litmus tests ([`x86`]); [`template`] and [`risc`] have the
//! instructions of Power and ARM, [`fence`] the barriers. Which of the machines is meant, the
//! instructions say. What is not known is refused by name.
//!
//! ARM is none of the machines of the memory models: its barriers act by their nearest meaning.

mod fence;
mod refusal;
mod risc;
mod statement;
mod template;
mod x86;

use crate::front::c::ast::{Asm, AsmOperand};
use crate::front::c::types::{Type, TypeId};
use crate::front::litmus::template as front_template;
use crate::lower::c::{Lowered, Lowering, Place, TypedValue, fold, wrong};
use base::source::Span;
use ir::program::{BinOp, Expr, LocalId, MemoryOrder, Op, UnOp, Width};
use refusal::{unknown, unknown_flag};
use statement::{Bound, Statement};
use std::collections::BTreeMap;
use template::Arg;

impl<'a> Lowering<'a> {
    /// Lowers an assembly statement.
    pub fn asm(&mut self, asm: &'a Asm, span: Span) -> Lowered<()> {
        let names: Vec<Option<String>> = asm.operands.iter().map(|o| o.name.clone()).collect();
        let text = front_template::lines(&asm.template);
        let lines = template::parse(&text, &names, asm.extended);
        self.body.span = span;
        let mut statement = Statement {
            span,
            lines: &lines,
            names: &names,
            operands: Vec::new(),
            registers: BTreeMap::new(),
            zero: None,
            stored: false,
            status: None,
            labels: Vec::new(),
            flags: Vec::new(),
        };
        self.bind_operands(&mut statement, &asm.operands)?;
        let is_risc = |name: &str| risc::is_arm(name) || risc::is_power(name);
        if lines.iter().any(|l| is_risc(&l.mnemonic)) {
            self.risc(&mut statement)?;
        } else {
            self.x86(&mut statement, &text, asm.extended)?;
        }
        self.deliver_outputs(statement)
    }

    /// Lowers a statement of Power or ARM.
    fn risc(&mut self, m: &mut Statement) -> Lowered<()> {
        for (i, line) in m.lines.iter().enumerate() {
            for name in &line.labels {
                m.labels.push((i, name.clone(), self.body.label()));
            }
        }
        let is_arm = m.lines.iter().any(|l| risc::is_arm(&l.mnemonic));
        for (i, line) in m.lines.iter().enumerate() {
            for (_, _, label) in m.labels.iter().filter(|(at, ..)| *at == i) {
                self.body.place(*label);
            }
            if line.mnemonic.is_empty() || fence::is_hint(line) {
                continue;
            }
            let done = match fence::fence(line) {
                Some(fence) => {
                    self.emit(Op::Fence(fence));
                    Some(())
                }
                None if is_arm => self.arm(m, i, line),
                None => self.power(m, i, line),
            };
            if done.is_none() {
                return Err(unknown(&line.text, m.span).into());
            }
        }
        let zero = |name: &str| match name {
            "eq" => m.zero.clone(),
            "ne" => Some(fold::unary(UnOp::Not, m.zero.clone()?, 1)),
            _ => None,
        };
        for bound in &m.operands {
            if let Bound::Flag(name, _) = bound {
                let flag = zero(name).ok_or_else(|| unknown_flag(name, m.span))?;
                m.flags.push(flag);
            }
        }
        Ok(())
    }

    fn bind_operands(&mut self, m: &mut Statement, operands: &'a [AsmOperand]) -> Lowered<()> {
        for o in operands {
            let constraint: String = o
                .constraint
                .chars()
                .filter(|c| !"=+&%*!? ".contains(*c))
                .collect();
            let span = o.expr.span;
            if let Some(flag) = constraint.strip_prefix("@cc") {
                let place = self.place(&o.expr)?;
                m.operands.push(Bound::Flag(flag.to_string(), place));
                continue;
            }
            let memory = !constraint.is_empty()
                && constraint.chars().all(|c| "mQVoZSUqes<>a".contains(c))
                && constraint.contains(['m', 'Q', 'V', 'o', 'Z']);
            if memory && self.is_place(&o.expr) {
                let bound = match self.place(&o.expr)? {
                    Place::Memory(addr, ty, _) => {
                        let width = self.operand_width(ty, span)?;
                        Bound::Memory(self.bind(addr), width)
                    }
                    place @ Place::Register(..) => {
                        let ty = Self::place_type(&place);
                        let width = self.scalar_width(ty, span)?;
                        let value = self.read(place.clone(), span)?.expr;
                        let local = self.copy_of(value, width);
                        Bound::Register(local, width, o.output.then_some(place))
                    }
                    Place::Bits(..) => return wrong(span, "a bit-field has no address"),
                };
                m.operands.push(bound);
                continue;
            }
            if let Ok(number) = constraint.parse::<usize>() {
                self.bind_matching(m, number, o)?;
                continue;
            }
            let bound = if o.output {
                let place = self.place(&o.expr)?;
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
                let width = self.scalar_width(value.ty, span)?;
                Bound::Register(self.copy_of(value.expr, width), width, None)
            };
            if let (Some(name), Bound::Register(local, ..)) = (x86::fixed(&constraint), &bound) {
                m.registers.insert(name.to_string(), *local);
            }
            m.operands.push(bound);
        }
        Ok(())
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
        let value = fold::resize(value.expr, from, width, self.types.signed(value.ty));
        self.emit(Op::Assign { dst: local, value });
        m.operands.push(Bound::Register(local, width, None));
        Ok(())
    }

    fn copy_of(&mut self, value: Expr, width: Width) -> LocalId {
        let dst = self.body.local("", width);
        self.emit(Op::Assign { dst, value });
        dst
    }

    fn deliver_outputs(&mut self, m: Statement) -> Lowered<()> {
        let span = m.span;
        let mut flags = m.flags.into_iter();
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

    /// The register with this name; what it holds at first is arbitrary.
    fn named_register(&mut self, m: &mut Statement, name: &str) -> LocalId {
        if let Some(local) = m.registers.get(name) {
            return *local;
        }
        let dst = self.body.local(name, 64);
        self.emit(Op::Havoc { dst });
        m.registers.insert(name.to_string(), dst);
        dst
    }

    /// The value of an argument that is a register or a number, in so many bits.
    fn register_value(&mut self, m: &mut Statement, arg: &Arg, width: Width) -> Option<Expr> {
        match arg {
            Arg::Imm(value) => Some(Expr::constant(*value as u64, width)),
            _ => {
                let local = self.register(m, arg)?;
                let from = self.body.proc.locals[local].width;
                Some(fold::resize(Expr::Local(local), from, width, false))
            }
        }
    }

    /// The register an argument names.
    fn register(&mut self, m: &mut Statement, arg: &Arg) -> Option<LocalId> {
        match arg {
            Arg::Operand(n) => match m.operands[*n] {
                Bound::Register(local, ..) => Some(local),
                _ => None,
            },
            Arg::Name(name) => {
                let name = risc::canonical(name)?;
                Some(self.named_register(m, &name))
            }
            _ => None,
        }
    }

    /// Bits of a register argument.
    fn argument_width(&mut self, m: &mut Statement, arg: &Arg) -> Option<Width> {
        match arg {
            Arg::Operand(n) => match &m.operands[*n] {
                Bound::Register(_, width, _) => Some(*width),
                Bound::Memory(_, width) => *width,
                Bound::Flag(..) => None,
            },
            Arg::Name(name) => risc::register_width(name),
            _ => None,
        }
    }

    /// The address an argument stands for, when it is memory.
    fn memory(&mut self, m: &mut Statement, arg: &Arg) -> Option<Expr> {
        let pointer = self.pointer_width();
        match arg {
            Arg::Operand(n) => match &m.operands[*n] {
                Bound::Memory(addr, _) => Some(addr.clone()),
                _ => None,
            },
            Arg::Mem(base, offset) => {
                let base = match (self.memory(m, base), *offset) {
                    (Some(addr), _) => addr,
                    (None, _) => self.register_value(m, base, pointer)?,
                };
                let offset = Expr::constant(*offset as u64, pointer);
                Some(fold::binary(BinOp::Add, base, offset, pointer))
            }
            _ => None,
        }
    }

    fn load_asm(&mut self, addr: Expr, width: Width) -> Expr {
        let dst = self.body.local("", width);
        let order = MemoryOrder::Relaxed;
        self.emit(Op::Load { dst, addr, order });
        Expr::Local(dst)
    }

    fn store_asm(&mut self, addr: Expr, value: Expr) {
        let order = MemoryOrder::Relaxed;
        self.emit(Op::Store { addr, value, order });
    }

    /// Notes whether a result is zero.
    fn set_zero(&mut self, m: &mut Statement, result: &Expr, width: Width) {
        let zero = fold::binary(BinOp::Eq, result.clone(), Expr::constant(0, width), width);
        m.zero = Some(self.bind(zero));
        m.stored = false;
    }

    /// Jumps to a label such as `1b`, when the condition holds. `retry`: it may be that a
    /// conditional store was not done.
    fn asm_jump(
        &mut self,
        m: &Statement,
        at: usize,
        target: &Arg,
        cond: Option<Expr>,
        retry: bool,
    ) -> Option<()> {
        let Arg::Name(name) = target else { return None };
        let back = |n: &str| m.labels.iter().rev().find(|(i, l, _)| *i <= at && l == n);
        let forth = |n: &str| m.labels.iter().find(|(i, l, _)| *i > at && l == n);
        let (_, _, label) = match (name.strip_suffix('b'), name.strip_suffix('f')) {
            (Some(n), _) if !n.is_empty() && back(n).is_some() => back(n)?,
            (_, Some(n)) if !n.is_empty() && forth(n).is_some() => forth(n)?,
            _ => m.labels.iter().find(|(_, l, _)| l == name)?,
        };
        let (label, goes_back) = (
            *label,
            m.labels.iter().any(|(i, _, l)| l == label && *i <= at),
        );
        // A conditional store that fails changes nothing: the iterations in which it does are left out.
        match cond {
            Some(cond)
                if retry && goes_back && m.stored && risc::is_retry(&m.lines[..=at], name) =>
            {
                let done = fold::unary(UnOp::Not, cond, 1);
                self.emit(Op::Assume(done));
            }
            cond => self.body.jump(cond, label),
        }
        Some(())
    }
}
