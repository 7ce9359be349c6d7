//! The answer: the abstraction is made and explored, and its counterexamples are followed.

use super::options::AbstractionMethod;
use super::outcome::{AbstractionOutcome, AbstractionStep, AbstractionVerdict};
use super::session::{Abstraction, OnModel, Stop};
use crate::commands::program::{Failure, Move, Program};
use crate::driver::error::Error;
use crate::driver::limits::{self, Limits};
use crate::predabs::implicants::{Counts, CubeSearch};
use crate::predabs::on_demand::OnDemand;
use crate::predabs::post::Post;
use crate::predabs::print;
use crate::predabs::replay::{Replay, Run, describe, replay};
use crate::predabs::search::{self, SearchLimits, SearchResult};
use base::source::Span;
use std::time::{Duration, Instant};

impl Abstraction {
    /// Checks the program on a model.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn check(&self, model: &str, limits: Limits) -> Result<AbstractionOutcome, Error> {
        self.check_or_discover(model, &stop_at(limits))
    }

    /// Checks with buffers of a bound and the predicates for it.
    pub(super) fn check_on(
        &self,
        model: &str,
        bound: u32,
        on: &OnModel,
        how: How,
        stop: &Stop,
    ) -> Result<Checked, Error> {
        let start = Instant::now();
        let mut outcome = AbstractionOutcome {
            model: model.to_string(),
            buffer: (model != "sc").then_some(bound),
            overflows: false,
            verdict: AbstractionVerdict::Unknown {
                reason: "a limit was reached while the Boolean program was built".into(),
                step: None,
            },
            method: self.options.method,
            given: self.file.predicates.len(),
            discovered: Vec::new(),
            predicates: on.predicates.iter().map(|p| p.text.clone()).collect(),
            lifted: None,
            cubes: 0,
            cube_size: 0,
            counts: Counts::default(),
            build_seconds: 0.0,
            states: 0,
            search_seconds: 0.0,
            certificate: None,
        };
        let limited = |outcome| {
            Ok(Checked {
                outcome,
                spurious: Vec::new(),
            })
        };
        let mut post: Box<dyn Post + '_> = if how.method == AbstractionMethod::Auto {
            Box::new(OnDemand::new(&on.program, &on.predicates))
        } else {
            let Some(search) = self.cube_search(on, how.method, stop)? else {
                return limited(outcome);
            };
            if let CubeSearch::Among(list) = &search {
                outcome.lifted = Some(list.len());
            }
            match self.build(on, search, stop) {
                Some(boolean) => Box::new(boolean),
                None => return limited(outcome),
            }
        };
        outcome.build_seconds = start.elapsed().as_secs_f64();
        let explore = Instant::now();
        let mut tried = Tried::default();
        let limits = SearchLimits {
            states: self.options.max_states,
            runs: how.runs,
            stop,
        };
        let mut accept = |run: &[Move]| tried.accept(&on.program, run);
        let predicates = &on.predicates;
        let (result, states) =
            search::search(&on.program, predicates, &mut *post, &limits, &mut accept);
        outcome.counts = post.counts();
        let cubes = post.cubes();
        outcome.cubes = cubes.len();
        outcome.cube_size = cubes.iter().map(|c| c.size()).max().unwrap_or(1);
        outcome.states = states;
        outcome.search_seconds = explore.elapsed().as_secs_f64();
        let undecided = matches!(result, SearchResult::Spurious(_) | SearchResult::Limit);
        outcome.overflows = undecided && tried.overflows;
        let spurious = match undecided {
            true => std::mem::take(&mut tried.spurious),
            false => Vec::new(),
        };
        outcome.verdict = self.verdict(&on.program, bound, result, tried);
        if how.certifies && matches!(outcome.verdict, AbstractionVerdict::Safe) {
            let on_model = (model, outcome.buffer);
            outcome.certificate = Some(self.certificate(on, &mut *post, on_model, stop));
        }
        Ok(Checked { outcome, spurious })
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
            SearchResult::Fails(_) => match tried.real {
                Some(real) => self.violation(program, &real),
                None => unknown("the counterexample was lost".into(), None),
            },
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

    /// A run that was executed on numbers.
    pub(super) fn violation(&self, program: &Program, run: &Run) -> AbstractionVerdict {
        let moves: Vec<Move> = run.steps.iter().map(|(m, _)| *m).collect();
        let failure = search::failure(program, &moves);
        AbstractionVerdict::Unsafe {
            property: failure.map_or(String::new(), |f| f.text().to_string()),
            steps: self.steps(program, run),
        }
    }

    /// A move, on a line.
    pub(super) fn shown(&self, program: &Program, m: Move) -> String {
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
                span: d.span,
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

    /// The first line of a text.
    pub(super) fn line(&self, span: Span) -> String {
        let text = self.sources.snippet(span);
        text.lines().next().unwrap_or_default().trim().to_string()
    }
}

/// Says when a limit is reached; the time begins now.
pub(super) fn stop_at(limits: Limits) -> impl Fn() -> bool + Sync {
    let seconds = limits.timeout.map(|s| Duration::from_secs_f64(s.min(1e9)));
    let until = seconds.map(|s| Instant::now() + s);
    let full = limits.memory_mb.map(limits::watch_memory);
    move || {
        until.is_some_and(|t| Instant::now() > t)
            || full.is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed))
    }
}

/// How a program is checked on a model.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// How the abstraction is made.
    pub(super) method: AbstractionMethod,
    /// Abstract counterexamples that are followed.
    pub(super) runs: usize,
    /// A proof comes with a certificate.
    pub(super) certifies: bool,
}

/// An answer, and what stands in the way of a better one.
pub(super) struct Checked {
    pub(super) outcome: AbstractionOutcome,
    /// Where nothing was decided, abstract counterexamples with the positions at which they cannot be
    /// followed; a few of them.
    pub(super) spurious: Vec<(Vec<Move>, usize)>,
}

/// Spurious counterexamples that are kept.
const KEPT: usize = 20;

/// What came of following abstract counterexamples.
#[derive(Default)]
struct Tried {
    spurious: Vec<(Vec<Move>, usize)>,
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
                if self.spurious.len() < KEPT {
                    self.spurious.push((run.to_vec(), at));
                }
                false
            }
            Replay::Unclear => {
                self.unclear = true;
                false
            }
        }
    }
}
