//! The machine with buffers, for a fixed number of processes: Algorithm 1 of the PMCx86 paper.
//!
//! Each process has a queue of updates. A transition whose guard holds puts its weak writes into
//! the queue as one update; a read sees the newest value queued by its process, else memory;
//! `fence()` holds when the queue is empty. A transition that both reads and writes weak cells is
//! locked: it needs an empty queue and writes memory at once. (The paper's text swaps the two
//! cases, and evaluates right-hand sides after the registers have changed; both are slips.) Values
//! are computed in the state before the transition, and an empty update is not queued.
//!
//! Under PSO a process has a queue for each cell: the writes of a transition are queued one by one
//! and an entry may leave when no older entry is of the same cell. Under SC every process sees
//! memory at once.
//!
//! This machine is the second opinion on the engine and replays its traces; it shares nothing with
//! it but [`System`]. Cells that `init` leaves open are undetermined until they are first read;
//! then the state splits, over all values of a finite type, over the file's constants (and what
//! the caller adds) for numbers. In the second case, a search that finds nothing is not complete.

mod eval;
mod explore;
mod find;

pub use explore::{Limits, Outcome, Run, explore, reach, replay};

use super::system::{Form, Lit, Memory, Pr, SymId, SymbolKind, System, Target, Type, Value};
use crate::base::idx::Id;
use eval::{Env, Stuck};
use find::Finder;
use std::collections::BTreeSet;

/// How writes reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// At once.
    Sc,
    /// Through one queue a process.
    Tso,
    /// Through one queue a process and cell.
    Pso,
}

/// Not determined yet.
const OPEN: i64 = i64::MIN;

/// An update on its way to memory: cells and values.
type Group = Vec<(u32, i64)>;

/// A state: every cell, and every process's queue, oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    cells: Vec<i64>,
    queues: Vec<Vec<Group>>,
}

/// What happened between two states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A transition, by its position, with its processes (from 0).
    Fire(usize, Vec<u8>),
    /// The oldest update of a process's queue (under PSO of a cell's) reached memory.
    Flush(u8, Vec<(u32, i64)>),
    /// A cell that was open initially has this value.
    Settle(u32, i64),
}

/// A system with a fixed number of processes.
pub struct Machine<'s> {
    system: &'s System,
    procs: u8,
    order: Order,
    /// Where each symbol's cells begin.
    base: Vec<u32>,
    cells: u32,
    /// Numbers tried for open cells.
    numbers: Vec<i64>,
    unsafes: Vec<Finder<'s>>,
    invariants: Vec<Finder<'s>>,
}

/// Why there is no machine or no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// More initial states than can be listed, or numbers beyond 64 bits in them.
    Initial,
}

/// How many initial states are listed at most.
const MAX_INITIAL: usize = 200_000;
/// How many tuples of processes are listed at most.
const MAX_TUPLES: usize = 4_000_000;

