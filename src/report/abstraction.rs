//! The answer of predicate abstraction.
//!
//! ```text
//! UNSAFE
//! `X != Y` is violated (integers are mathematical)
//!     1. one     example.c:7   X = Y + 1       buffered: one: X = 1
//! ```

use super::answer::abstraction::{
    AbstractionAnswer, AbstractionEvidence, BufferedStep, NamedNumber,
};
use super::answer::word::AnswerVerdict;
use super::text::{Detail, Style, paint};
use std::fmt::Write as _;

/// The whole block, with a final line break.
pub fn text(answer: &AbstractionAnswer, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{} ({})\n", answer.input, answer.model),
        false => String::new(),
    };
    let reason = answer.evidence.reason.as_ref();
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    let line = format!("{}{reason}", answer.verdict.in_text());
    out += &paint(&line, answer.verdict, style.color);
    out.push('\n');
    if style.detail != Detail::Quiet {
        out += &explanation(answer);
    }
    if style.stats {
        out += &measurements(answer);
    }
    out
}

fn explanation(answer: &AbstractionAnswer) -> String {
    let mut out = String::new();
    if answer.verdict == AnswerVerdict::Safe {
        out += "for integers without bounds, loops without end";
        if let Some(bound) = answer.buffer {
            let entries = if bound == 1 { "entry" } else { "entries" };
            let _ = write!(
                out,
                ", and store buffers of any size (none has more than {bound} {entries})"
            );
        }
        out.push('\n');
    }
    out += &violation(&answer.evidence).unwrap_or_default();
    if let Some(step) = &answer.evidence.step {
        let _ = writeln!(
            out,
            "its first step that cannot follow the ones before:\n  {step}"
        );
    }
    if !answer.discovered.is_empty() {
        let _ = writeln!(out, "predicates found: {}", answer.discovered.len());
        for p in &answer.discovered {
            let _ = writeln!(out, "  {p}");
        }
    }
    out
}

/// What is violated, and the run that does it, a step a line.
pub(super) fn violation(evidence: &AbstractionEvidence) -> Option<String> {
    let (property, steps) = (evidence.property.as_ref()?, evidence.steps.as_ref()?);
    let mut out = format!("`{property}` is violated (integers are mathematical)\n");
    let places: Vec<String> = steps.iter().map(|s| s.span.location()).collect();
    let who = width(steps.iter().map(|s| s.thread.len()));
    let place = width(places.iter().map(String::len));
    for (i, (step, at)) in steps.iter().zip(&places).enumerate() {
        let text = line(step);
        let _ = writeln!(
            out,
            "{:>4}. {:who$}  {at:place$}  {}",
            i + 1,
            step.thread,
            text.trim_end()
        );
    }
    Some(out)
}

fn width(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.max().unwrap_or_default()
}

fn line(step: &BufferedStep) -> String {
    let values = |all: &[NamedNumber]| {
        let all = all.iter().map(|v| format!("{} = {}", v.name, v.value));
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
    let buffered = buffered.map(|b| format!("{}: {}", b.thread, values(&b.entries)));
    let buffered: Vec<String> = buffered.collect();
    if !buffered.is_empty() {
        let _ = write!(text, "   [buffered: {}]", buffered.join("; "));
    }
    text
}

fn measurements(answer: &AbstractionAnswer) -> String {
    let mut out = String::new();
    let stats = &answer.stats;
    let _ = writeln!(
        out,
        "predicates   {} ({} given, {} found)",
        stats.predicates,
        stats.given,
        answer.discovered.len()
    );
    if let Some(lifted) = stats.lifted {
        let _ = writeln!(out, "extrapolated {lifted} cubes");
    }
    let _ = writeln!(
        out,
        "cubes        {} of several literals, at most {}",
        stats.cubes, stats.cube_size
    );
    let _ = writeln!(
        out,
        "queries      {} ({} enumerations cached)",
        stats.queries, stats.cached
    );
    let _ = writeln!(out, "building     {:.2} s", stats.seconds.build);
    let _ = writeln!(out, "states       {}", stats.states);
    let _ = writeln!(out, "exploration  {:.2} s", stats.seconds.search);
    out
}
