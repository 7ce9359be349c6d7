//! Instructions of Power and ARM: the first operand is written, except by stores.
//!
//! Linked loads and conditional stores are instructions of the intermediate language. ARM's
//! acquiring and releasing forms are accesses with an order.

use super::statement::Statement;
use super::template::{Arg, Line};
use crate::lower::c::{Lowering, fold};
use ir::program::{BinOp, ControlScope, Expr, LocalId, MemoryOrder, Op, RmwOp, Width};

/// Instructions that only Power has.
pub fn is_power(name: &str) -> bool {
    linked_power(name).is_some()
        || conditional_power(name).is_some()
        || matches!(
            name,
            "lwz" | "ld" | "lbz" | "lhz" | "lwzx" | "ldx" | "stw" | "std" | "stb"
        )
        || matches!(
            name,
            "sth" | "stwx" | "stdx" | "addi" | "addic" | "mr" | "li" | "subf"
        )
        || matches!(
            name,
            "cmpw" | "cmpd" | "cmplw" | "cmpld" | "cmpwi" | "cmpdi" | "ori" | "andi."
        )
}

/// Instructions that only ARM has.
pub fn is_arm(name: &str) -> bool {
    linked_arm(name).is_some()
        || conditional_arm(name).is_some()
        || atomic_arm(name).is_some()
        || matches!(
            name,
            "ldr" | "ldrb" | "ldrh" | "str" | "strb" | "strh" | "ldar" | "ldapr"
        )
        || matches!(
            name,
            "stlr" | "cbz" | "cbnz" | "orr" | "eor" | "teq" | "b.ne" | "b.eq"
        )
}

/// One name for the parts of a register.
pub fn canonical(name: &str) -> Option<String> {
    let number = name.strip_prefix(['r', 'x', 'w'])?;
    let known = number.parse::<u8>().is_ok_and(|n| n < 32);
    known.then(|| format!("r{number} of this statement"))
}

/// Bits of the part of a register that a name stands for.
pub fn register_width(name: &str) -> Option<Width> {
    canonical(name)?;
    Some(if name.starts_with('w') { 32 } else { 64 })
}

/// Bits a linked load of Power reads.
fn linked_power(name: &str) -> Option<Width> {
    Some(match name {
        "lwarx" => 32,
        "ldarx" => 64,
        "lharx" => 16,
        "lbarx" => 8,
        _ => return None,
    })
}

fn conditional_power(name: &str) -> Option<Width> {
    Some(match name {
        "stwcx." | "stwcx" => 32,
        "stdcx." | "stdcx" => 64,
        "sthcx." => 16,
        "stbcx." => 8,
        _ => return None,
    })
}

/// Whether a linked load acquires.
fn linked_arm(name: &str) -> Option<bool> {
    match name {
        "ldxr" | "ldrex" => Some(false),
        "ldaxr" | "ldaex" => Some(true),
        _ => None,
    }
}

/// Whether a conditional store releases.
fn conditional_arm(name: &str) -> Option<bool> {
    match name {
        "stxr" | "strex" => Some(false),
        "stlxr" | "stlex" => Some(true),
        _ => None,
    }
}

/// ARM's atomic instructions: `None` for compare-and-swap, and the order.
fn atomic_arm(name: &str) -> Option<(Option<RmwOp>, MemoryOrder)> {
    const NAMES: [(&str, Option<RmwOp>); 5] = [
        ("cas", None),
        ("swp", Some(RmwOp::Exchange)),
        ("ldadd", Some(RmwOp::Add)),
        ("ldset", Some(RmwOp::Or)),
        ("ldeor", Some(RmwOp::Xor)),
    ];
    let (rest, op) = NAMES
        .iter()
        .find_map(|(n, op)| Some((name.strip_prefix(n)?, *op)))?;
    let order = match rest {
        "" => MemoryOrder::Relaxed,
        "a" => MemoryOrder::Acquire,
        "l" => MemoryOrder::Release,
        "al" => MemoryOrder::AcqRel,
        _ => return None,
    };
    Some((op, order))
}

