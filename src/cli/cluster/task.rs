//! One task of a job, in a process of its own: what it prints is the result.

use super::answer::PartAnswer;
use super::folder::{Folder, PlannedSplit, PlannedTask, Refusal};
use super::plan::{Run, read};
use crate::check::bmc::Part;
use crate::check::cube::Cube;
use crate::check::foreign::Foreign;
use crate::cli::check;
use crate::cli::exit::Exit;
use crate::cli::failure::failed;
use crate::cli::output::{self, Output};
use crate::cli::progress;
use crate::cli::request::{Request, SuiteRequest};
use crate::cli::suite;
use crate::cli::values::Format;
use crate::driver::cubes::PartOutcome;
use crate::driver::{Error, Session};
use std::path::{Path, PathBuf};

/// The exit code of a task that has no result.
pub const REFUSED: u8 = 100;

/// Does a task and prints its result.
///
/// # Errors
/// Why there is none.
pub fn print(folder: &Folder, task: usize, answer: Option<&Path>) -> Result<Exit, Refusal> {
    let foreign = match answer.map(foreign).transpose() {
        Ok(foreign) => foreign,
        Err(message) => refused(&message),
    };
    if let Err(error) = std::env::set_current_dir(folder.directory()) {
        refused(&format!("{}: {error}", folder.directory().display()));
    }
    let run = read(&folder.plan.arguments)?;
    match (&folder.plan.tasks[task], run) {
        (PlannedTask::Tests(tests), Run::Suite(request, output)) => {
            tests_of(folder, tests, &request, &output)
        }
        (
            PlannedTask::Check {
                input,
                model,
                formula,
            },
            Run::Files(request, output),
        ) => {
            if foreign.is_some() {
                refused("--answer is about a cube, and this task has none");
            }
            let mut request = *request;
            request.inputs = vec![request.inputs[*input].clone()];
            request.models = vec![request.models[*model].clone()];
            request.options.system.formula = *formula;
            // The plan has written those of what it has split.
            request.dimacs = None;
            // Of reports the merge makes one.
            let output = Output {
                format: match output.format {
                    Format::Text => Format::Text,
                    _ => Format::Json,
                },
                ..output
            };
            Ok(check::run(&request, &output))
        }
        (PlannedTask::Cube { split, cube }, Run::Files(request, output)) => {
            let split = &folder.plan.splits[*split];
            let of_foreign = foreign.is_some();
            let part = Part {
                cube: cube.clone(),
                fingerprint: Some(split.formula.clone()),
                foreign,
            };
            let answer = match part_of(&request, split, &part) {
                Ok((part, _)) => PartAnswer::of(&part, of_foreign),
                Err(error @ Error::Internal(_)) => return Ok(failed(&error, &output, None, None)),
                Err(error) => refused(&error.to_string()),
            };
            let text = answer.and_then(|answer| serde_json::to_string(&answer).ok());
            output::print(&text.ok_or("the answer cannot be written")?);
            Ok(Exit::Safe)
        }
        _ => Err("the plan is not of one piece".to_string()),
    }
}

/// Ends the process: there is no result.
fn refused(message: &str) -> ! {
    output::warn(&format!("error: {message}\n"));
    progress::clear();
    std::process::exit(i32::from(REFUSED))
}

fn foreign(path: &Path) -> Result<Foreign, Refusal> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
    Foreign::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Checks a part of a program; with the session that has.
pub fn part_of(
    request: &Request,
    split: &PlannedSplit,
    part: &Part,
) -> Result<(PartOutcome, Session), Error> {
    let mut session = Session::read(&request.inputs[split.input], &request.options)?;
    let model = session.load_model(&request.models[split.model])?;
    let outcome =
        session.check_part(&model, part, &split.bounds, split.complete, request.limits)?;
    Ok((outcome, session))
}

/// The part of a cube of which a violation is known by its assignment.
pub fn violated(split: &PlannedSplit, cube: &Cube, assignment: Vec<i32>) -> Part {
    Part {
        cube: cube.clone(),
        fingerprint: Some(split.formula.clone()),
        foreign: Some(Foreign::Sat(assignment)),
    }
}

fn tests_of(
    folder: &Folder,
    tests: &[usize],
    request: &SuiteRequest,
    output: &Output,
) -> Result<Exit, Refusal> {
    let named = tests.iter().filter_map(|t| folder.plan.tests.get(*t));
    let files: Vec<PathBuf> = named.cloned().collect();
    let reports = match suite::reports(request, output, &files) {
        Ok(reports) => reports,
        Err(exit) => return Ok(exit),
    };
    let text = serde_json::to_string(&reports).map_err(|e| e.to_string())?;
    output::print(&text);
    Ok(Exit::Safe)
}
