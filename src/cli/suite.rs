//! `wmbmc suite`: many litmus tests on many models, as many at once as the machine has processors.
//!
//! A test that cannot be read is reported with file, line and column, and the others go on. What
//! is printed comes in the order of the files, whatever was done first. Shards take every N-th
//! test, so that any scheduler can spread a suite over machines.

use super::exit::Exit;
use super::expect;
use super::failure::{Failure, failure};
use super::litmus::{exit_of, shown};
use super::output::{self, Output};
use super::proof::{self, Proved};
use super::request::{SuiteRequest, Wanted};
use super::values::Format;
use crate::check::litmus::Finding;
use crate::check::outcome::UnknownReason;
use crate::driver::litmus::{LitmusQuestion, engines};
use crate::driver::outcome::{LitmusOutcome, contradict};
use crate::driver::{Engine, Error, Input, ModelName, Outcome, Session, SessionOptions};
use crate::report::answer::litmus::{AboutLitmus, LitmusAnswer};
use crate::report::table::{Count, Table};
use crate::report::text::Detail;
use crate::report::{Answer, herd};
use base::source::SourceMap;
use cat::model::Model;
use indicatif::{ProgressBar, ProgressStyle};
use ir::bounds::Bounds;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a test has come to.
#[derive(Serialize, Deserialize)]
pub struct Report {
    /// By model and engine, if the format is not text.
    answers: Vec<Answer>,
    /// Goes to standard error.
    err: String,
    /// By model: goes to its log.
    logs: Vec<String>,
    /// By model and engine, in this order.
    counts: Vec<Count>,
    /// The file could not be read.
    refused: bool,
    exit: Exit,
}

impl Report {
    fn failed(&mut self, failure: Failure) {
        self.err += &failure.err;
        self.answers.extend(failure.answer);
        self.exit = self.exit.max(failure.exit);
    }
}

/// Runs the suite and returns the worst exit; an answer that is not the expected one, or that the
/// engines do not agree on, counts as a violation.
pub fn run(request: &SuiteRequest, output: &Output) -> Exit {
    let start = Instant::now();
    let files = match tests(&request.paths) {
        Ok(files) => files,
        Err(message) => return wrong(&message),
    };
    let (part, parts) = request.shard;
    let files: Vec<PathBuf> = files.into_iter().skip(part).step_by(parts).collect();
    match reports(request, output, &files) {
        Ok(reports) => present(request, output, reports, start.elapsed().as_secs_f64()),
        Err(exit) => exit,
    }
}

/// The models of a suite.
fn models(request: &SuiteRequest, output: &Output) -> Result<Vec<Model>, Exit> {
    let mut sources = SourceMap::default();
    let each = request.models.iter().map(|name| {
        name.load(&mut sources).map_err(|error| {
            output::warn(&failure(&error, output, None, None).err);
            Exit::Input
        })
    });
    each.collect()
}

/// Answers these tests.
///
/// # Errors
/// The exit, where that cannot begin; why has been said.
pub fn reports(
    request: &SuiteRequest,
    output: &Output,
    files: &[PathBuf],
) -> Result<Vec<Report>, Exit> {
    let models = models(request, output)?;
    let expected = request.expect.as_deref().map(expect::load).transpose();
    let expected = expected.map_err(|message| wrong(&message))?;
    let expected = expected.unwrap_or_default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.jobs);
    let pool = pool.build();
    let pool = pool.map_err(|error| wrong(&format!("no threads can be started: {error}")))?;
    let bar = progress(files.len());
    let suite = Suite {
        request,
        output,
        models: &models,
        expected: &expected,
    };
    let reports: Vec<Report> = pool.install(|| {
        let each = files.par_iter().map(|path| {
            let report = suite.test(path);
            bar.inc(1);
            report
        });
        each.collect()
    });
    bar.finish_and_clear();
    Ok(reports)
}

