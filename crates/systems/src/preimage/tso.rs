//! Pre-images: what must hold before a transition so that a cube holds after it.
//!
//! For one transition and one choice of its processes: cells that it updates are replaced by their
//! new values (a `case` splits), the guard is added, weak reads of guard and values become pending
//! reads, and the weak writes are matched against the pending reads, as Sec. 4.2 of the TSO paper
//! says. A read of the writer itself takes its value from the write, whatever it is. A timestamp of
//! another process at which a written cell is read is either after the write, and then all its
//! reads of written cells take their values from it, or before it. Everything known to come after
//! the write is after it, so the timestamps chosen are closed under `after` and include the known
//! ones.
//!
//! The edges are those of [`crate::cube::tso`]; a transition has one timestamp, so that its
//! reads are at one time, its writes reach memory at one time, and a locked transition has both at
//! the same. It is locked by its text, also when a value read does not matter or a `case` writes
//! nothing.
//!
//! An instance that neither updates a cell of the cube nor satisfies a pending read yields a part
//! of the cube itself and is left out.

use super::image::{PreImage, TooLarge};
use super::instances::{Instantiation, TransitionInstance};
use crate::cub::ast::SymbolKind;
use crate::cube::formula::GroundFormula;
use crate::cube::instantiate::Binding;
use crate::cube::literals::{Base, BaseKind};
use crate::cube::timestamp::{MAX_READS, MAX_TIMESTAMPS, PendingRead, Timestamps, each};
use crate::cube::tso::Cube;
use crate::system::tuples::tuples;
use crate::system::{Target, Transition};
use crate::theory::closure::close;
use crate::theory::context::SystemContext;
use base::idx::position;

/// All pre-images by transition `t` with processes `args`; the cube has `procs` processes, new ones
/// included, and its literals speak of `bases`.
///
/// # Errors
/// Something is too large; the answer would not be complete.
pub fn preimages(
    context: &SystemContext,
    cube: &Cube,
    bases: &[Base],
    t: &Transition,
    args: &[u8],
    procs: u8,
) -> Result<Vec<PreImage>, TooLarge> {
    if usize::from(MAX_TIMESTAMPS) <= cube.after.len() {
        return Err(TooLarge::Timestamps);
    }
    let mut instantiation = Instantiation::new(context, &cube.conj, &cube.reads, t, args, procs);
    // Without pending reads, now or in this transition, nothing can come after a write.
    let order = !cube.after.is_empty() || t.locked();
    let instances = instantiation.instances(bases, order)?;
    let image = Image {
        context,
        cube,
        t,
        args,
        procs,
        instantiation,
    };
    let mut out = Vec::new();
    for instance in &instances {
        image.finish(instance, &mut out)?;
    }
    Ok(out)
}

struct Image<'a> {
    context: &'a SystemContext<'a>,
    cube: &'a Cube,
    t: &'a Transition,
    args: &'a [u8],
    procs: u8,
    instantiation: Instantiation<'a>,
}

