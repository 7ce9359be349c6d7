//! AArch64: `W` registers for values, barriers, dependencies, and `SWP` for an atomic exchange.

use super::weak::{self, Spelling};
use super::{Access, Arch, Code, NoRegister};
use crate::front::litmus::ast::Machine;
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
    machine: Machine::Aarch64,
    registers: 0..30,
    name: "X{r}",
    load: "LDR W{r},[X{a}]",
    store: "STR W{r},[X{a}]",
    number: "MOV W{r},#{v}",
    zero: "EOR W{r},W{x},W{x}",
    add: "ADD W{r},W{r},#{v}",
    indexed_load: "LDR W{r},[X{a},W{x},SXTW]",
    indexed_store: "STR W{r},[X{a},W{x},SXTW]",
    branch: "CBNZ W{x},{l}\n{l}:",
    exchange: "SWP W{x},W{r},[X{a}]",
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
