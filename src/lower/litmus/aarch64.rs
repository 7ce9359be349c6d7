//! What the instructions of AArch64 do. The four flags are registers of one bit.
//!
//! A `W` register is the low half of an `X` register; what writes it leaves zeros above it. The
//! register that a conditional store reports to depends on nothing.
//!
//! What a selection (`CSEL`) gives depends on the register that is taken, and less on the condition: the
//! model calls that a pick dependency. An event stands for the selection, a read of a place that nothing
//! writes. From what the condition depends on there is a control dependency to it, and the result depends
//! on it.

use super::body::Body;
use super::exclusive;
use super::memory::plus;
use super::refusal::Lowered;
use super::sizes::{extended, low};
use crate::front::litmus::ast::Name;
use crate::front::litmus::ast::aarch64::{
    Address, Binary, Change, Computation, Condition, Extension, Fence as Syntax, FlagTest, Instr,
    LoadOrder, Operand, Ordered, Register, Shift, Test, Update, UpdateOp, UpdateOrder,
};
use ir::program::*;

/// The flags that an instruction looks at.
pub(super) fn tested(instr: &Instr) -> &'static [&'static str] {
    match instr {
        Instr::Branch(Some(Test::Flags(c)), _) => flags_of(c.flags),
        Instr::Select { cond, .. } => flags_of(cond.flags),
        _ => &[],
    }
}

/// The flags that a condition asks for.
pub(in crate::lower) fn flags_of(test: FlagTest) -> &'static [&'static str] {
    match test {
        FlagTest::Equal => &["Z"],
        FlagTest::Carry => &["C"],
        FlagTest::Negative => &["N"],
        FlagTest::Overflow => &["V"],
        FlagTest::Higher => &["C", "Z"],
        FlagTest::GreaterEqual => &["N", "V"],
        FlagTest::Greater => &["N", "V", "Z"],
    }
}

/// Lowers an instruction.
pub(super) fn lower(b: &mut Body, instr: &Instr) -> Lowered<()> {
    match instr {
        Instr::Nop => {}
        Instr::Return => b.jump(None, None),
        Instr::Fence(fence) => b.emit(Op::Fence(self::fence(*fence))),
        Instr::Set { dst, value, flags } => compute(b, dst, value, *flags),
        Instr::Select {
            dst,
            cond,
            a,
            b: other,
            change,
        } => select(b, dst, *cond, (a, other, *change)),
        Instr::Load {
            dst,
            addr,
            size,
            signed,
            order,
            exclusive,
        } => {
            let cell = b.accessed(dst.name.span, *size)?;
            let (place, base) = address(b, addr)?;
            let into = b.temporary(cell);
            b.emit(if *exclusive {
                Op::LoadLinked {
                    dst: into,
                    addr: place,
                    order: exclusive::exclusive(b, *order == LoadOrder::Acquire, false),
                }
            } else {
                Op::Load {
                    dst: into,
                    addr: place,
                    order: match order {
                        LoadOrder::None => exclusive::access(b, false, false),
                        LoadOrder::Acquire => exclusive::access(b, true, false),
                        LoadOrder::AcquirePc => exclusive::acquire_pc(b),
                    },
                }
            });
            update(b, addr, base);
            let cast = if *signed { Cast::Sign } else { Cast::Zero };
            let value = loaded(into, [cell, *size, dst.size], cast);
            set(b, dst, value);
        }
        Instr::Store {
            src,
            addr,
            size,
            release,
            status,
        } => {
            let cell = b.accessed(src.name.span, *size)?;
            let (place, base) = address(b, addr)?;
            let value = stored(b, src, (*size, cell));
            match status {
                None => {
                    b.emit(Op::Store {
                        addr: place,
                        value,
                        order: exclusive::access(b, false, *release),
                    });
                }
                Some(status) => {
                    let done = b.temporary(1);
                    b.emit(Op::StoreConditional {
                        dst: done,
                        addr: place,
                        value,
                        order: exclusive::exclusive(b, false, *release),
                    });
                    let failed = Expr::Unary(UnOp::Not, Box::new(Expr::Local(done)));
                    let failed = extended(failed, (1, status.size), Cast::Zero);
                    set(b, status, failed);
                }
            }
            update(b, addr, base);
        }
        Instr::Update {
            op,
            operand,
            dst,
            addr,
            size,
            order,
        } => {
            let at = dst.as_ref().unwrap_or(operand).name.span;
            let cell = b.accessed(at, *size)?;
            let (place, _) = address(b, addr)?;
            let value = stored(b, operand, (*size, cell));
            let old = b.temporary(cell);
            let (op, operand) = operation(*op, value, cell);
            // What is read goes nowhere: then nothing is acquired, either.
            let returns = dst.as_ref().filter(|dst| !dst.zero);
            b.emit(Op::Rmw {
                dst: old,
                addr: place,
                op,
                operand,
                order: match returns {
                    Some(_) => exclusive::update(b, order.acquire, order.release),
                    None => exclusive::without_result(b, order.release),
                },
            });
            if let Some(dst) = returns {
                let value = loaded(old, [cell, *size, dst.size], Cast::Zero);
                set(b, dst, value);
            }
        }
        Instr::CompareSwap {
            expected,
            desired,
            addr,
            size,
            order,
        } => {
            let cell = b.accessed(expected.name.span, *size)?;
            let (place, _) = address(b, addr)?;
            compare_swap(b, (expected, desired), place, (*size, cell), *order);
        }
        Instr::Branch(test, label) => {
            let cond = test.as_ref().map(|test| decides(b, test));
            b.jump(cond, Some(label.clone()));
        }
    }
    Ok(())
}

