//! Discovery of predicates: counterexample-guided refinement on SC, and on the model where what is
//! extrapolated from SC is not enough.
//!
//! Refinement begins with the predicates of the file, or where there are none with what the properties
//! compare. Once the program is proven on SC, predicates that the proof can do without are left
//! out, the last found first, as extrapolation makes several of each. What refinement finds on a model is about
//! its buffers, and is dropped with their bound.

use super::check::{Checked, How, stop_at};
use super::options::AbstractionMethod;
use super::outcome::{AbstractionOutcome, AbstractionVerdict};
use super::session::{Abstraction, Discovery, OnModel, Stop};
use crate::commands::arith::Cond;
use crate::commands::program::Move;
use crate::driver::error::Error;
use crate::driver::limits::Limits;
use crate::predabs::cube::MAX_PREDICATES;
use crate::predabs::predicates::Predicate;
use crate::predabs::print;
use crate::predabs::refine::Refiner;

/// Abstract counterexamples that are followed before the next refinement.
const RUNS_TO_REFINE: usize = 3;
/// Abstract counterexamples that are followed before the last answer.
const RUNS: usize = 500;
/// Predicates that are found at most.
const MAX_FOUND: usize = 60;

impl Abstraction {
    /// Checks the program on a model, with predicates that are discovered where those of the file are
    /// not enough.
    pub(super) fn check_or_discover(
        &self,
        model: &str,
        stop: &Stop,
    ) -> Result<AbstractionOutcome, Error> {
        let given = &self.file.predicates;
        // What the model does not support is refused before the search on SC.
        self.on(model, self.bounds().0, given)?;
        let mut first = None;
        if !given.is_empty() {
            let checked = self.check_bounds(model, given, false, stop)?;
            if !is_open(&checked, stop) {
                return Ok(checked.outcome);
            }
            first = Some(checked.outcome);
        }
        let mut sc = self.discovery(stop)?;
        let is_unsafe = matches!(sc.outcome.verdict, AbstractionVerdict::Unsafe { .. });
        let is_safe = matches!(sc.outcome.verdict, AbstractionVerdict::Safe);
        if model == "sc" && is_safe && self.options.certificate {
            let on = self.on(model, 1, &sc.predicates)?;
            let proof = self.check_on(model, 1, &on, self.last(), stop)?;
            sc.outcome.certificate = proof.outcome.certificate;
        }
        if model == "sc" || is_unsafe {
            // An execution of SC is one of every model.
            return Ok(AbstractionOutcome {
                model: model.to_string(),
                buffer: (model != "sc").then_some(self.bounds().0),
                ..sc.outcome
            });
        }
        // A proof on SC says nothing of another model.
        if let Some(first) = first.filter(|_| stop()) {
            return Ok(first);
        }
        let mut outcome = self
            .check_bounds(model, &sc.predicates, true, stop)?
            .outcome;
        outcome.discovered = [sc.outcome.discovered, outcome.discovered].concat();
        Ok(outcome)
    }

    /// Checks with the predicates of the file alone, and buffers of a bound.
    pub(super) fn check_with(
        &self,
        model: &str,
        bound: u32,
        stop: &Stop,
    ) -> Result<AbstractionOutcome, Error> {
        let on = self.on(model, bound, &self.file.predicates)?;
        let method = self.options.method;
        let how = How {
            method,
            ..self.last()
        };
        Ok(self.check_on(model, bound, &on, how, stop)?.outcome)
    }

    /// Checks with buffers of a bound, and of larger ones as long as that overflows. `refines` says
    /// whether predicates are added on the model where that decides nothing.
    fn check_bounds(
        &self,
        model: &str,
        given: &[Predicate],
        refines: bool,
        stop: &Stop,
    ) -> Result<Checked, Error> {
        let (mut bound, largest) = self.bounds();
        let how = How {
            method: self.options.method,
            ..self.last()
        };
        loop {
            let mut on = self.on(model, bound, given)?;
            let mut checked = self.check_on(model, bound, &on, how, stop)?;
            if refines && is_open(&checked, stop) {
                let before = on.predicates.len();
                checked = self.refine(model, bound, &mut on, stop)?;
                let new = on.predicates[before..].iter();
                checked.outcome.discovered = new.map(|p| p.text.clone()).collect();
            }
            if !checked.outcome.overflows || bound == largest {
                return Ok(checked);
            }
            bound += 1;
        }
    }

    /// Adds predicates to those on a model until there is an answer, or nothing more is found.
    fn refine(
        &self,
        model: &str,
        bound: u32,
        on: &mut OnModel,
        stop: &Stop,
    ) -> Result<Checked, Error> {
        let before = on.predicates.len();
        let how = How {
            certifies: self.options.certificate,
            ..self.looking_for(RUNS_TO_REFINE)
        };
        loop {
            let checked = self.check_on(model, bound, on, how, stop)?;
            if !is_open(&checked, stop) {
                return Ok(checked);
            }
            let new = missing(on, &checked.spurious, stop);
            let most = on.predicates.len() + new.len();
            if new.is_empty() || most > before + MAX_FOUND || most > MAX_PREDICATES {
                return self.check_on(model, bound, on, self.last(), stop);
            }
            on.predicates.extend(new);
        }
    }

