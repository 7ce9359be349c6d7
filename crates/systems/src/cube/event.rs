//! Cubes over events, the domain of the generic strategy, and what they may forget.
//!
//! A timestamp is the time of events that happen together: a transition's reads (its step), its
//! writes reaching memory, both if it is locked, or the reads of the unsafe formula. Only
//! timestamps from which an edge to an event *yet to be found* can start are kept; the edges
//! through all others are in the transitive closure. Events yet to be found took their step
//! earlier, so an edge from a known timestamp to one of them can only be
//!
//! - from-read, from a read that is *pending*: it reads what is overwritten by the event found;
//! - coherence, from a write that the event found overwrites although its step is later (and
//!   from-read, from its readers). That happens under PSO only, and matters only where a pending
//!   read comes after the known write and does not read it: something that overwrites it must still
//!   be found. The timestamp at which the write is overwritten is kept as a [`PendingOverwrite`];
//!   of several for one read the last in coherence order, as it comes after the others.
//!
//! Where the schedule is the order of steps, an event found is before all known timestamps unless
//! it is a write on its way to memory. So the order of two known timestamps matters only to a write
//! that one of them is before and the other one after, of a cell that both speak of: a fence that
//! two writes are separated by is before whatever was known when it was found. Of timestamps that
//! share no cell the order is forgotten; when all writes reach memory at once, of all.
//!
//! Edges from events yet to be found to known ones are sets of kept timestamps: what a new step of
//! a process is before, what a new write of a process is before (ppo and fences: a pending fence is
//! this set), what a new write of a cell is before (coherence).

use super::any::AnyCube;
use super::literals::{Base, BaseKind, Conj, Literal, rename_lin, rename_lit};
use super::rules::Rules;
use super::text::{base_text, literals_text, timestamps};
use super::timestamp::{PendingRead, Timestamps, each};
use crate::system::System;
use base::idx::position;
use std::fmt::Write as _;

/// The timestamp at which a known write is overwritten by one yet to be found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PendingOverwrite {
    /// The timestamp.
    pub timestamp: u8,
    /// The cell.
    pub cell: Base,
    /// The processes by which a known write of the cell is before it, or a read of such a write:
    /// their writes yet to be found are before it, too.
    pub by: u32,
}

/// A cube; see the head of the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct EventCube {
    /// How many processes it speaks of; the first ones are the constants of the file.
    pub procs: u8,
    /// The literals.
    pub conj: Conj,
    /// The pending reads.
    pub reads: Vec<PendingRead>,
    /// For each of them the timestamp of the [`PendingOverwrite`] it comes after, if any.
    pub last: Vec<Option<u8>>,
    /// For each of them, when its transition writes the cell at the same timestamp: the processes
    /// that read what is written, or wrote it. No write of theirs that is yet to be found comes
    /// after the pending read, as it would come after that write, too, and be what they read.
    pub blocked_writers: Vec<u32>,
    /// Timestamp 0 is the end, at which the unsafe formula reads.
    pub snapshot: bool,
    /// The global order among kept timestamps.
    pub after: Vec<Timestamps>,
    /// Known writes that are overwritten by one yet to be found.
    pub overwrites: Vec<PendingOverwrite>,
    /// What an earlier step of each process is before.
    pub step_successors: Vec<Timestamps>,
    /// What an earlier write of each process is before.
    pub write_successors: Vec<Timestamps>,
    /// What an earlier write of a cell is before; sorted, no empty set.
    pub cells: Vec<(Base, Timestamps)>,
}

impl EventCube {
    /// What a step of a fresh process, one that the cube does not speak of, is before.
    pub fn fresh_process_successors(&self) -> Timestamps {
        Timestamps::from(self.snapshot)
    }

    /// What an earlier step of a process is before.
    pub fn after_step(&self, p: u8) -> Timestamps {
        let known = self.step_successors.get(usize::from(p)).copied();
        known.unwrap_or(self.fresh_process_successors())
    }

    /// What an earlier write of a process is before.
    pub fn after_write_of(&self, p: u8) -> Timestamps {
        self.write_successors
            .get(usize::from(p))
            .copied()
            .unwrap_or(0)
    }

    /// What an earlier write of a cell is before.
    pub fn after_cell(&self, cell: Base) -> Timestamps {
        match self.cells.binary_search_by_key(&cell, |(c, _)| *c) {
            Ok(i) => self.cells[i].1,
            Err(_) => 0,
        }
    }
}

