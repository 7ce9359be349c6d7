//! The rules of a memory model as a strategy of the search.

use super::expand::is_always;
use super::strategy::Strategy;
use crate::param::cube::event::{EventCube, forget};
use crate::param::cube::formula::{Cond, Overflow};
use crate::param::cube::literals::Base;
use crate::param::cube::rules::Rules;
use crate::param::cube::tso::Cube;
use crate::param::init::meets;
use crate::param::preimage::event::{event_preimages, writes_everywhere};
use crate::param::preimage::image::{Pre, TooLarge};
use crate::param::subsume::embedding::Prepared;
use crate::param::subsume::event::event_covers;
use crate::param::system::{Transition, has_others};
use crate::param::theory::model::Model;

impl Strategy for Rules {
    type Cube = EventCube;

    /// All its reads are at the end.
    fn unsafe_cube(&self, _: &Model, formula: Cube) -> EventCube {
        let n = usize::from(formula.procs);
        EventCube {
            procs: formula.procs,
            last: vec![None; formula.reads.len()],
            bars: vec![0; formula.reads.len()],
            fires: vec![u64::from(formula.snapshot); n],
            commits: vec![0; n],
            conj: formula.conj,
            reads: formula.reads,
            snapshot: formula.snapshot,
            after: formula.after,
            ..EventCube::default()
        }
    }

    fn invariant(&self, model: &Model, formula: Cube) -> EventCube {
        let always = is_always(model, &formula);
        let mut cube = self.unsafe_cube(model, formula);
        if always {
            cube.snapshot = false;
            cube.fires.iter_mut().for_each(|s| *s = 0);
        }
        forget(model.system.fixed, *self, cube).0
    }

    fn covers(
        &self,
        model: &Model,
        big: &Prepared<EventCube>,
        small: &Prepared<EventCube>,
    ) -> bool {
        event_covers(model, *self, big, small)
    }

    fn sees_all(&self, model: &Model, t: &Transition) -> bool {
        has_others(&t.guard) || !self.firings_in_order && writes_everywhere(model, t)
    }

    fn preimages(
        &self,
        model: &Model,
        cube: &EventCube,
        bases: &[Base],
        call: (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<Pre<EventCube>>, TooLarge> {
        event_preimages(model, *self, cube, bases, call, procs)
    }

    /// A pending read reads the initial value of its cell: of none may an overwritten write come
    /// before it.
    fn is_initial(
        &self,
        model: &Model,
        cube: &EventCube,
        start: &[Cond],
    ) -> Result<bool, Overflow> {
        Ok(cube.overs.is_empty() && meets(model, cube, start)?)
    }
}
