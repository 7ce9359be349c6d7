//! The state of one pass of symbolic execution, the evaluation of expressions, and the comparison
//! of what happened with what was assumed.

use super::access_log::AccessLog;
use super::allocation::Allocations;
use super::analysis::Analysis;
use super::assumed::Assumed;
use super::cells::Cells;
use super::deferred::Deferred;
use super::deps::DepSets;
use super::event::*;
use super::held::Mutexes;
use super::instances::Threads;
use super::loop_log::LoopLog;
use super::memory::*;
use super::options::UnrollOptions;
use super::placed::Placements;
use super::pointees::Pointees;
use super::points_to::PointsTo;
use super::progress::Progress;
use super::state::*;
use super::term::{TermId, Terms};
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(super) struct Executor<'a> {
    pub(super) program: &'a Program,
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) options: &'a UnrollOptions,
    pub(super) progress: Progress<'a>,
    pub(super) facts: &'a mut Facts,
    pub(super) graph: EventGraph,
    pub(super) deps: DepSets,
    pub(super) cells: Cells,
    pub(super) pointees: Pointees,
    pub(super) accesses: AccessLog,
    pub(super) threads: Threads,
    pub(super) loops: LoopLog,
    pub(super) deferred: Deferred,
    pub(super) allocations: Allocations,
    /// Which objects are in the place of others.
    pub(super) placements: Placements,
    pub(super) assumed: Assumed,
    /// Which mutexes paths hold.
    pub(super) mutexes: Mutexes,
}

impl<'a> Executor<'a> {
    /// Nothing has been executed.
    pub(super) fn new(
        program: &'a Program,
        main: ProcId,
        analysis: &'a Analysis<'a>,
        options: &'a UnrollOptions,
        facts: &'a mut Facts,
        interrupt: &'a dyn Fn() -> bool,
    ) -> Executor<'a> {
        Executor {
            program,
            analysis,
            options,
            progress: Progress::new(main, interrupt),
            graph: EventGraph::default(),
            deps: DepSets::new(),
            cells: Cells::default(),
            pointees: Pointees::default(),
            accesses: AccessLog::default(),
            threads: Threads::default(),
            assumed: Assumed::new(facts),
            mutexes: Mutexes::default(),
            loops: LoopLog::default(),
            deferred: Deferred::default(),
            allocations: Allocations::default(),
            placements: Placements::default(),
            facts,
        }
    }
}

