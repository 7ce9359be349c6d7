//! AArch64: `W` registers for values, barriers, dependencies, and `SWP` for an atomic exchange.

use super::weak::{self, Spelling};
use super::{Access, Arch, Code, NoRegister};
use crate::front::litmus::ast::Machine;
use crate::generate::edge::{Dep, Fence, Through};

/// The architecture.
pub struct Aarch64;

static FENCES: [Fence; 4] = [
    Fence::new(0, "DMB.ST", "DMB ST"),
    Fence::new(1, "DMB.LD", "DMB LD"),
    Fence::new(2, "DMB.SY", "DMB SY"),
    Fence::new(3, "ISB", "ISB").local(),
];

static DEPS: [Dep; 4] = [
    Dep::new(0, "CtrlIsb", Through::Control).with(&FENCES[3]),
    Dep::new(1, "Ctrl", Through::Control),
    Dep::new(2, "Data", Through::Data),
    Dep::new(3, "Addr", Through::Address),
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
