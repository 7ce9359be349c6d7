//! A C program, or an x86 program for a fixed number of threads, that has been lowered, on its way through the
//! passes that depend on models. The event graph that several models share is unrolled once, too,
//! for all of them together ([`ProgramSession::unroll`]): events that one of them needs do not harm
//! the others.

use super::enumeration::{
    Follows, NoResult, enumerated_result, explored_result, has_answered, is_explored,
};
use super::error::Error;
use super::limits::{self, Limits};
use super::model::moments;
use super::options::{Engine, ProgramOptions};
use super::outcome::ProgramOutcome;
use super::parsed::LoweredProgram;
use super::program_system::{ProofSearch, prove};
use super::progress::{Progress, Shown};
use super::specification::{has_chosen, inputs_assumed};
use super::strategies;
use super::turns::{Exploring, Pace, Turns, beside};
use super::unwind::{attempted, unwind};
use crate::check::bmc::{self, CheckError, CheckTask, Env};
use crate::check::loops::{self, Loop};
use crate::check::orders::Orders;
use crate::check::outcome::{Argument, CheckResult, UnknownReason, Verdict};
use crate::relations::dependencies::unwinding;
use crate::unroll::event::EventGraph;
use crate::unroll::{self, UnrollError, unroll};
use base::code::Code;
use base::diag::Diag;
use base::source::{SourceMap, Span};
use cat::arch;
use cat::model::Model;
use enumerate::EnumerateError;
use ir::bounds::Bounds;
use ir::nothing_to_violate::nothing_to_violate;
use ir::program::{Expr, Op, ProcId, Program, Rule};
use ir::sites::{OpenOrders, with_orders};
use std::sync::Arc;
use std::time::Instant;

/// A program that has been read and lowered.
pub struct ProgramSession {
    lowered: LoweredProgram,
    /// See [`super::options::BoundedOptions::iterations`].
    iterations: bool,
    /// See [`unroll::UnrollOptions::loads_outside`].
    loads_outside: bool,
    /// The event graph, when some models have been unrolled for together.
    shared: Option<Shared>,
    /// See [`ProgramOptions::other_harnesses`].
    others: Vec<LoweredProgram>,
    /// See [`ProgramSession::with_choices`].
    has_choices: bool,
}

/// The event graph that some models share, or the limit that was exceeded.
struct Shared {
    models: Vec<Model>,
    options: unroll::UnrollOptions,
    graph: Result<EventGraph, UnrollError>,
    seconds: f64,
}

/// Programs with more events are checked with small limits for all loops first: what is found in a
/// part of them is an answer, and if there is none of the whole, it is the one that is given.
const LARGE: usize = 400;

/// How much is unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of it, however large.
    Whole,
    /// All of it, unless that is so large that a part is to be checked first.
    Small,
}

impl Extent {
    fn max_events(self, bounds: &Bounds) -> usize {
        match self {
            Extent::Small if bounds.limit.is_none() => LARGE,
            Extent::Small | Extent::Whole => unroll::MAX_EVENTS,
        }
    }
}

/// What prints a pass's result; `None` when a limit was exceeded.
type Printer =
    fn(&EventGraph, &Model, &bmc::CheckOptions, &Env) -> Result<Option<String>, CheckError>;

/// What the passes are given beside the program.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The files that were read.
    pub sources: &'a SourceMap,
    /// How to check.
    pub options: &'a ProgramOptions,
    /// How long.
    pub limits: Limits,
    /// Is notified of what begins.
    pub progress: &'a dyn Fn(Progress),
}

impl ProgramSession {
    /// A program that has been lowered.
    pub fn new(lowered: LoweredProgram, options: &ProgramOptions) -> ProgramSession {
        ProgramSession {
            lowered,
            iterations: options.bounded.iterations,
            loads_outside: false,
            shared: None,
            others: Vec::new(),
            has_choices: false,
        }
    }

    /// The programs that the answer is about, too ([`ProgramOptions::other_harnesses`]).
    pub(super) fn others(&self) -> &[LoweredProgram] {
        &self.others
    }

