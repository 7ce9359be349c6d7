//! In which order methods are tried on a program: a proof thread by thread, the search of executions within bounds,
//! proofs for any number of threads.
//!
//! Most proofs come in a moment, and so do most violations. So each has a moment first, and more time after that.

use super::error::Error;
use super::limits::{self, Limits};
use super::program::{Context, ProgramSession};
use super::program_system::provable;
use super::thread_modular::{BY_ANALYSIS, has_loops, prove};
use crate::check::outcome::{CheckResult, UnknownReason, Verdict};
use cat::model::Model;
use ir::bounds::Bounds;
use ir::program::PropertyKind;
use std::time::Instant;

/// The part of the time after which a proof for any number of threads is looked for, and the part for that.
const FIRST_ANSWER: f64 = 0.1;
const PROOF: f64 = 0.2;
/// Seconds for a proof before executions are searched, at least this part of the limit, and seconds behind that where there
/// is no limit.
const FIRST_PROOF: f64 = 1.0;
const FIRST_PART: f64 = 0.02;
const SECOND_PROOF: f64 = 2.0;
/// Seconds for one where it is looked for once and there is no limit.
const ONLY_PROOF: f64 = 10.0;

/// What is assumed where loads outside of objects are no violation.
const LOADS_OUTSIDE: &str = "a load outside of every object returns any value";

/// What an attempt to find a proof has come to.
enum Attempt {
    Proved(Box<CheckResult>),
    NoProof,
    /// There was no more time.
    Interrupted,
}

impl ProgramSession {
    /// An answer, and if it is not known because a load leads outside of every object, the answer where that returns any
    /// value, as long as nothing but values is asked about.
    pub(super) fn with_any_loads(
        &self,
        (result, bounds): (CheckResult, Bounds),
        begun: Instant,
        model: &Model,
        context: &Context,
    ) -> Result<(CheckResult, Bounds), Error> {
        let is_of_value = |kind: &PropertyKind| {
            use PropertyKind::{Assertion, DivisionByZero, Overflow};
            matches!(kind, Assertion | DivisionByZero | Overflow)
        };
        let is_undefined = matches!(
            result.verdict,
            Verdict::Unknown(UnknownReason::Unsupported(_))
        );
        let is_apt = is_undefined && context.options.bounded.by_text;
        if !is_apt || !self.lowered().checks.on(model).iter().all(is_of_value) {
            return Ok((result, bounds));
        }
        let elapsed = begun.elapsed().as_secs_f64();
        let limits = Limits {
            timeout: context.limits.timeout.map(|all| (all - elapsed).max(0.0)),
            ..context.limits
        };
        let other = Context { limits, ..*context };
        let (mut other, unwound) = self
            .with_loads_outside()
            .solve(model, &other, None)
            .map_err(|error| Error::of_check(context.sources, error))?;
        match other.verdict {
            Verdict::Safe | Verdict::SafeUpToBound(_) => {
                other.assumed.push(LOADS_OUTSIDE.to_string());
                Ok((other, unwound))
            }
            Verdict::Unsafe(_) | Verdict::Unknown(_) => Ok((result, bounds)),
        }
    }

    /// The answer of an engine or a proof. One thread by thread is looked for first where there are loops, which it
    /// does not unwind. If it takes longer, or with `--incremental` another one fits, the engines have a part of
    /// the limit, then the proofs have one, as a first attempt of the engines may take all of it.
    pub(super) fn any_answer(
        &self,
        model: &Model,
        context: &Context,
    ) -> Result<(CheckResult, Bounds), Error> {
        let begun = Instant::now();
        let options = &context.options.bounded;
        let has_loops = has_loops(&self.lowered().program);
        let limit = context.limits.timeout;
        let mut again = true;
        if has_loops {
            match self.thread_modular(model, context, first_proof(limit))? {
                Attempt::Proved(proved) => {
                    let known = self.no_end(model, context)?;
                    return Ok(known.unwrap_or((*proved, options.bounds.clone())));
                }
                Attempt::NoProof => again = false,
                Attempt::Interrupted => {}
            }
        }
        let place = (model.name.as_str(), context.sources);
        let kinds = self.lowered().checks.on(model);
        let is_provable = options.incremental.is_some()
            && options.by_text
            && provable(self.lowered(), &kinds, place).is_some();
        let in_parts = is_provable || has_loops && again;
        let share = |part: f64| Limits {
            timeout: limit.map(|all| all * part),
            ..context.limits
        };
        let of = |limits: Limits| Context { limits, ..*context };
        let left = || Limits {
            timeout: limit.map(|all| (all - begun.elapsed().as_secs_f64()).max(0.0)),
            ..context.limits
        };
        let first = match in_parts {
            true => Limits {
                timeout: limit.map(|all| self.spent() + FIRST_ANSWER * all),
                ..context.limits
            },
            false => left(),
        };
        let (mut result, mut bounds) = self.answer(model, &of(first))?;
        let is_open = match &result.verdict {
            Verdict::SafeUpToBound(_) => has_loops,
            // That nothing comes to its end is an answer.
            Verdict::Unknown(UnknownReason::NoEnd(_)) => false,
            Verdict::Unknown(_) => true,
            Verdict::Safe | Verdict::Unsafe(_) => false,
        };
        if is_open && again {
            let most = limit.map_or(SECOND_PROOF, |all| all * PROOF);
            let seconds = left().timeout.map_or(most, |left| most.min(left));
            if let Attempt::Proved(proved) = self.thread_modular(model, context, seconds)? {
                return Ok((*proved, bounds));
            }
        }
        let Some(all) = limit.filter(|_| is_over(&result)) else {
            return Ok((result, bounds));
        };
        if !in_parts {
            names_limit(&mut result, all);
            return Ok((result, bounds));
        }
        if is_provable
            && let Some(proved) = self.prove(&result, (model, context.sources), share(PROOF))
        {
            return Ok((proved, bounds));
        }
        (result, bounds) = self.answer(model, &of(left()))?;
        names_limit(&mut result, all);
        Ok((result, bounds))
    }

