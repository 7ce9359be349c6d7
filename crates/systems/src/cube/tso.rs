//! Cubes: sets of states, each closed under adding processes and memory events.
//!
//! A cube speaks of the registers at some time and of the reads that come later and are still
//! *pending*: no write has been found from which they take their value. Going back in the schedule
//! of Sec. 4 of the TSO paper, a satisfied event matters only through the pending reads that come
//! after it in the global order (ghb): a cycle can only be closed by an edge that leaves a pending
//! read, for an event found later is schedule-earlier and has no other incoming edge. So satisfied
//! events are not kept. What is kept of them, exactly, are sets of *timestamps* of pending reads:
//!
//! - `po_successors[p]`: what comes after every event of process p known so far: an earlier *read*
//!   of p (also a fence or a locked transition) is before all of it;
//! - `writes[p]`: the same for an earlier *write* of p, which TSO orders before p's later writes,
//!   locked transitions and fences only: the pending fence is this set, not a literal;
//! - `cells[x]`: what comes after the writes of x known so far: an earlier write of x is
//!   coherence-before them, an earlier read of x from-read-before them;
//! - `after`: the order among these timestamps, transitively closed.
//!
//! A timestamp is the time at which one transition reads: all its pending reads share it. The reads
//! of an unsafe formula share one, the *snapshot*, always timestamp 0: it comes after every read,
//! fence and locked transition of every process, known or not, because the formula speaks of the
//! end.
//!
//! Two cubes with different pasts but the same obligations are equal, and a cube with fewer
//! literals, reads and obligations is the larger set; subsumption rests on that.

use super::any::AnyCube;
use super::literals::{Base, Conj};
use super::text::{base_text, literals_text, timestamps};
use super::timestamp::{PendingRead, Timestamps, each};
use crate::system::{SymId, System};
use base::idx::position;
use std::fmt::Write as _;

/// A cube; see the head of the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// How many processes it speaks of; the first ones are the constants of the file.
    pub procs: u8,
    /// The literals.
    pub conj: Conj,
    /// The pending reads.
    pub reads: Vec<PendingRead>,
    /// Timestamp 0 is the snapshot of the unsafe formula.
    pub snapshot: bool,
    /// Order among timestamps.
    pub after: Vec<Timestamps>,
    /// What comes after a process's known events.
    pub po_successors: Vec<Timestamps>,
    /// What comes after an earlier write of a process.
    pub writes: Vec<Timestamps>,
    /// What comes after the known writes of a cell; sorted, no empty set.
    pub cells: Vec<(Base, Timestamps)>,
    /// The same for the cells of *fresh* processes, those that the cube does not speak of.
    pub fresh_cells: Vec<(SymId, Timestamps)>,
}

impl Cube {
    /// The same of one process more, of flat memory: there processes have no events.
    pub fn with_another(&self) -> Option<Cube> {
        let mut larger = self.clone();
        larger.procs = larger.procs.checked_add(1)?;
        larger.po_successors.push(0);
        larger.writes.push(0);
        self.reads.is_empty().then_some(larger)
    }

    /// What every read, fence and locked transition of a fresh process is before.
    pub fn fresh_process_successors(&self) -> Timestamps {
        Timestamps::from(self.snapshot)
    }

    /// What comes after the known writes of a cell.
    pub fn after_writes(&self, cell: Base) -> Timestamps {
        match self.cells.binary_search_by_key(&cell, |(c, _)| *c) {
            Ok(i) => self.cells[i].1,
            Err(_) => 0,
        }
    }

    /// What comes after the known writes of a symbol's cells of fresh processes.
    pub fn after_fresh_cells(&self, sym: SymId) -> Timestamps {
        self.fresh_cells
            .iter()
            .find(|(s, _)| *s == sym)
            .map_or(0, |w| w.1)
    }

    /// The set with everything that comes after it.
    pub fn closed(&self, timestamps: Timestamps) -> Timestamps {
        each(timestamps).fold(timestamps, |all, p| all | self.after[p])
    }
}

impl AnyCube for Cube {
    fn procs(&self) -> u8 {
        self.procs
    }

    fn conj(&self) -> &Conj {
        &self.conj
    }

    fn reads(&self) -> &[PendingRead] {
        &self.reads
    }

    fn size(&self) -> usize {
        self.conj.lits.len() + 2 * self.conj.lins.len() + self.reads.len()
    }

    fn marks(&self, tell: &mut dyn FnMut(Option<u8>, u64)) {
        let mut marked = |sets: &[Timestamps], mark: u64| {
            let all = sets.iter().enumerate().filter(|(_, s)| **s != 0);
            all.for_each(|(p, _)| tell(Some(position(p)), mark));
        };
        marked(&self.po_successors, 0);
        marked(&self.writes, 1);
    }

    fn text(&self, system: &System) -> String {
        cube_text(system, self)
    }
}

/// One cube as text.
fn cube_text(system: &System, c: &Cube) -> String {
    let mut out = String::new();
    let name = |b: Base| base_text(system, b);
    let _ = writeln!(
        out,
        "cube {}{}",
        c.procs,
        if c.snapshot { " snapshot" } else { "" }
    );
    for r in &c.reads {
        let _ = writeln!(out, "read {} #{} {}", r.timestamp, r.by + 1, name(r.cell));
    }
    out += &literals_text(system, &c.reads, &c.conj);
    for (p, set) in c.after.iter().enumerate() {
        let _ = writeln!(out, "after {p} :{}", timestamps(*set));
    }
    for (word, sets) in [("any", &c.po_successors), ("writes", &c.writes)] {
        for (p, set) in sets.iter().enumerate().filter(|(_, s)| **s != 0) {
            let _ = writeln!(out, "{word} #{} :{}", p + 1, timestamps(*set));
        }
    }
    for (b, set) in &c.cells {
        let _ = writeln!(out, "cell {} :{}", name(*b), timestamps(*set));
    }
    for (sym, set) in &c.fresh_cells {
        let _ = writeln!(
            out,
            "fresh {} :{}",
            system.symbols[*sym].name,
            timestamps(*set)
        );
    }
    out + "end\n"
}
