//! What the instructions of Power do. The three bits of a field of the condition register are
//! registers of one bit, `cr0.lt`, `cr0.gt` and `cr0.eq`.

use super::body::Body;
use super::memory::{constant, plus};
use super::refusal::Lowered;
use super::sizes::{extended, low};
use crate::front::litmus::ast::ppc::{
    Address, Binary, Bit, Computation, Fence as PpcFence, Instr, Operand,
};
use crate::front::litmus::ast::{Name, Number};
use ir::program::*;

/// Whether an instruction says that it is about 64 bits.
pub(super) fn is_64_bits(instr: &Instr) -> bool {
    match instr {
        Instr::Load { size, signed, .. } => *size == 64 || (*signed && *size == 32),
        Instr::Store { size, .. } | Instr::Compare { size, .. } => *size == 64,
        Instr::Set { value, .. } => {
            matches!(value, Computation::Extend(_, 32) | Computation::Clear(..))
        }
        _ => false,
    }
}

/// The bits of the condition register that an instruction reads.
pub(super) fn tested(instr: &Instr) -> Option<String> {
    match instr {
        Instr::Branch(Some(c), _) => Some(bit_name(c.field, c.bit)),
        _ => None,
    }
}

fn bit_name(field: u8, bit: Bit) -> String {
    let bit = match bit {
        Bit::Less => "lt",
        Bit::Greater => "gt",
        Bit::Equal => "eq",
    };
    format!("cr{field}.{bit}")
}

/// Lowers an instruction.
pub(super) fn lower(b: &mut Body, instr: &Instr) -> Lowered<()> {
    match instr {
        Instr::Nop => {}
        Instr::Return => b.jump(None, None),
        Instr::Fence(fence) => b.emit(Op::Fence(match fence {
            PpcFence::Sync => Fence::Sync,
            PpcFence::Lwsync => Fence::Lwsync,
            PpcFence::Isync => Fence::Isync,
            PpcFence::Eieio => Fence::Eieio,
        })),
        Instr::Set { dst, value, record } => {
            let value = compute(b, value, dst)?;
            let target = b.write(dst, value);
            if *record {
                let zero = Expr::constant(0, b.locals[target].width);
                compare(b, 0, true, Expr::Local(target), zero);
            }
        }
        Instr::Load {
            dst,
            addr,
            size,
            signed,
            linked,
        } => load(b, dst, addr, (*size, *signed), *linked)?,
        Instr::Store {
            src,
            addr,
            size,
            conditional,
        } => store(b, src, addr, *size, *conditional)?,
        Instr::Compare {
            field,
            a,
            b: right,
            size,
            signed,
        } => {
            let left = b.read(a);
            let left = low(left, (b.word(), *size));
            let right = match right {
                Operand::Number(n) => Expr::constant(n.bits, *size),
                Operand::Register(r) => {
                    let right = b.read(r);
                    low(right, (b.word(), *size))
                }
            };
            compare(b, *field, *signed, left, right);
        }
        Instr::Branch(condition, label) => {
            let cond = condition.map(|c| {
                let bit = Expr::Local(b.bit(&bit_name(c.field, c.bit)));
                if c.holds {
                    bit
                } else {
                    Expr::Unary(UnOp::Not, Box::new(bit))
                }
            });
            b.jump(cond, Some(label.clone()));
        }
    }
    Ok(())
}

fn load(
    b: &mut Body,
    dst: &Name,
    addr: &Address,
    (size, signed): (Width, bool),
    linked: bool,
) -> Lowered<()> {
    let cell = b.accessed(dst.span, size)?;
    let place = address(b, addr)?;
    let word = b.word();
    let target = b.register(&dst.text);
    let direct = size == cell && cell == b.locals[target].width;
    let into = if direct { target } else { b.temporary(cell) };
    let at = b.pointer(place.clone());
    b.emit(if linked {
        Op::LoadLinked {
            dst: into,
            addr: at,
            order: MemoryOrder::Plain,
        }
    } else {
        Op::Load {
            dst: into,
            addr: at,
            order: b.order(),
        }
    });
    update(b, addr, place);
    if !direct {
        let part = low(Expr::Local(into), (cell, size));
        let cast = if signed { Cast::Sign } else { Cast::Zero };
        b.write(dst, extended(part, (size, word), cast));
    }
    Ok(())
}

fn store(b: &mut Body, src: &Name, addr: &Address, size: Width, conditional: bool) -> Lowered<()> {
    let cell = b.accessed(src.span, size)?;
    let place = address(b, addr)?;
    let at = b.pointer(place.clone());
    let value = b.read(src);
    let part = low(value, (b.word(), size));
    let value = extended(part, (size, cell), Cast::Zero);
    if conditional {
        let done = b.bit(&bit_name(0, Bit::Equal));
        b.emit(Op::StoreConditional {
            dst: done,
            addr: at,
            value,
            order: MemoryOrder::Plain,
        });
        for bit in [Bit::Less, Bit::Greater] {
            b.set_bit(&bit_name(0, bit), || Expr::constant(0, 1));
        }
    } else {
        b.emit(Op::Store {
            addr: at,
            value,
            order: b.order(),
        });
    }
    update(b, addr, place);
    Ok(())
}