impl<'s> Machine<'s> {
    /// The system with `procs` processes; `numbers` are tried for open numeric cells beside the
    /// constants of the file.
    pub fn new(system: &'s System, procs: u8, order: Order, numbers: &[i64]) -> Machine<'s> {
        let mut base = Vec::new();
        let mut cells = 0;
        for symbol in system.symbols.iter() {
            base.push(cells);
            cells += (0..symbol.arity).map(|_| u32::from(procs)).product::<u32>();
        }
        let mut all: BTreeSet<i64> = numbers.iter().copied().collect();
        all.extend([0, system.scale, -system.scale]);
        constants(system, &mut all);
        let order = match system.memory {
            Memory::Flat => Order::Sc,
            Memory::Buffered => order,
        };
        Machine {
            system,
            procs,
            order,
            base,
            cells,
            numbers: all.into_iter().collect(),
            unsafes: system.unsafes.iter().map(Finder::new).collect(),
            invariants: system.invariants.iter().map(Finder::new).collect(),
        }
    }

    /// How many processes there are.
    pub fn procs(&self) -> u8 {
        self.procs
    }

    fn cell(&self, sym: SymId, index: &[u8]) -> u32 {
        let n = u32::from(self.procs);
        let at = index.iter().fold(0, |a, i| a * n + u32::from(*i));
        self.base[sym.index()] + at
    }

    fn symbol_of(&self, cell: u32) -> SymId {
        SymId::from_index(self.base.partition_point(|b| *b <= cell) - 1)
    }

    /// A cell as a program would write it, with processes as `#k`.
    pub fn cell_name(&self, cell: u32) -> String {
        let sym = self.symbol_of(cell);
        let symbol = &self.system.symbols[sym];
        let (n, at) = (u32::from(self.procs), cell - self.base[sym.index()]);
        match symbol.arity {
            0 => symbol.name.clone(),
            1 => format!("{}[#{}]", symbol.name, at + 1),
            _ => format!("{}[#{},#{}]", symbol.name, at / n + 1, at % n + 1),
        }
    }

    /// A cell's value as a program would write it.
    pub fn value_name(&self, cell: u32, value: i64) -> String {
        let symbol = &self.system.symbols[self.symbol_of(cell)];
        match &self.system.types[symbol.ty] {
            Type::Int => value.to_string(),
            Type::Real if value % self.system.scale == 0 => {
                format!("{}.0", value / self.system.scale)
            }
            Type::Real => (value as f64 / self.system.scale as f64).to_string(),
            Type::Proc => self.process_name(value),
            Type::Enum(_, ctors) => usize::try_from(value)
                .ok()
                .and_then(|v| ctors.get(v).cloned())
                .unwrap_or_default(),
            Type::Abstract(name) => format!("{name}_{value}"),
        }
    }

    /// A value of type `proc`: a process, or one outside of all that parameters stand for.
    fn process_name(&self, value: i64) -> String {
        match value - i64::from(self.procs) {
            k if k < 0 => format!("#{}", value + 1),
            _ if self.system.outside.len() == 1 => "outside".into(),
            k => format!("outside {}", k + 1),
        }
    }

    /// The values a cell may have initially when nothing determines it.
    fn domain(&self, cell: u32) -> Vec<i64> {
        let symbol = &self.system.symbols[self.symbol_of(cell)];
        match &self.system.types[symbol.ty] {
            Type::Int | Type::Real => self.numbers.clone(),
            // Those outside of all others come last.
            Type::Proc => (0..i64::from(self.procs))
                .chain(
                    (0i64..)
                        .take(self.system.outside.len())
                        .map(|k| i64::from(self.procs) + k),
                )
                .collect(),
            Type::Enum(_, ctors) => (0..ctors.len() as i64).collect(),
            Type::Abstract(_) => (0..3).collect(),
        }
    }

    /// True when `domain` lists all values of the cell.
    fn is_finite(&self, cell: u32) -> bool {
        let symbol = &self.system.symbols[self.symbol_of(cell)];
        !matches!(
            self.system.types[symbol.ty],
            Type::Int | Type::Real | Type::Abstract(_)
        )
    }

    /// All initial states.
    ///
    /// # Errors
    /// There are too many.
    pub fn initial(&self) -> Result<Vec<State>, TooLarge> {
        let init = &self.system.init;
        if !self.can_list(init.params.len()) {
            return Err(TooLarge::Initial);
        }
        let envs = self.tuples(init.params.len(), false);
        let mut start = State {
            cells: vec![OPEN; self.cells as usize],
            queues: vec![Vec::new(); usize::from(self.procs)],
        };
        for env in &envs {
            self.determine(&init.body, env, &mut start);
        }
        let (mut done, mut todo) = (Vec::new(), vec![start]);
        'states: while let Some(state) = todo.pop() {
            for env in &envs {
                match self.holds(&state, &init.body, &Env::new(env)) {
                    Ok(true) => {}
                    Ok(false) => continue 'states,
                    Err(Stuck::Overflow) => return Err(TooLarge::Initial),
                    Err(Stuck::Open(cell)) => {
                        for v in self.domain(cell) {
                            let mut next = state.clone();
                            next.cells[cell as usize] = v;
                            todo.push(next);
                        }
                        if todo.len() + done.len() > MAX_INITIAL {
                            return Err(TooLarge::Initial);
                        }
                        continue 'states;
                    }
                }
            }
            done.push(state);
        }
        Ok(done)
    }

