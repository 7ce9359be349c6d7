//! The answers that the watchdog gives where a limit is exceeded and no pass asks for it: `UNKNOWN`
//! for every model that is still to be answered.

use super::exit::Exit;
use super::output::{self, Output};
use super::print::print;
use super::request::Request;
use super::svcomp;
use crate::base::source::SourceMap;
use crate::check::outcome::{CheckResult, UnknownReason};
use crate::driver::specification::chosen;
use crate::driver::{Input, ModelName, limits, watchdog};
use crate::ir::program::PropertyKind;
use crate::report::Subject;
use crate::report::svcomp::SvCompAnswer;

/// The answers that are still to be given about a file.
#[derive(Clone)]
pub struct Open {
    /// The file, as the user names it.
    pub input: String,
    /// The models.
    pub models: Vec<ModelName>,
    /// What is checked.
    pub checks: Vec<PropertyKind>,
    /// Assertions that the program has.
    pub assertions: usize,
}

/// Watches over the work on some answers, of which so many seconds are spent.
pub fn start(request: &Request, output: &Output, open: &Open, spent: f64) {
    let (limits, output) = (request.limits, *output);
    let (request, open) = (request.clone(), open.clone());
    let words = move |reason: &UnknownReason| undecided(&request, &output, &open, reason).code();
    watchdog::start(limits, spent, Box::new(words));
}

fn undecided(request: &Request, output: &Output, open: &Open, reason: &UnknownReason) -> Exit {
    let mut sources = SourceMap::default();
    for name in &open.models {
        let Ok(model) = name.load(&mut sources) else {
            continue;
        };
        let mut result = CheckResult::unknown(&model.name, &open.checks, reason.clone());
        result.stats.peak_mb = limits::peak_mb();
        let subject = Subject {
            sources: &sources,
            input: &open.input,
            model_title: &model.title,
            unwind: request.options.program.bounded.bounds.largest(),
            assertions: open.assertions,
            bounded_arguments: false,
            chosen: chosen(&request.options.program).is_some(),
            threads: request.options.program.threads,
        };
        print(request, output, &subject, &result);
    }
    if request.svcomp {
        svcomp::print_answer(&SvCompAnswer::Unknown);
    }
    let files = request.inputs.iter().map(Input::shown);
    for file in files.skip_while(|f| *f != open.input).skip(1) {
        output::warn(&format!(
            "{file}: not looked at, as the process had to end\n"
        ));
    }
    Exit::Inconclusive
}
