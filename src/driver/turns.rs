//! The exploration of executions and the solver, in turns.
//!
//! Which of the two answers first is not known beforehand: one walks executions, the other one looks at all of
//! them. The exploration has a short look first. Then the solver works, and the exploration waits. It has another
//! turn when the solver has taken long enough that this is no loss ([`LOOK`]), and later when by its estimate it
//! would come to its end in half the time that the solver has taken. All its turns together take no longer than
//! the solver's, or [`LOOK`].
//!
//! Only one of them works at a time, two threads that wait for each other; unless there is a processor for each
//! ([`Pace::AtOnce`]): then none waits.

use super::enumeration::{NoResult, has_answered};
use crate::check::bmc::Env;
use crate::check::outcome::{CheckResult, UnknownReason};
use enumerate::explore::{Progress, Watch};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Seconds of a first look at the executions.
const GLANCE: f64 = 0.05;

/// Seconds of the exploration whatever it says of itself, where the solver has taken as long.
const LOOK: f64 = 0.25;

/// Whether the two wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// One of them works at a time.
    InTurns,
    /// None waits.
    AtOnce,
}

/// Whose turn it is, and what the exploration has come to.
pub(super) struct Turns {
    pace: Pace,
    /// The exploration has an answer that needs no solver.
    answered: Arc<AtomicBool>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The exploration works, and up to this moment.
    until: Option<Instant>,
    /// Its turn began at this moment.
    begun: Instant,
    /// Seconds that it has taken in its turns before.
    explored: f64,
    progress: Progress,
    /// Turns in which it was to come to its end by its estimate.
    promised: i32,
    result: Option<Result<CheckResult, NoResult>>,
    /// Nobody waits for it any more.
    is_over: bool,
}

