//! What the instructions of x86 do. Without `lock`, an instruction that reads and writes memory is
//! a load and a store; `xchg` with memory is always locked.

use super::body::Body;
use super::memory::{constant, plus};
use super::refusal::{Lowered, unsupported, wrong};
use crate::front::litmus::ast::x86::{
    Base, Binary, Condition, Instr, MemoryOperand, Op as X, Operand, Test,
};
use crate::front::litmus::ast::x86::{Fence as XFence, Unary};
use crate::front::litmus::ast::{Name, Number};
use crate::ir::program::*;

/// The flags that an instruction reads.
pub(in crate::lower) fn tested(instr: &Instr) -> impl Iterator<Item = &'static str> {
    let flags: &[&'static str] = match &instr.op {
        X::Jump(Some(condition), _) => match condition.test {
            Test::Equal => &["ZF"],
            Test::Less => &["SF", "OF"],
            Test::LessEqual => &["ZF", "SF", "OF"],
            Test::Below => &["CF"],
            Test::BelowEqual => &["CF", "ZF"],
            Test::Sign => &["SF"],
            Test::Overflow => &["OF"],
        },
        _ => &[],
    };
    flags.iter().copied()
}

/// Lowers an instruction.
pub(in crate::lower) fn lower(b: &mut Body, instr: &Instr) -> Lowered<()> {
    match &instr.op {
        X::Nop => {}
        X::Fence(fence) => b.emit(Op::Fence(match fence {
            XFence::Mfence => Fence::Mfence,
            XFence::Sfence => Fence::Sfence,
            XFence::Lfence => Fence::Lfence,
        })),
        X::Mov(dst, src) => mov(b, dst, src)?,
        X::Xchg(Operand::Memory(m), Operand::Register(r))
        | X::Xchg(Operand::Register(r), Operand::Memory(m)) => {
            let operand = b.read(r);
            let old = locked(b, m, RmwOp::Exchange, operand)?;
            let dst = b.register(&r.text);
            b.assign(dst, old);
        }
        X::Xchg(a, c) => {
            let (left, right) = (place(b, a)?, place(b, c)?);
            let old = b.temporary(b.word());
            b.assign(old, Expr::Local(left));
            b.assign(left, Expr::Local(right));
            b.assign(right, Expr::Local(old));
        }
        X::Binary(op, dst, src) => {
            let operand = value(b, src)?;
            update(
                b,
                dst,
                instr.lock,
                (binary(*op), rmw(*op)),
                operand,
                |b, x, y| {
                    flags(b, *op, x, y);
                },
            )?;
        }
        X::Unary(op, dst) => unary(b, *op, dst, instr.lock)?,
        X::Cmp(a, c) => {
            let (a, c) = (value(b, a)?, value(b, c)?);
            flags(b, Binary::Sub, a, c);
        }
        X::Test(a, c) => {
            let (a, c) = (value(b, a)?, value(b, c)?);
            flags(b, Binary::And, a, c);
        }
        X::Xadd(dst, src) => xadd(b, dst, src, instr.lock)?,
        X::Cmpxchg(dst, src) => {
            let desired = b.read(src);
            cmpxchg(b, dst, desired, instr.lock)?;
        }
        X::Jump(cond, label) => {
            let cond = cond.map(|c| condition(b, c));
            b.jump(cond, Some(label.clone()));
        }
    }
    Ok(())
}

fn mov(b: &mut Body, dst: &Operand, src: &Operand) -> Lowered<()> {
    match (dst, src) {
        (Operand::Register(r), Operand::Memory(m)) => {
            let addr = address(b, m)?;
            let dst = b.register(&r.text);
            b.emit(Op::Load {
                dst,
                addr,
                order: MemoryOrder::Plain,
            });
        }
        (Operand::Memory(m), _) => {
            let value = value(b, src)?;
            let addr = address(b, m)?;
            store(b, addr, value);
        }
        _ => {
            let value = value(b, src)?;
            let dst = place(b, dst)?;
            b.assign(dst, value);
        }
    }
    Ok(())
}

