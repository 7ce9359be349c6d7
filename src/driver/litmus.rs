//! A litmus test on its way through the passes: read and unrolled once, asked on every model.

use super::enumeration::refusal;
use super::error::Error;
use super::input::Input;
use super::limits::{self, Limits};
use super::options::{Engine, LitmusOptions, MAX_EXECUTIONS};
use super::outcome::LitmusOutcome;
use super::unwind::{Attempt, unwind};
use crate::check::bmc::{self, CheckError, Env};
use crate::check::litmus::{self, Finding, LitmusTask, Robustness};
use crate::check::loops;
use crate::front;
use crate::lower;
use crate::unroll::event::EventGraph;
use crate::unroll::{Awaits, MAX_EVENTS, UnrollError, UnrollOptions, unroll};
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use enumerate::explore::{ExploreError, ExploreOptions, explore};
use enumerate::{self, EnumerateError, Enumeration};
use ir::bounds::Bounds;
use ir::litmus::LitmusTest;
use ir::program::PropertyKind;
use ir::sites::OpenOrders;
use ir::validate;

/// A test that has been read and unrolled.
pub struct LitmusSession {
    /// The test.
    pub test: LitmusTest,
    /// The event graph of its program.
    pub graph: EventGraph,
}

/// Parses a test.
///
/// # Errors
/// Everything that is wrong with its text.
pub(super) fn syntax(
    sources: &mut SourceMap,
    input: &Input,
) -> Result<front::litmus::ast::Test, Error> {
    let parsed = match &input.text {
        None => front::litmus::parse(sources, &input.name),
        Some(text) => {
            let file = sources.add(input.shown(), text.as_str());
            front::litmus::parse_file(sources, file)
        }
    };
    parsed.map_err(|diags| Error::refused(sources, diags))
}

impl LitmusSession {
    /// Reads and unrolls a test.
    ///
    /// # Errors
    /// Everything that is wrong with its text.
    pub fn read(
        sources: &mut SourceMap,
        input: &Input,
        options: &LitmusOptions,
    ) -> Result<LitmusSession, Error> {
        let syntax = syntax(sources, input)?;
        LitmusSession::of_syntax(sources, &syntax, options)
    }

    /// Lowers and unrolls a test.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn of_syntax(
        sources: &SourceMap,
        syntax: &front::litmus::ast::Test,
        options: &LitmusOptions,
    ) -> Result<LitmusSession, Error> {
        let test = lower::litmus::lower(sources, syntax)
            .map_err(|diags| Error::refused(sources, diags))?;
        validate::check(&test.program).map_err(Error::invalid)?;
        match unrolled(&test, &options.bounded.bounds, &|| false) {
            Ok(graph) => Ok(LitmusSession { test, graph }),
            Err(error) => {
                let diag = match error {
                    UnrollError::TooLarge { limit, span, .. } => {
                        Diag::unsupported(span, format!("the test has more than {limit} events"))
                    }
                    UnrollError::NoMain | UnrollError::Interrupted => {
                        Diag::bare("the test has no threads")
                    }
                };
                Err(Error::refused(sources, vec![diag]))
            }
        }
    }

    /// Whether the loops that have bounds of their own exist.
    ///
    /// # Errors
    /// One does not.
    pub fn known_loops(&self, options: &LitmusOptions) -> Result<(), Error> {
        loops::known(&self.test.program, &options.bounded.bounds).map_err(Error::UnknownLoop)
    }

    /// The answers of all engines that are asked.
    ///
    /// # Errors
    /// The model cannot be used with this test, or a bug.
    pub fn check(
        &self,
        model: &Model,
        sources: &SourceMap,
        options: &LitmusOptions,
        limits: Limits,
    ) -> Result<LitmusOutcome, Error> {
        self.known_loops(options)?;
        let mut bounds = options.bounded.bounds.clone();
        let mut answers = Vec::new();
        for engine in engines(options.bounded.engine) {
            let question = LitmusQuestion {
                session: self,
                model,
                sources,
                options,
                limits,
            };
            answers.push((question.answer(*engine, &mut bounds)?, *engine));
        }
        Ok(LitmusOutcome { answers, bounds })
    }

    /// The bounds of the model's relations as text; `None` when a limit was exceeded.
    ///
    /// # Errors
    /// The model cannot be used with this test.
    pub fn relations(
        &self,
        model: &Model,
        sources: &SourceMap,
        limits: Limits,
    ) -> Result<Option<String>, Error> {
        let options = bmc::CheckOptions::default();
        let env = limits::env(limits, 0.0);
        bmc::relation_bounds(&self.graph, model, &options, &env)
            .map_err(|e| Error::of_check(sources, e))
    }
}

