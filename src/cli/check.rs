//! Checking files: each is read once and checked on every model; one block or JSON object each.

use super::exit::Exit;
use super::output::{self, Output};
use super::request::Request;
use super::{litmus, program, svcomp, system};
use crate::driver::{InputKind, watchdog};
use crate::report::svcomp::SvCompAnswer;

/// Does what is asked and returns the worst exit.
pub fn run(request: &Request, output: &Output) -> Exit {
    if let Err(error) = watchdog::answer_interrupts() {
        output::warn(&format!(
            "an interrupt will end this without an answer: {error}\n"
        ));
    }
    let each = request.inputs.iter().map(|input| match input.kind {
        InputKind::Litmus => litmus::run(request, output, &input.name),
        InputKind::Assembly if request.options.program.threads.is_some() => {
            program::run(request, output, input)
        }
        InputKind::System | InputKind::Assembly => system::run(request, output, &input.name),
        InputKind::Program => {
            let exit = program::run(request, output, input);
            if request.svcomp && exit >= Exit::Input {
                svcomp::print_answer(&SvCompAnswer::Unknown);
            }
            exit
        }
    });
    each.max().unwrap_or(Exit::Safe)
}