fn unary(b: &mut Body, op: Unary, dst: &Operand, lock: bool) -> Lowered<()> {
    let word = b.word();
    let one = Expr::constant(1, word);
    match op {
        Unary::Inc => {
            let add = (BinOp::Add, RmwOp::Add);
            update(b, dst, lock, add, one, |b, x, y| {
                step_flags(b, Binary::Add, x, y)
            })?;
        }
        Unary::Dec => {
            let sub = (BinOp::Sub, RmwOp::Sub);
            update(b, dst, lock, sub, one, |b, x, y| {
                step_flags(b, Binary::Sub, x, y)
            })?;
        }
        Unary::Not => {
            let ones = Expr::constant(mask(word), word);
            update(b, dst, lock, (BinOp::Xor, RmwOp::Xor), ones, |_, _, _| {})?;
        }
        Unary::Neg => {
            let zero = Expr::constant(0, word);
            let negated = |e: &Expr| Expr::Unary(UnOp::Neg, Box::new(e.clone()));
            match dst {
                Operand::Memory(m) if lock => {
                    return unsupported(m.span, "`lock neg` is not supported");
                }
                Operand::Memory(m) => {
                    let addr = address(b, m)?;
                    let old = b.load_cell(addr.clone());
                    flags(b, Binary::Sub, zero, old.clone());
                    store(b, addr, negated(&old));
                }
                _ => {
                    let dst = place(b, dst)?;
                    flags(b, Binary::Sub, zero, Expr::Local(dst));
                    b.assign(dst, negated(&Expr::Local(dst)));
                }
            }
        }
    }
    Ok(())
}

/// `dst := dst op operand`. The flags are set from the operands before `dst` is.
fn update(
    b: &mut Body,
    dst: &Operand,
    lock: bool,
    ops: (BinOp, RmwOp),
    operand: Expr,
    set_flags: impl FnOnce(&mut Body, Expr, Expr),
) -> Lowered<()> {
    if let Operand::Memory(m) = dst {
        modify(b, m, lock, ops, operand, set_flags)?;
        return Ok(());
    }
    let dst = place(b, dst)?;
    set_flags(b, Expr::Local(dst), operand.clone());
    b.assign(dst, Expr::binary(ops.0, Expr::Local(dst), operand));
    Ok(())
}

/// [`update`] of memory; what was there.
fn modify(
    b: &mut Body,
    memory: &MemoryOperand,
    lock: bool,
    (op, rmw): (BinOp, RmwOp),
    operand: Expr,
    set_flags: impl FnOnce(&mut Body, Expr, Expr),
) -> Lowered<Expr> {
    if lock {
        let old = locked(b, memory, rmw, operand.clone())?;
        set_flags(b, old.clone(), operand);
        return Ok(old);
    }
    let addr = address(b, memory)?;
    let old = b.load_cell(addr.clone());
    set_flags(b, old.clone(), operand.clone());
    store(b, addr, Expr::binary(op, old.clone(), operand));
    Ok(old)
}

fn xadd(b: &mut Body, dst: &Operand, src: &Name, lock: bool) -> Lowered<()> {
    let operand = b.read(src);
    let source = b.register(&src.text);
    if let Operand::Memory(m) = dst {
        let add = (BinOp::Add, RmwOp::Add);
        let old = modify(b, m, lock, add, operand, |b, x, y| {
            flags(b, Binary::Add, x, y);
        })?;
        b.assign(source, old);
        return Ok(());
    }
    let dst = place(b, dst)?;
    flags(b, Binary::Add, Expr::Local(dst), operand.clone());
    let sum = b.temporary(b.word());
    b.assign(sum, Expr::binary(BinOp::Add, Expr::Local(dst), operand));
    b.assign(source, Expr::Local(dst));
    b.assign(dst, Expr::Local(sum));
    Ok(())
}

fn cmpxchg(b: &mut Body, dst: &Operand, desired: Expr, lock: bool) -> Lowered<()> {
    let eax = b.register("EAX");
    let expected = Expr::Local(eax);
    let chosen = |old: &Expr, desired: Expr| {
        let same = Expr::binary(BinOp::Eq, old.clone(), Expr::Local(eax));
        Expr::Ite(Box::new(same), Box::new(desired), Box::new(old.clone()))
    };
    let old = match dst {
        Operand::Memory(m) if lock => {
            let addr = address(b, m)?;
            let old = b.temporary(b.cell());
            b.emit(Op::Cas {
                dst: old,
                addr,
                expected: expected.clone(),
                desired,
                success: MemoryOrder::Locked,
                failure: MemoryOrder::Locked,
                weak: None,
            });
            Expr::Local(old)
        }
        Operand::Memory(m) => {
            let addr = address(b, m)?;
            let old = b.load_cell(addr.clone());
            store(b, addr, chosen(&old, desired));
            old
        }
        _ => {
            let dst = place(b, dst)?;
            let old = b.temporary(b.word());
            b.assign(old, Expr::Local(dst));
            b.assign(dst, chosen(&Expr::Local(old), desired));
            Expr::Local(old)
        }
    };
    flags(b, Binary::Sub, expected, old.clone());
    // Where they are equal this changes nothing.
    b.assign(eax, old);
    Ok(())
}

/// A locked read-modify-write; what was there.
fn locked(b: &mut Body, memory: &MemoryOperand, op: RmwOp, operand: Expr) -> Lowered<Expr> {
    let addr = address(b, memory)?;
    let dst = b.temporary(b.cell());
    b.emit(Op::Rmw {
        dst,
        addr,
        op,
        operand,
        order: MemoryOrder::Locked,
    });
    Ok(Expr::Local(dst))
}

