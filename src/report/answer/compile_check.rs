//! What a mapping does to a litmus test.

use super::word::{TOOL, VERSION, Word};
use crate::driver::compile_check::{CompileOutcome, CompileVerdict, State};
use serde::Serialize;

/// What a mapping does to a litmus test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CompileCheckAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// The memory model of the machine.
    pub model: String,
    /// The memory model of the source.
    pub source: String,
    /// `SOUND`, `UNDEFINED`, `VIOLATED` or `UNKNOWN`.
    pub verdict: Word,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// Of `UNDEFINED`: the marks that the source's model gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flags: Option<Vec<String>>,
    /// Of `VIOLATED`: final states that the source forbids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<Vec<ObservedPlace>>>,
    /// Of `UNKNOWN`: why, a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The compiled test.
    pub compiled: String,
}

/// A part of a final state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ObservedPlace {
    /// `0:r1`, a name of a thread of the source, or `[x]`, a location.
    pub place: String,
    /// Its value.
    pub value: i32,
}

impl CompileCheckAnswer {
    /// The answer that an outcome is, for the models of the source and of the machine.
    pub fn new(
        input: &str,
        (source, target): (&str, &str),
        outcome: &CompileOutcome,
        exit_code: u8,
    ) -> CompileCheckAnswer {
        let mut answer = CompileCheckAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: target.to_string(),
            source: source.to_string(),
            verdict: Word::Borrowed("SOUND"),
            exit_code,
            flags: None,
            states: None,
            reason: None,
            compiled: outcome.compiled.text.clone(),
        };
        match &outcome.verdict {
            CompileVerdict::Sound => {}
            CompileVerdict::Undefined(flags) => {
                answer.verdict = Word::Borrowed("UNDEFINED");
                answer.flags = Some(flags.clone());
            }
            CompileVerdict::Violated(states) => {
                answer.verdict = Word::Borrowed("VIOLATED");
                answer.states = Some(states.iter().map(state).collect());
            }
            CompileVerdict::Unknown(why) => {
                answer.verdict = Word::Borrowed("UNKNOWN");
                answer.reason = Some(why.clone());
            }
        }
        answer
    }
}

fn state(state: &State) -> Vec<ObservedPlace> {
    let each = state.iter().map(|(place, value)| ObservedPlace {
        place: place.to_string(),
        value: *value,
    });
    each.collect()
}