/// True when the lines from the label `name` (such as `1b`) to the last one only try a conditional
/// store: they write nothing else, and read no register that they changed in an earlier iteration.
pub fn is_retry(lines: &[Line], name: &str) -> bool {
    let label = name.strip_suffix('b').unwrap_or(name);
    let has = |l: &Line| l.labels.iter().any(|n| n == label || n == name);
    let Some(from) = lines.iter().rposition(has) else {
        return false;
    };
    let lines = &lines[from..];
    let jumps = |l: &Line| l.mnemonic.starts_with('b') && l.mnemonic != "bic";
    let written = |l: &Line| {
        let store = l.mnemonic.starts_with("st") && conditional_arm(&l.mnemonic).is_none();
        let compare = l.mnemonic.starts_with("cmp") || l.mnemonic.starts_with("cb");
        let none = store || compare || jumps(l) || matches!(l.mnemonic.as_str(), "teq" | "tst");
        if none { None } else { l.args.first().cloned() }
    };
    let all: Vec<Arg> = lines.iter().filter_map(written).collect();
    let mut fresh: Vec<Arg> = Vec::new();
    for line in lines {
        let conditional = conditional_power(&line.mnemonic).is_some()
            || conditional_arm(&line.mnemonic).is_some();
        if (line.mnemonic.starts_with("st") && !conditional) || atomic_arm(&line.mnemonic).is_some()
        {
            return false;
        }
        let target = written(line);
        let reads = &line.args[usize::from(target.is_some()).min(line.args.len())..];
        let stale = |a: &Arg| {
            let a = if let Arg::Mem(base, _) = a { base } else { a };
            all.contains(a) && !fresh.contains(a)
        };
        if reads.iter().any(stale) {
            return false;
        }
        fresh.extend(target);
    }
    true
}

