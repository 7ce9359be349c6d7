//! What the instructions of x86 do, in litmus tests, `.asm` programs and inline assembly. Without
//! `lock`, an instruction that reads and writes memory is a load and a store; `xchg` with memory is
//! always locked.
//!
//! Operands may be narrower than registers. They are the low bits then; writing them leaves the
//! others as they are, but that 32 bits of 64 set the others to zero (Intel SDM, 3.4.1.1).

use super::body::Body;
use super::memory::{constant, plus};
use super::refusal::{Lowered, unsupported, wrong};
use super::sizes::{extended, low};
use crate::front::litmus::ast::x86::{
    Base, Binary, Bit, Condition, Instr, MemoryOperand, Op as X, Operand, Test,
};
use crate::front::litmus::ast::x86::{Fence as XFence, Unary};
use crate::front::litmus::ast::{Name, Number};
use ir::pair::{Pair, PairAccess};
use ir::program::*;

/// The flags that an instruction reads.
pub(in crate::lower) fn tested(instr: &Instr) -> &'static [&'static str] {
    match &instr.op {
        X::Jump(Some(condition), _) | X::Set(condition, _) => flags_of(*condition),
        _ => &[],
    }
}

/// The flags that a condition asks for.
pub(in crate::lower) fn flags_of(condition: Condition) -> &'static [&'static str] {
    match condition.test {
        Test::Equal => &["ZF"],
        Test::Less => &["SF", "OF"],
        Test::LessEqual => &["ZF", "SF", "OF"],
        Test::Below => &["CF"],
        Test::BelowEqual => &["CF", "ZF"],
        Test::Sign => &["SF"],
        Test::Overflow => &["OF"],
    }
}

/// Lowers an instruction.
pub(in crate::lower) fn lower(b: &mut Body, instr: &Instr) -> Lowered<()> {
    b.size = instr.size.unwrap_or(b.word());
    match &instr.op {
        X::Nop => {}
        X::Rdtsc => {
            for name in ["EAX", "EDX"] {
                let (dst, any) = (b.register(name), b.temporary(b.size));
                b.emit(Op::Havoc { dst: any });
                write(b, dst, Expr::Local(any));
            }
        }
        X::Fence(fence) => b.emit(Op::Fence(match fence {
            XFence::Mfence => Fence::Mfence,
            XFence::Sfence => Fence::Sfence,
            XFence::Lfence => Fence::Lfence,
        })),
        X::Mov(dst, src) => mov(b, dst, src)?,
        X::Xchg(Operand::Memory(m), Operand::Register(r))
        | X::Xchg(Operand::Register(r), Operand::Memory(m)) => {
            let (operand, addr) = (read(b, r), address(b, m)?);
            let old = locked(b, addr, RmwOp::Exchange, operand);
            let dst = b.register(&r.text);
            write(b, dst, old);
        }
        X::Xchg(a, c) => {
            let (left, right) = (place(b, a)?, place(b, c)?);
            let old = low_bits(b, left);
            let old = b.copy(old, b.size);
            let new = low_bits(b, right);
            write(b, left, new);
            write(b, right, Expr::Local(old));
        }
        X::Binary(op, dst, src) => {
            let operand = value(b, src)?;
            let ops = (binary(*op), rmw(*op));
            let set_flags = |b: &mut Body, x, y| flags(b, *op, x, y);
            update(b, dst, instr.lock, ops, operand, set_flags)?;
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
            let desired = read(b, src);
            cmpxchg(b, dst, desired, instr.lock)?;
        }
        X::CmpxchgPair(dst) => cmpxchg_pair(b, dst, instr.lock)?,
        X::Bit(bit, dst, index) => test_bit(b, *bit, dst, index, instr.lock)?,
        X::Set(cond, dst) => {
            let cond = condition(b, *cond);
            let value = extended(cond, (1, b.size), Cast::Zero);
            match dst {
                Operand::Memory(m) => {
                    let addr = address(b, m)?;
                    store(b, addr, value);
                }
                _ => {
                    let dst = place(b, dst)?;
                    write(b, dst, value);
                }
            }
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
            let whole = b.locals[dst].width == b.size;
            let order = b.order();
            let to = if whole { dst } else { b.temporary(b.size) };
            b.emit(Op::Load {
                dst: to,
                addr,
                order,
            });
            if !whole {
                write(b, dst, Expr::Local(to));
            }
        }
        (Operand::Memory(m), _) => {
            let value = value(b, src)?;
            let addr = address(b, m)?;
            store(b, addr, value);
        }
        _ => {
            let value = value(b, src)?;
            let dst = place(b, dst)?;
            write(b, dst, value);
        }
    }
    Ok(())
}

