//! Checking C programs.

use super::exit::Exit;
use super::failure;
use super::output::{self, Output};
use super::print::print;
use super::proof::{self, Proved};
use super::request::Request;
use super::values::{Emit, Format};
use super::{progress, svcomp, system, watch};
use crate::check::outcome::{CheckResult, PropertyStatus, UnknownReason, Verdict};
use crate::driver::outcome::ProgramOutcome;
use crate::driver::passes::Pass;
use crate::driver::program::Extent;
use crate::driver::progress::{Listener, Progress};
use crate::driver::specification::chosen;
use crate::driver::{Checks, Engine, Error, Input, ModelName, Outcome, ParsedInput, Session};
use crate::driver::{stage, watchdog};
use crate::report::answer::program::ProgramAnswer;
use crate::report::text::Detail;
use crate::report::{Subject, cub, dot, json, text};
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, PoisonError};

/// Executions that are explored before the line that says so changes.
const SHOWN_EACH: u64 = 1000;

/// A model as named, and read if it could be.
type Named = (ModelName, Result<Model, Error>);

/// Checks a program on every model asked for; the worst exit.
pub fn run(request: &Request, output: &Output, read: &Input) -> Exit {
    let input = read.shown();
    match request.emit {
        Some(Emit::Cub) if request.options.any_threads => {
            return emit_system(request, read)
                .unwrap_or_else(|error| failure::failed(&error, output, Some(&input), None));
        }
        Some(_) => {
            let text = format!(
                "{input}: --emit c is about litmus tests; C programs have --emit cub with --threads any"
            );
            return failure::refused(output, &input, None, Diag::bare(text));
        }
        None => {}
    }
    let watch = Rc::new(Watch::new(request, output, &input));
    watch.start(0, 0.0);
    let listener = watch.clone();
    let report = Box::new(move |what: Progress| listener.tell(what));
    let exit = match lowered(read, request, &watch, report) {
        Ok(Lowered::Text(text)) => Ok(printed(&text)),
        Ok(Lowered::Session(session)) => {
            let mut run = Run {
                request,
                output,
                input: &input,
                session: *session,
                watch: &watch,
            };
            run.run()
        }
        Err(error) => Err((error, None)),
    };
    let exit = exit.unwrap_or_else(|(error, model): Failed| {
        watchdog::stop();
        failure::failed(&error, output, Some(&input), model.as_deref())
    });
    watchdog::stop();
    exit
}

/// Prints the system of a program with any number of threads, for the first model.
fn emit_system(request: &Request, read: &Input) -> Result<Exit, Error> {
    let session = Session::read(read, &request.options)?;
    let model = request
        .models
        .first()
        .map(ModelName::text)
        .unwrap_or_default();
    let system = session.any_number(&model)?;
    Ok(printed(&cub::system(&system)))
}

/// A program that is read, or the text of its first pass.
enum Lowered {
    Text(String),
    Session(Box<Session>),
}

/// Reads a program and lowers it, unless its syntax tree is all that is wanted.
fn lowered(
    read: &Input,
    request: &Request,
    watch: &Watch,
    report: Listener,
) -> Result<Lowered, Error> {
    let parsed = ParsedInput::read(read, &request.options, report)?;
    if request.dump == Some(Pass::Parse) {
        return Ok(Lowered::Text(parsed.syntax().unwrap_or_default()));
    }
    stage::begin("lower");
    let session = parsed.lower()?;
    watch.lowered(&session);
    Ok(Lowered::Session(Box::new(session)))
}

/// Why a run has ended early, and on which model.
type Failed = (Error, Option<String>);

/// A program on its way.
struct Run<'a> {
    request: &'a Request,
    output: &'a Output,
    input: &'a str,
    session: Session,
    watch: &'a Watch,
}