    /// Writes down what the conjuncts of `init` say of single cells.
    fn determine(&self, form: &Form, env: &[u8], state: &mut State) {
        let env = Env::new(env);
        match form {
            Form::And(fs) => fs.iter().for_each(|f| self.determine(f, env.vars(), state)),
            Form::Lit(Lit::Same {
                equal: true, a, b, ..
            }) => {
                let values = [
                    self.value_of(state, *a, &env),
                    self.value_of(state, *b, &env),
                ];
                if let [Err(Stuck::Open(cell)), Ok(v)] | [Ok(v), Err(Stuck::Open(cell))] = values {
                    state.cells[cell as usize] = v;
                }
            }
            Form::Lit(Lit::Num {
                rel: super::system::Rel::Eq,
                lin,
                ..
            }) => {
                if let [(f @ (1 | -1), acc)] = lin.terms.as_slice()
                    && let Err(Stuck::Open(cell)) = self.read(state, acc, &env)
                {
                    state.cells[cell as usize] = -f * lin.constant;
                }
            }
            _ => {}
        }
    }

    /// There are not too many tuples of processes of this length to list them.
    fn can_list(&self, len: usize) -> bool {
        let mut lengths = std::iter::repeat_n(usize::from(self.procs), len);
        let count = lengths.try_fold(1usize, |n, procs| n.checked_mul(procs));
        count.is_some_and(|n| n <= MAX_TUPLES)
    }