    /// An answer of which there is a proof to be checked: one thread by thread whose conditions a formula says, or that of
    /// the solver.
    pub(super) fn provable_answer(
        &self,
        model: &Model,
        context: &Context,
    ) -> Result<(CheckResult, Bounds), Error> {
        let lowered = self.lowered();
        let by_analysis = |kind: &PropertyKind| BY_ANALYSIS.contains(kind);
        if has_loops(&lowered.program) && !lowered.checks.on(model).iter().any(by_analysis) {
            let limit = context.limits.timeout;
            let most = limit.map_or(ONLY_PROOF, |all| all * PROOF);
            if let Attempt::Proved(proved) = self.thread_modular(model, context, most)? {
                return Ok((*proved, context.options.bounded.bounds.clone()));
            }
        }
        let answer = self.solve(model, context, None);
        answer.map_err(|error| Error::of_check(context.sources, error))
    }

    /// Of a program that is free of deadlocks: the answer that none of its executions ends, if that is found in a moment.
    /// Threads that go round for ever wait for each other, too, which is no deadlock.
    fn no_end(
        &self,
        model: &Model,
        context: &Context,
    ) -> Result<Option<(CheckResult, Bounds)>, Error> {
        if !self
            .lowered()
            .checks
            .on(model)
            .contains(&PropertyKind::Deadlock)
        {
            return Ok(None);
        }
        let most = self.spent() + FIRST_PROOF;
        let limits = Limits {
            timeout: Some(context.limits.timeout.map_or(most, |all| all.min(most))),
            ..context.limits
        };
        let found = self.answer(model, &Context { limits, ..*context })?;
        Ok(match &found.0.verdict {
            Verdict::Unknown(UnknownReason::NoEnd(_)) => Some(found),
            Verdict::Unsafe(_) => {
                let text = format!("the proof and the engines disagree on {}", model.name);
                return Err(Error::Internal(text));
            }
            _ => None,
        })
    }

    /// A proof thread by thread within so many seconds.
    fn thread_modular(
        &self,
        model: &Model,
        context: &Context,
        seconds: f64,
    ) -> Result<Attempt, Error> {
        let limits = Limits {
            timeout: Some(seconds),
            ..context.limits
        };
        let env = limits::env(limits, 0.0);
        let program = (&self.lowered().program, context.sources);
        let kinds = self.lowered().checks.on(model);
        let proved = prove(program, &kinds, model, &env);
        let proved = proved.map_err(|error| Error::of_check(context.sources, error))?;
        Ok(match proved {
            Some(proved) => Attempt::Proved(Box::new(proved)),
            None if (env.limit)().is_some() => Attempt::Interrupted,
            None => Attempt::NoProof,
        })
    }
}

/// Seconds for a proof before executions are searched.
fn first_proof(limit: Option<f64>) -> f64 {
    limit.map_or(FIRST_PROOF, |all| {
        FIRST_PROOF.max(all * FIRST_PART).min(all * PROOF)
    })
}

/// Whether the time was over.
fn is_over(result: &CheckResult) -> bool {
    let timeout = |reason: &UnknownReason| matches!(reason, UnknownReason::Timeout(_));
    match &result.verdict {
        Verdict::Unknown(reason) => timeout(reason),
        Verdict::SafeUpToBound(_) => result.stopped.as_ref().is_some_and(timeout),
        Verdict::Safe | Verdict::Unsafe(_) => false,
    }
}

/// An answer that says that a part of the time is over says so of all of it.
fn names_limit(result: &mut CheckResult, all: f64) {
    let given = |reason: &mut UnknownReason| {
        if let UnknownReason::Timeout(seconds) = reason {
            *seconds = all;
        }
    };
    if let Verdict::Unknown(reason) = &mut result.verdict {
        given(reason);
    }
    result.stopped.iter_mut().for_each(given);
}
