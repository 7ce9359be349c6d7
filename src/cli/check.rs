//! Checking files: every file is read and unwound once, and checked on every model; one block or
//! JSON object each.

use super::exit::{self, Exit};
use super::options::{Dump, Engine, Format};
use super::output::{self, Output};
use super::request::{ModelName, Request};
use super::{engine, limits, litmus, param, progress, suggest, svcomp, watch};
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::check::answer::Answer;
use crate::check::bmc::{self, CheckError, Env, Task};
use crate::check::outcome::{Outcome, UnknownReason, Verdict};
use crate::check::{enumerated, incremental, loops};
use crate::enumerate::{self, EnumerateError};
use crate::ir::bounds::Bounds;
use crate::ir::program::Program;
use crate::mm::dependencies::unwinding;
use crate::mm::model::Model;
use crate::report::text::Detail;
use crate::report::{Subject, dot, json, text};
use crate::unroll::event::EventGraph;
use crate::unroll::{UnrollError, show, unroll};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Does what is asked and returns the worst exit.
pub fn run(request: &Request, output: &Output) -> Exit {
    let each = request.files.iter().map(|path| {
        if path.extension().is_some_and(|e| e == "litmus") {
            return litmus::run(request, output, path);
        }
        if path.extension().is_some_and(|e| e == "cub") {
            return param::run(request, output, path);
        }
        let mut file = File {
            input: path.display().to_string(),
            sources: SourceMap::default(),
            seconds: Vec::new(),
            request,
            output,
            check: bmc::Options {
                checks: request.checks.clone().unwrap_or_default(),
                order: request.order,
                cuts: false,
            },
            assertions: 0,
        };
        let exit = file.run(path).unwrap_or_else(|stop| stop.0);
        if request.svcomp && exit >= Exit::Input {
            svcomp::print_answer(&Answer::Unknown);
        }
        exit
    });
    each.max().unwrap_or(Exit::Safe)
}

/// A file on its way through the stages.
struct File<'a> {
    input: String,
    sources: SourceMap,
    /// Seconds of the stages that all models share.
    seconds: Vec<(&'static str, f64)>,
    request: &'a Request,
    output: &'a Output,
    /// What is checked and how.
    check: bmc::Options,
    /// Assertions that the program has.
    assertions: usize,
}

/// Everything has been said; this is the exit.
struct Stop(Exit);

