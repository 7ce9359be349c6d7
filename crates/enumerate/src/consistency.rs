//! From a combination of traces to executions, and the models' judgement of them.
//!
//! What does not depend on read-from and coherence is the same for all executions of a combination
//! and is made once: program order for all models, the events (a model has only the fences it
//! knows), their sets and dependencies once a model.

use super::combine::Combination;
use super::interpreter::Interpreter;
use super::objects::{Initial, ThreadKey};
use super::orders::{Around, Limit, Location, LocationWitness, witnesses};
use super::result::EnumerateError;
use super::shape::Shape;
use super::trace::*;
use base::bits::BitMatrix;
use base::source::Span;
use cat::arch;
use cat::eval::{ConsistencyCheck, Evaluator};
use cat::execution::{Access, AtomicGroup, Execution, ExecutionEvent};
use cat::model::{BaseRel, BaseSet, Flag, Model, RelId};
use ir::program::{Atomicity, Lifetime, MemoryOrder};
use ir::shadow::Word;
use std::collections::{BTreeMap, BTreeSet};

/// The events of a combination and what is between them.
pub(super) struct ExecutionSkeleton<'c> {
    combination: &'c Combination<'c>,
    /// Thread (as position in the combination) and position in its trace, by event.
    events: Vec<(usize, usize)>,
    /// The first event of each thread.
    first: Vec<usize>,
    po: BitMatrix,
    pub locations: BTreeMap<u64, Location>,
    /// By location, in the same order.
    pub witnesses: Vec<Vec<LocationWitness>>,
    /// Some choices were left out.
    pub incomplete: bool,
}