    /// The program, and what else the answer is about.
    pub(super) fn with_others(self, others: Vec<LoweredProgram>) -> ProgramSession {
        ProgramSession { others, ..self }
    }

    /// The program where a load may be made outside of every object, and returns any value there. That a step from a
    /// pointer leads to no other object is not asserted, as no store may be made there, and any value is one of its.
    pub(super) fn with_loads_outside(&self) -> ProgramSession {
        let mut lowered = self.lowered.clone();
        let ids: Vec<ProcId> = lowered.program.procs.ids().collect();
        for id in ids {
            for instr in &mut lowered.program.procs[id].body {
                if let Op::Assert { cond, property } = &mut instr.op
                    && property.rule == Rule::Bounds
                {
                    *cond = Expr::constant(1, 1);
                }
            }
        }
        ProgramSession {
            lowered,
            iterations: self.iterations,
            loads_outside: true,
            shared: None,
            others: Vec::new(),
            has_choices: self.has_choices,
        }
    }

    /// The program with other memory orders.
    pub(super) fn with_orders(&self, chosen: &Orders) -> ProgramSession {
        self.with_program(with_orders(&self.lowered.program, chosen))
    }

    /// Another program, checked as this one is.
    pub(super) fn with_program(&self, program: Program) -> ProgramSession {
        let lowered = LoweredProgram {
            program,
            ..self.lowered.clone()
        };
        ProgramSession {
            lowered,
            iterations: self.iterations,
            loads_outside: self.loads_outside,
            shared: None,
            others: Vec::new(),
            has_choices: self.has_choices,
        }
    }

    /// The client where it is a choice whether threads communicate between calls, if it is one for which that matters on
    /// some of these models.
    pub(super) fn with_choices(&self, models: &[&Model]) -> Option<ProgramSession> {
        let observation = self.lowered.observation.as_deref()?.as_ref().ok()?;
        let (program, models) = (&self.lowered.program, models.iter().copied());
        let program = observation.with_choices(program, models);
        let program = program.filter(|_| !self.has_choices)?;
        Some(ProgramSession {
            has_choices: true,
            ..self.with_program(program)
        })
    }

    /// The whole event graph for one model with open orders, or the limit that was exceeded.
    pub(super) fn unrolled_open(
        &self,
        model: &Model,
        open: &OpenOrders,
        context: &Context,
        env: &Env,
    ) -> Result<Result<EventGraph, UnrollError>, CheckError> {
        let bounds = context.options.bounded.bounds.clone();
        let options = unroll::UnrollOptions {
            open_orders: open.clone(),
            ..self.unwinding(bounds, &[model])
        };
        (env.begins)("unroll");
        match unroll(&self.lowered.program, &options, &env.interrupt()) {
            Err(UnrollError::NoMain) => Err(CheckError::Refused(self.no_main_diag())),
            graph => Ok(graph),
        }
    }

    /// The program, and what is checked of it.
    pub fn lowered(&self) -> &LoweredProgram {
        &self.lowered
    }

    /// Where a program is written for x86 alone: an instruction in it, or a directive that looks for that
    /// machine; nothing where it is read for another one.
    pub fn x86_only(&self) -> Option<(Span, &'static str)> {
        let assembly = self.lowered.program.x86_assembly;
        let assembly = assembly.map(|span| (span, "the program has assembly of x86"));
        let looks = "the program looks whether it is compiled for x86";
        assembly.or(self.lowered.looks_for_x86.map(|span| (span, looks)))
    }

    /// Seconds of the passes that all models share.
    pub fn spent(&self) -> f64 {
        let unrolled = self.shared.as_ref().map_or(0.0, |s| s.seconds);
        self.before() + unrolled
    }

    /// Seconds of the passes before the program is unrolled.
    fn before(&self) -> f64 {
        self.lowered.seconds.iter().map(|(_, s)| s).sum()
    }

