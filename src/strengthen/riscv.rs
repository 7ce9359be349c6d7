//! RISC-V: `fence`, and `.aq`, `.rl` of atomic instructions.

use super::machine::{FenceRow, MachineAccess, OrderingInstructions};
use super::place::{Ordered, PlaceKind};
use crate::front::litmus::ast::riscv::{AccessOrder, Fence, Instr};
use crate::front::litmus::ast::{LineKind, Machine};

/// See the head of this file.
pub(super) struct Riscv;

const fn row(text: &'static str, ordered: Ordered, cost: u32) -> FenceRow {
    FenceRow {
        text,
        ordered,
        cost,
    }
}

const LOADS: Ordered = Ordered::LOAD_LOAD.and(Ordered::LOAD_STORE);
const STORES_BEHIND: Ordered = Ordered::LOAD_STORE.and(Ordered::STORE_STORE);

static FENCES: [FenceRow; 8] = [
    row("fence r,r", Ordered::LOAD_LOAD, 4001),
    row("fence r,w", Ordered::LOAD_STORE, 4001),
    row("fence w,w", Ordered::STORE_STORE, 4001),
    row("fence r,rw", LOADS, 4002),
    row("fence rw,w", STORES_BEHIND, 4002),
    row("fence.tso", LOADS.and(Ordered::STORE_STORE), 8003),
    row("fence w,r", Ordered::STORE_LOAD, 10_001),
    row("fence rw,rw", Ordered::FULL, 10_004),
];

impl OrderingInstructions for Riscv {
    fn machine(&self) -> Machine {
        Machine::Riscv
    }

    fn access(&self, line: &LineKind) -> Option<MachineAccess> {
        let LineKind::Riscv(instr) = line else {
            return None;
        };
        let with = |to: AccessOrder| {
            let mut instr = instr.clone();
            if let Instr::Load { order, .. }
            | Instr::Store { order, .. }
            | Instr::Update { order, .. } = &mut instr
            {
                *order = to;
            }
            LineKind::Riscv(instr)
        };
        let order = |acquire, release| AccessOrder { acquire, release };
        let none = (with(order(false, false)), Ordered::NOTHING, 0);
        let acquire = (with(order(true, false)), Ordered::ACQUIRE, 1002);
        let release = (with(order(false, true)), Ordered::RELEASE, 1002);
        let both = Ordered::ACQUIRE.and(Ordered::RELEASE);
        let both = (with(order(true, true)), both, 2003);
        let own = vec![(line.clone(), Ordered::NOTHING, 0)];
        let is_gone = |register: &str| register == "x0";
        Some(match instr {
            Instr::Load { dst, reserved, .. } => MachineAccess {
                kind: PlaceKind::Load,
                target: Some(dst.text.clone()).filter(|dst| !is_gone(dst)),
                reserves: *reserved,
                forms: if *reserved {
                    vec![none, acquire, both]
                } else {
                    own
                },
            },
            Instr::Store { status, .. } => MachineAccess {
                kind: PlaceKind::Store,
                target: None,
                reserves: false,
                forms: if status.is_some() {
                    vec![none, release, both]
                } else {
                    own
                },
            },
            Instr::Update { dst, .. } => MachineAccess {
                kind: PlaceKind::Update,
                target: Some(dst.text.clone()).filter(|dst| !is_gone(dst)),
                reserves: false,
                forms: vec![none, acquire, release, both],
            },
            _ => return None,
        })
    }

    fn fence(&self, line: &LineKind) -> Option<Ordered> {
        let LineKind::Riscv(Instr::Fence(fence)) = line else {
            return None;
        };
        let (loads, stores, then_loads, then_stores) = match *fence {
            Fence::Tso => return Some(FENCES[5].ordered),
            Fence::Instructions => return Some(Ordered::OTHER),
            Fence::Pairs {
                loads,
                stores,
                then_loads,
                then_stores,
            } => (loads, stores, then_loads, then_stores),
        };
        let pairs = [
            (loads && then_loads, Ordered::LOAD_LOAD),
            (loads && then_stores, Ordered::LOAD_STORE),
            (stores && then_loads, Ordered::STORE_LOAD),
            (stores && then_stores, Ordered::STORE_STORE),
        ];
        let pairs = pairs.into_iter().filter(|(is, _)| *is);
        Some(pairs.fold(Ordered::NOTHING, |all, (_, pair)| all.and(pair)))
    }

    fn fences(&self) -> &'static [FenceRow] {
        &FENCES
    }

    fn dependent(&self, line: &LineKind, on: &str, free: &str) -> Option<(Vec<String>, LineKind)> {
        let LineKind::Riscv(instr) = line else {
            return None;
        };
        let mut instr = instr.clone();
        let (Instr::Load { addr, .. } | Instr::Store { addr, .. } | Instr::Update { addr, .. }) =
            &mut instr
        else {
            return None;
        };
        let base = std::mem::replace(&mut addr.base.text, free.to_string());
        let before = vec![
            format!("xor {free},{on},{on}"),
            format!("add {free},{free},{base}"),
        ];
        Some((before, LineKind::Riscv(instr)))
    }

    fn registers(&self) -> Vec<String> {
        (9..32).map(|n| format!("x{n}")).collect()
    }
}
