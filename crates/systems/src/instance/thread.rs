//! The program of one process: so many steps, each of them nothing more or one of the transitions
//! that may fire in it.
//!
//! A transition is: the fence that its guard asks for; the reads, at one point; the guard, assumed;
//! the new values, all computed from the old ones; the writes, at one point under TSO and one by one
//! under PSO; the registers. Where nothing is buffered all of it is at one point, and so it is where
//! the transition is locked, with fences at both ends.
//!
//! Where the thread stops it looks at what the unsafe formulas ask of it, in the group of all threads:
//! that is the state in which they are evaluated. Reads and what is fenced are before that moment,
//! buffered writes may come later. A thread that has nothing to look at looks at a cell that is not
//! written, so that its reads are before, too.

use super::code::Code;
use super::column::{Column, TransitionInstance};
use super::expr::{not, number as constant, truth};
use super::formula::{Env, InstanceContext, cases};
use super::globals::Globals;
use super::initial::Initial;
use super::reach::Fired;
use super::roles::{Cell, Role, Roles, keeps};
use crate::system::tuples::tuples;
use crate::system::{Form, StoreOrder, Transition, UpdateValue};
use base::source::Span;
use ir::program::{Atomicity, BinOp, Expr, Fence, LocalId, MemoryOrder, Op, Proc};
use std::collections::BTreeMap;

/// What all threads are made with.
pub struct Threads<'s> {
    pub context: InstanceContext<'s>,
    pub order: StoreOrder,
    pub roles: &'s Roles,
    pub initial: &'s Initial,
    pub globals: &'s Globals,
}

/// A thread in the making.
struct ThreadBuilder<'t, 's> {
    of: &'t Threads<'s>,
    code: Code,
    /// Registers, and constants that are not known.
    own: BTreeMap<Cell, LocalId>,
    /// Where reads of memory go.
    seen: BTreeMap<Cell, LocalId>,
}

impl Threads<'_> {
    /// The procedure of a thread, and the column that says what its steps are.
    pub fn thread(
        &self,
        process: Option<u8>,
        number: usize,
        steps: &[Vec<Fired>],
    ) -> (Proc, Column) {
        let span = self.context.system.init.span;
        let mut thread = ThreadBuilder {
            of: self,
            code: Code::new(span),
            own: BTreeMap::new(),
            seen: BTreeMap::new(),
        };
        let arg = thread.code.local("", 64);
        thread.begin(process);
        let mut column = Column {
            thread: number,
            first: 0,
            steps: Vec::new(),
        };
        let mut stops = Vec::new();
        for fired in steps {
            let count = fired.len() as u64 + 1;
            let width = if count > 1 << 8 { 16 } else { 8 };
            thread.code.span = span;
            let choice = thread.code.any_of(count, width);
            let is = |i: usize| {
                let i = i64::try_from(i + 1).unwrap_or(i64::MAX);
                super::expr::binary(BinOp::Eq, choice.clone(), constant(i, width))
            };
            let stop = super::expr::binary(BinOp::Eq, choice.clone(), constant(0, width));
            stops.push(thread.code.jump(Some(stop)));
            let mut ends = Vec::new();
            let mut calls = Vec::new();
            for (i, (t, args)) in fired.iter().enumerate() {
                let other = (i + 1 < fired.len()).then(|| thread.code.jump(Some(not(is(i)))));
                let choices = thread.transition(*t, args);
                calls.push(TransitionInstance {
                    transition: *t,
                    args: args.clone(),
                    choices,
                });
                if let Some(other) = other {
                    ends.push(thread.code.jump(None));
                    thread.code.land(other);
                }
            }
            ends.into_iter().for_each(|j| thread.code.land(j));
            column.steps.push(calls);
        }
        stops.into_iter().for_each(|j| thread.code.land(j));
        thread.code.span = span;
        thread.end(process);
        let name = match process {
            Some(p) => format!("#{}", p + 1),
            None => "others".to_string(),
        };
        (thread.code.proc(name, vec![arg], span), column)
    }
}

