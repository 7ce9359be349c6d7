//! `wmbmc cross`: several engines on one system, or two front ends on one program, and whether they agree.

use super::cross_args::CrossArgs;
use super::exit::Exit;
use super::failure::failed;
use super::output::Output;
use super::request;
use crate::driver::cross::{CrossOptions, CrossOutcome};
use crate::driver::fronts::{self, FrontsOutcome};
use crate::driver::{Error, Input, Limits, ModelName, Session, SessionOptions};
use crate::report::answer::cross::EnginesAnswer;
use crate::report::answer::fronts::FrontsAnswer;
use crate::report::{cross, fronts as shown};
use ir::bounds::Bounds;
use std::path::PathBuf;

/// Asks about each file on each model; the worst exit.
///
/// # Errors
/// A model that does not exist, a wrong limit, or files that are not read in two ways, as a sentence.
pub fn run(typed: &CrossArgs, output: &Output) -> Result<Exit, String> {
    let limits = request::limits(Some(typed.timeout), typed.c.memory)?;
    let models = typed.mm.iter().map(|m| request::model(m));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let inputs = request::files(&typed.files, typed.link, &typed.incomplete.stub);
    let run = CrossRun {
        typed,
        options: options(typed)?,
        limits,
        answers: inputs.len() * models.len(),
        output,
    };
    if typed.fronts {
        fit_for_fronts(&typed.files)?;
    }
    let mut worst = Exit::Safe;
    for input in &inputs {
        for model in &models {
            let exit = match typed.fronts {
                true => run.fronts(input, model),
                false => run.engines(input, model),
            };
            let exit = exit.unwrap_or_else(|error| {
                failed(&error, output, Some(&input.shown()), Some(&model.text()))
            });
            worst = worst.max(exit);
        }
    }
    Ok(worst)
}

/// Two front ends read C alone.
fn fit_for_fronts(files: &[PathBuf]) -> Result<(), String> {
    let is_c = |file: &&PathBuf| file.extension().is_some_and(|e| e == "c" || e == "i");
    match files.iter().find(|file| !is_c(file)) {
        None => Ok(()),
        Some(file) => Err(format!(
            "--fronts: two front ends read C (.c, .i), and {} is another input",
            file.display()
        )),
    }
}

fn options(typed: &CrossArgs) -> Result<SessionOptions, String> {
    let mut options = SessionOptions {
        any_threads: !typed.fronts,
        ..SessionOptions::default()
    };
    let program = &mut options.program;
    program.c = request::parse_options(&typed.c.preprocessing, program.data_model);
    request::set_checked(program, &typed.check, &typed.incomplete, None)?;
    program.havoc = typed.incomplete.unknown();
    program.bounded.bounds = Bounds::all(typed.unwind);
    Ok(options)
}

struct CrossRun<'a> {
    typed: &'a CrossArgs,
    options: SessionOptions,
    limits: Limits,
    /// How many there are.
    answers: usize,
    output: &'a Output,
}

impl CrossRun<'_> {
    /// Several engines on a system, or on a program with any number of threads.
    fn engines(&self, input: &Input, model: &ModelName) -> Result<Exit, Error> {
        let options = CrossOptions {
            processes: self.typed.procs.clone(),
            steps: self.typed.steps,
        };
        let session = Session::read(input, &self.options)?;
        let found = session.cross(&model.text(), &options, self.limits)?;
        let exit = exit(
            found.disagreements.is_empty(),
            CrossOutcome::is_decided(&found),
        );
        let answer = EnginesAnswer::new(&input.shown(), &found, exit.code());
        let style = self.output.style(self.answers);
        self.output.answer(answer, |a| cross::text(a, style));
        Ok(exit)
    }

    /// Our own front end and clang on a C program.
    fn fronts(&self, input: &Input, model: &ModelName) -> Result<Exit, Error> {
        let levels = &self.typed.levels;
        let found = fronts::fronts(input, model, levels, &self.options, self.limits)?;
        let exit = exit(
            found.disagreements.is_empty(),
            FrontsOutcome::is_decided(&found),
        );
        let of_result = |result: &_| Exit::of(result, false).code();
        let answer = FrontsAnswer::new(&input.shown(), &found, exit.code(), &of_result);
        let style = self.output.style(self.answers);
        self.output
            .answer(answer, |a| shown::text(a, &found, style));
        Ok(exit)
    }
}

/// Answers that contradict each other are a bug of whoever has given one of them.
fn exit(agree: bool, is_decided: bool) -> Exit {
    match (agree, is_decided) {
        (false, _) => Exit::Internal,
        (true, true) => Exit::Safe,
        (true, false) => Exit::Inconclusive,
    }
}