impl Run<'_> {
    fn run(&mut self) -> Result<Exit, Failed> {
        let request = self.request;
        let whole = |error| (error, None);
        if request.dump == Some(Pass::Lower) {
            return Ok(printed(&self.session.dump(Pass::Lower).unwrap_or_default()));
        }
        self.session.known_loops().map_err(whole)?;
        let names = request.models.iter();
        let models: Vec<Named> = names
            .map(|name| (name.clone(), self.session.load_model(name)))
            .collect();
        let options = &request.options.program.bounded;
        let stops = request.show_loops || request.dump.is_some();
        let any = request.options.any_threads;
        let read: Vec<&Model> = models.iter().filter_map(|(_, m)| m.as_ref().ok()).collect();
        // One model may have its answer without a formula.
        let is_shared = match options.engine {
            Engine::Auto => read.len() > 1,
            engine => engine.has_formula(),
        };
        if !any && options.incremental.is_none() && (is_shared || stops) {
            let extent = match stops || request.dimacs.is_some() {
                true => Extent::Whole,
                false => Extent::Small,
            };
            let unrolled = self.session.unroll(&read, extent, request.limits);
            unrolled.map_err(whole)?;
        }
        if request.show_loops
            && let Some(all) = self.session.loops()
        {
            return Ok(printed(&match self.output.format {
                Format::Text => text::loops(self.session.sources(), &all),
                _ => json::loops(self.session.sources(), self.input, &all),
            }));
        }
        if request.dump == Some(Pass::Unroll)
            && let Some(text) = self.session.dump(Pass::Unroll)
        {
            return Ok(printed(&text));
        }
        let each = models.into_iter().map(|(name, model)| {
            let exit = model.and_then(|model| self.on_model(&name, &model));
            exit.unwrap_or_else(|error| {
                watchdog::stop();
                let (input, model) = (Some(self.input), name.text());
                failure::failed(&error, self.output, input, Some(&model))
            })
        });
        Ok(each.max().unwrap_or(Exit::Safe))
    }

    /// What the user should know of the text: it is for another machine, or has been changed.
    fn warnings(&self, model: &Model) -> Vec<Diag> {
        let other = [
            "rmo",
            "alpha",
            "power2010",
            "power",
            "armv7",
            "aarch64",
            "riscv",
        ]
        .contains(&model.name.as_str());
        let found = self.session.x86_only().filter(|_| other);
        let warning = found.map(|(span, why)| {
            let message = format!("{why}, and is checked on `{}`, another machine", model.name);
            let note =
                "--mm tso is the model of x86; --target reads the program for another machine";
            Diag::warning(Code::OtherMachine, span, message).note(note)
        });
        let of_text = self.session.warnings().iter().cloned();
        let without_effect = self.orders_without_effect();
        of_text.chain(warning).chain(without_effect).collect()
    }

    /// That the program chooses memory orders, and the user no model which tells them apart.
    fn orders_without_effect(&self) -> Option<Diag> {
        if !self.request.models_by_default {
            return None;
        }
        let weak = self.session.weak_orders();
        let message = match weak.len() {
            0 | 1 => "this memory order has no effect on `sc`, the default model".to_string(),
            n => format!(
                "this memory order and {} more have no effect on `sc`, the default model",
                n - 1
            ),
        };
        let note = "--mm rc11 is the model of C11, tso that of x86, aarch64 that of Arm; \
                    --mm rc11,tso,aarch64 checks all three, --mm sc says that sc is meant";
        let first = weak.first()?;
        Some(Diag::warning(Code::OrdersWithoutEffect, *first, message).note(note))
    }

    fn on_model(&mut self, name: &ModelName, model: &Model) -> Result<Exit, Error> {
        let request = self.request;
        let models = &mut request.models.iter();
        let first = models.position(|m| m == name).unwrap_or(0);
        let spent = match request.options.program.bounded.engine {
            Engine::Explore | Engine::Enumerate => 0.0,
            Engine::Auto | Engine::Sat | Engine::Both => self.session.spent(),
        };
        self.watch.start(first, spent);
        let warnings = self.warnings(model);
        let of_text = |w: &&Diag| w.code != Code::OtherMachine;
        for warning in warnings.iter().filter(|w| first == 0 || !of_text(w)) {
            output::warn(&warning.render(self.session.sources(), self.output.color_errors));
        }
        if let Some(pass @ (Pass::Analyse | Pass::Encode)) = request.dump {
            let text = self.session.dump_on(pass, model, request.limits)?;
            return Ok(match text {
                Some(text) => printed(&text),
                None => failure::incomplete(pass, self.input, &model.name),
            });
        }
        if let Some(path) = &request.dimacs {
            let file = request.output_file(path, Path::new(self.input), name);
            match self.session.dump_on(Pass::Encode, model, request.limits)? {
                Some(text) => {
                    if let Err(exit) = output::write(&file, &text) {
                        return Ok(exit);
                    }
                }
                None => {
                    failure::incomplete(Pass::Encode, self.input, &model.name);
                }
            }
        }
        match self.session.check(model, request.limits)? {
            outcome @ Outcome::Program(_) => {
                let outcome = match self.certified(name, model, outcome)? {
                    Ok(outcome) => outcome,
                    Err(exit) => return Ok(exit),
                };
                Ok(self.answered(name, &outcome, &warnings))
            }
            Outcome::System(outcome) => {
                watchdog::stop();
                let (sources, path) = (self.session.sources(), Path::new(self.input));
                let output = self.output;
                Ok(system::answered(
                    request, output, sources, path, name, &outcome,
                ))
            }
            Outcome::Litmus(_) => Err(Error::Internal("the outcome is of another kind".into())),
        }
    }

    /// The outcome with the proof that is wanted of it, or without an answer where there is none; or the
    /// exit where it is refuted.
    fn certified(
        &self,
        name: &ModelName,
        model: &Model,
        outcome: Outcome,
    ) -> Result<Result<Box<ProgramOutcome>, Exit>, Error> {
        let wanted = self.request.proof(Path::new(self.input), name);
        let proved = match (&wanted, &outcome) {
            (Some(wanted), Outcome::Program(of)) => {
                let subject = Subject::of(self.session.sources(), self.input, of);
                let verdict = ProgramAnswer::new(&subject, &of.result, 0).verdict_line();
                proof::certify(&self.session, model, &outcome, &verdict, wanted)?
            }
            _ => Proved::Yes,
        };
        let Outcome::Program(mut outcome) = outcome else {
            return Err(Error::Internal("the outcome is of another kind".into()));
        };
        match proved {
            Proved::Yes => {}
            Proved::Refuted(exit) => return Ok(Err(exit)),
            Proved::No(why) if self.request.certify => {
                let verdict = Verdict::Unknown(UnknownReason::NotCertified(why));
                outcome.result.verdict = verdict;
                let properties = &mut outcome.result.properties;
                properties
                    .iter_mut()
                    .for_each(|(_, s)| *s = PropertyStatus::Unknown);
            }
            Proved::No(why) => {
                let (input, model) = (self.input, &model.name);
                output::warn(&format!("warning: {input} on {model}: no proof: {why}\n"));
            }
        }
        Ok(Ok(outcome))
    }

    fn answered(&self, name: &ModelName, outcome: &ProgramOutcome, warnings: &[Diag]) -> Exit {
        watchdog::stop();
        let result = &outcome.result;
        if outcome.confirmed == Some(false) {
            let text = "the enumeration is not complete; the verdict is the solver's alone";
            output::warn(&format!("{} on {}: {text}\n", self.input, result.model));
        }
        let sources = self.session.sources();
        let subject = Subject {
            warnings,
            ..Subject::of(sources, self.input, outcome)
        };
        let (exit, page) = print(self.request, self.output, &subject, result);
        let graph = self.graph(result);
        let files = [(&self.request.dot, graph), (&self.request.html, page)];
        let files = files.map(|(path, text)| match (path, text) {
            (Some(path), Some(text)) => {
                let path = self.request.output_file(path, Path::new(self.input), name);
                output::write(&path, &text)
            }
            _ => Ok(()),
        });
        let exit = match self.session.program() {
            Some(program) => {
                svcomp::answered(self.request, self.input, sources, program, result, exit)
            }
            None => exit,
        };
        let failed = files.into_iter().filter_map(Result::err);
        failed.fold(exit, Exit::max)
    }

    /// The violating execution as a graph, if anyone wants it.
    fn graph(&self, result: &CheckResult) -> Option<String> {
        self.request.dot.as_ref()?;
        let found = result.violation()?;
        let title = format!("{} violated", found.property.text);
        let sources = self.session.sources();
        Some(dot::graph(sources, &title, found.trace.as_ref()?))
    }
}