    /// How so many abstract counterexamples are looked for.
    fn looking_for(&self, runs: usize) -> How {
        How {
            method: match self.options.method {
                // What is found over buffers is in no cube of SC.
                AbstractionMethod::Cubes => AbstractionMethod::Predicates,
                method => method,
            },
            runs,
            certifies: false,
        }
    }

    /// How the last answer is found.
    fn last(&self) -> How {
        How {
            certifies: self.options.certificate,
            ..self.looking_for(RUNS)
        }
    }

    /// What there is to discover on SC, once for all models.
    fn discovery(&self, stop: &Stop) -> Result<Discovery, Error> {
        if let Some(known) = self.discovery.get() {
            return Ok(known.clone());
        }
        let found = self.discover(stop)?;
        if !stop() {
            // What a limit has stopped may come further the next time.
            let _ = self.discovery.set(found.clone());
        }
        Ok(found)
    }

    fn discover(&self, stop: &Stop) -> Result<Discovery, Error> {
        let given = self.file.predicates.len();
        let mut predicates = self.file.predicates.clone();
        if given == 0 {
            let on = self.on("sc", 1, &predicates)?;
            let initial = Refiner::new(&on.program).initial().into_iter();
            predicates.extend(initial.map(|c| Predicate::new(c, &on.program)));
        }
        let mut outcome = loop {
            let on = self.on("sc", 1, &predicates)?;
            let checked = self.check_on("sc", 1, &on, self.looking_for(RUNS_TO_REFINE), stop)?;
            if !is_open(&checked, stop) {
                break checked.outcome;
            }
            let new = missing(&on, &checked.spurious, stop);
            if new.is_empty() || predicates.len() + new.len() > given + MAX_FOUND {
                break self.check_on("sc", 1, &on, self.last(), stop)?.outcome;
            }
            predicates.extend(new);
        };
        if matches!(outcome.verdict, AbstractionVerdict::Safe) {
            outcome = self.minimize(&mut predicates, outcome, stop)?;
        }
        let found = predicates[given..].iter();
        outcome.discovered = found.map(|p| p.text.clone()).collect();
        Ok(Discovery {
            predicates,
            outcome,
        })
    }

    /// Leaves predicates out that a proof on SC can do without, the last found first.
    fn minimize(
        &self,
        predicates: &mut Vec<Predicate>,
        mut outcome: AbstractionOutcome,
        stop: &Stop,
    ) -> Result<AbstractionOutcome, Error> {
        for at in (self.file.predicates.len()..predicates.len()).rev() {
            if stop() {
                break;
            }
            let mut fewer = predicates.clone();
            fewer.remove(at);
            let on = self.on("sc", 1, &fewer)?;
            let checked = self.check_on("sc", 1, &on, self.looking_for(1), stop)?;
            if matches!(checked.outcome.verdict, AbstractionVerdict::Safe) {
                *predicates = fewer;
                outcome = checked.outcome;
            }
        }
        Ok(outcome)
    }

    /// The predicates of the file; where it has none, those that are discovered.
    pub(super) fn given(&self, limits: Limits) -> Result<Vec<Predicate>, Error> {
        Ok(match self.file.predicates.is_empty() {
            true => self.discovery(&stop_at(limits))?.predicates,
            false => self.file.predicates.clone(),
        })
    }

    /// The predicates for a model, a line each; they are discovered where none are given. For SC this
    /// is a predicates file.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn predicates(&self, model: &str, limits: Limits) -> Result<Vec<String>, Error> {
        let on = self.on(model, self.bounds().0, &self.given(limits)?)?;
        let mut lines: Vec<String> = on.predicates.into_iter().map(|p| p.text).collect();
        if model == "sc" {
            let invariants = self.file.invariants.iter();
            lines.extend(invariants.map(|p| format!("invariant {}", p.text)));
        }
        Ok(lines)
    }

    /// The Boolean program for a model, as text; its predicates are discovered where none are given.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn boolean(&self, model: &str, limits: Limits) -> Result<String, Error> {
        let on = self.on(model, self.bounds().0, &self.given(limits)?)?;
        let stop = stop_at(limits);
        let search = self.cube_search(&on, self.options.method, &stop)?;
        let built = search.and_then(|search| self.build(&on, search, &stop));
        let text = built.map(|b| print::boolean(&self.sources, &on.program, &b));
        Ok(text.unwrap_or_default())
    }
}

/// Nothing is decided, and with more predicates more may be.
fn is_open(checked: &Checked, stop: &Stop) -> bool {
    !checked.spurious.is_empty() && !checked.outcome.overflows && !stop()
}

/// Predicates that some spurious counterexamples lack.
fn missing(on: &OnModel, spurious: &[(Vec<Move>, usize)], stop: &Stop) -> Vec<Predicate> {
    let refiner = Refiner::new(&on.program);
    let used: Vec<Cond> = on.predicates.iter().map(|p| p.cond.clone()).collect();
    let mut found: Vec<Cond> = Vec::new();
    for (run, at) in spurious {
        let more = refiner.missing(run, *at, &used, &found, stop);
        found.extend(more);
    }
    let new = found.into_iter();
    new.map(|c| Predicate::new(c, &on.program)).collect()
}
