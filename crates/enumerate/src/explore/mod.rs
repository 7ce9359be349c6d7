//! Optimal exploration: each consistent execution once, with the memory of one.
//!
//! Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly stateless, optimal dynamic partial order
//! reduction (POPL 2022), there called TruSt. An execution graph grows by the next event of some thread
//! ([`Explorer::visit`]). A read goes on with each write that it may read from, a write with each place in
//! coherence; and a write is also read by reads that were there before it: what was added after such a
//! read, and does not precede the write, is deleted, and the read reads from the write
//! ([`Explorer::revisit`]). The same graph would come of many graphs by such deletions. It is made from the
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

mod graph;
mod leaf;
mod runs;

use crate::interpreter::Interpreter;
use crate::objects::Initial;
use crate::options::EnumerateOptions;
use crate::result::{EnumerateError, Enumeration};
use crate::trace::{ActionKind, End, InstanceId};
use crate::value_set::ValueSets;
use crate::{main_span, violations};
use base::source::Span;
use cat::arch::is_kernel;
use cat::eval::Evaluator;
use cat::incremental::Plan;
use cat::model::Model;
use cat::pattern::{is_atomic, is_coherent, keeps_reads_before_writes};
use graph::{Graph, Node, NodeKind};
use ir::program::{Lifetime, Program};
use ir::shadow::Word;
use runs::{Answer, RunId, Runs, Stop};

/// What an exploration has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exploration {
    /// As an enumeration says it; [`Enumeration::candidates`] are the executions that were visited.
    pub found: Enumeration,
    /// Executions in which all threads come to their end.
    pub complete: u64,
    /// Executions in which some thread does not.
    pub blocked: u64,
}

/// Why there is no exploration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExploreError {
    /// As of an enumeration.
    #[error(transparent)]
    Enumerate(#[from] EnumerateError),
    /// The model, or something in the program, cannot be explored.
    #[error("{reason} cannot be explored")]
    Refused {
        /// What.
        reason: String,
        /// Where it is in the program; `None`: it is the model.
        span: Option<Span>,
    },
}

/// Why an exploration stops.
enum Halt {
    Error(ExploreError),
    /// What threads were seen to do is not all that they do.
    Restart,
    /// What was wanted is found.
    Found,
}

impl From<EnumerateError> for Halt {
    fn from(error: EnumerateError) -> Halt {
        Halt::Error(error.into())
    }
}

impl Halt {
    fn refused(reason: &str, span: Span) -> Halt {
        Halt::Error(ExploreError::Refused {
            reason: reason.to_string(),
            span: Some(span),
        })
    }
}

/// Whether the executions of a model can be explored.
///
/// # Errors
/// Why they cannot, as a sentence.
pub fn check(model: &Model) -> Result<Plan<'_>, String> {
    let acyclic = cat::pattern::acyclic_unions(model).any(|parts| {
        let has = |base| parts.iter().any(|p| cat::pattern::is_base(model, *p, base));
        has(cat::model::BaseRel::Po) && has(cat::model::BaseRel::Rf)
    });
    if !acyclic && !(is_coherent(model) && keeps_reads_before_writes(model)) {
        let text = "it lets a thread write what depends on nothing that is there yet";
        return Err(text.to_string());
    }
    if !is_atomic(model) {
        return Err("it does not keep read-modify-writes together".to_string());
    }
    Plan::new(model)
}

