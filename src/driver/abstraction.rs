//! Predicate abstraction of a C program, from its text to an outcome.
//!
//! The program is lowered as for bounded checking, made a program of guarded commands, and on TSO and
//! PSO reduced to one with buffers of a bound; the predicates for SC are extrapolated to it. A proof holds
//! for every buffer size. A violation is reported only after it was executed on numbers.

use super::error::Error;
use super::input::Input;
use super::limits::{self, Limits};
use super::options::{ProgramOptions, SessionOptions};
use super::session::Session;
use crate::base::diag::Diag;
use crate::base::source::{SourceMap, Span};
use crate::ir::program::PropertyKind;
use crate::predabs::boolean::{BooleanProgram, MAX_PREDICATES};
use crate::predabs::extrapolate::{Rules, extrapolate, with_temporaries};
use crate::predabs::implicants::Counts;
use crate::predabs::predicates::{self, Predicate, PredicatesFile};
use crate::predabs::program::{Effect, Failure, LocId, Move, Program, Step, ThreadId};
use crate::predabs::reduce::{BufferModel, reduce};
use crate::predabs::replay::{Replay, Run, describe, replay};
use crate::predabs::search::{self, SearchLimits, SearchResult};
use crate::predabs::{extract, print};
use std::time::{Duration, Instant};

/// Entries of a store buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BufferBound {
    /// So many.
    Fixed(u32),
    /// One, and more as long as they overflow.
    Auto,
}

/// The largest bound that is tried by itself.
pub const MAX_BUFFER: u32 = 4;

/// How a program is abstracted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbstractionOptions {
    /// How the C program is read.
    pub program: ProgramOptions,
    /// The predicates file.
    pub predicates: Option<Input>,
    /// Entries of a store buffer.
    pub buffer: BufferBound,
    /// Literals of a cube at most.
    pub cubes: usize,
    /// States of the Boolean program at most.
    pub max_states: usize,
}

impl Default for AbstractionOptions {
    fn default() -> AbstractionOptions {
        AbstractionOptions {
            program: ProgramOptions::default(),
            predicates: None,
            buffer: BufferBound::Auto,
            cubes: 4,
            max_states: 5_000_000,
        }
    }
}

/// A program that has been read, with its predicates.
pub struct Abstraction {
    sources: SourceMap,
    program: Program,
    file: PredicatesFile,
    options: AbstractionOptions,
}

/// What was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbstractionOutcome {
    /// The model's short name.
    pub model: String,
    /// Entries of a store buffer; none on SC.
    pub buffer: Option<u32>,
    /// Nothing was decided because more entries are possible.
    pub overflows: bool,
    /// The answer.
    pub verdict: AbstractionVerdict,
    /// Predicates that were given.
    pub given: usize,
    /// Predicates of the Boolean program.
    pub predicates: usize,
    /// Cubes of several literals in it.
    pub cubes: usize,
    /// The literals of the largest.
    pub cube_size: u32,
    /// The work to build it.
    pub counts: Counts,
    /// Seconds to build it.
    pub build_seconds: f64,
    /// States of it.
    pub states: usize,
    /// Seconds to explore it.
    pub search_seconds: f64,
}

/// The answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AbstractionVerdict {
    /// No execution violates a property, whatever the size of the buffers.
    Safe,
    /// An execution does.
    Unsafe {
        /// Which.
        property: String,
        /// What happens.
        steps: Vec<AbstractionStep>,
    },
    /// Not decided.
    Unknown {
        /// Why, a sentence.
        reason: String,
        /// The first step of an abstract counterexample that cannot be followed.
        step: Option<String>,
    },
}

/// A step of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AbstractionStep {
    /// The thread.
    pub thread: String,
    /// It is the store buffer of the thread that moves.
    pub flush: bool,
    /// Where.
    pub place: String,
    /// What stands there.
    pub text: String,
    /// New values.
    pub changes: Vec<(String, String)>,
    /// What is buffered after it, by thread, the oldest first.
    pub buffers: Vec<(String, Vec<(String, String)>)>,
}

/// The buffers of a model, by its name.
fn buffer_model(name: &str) -> Option<BufferModel> {
    Some(match name {
        "sc" => BufferModel::Sc,
        "tso" => BufferModel::Tso,
        "pso" => BufferModel::Pso,
        _ => return None,
    })
}

/// A program on a model.
struct OnModel {
    program: Program,
    predicates: Vec<Predicate>,
}

