//! The cubes over events, for SC, TSO and PSO: their pre-images by a graph, and their order.
//!
//! The graph has a node for each kept timestamp, for the step of the new transition, for each of
//! its groups of writes that reach memory together, and for the time at which each written cell is
//! overwritten by a write yet to be found. Its transitive closure says whether there is a cycle.
//! Nothing is forgotten: no event, no order, no process. Under PSO a transition is left out that is
//! neither read from nor changes anything that the cube's literals speak of.

use super::certified::{Certified, Choice, Flaw, Setting, close_graph, live_cells};
use crate::cube::event::{EventCube, PendingOverwrite};
use crate::cube::formula::Disjunct;
use crate::cube::literals::Base;
use crate::cube::rules::Rules;
use crate::cube::timestamp::{MAX_TIMESTAMPS, Timestamps, each};
use crate::cube::tso::Cube;
use crate::theory::context::SystemContext;
use base::idx::position;

/// More ways to read than these are not looked at.
const MAX_READINGS: usize = 1 << 14;

/// Where a timestamp is that reads a cell of a group of writes.
#[derive(Clone, Copy)]
enum TimestampPosition {
    /// All its reads of the group's cells are the writer's own, and read the writes: at any time.
    Own,
    /// Before the writes reach memory; the writer's own reads still read them.
    Before,
    /// After that.
    After,
}

/// What a timestamp reads of a group of writes.
#[derive(Clone, Copy)]
pub struct GroupReading {
    group: usize,
    timestamp: usize,
    place: TimestampPosition,
    /// The reads that read the writes.
    takes: u64,
    /// The reads that read what overwrites them.
    misses: u64,
}

/// The cells that are written, in groups that reach memory together.
fn groups(setting: &Setting<EventCube>, chosen: &[Choice]) -> Vec<Vec<Base>> {
    let written = chosen.iter().filter(|(_, _, term)| term.is_some());
    let cells: Vec<Base> = written.map(|(cell, ..)| *cell).collect();
    let rules = setting.model;
    if cells.is_empty() {
        Vec::new()
    } else if rules.writes_one_by_one && !rules.writes_at_once && !setting.t.locked() {
        cells.into_iter().map(|c| vec![c]).collect()
    } else {
        vec![cells]
    }
}

/// The ways in which a timestamp may read of a group; none if it reads nothing of it.
fn ways(
    setting: &Setting<EventCube>,
    group: usize,
    cells: &[Base],
    timestamp: usize,
) -> Vec<GroupReading> {
    let reads = setting.cube.reads.iter().enumerate();
    let here = reads.filter(|(_, r)| usize::from(r.timestamp) == timestamp);
    let (mut all, mut own) = (0u64, 0u64);
    for (k, r) in here.filter(|(_, r)| cells.contains(&r.cell)) {
        all |= 1 << k;
        if Some(r.by) == setting.thread {
            own |= 1 << k;
        }
    }
    let reads_group = |place: TimestampPosition, takes: u64, misses: u64| GroupReading {
        group,
        timestamp,
        place,
        takes,
        misses,
    };
    if all == 0 {
        return Vec::new();
    }
    let mut out = if all == own {
        vec![reads_group(TimestampPosition::Own, all, 0)]
    } else {
        vec![
            reads_group(TimestampPosition::Before, own, 0),
            reads_group(TimestampPosition::After, all, 0),
        ]
    };
    if setting.model.overtaking {
        let mut rest = all;
        loop {
            // The subsets of `all`, without itself.
            rest = rest.wrapping_sub(1) & all;
            out.push(reads_group(TimestampPosition::After, rest, all & !rest));
            if rest == 0 {
                break;
            }
        }
    }
    out
}

impl Certified for EventCube {
    type Model = Rules;
    type Reading = Vec<GroupReading>;

    fn with_another(&self) -> Option<EventCube> {
        None
    }

    fn at_end(formula: Cube) -> EventCube {
        let end = Timestamps::from(formula.snapshot);
        let n = usize::from(formula.procs);
        EventCube {
            procs: formula.procs,
            conj: formula.conj,
            last: vec![None; formula.reads.len()],
            blocked_writers: vec![0; formula.reads.len()],
            reads: formula.reads,
            snapshot: formula.snapshot,
            after: formula.after,
            overwrites: Vec::new(),
            step_successors: vec![end; n],
            write_successors: vec![0; n],
            cells: Vec::new(),
        }
    }

