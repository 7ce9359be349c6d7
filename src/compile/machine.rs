//! How the machines write everything but accesses and fences: numbers, arithmetic, branches, addresses.
//!
//! Placeholders as in [`super::mapping`], and `{x}`, `{y}` for the operands.

use super::mapping::Target;
use crate::front::litmus::ast;
use std::ops::Range;

/// How a machine writes an instruction.
pub(super) struct Machine {
    /// In the first line of a litmus test.
    pub name: &'static str,
    /// In the syntax.
    pub set: ast::Machine,
    /// Its registers, as numbers.
    pub registers: Range<u8>,
    /// A register that holds a value.
    pub value: fn(u8) -> String,
    /// A register that holds an address; conditions and initial states name all registers so.
    pub address: fn(u8) -> String,
    /// A number to a register.
    pub number: &'static str,
    /// From register to register.
    pub copy: &'static str,
    /// Sum, difference, conjunction, disjunction, exclusive disjunction.
    pub arithmetic: [&'static str; 5],
    /// An address and a number.
    pub index: &'static str,
    /// Jumps if two registers are equal, if they are not, and in any case.
    pub jumps: [&'static str; 3],
    /// Locations are named in operands.
    pub has_names: bool,
}

const X86_REGISTERS: [&str; 7] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP"];

fn x86(n: u8) -> String {
    let name = X86_REGISTERS.get(usize::from(n));
    name.copied().unwrap_or("ESP").to_string()
}

static TSO: Machine = Machine {
    name: "X86",
    set: ast::Machine::X86,
    registers: 0..7,
    value: x86,
    address: x86,
    number: "MOV {r},${x}",
    copy: "MOV {r},{x}",
    arithmetic: [
        "MOV {r},{x}\nADD {r},{y}",
        "MOV {r},{x}\nSUB {r},{y}",
        "MOV {r},{x}\nAND {r},{y}",
        "MOV {r},{x}\nOR {r},{y}",
        "MOV {r},{x}\nXOR {r},{y}",
    ],
    index: "MOV {r},{x}\nADD {r},{y}",
    jumps: ["CMP {x},{y}\nJE {l}", "CMP {x},{y}\nJNE {l}", "JMP {l}"],
    has_names: true,
};

static POWER: Machine = Machine {
    name: "PPC",
    set: ast::Machine::Ppc,
    // The number 0 in an address is not the register.
    registers: 1..32,
    value: |n| format!("r{n}"),
    address: |n| format!("r{n}"),
    number: "li {r},{x}",
    copy: "mr {r},{x}",
    arithmetic: [
        "add {r},{x},{y}",
        "subf {r},{y},{x}",
        "and {r},{x},{y}",
        "or {r},{x},{y}",
        "xor {r},{x},{y}",
    ],
    index: "add {r},{x},{y}",
    jumps: ["cmpw {x},{y}\nbeq {l}", "cmpw {x},{y}\nbne {l}", "b {l}"],
    has_names: false,
};

static AARCH64: Machine = Machine {
    name: "AArch64",
    set: ast::Machine::Aarch64,
    registers: 0..30,
    value: |n| format!("W{n}"),
    address: |n| format!("X{n}"),
    number: "MOV {r},#{x}",
    copy: "MOV {r},{x}",
    arithmetic: [
        "ADD {r},{x},{y}",
        "SUB {r},{x},{y}",
        "AND {r},{x},{y}",
        "ORR {r},{x},{y}",
        "EOR {r},{x},{y}",
    ],
    index: "ADD {a},{b},{y},SXTW",
    jumps: ["CMP {x},{y}\nB.EQ {l}", "CMP {x},{y}\nB.NE {l}", "B {l}"],
    has_names: false,
};

static RISCV: Machine = Machine {
    name: "RISCV",
    set: ast::Machine::Riscv,
    registers: 5..32,
    value: |n| format!("x{n}"),
    address: |n| format!("x{n}"),
    number: "li {r},{x}",
    copy: "mv {r},{x}",
    arithmetic: [
        "addw {r},{x},{y}",
        "subw {r},{x},{y}",
        "and {r},{x},{y}",
        "or {r},{x},{y}",
        "xor {r},{x},{y}",
    ],
    index: "add {r},{x},{y}",
    jumps: ["beq {x},{y},{l}", "bne {x},{y},{l}", "j {l}"],
    has_names: false,
};

/// How a machine is written.
pub(super) fn of(target: Target) -> &'static Machine {
    match target {
        Target::Tso => &TSO,
        Target::Power => &POWER,
        Target::Aarch64 => &AARCH64,
        Target::Riscv => &RISCV,
    }
}
