//! `wmbmc abstract`: predicate abstraction of C programs.

use super::exit::Exit;
use super::failure::failed;
use super::options::{AbstractArgs, AbstractEmit, AbstractMethod};
use super::output::{self, Output};
use super::request;
use crate::driver::abstraction::{
    Abstraction, AbstractionMethod, AbstractionOptions, AbstractionOutcome, AbstractionVerdict,
    BufferBound,
};
use crate::driver::{Error, Input, Limits};
use crate::report::{abstraction, text};
use std::path::Path;

/// Checks each file on each model; the worst exit.
///
/// # Errors
/// A model that does not exist, or a wrong limit, as a sentence.
pub fn run(typed: &AbstractArgs, output: &Output) -> Result<Exit, String> {
    let models = typed.mm.iter().map(|m| request::model(m));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let limits = request::limits(typed.time.timeout, typed.c.memory)?;
    let options = options(typed)?;
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
                Ok(Found::Outcome(found)) => {
                    let heading = typed.files.len() * models.len() > 1;
                    answered(file, &found, heading, output)
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
    options.program.c.defines.clone_from(&typed.c.define);
    options.program.c.include_dirs.clone_from(&typed.c.include);
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
    Ok(options)
}

enum Found {
    Text(String),
    Outcome(Box<AbstractionOutcome>),
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
            let all = read.predicates(model)?;
            Found::Text(all.iter().map(|p| format!("{p}\n")).collect())
        }
        Some(AbstractEmit::Boolean) => Found::Text(read.boolean(model)?),
        None => Found::Outcome(Box::new(read.check(model, limits)?)),
    })
}

fn answered(file: &Path, found: &AbstractionOutcome, heading: bool, output: &Output) -> Exit {
    let style = text::Style {
        heading,
        ..output.style
    };
    output::print(&abstraction::outcome(
        &file.display().to_string(),
        found,
        style,
    ));
    match found.verdict {
        AbstractionVerdict::Safe => Exit::Safe,
        AbstractionVerdict::Unsafe { .. } => Exit::Unsafe,
        AbstractionVerdict::Unknown { .. } => Exit::Inconclusive,
    }
}
