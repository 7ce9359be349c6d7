//! What a litmus test shows on the machine at hand, beside what a model allows.

use super::word::{TOOL, VERSION, Word};
use crate::check::litmus::Finding;
use crate::driver::native_run::Histogram;
use crate::report::herd::{self, Subject};
use base::idx::Id;
use ir::litmus::Condition;
use ir::program::{GlobalId, ObservableId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a litmus test shows on the machine at hand, beside what a model allows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NativeRunAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// The memory model that outcomes are compared with.
    pub model: String,
    /// `ALLOWED`: every outcome is one of the model; `FORBIDDEN`: one is not; `UNKNOWN`: not all of the model's states
    /// are known, and one is none of those.
    pub verdict: Word,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// The name of the test.
    pub name: String,
    /// How often it has run.
    pub runs: u64,
    /// Seconds of the runs.
    pub seconds: f64,
    /// What was seen, by state.
    pub outcomes: Vec<SeenOutcome>,
    /// Final states that the model allows and no run has shown.
    pub unseen: Vec<String>,
}

/// A final state that was seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SeenOutcome {
    /// As herd7 prints it: `0:EAX=0; [x]=1;`.
    pub state: String,
    /// In how many runs.
    pub count: u64,
    /// The condition of the test holds.
    pub holds: bool,
    /// The model allows it; none where that is not known.
    pub allowed: Option<bool>,
}

impl NativeRunAnswer {
    /// The answer that a histogram is, beside what was found on the model.
    pub fn new(
        input: &str,
        subject: &Subject,
        histogram: &Histogram,
        finding: &Finding,
    ) -> NativeRunAnswer {
        let test = subject.test;
        let query = &test.final_condition;
        let address = |id: GlobalId| subject.statics[id];
        let holds = |state: &[u64], condition: &Condition| {
            let value = |o: ObservableId| state[o.index()];
            condition.holds(&value, &address, &test.program)
        };
        let is_complete = finding.is_complete();
        let states = finding.states.clone().unwrap_or_default();
        let mut unseen: BTreeSet<&Vec<u64>> = states.keys().collect();
        let mut all: BTreeMap<Vec<u64>, SeenOutcome> = BTreeMap::new();
        for (state, count) in &histogram.outcomes {
            if query.filter.as_ref().is_some_and(|f| !holds(state, f)) {
                continue;
            }
            let shown = query.shown.iter().map(|o| state[o.index()]);
            let shown: Vec<u64> = shown.collect();
            let is_known = states.contains_key(&shown);
            unseen.remove(&shown);
            let outcome = all.entry(shown.clone()).or_insert_with(|| SeenOutcome {
                state: herd::line(subject, &shown),
                count: 0,
                holds: holds(state, &query.condition),
                allowed: (is_known || is_complete).then_some(is_known),
            });
            outcome.count += count;
        }
        let outcomes: Vec<SeenOutcome> = all.into_values().collect();
        let is = |allowed| outcomes.iter().any(|o| o.allowed == allowed);
        let (verdict, exit_code) = match (is(Some(false)), is(None)) {
            (true, _) => ("FORBIDDEN", 10),
            (false, true) => ("UNKNOWN", 5),
            (false, false) => ("ALLOWED", 0),
        };
        NativeRunAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: finding.model.clone(),
            verdict: Word::Borrowed(verdict),
            exit_code,
            name: test.name.clone(),
            runs: histogram.outcomes.values().sum(),
            seconds: histogram.seconds,
            outcomes,
            unseen: unseen.into_iter().map(|s| herd::line(subject, s)).collect(),
        }
    }
}
