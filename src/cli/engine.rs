//! The one door from the command line to the stages before.

use super::request::{ModelName, Request};
use super::svcomp;
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::front::c;
use crate::ir::program::{Program, PropertyKind};
use crate::lower;
use crate::mm;
use crate::mm::model::Model;
use std::path::Path;

/// Names of the built-in models.
pub fn model_names() -> Vec<&'static str> {
    mm::names().map(|(name, _)| name).collect()
}

/// The built-in models: name, and one line that says what it is.
pub fn models() -> Vec<(&'static str, &'static str)> {
    mm::names().collect()
}

/// The text of a built-in model.
pub fn model_text(name: &str) -> Option<&'static str> {
    mm::text(name)
}

/// Reads a model.
///
/// # Errors
/// What is wrong with its text.
pub fn model(sources: &mut SourceMap, name: &ModelName) -> Result<Model, Vec<Diag>> {
    match name {
        ModelName::BuiltIn(name) => mm::builtin(name)
            .ok_or_else(|| vec![Diag::bare(format!("no memory model is called `{name}`"))]),
        ModelName::File(path) => mm::load(sources, path),
    }
}

/// Reads a program; the extension says what it is.
///
/// # Errors
/// What is wrong with the text, or that this kind of input is not supported.
pub fn parse(
    sources: &mut SourceMap,
    path: &Path,
    request: &Request,
) -> Result<c::ast::TranslationUnit, Vec<Diag>> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match extension {
        "c" | "i" => c::parse(sources, path, &request.c),
        "litmus" | "asm" => Err(refuse(
            path,
            &format!(".{extension} files are not supported yet"),
        )),
        "cat" => Err(refuse(
            path,
            "a memory model is no program; name it with --mm",
        )),
        "" => Err(refuse(
            path,
            "the name has no extension that tells what it is",
        )),
        _ => Err(refuse(
            path,
            &format!("programs of kind .{extension} are not known"),
        )),
    }
}

fn refuse(path: &Path, why: &str) -> Vec<Diag> {
    vec![
        Diag::bare(format!("{}: {why}", path.display()))
            .note("this build reads C programs: .c and .i"),
    ]
}

/// Lowers a program to the intermediate language, for the kinds of property that are asked for, or
/// for those that are the default for a program as it is; returns them, too.
///
/// # Errors
/// What is wrong with its types, or has no meaning here.
pub fn lower(
    sources: &SourceMap,
    unit: &c::ast::TranslationUnit,
    request: &Request,
) -> Result<(Program, Vec<PropertyKind>), Vec<Diag>> {
    let lowered = |checks: Vec<PropertyKind>| {
        let asked = svcomp::asked(request, &checks);
        let program = lower::c::lower_for(sources, unit, request.data_model, &asked)?;
        Ok((program, checks))
    };
    if let Some(checks) = &request.checks {
        return lowered(checks.clone());
    }
    let (program, checks) = lowered(PropertyKind::defaults(true))?;
    match program.assertions() {
        0 => lowered(PropertyKind::defaults(false)),
        _ => Ok((program, checks)),
    }
}
