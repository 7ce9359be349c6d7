//! The answers of several engines about one system, side by side.
//!
//! ```text
//! engine         processes  steps  verdict                seconds
//! parameterized  any        any    SAFE                     0.020
//! machine        2          any    SAFE                     0.001
//! bounded        2          6      SAFE up to bound         0.014
//! agreement
//! ```

use super::answer::cross::{EngineAnswer, EnginesAnswer};
use super::answer::word::AnswerVerdict;
use super::system;
use super::text::{Detail, Style};
use super::words::counted;
use crate::driver::cross::CrossEngine;
use std::fmt::Write as _;

/// Lines of a certificate that are shown.
const LINES: usize = 40;

/// The whole block, with a final line break.
pub fn text(answer: &EnginesAnswer, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{} ({})\n", answer.input, answer.model),
        false => String::new(),
    };
    if style.detail != Detail::Quiet {
        out += "engine         processes  steps  verdict           seconds\n";
        for one in &answer.answers {
            let any = |n: Option<u32>| n.map_or("any".to_string(), |n| n.to_string());
            let more = more(one);
            let _ = writeln!(
                out,
                "{:13}  {:9}  {:5}  {:16}  {:7.3}{}{more}",
                one.engine.name(),
                any(one.processes.map(u32::from)),
                any(one.steps),
                one.verdict.in_text(),
                one.seconds,
                if more.is_empty() { "" } else { "  " },
            );
        }
    }
    out += match answer.verdict {
        "AGREEMENT" => "agreement\n",
        "UNKNOWN" => "agreement, as far as it is decided\n",
        _ => "",
    };
    for found in &answer.disagreements {
        let _ = writeln!(out, "DISAGREEMENT: {}", found.reason);
        let [one, other] = found.answers;
        evidence(&mut out, answer, one);
        if one != other {
            evidence(&mut out, answer, other);
        }
    }
    out
}

/// Why an engine says what it says.
fn evidence(out: &mut String, answer: &EnginesAnswer, at: usize) {
    let one = &answer.answers[at];
    let number = match one.processes {
        Some(n) => format!(" with {}", counted(n.into(), "process", "processes")),
        None => String::new(),
    };
    let mut more = more(one);
    if !more.is_empty() {
        more.insert_str(0, ": ");
    }
    let (name, word) = (one.engine.name(), one.verdict.in_text());
    let _ = writeln!(out, "  {name}{number} says {word}{more}");
    match (one.verdict, one.engine) {
        (AnswerVerdict::Unsafe, _) => *out += &shown(one),
        (AnswerVerdict::Safe, CrossEngine::Parameterized) => {
            let proof = answer.certificate.as_deref().unwrap_or_default();
            for line in proof.lines().take(LINES) {
                let _ = writeln!(out, "      {line}");
            }
            if proof.lines().count() > LINES {
                let _ = writeln!(out, "      …");
            }
        }
        _ => {}
    }
}

fn shown(answer: &EngineAnswer) -> String {
    if let (Some(run), Some(end)) = (&answer.run, &answer.end) {
        return system::run(run, end);
    }
    system::numbered(answer.transitions.as_deref().unwrap_or_default())
}

/// What there is to say of a verdict.
fn more(answer: &EngineAnswer) -> String {
    let Some(transitions) = &answer.transitions else {
        return answer.reason.clone().unwrap_or_default();
    };
    match answer.engine {
        CrossEngine::Instructions => counted(transitions.len(), "instruction", "instructions"),
        CrossEngine::Program => "an execution of the program".to_string(),
        _ => counted(transitions.len(), "transition", "transitions"),
    }
}
