//! What the instructions of RISC-V do. Registers have 64 bits; `lw` and the operations on words
//! extend the sign.

use super::body::Body;
use super::exclusive;
use super::memory::plus;
use super::refusal::Lowered;
use super::sizes::{extended, low};
use crate::front::litmus::ast::Name;
use crate::front::litmus::ast::riscv::{
    Address, Binary, Comparison, Computation, Fence as Syntax, Instr, Operand, UpdateOp,
};
use ir::program::*;

/// Lowers an instruction.
pub(super) fn lower(b: &mut Body, instr: &Instr) -> Lowered<()> {
    match instr {
        Instr::Nop => {}
        Instr::Return => b.jump(None, None),
        Instr::Fence(fence) => b.emit(Op::Fence(self::fence(*fence))),
        Instr::Set { dst, value } => {
            let value = compute(b, value);
            set(b, dst, value);
        }
        Instr::Load {
            dst,
            addr,
            size,
            signed,
            order,
            reserved,
        } => {
            let cell = b.accessed(dst.span, *size)?;
            let addr = address(b, addr)?;
            let into = b.temporary(cell);
            let (acquire, release) = (order.acquire, order.release);
            b.emit(if *reserved {
                Op::LoadLinked {
                    dst: into,
                    addr,
                    order: exclusive::exclusive(b, acquire, release),
                }
            } else {
                Op::Load {
                    dst: into,
                    addr,
                    order: exclusive::access(b, acquire, release),
                }
            });
            let value = loaded(b, into, (cell, *size), *signed);
            set(b, dst, value);
        }
        Instr::Store {
            src,
            addr,
            size,
            order,
            status,
        } => {
            let cell = b.accessed(src.span, *size)?;
            let addr = address(b, addr)?;
            let value = stored(b, src, (*size, cell));
            let (acquire, release) = (order.acquire, order.release);
            let Some(status) = status else {
                let order = exclusive::access(b, acquire, release);
                b.emit(Op::Store { addr, value, order });
                return Ok(());
            };
            let done = b.temporary(1);
            b.emit(Op::StoreConditional {
                dst: done,
                addr,
                value,
                order: exclusive::exclusive(b, acquire, release),
            });
            let failed = Expr::Unary(UnOp::Not, Box::new(Expr::Local(done)));
            let failed = extended(failed, (1, b.word()), Cast::Zero);
            set(b, status, failed);
        }
        Instr::Update {
            op,
            dst,
            operand,
            addr,
            size,
            order,
        } => {
            let cell = b.accessed(dst.span, *size)?;
            let addr = address(b, addr)?;
            let operand = stored(b, operand, (*size, cell));
            let old = b.temporary(cell);
            b.emit(Op::Rmw {
                dst: old,
                addr,
                op: match op {
                    UpdateOp::Swap => RmwOp::Exchange,
                    UpdateOp::Add => RmwOp::Add,
                    UpdateOp::And => RmwOp::And,
                    UpdateOp::Or => RmwOp::Or,
                    UpdateOp::Xor => RmwOp::Xor,
                },
                operand,
                order: exclusive::update(b, order.acquire, order.release),
            });
            let value = loaded(b, old, (cell, *size), true);
            set(b, dst, value);
        }
        Instr::Branch(comparison, [x, y], label) => {
            let (x, y) = (read(b, x), read(b, y));
            let (op, holds) = match comparison {
                Comparison::Equal => (BinOp::Eq, true),
                Comparison::Unequal => (BinOp::Ne, true),
                Comparison::Less => (BinOp::Slt, true),
                Comparison::GreaterEqual => (BinOp::Slt, false),
                Comparison::LessUnsigned => (BinOp::Ult, true),
                Comparison::GreaterEqualUnsigned => (BinOp::Ult, false),
            };
            let mut cond = Expr::binary(op, x, y);
            if !holds {
                cond = Expr::Unary(UnOp::Not, Box::new(cond));
            }
            b.jump(Some(cond), Some(label.clone()));
        }
        Instr::Jump(label) => b.jump(None, Some(label.clone())),
    }
    Ok(())
}

fn fence(fence: Syntax) -> Fence {
    match fence {
        Syntax::Pairs {
            loads,
            stores,
            then_loads,
            then_stores,
        } => Fence::Membar {
            load_load: loads && then_loads,
            load_store: loads && then_stores,
            store_load: stores && then_loads,
            store_store: stores && then_stores,
        },
        Syntax::Tso => Fence::Membar {
            load_load: true,
            load_store: true,
            store_load: false,
            store_store: true,
        },
        Syntax::Instructions => Fence::Annotated(&["FENCE.I"]),
    }
}

fn read(b: &mut Body, name: &Name) -> Expr {
    match name.text.as_str() {
        "x0" => Expr::constant(0, b.word()),
        _ => b.read(name),
    }
}

fn set(b: &mut Body, dst: &Name, value: Expr) {
    if dst.text != "x0" {
        b.write(dst, value);
    }
}

fn address(b: &mut Body, addr: &Address) -> Lowered<Expr> {
    b.memory.offset(&addr.offset)?;
    let base = read(b, &addr.base);
    Ok(b.pointer(plus(base, addr.offset.bits, b.word())))
}

/// What a load of so many bits of a cell gives.
fn loaded(b: &Body, value: LocalId, (cell, size): (Width, Width), signed: bool) -> Expr {
    let part = low(Expr::Local(value), (cell, size));
    let cast = if signed { Cast::Sign } else { Cast::Zero };
    extended(part, (size, b.word()), cast)
}

/// What a store of so many bits of a register leaves in a cell.
fn stored(b: &mut Body, src: &Name, (size, cell): (Width, Width)) -> Expr {
    let value = read(b, src);
    let part = low(value, (b.word(), size));
    extended(part, (size, cell), Cast::Zero)
}

fn operand(b: &mut Body, operand: &Operand) -> Expr {
    match operand {
        Operand::Register(name) => read(b, name),
        Operand::Number(number) => Expr::constant(number.bits, b.word()),
    }
}

fn compute(b: &mut Body, value: &Computation) -> Expr {
    let word = b.word();
    match value {
        Computation::Operand(operand) => self::operand(b, operand),
        Computation::Binary {
            op,
            a,
            b: right,
            word: is_word,
        } => {
            let width = if *is_word { 32 } else { word };
            let (x, y) = (operand(b, a), operand(b, right));
            let (x, mut y) = (low(x, (word, width)), low(y, (word, width)));
            let op = match op {
                Binary::Add => BinOp::Add,
                Binary::Sub => BinOp::Sub,
                Binary::And => BinOp::And,
                Binary::Or => BinOp::Or,
                Binary::Xor => BinOp::Xor,
                Binary::Mul => BinOp::Mul,
                Binary::ShiftLeft => BinOp::Shl,
                Binary::ShiftRight => BinOp::Lshr,
                Binary::ShiftArithmetic => BinOp::Ashr,
                Binary::Less => BinOp::Slt,
                Binary::LessUnsigned => BinOp::Ult,
                Binary::Equal => BinOp::Eq,
                Binary::Unequal => BinOp::Ne,
            };
            if matches!(op, BinOp::Shl | BinOp::Lshr | BinOp::Ashr) {
                let count = Expr::constant(u64::from(width) - 1, width);
                y = Expr::binary(BinOp::And, y, count);
            }
            let result = Expr::binary(op, x, y);
            match op {
                BinOp::Slt | BinOp::Ult | BinOp::Eq | BinOp::Ne => {
                    extended(result, (1, word), Cast::Zero)
                }
                _ => extended(result, (width, word), Cast::Sign),
            }
        }
    }
}