/// All executions of a program that a model allows, one after the other; with `first`, up to the first one
/// that violates a property. `interrupt` is asked now and then whether to give up.
///
/// # Errors
/// See [`ExploreError`].
pub fn explore(
    program: &Program,
    model: &Model,
    options: &EnumerateOptions,
    first: bool,
    interrupt: &dyn Fn() -> bool,
) -> Result<Exploration, ExploreError> {
    let plan = check(model).map_err(|reason| ExploreError::Refused {
        reason: format!("{}: {reason}, so its executions", model.name),
        span: None,
    })?;
    let main = program.main.ok_or(EnumerateError::NoMain)?;
    let kernel = is_kernel(model);
    let mut interpreter =
        Interpreter::new(program, options, (is_coherent(model), kernel), interrupt);
    interpreter.restart(main);
    let bare = violations::with_queries(std::slice::from_ref(model), &options.checks, false);
    let full = violations::with_queries(std::slice::from_ref(model), &options.checks, true);
    let models = [bare, full].map(|m| m.map_or_else(|| model.clone(), |mut m| m.remove(0)));
    let evaluators = models.each_ref().map(Evaluator::new);
    let mut explorer = Explorer {
        interpreter,
        model,
        plan: &plan,
        evaluators: &evaluators,
        runs: Runs::new(model, &plan),
        first,
        steps: 0,
        found: Exploration::default(),
    };
    loop {
        match explorer.start() {
            Ok(()) | Err(Halt::Found) => return Ok(explorer.found),
            Err(Halt::Error(error)) => return Err(error),
            Err(Halt::Restart) => {
                let known = &mut explorer.interpreter.value_sets;
                known.stale = false;
                if known.is_split {
                    *known = ValueSets::with_pieces_of(known);
                }
                explorer.interpreter.restart(main);
                explorer.runs.clear();
                explorer.found = Exploration::default();
            }
        }
    }
}

struct Explorer<'a> {
    interpreter: Interpreter<'a>,
    model: &'a Model,
    plan: &'a Plan<'a>,
    /// Of the model with what is asked for, without and with lifetimes of objects.
    evaluators: &'a [Evaluator<'a>; 2],
    runs: Runs<'a>,
    first: bool,
    steps: u64,
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

/// A write that a read may read from, and how its thread goes on then.
#[derive(Clone, Copy)]
struct Candidate {
    source: usize,
    run: RunId,
    is_first_way: bool,
}

