//! RISC-V: fences by the pairs they order, dependencies, and `amoswap` for an atomic exchange.

use super::weak::{self, Spelling};
use super::{Access, Arch, Code, NoRegister, PLAIN_DEPENDENCIES};
use crate::generate::edge::{Dep, Fence};

/// The architecture.
pub struct Riscv;

macro_rules! fences {
    ($($rank:literal $name:literal $instruction:literal),* $(,)?) => {
        [$(Fence { rank: $rank, name: $name, instruction: $instruction, cumulative: true }),*]
    };
}

static FENCES: [Fence; 6] = fences![
    0 "Fence.w.w" "fence w,w",
    1 "Fence.r.r" "fence r,r",
    2 "Fence.r.rw" "fence r,rw",
    3 "Fence.rw.w" "fence rw,w",
    4 "Fence.tso" "fence.tso",
    5 "Fence.rw.rw" "fence rw,rw",
];

static SPELLING: Spelling = Spelling {
    registers: 5..32,
    name: |n| format!("x{n}"),
    load: |to, at| format!("lw x{to},0(x{at})"),
    store: |from, at| format!("sw x{from},0(x{at})"),
    number: |to, n| format!("ori x{to},x0,{n}"),
    zero: |to, on| format!("xor x{to},x{on},x{on}"),
    add: |to, n| format!("ori x{to},x{to},{n}"),
    indexed: |stores, register, at, index| {
        let mnemonic = if stores { "sw" } else { "lw" };
        vec![
            format!("add x{index},x{at},x{index}"),
            format!("{mnemonic} x{register},0(x{index})"),
        ]
    },
    branch: |on, label| format!("bne x{on},x0,{label}"),
    exchange: |to, value, at| format!("amoswap.w x{to},x{value},(x{at})"),
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
