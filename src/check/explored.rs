//! A violating execution that an exploration has found, as a counterexample.
//!
//! It is made into an event graph of its own in which everything happens, and goes the way of the executions
//! that the solver finds: it is judged by the model, executed by the replay, which shares nothing with the
//! interpreter of the exploration, and shown.

use super::bmc::with_queries;
use super::decode::{Mismatch, Run};
use super::outcome::Counterexample;
use super::task::{CheckError, CheckTask};
use super::violation;
use crate::unroll::event::*;
use crate::unroll::lifetime::FREEABLE;
use base::idx::Id;
use base::source::SourceMap;
use cat::model::Model;
use enumerate::explore::{EventPlace, TakenKind, Violated, Witness, WitnessEvent, WitnessKind};
use ir::program::{
    LayoutId, Op, Program, Property, PropertyKind, Rule, ScalarKind, Storage, Width,
};
use ir::read_only::WRITABLE;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The counterexample that one of the witnesses is, of the first of these kinds of property that is violated.
///
/// # Errors
/// The witness does not stand up to the model or to the replay: a bug of this tool.
pub fn counterexample(
    (program, model, sources): (&Program, &Model, &SourceMap),
    witnesses: &BTreeMap<PropertyKind, Option<Witness>>,
    checks: &[PropertyKind],
) -> Result<Option<Counterexample>, CheckError> {
    let mut kinds = checks.iter();
    let first = kinds.find_map(|kind| Some((*kind, witnesses.get(kind)?.as_ref())));
    let Some((kind, Some(witness))) = first else {
        return Ok(None);
    };
    // Which values nobody has written is not part of a witness.
    if kind == PropertyKind::Uninitialised {
        return Ok(None);
    }
    let mut made = WitnessGraph::new(program, witness);
    made.violated(witness, kind);
    let (source, coherence) = made.choices(witness);
    let run = Run::of(&made.graph, FxHashMap::default(), source, coherence);
    let internal = |m: Mismatch| CheckError::Internal(m.0);
    let run = run.map_err(internal)?;
    let by_relation = match kind {
        PropertyKind::Race
        | PropertyKind::Deadlock
        | PropertyKind::Termination
        | PropertyKind::Robust => true,
        PropertyKind::Memory => !run.violates(kind),
        _ => false,
    };
    if !by_relation && !run.violates(kind) {
        return Ok(None);
    }
    let task = CheckTask {
        program,
        graph: &made.graph,
        model: &with_queries(model, &made.graph, &[kind]),
        sources,
    };
    violation::of_run(&task, &run, kind).map(Some)
}

/// The property that is violated at a place: the program's own, or one of its kind.
fn property_at(
    program: &Program,
    kind: PropertyKind,
    span: base::source::Span,
    text: &str,
) -> Property {
    let code = program.procs.iter().flat_map(|p| &p.body);
    let own = code.filter(|i| i.span == span).filter_map(|i| match &i.op {
        Op::Assert { property, .. } | Op::Claim { property, .. } => Some(property),
        _ => None,
    });
    let mut own = own.filter(|p| p.kind == kind && p.text == text);
    let rule = match (kind, text) {
        (PropertyKind::Memory, FREEABLE) => Rule::Free,
        (PropertyKind::Memory, WRITABLE) => Rule::Constant,
        (PropertyKind::Memory, _) => Rule::Access,
        _ => Rule::from(kind),
    };
    own.next()
        .cloned()
        .unwrap_or_else(|| Property::new(rule, text))
}

/// What is at an address.
#[derive(Clone)]
struct Place {
    name: String,
    size: u64,
    layout: Option<LayoutId>,
}

/// An event graph in which everything happens.
struct WitnessGraph<'p> {
    program: &'p Program,
    graph: EventGraph,
    /// By address of an object.
    places: BTreeMap<u64, Place>,
    /// By address of a location.
    cells: FxHashMap<u64, CellId>,
}

