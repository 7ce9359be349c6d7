//! Checking files: every file on every model, one block or JSON object each.

use super::engine;
use super::exit::{self, Exit};
use super::options::{Dump, Format};
use super::output::{self, Output};
use super::progress::Progress;
use super::request::{ModelName, Request};
use crate::check::outcome::{Outcome, Verdict};
use crate::front::diag::Diag;
use crate::front::source::SourceMap;
use crate::ir::program::Program;
use crate::mm::model::Model;
use crate::report::text::Detail;
use crate::report::{Subject, dot, json, text};
use std::path::{Path, PathBuf};

/// Does what is asked and returns the worst exit.
pub fn run(request: &Request, output: &Output) -> Exit {
    request
        .files
        .iter()
        .map(|f| file(f, request, output))
        .max()
        .unwrap_or(Exit::Safe)
}

fn file(path: &Path, request: &Request, output: &Output) -> Exit {
    let input = path.display().to_string();
    let mut sources = SourceMap::default();
    if request.dump == Some(Dump::Ast) {
        return match engine::dump_syntax(&mut sources, path, request) {
            Ok(text) => {
                output::print(&text);
                Exit::Safe
            }
            Err(diags) => refused(&sources, &input, None, &diags, output),
        };
    }
    let program = match engine::program(&mut sources, path, request) {
        Ok(program) => program,
        Err(diags) => return refused(&sources, &input, None, &diags, output),
    };
    if request.dump == Some(Dump::Ir) {
        output::print(&format!("{program:#?}\n"));
        return Exit::Safe;
    }
    let each = request
        .models
        .iter()
        .map(|name| match engine::model(&mut sources, name) {
            Ok(model) => on_model(&sources, &input, &program, name, &model, request, output),
            Err(diags) => refused(&sources, &input, Some(&name.text()), &diags, output),
        });
    each.max().unwrap_or(Exit::Safe)
}

fn on_model(
    sources: &SourceMap,
    input: &str,
    program: &Program,
    name: &ModelName,
    model: &Model,
    request: &Request,
    output: &Output,
) -> Exit {
    let wanted = output.format == Format::Text && output.style.detail > Detail::Quiet;
    let progress = Progress::show(&format!("{input} on {}", model.name), wanted);
    let result = engine::check(sources, program, model, request);
    drop(progress);
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => {
            output::warn(&exit::report_bug(&error.message));
            if output.format == Format::Json {
                let diag = Diag::bare(format!("internal error: {}", error.message));
                let code = Exit::Internal.code();
                output::print(&json::refused(
                    sources,
                    Some(input),
                    Some(&name.text()),
                    &[diag],
                    code,
                ));
            }
            return Exit::Internal;
        }
    };
    let exit = Exit::of(&outcome, request.accept_bound);
    let subject = Subject {
        sources,
        input,
        model_title: &model.title,
        unwind: request.check.unwind,
    };
    match output.format {
        Format::Json => output::print(&json::outcome(&subject, &outcome, exit.code())),
        Format::Text => {
            let several = request.files.len() * request.models.len() > 1;
            let style = text::Style {
                heading: several,
                ..output.style
            };
            output::print(&text::outcome(&subject, &outcome, style));
        }
    }
    exit.max(draw(sources, &outcome, request))
}

/// Writes the graph of a violation. Of several models each has a file of its own: `g.tso.dot`.
fn draw(sources: &SourceMap, outcome: &Outcome, request: &Request) -> Exit {
    let (Some(path), Verdict::Unsafe(trace)) = (&request.dot, &outcome.verdict) else {
        return Exit::Safe;
    };
    let path = if request.models.len() > 1 {
        with_model(path, &outcome.model)
    } else {
        path.clone()
    };
    match std::fs::write(&path, dot::graph(sources, trace)) {
        Ok(()) => Exit::Safe,
        Err(error) => {
            output::warn(&format!(
                "error: {} cannot be written: {error}\n",
                path.display()
            ));
            Exit::Usage
        }
    }
}

fn with_model(path: &Path, model: &str) -> PathBuf {
    let model: String = model
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("dot");
    path.with_extension(format!("{model}.{extension}"))
}

fn refused(
    sources: &SourceMap,
    input: &str,
    model: Option<&str>,
    diags: &[Diag],
    output: &Output,
) -> Exit {
    diags
        .iter()
        .for_each(|d| output::warn(&d.render(sources, output.color_errors)));
    if output.format == Format::Json {
        output::print(&json::refused(
            sources,
            Some(input),
            model,
            diags,
            Exit::Input.code(),
        ));
    }
    Exit::Input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_file_of_its_own() {
        assert_eq!(
            with_model(Path::new("out/g.dot"), "tso"),
            Path::new("out/g.tso.dot")
        );
        assert_eq!(
            with_model(Path::new("g"), "a/b.cat"),
            Path::new("g.a_b_cat.dot")
        );
    }
}
