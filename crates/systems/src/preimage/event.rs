//! Pre-images: a transition's events are put before those of a cube.
//!
//! Its [`instances`](super::instances) say what it requires and writes. For each, every timestamp
//! at which a written cell is read is before or after the write; a read after it takes its value
//! from it or, where the model allows that, from one that overwrites it and is still to be found. A
//! read by the writer itself takes its value from the write at any time, unless that is overwritten
//! before. The edges are those of Appendix A of the TSO paper, each named where it is added; a
//! cycle drops the choice.

use super::graph::Graph;
use super::image::{PreImage, TooLarge};
use super::instances::{Instantiation, TransitionInstance};
use crate::cub::ast::SymbolKind;
use crate::cube::event::{EventCube, PendingOverwrite, forget};
use crate::cube::literals::Base;
use crate::cube::rules::Rules;
use crate::cube::timestamp::{MAX_TIMESTAMPS, PendingRead, Timestamps, each};
use crate::system::{Target, Transition};
use crate::theory::closure::close;
use crate::theory::context::SystemContext;
use base::idx::position;

/// More choices than this are not written out.
const MAX_CHOICES: usize = 1 << 16;

/// What happens between a write and a timestamp at which one of its cells is read.
#[derive(Clone, Copy)]
struct Choice {
    /// Which write, by its position among those of the transition.
    write: usize,
    /// The timestamp.
    timestamp: usize,
    /// The timestamp is before the write.
    before: bool,
    /// The timestamp is after the write.
    after: bool,
    /// The reads of the timestamp that take their values from the write.
    satisfied: u64,
    /// Those that take them from what overwrites it.
    overwritten: u64,
}

/// All pre-images by transition `t` with processes `args`; there are `procs` processes, new ones
/// included, and the cube's literals speak of `bases`.
///
/// # Errors
/// Something is too large; the answer would not be complete.
pub fn event_preimages(
    context: &SystemContext,
    rules: Rules,
    cube: &EventCube,
    bases: &[Base],
    (t, args): (&Transition, &[u8]),
    procs: u8,
) -> Result<Vec<PreImage<EventCube>>, TooLarge> {
    let mut instantiation = Instantiation::new(context, &cube.conj, &cube.reads, t, args, procs);
    // Unread writes have a place in the order where an earlier event is ordered before them.
    let order = !rules.steps_in_order && (!cube.after.is_empty() || t.locked());
    let instances = instantiation.instances(bases, order)?;
    let image = Image {
        context,
        rules,
        cube,
        t,
        procs,
        instantiation,
    };
    let mut out = Vec::new();
    for instance in &instances {
        let writes = image.writes(instance);
        for choices in image.choices(&writes)? {
            let read = choices.iter().any(|c| c.satisfied != 0);
            // Otherwise it only adds to what the cube requires.
            if read || !instance.map.is_empty() {
                out.extend(image.build(instance, &writes, &choices)?);
            }
        }
    }
    Ok(out)
}

struct Image<'a> {
    context: &'a SystemContext<'a>,
    rules: Rules,
    cube: &'a EventCube,
    t: &'a Transition,
    procs: u8,
    instantiation: Instantiation<'a>,
}