impl<'c> ExecutionSkeleton<'c> {
    /// Puts the traces together; `None` when no execution can come of it.
    pub fn new(
        interpreter: &Interpreter,
        combination: &'c Combination<'c>,
        shape: Shape,
        limit: &mut Limit,
    ) -> Option<ExecutionSkeleton<'c>> {
        let mut skeleton = ExecutionSkeleton::of_traces(interpreter, combination)?;
        skeleton.choose(shape, limit)?;
        Some(skeleton)
    }

    /// The one execution with these choices, by location.
    pub fn of_execution(
        interpreter: &Interpreter,
        combination: &'c Combination<'c>,
        choices: &dyn Fn(&ExecutionSkeleton, u64, &Location) -> LocationWitness,
    ) -> Option<ExecutionSkeleton<'c>> {
        let mut skeleton = ExecutionSkeleton::of_traces(interpreter, combination)?;
        let locations = skeleton.locations.iter();
        let choices = locations.map(|(addr, at)| vec![choices(&skeleton, *addr, at)]);
        skeleton.witnesses = choices.collect();
        Some(skeleton)
    }

    /// Without orders of writes and sources of reads.
    fn of_traces(
        interpreter: &Interpreter,
        combination: &'c Combination<'c>,
    ) -> Option<ExecutionSkeleton<'c>> {
        let traces = &combination.traces;
        let mut events = Vec::new();
        let mut first = Vec::new();
        for (thread, (_, trace)) in traces.iter().enumerate() {
            first.push(events.len());
            events.extend((0..trace.events.len()).map(|i| (thread, i)));
        }
        let mut skeleton = ExecutionSkeleton {
            combination,
            events,
            first,
            po: BitMatrix::default(),
            locations: BTreeMap::new(),
            witnesses: Vec::new(),
            incomplete: false,
        };
        skeleton.po = skeleton.program_order(interpreter)?;
        for event in 0..skeleton.events.len() {
            let e = skeleton.event(event);
            if matches!(e.kind, ActionKind::Fence(_)) {
                continue;
            }
            let addr = e.addr;
            let is_read = e.kind == ActionKind::Read;
            let at = skeleton.locations.entry(addr).or_insert_with(|| Location {
                writes: Vec::new(),
                reads: Vec::new(),
                initial: interpreter.contents(combination.snapshot, addr),
                begin: None,
            });
            if e.kind == ActionKind::Lifetime(Lifetime::Begin) {
                at.begin = Some(event);
            }
            let list = if is_read {
                &mut at.reads
            } else {
                &mut at.writes
            };
            list.push(event);
        }
        Some(skeleton)
    }

    fn choose(&mut self, shape: Shape, limit: &mut Limit) -> Option<()> {
        let all = 0..self.events.len();
        let values: Vec<Word> = all.clone().map(|e| self.event(e).word()).collect();
        let threads: Vec<usize> = self.events.iter().map(|(thread, _)| *thread).collect();
        let mut updates = vec![None; self.events.len()];
        for event in all {
            if let Some(read) = self.event(event).rmw {
                updates[self.first[threads[event]] + read] = Some(event);
            }
        }
        let unseen = (0..self.events.len()).map(|e| {
            let (trace, position) = self.place(e);
            trace.is_unseen(&trace.events[position])
        });
        let unseen: Vec<bool> = unseen.collect();
        let around = Around {
            values: &values,
            unseen: &unseen,
            threads: &threads,
            updates: &updates,
            po: &self.po,
            coherent: shape.coherent,
            atomic: shape.atomic,
        };
        for at in self.locations.values() {
            let (found, all) = witnesses(at, &around, limit);
            if found.is_empty() && all {
                return None;
            }
            self.incomplete |= !all;
            self.witnesses.push(found);
        }
        Some(())
    }

    fn event(&self, event: usize) -> &'c Event {
        let (thread, position) = self.events[event];
        &self.combination.traces[thread].1.events[position]
    }

    /// Program order with creation and joins, transitive; `None` when threads wait for each other.
    ///
    /// Creations and joins are events of their own until the order is closed, so that order passes
    /// through threads that have no other events.
    fn program_order(&self, interpreter: &Interpreter) -> Option<BitMatrix> {
        let traces = &self.combination.traces;
        let count = self.events.len();
        if traces.len() == 1 {
            let mut po = BitMatrix::new(count);
            (0..count).for_each(|a| (a + 1..count).for_each(|b| po.insert(a, b)));
            return Some(po);
        }
        let mut next = count;
        let mut point = || {
            next += 1;
            next - 1
        };
        let by_key: BTreeMap<ThreadKey, usize> = traces
            .iter()
            .enumerate()
            .map(|(thread, (instance, _))| (interpreter.instances[*instance].key, thread))
            .collect();
        let ends: Vec<(usize, usize)> = traces.iter().map(|_| (point(), point())).collect();
        let mut steps = Vec::new();
        for (thread, (_, trace)) in traces.iter().enumerate() {
            let mut points: Vec<(usize, usize)> = Vec::new();
            for spawned in &trace.spawned {
                let here = point();
                let child = by_key.get(&interpreter.instances[spawned.child].key)?;
                steps.push((here, ends[*child].0));
                points.push((spawned.position, here));
            }
            for joined in trace.joined.iter().filter(|j| j.end.is_some()) {
                let here = point();
                steps.push((ends[*by_key.get(&joined.key)?].1, here));
                points.push((joined.position, here));
            }
            // Points at one position: a creation is followed by its join, never the reverse, as the
            // fences between them are events.
            points.sort_by_key(|(position, _)| *position);
            let mut points = points.into_iter().peekable();
            let mut last = ends[thread].0;
            for position in 0..=trace.events.len() {
                while let Some((_, here)) = points.next_if(|(at, _)| *at <= position) {
                    steps.push((last, here));
                    last = here;
                }
                if position < trace.events.len() {
                    let here = self.first[thread] + position;
                    steps.push((last, here));
                    last = here;
                }
            }
            steps.push((last, ends[thread].1));
        }
        let mut all = BitMatrix::new(next);
        steps.iter().for_each(|(a, b)| all.insert(*a, *b));
        let all = all.plus();
        if (0..next).any(|e| all.contains(e, e)) {
            return None;
        }
        let mut po = BitMatrix::new(count);
        for a in 0..count {
            all.successors(a)
                .filter(|b| *b < count)
                .for_each(|b| po.insert(a, b));
        }
        Some(po)
    }

    /// The combination as a model sees it.
    ///
    /// # Errors
    /// The model does not know a fence.
    pub fn view(&self, model: &Model) -> Result<View, EnumerateError> {
        let mut nodes = Vec::new();
        for (addr, at) in &self.locations {
            nodes.push(initial_node(model, *addr, at.initial));
        }
        let mut node_of: Vec<Option<usize>> = vec![None; self.events.len()];
        let mut stored: Vec<Option<MemoryOrder>> = vec![None; self.events.len()];
        for (i, (thread, _)) in self.events.iter().enumerate() {
            if let Some(read) = self.event(i).rmw
                && !self.event(i).conditional
            {
                stored[self.first[*thread] + read] = Some(self.event(i).order);
            }
        }
        for (i, (thread, _)) in self.events.iter().enumerate() {
            let event = self.event(i);
            // The read of a read-modify-write has the order of its write, if that happened.
            let order = stored[i].unwrap_or(event.order);
            let Some(node) = node(model, event, order, *thread as u32)? else {
                continue;
            };
            node_of[i] = Some(nodes.len());
            nodes.push(node);
        }
        let rels = self.relations(model, &node_of, nodes.len());
        Ok(View {
            execution: Execution::new(&nodes, rels),
            node_of,
        })
    }

    fn relations(
        &self,
        model: &Model,
        node_of: &[Option<usize>],
        len: usize,
    ) -> BTreeMap<BaseRel, BitMatrix> {
        let empty = || BitMatrix::new(len);
        let (mut po, mut addr, mut data, mut ctrl) = (empty(), empty(), empty(), empty());
        let (mut amo, mut lxsx) = (empty(), empty());
        for (i, node) in node_of.iter().enumerate() {
            let Some(node) = *node else { continue };
            for later in self.po.successors(i).filter_map(|b| node_of[b]) {
                po.insert(node, later);
            }
            let event = self.event(i);
            let first = self.first[self.events[i].0];
            for (relation, deps) in [
                (&mut addr, &event.addr_deps),
                (&mut data, &event.data_deps),
                (&mut ctrl, &event.ctrl_deps),
            ] {
                let counts = |read: &usize| {
                    self.event(first + read).kind != ActionKind::Write
                        || arch::store_reports(model.arch)
                };
                let reads = deps.iter().filter(counts);
                for read in reads.filter_map(|read| node_of[first + read]) {
                    relation.insert(read, node);
                }
            }
            if let Some(read) = event.rmw.and_then(|read| node_of[first + read]) {
                match arch::rmw_of(model.arch, event.order) {
                    BaseRel::Amo => amo.insert(read, node),
                    _ => lxsx.insert(read, node),
                }
            }
        }
        BTreeMap::from([
            (BaseRel::Po, po),
            (BaseRel::Addr, addr),
            (BaseRel::Data, data),
            (BaseRel::Ctrl, ctrl),
            (BaseRel::Amo, amo),
            (BaseRel::Lxsx, lxsx),
        ])
    }

    /// All executions, each as the index of a choice by location.
    pub fn iter(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let mut next = Some(vec![0; self.witnesses.len()]);
        std::iter::from_fn(move || {
            let now = next.take()?;
            let mut counter = now.clone();
            for (i, all) in self.witnesses.iter().enumerate() {
                counter[i] += 1;
                if counter[i] < all.len() {
                    next = Some(counter);
                    break;
                }
                counter[i] = 0;
            }
            Some(now)
        })
    }

    /// What each thread does.
    pub fn traces(&self) -> impl Iterator<Item = &'c ThreadTrace> {
        self.combination.traces.iter().map(|(_, trace)| *trace)
    }

    /// The trace of an event, and its position there.
    pub fn place(&self, event: usize) -> (&'c ThreadTrace, usize) {
        let (thread, position) = self.events[event];
        (self.combination.traces[thread].1, position)
    }

    /// The event at a position of a thread, by its place in the combination.
    pub fn number(&self, thread: usize, position: usize) -> usize {
        self.first[thread] + position
    }

    /// The thread of an event, as a place in the combination, and its position there.
    pub fn thread_and_position(&self, event: usize) -> (usize, usize) {
        self.events[event]
    }

    /// The locations of a skeleton that has one execution, with what that chooses.
    pub fn only_execution(&self) -> impl Iterator<Item = (u64, &Location, &LocationWitness)> {
        let choices = self.witnesses.iter().map(|all| &all[0]);
        let locations = self.locations.iter();
        locations
            .zip(choices)
            .map(|((addr, at), choice)| (*addr, at, choice))
    }

    /// Whether an event is one that an object begins or ends with.
    pub fn bounds_life(&self, event: usize) -> bool {
        matches!(self.event(event).kind, ActionKind::Lifetime(_))
    }

    /// Where the program asks for an event.
    pub fn span(&self, event: usize) -> Span {
        self.event(event).span
    }

    /// Whether no thread overwrites what some events of a thread have read; the end of the object does
    /// not count, nor do some writes, by thread and position.
    pub fn reads_last(
        &self,
        execution: &[usize],
        (thread, reads): (usize, &[usize]),
        but: &BTreeSet<(usize, usize)>,
    ) -> bool {
        let is_left_out = |event: usize| {
            let thread = self.first.partition_point(|first| *first <= event) - 1;
            but.contains(&(thread, event - self.first[thread]))
        };
        reads.iter().all(|position| {
            let read = self.first[thread] + position;
            let mut places = self.locations.values().zip(self.witnesses(execution));
            places.all(|(at, choice)| {
                let mut sources = at.reads.iter().zip(&choice.sources);
                let ends = |w: &usize| {
                    matches!(self.event(*w).kind, ActionKind::Lifetime(_)) || is_left_out(*w)
                };
                sources.all(|(r, at)| *r != read || choice.order[*at..].iter().all(ends))
            })
        })
    }

    /// How many executions there are.
    pub fn executions(&self) -> u64 {
        let counts = self.witnesses.iter().map(|c| c.len() as u64);
        counts.fold(1, u64::saturating_mul)
    }

    /// Whether an execution, as the index of a choice by location, reads memory that may contain
    /// anything.
    pub fn reads_arbitrary(&self, execution: &[usize]) -> bool {
        let places = self.locations.values().zip(self.witnesses(execution));
        places
            .filter(|(at, _)| matches!(at.initial, Initial::Arbitrary(_)))
            .any(|(at, choice)| {
                let first = usize::from(at.begin.is_some());
                choice.sources.iter().any(|source| *source <= first)
            })
    }

    fn witnesses<'b>(
        &'b self,
        execution: &'b [usize],
    ) -> impl Iterator<Item = &'b LocationWitness> {
        self.witnesses
            .iter()
            .zip(execution)
            .map(|(all, i)| &all[*i])
    }

    /// What a location contains at the end, and its bits.
    pub fn last(&self, execution: &[usize]) -> BTreeMap<u64, (u8, u64)> {
        let places = self.locations.keys().zip(self.witnesses(execution));
        let written = places.filter_map(|(addr, choice)| {
            let last = self.event(*choice.order.last()?);
            Some((*addr, (last.width, last.value)))
        });
        written.collect()
    }
}

