//! Printing what was found of a C program.

use super::answers;
use super::exit::Exit;
use super::output::Output;
use super::request::Request;
use crate::check::outcome::CheckResult;
use crate::report::{Answer, Subject, json, text};

/// Prints a result; its exit.
pub fn print(request: &Request, output: &Output, subject: &Subject, result: &CheckResult) -> Exit {
    let exit = Exit::of(result, request.accept_bound);
    let style = text::Style {
        heading: request.of.0 * request.of.1 > 1,
        ..output.style
    };
    answers::answer(
        output,
        || json::line(&Answer::program(subject, result, exit.code())),
        || text::outcome(subject, result, style),
    );
    exit
}
