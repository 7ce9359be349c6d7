//! The answers of several engines about one system as JSON: one object a system and model.
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version`, `input`, `model`, `exit_code` | as for programs |
//! | `verdict` | `AGREEMENT`, `DISAGREEMENT`, or `UNKNOWN` when some answer is and no two contradict each other |
//! | `answers` | the answers, see below |
//! | `code` | as for programs |
//! | `disagreements` | pairs of answers that are not both right: `{answers, reason}`, by their positions |
//! | `certificate` | the proof of the parameterized engine as text, where answers disagree |
//!
//! An answer is `{engine, processes, steps, verdict, reason, seconds}`: `engine` is `parameterized`,
//! `machine`, `bounded`, or `instructions` of an x86 program; `processes` and `steps` (transitions of
//! each process, or how often loops are unwound) are `null` where they are not limited. Of `UNSAFE` it has `transitions`, a list of calls, and `run` and `final` as for
//! systems, unless the machine cannot follow the transitions.

use super::system::add_run;
use crate::base::code::Code;
use crate::driver::cross::{CrossAnswer, CrossOutcome, CrossVerdict};
use crate::report::cross::name;
use serde_json::{Value, json};

/// The object, with a final line break.
pub fn outcome(input: &str, outcome: &CrossOutcome, exit_code: u8) -> String {
    let verdict = match outcome.disagreements.is_empty() {
        false => "DISAGREEMENT",
        true if outcome.is_decided() => "AGREEMENT",
        true => "UNKNOWN",
    };
    let disagreements = outcome.disagreements.iter().map(|d| {
        json!({
            "answers": [d.one, d.other],
            "reason": d.reason,
        })
    });
    let mut object = json!({
        "tool": "wmbmc",
        "version": env!("CARGO_PKG_VERSION"),
        "input": input,
        "model": outcome.model,
        "verdict": verdict,
        "code": match verdict {
            "AGREEMENT" => None,
            "UNKNOWN" => Some(Code::SearchGivesUp.id()),
            _ => Some(Code::Disagreement.id()),
        },
        "exit_code": exit_code,
        "answers": outcome.answers.iter().map(answer).collect::<Value>(),
        "disagreements": disagreements.collect::<Value>(),
    });
    if let (Some(proof), false) = (&outcome.certificate, outcome.disagreements.is_empty()) {
        object["certificate"] = proof.as_str().into();
    }
    object.to_string() + "\n"
}

fn answer(answer: &CrossAnswer) -> Value {
    let mut object = json!({
        "engine": name(answer.engine),
        "processes": answer.processes,
        "steps": answer.steps,
        "seconds": answer.seconds,
    });
    let (verdict, reason) = match &answer.verdict {
        CrossVerdict::Safe => ("SAFE", None),
        CrossVerdict::SafeUpToBound(bound) => ("SAFE_UP_TO_BOUND", Some(bound)),
        CrossVerdict::Unsafe(_) => ("UNSAFE", None),
        CrossVerdict::Unknown(reason) => ("UNKNOWN", Some(reason)),
    };
    object["verdict"] = verdict.into();
    if let Some(reason) = reason {
        object["reason"] = reason.as_str().into();
    }
    if let CrossVerdict::Unsafe(found) = &answer.verdict {
        if let Some(run) = &found.run {
            let processes = object["processes"].take();
            add_run(&mut object, run);
            object["processes"] = processes;
        }
        object["transitions"] = found.calls.clone().into();
    }
    object
}