    /// Unrolls the program once for all these models. A limit that is exceeded is no error: the
    /// models' answers will say so.
    ///
    /// # Errors
    /// The program has no `main`, or lacks a loop that has a bound of its own.
    pub fn unroll(
        &mut self,
        models: &[&Model],
        extent: Extent,
        context: &Context,
    ) -> Result<(), Error> {
        self.known_loops(context.options)?;
        let env = limits::env(context.limits, self.spent());
        let bounds = context.options.bounded.bounds.clone();
        let max_events = extent.max_events(&bounds);
        let options = unroll::UnrollOptions {
            max_events,
            ..self.unwinding(bounds, models)
        };
        let start = Instant::now();
        (env.begins)("unroll");
        let graph = unroll(&self.lowered.program, &options, &env.interrupt());
        let seconds = start.elapsed().as_secs_f64();
        if let Err(UnrollError::NoMain) = graph {
            return Err(self.no_main(context));
        }
        self.shared = Some(Shared {
            models: models.iter().copied().cloned().collect(),
            options,
            graph,
            seconds,
        });
        Ok(())
    }

    /// The event graph that several models share.
    pub fn graph(&self) -> Option<&EventGraph> {
        self.shared.as_ref()?.graph.as_ref().ok()
    }

    /// The loops of the program, and how far the shared graph has them unwound.
    pub fn loops(&self, options: &ProgramOptions) -> Option<Vec<Loop>> {
        let bounds = &options.bounded.bounds;
        Some(loops::all(&self.lowered.program, self.graph()?, bounds))
    }

    /// The formula for a model in DIMACS form; `None` when a limit was exceeded.
    ///
    /// # Errors
    /// The model cannot be used with this program.
    pub fn formula(&mut self, model: &Model, context: &Context) -> Result<Option<String>, Error> {
        self.on_graph(model, context, bmc::dimacs)
    }

    /// The bounds of the model's relations as text; `None` when a limit was exceeded.
    ///
    /// # Errors
    /// The model cannot be used with this program.
    pub fn relations(&mut self, model: &Model, context: &Context) -> Result<Option<String>, Error> {
        self.on_graph(model, context, bmc::relation_bounds)
    }

    fn on_graph(
        &mut self,
        model: &Model,
        context: &Context,
        text: Printer,
    ) -> Result<Option<String>, Error> {
        self.has_moments(model, context)?;
        if let Some(mut session) = self.with_choices(&[model]) {
            return session.on_graph(model, context, text);
        }
        if self.shared_for(model).is_none_or(|s| s.graph.is_err()) {
            self.unroll(&[model], Extent::Whole, context)?;
        }
        let Some(graph) = self.graph() else {
            return Ok(None);
        };
        let options = self.bmc_options(model, context, false);
        let env = limits::env(context.limits, self.spent());
        text(graph, model, &options, &env).map_err(|e| Error::of_check(context.sources, e))
    }

    /// Checks the program on a model, with the first harness.
    pub fn check(&mut self, model: &Model, context: &Context) -> Result<ProgramOutcome, Error> {
        self.known_loops(context.options)?;
        self.has_moments(model, context)?;
        if let Some(mut session) = self.with_choices(&[model]) {
            return session.check(model, context);
        }
        let options = &context.options.bounded;
        let refused = |e| Error::of_check(context.sources, e);
        if let Some(Err(reason)) = self.lowered.observation.as_deref() {
            let kinds = self.lowered.checks.on(model);
            let result = CheckResult::unknown(&model.name, &kinds, reason.clone());
            return Ok(self.outcome(model, result, options.bounds.clone(), None, context));
        }
        let begun = Instant::now();
        let (result, bounds) = match options.engine {
            Engine::Enumerate => {
                let bounds = options.bounds.clone();
                (self.enumerate(model, &bounds, context)?, bounds)
            }
            Engine::Explore => {
                let bounds = &options.explored;
                let result = self.explore((model, bounds, Follows::Changes), context)?;
                (result, options.bounds.clone())
            }
            Engine::Auto if !options.by_text => self.provable_answer(model, context)?,
            Engine::Auto => {
                let answer = self.any_answer(model, context)?;
                self.with_any_loads(answer, begun, model, context)?
            }
            Engine::Sat => {
                let answer = self.solve(model, context, None).map_err(refused)?;
                self.with_any_loads(answer, begun, model, context)?
            }
            Engine::Both => self.solve(model, context, None).map_err(refused)?,
        };
        let confirmed = match options.engine {
            Engine::Both => Some(self.compare(model, &result, &bounds, context)?),
            Engine::Auto | Engine::Sat | Engine::Explore | Engine::Enumerate => None,
        };
        let mut result = result;
        let history = match (self.lowered.observation.as_deref(), &mut result.verdict) {
            (Some(Ok(observation)), Verdict::Unsafe(found)) => {
                observation.mark(found);
                observation.history(found)?
            }
            _ => None,
        };
        let mut outcome = self.outcome(model, result, bounds, confirmed, context);
        outcome.history = history;
        Ok(outcome)
    }

