//! `wmbmc cross`: several engines on one system, and whether they agree.

use super::exit::Exit;
use super::failure::failed;
use super::options::CrossArgs;
use super::output::Output;
use super::request;
use crate::driver::cross::{CrossOptions, CrossOutcome};
use crate::driver::{Error, Input, Limits, Session, SessionOptions};
use crate::report::answer::cross::EnginesAnswer;
use crate::report::cross;
use std::path::Path;

/// Asks about each file on each model; the worst exit.
///
/// # Errors
/// A model that does not exist, or a wrong limit, as a sentence.
pub fn run(typed: &CrossArgs, output: &Output) -> Result<Exit, String> {
    let limits = request::limits(Some(typed.timeout), None)?;
    let models = typed.mm.iter().map(|m| request::model(m));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let options = CrossOptions {
        processes: typed.procs.clone(),
        steps: typed.steps,
    };
    let answers = typed.files.len() * models.len();
    let mut worst = Exit::Safe;
    for file in &typed.files {
        for model in &models {
            let input = file.display().to_string();
            let exit = match ask(file, &model.text(), &options, limits) {
                Ok(found) => answered(&input, &found, answers, output),
                Err(error) => failed(&error, output, Some(&input), Some(&model.text())),
            };
            worst = worst.max(exit);
        }
    }
    Ok(worst)
}

fn ask(
    file: &Path,
    model: &str,
    options: &CrossOptions,
    limits: Limits,
) -> Result<CrossOutcome, Error> {
    let options_of_programs = SessionOptions {
        any_threads: true,
        ..SessionOptions::default()
    };
    let session = Session::read(&Input::file(file), &options_of_programs)?;
    session.cross(model, options, limits)
}

/// Prints what was found. Engines that contradict each other are a bug of one of them.
fn answered(input: &str, found: &CrossOutcome, answers: usize, output: &Output) -> Exit {
    let exit = match (found.disagreements.is_empty(), found.is_decided()) {
        (false, _) => Exit::Internal,
        (true, true) => Exit::Safe,
        (true, false) => Exit::Inconclusive,
    };
    let answer = EnginesAnswer::new(input, found, exit.code());
    output.answer(answer, |a| cross::text(a, output.style(answers)));
    exit
}
