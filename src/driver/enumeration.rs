//! The second engine's answer on a program.

use super::limits::{self, Limits};
use super::options::MAX_EXECUTIONS;
use crate::check::enumerated;
use crate::check::outcome::CheckResult;
use cat::model::Model;
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
    let options = EnumerateOptions {
        checks: checks.clone(),
        bounds: bounds.clone(),
        max_executions: MAX_EXECUTIONS,
    };
    let start = Instant::now();
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
