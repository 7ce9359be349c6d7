//! Certificate minimization: the cubes that a proof needs, out of those that are left when the
//! search ends.
//!
//! A *proof obligation* is an unsafe cube, or a pre-image of a cube that is kept: one that is kept
//! must subsume it. The search keeps more: what descends from a node that was replaced by a larger
//! one, and nodes all of whose obligations another one meets as well. Kept are those that are
//! reached from the unsafe formulas when each obligation is given to one cube; then, one by one,
//! those are dropped whose obligations others meet too, until each is the only one for something.

use super::expand::{cubes, expand};
use super::options::{Reason, SearchOptions};
use super::space::Search;
use super::tso::Tso;
use crate::cube::tso::Cube;
use crate::subsume::embedding::{Prepared, prepare};
use crate::subsume::tso::subsumes;

/// Something that must be subsumed.
struct Obligation {
    /// The kept cube that it is a pre-image of; nothing for an unsafe formula.
    of: Option<usize>,
    /// The kept cubes that subsume it.
    by: Vec<usize>,
}

impl Search<'_> {
    /// The cubes that prove safety, none of which could be left out; invariants of the file are no
    /// part of it.
    pub fn certificate(&self) -> Vec<&Cube> {
        if self.joint {
            return self.proof().collect();
        }
        // A search that ended has computed the same pre-images before, but time may be up.
        let needed = needed(self).unwrap_or_else(|_| (0..self.active.len()).collect());
        let kept = needed.into_iter().map(|i| self.kept(i));
        kept.filter(|(_, assumed)| !assumed)
            .map(|(p, _)| &p.cube)
            .collect()
    }
}

/// The positions, in `search.active`, of the cubes that are needed, in order.
///
/// # Errors
/// Time or memory is used up, or a pre-image is too large; a search that ended has none such.
fn needed(search: &Search) -> Result<Vec<usize>, Reason> {
    let obligations = obligations(search)?;
    let count = search.active.len();
    let mut owned: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut serves: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut kept = vec![false; count];
    let mut todo = Vec::new();
    let assign = |obligation: &Obligation, kept: &mut Vec<bool>, todo: &mut Vec<usize>| {
        if let Some(first) = obligation.by.first()
            && !obligation.by.iter().any(|b| kept[*b])
        {
            kept[*first] = true;
            todo.push(*first);
        }
    };
    for (i, obligation) in obligations.iter().enumerate() {
        obligation.by.iter().for_each(|b| serves[*b].push(i));
        match obligation.of {
            Some(cube) => owned[cube].push(i),
            None => assign(obligation, &mut kept, &mut todo),
        }
    }
    while let Some(cube) = todo.pop() {
        for i in &owned[cube] {
            assign(&obligations[*i], &mut kept, &mut todo);
        }
    }
    loop {
        let mut dropped = false;
        for cube in (0..count).rev() {
            let alone = |i: &usize| {
                let d = &obligations[*i];
                d.of.is_none_or(|o| kept[o] && o != cube)
                    && !d.by.iter().any(|b| kept[*b] && *b != cube)
            };
            if kept[cube] && !serves[cube].iter().any(alone) {
                kept[cube] = false;
                dropped = true;
            }
        }
        if !dropped {
            break;
        }
    }
    Ok((0..count).filter(|i| kept[*i]).collect())
}

/// What must be subsumed and is not by an invariant of the file, and by which cubes it is.
fn obligations(search: &Search) -> Result<Vec<Obligation>, Reason> {
    let options = SearchOptions {
        max_procs: u8::MAX,
        ..*search.options
    };
    let context = &search.context;
    let mut obligations = Vec::new();
    let mut add = |of: Option<usize>, small: &Prepared| {
        let covering: Vec<usize> = (0..search.active.len())
            .filter(|i| subsumes(context, search.kept(*i).0, small))
            .collect();
        if !covering.iter().any(|i| search.kept(*i).1) {
            obligations.push(Obligation { of, by: covering });
        }
        options.look_at_limits()
    };
    for small in cubes(context, &context.system.unsafes)? {
        if let Some(small) = prepare(context, small) {
            add(None, &small)?;
        }
    }
    for i in 0..search.active.len() {
        let (cube, assumed) = search.kept(i);
        if assumed {
            continue;
        }
        for (_, pre) in expand(&Tso::default(), context, &cube.cube, &options)?.0 {
            if let Some(small) = prepare(context, pre.cube) {
                add(Some(i), &small)?;
            }
        }
    }
    Ok(obligations)
}
