//! Instructions of x86, in AT&T's order of operands: the last one is written.
//!
//! A `lock` prefix, and `xchg` with memory, make one read-modify-write that is a full fence.
//! Without it a read-modify-write is a load and a store. Of the flags zero, sign and carry are
//! kept, carry after bit tests only.

use super::statement::{Done, Statement};
use super::template::{Arg, Line};
use crate::ir::program::{BinOp, Expr, MemoryOrder, Op, RmwOp, UnOp, Width};
use crate::lower::c::{Lowering, fold};

/// Names of the general registers, by the letter they share.
const REGISTERS: [(&str, [&str; 4]); 8] = [
    ("ax", ["rax", "eax", "ax", "al"]),
    ("bx", ["rbx", "ebx", "bx", "bl"]),
    ("cx", ["rcx", "ecx", "cx", "cl"]),
    ("dx", ["rdx", "edx", "dx", "dl"]),
    ("si", ["rsi", "esi", "si", "sil"]),
    ("di", ["rdi", "edi", "di", "dil"]),
    ("r8", ["r8", "r8d", "r8w", "r8b"]),
    ("r9", ["r9", "r9d", "r9w", "r9b"]),
];

/// The register a constraint asks for.
pub fn fixed(constraint: &str) -> Option<&'static str> {
    Some(match constraint {
        "a" => "ax",
        "b" => "bx",
        "c" => "cx",
        "d" => "dx",
        "S" => "si",
        "D" => "di",
        _ => return None,
    })
}

/// One name for the parts of a register.
pub fn canonical(name: &str) -> Option<String> {
    let found = REGISTERS.iter().find(|(_, names)| names.contains(&name));
    found.map(|(canonical, _)| (*canonical).to_string())
}

/// Bits of the part of a register that a name stands for.
pub fn register_width(name: &str) -> Option<Width> {
    let place = |names: &[&str; 4]| names.iter().position(|n| *n == name);
    let place = REGISTERS.iter().find_map(|(_, names)| place(names))?;
    Some([64, 32, 16, 8][place])
}

/// A flag or its contrary by the letters of a conditional jump.
pub fn condition(
    name: &str,
    zero: &Option<Expr>,
    sign: &Option<Expr>,
    carry: &Option<Expr>,
) -> Option<Expr> {
    let (flag, when) = match name {
        "e" | "z" => (zero, true),
        "ne" | "nz" => (zero, false),
        "s" => (sign, true),
        "ns" => (sign, false),
        "c" | "b" => (carry, true),
        "nc" | "ae" | "nb" => (carry, false),
        _ => return None,
    };
    let flag = flag.clone()?;
    Some(if when { flag } else { fold::not(flag) })
}

/// A mnemonic without its size, and the size.
fn sized(mnemonic: &str) -> (&str, Option<Width>) {
    const PLAIN: [&str; 20] = [
        "mov", "xchg", "cmpxchg", "xadd", "add", "sub", "inc", "dec", "and", "or", "xor", "not",
        "neg", "cmp", "test", "bts", "btr", "btc", "bt", "sbb",
    ];
    if PLAIN.contains(&mnemonic) {
        return (mnemonic, None);
    }
    let sizes = [('b', 8), ('w', 16), ('l', 32), ('q', 64)];
    for (suffix, width) in sizes {
        if let Some(name) = mnemonic.strip_suffix(suffix).filter(|n| PLAIN.contains(n)) {
            return (name, Some(width));
        }
    }
    (mnemonic, None)
}

