//! The answers of several engines about one system on a model, and whether they agree.

use super::system::{RunStep, steps};
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::driver::cross::{CrossAnswer, CrossEngine, CrossOutcome, CrossVerdict};
use crate::driver::outcome::NamedCell;
use base::code::Code;
use serde::Serialize;

/// The answers of several engines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EnginesAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// Short name of the memory model.
    pub model: String,
    /// `AGREEMENT`, `DISAGREEMENT`, or `UNKNOWN` when some answer is and no two contradict each other.
    pub verdict: &'static str,
    /// The kind of what is reported; none of `AGREEMENT`.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// The answers.
    pub answers: Vec<EngineAnswer>,
    /// Pairs of answers that are not both right.
    pub disagreements: Vec<EnginesDisagree>,
    /// The proof of the parameterized engine as text, where answers disagree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// Two answers that are not both right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EnginesDisagree {
    /// Their positions.
    pub answers: [usize; 2],
    /// Why, a sentence.
    pub reason: String,
}

/// The answer of an engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineAnswer {
    /// `parameterized`, `machine`, `bounded`, or `instructions` of an x86 program.
    pub engine: CrossEngine,
    /// For how many processes; none where they are not limited.
    pub processes: Option<u8>,
    /// Transitions of each process, or how often loops are unwound; none where that is not limited.
    pub steps: Option<u32>,
    /// `SAFE`, `SAFE_UP_TO_BOUND`, `UNSAFE` or `UNKNOWN`.
    pub verdict: AnswerVerdict,
    /// The bound, or why there is no verdict: a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// Of `UNSAFE`: the transitions with their processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transitions: Option<Vec<String>>,
    /// Of `UNSAFE`, where the machine follows the transitions: the formula that holds at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Likewise: the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Vec<RunStep>>,
    /// Likewise: memory at the end.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    pub end: Option<Vec<NamedCell>>,
}

impl EnginesAnswer {
    /// The answer that an outcome is.
    pub fn new(input: &str, outcome: &CrossOutcome, exit_code: u8) -> EnginesAnswer {
        let agree = outcome.disagreements.is_empty();
        let (verdict, code) = match (agree, outcome.is_decided()) {
            (false, _) => ("DISAGREEMENT", Some(Code::Disagreement)),
            (true, true) => ("AGREEMENT", None),
            (true, false) => ("UNKNOWN", Some(Code::SearchGivesUp)),
        };
        let disagreements = outcome.disagreements.iter().map(|d| EnginesDisagree {
            answers: [d.one, d.other],
            reason: d.reason.clone(),
        });
        EnginesAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: outcome.model.clone(),
            verdict,
            code,
            exit_code,
            answers: outcome.answers.iter().map(engine).collect(),
            disagreements: disagreements.collect(),
            certificate: outcome.certificate.clone().filter(|_| !agree),
        }
    }
}

fn engine(answer: &CrossAnswer) -> EngineAnswer {
    let (verdict, reason) = match &answer.verdict {
        CrossVerdict::Safe => (AnswerVerdict::Safe, None),
        CrossVerdict::SafeUpToBound(bound) => (AnswerVerdict::SafeUpToBound, Some(bound)),
        CrossVerdict::Unsafe(_) => (AnswerVerdict::Unsafe, None),
        CrossVerdict::Unknown(reason) => (AnswerVerdict::Unknown, Some(reason)),
    };
    let found = match &answer.verdict {
        CrossVerdict::Unsafe(found) => Some(found),
        _ => None,
    };
    let run = found.and_then(|f| f.run.as_ref());
    EngineAnswer {
        engine: answer.engine,
        processes: answer.processes,
        steps: answer.steps,
        verdict,
        reason: reason.cloned(),
        seconds: answer.seconds,
        transitions: found.map(|f| f.calls.clone()),
        property: run.map(|r| r.property.clone()),
        run: run.map(steps),
        end: run.map(|r| r.end.clone()),
    }
}