fn fence(fence: Syntax) -> Fence {
    let (ordered, is_dsb) = match fence {
        Syntax::Isb => return Fence::Isync,
        Syntax::Dmb(ordered) => (ordered, false),
        Syntax::Dsb(ordered) => (ordered, true),
    };
    Fence::Membar {
        load_load: ordered != Ordered::Stores,
        load_store: ordered != Ordered::Stores,
        // Behind `DSB ST` everything waits for the stores, behind `DMB ST` stores alone.
        store_load: ordered == Ordered::Full || (is_dsb && ordered == Ordered::Stores),
        store_store: ordered != Ordered::Loads,
    }
}

/// The value of a register, of its size.
fn read(b: &mut Body, register: &Register) -> Expr {
    match register.zero {
        true => Expr::constant(0, register.size),
        false => {
            let value = b.read(&register.name);
            low(value, (b.word(), register.size))
        }
    }
}

/// Sets a register to a value of its size.
fn set(b: &mut Body, dst: &Register, value: Expr) {
    if !dst.zero {
        let value = extended(value, (dst.size, b.word()), Cast::Zero);
        b.write(&dst.name, value);
    }
}

/// What a load of so many bits of a cell gives to a register of so many.
fn loaded(value: LocalId, [cell, size, to]: [Width; 3], cast: Cast) -> Expr {
    let part = low(Expr::Local(value), (cell, size));
    extended(part, (size, to), cast)
}

/// What a store of so many bits of a register leaves in a cell.
fn stored(b: &mut Body, src: &Register, (size, cell): (Width, Width)) -> Expr {
    let value = read(b, src);
    let part = low(value, (src.size, size));
    extended(part, (size, cell), Cast::Zero)
}

/// Where an access goes, and what its base becomes if it is changed.
fn address(b: &mut Body, addr: &Address) -> Lowered<(Expr, Option<Expr>)> {
    let base = b.read(&addr.base);
    let sum = match &addr.offset {
        None => base.clone(),
        Some(Operand::Number(offset)) => {
            b.memory.offset(offset)?;
            plus(base.clone(), offset.bits, b.word())
        }
        Some(offset) => {
            let offset = operand(b, offset, b.word());
            Expr::binary(BinOp::Add, base.clone(), offset)
        }
    };
    Ok(match addr.update {
        None => (b.pointer(sum), None),
        Some(Update::Before) => (b.pointer(sum.clone()), Some(sum)),
        Some(Update::After) => (b.pointer(base), Some(sum)),
    })
}

fn update(b: &mut Body, addr: &Address, base: Option<Expr>) {
    if let Some(value) = base {
        b.write(&addr.base, value);
    }
}

/// The operation on a cell: `LDCLR` clears the bits that it is given.
fn operation(op: UpdateOp, value: Expr, cell: Width) -> (RmwOp, Expr) {
    match op {
        UpdateOp::Swap => (RmwOp::Exchange, value),
        UpdateOp::Add => (RmwOp::Add, value),
        UpdateOp::Xor => (RmwOp::Xor, value),
        UpdateOp::Set => (RmwOp::Or, value),
        UpdateOp::Clear => {
            let ones = Expr::constant(mask(cell), cell);
            (RmwOp::And, Expr::binary(BinOp::Xor, value, ones))
        }
    }
}

