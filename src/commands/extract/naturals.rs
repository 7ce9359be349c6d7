//! Numbers that are never negative: as mathematical integers those of an unsigned type are what they are in a
//! wider one only then.
//!
//! While expressions are read it is noted which variables have to be; whether they are is seen from what is
//! assigned to them, when all threads have been extracted.

use super::unsupported::{Unsupported, unsupported};
use crate::commands::arith::{Linear, VarId};
use crate::commands::program::{Program, Update};
use base::source::Span;
use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What is refused of one that may be negative.
pub const UNSIGNED: &str = "an unsigned number in a program with nondeterministic values";

/// The variables that must not be negative, and where that matters.
#[derive(Default)]
pub struct Naturals {
    wanted: RefCell<BTreeMap<VarId, Span>>,
    /// Parameters that are anything when their thread begins.
    pub open: BTreeSet<VarId>,
}

impl Naturals {
    /// A value must not be negative.
    ///
    /// # Errors
    /// It may be by its form.
    pub fn want(&self, value: &Linear, span: Span) -> Result<(), Unsupported> {
        let variables = parts(value).ok_or_else(|| unsupported(span, UNSIGNED))?;
        let mut wanted = self.wanted.borrow_mut();
        for x in variables {
            wanted.entry(x).or_insert(span);
        }
        Ok(())
    }

    /// Whether all are natural numbers that have to be.
    ///
    /// # Errors
    /// One may be negative.
    pub fn check(self, program: &Program) -> Result<(), Unsupported> {
        let mut wanted = self.wanted.into_inner();
        let mut work: Vec<VarId> = wanted.keys().copied().collect();
        while let Some(x) = work.pop() {
            if program.own_numbers.contains(&x) {
                continue;
            }
            let span = wanted[&x];
            let refused = || unsupported(span, UNSIGNED);
            let begins_below = program.vars[x].initial.is_some_and(|n| n < 0);
            if begins_below || self.open.contains(&x) {
                return Err(refused());
            }
            let steps = program.threads.iter().flat_map(|thread| &thread.steps);
            for update in steps.filter_map(|step| step.update(x)) {
                let Update::Set(value) = update else {
                    return Err(refused());
                };
                for y in parts(value).ok_or_else(refused)? {
                    if let Entry::Vacant(new) = wanted.entry(y) {
                        new.insert(span);
                        work.push(y);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The variables of a sum that is not negative unless one of them is.
fn parts(value: &Linear) -> Option<impl Iterator<Item = VarId>> {
    let is_positive = value.constant >= 0 && value.terms.values().all(|factor| *factor >= 0);
    is_positive.then(|| value.terms.keys().copied())
}
