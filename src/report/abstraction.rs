//! The answer of predicate abstraction.
//!
//! ```text
//! UNSAFE
//! `X != Y` is violated (integers are mathematical)
//!     1. one     example.c:7   X = Y + 1       buffered: one: X = 1
//! ```

use super::text::{Detail, Style};
use crate::driver::abstraction::{AbstractionOutcome, AbstractionStep, AbstractionVerdict};
use std::fmt::Write as _;

/// The whole block, with a final line break.
pub fn outcome(input: &str, outcome: &AbstractionOutcome, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{input} ({})\n", outcome.model),
        false => String::new(),
    };
    let word = match &outcome.verdict {
        AbstractionVerdict::Unknown { reason, .. } => format!("UNKNOWN: {reason}"),
        decided => word(decided).to_string(),
    };
    out += &match (&outcome.verdict, style.color) {
        (_, false) => word,
        (AbstractionVerdict::Safe, _) => format!("\x1b[1;32m{word}\x1b[0m"),
        (AbstractionVerdict::Unsafe { .. }, _) => format!("\x1b[1;31m{word}\x1b[0m"),
        (AbstractionVerdict::Unknown { .. }, _) => format!("\x1b[1;33m{word}\x1b[0m"),
    };
    out.push('\n');
    if style.detail != Detail::Quiet {
        out += &explanation(outcome);
    }
    if style.stats {
        out += &measurements(outcome);
    }
    out
}

/// The word for a verdict.
pub fn word(verdict: &AbstractionVerdict) -> &'static str {
    match verdict {
        AbstractionVerdict::Safe => "SAFE",
        AbstractionVerdict::Unsafe { .. } => "UNSAFE",
        AbstractionVerdict::Unknown { .. } => "UNKNOWN",
    }
}

fn explanation(outcome: &AbstractionOutcome) -> String {
    let mut out = String::new();
    match &outcome.verdict {
        AbstractionVerdict::Safe => {
            out += "for integers without bounds, loops without end";
            if let Some(bound) = outcome.buffer {
                let entries = if bound == 1 { "entry" } else { "entries" };
                let _ = write!(
                    out,
                    ", and store buffers of any size (none has more than {bound} {entries})"
                );
            }
            out.push('\n');
        }
        AbstractionVerdict::Unsafe { property, steps } => {
            let _ = writeln!(out, "`{property}` is violated (integers are mathematical)");
            out += &run(steps);
        }
        AbstractionVerdict::Unknown { step, .. } => {
            if let Some(step) = step {
                let _ = writeln!(
                    out,
                    "its first step that cannot follow the ones before:\n  {step}"
                );
            }
        }
    }
    if !outcome.discovered.is_empty() {
        let _ = writeln!(out, "predicates found: {}", outcome.discovered.len());
        for p in &outcome.discovered {
            let _ = writeln!(out, "  {p}");
        }
    }
    out
}

/// A run, a step a line.
pub(super) fn run(steps: &[AbstractionStep]) -> String {
    let mut out = String::new();
    let who = width(steps.iter().map(|s| s.thread.len()));
    let place = width(steps.iter().map(|s| s.place.len()));
    for (i, step) in steps.iter().enumerate() {
        let text = line(step);
        let _ = writeln!(
            out,
            "{:>4}. {:who$}  {:place$}  {}",
            i + 1,
            step.thread,
            step.place,
            text.trim_end()
        );
    }
    out
}

fn width(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.max().unwrap_or_default()
}

fn line(step: &AbstractionStep) -> String {
    let values = |all: &[(String, String)]| {
        let all = all.iter().map(|(x, v)| format!("{x} = {v}"));
        all.collect::<Vec<_>>().join(", ")
    };
    let mut text = match step.flush {
        true => "(store buffer to memory)".to_string(),
        false => step.text.clone(),
    };
    if !step.changes.is_empty() {
        let _ = write!(text, "   {}", values(&step.changes));
    }
    let buffered = step.buffers.iter();
    let buffered = buffered.map(|(t, entries)| format!("{t}: {}", values(entries)));
    let buffered: Vec<String> = buffered.collect();
    if !buffered.is_empty() {
        let _ = write!(text, "   [buffered: {}]", buffered.join("; "));
    }
    text
}

fn measurements(outcome: &AbstractionOutcome) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "predicates   {} ({} given, {} found)",
        outcome.predicates.len(),
        outcome.given,
        outcome.discovered.len()
    );
    if let Some(lifted) = outcome.lifted {
        let _ = writeln!(out, "extrapolated {lifted} cubes");
    }
    let _ = writeln!(
        out,
        "cubes        {} of several literals, at most {}",
        outcome.cubes, outcome.cube_size
    );
    let _ = writeln!(
        out,
        "queries      {} ({} enumerations cached)",
        outcome.counts.queries, outcome.counts.cached
    );
    let _ = writeln!(out, "building     {:.2} s", outcome.build_seconds);
    let _ = writeln!(out, "states       {}", outcome.states);
    let _ = writeln!(out, "exploration  {:.2} s", outcome.search_seconds);
    out
}