fn printed(text: &str) -> Exit {
    watchdog::stop();
    output::print(text);
    Exit::Safe
}

/// The line of progress, and the watchdog.
struct Watch {
    request: Request,
    output: Output,
    open: RefCell<watch::Open>,
}

impl Watch {
    fn new(request: &Request, output: &Output, input: &str) -> Watch {
        Watch {
            request: request.clone(),
            output: output.clone(),
            open: RefCell::new(watch::Open {
                input: input.to_string(),
                models: request.models.clone(),
                checks: Checks::named(chosen(&request.options.program).unwrap_or_default()),
                assertions: 0,
                assumptions: Vec::new(),
                sources: SourceMap::default(),
                established: Arc::default(),
            }),
        }
    }

    /// What is checked is known now.
    fn lowered(&self, session: &Session) {
        let mut open = self.open.borrow_mut();
        open.checks = session.checks();
        open.assertions = session.assertions();
        open.assumptions = session.assumptions().to_vec();
        open.sources = session.sources().clone();
    }

    /// Watches over the limits of the models from one on.
    fn start(&self, first: usize, spent: f64) {
        let mut open = self.open.borrow_mut();
        open.models = self.request.models[first..].to_vec();
        open.established = Arc::default();
        watch::start(&self.request, &self.output, &open, spent);
    }

