//! Operands and labels of inline assembly, as the parsers of instructions see them.

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

/// A label of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateLabel {
    /// As it is written.
    pub written: String,
    /// As jumps of the syntax have it.
    pub name: String,
}

/// An instruction of a template, or labels at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateLine {
    /// The labels in front of it.
    pub labels: Vec<TemplateLabel>,
    /// `lock` stands before it, on a line of its own.
    pub lock: bool,
    /// The instruction as it is written; empty where there is none.
    pub text: String,
}

impl TemplateLine {
    /// Whether a label stands before it, by its name in the syntax.
    pub(super) fn has_label(&self, name: &str) -> bool {
        self.labels.iter().any(|l| l.name == name)
    }
}