impl Abstraction {
    /// Reads a program and its predicates.
    ///
    /// # Errors
    /// What is wrong with them, or not supported.
    pub fn read(input: &Input, options: &AbstractionOptions) -> Result<Abstraction, Error> {
        let session_options = SessionOptions {
            program: ProgramOptions {
                checks: Some(vec![PropertyKind::Assertion]),
                ..options.program.clone()
            },
            ..SessionOptions::default()
        };
        let mut session = Session::read(input, &session_options)?;
        session.lower()?;
        let mut sources = session.sources().clone();
        let Some(ir) = session.program().filter(|_| session.litmus().is_none()) else {
            let message = format!(
                "{}: predicate abstraction is about C programs",
                input.shown()
            );
            return Err(Error::refused(&sources, vec![Diag::bare(message)]));
        };
        let program = extract::extract(ir).map_err(|d| Error::refused(&sources, vec![d]))?;
        let file = match &options.predicates {
            None => PredicatesFile::default(),
            Some(input) => {
                let id = match &input.text {
                    Some(text) => sources.add(input.shown(), text.as_str()),
                    None => sources.load(&input.name).map_err(|e| {
                        let diag = Diag::bare(format!("{}: {}", e.path.display(), e.reason));
                        Error::refused(&sources, vec![diag])
                    })?,
                };
                predicates::parse(&sources, id, &program)
                    .map_err(|d| Error::refused(&sources, d))?
            }
        };
        Ok(Abstraction {
            sources,
            program,
            file,
            options: options.clone(),
        })
    }

    /// The files that were read.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The smallest and the largest bound of the buffers.
    fn bounds(&self) -> (u32, u32) {
        match self.options.buffer {
            BufferBound::Fixed(k) => (k, k),
            BufferBound::Auto => (1, MAX_BUFFER),
        }
    }

    fn reduced(&self, model: &str, bound: u32) -> Result<(BufferModel, Program), Error> {
        let refused = |d| Error::refused(&self.sources, vec![d]);
        let Some(buffers) = buffer_model(model) else {
            let message = format!("programs cannot be abstracted on `{model}`");
            let diag = Diag::bare(message).note("they can on sc, tso and pso");
            return Err(refused(diag));
        };
        let program = reduce(&self.program, buffers, bound).map_err(refused)?;
        Ok((buffers, program))
    }

