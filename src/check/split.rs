//! Splitting a hard formula into cubes.
//!
//! A short search, of so many conflicts, says whether a part is hard: the whole first. The part that
//! is hard and of which the fewest decisions are known is split by the one that makes the most of them
//! known in both of its parts (as lookahead solvers choose: unit propagation of either way, the product
//! of the gains), of those that [`Encoding::decisions`] has first. What else is known does not count: where
//! the order of sections is open, most of the bits of what they write are known or not by chance. That goes on until there are as many
//! hard parts as are wanted. What a short search has solved is a cube like all others, and is solved
//! again by whoever checks it: nothing of the search here is believed. Axioms that are judged lazily are
//! judged here, too: without them a formula of a weak model is nearly always satisfiable, and never hard.
//!
//! Cf. Heule, Kullmann, Wieringa, Biere: Cube and Conquer (HVC 2011), where decisions are any variables.

use super::consistent::Consistent;
use super::cube::{Leaf, Literal, Split, fingerprint, literal};
use super::goals::{Goals, goals};
use super::task::{CheckError, CheckOptions, Env};
use crate::encode::Encoding;
use crate::encode::decision::Decision;
use crate::unroll::event::EventGraph;
use rustc_hash::FxHashSet;
use smt::sat::cnf::Lit;
use smt::sat::{Cadical, SatResult, Solver};
use std::rc::Rc;

/// How a formula is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Splitting {
    /// Hard parts that are wanted.
    pub parts: usize,
    /// Conflicts after which a part is hard.
    pub probe: u32,
}

/// Decisions that are compared for a split.
const COMPARED: usize = 96;

/// Levels of a tree: more would be more cubes than anyone has machines.
const DEEPEST: usize = 40;

/// A part on the way.
struct Part {
    cube: Vec<(Decision, bool)>,
    lits: Vec<Lit>,
    hard: bool,
    /// Decisions that are known in it.
    known: usize,
}

/// Splits a formula; `None` when the whole is not hard, or a limit was passed.
pub(super) fn split(
    graph: &EventGraph,
    mut encoding: Encoding,
    options: &CheckOptions,
    wanted: Splitting,
    env: &Env,
) -> Result<Option<Split>, CheckError> {
    let fingerprint = fingerprint(&encoding);
    let decisions: Vec<(Decision, Lit)> = encoding
        .decisions(graph)
        .into_iter()
        .filter_map(|d| Some((d, encoding.decided_by(d)?)))
        .collect();
    let goals = goals(graph, &options.checks, &mut encoding);
    let stop: Rc<dyn Fn() -> bool> = Rc::new(env.interrupt());
    let axioms = encoding.lazy.take();
    let mut search = CubeSearch {
        solver: Consistent::new(Cadical::new(stop.clone()), axioms, stop),
        queries: queries(&goals),
        deciding: decisions.iter().map(|(_, lit)| lit.var()).collect(),
        probe: wanted.probe,
    };
    search.solver.add(&encoding.cnf.flat);
    let Some(whole) = search.part(Vec::new(), Vec::new()) else {
        return Ok(None);
    };
    if !whole.hard || wanted.parts < 2 {
        return Ok(None);
    }
    let mut parts = vec![whole];
    while parts.iter().filter(|p| p.hard).count() < wanted.parts {
        let open = parts.iter().enumerate();
        let open = open.filter(|(_, p)| p.hard && p.cube.len() < DEEPEST);
        let Some((at, _)) = open.min_by_key(|(i, p)| (p.known, *i)) else {
            break;
        };
        if (env.limit)().is_some() {
            return Ok(None);
        }
        let Some((decision, lit)) = search.best(&parts[at], &decisions) else {
            // Nothing is left to decide: the rest is the solver's.
            parts[at].known = usize::MAX;
            if parts.iter().all(|p| !p.hard || p.known == usize::MAX) {
                break;
            }
            continue;
        };
        let part = parts.remove(at);
        for (way, lit) in [(false, !lit), (true, lit)] {
            let cube = [&part.cube[..], &[(decision, way)]].concat();
            let lits = [&part.lits[..], &[lit]].concat();
            match search.part(cube, lits) {
                Some(part) => parts.insert(at, part),
                None => return Ok(None),
            }
        }
    }
    // What is likely to take longest comes first, so that machines end at about the same time.
    parts.sort_by_key(|part| (!part.hard, part.known));
    let leaf = |part: Part| {
        let each = part.cube.into_iter();
        let cube: Vec<Literal> = each.map(|(d, way)| literal(graph, d, way)).collect();
        Leaf {
            cube,
            hard: part.hard,
        }
    };
    let leaves: Vec<Leaf> = parts.into_iter().map(leaf).collect();
    Ok((leaves.len() > 1).then_some(Split {
        fingerprint,
        leaves,
    }))
}

/// What is asked of every part, each a conjunction.
fn queries(goals: &Goals) -> Vec<Vec<Lit>> {
    let kinds = goals.kinds.iter().map(|g| vec![g.violated, !g.excluded]);
    let others = [goals.undefined, goals.unresolved, goals.bound_reached];
    let all = kinds.chain(others.map(|query| vec![query]));
    all.filter(|query| !query.contains(&Lit::FALSE)).collect()
}

struct CubeSearch {
    solver: Consistent,
    queries: Vec<Vec<Lit>>,
    /// The variables of decisions.
    deciding: FxHashSet<u32>,
    probe: u32,
}

impl CubeSearch {
    /// A part with what a short search says of it; `None` when a limit was passed.
    fn part(&mut self, cube: Vec<(Decision, bool)>, lits: Vec<Lit>) -> Option<Part> {
        let mut hard = false;
        for query in self.queries.clone() {
            self.solver.limit_effort(self.probe);
            let answer = self.solver.solve(&[&lits[..], &query].concat());
            hard |= answer == SatResult::Interrupted;
            // A violation ends the search of a part, so it is not hard.
            if answer == SatResult::Sat {
                break;
            }
        }
        let known = self.known(&lits);
        Some(Part {
            cube,
            lits,
            hard: hard && known.is_some(),
            known: known.unwrap_or(0),
        })
    }

    /// How many decisions follow from some literals; `None` for a contradiction.
    fn known(&mut self, lits: &[Lit]) -> Option<usize> {
        let implied = self.solver.implied(lits)?;
        let of_decisions = implied.iter().filter(|l| self.deciding.contains(&l.var()));
        Some(of_decisions.count())
    }

    /// The decision that makes the most known in both parts.
    fn best(&mut self, part: &Part, decisions: &[(Decision, Lit)]) -> Option<(Decision, Lit)> {
        let mut best: Option<(usize, (Decision, Lit))> = None;
        let mut compared = 0;
        for (decision, lit) in decisions {
            if compared == COMPARED {
                break;
            }
            let mut gain = |lit: Lit| {
                let known = self.known(&[&part.lits[..], &[lit]].concat())?;
                Some(known.saturating_sub(part.known))
            };
            // One that is known already is a contradiction one way.
            let (Some(yes), Some(no)) = (gain(*lit), gain(!*lit)) else {
                continue;
            };
            compared += 1;
            let score = (yes + 1) * (no + 1) * 1024 + yes + no;
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, (*decision, *lit)));
            }
        }
        best.map(|(_, found)| found)
    }
}
