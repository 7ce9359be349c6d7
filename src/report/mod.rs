//! Outcomes to bytes. A printer decides nothing: what it says stands in the
//! [`CheckResult`](crate::check::outcome::CheckResult) it is given.
//!
//! [`text`] is for people, [`json`] for programs, [`herd`] for litmus tests and herd7's users, [`dot`] draws the execution, [`stats`] counts.
//! [`c`] writes a litmus test as a C program. [`words`] holds what they share: how a value, a place, a thread and an event are named, and the
//! sentences that say why an execution is weak.

pub mod c;
pub mod columns;
pub mod dot;
pub mod herd;
pub mod json;
pub mod stats;
pub mod svcomp;
pub mod system;
pub mod table;
pub mod text;
pub mod words;

use crate::base::source::SourceMap;
use crate::check::outcome::CheckResult;
use crate::driver::outcome::ProgramOutcome;
use crate::ir::program::PropertyKind;

/// What an outcome is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The files that were read.
    pub sources: &'a SourceMap,
    /// The program's path as the user gave it.
    pub input: &'a str,
    /// The model's full name.
    pub model_title: &'a str,
    /// The largest number of times any loop was allowed to be unwound.
    pub unwind: u32,
    /// Assertions that the program has.
    pub assertions: usize,
    /// Somebody has named the kinds of property to check.
    pub chosen: bool,
}

impl<'a> Subject<'a> {
    /// What the outcome for a C program is about.
    pub fn of(sources: &'a SourceMap, input: &'a str, outcome: &'a ProgramOutcome) -> Subject<'a> {
        Subject {
            sources,
            input,
            model_title: &outcome.model_title,
            unwind: outcome.unwind,
            assertions: outcome.assertions,
            chosen: outcome.chosen,
        }
    }

    /// More is checked than usual, as the program does not say itself what must not happen.
    fn lacks_assertions(&self) -> bool {
        !self.chosen && self.assertions == 0
    }

    /// The kinds of property that are not checked, without assertions where there are none.
    fn unchecked(&self, outcome: &CheckResult) -> Vec<PropertyKind> {
        let checked = |kind: &PropertyKind| outcome.properties.iter().any(|(k, _)| k == kind);
        let mut kinds = PropertyKind::ALL.to_vec();
        kinds.retain(|k| !checked(k) && (*k != PropertyKind::Assertion || self.assertions > 0));
        kinds
    }
}

#[cfg(test)]
mod sample;
