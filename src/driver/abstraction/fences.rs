//! As few full fences as possible.
//!
//! The sites are the full fences of the program and its stores to memory. What is known of a
//! placement says something of others: more fences never lose the safety of the program, so what is
//! proved is proved for every larger set, and a run that violates a property is one of every program
//! that has none of the fences which stop it. So each violation is a clause: one of these sites has a
//! fence. The search takes a smallest set that satisfies all clauses, looks for a violation on numbers,
//! and if there is none for a proof. That a store buffer overflows at the largest bound, too, is
//! a clause, of the placements that can be proved; of a placement that is undecided for another reason
//! nothing follows, and it alone is passed over.
//!
//! When many are undecided, or half of the time is gone, fences are dropped one by one instead.

use super::outcome::{AbstractionOutcome, AbstractionVerdict};
use super::session::Abstraction;
use super::statements::{Edit, Statements, changed};
use crate::base::diag::Diag;
use crate::base::source::FileId;
use crate::driver::error::Error;
use crate::driver::input::Input;
use crate::driver::limits::{self, Limits};
use crate::predabs::explicit::{Explored, ExplicitLimits, explore};
use crate::predabs::fences::{FenceSite, MAX_SITES, SiteSet, has, place, sites, stopping};
use crate::predabs::hitting::Clauses;
use crate::predabs::program::{Failure, Move, Program};
use crate::predabs::replay::{Replay, Run, replay};
use crate::predabs::search;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// States that are looked at for a violation on numbers, for each bound of the buffers.
const EXPLICIT_STATES: usize = 200_000;

/// Undecided placements, after which fences are dropped one by one.
const MAX_UNDECIDED: usize = 24;

/// What came of looking for fences.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FenceOutcome {
    /// A placement that verifies.
    Placed(Box<FencePlacement>),
    /// Fences everywhere do not.
    NotEnough {
        /// How many there are then.
        fences: usize,
        /// What was found with all of them.
        outcome: Box<AbstractionOutcome>,
    },
}

/// A placement that verifies.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FencePlacement {
    /// The model's short name.
    pub model: String,
    /// Entries of a store buffer; none on SC.
    pub buffer: Option<u32>,
    /// Places where a fence may stand.
    pub sites: usize,
    /// The fences, those that stood there first.
    pub fences: Vec<PlacedFence>,
    /// Whether fewer would do.
    pub minimality: Minimality,
    /// The change of the source, as a unified diff.
    pub diff: String,
    /// The files after it, by name.
    pub files: Vec<(String, String)>,
    /// Changes that the diff does not have, in words.
    pub by_hand: Vec<String>,
    /// Placements that were checked by abstraction.
    pub checked: usize,
    /// Runs that violate a property, or overflow, from which others followed.
    pub runs: usize,
}

/// A fence of a placement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlacedFence {
    /// Where: file and line of the statement.
    pub place: String,
    /// The statement: a fence, or the store that it follows.
    pub text: String,
    /// It stood there.
    pub exists: bool,
    /// What there is without it.
    pub without: AbstractionVerdict,
}

/// Whether fewer fences would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Minimality {
    /// Every placement with fewer has a violation.
    Minimum,
    /// Every placement with fewer has a violation, or overflows, or was undecided.
    FewestProved {
        /// How many were undecided.
        undecided: usize,
    },
    /// No single fence can be left out.
    Minimal,
    /// A limit was reached before that was clear.
    Unknown,
}

/// What a placement was found to be.
#[derive(Clone)]
enum Found {
    Safe(Box<AbstractionOutcome>),
    /// A run violates a property.
    Unsafe(Box<AbstractionOutcome>),
    /// The placement has none of the fences that stop some such run.
    UnsafeAsKnown,
    Unproved(Box<AbstractionOutcome>),
    OverflowsAsKnown,
}

