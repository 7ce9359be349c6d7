//! An execution graph: events in the order in which they were added, program order, reads-from and
//! coherence, and how far each thread has come.

use super::error::Halt;
use super::runs::{NodeKind, Run, RunAnswer, RunId, Runs, Stop};
use crate::interpreter::Interpreter;
use crate::objects::ThreadKey;
use crate::trace::{End, InstanceId};
use cat::incremental::{Label, Mark, PartialExecution, Plan, Position};
use cat::model::{BaseRel, RelId};
use rustc_hash::FxHashMap;

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub kind: NodeKind,
    /// Among [`Graph::threads`]; of an initial write nothing.
    pub thread: usize,
    /// The run that it is an event of; of a choice the one that follows.
    pub run: RunId,
    /// Its place there.
    pub index: usize,
    /// Among [`Graph::locations`].
    pub location: usize,
    /// The write that a read reads from.
    pub source: usize,
    /// Of several ways to go on, the first one was taken.
    pub is_first_way: bool,
    /// Of the write of a read-modify-write: its read.
    pub read: Option<usize>,
}

/// The accesses to one location.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    pub addr: u64,
    /// The initial write.
    pub init: usize,
    /// The other writes, in coherence order.
    pub writes: Vec<usize>,
    pub reads: Vec<usize>,
}

/// A thread of the graph.
#[derive(Clone, Debug)]
pub(super) struct GraphThread {
    pub instance: InstanceId,
    pub key: ThreadKey,
    /// The run it is in, and how many of its events are in the graph.
    pub run: RunId,
    pub added: usize,
    /// How many of the threads that it creates are in the graph.
    spawned: usize,
    /// The events that directly precede its next one.
    frontier: Vec<usize>,
}

/// Sets of nodes, one for each node.
#[derive(Clone, Default)]
struct Sets {
    width: usize,
    words: Vec<u64>,
}

impl Sets {
    /// Only the first nodes are left, in all sets.
    fn truncate(&mut self, len: usize) {
        self.words.truncate(len * self.width);
        let (word, low) = (len / 64, (1 << (len % 64)) - 1);
        for row in self.words.chunks_mut(self.width.max(1)) {
            row.iter_mut().skip(word + 1).for_each(|w| *w = 0);
            row.iter_mut().skip(word).take(1).for_each(|w| *w &= low);
        }
    }

    /// Adds an empty set for one more node; all are made wide enough for it.
    fn push(&mut self, len: usize) {
        if len >= self.width * 64 {
            let width = (self.width * 2).max(1);
            let old = std::mem::replace(&mut self.width, width);
            let mut words = vec![0; len * width];
            for (row, to) in words.chunks_mut(width).enumerate() {
                to[..old].copy_from_slice(&self.words[row * old..(row + 1) * old]);
            }
            self.words = words;
        }
        self.words.resize((len + 1) * self.width, 0);
    }

    fn has(&self, of: usize, member: usize) -> bool {
        self.words[of * self.width + member / 64] >> (member % 64) & 1 == 1
    }

    /// Adds a node and its own set to that of another one.
    fn extend(&mut self, of: usize, by: usize) {
        for word in 0..self.width {
            self.words[of * self.width + word] |= self.words[by * self.width + word];
        }
        self.words[of * self.width + by / 64] |= 1 << (by % 64);
    }