impl ThreadBuilder<'_, '_> {
    /// Registers and constants have their initial values.
    fn begin(&mut self, process: Option<u8>) {
        let context = &self.of.context;
        for (sym, symbol) in context.system.symbols.iter_enumerated() {
            let role = self.of.roles.of[sym];
            if role == Role::Memory {
                continue;
            }
            for index in tuples(symbol.arity, context.procs) {
                let cell = Cell::at(sym, &index);
                if role == Role::Register && index.first().copied() != process {
                    continue;
                }
                let (name, width) = (cell.name(context.system), context.width(sym));
                match (self.of.initial.value(cell), self.of.globals.initial(cell)) {
                    (Some(value), _) if role == Role::Register => {
                        let local = self.code.set(&name, width, constant(value, width));
                        self.own.insert(cell, local);
                    }
                    (None, Some(global)) => {
                        let dst = self.code.local(&name, width);
                        self.code.push(Op::Load {
                            dst,
                            addr: Expr::Global(global),
                            order: MemoryOrder::Plain,
                        });
                        self.own.insert(cell, dst);
                    }
                    _ => {}
                }
            }
        }
    }

    /// A transition; how many arbitrary values it takes.
    fn transition(&mut self, t: usize, args: &[u8]) -> usize {
        let of = self.of;
        let t = &of.context.system.transitions[t];
        self.code.span = t.span;
        let env = Env {
            vars: args,
            params: args.len(),
        };
        let at_once = of.order == StoreOrder::Sc;
        let locked = !at_once && t.locked();
        let mut reads = Reads::default();
        let before = self.code.choices();
        let mut writes: Vec<(Cell, Expr, Expr, Span)> = Vec::new();
        for u in &t.updates {
            for (cell, vars) in of.context.targets(u, args) {
                let env = Env { vars: &vars, ..env };
                let mut list = Vec::new();
                for (condition, value) in &u.cases {
                    let look = &mut |cell, _| self.look(cell, &mut reads);
                    let when = of.context.form(condition, env, &truth(true), look);
                    if when == truth(false) {
                        continue;
                    }
                    // Where nothing is buffered it makes no difference that a cell is written
                    // with what it has.
                    let plain = of.roles.of[u.sym] == Role::Register || at_once;
                    let new = if plain && keeps(u, value) {
                        None
                    } else {
                        Some(match value {
                            UpdateValue::Any => self.code.any_value(&of.context, u.sym),
                            value => {
                                let look = &mut |cell, _| self.look(cell, &mut reads);
                                of.context.value(value, &vars, look).unwrap_or(truth(false))
                            }
                        })
                    };
                    let last = when == truth(true);
                    list.push((when, new));
                    if last {
                        break;
                    }
                }
                let old = match list.iter().rev().find_map(|(_, new)| new.clone()) {
                    Some(value) => value,
                    None => continue,
                };
                let (when, value) = cases(list, old);
                if when != truth(false) {
                    writes.push((cell, when, value, u.span));
                }
            }
        }
        let guard = self.guard(t, env, at_once || locked, &mut reads);
        self.perform(locked, guard, reads.cells, writes);
        self.code.choices() - before
    }

    /// The guard, behind the fence that it asks for.
    fn guard(&mut self, t: &Transition, env: Env, is_empty: bool, reads: &mut Reads) -> Expr {
        let context = self.of.context;
        let mut form = |thread: &mut Self, fence: &Expr| {
            let look = &mut |cell, _| thread.look(cell, reads);
            context.form(&t.guard, env, fence, look)
        };
        let with = form(self, &truth(true));
        if is_empty || !has_fence(&t.guard) {
            return with;
        }
        let without = form(self, &truth(false));
        if without == truth(false) {
            self.code.push(Op::Fence(Fence::Mfence));
            return with;
        }
        // It holds because of the fence, or without.
        let waits = self.code.local("", 1);
        self.code.push(Op::Havoc { dst: waits });
        let skip = self.code.jump(Some(not(Expr::Local(waits))));
        self.code.push(Op::Fence(Fence::Mfence));
        self.code.land(skip);
        form(self, &Expr::Local(waits))
    }