impl File<'_> {
    fn run(&mut self, path: &Path) -> Result<Exit, Stop> {
        if self.request.emit.is_some() {
            let text = format!("{}: --emit writes litmus tests", self.input);
            return Err(self.refused(None, &[Diag::bare(text)]));
        }
        self.progress("reading");
        self.watch(0, 0.0);
        let start = Instant::now();
        let unit = engine::parse(&mut self.sources, path, self.request)
            .map_err(|d| self.refused(None, &d))?;
        self.passed("parse", start);
        if self.request.dump == Some(Dump::Ast) {
            return Ok(printed(&format!("{unit:#?}\n")));
        }
        let start = Instant::now();
        let (program, checks) = engine::lower(&self.sources, &unit, self.request)
            .map_err(|d| self.refused(None, &d))?;
        self.passed("lower", start);
        self.check.checks = checks;
        self.assertions = program.assertions();
        if self.request.dump == Some(Dump::Ir) {
            return Ok(printed(&program.to_string()));
        }
        drop(unit);
        loops::known(&program, &self.request.bounds)
            .map_err(|unknown| self.refused_as(Exit::Usage, None, &[no_loop(&unknown)]))?;
        let models = self.models();
        let stops = self.request.show_loops || self.request.dump.is_some();
        if self.request.engine == Engine::Enumerate && !stops {
            let each = models.into_iter().map(|(name, model)| match model {
                Ok(model) => {
                    self.watch_model(&name, 0.0);
                    match self.enumerated(&program, &model, &self.request.bounds) {
                        Ok(outcome) => {
                            self.answered(&program, &name, &model, outcome, &self.request.bounds)
                        }
                        Err(error) => self.failed(&name, error),
                    }
                }
                Err(diags) => self.refused(Some(&name), &diags).0,
            });
            return Ok(each.max().unwrap_or(Exit::Safe));
        }
        if let Some(most) = self.request.incremental {
            let each = models.into_iter().map(|(name, model)| match model {
                Ok(model) => {
                    let bounds = self.request.bounds.clone();
                    self.step_by_step(&program, &name, &model, bounds, most)
                }
                Err(diags) => self.refused(Some(&name), &diags).0,
            });
            return Ok(each.max().unwrap_or(Exit::Safe));
        }
        let start = Instant::now();
        let env = limits::env(self.request.timeout, self.request.memory_mb, self.spent());
        let read = models.iter().filter_map(|(_, m)| m.as_ref().ok());
        let options = unwinding(self.request.bounds.clone(), read, &self.check.checks);
        let graph = unroll(&program, &options, &|| (env.limit)().is_some());
        self.passed("unroll", start);
        let graph = match graph {
            Ok(graph) => graph,
            Err(error) => {
                if let UnrollError::NoMain = error {
                    let text = format!("{}: the program has no function `main`", self.input);
                    return Err(self.refused(None, &[Diag::bare(text)]));
                }
                let reason = incremental::reason(&error, &env);
                let each = models.into_iter().map(|(name, model)| match model {
                    Ok(model) => {
                        let outcome = self.undecided(&model, reason.clone());
                        self.answered(&program, &name, &model, outcome, &self.request.bounds)
                    }
                    Err(diags) => self.refused(Some(&name), &diags).0,
                });
                return Ok(each.max().unwrap_or(Exit::Safe));
            }
        };
        if self.request.show_loops {
            return Ok(printed(&self.loops(&program, &graph)));
        }
        if self.request.dump == Some(Dump::Unroll) {
            return Ok(printed(&show::show(&graph, &self.sources)));
        }
        let each = models.into_iter().map(|(name, model)| match model {
            Ok(model) => self.on_model(&program, &graph, &name, &model),
            Err(diags) => self.refused(Some(&name), &diags).0,
        });
        Ok(each.max().unwrap_or(Exit::Safe))
    }

    /// The loops of the program, and how far they were unwound.
    fn loops(&self, program: &Program, graph: &EventGraph) -> String {
        let all = loops::all(program, graph, &self.request.bounds);
        match self.output.format {
            Format::Json => json::loops(&self.sources, &self.input, &all),
            Format::Text => text::loops(&self.sources, &all),
        }
    }

    /// The models asked for, or what is wrong with them.
    fn models(&mut self) -> Vec<(ModelName, Result<Model, Vec<Diag>>)> {
        let names = self.request.models.iter();
        names
            .map(|name| (name.clone(), engine::model(&mut self.sources, name)))
            .collect()
    }

    fn on_model(
        &self,
        program: &Program,
        graph: &EventGraph,
        name: &ModelName,
        model: &Model,
    ) -> Exit {
        self.progress(&model.name);
        let request = self.request;
        let spent = self.spent();
        self.watch_model(name, spent);
        let env = limits::env(request.timeout, request.memory_mb, spent);
        if let Err(exit) = self.write_formula(graph, name, model, &env) {
            return exit;
        }
        let task = Task {
            program,
            graph,
            model,
            sources: &self.sources,
        };
        let outcome = match bmc::check(&task, &self.check, &env) {
            Ok(outcome) => outcome,
            Err(error) => return self.failed(name, error),
        };
        let cuts = match &outcome.verdict {
            Verdict::SafeUpToBound(cuts) => &cuts[..],
            _ => &[],
        };
        let sections = incremental::cuts_of_sections(cuts);
        if let Some(bounds) = request.bounds.without_sections(sections) {
            // Others disturb what was left out: the bound is kept as it stands.
            return self.step_by_step(program, name, model, bounds, request.bounds.largest());
        }
        self.compared(program, name, model, outcome, &request.bounds)
    }

    /// Unwinds and checks with greater and greater bounds.
    fn step_by_step(
        &self,
        program: &Program,
        name: &ModelName,
        model: &Model,
        bounds: Bounds,
        most: u32,
    ) -> Exit {
        let request = self.request;
        let spent = self.spent();
        self.watch_model(name, spent);
        let env = limits::env(request.timeout, request.memory_mb, spent);
        let subject = incremental::Subject {
            program,
            model,
            sources: &self.sources,
        };
        let attempt = |b: &Bounds| self.progress(&format!("{}, bound {}", model.name, b.largest()));
        match incremental::check(&subject, &self.check, most, bounds, &env, &attempt) {
            Ok((outcome, bounds)) => self.compared(program, name, model, outcome, &bounds),
            Err(error) => self.failed(name, error),
        }
    }

    /// Gives the answer, after the other engine has been asked if it should be.
    fn compared(
        &self,
        program: &Program,
        name: &ModelName,
        model: &Model,
        outcome: Outcome,
        bounds: &Bounds,
    ) -> Exit {
        if self.request.engine == Engine::Both {
            self.watch_model(name, 0.0);
            let other = match self.enumerated(program, model, bounds) {
                Ok(other) => other,
                Err(error) => return self.failed(name, error),
            };
            if contradict(&outcome.verdict, &other.verdict) {
                let message = format!("the engines disagree on {}", model.name);
                return self.failed(name, CheckError::Internal(message));
            }
            if matches!(other.verdict, Verdict::Unknown(_)) {
                let text = "the enumeration is not complete; the verdict is the solver's alone";
                output::warn(&format!("{} on {}: {text}\n", self.input, model.name));
            }
        }
        self.answered(program, name, model, outcome, bounds)
    }

    /// The outcome of enumerating the executions.
    fn enumerated(
        &self,
        program: &Program,
        model: &Model,
        bounds: &Bounds,
    ) -> Result<Outcome, CheckError> {
        let request = self.request;
        let env = limits::env(request.timeout, request.memory_mb, 0.0);
        let options = enumerate::EnumerateOptions {
            checks: self.check.checks.clone(),
            bounds: bounds.clone(),
            max_executions: litmus::MAX_EXECUTIONS,
        };
        let start = Instant::now();
        let stop = || (env.limit)().is_some();
        let mut outcome = match enumerate::enumerate(program, model, &options, &stop) {
            Ok(found) => enumerated::outcome(model, &self.check.checks, &found),
            Err(EnumerateError::Interrupted) => {
                let reason = (env.limit)().unwrap_or(UnknownReason::Timeout(0.0));
                self.undecided(model, reason)
            }
            Err(EnumerateError::UnknownFence { reason, span }) => {
                return Err(CheckError::Refused(Diag::error(span, reason)));
            }
            Err(EnumerateError::NoMain) => {
                let diag = Diag::bare(format!(
                    "{}: the program has no function `main`",
                    self.input
                ));
                return Err(CheckError::Refused(diag));
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        outcome.stats.seconds.push(("enumerate", seconds));
        Ok(outcome)
    }

    /// Prints the formula, and stops, or writes it, if anyone wants it.
    fn write_formula(
        &self,
        graph: &EventGraph,
        name: &ModelName,
        model: &Model,
        env: &Env,
    ) -> Result<(), Exit> {
        let printed_only = self.request.dump == Some(Dump::Encode);
        if !printed_only && self.request.dimacs.is_none() {
            return Ok(());
        }
        let text = match bmc::dimacs(graph, model, &self.check, env) {
            Ok(Some(text)) => text,
            Ok(None) => {
                let text = "a limit has passed before the formula was complete; it is not written";
                output::warn(&format!("{} on {}: {text}\n", self.input, model.name));
                return match printed_only {
                    true => Err(Exit::Inconclusive),
                    false => Ok(()),
                };
            }
            Err(error) => return Err(self.failed(name, error)),
        };
        match &self.request.dimacs {
            Some(path) if !printed_only => output::write(&self.file(path, name), &text),
            _ => Err(printed(&text)),
        }
    }

    /// Where a file goes that an option has named.
    fn file(&self, path: &Path, model: &ModelName) -> PathBuf {
        let input = Path::new(&self.input);
        self.request.output_file(path, input, model)
    }

    fn undecided(&self, model: &Model, reason: UnknownReason) -> Outcome {
        Outcome::unknown(&model.name, &self.check.checks, reason)
    }

    fn answered(
        &self,
        program: &Program,
        name: &ModelName,
        model: &Model,
        mut outcome: Outcome,
        bounds: &Bounds,
    ) -> Exit {
        watch::end();
        outcome
            .stats
            .seconds
            .splice(0..0, self.seconds.iter().copied());
        outcome.stats.peak_mb = limits::peak_mb();
        let exit = Exit::of(&outcome, self.request.accept_bound);
        let subject = Subject {
            sources: &self.sources,
            input: &self.input,
            model_title: &model.title,
            unwind: bounds.largest(),
            assertions: self.assertions,
            chosen: self.request.checks.is_some(),
        };
        let several = self.request.files.len() * self.request.models.len() > 1;
        let style = text::Style {
            heading: several,
            ..self.output.style
        };
        output::print(&match self.output.format {
            Format::Json => json::outcome(&subject, &outcome, exit.code()),
            Format::Text => text::outcome(&subject, &outcome, style),
        });
        let graph = self.write_graph(name, &outcome);
        let exit = svcomp::answered(
            self.request,
            &self.input,
            &self.sources,
            program,
            &outcome,
            exit,
        );
        graph.err().map_or(exit, |e| e.max(exit))
    }

    /// Writes the violating execution as a graph, if anyone wants it.
    fn write_graph(&self, model: &ModelName, outcome: &Outcome) -> Result<(), Exit> {
        match (&self.request.dot, &outcome.verdict) {
            (Some(path), Verdict::Unsafe(found)) => {
                let Some(trace) = &found.trace else {
                    return Ok(());
                };
                let title = format!("{} violated", found.property.text);
                let graph = dot::graph(&self.sources, &title, trace);
                output::write(&self.file(path, model), &graph)
            }
            _ => Ok(()),
        }
    }

    fn failed(&self, name: &ModelName, error: CheckError) -> Exit {
        watch::end();
        match error {
            CheckError::Refused(diag) => self.refused(Some(name), &[diag]).0,
            CheckError::Internal(message) => {
                output::warn(&exit::report_bug(&message));
                let diag = Diag::bare(format!("internal error: {message}"));
                self.json_error(Some(name), &[diag], Exit::Internal);
                Exit::Internal
            }
        }
    }

    fn refused(&self, model: Option<&ModelName>, diags: &[Diag]) -> Stop {
        self.refused_as(Exit::Input, model, diags)
    }

    fn refused_as(&self, exit: Exit, model: Option<&ModelName>, diags: &[Diag]) -> Stop {
        watch::end();
        diags
            .iter()
            .for_each(|d| output::warn(&d.render(&self.sources, self.output.color_errors)));
        self.json_error(model, diags, exit);
        Stop(exit)
    }

    fn json_error(&self, model: Option<&ModelName>, diags: &[Diag], exit: Exit) {
        if self.output.format == Format::Json {
            let model = model.map(ModelName::text);
            let object = json::refused(
                &self.sources,
                Some(&self.input),
                model.as_deref(),
                diags,
                exit.code(),
            );
            output::print(&object);
        }
    }

    /// Seconds of the stages that all models share.
    fn spent(&self) -> f64 {
        self.seconds.iter().map(|(_, s)| s).sum()
    }

    /// Watches over the limits of a model, and of those behind it.
    fn watch_model(&self, name: &ModelName, spent: f64) {
        let mut models = self.request.models.iter();
        self.watch(models.position(|m| m == name).unwrap_or(0), spent);
    }

    /// Watches over the limits of the models from one on.
    fn watch(&self, first: usize, spent: f64) {
        let open = watch::Open {
            input: self.input.clone(),
            models: self.request.models[first..].to_vec(),
            checks: self.check.checks.clone(),
            assertions: self.assertions,
        };
        watch::over(self.request, self.output, open, spent);
    }

    fn passed(&mut self, stage: &'static str, start: Instant) {
        self.seconds.push((stage, start.elapsed().as_secs_f64()));
    }

    fn progress(&self, what: &str) {
        if self.output.format == Format::Text && self.output.style.detail > Detail::Quiet {
            progress::show(&format!("{}: {what}", self.input));
        }
    }
}

/// Whether one verdict says that there is a violation and the other that there is none.
fn contradict(a: &Verdict, b: &Verdict) -> bool {
    let is_safe = |v: &Verdict| matches!(v, Verdict::Safe);
    let is_unsafe = |v: &Verdict| matches!(v, Verdict::Unsafe(_));
    is_safe(a) && is_unsafe(b) || is_unsafe(a) && is_safe(b)
}

/// A name that `--unwindset` got, and the loops there are.
pub fn no_loop(unknown: &loops::Unknown) -> Diag {
    let names: Vec<&str> = unknown.loops.iter().map(String::as_str).collect();
    let hint = match suggest::nearest(&unknown.name, &names) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    let there_are = match names.is_empty() {
        true => "the program has no loops and no recursive functions".to_string(),
        false => format!("loops and recursive functions: {}", names.join(", ")),
    };
    let name = &unknown.name;
    Diag::bare(format!("--unwindset: no loop is called `{name}`{hint}")).note(there_are)
}

fn printed(text: &str) -> Exit {
    watch::end();
    output::print(text);
    Exit::Safe
}