fn store(b: &mut Body, addr: Expr, value: Expr) {
    b.emit(Op::Store {
        addr,
        value,
        order: MemoryOrder::Plain,
    });
}

/// The register that an operand is.
fn place(b: &mut Body, operand: &Operand) -> Lowered<LocalId> {
    match operand {
        Operand::Register(name) => Ok(b.register(&name.text)),
        Operand::Number(Number { span, .. })
        | Operand::Memory(MemoryOperand { span, .. })
        | Operand::ThreadCount(span) => wrong(*span, "expected a register"),
    }
}

/// The value of an operand, which may take a load.
fn value(b: &mut Body, operand: &Operand) -> Lowered<Expr> {
    match operand {
        Operand::Register(name) => Ok(b.read(name)),
        Operand::Number(number) => constant(number, b.word()),
        Operand::ThreadCount(span) => match b.threads {
            Some(n) => Ok(Expr::constant(n.into(), b.word())),
            None => wrong(*span, "the number of threads is not known here"),
        },
        Operand::Memory(memory) => {
            let addr = address(b, memory)?;
            Ok(b.load_cell(addr))
        }
    }
}

fn address(b: &mut Body, memory: &MemoryOperand) -> Lowered<Expr> {
    let base = match &memory.base {
        Base::Register(name) => b.read(name),
        Base::Symbol(symbol) => b.memory.address(symbol)?,
    };
    let Some(offset) = &memory.offset else {
        return Ok(base);
    };
    b.memory.offset(offset)?;
    Ok(plus(base, offset.bits, b.word()))
}

fn binary(op: Binary) -> BinOp {
    match op {
        Binary::Add => BinOp::Add,
        Binary::Sub => BinOp::Sub,
        Binary::And => BinOp::And,
        Binary::Or => BinOp::Or,
        Binary::Xor => BinOp::Xor,
    }
}

fn rmw(op: Binary) -> RmwOp {
    match op {
        Binary::Add => RmwOp::Add,
        Binary::Sub => RmwOp::Sub,
        Binary::And => RmwOp::And,
        Binary::Or => RmwOp::Or,
        Binary::Xor => RmwOp::Xor,
    }
}

/// The four flags of `x op y`.
fn flags(b: &mut Body, op: Binary, x: Expr, y: Expr) {
    let carry = match op {
        Binary::Add => {
            let sum = Expr::binary(BinOp::Add, x.clone(), y.clone());
            Expr::binary(BinOp::Ult, sum, x.clone())
        }
        Binary::Sub => Expr::binary(BinOp::Ult, x.clone(), y.clone()),
        _ => Expr::constant(0, 1),
    };
    b.set_bit("CF", || carry);
    step_flags(b, op, x, y);
}

/// The flags of `x op y` without the carry, which `inc` and `dec` leave alone.
fn step_flags(b: &mut Body, op: Binary, x: Expr, y: Expr) {
    let zero = || Expr::constant(0, b.memory.sizes.word);
    let negative = |e: Expr| Expr::binary(BinOp::Slt, e, zero());
    let result = Expr::binary(binary(op), x.clone(), y.clone());
    let xor = |a: &Expr, c: &Expr| Expr::binary(BinOp::Xor, a.clone(), c.clone());
    let overflow = match op {
        // Both operands differ in sign from the sum.
        Binary::Add => negative(Expr::binary(BinOp::And, xor(&x, &result), xor(&y, &result))),
        // The operands differ in sign, and the difference from the first.
        Binary::Sub => negative(Expr::binary(BinOp::And, xor(&x, &y), xor(&x, &result))),
        _ => Expr::constant(0, 1),
    };
    let is_zero = Expr::binary(BinOp::Eq, result.clone(), zero());
    let sign = negative(result);
    b.set_bit("ZF", || is_zero);
    b.set_bit("SF", || sign);
    b.set_bit("OF", || overflow);
}

/// What a jump asks, in terms of the flags.
fn condition(b: &mut Body, condition: Condition) -> Expr {
    let mut flag = |name: &str| Expr::Local(b.bit(name));
    let truth = match condition.test {
        Test::Equal => flag("ZF"),
        Test::Less => Expr::binary(BinOp::Ne, flag("SF"), flag("OF")),
        Test::LessEqual => {
            let less = Expr::binary(BinOp::Ne, flag("SF"), flag("OF"));
            Expr::binary(BinOp::Or, flag("ZF"), less)
        }
        Test::Below => flag("CF"),
        Test::BelowEqual => Expr::binary(BinOp::Or, flag("CF"), flag("ZF")),
        Test::Sign => flag("SF"),
        Test::Overflow => flag("OF"),
    };
    if condition.holds {
        truth
    } else {
        Expr::Unary(UnOp::Not, Box::new(truth))
    }
}