impl Image<'_> {
    fn at_once(&self) -> bool {
        self.rules.writes_at_once || self.t.locked()
    }

    /// The cells written, in groups that reach memory at one timestamp.
    fn writes(&self, instance: &TransitionInstance) -> Vec<Vec<Base>> {
        let cells: Vec<Base> = instance.writes.iter().map(|(c, _)| *c).collect();
        if cells.is_empty() {
            Vec::new()
        } else if self.at_once() || !self.rules.writes_one_by_one {
            vec![cells]
        } else {
            cells.into_iter().map(|c| vec![c]).collect()
        }
    }

    /// All ways in which pending reads can be before, after and satisfied by the writes.
    fn choices(&self, writes: &[Vec<Base>]) -> Result<Vec<Vec<Choice>>, TooLarge> {
        let mut all = vec![Vec::new()];
        for (write, cells) in writes.iter().enumerate() {
            for timestamp in 0..self.cube.after.len() {
                let options = self.options(write, timestamp, cells);
                if options.is_empty() {
                    continue;
                }
                if all.len() * options.len() > MAX_CHOICES {
                    return Err(TooLarge::Timestamps);
                }
                let with = |c: &Vec<Choice>| {
                    let each = options.iter().map(|o| [c.as_slice(), &[*o]].concat());
                    each.collect::<Vec<_>>()
                };
                all = all.iter().flat_map(with).collect();
            }
        }
        Ok(all)
    }

    /// What can be between a write and a timestamp.
    fn options(&self, write: usize, timestamp: usize, cells: &[Base]) -> Vec<Choice> {
        let thread = self.instantiation.thread();
        let (mut own, mut foreign) = (0u64, 0u64);
        for (k, r) in self.cube.reads.iter().enumerate() {
            if usize::from(r.timestamp) == timestamp && cells.contains(&r.cell) {
                let set = if Some(r.by) == thread {
                    &mut own
                } else {
                    &mut foreign
                };
                *set |= 1 << k;
            }
        }
        let all = own | foreign;
        let choice = |before: bool, after: bool, satisfied: u64| Choice {
            write,
            timestamp,
            before,
            after,
            satisfied,
            overwritten: all & !satisfied,
        };
        let mut options = Vec::new();
        if all == 0 {
            return options;
        }
        if foreign == 0 {
            options.push(choice(false, false, all));
        } else {
            options.push(Choice {
                overwritten: 0,
                ..choice(true, false, own)
            });
            options.push(choice(false, true, all));
        }
        if self.rules.overtaking {
            // All proper subsets of the reads.
            let mut some = all;
            while some != 0 {
                some = (some - 1) & all;
                options.push(choice(false, true, some));
            }
        }
        options
    }

    /// The cube before, for one choice; nothing when it is empty.
    fn build(
        &self,
        instance: &TransitionInstance,
        writes: &[Vec<Base>],
        choices: &[Choice],
    ) -> Result<Option<PreImage<EventCube>>, TooLarge> {
        let (cube, context) = (self.cube, self.context);
        let satisfied = choices.iter().fold(0, |all, c| all | c.satisfied);
        let reads_it = |k: usize| satisfied >> k & 1 == 1;
        let Some(conj) = self.instantiation.before(instance, &reads_it)? else {
            return Ok(None);
        };
        let new_timestamp = cube.after.len();
        if new_timestamp + 1 + 2 * instance.writes.len() > usize::from(MAX_TIMESTAMPS) {
            return Err(TooLarge::Timestamps);
        }
        let mut reads = cube.reads.clone();
        reads.extend(
            self.instantiation
                .reads
                .iter()
                .map(|(by, cell)| PendingRead {
                    timestamp: position(new_timestamp),
                    by: *by,
                    cell: *cell,
                }),
        );
        if reads.len() > 64 {
            return Err(TooLarge::Timestamps);
        }
        let domain = |b: Base| context.domain(&reads, b);
        let Some(closed) = close(&conj, &context.facts(&domain, self.procs)) else {
            return Ok(None);
        };
        let conj = closed.normal(&domain);
        let mut last = cube.last.clone();
        last.resize(reads.len(), None);
        let mut blocked_writers = cube.blocked_writers.clone();
        blocked_writers.resize(reads.len(), 0);
        let mut next = EventCube {
            procs: self.procs,
            conj,
            reads,
            last,
            blocked_writers,
            snapshot: cube.snapshot,
            overwrites: cube.overwrites.clone(),
            step_successors: (0..self.procs).map(|p| cube.after_step(p)).collect(),
            write_successors: (0..self.procs).map(|p| cube.after_write_of(p)).collect(),
            cells: cube.cells.clone(),
            ..EventCube::default()
        };
        let mut graph = Graph {
            after: cube.after.clone(),
            cyclic: false,
        };
        match self.instantiation.thread() {
            Some(p) => {
                self.events(instance, writes, choices, p, &mut next, &mut graph);
            }
            None => {
                graph.add();
            }
        }
        if graph.cyclic {
            return Ok(None);
        }
        let close = |s: &mut Timestamps| *s = graph.closed(*s);
        next.step_successors.iter_mut().for_each(close);
        next.write_successors.iter_mut().for_each(close);
        next.cells.iter_mut().for_each(|(_, s)| close(s));
        next.after = graph.after;
        let (cube, names) = forget(context.system.fixed, self.rules, next);
        Ok(Some(PreImage { cube, names }))
    }

    /// Adds the transition's events and their edges.
    fn events(
        &self,
        instance: &TransitionInstance,
        writes: &[Vec<Base>],
        choices: &[Choice],
        p: u8,
        next: &mut EventCube,
        graph: &mut Graph,
    ) {
        let (cube, rules, at) = (self.cube, self.rules, usize::from(p));
        let known = graph.after.len();
        let fire = graph.add();
        let live = next.conj.live_reads(next.reads.len());
        let new_reads = cube.reads.len()..next.reads.len();
        let reads: Vec<Base> = new_reads
            .filter(|k| live[*k])
            .map(|k| next.reads[k].cell)
            .collect();
        let fence = instance.cond.fence || self.t.locked();
        let fires = !reads.is_empty() || fence;
        if rules.steps_in_order {
            // The schedule is the order of steps, and writes reach memory after theirs.
            graph.edges(fire, (1 << known) - 1);
        } else if fires {
            // GHB-PPO: a read is before all later events of its process.
            graph.edges(fire, cube.after_step(p));
            // GHB-FR: a pending read reads what every known write of the cell overwrites.
            for c in &reads {
                graph.edges(fire, cube.after_cell(*c));
            }
        }
        let commits: Vec<usize> = writes
            .iter()
            .map(|_| if self.at_once() { fire } else { graph.add() })
            .collect();
        for (commit, cells) in commits.iter().zip(writes) {
            if *commit != fire {
                graph.edge(fire, *commit);
            }
            // GHB-PPO and GHB-FENCE: a write and the later writes and fences of its process.
            graph.edges(*commit, cube.after_write_of(p));
            // GHB-CO, the schedule being the coherence order.
            for c in cells {
                graph.edges(*commit, cube.after_cell(*c));
            }
        }
        for c in choices {
            // GHB-FR: the timestamp reads what is overwritten.
            if c.before {
                graph.edge(c.timestamp, commits[c.write]);
            }
            // GHB-RFE.
            if c.after {
                graph.edge(commits[c.write], c.timestamp);
            }
        }
        if rules.overtaking {
            for (w, cells) in writes.iter().enumerate() {
                for cell in cells {
                    self.coherence(*cell, w, commits[w], choices, p, next, graph);
                }
            }
        }
        if !rules.steps_in_order {
            let mine = commits.iter().fold(0, |set, c| set | 1 << c);
            next.step_successors[at] |= mine | if fires { 1 << fire } else { 0 };
            for (commit, cells) in commits.iter().zip(writes) {
                for c in cells {
                    put(&mut next.cells, *c, 1 << commit);
                }
            }
            next.write_successors[at] |= mine;
        }
        if fence {
            next.write_successors[at] |= 1 << fire;
        }
    }

    /// The place of a write in the coherence order of a cell: as early as what its readers, and
    /// reads before it, come after allows (see [`crate::cube::rules`]); and what it leaves
    /// to be overwritten.
    #[expect(clippy::too_many_arguments, reason = "all that is known of one write")]
    fn coherence(
        &self,
        cell: Base,
        write: usize,
        commit: usize,
        choices: &[Choice],
        p: u8,
        next: &mut EventCube,
        graph: &mut Graph,
    ) {
        let cube = self.cube;
        let of = |set: u64| {
            let all = each(set).filter(|k| cube.reads[*k].cell == cell);
            all.collect::<Vec<_>>()
        };
        let mine: Vec<&Choice> = choices.iter().filter(|c| c.write == write).collect();
        // What it comes after.
        let mut floor: Timestamps = 0;
        for c in &mine {
            let read_before =
                |k: &usize| c.before && usize::from(cube.reads[*k].timestamp) == c.timestamp;
            let everything = (0..cube.reads.len()).filter(read_before);
            let earlier: Vec<usize> = everything.filter(|k| cube.reads[*k].cell == cell).collect();
            for k in of(c.satisfied).into_iter().chain(earlier) {
                floor |= cube.last[k].map_or(0, |o| 1 << o);
            }
        }
        // UNIPROC: no earlier write of these processes overwrites this one.
        let readers = mine.iter().flat_map(|c| of(c.satisfied));
        let touching = readers.fold(1 << p, |set, k| set | 1 << cube.reads[k].by);
        for c in mine.iter().filter(|c| c.before) {
            let mut read = (0..cube.reads.len()).filter(|k| {
                let r = cube.reads[*k];
                usize::from(r.timestamp) == c.timestamp && r.cell == cell
            });
            graph.cyclic |= read.any(|k| cube.blocked_writers[k] >> p & 1 == 1);
        }
        if self.at_once() {
            for k in cube.reads.len()..next.reads.len() {
                if next.reads[k].cell == cell {
                    next.blocked_writers[k] |= touching;
                }
            }
        }
        let mut by = touching;
        let mut later = Vec::new();
        for o in next.overwrites.iter_mut().filter(|o| o.cell == cell) {
            let timestamp = usize::from(o.timestamp);
            if (floor | graph_before(&cube.after, floor)) >> timestamp & 1 == 1 {
                // GHB-CO and, by the readers before that timestamp, GHB-FR.
                graph.edge(timestamp, commit);
                // UNIPROC: a later write of the process, or what it reads later, is before it.
                graph.cyclic |= o.by >> p & 1 == 1;
                by |= o.by;
            } else {
                graph.edge(commit, timestamp);
                o.by |= touching;
                later.push(timestamp);
            }
        }
        let mut over = None;
        for k in mine.iter().flat_map(|c| of(c.overwritten)) {
            if cube.last[k].is_some_and(|o| later.contains(&usize::from(o))) {
                continue;
            }
            let timestamp = *over.get_or_insert_with(|| graph.add());
            next.last[k] = Some(position(timestamp));
        }
        let Some(timestamp) = over else {
            return;
        };
        graph.edge(commit, timestamp);
        later.iter().for_each(|o| graph.edge(timestamp, *o));
        for k in mine.iter().flat_map(|c| of(c.satisfied)) {
            // GHB-FR of its readers.
            graph.edge(usize::from(cube.reads[k].timestamp), timestamp);
        }
        next.overwrites.push(PendingOverwrite {
            timestamp: position(timestamp),
            cell,
            by,
        });
    }
}

/// The timestamps before one of the set.
fn graph_before(after: &[Timestamps], set: Timestamps) -> Timestamps {
    let before = after.iter().enumerate().filter(|(_, a)| *a & set != 0);
    before.fold(0, |all, (m, _)| all | 1 << m)
}

/// Adds timestamps to a cell's set.
fn put(cells: &mut Vec<(Base, Timestamps)>, cell: Base, timestamps: Timestamps) {
    match cells.binary_search_by_key(&cell, |(c, _)| *c) {
        Ok(i) => cells[i].1 |= timestamps,
        Err(i) => cells.insert(i, (cell, timestamps)),
    }
}

/// It writes cells of a weak array whoever's they are.
pub fn writes_everywhere(context: &SystemContext, t: &Transition) -> bool {
    t.updates.iter().any(|u| {
        let weak = context.system.symbols[u.sym].kind == SymbolKind::Weak;
        weak && matches!(u.target, Target::Every(_))
    })
}
