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

use super::outcome::AbstractionVerdict;
use super::session::Abstraction;
use crate::commands::program::{Move, Program};
use crate::driver::error::Error;
use crate::driver::input::Input;
use crate::driver::limits::{self, Limits};
use crate::driver::statements::{Edit, Heads, Statements, changed};
use crate::predabs::explicit::{ExplicitLimits, Explored, explore};
use crate::predabs::fences::{FenceSite, MAX_SITES, SiteSet, has, place, same, sites, stopping};
use crate::predabs::hitting::Clauses;
use crate::predabs::replay::{Replay, Run, replay};
use base::diag::Diag;
use base::source::Span;
use ir::program::MemoryOrder;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// States that are looked at for a violation on numbers, for each bound of the buffers.
const EXPLICIT_STATES: usize = 200_000;

/// Undecided placements, after which fences are dropped one by one.
const MAX_UNDECIDED: usize = 24;

/// The part of the time that is spent on one placement at most, once one is proved.
const SLICE: f64 = 0.1;

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
        verdict: AbstractionVerdict,
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
    /// The source after it, if it has all changes.
    pub text: Option<String>,
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
    /// The statement: a fence, or the store that it follows.
    pub span: Span,
    /// Where: file and line of the statement.
    pub place: String,
    /// Its text.
    pub text: String,
    /// It stood there.
    pub exists: bool,
    /// What there is without it.
    pub without: AbstractionVerdict,
}

/// Whether fewer fences would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "minimality", rename_all = "snake_case")]
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
enum PlacementVerdict {
    /// Proved, with so many entries of a buffer.
    Safe(Option<u32>),
    /// A run violates a property.
    Unsafe(AbstractionVerdict),
    /// A buffer has more entries than the largest bound.
    Overflows(AbstractionVerdict),
    /// Neither proved nor refuted.
    Undecided(AbstractionVerdict),
    /// No fence of it stops a known run that violates a property, or that overflows.
    AsKnown,
}

