//! Instructions of 32-bit ARM, in inline assembly and tests for `ARM`: they are read as those of AArch64 that do
//! the same, over registers of 32 bits.

use super::aarch64;
use super::ast::aarch64::Binary;
use super::ast::{LineKind, Machine};
use super::parser::{InstructionSet, Parsed, Parser, unsupported};

/// The row of the table of machines whose assembly is known.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "ARM",
    machine: Machine::Aarch64,
    register,
    instruction,
};

/// The row of the table of instruction sets of tests.
pub(super) static TESTS: InstructionSet = InstructionSet {
    name: "ARM",
    machine: Machine::Arm,
    register,
    instruction,
};

/// A register of the syntax as herd7 prints it.
pub(super) fn shown(name: &str) -> String {
    match name.strip_prefix('X').filter(|n| n.parse::<u8>().is_ok()) {
        Some(number) => format!("R{number}"),
        None => name.to_string(),
    }
}

/// What has another name on AArch64.
const NAMES: [(&str, &str); 6] = [
    ("LDREX", "LDXR"),
    ("LDAEX", "LDAXR"),
    ("STREX", "STXR"),
    ("STLEX", "STLXR"),
    ("BEQ", "B.EQ"),
    ("BNE", "B.NE"),
];

/// `X5`, for `r5`. The last three are the stack pointer, the link register and the program counter.
fn register(word: &str) -> Option<String> {
    let number: u8 = word.strip_prefix(['r', 'R'])?.parse().ok()?;
    (number < 13).then(|| format!("X{number}"))
}

fn instruction(p: &mut Parser) -> Parsed<LineKind> {
    let mnemonic = p.next();
    let name = mnemonic.text.to_ascii_uppercase();
    if name == "TEQ" {
        return aarch64::compare(p, Binary::Xor).map(LineKind::Aarch64);
    }
    let other = NAMES.iter().find(|(arm, _)| *arm == name);
    let name = other.map_or(name.as_str(), |(_, name)| name);
    aarch64::operation(p, name).unwrap_or_else(|| {
        let message = format!(
            "the instruction `{}` of 32-bit ARM is not known",
            mnemonic.text
        );
        unsupported(mnemonic.span, message)
    })
}