    /// The answer of the exploration or of the solver, in turns. A violation that the exploration has found
    /// and cannot show is shown by the solver, if it finds one, too.
    pub(super) fn answer(
        &self,
        model: &Model,
        context: &Context,
    ) -> Result<(CheckResult, Bounds), Error> {
        let is_for_machine = !self.lowered.program.machine_code.is_empty();
        let refused = |e| Error::of_check(context.sources, e);
        let (program, checks) = (&self.lowered.program, self.lowered.checks.on(model));
        if !is_explored(model, &checks) || is_for_machine {
            return self.solve(model, context, None).map_err(refused);
        }
        let options = &context.options.bounded;
        let (limits, sources) = (context.limits, context.sources);
        let pace = match strategies::at_once(options.jobs) {
            1 => Pace::InTurns,
            _ => Pace::AtOnce,
        };
        let turns = &Turns::new(limits.timeout, pace);
        let explore = move || {
            let watch = Exploring {
                turns: turns.clone(),
                env: limits::env(limits, 0.0),
            };
            let how = (model, &options.explored, Follows::Changes);
            let limits = (limits, &watch.env);
            turns.end(explored_result(
                (program, sources),
                checks,
                how,
                limits,
                &watch,
            ));
        };
        let (mut result, bounds) = std::thread::scope(|scope| {
            scope.spawn(explore);
            turns.wait();
            let solved = match turns.is_answered() {
                true => None,
                false => Some(self.solve(model, context, Some(turns))),
            };
            turns.close();
            let explored = turns.take().transpose();
            let explored = explored.map_err(|e| self.no_result(e, context))?;
            let explored = explored.filter(has_answered);
            let begun = options.bounds.clone();
            let Some(solved) = solved else {
                let explored = explored.expect("the exploration has answered");
                return Ok((explored, begun));
            };
            let (result, bounds) = solved.map_err(refused)?;
            match explored {
                Some(explored) if explored.verdict.contradicts(&result.verdict) => {
                    let text = format!("the exploration and the solver disagree on {}", model.name);
                    Err(Error::Internal(text))
                }
                Some(explored) if result.violation().is_none() => Ok((explored, begun)),
                _ => Ok((result, bounds)),
            }
        })?;
        result.stats.seconds.push(("explore", turns.explored()));
        Ok((result, bounds))
    }

    /// The result of exploring the executions.
    fn explore(
        &self,
        how: (&Model, &Bounds, Follows),
        context: &Context,
    ) -> Result<CheckResult, Error> {
        let (program, checks) = (&self.lowered.program, self.lowered.checks.on(how.0));
        let of = (program, context.sources);
        let env = limits::env(context.limits, 0.0);
        (env.begins)("explore");
        let limits = (context.limits, &env);
        let watch = Shown {
            interrupt: env.interrupt(),
            model: &how.0.name,
            progress: context.progress,
        };
        let mut result = explored_result(of, checks, how, limits, &watch)
            .map_err(|e| self.no_result(e, context))?;
        result.stats.seconds.push(("explore", (env.now)()));
        Ok(result)
    }

    fn no_result(&self, error: NoResult, context: &Context) -> Error {
        match error {
            NoResult::Enumerate(error) => self.not_enumerated(error, context),
            NoResult::Check(error) => Error::of_check(context.sources, error),
        }
    }

