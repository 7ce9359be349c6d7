//! What a mapping does to a litmus test as JSON: one object a test and target.
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version`, `input`, `model`, `exit_code` | as for programs; `model` is that of the machine |
//! | `source` | the memory model of the source |
//! | `verdict` | `SOUND`, `UNDEFINED`, `VIOLATED` or `UNKNOWN` |
//! | `flags` | of `UNDEFINED`: the marks that the source's model gives it |
//! | `states` | of `VIOLATED`: final states that the source forbids, a list of `{place, value}` each |
//! | `reason` | of `UNKNOWN`: a sentence |
//! | `compiled` | the compiled test |
//!
//! A `place` is `0:r1`, a name of a thread of the source, or `[x]`, a location.

use crate::driver::compile_check::{CompileOutcome, CompileVerdict, State};
use serde_json::{Value, json};

/// The object, with a final line break.
pub fn outcome(
    input: &str,
    (source, target): (&str, &str),
    outcome: &CompileOutcome,
    exit_code: u8,
) -> String {
    let verdict = match &outcome.verdict {
        CompileVerdict::Sound => "SOUND",
        CompileVerdict::Undefined(_) => "UNDEFINED",
        CompileVerdict::Violated(_) => "VIOLATED",
        CompileVerdict::Unknown(_) => "UNKNOWN",
    };
    let mut object = super::begin(input, target, verdict, exit_code);
    object["source"] = source.into();
    object["compiled"] = outcome.compiled.text.as_str().into();
    match &outcome.verdict {
        CompileVerdict::Sound => {}
        CompileVerdict::Undefined(flags) => object["flags"] = json!(flags),
        CompileVerdict::Violated(states) => object["states"] = states.iter().map(state).collect(),
        CompileVerdict::Unknown(why) => object["reason"] = why.as_str().into(),
    }
    object.to_string() + "\n"
}

fn state(state: &State) -> Value {
    let each = state.iter();
    each.map(|(place, value)| json!({ "place": place.to_string(), "value": value }))
        .collect()
}