impl Abstraction {
    /// Looks for as few full fences as possible with which the program is safe on a model.
    ///
    /// # Errors
    /// What buffers cannot express, or a program with too many places for fences.
    pub fn infer_fences(&self, model: &str, limits: Limits) -> Result<FenceOutcome, Error> {
        let start = Instant::now();
        let seconds = limits.timeout.map(|s| Duration::from_secs_f64(s.min(1e9)));
        let full = limits.memory_mb.map(limits::watch_memory);
        let after = |share: f64| {
            seconds.is_some_and(|s| start.elapsed() > s.mul_f64(share))
                || full.is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed))
        };
        let statements = Statements::new(&self.sources);
        let sites = sites(&self.program, &|span| statements.around(span));
        if sites.len() > MAX_SITES {
            let message = format!(
                "{} places for fences are more than the {MAX_SITES} that are supported",
                sites.len()
            );
            return Err(Error::refused(&self.sources, vec![Diag::bare(message)]));
        }
        let mut search = FenceSearch {
            base: self,
            model,
            sites: &sites,
            violations: Clauses::default(),
            overflows: Clauses::default(),
            safe: Vec::new(),
            found: BTreeMap::new(),
            undecided: BTreeSet::new(),
            checked: 0,
        };
        let all = match sites.len() {
            0 => 0,
            n => SiteSet::MAX >> (MAX_SITES - n),
        };
        if let Found::Unsafe(outcome) | Found::Unproved(outcome) = search.examine(all, &|| after(1.0))? {
            return Ok(FenceOutcome::NotEnough {
                fences: sites.len(),
                outcome,
            });
        }
        let fewest = search.fewest(&|| after(0.5))?;
        let (chosen, minimality) = match fewest {
            Some(found) => found,
            None => search.minimal(all, &|| after(0.8))?,
        };
        let Found::Safe(outcome) = search.examine(chosen, &|| false)? else {
            return Err(Error::Internal("a placement lost its proof".into()));
        };
        let mut fences = Vec::new();
        for (i, site) in sites.iter().enumerate().filter(|(i, _)| has(chosen, *i)) {
            fences.push(PlacedFence {
                place: self.sources.location(site.access),
                text: self.line(site.span),
                exists: site.exists,
                without: search.without(chosen & !(1 << i), &|| after(1.0))?,
            });
        }
        let (edits, by_hand) = self.edits(&statements, &sites, chosen);
        let mut placement = FencePlacement {
            model: model.to_string(),
            buffer: outcome.buffer,
            sites: sites.len(),
            fences,
            minimality,
            diff: String::new(),
            files: Vec::new(),
            by_hand,
            checked: search.checked,
            runs: search.violations.len() + search.overflows.len(),
        };
        self.show_edits(&edits, &mut placement);
        Ok(FenceOutcome::Placed(Box::new(placement)))
    }

    /// The changes of the source, and those that cannot be made there, in words.
    fn edits(
        &self,
        statements: &Statements,
        sites: &[FenceSite],
        chosen: SiteSet,
    ) -> (Vec<Edit>, Vec<String>) {
        let (mut edits, mut by_hand) = (Vec::new(), Vec::new());
        for (i, site) in sites.iter().enumerate() {
            if site.exists == has(chosen, i) {
                continue;
            }
            let is_statement = statements.around(site.access) == Some(site.span);
            let edit = match (is_statement, site.exists) {
                (false, _) => None,
                (true, true) => statements.without(site.access),
                (true, false) => statements.fence_after(site.access),
            };
            let place = self.sources.location(site.access);
            let text = self.line(site.access);
            match (edit, site.exists) {
                (Some(edit), _) => edits.push(edit),
                (None, true) => by_hand.push(format!("{place}: `{text}` is superfluous")),
                (None, false) => {
                    by_hand.push(format!("{place}: a full fence right after `{text}`"));
                }
            }
        }
        (edits, by_hand)
    }

    fn show_edits(&self, edits: &[Edit], placement: &mut FencePlacement) {
        let files: BTreeSet<FileId> = edits.iter().map(|e| e.span.file).collect();
        for id in files {
            let file = self.sources.file(id);
            let own: Vec<Edit> = edits.iter().filter(|e| e.span.file == id).cloned().collect();
            let text = changed(&file.text, &own);
            let diff = similar::TextDiff::from_lines(&file.text, &text);
            let (before, after) = (format!("a/{}", file.name), format!("b/{}", file.name));
            placement.diff += &diff.unified_diff().header(&before, &after).to_string();
            placement.files.push((file.name.clone(), text));
        }
    }

    /// The same program and predicates with other fences.
    fn with_program(&self, program: Program) -> Abstraction {
        Abstraction {
            program,
            ..self.clone()
        }
    }
}

struct FenceSearch<'a> {
    base: &'a Abstraction,
    model: &'a str,
    sites: &'a [FenceSite],
    /// Of each run that violates a property: what stops it.
    violations: Clauses,
    /// Of each run that overflows at the largest bound: what stops it.
    overflows: Clauses,
    safe: Vec<SiteSet>,
    found: BTreeMap<SiteSet, Found>,
    undecided: BTreeSet<SiteSet>,
    checked: usize,
}

