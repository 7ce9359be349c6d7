//! An execution that violates something, as plain data: what others need to follow it.

use super::graph::Graph;
use super::runs::Runs;
use crate::access::NOTHING;
use crate::consistency::ExecutionSkeleton;
use crate::interpreter::Interpreter;
use crate::objects::Objects;
use crate::trace::{ActionKind, End, InstanceId, ThreadTrace};
pub use crate::trace::{Taken, TakenKind};
use base::source::Span;
use ir::program::{FenceTag, GlobalId, Lifetime, MemoryOrder, ProcId, PropertyKind, Width};

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Main is the first; creators come before those they create.
    pub threads: Vec<WitnessThread>,
    /// Locations that threads share.
    pub locations: Vec<WitnessLocation>,
    /// A compare-exchange fails for no reason that only machines with a linked pair have.
    pub is_spurious: bool,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessThread {
    /// Where it begins.
    pub proc: ProcId,
    /// Its creator, how many events that has before, and where; `None` for main.
    pub created: Option<(usize, usize, Span)>,
    /// What names it as a value of the program.
    pub handle: u64,
    /// What it does.
    pub events: Vec<WitnessEvent>,
    /// What it takes from outside.
    pub taken: Vec<Taken>,
    /// Threads that it waits for and that have ended, each with how many events come before.
    pub joined: Vec<(usize, usize)>,
    /// It comes to its end.
    pub has_ended: bool,
    /// Addresses of the objects that each thread has for itself.
    pub own: Vec<(GlobalId, u64)>,
    /// Where it waits, and the reads that let it, among its events: it does until another thread overwrites what
    /// they have read.
    pub waits: Option<(Vec<usize>, Span)>,
    /// What it violates.
    pub violated: Vec<Violated>,
}

/// What a thread violates by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violated {
    /// The kind of the property.
    pub kind: PropertyKind,
    /// Where.
    pub span: Span,
    /// The property.
    pub text: String,
    /// How many events come before.
    pub position: usize,
    /// How much the thread has taken from outside before.
    pub taken: usize,
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WitnessKind {
    /// Reads from a write of a thread, or the initial one.
    Read(Option<EventPlace>),
    /// Writes.
    Write,
    /// An object begins or ends.
    Lifetime(Lifetime),
    /// A fence.
    Fence(FenceTag),
}