/// The initial write of a location as a model sees it.
pub(super) fn initial_node(model: &Model, addr: u64, initial: Initial) -> ExecutionEvent {
    ExecutionEvent {
        access: Access::Init,
        thread: None,
        location: Some(addr),
        value: match initial {
            Initial::Known(word) => Some(word.number),
            Initial::Arbitrary(_) => None,
        },
        tags: arch::access_tags(model, MemoryOrder::Plain, true).to_vec(),
        group: None,
    }
}

/// An event of a thread as a model sees it; `None` for a fence that means nothing to it. The order is that
/// of the write, for the read of a read-modify-write that happened.
///
/// # Errors
/// The model does not know a fence.
pub(super) fn node(
    model: &Model,
    event: &Event,
    order: MemoryOrder,
    thread: u32,
) -> Result<Option<ExecutionEvent>, EnumerateError> {
    let unknown = |reason| {
        let span = event.span;
        EnumerateError::UnknownFence { reason, span }
    };
    let with_queries = model.race.is_some() || model.lifetime.is_some();
    let language: &[&str] = match event.kind {
        _ if !with_queries => &[],
        ActionKind::Fence(tag) => arch::language_tags(Some(tag), order),
        ActionKind::Lifetime(life) => arch::life_tags(life),
        _ => arch::language_tags(None, order),
    };
    if !matches!(event.kind, ActionKind::Fence(_)) {
        arch::knows_order(model, order).map_err(unknown)?;
    }
    let (access, tags) = match event.kind {
        ActionKind::Read => (Access::Read, arch::access_tags(model, order, false)),
        ActionKind::Write | ActionKind::Lifetime(_) => {
            (Access::Write, arch::access_tags(model, order, true))
        }
        ActionKind::Fence(tag) => match arch::tags(model, tag) {
            Ok([]) if language.is_empty() => return Ok(None),
            Ok(tags) => (Access::Fence, tags),
            Err(reason) => return Err(unknown(reason)),
        },
    };
    let mut tags: Vec<&str> = tags.iter().chain(language).copied().collect();
    let locked = arch::rmw_of(model.arch, order) == BaseRel::Amo;
    if event.updates && locked {
        tags.push("RMW");
    }
    // Groups are numbered within threads; the snapshot is one for all of them.
    let group = event.group.map(|(g, kind)| AtomicGroup {
        number: match kind {
            Atomicity::Snapshot => u32::MAX,
            _ => thread << 16 | g & 0xffff,
        },
        kind,
    });
    Ok(Some(ExecutionEvent {
        access,
        thread: Some(thread),
        location: (event.width > 0).then_some(event.addr),
        value: (access != Access::Fence).then_some(event.value),
        tags,
        group,
    }))
}