/// Prints what all tests have come to, in so many seconds; the worst exit.
pub fn present(
    request: &SuiteRequest,
    output: &Output,
    reports: Vec<Report>,
    seconds: f64,
) -> Exit {
    let models = match models(request, output) {
        Ok(models) => models,
        Err(exit) => return exit,
    };
    let mut table = table(request, &models);
    let mut worst = Exit::Safe;
    let mut logs = vec![String::new(); models.len()];
    for report in reports {
        worst = worst.max(report.exit);
        output::warn(&report.err);
        report.answers.into_iter().for_each(|a| output.give(a));
        table.add(&report.counts, report.refused);
        for (log, text) in logs.iter_mut().zip(&report.logs) {
            *log += text;
        }
    }
    if let Some(path) = &request.log {
        let names: Vec<String> = request.models.iter().map(ModelName::text).collect();
        for (i, text) in logs.iter().enumerate() {
            let labels: Vec<String> = output::label(&names, i).into_iter().collect();
            let path = output::labelled(path, &labels);
            if let Err(exit) = output::write(&path, text) {
                worst = worst.max(exit);
            }
        }
    }
    if request.expect.is_some() && table.compared() == 0 {
        let message = "no answer could be compared: the file of --expect has none of these tests, \
                       or none of these models";
        worst = worst.max(wrong(message));
    }
    if output.format == Format::Text {
        output::print(&table.text(seconds));
    }
    worst
}

fn wrong(message: &str) -> Exit {
    output::warn(&format!("error: {message}\n"));
    Exit::Usage
}

/// A bar on terminals.
fn progress(tests: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} tests, {eta} left");
    let bar = ProgressBar::new(tests as u64);
    // The template is constant; without it the bar looks as the library likes.
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

/// The tests that paths name: directories are searched, `@` files list tests beside them.
///
/// # Errors
/// A sentence: one cannot be read, or has no tests.
pub fn tests(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    for path in paths {
        let unread = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
        let listed = path.file_name().and_then(|n| n.to_str());
        if path.is_dir() {
            let before = out.len();
            below(path, &mut out).map_err(unread)?;
            if out.len() == before {
                return Err(format!("there is no .litmus file below {}", path.display()));
            }
        } else if listed.is_some_and(|name| name.starts_with('@')) {
            let text = std::fs::read_to_string(path).map_err(unread)?;
            let folder = path.parent().unwrap_or(Path::new(""));
            let lines = text.lines().map(str::trim);
            let named = lines.filter(|l| !l.is_empty() && !l.starts_with('#'));
            out.extend(named.map(|l| folder.join(l)));
        } else {
            out.push(path.clone());
        }
    }
    Ok(out)
}

fn below(folder: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
    let mut paths: Vec<PathBuf> = entries?.iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            below(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "litmus") {
            out.push(path);
        }
    }
    Ok(())
}

/// What all tests are asked.
struct Suite<'a> {
    request: &'a SuiteRequest,
    output: &'a Output,
    models: &'a [Model],
    expected: &'a expect::Expected,
}

/// The summary, empty.
fn table(request: &SuiteRequest, models: &[Model]) -> Table {
    let engines = engines(request.options.bounded.engine);
    let rows = models.iter().flat_map(|m| {
        let named = engines.iter().map(|e| (m.name.clone(), shown(*e)));
        named.collect::<Vec<_>>()
    });
    Table::new(rows.collect())
}