    fn members(&self, of: usize, out: &mut Vec<usize>) {
        out.clear();
        for word in 0..self.width {
            let mut bits = self.words[of * self.width + word];
            while bits != 0 {
                out.push(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

/// What [`Graph::undo`] goes back to.
pub(super) struct Saved {
    nodes: usize,
    execution: Mark,
    threads: Vec<GraphThread>,
}

impl Saved {
    /// The runs that it refers to.
    pub fn runs(&self) -> impl Iterator<Item = RunId> {
        self.threads.iter().map(|t| t.run)
    }
}

/// An execution graph.
#[derive(Clone)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// Main is the first; creators come before those they create.
    pub threads: Vec<GraphThread>,
    pub locations: Vec<Accesses>,
    numbers: FxHashMap<u64, usize>,
    /// By node: what precedes it in program order.
    po: Sets,
    /// By node: what precedes it in program order and reads-from.
    porf: Sets,
    /// The relations of the model.
    execution: PartialExecution,
    /// By node: the relations before it was added.
    marks: Vec<Mark>,
}

impl Graph {
    /// Main before its first event.
    pub fn new(plan: &Plan, key: ThreadKey, main: RunId) -> Graph {
        Graph {
            nodes: Vec::new(),
            threads: vec![GraphThread {
                instance: InstanceId(0),
                key,
                run: main,
                added: 0,
                spawned: 0,
                frontier: Vec::new(),
            }],
            locations: Vec::new(),
            numbers: FxHashMap::default(),
            po: Sets::default(),
            porf: Sets::default(),
            execution: PartialExecution::new(plan),
            marks: Vec::new(),
        }
    }

    /// The runs that it refers to.
    pub fn runs(&self) -> impl Iterator<Item = RunId> {
        let threads = self.threads.iter().map(|t| t.run);
        threads.chain(self.nodes.iter().map(|n| n.run))
    }

    /// All that is there now.
    pub fn save(&mut self, plan: &Plan) -> Saved {
        Saved {
            nodes: self.nodes.len(),
            execution: self.execution.mark(plan),
            threads: self.threads.clone(),
        }
    }

    /// Takes back what came since.
    pub fn undo(&mut self, plan: &Plan, saved: &Saved) {
        self.cut(plan, saved.nodes, saved.execution);
        self.threads.clone_from(&saved.threads);
    }

    fn cut(&mut self, plan: &Plan, len: usize, execution: Mark) {
        let gone = |node: &usize| *node >= len;
        for accesses in &mut self.locations {
            accesses.writes.retain(|w| !gone(w));
            accesses.reads.retain(|r| !gone(r));
        }
        while self.locations.last().is_some_and(|l| gone(&l.init)) {
            let last = self.locations.pop();
            last.map(|l| self.numbers.remove(&l.addr));
        }
        self.nodes.truncate(len);
        self.marks.truncate(len);
        self.po.truncate(len);
        self.porf.truncate(len);
        self.execution.undo(plan, execution);
    }

    /// Whether the model allows the graph.
    pub fn is_consistent(&mut self, plan: &Plan) -> bool {
        self.execution.is_consistent(plan)
    }

    /// Whether a relation that is asked for beside the axioms has a pair.
    pub fn has_pair(&self, plan: &Plan, rel: RelId) -> bool {
        self.execution.has_pair(plan, rel)
    }

    /// Whether one node precedes another one in program order and reads-from.
    pub fn precedes(&self, node: usize, other: usize) -> bool {
        self.porf.has(other, node)
    }

    /// The location of an address, with its initial write.
    pub fn location(&mut self, plan: &Plan, addr: u64, run: RunId, init: &Label) -> usize {
        if let Some(number) = self.numbers.get(&addr) {
            return *number;
        }
        let location = self.locations.len();
        let node = Node {
            kind: NodeKind::Init,
            thread: usize::MAX,
            run,
            index: 0,
            location,
            source: 0,
            is_first_way: true,
            read: None,
        };
        let init = self.push(plan, node, &[], init);
        self.numbers.insert(addr, location);
        self.locations.push(Accesses {
            addr,
            init,
            writes: Vec::new(),
            reads: Vec::new(),
        });
        location
    }

    /// Adds a node of a thread behind those that it has; it has no source and no place in coherence yet.
    pub fn add(&mut self, plan: &Plan, node: Node, label: &Label) -> usize {
        let frontier = std::mem::take(&mut self.threads[node.thread].frontier);
        let id = self.push(plan, node, &frontier, label);
        self.threads[node.thread].frontier = vec![id];
        if node.kind == NodeKind::Read {
            self.locations[node.location].reads.push(id);
        }
        id
    }

    fn push(&mut self, plan: &Plan, node: Node, frontier: &[usize], label: &Label) -> usize {
        let id = self.nodes.len();
        self.marks.push(self.execution.mark(plan));
        self.po.push(id);
        self.porf.push(id);
        for before in frontier {
            self.po.extend(id, *before);
            self.porf.extend(id, *before);
        }
        self.nodes.push(node);
        let has_location = matches!(node.kind, NodeKind::Init | NodeKind::Read | NodeKind::Write);
        let mut before = Vec::new();
        self.po.members(id, &mut before);
        let at = Position {
            thread: (node.kind != NodeKind::Init).then(|| self.threads[node.thread].key.0),
            location: has_location.then_some(node.location as u32),
            before: &before,
            read: node.read,
        };
        self.execution.add_event(plan, label, &at);
        id
    }

    /// A read has this source.
    pub fn read_from(&mut self, plan: &Plan, read: usize, source: usize) {
        self.nodes[read].source = source;
        self.porf.extend(read, source);
        self.execution.add_pair(plan, BaseRel::Rf, source, read);
        let accesses = &self.locations[self.nodes[read].location];
        if source == accesses.init || accesses.writes.contains(&source) {
            for later in later(accesses, source) {
                self.execution.add_pair(plan, BaseRel::Fr, read, *later);
            }
        }
    }

    /// A write comes at this place of coherence, behind the initial one.
    pub fn place(&mut self, plan: &Plan, write: usize, place: usize) {
        let accesses = &mut self.locations[self.nodes[write].location];
        accesses.writes.insert(place, write);
        let earlier = &accesses.writes[..place];
        for before in earlier.iter().chain([&accesses.init]) {
            self.execution.add_pair(plan, BaseRel::Co, *before, write);
        }
        for after in &accesses.writes[place + 1..] {
            self.execution.add_pair(plan, BaseRel::Co, write, *after);
        }
        for read in &accesses.reads {
            let source = self.nodes[*read].source;
            if source == accesses.init || earlier.contains(&source) {
                self.execution.add_pair(plan, BaseRel::Fr, *read, write);
            }
            // It was read before it had a place.
            if source == write {
                for after in &accesses.writes[place + 1..] {
                    self.execution.add_pair(plan, BaseRel::Fr, *read, *after);
                }
            }
        }
    }

    /// A write has no place in coherence any more.
    pub fn displace(&mut self, write: usize) {
        let location = self.nodes[write].location;
        self.locations[location].writes.retain(|w| *w != write);
    }

    /// Whether a write is the last one of its location, the initial one if there is no other.
    pub fn is_last(&self, write: usize) -> bool {
        let accesses = &self.locations[self.nodes[write].location];
        *accesses.writes.last().unwrap_or(&accesses.init) == write
    }

    /// The next place behind a write.
    pub fn place_behind(&self, write: usize) -> usize {
        let accesses = &self.locations[self.nodes[write].location];
        let place = accesses.writes.iter().position(|w| *w == write);
        place.map_or(0, |place| place + 1)
    }

    /// A thread goes on with a run, of which some events are in the graph.
    pub fn goes_on(&mut self, thread: usize, run: RunId, added: usize) {
        let thread = &mut self.threads[thread];
        thread.run = run;
        thread.added = added;
    }

    /// The run that a thread is in.
    pub fn run<'r>(&self, runs: &'r Runs, thread: usize) -> &'r Run {
        &runs[self.threads[thread].run]
    }

    /// Takes all steps that add nothing to the graph and leave no choice: events that mean nothing to the
    /// model, the creation of threads, waiting for threads that have ended.
    pub fn settle(&mut self, runs: &mut Runs, interpreter: &mut Interpreter) -> Result<(), Halt> {
        loop {
            let mut changed = false;
            let mut thread = 0;
            while thread < self.threads.len() {
                changed |= self.settle_thread(thread, runs, interpreter)?;
                thread += 1;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn settle_thread(
        &mut self,
        id: usize,
        runs: &mut Runs,
        interpreter: &mut Interpreter,
    ) -> Result<bool, Halt> {
        let mut changed = false;
        loop {
            let thread = &self.threads[id];
            let run = &runs[thread.run];
            let total = run.start + thread.added;
            let next = run.state.spawned.get(thread.spawned);
            if let Some(child) = next.filter(|spawned| spawned.position <= total) {
                let (instance, frontier) = (child.child, thread.frontier.clone());
                let first = runs.first(interpreter, instance)?;
                self.threads[id].spawned += 1;
                self.threads.push(GraphThread {
                    instance,
                    key: interpreter.instances[instance].key,
                    run: first,
                    added: 0,
                    spawned: 0,
                    frontier,
                });
                changed = true;
                continue;
            }
            match run.events.get(thread.added) {
                Some(event) if event.label.is_none() => {
                    self.threads[id].added += 1;
                    changed = true;
                    continue;
                }
                Some(_) => return Ok(changed),
                None => {}
            }
            let Stop::Joins(key) = run.stop else {
                return Ok(changed);
            };
            let Some((ending, frontier)) = self.ended(runs, key) else {
                return Ok(changed);
            };
            let next = runs.next(
                interpreter,
                self.threads[id].run,
                RunAnswer::Ending(Some(ending)),
            )?;
            self.goes_on(id, next, 0);
            for node in frontier {
                if !self.threads[id].frontier.contains(&node) {
                    self.threads[id].frontier.push(node);
                }
            }
            changed = true;
        }
    }

    /// How a thread has ended, if it has, and its last events.
    fn ended(&self, runs: &Runs, key: ThreadKey) -> Option<(ReturnValue, Vec<usize>)> {
        let thread = self.threads.iter().find(|t| t.key == key)?;
        let run = &runs[thread.run];
        match run.stop {
            Stop::Ends(End::Ended(value)) if thread.added == run.events.len() => {
                Some((value, thread.frontier.clone()))
            }
            _ => None,
        }
    }

    /// The graph of some nodes, which contain all that precedes them, with a read that reads from the last
    /// of them, a write without a place in coherence yet, and then goes on with a run.
    pub fn revisited(
        &self,
        (plan, runs, interpreter): (&Plan, &mut Runs, &mut Interpreter),
        main: (ThreadKey, RunId),
        read: usize,
        write: usize,
        outcome: RunId,
    ) -> Result<Graph, Halt> {
        let mut graph = self.clone();
        graph.cut(plan, read, self.marks[read]);
        graph.threads = Graph::new(plan, main.0, main.1).threads;
        graph.settle(runs, interpreter)?;
        // What is left is there already; the threads go through it once more.
        for node in 0..read {
            graph.follow(runs, interpreter, node)?;
        }
        let mut new: Vec<Option<usize>> = (0..read).map(Some).collect();
        // Reads whose sources came later, as they were revisited themselves.
        let is_open = |r: &usize| {
            let node = &self.nodes[*r];
            node.kind == NodeKind::Read && node.source >= read
        };
        let open = (0..read).filter(is_open);
        let mut open: Vec<(usize, usize)> = open.map(|r| (r, self.nodes[r].source)).collect();
        open.iter()
            .for_each(|(r, _)| graph.nodes[*r].source = usize::MAX);
        for old in read..self.nodes.len() {
            let node = self.nodes[old];
            let kept = old == read || old == write || self.precedes(old, write);
            let init = node.kind == NodeKind::Init && kept;
            if !kept {
                new.push(None);
                continue;
            }
            if init {
                let accesses = &self.locations[node.location];
                let label = runs.init_label(interpreter, self.snapshot(runs), accesses.addr);
                let location = graph.location(plan, accesses.addr, node.run, &label);
                new.push(Some(graph.locations[location].init));
                continue;
            }
            let mut again = node;
            if matches!(node.kind, NodeKind::Read | NodeKind::Write) {
                let addr = self.locations[node.location].addr;
                let label = runs.init_label(interpreter, self.snapshot(runs), addr);
                again.location = graph.location(plan, addr, node.run, &label);
            }
            again.thread = graph.thread_of(self.threads[node.thread].instance);
            again.read = node.read.and_then(|r| new[r]);
            again.source = usize::MAX;
            if old == read {
                again.run = outcome;
                again.index = 0;
            }
            let label = runs.label(again.kind, again.run, again.index);
            let id = graph.add(plan, again, label);
            new.push(Some(id));
            match node.kind {
                NodeKind::Read if old != read => match new.get(node.source) {
                    Some(source) => graph.read_from(plan, id, source.unwrap_or(usize::MAX)),
                    None => open.push((id, node.source)),
                },
                NodeKind::Write if old != write => {
                    let kept = |w: &&usize| new.get(**w).copied().flatten().is_some();
                    let order = self.locations[node.location].writes.iter();
                    let place = order.take_while(|w| **w != old).filter(kept).count();
                    graph.place(plan, id, place);
                    for (reader, _) in open.extract_if(.., |(_, source)| *source == old) {
                        graph.read_from(plan, reader, id);
                    }
                }
                _ => {}
            }
            graph.follow(runs, interpreter, id)?;
        }
        let write = graph.nodes.len() - 1;
        graph.read_from(plan, read, write);
        Ok(graph)
    }

    fn thread_of(&self, instance: InstanceId) -> usize {
        let thread = self.threads.iter().position(|t| t.instance == instance);
        thread.expect("what precedes a node is kept, the creation of its thread too")
    }

    /// The thread of a node goes on behind it.
    fn follow(
        &mut self,
        runs: &mut Runs,
        interpreter: &mut Interpreter,
        id: usize,
    ) -> Result<(), Halt> {
        let node = self.nodes[id];
        if node.kind == NodeKind::Init {
            return Ok(());
        }
        let added = match node.kind {
            NodeKind::Choice => 0,
            _ => node.index + 1,
        };
        self.goes_on(node.thread, node.run, added);
        self.threads[node.thread].frontier = vec![id];
        self.settle(runs, interpreter)
    }

    /// What main's memory contained when it created the first thread.
    pub fn snapshot(&self, runs: &Runs) -> Option<crate::trace::SnapshotId> {
        self.run(runs, 0).state.snapshot
    }
}

/// What a thread returns.
type ReturnValue = Option<(ir::shadow::Word, bool)>;

/// The writes behind one in coherence.
pub(super) fn later(accesses: &Accesses, write: usize) -> &[usize] {
    let place = accesses.writes.iter().position(|w| *w == write);
    &accesses.writes[place.map_or(0, |place| place + 1)..]
}
