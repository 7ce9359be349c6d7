//! Optimal exploration: each consistent execution once, with the memory of one, beside what threads were seen
//! to do on the values that they read.
//!
//! Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly stateless, optimal dynamic partial order
//! reduction (POPL 2022), there called TruSt. An execution graph grows by the next event of some thread
//! ([`Explorer::visit`]). A read goes on with each write that it may read from, a write with each place in
//! coherence; and a write is also read by reads that were there before it: what was added after such a
//! read, and does not precede the write, is deleted, and the read reads from the write
//! ([`Explorer::revisits`]). The same graph would come of many graphs by such deletions. It is made from the
//! one alone in which what is deleted is *maximal* ([`Explorer::is_maximal`]): each read from the last
//! write, each write the last one of its location and not read, each choice the first one.
//!
//! This needs models in whose executions program order and reads-from have no cycle, all of whose axioms
//! keep to hold when events are left out that precede no others, and hold again when an event is added that
//! is maximal. The first two are read off the text ([`check`], `cat::incremental`), the third is watched: a
//! graph that cannot go on is an error.
//!
//! *Awaits.* A read that lets its thread go no further (a lock that is held, a loop that waits, an assumption)
//! is not added as long as there is no other write for it; then the last write may be read in vain, as a later
//! write may be read in its place. So hardly any execution is explored in which a thread waits in vain
//! (Kokologiannakis, Ren, Vafeiadis: Dynamic partial order reductions for spinloops, FMCAD 2021).
//!
//! What threads do is said by the interpreter of the enumeration; see [`runs`]. What a complete execution
//! violates is found as there.

mod branch;
mod error;
mod graph;
mod leaf;
mod options;
mod runs;
mod witness;

use crate::interpreter::Interpreter;
use crate::objects::{Initial, ThreadKey};
use crate::options::EnumerateOptions;
use crate::result::{EnumerateError, Enumeration};
use crate::trace::{ActionKind, End, InstanceId};
use crate::value_set::ValueSets;
use crate::violations;
use branch::{Branch, Candidate, Revisit, Ways};
use cat::arch::is_kernel;
use cat::eval::Evaluator;
use cat::incremental::Plan;
use cat::model::Model;
use cat::pattern::{is_atomic, is_coherent, keeps_reads_before_writes};
pub use error::ExploreError;
use error::Halt;
use graph::{Graph, Node, Saved};
use ir::program::{Lifetime, Program, PropertyKind};
use ir::shadow::Word;
pub use options::{ExploreOptions, Progress, Watch};
use runs::{NodeKind, RunAnswer, RunId, Runs, Stop};
use std::collections::BTreeMap;
pub use witness::{
    EventPlace, Taken, TakenKind, Violated, Witness, WitnessEvent, WitnessKind, WitnessLocation,
    WitnessThread,
};

/// What an exploration has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exploration {
    /// As an enumeration says it; [`Enumeration::candidates`] are the executions that were visited.
    pub found: Enumeration,
    /// Executions in which all threads come to their end.
    pub complete: u64,
    /// Executions in which some thread does not.
    pub blocked: u64,
    /// By kind of property: the first execution that violates it, where all of it is known; only of an
    /// exploration that ends with violations.
    pub witnesses: BTreeMap<PropertyKind, Option<Witness>>,
    /// The exploration has ended with a violation: others may be missing.
    pub is_cut: bool,
}

/// Whether the executions of a model can be explored.
///
/// # Errors
/// Why they cannot, as a sentence.
pub fn check(model: &Model) -> Result<(), String> {
    let acyclic = cat::pattern::acyclic_unions(model).any(|parts| {
        let has = |base| parts.iter().any(|p| cat::pattern::is_base(model, *p, base));
        has(cat::model::BaseRel::Po) && has(cat::model::BaseRel::Rf)
    });
    let by_location = is_coherent(model) && keeps_reads_before_writes(model);
    if !acyclic && !by_location {
        let text = "it lets a thread write what depends on nothing that is there yet";
        return Err(text.to_string());
    }
    if !is_atomic(model) {
        return Err("it does not keep read-modify-writes together".to_string());
    }
    Plan::new(model).map(|_| ())
}

