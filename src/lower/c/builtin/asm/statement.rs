//! An assembly statement while it is lowered: its operands, registers, flags and labels.

use super::template::Line;
use crate::front::litmus::operand::operand_name;
use crate::lower::c::Place;
use crate::lower::c::body::Label;
use base::source::Span;
use ir::program::{Expr, LocalId, Width};
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
    /// `[name]` of each operand.
    pub(super) names: &'l [Option<String>],
    pub(super) operands: Vec<Bound>,
    /// Registers by their names.
    pub(super) registers: BTreeMap<String, LocalId>,
    /// The last result was zero; of width 1.
    pub(super) zero: Option<Expr>,
    /// `zero` says whether a conditional store was done.
    pub(super) stored: bool,
    /// The register that a conditional store has put its failure.
    pub(super) status: Option<LocalId>,
    /// Where each label of a line is in the body.
    pub(super) labels: Vec<(usize, String, Label)>,
    /// What the outputs that are flags have at the end, in order.
    pub(super) flags: Vec<Expr>,
}

impl Statement<'_> {
    /// True for a register operand that no output shares.
    pub(super) fn is_input(&self, register: &str) -> bool {
        let mut operands = (0..).zip(&self.operands);
        let Some((_, Bound::Register(local, _, None))) =
            operands.find(|(i, _)| operand_name(*i) == register)
        else {
            return false;
        };
        let output = |b: &Bound| matches!(b, Bound::Register(l, _, Some(_)) if l == local);
        !self.operands.iter().any(output)
    }
}
