//! What memory orders cost on machines.
//!
//! The tables are weights, not cycles: they rank what the published mappings (`compile::mapping`) make of an
//! order by the barriers in it. A half barrier that is part of an access counts 1 to 3, one by itself 4, a full
//! one 10. What is the same instruction costs the same but for the weaker order, which is the better one where
//! nothing else tells.

use ir::program::MemoryOrder;
use ir::sites::SiteKind;

/// The machines that there are costs for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Machine {
    /// No machine: stronger orders cost more, and fences more than accesses.
    #[default]
    Any,
    /// `mov`, `xchg`, `lock`, `mfence`.
    X86,
    /// `ldar`, `stlr`, `swpal`, `dmb`.
    Aarch64,
    /// `lwsync`, `isync` behind a branch, `sync`.
    Power,
    /// `fence`, `.aq`, `.rl`.
    Riscv,
}

/// Relaxed, acquire, release, acq_rel, seq_cst; what an operation cannot have is not looked at.
type Row = [u32; 5];

/// The costs of a machine.
struct Table {
    load: Row,
    store: Row,
    update: Row,
    fence: Row,
}

const ANY: Table = Table {
    load: [0, 1, 1, 1, 3],
    store: [0, 1, 1, 1, 3],
    update: [0, 1, 1, 2, 3],
    fence: [0, 4, 4, 5, 10],
};

const X86: Table = Table {
    load: [0, 0, 0, 0, 0],
    store: [0, 0, 0, 0, 10],
    update: [0, 0, 0, 0, 0],
    fence: [0, 0, 0, 0, 10],
};

const AARCH64: Table = Table {
    load: [0, 1, 1, 1, 1],
    store: [0, 2, 2, 2, 2],
    update: [0, 1, 2, 3, 3],
    fence: [0, 4, 10, 10, 10],
};

const POWER: Table = Table {
    load: [0, 3, 3, 3, 13],
    store: [0, 4, 4, 4, 10],
    update: [0, 3, 4, 7, 13],
    fence: [0, 4, 4, 4, 10],
};

const RISCV: Table = Table {
    load: [0, 4, 4, 4, 14],
    store: [0, 4, 4, 4, 8],
    update: [0, 1, 1, 2, 2],
    fence: [0, 4, 4, 8, 10],
};

impl Machine {
    /// What an order costs at a site: stronger ones always more.
    pub fn cost(self, kind: SiteKind, order: MemoryOrder) -> u32 {
        let table = match self {
            Machine::Any => ANY,
            Machine::X86 => X86,
            Machine::Aarch64 => AARCH64,
            Machine::Power => POWER,
            Machine::Riscv => RISCV,
        };
        let row = match kind {
            SiteKind::Load | SiteKind::Failure => table.load,
            SiteKind::Store => table.store,
            SiteKind::Update | SiteKind::Success => table.update,
            SiteKind::Fence => table.fence,
        };
        let (column, rank) = match order {
            MemoryOrder::Relaxed => (0, 1),
            MemoryOrder::Acquire => (1, 2),
            MemoryOrder::Release => (2, 2),
            MemoryOrder::AcqRel => (3, 3),
            MemoryOrder::SeqCst => (4, 4),
            _ => (0, 0),
        };
        1000 * row[column] + rank
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::sites::is_at_most;

    #[test]
    fn stronger_orders_cost_more() {
        let machines = [
            Machine::Any,
            Machine::X86,
            Machine::Aarch64,
            Machine::Power,
            Machine::Riscv,
        ];
        let kinds = [
            SiteKind::Load,
            SiteKind::Store,
            SiteKind::Update,
            SiteKind::Success,
            SiteKind::Failure,
            SiteKind::Fence,
        ];
        for (machine, kind) in machines.iter().flat_map(|m| kinds.map(|k| (*m, k))) {
            for a in kind.orders() {
                for b in kind
                    .orders()
                    .iter()
                    .filter(|b| a != *b && is_at_most(*a, **b))
                {
                    let (a, b) = (machine.cost(kind, *a), machine.cost(kind, *b));
                    assert!(a < b, "{machine:?} {kind:?}");
                }
            }
        }
    }
}
