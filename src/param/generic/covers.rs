//! Is every situation of one cube also one of another?
//!
//! `big` covers `small` when its processes can be put for distinct processes of `small` (constants
//! for themselves), its pending reads for pending reads by the same process of the same cell and its
//! moments for moments, such that its literals follow from those of `small`, and whatever it says of
//! order is said by `small`: fewer reads, literals, edges and overwritten writes mean more
//! situations. The criterion is sound and not complete.

use super::Rules;
use super::cube::Cube;
use crate::param::cube::{Base, Points, each};
use crate::param::matching::{self, Prepared, Procs, place};
use crate::param::pre::Model;

/// True when `big` covers `small`; see the head of the file.
pub fn covers(model: &Model, rules: Rules, big: &Prepared<Cube>, small: &Prepared<Cube>) -> bool {
    if !big.may_cover(small)
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
        procs: [0; 32],
        reads: vec![0; big.cube.reads.len()],
        points: vec![None; big.cube.after.len()],
    };
    let (wants, has) = (&big.cube, &small.cube);
    let within = |big: Points, small: Points| big == 0 || small != 0;
    let may = |p: usize, q: usize| {
        within(wants.fires[p], has.fires[q]) && within(wants.commits[p], has.commits[q])
    };
    place(model, big, small, may, |procs| {
        search.procs = *procs;
        search.read(0)
    })
}

struct Matching<'a> {
    model: &'a Model<'a>,
    rules: Rules,
    big: &'a Prepared<Cube>,
    small: &'a Prepared<Cube>,
    /// Processes, reads and moments of `big` as those of `small`.
    procs: Procs,
    reads: Vec<u8>,
    points: Vec<Option<u8>>,
}

impl Matching<'_> {
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
        matching::literals(self.model, self.big, self.small, &self.procs, &self.reads)
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
        for (p, q) in self.procs[..usize::from(big.procs)].iter().enumerate() {
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