    /// The program with the buffers of a model, as C.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn reduced_c(&self, model: &str) -> Result<String, Error> {
        Ok(print::c(&self.reduced(model, self.bounds().0)?.1))
    }

    fn on(&self, model: &str, bound: u32, rules: Rules) -> Result<OnModel, Error> {
        let (buffers, mut program) = self.reduced(model, bound)?;
        let given = with_temporaries(&program, &self.file.predicates);
        let predicates = extrapolate(&program, buffers, &given, rules);
        if predicates.len() > MAX_PREDICATES {
            let message = format!(
                "{} predicates are more than the {MAX_PREDICATES} that are supported",
                predicates.len()
            );
            return Err(Error::refused(&self.sources, vec![Diag::bare(message)]));
        }
        let span = self.program.threads[ThreadId(0)].locations[LocId(0)].span;
        for p in &self.file.invariants {
            program.invariants.push(Step {
                guard: p.cond.negate(),
                effect: Effect::Fail(Failure::Invariant(p.text.clone())),
                ..Step::new(LocId(0), LocId(0), span)
            });
        }
        Ok(OnModel {
            program,
            predicates,
        })
    }

    /// The predicates for a model, a line each.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn predicates(&self, model: &str, rules: Rules) -> Result<Vec<String>, Error> {
        let on = self.on(model, self.bounds().0, rules)?;
        Ok(on.predicates.into_iter().map(|p| p.text).collect())
    }

    /// The Boolean program for a model, as text.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn boolean(&self, model: &str, rules: Rules) -> Result<String, Error> {
        let on = self.on(model, self.bounds().0, rules)?;
        let built = BooleanProgram::new(&on.program, &on.predicates, self.options.cubes, &|| false);
        let text = built.map(|b| print::boolean(&self.sources, &on.program, &b));
        Ok(text.unwrap_or_default())
    }

    /// Checks the program on a model.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn check(
        &self,
        model: &str,
        rules: Rules,
        limits: Limits,
    ) -> Result<AbstractionOutcome, Error> {
        let start = Instant::now();
        let until = limits
            .timeout
            .map(|s| start + Duration::from_secs_f64(s.min(1e9)));
        let full = limits.memory_mb.map(limits::watch_memory);
        let stop = || {
            until.is_some_and(|t| Instant::now() > t)
                || full.is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed))
        };
        let (mut bound, largest) = self.bounds();
        loop {
            let outcome = self.check_with(model, bound, rules, &stop)?;
            if !outcome.overflows || bound == largest {
                return Ok(outcome);
            }
            bound += 1;
        }
    }

    /// The same with buffers of a bound.
    fn check_with(
        &self,
        model: &str,
        bound: u32,
        rules: Rules,
        stop: &dyn Fn() -> bool,
    ) -> Result<AbstractionOutcome, Error> {
        let on = self.on(model, bound, rules)?;
        let start = Instant::now();
        let mut outcome = AbstractionOutcome {
            model: model.to_string(),
            buffer: (model != "sc").then_some(bound),
            overflows: false,
            verdict: AbstractionVerdict::Unknown {
                reason: "a limit was reached while the Boolean program was built".into(),
                step: None,
            },
            given: self.file.predicates.len(),
            predicates: on.predicates.len(),
            cubes: 0,
            cube_size: 0,
            counts: Counts::default(),
            build_seconds: 0.0,
            states: 0,
            search_seconds: 0.0,
        };
        let size = self.options.cubes;
        let Some(boolean) = BooleanProgram::new(&on.program, &on.predicates, size, stop) else {
            return Ok(outcome);
        };
        outcome.build_seconds = start.elapsed().as_secs_f64();
        outcome.counts = boolean.counts;
        (outcome.cubes, outcome.cube_size) = boolean.cubes();
        let explore = Instant::now();
        let mut tried = Tried::default();
        let limits = SearchLimits {
            states: self.options.max_states,
            runs: 500,
            stop,
        };
        let (result, states) = search::search(&on.program, &boolean, &limits, &mut |run| {
            tried.accept(&on.program, run)
        });
        outcome.states = states;
        outcome.search_seconds = explore.elapsed().as_secs_f64();
        let undecided = matches!(result, SearchResult::Spurious(_) | SearchResult::Limit);
        outcome.overflows = undecided && tried.overflows;
        outcome.verdict = self.verdict(&on.program, bound, result, tried);
        Ok(outcome)
    }

    fn verdict(
        &self,
        program: &Program,
        bound: u32,
        result: SearchResult,
        tried: Tried,
    ) -> AbstractionVerdict {
        let unknown = |reason: String, step| AbstractionVerdict::Unknown { reason, step };
        match result {
            SearchResult::Safe => AbstractionVerdict::Safe,
            SearchResult::Fails(run) => {
                let failure = search::failure(program, &run);
                match tried.real {
                    Some(real) => AbstractionVerdict::Unsafe {
                        property: failure.map_or(String::new(), |f| f.text().to_string()),
                        steps: self.steps(program, &real),
                    },
                    None => unknown("the counterexample was lost".into(), None),
                }
            }
            _ if tried.overflows => unknown(
                format!(
                    "a store buffer holds more than {bound} entries; --buffer {} may do",
                    bound + 1
                ),
                None,
            ),
            SearchResult::Limit => unknown("a limit was reached".into(), None),
            SearchResult::Spurious(run) => match (tried.unclear, tried.blocked) {
                (_, Some(at)) => {
                    let m = run.get(at).copied();
                    let step = m.map(|m| self.shown(program, m));
                    let reason =
                        "the predicates are too coarse: an abstract counterexample is no execution";
                    unknown(reason.into(), step)
                }
                _ => unknown(
                    "the solver does not know whether a counterexample is one".into(),
                    None,
                ),
            },
        }
    }

    /// A move, on a line.
    fn shown(&self, program: &Program, m: Move) -> String {
        let step = program.step(m);
        let concrete = print::concrete(step, &|x| program.name(x));
        match m {
            Move::Thread(t, _) => {
                let place = self.sources.location(step.span);
                format!("{} at {place}: {concrete}", program.threads[t].name)
            }
            Move::Flush(i) => {
                let (t, _) = &program.flushes[i];
                format!("the buffer of {}: {concrete}", program.threads[*t].name)
            }
            Move::Invariant(_) => format!("the invariant: {concrete}"),
        }
    }

    fn steps(&self, program: &Program, run: &Run) -> Vec<AbstractionStep> {
        let values = |all: &[(String, i128)]| -> Vec<(String, String)> {
            all.iter()
                .map(|(x, v)| (x.clone(), v.to_string()))
                .collect()
        };
        let described = describe(program, run).into_iter();
        described
            .map(|d| AbstractionStep {
                thread: d.who,
                flush: d.flush,
                place: self.sources.location(d.span),
                text: self.line(d.span),
                changes: values(&d.changes),
                buffers: d
                    .buffers
                    .iter()
                    .map(|(t, b)| (t.clone(), values(b)))
                    .collect(),
            })
            .collect()
    }

    fn line(&self, span: Span) -> String {
        let text = self.sources.snippet(span);
        text.lines().next().unwrap_or_default().trim().to_string()
    }
}

/// What came of following abstract counterexamples.
#[derive(Default)]
struct Tried {
    real: Option<Run>,
    overflows: bool,
    unclear: bool,
    /// The position in the first one at which it cannot be followed.
    blocked: Option<usize>,
}

impl Tried {
    fn accept(&mut self, program: &Program, run: &[Move]) -> bool {
        match replay(program, run) {
            Replay::Real(real) => {
                if search::failure(program, run) == Some(Failure::Overflow) {
                    self.overflows = true;
                    return false;
                }
                self.real = Some(real);
                true
            }
            Replay::Spurious(at) => {
                self.blocked.get_or_insert(at);
                false
            }
            Replay::Unclear => {
                self.unclear = true;
                false
            }
        }
    }
}