    /// The outcome that a result is, found with these bounds.
    pub(super) fn outcome(
        &self,
        model: &Model,
        mut result: CheckResult,
        bounds: Bounds,
        confirmed: Option<bool>,
        context: &Context,
    ) -> ProgramOutcome {
        let lowered = &self.lowered;
        if context.options.specification.is_some() || lowered.threads.is_some() {
            result.verdict = result.verdict.of_non_terminating();
        }
        result.stats.seconds.splice(0..0, lowered.seconds);
        result.stats.peak_mb = limits::peak_mb();
        let mut assumptions = lowered.program.assumptions.clone();
        assumptions.append(&mut result.assumed);
        assumptions.extend(inputs_assumed(&result, &lowered.program, context.sources));
        ProgramOutcome {
            result,
            unwind: bounds.largest(),
            bounds,
            assertions: lowered.program.assertions(),
            bounded_arguments: lowered.program.bounded_arguments,
            assumptions,
            chosen: has_chosen(context.options),
            model_title: model.title.clone(),
            races_undefined: model.leaves_races_undefined(),
            confirmed,
            threads: lowered.threads,
            history: None,
            harnesses: 1,
        }
    }

    /// The solver's result, and the bounds that it was found with.
    pub(super) fn solve(
        &self,
        model: &Model,
        context: &Context,
        turns: Option<&Arc<Turns>>,
    ) -> Result<(CheckResult, Bounds), CheckError> {
        let options = &context.options.bounded;
        let shared = self.shared_for(model);
        let spent = self.before() + shared.map_or(0.0, |s| s.seconds);
        let own = limits::env(context.limits, spent);
        let env = match turns {
            Some(turns) => beside(own, turns),
            None => own,
        };
        let own;
        let (first, unrolling) = match shared {
            Some(shared) => (&shared.graph, shared.seconds),
            None => {
                let start = (env.now)();
                own = self.unrolled(model, &options.bounds, Extent::Small, &env)?;
                (&own, (env.now)() - start)
            }
        };
        let is_large = matches!(first, Err(UnrollError::TooLarge { limit: LARGE, .. }));
        let (bounds, mut first) = match is_large {
            true => (options.bounds.for_a_part(), None),
            false => (options.bounds.clone(), Some(first)),
        };
        let mut unrolling = Some(unrolling);
        let mut proof = ProofSearch::default();
        let attempt = |bounds: &Bounds, last: Option<&CheckResult>| {
            let model_name = model.name.as_str();
            if let Some(answer) = last {
                (context.progress)(Progress::Established { answer });
                if options.engine == Engine::Auto
                    && options.by_text
                    && let Some(limits) = proof.is_due((env.now)() - spent, context.limits)
                    && let Some(proved) = self.prove(answer, (model, context.sources), limits)
                {
                    return Ok(attempted(proved, None));
                }
            }
            (context.progress)(Progress::Attempt {
                model: model_name,
                bounds,
            });
            let again = options.incremental.is_some() || last.is_some() || is_large;
            let bmc_options = self.bmc_options(model, context, again);
            let start = (env.now)();
            let own;
            let graph = match first.take() {
                Some(graph) => graph,
                None => {
                    own = self.unrolled(model, bounds, Extent::Whole, &env)?;
                    &own
                }
            };
            let seconds = (env.now)() - start + unrolling.take().unwrap_or(0.0);
            let graph = graph
                .as_ref()
                .map_err(|error| limits::reason(error, context.limits, &env));
            let failed = graph.as_ref().err().cloned();
            let mut result = match graph {
                Err(reason) => CheckResult::unknown(model_name, &bmc_options.checks, reason),
                Ok(graph) => {
                    let task = CheckTask {
                        program: &self.lowered.program,
                        graph,
                        model,
                        sources: context.sources,
                    };
                    let (limits, spent) = (context.limits, (env.now)());
                    let at_once = strategies::at_once(options.jobs);
                    // One of them is the exploration.
                    let found = match at_once - usize::from(at_once > 1 && turns.is_some()) {
                        1 => bmc::check(&task, &bmc_options, &env)?,
                        n => {
                            let answered =
                                turns.map_or_else(Arc::default, |turns| turns.answered());
                            let limits = (limits, spent, answered);
                            strategies::first_answer(&task, &bmc_options, n, limits)?
                        }
                    };
                    let checks = &bmc_options.checks;
                    let is_harmless = matches!(found.verdict, Verdict::SafeUpToBound(_))
                        && options.by_text
                        && !model.marks_executions()
                        && nothing_to_violate(task.program, checks);
                    match is_harmless {
                        true => found.without_bounds(),
                        false => found,
                    }
                }
            };
            result.stats.seconds.insert(0, ("unroll", seconds));
            if let Some(last) = last {
                result.stats.add(&last.stats);
            }
            Ok(attempted(result, failed))
        };
        let unwound = unwind(bounds, options.most(), &env, attempt)?;
        let mut result = unwound.answer;
        result.stopped = unwound.stopped;
        let is_open = match &result.verdict {
            Verdict::Safe | Verdict::Unsafe(_) => false,
            Verdict::SafeUpToBound(_) => true,
            Verdict::Unknown(reason) => {
                !matches!(reason, UnknownReason::Timeout(_) | UnknownReason::Memory(_))
            }
        };
        if let Some(turns) = turns
            && is_open
        {
            turns.rest((env.now)() - spent);
        }
        Ok((result, unwound.bounds))
    }

