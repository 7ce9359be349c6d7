//! Operands of inline assembly, as the parsers of instructions see them.

/// What an operand of a statement is.
#[derive(Clone, Debug)]
pub struct TemplateOperand {
    /// `[name]`
    pub name: Option<String>,
    /// Where it is.
    pub place: OperandPlace,
    /// Its bits, if it has the size of a register.
    pub width: Option<u8>,
}

/// Where an operand of a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum OperandPlace {
    Register,
    Memory,
    /// It is a flag, which no instruction names.
    Flag,
}

/// The name of an operand in the syntax.
pub fn operand_name(index: usize) -> String {
    format!("%{index}")
}
