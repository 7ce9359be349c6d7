//! An assembly statement while it is lowered: its operands, registers, flags and labels.

use super::template::Line;
use crate::base::source::Span;
use crate::ir::program::{Expr, LocalId, Width};
use crate::lower::c::body::Label;
use crate::lower::c::{Lowered, Place};
use std::collections::BTreeMap;

/// Where an operand is.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// In a register of so many bits; an output goes to its place at the end.
    Register(LocalId, Width, Option<Place>),
    /// In memory, at this address, of so many bits; `None` for a structure or array.
    Memory(Expr, Option<Width>),
    /// `"=@ccz"`: a flag at the end of the statement.
    Flag(String, Place),
}

/// A statement while it is lowered.
pub(super) struct Statement<'l> {
    pub(super) span: Span,
    pub(super) lines: &'l [Line],
    pub(super) operands: Vec<Bound>,
    /// Registers by their names.
    pub(super) registers: BTreeMap<String, LocalId>,
    /// The last result was zero; of width 1.
    pub(super) zero: Option<Expr>,
    /// The last result was negative.
    pub(super) sign: Option<Expr>,
    /// The bit that was tested, or the last carry.
    pub(super) carry: Option<Expr>,
    /// `lock` stands before the next instruction.
    pub(super) locked: bool,
    /// `zero` says whether a conditional store was done.
    pub(super) stored: bool,
    /// The register that a conditional store has put its failure.
    pub(super) status: Option<LocalId>,
    /// Where each label of a line is in the body.
    pub(super) labels: Vec<(usize, String, Label)>,
}

impl Statement<'_> {
    /// True for a register operand that no output shares.
    pub(super) fn is_input(&self, operand: usize) -> bool {
        let Bound::Register(local, _, None) = &self.operands[operand] else {
            return false;
        };
        let output = |b: &Bound| matches!(b, Bound::Register(l, _, Some(_)) if l == local);
        !self.operands.iter().any(output)
    }
}

/// `None`: the instruction is not known.
pub(super) type Done = Lowered<Option<()>>;
