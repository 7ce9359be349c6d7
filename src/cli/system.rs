//! Checking systems of any number of processes (`.cub`), and their certificates.

use super::exit::Exit;
use super::failure::{self, failed};
use super::options::CheckCertificateArgs;
use super::output::{self, Output};
use super::request::{self, Request};
use super::values::Emit;
use crate::driver::outcome::{SystemOutcome, SystemVerdict};
use crate::driver::system::{CertificateOutcome, unsupported_model};
use crate::driver::{Error, Input, InputKind, ModelName, Outcome, Session, SessionOptions};
use crate::front::llvm::compile::SourceLanguage;
use crate::report::answer::system::SystemAnswer;
use crate::report::{cub, html, system};
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use std::path::Path;

/// A system on the models asked for; the worst exit.
pub fn run(request: &Request, output: &Output, path: &Path) -> Exit {
    let input = path.display().to_string();
    if let Some(emit) = request.emit {
        return self::emit(request, output, path, emit);
    }
    let each = request.models.iter().map(|name| {
        let checked = check(request, path, name);
        let exit = checked.map(|(session, outcome)| {
            for d in &outcome.warnings {
                output::warn(&d.render(session.sources(), output.color_errors));
            }
            let sources = session.sources();
            answered(request, output, sources, path, name, &outcome)
        });
        exit.unwrap_or_else(|error| failed(&error, output, Some(&input), Some(&name.text())))
    });
    each.max().unwrap_or(Exit::Safe)
}

/// Prints the system that an x86 program is translated to.
fn emit(request: &Request, output: &Output, path: &Path, emit: Emit) -> Exit {
    let input = path.display().to_string();
    if emit != Emit::Cub {
        let text = format!("{input}: --emit c is about litmus tests; x86 programs have --emit cub");
        return failure::refused(output, &input, None, Diag::bare(text));
    }
    match Session::read(&Input::file(path), &request.options) {
        Ok(session) => {
            let text = session.system().map(cub::system);
            output::print(&text.unwrap_or_default());
            Exit::Safe
        }
        Err(error) => failed(&error, output, Some(&input), None),
    }
}

/// Reads a system and checks it on a model.
fn check(
    request: &Request,
    path: &Path,
    name: &ModelName,
) -> Result<(Session, SystemOutcome), Error> {
    let mut session = Session::read(&Input::file(path), &request.options)?;
    let model = model(&mut session, name)?;
    match session.check(&model, request.limits)? {
        Outcome::System(outcome) => Ok((session, *outcome)),
        Outcome::Program(_) | Outcome::Litmus(_) => {
            Err(Error::Internal("the outcome is of another kind".into()))
        }
    }
}

/// The model; no cat file is one that systems can be checked on.
fn model(session: &mut Session, name: &ModelName) -> Result<Model, Error> {
    match name {
        ModelName::BuiltIn(_) => session.load_model(name),
        ModelName::File(_) => {
            let diag = unsupported_model(&name.text());
            Err(Error::refused(session.sources(), vec![diag]))
        }
    }
}

/// Writes what is wanted of an answer, and prints it.
pub(super) fn answered(
    request: &Request,
    output: &Output,
    sources: &SourceMap,
    path: &Path,
    name: &ModelName,
    outcome: &SystemOutcome,
) -> Exit {
    let exit = match outcome.verdict {
        SystemVerdict::Safe => Exit::Safe,
        SystemVerdict::Unsafe(_) => Exit::Unsafe,
        SystemVerdict::Unknown { .. } => Exit::Inconclusive,
    };
    let graph = outcome.exploration.as_ref().map(|nodes| system::dot(nodes));
    let input = path.display().to_string();
    let answer = SystemAnswer::new(sources, &input, outcome, exit.code());
    let page = request.html.as_ref();
    let page = page.map(|_| html::page(sources, &answer, None));
    let files = [
        (&request.certificate, &outcome.certificate),
        (&request.dot, &graph),
        (&request.html, &page),
    ];
    for (file, text) in files {
        if let (Some(file), Some(text)) = (file, text) {
            let file = request.output_file(file, path, name);
            if let Err(exit) = output::write(&file, text) {
                return exit;
            }
        }
    }
    let style = output.style(request.of.0 * request.of.1);
    output.answer(answer, |a| system::text(a, style));
    exit
}

/// The file is a C program by its name.
pub(super) fn is_c(file: &Path) -> bool {
    let extension = file.extension().and_then(|e| e.to_str());
    matches!(extension, Some("c" | "i" | "h" | "ll")) || SourceLanguage::of(file).is_some()
}

/// The file as a C program, an x86 program or, whatever its name, as a system.
fn system_input(file: &Path) -> Input {
    match InputKind::of(file) {
        InputKind::Assembly => Input::file(file),
        _ if is_c(file) => Input::file(file),
        _ => Input::system(file),
    }
}

/// Checks a certificate of a system.
pub fn check_certificate(typed: &CheckCertificateArgs, model: &str, output: &Output) -> Exit {
    let name = match request::model(model) {
        Ok(name) => name,
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            return Exit::Usage;
        }
    };
    let input = typed.file.display().to_string();
    let mut options = SessionOptions {
        any_threads: true,
        ..SessionOptions::default()
    };
    let data_model = options.program.data_model;
    options.program.c = request::parse_options(&typed.preprocessing, data_model);
    let checked = Session::read(&system_input(&typed.file), &options).and_then(|session| {
        let mut sources = SourceMap::default();
        let id = sources.load(&typed.certificate).map_err(|e| {
            let diag = Diag::unreadable(&e);
            Error::refused(&sources, vec![diag])
        })?;
        let text = &sources.file(id).text;
        let goals = match &typed.smt2 {
            Some(path) => Some((path, session.certificate_goals(&name.text(), text)?)),
            None => None,
        };
        Ok((session.check_certificate(&name.text(), text)?, goals))
    });
    let checked = match checked {
        Ok((checked, Some((path, goals)))) => match output::write(path, &goals) {
            Ok(()) => Ok(checked),
            Err(exit) => return exit,
        },
        Ok((checked, None)) => Ok(checked),
        Err(error) => Err(error),
    };
    match checked {
        Ok(CertificateOutcome::Valid { cubes }) => {
            let prove = match cubes {
                1 => "1 cube proves".into(),
                n => format!("{n} cubes prove"),
            };
            output::print(&format!("VALID: {prove} that {input} is safe\n"));
            Exit::Safe
        }
        Ok(CertificateOutcome::Invalid { reason }) => {
            output::print(&format!("INVALID: {reason}\n"));
            Exit::Unsafe
        }
        Err(error) => failed(&error, output, Some(&input), Some(&name.text())),
    }
}
