//! `wmbmc check-certificate`, of a system or of a program: the first line of the certificate says which.

use super::c_programs::FrontArg;
use super::exit::Exit;
use super::failure::failed;
use super::options::CheckCertificateArgs;
use super::output::{self, Output};
use super::{request, system};
use crate::driver::abstraction::{
    Abstraction, AbstractionCertificate, AbstractionOptions, AbstractionOutcome, ValidCertificate,
};
use crate::driver::{Error, Input};
use crate::predabs::certificate::is_certificate;
use base::source::SourceMap;
use std::path::PathBuf;

/// Checks a certificate.
///
/// # Errors
/// A model that does not exist, or an option that is not about certificates of this kind, as a sentence.
pub fn run(typed: &CheckCertificateArgs, output: &Output) -> Result<Exit, String> {
    let mut sources = SourceMap::default();
    let of_program = sources.load(&typed.certificate);
    if of_program.is_ok_and(|id| is_certificate(&sources.file(id).text)) {
        return of_abstraction(typed, output);
    }
    let preprocessing = &typed.preprocessing;
    let of_programs = [
        ("-I", !preprocessing.include.is_empty()),
        ("-D", !preprocessing.define.is_empty()),
        ("-U", !preprocessing.undefine.is_empty()),
        ("--include", !preprocessing.include_file.is_empty()),
        ("--iquote", !preprocessing.iquote.is_empty()),
        ("--isystem", !preprocessing.isystem.is_empty()),
        ("--idirafter", !preprocessing.idirafter.is_empty()),
        ("--std", preprocessing.std.is_some()),
        ("--front", preprocessing.front != FrontArg::Own),
        ("--compiler-flags", !preprocessing.compiler_flags.is_empty()),
    ];
    let is_c = system::is_c(&typed.file);
    if let Some((option, _)) = of_programs.iter().find(|(_, typed)| *typed && !is_c) {
        return Err(format!("{option} is about certificates of C programs"));
    }
    let model = typed.mm.as_deref().unwrap_or("sc");
    Ok(system::check_certificate(typed, model, output))
}

/// Checks a certificate of a program.
fn of_abstraction(typed: &CheckCertificateArgs, output: &Output) -> Result<Exit, String> {
    let model = typed.mm.as_deref().map(request::model).transpose()?;
    let model = model.map(|m| m.text());
    let mut options = AbstractionOptions::default();
    let data_model = options.program.data_model;
    options.program.c = request::parse_options(&typed.preprocessing, data_model);
    let input = typed.file.display().to_string();
    let checked: Result<AbstractionCertificate, Error> =
        Abstraction::read(&Input::file(&typed.file), &options).and_then(|read| {
            read.check_certificate(&Input::file(&typed.certificate), model.as_deref())
        });
    Ok(match checked {
        Ok(AbstractionCertificate::Valid(valid)) => {
            if let Some(path) = &typed.smt2
                && let Err(exit) = output::write(path, &valid.script())
            {
                return Ok(exit);
            }
            output::print(&proved(&input, &valid));
            Exit::Safe
        }
        Ok(AbstractionCertificate::Invalid { reason }) => {
            output::print(&format!("INVALID: {reason}\n"));
            Exit::Unsafe
        }
        Err(error) => failed(&error, output, Some(&input), model.as_deref()),
    })
}

/// What a certificate proves.
fn proved(input: &str, valid: &ValidCertificate) -> String {
    let prove = match valid.cubes {
        1 => "1 cube proves".into(),
        n => format!("{n} cubes prove"),
    };
    let buffers = match valid.buffer {
        Some(_) => ", for store buffers of any size",
        None => "",
    };
    let mut out = format!(
        "VALID: {prove} that {input} is safe on {}{buffers}\n",
        valid.model
    );
    for invariant in &valid.invariants {
        out += &format!("and that this is invariant: {invariant}\n");
    }
    out
}

/// Writes the certificate of an answer, if there is one.
pub fn write(path: Option<PathBuf>, found: &AbstractionOutcome) -> Exit {
    match (path, &found.certificate) {
        (Some(path), Some(Ok(text))) => match output::write(&path, text) {
            Ok(()) => Exit::Safe,
            Err(exit) => exit,
        },
        (Some(path), Some(Err(reason))) => {
            let path = path.display();
            output::warn(&format!("warning: {path} is not written: {reason}\n"));
            Exit::Safe
        }
        _ => Exit::Safe,
    }
}
