//! The answer for a whole, from those for its cubes.
//!
//! A violation in one of them is one of the whole; a property holds where it holds in all, up to the
//! bound where it does so in some. What is not decided in one is not decided.

use super::outcome::{CheckResult, LoopAtBound, PropertyStatus, UnknownReason, Verdict};

/// The answer for all, in the order of the cubes: of several violations the first is shown. `None` when
/// there is no answer to combine.
pub fn combine(answers: impl IntoIterator<Item = CheckResult>) -> Option<CheckResult> {
    answers.into_iter().reduce(both)
}

fn both(whole: CheckResult, part: CheckResult) -> CheckResult {
    let mut stats = whole.stats;
    stats.add(&part.stats);
    stats.peak_mb = stats.peak_mb.max(part.stats.peak_mb);
    let statuses = whole.properties.into_iter().map(|(kind, status)| {
        let other = part.properties.iter().find(|(k, _)| *k == kind);
        (
            kind,
            other.map_or(status, |(_, other)| worse(status, *other)),
        )
    });
    let mut loops_at_bound = whole.loops_at_bound;
    add_loops(&mut loops_at_bound, part.loops_at_bound);
    CheckResult {
        model: whole.model,
        properties: statuses.collect(),
        verdict: verdict(whole.verdict, part.verdict),
        stats,
        loops_at_bound,
        stopped: whole.stopped.or(part.stopped),
        argument: whole.argument,
        assumed: whole.assumed,
    }
}

fn worse(a: PropertyStatus, b: PropertyStatus) -> PropertyStatus {
    let rank = |status: PropertyStatus| match status {
        PropertyStatus::Violated => 3,
        PropertyStatus::Unknown => 2,
        PropertyStatus::HoldsUpToBound => 1,
        PropertyStatus::Holds => 0,
    };
    if rank(a) >= rank(b) { a } else { b }
}

fn verdict(a: Verdict, b: Verdict) -> Verdict {
    use UnknownReason::NoEnd;
    use Verdict::{Safe, SafeUpToBound, Unknown, Unsafe};
    match (a, b) {
        (Unsafe(found), _) | (_, Unsafe(found)) => Unsafe(found),
        // An execution that ends in one of them is one of the whole.
        (Unknown(NoEnd(_)), other @ (Safe | SafeUpToBound(_)))
        | (other @ (Safe | SafeUpToBound(_)), Unknown(NoEnd(_))) => other,
        (Unknown(a), Unknown(b)) => Unknown(reasons(a, b)),
        (Unknown(reason), _) | (_, Unknown(reason)) => Unknown(reason),
        (SafeUpToBound(mut a), SafeUpToBound(b)) => {
            add_loops(&mut a, b);
            SafeUpToBound(a)
        }
        (SafeUpToBound(loops), Safe) | (Safe, SafeUpToBound(loops)) => SafeUpToBound(loops),
        (Safe, Safe) => Safe,
    }
}

/// What is not supported is more to know than that a limit was passed.
fn reasons(a: UnknownReason, b: UnknownReason) -> UnknownReason {
    match (a, b) {
        (UnknownReason::Unsupported(mut a), UnknownReason::Unsupported(b)) => {
            a.extend(b);
            a.sort_by(|(x, at), (y, there)| (at, x).cmp(&(there, y)));
            a.dedup();
            UnknownReason::Unsupported(a)
        }
        (UnknownReason::NoEnd(a), UnknownReason::NoEnd(_)) => UnknownReason::NoEnd(a),
        (UnknownReason::NoEnd(_), reason) | (reason, UnknownReason::NoEnd(_)) => reason,
        (reason @ UnknownReason::Unsupported(_), _)
        | (_, reason @ UnknownReason::Unsupported(_)) => reason,
        (reason, _) => reason,
    }
}

fn add_loops(all: &mut Vec<LoopAtBound>, more: Vec<LoopAtBound>) {
    all.extend(more);
    all.sort();
    all.dedup();
}
