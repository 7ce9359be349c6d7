//! Printing what was found of a C program.

use super::exit::Exit;
use super::output::Output;
use super::request::Request;
use crate::check::outcome::CheckResult;
use crate::report::answer::program::ProgramAnswer;
use crate::report::{Subject, html, text};

/// Prints a result; its exit, and the page for a browser if that is wanted.
pub fn print(
    request: &Request,
    output: &Output,
    subject: &Subject,
    result: &CheckResult,
) -> (Exit, Option<String>) {
    let exit = Exit::of(result, request.accept_bound);
    let answer = ProgramAnswer::new(subject, result, exit.code());
    let (sources, found) = (subject.sources, result.violation());
    let page = request.html.as_ref();
    let page = page.map(|_| html::page(sources, &answer, found.and_then(|f| f.trace.as_ref())));
    let style = output.style(request.of.0 * request.of.1);
    output.answer(answer, |a| text::program(sources, a, found, style));
    (exit, page)
}
