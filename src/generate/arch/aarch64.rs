//! AArch64: `W` registers for values, barriers, dependencies, and `SWP` for an atomic exchange.

use super::weak::{self, Spelling};
use super::{Access, Arch, Code, NoRegister};
use crate::generate::edge::{Dep, Fence, Through};

/// The architecture.
pub struct Aarch64;

static FENCES: [Fence; 4] = [
    Fence {
        rank: 0,
        name: "DMB.ST",
        instruction: "DMB ST",
        cumulative: true,
    },
    Fence {
        rank: 1,
        name: "DMB.LD",
        instruction: "DMB LD",
        cumulative: true,
    },
    Fence {
        rank: 2,
        name: "DMB.SY",
        instruction: "DMB SY",
        cumulative: true,
    },
    Fence {
        rank: 3,
        name: "ISB",
        instruction: "ISB",
        cumulative: false,
    },
];

static DEPS: [Dep; 4] = [
    Dep {
        rank: 0,
        name: "CtrlIsb",
        through: Through::Control,
        fence: Some(&FENCES[3]),
    },
    Dep {
        rank: 1,
        name: "Ctrl",
        through: Through::Control,
        fence: None,
    },
    Dep {
        rank: 2,
        name: "Data",
        through: Through::Data,
        fence: None,
    },
    Dep {
        rank: 3,
        name: "Addr",
        through: Through::Address,
        fence: None,
    },
];

static SPELLING: Spelling = Spelling {
    registers: 0..30,
    name: |n| format!("X{n}"),
    load: |to, at| format!("LDR W{to},[X{at}]"),
    store: |from, at| format!("STR W{from},[X{at}]"),
    number: |to, n| format!("MOV W{to},#{n}"),
    zero: |to, on| format!("EOR W{to},W{on},W{on}"),
    add: |to, n| format!("ADD W{to},W{to},#{n}"),
    indexed: |stores, register, at, index| {
        let mnemonic = if stores { "STR" } else { "LDR" };
        vec![format!("{mnemonic} W{register},[X{at},W{index},SXTW]")]
    },
    branch: |on, label| format!("CBNZ W{on},{label}"),
    exchange: |to, value, at| format!("SWP W{value},W{to},[X{at}]"),
};

impl Arch for Aarch64 {
    fn name(&self) -> &'static str {
        "AArch64"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &DEPS
    }

    fn has_exchange(&self) -> bool {
        true
    }

    fn thread(&self, accesses: &[Access], labels: &mut u32) -> Result<Code, NoRegister> {
        weak::thread(&SPELLING, accesses, labels)
    }
}
