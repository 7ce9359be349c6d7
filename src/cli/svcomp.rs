//! Verification tasks as SV-COMP sets them: the property comes from a file, the answer is the last
//! line, and a witness says why.

use super::exit::Exit;
use super::failure::failed;
use super::options::CommandLine;
use super::output::{self, Output};
use super::request::Request;
use crate::check::outcome::{CheckResult, Verdict};
use crate::driver::specification;
use crate::report::svcomp::{self, SvCompAnswer, witness};
use base::source::SourceMap;
use ir::program::{DataModel, Global, Layout, Program};
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads the property file, if one is named, and asks what it asks.
///
/// # Errors
/// The file is wrong, or asks what nothing here decides (with `--svcomp` the answer is UNKNOWN
/// then); this has been said.
pub fn specify(request: &mut Request, options: &CommandLine, output: &Output) -> Result<(), Exit> {
    let Some(path) = &options.property else {
        return Ok(());
    };
    match specification::load(path) {
        Ok(specification) => {
            request.options.program.specification = Some(specification);
            Ok(())
        }
        Err(error) => {
            let exit = failed(&error, output, None, None);
            if request.svcomp {
                print_answer(&SvCompAnswer::Unknown);
            }
            Err(exit)
        }
    }
}

/// Writes the witness and the answer, as far as they are asked for; `exit` otherwise.
pub fn answered(
    request: &Request,
    input: &str,
    sources: &SourceMap,
    program: &Program,
    outcome: &CheckResult,
    exit: Exit,
) -> Exit {
    let Some(specification) = &request.options.program.specification else {
        return exit;
    };
    let answer = svcomp::answer(specification, program, outcome);
    if let Err(exit) = write_witness(request, input, sources, program, outcome, &answer) {
        return exit;
    }
    if !request.svcomp {
        return exit;
    }
    print_answer(&answer);
    match answer {
        SvCompAnswer::True => Exit::Safe,
        SvCompAnswer::False(_) => Exit::Unsafe,
        SvCompAnswer::Unknown => Exit::Inconclusive,
    }
}

/// The line that SV-COMP reads.
pub fn print_answer(answer: &SvCompAnswer) {
    output::print(&format!("{answer}\n"));
}

/// Nothing is written without an answer.
fn write_witness(
    request: &Request,
    input: &str,
    sources: &SourceMap,
    program: &Program,
    outcome: &CheckResult,
    answer: &SvCompAnswer,
) -> Result<(), Exit> {
    let (Some(path), Some(specification)) =
        (&request.witness, &request.options.program.specification)
    else {
        return Ok(());
    };
    let bytes = std::fs::read(input).map_err(|error| {
        output::warn(&format!("error: {input} cannot be read again: {error}\n"));
        Exit::Input
    })?;
    let task = witness::VerificationTask {
        input,
        bytes: &bytes,
        specification: &specification.text,
        data_model: match request.options.program.data_model {
            DataModel::Lp64 => "LP64",
            DataModel::Ilp32 => "ILP32",
        },
        created: now(),
    };
    let text = match (answer, &outcome.verdict) {
        (SvCompAnswer::True, _) => witness::correctness(&task),
        (SvCompAnswer::False(_), Verdict::Unsafe(found)) => {
            let scalar = |g: &&Global| {
                matches!(program.layouts[g.layout], Layout::Scalar { .. }) && !g.thread_local
            };
            let globals = program.globals.iter().filter(scalar);
            let globals = globals.map(|g| g.name.clone()).collect();
            witness::violation(&task, sources, &globals, found)
        }
        _ => return Ok(()),
    };
    output::write(path, &text)
}

/// Seconds since the beginning of 1970; `SOURCE_DATE_EPOCH` replaces the clock, for witnesses that
/// are the same each time (<https://reproducible-builds.org/specs/source-date-epoch>).
fn now() -> u64 {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok();
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).ok();
    fixed
        .and_then(|seconds| seconds.parse().ok())
        .or_else(|| Some(clock()?.as_secs()))
        .unwrap_or(0)
}