impl Suite<'_> {
    fn test(&self, path: &Path) -> Report {
        let input = path.display().to_string();
        let mut report = Report {
            answers: Vec::new(),
            err: String::new(),
            logs: Vec::new(),
            counts: Vec::new(),
            refused: false,
            exit: Exit::Safe,
        };
        let options = SessionOptions {
            litmus: self.request.options.clone(),
            ..SessionOptions::default()
        };
        let session = match Session::read(&Input::litmus(path), &options) {
            Ok(session) => session,
            Err(error) => {
                report.failed(failure(&error, self.output, Some(&input), None));
                report.refused = true;
                return report;
            }
        };
        for model in self.models {
            self.on_model(&session, path, &input, model, &mut report);
        }
        report
    }

    fn on_model(
        &self,
        session: &Session,
        path: &Path,
        input: &str,
        model: &Model,
        report: &mut Report,
    ) {
        let request = self.request;
        let (Some(test), Some(subject)) = (session.litmus(), herd::Subject::of(session)) else {
            return;
        };
        let question = LitmusQuestion {
            session: test,
            model,
            sources: session.sources(),
            options: &request.options,
            limits: request.limits,
        };
        let mut bounds = request.options.bounded.bounds.clone();
        let expected = self.expected.of(path, &test.test.name, &model.name);
        let mut first: Option<Finding> = None;
        for engine in engines(request.options.bounded.engine) {
            let (start, shown) = (Instant::now(), shown(*engine));
            let found = question.answer(*engine, &mut bounds);
            let found = found.and_then(|found| match first.is_none() && request.certify {
                true => self.certified(session, model, found, *engine, &bounds),
                false => Ok(Ok(found)),
            });
            let found = match found {
                Ok(Ok(found)) => found,
                Ok(Err(exit)) => {
                    report.exit = report.exit.max(exit);
                    report.counts.push(Count::refused());
                    continue;
                }
                Err(error) => {
                    let mut said = failure(&error, self.output, Some(input), Some(&model.name));
                    if let Error::Internal(_) = error {
                        said.err = format!("{input}: {}", said.err);
                    }
                    report.failed(said);
                    report.counts.push(Count::refused());
                    continue;
                }
            };
            let known = found.is_complete();
            let mut wrong = Vec::new();
            if let Some(expected) = &expected
                && known
                && !expected.is(&found)
            {
                let observed = herd::observation(&found);
                wrong.push(format!("{shown} says {observed}, expected was {expected}"));
            }
            if let Some(other) = &first
                && contradict(other, &found)
            {
                wrong.push(self.difference(&subject, other, &found));
            }
            for message in &wrong {
                report.err += &format!("{input} on {}: {message}\n", model.name);
                report.exit = report.exit.max(Exit::Unsafe);
            }
            if !known {
                report.exit = report.exit.max(Exit::Inconclusive);
            }
            report.counts.push(Count {
                answered: known,
                holds: found.holds,
                compared: known && expected.is_some(),
                disagrees: !wrong.is_empty(),
                seconds: start.elapsed().as_secs_f64(),
            });
            let text = expected.as_ref().map(ToString::to_string);
            if self.output.format != Format::Text {
                let about = AboutLitmus {
                    input,
                    subject,
                    engine: shown,
                    expected: text.as_deref(),
                    agrees: (known && (expected.is_some() || first.is_some()))
                        .then_some(wrong.is_empty()),
                };
                let exit = if wrong.is_empty() {
                    exit_of(&test.test, &found, false)
                } else {
                    Exit::Unsafe
                };
                let answer = LitmusAnswer::new(&about, &found, exit.code());
                report.answers.push(answer.into());
            }
            if first.is_none() {
                report.logs.push(herd::block(&subject, &found) + "\n");
                first = Some(found);
            }
        }
        if first.is_none() {
            report.logs.push(String::new());
        }
    }

    /// The answer with a proof that has been checked, or without an answer where there is none; or the
    /// exit where it is refuted.
    fn certified(
        &self,
        session: &Session,
        model: &Model,
        mut found: Finding,
        engine: Engine,
        bounds: &Bounds,
    ) -> Result<Result<Finding, Exit>, Error> {
        let wanted = Wanted {
            typed: Vec::new(),
            directory: None,
            check: true,
            limits: self.request.limits,
            shown: false,
        };
        let verdict = herd::observation(&found).to_string();
        let outcome = Outcome::Litmus(Box::new(LitmusOutcome {
            answers: vec![(found.clone(), engine)],
            bounds: bounds.clone(),
        }));
        Ok(
            match proof::certify(session, model, &outcome, &verdict, &wanted)? {
                Proved::Yes => Ok(found),
                Proved::No(why) => {
                    found.unknown = Some(UnknownReason::NotCertified(why));
                    Ok(found)
                }
                Proved::Refuted(exit) => Err(exit),
            },
        )
    }

    /// How two engines differ.
    fn difference(&self, subject: &herd::Subject, a: &Finding, b: &Finding) -> String {
        let mut out = "the engines disagree".to_string();
        if self.output.style.detail == Detail::Quiet {
            return out;
        }
        if let (Some(a), Some(b)) = (&a.states, &b.states) {
            for (who, ours, theirs) in [("sat", a, b), ("enumerate", b, a)] {
                for state in ours.keys().filter(|s| !theirs.contains_key(*s)) {
                    out += &format!("\n  only {who}: {}", herd::line(subject, state));
                }
            }
        }
        out
    }
}
