//! The rules of a memory model as a strategy of the search.

use super::Rules;
use super::covers::covers;
use super::cube::{Cube, forget};
use super::image::{preimages, writes_everywhere};
use super::text;
use crate::param::cube::{self, Base, Conj, Read};
use crate::param::expand::has_others;
use crate::param::init;
use crate::param::instance::{Cond, Overflow};
use crate::param::matching::Prepared;
use crate::param::pre::{Model, Pre, TooLarge};
use crate::param::strategy::{AnyCube, Strategy};
use crate::param::system::{System, Transition};
use crate::param::tso::is_always;

impl AnyCube for Cube {
    fn procs(&self) -> u8 {
        self.procs
    }

    fn conj(&self) -> &Conj {
        &self.conj
    }

    fn reads(&self) -> &[Read] {
        &self.reads
    }

    fn size(&self) -> usize {
        self.conj.lits.len() + 2 * self.conj.lins.len() + self.reads.len() + self.overs.len()
    }

    fn text(&self, system: &System) -> String {
        text::cube(system, self)
    }
}

impl Strategy for Rules {
    type Cube = Cube;

    /// All its reads are at the end.
    fn unsafe_cube(&self, _: &Model, formula: cube::Cube) -> Cube {
        let n = usize::from(formula.procs);
        Cube {
            procs: formula.procs,
            last: vec![None; formula.reads.len()],
            bars: vec![0; formula.reads.len()],
            fires: vec![u64::from(formula.snapshot); n],
            commits: vec![0; n],
            conj: formula.conj,
            reads: formula.reads,
            snapshot: formula.snapshot,
            after: formula.after,
            ..Cube::default()
        }
    }

    fn invariant(&self, model: &Model, formula: cube::Cube) -> Cube {
        let always = is_always(model, &formula);
        let mut cube = self.unsafe_cube(model, formula);
        if always {
            cube.snapshot = false;
            cube.fires.iter_mut().for_each(|s| *s = 0);
        }
        forget(model, cube).cube
    }

    fn covers(&self, model: &Model, big: &Prepared<Cube>, small: &Prepared<Cube>) -> bool {
        covers(model, *self, big, small)
    }

    fn sees_all(&self, model: &Model, t: &Transition) -> bool {
        has_others(&t.guard) || !self.firings_in_order && writes_everywhere(model, t)
    }

    fn preimages(
        &self,
        model: &Model,
        cube: &Cube,
        bases: &[Base],
        call: (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<Pre<Cube>>, TooLarge> {
        preimages(model, *self, cube, bases, call, procs)
    }

    /// A pending read reads the initial value of its cell: of none may an overwritten write come
    /// before it.
    fn is_initial(&self, model: &Model, cube: &Cube, start: &[Cond]) -> Result<bool, Overflow> {
        Ok(cube.overs.is_empty() && init::meets(model, cube, start)?)
    }
}
