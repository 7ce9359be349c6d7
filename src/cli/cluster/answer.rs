//! The answer for a part of a program as a result keeps it.
//!
//! Of a violation the satisfying assignment is kept, not the trace: the merge decodes it again, judges
//! it by the model and replays it, so nothing is believed because a file says it.

use crate::check::outcome::{
    Argument, CheckResult, LoopAtBound, PropertyStatus, Stats, UnknownReason, Verdict,
};
use crate::driver::cubes::PartOutcome;
use crate::driver::passes::PASSES;
use base::source::{FileId, Span};
use ir::bounds::Trips;
use ir::program::PropertyKind;
use serde::{Deserialize, Serialize};

/// See the head of this file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartAnswer {
    verdict: PartVerdict,
    properties: Vec<(PropertyKind, PropertyStatus)>,
    conflicts: u64,
    judged: u64,
    learnt: u64,
    seconds: Vec<(String, f64)>,
    peak_mb: u64,
    /// Another solver has said so.
    pub foreign: bool,
}

/// A verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartVerdict {
    /// No violation.
    Safe,
    /// None within the bounds of these loops.
    SafeUpToBound(Vec<Bound>),
    /// A violation: a digit for each variable of the formula.
    Unsafe(String),
    /// Not decided because of these: sentences with their places.
    Unsupported(Vec<(String, Place)>),
    /// No execution ends: likewise.
    NoEnd(Vec<(String, Place)>),
    /// Not decided in so many seconds.
    Timeout(f64),
    /// Not decided with so many MiB.
    Memory(u64),
    /// Ended by the user.
    Interrupted,
}

/// A loop at its bound.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bound {
    name: String,
    bound: u32,
    section: bool,
    #[serde(default)]
    trips: Trips,
    #[serde(default)]
    blocks: bool,
    place: Place,
}

/// A place in the files of a program: which file, and bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Place(u32, u32, u32);

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place(span.file.0, span.start, span.end)
    }
}

impl From<Place> for Span {
    fn from(Place(file, start, end): Place) -> Span {
        Span {
            file: FileId(file),
            start,
            end,
        }
    }
}

fn with_place((text, at): &(String, Span)) -> (String, Place) {
    (text.clone(), (*at).into())
}

fn with_span((text, at): &(String, Place)) -> (String, Span) {
    (text.clone(), (*at).into())
}

impl PartAnswer {
    /// What is kept of an outcome; `None` of a violation without an assignment.
    pub fn of(part: &PartOutcome, foreign: bool) -> Option<PartAnswer> {
        let result = &part.outcome.result;
        let verdict = match &result.verdict {
            Verdict::Safe => PartVerdict::Safe,
            Verdict::SafeUpToBound(loops) => {
                let bound = |l: &LoopAtBound| Bound {
                    name: l.name.clone(),
                    bound: l.bound,
                    section: l.section,
                    trips: l.trips,
                    blocks: l.blocks,
                    place: l.span.into(),
                };
                PartVerdict::SafeUpToBound(loops.iter().map(bound).collect())
            }
            Verdict::Unsafe(_) => PartVerdict::Unsafe(digits(part.assignment.as_deref()?)),
            Verdict::Unknown(UnknownReason::Unsupported(reasons)) => {
                PartVerdict::Unsupported(reasons.iter().map(with_place).collect())
            }
            Verdict::Unknown(UnknownReason::NoEnd(reasons)) => {
                PartVerdict::NoEnd(reasons.iter().map(with_place).collect())
            }
            Verdict::Unknown(UnknownReason::Memory(mb)) => PartVerdict::Memory(*mb),
            Verdict::Unknown(UnknownReason::Timeout(seconds)) => PartVerdict::Timeout(*seconds),
            Verdict::Unknown(_) => PartVerdict::Interrupted,
        };
        let stats = &result.stats;
        let seconds = stats.seconds.iter();
        Some(PartAnswer {
            verdict,
            properties: result.properties.clone(),
            conflicts: stats.conflicts,
            judged: stats.judged,
            learnt: stats.learnt,
            seconds: seconds.map(|(stage, s)| (stage.to_string(), *s)).collect(),
            peak_mb: stats.peak_mb,
            foreign,
        })
    }

    /// The assignment of a violation.
    pub fn assignment(&self) -> Option<Vec<i32>> {
        match &self.verdict {
            PartVerdict::Unsafe(digits) => Some(literals(digits)),
            _ => None,
        }
    }

    /// The result, with this verdict where it is a violation.
    pub fn result(&self, model: &str, violation: Option<Verdict>) -> CheckResult {
        let verdict = match (&self.verdict, violation) {
            (PartVerdict::Unsafe(_), Some(violation)) => violation,
            (PartVerdict::Safe, _) => Verdict::Safe,
            (PartVerdict::SafeUpToBound(loops), _) => {
                let at_bound = |l: &Bound| LoopAtBound {
                    name: l.name.clone(),
                    span: l.place.into(),
                    bound: l.bound,
                    section: l.section,
                    trips: l.trips,
                    blocks: l.blocks,
                };
                Verdict::SafeUpToBound(loops.iter().map(at_bound).collect())
            }
            (PartVerdict::Unsupported(reasons), _) => {
                let reasons = reasons.iter().map(with_span).collect();
                Verdict::Unknown(UnknownReason::Unsupported(reasons))
            }
            (PartVerdict::NoEnd(reasons), _) => {
                let reasons = reasons.iter().map(with_span).collect();
                Verdict::Unknown(UnknownReason::NoEnd(reasons))
            }
            (PartVerdict::Timeout(s), _) => Verdict::Unknown(UnknownReason::Timeout(*s)),
            (PartVerdict::Memory(mb), _) => Verdict::Unknown(UnknownReason::Memory(*mb)),
            (PartVerdict::Interrupted | PartVerdict::Unsafe(_), _) => {
                Verdict::Unknown(UnknownReason::Interrupted)
            }
        };
        let stage = |name: &str| PASSES.iter().map(|p| p.name).find(|n| *n == name);
        let seconds = self.seconds.iter();
        CheckResult {
            model: model.to_string(),
            verdict,
            properties: self.properties.clone(),
            stats: Stats {
                conflicts: self.conflicts,
                judged: self.judged,
                learnt: self.learnt,
                seconds: seconds
                    .filter_map(|(name, s)| Some((stage(name)?, *s)))
                    .collect(),
                peak_mb: self.peak_mb,
                ..Stats::default()
            },
            loops_at_bound: Vec::new(),
            stopped: None,
            argument: Argument::Executions,
            assumed: Vec::new(),
        }
    }
}

/// An assignment as text: by variable, from 1, whether it holds.
fn digits(literals: &[i32]) -> String {
    let variables = literals.iter().map(|l| l.unsigned_abs() as usize).max();
    let mut digits = vec![b'0'; variables.unwrap_or(0)];
    for literal in literals.iter().filter(|l| **l > 0) {
        digits[*literal as usize - 1] = b'1';
    }
    digits.into_iter().map(char::from).collect()
}

fn literals(digits: &str) -> Vec<i32> {
    let each = digits.bytes().zip(1..);
    each.map(|(digit, v)| if digit == b'1' { v } else { -v })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_come_back() {
        let assignment = vec![1, -2, 3, -4];
        assert_eq!(digits(&assignment), "1010");
        assert_eq!(literals("1010"), assignment);
        assert!(literals("").is_empty());
    }
}
