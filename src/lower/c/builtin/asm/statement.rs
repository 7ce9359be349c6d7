//! An assembly statement while it is lowered: its operands and registers.

use crate::front::litmus::operand::{OperandPlace, TemplateOperand};
use crate::lower::c::Place;
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
pub(super) struct Statement {
    pub(super) span: Span,
    /// `[name]` of each operand.
    pub(super) names: Vec<Option<String>>,
    pub(super) operands: Vec<Bound>,
    /// Registers of the machine that constraints or declarations of variables ask for, by their names.
    pub(super) registers: BTreeMap<String, LocalId>,
}

impl Statement {
    /// The registers of operands that no output shares.
    pub(super) fn inputs(&self) -> impl Iterator<Item = LocalId> {
        let is_output = |local: &LocalId| {
            let mut operands = self.operands.iter();
            operands.any(|o| matches!(o, Bound::Register(l, _, Some(_)) if l == local))
        };
        let registers = self.operands.iter().filter_map(|o| match o {
            Bound::Register(local, _, None) => Some(*local),
            _ => None,
        });
        registers.filter(move |local| !is_output(local))
    }

    /// The operands as instructions see them.
    pub(super) fn described(&self) -> Vec<TemplateOperand> {
        let operands = self.names.iter().zip(&self.operands);
        operands
            .map(|(name, bound)| {
                let (place, width) = match bound {
                    Bound::Register(_, width, _) => (OperandPlace::Register, Some(*width)),
                    Bound::Memory(_, width) => (OperandPlace::Memory, *width),
                    Bound::Flag(..) => (OperandPlace::Flag, None),
                };
                TemplateOperand {
                    name: name.clone(),
                    place,
                    width,
                }
            })
            .collect()
    }
}