    /// Initially nothing is left to be found that would overwrite a known write.
    fn may_be_initial(&self) -> bool {
        self.overwrites.is_empty()
    }

    fn readings(
        setting: &Setting<EventCube>,
        chosen: &[Choice],
    ) -> Result<Vec<Vec<GroupReading>>, Flaw> {
        let mut all: Vec<Vec<GroupReading>> = vec![Vec::new()];
        let groups = groups(setting, chosen);
        let written: usize = groups.iter().map(Vec::len).sum();
        let nodes = setting.cube.after.len() + 1 + groups.len() + written;
        if nodes > usize::from(MAX_TIMESTAMPS) {
            return Err(Flaw::TooLarge);
        }
        for (group, cells) in groups.iter().enumerate() {
            for timestamp in 0..setting.cube.after.len() {
                let ways = ways(setting, group, cells, timestamp);
                if ways.is_empty() {
                    continue;
                }
                if all.len().saturating_mul(ways.len()) > MAX_READINGS {
                    return Err(Flaw::TooLarge);
                }
                let before = std::mem::take(&mut all);
                for one in &before {
                    for way in &ways {
                        all.push(one.iter().chain([way]).copied().collect());
                    }
                }
            }
        }
        if setting.model.overtaking && !setting.changes() {
            // Nothing known reads what is written, and the literals speak of nothing that changes:
            // without the transition the run goes on as it did, from a state of the same cube.
            all.retain(|reading| reading.iter().any(|part| part.takes != 0));
        }
        Ok(all)
    }

    fn takes(_: &Setting<EventCube>, reading: &Vec<GroupReading>, read: usize) -> bool {
        reading.iter().any(|part| part.takes >> read & 1 == 1)
    }

    fn before(
        setting: &Setting<EventCube>,
        cond: &Disjunct,
        chosen: &[Choice],
        reading: &Vec<GroupReading>,
    ) -> Option<EventCube> {
        Some(Before::new(setting, cond, chosen, reading)?.cube)
    }

    fn order_holds(
        _: &SystemContext,
        rules: Rules,
        big: &EventCube,
        small: &EventCube,
        procs: &[u8],
        reads: &[u8],
    ) -> bool {
        let of = |set: u32| each(set.into()).fold(0u32, |all, p| all | 1 << procs[p]);
        let mut to: Vec<Option<u8>> = vec![None; big.after.len()];
        let mut put = |from: u8, there: u8| {
            let slot = &mut to[usize::from(from)];
            *slot.get_or_insert(there) == there
        };
        for (k, i) in reads.iter().map(|i| usize::from(*i)).enumerate() {
            let last = match (big.last[k], small.last[i]) {
                (None, _) => true,
                (Some(o), Some(there)) => put(o, there),
                (Some(_), None) => false,
            };
            if !last
                || !put(big.reads[k].timestamp, small.reads[i].timestamp)
                || of(big.blocked_writers[k]) & !small.blocked_writers[i] != 0
            {
                return false;
            }
        }
        if big.snapshot && (!small.snapshot || to.first() != Some(&Some(0))) {
            return false;
        }
        let within = |a: Timestamps, b: Timestamps| {
            each(a).all(|m| {
                to.get(m)
                    .copied()
                    .flatten()
                    .is_some_and(|q| b >> q & 1 == 1)
            })
        };
        let steps = (0..small.procs).all(|q| match procs.iter().position(|p| *p == q) {
            Some(p) => {
                within(big.step_successors[p], small.after_step(q))
                    && within(big.write_successors[p], small.after_write_of(q))
            }
            // Where steps are in order, a new one is before all timestamps anyway.
            None => {
                rules.steps_in_order || within(big.fresh_process_successors(), small.after_step(q))
            }
        });
        let after = to.iter().enumerate().all(|(m, q)| match q {
            Some(q) => within(big.after[m], small.after[usize::from(*q)]),
            None => true,
        });
        let cells = big.cells.iter().all(|(cell, set)| {
            let cell = cell.rename(procs, &[]);
            within(*set, small.after_cell(cell))
        });
        let overwrites = big.overwrites.iter().all(|o| {
            let (cell, by) = (o.cell.rename(procs, &[]), of(o.by));
            small.overwrites.iter().any(|s| {
                to[usize::from(o.timestamp)] == Some(s.timestamp)
                    && s.cell == cell
                    && by & !s.by == 0
            })
        });
        steps && after && cells && overwrites
    }
}

