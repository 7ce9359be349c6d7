//! What an outcome is about.

use crate::check::outcome::CheckResult;
use crate::driver::client::ShownHistory;
use crate::driver::outcome::ProgramOutcome;
use base::diag::Diag;
use base::source::SourceMap;
use ir::program::PropertyKind;

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
    /// It looks at its arguments, and was checked with few and short ones alone.
    pub bounded_arguments: bool,
    /// What is taken for granted about what is not in the program, a sentence each.
    pub assumptions: &'a [String],
    /// What the author probably did not mean.
    pub warnings: &'a [Diag],
    /// The user has named the kinds of property to check.
    pub chosen: bool,
    /// To the model a program with a data race has no meaning.
    pub races_undefined: bool,
    /// Of an x86 program: how many threads it is checked for.
    pub threads: Option<u32>,
    /// Of a violation by what the calls of a client return: the calls.
    pub history: Option<&'a ShownHistory>,
    /// How many clients it is about, where there are several.
    pub clients: usize,
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
            bounded_arguments: outcome.bounded_arguments,
            assumptions: &outcome.assumptions,
            warnings: &[],
            chosen: outcome.chosen,
            races_undefined: outcome.races_undefined,
            threads: outcome.threads,
            history: outcome.history.as_ref(),
            clients: outcome.harnesses,
        }
    }

    /// More is checked than usual, as the program does not say itself what must not happen.
    pub(super) fn lacks_assertions(&self) -> bool {
        !self.chosen && self.assertions == 0
    }

    /// What is said holds of a program without data races only, and it was not asked whether this is one.
    pub(super) fn assumes_no_race(&self, outcome: &CheckResult) -> bool {
        let checked = outcome.properties.iter().map(|(kind, _)| *kind);
        self.races_undefined && !checked.clone().any(|kind| kind == PropertyKind::Race)
    }

    /// The kinds of property that are not checked, without assertions where there are none.
    pub(super) fn unchecked(&self, outcome: &CheckResult) -> Vec<PropertyKind> {
        if self.threads.is_some() {
            return Vec::new();
        }
        let checked = |kind: &PropertyKind| outcome.properties.iter().any(|(k, _)| k == kind);
        let mut kinds = PropertyKind::ALL.to_vec();
        kinds.retain(|k| !checked(k) && (*k != PropertyKind::Assertion || self.assertions > 0));
        kinds
    }
}
