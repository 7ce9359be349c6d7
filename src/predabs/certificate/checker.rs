//! The three conditions of a certificate: initiation, consecution, safety.
//!
//! For each cube and each step that its locations allow there is one obligation: the step is impossible, or
//! leads into a cube of the locations that it leads to; a step that fails has to be impossible.

use super::format::Certificate;
use super::implication::{Claim, StepObligations};
use super::interleaving::{Interleavings, Locations};
use crate::commands::arith::Cond;
use crate::commands::program::{Effect, Move, Program};
use crate::predabs::cube::Cube;
use base::source::Span;
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
    let predicates = certificate.predicates.iter();
    let predicates: Vec<Cond> = predicates.map(|p| p.cond.clone()).collect();
    let mut states: FxHashMap<&Locations, Vec<Cube>> = FxHashMap::default();
    for (at, cubes) in &certificate.states {
        let own = states.entry(at).or_default();
        own.extend(cubes.iter().map(|(cube, _)| *cube));
    }
    let cubes_at = |at: &Locations| states.get(at).map_or(&[][..], Vec::as_slice);
    let variables = program.vars.len();
    let interleavings = Interleavings::new(program);

    let at = interleavings.initial();
    let mut first = StepObligations::new(&program.initially(), &predicates, variables);
    if !first.leads_into(Cube::default(), cubes_at(&at)) {
        let (kind, cube) = (FlawKind::Initiation, None);
        return Err(Flaw { kind, cube, at });
    }

    let mut steps: BTreeMap<Move, StepObligations> = BTreeMap::new();
    for (at, cubes) in &certificate.states {
        for m in interleavings.moves(at) {
            let step = program.step(m);
            let new = || StepObligations::new(step, &predicates, variables);
            let obligations = steps.entry(m).or_insert_with(new);
            let fails = matches!(step.effect, Effect::Fail(_));
            let to = interleavings.after(at, m);
            let targets = cubes_at(&to);
            let mut holds = |cube: Cube| match fails {
                true => obligations.is_impossible(cube),
                false => obligations.leads_into(cube, targets),
            };
            if let Some((_, span)) = cubes.iter().find(|(cube, _)| !holds(*cube)) {
                let kind = match fails {
                    true => FlawKind::Safety(m),
                    false => FlawKind::Consecution(m, to),
                };
                let (cube, at) = (Some(*span), at.clone());
                return Err(Flaw { kind, cube, at });
            }
        }
    }
    let all = || std::iter::once(&first).chain(steps.values());
    Ok(Checked {
        cubes: certificate
            .states
            .iter()
            .map(|(_, cubes)| cubes.len())
            .sum(),
        locations: states.len(),
        queries: all().map(|s| s.queries).sum(),
        claims: all().flat_map(|s| s.claims.clone()).collect(),
    })
}
