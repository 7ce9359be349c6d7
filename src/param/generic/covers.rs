//! Is every situation of one cube also one of another?
//!
//! `big` covers `small` when its processes can be put for distinct processes of `small` (constants
//! for themselves), its pending reads for pending reads by the same process of the same cell and its
//! moments for moments, such that its literals follow from those of `small`, and whatever it says of
//! order is said by `small`: fewer reads, literals, edges and overwritten writes mean more
//! situations. The criterion is sound and not complete.

use super::Rules;
use super::cube::Cube;
use crate::param::cube::{Base, Kind, Lit, Points, each};
use crate::param::pre::Model;
use crate::param::shape::{bases_of_lit, rename_lin, rename_lit};
use crate::param::theory::{Closed, close};

/// A cube prepared for both sides of the question.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The cube.
    pub cube: Cube,
    closed: Closed,
}

/// Closes a cube; nothing when it is empty.
pub fn prepare(model: &Model, cube: Cube) -> Option<Prepared> {
    let domain = |b: Base| model.domain(&cube.reads, b);
    let closed = close(&cube.conj, &model.facts(&domain, cube.procs))?;
    Some(Prepared { cube, closed })
}

/// True when `big` covers `small`; see the head of the file.
pub fn covers(model: &Model, rules: Rules, big: &Prepared, small: &Prepared) -> bool {
    if big.cube.procs > small.cube.procs
        || big.cube.snapshot && !small.cube.snapshot
        || big.cube.overs.len() > small.cube.overs.len()
    {
        return false;
    }
    let mut search = Matching {
        model,
        rules,
        big,
        small,
        procs: vec![0; usize::from(big.cube.procs)],
        reads: vec![0; big.cube.reads.len()],
        points: vec![None; big.cube.after.len()],
    };
    search.process(0, 0)
}

struct Matching<'a> {
    model: &'a Model<'a>,
    rules: Rules,
    big: &'a Prepared,
    small: &'a Prepared,
    /// Processes, reads and moments of `big` as those of `small`.
    procs: Vec<u8>,
    reads: Vec<u8>,
    points: Vec<Option<u8>>,
}

impl Matching<'_> {
    fn process(&mut self, p: u8, used: u32) -> bool {
        if p == self.big.cube.procs {
            return self.read(0);
        }
        let fixed = self.model.system.fixed;
        for q in 0..self.small.cube.procs {
            if used >> q & 1 == 1 || (p < fixed || q < fixed) && p != q {
                continue;
            }
            self.procs[usize::from(p)] = q;
            if self.registers(p) && self.process(p + 1, used | 1 << q) {
                return true;
            }
        }
        false
    }

    /// The literals without reads whose last process is `p` follow.
    fn registers(&self, p: u8) -> bool {
        let lits = self.big.cube.conj.lits.iter();
        let mine = lits.filter(|l| {
            let read = bases_of_lit(l).any(|b| matches!(b.kind(), Kind::Read(_)));
            let last = bases_of_lit(l).flat_map(Base::processes).max();
            !read && last == Some(p)
        });
        mine.into_iter().all(|l| self.follows(l))
    }

    fn follows(&self, lit: &Lit) -> bool {
        let domain = |b: Base| self.model.domain(&self.small.cube.reads, b);
        let f = |b: Base| b.rename(&self.procs, &self.reads);
        self.small.closed.implies(&rename_lit(lit, &f), &domain)
    }

    /// Puts reads of `small` for those of `big`, from position `k`.
    fn read(&mut self, k: usize) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let Some(r) = big.reads.get(k) else {
            return self.literals() && self.order();
        };
        let by = self.procs[usize::from(r.by)];
        let cell = r.cell.rename(&self.procs, &self.reads);
        for (i, s) in small.reads.iter().enumerate() {
            let end = |c: &Cube, p: u8| c.snapshot && p == 0;
            let bars = each(big.bars[k].into()).fold(0, |set, p| set | 1 << self.procs[p]);
            if s.by != by
                || s.cell != cell
                || end(big, r.point) && !end(small, s.point)
                || bars & !small.bars[i] != 0
            {
                continue;
            }
            let pairs = match (big.last[k], small.last[i]) {
                (None, _) => vec![(r.point, s.point)],
                (Some(o), Some(x)) => vec![(r.point, s.point), (o, x)],
                (Some(_), None) => continue,
            };
            let saved = self.points.clone();
            let fits = pairs.into_iter().all(|(b, s)| {
                let old = self.points[usize::from(b)].replace(s);
                old.is_none_or(|o| o == s)
            });
            self.reads[k] = i as u8;
            if fits && self.read(k + 1) {
                return true;
            }
            self.points = saved;
        }
        false
    }

    fn literals(&self) -> bool {
        let f = |b: Base| b.rename(&self.procs, &self.reads);
        let conj = &self.big.cube.conj;
        conj.lits.iter().all(|l| self.follows(l))
            && conj
                .lins
                .iter()
                .all(|l| self.small.closed.implies_lin(&rename_lin(l, &f)))
    }

    /// The set of `big`, each moment put, is within that of `small`.
    fn within(&self, big: Points, small: Points) -> bool {
        let is_in = |p: usize| self.points[p].is_some_and(|s| small >> s & 1 == 1);
        each(big).all(is_in)
    }

    fn order(&self) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let after = |(p, set): (usize, &Points)| {
            let at = self.points[p];
            at.is_some_and(|s| self.within(*set, small.after[usize::from(s)]))
        };
        if !big.after.iter().enumerate().all(after) {
            return false;
        }
        let mut hit = 0u32;
        for (p, q) in self.procs.iter().enumerate() {
            hit |= 1 << q;
            let q = usize::from(*q);
            if !self.within(big.fires[p], small.fires[q])
                || !self.within(big.commits[p], small.commits[q])
            {
                return false;
            }
        }
        let unknown = (0..usize::from(small.procs)).filter(|q| hit >> q & 1 == 0);
        let default = big.default_fire();
        if !self.rules.firings_in_order
            && !unknown
                .into_iter()
                .all(|q| self.within(default, small.fires[q]))
        {
            return false;
        }
        let f = |c: Base| c.rename(&self.procs, &self.reads);
        let mut cells = big.cells.iter();
        cells.all(|(c, set)| self.within(*set, small.after_cell(f(*c)))) && self.overs()
    }

    /// What is said of overwritten writes.
    fn overs(&self) -> bool {
        self.big.cube.overs.iter().all(|o| {
            let by = each(o.by.into()).fold(0, |set, p| set | 1 << self.procs[p]);
            let mut small = self.small.cube.overs.iter();
            small.any(|s| self.points[usize::from(o.point)] == Some(s.point) && by & !s.by == 0)
        })
    }
}
