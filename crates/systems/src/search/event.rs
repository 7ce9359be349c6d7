//! The rules of a memory model as a strategy of the search.

use super::expand::is_always;
use super::strategy::Strategy;
use crate::cube::event::{EventCube, forget};
use crate::cube::formula::{Disjunct, Overflow};
use crate::cube::literals::Base;
use crate::cube::rules::Rules;
use crate::cube::tso::Cube;
use crate::init::meets;
use crate::preimage::event::{event_preimages, writes_everywhere};
use crate::preimage::image::{PreImage, TooLarge};
use crate::subsume::embedding::Prepared;
use crate::subsume::event::event_subsumes;
use crate::system::{Transition, has_others};
use crate::theory::context::SystemContext;

impl Strategy for Rules {
    type Cube = EventCube;

    /// All its reads are at the end.
    fn unsafe_cube(&self, _: &SystemContext, formula: Cube) -> EventCube {
        let n = usize::from(formula.procs);
        EventCube {
            procs: formula.procs,
            last: vec![None; formula.reads.len()],
            blocked_writers: vec![0; formula.reads.len()],
            step_successors: vec![u64::from(formula.snapshot); n],
            write_successors: vec![0; n],
            conj: formula.conj,
            reads: formula.reads,
            snapshot: formula.snapshot,
            after: formula.after,
            ..EventCube::default()
        }
    }

    fn invariant(&self, context: &SystemContext, formula: Cube) -> EventCube {
        let always = is_always(context, &formula);
        let mut cube = self.unsafe_cube(context, formula);
        if always {
            cube.snapshot = false;
            cube.step_successors.iter_mut().for_each(|s| *s = 0);
        }
        forget(context.system.fixed, *self, cube).0
    }

    fn subsumes(
        &self,
        context: &SystemContext,
        big: &Prepared<EventCube>,
        small: &Prepared<EventCube>,
    ) -> bool {
        event_subsumes(context, *self, big, small)
    }

    fn sees_all(&self, context: &SystemContext, t: &Transition) -> bool {
        has_others(&t.guard) || !self.steps_in_order && writes_everywhere(context, t)
    }

    fn preimages(
        &self,
        context: &SystemContext,
        cube: &EventCube,
        bases: &[Base],
        call: (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<PreImage<EventCube>>, TooLarge> {
        event_preimages(context, *self, cube, bases, call, procs)
    }

    /// A pending read reads the initial value of its cell: of none may an overwritten write come
    /// before it.
    fn is_initial(
        &self,
        context: &SystemContext,
        cube: &EventCube,
        start: &[Disjunct],
    ) -> Result<bool, Overflow> {
        Ok(cube.overwrites.is_empty() && meets(context, cube, start)?)
    }
}
