//! The three conditions of a certificate: initiation, consecution, safety.
//!
//! A step is asked about once for each cube of the predicates near it. What follows from a cube is again a
//! cube: each predicate by itself, true, false or unknown. It has to have all the literals of some
//! cube at the locations that the step leads to.

use super::entailment::{Claim, Depth, StepEntailment};
use super::format::Certificate;
use super::interleaving::{Interleavings, Locations};
use crate::base::source::Span;
use crate::predabs::arith::Cond;
use crate::predabs::cube::Cube;
use crate::predabs::cube_set::CubeSet;
use crate::predabs::program::{Effect, LocId, Move, Program, Step};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A certificate that proves what it claims.
#[derive(Debug)]
pub struct Checked {
    /// Cubes of it.
    pub cubes: usize,
    /// Vectors of locations.
    pub locations: usize,
    /// Queries to the solver.
    pub queries: u64,
    /// The entailments that were found.
    pub claims: Vec<Claim>,
}

/// What is wrong with a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// Which condition fails.
    pub kind: FlawKind,
    /// The cube in the certificate; none of initiation.
    pub cube: Option<Span>,
    /// Where the threads are.
    pub at: Locations,
}

/// Which condition of a certificate fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlawKind {
    /// The initial values imply no cube of the initial locations.
    Initiation,
    /// What follows by this step implies no cube where it leads.
    Consecution(Move, Locations),
    /// This step is possible, and fails.
    Safety(Move),
}

/// Checks a certificate of a program; its invariants are steps of it.
///
/// # Errors
/// The first flaw.
pub fn check(program: &Program, certificate: &Certificate) -> Result<Checked, Flaw> {
    let predicates: Vec<Cond> = certificate
        .predicates
        .iter()
        .map(|p| p.cond.clone())
        .collect();
    let mut states: FxHashMap<&Locations, CubeSet> = FxHashMap::default();
    for (at, cubes) in &certificate.states {
        let set = states.entry(at).or_default();
        for (cube, _) in cubes {
            set.insert(*cube);
        }
    }
    let covers = |at: &Locations, cube: Cube| states.get(at).is_some_and(|s| s.covers(cube));
    let interleavings = Interleavings::new(program);
    let mut claims = Vec::new();
    let mut queries = 0;

    let initial = interleavings.initial();
    let mut first = StepEntailment::new(&initially(program), &predicates, program.vars.len());
    let known = first.after(Cube::default(), Depth::All);
    if !known.is_none_or(|cube| covers(&initial, cube)) {
        return Err(Flaw {
            kind: FlawKind::Initiation,
            cube: None,
            at: initial,
        });
    }
    claims.append(&mut first.claims);
    queries += first.queries;

    let mut entailments: BTreeMap<Move, StepEntailment> = BTreeMap::new();
    for (at, cubes) in &certificate.states {
        for m in interleavings.moves(at) {
            let step = program.step(m);
            let entailment = entailments
                .entry(m)
                .or_insert_with(|| StepEntailment::new(step, &predicates, program.vars.len()));
            let fails = matches!(step.effect, Effect::Fail(_));
            let to = interleavings.after(at, m);
            for (cube, span) in cubes {
                let Some(after) = entailment.after(*cube, Depth::Assigned) else {
                    continue;
                };
                let kind = match fails {
                    true => FlawKind::Safety(m),
                    false if covers(&to, after) => continue,
                    false => {
                        let all = entailment.after(*cube, Depth::All);
                        if all.is_none_or(|after| covers(&to, after)) {
                            continue;
                        }
                        FlawKind::Consecution(m, to)
                    }
                };
                return Err(Flaw {
                    kind,
                    cube: Some(*span),
                    at: at.clone(),
                });
            }
        }
    }
    for mut entailment in entailments.into_values() {
        claims.append(&mut entailment.claims);
        queries += entailment.queries;
    }
    Ok(Checked {
        cubes: certificate
            .states
            .iter()
            .map(|(_, cubes)| cubes.len())
            .sum(),
        locations: states.len(),
        queries,
        claims,
    })
}

/// A step that is possible with the initial values only, and changes nothing.
fn initially(program: &Program) -> Step {
    let known = program.vars.iter_enumerated();
    let known = known.filter_map(|(x, v)| Some(Cond::is(x, v.initial?)));
    let span = program
        .threads
        .iter()
        .next()
        .map(|t| t.locations[LocId(0)].span);
    let span = span.unwrap_or(Span {
        file: crate::base::source::FileId(0),
        start: 0,
        end: 0,
    });
    Step {
        guard: Cond::and(known),
        ..Step::new(LocId(0), LocId(0), span)
    }
}