/// For each fence of a placement what there is without it.
type Withouts = Vec<(usize, AbstractionVerdict)>;

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
            return Err(Error::refused(
                &self.sources,
                vec![Diag::unsupported_input(message)],
            ));
        }
        // Fences are nothing on SC, so what is discovered there is for every placement.
        let mut base = self.clone();
        base.file.predicates = self.given(limits)?;
        let mut search = FenceSearch {
            base: &base,
            model,
            sites: &sites,
            violations: Clauses::default(),
            overflows: Clauses::default(),
            refuted: BTreeSet::new(),
            undecided: BTreeSet::new(),
            found: BTreeMap::new(),
            slice: None,
            checked: 0,
        };
        let all = match sites.len() {
            0 => 0,
            n => SiteSet::MAX >> (MAX_SITES - n),
        };
        if let Some(verdict) = search.examine(all, &|| after(1.0))?.failure() {
            return Ok(FenceOutcome::NotEnough {
                fences: sites.len(),
                verdict,
            });
        }
        search.slice = seconds.map(|s| s.mul_f64(SLICE));
        let fewest = search.fewest(&|| after(0.5))?;
        let (chosen, minimality) = match fewest {
            Some(found) => found,
            None => search.minimal(all, &|| after(0.8))?,
        };
        let (chosen, minimality, without) = search.needed(chosen, minimality, &|| after(1.0))?;
        let PlacementVerdict::Safe(buffer) = search.examine(chosen, &|| false)? else {
            return Err(Error::Internal("a placement lost its proof".into()));
        };
        let mut fences = Vec::new();
        for (i, without) in without {
            fences.push(PlacedFence {
                span: sites[i].span,
                place: self.sources.location(sites[i].access),
                text: self.line(sites[i].span),
                exists: sites[i].exists,
                without,
            });
        }
        let mut placement = FencePlacement {
            model: model.to_string(),
            buffer,
            sites: sites.len(),
            fences,
            minimality,
            diff: String::new(),
            text: None,
            by_hand: Vec::new(),
            checked: search.checked,
            runs: search.violations.len() + search.overflows.len(),
        };
        self.change_text(&mut placement, &statements, &sites, chosen, &|| after(1.0))?;
        Ok(FenceOutcome::Placed(Box::new(placement)))
    }

    /// Puts the fences into the text. It is read again: what is shown is the program that was
    /// proved, or is proved itself; otherwise all is said in words.
    fn change_text(
        &self,
        placement: &mut FencePlacement,
        statements: &Statements,
        sites: &[FenceSite],
        chosen: SiteSet,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Error> {
        let Some(id) = self.sources.find(&self.input.shown()) else {
            return Ok(());
        };
        let (mut edits, mut shown) = (Vec::new(), 0);
        let differing = sites.iter().enumerate();
        let differing = differing.filter(|(i, site)| site.exists != has(chosen, *i));
        for (i, site) in differing.clone() {
            let is_statement = statements.around(site.access) == Some(site.span);
            let change = match site.exists {
                true => statements
                    .without(site.access, Heads::Dropped)
                    .map(|edit| vec![edit]),
                false => statements.fence_after(site.access, MemoryOrder::SeqCst),
            };
            let is_here = |all: &Vec<Edit>| all.iter().all(|e| e.span.file == id);
            if let Some(change) = change.filter(|all| is_statement && is_here(all)) {
                edits.extend(change);
                shown |= 1 << i;
            }
        }
        let file = self.sources.file(id);
        let text = changed(&file.text, &edits);
        if shown != 0 && !self.is_confirmed(placement, &text, sites, (chosen, shown), stop)? {
            shown = 0;
        }
        for (_, site) in differing.filter(|(i, _)| !has(shown, *i)) {
            let place = self.sources.location(site.access);
            let text = self.line(site.access);
            placement.by_hand.push(match site.exists {
                true => format!("{place}: `{text}` is superfluous"),
                false => format!("{place}: a full fence right after `{text}`"),
            });
        }
        if shown != 0 {
            let diff = similar::TextDiff::from_lines(&file.text, &text);
            let (before, after) = (format!("a/{}", file.name), format!("b/{}", file.name));
            placement.diff = diff.unified_diff().header(&before, &after).to_string();
        }
        if placement.by_hand.is_empty() {
            placement.text = Some(text);
        }
        Ok(())
    }

    /// A text with some of the changes is the program with them, or is proved.
    fn is_confirmed(
        &self,
        placement: &FencePlacement,
        text: &str,
        sites: &[FenceSite],
        (chosen, shown): (SiteSet, SiteSet),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool, Error> {
        let mut options = self.options.clone();
        let folder = self.input.name.parent().filter(|p| p.as_os_str() != "");
        let folder = folder.map(std::path::Path::to_path_buf);
        options.program.c.include_dirs.extend(folder);
        let input = Input::text(&self.input.name, text);
        let Ok(read) = Abstraction::read(&input, &options) else {
            return Ok(false);
        };
        let existing = sites.iter().enumerate().filter(|(_, s)| s.exists);
        let existing: SiteSet = existing.map(|(i, _)| 1 << i).sum();
        let partial = chosen & shown | existing & !shown;
        if same(&read.program, &place(&self.program, sites, partial)) {
            return Ok(true);
        }
        let outcome = read.check_or_discover(&placement.model, stop)?;
        Ok(partial == chosen && matches!(outcome.verdict, AbstractionVerdict::Safe))
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
    /// Violate a property, by a run that says nothing of others.
    refuted: BTreeSet<SiteSet>,
    undecided: BTreeSet<SiteSet>,
    found: BTreeMap<SiteSet, PlacementVerdict>,
    /// The time of a placement.
    slice: Option<Duration>,
    checked: usize,
}

impl PlacementVerdict {
    /// Why it is no proof, if that is known of this placement itself.
    fn failure(self) -> Option<AbstractionVerdict> {
        match self {
            PlacementVerdict::Unsafe(verdict)
            | PlacementVerdict::Overflows(verdict)
            | PlacementVerdict::Undecided(verdict) => Some(verdict),
            PlacementVerdict::Safe(_) | PlacementVerdict::AsKnown => None,
        }
    }
}

impl FenceSearch<'_> {
    /// What a placement is, by what is known of others if that says it.
    fn examine(
        &mut self,
        chosen: SiteSet,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<PlacementVerdict, Error> {
        if let Some(found) = self.found.get(&chosen) {
            return Ok(found.clone());
        }
        if !self.violations.are_hit_by(chosen) || !self.overflows.are_hit_by(chosen) {
            return Ok(PlacementVerdict::AsKnown);
        }
        let begun = Instant::now();
        let slice = self.slice;
        let in_time = || stop() || slice.is_some_and(|s| begun.elapsed() > s);
        let found = self.check(chosen, &in_time)?;
        // What a limit has left open may be looked at once more, when there is time.
        if matches!(found, PlacementVerdict::Undecided(_)) {
            if stop() {
                return Ok(found);
            }
            self.undecided.insert(chosen);
        }
        self.found.insert(chosen, found.clone());
        Ok(found)
    }

    /// Looks for a violation on numbers, then for a proof.
    fn check(
        &mut self,
        chosen: SiteSet,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<PlacementVerdict, Error> {
        let program = place(&self.base.program, self.sites, chosen);
        let with = self.base.with_program(program);
        let (first, largest) = self.base.bounds();
        // What is possible with small buffers is with larger ones.
        let mut bound = 1;
        loop {
            let (program, found) = self.explore(&with, bound, stop)?;
            if let Some(run) = found.violation.and_then(|moves| real(&program, &moves)) {
                let stopping = stopping(&program, &run, self.sites, chosen);
                self.violations.add(stopping);
                return Ok(PlacementVerdict::Unsafe(with.violation(&program, &run)));
            }
            match found.overflow.and_then(|moves| real(&program, &moves)) {
                None => break,
                Some(_) if bound < largest => bound += 1,
                Some(run) => {
                    let stopping = stopping(&program, &run, self.sites, chosen);
                    self.overflows.add(stopping);
                    let reason = format!("a store buffer holds more than {bound} entries");
                    return Ok(PlacementVerdict::Overflows(unknown(reason)));
                }
            }
        }
        self.checked += 1;
        bound = bound.max(first);
        loop {
            let outcome = match with.check_with(self.model, bound, stop) {
                Ok(outcome) => outcome,
                // More predicates than are supported, as more entries need more.
                Err(Error::Refused(refused)) => {
                    let message = refused.diags.first().map(|d| d.message.clone());
                    return Ok(PlacementVerdict::Undecided(unknown(
                        message.unwrap_or_default(),
                    )));
                }
                Err(error) => return Err(error),
            };
            match &outcome.verdict {
                AbstractionVerdict::Safe => return Ok(PlacementVerdict::Safe(outcome.buffer)),
                AbstractionVerdict::Unsafe { .. } => {
                    self.refuted.insert(chosen);
                    return Ok(PlacementVerdict::Unsafe(outcome.verdict));
                }
                AbstractionVerdict::Unknown { .. } if outcome.overflows && bound < largest => {
                    bound += 1;
                }
                AbstractionVerdict::Unknown { .. } => {
                    return Ok(PlacementVerdict::Undecided(outcome.verdict));
                }
            }
        }
    }

    fn explore(
        &self,
        with: &Abstraction,
        bound: u32,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Program, Explored), Error> {
        let program = with.with_invariants(self.model, bound)?;
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
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<(SiteSet, Minimality)>, Error> {
        let count = self.sites.len();
        let mut size = 0;
        while size <= count {
            if stop() || self.undecided.len() > MAX_UNDECIDED {
                return Ok(None);
            }
            let passed_over = self.undecided.union(&self.refuted).copied().collect();
            let both = self.violations.and(&self.overflows);
            let Some(next) = both.smallest(count, size, &passed_over) else {
                return Ok(None);
            };
            size = next.count_ones() as usize;
            if let PlacementVerdict::Safe(_) = self.examine(next, stop)? {
                let fewer = |s: &&SiteSet| (s.count_ones() as usize) < size;
                let undecided = self.undecided.iter().filter(fewer).count();
                let least = self.violations.smallest(count, 0, &self.refuted);
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
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(SiteSet, Minimality), Error> {
        let mut best = all;
        loop {
            let before = best;
            for i in (0..self.sites.len()).rev().filter(|i| has(before, *i)) {
                if stop() {
                    return Ok((best, Minimality::Unknown));
                }
                if let PlacementVerdict::Safe(_) = self.examine(best & !(1 << i), stop)? {
                    best &= !(1 << i);
                }
            }
            if best == before {
                return Ok((best, Minimality::Minimal));
            }
        }
    }

    /// What there is without each fence. Where that is a proof, as it may be after a limit, the fence goes.
    fn needed(
        &mut self,
        mut chosen: SiteSet,
        mut minimality: Minimality,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(SiteSet, Minimality, Withouts), Error> {
        loop {
            let mut without = Vec::new();
            let mut fewer = None;
            for i in (0..self.sites.len()).filter(|i| has(chosen, *i)) {
                let less = chosen & !(1 << i);
                match self.without(less, stop)? {
                    AbstractionVerdict::Safe => fewer = Some(less),
                    verdict => without.push((i, verdict)),
                }
            }
            match fewer {
                Some(less) => chosen = less,
                None => {
                    if minimality == Minimality::Unknown && !stop() {
                        minimality = Minimality::Minimal;
                    }
                    return Ok((chosen, minimality, without));
                }
            }
        }
    }

    /// What there is with these fences, a violation with its run if there is one.
    fn without(
        &mut self,
        chosen: SiteSet,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<AbstractionVerdict, Error> {
        let found = match self.examine(chosen, stop)? {
            PlacementVerdict::AsKnown => self.check(chosen, stop)?,
            found => found,
        };
        Ok(found.failure().unwrap_or(AbstractionVerdict::Safe))
    }
}

fn unknown(reason: String) -> AbstractionVerdict {
    AbstractionVerdict::Unknown { reason, step: None }
}

/// The run on numbers, executed once more.
fn real(program: &Program, moves: &[Move]) -> Option<Run> {
    match replay(program, moves) {
        Replay::Real(run) => Some(run),
        _ => None,
    }
}