impl FenceSearch<'_> {
    /// What a placement is, by what is known of others if that says it.
    fn examine(&mut self, chosen: SiteSet, stop: &dyn Fn() -> bool) -> Result<Found, Error> {
        if let Some(found) = self.found.get(&chosen) {
            return Ok(found.clone());
        }
        if !self.violations.are_hit_by(chosen) {
            return Ok(Found::UnsafeAsKnown);
        }
        if !self.overflows.are_hit_by(chosen) {
            return Ok(Found::OverflowsAsKnown);
        }
        let found = self.check(chosen, stop)?;
        match &found {
            Found::Safe(_) => self.safe.push(chosen),
            Found::Unproved(_) => {
                self.undecided.insert(chosen);
            }
            _ => {}
        }
        self.found.insert(chosen, found.clone());
        Ok(found)
    }

    /// The abstraction of the program with the chosen fences.
    fn with(&self, chosen: SiteSet) -> Abstraction {
        let program = place(&self.base.program, self.sites, chosen);
        self.base.with_program(program)
    }

    fn check(&mut self, chosen: SiteSet, stop: &dyn Fn() -> bool) -> Result<Found, Error> {
        let with = self.with(chosen);
        let (first, largest) = self.base.bounds();
        let mut bound = first;
        loop {
            let (program, found) = self.explore(&with, bound, stop)?;
            if let Some(run) = found.violation.and_then(|moves| real(&program, &moves)) {
                let hit_by = stopping(&program, &run, self.sites, chosen);
                self.violations.add(hit_by);
                let outcome = with.violated(self.model, bound, &program, &run);
                return Ok(Found::Unsafe(Box::new(outcome)));
            }
            match found.overflow.and_then(|moves| real(&program, &moves)) {
                None => break,
                Some(_) if bound < largest => bound += 1,
                Some(run) => {
                    let hit_by = stopping(&program, &run, self.sites, chosen);
                    self.overflows.add(hit_by);
                    let outcome = with.overflowed(self.model, bound);
                    return Ok(Found::Unproved(Box::new(outcome)));
                }
            }
        }
        self.checked += 1;
        loop {
            let outcome = Box::new(with.check_with(self.model, bound, stop)?);
            match &outcome.verdict {
                AbstractionVerdict::Safe => return Ok(Found::Safe(outcome)),
                AbstractionVerdict::Unsafe { .. } => return Ok(Found::Unsafe(outcome)),
                AbstractionVerdict::Unknown { .. } if outcome.overflows && bound < largest => {
                    bound += 1;
                }
                AbstractionVerdict::Unknown { .. } => return Ok(Found::Unproved(outcome)),
            }
        }
    }

    fn explore(
        &self,
        with: &Abstraction,
        bound: u32,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Program, Explored), Error> {
        let program = with.checked_program(self.model, bound)?;
        let limits = ExplicitLimits {
            states: EXPLICIT_STATES,
            stop,
        };
        let found = explore(&program, &limits);
        Ok((program, found))
    }

    /// The fewest fences, if that is found in time.
    fn fewest(
        &mut self,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(SiteSet, Minimality)>, Error> {
        let count = self.sites.len();
        let mut size = 0;
        while size <= count {
            if stop() || self.undecided.len() > MAX_UNDECIDED {
                return Ok(None);
            }
            let passed_over = self.undecided.clone();
            let both = self.violations.and(&self.overflows);
            let Some(next) = both.smallest(count, size, &passed_over) else {
                return Ok(None);
            };
            size = next.count_ones() as usize;
            if let Found::Safe(_) = self.examine(next, stop)? {
                let fewer = |s: &&SiteSet| (s.count_ones() as usize) < size;
                let undecided = self.undecided.iter().filter(fewer).count();
                let nothing = BTreeSet::new();
                let least = self.violations.smallest(count, 0, &nothing);
                let is_minimum = least.is_some_and(|s| s.count_ones() as usize == size);
                let minimality = match is_minimum {
                    true => Minimality::Minimum,
                    false => Minimality::FewestProved { undecided },
                };
                return Ok(Some((next, minimality)));
            }
        }
        Ok(None)
    }

    /// Fences dropped one by one, those that are not there yet first.
    fn minimal(
        &mut self,
        all: SiteSet,
        stop: &dyn Fn() -> bool,
    ) -> Result<(SiteSet, Minimality), Error> {
        let mut best = all;
        loop {
            let before = best;
            for i in (0..self.sites.len()).rev().filter(|i| has(before, *i)) {
                if stop() {
                    return Ok((best, Minimality::Unknown));
                }
                if let Found::Safe(_) = self.examine(best & !(1 << i), stop)? {
                    best &= !(1 << i);
                }
            }
            if best == before {
                return Ok((best, Minimality::Minimal));
            }
        }
    }

    /// What there is with these fences, a violation with its run if there is one.
    fn without(
        &mut self,
        chosen: SiteSet,
        stop: &dyn Fn() -> bool,
    ) -> Result<AbstractionVerdict, Error> {
        let found = match self.examine(chosen, stop)? {
            Found::UnsafeAsKnown | Found::OverflowsAsKnown => self.check(chosen, stop)?,
            found => found,
        };
        Ok(match found {
            Found::Safe(outcome) | Found::Unsafe(outcome) | Found::Unproved(outcome) => {
                outcome.verdict
            }
            Found::UnsafeAsKnown | Found::OverflowsAsKnown => AbstractionVerdict::Unknown {
                reason: "a limit was reached".into(),
                step: None,
            },
        })
    }
}

/// The run on numbers, executed once more.
fn real(program: &Program, moves: &[Move]) -> Option<Run> {
    match replay(program, moves) {
        Replay::Real(run) => Some(run),
        _ => None,
    }
}