impl Explorer<'_> {
    fn start(&mut self) -> Result<(), Halt> {
        let main = self.main()?;
        let mut graph = Graph::new(self.plan, main.0, main.1);
        graph.settle(&mut self.runs, &mut self.interpreter)?;
        self.visit(&mut graph)
    }

    fn main(&mut self) -> Result<(crate::objects::ThreadKey, RunId), Halt> {
        let id = InstanceId(0);
        let run = self.runs.first(&mut self.interpreter, id)?;
        Ok((self.interpreter.instances[id].key, run))
    }

    /// Visits all executions that a graph is a part of, and leaves it larger than it was.
    fn visit(&mut self, graph: &mut Graph) -> Result<(), Halt> {
        loop {
            self.steps += 1;
            if self.steps.is_multiple_of(256) && (self.interpreter.interrupt)() {
                return Err(EnumerateError::Interrupted.into());
            }
            match self.next(graph)? {
                Next::Event(thread) => {
                    let kind = self.kind(graph, thread);
                    if kind == NodeKind::Write {
                        return self.visit_write(graph, thread);
                    }
                    self.add(graph, thread, kind)?;
                    graph.settle(&mut self.runs, &mut self.interpreter)?;
                    if !graph.is_consistent(self.plan) {
                        return Err(self.stuck(graph, thread));
                    }
                }
                Next::Read(thread, location, candidates) => {
                    return self.visit_read(graph, thread, location, &candidates);
                }
                Next::Choice(thread, ways) => return self.visit_choice(graph, thread, ways),
                Next::Nothing => return self.leaf(graph),
            }
        }
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
            let word = self.word(graph, source)?;
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
                out.extend(ways);
            } else if is_last {
                return Err(self.stuck(graph, thread));
            }
            graph.undo(self.plan, &saved);
        }
        Ok((location, out))
    }

    /// What a write writes.
    fn word(&self, graph: &Graph, write: usize) -> Result<Word, Halt> {
        let node = &graph.nodes[write];
        if node.kind != NodeKind::Init {
            return Ok(self.runs[node.run].events[node.index].event.word());
        }
        let addr = graph.locations[node.location].addr;
        match self.interpreter.contents(graph.snapshot(&self.runs), addr) {
            Initial::Known(word) => Ok(word),
            Initial::Arbitrary(_) => {
                let span = main_span(self.interpreter.program);
                Err(Halt::refused("memory that is not initialised", span))
            }
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
            read: event.rmw.and_then(|position| self.read_at(graph, id, position)),
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

    fn visit_read(
        &mut self,
        graph: &mut Graph,
        thread: usize,
        location: usize,
        candidates: &[Candidate],
    ) -> Result<(), Halt> {
        for candidate in candidates {
            let saved = graph.save(self.plan);
            self.add_read(graph, thread, location, candidate);
            if graph.is_consistent(self.plan) {
                graph.settle(&mut self.runs, &mut self.interpreter)?;
                self.visit(graph)?;
            }
            graph.undo(self.plan, &saved);
        }
        Ok(())
    }

    fn visit_choice(&mut self, graph: &mut Graph, thread: usize, ways: usize) -> Result<(), Halt> {
        for way in 0..ways {
            let saved = graph.save(self.plan);
            let run = graph.threads[thread].run;
            let next = self
                .runs
                .next(&mut self.interpreter, run, Answer::Way(way))?;
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
            graph.settle(&mut self.runs, &mut self.interpreter)?;
            self.visit(graph)?;
            graph.undo(self.plan, &saved);
        }
        Ok(())
    }

    fn visit_write(&mut self, graph: &mut Graph, thread: usize) -> Result<(), Halt> {
        let saved = graph.save(self.plan);
        let write = self.add(graph, thread, NodeKind::Write)?;
        self.revisit(graph, write)?;
        self.visit_places(graph, write)?;
        graph.undo(self.plan, &saved);
        Ok(())
    }

    /// Goes on with each place of a write in coherence.
    fn visit_places(&mut self, graph: &mut Graph, write: usize) -> Result<(), Halt> {
        let node = graph.nodes[write];
        let event = &self.runs[node.run].events[node.index].event;
        let begins = event.kind == ActionKind::Lifetime(Lifetime::Begin);
        // Writes of the thread may come between a linked load and its store.
        let is_linked = event.conditional;
        let count = graph.locations[node.location].writes.len();
        let places = match node.read {
            Some(read) => {
                let place = graph.place_behind(graph.nodes[read].source);
                match is_linked {
                    true => place..count + 1,
                    false => place..place + 1,
                }
            }
            None if begins => 0..1,
            None => 0..count + 1,
        };
        let is_free = node.read.is_none() && !begins;
        for place in places.rev() {
            let saved = graph.save(self.plan);
            graph.place(self.plan, write, place);
            if graph.is_consistent(self.plan) {
                graph.settle(&mut self.runs, &mut self.interpreter)?;
                self.visit(graph)?;
            } else if is_free && place == count {
                return Err(self.stuck(graph, node.thread));
            }
            graph.undo(self.plan, &saved);
            graph.locations[node.location]
                .writes
                .retain(|w| *w != write);
        }
        Ok(())
    }

    /// Goes on with the graphs in which a read that was there before a write reads from it.
    fn revisit(&mut self, graph: &mut Graph, write: usize) -> Result<(), Halt> {
        let location = graph.nodes[write].location;
        let word = self.word(graph, write)?;
        for read in graph.locations[location].reads.clone() {
            if graph.precedes(read, write) || !self.deletes(graph, read, write) {
                continue;
            }
            let main = self.main()?;
            // The thread is answered otherwise where it asked.
            let asked = self.runs.before(graph.nodes[read].run);
            let outcomes = self.runs.outcomes(&mut self.interpreter, asked, word)?;
            for (way, outcome) in outcomes.iter().enumerate() {
                let context = (self.plan, &mut self.runs, &mut self.interpreter);
                let mut smaller = graph.revisited(context, main, read, write, *outcome)?;
                smaller.nodes[read].is_first_way = way == 0;
                let write = smaller.nodes.len() - 1;
                if self.runs[*outcome].is_idle {
                    // Read in vain: only the last write.
                    self.visit_last(&mut smaller, write)?;
                } else {
                    self.visit_places(&mut smaller, write)?;
                }
            }
        }
        Ok(())
    }

    fn visit_last(&mut self, graph: &mut Graph, write: usize) -> Result<(), Halt> {
        let place = graph.locations[graph.nodes[write].location].writes.len();
        graph.place(self.plan, write, place);
        if graph.is_consistent(self.plan) {
            graph.settle(&mut self.runs, &mut self.interpreter)?;
            self.visit(graph)?;
        }
        Ok(())
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
            Stop::Ends(End::Blocked(_, span) | End::Waits(_, span)) => *span,
            _ => main_span(self.interpreter.program),
        };
        let reason = format!("{}: an execution that cannot be extended", self.model.name);
        Halt::refused(&reason, span)
    }
}
