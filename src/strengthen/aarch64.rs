//! AArch64: `LDAPR`, `LDAR`, `STLR`, the atomic instructions of ARMv8.1, `DMB`.

use super::machine::{FenceRow, MachineAccess, OrderingInstructions};
use super::place::{Ordered, PlaceKind};
use crate::front::litmus::ast::aarch64::{
    Address, Fence, Instr, LoadOrder, Ordered as Reach, UpdateOrder,
};
use crate::front::litmus::ast::{LineKind, Machine, Name};

/// See the head of this file.
pub(super) struct Aarch64;

static FENCES: [FenceRow; 3] = [
    FenceRow {
        text: "DMB ISHLD",
        ordered: Ordered::LOAD_LOAD.and(Ordered::LOAD_STORE),
        cost: 4001,
    },
    FenceRow {
        text: "DMB ISHST",
        ordered: Ordered::STORE_STORE,
        cost: 4001,
    },
    FenceRow {
        text: "DMB ISH",
        ordered: Ordered::FULL,
        cost: 10_004,
    },
];

/// Whether an address is a register alone, as instructions that acquire or release want it.
fn is_plain(addr: &Address) -> bool {
    addr.offset.is_none() && addr.update.is_none()
}

/// The orders of a read-modify-write; one whose target is gone does not acquire.
fn update_orders(acquires: bool) -> Vec<(UpdateOrder, Ordered, u32)> {
    let order = |acquire, release| UpdateOrder { acquire, release };
    let both = Ordered::ACQUIRE.and(Ordered::RELEASE);
    let all = [
        (order(false, false), Ordered::NOTHING, 0),
        (order(true, false), Ordered::ACQUIRE, 1002),
        (order(false, true), Ordered::RELEASE, 2002),
        (order(true, true), both, 3003),
    ];
    let all = all.into_iter();
    all.filter(|(order, ..)| acquires || !order.acquire)
        .collect()
}

impl OrderingInstructions for Aarch64 {
    fn machine(&self) -> Machine {
        Machine::Aarch64
    }

    fn access(&self, line: &LineKind) -> Option<MachineAccess> {
        let LineKind::Aarch64(instr) = line else {
            return None;
        };
        let own = |ordered| vec![(line.clone(), ordered, 0)];
        let forms = |all: Vec<(Instr, Ordered, u32)>| {
            let all = all.into_iter();
            all.map(|(instr, ordered, cost)| (LineKind::Aarch64(instr), ordered, cost))
                .collect()
        };
        Some(match instr {
            Instr::Load {
                dst,
                addr,
                signed,
                order,
                exclusive,
                ..
            } => {
                let with = |to: LoadOrder| {
                    let mut instr = instr.clone();
                    if let Instr::Load { order, .. } = &mut instr {
                        *order = to;
                    }
                    instr
                };
                let both = Ordered::ACQUIRE_PC.and(Ordered::ACQUIRE);
                let none = (with(LoadOrder::None), Ordered::NOTHING, 0);
                let acquire = (with(LoadOrder::Acquire), both, 1002);
                let pc = (with(LoadOrder::AcquirePc), Ordered::ACQUIRE_PC, 1001);
                MachineAccess {
                    kind: PlaceKind::Load,
                    target: (!dst.zero).then(|| dst.name.text.clone()),
                    reserves: *exclusive,
                    forms: match (exclusive, is_plain(addr) && !signed) {
                        (true, true) => forms(vec![none, acquire]),
                        (false, true) => forms(vec![none, pc, acquire]),
                        _ if *order == LoadOrder::None => own(Ordered::NOTHING),
                        _ => own(both),
                    },
                }
            }
            Instr::Store { addr, release, .. } => {
                let with = |to: bool| {
                    let mut instr = instr.clone();
                    if let Instr::Store { release, .. } = &mut instr {
                        *release = to;
                    }
                    instr
                };
                MachineAccess {
                    kind: PlaceKind::Store,
                    target: None,
                    reserves: false,
                    forms: match is_plain(addr) {
                        true => forms(vec![
                            (with(false), Ordered::NOTHING, 0),
                            (with(true), Ordered::RELEASE, 2002),
                        ]),
                        false if *release => own(Ordered::RELEASE),
                        false => own(Ordered::NOTHING),
                    },
                }
            }
            Instr::Update { .. } | Instr::CompareSwap { .. } => {
                let with = |to: UpdateOrder| {
                    let mut instr = instr.clone();
                    if let Instr::Update { order, .. } | Instr::CompareSwap { order, .. } =
                        &mut instr
                    {
                        *order = to;
                    }
                    instr
                };
                let target = match instr {
                    Instr::Update { dst, .. } => dst.as_ref(),
                    Instr::CompareSwap { expected, .. } => Some(expected),
                    _ => None,
                };
                let target = target.filter(|dst| !dst.zero);
                let orders = update_orders(target.is_some()).into_iter();
                let all = orders.map(|(order, ordered, cost)| (with(order), ordered, cost));
                MachineAccess {
                    kind: PlaceKind::Update,
                    target: target.map(|dst| dst.name.text.clone()),
                    reserves: false,
                    forms: forms(all.collect()),
                }
            }
            _ => return None,
        })
    }

    fn fence(&self, line: &LineKind) -> Option<Ordered> {
        match line {
            LineKind::Aarch64(Instr::Fence(Fence::Isb)) => Some(Ordered::OTHER),
            // Behind `DSB ST` everything waits for the stores.
            LineKind::Aarch64(Instr::Fence(Fence::Dsb(Reach::Stores))) => {
                Some(Ordered::STORE_LOAD.and(Ordered::STORE_STORE))
            }
            LineKind::Aarch64(Instr::Fence(Fence::Dmb(of) | Fence::Dsb(of))) => Some(match of {
                Reach::Full => Ordered::FULL.and(Ordered::OTHER),
                Reach::Loads => FENCES[0].ordered.and(Ordered::OTHER),
                Reach::Stores => FENCES[1].ordered,
            }),
            _ => None,
        }
    }

    fn fences(&self) -> &'static [FenceRow] {
        &FENCES
    }

    fn dependent(&self, line: &LineKind, on: &str, free: &str) -> Option<(Vec<String>, LineKind)> {
        let LineKind::Aarch64(instr) = line else {
            return None;
        };
        let mut instr = instr.clone();
        let (Instr::Load { addr, .. }
        | Instr::Store { addr, .. }
        | Instr::Update { addr, .. }
        | Instr::CompareSwap { addr, .. }) = &mut instr
        else {
            return None;
        };
        if !is_plain(addr) {
            return None;
        }
        let base = std::mem::replace(
            &mut addr.base,
            Name {
                text: free.to_string(),
                span: addr.span,
            },
        );
        let before = vec![
            format!("EOR {free},{on},{on}"),
            format!("ADD {free},{free},{base}"),
        ];
        Some((before, LineKind::Aarch64(instr)))
    }

    fn registers(&self) -> Vec<String> {
        (9..29).map(|n| format!("X{n}")).collect()
    }
}
