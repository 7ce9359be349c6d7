//! The answer to a litmus test on a model, by an engine.

use super::execution::{Execution, WeakExecution};
use super::statistics::Statistics;
use super::word::{TOOL, VERSION, Word};
use crate::check::litmus::{Finding, Seen};
use crate::report::{codes, herd, words};
use base::code::Code;
use ir::litmus::Quantifier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an answer is about.
#[derive(Clone, Copy)]
pub struct AboutLitmus<'a> {
    /// The test's path.
    pub input: &'a str,
    /// The test.
    pub subject: herd::Subject<'a>,
    /// Which engine answered.
    pub engine: &'static str,
    /// What others say the observation is.
    pub expected: Option<&'a str>,
    /// Whether this is the same; `None` when nothing was expected or nothing is known.
    pub agrees: Option<bool>,
}

/// The answer to a litmus test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LitmusAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// The test's name.
    pub test: String,
    /// Its instruction set.
    pub arch: String,
    /// Short name of the memory model.
    pub model: String,
    /// `sat` or `enumerate`.
    pub engine: Word,
    /// `exists`, `~exists` or `forall`.
    pub quantifier: Word,
    /// What that is about.
    pub condition: String,
    /// `OK` when the answer is the one the test claims, `NO`, or `UNKNOWN`.
    pub verdict: Word,
    /// The kind of what is reported, if anything is.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// `Sometimes`, `Never`, `Always`: how often the condition holds.
    pub observation: Option<Word>,
    /// No loop reaches its bound and no limit has passed.
    pub complete: bool,
    /// Marks that the model gives to some execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// Whether the executions and the final states are those of sequential consistency, where that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robust: Option<RobustAnswer>,
    /// Final states in which the condition holds; executions, if counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<u64>,
    /// Those in which it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative: Option<u64>,
    /// The final states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<FinalState>>,
    /// Of `UNKNOWN`: why, a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Whether this is it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
    /// A witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// Why the witness is weak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weakness: Option<WeakExecution>,
    /// The measurements.
    pub stats: Statistics,
}

/// Whether a test is robust; `null` where that is not decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RobustAnswer {
    /// Its executions are those of sequential consistency.
    pub executions: Option<bool>,
    /// Its final states are.
    pub states: Option<bool>,
}

/// A final state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalState {
    /// From observables to values, as herd7 writes them.
    pub state: BTreeMap<String, String>,
    /// The condition holds in it.
    pub holds: bool,
    /// Executions that end in it, if counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
}

impl LitmusAnswer {
    /// The answer that a finding is.
    pub fn new(about: &AboutLitmus, finding: &Finding, exit_code: u8) -> LitmusAnswer {
        let test = about.subject.test;
        let sources = about.subject.sources;
        let known = finding.unknown.is_none();
        let witness = finding.witness.as_ref();
        LitmusAnswer {
            tool: TOOL,
            version: VERSION,
            input: about.input.to_string(),
            test: test.name.clone(),
            arch: test.machine.clone(),
            model: finding.model.clone(),
            engine: about.engine.into(),
            quantifier: Word::Borrowed(match test.final_condition.quantifier {
                Quantifier::Exists => "exists",
                Quantifier::NotExists => "~exists",
                Quantifier::Forall => "forall",
            }),
            condition: test.final_condition.text.clone(),
            verdict: Word::Borrowed(match (known, herd::is_as_claimed(test, finding)) {
                (false, _) => "UNKNOWN",
                (true, true) => "OK",
                (true, false) => "NO",
            }),
            code: code(about, finding, exit_code),
            exit_code,
            observation: known.then(|| herd::observation(finding).into()),
            complete: finding.is_complete(),
            flags: finding.flags.clone(),
            robust: finding.robust.map(|robust| RobustAnswer {
                executions: robust.executions,
                states: robust.states,
            }),
            positive: finding.counts().map(|(positive, _)| positive),
            negative: finding.counts().map(|(_, negative)| negative),
            states: states(about, finding),
            reason: finding.unknown.as_ref().map(words::unknown),
            expected: about.expected.map(str::to_string),
            agrees: about.agrees,
            execution: witness.map(|w| Execution::of(sources, w)),
            weakness: witness.and_then(|w| WeakExecution::of(sources, w)),
            stats: Statistics::of(&finding.stats, finding.unknown.as_ref()),
        }
    }
}

fn states(about: &AboutLitmus, finding: &Finding) -> Option<Vec<FinalState>> {
    let test = about.subject.test;
    let states = finding.states.as_ref()?.iter();
    let state = |(values, seen): (&Vec<u64>, &Seen)| {
        let shown = test.final_condition.shown.iter().zip(values);
        let pair = |(o, v): (&_, &u64)| {
            let value = herd::value(&about.subject, *o, *v);
            (herd::label(test, *o), value)
        };
        FinalState {
            state: shown.map(pair).collect(),
            holds: seen.holds,
            executions: seen.executions,
        }
    };
    Some(states.map(state).collect())
}

/// What an answer with this exit code reports.
fn code(about: &AboutLitmus, finding: &Finding, exit_code: u8) -> Option<Code> {
    match (about.agrees, &finding.unknown, exit_code) {
        (Some(false), ..) => Some(Code::Disagreement),
        (_, Some(reason), _) => Some(codes::of_unknown(reason)),
        (_, None, 10) => Some(Code::RefutedClaim),
        (_, None, _) if !finding.loops_at_bound.is_empty() => Some(Code::BoundReached),
        _ => None,
    }
}