fn address(b: &mut Body, addr: &Address) -> Lowered<Expr> {
    let base = b.read(&addr.base);
    match &addr.offset {
        Operand::Number(offset) => {
            b.memory.offset(offset)?;
            Ok(plus(base, offset.bits, b.word()))
        }
        Operand::Register(offset) => Ok(Expr::binary(BinOp::Add, base, b.read(offset))),
    }
}

fn update(b: &mut Body, addr: &Address, place: Expr) {
    if addr.update {
        b.write(&addr.base, place);
    }
}

/// The bits of a field say how `x` and `y` compare.
fn compare(b: &mut Body, field: u8, signed: bool, x: Expr, y: Expr) {
    let less = if signed { BinOp::Slt } else { BinOp::Ult };
    b.set_bit(&bit_name(field, Bit::Less), || {
        Expr::binary(less, x.clone(), y.clone())
    });
    b.set_bit(&bit_name(field, Bit::Greater), || {
        Expr::binary(less, y.clone(), x.clone())
    });
    b.set_bit(&bit_name(field, Bit::Equal), || {
        Expr::binary(BinOp::Eq, x.clone(), y.clone())
    });
}

fn compute(b: &mut Body, value: &Computation, dst: &Name) -> Lowered<Expr> {
    let word = b.word();
    Ok(match value {
        Computation::Operand(operand) => self::operand(b, operand)?,
        Computation::High(n) => high(n, word),
        Computation::AddHigh(a, n) => Expr::binary(BinOp::Add, b.read(a), high(n, word)),
        Computation::Binary(op, a, c) => {
            let (left, right) = (b.read(a), operand(b, c)?);
            match op {
                Binary::Add => Expr::binary(BinOp::Add, left, right),
                Binary::And => Expr::binary(BinOp::And, left, right),
                Binary::Or => Expr::binary(BinOp::Or, left, right),
                Binary::Xor => Expr::binary(BinOp::Xor, left, right),
                Binary::Mul => words(b, BinOp::Mul, left, right),
                Binary::Div => words(b, BinOp::Sdiv, left, right),
                Binary::DivUnsigned => words(b, BinOp::Udiv, left, right),
            }
        }
        Computation::SubFrom(a, c) => {
            let left = b.read(a);
            Expr::binary(BinOp::Sub, operand(b, c)?, left)
        }
        Computation::Neg(a) => Expr::Unary(UnOp::Neg, Box::new(b.read(a))),
        Computation::Not(a) => Expr::Unary(UnOp::Not, Box::new(b.read(a))),
        Computation::Extend(a, size) => {
            let part = b.read(a);
            let part = low(part, (word, *size));
            extended(part, (*size, word), Cast::Sign)
        }
        Computation::Clear(a, count) => {
            let kept = u64::MAX >> count;
            Expr::binary(BinOp::And, b.read(a), Expr::constant(kept, word))
        }
        Computation::Rotate {
            src,
            by,
            first,
            last,
            insert,
        } => {
            let src = b.read(src);
            let old = insert.then(|| b.read(dst));
            rotate(b, src, *by, (*first, *last), old)
        }
    })
}

fn operand(b: &mut Body, operand: &Operand) -> Lowered<Expr> {
    match operand {
        Operand::Register(name) => Ok(b.read(name)),
        Operand::Number(number) => constant(number, b.word()),
    }
}

/// A number shifted left by 16, as a signed word.
fn high(n: &Number, word: Width) -> Expr {
    Expr::constant(sign_extend(n.bits << 16, 32) as u64, word)
}

/// An operation on the low words; products are of 64 bits where registers are.
fn words(b: &Body, op: BinOp, x: Expr, y: Expr) -> Expr {
    let word = b.word();
    let (x, y) = (low(x, (word, 32)), low(y, (word, 32)));
    if op == BinOp::Mul {
        let signed = |e| extended(e, (32, word), Cast::Sign);
        return Expr::binary(op, signed(x), signed(y));
    }
    extended(Expr::binary(op, x, y), (32, word), Cast::Zero)
}

/// The low word rotated left and masked. In registers of 64 bits the rotated word stands in both
/// halves, and a mask that wraps around takes the high one too.
fn rotate(b: &Body, src: Expr, by: u8, (first, last): (u8, u8), old: Option<Expr>) -> Expr {
    let word = b.word();
    let part = low(src, (word, 32));
    let turned = if by == 0 {
        part
    } else {
        let shift = |op, by: u8| Expr::binary(op, part.clone(), Expr::constant(u64::from(by), 32));
        Expr::binary(
            BinOp::Or,
            shift(BinOp::Shl, by),
            shift(BinOp::Lshr, 32 - by),
        )
    };
    let from_first = u64::from(u32::MAX >> first);
    let to_last = u64::from(u32::MAX << (31 - last));
    let wraps = first > last;
    let mut kept = if wraps {
        from_first | to_last
    } else {
        from_first & to_last
    };
    let mut value = extended(turned, (32, word), Cast::Zero);
    if wraps && word == 64 {
        kept |= !0 << 32;
        let above = Expr::binary(BinOp::Shl, value.clone(), Expr::constant(32, 64));
        value = Expr::binary(BinOp::Or, value, above);
    }
    let taken = if kept == mask(word) {
        value
    } else {
        Expr::binary(BinOp::And, value, Expr::constant(kept, word))
    };
    match old {
        None => taken,
        Some(old) => {
            let rest = Expr::binary(BinOp::And, old, Expr::constant(!kept, word));
            Expr::binary(BinOp::Or, rest, taken)
        }
    }
}
