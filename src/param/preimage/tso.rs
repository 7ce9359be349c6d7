//! Pre-images: what must hold before a transition so that a cube holds after it.
//!
//! For one transition and one choice of its processes: cells that it updates are replaced by their
//! new values (a `case` splits), the guard is added, weak reads of guard and values become pending
//! reads, and the weak writes are matched against the pending reads, as Sec. 4.2 of the TSO paper
//! says. A read of the writer itself takes its value from the write, whatever it is. A point of
//! another process at which a written cell is read is either after the write, and then all its
//! reads of written cells take their values from it, or before it. Everything known to come after
//! the write is after it, so the points chosen are closed under `after` and include the known ones.
//!
//! The edges are those of [`crate::param::cube::tso`]; a transition is one point, so that reads are at one
//! moment, writes reach memory at one moment, and a locked transition has both at the same. It is
//! locked by its text, also when a value read does not matter or a `case` writes nothing.
//!
//! An instance that neither updates a cell of the cube nor satisfies a pending read yields a part
//! of the cube itself and is left out.

use super::image::{Pre, TooLarge};
use super::instances::{Firing, World};
use crate::base::idx::position;
use crate::front::cub::ast::SymbolKind;
use crate::param::cube::formula::Inst;
use crate::param::cube::instantiate::Binding;
use crate::param::cube::literals::{Base, Kind};
use crate::param::cube::timestamp::{MAX_POINTS, MAX_READS, Points, Read, each};
use crate::param::cube::tso::Cube;
use crate::param::system::tuples::tuples;
use crate::param::system::{Target, Transition};
use crate::param::theory::closure::close;
use crate::param::theory::model::Model;

/// All pre-images by transition `t` with processes `args`; the cube has `procs` processes, new ones
/// included, and its literals speak of `bases`.
///
/// # Errors
/// Something is too large; the answer would not be complete.
pub fn preimages(
    model: &Model,
    cube: &Cube,
    bases: &[Base],
    t: &Transition,
    args: &[u8],
    procs: u8,
) -> Result<Vec<Pre>, TooLarge> {
    if usize::from(MAX_POINTS) <= cube.after.len() {
        return Err(TooLarge::Points);
    }
    let mut firing = Firing::new(model, &cube.conj, &cube.reads, t, args, procs);
    // Without pending reads, now or in this transition, nothing can come after a write.
    let order = !cube.after.is_empty() || t.locked();
    let worlds = firing.worlds(bases, order)?;
    let image = Image {
        model,
        cube,
        t,
        args,
        procs,
        firing,
    };
    let mut out = Vec::new();
    for world in &worlds {
        image.finish(world, &mut out)?;
    }
    Ok(out)
}

struct Image<'a> {
    model: &'a Model<'a>,
    cube: &'a Cube,
    t: &'a Transition,
    args: &'a [u8],
    procs: u8,
    firing: Firing<'a>,
}

