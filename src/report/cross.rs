//! The answers of several engines about one system, side by side.
//!
//! ```text
//! engine         processes  steps  verdict                seconds
//! parameterized  any        any    SAFE                     0.020
//! machine        2          any    SAFE                     0.001
//! bounded        2          6      SAFE up to bound         0.014
//! agreement
//! ```

use super::system;
use super::text::{Detail, Style};
use super::words::counted;
use crate::driver::cross::{CrossAnswer, CrossEngine, CrossOutcome, CrossRun, CrossVerdict};
use std::fmt::Write as _;

/// Lines of a certificate that are shown.
const LINES: usize = 40;

/// The whole block, with a final line break.
pub fn outcome(input: &str, outcome: &CrossOutcome, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{input} ({})\n", outcome.model),
        false => String::new(),
    };
    if style.detail != Detail::Quiet {
        out += "engine         processes  steps  verdict           seconds\n";
        for answer in &outcome.answers {
            let any = |n: Option<u32>| n.map_or("any".to_string(), |n| n.to_string());
            let (verdict, more) = verdict(answer);
            let _ = writeln!(
                out,
                "{:13}  {:9}  {:5}  {verdict:16}  {:7.3}{}{more}",
                name(answer.engine),
                any(answer.processes.map(u32::from)),
                any(answer.steps),
                answer.seconds,
                if more.is_empty() { "" } else { "  " },
            );
        }
    }
    if outcome.disagreements.is_empty() {
        out += match outcome.is_decided() {
            true => "agreement\n",
            false => "agreement, as far as it is decided\n",
        };
    }
    for found in &outcome.disagreements {
        let _ = writeln!(out, "DISAGREEMENT: {}", found.reason);
        let (one, other) = (found.one, found.other);
        evidence(&mut out, outcome, one);
        if one != other {
            evidence(&mut out, outcome, other);
        }
    }
    out
}

/// Why an engine says what it says.
fn evidence(out: &mut String, outcome: &CrossOutcome, at: usize) {
    let answer = &outcome.answers[at];
    let number = match answer.processes {
        Some(n) => format!(" with {}", counted(n.into(), "process", "processes")),
        None => String::new(),
    };
    let (word, more) = verdict(answer);
    let more = if more.is_empty() {
        more
    } else {
        format!(": {more}")
    };
    let _ = writeln!(out, "  {}{number} says {word}{more}", name(answer.engine));
    match &answer.verdict {
        CrossVerdict::Unsafe(run) => *out += &shown(run),
        CrossVerdict::Safe if answer.engine == CrossEngine::Parameterized => {
            let proof = outcome.certificate.as_deref().unwrap_or_default();
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

fn shown(run: &CrossRun) -> String {
    match &run.run {
        Some(run) => system::run(run),
        None => {
            let calls = run.calls.iter().enumerate();
            calls
                .map(|(i, call)| format!("  {:>3}. {call}\n", i + 1))
                .collect()
        }
    }
}

/// The name of an engine.
pub fn name(engine: CrossEngine) -> &'static str {
    match engine {
        CrossEngine::Parameterized => "parameterized",
        CrossEngine::Machine => "machine",
        CrossEngine::Bounded => "bounded",
        CrossEngine::Instructions => "instructions",
    }
}

/// The verdict in a word, and what there is to say of it.
fn verdict(answer: &CrossAnswer) -> (&'static str, String) {
    match &answer.verdict {
        CrossVerdict::Safe => ("SAFE", String::new()),
        CrossVerdict::SafeUpToBound(bound) => ("SAFE up to bound", bound.clone()),
        CrossVerdict::Unsafe(run) => {
            let count = run.calls.len();
            let count = match answer.engine {
                CrossEngine::Instructions => counted(count, "instruction", "instructions"),
                _ => counted(count, "transition", "transitions"),
            };
            ("UNSAFE", count)
        }
        CrossVerdict::Unknown(reason) => ("UNKNOWN", reason.clone()),
    }
}