/// A pre-image in the making.
struct Before<'a> {
    setting: &'a Setting<'a, EventCube>,
    reading: &'a [GroupReading],
    cube: EventCube,
    /// The relation "is before" on so many nodes.
    edge: Vec<bool>,
    size: usize,
    contradiction: bool,
}

impl<'a> Before<'a> {
    /// The pre-image, unless there is a cycle or too much of it.
    fn new(
        setting: &'a Setting<'a, EventCube>,
        cond: &Disjunct,
        chosen: &[Choice],
        reading: &'a [GroupReading],
    ) -> Option<Before<'a>> {
        let cube = setting.cube;
        let known = cube.after.len();
        let groups = groups(setting, chosen);
        let written: usize = groups.iter().map(Vec::len).sum();
        let size = known + 1 + groups.len() + written;
        let reads = setting.all_reads(known);
        let mut last = cube.last.clone();
        last.resize(reads.len(), None);
        let mut blocked_writers = cube.blocked_writers.clone();
        blocked_writers.resize(reads.len(), 0);
        let mut this = Before {
            setting,
            reading,
            cube: EventCube {
                procs: setting.procs,
                conj: cond.conj.clone(),
                reads,
                last,
                blocked_writers,
                snapshot: cube.snapshot,
                after: Vec::new(),
                overwrites: cube.overwrites.clone(),
                step_successors: (0..setting.procs).map(|p| cube.after_step(p)).collect(),
                write_successors: (0..setting.procs).map(|p| cube.after_write_of(p)).collect(),
                cells: cube.cells.clone(),
            },
            edge: vec![false; size * size],
            size,
            contradiction: false,
        };
        for (m, set) in cube.after.iter().enumerate() {
            this.edges(m, *set);
        }
        if let Some(p) = setting.thread {
            this.events(cond, &groups, p);
        }
        close_graph(&mut this.edge, size);
        if this.contradiction || (0..size).any(|m| this.edge[m * size + m]) {
            return None;
        }
        let successors = |m: usize| {
            let all = (0..size).filter(|n| this.edge[m * size + n]);
            all.fold(0, |set: Timestamps, n| set | 1 << n)
        };
        let after: Vec<Timestamps> = (0..size).map(successors).collect();
        let close = |set: &mut Timestamps| *set = each(*set).fold(*set, |all, m| all | after[m]);
        this.cube.step_successors.iter_mut().for_each(close);
        this.cube.write_successors.iter_mut().for_each(close);
        this.cube.cells.iter_mut().for_each(|(_, set)| close(set));
        this.cube.after = after;
        Some(this)
    }

    fn edge(&mut self, from: usize, to: usize) {
        self.edge[from * self.size + to] = true;
    }

    fn edges(&mut self, from: usize, to: Timestamps) {
        each(to).for_each(|m| self.edge(from, m));
    }

    /// The events of the transition, by process `p`.
    fn events(&mut self, cond: &Disjunct, groups: &[Vec<Base>], p: u8) {
        let (cube, rules, locked) = (
            self.setting.cube,
            self.setting.model,
            self.setting.t.locked(),
        );
        let step = cube.after.len();
        let at_once = rules.writes_at_once || locked;
        let fence = cond.fence || locked;
        let read = live_cells(&self.cube.conj, &self.cube.reads, cube.reads.len());
        let seen = fence || !read.is_empty();
        if rules.steps_in_order {
            // Whatever is known is later than this step.
            (0..step).for_each(|m| self.edge(step, m));
        } else if seen {
            self.edges(step, cube.after_step(p));
            for cell in &read {
                self.edges(step, cube.after_cell(*cell));
            }
        }
        let reach = |g: usize| if at_once { step } else { step + 1 + g };
        for (g, cells) in groups.iter().enumerate() {
            if !at_once {
                self.edge(step, reach(g));
            }
            self.edges(reach(g), cube.after_write_of(p));
            for cell in cells {
                self.edges(reach(g), cube.after_cell(*cell));
            }
        }
        for part in self.reading {
            match part.place {
                TimestampPosition::Own => {}
                TimestampPosition::Before => self.edge(part.timestamp, reach(part.group)),
                TimestampPosition::After => self.edge(reach(part.group), part.timestamp),
            }
        }
        if rules.overtaking {
            let mut next = step + 1 + groups.len();
            for (g, cells) in groups.iter().enumerate() {
                for cell in cells {
                    self.overwritten(*cell, g, (reach(g), next), at_once, p);
                    next += 1;
                }
            }
        }
        let at = usize::from(p);
        if !rules.steps_in_order {
            let mut mine = 0;
            for (g, cells) in groups.iter().enumerate() {
                mine |= 1 << reach(g);
                for cell in cells {
                    self.after_cell(*cell, 1 << reach(g));
                }
            }
            self.cube.step_successors[at] |= mine | if seen { 1 << step } else { 0 };
            self.cube.write_successors[at] |= mine;
        }
        if fence {
            self.cube.write_successors[at] |= 1 << step;
        }
    }

    fn after_cell(&mut self, cell: Base, set: Timestamps) {
        match self.cube.cells.iter_mut().find(|(c, _)| *c == cell) {
            Some((_, all)) => *all |= set,
            None => {
                self.cube.cells.push((cell, set));
                self.cube.cells.sort_unstable();
            }
        }
    }

    /// The coherence order of a cell that is written at `commit`, and what is left to overwrite the
    /// write at `over`: the write overwrites those known writes that its readers, or the reads
    /// before it, come after; the others overwrite it.
    fn overwritten(
        &mut self,
        cell: Base,
        group: usize,
        (commit, over): (usize, usize),
        at_once: bool,
        p: u8,
    ) {
        let old = self.setting.cube;
        let reads: Vec<usize> = (0..old.reads.len())
            .filter(|k| old.reads[*k].cell == cell)
            .collect();
        let mine: Vec<GroupReading> = self
            .reading
            .iter()
            .filter(|m| m.group == group)
            .copied()
            .collect();
        let takes = |k: &usize| mine.iter().any(|m| m.takes >> k & 1 == 1);
        let misses = |k: &usize| mine.iter().any(|m| m.misses >> k & 1 == 1);
        let before = |k: &usize| {
            let at = usize::from(old.reads[*k].timestamp);
            let mut mine = mine.iter();
            mine.any(|m| m.timestamp == at && matches!(m.place, TimestampPosition::Before))
        };
        // A process that wrote, or read what is written, has no earlier write after it.
        let mut by = 1u32 << p;
        let mut floor: Timestamps = 0;
        for k in &reads {
            if takes(k) {
                by |= 1 << old.reads[*k].by;
            }
            if takes(k) || before(k) {
                floor |= old.last[*k].map_or(0, |o| 1 << o);
            }
            self.contradiction |= before(k) && old.blocked_writers[*k] >> p & 1 == 1;
        }
        let touching = by;
        if at_once {
            for k in old.reads.len()..self.cube.reads.len() {
                if self.cube.reads[k].cell == cell {
                    self.cube.blocked_writers[k] |= touching;
                }
            }
        }
        let mut later: Timestamps = 0;
        for i in 0..self.cube.overwrites.len() {
            let o = self.cube.overwrites[i];
            if o.cell != cell {
                continue;
            }
            let timestamp = usize::from(o.timestamp);
            let overwrites = floor >> timestamp & 1 == 1 || old.after[timestamp] & floor != 0;
            if overwrites {
                self.edge(timestamp, commit);
                self.contradiction |= o.by >> p & 1 == 1;
                by |= o.by;
            } else {
                self.edge(commit, timestamp);
                self.cube.overwrites[i].by |= touching;
                later |= 1 << timestamp;
            }
        }
        let missed: Vec<usize> = reads
            .iter()
            .copied()
            .filter(|k| misses(k) && old.last[*k].is_none_or(|o| later >> o & 1 == 0))
            .collect();
        if missed.is_empty() {
            return;
        }
        for k in missed {
            self.cube.last[k] = Some(position(over));
        }
        self.edge(commit, over);
        self.edges(over, later);
        for k in reads.iter().filter(|k| takes(k)) {
            self.edge(usize::from(old.reads[*k].timestamp), over);
        }
        self.cube.overwrites.push(PendingOverwrite {
            timestamp: position(over),
            cell,
            by,
        });
    }
}
