//! Power: `lwsync`, `sync`. No access orders anything by itself.

use super::machine::{FenceRow, MachineAccess, OrderingInstructions};
use super::place::{Ordered, PlaceKind};
use crate::front::litmus::ast::ppc::{Fence, Instr, Operand};
use crate::front::litmus::ast::{LineKind, Machine};

/// See the head of this file.
pub(super) struct Power;

/// `eieio` orders less than `lwsync` and costs as much, so it is none of them.
static FENCES: [FenceRow; 2] = [
    FenceRow {
        text: "lwsync",
        ordered: Ordered::LOAD_LOAD
            .and(Ordered::LOAD_STORE)
            .and(Ordered::STORE_STORE),
        cost: 4003,
    },
    FenceRow {
        text: "sync",
        ordered: Ordered::FULL,
        cost: 10_004,
    },
];

impl OrderingInstructions for Power {
    fn machine(&self) -> Machine {
        Machine::Ppc
    }

    fn access(&self, line: &LineKind) -> Option<MachineAccess> {
        let LineKind::Ppc(instr) = line else {
            return None;
        };
        let (kind, target, reserves) = match instr {
            Instr::Load { dst, linked, .. } => (PlaceKind::Load, Some(dst.text.clone()), *linked),
            Instr::Store { .. } => (PlaceKind::Store, None, false),
            _ => return None,
        };
        Some(MachineAccess {
            kind,
            target,
            reserves,
            forms: vec![(line.clone(), Ordered::NOTHING, 0)],
        })
    }

    fn fence(&self, line: &LineKind) -> Option<Ordered> {
        match line {
            LineKind::Ppc(Instr::Fence(Fence::Lwsync)) => Some(FENCES[0].ordered),
            LineKind::Ppc(Instr::Fence(Fence::Sync)) => Some(FENCES[1].ordered),
            LineKind::Ppc(Instr::Fence(Fence::Eieio)) => Some(Ordered::STORE_STORE),
            LineKind::Ppc(Instr::Fence(Fence::Isync)) => Some(Ordered::OTHER),
            _ => None,
        }
    }

    fn fences(&self) -> &'static [FenceRow] {
        &FENCES
    }

    fn dependent(&self, line: &LineKind, on: &str, free: &str) -> Option<(Vec<String>, LineKind)> {
        let LineKind::Ppc(instr) = line else {
            return None;
        };
        let mut instr = instr.clone();
        let (Instr::Load { addr, .. } | Instr::Store { addr, .. }) = &mut instr else {
            return None;
        };
        if addr.update || !matches!(addr.offset, Operand::Number(n) if n.bits == 0) {
            return None;
        }
        let base = std::mem::replace(&mut addr.base.text, free.to_string());
        let before = vec![
            format!("xor {free},{on},{on}"),
            format!("add {free},{free},{base}"),
        ];
        Some((before, LineKind::Ppc(instr)))
    }

    fn registers(&self) -> Vec<String> {
        (9..31).map(|n| format!("r{n}")).collect()
    }
}