/// All executions of a program that a model allows, one after the other.
///
/// # Errors
/// See [`ExploreError`].
pub fn explore(
    program: &Program,
    model: &Model,
    options: &EnumerateOptions,
    explore_options: ExploreOptions,
    watch: &dyn Watch,
) -> Result<Exploration, ExploreError> {
    let refused = |reason: String| ExploreError::Refused {
        reason: format!("{}: {reason}, so its executions", model.name),
        span: None,
    };
    check(model).map_err(refused)?;
    if options.checks.contains(&PropertyKind::Robust) {
        let reason = "whether it is robust depends on iterations that change nothing".to_string();
        return Err(refused(reason));
    }
    let main = program.main.ok_or(EnumerateError::NoMain)?;
    let kernel = is_kernel(model);
    let interrupt = || watch.gives_up();
    let mut interpreter =
        Interpreter::new(program, options, (is_coherent(model), kernel), &interrupt);
    interpreter.omitted.leaves_out_writes = explore_options.leaves_out_writes;
    interpreter.restart(main);
    let bare = violations::with_queries(std::slice::from_ref(model), &options.checks, false);
    let full = violations::with_queries(std::slice::from_ref(model), &options.checks, true);
    let models = [bare, full].map(|m| m.map_or_else(|| model.clone(), |mut m| m.remove(0)));
    let evaluators = models.each_ref().map(Evaluator::new);
    let plan = Plan::new(&models[1]).map_err(refused)?;
    let mut explorer = Explorer {
        interpreter,
        model,
        plan: &plan,
        evaluators: &evaluators,
        runs: Runs::new(&models[1], &plan, explore_options.kept),
        first: explore_options.first,
        watch,
        steps: 0,
        last_step: u64::MAX,
        weight: 1.0,
        share: 0.0,
        found: Exploration::default(),
    };
    loop {
        match explorer.start() {
            Ok(()) | Err(Halt::Found) => return Ok(explorer.found),
            // What is violated stays so.
            Err(Halt::Error(ExploreError::Enumerate(EnumerateError::Interrupted)))
                if explorer.first && !explorer.found.found.violations.is_empty() =>
            {
                explorer.found.is_cut = true;
                return Ok(explorer.found);
            }
            Err(Halt::Error(error)) => return Err(error),
            Err(Halt::Restart) => {
                let known = &mut explorer.interpreter.value_sets;
                known.stale = false;
                if known.is_split {
                    *known = ValueSets::with_pieces_of(known);
                }
                explorer.interpreter.omitted.restart();
                explorer.interpreter.restart(main);
                explorer.runs.clear();
                explorer.found = Exploration::default();
                (explorer.weight, explorer.share) = (1.0, 0.0);
                explorer.last_step = u64::MAX;
            }
        }
    }
}

/// Steps after a violation in which others are looked for, at least.
const STEPS_AFTER: u64 = 2_000;

/// Events of an execution; one with more is taken for one that does not end.
const MAX_EVENTS: usize = 4096;

struct Explorer<'a> {
    interpreter: Interpreter<'a>,
    model: &'a Model,
    plan: &'a Plan<'a>,
    /// Of the model with what is asked for, without and with lifetimes of objects.
    evaluators: &'a [Evaluator<'a>; 2],
    runs: Runs<'a>,
    first: bool,
    watch: &'a dyn Watch,
    steps: u64,
    /// The exploration ends with this step.
    last_step: u64,
    /// See [`Progress::share`]: of all executions that come of the graph.
    weight: f64,
    /// See [`Progress::share`].
    share: f64,
    found: Exploration,
}

/// What happens next.
enum Next {
    /// A thread has an event that leaves no choice but its place in coherence.
    Event(usize),
    /// A thread reads from a location, from one of these writes, and goes on so.
    Read(usize, usize, Vec<Candidate>),
    /// A thread goes one of so many ways.
    Choice(usize, usize),
    /// No thread can go on.
    Nothing,
}

