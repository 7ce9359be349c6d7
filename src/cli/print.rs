//! Printing what was found of a C program.

use super::exit::Exit;
use super::output::Output;
use super::request::Request;
use crate::check::outcome::CheckResult;
use crate::report::{Answer, Subject, text};

/// Prints a result; its exit.
pub fn print(request: &Request, output: &Output, subject: &Subject, result: &CheckResult) -> Exit {
    let exit = Exit::of(result, request.accept_bound);
    let style = text::Style {
        heading: request.of.0 * request.of.1 > 1,
        ..output.style
    };
    output.answer(
        || Answer::program(subject, result, exit.code()),
        || text::outcome(subject, result, style),
    );
    exit
}
