//! The answers of two front ends about one C program, side by side.
//!
//! ```text
//! front end  verdict           seconds
//! own        SAFE                0.020
//! clang      UNSAFE              0.051  assertion at ring.c:31:5
//! clang -O1  SAFE                0.043
//! DISAGREEMENT: own says SAFE, clang says UNSAFE
//! ```

use super::answer::fronts::{FrontEndAnswer, FrontsAnswer};
use super::text::{self, Detail, Style};
use crate::driver::fronts::FrontsOutcome;
use std::fmt::Write as _;

/// The whole block, with a final line break; the executions are those of the outcome.
pub fn text(answer: &FrontsAnswer, outcome: &FrontsOutcome, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{} ({})\n", answer.input, answer.model),
        false => String::new(),
    };
    if style.detail != Detail::Quiet {
        out += "front end  verdict           seconds\n";
        for one in &answer.fronts {
            let more = more(one);
            let _ = writeln!(
                out,
                "{:9}  {:16}  {:7.3}{}{more}",
                one.name(),
                one.verdict(),
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
    for [safe, violated] in &answer.disagreements {
        let (safe, violated) = (&answer.fronts[*safe], &answer.fronts[*violated]);
        let _ = writeln!(
            out,
            "DISAGREEMENT: {} says {}, {} says {}",
            safe.name(),
            safe.verdict(),
            violated.name(),
            violated.verdict(),
        );
    }
    let differ = !answer.disagreements.is_empty() && style.detail != Detail::Quiet;
    for (one, found) in answer.fronts.iter().zip(&outcome.answers) {
        let (Some(said), Ok((session, outcome))) = (&one.answer, &found.found) else {
            continue;
        };
        if differ && one.is_unsafe() {
            let _ = writeln!(out, "{}:", one.name());
            let style = Style {
                heading: false,
                ..style
            };
            let violation = outcome.result.violation();
            out += &text::program(session.sources(), said, violation, style);
        }
    }
    out
}

/// What there is to say of a verdict.
fn more(one: &FrontEndAnswer) -> String {
    let Some(answer) = &one.answer else {
        let refused = one.refused.as_deref().unwrap_or_default();
        return refused.lines().next().unwrap_or_default().to_string();
    };
    match (&answer.property, &answer.reason) {
        (Some(violated), _) => {
            let place = violated.span.location();
            format!("{} at {place}", violated.kind.name())
        }
        (None, Some(reason)) => reason.clone(),
        (None, None) => String::new(),
    }
}