impl Lowering<'_> {
    pub(super) fn power(&mut self, m: &mut Statement, at: usize, line: &Line) -> Option<()> {
        let name = line.mnemonic.as_str();
        if let Some(width) = linked_power(name) {
            let (dst, addr) = (
                self.register(m, line.args.first()?)?,
                self.indexed(m, &line.args[1..])?,
            );
            self.linked(dst, addr, width, MemoryOrder::Plain);
            return Some(());
        }
        if let Some(width) = conditional_power(name) {
            let value = self.register_value(m, line.args.first()?, width)?;
            let addr = self.indexed(m, &line.args[1..])?;
            let done = self.store_conditional(addr, value, MemoryOrder::Plain);
            (m.zero, m.stored) = (Some(done), true);
            return Some(());
        }
        let word = |name: &str| match name
            .as_bytes()
            .get(if name.starts_with('l') { 1 } else { 2 })
        {
            Some(b'w') => 32,
            Some(b'h') => 16,
            Some(b'b') => 8,
            _ => 64,
        };
        match (name, &line.args[..]) {
            ("lwz" | "ld" | "lbz" | "lhz" | "lwzx" | "ldx", [to, from @ ..]) => {
                let (dst, addr) = (self.register(m, to)?, self.indexed(m, from)?);
                let width = word(name);
                let value = self.load_asm(addr, width);
                self.zero_extend(dst, value, width);
                Some(())
            }
            ("stw" | "std" | "stb" | "sth" | "stwx" | "stdx", [from, to @ ..]) => {
                let (value, addr) = (
                    self.register_value(m, from, word(name))?,
                    self.indexed(m, to)?,
                );
                self.store_asm(addr, value);
                Some(())
            }
            ("cmpw" | "cmplw" | "cmpwi", [.., a, b]) => self.risc_compare(m, a, b, 32),
            ("cmpd" | "cmpld" | "cmpdi", [.., a, b]) => self.risc_compare(m, a, b, 64),
            ("subf", [to, b, a]) => self.compute(m, BinOp::Sub, [to, a, b], false),
            ("addi" | "addic", [to, a, b @ Arg::Imm(_)]) => {
                self.compute(m, BinOp::Add, [to, a, b], false)
            }
            ("ori", [to, a, b]) => self.compute(m, BinOp::Or, [to, a, b], false),
            ("addic.", [to, a, b]) => self.compute(m, BinOp::Add, [to, a, b], true),
            ("mr" | "li", [to, a]) => self.move_to(m, to, a),
            _ => self.common_instruction(m, at, line),
        }
    }

    pub(super) fn arm(&mut self, m: &mut Statement, at: usize, line: &Line) -> Option<()> {
        let name = line.mnemonic.as_str();
        let args = &line.args[..];
        if let (Some(acquire), [to, from]) = (linked_arm(name), args) {
            let (dst, addr) = (self.register(m, to)?, self.memory(m, from)?);
            let width = self.argument_width(m, to)?;
            let order = match acquire {
                true => MemoryOrder::Acquire,
                false => MemoryOrder::Plain,
            };
            self.linked(dst, addr, width, order);
            return Some(());
        }
        if let (Some(release), [status, from, to]) = (conditional_arm(name), args) {
            let width = self.argument_width(m, from)?;
            let (value, addr) = (self.register_value(m, from, width)?, self.memory(m, to)?);
            let order = match release {
                true => MemoryOrder::Release,
                false => MemoryOrder::Plain,
            };
            let done = self.store_conditional(addr, value, order);
            let failed = fold::resize(fold::not(done), 1, 32, false);
            let status = self.register(m, status)?;
            self.zero_extend(status, failed, 32);
            m.status = Some(status);
            return Some(());
        }
        if let Some((op, order)) = atomic_arm(name) {
            return self.arm_atomic(m, op, order, args);
        }
        match (name, args) {
            ("ldr" | "ldrb" | "ldrh" | "ldar" | "ldapr", [to, from]) => {
                let (dst, addr) = (self.register(m, to)?, self.memory(m, from)?);
                let width = self.accessed(m, name, to)?;
                let order = match name {
                    "ldar" => MemoryOrder::SeqCst,
                    "ldapr" => MemoryOrder::Acquire,
                    _ => MemoryOrder::Relaxed,
                };
                let value = self.body.local("", width);
                self.emit(Op::Load {
                    dst: value,
                    addr,
                    order,
                });
                self.zero_extend(dst, Expr::Local(value), width);
                Some(())
            }
            ("str" | "strb" | "strh" | "stlr", [from, to]) => {
                let width = self.accessed(m, name, from)?;
                let (value, addr) = (self.register_value(m, from, width)?, self.memory(m, to)?);
                let order = if name == "stlr" {
                    MemoryOrder::SeqCst
                } else {
                    MemoryOrder::Relaxed
                };
                self.emit(Op::Store { addr, value, order });
                Some(())
            }
            ("mov", [to, a]) => self.move_to(m, to, a),
            ("orr", [to, a, b]) => self.compute(m, BinOp::Or, [to, a, b], false),
            ("eor", [to, a, b]) => self.compute(m, BinOp::Xor, [to, a, b], false),
            ("adds", [to, a, b]) => self.compute(m, BinOp::Add, [to, a, b], true),
            ("subs", [to, a, b]) => self.compute(m, BinOp::Sub, [to, a, b], true),
            ("cmp" | "teq", [a, b]) => {
                let width = self.argument_width(m, a)?;
                self.risc_compare(m, a, b, width)
            }
            ("cbz" | "cbnz", [reg, target]) => {
                let width = self.argument_width(m, reg)?;
                let value = self.register_value(m, reg, width)?;
                let op = if name == "cbz" { BinOp::Eq } else { BinOp::Ne };
                let cond = fold::binary(op, value, Expr::constant(0, width), width);
                m.stored = m.status.is_some() && self.register(m, reg) == m.status;
                self.asm_jump(m, at, target, Some(cond), name == "cbnz")
            }
            _ => self.common_instruction(m, at, line),
        }
    }

    /// What Power and ARM spell alike.
    fn common_instruction(&mut self, m: &mut Statement, at: usize, line: &Line) -> Option<()> {
        match (line.mnemonic.trim_end_matches(['+', '-']), &line.args[..]) {
            ("add", [to, a, b]) => self.compute(m, BinOp::Add, [to, a, b], false),
            ("sub", [to, a, b]) => self.compute(m, BinOp::Sub, [to, a, b], false),
            ("and", [to, a, b]) => self.compute(m, BinOp::And, [to, a, b], false),
            ("or", [to, a, b]) => self.compute(m, BinOp::Or, [to, a, b], false),
            ("xor", [to, a, b]) => self.compute(m, BinOp::Xor, [to, a, b], false),
            ("b", [target]) => self.asm_jump(m, at, target, None, false),
            ("beq" | "b.eq", [.., target]) => {
                let cond = m.zero.clone()?;
                self.asm_jump(m, at, target, Some(cond), false)
            }
            ("bne" | "b.ne", [.., target]) => {
                let cond = fold::not(m.zero.clone()?);
                self.asm_jump(m, at, target, Some(cond), true)
            }
            _ => None,
        }
    }

    /// `rA, rB` (a zero for none), `offset(rA)`, or a memory operand.
    fn indexed(&mut self, m: &mut Statement, args: &[Arg]) -> Option<Expr> {
        let pointer = self.pointer_width();
        match args {
            [one] => self.memory(m, one),
            [Arg::Imm(0), base] => self.register_value(m, base, pointer),
            [Arg::Name(zero), base] if zero == "r0" => self.register_value(m, base, pointer),
            [a, b] => {
                let (a, b) = (
                    self.register_value(m, a, pointer)?,
                    self.register_value(m, b, pointer)?,
                );
                Some(fold::binary(BinOp::Add, a, b, pointer))
            }
            _ => None,
        }
    }

    fn linked(&mut self, dst: LocalId, addr: Expr, width: Width, order: MemoryOrder) {
        let value = self.body.local("", width);
        self.emit(Op::LoadLinked {
            dst: value,
            addr,
            order,
        });
        self.zero_extend(dst, Expr::Local(value), width);
    }

    /// Whether the store was done.
    fn store_conditional(&mut self, addr: Expr, value: Expr, order: MemoryOrder) -> Expr {
        let dst = self.body.local("", 1);
        self.emit(Op::StoreConditional {
            dst,
            addr,
            value,
            order,
        });
        Expr::Local(dst)
    }

    /// Sets all of a register: the value, and zeros above it.
    fn zero_extend(&mut self, local: LocalId, value: Expr, width: Width) {
        let whole = self.body.proc.locals[local].width;
        let value = fold::resize(value, width, whole, false);
        self.emit(Op::Assign { dst: local, value });
    }

    /// Bits of an access: the mnemonic says it, or the register.
    fn accessed(&mut self, m: &mut Statement, name: &str, reg: &Arg) -> Option<Width> {
        match name.as_bytes().last() {
            Some(b'b') => Some(8),
            Some(b'h') => Some(16),
            _ => self.argument_width(m, reg),
        }
    }

    fn move_to(&mut self, m: &mut Statement, to: &Arg, from: &Arg) -> Option<()> {
        let dst = self.register(m, to)?;
        let width = self.body.proc.locals[dst].width;
        let value = self.register_value(m, from, width)?;
        self.emit(Op::Assign { dst, value });
        Some(())
    }

    fn compute(
        &mut self,
        m: &mut Statement,
        op: BinOp,
        [to, a, b]: [&Arg; 3],
        flags: bool,
    ) -> Option<()> {
        let dst = self.register(m, to)?;
        let width = self.body.proc.locals[dst].width;
        let (a, b) = (
            self.register_value(m, a, width)?,
            self.register_value(m, b, width)?,
        );
        let value = fold::binary(op, a, b, width);
        self.emit(Op::Assign { dst, value });
        if flags {
            self.set_zero(m, &Expr::Local(dst), width);
        }
        Some(())
    }

    fn risc_compare(&mut self, m: &mut Statement, a: &Arg, b: &Arg, width: Width) -> Option<()> {
        let status = m.status.is_some() && self.register(m, a) == m.status;
        let zero = *b == Arg::Imm(0);
        let (a, b) = (
            self.register_value(m, a, width)?,
            self.register_value(m, b, width)?,
        );
        let difference = fold::binary(BinOp::Sub, a, b, width);
        self.set_zero(m, &difference, width);
        m.stored = status && zero;
        Some(())
    }

    fn arm_atomic(
        &mut self,
        m: &mut Statement,
        op: Option<RmwOp>,
        order: MemoryOrder,
        args: &[Arg],
    ) -> Option<()> {
        let [first, second, at] = args else {
            return None;
        };
        let (width, addr) = (self.argument_width(m, first)?, self.memory(m, at)?);
        let dst = self.body.local("", width);
        let value = self.register_value(m, first, width)?;
        let target = match op {
            Some(op) => {
                let operand = value;
                self.emit(Op::Rmw {
                    dst,
                    addr,
                    op,
                    operand,
                    order,
                });
                second
            }
            None => {
                let expected = self.bind(value);
                let desired = self.register_value(m, second, width)?;
                let (success, failure) = (order, MemoryOrder::Relaxed);
                // One instruction: nothing behind it depends on what it compares.
                self.emit(Op::ControlBegin(ControlScope::Always));
                self.emit(Op::Cas {
                    dst,
                    addr,
                    expected,
                    desired,
                    success,
                    failure,
                    weak: None,
                });
                self.emit(Op::ControlEnd(ControlScope::Always));
                first
            }
        };
        let target = self.register(m, target)?;
        self.zero_extend(target, Expr::Local(dst), width);
        Some(())
    }
}