/// The engines that answer, in the order in which they are asked.
pub fn engines(engine: Engine) -> &'static [Engine] {
    match engine {
        Engine::Auto | Engine::Sat => &[Engine::Sat],
        Engine::Explore => &[Engine::Explore],
        Engine::Enumerate => &[Engine::Enumerate],
        Engine::Both => &[Engine::Sat, Engine::Enumerate],
    }
}

/// A test and a model, to be answered.
#[derive(Clone, Copy)]
pub struct LitmusQuestion<'a> {
    /// The test.
    pub session: &'a LitmusSession,
    /// The model.
    pub model: &'a Model,
    /// The test's text.
    pub sources: &'a SourceMap,
    /// How to answer.
    pub options: &'a LitmusOptions,
    /// How long.
    pub limits: Limits,
}

impl LitmusQuestion<'_> {
    /// Asks one engine. The solver sets the bounds that it went to; the enumeration keeps to them.
    ///
    /// # Errors
    /// As [`litmus::answer`].
    pub fn answer(&self, engine: Engine, bounds: &mut Bounds) -> Result<Finding, Error> {
        let env = limits::env(self.limits, 0.0);
        let found = match engine {
            Engine::Explore => self.explore(bounds, &env),
            Engine::Enumerate => self.enumerate(bounds, &env),
            Engine::Auto | Engine::Sat | Engine::Both => self.solve(bounds, &env),
        };
        let mut found = found.map_err(|e| Error::of_check(self.sources, e))?;
        if self.options.robust {
            let robust = match engine {
                Engine::Auto | Engine::Sat | Engine::Both => {
                    self.robustness(bounds, &mut found, &env)
                }
                Engine::Explore | Engine::Enumerate => self.robustness_enumerated(bounds, &env),
            };
            found.robust = Some(robust.map_err(|e| Error::of_check(self.sources, e))?);
        }
        if self.options.details {
            found.stats.peak_mb = limits::peak_mb();
        }
        Ok(found)
    }

    fn solve(&self, bounds: &mut Bounds, env: &Env) -> Result<Finding, CheckError> {
        let test = &self.session.test;
        let most = self.options.bounded.most();
        let attempt = |now: &Bounds, last: Option<&Finding>| {
            let stop = env.interrupt();
            let own;
            let graph = match last {
                None => &self.session.graph,
                Some(_) => match unrolled(test, now, &stop) {
                    Ok(graph) => {
                        own = graph;
                        &own
                    }
                    Err(_) => return Ok(interrupted(self.model, env)),
                },
            };
            let task = self.task(graph);
            let depth = self.options.depth;
            let found = litmus::answer(&task, &test.final_condition, depth, env, self.sources)?;
            Ok(Attempt {
                loops_at_bound: found.loops_at_bound.clone(),
                interrupted: (env.limit)(),
                answer: found,
            })
        };
        let unwound = unwind(bounds.clone(), most, env, attempt)?;
        *bounds = unwound.bounds;
        Ok(unwound.answer)
    }

    fn task<'t>(&'t self, graph: &'t EventGraph) -> LitmusTask<'t> {
        LitmusTask {
            program: &self.session.test.program,
            graph,
            model: self.model,
            order: self.options.bounded.order,
            reductions: self.options.bounded.reductions,
            witness: self.options.details,
        }
    }

    fn robustness(
        &self,
        bounds: &Bounds,
        found: &mut Finding,
        env: &Env,
    ) -> Result<Robustness, CheckError> {
        let awaits = Awaits {
            robustness: true,
            ..Awaits::default()
        };
        let options = unrolling(bounds, awaits);
        match unroll(&self.session.test.program, &options, &env.interrupt()) {
            Ok(graph) => litmus::robustness(&self.task(&graph), found, env, self.sources),
            Err(_) => Ok(Robustness {
                executions: None,
                states: None,
            }),
        }
    }

    fn robustness_enumerated(&self, bounds: &Bounds, env: &Env) -> Result<Robustness, CheckError> {
        let mut options = of_litmus(bounds);
        options.checks.push(PropertyKind::Robust);
        let program = &self.session.test.program;
        let models = [cat::with_robustness_mark(self.model), litmus::sequential()];
        let all = models
            .each_ref()
            .map(|model| enumerate::enumerate(program, model, &options, &env.interrupt()));
        Ok(match all {
            [Ok(on_model), Ok(on_sc)] => litmus::robustness_enumerated(&on_model, &on_sc),
            _ => Robustness {
                executions: None,
                states: None,
            },
        })
    }

    fn enumerate(&self, bounds: &Bounds, env: &Env) -> Result<Finding, CheckError> {
        let (program, options) = (&self.session.test.program, of_litmus(bounds));
        let all = enumerate::enumerate(program, self.model, &options, &env.interrupt());
        self.finding(all, env)
    }

    fn explore(&self, bounds: &Bounds, env: &Env) -> Result<Finding, CheckError> {
        let (program, options) = (&self.session.test.program, of_litmus(bounds));
        let all = explore(
            program,
            self.model,
            &options,
            ExploreOptions::default(),
            &env.interrupt(),
        );
        let all = match all {
            Ok(all) => Ok(all.found),
            Err(ExploreError::Enumerate(error)) => Err(error),
            Err(refused @ ExploreError::Refused { .. }) => {
                return Err(CheckError::Refused(refusal(&refused)));
            }
        };
        self.finding(all, env)
    }

    fn finding(
        &self,
        all: Result<Enumeration, EnumerateError>,
        env: &Env,
    ) -> Result<Finding, CheckError> {
        let test = &self.session.test;
        match all {
            Ok(all) => {
                let final_condition = &test.final_condition;
                Ok(litmus::from_enumeration(
                    &test.program,
                    final_condition,
                    self.model,
                    &all,
                ))
            }
            Err(EnumerateError::Interrupted) => Ok(litmus::undecided(self.model, env)),
            Err(EnumerateError::UnknownFence { reason, span }) => {
                Err(CheckError::Refused(Diag::error(span, reason)))
            }
            Err(EnumerateError::NoMain) => Err(CheckError::Internal(
                "a litmus test has no main".to_string(),
            )),
        }
    }
}

