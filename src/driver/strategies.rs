//! Several strategies at once: the same question about one event graph and one model, asked in
//! different ways, and the first answer counts.
//!
//! All strategies answer alike, so who is first has no say in the verdict; of a violation it may be
//! another execution that is shown. Strategies that answer at the same time are compared. One that a
//! limit stops has not answered, so the answer is UNKNOWN only when none has another.

use super::limits::{self, Limits};
use crate::check::bmc::{self, CheckError, CheckOptions, CheckTask, Env};
use crate::check::outcome::{CheckResult, UnknownReason, Verdict};
use crate::encode::order::Backend;
use std::mem::discriminant;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

/// How the formula is made where that is left open, in the order in which they are taken; the first
/// one is what is done alone.
const ORDERS: [(Backend, &str); 4] = [
    (Backend::Auto, "auto"),
    (Backend::Lazy, "lazy"),
    (Backend::Matrix, "matrix"),
    (Backend::Clocks, "clocks"),
];

/// How many strategies `--jobs` asks for: as many as the machine has processors when 0.
pub fn at_once(jobs: usize) -> usize {
    match jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        _ => jobs,
    }
}

/// `count` strategies: each order, if it is left open, then each again with other random choices of
/// the solver.
pub fn strategies(options: &CheckOptions, count: usize) -> Vec<(String, CheckOptions)> {
    let open = options.order == Backend::Auto;
    let orders = ORDERS.iter().filter(|(o, _)| open || *o == options.order);
    let orders: Vec<_> = orders.collect();
    let all = (0..).flat_map(|seed| orders.iter().map(move |order| (seed, **order)));
    let strategy = |(seed, (order, name)): (u32, (Backend, &str))| {
        let name = match seed {
            0 => name.to_string(),
            _ => format!("{name}, seed {seed}"),
        };
        let options = CheckOptions {
            order,
            seed,
            ..options.clone()
        };
        (name, options)
    };
    all.take(count).map(strategy).collect()
}

/// The first answer of `count` strategies, within limits of which `spent` seconds are over. They stop when somebody
/// else has answered, too.
///
/// # Errors
/// Those of [`bmc::check`], and that two strategies answer differently.
pub fn first_answer(
    task: &CheckTask,
    options: &CheckOptions,
    count: usize,
    (limits, spent, elsewhere): (Limits, f64, Arc<AtomicBool>),
) -> Result<CheckResult, CheckError> {
    let answered = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for (name, options) in strategies(options, count) {
            let (sender, answered) = (sender.clone(), answered.clone());
            let stops = [answered.clone(), elsewhere.clone()];
            scope.spawn(move || {
                let mut answer = bmc::check(task, &options, &env(limits, spent, stops));
                if let Ok(result) = &mut answer {
                    result.stats.strategy = name;
                }
                let answers = !matches!(&answer, Ok(result) if is_stopped(result));
                // Sent before the others stop, so it comes before theirs. Nobody listens any more
                // when there has been an error.
                let _ = sender.send(answer);
                if answers {
                    answered.store(true, Ordering::Relaxed);
                }
            });
        }
        drop(sender);
        choose(receiver.iter())
    })
}

/// A clock and limits of a thread of its own, which stops when another one has answered, too.
fn env(limits: Limits, spent: f64, answered: [Arc<AtomicBool>; 2]) -> Env {
    let Env { now, limit, begins } = limits::env(limits, spent);
    // The reason is never shown: the answer of the other one is.
    let stopped = move || {
        let mut others = answered.iter();
        let stops = others.any(|other| other.load(Ordering::Relaxed));
        stops.then_some(UnknownReason::Timeout(0.0))
    };
    let limit = Rc::new(move || limit().or_else(&stopped));
    Env { now, limit, begins }
}

/// A limit has kept a strategy from an answer.
fn is_stopped(result: &CheckResult) -> bool {
    let Verdict::Unknown(reason) = &result.verdict else {
        return false;
    };
    matches!(reason, UnknownReason::Timeout(_) | UnknownReason::Memory(_))
}

/// The first conclusive answer, the first of all when there is none.
fn choose(
    answers: impl Iterator<Item = Result<CheckResult, CheckError>>,
) -> Result<CheckResult, CheckError> {
    let mut first: Option<CheckResult> = None;
    for answer in answers {
        let answer = answer?;
        first = Some(match first {
            Some(first) if is_stopped(&first) && !is_stopped(&answer) => answer,
            Some(first) => {
                let differs = discriminant(&first.verdict) != discriminant(&answer.verdict);
                if differs && !is_stopped(&answer) {
                    let (a, b) = (&first.stats.strategy, &answer.stats.strategy);
                    let message = format!("the strategies {a} and {b} disagree");
                    return Err(CheckError::Internal(message));
                }
                first
            }
            None => answer,
        });
    }
    first.ok_or_else(|| CheckError::Internal("no strategy has answered".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(verdict: Verdict, strategy: &str) -> Result<CheckResult, CheckError> {
        let timeout = UnknownReason::Timeout(1.0);
        let mut result = CheckResult::unknown("tso", &[], timeout);
        result.verdict = verdict;
        result.stats.strategy = strategy.to_string();
        Ok(result)
    }

    fn stopped() -> Verdict {
        Verdict::Unknown(UnknownReason::Timeout(1.0))
    }

    fn chosen(answers: [(Verdict, &str); 2]) -> Option<String> {
        let answers = answers.into_iter().map(|(v, s)| answer(v, s));
        choose(answers).ok().map(|result| result.stats.strategy)
    }

    #[test]
    fn the_first_that_is_not_stopped_counts() {
        let safe = Verdict::Safe;
        let first = chosen([(stopped(), "a"), (safe.clone(), "b")]);
        assert_eq!(first.as_deref(), Some("b"));
        let first = chosen([(safe.clone(), "a"), (stopped(), "b")]);
        assert_eq!(first.as_deref(), Some("a"));
        let first = chosen([(safe.clone(), "a"), (safe, "b")]);
        assert_eq!(first.as_deref(), Some("a"));
        let first = chosen([(stopped(), "a"), (stopped(), "b")]);
        assert_eq!(first.as_deref(), Some("a"));
    }

    #[test]
    fn strategies_must_agree() {
        let bounded = Verdict::SafeUpToBound(Vec::new());
        assert_eq!(chosen([(Verdict::Safe, "a"), (bounded, "b")]), None);
    }

    #[test]
    fn strategies_are_different() {
        let names = |order: Backend, count: usize| -> Vec<String> {
            let options = CheckOptions {
                order,
                ..CheckOptions::default()
            };
            let all = strategies(&options, count).into_iter();
            all.map(|(name, _)| name).collect()
        };
        let open = names(Backend::Auto, 5);
        assert_eq!(open, ["auto", "lazy", "matrix", "clocks", "auto, seed 1"]);
        assert_eq!(names(Backend::Clocks, 2), ["clocks", "clocks, seed 1"]);
    }
}
