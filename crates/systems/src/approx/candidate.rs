//! Candidates for a node: few of its literals, about few processes, some of them made weaker.
//!
//! A candidate has at most [`LITERALS`] literals and as many processes as the oracle has. Beside
//! each literal itself stand weaker ones, which are tried before it: for an equality of numbers the
//! two inequalities, and that a number is positive (or negative) for its exact value. Those with
//! fewer processes are tried first, then those with fewer literals, in the order of the node's
//! literals.
//!
//! The oracle knows what it means for reads to be pending at one timestamp; candidates with reads
//! at more timestamps are not tried. What a cube knows of events before its reads is kept with
//! them.

use super::oracle::Oracle;
use crate::cube::literals::{Base, BaseKind, Literal, bases_of_lit};
use crate::cube::tso::Cube;
use crate::preimage::image::PreImage;
use crate::subsume::embedding::{Prepared, prepare};
use crate::system::Rel;
use crate::theory::context::{SystemContext, normal};

/// How many literals a candidate has at most.
const LITERALS: usize = 3;

/// How many candidates of a node are tried.
const TRIES: usize = 20_000;

/// The first candidate that no state of the oracle satisfies and that is not excluded.
pub fn first(
    context: &SystemContext,
    cube: &Cube,
    oracle: &Oracle,
    admits: &dyn Fn(&Prepared) -> bool,
) -> Option<PreImage> {
    let fixed = context.system.fixed;
    for lits in candidates(cube, oracle.procs(), fixed) {
        if oracle.is_reached(cube, &lits, fixed) {
            continue;
        }
        let mut wide = cube.clone();
        wide.conj.lits = lits;
        wide.conj.lits.sort_unstable();
        wide.conj.lins.clear();
        let Some(wide) = normal(context, &wide) else {
            continue;
        };
        let pre = PreImage::canonical(context, wide);
        if prepare(context, pre.cube.clone()).is_some_and(|p| admits(&p)) {
            return Some(pre);
        }
    }
    None
}

/// All candidates, the most general first.
fn candidates(cube: &Cube, procs: u8, fixed: u8) -> Vec<Vec<Literal>> {
    let whole = cube.conj.lits.len();
    // Each literal with its weaker forms; `true` marks a weaker one.
    let choices: Vec<(usize, Literal, bool)> = cube
        .conj
        .lits
        .iter()
        .enumerate()
        .flat_map(|(i, l)| {
            let weaker = weaker(*l).into_iter().map(move |w| (i, w, true));
            weaker.chain(std::iter::once((i, *l, false)))
        })
        .collect();
    let mut sets: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..LITERALS.min(whole) {
        let mut next = Vec::new();
        for set in &last {
            let from = set.last().map_or(0, |c| c + 1);
            for c in from..choices.len() {
                if set.last().is_some_and(|l| choices[*l].0 == choices[c].0) {
                    continue;
                }
                let mut set = set.clone();
                set.push(c);
                let lits: Vec<Literal> = set.iter().map(|c| choices[*c].1).collect();
                let Some(count) = processes(cube, &lits, fixed) else {
                    continue;
                };
                if count > usize::from(procs) {
                    continue;
                }
                let proper = set.len() < whole
                    || !cube.conj.lins.is_empty()
                    || set.iter().any(|c| choices[*c].2);
                if proper {
                    sets.push((count, set.clone()));
                }
                next.push(set);
            }
        }
        last = next;
        if sets.len() > TRIES {
            break;
        }
    }
    sets.sort_by_key(|(count, set)| (*count, set.len()));
    sets.truncate(TRIES);
    let lits = |set: &[usize]| set.iter().map(|c| choices[*c].1).collect();
    sets.iter().map(|(_, set)| lits(set)).collect()
}

/// Weaker literals.
fn weaker(lit: Literal) -> Vec<Literal> {
    let Literal::Diff {
        a,
        b,
        rel: Rel::Eq,
        bound,
        int,
    } = lit
    else {
        return Vec::new();
    };
    let diff = |a, b, rel, bound| Literal::Diff {
        a,
        b,
        rel,
        bound,
        int,
    };
    let mut all = Vec::new();
    if b == Base::ZERO && bound != 0 {
        let positive = bound > 0;
        let (a, b) = if positive { (b, a) } else { (a, b) };
        let (rel, bound) = if int { (Rel::Le, -1) } else { (Rel::Lt, 0) };
        all.push(diff(a, b, rel, bound));
    }
    all.push(diff(a, b, Rel::Le, bound));
    all.push(diff(b, a, Rel::Le, -bound));
    all
}

/// How many processes the literals speak of; nothing when their reads are at several timestamps.
fn processes(cube: &Cube, lits: &[Literal], fixed: u8) -> Option<usize> {
    let mut set = (1u64 << fixed) - 1;
    let mut timestamp = None;
    for b in lits.iter().flat_map(bases_of_lit) {
        match b.kind() {
            BaseKind::Read(k) => {
                let r = cube.reads[usize::from(k)];
                if *timestamp.get_or_insert(r.timestamp) != r.timestamp {
                    return None;
                }
                set |= 1 << r.by;
                r.cell.processes().for_each(|p| set |= 1 << p);
            }
            _ => b.processes().for_each(|p| set |= 1 << p),
        }
    }
    Some(set.count_ones() as usize)
}
