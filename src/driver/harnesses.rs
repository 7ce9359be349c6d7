//! One program with several harnesses, as all clients of some size: the answer is the worst of theirs.
//!
//! They are checked side by side where that is allowed, and each as it is alone. After a violation only those that come
//! before are, so that the answer does not depend on who is first.

use super::error::Error;
use super::limits::Limits;
use super::options::{BoundedOptions, ProgramOptions};
use super::outcome::ProgramOutcome;
use super::parsed::LoweredProgram;
use super::program::{Context, ProgramSession};
use super::progress::Progress;
use super::strategies;
use crate::check::outcome::{UnknownReason, Verdict};
use base::source::SourceMap;
use cat::model::Model;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// Stack of a thread that checks.
const STACK: usize = 1 << 27;

/// What all workers are given.
struct Work<'a> {
    others: &'a [LoweredProgram],
    model: &'a Model,
    sources: &'a SourceMap,
    options: ProgramOptions,
    limits: Limits,
    start: Instant,
    /// The next harness.
    next: AtomicUsize,
    /// Harnesses from here on do not matter.
    end: AtomicUsize,
}

/// Checks a program on a model, with each harness.
///
/// # Errors
/// As [`ProgramSession::check`].
pub(super) fn check(
    session: &mut ProgramSession,
    model: &Model,
    context: &Context,
) -> Result<ProgramOutcome, Error> {
    let first = session.check(model, context)?;
    let others = session.others();
    if others.is_empty() {
        return Ok(first);
    }
    let all = others.len() + 1;
    let mut found = vec![Some(Ok(first))];
    found.resize_with(all, || None);
    let is_refuted = |found: &Option<Result<ProgramOutcome, Error>>| matches!(found, Some(Ok(outcome)) if matches!(outcome.result.verdict, Verdict::Unsafe(_)));
    let end = if is_refuted(&found[0]) {
        0
    } else {
        others.len()
    };
    let workers = strategies::at_once(context.options.bounded.jobs);
    let work = Work {
        others,
        model,
        sources: context.sources,
        options: ProgramOptions {
            bounded: BoundedOptions {
                jobs: 1,
                ..context.options.bounded.clone()
            },
            ..context.options.clone()
        },
        limits: context.limits,
        start: Instant::now(),
        next: AtomicUsize::new(0),
        end: AtomicUsize::new(end),
    };
    std::thread::scope(|scope| {
        let (sender, outcomes) = mpsc::channel();
        for _ in 0..workers {
            let (sender, work) = (sender.clone(), &work);
            let thread = std::thread::Builder::new().stack_size(STACK);
            let spawned = thread.spawn_scoped(scope, move || work.run(&sender));
            spawned.map_err(|e| Error::Internal(format!("no thread can be started: {e}")))?;
        }
        drop(sender);
        let (model, mut done) = (model.name.as_str(), 1);
        for (at, outcome) in outcomes {
            done += 1;
            (context.progress)(Progress::Harnesses { model, done, all });
            found[at + 1] = Some(outcome);
        }
        Ok(())
    })?;
    let mut worst: Option<ProgramOutcome> = None;
    for outcome in found.into_iter().flatten() {
        let mut next = outcome?;
        if let Some(worst) = worst.take() {
            let mut stats = worst.result.stats.clone();
            stats.add(&next.result.stats);
            if rank(&worst.result.verdict) >= rank(&next.result.verdict) {
                next = worst;
            }
            next.result.stats = stats;
        }
        let is_last = matches!(next.result.verdict, Verdict::Unsafe(_));
        worst = Some(next);
        if is_last {
            break;
        }
    }
    let mut outcome = worst.expect("the first has an outcome");
    outcome.harnesses = all;
    Ok(outcome)
}

impl Work<'_> {
    /// Checks one harness after the other.
    fn run(&self, sender: &mpsc::Sender<(usize, Result<ProgramOutcome, Error>)>) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= self.end.load(Ordering::Relaxed) {
                return;
            }
            let outcome = self.one(&self.others[at]);
            let ends = match &outcome {
                Ok(outcome) => matches!(
                    outcome.result.verdict,
                    Verdict::Unsafe(_) | Verdict::Unknown(UnknownReason::Timeout(_))
                ),
                Err(_) => true,
            };
            if ends {
                self.end.fetch_min(at + 1, Ordering::Relaxed);
            }
            if sender.send((at, outcome)).is_err() {
                return;
            }
        }
    }

    fn one(&self, lowered: &LoweredProgram) -> Result<ProgramOutcome, Error> {
        let spent = self.start.elapsed().as_secs_f64();
        let mut limits = self.limits;
        limits.timeout = limits.timeout.map(|seconds| (seconds - spent).max(0.0));
        let context = Context {
            sources: self.sources,
            options: &self.options,
            limits,
            progress: &|_| {},
        };
        let mut session = ProgramSession::new(lowered.clone(), &self.options);
        let mut outcome = session.check(self.model, &context)?;
        if let Verdict::Unknown(UnknownReason::Timeout(seconds)) = &mut outcome.result.verdict {
            // The limit is one for all.
            *seconds = self.limits.timeout.unwrap_or(*seconds);
        }
        Ok(outcome)
    }
}

/// A worse verdict has a higher rank.
fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Safe => 0,
        Verdict::SafeUpToBound(_) => 1,
        Verdict::Unknown(_) => 2,
        Verdict::Unsafe(_) => 3,
    }
}