/// A combination as one model sees it.
pub(super) struct View {
    execution: Execution,
    node_of: Vec<Option<usize>>,
}

impl View {
    /// The pairs of events in a relation of the model, in the execution last looked at.
    pub fn pairs(&self, evaluator: &Evaluator, rel: RelId) -> Vec<(usize, usize)> {
        let event = |node: usize| self.node_of.iter().position(|n| *n == Some(node));
        let pairs = evaluator.edges(&self.execution, rel);
        let events = pairs.pairs().map(|(a, b)| Some((event(a)?, event(b)?)));
        events.flatten().collect()
    }

    /// The first event of a cycle of a relation, over the points of events: an atomic group without fences is one.
    pub fn on_cycle(&self, evaluator: &Evaluator, rel: RelId) -> Option<usize> {
        let steps = evaluator.edges(&self.execution, rel);
        let groups = &self.execution.groups;
        let point = |node: usize| {
            let group = groups[node].filter(|group| !group.is_fenced());
            let same = |other: &usize| groups[*other] == group;
            group.map_or(node, |_| (0..groups.len()).find(same).unwrap_or(node))
        };
        let mut points = BitMatrix::new(steps.len());
        let steps = steps.pairs().map(|(a, b)| (point(a), point(b)));
        steps
            .filter(|(a, b)| a != b)
            .for_each(|(a, b)| points.insert(a, b));
        let cycle = points.cycle()?;
        let event = |node: usize| self.node_of.iter().position(|n| *n == Some(node));
        cycle.into_iter().filter_map(event).min()
    }

