//! The strategy made for TSO, and for flat memory: events that have been satisfied are forgotten.
//!
//! [`crate::cube::tso`] says what is kept of them, [`crate::preimage::tso`] computes
//! pre-images and [`crate::subsume::tso`] compares. Cubes may be generalized
//! ([`super::generalize`]); the room `approx` adds guesses.

use super::expand::is_always;
use super::generalize::generalize;
use super::space::{Search, SearchNode};
use super::strategy::{Change, Changed, Strategy};
use crate::cube::formula::Overflow;
use crate::cube::literals::Base;
use crate::cube::tso::Cube;
use crate::preimage::image::{PreImage, TooLarge};
use crate::preimage::tso::preimages;
use crate::subsume::embedding::Prepared;
use crate::subsume::tso::subsumes;
use crate::system::{MemorySemantics, Transition, has_others};
use crate::theory::context::SystemContext;

/// The strategy.
#[derive(Clone, Copy, Default)]
pub struct Tso {
    /// Under flat memory, literals of a node are dropped whose opposite is subsumed already.
    pub generalize: bool,
}

impl Strategy for Tso {
    type Cube = Cube;

    fn unsafe_cube(&self, _: &SystemContext, formula: Cube) -> Cube {
        formula
    }

    fn invariant(&self, context: &SystemContext, formula: Cube) -> Cube {
        let mut cube = formula;
        if is_always(context, &cube) {
            cube.snapshot = false;
            cube.po_successors.iter_mut().for_each(|s| *s = 0);
        }
        cube
    }

    fn subsumes(&self, context: &SystemContext, big: &Prepared, small: &Prepared) -> bool {
        subsumes(context, big, small)
    }

    fn sees_all(&self, _: &SystemContext, t: &Transition) -> bool {
        has_others(&t.guard)
    }

    fn preimages(
        &self,
        context: &SystemContext,
        cube: &Cube,
        bases: &[Base],
        (t, args): (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<PreImage>, TooLarge> {
        preimages(context, cube, bases, t, args, procs)
    }

    fn change(&self, search: &Search, id: usize) -> Result<Changed<Cube>, Overflow> {
        let (context, node) = (&search.context, &search.nodes[id]);
        let cube = &node.prepared.cube;
        // Under buffers it costs more than it saves.
        if !self.generalize || context.system.memory != MemorySemantics::Flat {
            return Ok(None);
        }
        let subsumed = |p: &Prepared| {
            let mut active = search.active.iter().map(|v| &search.nodes[*v]);
            search.options.look_at_limits().is_ok()
                && active.any(|v| may_generalize(v) && subsumes(context, &v.prepared, p))
        };
        let wider = generalize(context, cube, &subsumed);
        Ok(wider.map(|w| (Change::Generalized, w)))
    }
}

/// It may be added to other nodes. States that an invariant excludes may be, too, unless the
/// pre-images could forget a part of what excludes them.
fn may_generalize(node: &SearchNode) -> bool {
    !node.assumed || node.prepared.cube.conj.lits.len() == 1
}