    fn tell(&self, what: Progress) {
        let bounded = &self.request.options.program.bounded;
        match what {
            Progress::Reading => {
                stage::begin("parse");
                self.show("reading");
            }
            Progress::Attempt { model, bounds } if bounded.incremental.is_some() => {
                self.show(&format!("{model}, bound {}", bounds.largest()));
            }
            Progress::Attempt { model, bounds } => match bounds.limit {
                Some(limit) => self.show(&format!("{model}, loops up to {}", limit.times)),
                None => self.show(model),
            },
            // What is not certified yet is no answer.
            Progress::Established { .. } if self.request.certify => {}
            Progress::Established { answer } => {
                let open = self.open.borrow();
                let established = open.established.lock();
                *established.unwrap_or_else(PoisonError::into_inner) = Some(answer.clone());
            }
            Progress::Exploring { model, explored } => {
                let (executions, blocked) =
                    (explored.complete + explored.blocked, explored.blocked);
                if executions.is_multiple_of(SHOWN_EACH) {
                    let percent = explored.share * 100.0;
                    self.show(&format!(
                        "{model}, {executions} executions, {blocked} of them blocked, perhaps {percent:.1} %"
                    ));
                }
            }
            Progress::Harnesses { model, done, all } => {
                self.show(&format!("{model}, {done} of {all} clients"));
            }
            Progress::Enumerating { model } => {
                stage::begin("enumerate");
                self.show(model);
                let open = self.open.borrow();
                watch::start(&self.request, &self.output, &open, 0.0);
            }
        }
    }

    fn show(&self, what: &str) {
        let output = &self.output;
        if output.format == Format::Text && output.style.detail > Detail::Quiet {
            let input = &self.open.borrow().input;
            progress::show(&format!("{input}: {what}"));
        }
    }
}
