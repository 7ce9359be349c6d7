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
//! This machine is a reference for the engine and replays its traces; it shares nothing with it but
//! [`System`]. Cells that `init` leaves open are undetermined until they are first read;
//! then the state splits, over all values of a finite type, over the file's constants (and what
//! the caller adds) for numbers; so it does where a transition takes any value. In the second case, a
//! search that finds nothing is not complete.

use crate::system::tuples::count;
use crate::system::{
    Form, MemorySemantics, StoreOrder, SymId, System, SystemLiteral, Type, UpdateValue,
};
use base::idx::Id;
use std::collections::BTreeSet;

/// Not determined yet.
pub(super) const OPEN: i64 = i64::MIN;

/// An update on its way to memory: cells and values.
pub(super) type Group = Vec<(u32, i64)>;

/// A state: every cell, and every process's queue, oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MachineState {
    pub(super) cells: Vec<i64>,
    pub(super) queues: Vec<Vec<Group>>,
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
    pub(super) system: &'s System,
    pub(super) procs: u8,
    pub(super) order: StoreOrder,
    /// Where each symbol's cells begin.
    base: Vec<u32>,
    pub(super) cells: u32,
    /// Numbers tried for open cells.
    numbers: Vec<i64>,
}

/// Why there is no machine or no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooLarge {
    /// More initial states than can be listed, or numbers beyond 64 bits in them.
    #[error("the initial states cannot be listed")]
    Initial,
}

/// How many tuples of processes are listed at most.
const MAX_TUPLES: usize = 4_000_000;

impl<'s> Machine<'s> {
    /// The system with `procs` processes; `numbers` are tried for open numeric cells beside the
    /// constants of the file.
    pub fn new(system: &'s System, procs: u8, order: StoreOrder, numbers: &[i64]) -> Machine<'s> {
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
            MemorySemantics::Flat => StoreOrder::Sc,
            MemorySemantics::Buffered => order,
        };
        Machine {
            system,
            procs,
            order,
            base,
            cells,
            numbers: all.into_iter().collect(),
        }
    }

    /// How many processes there are.
    pub fn procs(&self) -> u8 {
        self.procs
    }

    pub(super) fn cell(&self, sym: SymId, index: &[u8]) -> u32 {
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
    pub(super) fn domain(&self, cell: u32) -> Vec<i64> {
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
    pub(super) fn is_finite(&self, cell: u32) -> bool {
        self.is_finite_type(self.symbol_of(cell))
    }

    fn is_finite_type(&self, sym: SymId) -> bool {
        !matches!(
            self.system.types[self.system.symbols[sym].ty],
            Type::Int | Type::Real | Type::Abstract(_)
        )
    }

    /// A transition gives a cell an arbitrary value of a type that has more than `domain` lists.
    pub(super) fn guesses(&self, transition: usize) -> bool {
        let mut updates = self.system.transitions[transition].updates.iter();
        updates.any(|u| {
            let mut values = u.cases.iter().map(|(_, value)| value);
            !self.is_finite_type(u.sym) && values.any(|v| matches!(v, UpdateValue::Any))
        })
    }

    /// There are not too many tuples of processes of this length to list them.
    pub(super) fn can_list(&self, len: usize) -> bool {
        count(len, self.procs) <= MAX_TUPLES
    }

    /// The integers of a state, those on their way to memory included.
    pub fn integers<'a>(&'a self, state: &'a MachineState) -> impl Iterator<Item = i64> + 'a {
        let in_memory = (0..self.cells).filter_map(|c| Some((c, Machine::memory(state, c)?)));
        let queued = state.queues.iter().flatten().flatten().copied();
        let is_integer = |cell| {
            let symbol = &self.system.symbols[self.symbol_of(cell)];
            matches!(self.system.types[symbol.ty], Type::Int)
        };
        let all = in_memory.chain(queued);
        all.filter(move |(c, _)| is_integer(*c)).map(|(_, v)| v)
    }

    /// The queues of a state, oldest update first.
    pub fn queues(state: &MachineState) -> &[Vec<Vec<(u32, i64)>>] {
        &state.queues
    }

    /// A cell of memory; nothing while it is open.
    pub fn memory(state: &MachineState, cell: u32) -> Option<i64> {
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
    pub fn seen(&self, state: &MachineState, by: u8, cell: u32) -> Option<i64> {
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
        if let UpdateValue::Num(lin) = value {
            into.insert(lin.constant);
        }
    }
}

fn see_form(f: &Form, into: &mut BTreeSet<i64>) {
    match f {
        Form::And(fs) | Form::Or(fs) => fs.iter().for_each(|f| see_form(f, into)),
        Form::Others(_, f) => see_form(f, into),
        Form::Literal(SystemLiteral::Num { lin, .. }) => {
            into.insert(-lin.constant);
            into.insert(lin.constant);
        }
        _ => {}
    }
}
