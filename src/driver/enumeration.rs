//! The answers of the engines that look at executions one by one.

use super::limits::{self, Limits};
use super::options::MAX_EXECUTIONS;
use crate::check::bmc::Env;
use crate::check::outcome::{CheckResult, UnknownReason, Verdict};
use crate::check::task::CheckError;
use crate::check::{enumerated, explored};
use crate::relations::idle::write_backs;
use crate::unroll::WriteBacks;
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use enumerate::explore::{self, ExploreError, ExploreOptions, Watch, explore};
use enumerate::{EnumerateError, EnumerateOptions, enumerate};
use ir::bounds::Bounds;
use ir::program::{Program, PropertyKind};
use std::time::Instant;

/// What the executions of a program violate, one by one. A limit that passes is an answer.
///
/// # Errors
/// The model does not know a fence of the program, or there is no main.
pub(super) fn enumerated_result(
    program: &Program,
    checks: Vec<PropertyKind>,
    (model, bounds): (&Model, &Bounds),
    limits: Limits,
) -> Result<CheckResult, EnumerateError> {
    let env = limits::env(limits, 0.0);
    let start = Instant::now();
    let options = options(bounds, &checks);
    let mut result = match enumerate(program, model, &options, &env.interrupt()) {
        Ok(found) => enumerated::outcome(model, &checks, &found),
        Err(EnumerateError::Interrupted) => {
            CheckResult::unknown(&model.name, &checks, limits.passed(&env))
        }
        Err(error) => return Err(error),
    };
    let seconds = start.elapsed().as_secs_f64();
    result.stats.seconds.push(("enumerate", seconds));
    Ok(result)
}

/// What the executions of a program violate, explored up to the first violation. What cannot be explored
/// and a limit that passes are answers.
///
/// # Errors
/// The model does not know a fence of the program, there is no main, or a violation does not stand up to the
/// replay.
pub(super) fn explored_result(
    (program, sources): (&Program, &SourceMap),
    checks: Vec<PropertyKind>,
    (model, bounds, follows): (&Model, &Bounds, Follows),
    (limits, env): (Limits, &Env),
    watch: &dyn Watch,
) -> Result<CheckResult, NoResult> {
    let options = options(bounds, &checks);
    let unknown = |reason| CheckResult::unknown(&model.name, &checks, reason);
    let explore_options = ExploreOptions {
        first: true,
        leaves_out_writes: follows == Follows::Changes && write_backs(model) == WriteBacks::All,
        ..ExploreOptions::default()
    };
    match explore(program, model, &options, explore_options, watch) {
        Ok(found) => {
            let mut result = enumerated::explored(model, &checks, &found);
            if let Verdict::Unsafe(shown) = &mut result.verdict {
                let of = (program, model, sources);
                if let Some(found) = explored::counterexample(of, &found.witnesses, &checks)? {
                    **shown = found;
                }
            }
            Ok(result)
        }
        Err(ExploreError::Enumerate(EnumerateError::Interrupted)) => {
            Ok(unknown(limits.passed(env)))
        }
        Err(ExploreError::Enumerate(error)) => Err(error.into()),
        Err(ref error @ ExploreError::Refused { span, .. }) => {
            let reason = error.to_string();
            let main = || program.main.map(|main| program.procs[main].span);
            let at = span
                .or_else(main)
                .expect("a program without main is no answer");
            Ok(unknown(UnknownReason::Unsupported(vec![(reason, at)])))
        }
    }
}

/// Which iterations of loops an exploration follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follows {
    /// Those in which something is written.
    Writes,
    /// Those that change something, see [`ExploreOptions::leaves_out_writes`].
    Changes,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoResult {
    /// The program has none.
    #[error(transparent)]
    Enumerate(#[from] EnumerateError),
    /// A violation does not stand up to the model or to the replay.
    #[error(transparent)]
    Check(#[from] CheckError),
}

/// Whether an exploration has answered: it is not undecided.
pub(super) fn has_answered(result: &CheckResult) -> bool {
    matches!(
        result.verdict,
        Verdict::Safe | Verdict::Unsafe(_) | Verdict::Unknown(UnknownReason::NoEnd(_))
    )
}

/// Whether the executions of a program on a model are explored, for these kinds of property.
pub(super) fn is_explored(model: &Model, kinds: &[PropertyKind]) -> bool {
    explore::check(model).is_ok()
        && !model.marks_executions()
        && !kinds.contains(&PropertyKind::Robust)
}

/// Why a program or a model cannot be explored.
pub(super) fn refusal(error: &ExploreError) -> Diag {
    match error {
        ExploreError::Refused {
            span: Some(span), ..
        } => Diag::error(*span, error.to_string()),
        _ => Diag::bare(error.to_string()),
    }
}

fn options(bounds: &Bounds, checks: &[PropertyKind]) -> EnumerateOptions {
    EnumerateOptions {
        checks: checks.to_vec(),
        bounds: bounds.clone(),
        max_executions: MAX_EXECUTIONS,
    }
}
