//! From a model of the formula to a concrete execution, and its re-validation.
//!
//! Only three things are taken from the solver: the values of reads and of arbitrary values, which
//! write each read reads, and the order of writes. Everything else is computed again from the
//! event graph by evaluation: which events happen, addresses, written values, program order,
//! dependencies. Then the execution is judged by [`cat::eval`](mod@cat::eval), which shares no
//! code with the encoding. What does not fit is an internal error, never a verdict.

use crate::encode::Encoding;
use crate::relations::bounds::{event_tags, language_tags, read_order, read_tags};
use crate::unroll::event::{Event, EventGraph, EventId, EventKind, ThreadId};
use crate::unroll::term::{Term, TermId};
use base::bits::BitMatrix;
use base::idx::Id;
use cat::arch;
use cat::eval::Evaluator;
use cat::execution::{Access, AtomicGroup, Execution, ExecutionEvent};
use cat::model::{BaseRel, Model};
use ir::program::{MemoryOrder, PropertyKind};
use ir::sites::Site;
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One concrete execution of the unwound program.
pub struct Run<'a> {
    /// The program.
    pub graph: &'a EventGraph,
    /// Events that happened, ascending.
    pub events: Vec<EventId>,
    /// Addresses of accesses.
    pub addr: FxHashMap<EventId, u64>,
    /// Values read and written.
    pub value: FxHashMap<EventId, u64>,
    /// The indeterminate bits of values, where there may be some.
    pub shadow: FxHashMap<EventId, u64>,
    /// By read: the write it reads.
    pub source: BTreeMap<EventId, EventId>,
    /// By address: its writes in coherence order.
    pub coherence: BTreeMap<u64, Vec<EventId>>,
    leaves: FxHashMap<Term, u64>,
    memo: std::cell::RefCell<FxHashMap<TermId, u64>>,
}

/// The execution does not fit the program or the model: a bug of this tool.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Mismatch(pub String);