/// A thread, and an event of it.
pub type EventPlace = (usize, usize);

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessEvent {
    /// What it does.
    pub kind: WitnessKind,
    /// Where; 0 for a fence.
    pub addr: u64,
    /// What is read or written.
    pub value: u64,
    /// Memory order.
    pub order: MemoryOrder,
    /// Of the write of a read-modify-write: its read, among the events of the thread.
    pub read: Option<usize>,
    /// Where in the source.
    pub span: Span,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessLocation {
    /// Its address.
    pub addr: u64,
    /// Its bits.
    pub width: Width,
    /// What it contains initially.
    pub initial: u64,
    /// Its writes in coherence order.
    pub writes: Vec<EventPlace>,
}

/// By event of a thread, and its end: how many events come before it that are shown.
fn shown(trace: &ThreadTrace) -> Vec<usize> {
    let mut out = vec![0];
    for event in &trace.events {
        let is_shown = event.kind != ActionKind::Fence(NOTHING);
        out.push(out[out.len() - 1] + usize::from(is_shown));
    }
    out
}

/// The execution of a graph, with the traces of its threads; `None` where something in it is not known.
pub(super) fn witness(
    interpreter: &Interpreter,
    (runs, graph): (&Runs, &Graph),
    skeleton: &ExecutionSkeleton,
    traces: &[(InstanceId, ThreadTrace)],
) -> Option<Witness> {
    let place_of = |key| {
        let mut all = traces.iter();
        all.position(|(id, _)| interpreter.instances[*id].key == key)
    };
    // Places of fences that no machine has are left out.
    let shown: Vec<Vec<usize>> = traces.iter().map(|(_, t)| shown(t)).collect();
    let place = |event: usize| {
        let (thread, position) = skeleton.thread_and_position(event);
        (thread, shown[thread][position])
    };
    let mut locations = Vec::new();
    let mut sources = Vec::new();
    for (addr, at, choice) in skeleton.only_execution() {
        let order: Vec<EventPlace> = choice.order.iter().map(|w| place(*w)).collect();
        for (read, from) in at.reads.iter().zip(&choice.sources) {
            let source = from.checked_sub(1).map(|i| order[i]);
            sources.push((place(*read), source));
        }
        locations.push(WitnessLocation {
            addr,
            width: interpreter.value_sets.width_of(addr)?,
            initial: interpreter.known_contents(graph.snapshot(runs), addr)?,
            writes: order,
        });
    }
    let source = |place: EventPlace| sources.iter().find(|(read, _)| *read == place)?.1;
    let mut threads: Vec<WitnessThread> = Vec::new();
    for (thread, (id, trace)) in traces.iter().enumerate() {
        let instance = &interpreter.instances[*id];
        let created = traces.iter().enumerate().find_map(|(creator, (_, other))| {
            let spawned = other.spawned.iter().find(|s| s.child == *id)?;
            Some((creator, shown[creator][spawned.position], spawned.span))
        });
        let at = &shown[thread];
        let events = trace.events.iter().enumerate();
        let events = events
            .filter(|(_, e)| e.kind != ActionKind::Fence(NOTHING))
            .map(|(position, e)| WitnessEvent {
                kind: match e.kind {
                    ActionKind::Read => WitnessKind::Read(source((thread, at[position]))),
                    ActionKind::Write => WitnessKind::Write,
                    ActionKind::Lifetime(life) => WitnessKind::Lifetime(life),
                    ActionKind::Fence(tag) => WitnessKind::Fence(tag),
                },
                addr: e.addr,
                value: e.value,
                order: e.order,
                read: e.rmw.map(|read| at[read]),
                span: e.span,
            });
        let joined = trace.joined.iter().filter(|j| j.end.is_some());
        threads.push(WitnessThread {
            proc: instance.proc,
            created,
            handle: Objects::handle(instance.key),
            events: events.collect(),
            taken: trace
                .taken
                .clone()?
                .into_iter()
                .map(|taken| Taken {
                    position: at[taken.position],
                    ..taken
                })
                .collect(),
            joined: joined
                .map(|j| Some((place_of(j.key)?, at[j.position])))
                .collect::<Option<_>>()?,
            has_ended: trace.ended(),
            waits: match &trace.end {
                End::Waits(reads, span) => {
                    Some((reads.iter().map(|read| at[*read]).collect(), *span))
                }
                End::WaitsForReaders(..) | End::Spins(..) => return None,
                _ => None,
            },
            own: interpreter.objects.own_objects(instance.key),
            violated: trace
                .violated
                .iter()
                .map(|v| Violated {
                    kind: v.kind,
                    span: v.span,
                    text: v.text.clone(),
                    position: at[v.position],
                    taken: v.taken,
                })
                .collect(),
        });
    }
    // A replay executes a thread where it is created, so another one can only wait for those that it has created,
    // or they have.
    let descends = |mut thread: usize, from: usize| {
        while let Some((by, ..)) = threads[thread].created {
            if by == from {
                return true;
            }
            thread = by;
        }
        false
    };
    let waits = |(id, t): (usize, &WitnessThread)| t.joined.iter().all(|(j, _)| descends(*j, id));
    let is_plain =
        traces.iter().all(|(_, t)| t.decided.is_empty()) && threads.iter().enumerate().all(waits);
    is_plain.then(|| Witness {
        threads,
        locations,
        is_spurious: traces.iter().any(|(_, t)| t.spurious),
    })
}
