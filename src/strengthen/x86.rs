//! x86: `mfence`. What a model of it leaves out of order is a store and a later load, and nothing else orders them.

use super::machine::{FenceRow, MachineAccess, OrderingInstructions};
use super::place::{Ordered, PlaceKind};
use crate::front::litmus::ast::x86::{Fence, Op, Operand};
use crate::front::litmus::ast::{LineKind, Machine};

/// See the head of this file.
pub(super) struct X86;

static FENCES: [FenceRow; 1] = [FenceRow {
    text: "MFENCE",
    ordered: Ordered::FULL,
    cost: 10_004,
}];

impl OrderingInstructions for X86 {
    fn machine(&self) -> Machine {
        Machine::X86
    }

    fn access(&self, line: &LineKind) -> Option<MachineAccess> {
        let LineKind::X86(instr) = line else {
            return None;
        };
        let is_memory = |operand: &Operand| matches!(operand, Operand::Memory(_));
        let update = |operand: &Operand| is_memory(operand).then_some(PlaceKind::Update);
        let load = |operand: &Operand| is_memory(operand).then_some(PlaceKind::Load);
        let kind = match &instr.op {
            Op::Mov(dst, _) if is_memory(dst) => Some(PlaceKind::Store),
            Op::Set(_, dst) if is_memory(dst) => Some(PlaceKind::Store),
            Op::Mov(_, src) => load(src),
            Op::Xchg(a, b) => update(a).or(update(b)),
            Op::Binary(_, dst, src) => update(dst).or(load(src)),
            Op::Unary(_, dst)
            | Op::Xadd(dst, _)
            | Op::Cmpxchg(dst, _)
            | Op::CmpxchgPair(dst)
            | Op::Bit(_, dst, _) => update(dst),
            Op::Cmp(a, b) | Op::Test(a, b) => load(a).or(load(b)),
            Op::Set(..) | Op::Nop | Op::Rdtsc | Op::Fence(_) | Op::Jump(..) => None,
        };
        Some(MachineAccess {
            kind: kind?,
            target: None,
            reserves: false,
            forms: vec![(line.clone(), Ordered::NOTHING, 0)],
        })
    }

    fn fence(&self, line: &LineKind) -> Option<Ordered> {
        match line {
            LineKind::X86(instr) => match instr.op {
                Op::Fence(Fence::Mfence) => Some(FENCES[0].ordered),
                Op::Fence(_) => Some(Ordered::OTHER),
                _ => None,
            },
            _ => None,
        }
    }

    fn fences(&self) -> &'static [FenceRow] {
        &FENCES
    }

    fn dependent(&self, _: &LineKind, _: &str, _: &str) -> Option<(Vec<String>, LineKind)> {
        None
    }

    fn registers(&self) -> Vec<String> {
        Vec::new()
    }
}
