//! What published models say of registers.
//!
//! A model whose text begins with `catdep` computes dependencies from what happens inside of instructions:
//! reads and writes of registers, and what they pass to each other. Executions do not have these events; they
//! come with the dependencies, as the front end followed them. So what is made of registers has no value, and
//! where such a text defines the name of a dependency, that is the execution's own, or what the built-in names
//! of the machine make of those.

use super::{CatValue, Compiler};
use crate::model::{Rel, Set};
use crate::syntax::ast::ChainOp;
use base::source::Span;

impl Compiler<'_> {
    /// The value of a chain in which something is of registers: none, unless it is empty in any case.
    pub(super) fn registers(&self, op: ChainOp, values: &[(CatValue, Span)]) -> Option<CatValue> {
        let mut all = values.iter().map(|(v, _)| v);
        if !all.clone().any(|v| matches!(v, CatValue::Registers)) {
            return None;
        }
        let empty = |v: &CatValue| match v {
            CatValue::Zero => true,
            CatValue::Rel(r) => self.build.rels[*r] == Rel::Empty,
            CatValue::Set(s) => self.build.sets[*s] == Set::Empty,
            _ => false,
        };
        let vanishes = match op {
            ChainOp::Seq | ChainOp::Inter => all.any(empty),
            ChainOp::Diff => values.first().is_some_and(|(v, _)| empty(v)),
            ChainOp::Union | ChainOp::Add => false,
        };
        Some(match vanishes {
            true => CatValue::Zero,
            false => CatValue::Registers,
        })
    }

    /// What a name stands for that is made of registers: a dependency of the execution, or nothing known.
    pub(super) fn dependency(&self, name: &str) -> CatValue {
        match self.find(name, self.built_in) {
            Some(CatValue::Rel(known)) => CatValue::Rel(*known),
            _ => CatValue::Registers,
        }
    }
}
