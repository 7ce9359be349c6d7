//! Power: addresses in registers, values by `li`, and dependencies that compute nothing: `xor` of a
//! register with itself is zero whatever was read, and comparing it with itself always branches.
//! The architecture respects both.

use super::weak::{self, Spelling};
use super::{Access, Arch, Code, NoRegister};
use crate::front::litmus::ast::Machine;
use crate::generate::edge::{Dep, Fence, Through};

/// The architecture.
pub struct Ppc;

static FENCES: [Fence; 4] = [
    Fence::new(0, "Eieio", "eieio"),
    Fence::new(1, "LwSync", "lwsync"),
    Fence::new(2, "Sync", "sync"),
    Fence::new(3, "ISync", "isync").local(),
];

static DEPS: [Dep; 4] = [
    Dep::new(0, "CtrlIsync", Through::Control).with(&FENCES[3]),
    Dep::new(1, "Ctrl", Through::Control),
    Dep::new(2, "Data", Through::Data),
    Dep::new(3, "Addr", Through::Address),
];

static SPELLING: Spelling = Spelling {
    machine: Machine::Ppc,
    registers: 1..32,
    name: "r{r}",
    load: "lwz r{r},0(r{a})",
    store: "stw r{r},0(r{a})",
    number: "li r{r},{v}",
    zero: "xor r{r},r{x},r{x}",
    add: "addi r{r},r{r},{v}",
    indexed_load: "lwzx r{r},r{x},r{a}",
    indexed_store: "stwx r{r},r{x},r{a}",
    branch: "cmpw r{x},r{x}\nbeq {l}\n{l}:",
    // There is none.
    exchange: "",
};

impl Arch for Ppc {
    fn name(&self) -> &'static str {
        "PPC"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &DEPS
    }

    fn has_exchange(&self) -> bool {
        false
    }

    fn thread(&self, accesses: &[Access], labels: &mut u32) -> Result<Code, NoRegister> {
        weak::thread(&SPELLING, accesses, labels)
    }
}