impl Lowering<'_> {
    pub(super) fn x86(&mut self, m: &mut Statement, at: usize, line: &Line) -> Done {
        if line.mnemonic == "lock" {
            m.locked = true;
            return Ok(Some(()));
        }
        let locked = std::mem::take(&mut m.locked);
        Ok(self.x86_instruction(m, at, line, locked))
    }

    fn x86_instruction(
        &mut self,
        m: &mut Statement,
        at: usize,
        line: &Line,
        locked: bool,
    ) -> Option<()> {
        let flags = |m: &Statement, name: &str| condition(name, &m.zero, &m.sign, &m.carry);
        match (line.mnemonic.as_str(), &line.args[..]) {
            ("jmp", [target]) => return self.asm_jump(m, at, target, None, false),
            (name, [target]) if name.starts_with('j') => {
                let cond = flags(m, &name[1..])?;
                return self.asm_jump(m, at, target, Some(cond), false);
            }
            (name, [target]) if name.starts_with("set") => {
                let value = fold::resize(flags(m, &name[3..])?, 1, 8, false);
                return self.x86_write(m, target, value, 8);
            }
            _ => {}
        }
        let (name, size) = sized(&line.mnemonic);
        let width = match size {
            Some(width) => width,
            // A constant has no size; the address in brackets has none of what it points to.
            None => line
                .args
                .iter()
                .rev()
                .find_map(|a| self.argument_width(m, a))?,
        };
        match (name, &line.args[..]) {
            ("mov" | "cmp" | "test" | "bt", _) if locked => None,
            // ARM's and Intel's `mov` write the first operand; one that is no output is not written.
            ("mov", [_, Arg::Operand(n)]) if m.is_input(*n) => None,
            ("mov", [from, to]) => {
                let value = self.x86_read(m, from, width)?;
                self.x86_write(m, to, value, width)
            }
            ("xchg", [a, b]) => self.x86_exchange(m, a, b, width),
            ("cmpxchg", [new, target]) => self.x86_compare(m, new, target, width, locked),
            ("xadd", [reg, target]) => {
                let amount = self.x86_read(m, reg, width)?;
                let amount = self.bind(amount);
                let old = self.x86_modify(m, target, BinOp::Add, amount, width, locked)?;
                let reg = self.register(m, reg)?;
                self.set_register(reg, old, width);
                Some(())
            }
            ("cmp", [b, a]) => {
                let (b, a) = (self.x86_read(m, b, width)?, self.x86_read(m, a, width)?);
                let result = fold::binary(BinOp::Sub, a, b, width);
                self.set_flags(m, &result, width);
                Some(())
            }
            ("test", [b, a]) => {
                let (b, a) = (self.x86_read(m, b, width)?, self.x86_read(m, a, width)?);
                let result = fold::binary(BinOp::And, a, b, width);
                self.set_flags(m, &result, width);
                Some(())
            }
            ("inc" | "dec", [target]) => {
                let op = if name == "inc" {
                    BinOp::Add
                } else {
                    BinOp::Sub
                };
                let carry = m.carry.clone();
                self.x86_modify(m, target, op, Expr::constant(1, width), width, locked)?;
                m.carry = carry;
                Some(())
            }
            ("not", [target]) => {
                let flags = (m.zero.clone(), m.sign.clone(), m.carry.clone());
                let ones = Expr::constant(u64::MAX, width);
                self.x86_modify(m, target, BinOp::Xor, ones, width, locked)?;
                (m.zero, m.sign, m.carry) = flags;
                Some(())
            }
            ("neg", [target]) if !locked => {
                let old = self.x86_read(m, target, width)?;
                let new = fold::unary(UnOp::Neg, old, width);
                let new = self.bind(new);
                self.set_flags(m, &new, width);
                self.x86_write(m, target, new, width)
            }
            ("add" | "sub" | "and" | "or" | "xor", [from, target]) => {
                let op = match name {
                    "add" => BinOp::Add,
                    "sub" => BinOp::Sub,
                    "and" => BinOp::And,
                    "or" => BinOp::Or,
                    _ => BinOp::Xor,
                };
                let operand = self.x86_read(m, from, width)?;
                let operand = self.bind(operand);
                self.x86_modify(m, target, op, operand, width, locked)
                    .map(|_| ())
            }
            ("bts" | "btr" | "btc" | "bt", [bit, target]) => {
                self.x86_bit(m, name, bit, target, width, locked)
            }
            _ => None,
        }
    }

    fn x86_read(&mut self, m: &mut Statement, arg: &Arg, width: Width) -> Option<Expr> {
        match self.memory(m, arg) {
            Some(addr) => Some(self.load_asm(addr, width)),
            None => self.register_value(m, arg, width),
        }
    }

    fn x86_write(&mut self, m: &mut Statement, arg: &Arg, value: Expr, width: Width) -> Option<()> {
        match self.memory(m, arg) {
            Some(addr) => self.store_asm(addr, value),
            None => {
                let local = self.register(m, arg)?;
                self.set_register(local, value, width);
            }
        }
        Some(())
    }

    fn x86_exchange(&mut self, m: &mut Statement, a: &Arg, b: &Arg, width: Width) -> Option<()> {
        let (addr, reg) = match (self.memory(m, a), self.memory(m, b)) {
            (Some(addr), None) => (addr, b),
            (None, Some(addr)) => (addr, a),
            (Some(_), Some(_)) => return None,
            (None, None) => {
                let (x, y) = (self.x86_read(m, a, width)?, self.x86_read(m, b, width)?);
                let kept = self.body.assign(width, x);
                self.x86_write(m, a, y, width)?;
                return self.x86_write(m, b, kept, width);
            }
        };
        let operand = self.register_value(m, reg, width)?;
        let old = self.locked_rmw(addr, RmwOp::Exchange, operand, width);
        let reg = self.register(m, reg)?;
        self.set_register(reg, old, width);
        Some(())
    }

    fn locked_rmw(&mut self, addr: Expr, op: RmwOp, operand: Expr, width: Width) -> Expr {
        let dst = self.body.local("", width);
        let order = MemoryOrder::Locked;
        self.emit(Op::Rmw {
            dst,
            addr,
            op,
            operand,
            order,
        });
        Expr::Local(dst)
    }

    /// The target becomes `target op operand`; the result is what it was, and the flags are set.
    fn x86_modify(
        &mut self,
        m: &mut Statement,
        target: &Arg,
        op: BinOp,
        operand: Expr,
        width: Width,
        locked: bool,
    ) -> Option<Expr> {
        let old = match (self.memory(m, target), locked) {
            (Some(addr), true) => {
                let rmw = match op {
                    BinOp::Add => RmwOp::Add,
                    BinOp::Sub => RmwOp::Sub,
                    BinOp::And => RmwOp::And,
                    BinOp::Or => RmwOp::Or,
                    _ => RmwOp::Xor,
                };
                self.locked_rmw(addr, rmw, operand.clone(), width)
            }
            (None, true) => return None,
            (_, false) => {
                let old = self.x86_read(m, target, width)?;
                let old = self.body.assign(width, old);
                let new = fold::binary(op, old.clone(), operand.clone(), width);
                self.x86_write(m, target, new, width)?;
                old
            }
        };
        let new = fold::binary(op, old.clone(), operand, width);
        self.set_flags(m, &new, width);
        Some(old)
    }

    /// `cmpxchg`: the accumulator is compared with the target and takes its value.
    fn x86_compare(
        &mut self,
        m: &mut Statement,
        new: &Arg,
        target: &Arg,
        width: Width,
        locked: bool,
    ) -> Option<()> {
        let accumulator = self.named_register(m, "ax");
        let from = self.body.proc.locals[accumulator].width;
        let expected = fold::resize(Expr::Local(accumulator), from, width, false);
        let expected = self.body.assign(width, expected);
        let desired = self.register_value(m, new, width)?;
        let old = match (self.memory(m, target), locked) {
            (Some(addr), true) => {
                let dst = self.body.local("", width);
                self.emit(Op::Cas {
                    dst,
                    addr,
                    expected: expected.clone(),
                    desired,
                    success: MemoryOrder::Locked,
                    failure: MemoryOrder::Locked,
                    weak: None,
                });
                Expr::Local(dst)
            }
            (None, true) => return None,
            (_, false) => {
                let old = self.x86_read(m, target, width)?;
                let old = self.body.assign(width, old);
                // It writes in any case: what it read, when the comparison fails.
                let same = Expr::binary(BinOp::Eq, old.clone(), expected.clone());
                let stored = fold::choose(same, desired, old.clone());
                self.x86_write(m, target, stored, width)?;
                old
            }
        };
        let difference = fold::binary(BinOp::Sub, expected, old.clone(), width);
        self.set_flags(m, &difference, width);
        self.set_register(accumulator, old, width);
        Some(())
    }

    /// Tests a bit and sets, clears or flips it.
    fn x86_bit(
        &mut self,
        m: &mut Statement,
        name: &str,
        bit: &Arg,
        target: &Arg,
        width: Width,
        locked: bool,
    ) -> Option<()> {
        let bit = self.register_value(m, bit, width)?;
        let inside = Expr::constant(u64::from(width - 1), width);
        let bit = fold::binary(BinOp::And, bit, inside, width);
        let one = fold::binary(BinOp::Shl, Expr::constant(1, width), bit, width);
        let one = self.bind(one);
        let (op, operand) = match name {
            "bts" => (BinOp::Or, one.clone()),
            "btr" => (BinOp::And, fold::unary(UnOp::Not, one.clone(), width)),
            "btc" => (BinOp::Xor, one.clone()),
            _ => (BinOp::Or, Expr::constant(0, width)),
        };
        let old = match name {
            "bt" => self.x86_read(m, target, width)?,
            _ => self.x86_modify(m, target, op, operand, width, locked)?,
        };
        let tested = fold::binary(BinOp::And, old, one, width);
        let carry = fold::binary(BinOp::Ne, tested, Expr::constant(0, width), width);
        (m.zero, m.sign) = (None, None);
        m.carry = Some(self.bind(carry));
        Some(())
    }
}
