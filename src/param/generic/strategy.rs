//! The rules of a memory model as a strategy of the search.

use super::Rules;
use super::covers::covers;
use super::cube::{Cube, forget};
use super::image::{preimages, writes_everywhere};
use super::text;
use crate::base::idx::position;
use crate::param::cube::{self, Base, Conj, Kind, Points, Read, each};
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

    fn marks(&self, tell: &mut dyn FnMut(Option<u8>, u64)) {
        for (k, r) in self.reads.iter().enumerate() {
            let mark = 2 + 3 * symbol(r.cell);
            tell(Some(r.by), mark);
            if self.last[k].is_some() {
                tell(Some(r.by), mark + 1);
            }
        }
        for o in &self.overs {
            let mark = 2 + 3 * symbol(o.cell) + 2;
            tell(None, mark);
            each(o.by.into()).for_each(|p| tell(Some(position(p)), mark));
        }
        let mut marked = |sets: &[Points], mark: u64| {
            let all = sets.iter().enumerate().filter(|(_, s)| **s != 0);
            all.for_each(|(p, _)| tell(Some(position(p)), mark));
        };
        marked(&self.fires, 0);
        marked(&self.commits, 1);
    }

    fn text(&self, system: &System) -> String {
        text::cube(system, self)
    }
}

/// Which symbol a cell is of.
fn symbol(cell: Base) -> u64 {
    match cell.kind() {
        Kind::Cell(s, ..) => u64::from(s.0),
        _ => 0,
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
        forget(model, *self, cube).cube
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
