//! The fences that were found.
//!
//! ```text
//! SAFE with 1 full fence, at 3 places that there are; with fewer there is always a violation
//! --- a/p.c
//! +++ b/p.c
//! @@ -4,4 +4,5 @@
//! …
//! without the fence after p.c:5 `x = 1;`: `a == 1` is violated (integers are mathematical)
//!     1. f  p.c:5  x = 1;   [buffered: f: x = 1]
//! ```

use super::abstraction::violation;
use super::answer::abstraction::AbstractionEvidence;
use super::answer::fences::{FenceInSource, FencesAnswer, FencesPlaced, FoundFences};
use super::answer::word::AnswerVerdict;
use super::text::{Detail, Style};
use crate::driver::abstraction::Minimality;
use std::fmt::Write as _;

/// The whole block, with a final line break.
pub fn text(answer: &FencesAnswer, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{} ({})\n", answer.input, answer.model),
        false => String::new(),
    };
    match &answer.found {
        FoundFences::Placed(found) => out += &placed(found, answer.sites, style),
        FoundFences::NotEnough(evidence) => {
            let found = match answer.verdict {
                AnswerVerdict::Unsafe => "UNSAFE",
                _ => "UNKNOWN",
            };
            let everywhere = match answer.sites {
                0 => "there is no place for a fence".to_string(),
                n => format!("with {n} full fences, one at each place that there is"),
            };
            let _ = writeln!(out, "{found}: {everywhere}");
            if style.detail != Detail::Quiet {
                let _ = writeln!(out, "{}", failure(evidence));
            }
        }
    }
    out
}

fn placed(found: &FencesPlaced, sites: usize, style: Style) -> String {
    let count = found.fences.len();
    let mut out = format!("SAFE with {}", counted(count, "full fence"));
    if sites > 0 {
        let _ = write!(out, ", of {}", counted(sites, "place"));
    }
    let violated = "there is always a violation";
    let fewer = match (found.minimality, found.buffer) {
        _ if count == 0 => String::new(),
        (Minimality::Minimum, _) => format!("; with fewer {violated}"),
        (Minimality::FewestProved { undecided: 0 }, Some(_)) => format!(
            "; with fewer {violated}, or a store buffer has more entries than the largest bound"
        ),
        (Minimality::FewestProved { undecided }, _) => format!(
            "; with fewer none was proved ({} without a violation, too)",
            counted(undecided, "placement")
        ),
        (Minimality::Minimal, _) => "; no single one can be left out".into(),
        (Minimality::Unknown, _) => "; a limit was reached before fewer were looked at".into(),
    };
    let _ = writeln!(out, "{fewer}");
    if style.detail == Detail::Quiet {
        return out;
    }
    out += &found.diff;
    for change in &found.by_hand {
        let _ = writeln!(out, "no line of its own: {change}");
    }
    for fence in &found.fences {
        let without = failure(&fence.without.evidence);
        let _ = writeln!(out, "without {}: {without}", named(fence));
    }
    if style.stats {
        let _ = writeln!(out, "proofs       {} tried", found.checked);
        let _ = writeln!(out, "violations   {} that others follow from", found.runs);
    }
    out
}

fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// A fence by its place.
fn named(fence: &FenceInSource) -> String {
    let (place, text) = (&fence.place, &fence.text);
    match fence.exists {
        true => format!("the fence at {place} `{text}`"),
        false => format!("a fence after {place} `{text}`"),
    }
}

/// Why there is no proof, on lines without the last break.
fn failure(evidence: &AbstractionEvidence) -> String {
    match (violation(evidence), &evidence.reason) {
        (Some(text), _) => text.trim_end().to_string(),
        (None, Some(reason)) => format!("there is no proof: {reason}"),
        (None, None) => "there is a proof, too".into(),
    }
}