    /// An answer where a proof for any number of threads is found in place of one up to a bound.
    pub(super) fn prove(
        &self,
        up_to_bound: &CheckResult,
        (model, sources): (&Model, &SourceMap),
        limits: Limits,
    ) -> Option<CheckResult> {
        let kinds = self.lowered.checks.on(model);
        let assumed = prove(&self.lowered, &kinds, (&model.name, sources), limits)?;
        Some(CheckResult {
            argument: Argument::AnyNumber,
            assumed,
            ..up_to_bound.clone().without_bounds()
        })
    }

    /// Asks the second engine; whether its enumeration was complete.
    fn compare(
        &self,
        model: &Model,
        result: &CheckResult,
        bounds: &Bounds,
        context: &Context,
    ) -> Result<bool, Error> {
        (context.progress)(Progress::Enumerating { model: &model.name });
        let explored = match is_explored(model, &self.lowered.checks.on(model)) {
            true => Some(self.explore((model, bounds, Follows::Writes), context)?),
            false => None,
        };
        let other = match explored.filter(has_answered) {
            Some(explored) => explored,
            None => self.enumerate(model, bounds, context)?,
        };
        if result.verdict.contradicts(&other.verdict) {
            let message = format!("the engines disagree on {}", model.name);
            return Err(Error::Internal(message));
        }
        Ok(!matches!(
            other.verdict.of_non_terminating(),
            Verdict::Unknown(_)
        ))
    }

    /// The result of enumerating the executions.
    fn enumerate(
        &self,
        model: &Model,
        bounds: &Bounds,
        context: &Context,
    ) -> Result<CheckResult, Error> {
        let (program, checks) = (&self.lowered.program, self.lowered.checks.on(model));
        let limits = context.limits;
        enumerated_result(program, checks, (model, bounds), limits)
            .map_err(|e| self.not_enumerated(e, context))
    }

    fn not_enumerated(&self, error: EnumerateError, context: &Context) -> Error {
        match error {
            EnumerateError::UnknownFence { reason, span } => {
                Error::refused(context.sources, vec![Diag::error(span, reason)])
            }
            EnumerateError::NoMain => self.no_main(context),
            EnumerateError::Interrupted => Error::Internal("an interruption is no answer".into()),
        }
    }

    /// Whether a model has a moment at which threads look at memory, if the program needs one.
    pub(super) fn has_moments(&self, model: &Model, context: &Context) -> Result<(), Error> {
        let name = &self.lowered.name;
        moments(name, &self.lowered.program, model)
            .map_err(|diag| Error::refused(context.sources, vec![diag]))
    }