impl Executor<'_> {
    pub(super) fn terms(&mut self) -> &mut Terms {
        &mut self.graph.terms
    }

    /// The events of the current thread so far. What main is called with is there before it.
    pub(super) fn events(&self) -> &[EventId] {
        let thread = self.graph.threads.get(self.threads.current());
        thread.map_or(&[], |t| &t.events)
    }

    pub(super) fn position(&self) -> usize {
        self.events().len()
    }

    pub(super) fn constant(&mut self, value: u64, width: Width) -> SymbolicValue {
        SymbolicValue {
            term: self.graph.terms.constant(value, width),
            deps: DepSets::EMPTY,
            shadow: None,
        }
    }

    pub(super) fn nondet(&mut self, width: Width) -> SymbolicValue {
        SymbolicValue {
            term: self.graph.terms.nondet(width),
            deps: DepSets::EMPTY,
            shadow: None,
        }
    }

    /// An arbitrary value, taken by the instruction the thread is at.
    pub(super) fn choice(&mut self, guard: TermId, width: Width) -> SymbolicValue {
        let any = self.nondet(width);
        self.record_choice(guard, ChoiceKind::Value(any.term));
        any
    }

    /// The same, where the program says so.
    pub(super) fn choice_at(&mut self, guard: TermId, width: Width, span: Span) -> SymbolicValue {
        let any = self.nondet(width);
        self.record_choice_at(guard, ChoiceKind::Value(any.term), Some(span));
        any
    }

    pub(super) fn record_choice(&mut self, guard: TermId, what: ChoiceKind) {
        self.record_choice_at(guard, what, None);
    }

    fn record_choice_at(&mut self, guard: TermId, what: ChoiceKind, span: Option<Span>) {
        if !self.graph.terms.is_false(guard) {
            self.graph.choices.push(Choice {
                thread: self.threads.current(),
                guard,
                what,
                after: self.position(),
                threads: self.graph.threads.len(),
                span,
            });
        }
    }

    /// The value of an observable so far.
    pub(super) fn observed(&mut self, what: ObservableId) -> TermId {
        let width = self.program.observables[what].width();
        let zero = self.graph.terms.constant(0, width);
        self.deferred.observed(what).unwrap_or(zero)
    }

    /// The final values of observables. Memory that is asked for counts as shared.
    pub(super) fn finals(&mut self) {
        for (id, observable) in self.program.observables.iter_enumerated() {
            let last = match observable {
                Observable::Register { .. } => Final::Value(self.observed(id)),
                Observable::Memory {
                    global,
                    offset,
                    width,
                } => {
                    let object = self.global_object(*global);
                    let span = self.program.globals[*global].span;
                    let places = [(object, *offset)];
                    let bytes = u64::from(*width) / 8;
                    let piece = self.facts.piece(self.program, &places, bytes);
                    if piece == bytes {
                        let slot = self.facts.slot(object, *offset, *width);
                        self.facts.share(slot);
                        Final::Cell(self.cell(slot, span))
                    } else {
                        let always = self.graph.terms.bool(true);
                        let name = &self.facts.objects[object].name;
                        let reason =
                            format!("the final value of `{name}`, of which parts are accessed");
                        self.unsupported(always, span, reason);
                        Final::Value(self.observed(id))
                    }
                }
            };
            self.graph.finals.push(last);
        }
    }

    pub(super) fn unsupported(&mut self, guard: TermId, span: Span, reason: String) {
        if !self.graph.terms.is_false(guard) {
            self.graph.unsupported.push(Unsupported {
                reason,
                span,
                guard,
            });
        }
    }

    pub(super) fn eval_static(&mut self, e: &Expr) -> SymbolicValue {
        let none = Rc::new(Vec::new());
        self.eval(e, &none)
    }

    pub(super) fn eval(
        &mut self,
        e: &Expr,
        locals: &Rc<Vec<Option<SymbolicValue>>>,
    ) -> SymbolicValue {
        let pointer = self.program.data_model.pointer_width();
        match e {
            Expr::Const { value, width } => self.constant(*value, *width),
            Expr::Local(l) => {
                locals
                    .get(l.index())
                    .copied()
                    .flatten()
                    .unwrap_or_else(|| SymbolicValue {
                        term: self.graph.terms.constant(0, 1),
                        deps: DepSets::EMPTY,
                        shadow: None,
                    })
            }
            Expr::Global(g) => {
                let object = self.global_object(*g);
                let address = self.facts.address(object, 0);
                self.constant(address, pointer)
            }
            Expr::Proc(p) => {
                let object = self
                    .facts
                    .find(&ObjKind::Proc(*p))
                    .expect("procedures are interned first");
                let address = self.facts.address(object, 0);
                self.constant(address, pointer)
            }
            Expr::Unary(op, a) => {
                let a = self.eval(a, locals);
                let term = match op {
                    UnOp::Not => self.terms().not(a.term),
                    UnOp::Neg => {
                        let width = self.terms().width(a.term);
                        let zero = self.terms().constant(0, width);
                        self.terms().binary(BinOp::Sub, zero, a.term)
                    }
                    UnOp::Float(function) => self.terms().float(*function, a.term),
                };
                let shadow = self.shadow_unary(*op, a);
                SymbolicValue { term, shadow, ..a }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, locals), self.eval(b, locals));
                let deps = self.deps.union(a.deps, b.deps, &mut self.graph.terms);
                SymbolicValue {
                    term: self.binary(*op, a.term, b.term),
                    deps,
                    shadow: self.shadow_binary(*op, a, b),
                }
            }
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (
                    self.eval(c, locals),
                    self.eval(a, locals),
                    self.eval(b, locals),
                );
                let deps = self.deps.union(a.deps, b.deps, &mut self.graph.terms);
                let deps = self.deps.union(deps, c.deps, &mut self.graph.terms);
                SymbolicValue {
                    term: self.terms().ite(c.term, a.term, b.term),
                    deps,
                    shadow: self.shadow_choice(c, a, b),
                }
            }
            Expr::Cast(cast, width, a) => {
                let a = self.eval(a, locals);
                let term = match cast {
                    Cast::Zero => self.terms().extend(a.term, *width, false),
                    Cast::Sign => self.terms().extend(a.term, *width, true),
                    Cast::Truncate => self.terms().truncate(a.term, *width),
                    Cast::FromSigned
                    | Cast::FromUnsigned
                    | Cast::ToSigned
                    | Cast::ToUnsigned
                    | Cast::Float => self.terms().convert(*cast, a.term, *width),
                };
                let shadow = self.shadow_cast(*cast, a, *width);
                SymbolicValue { term, shadow, ..a }
            }
        }
    }

    /// The objects a value may be the address of.
    pub(super) fn points_to(&mut self, value: TermId) -> Rc<PointsTo> {
        self.pointees.of(self.facts, &self.graph.terms, value)
    }

    pub(super) fn global_object(&mut self, g: GlobalId) -> ObjId {
        let shared = self
            .facts
            .find(&ObjKind::Global(g, None))
            .expect("static objects are interned first");
        if !self.program.globals[g].thread_local {
            return shared;
        }
        let object = self.facts.objects[shared].clone();
        let kind = ObjKind::Global(g, Some(self.threads.key()));
        let own = self.facts.intern(Object { kind, ..object });
        let known = (self.threads.current(), g, self.facts.address(own, 0));
        if !self.graph.thread_locals.contains(&known) {
            self.graph.thread_locals.push(known);
        }
        own
    }

    /// The registers of a procedure as it begins. Those that some path reads before it sets them
    /// have an arbitrary value.
    pub(super) fn registers(
        &mut self,
        id: ProcId,
        args: Vec<SymbolicValue>,
        guard: TermId,
    ) -> Vec<Option<SymbolicValue>> {
        let proc = &self.program.procs[id];
        let flow = self.analysis.flow(id);
        let mut locals = vec![None; proc.locals.len()];
        for (param, arg) in proc.params.iter().zip(args) {
            locals[param.index()] = Some(arg);
        }
        for (local, decl) in proc.locals.iter_enumerated() {
            if locals[local.index()].is_none() && flow.is_live(0, local) {
                let any = self.nondet(decl.width);
                let any = self.tainted(any);
                self.record_choice(guard, ChoiceKind::Register(id, local, any.term));
                locals[local.index()] = Some(any);
            }
        }
        locals
    }

    /// The procedures a call may run, each with the condition that it is the one.
    pub(super) fn callees(
        &mut self,
        callee: &Callee,
        frame: &Frame,
        span: Span,
    ) -> Vec<(ProcId, TermId)> {
        match callee {
            Callee::Proc(p) => vec![(*p, self.graph.terms.bool(true))],
            Callee::Pointer(e) => {
                let target = self.eval(e, &frame.locals);
                let objects = self.points_to(target.term);
                let mut out = Vec::new();
                for object in objects.objects.keys() {
                    if let ObjKind::Proc(p) = self.facts.objects[*object].kind {
                        let address = self.facts.address(*object, 0);
                        let width = self.program.data_model.pointer_width();
                        let address = self.graph.terms.constant(address, width);
                        let here = self.graph.terms.eq(target.term, address);
                        if !self.graph.terms.is_false(here) {
                            out.push((p, here));
                        }
                    }
                }
                let conds: Vec<TermId> = out.iter().map(|(_, c)| *c).collect();
                let covered = self.graph.terms.any(&conds);
                if !self.graph.terms.is_true(covered) {
                    self.unresolved_call(frame.state.guard, target.term, covered, span);
                    self.graph.checks.push(Check {
                        property: Property::new(
                            Rule::Access,
                            "the called address is that of a function",
                        ),
                        span,
                        thread: self.threads.current(),
                        position: self.position(),
                        choices: self.graph.choices.len(),
                        guard: frame.state.guard,
                        cond: covered,
                    });
                }
                out
            }
        }
    }

    pub(super) fn merge(&mut self, mut a: State, mut b: State) -> (State, TermId) {
        let span = self.graph.threads[self.threads.current()].span;
        self.flush(&mut a, span);
        self.flush(&mut b, span);
        if a.group != b.group {
            // Where only one path is inside, the other goes on as usual.
            let guard = match (a.group, b.group) {
                (_, None) => a.guard,
                (None, _) => b.guard,
                _ => self.graph.terms.or(a.guard, b.guard),
            };
            a.group = a.group.and(b.group);
            self.unsupported(
                guard,
                span,
                "an atomic section that is open on only one of two joining paths".to_string(),
            );
        }
        // The initial values are needed for slots that one path has not written.
        let is_missing = |s: &SlotId| a.memory.get(*s).is_none() || b.memory.get(*s).is_none();
        let slots = a.memory.unshared(&b.memory).into_iter();
        let missing = slots.filter(is_missing);
        let values: FxHashMap<SlotId, SymbolicValue> =
            missing.map(|s| (s, self.initial_value(s))).collect();
        merge_states(&mut self.graph.terms, &mut self.deps, a, b, &mut |_, s| {
            values[&s]
        })
    }

    /// Compares what happened with what was assumed, and refines the assumptions.
    pub(super) fn refine_assumptions(&mut self) {
        if self.assumed.is_contradicted(self.facts) {
            self.facts.contradict();
        }
        self.lifetimes_that_matter();
        for (slot, by) in self.accesses.by_thread() {
            let conflict = by.iter().any(|(writer, wrote)| {
                wrote.is_some_and(|when| {
                    by.keys().any(|other| {
                        other != writer && !self.threads.has_inherited(*writer, when, *other)
                    })
                })
            });
            if conflict {
                self.facts.contend(slot);
            }
        }
        for (cell, slot) in self.cells.iter() {
            let owner = self.facts.only_writer(slot);
            self.graph.cells[cell].owner = owner.and_then(|key| self.threads.find(key));
        }
        for (slot, by) in self.accesses.writers() {
            self.facts.note_writers(slot, by);
        }
        let pointer = self.program.data_model.pointer_width();
        for id in self.graph.events.ids() {
            let event = &self.graph.events[id];
            if !event.kind.writes() || self.graph.terms.width(event.value) != pointer {
                continue;
            }
            let value = self.points_to(event.value);
            for cell in &self.graph.events[id].cells {
                self.facts.note_contents(self.cells.slot(*cell), &value);
            }
        }
    }
}
