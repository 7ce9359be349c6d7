//! The unwinding loop: attempts with larger and larger bounds, until an answer is complete or a
//! limit is exceeded. C programs, litmus tests and suites all go through it, with `--incremental`
//! and without: without, no bound may grow, and the first attempt is the last one unless it left
//! out critical sections that other threads disturb, or was one for a part of a large program.
//!
//! Each attempt unwinds the program anew. The loops whose bound was reached go deeper in the next
//! one, all others stay: awaits and loops that end by themselves never get there. All attempts
//! together cost a small multiple of the last one ([`Bounds::after`]). When time or memory run out
//! the answer is that of the last attempt that was finished.

use crate::check::bmc::{CheckError, Env};
use crate::check::outcome::{CheckResult, LoopAtBound, UnknownReason, Verdict, sections};
use ir::bounds::Bounds;

/// What one attempt has come to.
pub struct Attempt<A> {
    /// Its answer.
    pub answer: A,
    /// The loops whose bound the answer depends on.
    pub loops_at_bound: Vec<LoopAtBound>,
    /// The limit that kept it from being finished.
    pub interrupted: Option<UnknownReason>,
}

/// What all attempts have come to.
pub struct Unwound<A> {
    /// The answer.
    pub answer: A,
    /// The bounds that it was found with.
    pub bounds: Bounds,
    /// The limit that kept the loops from being unwound further.
    pub stopped: Option<UnknownReason>,
}

/// Attempts an answer with larger and larger bounds, none above `most`. `attempt` is given the
/// answer of the attempt before, too.
///
/// # Errors
/// Those of an attempt.
pub fn unwind<A>(
    mut bounds: Bounds,
    most: u32,
    env: &Env,
    mut attempt: impl FnMut(&Bounds, Option<&A>) -> Result<Attempt<A>, CheckError>,
) -> Result<Unwound<A>, CheckError> {
    let mut last: Option<(A, Bounds)> = None;
    loop {
        let now = attempt(&bounds, last.as_ref().map(|(a, _)| a))?;
        let (answer, stopped) = match (now.interrupted, last.take()) {
            (Some(reason), Some((answer, before))) => {
                bounds = before;
                (answer, Some(reason))
            }
            (Some(_), None) => (now.answer, None),
            (None, _) => {
                let reached = now.loops_at_bound.iter().map(|l| l.name.as_str());
                // Where no loop came to the limit for all, there is nothing behind it.
                let mut limited = now.loops_at_bound.iter();
                let limited = limited.any(|l| !bounds.is_within_limit(l.bound));
                let deeper = limited.then(|| bounds.lifted()).flatten();
                let deeper = deeper.or_else(|| bounds.after(reached, most));
                match deeper.or_else(|| bounds.without_sections(sections(&now.loops_at_bound))) {
                    None => (now.answer, None),
                    Some(next) => match (env.limit)() {
                        None => {
                            last = Some((now.answer, std::mem::replace(&mut bounds, next)));
                            continue;
                        }
                        passed => (now.answer, passed),
                    },
                }
            }
        };
        return Ok(Unwound {
            answer,
            bounds,
            stopped,
        });
    }
}

/// What an attempt has come to; `failed` says why there is no event graph.
pub(super) fn attempted(
    result: CheckResult,
    failed: Option<UnknownReason>,
) -> Attempt<CheckResult> {
    let (loops_at_bound, interrupted) = match &result.verdict {
        Verdict::SafeUpToBound(loops_at_bound) => (loops_at_bound.clone(), None),
        Verdict::Unknown(reason @ (UnknownReason::Timeout(_) | UnknownReason::Memory(_))) => {
            (Vec::new(), Some(reason.clone()))
        }
        Verdict::Unknown(_) => (result.loops_at_bound.clone(), failed),
        Verdict::Safe | Verdict::Unsafe(_) => (Vec::new(), None),
    };
    Attempt {
        answer: result,
        loops_at_bound,
        interrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::source::{FileId, Span};
    use ir::bounds::Trips;

    fn at_bound(name: &str, bound: u32) -> LoopAtBound {
        let span = Span {
            file: FileId(0),
            start: 0,
            end: 0,
        };
        LoopAtBound {
            name: name.into(),
            span,
            bound,
            trips: Trips::Unknown,
            blocks: false,
            section: false,
        }
    }

    /// The limits of the attempts at a program with one loop that goes on for so long, or for ever.
    fn limits(end: u32) -> Vec<Option<u32>> {
        let mut seen = Vec::new();
        let bounds = Bounds::all(5).for_a_part();
        let unwound = unwind(bounds, 0, &Env::unlimited(), |bounds, _| {
            seen.push(bounds.limit.map(|l| l.times));
            let times = bounds.of("main.0").times;
            let reached = (end > times).then(|| at_bound("main.0", times));
            Ok(Attempt {
                answer: (),
                loops_at_bound: reached.into_iter().collect(),
                interrupted: None,
            })
        });
        assert!(unwound.is_ok());
        seen
    }

    #[test]
    fn a_limit_is_lifted_as_long_as_loops_come_to_it() {
        assert_eq!(limits(2), [Some(1), Some(2)]);
        assert_eq!(limits(u32::MAX), [Some(1), Some(2), Some(4), Some(8)]);
    }
}
