//! Limits are kept even where a stage does not come to ask for them: in the preprocessor and the
//! parser, in one long step, in an allocation that is larger than all before.
//!
//! A thread looks at the clock and at the memory of the process. A stage that asks answers sooner;
//! where a limit is passed by a grace nobody needs, the thread gives the answer, `UNKNOWN` with the
//! reason, and ends the process.

use super::exit::Exit;
use super::options::Format;
use super::output::{self, Output};
use super::request::{ModelName, Request};
use super::{engine, limits, svcomp};
use crate::base::source::SourceMap;
use crate::check::answer::Answer;
use crate::check::outcome::{Outcome, UnknownReason};
use crate::ir::program::PropertyKind;
use crate::report::{Subject, json, text};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long between two looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// Limits with their grace, and what is said when one has been passed.
struct Watched {
    end: Option<(Instant, f64)>,
    memory_mb: Option<u64>,
    words: LastWords,
}

/// Gives the answers that are still to be given; the exit of the process.
type LastWords = Box<dyn FnOnce(&UnknownReason) -> Exit + Send>;

static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

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
pub fn over(request: &Request, output: &Output, open: Open, spent: f64) {
    if request.timeout.is_none() && request.memory_mb.is_none() {
        return;
    }
    let end = request.timeout.map(|seconds| {
        let left = (seconds - spent).max(0.0) + 0.25 + seconds / 20.0;
        (Instant::now() + Duration::from_secs_f64(left), seconds)
    });
    let (request, output) = (request.clone(), *output);
    let memory_mb = request.memory_mb;
    let words = move |reason: &UnknownReason| undecided(&request, &output, &open, reason);
    set(Some(Watched {
        end,
        memory_mb,
        words: Box::new(words),
    }));
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        std::thread::spawn(watch);
    });
}

/// The answer is there.
pub fn end() {
    set(None);
}

fn set(watched: Option<Watched>) {
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = watched;
}

fn watch() {
    loop {
        std::thread::sleep(INTERVAL);
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reason) = watched.as_ref().and_then(passed) else {
            continue;
        };
        // The lock is kept, so that nobody else answers now.
        let exit = watched.take().map(|watched| (watched.words)(&reason));
        let exit = exit.unwrap_or(Exit::Inconclusive);
        std::process::exit(exit.code().into());
    }
}

fn passed(watched: &Watched) -> Option<UnknownReason> {
    if let Some((end, seconds)) = watched.end
        && Instant::now() >= end
    {
        return Some(UnknownReason::Timeout(seconds));
    }
    let mb = watched.memory_mb?;
    let used = limits::resident_mb()?;
    (used > mb + mb / 20).then_some(UnknownReason::Memory(mb))
}

fn undecided(request: &Request, output: &Output, open: &Open, reason: &UnknownReason) -> Exit {
    let mut sources = SourceMap::default();
    for name in &open.models {
        let Ok(model) = engine::model(&mut sources, name) else {
            continue;
        };
        let mut outcome = Outcome::unknown(&model.name, &open.checks, reason.clone());
        outcome.stats.peak_mb = limits::peak_mb();
        let exit = Exit::of(&outcome, request.accept_bound);
        let subject = Subject {
            sources: &sources,
            input: &open.input,
            model_title: &model.title,
            unwind: request.bounds.largest(),
            assertions: open.assertions,
            chosen: request.checks.is_some(),
        };
        let several = request.files.len() * request.models.len() > 1;
        let style = text::Style {
            heading: several,
            ..output.style
        };
        output::print(&match output.format {
            Format::Json => json::outcome(&subject, &outcome, exit.code()),
            Format::Text => text::outcome(&subject, &outcome, style),
        });
    }
    if request.svcomp {
        svcomp::print_answer(&Answer::Unknown);
    }
    let files = request.files.iter().map(|f| f.display().to_string());
    for file in files.skip_while(|f| *f != open.input).skip(1) {
        output::warn(&format!(
            "{file}: not looked at, as the process had to end\n"
        ));
    }
    Exit::Inconclusive
}
