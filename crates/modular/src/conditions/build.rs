//! The program of conditions as it is put together: registers, places to jump to, what becomes arbitrary and what
//! is asserted.

use super::obligations::{Invariants, Obligations};
use crate::answer::Unproved;
use crate::candidates::{Scope, Term};
use crate::cells::{CellId, Guard};
use crate::flow::returned;
use crate::graph::NodeId;
use crate::points_to::Class;
use crate::state::Register;
use crate::threads::Point;
use crate::value::{At, KindId};
use base::idx::{Id, IdVec};
use base::source::Span;
use ir::program::{
    BinOp, Expr, Instr, Local, LocalId, MemoryOrder, Op, Proc, Program, Property, Rule, UnOp, Width,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Registers for an object that an allocation makes.
#[derive(Clone, Copy)]
pub(super) struct Object {
    pub(super) address: LocalId,
    pub(super) size: LocalId,
    pub(super) exists: LocalId,
}

/// Builds the program of conditions.
pub(super) struct Build<'a> {
    pub(super) of: &'a Obligations<'a>,
    /// Candidates that are looked at, by scope.
    kept: BTreeMap<Scope, Vec<usize>>,
    /// Where that is an input: whether a candidate is assumed.
    assumed: BTreeMap<usize, LocalId>,
    locals: IdVec<LocalId, Local>,
    body: Vec<Instr>,
    registers: FxHashMap<(KindId, Register), LocalId>,
    /// What registers had where loops were entered.
    pub(super) entered: FxHashMap<(KindId, NodeId, Register), LocalId>,
    /// Where objects are, how large, and whether they still exist.
    objects: BTreeMap<At, Object>,
    /// Where the code of points begins.
    begins: FxHashMap<(KindId, NodeId), usize>,
    /// Jumps to points, by instruction.
    jumps: Vec<(usize, (KindId, NodeId))>,
    /// Whether main has started other threads and not joined all of them.
    company: LocalId,
    /// The handle of the thread that a kind's code stands for.
    pub(super) handles: FxHashMap<KindId, LocalId>,
    pub(super) span: Span,
}

impl Obligations<'_> {
    /// The conditions. That a candidate is an invariant is an assertion with the text [`Obligations::holds`]; where
    /// invariants are searched, that it is assumed is one with the text [`Obligations::is_assumed`].
    ///
    /// # Errors
    /// What is not supported.
    pub fn conditions(&self, invariants: Invariants) -> Result<Program, Unproved> {
        Build::new(self, invariants).all()
    }
}