impl Turns {
    /// The exploration has the first turn; with a limit of time it is at most a tenth of that.
    pub fn new(timeout: Option<f64>, pace: Pace) -> Arc<Turns> {
        let now = Instant::now();
        let glance = timeout.map_or(GLANCE, |t| GLANCE.min(t / 10.0));
        Arc::new(Turns {
            pace,
            answered: Arc::default(),
            state: Mutex::new(State {
                until: Some(now + Duration::from_secs_f64(glance)),
                begun: now,
                explored: 0.0,
                progress: Progress::default(),
                promised: 0,
                result: None,
                is_over: false,
            }),
            changed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        state.expect("no thread panics with the lock")
    }

    /// The exploration has come to its end.
    pub fn end(&self, result: Result<CheckResult, NoResult>) {
        let is_answer = |result: &CheckResult| {
            let is_shown = result.violation().is_none_or(|found| found.trace.is_some());
            has_answered(result) && is_shown
        };
        let answers = result.as_ref().map_or(true, is_answer);
        let mut state = self.state();
        state.ends_turn();
        state.result = Some(result);
        self.answered.store(answers, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Waits for the end of the exploration's turn.
    pub fn wait(&self) {
        if self.pace == Pace::InTurns {
            let waits = |state: &mut State| state.until.is_some();
            drop(self.changed.wait_while(self.state(), waits));
        }
    }

    /// The exploration is to stop where it is.
    pub fn close(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Whether the exploration has an answer that needs no solver.
    pub fn is_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// Becomes true when the exploration has an answer that needs no solver.
    pub fn answered(&self) -> Arc<AtomicBool> {
        self.answered.clone()
    }

    /// What the exploration has found.
    pub fn take(&self) -> Option<Result<CheckResult, NoResult>> {
        self.state().result.take()
    }

    /// Gives the exploration a turn if one is due when the solver has worked for so many seconds.
    fn is_due(&self, solved: f64) {
        if self.pace == Pace::InTurns {
            let turn = self.state().next_turn(solved);
            self.turn(turn);
        }
    }

    /// Gives the exploration what is left of the time that the solver took, which has no complete answer.
    pub fn rest(&self, solved: f64) {
        let left = solved.max(LOOK);
        match self.pace {
            Pace::InTurns => self.turn(Some(left - self.explored()).filter(|left| *left > 0.0)),
            Pace::AtOnce => {
                let (left, waits) = (Duration::from_secs_f64(left), |s: &mut State| {
                    s.result.is_none()
                });
                drop(self.changed.wait_timeout_while(self.state(), left, waits));
            }
        }
    }

    fn turn(&self, seconds: Option<f64>) {
        let mut state = self.state();
        let Some(seconds) = seconds.filter(|_| state.result.is_none()) else {
            return;
        };
        state.begun = Instant::now();
        state.until = Some(state.begun + Duration::from_secs_f64(seconds));
        drop(state);
        self.changed.notify_all();
        self.wait();
    }

    /// Seconds for which the solver has waited.
    fn waited(&self) -> f64 {
        match self.pace {
            Pace::InTurns => self.explored(),
            Pace::AtOnce => 0.0,
        }
    }

    /// Seconds of the exploration so far.
    pub fn explored(&self) -> f64 {
        self.state().explored
    }
}

impl State {
    fn ends_turn(&mut self) {
        if self.until.take().is_some() {
            self.explored += self.begun.elapsed().as_secs_f64();
        }
    }

    /// How long the next turn of the exploration is, if there is one.
    fn next_turn(&mut self, solved: f64) -> Option<f64> {
        let left = solved - self.explored;
        if self.result.is_some() || left <= 0.0 {
            return None;
        }
        if self.explored < LOOK {
            return (solved >= 2.0 * GLANCE).then_some(left.min(LOOK));
        }
        let share = self.progress.share.clamp(f64::MIN_POSITIVE, 1.0);
        // An estimate that was wrong before counts for less.
        let rest = (self.explored / share - self.explored).max(GLANCE);
        let rest = 2.0 * rest * 4_f64.powi(self.promised);
        if rest > left {
            return None;
        }
        // It is looked at again before much time is spent on it.
        let turn = rest.min(3.0 * self.explored);
        self.promised += i32::from(turn == rest);
        Some(turn)
    }
}

/// The exploration's side.
pub(super) struct Exploring {
    pub turns: Arc<Turns>,
    /// Its own limits.
    pub env: Env,
}

impl Watch for Exploring {
    fn gives_up(&self) -> bool {
        let mut state = self.turns.state();
        let has_turn = state.until.is_some_and(|until| Instant::now() < until);
        if !has_turn && self.turns.pace == Pace::InTurns {
            state.ends_turn();
            self.turns.changed.notify_all();
            let waits = |state: &mut State| state.until.is_none() && !state.is_over;
            let waited = self.turns.changed.wait_while(state, waits);
            state = waited.expect("no thread panics with the lock");
        }
        state.is_over || (self.env.limit)().is_some()
    }

    fn sees(&self, progress: Progress) {
        self.turns.state().progress = progress;
    }
}

impl Drop for Exploring {
    /// Nobody waits for a thread that is gone.
    fn drop(&mut self) {
        self.turns.state().ends_turn();
        self.turns.changed.notify_all();
    }
}

/// The solver's limits, where the exploration has turns, too: its answer ends what the solver does. The clock
/// stands still while the exploration works.
pub(super) fn beside(env: Env, turns: &Arc<Turns>) -> Env {
    let Env { now, limit, begins } = env;
    let before = turns.waited();
    let clock = {
        let turns = turns.clone();
        move || now() - (turns.waited() - before)
    };
    let clock: Rc<dyn Fn() -> f64> = Rc::new(clock);
    let (now, turns, start) = (clock.clone(), turns.clone(), clock());
    let limit = Rc::new(move || {
        turns.is_due(clock() - start);
        // The reason is never shown: the answer of the exploration is.
        let answered = turns.is_answered();
        let answered = answered.then_some(UnknownReason::Timeout(0.0));
        answered.or_else(|| limit())
    });
    Env { now, limit, begins }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long the next turn is of an exploration that has taken so many seconds for a share of all executions, while
    /// the solver took so many.
    fn turn(explored: f64, share: f64, promised: i32, solved: f64) -> Option<f64> {
        let turns = Turns::new(None, Pace::InTurns);
        let mut state = turns.state();
        state.explored = explored;
        state.progress.share = share;
        state.promised = promised;
        state.next_turn(solved)
    }

    #[test]
    fn the_exploration_takes_no_more_time_than_the_solver() {
        // At first the solver is left alone, then it is looked at some executions whatever they are.
        assert_eq!(turn(GLANCE, 0.0, 0, GLANCE), None);
        assert_eq!(turn(GLANCE, 0.0, 0, 1.0), Some(LOOK));
        // One second is left of two, as far as is known.
        assert_eq!(turn(1.0, 0.5, 0, 2.5), None);
        assert_eq!(turn(1.0, 0.5, 0, 3.0), Some(2.0));
        // It was wrong before.
        assert_eq!(turn(1.0, 0.5, 1, 8.9), None);
        assert_eq!(turn(1.0, 0.5, 1, 9.0), Some(3.0));
        assert_eq!(turn(1.0, 1.0, 0, 0.9), None);
        assert_eq!(turn(1.0, 0.0, 0, 1e9), None);
    }

    #[test]
    fn one_of_the_two_works_at_a_time() {
        let turns = Turns::new(None, Pace::InTurns);
        let explores = || {
            let watch = Exploring {
                turns: turns.clone(),
                env: Env::unlimited(),
            };
            while !watch.gives_up() {}
            turns.state().is_over
        };
        std::thread::scope(|scope| {
            let exploration = scope.spawn(explores);
            turns.wait();
            assert!(turns.explored() >= GLANCE);
            turns.rest(1.0);
            assert!(turns.explored() >= 1.0);
            turns.close();
            assert!(exploration.join().expect("no panic"));
        });
    }
}