/// Forgets reads without literals, timestamps that are no longer kept and order that does not
/// matter, and processes of which nothing is said; returns the new names of processes, too.
pub fn forget(fixed: u8, rules: Rules, mut cube: EventCube) -> (EventCube, Vec<Option<u8>>) {
    let reads = forget_reads(&mut cube);
    forget_timestamps(&mut cube);
    if rules.steps_in_order {
        forget_order(rules, &mut cube);
    }
    let names = needed(fixed, &cube, &reads);
    rename(&mut cube, &names, &reads);
    (cube, names)
}

/// Removes the reads without literals; the result maps old to new.
fn forget_reads(cube: &mut EventCube) -> Vec<u8> {
    let live = cube.conj.live_reads(cube.reads.len());
    let mut map = vec![0; live.len()];
    let (mut reads, mut last, mut blocked_writers) = (Vec::new(), Vec::new(), Vec::new());
    for (k, _) in live.iter().enumerate().filter(|(_, live)| **live) {
        map[k] = position(reads.len());
        reads.push(cube.reads[k]);
        last.push(cube.last[k]);
        blocked_writers.push(cube.blocked_writers[k]);
    }
    (cube.reads, cube.last, cube.blocked_writers) = (reads, last, blocked_writers);
    map
}

/// Removes the timestamps at which nothing is pending and that no pending read waits for.
fn forget_timestamps(cube: &mut EventCube) {
    let timestamps = cube.reads.iter().map(|r| r.timestamp);
    let used = timestamps.chain(cube.last.iter().flatten().copied());
    let used = used.fold(0, |set: Timestamps, p| set | 1 << p);
    let old: Vec<usize> = each(used).collect();
    let new = |p: u8| position((used & ((1 << p) - 1)).count_ones() as usize);
    let squeeze = |set: Timestamps| {
        let kept = old.iter().enumerate();
        kept.fold(0, |out, (i, p)| out | (set >> p & 1) << i)
    };
    cube.snapshot &= used & 1 == 1;
    cube.reads
        .iter_mut()
        .for_each(|r| r.timestamp = new(r.timestamp));
    cube.last.iter_mut().flatten().for_each(|p| *p = new(*p));
    cube.overwrites.retain(|o| used >> o.timestamp & 1 == 1);
    cube.overwrites
        .iter_mut()
        .for_each(|o| o.timestamp = new(o.timestamp));
    cube.after = old.iter().map(|p| squeeze(cube.after[*p])).collect();
    cube.step_successors
        .iter_mut()
        .for_each(|s| *s = squeeze(*s));
    cube.write_successors
        .iter_mut()
        .for_each(|s| *s = squeeze(*s));
    cube.cells.iter_mut().for_each(|(_, s)| *s = squeeze(*s));
    cube.cells.retain(|(_, s)| *s != 0);
}

/// Removes the order of timestamps that share no cell, or of all.
fn forget_order(rules: Rules, cube: &mut EventCube) {
    let mut shared: Vec<Timestamps> = vec![0; cube.after.len()];
    if !rules.writes_at_once {
        let of = |k: usize| {
            let timestamp = cube.reads[k].timestamp;
            let last = cube.last[k].map_or(0, |o| 1 << o);
            last | 1 << timestamp
        };
        for (i, r) in cube.reads.iter().enumerate() {
            let alike = (0..cube.reads.len()).filter(|k| cube.reads[*k].cell == r.cell);
            let all = alike.fold(0, |set: Timestamps, k| set | of(k));
            each(of(i)).for_each(|m| shared[m] |= all);
        }
    }
    for (set, shared) in cube.after.iter_mut().zip(shared) {
        *set &= shared;
    }
}

/// The new names of the processes that the cube says something of.
fn needed(fixed: u8, cube: &EventCube, reads: &[u8]) -> Vec<Option<u8>> {
    debug_assert!(cube.reads.len() <= reads.len());
    let mut needed: Vec<bool> = (0..cube.procs).map(|p| p < fixed).collect();
    let mut need = |p: u8| needed[usize::from(p)] = true;
    for b in cube.conj.distinct_bases() {
        b.processes().for_each(&mut need);
    }
    for r in &cube.reads {
        need(r.by);
        r.cell.processes().for_each(&mut need);
    }
    for (c, _) in &cube.cells {
        c.processes().for_each(&mut need);
    }
    for p in 0..cube.procs {
        let at = usize::from(p);
        let by = cube
            .overwrites
            .iter()
            .map(|o| o.by)
            .chain(cube.blocked_writers.iter().copied());
        let writes = by.into_iter().any(|by| by >> p & 1 == 1);
        if cube.step_successors[at] != cube.fresh_process_successors()
            || cube.write_successors[at] != 0
            || writes
        {
            need(p);
        }
    }
    let mut next = 0;
    let mut names = Vec::new();
    for n in needed {
        names.push(n.then_some(next));
        next += u8::from(n);
    }
    names
}

