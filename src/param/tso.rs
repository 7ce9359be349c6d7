//! The strategy made for TSO, and for flat memory: events that have been satisfied are forgotten.
//!
//! [`super::cube`] says what is kept of them, [`super::pre`] computes pre-images and
//! [`super::subsume`] compares. Cubes may be widened ([`super::widen`]) or guessed ([`super::brab`]).

use super::brab::Guesses;
use super::certificate;
use super::cube::{Base, Conj, Cube, Kind, Points, Read};
use super::engine::{Node, Search};
use super::expand::has_others;
use super::instance::Overflow;
use super::matching::{Prepared, prepare};
use super::pre::{Model, Pre, TooLarge, bases_of, preimages};
use super::strategy::{AnyCube, Change, Changed, Strategy};
use super::subsume::covers;
use super::system::{Memory, SymbolKind, System, Transition};
use super::widen::widen;
use crate::base::idx::position;

/// The strategy.
#[derive(Clone, Copy, Default)]
pub struct Tso<'g> {
    /// Under flat memory, literals of a node are dropped whose opposite is covered already.
    pub widen: bool,
    /// What is guessed.
    pub guesses: Option<&'g Guesses<'g>>,
}

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
        self.conj.lits.len() + 2 * self.conj.lins.len() + self.reads.len()
    }

    fn marks(&self, tell: &mut dyn FnMut(Option<u8>, u64)) {
        let mut marked = |sets: &[Points], mark: u64| {
            let all = sets.iter().enumerate().filter(|(_, s)| **s != 0);
            all.for_each(|(p, _)| tell(Some(position(p)), mark));
        };
        marked(&self.any, 0);
        marked(&self.writes, 1);
    }

    fn text(&self, system: &System) -> String {
        certificate::cube_text(system, self)
    }
}

impl Strategy for Tso<'_> {
    type Cube = Cube;

    fn unsafe_cube(&self, _: &Model, formula: Cube) -> Cube {
        formula
    }

    fn invariant(&self, model: &Model, formula: Cube) -> Cube {
        let mut cube = formula;
        if is_always(model, &cube) {
            cube.snapshot = false;
            cube.any.iter_mut().for_each(|s| *s = 0);
        }
        cube
    }

    fn covers(&self, model: &Model, big: &Prepared, small: &Prepared) -> bool {
        covers(model, big, small)
    }

    fn sees_all(&self, _: &Model, t: &Transition) -> bool {
        has_others(&t.guard)
    }

    fn preimages(
        &self,
        model: &Model,
        cube: &Cube,
        bases: &[Base],
        (t, args): (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<Pre>, TooLarge> {
        preimages(model, cube, bases, t, args, procs)
    }

    fn guesses(&self) -> &[Cube] {
        self.guesses.map_or(&[], |g| &g.kept)
    }

    fn change(&self, search: &Search, id: usize) -> Result<Changed<Cube>, Overflow> {
        let (model, node) = (&search.model, &search.nodes[id]);
        let cube = &node.prepared.cube;
        if let Some(guesses) = self.guesses
            && !node.guessed
            && let Some(guess) = guesses.of(model, cube)
        {
            let start = &search.starts[usize::from(guess.cube.procs)];
            if !self.is_initial(model, &guess.cube, start)? {
                return Ok(Some((Change::Guessed, guess)));
            }
        }
        // Under buffers it costs more than it saves.
        if !self.widen || model.system.memory != Memory::Flat {
            return Ok(None);
        }
        let covered = |p: &Prepared| {
            let mut active = search.active.iter().map(|v| &search.nodes[*v]);
            search.options.look_at_limits().is_ok()
                && active.any(|v| widens(v) && covers(model, &v.prepared, p))
        };
        let wider = widen(model, cube, &covered).filter(|wider| {
            let prepared = || prepare(model, wider.cube.clone());
            let is_bad = |g: &Guesses| prepared().is_some_and(|p| g.is_bad(model, &p));
            !self.guesses.is_some_and(is_bad)
        });
        Ok(wider.map(|w| (Change::Widened, w)))
    }
}

/// An invariant that speaks of constants and of what processes see holds at every moment at which
/// they read, not only at the end.
pub fn is_always(model: &Model, formula: &Cube) -> bool {
    let constant = |b: &Base| match b.kind() {
        Kind::Cell(s, ..) => model.system.symbols[s].kind == SymbolKind::Const,
        _ => true,
    };
    formula.snapshot && bases_of(formula).iter().all(constant)
}

/// It may be added to other nodes. States that an invariant excludes may be, too, unless the
/// pre-images could forget a part of what excludes them.
fn widens(node: &Node) -> bool {
    !node.assumed || node.prepared.cube.conj.lits.len() == 1
}