impl<'a> Build<'a> {
    pub(super) fn new(of: &'a Obligations<'a>, invariants: Invariants) -> Build<'a> {
        let mut locals = IdVec::default();
        let mut local = |name: &str| {
            let name = name.to_string();
            locals.push(Local { name, width: 1 })
        };
        let company = local("company");
        let mut kept: BTreeMap<Scope, Vec<usize>> = BTreeMap::new();
        let mut assumed = BTreeMap::new();
        for (i, candidate) in of.candidates.iter().enumerate() {
            match invariants {
                Invariants::Searched => _ = assumed.insert(i, local("assumed")),
                Invariants::Known(known) if !known.contains(&i) => continue,
                Invariants::Known(_) => {}
            }
            kept.entry(candidate.scope).or_default().push(i);
        }
        Build {
            of,
            kept,
            assumed,
            locals,
            company,
            body: Vec::new(),
            registers: FxHashMap::default(),
            entered: FxHashMap::default(),
            objects: BTreeMap::new(),
            begins: FxHashMap::default(),
            jumps: Vec::new(),
            handles: FxHashMap::default(),
            span: of.program.main_span(),
        }
    }

    /// The whole program.
    pub(super) fn all(mut self) -> Result<Program, Unproved> {
        let main = self
            .of
            .program
            .main
            .expect("a program that runs has a main");
        let params: Vec<LocalId> = self.of.program.procs[main].params.clone();
        let frame = crate::graph::FrameId(0);
        let params: Vec<LocalId> = params
            .into_iter()
            .map(|p| self.register(KindId(0), (frame, p)))
            .collect();
        for (candidate, local) in self.assumed.clone() {
            self.push(Op::Havoc { dst: local });
            let text = self.of.is_assumed(candidate);
            self.push(Op::Assert {
                cond: Expr::Local(local),
                property: Property::new(Rule::Assertion, text),
            });
        }
        self.set_company(Expr::constant(0, 1));
        for kind in self.of.analysis.threads.kinds.ids() {
            self.thread(kind)?;
        }
        let end = self.body.len();
        for (at, to) in std::mem::take(&mut self.jumps) {
            let to = self.begins.get(&to).copied().unwrap_or(end);
            match &mut self.body[at].op {
                Op::Goto { target, .. } => *target = to,
                _ => unreachable!("a jump"),
            }
        }
        let mut program = self.of.program.clone();
        program.procs[main] = Proc {
            params,
            locals: self.locals,
            body: self.body,
            returns: None,
            ..program.procs[main].clone()
        };
        Ok(program)
    }

    /// Where the code of a point begins.
    pub(super) fn begin(&mut self, kind: KindId, node: NodeId) {
        self.begins.insert((kind, node), self.body.len());
    }

    /// Adds an instruction.
    pub(super) fn push(&mut self, op: Op) {
        let span = self.span;
        self.body.push(Instr { span, op });
    }

    /// A jump to a point.
    pub(super) fn jump(&mut self, to: (KindId, NodeId)) {
        self.jumps.push((self.body.len(), to));
        self.push(Op::Goto {
            cond: None,
            target: 0,
        });
    }

    /// Skips what comes until [`Build::land`] if a condition holds.
    pub(super) fn skip_if(&mut self, cond: Expr) -> usize {
        self.push(Op::Goto {
            cond: Some(cond),
            target: 0,
        });
        self.body.len() - 1
    }

    /// Where [`Build::skip_if`] goes on.
    pub(super) fn land(&mut self, from: usize) {
        let here = self.body.len();
        match &mut self.body[from].op {
            Op::Goto { target, .. } => *target = here,
            _ => unreachable!("a jump"),
        }
    }

    /// A new register.
    pub(super) fn fresh(&mut self, width: Width) -> LocalId {
        let name = String::new();
        self.locals.push(Local { name, width })
    }

    /// An arbitrary value.
    pub(super) fn any(&mut self, width: Width) -> LocalId {
        let dst = self.fresh(width);
        self.push(Op::Havoc { dst });
        dst
    }

    /// The register of the program for one of a thread's.
    pub(super) fn register(&mut self, kind: KindId, register: Register) -> LocalId {
        if let Some(local) = self.registers.get(&(kind, register)) {
            return *local;
        }
        let graph = &self.of.analysis.threads.graphs[kind];
        let proc = &self.of.program.procs[graph.frames[register.0].proc];
        let local = match register == returned(register.0) {
            true => Local {
                name: String::new(),
                width: proc.returns.unwrap_or(64),
            },
            false => proc.locals[register.1].clone(),
        };
        let id = self.locals.push(local);
        self.registers.insert((kind, register), id);
        id
    }

    pub(super) fn width(&self, local: LocalId) -> Width {
        self.locals[local].width
    }

    /// The registers of an object.
    pub(super) fn object(&mut self, at: At) -> Object {
        if let Some(object) = self.objects.get(&at) {
            return *object;
        }
        let pointer = self.of.program.data_model.pointer_width();
        let object = Object {
            address: self.fresh(pointer),
            size: self.fresh(pointer),
            exists: self.fresh(1),
        };
        self.objects.insert(at, object);
        object
    }

    /// The address of a place in an object that is there once.
    pub(super) fn place(&mut self, class: Class, offset: u64) -> Expr {
        let base = match class {
            Class::Global(g) => Expr::Global(g),
            Class::Object(at) => Expr::Local(self.object(at).address),
            Class::ThreadLocal(..) => unreachable!("no thread-local object is there once"),
        };
        let offset = Expr::constant(offset, self.of.program.data_model.pointer_width());
        Expr::binary(BinOp::Add, base, offset)
    }

    /// The address of a cell.
    pub(super) fn address(&mut self, cell: CellId) -> Expr {
        let cell = &self.of.cells.cells[cell];
        self.place(cell.class, cell.offset)
    }

    /// Main has other threads beside it, or none, from here on.
    pub(super) fn set_company(&mut self, value: Expr) {
        let dst = self.company;
        self.push(Op::Assign { dst, value });
    }

    /// That other threads may run, where that is not certain.
    fn company(&self, kind: KindId) -> Option<Expr> {
        (kind.index() == 0).then_some(Expr::Local(self.company))
    }

    /// A cell's value becomes arbitrary.
    pub(super) fn forget(&mut self, cell: CellId) {
        let value = self.any(self.of.cells.cells[cell].width);
        self.store(cell, Expr::Local(value));
    }

    /// A cell's value becomes arbitrary, if there are other threads.
    fn forget_in_company(&mut self, cell: CellId, kind: KindId) {
        let Some(company) = self.company(kind) else {
            return self.forget(cell);
        };
        let any = Expr::Local(self.any(self.of.cells.cells[cell].width));
        let now = Expr::Local(self.load(cell));
        self.store(
            cell,
            Expr::Ite(Box::new(company), Box::new(any), Box::new(now)),
        );
    }

    fn load(&mut self, cell: CellId) -> LocalId {
        let dst = self.fresh(self.of.cells.cells[cell].width);
        let addr = self.address(cell);
        self.push(Op::Load {
            dst,
            addr,
            order: MemoryOrder::Plain,
        });
        dst
    }

    fn store(&mut self, cell: CellId, value: Expr) {
        let addr = self.address(cell);
        self.push(Op::Store {
            addr,
            value,
            order: MemoryOrder::Plain,
        });
    }

    /// The candidates of a scope that are kept, as conditions.
    fn instances(&mut self, scope: Scope) -> Vec<(usize, Expr)> {
        let all = self.kept.get(&scope).cloned().unwrap_or_default();
        let mut terms: BTreeMap<Term, LocalId> = BTreeMap::new();
        let mut out = Vec::new();
        for candidate in all {
            let of = &self.of.candidates[candidate];
            for term in &of.terms {
                if terms.contains_key(term) {
                    continue;
                }
                let local = match (term, scope) {
                    (Term::Cell(cell), _) => self.load(*cell),
                    (Term::Register(register), Scope::Loop(kind, _)) => {
                        self.register(kind, *register)
                    }
                    (Term::Entered(register), Scope::Loop(kind, header)) => {
                        self.entered[&(kind, header, *register)]
                    }
                    (Term::Register(_) | Term::Entered(_), _) => {
                        unreachable!("registers are of loops")
                    }
                };
                terms.insert(*term, local);
            }
            let mut instance = |l: LocalId| Expr::Local(terms[&of.terms[l.index()]]);
            out.push((candidate, of.condition.with_locals(&mut instance)));
        }
        out
    }

    /// Asserts what is kept for a scope, unless something holds.
    pub(super) fn assert(&mut self, scope: Scope, unless: Option<Expr>) {
        for (candidate, cond) in self.instances(scope) {
            let property = Property::new(Rule::Assertion, self.of.holds(candidate));
            let cond = or(unless.clone(), cond);
            self.push(Op::Assert { cond, property });
        }
    }

    /// Takes for granted what is kept for a scope, unless something holds.
    pub(super) fn assume(&mut self, scope: Scope, unless: Option<Expr>) {
        for (candidate, cond) in self.instances(scope) {
            let is_not = self.assumed.get(&candidate).map(|l| not(Expr::Local(*l)));
            self.push(Op::Assume(or(unless.clone(), or(is_not, cond))));
        }
    }

    /// That there are no other threads, where there may be none.
    fn alone(&self, kind: KindId) -> Option<Expr> {
        self.company(kind).map(not)
    }

    /// A cell has a value that somebody has written.
    pub(super) fn refresh(&mut self, cell: CellId, kind: KindId) {
        self.forget_in_company(cell, kind);
        self.assume_written(cell, kind);
    }

    /// A thread reads a cell that others may write, in no atomic section: no other thread is in one then. So what holds
    /// outside of sections holds of what the cells have at once.
    pub(super) fn see_outside_of_sections(&mut self, kind: KindId, point: &Point) {
        let cells = &self.of.cells;
        let is_seen = |cell: &CellId| {
            cells.cells[*cell].guard == Some(Guard::Section) && !cells.is_stable(*cell, kind, point)
        };
        let seen: Vec<CellId> = cells.cells.ids().filter(is_seen).collect();
        for cell in &seen {
            self.forget_in_company(*cell, kind);
        }
        for cell in seen {
            self.assume_written(cell, kind);
        }
        self.assume(Scope::Guard(Guard::Section), self.alone(kind));
    }

    /// If there are other threads, a cell has a value that a thread has written since there are.
    pub(super) fn assume_written(&mut self, cell: CellId, kind: KindId) {
        self.assume(Scope::Cell(cell), self.alone(kind));
    }

    /// A thread has written a cell.
    pub(super) fn written(&mut self, cell: CellId, kind: KindId) {
        self.assert(Scope::Cell(cell), self.alone(kind));
    }

    fn guards(&self) -> BTreeSet<Guard> {
        self.of.cells.cells.iter().filter_map(|c| c.guard).collect()
    }

    /// What a thread gives away and what it is given between two points.
    pub(super) fn between(&mut self, kind: KindId, p: &Point, q: &Point) {
        let cells = &self.of.cells;
        let (before, behind) = (cells.held(p), cells.held(q));
        for guard in before.difference(&behind) {
            self.assert(Scope::Guard(*guard), self.alone(kind));
        }
        self.see((kind, p), (kind, q));
        if cells.is_alone((kind, &q.started)) && !cells.is_alone((kind, &p.started)) {
            self.set_company(Expr::constant(0, 1));
        }
    }

    /// Cells that become stable have values that somebody has written, from one point to the next, of a thread or
    /// of one that it creates.
    pub(super) fn see(&mut self, (a, p): (KindId, &Point), (b, q): (KindId, &Point)) {
        let cells = &self.of.cells;
        let mut changed = BTreeSet::new();
        for cell in cells.cells.ids() {
            if !cells.is_stable(cell, a, p) && cells.is_stable(cell, b, q) {
                self.forget_in_company(cell, a);
                changed.insert(cell);
            }
        }
        for cell in &changed {
            self.assume_written(*cell, a);
        }
        let (before, behind) = (cells.held_or_seen(p), cells.held_or_seen(q));
        let is_alone = cells.is_alone((b, &q.started));
        for guard in self.guards() {
            let mut guarded = changed.iter().map(|c| cells.cells[*c].guard);
            // A flag may never have been raised when the other threads have ended.
            let is_alone = is_alone && !matches!(guard, Guard::Flag(_));
            let takes = !before.contains(&guard) && (behind.contains(&guard) || is_alone);
            if takes && guarded.any(|g| g == Some(guard)) {
                self.assume(Scope::Guard(guard), self.alone(a));
            }
        }
    }

    /// A thread has started another one.
    pub(super) fn start(&mut self, kind: KindId, point: &Point) {
        let Some(company) = self.company(kind) else {
            return;
        };
        let held = self.of.cells.held(point);
        for guard in self.guards() {
            if !held.contains(&guard) && !matches!(guard, Guard::Flag(_)) {
                self.assert(Scope::Guard(guard), Some(company.clone()));
            }
        }
        for cell in self.of.cells.cells.ids() {
            self.assert(Scope::Cell(cell), Some(company.clone()));
        }
        self.set_company(Expr::constant(1, 1));
    }

    /// The thread ends with all locks that it has.
    pub(super) fn end_of_thread(&mut self, point: &Point) {
        for guard in self.of.cells.held(point) {
            self.assert(Scope::Guard(guard), None);
        }
    }
}

fn not(expr: Expr) -> Expr {
    Expr::Unary(UnOp::Not, Box::new(expr))
}

fn or(unless: Option<Expr>, cond: Expr) -> Expr {
    match unless {
        Some(unless) => Expr::binary(BinOp::Or, unless, cond),
        None => cond,
    }
}
