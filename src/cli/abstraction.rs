//! `wmbmc abstract`: predicate abstraction of C programs.

use super::certificate;
use super::exit::Exit;
use super::failure::failed;
use super::options::{AbstractArgs, AbstractEmit, AbstractMethod};
use super::output::{self, Output};
use super::request;
use crate::driver::abstraction::{
    Abstraction, AbstractionMethod, AbstractionOptions, AbstractionOutcome, AbstractionVerdict,
    BufferBound, FenceOutcome,
};
use crate::driver::{Error, Input, Limits, ModelName};
use crate::report::answer::abstraction::AbstractionAnswer;
use crate::report::answer::fences::FencesAnswer;
use crate::report::{abstraction, fences};
use std::path::{Path, PathBuf};

/// Checks each file on each model; the worst exit.
///
/// # Errors
/// A model that does not exist, or a wrong limit, as a sentence.
pub fn run(typed: &AbstractArgs, output: &Output) -> Result<Exit, String> {
    let models = typed.mm.iter().map(|m| request::model(m));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let limits = request::limits(typed.time.timeout, typed.c.memory)?;
    let options = options(typed)?;
    let style = output.style(typed.files.len() * models.len());
    let mut worst = Exit::Safe;
    for file in &typed.files {
        let input = file.display().to_string();
        let read = match Abstraction::read(&Input::file(file), &options) {
            Ok(read) => read,
            Err(error) => {
                worst = worst.max(failed(&error, output, Some(&input), None));
                continue;
            }
        };
        for model in &models {
            let name = model.text();
            let exit = match one(typed, &read, &name, limits) {
                Ok(Found::Text(text)) => {
                    output::print(&text);
                    Exit::Safe
                }
                Ok(Found::Fences(found)) => {
                    let exit = match &found {
                        FenceOutcome::Placed(_) => Exit::Safe,
                        FenceOutcome::NotEnough { verdict, .. } => exit(verdict),
                    };
                    let sources = read.sources();
                    let answer = FencesAnswer::new(sources, &input, &name, &found, exit.code());
                    output.answer(answer, |a| fences::text(a, style));
                    exit
                }
                Ok(Found::Outcome(found)) => {
                    let exit = exit(&found.verdict);
                    let sources = read.sources();
                    let answer = AbstractionAnswer::new(sources, &input, &found, exit.code());
                    output.answer(answer, |a| abstraction::text(a, style));
                    let path = certificate_file(typed, file, model);
                    exit.max(certificate::write(path, &found))
                }
                Err(error) => failed(&error, output, Some(&input), Some(&name)),
            };
            worst = worst.max(exit);
        }
    }
    Ok(worst)
}

fn options(typed: &AbstractArgs) -> Result<AbstractionOptions, String> {
    let mut options = AbstractionOptions::default();
    let data_model = options.program.data_model;
    options.program.c = request::parse_options(&typed.c.preprocessing, data_model);
    options.predicates = typed.predicates.as_ref().map(Input::file);
    options.buffer = match (typed.buffer.as_str(), typed.buffer.parse()) {
        ("auto", _) => BufferBound::Auto,
        (_, Ok(k)) if (1..=8).contains(&k) => BufferBound::Fixed(k),
        (other, _) => return Err(format!("--buffer takes 1 to 8, or auto, not {other}")),
    };
    options.rules.equalities = typed.equalities;
    options.method = match typed.method {
        AbstractMethod::Auto => AbstractionMethod::Auto,
        AbstractMethod::Predicates => AbstractionMethod::Predicates,
        AbstractMethod::Search => AbstractionMethod::Search,
        AbstractMethod::Cubes => AbstractionMethod::Cubes,
    };
    options.jobs = typed.jobs;
    options.cubes = usize::from(typed.cubes);
    options.max_states = typed.max_states;
    options.certificate = typed.certificate.is_some();
    Ok(options)
}

enum Found {
    Text(String),
    Outcome(Box<AbstractionOutcome>),
    Fences(FenceOutcome),
}

fn one(
    typed: &AbstractArgs,
    read: &Abstraction,
    model: &str,
    limits: Limits,
) -> Result<Found, Error> {
    Ok(match typed.emit {
        Some(AbstractEmit::Reduced) => Found::Text(read.reduced_c(model)?),
        Some(AbstractEmit::Predicates) => {
            let all = read.predicates(model, limits)?;
            Found::Text(all.iter().map(|p| format!("{p}\n")).collect())
        }
        Some(AbstractEmit::Boolean) => Found::Text(read.boolean(model, limits)?),
        None if typed.infer_fences => Found::Fences(read.infer_fences(model, limits)?),
        None => Found::Outcome(Box::new(read.check(model, limits)?)),
    })
}

fn exit(verdict: &AbstractionVerdict) -> Exit {
    match verdict {
        AbstractionVerdict::Safe => Exit::Safe,
        AbstractionVerdict::Unsafe { .. } => Exit::Unsafe,
        AbstractionVerdict::Unknown { .. } => Exit::Inconclusive,
    }
}

/// Where the certificate of a file on a model goes.
fn certificate_file(typed: &AbstractArgs, file: &Path, model: &ModelName) -> Option<PathBuf> {
    let path = typed.certificate.as_ref()?;
    let inputs: Vec<String> = typed
        .files
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    let input = typed.files.iter().position(|f| f == file);
    let at = typed
        .mm
        .iter()
        .position(|m| m.eq_ignore_ascii_case(&model.text()));
    let mut labels = Vec::new();
    labels.extend(input.and_then(|i| output::label(&inputs, i)));
    labels.extend(at.and_then(|i| output::label(&typed.mm, i)));
    Some(output::labelled(path, &labels))
}