    /// The marks that the model gives to the execution that was judged last, and that are not known.
    pub fn flags<'m>(
        &self,
        evaluator: &Evaluator,
        model: &'m Model,
        known: &dyn Fn(&Flag) -> bool,
    ) -> Vec<&'m Flag> {
        let unknown = model.flags.iter().filter(|f| !known(f));
        let marks = |flag: &&Flag| !evaluator.edges(&self.execution, flag.rel).is_none();
        unknown.filter(marks).collect()
    }

    /// Whether the model allows an execution, given as the index of a choice by location.
    pub fn allows(
        &mut self,
        skeleton: &ExecutionSkeleton,
        execution: &[usize],
        consistency: &mut ConsistencyCheck,
    ) -> bool {
        let len = self.execution.len;
        let (mut rf, mut co) = (BitMatrix::new(len), BitMatrix::new(len));
        let mut fr = BitMatrix::new(len);
        let mut last = vec![false; len];
        let node = |event: &usize| self.node_of[*event].expect("accesses are nodes of every model");
        let places = skeleton
            .locations
            .values()
            .zip(skeleton.witnesses(execution));
        for (init, (at, choice)) in places.enumerate() {
            let mut writes = vec![init];
            writes.extend(choice.order.iter().map(node));
            for (i, a) in writes.iter().enumerate() {
                writes[i + 1..].iter().for_each(|b| co.insert(*a, *b));
            }
            last[writes[writes.len() - 1]] = true;
            for (read, source) in at.reads.iter().zip(&choice.sources) {
                let read = node(read);
                rf.insert(writes[*source], read);
                writes[source + 1..]
                    .iter()
                    .for_each(|w| fr.insert(read, *w));
            }
        }
        let rels = &mut self.execution.rels;
        rels.insert(BaseRel::Rf, rf);
        rels.insert(BaseRel::Co, co);
        rels.insert(BaseRel::Fr, fr);
        self.execution.sets.insert(BaseSet::FW, last);
        consistency.allows(&self.execution)
    }
}
