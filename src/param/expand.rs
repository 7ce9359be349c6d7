//! Where the search begins and how it goes on: the cubes of a formula, and all pre-images of a cube.
//!
//! A transition's parameters are distinct processes, those of the cube or new ones. A new process
//! is taken in order, since which of them it is does not matter.

use super::cube::{Base, Cube, Kind, MAX_PROCS, MAX_READS, Read};
use super::engine::{Call, Options, Reason};
use super::instance::{Binding, Cond, Overflow, disjuncts};
use super::pre::{Model, Pre, TooLarge, bases_of};
use super::shape::{bases_of_lit, shape};
use super::strategy::{AnyCube, Strategy};
use super::system::{Form, Property};
use super::theory::close;

/// The cubes of formulas about distinct processes, their reads a snapshot.
pub fn cubes(model: &Model, all: &[Property]) -> Result<Vec<Cube>, Overflow> {
    let mut out = Vec::new();
    for p in all {
        out.extend(cubes_of(model, p)?);
    }
    Ok(out)
}

fn cubes_of(model: &Model, p: &Property) -> Result<Vec<Cube>, Overflow> {
    let system = &*model.system;
    let mut out = Vec::new();
    if !can_choose(p.params.len(), system.fixed) {
        return Err(Overflow);
    }
    for (args, procs) in assignments(p.params.len(), system.fixed, system.fixed) {
        if model.limit.is_some_and(|n| procs > n) {
            continue;
        }
        let mut reads = Vec::new();
        let mut binding = Binding {
            system,
            env: args,
            reads: &mut reads,
            first_read: 0,
            memory: false,
            fixed: system.fixed,
        };
        let body = binding.form(&p.body, &[])?;
        let reads: Vec<Read> = reads
            .into_iter()
            .map(|(by, cell)| Read { point: 0, by, cell })
            .collect();
        for cond in disjuncts(&body, vec![Cond::default()], &|_| true)? {
            let domain = |b: Base| model.domain(&reads, b);
            let Some(closed) = close(&cond.conj, &model.facts(&domain, procs)) else {
                continue;
            };
            let conj = closed.normal(&domain);
            let mut alive = vec![false; reads.len()];
            let lins = conj
                .lins
                .iter()
                .flat_map(|l| l.lin.terms.iter().map(|t| t.1));
            for b in conj.lits.iter().flat_map(bases_of_lit).chain(lins) {
                if let Kind::Read(k) = b.kind() {
                    alive[usize::from(k)] = true;
                }
            }
            if alive.iter().filter(|a| **a).count() > MAX_READS {
                return Err(Overflow);
            }
            let snapshot = u64::from(!reads.is_empty());
            let cube = Cube {
                procs,
                conj,
                reads: reads.clone(),
                snapshot: !reads.is_empty(),
                after: vec![0; usize::from(!reads.is_empty())],
                any: vec![snapshot; usize::from(procs)],
                writes: vec![0; usize::from(procs)],
                ..Cube::default()
            };
            out.push(shape(model, cube, &alive).cube);
        }
    }
    Ok(out)
}

/// How many ways to choose processes are listed at most.
const MAX_CHOICES: usize = 4_000_000;

/// There are not too many of the [`assignments`] of `len` processes to list them.
pub fn can_choose(len: usize, known: u8) -> bool {
    // By how many are new ones: those come in order, at any of the places.
    let mut ways = vec![1usize];
    for _ in 0..len {
        let mut next = vec![0usize; ways.len() + 1];
        for (old, count) in ways.iter().enumerate() {
            let left = usize::from(known).saturating_sub(old);
            next[old] = next[old].saturating_add(*count);
            next[old + 1] = next[old + 1].saturating_add(count.saturating_mul(left));
        }
        ways = next;
    }
    let all = ways.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
    all <= MAX_CHOICES
}

/// All ways to choose `len` distinct processes among `known` ones and new ones; with each, how many
/// processes there then are. The first `fixed` are always there.
pub fn assignments(len: usize, known: u8, fixed: u8) -> Vec<(Vec<u8>, u8)> {
    let mut all = vec![(Vec::new(), known.max(fixed))];
    for _ in 0..len {
        let mut next = Vec::new();
        for (args, procs) in all {
            for p in 0..=procs {
                if !args.contains(&p) {
                    let mut args: Vec<u8> = args.clone();
                    args.push(p);
                    next.push((args, procs.max(p + 1)));
                }
            }
        }
        all = next;
    }
    all
}

/// Pre-images with the calls that lead to them, and whether some were left out because they have too
/// many processes.
pub type Images<C> = (Vec<(Call, Pre<C>)>, bool);

/// All pre-images of a cube.
///
/// # Errors
/// Time, memory, or a pre-image that is too large.
pub fn expand<S: Strategy>(
    strategy: &S,
    model: &Model,
    cube: &S::Cube,
    options: &Options,
) -> Result<Images<S::Cube>, Reason> {
    let system = &*model.system;
    let bases = bases_of(cube);
    let (mut out, mut cut) = (Vec::new(), false);
    for (i, t) in system.transitions.iter().enumerate() {
        if !can_choose(t.params.len(), cube.procs().max(system.fixed)) {
            return Err(TooLarge::Numbers.into());
        }
        for (args, mut procs) in assignments(t.params.len(), cube.procs(), system.fixed) {
            options.look_at_limits()?;
            if let Some(n) = model.limit {
                if procs > n {
                    continue;
                }
                if strategy.sees_all(model, t) {
                    procs = n;
                }
            }
            if procs > MAX_PROCS {
                cut = true;
                continue;
            }
            let images = strategy.preimages(model, cube, &bases, (t, &args), procs)?;
            for pre in images {
                if pre.cube.procs() > options.max_procs {
                    cut = true;
                    continue;
                }
                out.push(((i, args.clone()), pre));
            }
        }
    }
    Ok((out, cut))
}

/// Some part is about all other processes.
pub fn has_others(f: &Form) -> bool {
    match f {
        Form::Others(..) => true,
        Form::And(fs) | Form::Or(fs) => fs.iter().any(has_others),
        _ => false,
    }
}