/// Puts new names for processes and reads.
fn rename(cube: &mut EventCube, names: &[Option<u8>], reads: &[u8]) {
    let map: Vec<u8> = names.iter().map(|n| n.unwrap_or(0)).collect();
    let f = |b: Base| b.rename(&map, reads);
    let lits: Vec<Literal> = cube.conj.lits.iter().map(|l| rename_lit(l, &f)).collect();
    cube.conj.lits = lits;
    cube.conj.lits.sort_unstable();
    cube.conj
        .lins
        .iter_mut()
        .for_each(|l| *l = rename_lin(l, &f));
    cube.conj.lins.sort();
    for r in &mut cube.reads {
        r.by = map[usize::from(r.by)];
        r.cell = f(r.cell);
    }
    let renamed = |by: u32| each(by.into()).fold(0, |set, p| set | 1 << map[p]);
    for o in &mut cube.overwrites {
        o.cell = f(o.cell);
        o.by = renamed(o.by);
    }
    cube.blocked_writers
        .iter_mut()
        .for_each(|by| *by = renamed(*by));
    cube.overwrites.sort_unstable();
    cube.cells.iter_mut().for_each(|(c, _)| *c = f(*c));
    cube.cells.sort_unstable();
    let kept = |sets: &[Timestamps]| {
        let pairs = sets.iter().zip(names).filter(|(_, n)| n.is_some());
        pairs.map(|(s, _)| *s).collect::<Vec<_>>()
    };
    (cube.step_successors, cube.write_successors) =
        (kept(&cube.step_successors), kept(&cube.write_successors));
    cube.procs = position(cube.step_successors.len());
}

impl AnyCube for EventCube {
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
        self.conj.lits.len() + 2 * self.conj.lins.len() + self.reads.len() + self.overwrites.len()
    }

    fn marks(&self, tell: &mut dyn FnMut(Option<u8>, u64)) {
        for (k, r) in self.reads.iter().enumerate() {
            let mark = 2 + 3 * symbol(r.cell);
            tell(Some(r.by), mark);
            if self.last[k].is_some() {
                tell(Some(r.by), mark + 1);
            }
        }
        for o in &self.overwrites {
            let mark = 2 + 3 * symbol(o.cell) + 2;
            tell(None, mark);
            each(o.by.into()).for_each(|p| tell(Some(position(p)), mark));
        }
        let mut marked = |sets: &[Timestamps], mark: u64| {
            let all = sets.iter().enumerate().filter(|(_, s)| **s != 0);
            all.for_each(|(p, _)| tell(Some(position(p)), mark));
        };
        marked(&self.step_successors, 0);
        marked(&self.write_successors, 1);
    }

    fn text(&self, system: &System) -> String {
        event_cube_text(system, self)
    }
}

/// Which symbol a cell is of.
fn symbol(cell: Base) -> u64 {
    match cell.kind() {
        BaseKind::Cell(s, ..) => u64::from(s.0),
        _ => 0,
    }
}

/// One cube as text: as in a certificate, and a line for each set of timestamps.
fn event_cube_text(system: &System, c: &EventCube) -> String {
    let mut out = format!("cube {}", c.procs);
    out += if c.snapshot { " snapshot\n" } else { "\n" };
    for (k, r) in c.reads.iter().enumerate() {
        let cell = base_text(system, r.cell);
        let _ = write!(out, "read {} #{} {cell}", r.timestamp, r.by + 1);
        if let Some(o) = c.last[k] {
            let _ = write!(out, " after {o}");
        }
        if c.blocked_writers[k] != 0 {
            let _ = write!(out, " not after{}", processes(c.blocked_writers[k]));
        }
        out.push('\n');
    }
    out += &literals_text(system, &c.reads, &c.conj);
    for (p, set) in c.after.iter().enumerate().filter(|(_, s)| **s != 0) {
        let _ = writeln!(out, "after {p} :{}", timestamps(*set));
    }
    for o in &c.overwrites {
        let (cell, by) = (base_text(system, o.cell), processes(o.by));
        let _ = writeln!(out, "overwritten {} {cell} :{by}", o.timestamp);
    }
    for (word, sets) in [
        ("fires", &c.step_successors),
        ("commits", &c.write_successors),
    ] {
        for (p, set) in sets.iter().enumerate().filter(|(_, s)| **s != 0) {
            let _ = writeln!(out, "{word} #{} :{}", p + 1, timestamps(*set));
        }
    }
    for (b, set) in &c.cells {
        let _ = writeln!(out, "cell {} :{}", base_text(system, *b), timestamps(*set));
    }
    out
}

fn processes(set: u32) -> String {
    let all = each(set.into()).map(|p| format!(" #{}", p + 1));
    all.collect()
}
