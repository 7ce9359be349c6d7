//! Is every state of one cube also one of another?
//!
//! `big` subsumes `small` when its processes can be put for processes of `small` (distinct ones for
//! distinct ones, constants for themselves) such that each of its literals follows from those of
//! `small`, each of its pending reads is a pending read of `small` by the same process of the same
//! cell, reads of one timestamp being of one timestamp, and each of its obligations is one of `small`:
//! fewer literals, reads and obligations mean more states.
//!
//! Processes are put first ([`super::embedding`]), then reads, and with them timestamps.

use super::embedding::{
    Prepared, Procs, embed_processes, linear_literals_follow, read_literals_follow, solver_entails,
};
use crate::base::idx::position;
use crate::param::cube::literals::Base;
use crate::param::cube::timestamp::{Timestamps, each};
use crate::param::cube::tso::Cube;
use crate::param::system::tuples::tuples;
use crate::param::theory::context::SystemContext;

/// True when `big` subsumes `small`; see the head of the file.
pub fn subsumes(context: &SystemContext, big: &Prepared, small: &Prepared) -> bool {
    if !big.may_subsume(small)
        || big.cube.reads.len() > small.cube.reads.len() * 4
        || (big.cube.snapshot && !small.cube.snapshot)
    {
        return false;
    }
    let mut search = Embedding {
        context,
        big,
        small,
        procs: [0; 32],
        reads: [0; 64],
        timestamps: [0; 64],
    };
    embed_processes(context, big, small, |procs| {
        search.procs = *procs;
        search.read(0, 0)
    })
}

struct Embedding<'a> {
    context: &'a SystemContext<'a>,
    big: &'a Prepared,
    small: &'a Prepared,
    /// Processes of `big` as processes of `small`.
    procs: Procs,
    reads: [u8; 64],
    /// Timestamps of `big` as timestamps of `small`.
    timestamps: [u8; 64],
}

impl Embedding<'_> {
    /// Puts reads of `small` for those of `big`, from position `k`; timestamps in `known` have one.
    fn read(&mut self, k: usize, known: Timestamps) -> bool {
        let Some(r) = self.big.cube.reads.get(k).copied() else {
            let names = (&self.procs[..], &self.reads[..]);
            return linear_literals_follow(self.big, self.small, names)
                && self.obligations()
                && solver_entails(self.context, self.big, self.small, names);
        };
        let by = self.procs[usize::from(r.by)];
        let cell = r.cell.rename(&self.procs, &self.reads);
        let timestamp = usize::from(r.timestamp);
        for (i, s) in self.small.cube.reads.iter().enumerate() {
            if s.by != by || s.cell != cell {
                continue;
            }
            let assigned = known >> timestamp & 1 == 1;
            let snapshot = |c: &Cube, p: u8| c.snapshot && p == 0;
            if assigned && self.timestamps[timestamp] != s.timestamp
                || snapshot(&self.big.cube, r.timestamp) && !snapshot(&self.small.cube, s.timestamp)
            {
                continue;
            }
            self.timestamps[timestamp] = s.timestamp;
            self.reads[k] = position(i);
            let names = (&self.procs[..], &self.reads[..]);
            if read_literals_follow(self.context, self.big, self.small, k, names)
                && self.read(k + 1, known | 1 << timestamp)
            {
                return true;
            }
        }
        false
    }

    /// The set of `big`, each timestamp put, is within that of `small`.
    fn within(&self, big: Timestamps, small: Timestamps) -> bool {
        each(big).all(|p| small >> self.timestamps[p] & 1 == 1)
    }

    fn obligations(&self) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let after =
            |p: usize| self.within(big.after[p], small.after[usize::from(self.timestamps[p])]);
        if !(0..big.after.len()).all(after) {
            return false;
        }
        let mut hit = 0u32;
        for p in 0..usize::from(big.procs) {
            let q = usize::from(self.procs[p]);
            hit |= 1 << q;
            if !self.within(big.po_successors[p], small.po_successors[q])
                || !self.within(big.writes[p], small.writes[q])
            {
                return false;
            }
        }
        let unknown = big.fresh_process_successors();
        for q in 0..usize::from(small.procs) {
            if hit >> q & 1 == 0 && !self.within(unknown, small.po_successors[q]) {
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
                .fresh_cells
                .iter()
                .all(|(s, set)| self.within(*set, small.after_fresh_cells(*s)))
            && big.fresh_cells.iter().all(|(s, set)| {
                // Cells of processes that only `small` names were unknown to `big`.
                let arity = self.context.system.symbols[*s].arity;
                tuples(arity, small.procs).iter().all(|index| {
                    let new = index.iter().any(|p| hit >> p & 1 == 0);
                    !new || self.within(*set, small.after_writes(Base::cell(*s, index)))
                })
            })
    }
}

#[cfg(test)]
mod tests;