fn unary(b: &mut Body, op: Unary, dst: &Operand, lock: bool) -> Lowered<()> {
    let one = Expr::constant(1, b.size);
    match op {
        Unary::Inc => {
            let add = (BinOp::Add, RmwOp::Add);
            let set_flags = |b: &mut Body, x, y| step_flags(b, Binary::Add, x, y);
            update(b, dst, lock, add, one, set_flags)?;
        }
        Unary::Dec => {
            let sub = (BinOp::Sub, RmwOp::Sub);
            let set_flags = |b: &mut Body, x, y| step_flags(b, Binary::Sub, x, y);
            update(b, dst, lock, sub, one, set_flags)?;
        }
        Unary::Not => {
            let ones = Expr::constant(mask(b.size), b.size);
            update(b, dst, lock, (BinOp::Xor, RmwOp::Xor), ones, |_, _, _| {})?;
        }
        Unary::Neg => {
            let zero = Expr::constant(0, b.size);
            let negated = |e: &Expr| Expr::Unary(UnOp::Neg, Box::new(e.clone()));
            match dst {
                Operand::Memory(m) if lock => {
                    return unsupported(m.span, "`lock neg` is not supported");
                }
                Operand::Memory(m) => {
                    let addr = address(b, m)?;
                    let old = load(b, addr.clone());
                    flags(b, Binary::Sub, zero, old.clone());
                    store(b, addr, negated(&old));
                }
                _ => {
                    let dst = place(b, dst)?;
                    let old = low_bits(b, dst);
                    flags(b, Binary::Sub, zero, old.clone());
                    write(b, dst, negated(&old));
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
        let addr = address(b, m)?;
        modify(b, addr, lock, ops, operand, set_flags);
        return Ok(());
    }
    let dst = place(b, dst)?;
    let old = low_bits(b, dst);
    set_flags(b, old.clone(), operand.clone());
    write(b, dst, Expr::binary(ops.0, old, operand));
    Ok(())
}

/// [`update`] of memory; what was there.
fn modify(
    b: &mut Body,
    addr: Expr,
    lock: bool,
    (op, rmw): (BinOp, RmwOp),
    operand: Expr,
    set_flags: impl FnOnce(&mut Body, Expr, Expr),
) -> Expr {
    if lock {
        let old = locked(b, addr, rmw, operand.clone());
        set_flags(b, old.clone(), operand);
        return old;
    }
    let old = load(b, addr.clone());
    set_flags(b, old.clone(), operand.clone());
    store(b, addr, Expr::binary(op, old.clone(), operand));
    old
}

fn xadd(b: &mut Body, dst: &Operand, src: &Name, lock: bool) -> Lowered<()> {
    let operand = read(b, src);
    let source = b.register(&src.text);
    if let Operand::Memory(m) = dst {
        let add = (BinOp::Add, RmwOp::Add);
        let set_flags = |b: &mut Body, x, y| flags(b, Binary::Add, x, y);
        let addr = address(b, m)?;
        let old = modify(b, addr, lock, add, operand, set_flags);
        write(b, source, old);
        return Ok(());
    }
    let dst = place(b, dst)?;
    let old = low_bits(b, dst);
    flags(b, Binary::Add, old.clone(), operand.clone());
    let sum = b.copy(Expr::binary(BinOp::Add, old.clone(), operand), b.size);
    write(b, source, old);
    write(b, dst, Expr::Local(sum));
    Ok(())
}

fn cmpxchg(b: &mut Body, dst: &Operand, desired: Expr, lock: bool) -> Lowered<()> {
    let eax = b.register("EAX");
    let expected = low_bits(b, eax);
    let chosen = |old: &Expr, desired: Expr| {
        let same = Expr::binary(BinOp::Eq, old.clone(), expected.clone());
        Expr::Ite(Box::new(same), Box::new(desired), Box::new(old.clone()))
    };
    let old = match dst {
        Operand::Memory(m) if lock => {
            let addr = address(b, m)?;
            let old = b.temporary(b.size);
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
            let old = load(b, addr.clone());
            store(b, addr, chosen(&old, desired));
            old
        }
        _ => {
            let dst = place(b, dst)?;
            let old = low_bits(b, dst);
            let old = Expr::Local(b.copy(old, b.size));
            write(b, dst, chosen(&old, desired));
            old
        }
    };
    flags(b, Binary::Sub, expected, old.clone());
    // Where they are equal this changes nothing.
    write(b, eax, old);
    Ok(())
}

/// Two words; of the flags the zero flag alone is set (Intel SDM, `CMPXCHG8B`).
fn cmpxchg_pair(b: &mut Body, dst: &Operand, lock: bool) -> Lowered<()> {
    let Operand::Memory(m) = dst else {
        return wrong(dst.span(), "expected memory");
    };
    if !lock {
        return unsupported(m.span, "a compare-exchange of two words without `lock`");
    }
    let addr = address(b, m)?;
    let [eax, edx, ebx, ecx] = ["EAX", "EDX", "EBX", "ECX"].map(|name| b.register(name));
    let expected = [eax, edx].map(|r| low_bits(b, r));
    let expected = expected.map(|e| Expr::Local(b.copy(e, b.size)));
    let desired = [ebx, ecx].map(|r| low_bits(b, r));
    let order = MemoryOrder::Locked;
    let old = match b.size {
        64 => {
            let dst = [b.temporary(64), b.temporary(64)];
            let access = PairAccess::Cas {
                dst,
                expected: expected.clone(),
                desired,
                success: order,
                failure: order,
                weak: None,
            };
            b.emit(Op::Pair(Pair { addr, access }));
            dst.map(Expr::Local)
        }
        size => {
            let whole = 2 * size;
            let joined = |[low, high]: [Expr; 2]| {
                let [low, high] = [low, high].map(|e| Expr::Cast(Cast::Zero, whole, Box::new(e)));
                let by = Expr::constant(size.into(), whole);
                Expr::binary(BinOp::Or, low, Expr::binary(BinOp::Shl, high, by))
            };
            let dst = b.temporary(whole);
            b.emit(Op::Cas {
                dst,
                addr,
                expected: joined(expected.clone()),
                desired: joined(desired),
                success: order,
                failure: order,
                weak: None,
            });
            let by = Expr::constant(size.into(), whole);
            let high = Expr::binary(BinOp::Lshr, Expr::Local(dst), by);
            [Expr::Local(dst), high].map(|e| low(e, (whole, size)))
        }
    };
    let same = |word: usize| Expr::binary(BinOp::Eq, old[word].clone(), expected[word].clone());
    b.set_bit("ZF", || Expr::binary(BinOp::And, same(0), same(1)));
    // Where they are equal this changes nothing.
    let [low, high] = old;
    write(b, eax, low);
    write(b, edx, high);
    Ok(())
}

/// The bit goes to the carry. The zero flag stays, sign and overflow are undefined (Intel SDM, `BT`).
///
/// The index is one of the operand's bits, but in memory that of a register is one of all bits from
/// there on, or of those before it when it is negative.
fn test_bit(b: &mut Body, bit: Bit, dst: &Operand, index: &Operand, lock: bool) -> Lowered<()> {
    let selects_word = matches!(index, Operand::Register(_));
    let index = value(b, index)?;
    let addr = match dst {
        Operand::Memory(m) if selects_word => {
            let start = address(b, m)?;
            Some(word_of_bit(b, start, index.clone()))
        }
        Operand::Memory(m) => Some(address(b, m)?),
        _ => None,
    };
    let inside = Expr::constant(u64::from(b.size - 1), b.size);
    let index = Expr::binary(BinOp::And, index, inside);
    let tested = Expr::binary(BinOp::Shl, Expr::constant(1, b.size), index);
    let tested = Expr::Local(b.copy(tested, b.size));
    let (ops, operand) = match bit {
        Bit::Keep => {
            let old = match addr {
                Some(addr) => load(b, addr),
                None => value(b, dst)?,
            };
            bit_flags(b, old, tested);
            return Ok(());
        }
        Bit::Set => ((BinOp::Or, RmwOp::Or), tested.clone()),
        Bit::Complement => ((BinOp::Xor, RmwOp::Xor), tested.clone()),
        Bit::Reset => {
            let others = Expr::Unary(UnOp::Not, Box::new(tested.clone()));
            ((BinOp::And, RmwOp::And), others)
        }
    };
    let set_flags = |b: &mut Body, old, _| bit_flags(b, old, tested);
    match addr {
        Some(addr) => {
            modify(b, addr, lock, ops, operand, set_flags);
            Ok(())
        }
        None => update(b, dst, lock, ops, operand, set_flags),
    }
}

/// Where the operand begins that has the bit with this index, counted from an address on.
fn word_of_bit(b: &Body, start: Expr, index: Expr) -> Expr {
    let bytes = b.size / 8;
    let shift = |by: u32| Expr::constant(by.into(), b.size);
    let words = Expr::binary(BinOp::Ashr, index, shift(b.size.ilog2()));
    let offset = Expr::binary(BinOp::Shl, words, shift(bytes.ilog2()));
    let offset = extended(offset, (b.size, b.word()), Cast::Sign);
    Expr::binary(BinOp::Add, start, offset)
}

fn bit_flags(b: &mut Body, old: Expr, tested: Expr) {
    let zero = Expr::constant(0, b.size);
    let found = Expr::binary(BinOp::Ne, Expr::binary(BinOp::And, old, tested), zero);
    b.set_bit("CF", || found);
    for undefined in ["SF", "OF"] {
        if b.tested.contains(undefined) {
            let dst = b.bit(undefined);
            b.emit(Op::Havoc { dst });
        }
    }
}

/// A locked read-modify-write; what was there.
fn locked(b: &mut Body, addr: Expr, op: RmwOp, operand: Expr) -> Expr {
    let dst = b.temporary(b.size);
    b.emit(Op::Rmw {
        dst,
        addr,
        op,
        operand,
        order: MemoryOrder::Locked,
    });
    Expr::Local(dst)
}

fn load(b: &mut Body, addr: Expr) -> Expr {
    let (dst, order) = (b.temporary(b.size), b.order());
    b.emit(Op::Load { dst, addr, order });
    Expr::Local(dst)
}

fn store(b: &mut Body, addr: Expr, value: Expr) {
    let order = b.order();
    b.emit(Op::Store { addr, value, order });
}

/// The bits of a register that the instruction reads.
fn read(b: &mut Body, name: &Name) -> Expr {
    let local = b.register(&name.text);
    low_bits(b, local)
}

fn low_bits(b: &Body, local: LocalId) -> Expr {
    let sizes = (b.locals[local].width, b.size);
    extended(low(Expr::Local(local), sizes), sizes, Cast::Zero)
}

/// Writes the bits of a register that the instruction writes.
fn write(b: &mut Body, dst: LocalId, value: Expr) {
    let (size, whole) = (b.size, b.locals[dst].width);
    let value = extended(low(value, (size, whole)), (size, whole), Cast::Zero);
    let value = if size < 32 && size < whole {
        let others = Expr::constant(mask(whole) & !mask(size), whole);
        let kept = Expr::binary(BinOp::And, Expr::Local(dst), others);
        Expr::binary(BinOp::Or, kept, value)
    } else {
        value
    };
    b.assign(dst, value);
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
        Operand::Register(name) => Ok(read(b, name)),
        Operand::Number(number) => constant(number, b.size),
        Operand::ThreadCount(span) => match b.threads {
            Some(n) => Ok(Expr::constant(n.into(), b.size)),
            None => wrong(*span, "the number of threads is not known here"),
        },
        Operand::Memory(memory) => {
            let addr = address(b, memory)?;
            Ok(load(b, addr))
        }
    }
}

fn address(b: &mut Body, memory: &MemoryOperand) -> Lowered<Expr> {
    let base = match &memory.base {
        Base::Register(name) => {
            let local = b.register(&name.text);
            let sizes = (b.locals[local].width, b.word());
            extended(low(Expr::Local(local), sizes), sizes, Cast::Zero)
        }
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
    let size = b.size;
    let zero = || Expr::constant(0, size);
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
pub(in crate::lower) fn condition(b: &mut Body, condition: Condition) -> Expr {
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
