//! Inputs that are refused, wrong bounds, and bugs: what is said of each, and the exit.

use super::exit::{self, Exit};
use super::output::{self, Output};
use super::values::Format;
use crate::check::loops::UnknownLoop;
use crate::driver::Error;
use crate::driver::passes::Pass;
use crate::report::Answer;
use crate::report::answer::refused::RefusedAnswer;
use base::code::Code;
use base::diag::Diag;
use base::nearest::nearest;
use base::source::SourceMap;

/// What is said of an error.
pub struct Failure {
    /// To standard error.
    pub err: String,
    /// The answer, if the format is not text.
    pub answer: Option<Answer>,
    /// What it counts as.
    pub exit: Exit,
}

/// What is said of an error with an input, and maybe a model.
pub fn failure(
    error: &Error,
    output: &Output,
    input: Option<&str>,
    model: Option<&str>,
) -> Failure {
    let none = SourceMap::default();
    let (sources, diags, exit) = match error {
        Error::Refused(refused) => (&refused.sources, refused.diags.clone(), Exit::Input),
        Error::UnknownLoop(unknown) => (&none, vec![no_loop(unknown)], Exit::Usage),
        Error::Internal(message) => {
            let diag = Diag::bare(format!("internal error: {message}")).with_code(Code::Bug);
            (&none, vec![diag], Exit::Internal)
        }
    };
    let err = match error {
        Error::Internal(message) => exit::report_bug(message),
        _ => {
            let rendered = diags.iter().map(|d| d.render(sources, output.color_errors));
            rendered.collect()
        }
    };
    let answer = match output.format {
        Format::Text => None,
        _ => {
            let code = exit.code();
            Some(RefusedAnswer::new(sources, input, model, &diags, code).into())
        }
    };
    Failure { err, answer, exit }
}

/// Says it.
pub fn failed(error: &Error, output: &Output, input: Option<&str>, model: Option<&str>) -> Exit {
    let failure = failure(error, output, input, model);
    output::warn(&failure.err);
    if let Some(answer) = failure.answer {
        output.give(answer);
    }
    failure.exit
}

/// Refuses an input for a reason without a place.
pub fn refused(output: &Output, input: &str, model: Option<&str>, reason: Diag) -> Exit {
    let error = Error::refused(&SourceMap::default(), vec![reason]);
    failed(&error, output, Some(input), model)
}

/// Says that a limit has passed before a pass had ended, so that what it hands on is not printed.
pub fn incomplete(pass: Pass, input: &str, model: &str) -> Exit {
    let text = match pass {
        Pass::Analyse => "before the relations were bounded; nothing is printed",
        _ => "before the formula was complete; it is not written",
    };
    output::warn(&format!("{input} on {model}: a limit has passed {text}\n"));
    Exit::Inconclusive
}

/// A name that `--unwindset` got, and the loops there are.
fn no_loop(unknown: &UnknownLoop) -> Diag {
    let names: Vec<&str> = unknown.loops.iter().map(String::as_str).collect();
    let hint = match nearest(&unknown.name, &names) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    let there_are = match names.is_empty() {
        true => "the program has no loops and no recursive functions".to_string(),
        false => format!("loops and recursive functions: {}", names.join(", ")),
    };
    let name = &unknown.name;
    let message = format!("--unwindset: no loop is called `{name}`{hint}");
    Diag::bare(message)
        .with_code(Code::UnknownLoop)
        .note(there_are)
}