impl Explorer<'_> {
    fn start(&mut self) -> Result<(), Halt> {
        let main = self.main()?;
        let mut graph = Graph::new(self.plan, main.0, main.1);
        graph.settle(&mut self.runs, &mut self.interpreter)?;
        let mut branches = Vec::new();
        self.visit(&mut graph, &mut branches)?;
        while let Some(branch) = branches.pop() {
            if self.take(&mut graph, branch, &mut branches)? {
                if self.runs.are_many() {
                    let open = branches.iter().flat_map(Branch::runs);
                    self.runs.collect(graph.runs().chain(open));
                }
                self.visit(&mut graph, &mut branches)?;
            }
        }
        Ok(())
    }

    /// A graph that goes on in several ways.
    fn branch(&self, saved: Saved, ways: Ways) -> Branch {
        let weight = self.weight / ways.count().max(1) as f64;
        Branch {
            saved,
            ways,
            weight,
        }
    }

    fn main(&mut self) -> Result<(ThreadKey, RunId), Halt> {
        let id = InstanceId(0);
        let run = self.runs.first(&mut self.interpreter, id)?;
        Ok((self.interpreter.instances[id].key, run))
    }

    /// Extends a graph up to where it goes on in several ways, or its end.
    fn visit(&mut self, graph: &mut Graph, branches: &mut Vec<Branch>) -> Result<(), Halt> {
        loop {
            if self.steps.is_multiple_of(8) && self.watch.gives_up() {
                return Err(EnumerateError::Interrupted.into());
            }
            self.steps += 1;
            if self.steps > self.last_step {
                self.found.is_cut = true;
                return Err(Halt::Found);
            }
            if graph.nodes.len() > MAX_EVENTS {
                return Err(self.limit(format!("more than {MAX_EVENTS} events of an execution")));
            }
            let ways = match self.next(graph)? {
                Next::Event(thread) => match self.kind(graph, thread) {
                    NodeKind::Write => {
                        let saved = graph.save(self.plan);
                        let write = self.add(graph, thread, NodeKind::Write)?;
                        let ways = Ways::Write {
                            write,
                            revisits: self.revisits(graph, write)?,
                            aside: None,
                            is_placed: false,
                        };
                        branches.push(self.branch(saved, ways));
                        return Ok(());
                    }
                    kind => {
                        self.add(graph, thread, kind)?;
                        graph.settle(&mut self.runs, &mut self.interpreter)?;
                        if !graph.is_consistent(self.plan) {
                            return Err(self.stuck(graph, thread));
                        }
                        continue;
                    }
                },
                Next::Read(thread, location, mut candidates) => {
                    candidates.reverse();
                    Ways::Read {
                        thread,
                        location,
                        candidates,
                    }
                }
                Next::Choice(thread, ways) => Ways::Choice {
                    thread,
                    ways: (0..ways).rev().collect(),
                },
                Next::Nothing => {
                    let most = self.interpreter.options.max_executions;
                    if self.found.found.candidates >= most {
                        return Err(self.limit(format!("more than {most} executions")));
                    }
                    self.share += self.weight;
                    self.leaf(graph)?;
                    self.watch.sees(Progress {
                        complete: self.found.complete,
                        blocked: self.found.blocked,
                        share: self.share,
                    });
                    return Ok(());
                }
            };
            let saved = graph.save(self.plan);
            branches.push(self.branch(saved, ways));
            return Ok(());
        }
    }

    /// There is more than is looked at.
    fn limit(&mut self, what: String) -> Halt {
        let span = self.interpreter.program.main_span();
        self.found.found.limits_reached.insert((what, span));
        Halt::Found
    }

    /// Takes the next way of a branch, and puts the branch back if there may be others; whether the graph
    /// goes on.
    fn take(
        &mut self,
        graph: &mut Graph,
        branch: Branch,
        branches: &mut Vec<Branch>,
    ) -> Result<bool, Halt> {
        let Branch {
            saved,
            ways,
            weight,
        } = branch;
        self.weight = weight;
        match ways {
            Ways::Read {
                thread,
                location,
                mut candidates,
            } => {
                graph.undo(self.plan, &saved);
                let Some(candidate) = candidates.pop() else {
                    return Ok(false);
                };
                self.add_read(graph, thread, location, &candidate);
                let ways = Ways::Read {
                    thread,
                    location,
                    candidates,
                };
                branches.push(Branch {
                    saved,
                    ways,
                    weight,
                });
            }
            Ways::Choice { thread, mut ways } => {
                graph.undo(self.plan, &saved);
                let Some(way) = ways.pop() else {
                    return Ok(false);
                };
                self.add_choice(graph, thread, way)?;
                let ways = Ways::Choice { thread, ways };
                branches.push(Branch {
                    saved,
                    ways,
                    weight,
                });
            }
            Ways::Write {
                write,
                mut revisits,
                mut aside,
                is_placed,
            } => {
                if let Some(before) = aside.take() {
                    *graph = *before;
                }
                if let Some(revisit) = revisits.pop() {
                    let smaller = self.revisited(graph, write, &revisit)?;
                    let aside = Some(Box::new(std::mem::replace(graph, smaller)));
                    let last = graph.nodes.len() - 1;
                    let places = self.places(graph, last, self.runs[revisit.run].is_idle);
                    let ways = Ways::Write {
                        write,
                        revisits,
                        aside,
                        is_placed,
                    };
                    branches.push(Branch {
                        saved,
                        ways,
                        weight,
                    });
                    self.push_places(graph, last, places, branches);
                    return Ok(false);
                }
                if is_placed {
                    graph.undo(self.plan, &saved);
                    return Ok(false);
                }
                let places = self.places(graph, write, false);
                let ways = Ways::Write {
                    write,
                    revisits,
                    aside,
                    is_placed: true,
                };
                branches.push(Branch {
                    saved,
                    ways,
                    weight,
                });
                self.push_places(graph, write, places, branches);
                return Ok(false);
            }
            Ways::Places { write, mut places } => {
                graph.undo(self.plan, &saved);
                graph.displace(write);
                let Some(place) = places.pop() else {
                    return Ok(false);
                };
                graph.place(self.plan, write, place);
                let node = graph.nodes[write];
                let is_free = node.read.is_none() && graph.is_last(write);
                if is_free && !self.begins(&node) && !graph.is_consistent(self.plan) {
                    return Err(self.stuck(graph, node.thread));
                }
                let ways = Ways::Places { write, places };
                branches.push(Branch {
                    saved,
                    ways,
                    weight,
                });
            }
        }
        if !graph.is_consistent(self.plan) {
            self.share += weight;
            return Ok(false);
        }
        graph.settle(&mut self.runs, &mut self.interpreter)?;
        Ok(true)
    }

    fn push_places(
        &mut self,
        graph: &mut Graph,
        write: usize,
        places: Vec<usize>,
        branches: &mut Vec<Branch>,
    ) {
        let saved = graph.save(self.plan);
        if places.is_empty() {
            self.share += self.weight;
        }
        let ways = Ways::Places { write, places };
        branches.push(self.branch(saved, ways));
    }

    /// The event that comes next is a function of the graph: the write of a read-modify-write behind its
    /// read, else what leaves no choice, else a read or a choice, of the first thread that has one.
    fn next(&mut self, graph: &mut Graph) -> Result<Next, Halt> {
        let mut event = None;
        for (id, thread) in graph.threads.iter().enumerate() {
            let Some(next) = self.runs[thread.run].events.get(thread.added) else {
                continue;
            };
            if next.event.rmw.is_some() {
                return Ok(Next::Event(id));
            }
            event = event.or(Some(id));
        }
        if let Some(id) = event {
            return Ok(Next::Event(id));
        }
        for id in 0..graph.threads.len() {
            match &graph.run(&self.runs, id).stop {
                Stop::Reads { addr, .. } => {
                    let addr = *addr;
                    let (location, candidates) = self.candidates(graph, id, addr)?;
                    let goes_on = |c: &Candidate| !self.runs[c.run].is_idle;
                    if candidates.iter().any(goes_on) {
                        return Ok(Next::Read(id, location, candidates));
                    }
                }
                Stop::Chooses(ways) => return Ok(Next::Choice(id, ways.len())),
                Stop::Joins(_) | Stop::Ends(_) => {}
            }
        }
        Ok(Next::Nothing)
    }

    /// The location of an address.
    fn location(&mut self, graph: &mut Graph, addr: u64) -> Result<usize, Halt> {
        let snapshot = graph.snapshot(&self.runs);
        let label = self.runs.init_label(&self.interpreter, snapshot, addr);
        let run = graph.threads[0].run;
        Ok(graph.location(self.plan, addr, run, &label))
    }

    /// What a thread may read, where the model allows it; in vain only the last write.
    fn candidates(
        &mut self,
        graph: &mut Graph,
        thread: usize,
        addr: u64,
    ) -> Result<(usize, Vec<Candidate>), Halt> {
        let location = self.location(graph, addr)?;
        let accesses = &graph.locations[location];
        let sources: Vec<usize> = accesses
            .writes
            .iter()
            .rev()
            .copied()
            .chain([accesses.init])
            .collect();
        let mut out = Vec::new();
        for source in sources {
            let known = self.word(graph, source);
            let word = known.unwrap_or(Word::known(0));
            let run = graph.threads[thread].run;
            let outcomes = self.runs.outcomes(&mut self.interpreter, run, word)?;
            let is_last = graph.is_last(source);
            let ways = outcomes.iter().enumerate().map(|(way, run)| Candidate {
                source,
                run: *run,
                is_first_way: way == 0,
            });
            let ways: Vec<Candidate> = ways
                .filter(|c| is_last || !self.runs[c.run].is_idle)
                .collect();
            let Some(first) = ways.first() else { continue };
            let saved = graph.save(self.plan);
            self.add_read(graph, thread, location, first);
            if graph.is_consistent(self.plan) {
                if known.is_none() {
                    let event = &self.runs[first.run].events[0].event;
                    return Err(Halt::refused("memory that is not initialised", event.span));
                }
                out.extend(ways);
            } else if is_last {
                return Err(self.stuck(graph, thread));
            }
            graph.undo(self.plan, &saved);
        }
        Ok((location, out))
    }

    /// What a write writes; `None`: it is arbitrary, as nothing has initialised the memory.
    fn word(&self, graph: &Graph, write: usize) -> Option<Word> {
        let node = &graph.nodes[write];
        if node.kind != NodeKind::Init && !self.begins(node) {
            return Some(self.runs[node.run].events[node.index].event.word());
        }
        let addr = graph.locations[node.location].addr;
        match self.interpreter.contents(graph.snapshot(&self.runs), addr) {
            Initial::Known(word) => Some(word),
            Initial::Arbitrary(_) => None,
        }
    }

    fn kind(&self, graph: &Graph, thread: usize) -> NodeKind {
        let thread = &graph.threads[thread];
        self.runs[thread.run].events[thread.added]
            .event
            .kind
            .node_kind()
    }

    /// Adds the next event of a thread, which is no read.
    fn add(&mut self, graph: &mut Graph, id: usize, kind: NodeKind) -> Result<usize, Halt> {
        let thread = &graph.threads[id];
        let (run, index) = (thread.run, thread.added);
        let event = self.runs[run].events[index].event.clone();
        let location = match kind {
            NodeKind::Write => self.location(graph, event.addr)?,
            _ => 0,
        };
        let node = Node {
            kind,
            thread: id,
            run,
            index,
            location,
            source: 0,
            is_first_way: true,
            read: event
                .rmw
                .and_then(|position| self.read_at(graph, id, position)),
        };
        let label = self.runs.label(kind, run, index);
        let added = graph.add(self.plan, node, label);
        graph.goes_on(id, run, index + 1);
        Ok(added)
    }

    /// The read at a position of a thread.
    fn read_at(&self, graph: &Graph, thread: usize, position: usize) -> Option<usize> {
        let is_there = |n: &Node| {
            let at = || self.runs[n.run].start + n.index;
            n.kind == NodeKind::Read && n.thread == thread && at() == position
        };
        graph.nodes.iter().rposition(is_there)
    }

    fn add_read(&mut self, graph: &mut Graph, thread: usize, location: usize, to: &Candidate) {
        let node = Node {
            kind: NodeKind::Read,
            thread,
            run: to.run,
            index: 0,
            location,
            source: to.source,
            is_first_way: to.is_first_way,
            read: None,
        };
        let label = self.runs.label(NodeKind::Read, to.run, 0);
        let read = graph.add(self.plan, node, label);
        graph.read_from(self.plan, read, to.source);
        graph.goes_on(thread, to.run, 1);
    }

    fn add_choice(&mut self, graph: &mut Graph, thread: usize, way: usize) -> Result<(), Halt> {
        let run = graph.threads[thread].run;
        let next = self
            .runs
            .next(&mut self.interpreter, run, RunAnswer::Way(way))?;
        let node = Node {
            kind: NodeKind::Choice,
            thread,
            run: next,
            index: 0,
            location: 0,
            source: 0,
            is_first_way: way == 0,
            read: None,
        };
        let label = self.runs.label(NodeKind::Choice, next, 0);
        graph.add(self.plan, node, label);
        graph.goes_on(thread, next, 0);
        Ok(())
    }

    /// The places that a write may have in coherence, the first one to be looked at last.
    fn places(&self, graph: &Graph, write: usize, only_last: bool) -> Vec<usize> {
        let node = graph.nodes[write];
        let event = &self.runs[node.run].events[node.index].event;
        let count = graph.locations[node.location].writes.len();
        let behind = node.read.map(|r| graph.place_behind(graph.nodes[r].source));
        let places = match behind {
            // Writes of the thread may come between a linked load and its store.
            Some(place) if event.conditional => place..count + 1,
            Some(place) => place..place + 1,
            None if self.begins(&node) => 0..1,
            // The object begins before everything else.
            None => usize::from(self.has_begun(graph, node.location))..count + 1,
        };
        places.filter(|p| !only_last || *p == count).collect()
    }

    /// Whether an object begins with a write.
    fn begins(&self, node: &Node) -> bool {
        let event = &self.runs[node.run].events[node.index].event;
        event.kind == ActionKind::Lifetime(Lifetime::Begin)
    }

    /// Whether the first write of a location is that with which its object begins.
    fn has_begun(&self, graph: &Graph, location: usize) -> bool {
        let first = graph.locations[location].writes.first();
        first.is_some_and(|w| self.begins(&graph.nodes[*w]))
    }

    /// The reads that were there before a write and may read from it instead.
    fn revisits(&mut self, graph: &Graph, write: usize) -> Result<Vec<Revisit>, Halt> {
        let location = graph.nodes[write].location;
        let Some(word) = self.word(graph, write) else {
            return Ok(Vec::new());
        };
        let mut out = Vec::new();
        for read in graph.locations[location].reads.iter().rev() {
            if graph.precedes(*read, write) || !self.deletes(graph, *read, write) {
                continue;
            }
            // The thread is answered otherwise where it asked.
            let origin = self.runs.before(graph.nodes[*read].run);
            let outcomes = self.runs.outcomes(&mut self.interpreter, origin, word)?;
            out.extend(outcomes.iter().enumerate().rev().map(|(way, run)| Revisit {
                read: *read,
                run: *run,
                is_first_way: way == 0,
            }));
        }
        Ok(out)
    }

    /// The graph in which a read that was there before a write reads from it.
    fn revisited(&mut self, graph: &Graph, write: usize, to: &Revisit) -> Result<Graph, Halt> {
        let main = self.main()?;
        let context = (self.plan, &mut self.runs, &mut self.interpreter);
        let mut smaller = graph.revisited(context, main, to.read, write, to.run)?;
        smaller.nodes[to.read].is_first_way = to.is_first_way;
        Ok(smaller)
    }

    /// Whether a read and all that was added after it, and does not precede the write, is maximal.
    fn deletes(&self, graph: &Graph, read: usize, write: usize) -> bool {
        let mut after = read..write;
        after.all(|e| e != read && graph.precedes(e, write) || self.is_maximal(graph, e, write))
    }

    /// Whether an event was added as the last of its location, as far as others are concerned that were there
    /// before it or precede the write.
    fn is_maximal(&self, graph: &Graph, event: usize, write: usize) -> bool {
        let node = &graph.nodes[event];
        let earlier = |other: usize| other <= event || graph.precedes(other, write);
        let accesses = || &graph.locations[node.location];
        let overwritten = |w: usize| graph::later(accesses(), w).iter().any(|v| earlier(*v));
        match node.kind {
            NodeKind::Init | NodeKind::Fence => true,
            NodeKind::Choice => node.is_first_way,
            NodeKind::Read => node.is_first_way && !overwritten(node.source),
            NodeKind::Write => {
                let mut reads = accesses().reads.iter();
                let is_read = reads.any(|r| graph.nodes[*r].source == event && earlier(*r));
                !is_read && !overwritten(event)
            }
        }
    }

    /// A graph that cannot go on although what is added is maximal.
    fn stuck(&self, graph: &Graph, thread: usize) -> Halt {
        let run = graph.run(&self.runs, thread);
        let span = match &run.stop {
            Stop::Ends(End::Blocked(_, span) | End::Waits(_, span) | End::Spins(_, span)) => *span,
            _ => self.interpreter.program.main_span(),
        };
        let reason = format!("{}: an execution that cannot be extended", self.model.name);
        Halt::refused(&reason, span)
    }
}