    /// All tuples of processes, of `len`; distinct ones only, if asked.
    fn tuples(&self, len: usize, distinct: bool) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for _ in 0..len {
            all = all
                .into_iter()
                .flat_map(|t: Vec<u8>| {
                    (0..self.procs)
                        .filter(|p| !distinct || !t.contains(p))
                        .map(|p| {
                            let mut t = t.clone();
                            t.push(p);
                            t
                        })
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        all
    }

    /// The unsafe formula that holds in a state, by its position.
    fn violated(&self, state: &State) -> Result<Option<usize>, Stuck> {
        for (i, formula) in self.unsafes.iter().enumerate() {
            if formula.holds(self, state)? {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    /// The state is one that an `invariant` excludes.
    fn excluded(&self, state: &State) -> Result<bool, Stuck> {
        for formula in &self.invariants {
            if formula.holds(self, state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fires a transition; nothing when its guard does not hold.
    fn fire(&self, state: &State, t: usize, args: &[u8]) -> Result<Vec<State>, Stuck> {
        let t = &self.system.transitions[t];
        let env = Env::new(args);
        let thread = t.thread.map(|p| args[usize::from(p)]);
        let mut ready = true;
        if self.order != Order::Sc && t.locked() {
            ready = thread.is_none_or(|p| state.queues[usize::from(p)].is_empty());
        }
        if !ready || !self.guard_holds(state, &t.guard, &env, t.params.len(), thread)? {
            return Ok(Vec::new());
        }
        // Writes, plain and weak apart; `None` stands for any value.
        let (mut now, mut queued) = (Vec::new(), Vec::new());
        for u in &t.updates {
            let symbol = &self.system.symbols[u.sym];
            let cells = match u.target {
                Target::Cell(index) => {
                    let index: Vec<u8> =
                        index[..symbol.arity].iter().map(|p| env.get(*p)).collect();
                    vec![(index, env.clone())]
                }
                Target::Every(_) => self
                    .tuples(symbol.arity, false)
                    .into_iter()
                    .map(|index| {
                        let env = env.with(&index);
                        (index, env)
                    })
                    .collect(),
            };
            for (index, env) in cells {
                for (condition, value) in &u.cases {
                    if self.holds_by(state, condition, &env, thread)? {
                        let cell = self.cell(u.sym, &index);
                        let value = match value {
                            Value::Val(v) => Some(self.value_of(state, *v, &env)?),
                            Value::Num(l) => Some(self.number(state, l, &env)?),
                            Value::Any => None,
                        };
                        let weak = symbol.kind == SymbolKind::Weak;
                        let list = if weak { &mut queued } else { &mut now };
                        list.push((cell, value));
                        break;
                    }
                }
            }
        }
        let mut next = vec![(state.clone(), Group::new())];
        for (weak, list) in [(false, now), (true, queued)] {
            for (cell, value) in list {
                let values = value.map_or_else(|| self.domain(cell), |v| vec![v]);
                let mut split = Vec::new();
                for (s, g) in next {
                    for v in &values {
                        let (mut s, mut g) = (s.clone(), g.clone());
                        if weak {
                            g.push((cell, *v));
                        } else {
                            s.cells[cell as usize] = *v;
                        }
                        split.push((s, g));
                    }
                }
                next = split;
            }
        }
        let at_once = self.order == Order::Sc || t.locked();
        let done = next.into_iter().map(|(mut s, g)| {
            match thread {
                Some(p) if !at_once && !g.is_empty() => {
                    let queue = &mut s.queues[usize::from(p)];
                    if self.order == Order::Pso {
                        queue.extend(g.into_iter().map(|w| vec![w]));
                    } else {
                        queue.push(g);
                    }
                }
                _ => {
                    for (cell, v) in g {
                        s.cells[cell as usize] = v;
                    }
                }
            }
            s
        });
        Ok(done.collect())
    }

    /// The updates of a process's queue that may reach memory next.
    fn flushable(&self, state: &State, p: u8) -> Vec<usize> {
        let queue = &state.queues[usize::from(p)];
        match self.order {
            Order::Pso => (0..queue.len())
                .filter(|i| queue[..*i].iter().all(|g| g[0].0 != queue[*i][0].0))
                .collect(),
            _ if queue.is_empty() => Vec::new(),
            _ => vec![0],
        }
    }

    fn flush(&self, state: &State, p: u8, at: usize) -> (Step, State) {
        let mut next = state.clone();
        let group = next.queues[usize::from(p)].remove(at);
        for (cell, v) in &group {
            next.cells[*cell as usize] = *v;
        }
        (Step::Flush(p, group), next)
    }

    /// The queues of a state, oldest update first.
    pub fn queues(state: &State) -> &[Vec<Vec<(u32, i64)>>] {
        &state.queues
    }

    /// A cell of memory; nothing while it is open.
    pub fn memory(state: &State, cell: u32) -> Option<i64> {
        state
            .cells
            .get(cell as usize)
            .copied()
            .filter(|v| *v != OPEN)
    }

    /// A cell by its symbol and indices.
    pub fn cell_at(&self, sym: SymId, index: &[u8]) -> Option<u32> {
        let fits = index.len() == self.system.symbols[sym].arity;
        (fits && index.iter().all(|p| *p < self.procs)).then(|| self.cell(sym, index))
    }

    /// What a process sees in a cell; nothing while it is open.
    pub fn seen(&self, state: &State, by: u8, cell: u32) -> Option<i64> {
        let queue = &state.queues[usize::from(by)];
        let newest = queue.iter().rev().flatten().find(|(c, _)| *c == cell);
        newest
            .map(|(_, v)| *v)
            .or_else(|| Machine::memory(state, cell))
    }

    /// How many cells there are.
    pub fn cells(&self) -> u32 {
        self.cells
    }
}

/// The numbers a system mentions.
fn constants(system: &System, into: &mut BTreeSet<i64>) {
    let mut see = |f: &Form| see_form(f, into);
    see(&system.init.body);
    system.unsafes.iter().for_each(|p| see(&p.body));
    for t in &system.transitions {
        see(&t.guard);
        for (condition, _) in t.updates.iter().flat_map(|u| &u.cases) {
            see(condition);
        }
    }
    for (_, value) in system
        .transitions
        .iter()
        .flat_map(|t| &t.updates)
        .flat_map(|u| &u.cases)
    {
        if let Value::Num(lin) = value {
            into.insert(lin.constant);
        }
    }
}

fn see_form(f: &Form, into: &mut BTreeSet<i64>) {
    match f {
        Form::And(fs) | Form::Or(fs) => fs.iter().for_each(|f| see_form(f, into)),
        Form::Others(_, f) => see_form(f, into),
        Form::Lit(Lit::Num { lin, .. }) => {
            into.insert(-lin.constant);
            into.insert(lin.constant);
        }
        _ => {}
    }
}

impl Pr {
    /// The process this is in an environment.
    fn of(self, env: &[u8]) -> u8 {
        match self {
            Pr::Var(v) => env[usize::from(v)],
            Pr::Fixed(k) => k,
        }
    }
}

#[cfg(test)]
mod tests;