fn select(
    b: &mut Body,
    dst: &Register,
    cond: Condition,
    (a, other, change): (&Register, &Register, Change),
) {
    let size = dst.size;
    let taken = read(b, a);
    let value = read(b, other);
    let one = Expr::constant(1, size);
    let changed = match change {
        Change::None => value,
        Change::Increment => Expr::binary(BinOp::Add, value, one),
        Change::Invert => Expr::binary(BinOp::Xor, value, Expr::constant(mask(size), size)),
        Change::Negate => Expr::binary(BinOp::Sub, Expr::constant(0, size), value),
    };
    let cond = condition(b, cond);
    let chosen = b.memory.chosen.map(Expr::Global);
    let event = b.temporary(b.cell());
    if chosen.is_none() {
        b.assign(event, Expr::constant(0, b.cell()));
    }
    let result = b.temporary(size);
    b.emit(Op::ControlBegin(ControlScope::Always));
    let decides = label(b, "decides");
    b.jump(Some(cond.clone()), Some(decides.clone()));
    here(b, decides);
    if let Some(addr) = chosen {
        b.emit(Op::Load {
            dst: event,
            addr,
            order: exclusive::pick(),
        });
    }
    let event = low(Expr::Local(event), (b.cell(), size));
    let (holds, end) = (label(b, "holds"), label(b, "end"));
    b.jump(Some(cond), Some(holds.clone()));
    b.assign(result, Expr::binary(BinOp::Or, changed, event.clone()));
    b.jump(None, Some(end.clone()));
    here(b, holds);
    b.assign(result, Expr::binary(BinOp::Or, taken, event));
    here(b, end);
    b.emit(Op::ControlEnd(ControlScope::Always));
    set(b, dst, Expr::Local(result));
}

/// A label that is nowhere else.
fn label(b: &Body, what: &str) -> Name {
    Name {
        text: format!(" {what} {}", b.instrs.len()),
        span: b.span,
    }
}

fn here(b: &mut Body, label: Name) {
    b.labels.insert(label.text, (b.instrs.len(), label.span));
}

fn compare_swap(
    b: &mut Body,
    (expected, desired): (&Register, &Register),
    addr: Expr,
    (size, cell): (Width, Width),
    order: UpdateOrder,
) {
    let compared = stored(b, expected, (size, cell));
    let desired = stored(b, desired, (size, cell));
    // What it compares decides whether it stores, and nothing behind it.
    b.emit(Op::ControlBegin(ControlScope::Always));
    let next = label(b, "next");
    let never = Expr::binary(BinOp::Ne, compared.clone(), compared.clone());
    b.jump(Some(never), Some(next.clone()));
    here(b, next);
    let old = b.temporary(cell);
    b.emit(Op::Cas {
        dst: old,
        addr,
        expected: compared,
        desired,
        success: exclusive::update(b, order.acquire, order.release),
        failure: exclusive::failed(b, order.acquire),
        weak: None,
    });
    b.emit(Op::ControlEnd(ControlScope::Always));
    let value = loaded(old, [cell, size, expected.size], Cast::Zero);
    set(b, expected, value);
}

/// An operand, of so many bits.
fn operand(b: &mut Body, operand: &Operand, size: Width) -> Expr {
    match operand {
        Operand::Number(number) => Expr::constant(number.bits, size),
        Operand::Register(register, extension) => {
            let value = read(b, register);
            extend(value, register.size, *extension, size)
        }
    }
}

fn extend(value: Expr, from: Width, extension: Extension, size: Width) -> Expr {
    let value = match extension.low {
        Some((bits, signed)) => {
            let bits = bits.min(from);
            let cast = if signed { Cast::Sign } else { Cast::Zero };
            extended(low(value, (from, bits)), (bits, size), cast)
        }
        None => extended(value, (from, size), Cast::Zero),
    };
    match extension.by {
        0 => value,
        by => Expr::binary(
            shift(extension.shift),
            value,
            Expr::constant(by.into(), size),
        ),
    }
}

fn shift(shift: Shift) -> BinOp {
    match shift {
        Shift::Left => BinOp::Shl,
        Shift::Right => BinOp::Lshr,
        Shift::Arithmetic => BinOp::Ashr,
    }
}