    /// The accesses of a transition and what it does to registers.
    fn perform(
        &mut self,
        locked: bool,
        guard: Expr,
        reads: Vec<Cell>,
        writes: Vec<(Cell, Expr, Expr, Span)>,
    ) {
        let of = self.of;
        let whole = match of.order {
            StoreOrder::Sc => Some(Atomicity::Node),
            _ => locked.then_some(Atomicity::Section),
        };
        if let Some(kind) = whole {
            self.code.push(Op::AtomicBegin(kind));
        }
        let together = whole.is_none() && reads.len() > 1;
        self.node(together, |thread| {
            for cell in reads {
                let dst = thread.seen[&cell];
                thread.load(dst, of.globals.memory(cell), MemoryOrder::Plain);
            }
        });
        self.code.assume(guard);
        let is_register = |cell: Cell| of.roles.of[cell.sym] == Role::Register;
        let (registers, memory): (Vec<_>, Vec<_>) = writes
            .into_iter()
            .partition(|(cell, ..)| is_register(*cell));
        let span = self.code.span;
        let together = whole.is_none() && of.order == StoreOrder::Tso && memory.len() > 1;
        self.node(together, |thread| {
            for (cell, when, value, at) in memory {
                thread.code.span = at;
                let skip = (when != truth(true)).then(|| thread.code.jump(Some(not(when))));
                thread.store(of.globals.memory(cell), value);
                if let Some(skip) = skip {
                    thread.code.land(skip);
                }
            }
        });
        self.code.span = span;
        if whole.is_some() {
            self.code.push(Op::AtomicEnd);
        }
        let mut new = Vec::new();
        for (cell, when, value, _) in registers {
            let Some(register) = self.own.get(&cell).copied() else {
                continue;
            };
            let value = super::expr::choose(when, value, Expr::Local(register));
            let width = of.context.width(cell.sym);
            new.push((register, self.code.set("", width, value)));
        }
        for (dst, value) in new {
            let value = Expr::Local(value);
            self.code.push(Op::Assign { dst, value });
        }
    }

    /// Accesses at one point, where there is more than one.
    fn node(&mut self, together: bool, accesses: impl FnOnce(&mut Self)) {
        if together {
            self.code.push(Op::AtomicBegin(Atomicity::Node));
        }
        accesses(self);
        if together {
            self.code.push(Op::AtomicEnd);
        }
    }

    fn load(&mut self, dst: LocalId, addr: Expr, order: MemoryOrder) {
        self.code.push(Op::Load { dst, addr, order });
    }

    fn store(&mut self, addr: Expr, value: Expr) {
        self.code.push(Op::Store {
            addr,
            value,
            order: MemoryOrder::Plain,
        });
    }

    /// What the thread knows of a cell; reads of memory are noted.
    fn look(&mut self, cell: Cell, reads: &mut Reads) -> Expr {
        let context = &self.of.context;
        if let Some(own) = self.own.get(&cell) {
            return Expr::Local(*own);
        }
        let width = context.width(cell.sym);
        if self.of.roles.of[cell.sym] != Role::Memory {
            // A constant, or a register of another thread, of which nothing is kept.
            let value = self.of.initial.value(cell).unwrap_or(0);
            return constant(value, width);
        }
        reads.note(cell);
        let name = cell.name(context.system);
        let code = &mut self.code;
        let local = self
            .seen
            .entry(cell)
            .or_insert_with(|| code.local(&name, width));
        Expr::Local(*local)
    }

    /// What the unsafe formulas ask of the thread, looked at and handed over.
    fn end(&mut self, process: Option<u8>) {
        let of = self.of;
        let mut seen = Vec::new();
        if of.globals.has_snapshot() {
            self.code.push(Op::AtomicBegin(Atomicity::Snapshot));
            let wanted = of.globals.looks(process);
            if wanted.is_empty() {
                let nothing = self.code.local("", 8);
                self.load(nothing, of.globals.unwritten(), MemoryOrder::Relaxed);
            }
            for (cell, into) in wanted {
                let dst = self
                    .code
                    .local(&cell.name(of.context.system), of.context.width(cell.sym));
                self.load(dst, of.globals.memory(cell), MemoryOrder::Relaxed);
                seen.push((into, dst));
            }
            self.code.push(Op::AtomicEnd);
        }
        for (into, value) in seen {
            self.store(Expr::Global(into), Expr::Local(value));
        }
        for (cell, into) in of.globals.finals() {
            if let Some(register) = self.own.get(&cell).copied() {
                self.store(Expr::Global(into), Expr::Local(register));
            }
        }
    }
}

/// The cells of memory that a transition reads.
#[derive(Default)]
struct Reads {
    cells: Vec<Cell>,
}

impl Reads {
    fn note(&mut self, cell: Cell) {
        if !self.cells.contains(&cell) {
            self.cells.push(cell);
        }
    }
}

fn has_fence(f: &Form) -> bool {
    match f {
        Form::Fence => true,
        Form::And(fs) | Form::Or(fs) => fs.iter().any(has_fence),
        Form::Others(_, f) => has_fence(f),
        Form::Bool(_) | Form::Literal(_) => false,
    }
}