/// How executions of litmus tests are looked for one by one.
fn of_litmus(bounds: &Bounds) -> enumerate::EnumerateOptions {
    enumerate::EnumerateOptions {
        bounds: bounds.clone(),
        checks: vec![PropertyKind::Assertion, PropertyKind::Memory],
        max_executions: MAX_EXECUTIONS,
    }
}

/// An attempt that has no answer.
fn interrupted(model: &Model, env: &Env) -> Attempt<Finding> {
    let answer = litmus::undecided(model, env);
    Attempt {
        loops_at_bound: Vec::new(),
        interrupted: answer.unknown.clone(),
        answer,
    }
}

/// The event graph of a test.
pub(super) fn unrolled(
    test: &LitmusTest,
    bounds: &Bounds,
    interrupt: &dyn Fn() -> bool,
) -> Result<EventGraph, UnrollError> {
    unroll(
        &test.program,
        &unrolling(bounds, Awaits::default()),
        interrupt,
    )
}

/// How tests are unrolled.
fn unrolling(bounds: &Bounds, awaits: Awaits) -> UnrollOptions {
    UnrollOptions {
        bounds: bounds.clone(),
        address_dependencies: true,
        loads_outside: false,
        coherent: false,
        values_have_causes: false,
        kernel: false,
        uninitialised: false,
        awaits,
        max_events: MAX_EVENTS,
        open_orders: OpenOrders::default(),
    }
}