impl Image<'_> {
    /// All choices of timestamps that read from the writes of an instance.
    fn finish(
        &self,
        instance: &TransitionInstance,
        out: &mut Vec<PreImage>,
    ) -> Result<(), TooLarge> {
        let cube = self.cube;
        let thread = self.instantiation.thread();
        let written = |cell: Base| instance.writes.iter().any(|(c, _)| *c == cell);
        // Timestamps of others at which a written cell is read.
        let mut matching: Timestamps = 0;
        for r in &cube.reads {
            if written(r.cell) && Some(r.by) != thread {
                matching |= 1 << r.timestamp;
            }
        }
        let mut base: Timestamps = 0;
        if let Some(p) = thread
            && !instance.writes.is_empty()
        {
            base |= if self.t.locked() {
                self.po_successors(p)
            } else {
                self.writes(p)
            };
            for (c, _) in &instance.writes {
                base |= self.after_writes(*c);
            }
            base = cube.closed(base);
        }
        let forced = base & matching;
        let free: Vec<usize> = each(matching & !forced).collect();
        if free.len() > 16 {
            return Err(TooLarge::Timestamps);
        }
        let touches = !instance.map.is_empty();
        for choice in 0u32..1 << free.len() {
            let mut satisfied = forced;
            for (i, p) in free.iter().enumerate() {
                if choice >> i & 1 == 1 {
                    satisfied |= 1 << p;
                }
            }
            let reach = base | cube.closed(satisfied);
            if reach & matching & !satisfied != 0 {
                continue;
            }
            let own = cube
                .reads
                .iter()
                .any(|r| written(r.cell) && Some(r.by) == thread);
            if !touches && satisfied == 0 && !own {
                continue;
            }
            self.build(instance, satisfied, matching & !satisfied, reach, out)?;
        }
        Ok(())
    }

    fn po_successors(&self, p: u8) -> Timestamps {
        let known = self.cube.po_successors.get(usize::from(p)).copied();
        known.unwrap_or(self.cube.fresh_process_successors())
    }

    fn writes(&self, p: u8) -> Timestamps {
        self.cube.writes.get(usize::from(p)).copied().unwrap_or(0)
    }

    fn after_writes(&self, cell: Base) -> Timestamps {
        let new = |p: u8| p >= self.cube.procs;
        match cell.kind() {
            BaseKind::Cell(sym, ..) if cell.processes().any(new) => {
                self.cube.after_fresh_cells(sym)
            }
            _ => self.cube.after_writes(cell),
        }
    }

    /// The cube before, for one choice.
    fn build(
        &self,
        instance: &TransitionInstance,
        satisfied: Timestamps,
        before: Timestamps,
        reach: Timestamps,
        out: &mut Vec<PreImage>,
    ) -> Result<(), TooLarge> {
        let cube = self.cube;
        let (thread, context) = (self.instantiation.thread(), self.context);
        let reads_it = |k: usize| {
            let r = cube.reads[k];
            Some(r.by) == thread || satisfied >> r.timestamp & 1 == 1
        };
        let Some(conj) = self.instantiation.before(instance, &reads_it)? else {
            return Ok(());
        };
        let mut reads = cube.reads.clone();
        let new_timestamp = position(cube.after.len());
        reads.extend(
            self.instantiation
                .reads
                .iter()
                .map(|(by, cell)| PendingRead {
                    timestamp: new_timestamp,
                    by: *by,
                    cell: *cell,
                }),
        );
        let domain = |b: Base| context.domain(&reads, b);
        let Some(closed) = close(&conj, &context.facts(&domain, self.procs)) else {
            return Ok(());
        };
        let conj = closed.normal(&domain);
        let live = conj.live_reads(reads.len());
        if live.iter().filter(|l| **l).count() > MAX_READS {
            return Err(TooLarge::Timestamps);
        }
        let new_reads: Vec<Base> = (cube.reads.len()..reads.len())
            .filter(|k| live[*k])
            .map(|k| reads[k].cell)
            .collect();
        let Some(mut next) = self.edges(instance, before, reach, &new_reads) else {
            return Ok(());
        };
        next.conj = conj;
        next.reads = reads;
        out.push(PreImage::canonical(context, next));
        Ok(())
    }

    /// The order after the transition's events are added; nothing when it has a cycle. Timestamps
    /// `before` the write are from-read-before it.
    fn edges(
        &self,
        instance: &TransitionInstance,
        before: Timestamps,
        reach: Timestamps,
        new_reads: &[Base],
    ) -> Option<Cube> {
        let cube = self.cube;
        let mut next = Cube {
            procs: self.procs,
            snapshot: cube.snapshot,
            after: cube.after.clone(),
            po_successors: (0..self.procs).map(|p| self.po_successors(p)).collect(),
            writes: (0..self.procs).map(|p| self.writes(p)).collect(),
            cells: cube.cells.clone(),
            fresh_cells: cube.fresh_cells.clone(),
            ..Cube::default()
        };
        next.after.push(0);
        let Some(p) = self.instantiation.thread().map(usize::from) else {
            return Some(next);
        };
        self.enter(&mut next);
        let new = cube.after.len();
        let bit = if new_reads.is_empty() { 0 } else { 1 << new };
        let writes = !instance.writes.is_empty();
        let mut timestamp = reach;
        if !new_reads.is_empty() || (self.t.locked() && writes) {
            timestamp |= next.po_successors[p];
            for c in new_reads {
                timestamp |= self.after_writes(*c);
            }
            timestamp = cube.closed(timestamp);
        }
        if timestamp & before != 0 {
            return None;
        }
        next.after[new] = timestamp;
        if writes {
            // The write's own time: with the reads if locked, else only what is after the write.
            let (after_write, moment) = if self.t.locked() {
                (timestamp, bit)
            } else {
                (reach, 0)
            };
            let later = after_write | moment;
            if before != 0 {
                let push = |set: &mut Timestamps| {
                    if *set & before != 0 {
                        *set |= later;
                    }
                };
                for q in 0..new {
                    if before >> q & 1 == 1 {
                        next.after[q] |= later;
                    } else {
                        push(&mut next.after[q]);
                    }
                    if next.after[q] >> q & 1 == 1 {
                        return None;
                    }
                }
                next.po_successors.iter_mut().for_each(push);
                next.writes.iter_mut().for_each(push);
                next.cells.iter_mut().for_each(|(_, s)| push(s));
                next.fresh_cells.iter_mut().for_each(|(_, s)| push(s));
            }
            next.po_successors[p] |= later;
            next.writes[p] |= later;
            for (c, _) in &instance.writes {
                put(&mut next.cells, *c, later);
            }
            self.write_fresh_cells(&mut next, later);
        }
        if bit != 0 {
            next.po_successors[p] |= timestamp | bit;
        }
        if instance.cond.fence || self.t.locked() {
            next.writes[p] = next.po_successors[p];
        }
        Some(next)
    }

    /// Cells of new processes take over what is known of all unknown ones.
    fn enter(&self, next: &mut Cube) {
        if self.procs == self.cube.procs {
            return;
        }
        for (sym, set) in &self.cube.fresh_cells {
            let arity = self.context.system.symbols[*sym].arity;
            for index in tuples(arity, self.procs) {
                if index.iter().any(|p| *p >= self.cube.procs) {
                    put(&mut next.cells, Base::cell(*sym, &index), *set);
                }
            }
        }
    }

    /// A write of every cell, whoever's, concerns processes that come in later, too.
    fn write_fresh_cells(&self, next: &mut Cube, later: Timestamps) {
        if later == 0 {
            return;
        }
        for u in &self.t.updates {
            let symbol = &self.context.system.symbols[u.sym];
            if symbol.kind != SymbolKind::Weak || !matches!(u.target, Target::Every(_)) {
                continue;
            }
            let mut env = self.args.to_vec();
            env.extend([200, 201].iter().take(symbol.arity));
            let mut ignored = Vec::new();
            let mut binding = Binding {
                system: &self.context.system,
                env,
                reads: &mut ignored,
                first_read: 0,
                memory: false,
                fixed: self.context.system.fixed,
            };
            // Every cell is written if some case applies to all; earlier ones write as well.
            let all = u
                .cases
                .iter()
                .any(|(c, _)| matches!(binding.form(c, &[]), Ok(GroundFormula::Bool(true))));
            if !all {
                continue;
            }
            match next.fresh_cells.iter_mut().find(|(s, _)| *s == u.sym) {
                Some((_, set)) => *set |= later,
                None => {
                    next.fresh_cells.push((u.sym, later));
                    next.fresh_cells.sort_unstable();
                }
            }
        }
    }
}

/// Adds timestamps to a cell's set.
fn put(cells: &mut Vec<(Base, Timestamps)>, cell: Base, timestamps: Timestamps) {
    if timestamps == 0 {
        return;
    }
    match cells.binary_search_by_key(&cell, |(c, _)| *c) {
        Ok(i) => cells[i].1 |= timestamps,
        Err(i) => cells.insert(i, (cell, timestamps)),
    }
}