impl<'p> WitnessGraph<'p> {
    fn new(program: &'p Program, witness: &Witness) -> WitnessGraph<'p> {
        let mut made = WitnessGraph {
            program,
            graph: EventGraph::default(),
            places: places(program, witness),
            cells: FxHashMap::default(),
        };
        for (addr, place) in &made.places {
            let (name, size) = (place.name.clone(), place.size);
            made.graph.objects.insert(*addr, NamedObject { name, size });
        }
        for g in program.globals.ids() {
            made.graph.statics.push(program.static_address(g));
        }
        if witness.is_spurious {
            let fails = made.graph.terms.bool(true);
            made.graph.spurious.push(fails);
        }
        made.cells(witness);
        made.threads(witness);
        // Main is named last, as it mostly waits for the others.
        let waits = &mut made.graph.waits;
        waits.sort_by_key(|w| w.thread.index() == 0);
        made
    }

    /// The cells, with their initial writes.
    fn cells(&mut self, witness: &Witness) {
        for location in &witness.locations {
            let base = self.places.range(..=location.addr).next_back();
            let (base, place) = base.map_or((0, None), |(base, place)| (*base, Some(place)));
            let offset = location.addr - base;
            let layout = place.and_then(|p| p.layout);
            let kind = layout.map_or(ScalarKind::Integer, |layout| {
                let size = self.program.size_of(layout).max(1);
                self.program.scalar_kind(layout, offset % size)
            });
            let name = place.map_or(String::new(), |p| {
                p.name.clone() + &path(self.program, p, offset)
            });
            let cell = self.graph.cells.next_id();
            let init = WitnessEvent {
                kind: WitnessKind::Write,
                addr: location.addr,
                value: location.initial,
                order: ir::program::MemoryOrder::Plain,
                read: None,
                span: self.program.main_span(),
            };
            let init = self.event(
                &init,
                EventKind::Init,
                (None, Some(cell)),
                location.width,
                None,
            );
            self.cells.insert(location.addr, cell);
            self.graph.cells.push(Cell {
                name,
                addr: location.addr,
                width: location.width,
                kind,
                init,
                owner: None,
            });
        }
    }

    fn event(
        &mut self,
        event: &WitnessEvent,
        kind: EventKind,
        (thread, cell): (Option<ThreadId>, Option<CellId>),
        width: Width,
        rmw_read: Option<EventId>,
    ) -> EventId {
        let pointer = self.program.data_model.pointer_width();
        let terms = &mut self.graph.terms;
        let (guard, addr) = (terms.bool(true), terms.constant(event.addr, pointer));
        let value = terms.constant(event.value, width);
        self.graph.events.push(Event {
            kind,
            thread,
            guard,
            order: event.order,
            alternatives: Arc::new([]),
            addr,
            cells: cell.into_iter().collect(),
            value,
            addr_deps: Deps::default(),
            data_deps: Deps::default(),
            ctrl_deps: Deps::default(),
            rmw_read,
            conditional: false,
            group: None,
            span: event.span,
        })
    }

    /// What threads violate by themselves: properties of a kind, and assertions, behind which nothing races.
    fn violated(&mut self, witness: &Witness, kind: PropertyKind) {
        let [yes, no] = [true, false].map(|b| self.graph.terms.bool(b));
        let mut choices = 0usize;
        for (thread, of) in witness.threads.iter().enumerate() {
            let counts = |v: &Violated| [kind, PropertyKind::Assertion].contains(&v.kind);
            for violated in of.violated.iter().filter(|v| counts(v)) {
                let span = violated.span;
                self.graph.checks.push(Check {
                    property: property_at(self.program, violated.kind, span, &violated.text),
                    span,
                    thread: ThreadId::from_index(thread),
                    position: violated.position,
                    choices: choices.saturating_add(violated.taken),
                    guard: yes,
                    cond: no,
                });
            }
            choices += of.taken.len();
        }
    }

    fn threads(&mut self, witness: &Witness) {
        for (index, thread) in witness.threads.iter().enumerate() {
            let id = ThreadId::from_index(index);
            let mut events: Vec<EventId> = Vec::new();
            for event in &thread.events {
                let kind = match event.kind {
                    WitnessKind::Read(_) => EventKind::Read,
                    WitnessKind::Write => EventKind::Write,
                    WitnessKind::Lifetime(life) => EventKind::Lifetime(life),
                    WitnessKind::Fence(tag) => EventKind::Fence(tag),
                };
                let is_fence = matches!(kind, EventKind::Fence(_));
                let cell = self.cells.get(&event.addr).copied().filter(|_| !is_fence);
                let width = cell.map_or(32, |c| self.graph.cells[c].width);
                let read = event.read.map(|r| events[r]);
                events.push(self.event(event, kind, (Some(id), cell), width, read));
            }
            let proc = &self.program.procs[thread.proc];
            let terms = &mut self.graph.terms;
            let (guard, ended) = (terms.bool(true), terms.bool(thread.has_ended));
            self.graph.threads.push(Thread {
                name: proc.name.clone(),
                parent: thread.created.map(|(by, ..)| ThreadId::from_index(by)),
                created_after: thread.created.map_or(0, |(_, position, _)| position),
                guard,
                ended,
                events: events.clone(),
                span: thread.created.map_or(proc.span, |(.., span)| span),
                handle: thread.handle,
            });
            if let Some((reads, span)) = &thread.waits {
                self.graph.waits.push(Wait {
                    thread: id,
                    span: *span,
                    guard,
                    reads: reads.iter().map(|r| events[*r]).collect(),
                });
            }
            for taken in &thread.taken {
                let (what, span) = match taken.what {
                    TakenKind::Value {
                        number,
                        width,
                        span,
                    } => {
                        let value = self.graph.terms.constant(number, width);
                        (ChoiceKind::Value(value), Some(span))
                    }
                    TakenKind::Claim => (ChoiceKind::Claim, None),
                    TakenKind::Object { site, addr, bytes } => {
                        let pointer = self.program.data_model.pointer_width();
                        let bytes = self.graph.terms.constant(bytes, pointer);
                        (ChoiceKind::Object { site, addr, bytes }, None)
                    }
                };
                self.graph.choices.push(Choice {
                    thread: id,
                    guard,
                    what,
                    after: taken.position,
                    threads: 1 + taken.spawned,
                    span,
                });
            }
            for (joined, position) in &thread.joined {
                self.graph.joins.push(JoinEdge {
                    joined: ThreadId::from_index(*joined),
                    thread: id,
                    position: *position,
                    cond: guard,
                });
            }
            let own = thread.own.iter().map(|(g, addr)| (id, *g, *addr));
            self.graph.thread_locals.extend(own);
        }
    }

    /// Sources of reads, and writes in coherence order.
    fn choices(
        &self,
        witness: &Witness,
    ) -> (BTreeMap<EventId, EventId>, BTreeMap<u64, Vec<EventId>>) {
        let at = |(thread, position): EventPlace| {
            self.graph.threads[ThreadId::from_index(thread)].events[position]
        };
        let init = |addr: u64| self.graph.cells[self.cells[&addr]].init;
        let mut source = BTreeMap::new();
        for (thread, of) in witness.threads.iter().enumerate() {
            for (position, event) in of.events.iter().enumerate() {
                if let WitnessKind::Read(from) = event.kind {
                    let from = from.map_or_else(|| init(event.addr), at);
                    source.insert(at((thread, position)), from);
                }
            }
        }
        let orders = witness.locations.iter().map(|l| {
            let writes = l.writes.iter().map(|w| at(*w));
            (l.addr, [init(l.addr)].into_iter().chain(writes).collect())
        });
        (source, orders.collect())
    }
}

/// How the source writes what is at an offset of an object.
fn path(program: &Program, place: &Place, offset: u64) -> String {
    match place.layout {
        Some(layout) => {
            let size = program.size_of(layout).max(1);
            let inside = program.path(layout, offset % size);
            match place.size > size {
                true => format!("[{}]{inside}", offset / size),
                false => inside,
            }
        }
        None if offset == 0 => String::new(),
        None => format!("+{offset}"),
    }
}

/// The objects of an execution, by address.
fn places(program: &Program, witness: &Witness) -> BTreeMap<u64, Place> {
    let mut places = BTreeMap::new();
    for (id, proc) in program.procs.iter_enumerated() {
        let place = Place {
            name: proc.name.clone(),
            size: 0,
            layout: None,
        };
        places.insert(program.procedure_address(id), place);
    }
    let global = |g| {
        let global: &ir::program::Global = &program.globals[g];
        Place {
            name: global.name.clone(),
            size: program.size_of(global.layout),
            layout: Some(global.layout),
        }
    };
    for g in program.globals.ids() {
        places.insert(program.static_address(g), global(g));
    }
    for thread in &witness.threads {
        places.extend(thread.own.iter().map(|(g, addr)| (*addr, global(*g))));
        let mut times: FxHashMap<_, usize> = FxHashMap::default();
        for taken in &thread.taken {
            let TakenKind::Object { site, addr, bytes } = taken.what else {
                continue;
            };
            let proc = &program.procs[site.0];
            let Op::Alloc {
                storage, layout, ..
            } = &proc.body[site.1].op
            else {
                continue;
            };
            let time = times.entry(site).or_default();
            let name = match (storage, *time) {
                (Storage::Stack(name) | Storage::Process(name), 0) => name.clone(),
                (Storage::Stack(name) | Storage::Process(name), n) => format!("{name}#{n}"),
                (Storage::Heap, n) => format!("{}:heap#{n}", proc.name),
            };
            *time += 1;
            let place = Place {
                name,
                size: bytes,
                layout: *layout,
            };
            places.insert(addr, place);
        }
    }
    places
}
