//! RISC-V: fences by the pairs they order, dependencies, and `amoswap` for an atomic exchange.

use super::weak::{self, Spelling};
use super::{Access, Arch, Code, NoRegister, PLAIN_DEPENDENCIES};
use crate::front::litmus::ast::Machine;
use crate::generate::edge::{Dep, Fence};

/// The architecture.
pub struct Riscv;

static FENCES: [Fence; 6] = [
    Fence::new(0, "Fence.w.w", "fence w,w"),
    Fence::new(1, "Fence.r.r", "fence r,r"),
    Fence::new(2, "Fence.r.rw", "fence r,rw"),
    Fence::new(3, "Fence.rw.w", "fence rw,w"),
    Fence::new(4, "Fence.tso", "fence.tso"),
    Fence::new(5, "Fence.rw.rw", "fence rw,rw"),
];

static SPELLING: Spelling = Spelling {
    machine: Machine::Riscv,
    registers: 5..32,
    name: "x{r}",
    load: "lw x{r},0(x{a})",
    store: "sw x{r},0(x{a})",
    number: "ori x{r},x0,{v}",
    zero: "xor x{r},x{x},x{x}",
    add: "ori x{r},x{r},{v}",
    indexed_load: "add x{x},x{a},x{x}\nlw x{r},0(x{x})",
    indexed_store: "add x{x},x{a},x{x}\nsw x{r},0(x{x})",
    branch: "bne x{x},x0,{l}\n{l}:",
    exchange: "amoswap.w x{r},x{x},(x{a})",
};

impl Arch for Riscv {
    fn name(&self) -> &'static str {
        "RISCV"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &PLAIN_DEPENDENCIES
    }

    fn has_exchange(&self) -> bool {
        true
    }

    fn thread(&self, accesses: &[Access], labels: &mut u32) -> Result<Code, NoRegister> {
        weak::thread(&SPELLING, accesses, labels)
    }
}