impl Image<'_> {
    /// All choices of points that read from the writes of a world.
    fn finish(&self, world: &World, out: &mut Vec<Pre>) -> Result<(), TooLarge> {
        let cube = self.cube;
        let thread = self.firing.thread();
        let written = |cell: Base| world.writes.iter().any(|(c, _)| *c == cell);
        // Points of others at which a written cell is read.
        let mut matching: Points = 0;
        for r in &cube.reads {
            if written(r.cell) && Some(r.by) != thread {
                matching |= 1 << r.point;
            }
        }
        let mut base: Points = 0;
        if let Some(p) = thread
            && !world.writes.is_empty()
        {
            base |= if self.t.locked() {
                self.any(p)
            } else {
                self.writes(p)
            };
            for (c, _) in &world.writes {
                base |= self.after_writes(*c);
            }
            base = cube.closed(base);
        }
        let forced = base & matching;
        let free: Vec<usize> = each(matching & !forced).collect();
        if free.len() > 16 {
            return Err(TooLarge::Points);
        }
        let touches = !world.map.is_empty();
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
            self.build(world, satisfied, matching & !satisfied, reach, out)?;
        }
        Ok(())
    }

    fn any(&self, p: u8) -> Points {
        let known = self.cube.any.get(usize::from(p)).copied();
        known.unwrap_or(self.cube.default_any())
    }

    fn writes(&self, p: u8) -> Points {
        self.cube.writes.get(usize::from(p)).copied().unwrap_or(0)
    }

    fn after_writes(&self, cell: Base) -> Points {
        let new = |p: u8| p >= self.cube.procs;
        match cell.kind() {
            Kind::Cell(sym, ..) if cell.processes().any(new) => self.cube.after_wild(sym),
            _ => self.cube.after_writes(cell),
        }
    }

    /// The cube before, for one choice.
    fn build(
        &self,
        world: &World,
        satisfied: Points,
        before: Points,
        reach: Points,
        out: &mut Vec<Pre>,
    ) -> Result<(), TooLarge> {
        let cube = self.cube;
        let (thread, model) = (self.firing.thread(), self.model);
        let reads_it = |k: usize| {
            let r = cube.reads[k];
            Some(r.by) == thread || satisfied >> r.point & 1 == 1
        };
        let Some(conj) = self.firing.before(world, &reads_it)? else {
            return Ok(());
        };
        let mut reads = cube.reads.clone();
        let new_point = position(cube.after.len());
        reads.extend(self.firing.reads.iter().map(|(by, cell)| Read {
            point: new_point,
            by: *by,
            cell: *cell,
        }));
        let domain = |b: Base| model.domain(&reads, b);
        let Some(closed) = close(&conj, &model.facts(&domain, self.procs)) else {
            return Ok(());
        };
        let conj = closed.normal(&domain);
        let live = conj.live_reads(reads.len());
        if live.iter().filter(|l| **l).count() > MAX_READS {
            return Err(TooLarge::Points);
        }
        let new_reads: Vec<Base> = (cube.reads.len()..reads.len())
            .filter(|k| live[*k])
            .map(|k| reads[k].cell)
            .collect();
        let Some(mut next) = self.edges(world, before, reach, &new_reads) else {
            return Ok(());
        };
        next.conj = conj;
        next.reads = reads;
        out.push(Pre::canonical(model, next));
        Ok(())
    }

    /// The order after the transition's events are added; nothing when it has a cycle. Points
    /// `before` the write are from-read-before it.
    fn edges(
        &self,
        world: &World,
        before: Points,
        reach: Points,
        new_reads: &[Base],
    ) -> Option<Cube> {
        let cube = self.cube;
        let mut next = Cube {
            procs: self.procs,
            snapshot: cube.snapshot,
            after: cube.after.clone(),
            any: (0..self.procs).map(|p| self.any(p)).collect(),
            writes: (0..self.procs).map(|p| self.writes(p)).collect(),
            cells: cube.cells.clone(),
            wild: cube.wild.clone(),
            ..Cube::default()
        };
        next.after.push(0);
        let Some(p) = self.firing.thread().map(usize::from) else {
            return Some(next);
        };
        self.enter(&mut next);
        let new = cube.after.len();
        let bit = if new_reads.is_empty() { 0 } else { 1 << new };
        let writes = !world.writes.is_empty();
        let mut point = reach;
        if !new_reads.is_empty() || (self.t.locked() && writes) {
            point |= next.any[p];
            for c in new_reads {
                point |= self.after_writes(*c);
            }
            point = cube.closed(point);
        }
        if point & before != 0 {
            return None;
        }
        next.after[new] = point;
        if writes {
            // The write's own moment: with the reads if locked, else only what is after the write.
            let (after_write, moment) = if self.t.locked() {
                (point, bit)
            } else {
                (reach, 0)
            };
            let later = after_write | moment;
            if before != 0 {
                let push = |set: &mut Points| {
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
                next.any.iter_mut().for_each(push);
                next.writes.iter_mut().for_each(push);
                next.cells.iter_mut().for_each(|(_, s)| push(s));
                next.wild.iter_mut().for_each(|(_, s)| push(s));
            }
            next.any[p] |= later;
            next.writes[p] |= later;
            for (c, _) in &world.writes {
                put(&mut next.cells, *c, later);
            }
            self.write_wild(&mut next, later);
        }
        if bit != 0 {
            next.any[p] |= point | bit;
        }
        if world.cond.fence || self.t.locked() {
            next.writes[p] = next.any[p];
        }
        Some(next)
    }

    /// Cells of new processes take over what is known of all unknown ones.
    fn enter(&self, next: &mut Cube) {
        if self.procs == self.cube.procs {
            return;
        }
        for (sym, set) in &self.cube.wild {
            let arity = self.model.system.symbols[*sym].arity;
            for index in tuples(arity, self.procs) {
                if index.iter().any(|p| *p >= self.cube.procs) {
                    put(&mut next.cells, Base::cell(*sym, &index), *set);
                }
            }
        }
    }

    /// A write of every cell, whoever's, concerns processes that come in later, too.
    fn write_wild(&self, next: &mut Cube, later: Points) {
        if later == 0 {
            return;
        }
        for u in &self.t.updates {
            let symbol = &self.model.system.symbols[u.sym];
            if symbol.kind != SymbolKind::Weak || !matches!(u.target, Target::Every(_)) {
                continue;
            }
            let mut env = self.args.to_vec();
            env.extend([200, 201].iter().take(symbol.arity));
            let mut ignored = Vec::new();
            let mut binding = Binding {
                system: &self.model.system,
                env,
                reads: &mut ignored,
                first_read: 0,
                memory: false,
                fixed: self.model.system.fixed,
            };
            // Every cell is written if some case applies to all; earlier ones write as well.
            let all = u
                .cases
                .iter()
                .any(|(c, _)| matches!(binding.form(c, &[]), Ok(Inst::Bool(true))));
            if !all {
                continue;
            }
            match next.wild.iter_mut().find(|(s, _)| *s == u.sym) {
                Some((_, set)) => *set |= later,
                None => {
                    next.wild.push((u.sym, later));
                    next.wild.sort_unstable();
                }
            }
        }
    }
}

/// Adds points to a cell's set.
fn put(cells: &mut Vec<(Base, Points)>, cell: Base, points: Points) {
    if points == 0 {
        return;
    }
    match cells.binary_search_by_key(&cell, |(c, _)| *c) {
        Ok(i) => cells[i].1 |= points,
        Err(i) => cells.insert(i, (cell, points)),
    }
}