impl<'a> Run<'a> {
    /// Reads an execution off a model, given as the value of each literal.
    ///
    /// # Errors
    /// The values, sources or orders do not fit together.
    pub fn new(
        graph: &'a EventGraph,
        encoding: &Encoding,
        value: &dyn Fn(Lit) -> bool,
    ) -> Result<Run<'a>, Mismatch> {
        let mut leaves = FxHashMap::default();
        for id in graph.terms.ids() {
            let term = graph.terms.get(id);
            if matches!(term, Term::Read(_) | Term::Nondet(_)) {
                let bits = encoding.blaster.known(id);
                let bits = bits.map_or(0, |b| {
                    b.iter()
                        .rev()
                        .fold(0, |acc, l| acc << 1 | u64::from(value(*l)))
                });
                leaves.insert(term, bits);
            }
        }
        let mut run = Run::with(graph, leaves);
        run.sources(encoding, value)?;
        run.fits()?;
        run.orders(encoding, value)?;
        Ok(run)
    }

    /// The execution with these values of reads and arbitrary values, sources of reads, and writes in
    /// coherence order.
    ///
    /// # Errors
    /// They do not fit together.
    pub fn of(
        graph: &'a EventGraph,
        leaves: FxHashMap<Term, u64>,
        source: BTreeMap<EventId, EventId>,
        coherence: BTreeMap<u64, Vec<EventId>>,
    ) -> Result<Run<'a>, Mismatch> {
        let mut run = Run::with(graph, leaves);
        run.source = source;
        run.coherence = coherence;
        run.fits()?;
        let ordered = run.coherence.values().map(Vec::len).sum::<usize>();
        let writes = run.events.iter();
        let writes = writes.filter(|e| graph.events[**e].kind.writes()).count();
        match ordered == writes {
            true => Ok(run),
            false => Err(Mismatch("a write is not in coherence order".to_string())),
        }
    }

    fn with(graph: &'a EventGraph, leaves: FxHashMap<Term, u64>) -> Run<'a> {
        let mut run = Run {
            graph,
            events: Vec::new(),
            addr: FxHashMap::default(),
            value: FxHashMap::default(),
            shadow: FxHashMap::default(),
            source: BTreeMap::new(),
            coherence: BTreeMap::new(),
            leaves,
            memo: std::cell::RefCell::default(),
        };
        run.events = graph
            .events
            .ids()
            .filter(|e| run.holds(graph.events[*e].guard))
            .collect();
        for e in run.events.clone() {
            let event = &graph.events[e];
            run.addr.insert(e, run.eval(event.addr));
            run.value.insert(e, run.eval(event.value));
            if let Some(shadow) = graph.shadows.get(&e) {
                run.shadow.insert(e, run.eval(*shadow));
            }
        }
        run
    }

    /// The value of a term in this execution.
    pub fn eval(&self, term: TermId) -> u64 {
        let leaf = |t: Term| self.leaves.get(&t).copied().unwrap_or(0);
        self.graph
            .terms
            .eval(term, &mut self.memo.borrow_mut(), &leaf)
    }

    /// Whether a truth value holds in this execution.
    pub fn holds(&self, term: TermId) -> bool {
        self.eval(term) == 1
    }

    /// The indeterminate bits of what an event reads or writes.
    pub fn shadow_of(&self, e: EventId) -> u64 {
        self.shadow.get(&e).copied().unwrap_or(0)
    }

    /// Where an event that happened is among `events`.
    pub(super) fn position(&self, e: EventId) -> Option<usize> {
        self.events.binary_search(&e).ok()
    }

    /// Whether a check of this kind fails.
    pub fn violates(&self, kind: PropertyKind) -> bool {
        let mut checks = self.graph.checks.iter();
        checks.any(|c| c.property.kind == kind && self.holds(c.guard) && !self.holds(c.cond))
    }

    /// The memory order of an event: of the read of a read-modify-write, that of its write if that
    /// happened.
    pub fn order(&self, e: EventId) -> MemoryOrder {
        let events = &self.graph.events;
        let mut writes = self
            .events
            .iter()
            .filter(|w| events[**w].rmw_read == Some(e));
        self.chosen(writes.next().copied().unwrap_or(e)).order
    }

    /// An event as the one that the chosen order of its site makes it.
    fn chosen(&self, e: EventId) -> Cow<'a, Event> {
        let event = &self.graph.events[e];
        let mut alternatives = event.alternatives.iter();
        match alternatives.find(|alternative| self.holds(alternative.when)) {
            Some(alternative) => Cow::Owned(event.chosen(alternative)),
            None => Cow::Borrowed(event),
        }
    }

    /// The execution with other orders at sites where the order is open: the same accesses and values, with
    /// the fences that these orders bring along.
    ///
    /// # Errors
    /// What happens depends on the orders, which it never does.
    pub fn with_orders(&self, chosen: &BTreeMap<Site, MemoryOrder>) -> Result<Run<'a>, Mismatch> {
        let mut leaves = self.leaves.clone();
        for (site, ways) in &self.graph.open_orders {
            for (order, when) in ways {
                let is_chosen = chosen.get(site) == Some(order);
                leaves.insert(self.graph.terms.get(*when), u64::from(is_chosen));
            }
        }
        let (source, coherence) = (self.source.clone(), self.coherence.clone());
        Run::of(self.graph, leaves, source, coherence)
    }

    fn happened(&self, e: EventId) -> bool {
        self.position(e).is_some()
    }

    fn sources(
        &mut self,
        encoding: &Encoding,
        value: &dyn Fn(Lit) -> bool,
    ) -> Result<(), Mismatch> {
        for ((w, r), lit) in &encoding.rf {
            if !value(*lit) || !self.happened(*r) || !self.happened(*w) {
                continue;
            }
            if let Some(other) = self.source.insert(*r, *w) {
                return Err(Mismatch(format!("{r} reads from both {other} and {w}")));
            }
        }
        Ok(())
    }

    /// Every read reads what a write to its address wrote, and accesses are to cells of theirs.
    fn fits(&self) -> Result<(), Mismatch> {
        for (r, w) in &self.source {
            let of = |map: &FxHashMap<EventId, u64>| match (map.get(w), map.get(r)) {
                (Some(written), Some(read)) => written == read,
                _ => false,
            };
            let same = self.shadow_of(*r) == self.shadow_of(*w);
            if !of(&self.addr) || !of(&self.value) || !same {
                return Err(Mismatch(format!("{r} does not read what {w} wrote")));
            }
        }
        for e in &self.events {
            let event = &self.graph.events[*e];
            if event.kind == EventKind::Read && !self.source.contains_key(e) {
                return Err(Mismatch(format!("{e} reads from no write")));
            }
            if !event.cells.is_empty()
                && !event
                    .cells
                    .iter()
                    .any(|c| self.graph.cells[*c].addr == self.addr[e])
            {
                return Err(Mismatch(format!("{e} is outside of its cells")));
            }
        }
        Ok(())
    }

    fn orders(&mut self, encoding: &Encoding, value: &dyn Fn(Lit) -> bool) -> Result<(), Mismatch> {
        let mut writes: BTreeMap<u64, Vec<EventId>> = BTreeMap::new();
        for e in &self.events {
            if self.graph.events[*e].kind.writes() {
                writes.entry(self.addr[e]).or_default().push(*e);
            }
        }
        let program_order = self.program_order();
        let rank = |e: EventId| self.graph.events[e].kind.rank();
        for (address, mut list) in writes {
            let before = |a: EventId, b: EventId| {
                let (low, high) = (a.min(b), a.max(b));
                match encoding.co.get(&(low, high)) {
                    Some(lit) => value(*lit) == (a == low),
                    None if rank(a) != rank(b) => rank(a) < rank(b),
                    None => {
                        let places = self.position(a).zip(self.position(b));
                        places.is_some_and(|(a, b)| program_order.contains(a, b))
                    }
                }
            };
            let place = |a: EventId| list.iter().filter(|b| **b != a && before(**b, a)).count();
            let places: FxHashMap<EventId, usize> = list.iter().map(|e| (*e, place(*e))).collect();
            list.sort_by_key(|e| places[e]);
            if list.iter().enumerate().any(|(i, e)| places[e] != i) {
                return Err(Mismatch(format!(
                    "the writes to address {address:#x} are not in a total order"
                )));
            }
            self.coherence.insert(address, list);
        }
        Ok(())
    }

    /// Program order with creation and joins, over positions in `events`; transitive.
    pub fn program_order(&self) -> BitMatrix {
        let n = self.events.len();
        let mut po = BitMatrix::new(n);
        let at = |list: &[EventId]| -> Vec<usize> {
            list.iter().filter_map(|e| self.position(*e)).collect()
        };
        for (id, thread) in self.graph.threads.iter_enumerated() {
            let own = at(&thread.events);
            own.windows(2).for_each(|w| po.insert(w[0], w[1]));
            for a in self.before_thread(id) {
                own.iter().for_each(|b| po.insert(a, *b));
            }
        }
        let mut closed = po.plus();
        for join in self.graph.joins.iter().filter(|j| self.holds(j.cond)) {
            let joined = &self.graph.threads[join.joined];
            let later = at(&self.graph.threads[join.thread].events[join.position..]);
            let mut earlier = at(&joined.events);
            earlier.extend(self.before_thread(join.joined));
            for a in &earlier {
                later
                    .iter()
                    .filter(|b| a != *b)
                    .for_each(|b| closed.insert(*a, *b));
            }
            closed = closed.plus();
        }
        closed
    }

    /// What precedes the creation of a thread: a thread without events of its own still passes
    /// order on to its children.
    fn before_thread(&self, thread: ThreadId) -> Vec<usize> {
        let mut all = Vec::new();
        let mut thread = thread;
        while let Some(parent) = self.graph.threads[thread].parent {
            let before =
                &self.graph.threads[parent].events[..self.graph.threads[thread].created_after];
            all.extend(before.iter().filter_map(|e| self.position(*e)));
            thread = parent;
        }
        all
    }

    /// The events as an [`Execution`] takes them.
    ///
    /// # Errors
    /// The model does not know a fence.
    pub fn nodes(&self, model: &Model) -> Result<Vec<ExecutionEvent>, Mismatch> {
        // A locked compare-exchange is a read-modify-write also when it fails.
        let amo = |w: &&Event| arch::rmw_of(model.arch, w.order) == BaseRel::Amo;
        let writes = self.graph.events.iter().filter(amo);
        let locked: Vec<EventId> = writes.filter_map(|w| w.rmw_read).collect();
        // The order of what a read-modify-write did: of its write, if that happened.
        let stored = self.events.iter().filter_map(|w| {
            let write = self.chosen(*w);
            let said = match write.conditional {
                true => Cow::Borrowed(read_order(self.graph, &self.graph.events[*w])),
                false => write.clone(),
            };
            Some((write.rmw_read?, said))
        });
        let stored: BTreeMap<EventId, Cow<Event>> = stored.collect();
        let node = |e: &EventId| {
            let event = &*self.chosen(*e);
            let said = stored.get(e).map_or(event, |write| &**write);
            let tags = match stored.get(e) {
                Some(write) => read_tags(model, write),
                None => event_tags(model, event).map_err(|u| Mismatch(u.reason))?,
            };
            Ok(ExecutionEvent {
                access: match event.kind {
                    EventKind::Init => Access::Init,
                    EventKind::Read => Access::Read,
                    EventKind::Write | EventKind::Lifetime(_) => Access::Write,
                    EventKind::Fence(_) => Access::Fence,
                },
                thread: event.thread.map(|t| t.index() as u32),
                location: (!event.cells.is_empty()).then(|| self.addr[e]),
                value: (!matches!(event.kind, EventKind::Fence(_))).then(|| self.value[e]),
                tags: tags
                    .iter()
                    .chain(language_tags(said))
                    .copied()
                    .chain(locked.contains(e).then_some("RMW"))
                    .collect(),
                group: event.group.map(|g| AtomicGroup {
                    number: g.index() as u32,
                    kind: self.graph.groups[g].kind,
                }),
            })
        };
        self.events.iter().map(node).collect()
    }

    /// The execution for [`eval`](fn@cat::eval), over positions in `events`.
    ///
    /// # Errors
    /// The model does not know a fence.
    pub fn execution(&self, model: &Model) -> Result<Execution, Mismatch> {
        let n = self.events.len();
        let nodes = self.nodes(model)?;
        let mut rels: BTreeMap<BaseRel, BitMatrix> = BTreeMap::new();
        for rel in [
            BaseRel::Rf,
            BaseRel::Co,
            BaseRel::Addr,
            BaseRel::Data,
            BaseRel::Ctrl,
            BaseRel::Amo,
            BaseRel::Lxsx,
        ] {
            rels.insert(rel, BitMatrix::new(n));
        }
        let add = |rels: &mut BTreeMap<BaseRel, BitMatrix>, rel: BaseRel, a: usize, b: usize| {
            if let Some(m) = rels.get_mut(&rel) {
                m.insert(a, b);
            }
        };
        for (i, e) in self.events.iter().enumerate() {
            let event = &self.graph.events[*e];
            let deps = [
                (BaseRel::Addr, &event.addr_deps),
                (BaseRel::Data, &event.data_deps),
                (BaseRel::Ctrl, &event.ctrl_deps),
            ];
            for (rel, deps) in deps {
                for (read, cond) in deps.iter() {
                    let reported = self.graph.events[*read].kind == EventKind::Write;
                    if reported && !arch::store_reports(model.arch) {
                        continue;
                    }
                    if let Some(a) = self.position(*read).filter(|_| self.holds(*cond)) {
                        add(&mut rels, rel, a, i);
                    }
                }
            }
            if let Some(a) = event.rmw_read.and_then(|r| self.position(r)) {
                add(&mut rels, arch::rmw_of(model.arch, event.order), a, i);
            }
            if let Some(w) = self.source.get(e).and_then(|w| self.position(*w)) {
                add(&mut rels, BaseRel::Rf, w, i);
            }
        }
        for list in self.coherence.values() {
            let list: Vec<usize> = list.iter().filter_map(|w| self.position(*w)).collect();
            for (i, a) in list.iter().enumerate() {
                list[i + 1..]
                    .iter()
                    .for_each(|b| add(&mut rels, BaseRel::Co, *a, *b));
            }
        }
        rels.insert(BaseRel::Po, self.program_order());
        Ok(Execution::new(&nodes, rels))
    }

    /// No thread sees anything of another thread's atomic section that does not end.
    fn sections_end(&self) -> Result<(), Mismatch> {
        let graph = self.graph;
        for unseen in graph.unseen.iter().filter(|u| self.holds(u.when)) {
            let w = unseen.write;
            let is_other = |e: &&EventId| graph.events[**e].thread != graph.events[w].thread;
            let readers = self.source.iter().filter(|(_, from)| **from == w);
            let order = self.coherence.get(&self.addr[&w]).into_iter().flatten();
            let later = order.skip_while(|e| **e != w);
            let mut seen = readers.map(|(r, _)| r).chain(later).filter(is_other);
            if let Some(other) = seen.next() {
                let text = format!("{other} comes after {w}, whose section does not end");
                return Err(Mismatch(text));
            }
        }
        Ok(())
    }

    /// Judges the execution by the model's axioms.
    ///
    /// # Errors
    /// An axiom forbids it: the encoding and the evaluator disagree.
    pub fn validate(&self, evaluator: &Evaluator) -> Result<Execution, Mismatch> {
        let model = evaluator.model;
        self.sections_end()?;
        let execution = self.execution(model)?;
        evaluator.eval(&execution).map_err(|violation| {
            let axiom = &model.axioms[violation.axiom].name;
            let cycle: Vec<String> = violation
                .cycle
                .iter()
                .map(|i| self.events[*i].to_string())
                .collect();
            Mismatch(format!(
                "the execution found violates `{axiom}` of {}: {}",
                model.name,
                cycle.join(" -> ")
            ))
        })?;
        Ok(execution)
    }
}
