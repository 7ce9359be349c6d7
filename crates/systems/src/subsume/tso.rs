//! Is every state of one cube also one of another?
//!
//! `big` subsumes `small` when its processes can be put for processes of `small` (distinct ones for
//! distinct ones, constants for themselves) such that each of its literals follows from those of
//! `small`, each of its pending reads is a pending read of `small` by the same process of the same
//! cell, reads of one timestamp being of one timestamp, and each of its obligations is one of
//! `small`: fewer literals, reads and obligations mean more states.
//!
//! Processes are put first ([`super::embedding`]), then reads, and with them timestamps.

use super::embedding::{Embedding, Prepared, embed_processes};
use crate::cube::literals::Base;
use crate::cube::timestamp::Timestamps;
use crate::cube::tso::Cube;
use crate::system::tuples::tuples;
use crate::theory::context::SystemContext;
use base::idx::position;

/// True when `big` subsumes `small`; see the head of the file.
pub fn subsumes(context: &SystemContext, big: &Prepared, small: &Prepared) -> bool {
    if !big.may_subsume(small)
        || big.cube.reads.len() > small.cube.reads.len() * 4
        || (big.cube.snapshot && !small.cube.snapshot)
    {
        return false;
    }
    let mut search = Embedding::new(context, big, small);
    embed_processes(context, big, small, |procs| {
        search.procs = *procs;
        search.read(0, 0)
    })
}

impl Embedding<'_, Cube> {
    /// Puts reads of `small` for those of `big`, from position `k`; timestamps in `known` have one.
    fn read(&mut self, k: usize, known: Timestamps) -> bool {
        let Some(r) = self.big.cube.reads.get(k).copied() else {
            return self.linear_literals_follow() && self.obligations() && self.solver_entails();
        };
        let by = self.procs[usize::from(r.by)];
        let cell = self.rename(r.cell);
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
            if self.read_literals_follow(k) && self.read(k + 1, known | 1 << timestamp) {
                return true;
            }
        }
        false
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
        let cells = big
            .cells
            .iter()
            .all(|(c, set)| self.within(*set, small.after_writes(self.rename(*c))));
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
