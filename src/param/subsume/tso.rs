//! Is every situation of one cube also one of another?
//!
//! `big` covers `small` when its processes can be put for processes of `small` (distinct ones for
//! distinct ones, constants for themselves) such that each of its literals follows from those of
//! `small`, each of its pending reads is a pending read of `small` by the same process of the same
//! cell, reads of one point being of one point, and each of its obligations is one of `small`:
//! fewer literals, reads and obligations mean more situations.
//!
//! Processes are put first ([`super::embedding`]), then reads, and with them points.

use super::embedding::{Prepared, Procs, hidden_follow, place, reads_follow, sums_follow};
use crate::base::idx::position;
use crate::param::cube::literals::Base;
use crate::param::cube::timestamp::{Points, each};
use crate::param::cube::tso::Cube;
use crate::param::system::tuples::tuples;
use crate::param::theory::model::Model;

/// True when `big` covers `small`; see the head of the file.
pub fn covers(model: &Model, big: &Prepared, small: &Prepared) -> bool {
    if !big.may_cover(small)
        || big.cube.reads.len() > small.cube.reads.len() * 4
        || (big.cube.snapshot && !small.cube.snapshot)
    {
        return false;
    }
    let mut search = Matching {
        model,
        big,
        small,
        procs: [0; 32],
        reads: [0; 64],
        points: [0; 64],
    };
    place(model, big, small, |procs| {
        search.procs = *procs;
        search.read(0, 0)
    })
}

struct Matching<'a> {
    model: &'a Model<'a>,
    big: &'a Prepared,
    small: &'a Prepared,
    /// Processes of `big` as processes of `small`.
    procs: Procs,
    reads: [u8; 64],
    /// Points of `big` as points of `small`.
    points: [u8; 64],
}

impl Matching<'_> {
    /// Puts reads of `small` for those of `big`, from position `k`; points in `known` have one.
    fn read(&mut self, k: usize, known: Points) -> bool {
        let Some(r) = self.big.cube.reads.get(k).copied() else {
            let names = (&self.procs[..], &self.reads[..]);
            return sums_follow(self.big, self.small, names)
                && self.obligations()
                && hidden_follow(self.model, self.big, self.small, names);
        };
        let by = self.procs[usize::from(r.by)];
        let cell = r.cell.rename(&self.procs, &self.reads);
        let point = usize::from(r.point);
        for (i, s) in self.small.cube.reads.iter().enumerate() {
            if s.by != by || s.cell != cell {
                continue;
            }
            let has = known >> point & 1 == 1;
            let snapshot = |c: &Cube, p: u8| c.snapshot && p == 0;
            if has && self.points[point] != s.point
                || snapshot(&self.big.cube, r.point) && !snapshot(&self.small.cube, s.point)
            {
                continue;
            }
            self.points[point] = s.point;
            self.reads[k] = position(i);
            let names = (&self.procs[..], &self.reads[..]);
            if reads_follow(self.model, self.big, self.small, k, names)
                && self.read(k + 1, known | 1 << point)
            {
                return true;
            }
        }
        false
    }

    /// The set of `big`, each point put, is within that of `small`.
    fn within(&self, big: Points, small: Points) -> bool {
        each(big).all(|p| small >> self.points[p] & 1 == 1)
    }

    fn obligations(&self) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let after = |p: usize| self.within(big.after[p], small.after[usize::from(self.points[p])]);
        if !(0..big.after.len()).all(after) {
            return false;
        }
        let mut hit = 0u32;
        for p in 0..usize::from(big.procs) {
            let q = usize::from(self.procs[p]);
            hit |= 1 << q;
            if !self.within(big.any[p], small.any[q])
                || !self.within(big.writes[p], small.writes[q])
            {
                return false;
            }
        }
        let unknown = big.default_any();
        for q in 0..usize::from(small.procs) {
            if hit >> q & 1 == 0 && !self.within(unknown, small.any[q]) {
                return false;
            }
        }
        let f = |c: Base| c.rename(&self.procs, &self.reads);
        let cells = big
            .cells
            .iter()
            .all(|(c, set)| self.within(*set, small.after_writes(f(*c))));
        cells
            && big
                .wild
                .iter()
                .all(|(s, set)| self.within(*set, small.after_wild(*s)))
            && big.wild.iter().all(|(s, set)| {
                // Cells of processes that only `small` names were unknown to `big`.
                let arity = self.model.system.symbols[*s].arity;
                tuples(arity, small.procs).iter().all(|index| {
                    let new = index.iter().any(|p| hit >> p & 1 == 0);
                    !new || self.within(*set, small.after_writes(Base::cell(*s, index)))
                })
            })
    }
}

#[cfg(test)]
mod tests;
