//! Answers to litmus tests as JSON: one object a test, model and engine, one line each.
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version`, `input`, `model`, `exit_code`, `stats` | as for programs |
//! | `test`, `arch` | the test's name and instruction set |
//! | `engine` | `sat` or `enumerate` |
//! | `quantifier`, `condition` | `exists`, `~exists` or `forall`, and what it is about |
//! | `code` | as for programs |
//! | `verdict` | `OK` when the answer is the one the test claims, `NO`, or `UNKNOWN` |
//! | `observation` | `Sometimes`, `Never`, `Always`: how often the condition holds; `null` if unknown |
//! | `complete` | false when a loop reaches its bound or a limit passed |
//! | `flags` | marks that the model gives to some execution |
//! | `positive`, `negative` | final states in which the condition holds, and fails; executions, if counted |
//! | `states` | `{state, holds, executions}` for each; `state` maps observables to values as herd7 writes them |
//! | `reason` | of `UNKNOWN`: a sentence |
//! | `expected`, `agrees` | what was expected, and whether this is it |
//! | `execution`, `weakness` | a witness, as for programs |

use super::{Execution, Stats, Weak, execution, stats, weakness};
use crate::base::code::Code;
use crate::check::litmus::{Finding, Seen};
use crate::ir::litmus::Quantifier;
use crate::report::{codes, herd, text};
use std::collections::BTreeMap;

/// What an answer is about.
#[derive(Clone, Copy)]
pub struct About<'a> {
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

#[derive(serde::Serialize)]
struct Object<'a> {
    tool: &'static str,
    version: &'static str,
    input: &'a str,
    test: &'a str,
    arch: &'a str,
    model: &'a str,
    engine: &'static str,
    quantifier: &'static str,
    condition: &'a str,
    verdict: &'static str,
    code: Option<&'static str>,
    exit_code: u8,
    observation: Option<&'static str>,
    complete: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positive: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    negative: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Vec<State>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<Execution<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weakness: Option<Weak<'a>>,
    stats: Stats<'a>,
}

#[derive(serde::Serialize)]
struct State {
    state: BTreeMap<String, String>,
    holds: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    executions: Option<u64>,
}

/// An answer.
pub fn finding(about: &About, finding: &Finding, exit_code: u8) -> String {
    let test = about.subject.test;
    let known = finding.unknown.is_none();
    let verdict = match (known, herd::is_as_claimed(test, finding)) {
        (false, _) => "UNKNOWN",
        (true, true) => "OK",
        (true, false) => "NO",
    };
    let states = finding.states.as_ref().map(|states| {
        let state = |(values, seen): (&Vec<u64>, &Seen)| {
            let shown = test.final_condition.shown.iter().zip(values);
            let pair = |(o, v): (&_, &u64)| {
                let value = herd::value(&about.subject, *o, *v);
                (herd::label(test, *o), value)
            };
            State {
                state: shown.map(pair).collect(),
                holds: seen.holds,
                executions: seen.executions,
            }
        };
        states.iter().map(state).collect()
    });
    let sources = about.subject.sources;
    let object = Object {
        tool: "wmbmc",
        version: env!("CARGO_PKG_VERSION"),
        input: about.input,
        test: &test.name,
        arch: &test.machine,
        model: &finding.model,
        engine: about.engine,
        quantifier: match test.final_condition.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        },
        condition: &test.final_condition.text,
        verdict,
        code: code(about, finding, exit_code).map(Code::id),
        exit_code,
        observation: known.then(|| herd::observation(finding)),
        complete: finding.is_complete(),
        flags: finding.flags.clone(),
        positive: finding.counts().map(|(positive, _)| positive),
        negative: finding.counts().map(|(_, negative)| negative),
        states,
        reason: finding.unknown.as_ref().map(text::unknown),
        expected: about.expected,
        agrees: about.agrees,
        execution: finding.witness.as_ref().map(|w| execution(sources, w)),
        weakness: finding.witness.as_ref().and_then(|w| weakness(sources, w)),
        stats: stats(&finding.stats, finding.unknown.as_ref()),
    };
    // The object holds nothing that JSON cannot.
    serde_json::to_string(&object).expect("strings, numbers and lists are JSON") + "\n"
}

/// What an answer with this exit code reports.
fn code(about: &About, finding: &Finding, exit_code: u8) -> Option<Code> {
    match (about.agrees, &finding.unknown, exit_code) {
        (Some(false), ..) => Some(Code::Disagreement),
        (_, Some(reason), _) => Some(codes::of_unknown(reason)),
        (_, None, 10) => Some(Code::RefutedClaim),
        (_, None, _) if !finding.loops_at_bound.is_empty() => Some(Code::BoundReached),
        _ => None,
    }
}