    /// Hands the event graph of one model for these bounds to `then`.
    ///
    /// # Errors
    /// There is none: a limit was exceeded.
    pub(super) fn unrolled_alone<T>(
        &self,
        model: &Model,
        bounds: &Bounds,
        env: &Env,
        then: impl FnOnce(&EventGraph) -> T,
    ) -> Result<Option<T>, CheckError> {
        let shared = self.shared.as_ref().filter(|shared| {
            let max_events = shared.options.max_events;
            let alone = self.unwinding(bounds.clone(), &[model]);
            let alone = unroll::UnrollOptions {
                max_events,
                ..alone
            };
            shared.options == alone
        });
        if let Some(Ok(graph)) = shared.map(|s| &s.graph) {
            return Ok(Some(then(graph)));
        }
        let graph = self.unrolled(model, bounds, Extent::Whole, env)?;
        Ok(graph.ok().map(|graph| then(&graph)))
    }

    /// The shared graph, if it has all events that this model needs.
    fn shared_for(&self, model: &Model) -> Option<&Shared> {
        let shared = self.shared.as_ref()?;
        let models: Vec<&Model> = shared.models.iter().chain([model]).collect();
        let bounds = shared.options.bounds.clone();
        let options = unroll::UnrollOptions {
            max_events: shared.options.max_events,
            ..self.unwinding(bounds, &models)
        };
        let same = options == shared.options && options.kernel == arch::is_kernel(model);
        same.then_some(shared)
    }

    /// How to unwind the program for some models.
    fn unwinding(&self, bounds: Bounds, models: &[&Model]) -> unroll::UnrollOptions {
        let checks = self.lowered.checks.on_any(models.iter().copied());
        let mut options = unwinding(bounds, models.iter().copied(), &checks);
        if !self.iterations {
            options.awaits = unroll::Awaits::default();
        }
        options.loads_outside = self.loads_outside;
        options
    }

    /// The whole event graph for one model, or the limit that was exceeded.
    pub(super) fn unrolled_whole(
        &self,
        model: &Model,
        bounds: &Bounds,
        env: &Env,
    ) -> Result<Result<EventGraph, UnrollError>, CheckError> {
        self.unrolled(model, bounds, Extent::Whole, env)
    }

    /// The event graph for one model, or the limit that was exceeded.
    fn unrolled(
        &self,
        model: &Model,
        bounds: &Bounds,
        extent: Extent,
        env: &Env,
    ) -> Result<Result<EventGraph, UnrollError>, CheckError> {
        let options = unroll::UnrollOptions {
            max_events: extent.max_events(bounds),
            ..self.unwinding(bounds.clone(), &[model])
        };
        (env.begins)("unroll");
        match unroll(&self.lowered.program, &options, &env.interrupt()) {
            Err(UnrollError::NoMain) => Err(CheckError::Refused(self.no_main_diag())),
            graph => Ok(graph),
        }
    }

    pub(super) fn bmc_options(
        &self,
        model: &Model,
        context: &Context,
        loops_at_bound: bool,
    ) -> bmc::CheckOptions {
        bmc::CheckOptions {
            checks: self.lowered.checks.on(model),
            order: context.options.bounded.order,
            reductions: context.options.bounded.reductions,
            seed: 0,
            loops_at_bound,
            loads_outside: self.loads_outside,
        }
    }

    /// Whether the loops that have bounds of their own exist in the lowered program.
    ///
    /// # Errors
    /// One does not.
    pub fn known_loops(&self, options: &ProgramOptions) -> Result<(), Error> {
        let bounds = &options.bounded.bounds;
        loops::known(&self.lowered.program, bounds).map_err(Error::UnknownLoop)
    }

    fn no_main_diag(&self) -> Diag {
        let message = format!("{}: the program has no function `main`", self.lowered.name);
        Diag::bare(message).with_code(Code::NoMain)
    }

    fn no_main(&self, context: &Context) -> Error {
        Error::refused(context.sources, vec![self.no_main_diag()])
    }
}