fn compute(b: &mut Body, dst: &Register, value: &Computation, sets_flags: bool) {
    let size = dst.size;
    let ones = || Expr::constant(mask(size), size);
    let not = |e: Expr| Expr::binary(BinOp::Xor, e, ones());
    let result = match value {
        Computation::Operand(operand) => self::operand(b, operand, size),
        Computation::Not(operand) => not(self::operand(b, operand, size)),
        Computation::Binary(op, x, y) => {
            let (x, y) = (read(b, x), operand(b, y, size));
            let (op, y) = match op {
                Binary::Add => (BinOp::Add, y),
                Binary::Sub => (BinOp::Sub, y),
                Binary::And => (BinOp::And, y),
                Binary::Or => (BinOp::Or, y),
                Binary::Xor => (BinOp::Xor, y),
                Binary::AndNot => (BinOp::And, not(y)),
                Binary::OrNot => (BinOp::Or, not(y)),
                Binary::XorNot => (BinOp::Xor, not(y)),
                Binary::Mul => (BinOp::Mul, y),
                Binary::Shift(s) => {
                    let count = Expr::constant(u64::from(size) - 1, size);
                    (shift(*s), Expr::binary(BinOp::And, y, count))
                }
            };
            if sets_flags {
                flags(b, op, &x, &y, size);
            }
            Expr::binary(op, x, y)
        }
    };
    set(b, dst, result);
}

/// The four flags of `x op y`.
fn flags(b: &mut Body, op: BinOp, x: &Expr, y: &Expr, size: Width) {
    let zero = || Expr::constant(0, size);
    let binary = |op, a: &Expr, c: &Expr| Expr::binary(op, a.clone(), c.clone());
    let negative = |e: Expr| Expr::binary(BinOp::Slt, e, zero());
    let result = binary(op, x, y);
    let changed = binary(BinOp::Xor, x, &result);
    let (carry, overflow) = match op {
        BinOp::Add => {
            let other = binary(BinOp::Xor, y, &result);
            (
                binary(BinOp::Ult, &result, x),
                negative(Expr::binary(BinOp::And, changed, other)),
            )
        }
        BinOp::Sub => {
            let differ = binary(BinOp::Xor, x, y);
            (
                binary(BinOp::Ule, y, x),
                negative(Expr::binary(BinOp::And, differ, changed)),
            )
        }
        _ => (Expr::constant(0, 1), Expr::constant(0, 1)),
    };
    b.set_bit("N", || negative(result.clone()));
    b.set_bit("Z", || Expr::binary(BinOp::Eq, result.clone(), zero()));
    b.set_bit("C", || carry);
    b.set_bit("V", || overflow);
}

/// Whether a branch is taken.
fn decides(b: &mut Body, test: &Test) -> Expr {
    match test {
        Test::Flags(cond) => condition(b, *cond),
        Test::Zero(register, is_zero) => {
            let op = if *is_zero { BinOp::Eq } else { BinOp::Ne };
            let value = read(b, register);
            Expr::binary(op, value, Expr::constant(0, register.size))
        }
        Test::Bit(register, bit, is_set) => {
            let value = read(b, register);
            let one = Expr::constant(1 << bit, register.size);
            let bit = Expr::binary(BinOp::And, value, one);
            let op = if *is_set { BinOp::Ne } else { BinOp::Eq };
            Expr::binary(op, bit, Expr::constant(0, register.size))
        }
    }
}

/// Whether a condition holds, in terms of the flags.
pub(in crate::lower) fn condition(b: &mut Body, condition: Condition) -> Expr {
    let mut flag = |name: &str| Expr::Local(b.bit(name));
    let not = |e: Expr| Expr::Unary(UnOp::Not, Box::new(e));
    let truth = match condition.flags {
        FlagTest::Equal => flag("Z"),
        FlagTest::Carry => flag("C"),
        FlagTest::Negative => flag("N"),
        FlagTest::Overflow => flag("V"),
        FlagTest::Higher => Expr::binary(BinOp::And, flag("C"), not(flag("Z"))),
        FlagTest::GreaterEqual => Expr::binary(BinOp::Eq, flag("N"), flag("V")),
        FlagTest::Greater => {
            let ordered = Expr::binary(BinOp::Eq, flag("N"), flag("V"));
            Expr::binary(BinOp::And, ordered, not(flag("Z")))
        }
    };
    match condition.holds {
        true => truth,
        false => not(truth),
    }
}
