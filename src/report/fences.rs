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

use super::abstraction::run;
use super::text::{Detail, Style};
use crate::driver::abstraction::{
    AbstractionVerdict, FenceOutcome, FencePlacement, Minimality, PlacedFence,
};
use std::fmt::Write as _;

/// The whole block, with a final line break.
pub fn fences(input: &str, model: &str, outcome: &FenceOutcome, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{input} ({model})\n"),
        false => String::new(),
    };
    match outcome {
        FenceOutcome::Placed(placement) => out += &placed(placement, style),
        FenceOutcome::NotEnough { fences, verdict } => {
            let found = match verdict {
                AbstractionVerdict::Unsafe { .. } => "UNSAFE",
                AbstractionVerdict::Safe | AbstractionVerdict::Unknown { .. } => "UNKNOWN",
            };
            let everywhere = match fences {
                0 => "there is no place for a fence".to_string(),
                n => format!("with {n} full fences, one at each place that there is"),
            };
            let _ = writeln!(out, "{found}: {everywhere}");
            if style.detail != Detail::Quiet {
                let _ = writeln!(out, "{}", failure(verdict));
            }
        }
    }
    out
}

fn placed(placement: &FencePlacement, style: Style) -> String {
    let count = placement.fences.len();
    let mut out = format!("SAFE with {}", counted(count, "full fence"));
    let sites = placement.sites;
    if sites > 0 {
        let _ = write!(out, ", of {}", counted(sites, "place"));
    }
    let violated = "there is always a violation";
    let fewer = match (placement.minimality, placement.buffer) {
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
    out += &placement.diff;
    for change in &placement.by_hand {
        let _ = writeln!(out, "no line of its own: {change}");
    }
    for fence in &placement.fences {
        let _ = writeln!(out, "without {}: {}", named(fence), failure(&fence.without));
    }
    if style.stats {
        let _ = writeln!(out, "proofs       {} tried", placement.checked);
        let _ = writeln!(
            out,
            "violations   {} that others follow from",
            placement.runs
        );
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
fn named(fence: &PlacedFence) -> String {
    let (place, text) = (&fence.place, &fence.text);
    match fence.exists {
        true => format!("the fence at {place} `{text}`"),
        false => format!("a fence after {place} `{text}`"),
    }
}

/// Why there is no proof, on lines without the last break.
fn failure(verdict: &AbstractionVerdict) -> String {
    match verdict {
        AbstractionVerdict::Unsafe { property, steps } => {
            let text = format!(
                "`{property}` is violated (integers are mathematical)\n{}",
                run(steps)
            );
            text.trim_end().to_string()
        }
        AbstractionVerdict::Unknown { reason, .. } => format!("there is no proof: {reason}"),
        AbstractionVerdict::Safe => "there is a proof, too".into(),
    }
}
