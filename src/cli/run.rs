//! `wmbmc run`: litmus tests on the machine at hand, and whether what they show is allowed.

use super::exit::Exit;
use super::failure::failed;
use super::options::RunArgs;
use super::orders::usual_model;
use super::output::{self, Output};
use super::request;
use super::suite;
use super::values::Format;
use crate::check::litmus::Depth;
use crate::driver::error::Error;
use crate::driver::limits::Limits;
use crate::driver::native_run;
use crate::driver::{Input, ModelName, Outcome, Session, SessionOptions};
use crate::report::answer::native_run::NativeRunAnswer;
use crate::report::c::runner;
use crate::report::herd::Subject;
use crate::report::native_run::histogram;
use base::code::Code;
use base::diag::Diag;
use std::path::Path;

/// Runs each test; the worst exit.
///
/// # Errors
/// A limit or a model that does not exist, as a sentence.
pub fn run(typed: &RunArgs, output: &Output) -> Result<Exit, String> {
    if output.format.is_report() {
        return Err("run writes text and json, --format has no other here".to_string());
    }
    let limits = request::limits(typed.time.timeout, None)?;
    let model = typed.mm.as_deref().map(request::model).transpose()?;
    let files = suite::tests(&typed.tests)?;
    let mut worst = Exit::Safe;
    let (mut counts, mut refused) = ([0_usize; 3], 0_usize);
    for file in &files {
        let input = file.display().to_string();
        match answer(typed, model.as_ref(), file, limits) {
            Ok(answer) => {
                let (count, exit) = match &*answer.verdict {
                    "FORBIDDEN" => (1, Exit::Unsafe),
                    "UNKNOWN" => (2, Exit::Inconclusive),
                    _ => (0, Exit::Safe),
                };
                counts[count] += 1;
                worst = worst.max(exit);
                match output.format {
                    Format::Text if typed.quiet && count == 0 => {}
                    Format::Text => output::print(&histogram(&answer)),
                    _ => output.give(answer),
                }
            }
            Err(error) => {
                refused += 1;
                worst = worst.max(failed(&error, output, Some(&input), None));
            }
        }
    }
    if output.format == Format::Text && files.len() > 1 {
        let [allowed, forbidden, unknown] = counts;
        output::print(&format!(
            "{allowed} tests show what is allowed, {forbidden} more than that, {unknown} unknown, {refused} refused\n"
        ));
    }
    Ok(worst)
}

fn answer(
    typed: &RunArgs,
    typed_model: Option<&ModelName>,
    file: &Path,
    limits: Limits,
) -> Result<NativeRunAnswer, Error> {
    let mut options = SessionOptions::default();
    options.litmus.depth = Depth::States;
    options.litmus.details = false;
    let mut session = Session::read(&Input::litmus(file), &options)?;
    let usual = ModelName::BuiltIn(usual_model(&session).to_string());
    let model = session.load_model(typed_model.unwrap_or(&usual))?;
    let refused = |session: &Session, diag: Diag| Error::refused(session.sources(), vec![diag]);
    let Some(litmus) = session.litmus() else {
        let diag = Diag::bare(format!("{} is no litmus test", file.display()));
        return Err(refused(&session, diag));
    };
    let program = runner::program(&litmus.test, std::env::consts::ARCH);
    let program = program.map_err(|diag| refused(&session, diag))?;
    let histogram = native_run::run(&program, typed.runs).map_err(|error| {
        let diag = Diag::bare(error.to_string()).with_code(Code::Preprocessor);
        refused(&session, diag)
    })?;
    let Outcome::Litmus(outcome) = session.check(&model, limits)? else {
        return Err(Error::Internal(
            "a litmus test has another outcome".to_string(),
        ));
    };
    let (Some(subject), [(finding, _), ..]) = (Subject::of(&session), &outcome.answers[..]) else {
        return Err(Error::Internal("a litmus test has no answer".to_string()));
    };
    let input = file.display().to_string();
    Ok(NativeRunAnswer::new(&input, &subject, &histogram, finding))
}
