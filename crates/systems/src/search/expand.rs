//! Where the search begins and how it goes on: the cubes of a formula, and all pre-images of a
//! cube.
//!
//! A transition's parameters are distinct processes, those of the cube or new ones. A new process
//! is taken in order, since which of them it is does not matter.

use super::options::{Reason, SearchOptions};
use super::space::Call;
use super::strategy::Strategy;
use crate::cub::ast::SymbolKind;
use crate::cube::any::AnyCube;
use crate::cube::formula::{Disjunct, Overflow, disjuncts};
use crate::cube::instantiate::Binding;
use crate::cube::literals::{Base, BaseKind};
use crate::cube::timestamp::{MAX_PROCS, MAX_READS, PendingRead};
use crate::cube::tso::Cube;
use crate::preimage::image::{PreImage, TooLarge};
use crate::system::Property;
use crate::system::tuples::{assignments, can_choose};
use crate::theory::closure::close;
use crate::theory::context::SystemContext;

/// The cubes of formulas about distinct processes, their reads a snapshot.
pub fn cubes(context: &SystemContext, all: &[Property]) -> Result<Vec<Cube>, Overflow> {
    let mut out = Vec::new();
    for p in all {
        out.extend(cubes_of(context, p)?);
    }
    Ok(out)
}

fn cubes_of(context: &SystemContext, p: &Property) -> Result<Vec<Cube>, Overflow> {
    let system = &*context.system;
    let mut out = Vec::new();
    if !can_choose(p.params.len(), system.fixed) {
        return Err(Overflow);
    }
    for (args, procs) in assignments(p.params.len(), system.fixed, system.fixed) {
        if context.limit.is_some_and(|n| procs > n) {
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
        let reads: Vec<PendingRead> = reads
            .into_iter()
            .map(|(by, cell)| PendingRead {
                timestamp: 0,
                by,
                cell,
            })
            .collect();
        for cond in disjuncts(&body, vec![Disjunct::default()], &|_| true)? {
            let domain = |b: Base| context.domain(&reads, b);
            let Some(closed) = close(&cond.conj, &context.facts(&domain, procs)) else {
                continue;
            };
            let conj = closed.normal(&domain);
            let live = conj.live_reads(reads.len());
            if live.iter().filter(|l| **l).count() > MAX_READS {
                return Err(Overflow);
            }
            let snapshot = u64::from(!reads.is_empty());
            let cube = Cube {
                procs,
                conj,
                reads: reads.clone(),
                snapshot: !reads.is_empty(),
                after: vec![0; usize::from(!reads.is_empty())],
                po_successors: vec![snapshot; usize::from(procs)],
                writes: vec![0; usize::from(procs)],
                ..Cube::default()
            };
            out.push(PreImage::canonical(context, cube).cube);
        }
    }
    Ok(out)
}

/// Pre-images with the calls that lead to them, and whether some were left out because they
/// have too many processes.
pub type Images<C> = (Vec<(Call, PreImage<C>)>, bool);

/// All pre-images of a cube.
///
/// # Errors
/// Time, memory, or a pre-image that is too large.
pub fn expand<S: Strategy>(
    strategy: &S,
    context: &SystemContext,
    cube: &S::Cube,
    options: &SearchOptions,
) -> Result<Images<S::Cube>, Reason> {
    let system = &*context.system;
    let bases = cube.conj().distinct_bases();
    let (mut out, mut left_out) = (Vec::new(), false);
    for (i, t) in system.transitions.iter().enumerate() {
        if !can_choose(t.params.len(), cube.procs().max(system.fixed)) {
            return Err(TooLarge::Numbers.into());
        }
        for (args, mut procs) in assignments(t.params.len(), cube.procs(), system.fixed) {
            options.look_at_limits()?;
            if let Some(n) = context.limit {
                if procs > n {
                    continue;
                }
                if strategy.sees_all(context, t) {
                    procs = n;
                }
            }
            if procs > MAX_PROCS {
                left_out = true;
                continue;
            }
            let images = strategy.preimages(context, cube, &bases, (t, &args), procs)?;
            for pre in images {
                if pre.cube.procs() > options.max_procs {
                    left_out = true;
                    continue;
                }
                out.push(((i, args.clone()), pre));
            }
        }
    }
    Ok((out, left_out))
}

/// An invariant that speaks of constants and of what processes see holds at every time at which
/// they read, not only at the end.
pub fn is_always(context: &SystemContext, formula: &Cube) -> bool {
    let constant = |b: &Base| match b.kind() {
        BaseKind::Cell(s, ..) => context.system.symbols[s].kind == SymbolKind::Const,
        _ => true,
    };
    formula.snapshot && formula.conj.distinct_bases().iter().all(constant)
}
