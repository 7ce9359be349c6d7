//! The answers that the watchdog gives where a limit is exceeded and no pass asks for it, or the user
//! ends the process: what has been established of the model that is being checked, `UNKNOWN` for every
//! other one that is still to be answered.

use super::exit::Exit;
use super::output::{self, Output};
use super::print::print;
use super::request::Request;
use super::svcomp;
use crate::check::outcome::{CheckResult, UnknownReason};
use crate::driver::specification::has_chosen;
use crate::driver::{Checks, Input, ModelName, limits, stage, watchdog};
use crate::report::answer::refused::RefusedAnswer;
use crate::report::svcomp::SvCompAnswer;
use crate::report::{Subject, codes};
use base::diag::Diag;
use base::source::SourceMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The answers that are still to be given about a file.
#[derive(Clone)]
pub struct Open {
    /// The file, as the user names it.
    pub input: String,
    /// The models.
    pub models: Vec<ModelName>,
    /// What is checked.
    pub checks: Checks,
    /// Assertions that the program has.
    pub assertions: usize,
    /// What is taken for granted about what is not in the program.
    pub assumptions: Vec<String>,
    /// The files that were read.
    pub sources: SourceMap,
    /// The answer for a part of what is checked on the first model.
    pub established: Arc<Mutex<Option<CheckResult>>>,
}

/// Watches over the work on some answers, of which so many seconds are spent.
pub fn start(request: &Request, output: &Output, open: &Open, spent: f64) {
    let (limits, output) = (request.limits, output.clone());
    let (request, open) = (request.clone(), open.clone());
    let begun = Instant::now();
    let words = move |reason: &UnknownReason| {
        let seconds = spent + begun.elapsed().as_secs_f64();
        output::exit(undecided(&request, &output, &open, reason, seconds)).code()
    };
    watchdog::start(limits, spent, Box::new(words));
}

fn undecided(
    request: &Request,
    output: &Output,
    open: &Open,
    reason: &UnknownReason,
    seconds: f64,
) -> Exit {
    let mut sources = open.sources.clone();
    let established = open.established.lock();
    let mut established = established.unwrap_or_else(PoisonError::into_inner).take();
    let mut exit = Exit::Inconclusive;
    for name in &open.models {
        let Ok(model) = name.load(&mut sources) else {
            continue;
        };
        let mut result = match established.take() {
            Some(answer) => CheckResult {
                stopped: Some(reason.clone()),
                ..answer
            },
            None => CheckResult::unknown(&model.name, &open.checks.on(&model), reason.clone()),
        };
        result.stats.peak_mb = limits::peak_mb();
        if let (Some(stage), true) = (stage::last_begun(), result.stats.seconds.is_empty()) {
            result.stats.seconds.push((stage, seconds));
        }
        let subject = Subject {
            sources: &sources,
            input: &open.input,
            model_title: &model.title,
            unwind: request.options.program.bounded.bounds.largest(),
            assertions: open.assertions,
            bounded_arguments: false,
            assumptions: &open.assumptions,
            warnings: &[],
            chosen: has_chosen(&request.options.program),
            races_undefined: model.leaves_races_undefined(),
            threads: request.options.program.threads,
            history: None,
            clients: 1,
        };
        exit = exit.max(print(request, output, &subject, &result).0);
    }
    if request.svcomp {
        svcomp::print_answer(&SvCompAnswer::Unknown);
    }
    refuse_rest(request, output, &open.input, reason);
    let code = match reason {
        UnknownReason::Interrupted => watchdog::INTERRUPTED as u8,
        _ => exit.code(),
    };
    output.finish(code);
    exit
}

/// Says that the inputs behind one are not begun.
pub fn refuse_rest(request: &Request, output: &Output, input: &str, reason: &UnknownReason) {
    let files = request.inputs.iter().map(Input::shown);
    for file in files.skip_while(|f| f != input).skip(1) {
        let message = "not looked at, as the process had to end";
        output::warn(&format!("{file}: {message}\n"));
        let diag = Diag::bare(message).with_code(codes::of_unknown(reason));
        let (none, exit) = (SourceMap::default(), Exit::Inconclusive.code());
        output.give(RefusedAnswer::new(&none, Some(&file), None, &[diag], exit));
    }
}
