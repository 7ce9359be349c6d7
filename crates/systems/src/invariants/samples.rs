//! What is seen of variables, of one process, and of two, in states of a finite instance.
//!
//! States are told apart by where the processes are: an array of constructors over processes that says so (of a
//! program, its program counter). For each place, and each pair of places, the values of the variables and of the
//! processes' registers are kept, as rows. A register that is written before it is read is not looked at.

use super::equations::{Column, Totals};
use crate::concrete::{Machine, MachineState};
use crate::cub::ast::SymbolKind;
use crate::cube::literals::{Base, BaseKind};
use crate::system::access::{each_in_form, each_in_updates};
use crate::system::counts::Move;
use crate::system::{Acc, Form, Pr, SymId, System, SystemLiteral, Target, Transition, Type, Val};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Where some processes are, none to two.
pub type Places = Vec<u16>;

/// The values of terms in a state; none where a cell may have any.
pub type Row = Vec<Option<i64>>;

/// What values a term has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Constructors, so many.
    Constructors(u32),
    /// The processes looked at, in order; another one is after them.
    Process,
    /// Integers.
    Integer,
    /// Whether the first of two processes is before the second.
    Order,
}

/// A variable, or a register of one of the processes.
#[derive(Clone, Copy, Debug)]
pub struct SampledTerm {
    /// The cell, of a cube whose processes are those looked at.
    pub cell: Base,
    /// Its values.
    pub values: Values,
}

/// The samples.
pub struct Samples<'s> {
    system: &'s System,
    /// Says where a process is.
    pub place: SymId,
    /// The registers that may be read before they are written, by place; all of them if that is not known.
    live: Option<BTreeMap<u16, BTreeSet<SymId>>>,
    /// It compares processes.
    is_ordered: bool,
    /// What was seen, by places.
    pub seen: BTreeMap<Places, Seen>,
}

/// What was seen at no place, at one or at two.
pub struct Seen {
    /// What the values of a row are of.
    pub terms: Vec<SampledTerm>,
    /// The values.
    pub rows: FxHashSet<Row>,
}

impl<'s> Samples<'s> {
    /// None yet.
    pub fn new(system: &'s System, place: SymId) -> Samples<'s> {
        Samples {
            system,
            place,
            live: live(system, place),
            is_ordered: is_ordered(system),
            seen: BTreeMap::new(),
        }
    }

    /// The variables, and the registers of processes at these places.
    fn terms(&self, places: &[u16]) -> Vec<SampledTerm> {
        let mut terms = Vec::new();
        if places.len() == 2 && self.is_ordered {
            let (cell, values) = (Base::process(0), Values::Order);
            terms.push(SampledTerm { cell, values });
        }
        for (sym, symbol) in self.system.symbols.iter_enumerated() {
            let values = match &self.system.types[symbol.ty] {
                Type::Int => Values::Integer,
                Type::Proc => Values::Process,
                Type::Enum(_, names) => match u32::try_from(names.len()) {
                    Ok(n) if n <= u128::BITS => Values::Constructors(n),
                    _ => continue,
                },
                Type::Real | Type::Abstract(_) => continue,
            };
            let mut add = |index: &[u8]| {
                let cell = Base::cell(sym, index);
                terms.push(SampledTerm { cell, values });
            };
            match symbol.arity {
                0 if symbol.kind != SymbolKind::Const => add(&[]),
                1 if sym != self.place => {
                    for (p, place) in (0u8..).zip(places) {
                        if self.is_live(*place, sym) {
                            add(&[p]);
                        }
                    }
                }
                2 => {
                    for (p, place) in (0u8..).zip(places).filter(|_| places.len() == 2) {
                        if self.is_live(*place, sym) {
                            add(&[p, 1 - p]);
                        }
                    }
                }
                _ => {}
            }
        }
        terms
    }

    fn is_live(&self, place: u16, sym: SymId) -> bool {
        let live = self.live.as_ref().and_then(|live| live.get(&place));
        live.is_none_or(|live| live.contains(&sym))
    }

    /// Looks at the variables, each process, and each two of a state.
    pub fn add(&mut self, machine: &Machine, state: &MachineState) {
        self.row(machine, state, &[]);
        for p in 0..machine.procs() {
            self.row(machine, state, &[p]);
            for q in (0..machine.procs()).filter(|q| *q != p) {
                self.row(machine, state, &[p, q]);
            }
        }
    }

    fn row(&mut self, machine: &Machine, state: &MachineState, procs: &[u8]) {
        let value = |sym: SymId, index: &[u8]| {
            let cell = machine.cell_at(sym, index)?;
            Machine::memory(state, cell)
        };
        let mut places = Places::new();
        for p in procs {
            match value(self.place, &[*p]).map(u16::try_from) {
                Some(Ok(at)) => places.push(at),
                _ => return,
            }
        }
        if !places.is_sorted() {
            return;
        }
        if !self.seen.contains_key(&places) {
            let (terms, rows) = (self.terms(&places), FxHashSet::default());
            self.seen.insert(places.clone(), Seen { terms, rows });
        }
        let Some(seen) = self.seen.get_mut(&places) else {
            return;
        };
        let row = seen.terms.iter().map(|t| {
            if t.values == Values::Order {
                return Some(i64::from(procs.is_sorted()));
            }
            let BaseKind::Cell(sym, ..) = t.cell.kind() else {
                return None;
            };
            let index: Vec<u8> = t.cell.processes().map(|p| procs[usize::from(p)]).collect();
            let value = value(sym, &index)?;
            if t.values != Values::Process {
                return Some(value);
            }
            let known = procs.iter().position(|p| i64::from(*p) == value);
            i64::try_from(known.unwrap_or(procs.len())).ok()
        });
        let row: Row = row.collect();
        seen.rows.insert(row);
    }
}

/// Some transition compares processes by their order.
fn is_ordered(system: &System) -> bool {
    fn compares(f: &Form) -> bool {
        match f {
            Form::And(all) | Form::Or(all) => all.iter().any(compares),
            Form::Others(_, f) => compares(f),
            Form::Literal(l) => matches!(l, SystemLiteral::Before { .. }),
            Form::Bool(_) | Form::Fence => false,
        }
    }
    let mut transitions = system.transitions.iter();
    transitions.any(|t| {
        let mut conditions = t.updates.iter().flat_map(|u| &u.cases).map(|(c, _)| c);
        compares(&t.guard) || conditions.any(compares)
    })
}

/// Adds the numbers of a state to the rows of its columns; a state with a cell that may have any value is left out.
pub fn count(machine: &Machine, state: &MachineState, place: SymId, totals: &mut Totals) {
    let value = |sym: SymId, index: &[u8]| Machine::memory(state, machine.cell_at(sym, index)?);
    let at: Option<Vec<i64>> = (0..machine.procs()).map(|p| value(place, &[p])).collect();
    let Some(at) = at else {
        return;
    };
    let entry = |column: &Column| match column {
        Column::Place(c) => {
            i64::try_from(at.iter().filter(|at| **at == i64::from(*c)).count()).ok()
        }
        Column::One => Some(1),
        Column::Has(sym, c) => Some(i64::from(value(*sym, &[])? == i64::from(*c))),
        Column::Integer(sym) => value(*sym, &[]),
    };
    let row: Option<Vec<i64>> = totals.columns.iter().map(entry).collect();
    totals.rows.extend(row);
}

/// What a transition does with the registers of the process that it moves.
struct Step {
    at: Move,
    reads: BTreeSet<SymId>,
    writes: BTreeSet<SymId>,
    /// What it reads of other processes, wherever they are.
    of_others: BTreeSet<SymId>,
}

/// The registers that may be read before they are written, at each place; nothing where a transition does not say from
/// where to where it moves a process.
fn live(system: &System, place: SymId) -> Option<BTreeMap<u16, BTreeSet<SymId>>> {
    let steps = system.transitions.iter().map(|t| step(system, t, place));
    let steps: Vec<Step> = steps.collect::<Option<_>>()?;
    let mut always: BTreeSet<SymId> = steps.iter().flat_map(|s| s.of_others.clone()).collect();
    for p in system.unsafes.iter().chain(&system.invariants) {
        each_in_form(&p.body, &mut |a| {
            always.insert(a.sym);
        });
    }
    always.remove(&place);
    let mut live: BTreeMap<u16, BTreeSet<SymId>> = BTreeMap::new();
    for s in &steps {
        live.insert(s.at.from, always.clone());
        live.insert(s.at.to, always.clone());
    }
    loop {
        let before = live.clone();
        for s in &steps {
            let mut here: BTreeSet<SymId> = live[&s.at.to].difference(&s.writes).copied().collect();
            here.extend(&s.reads);
            live.entry(s.at.from).or_default().extend(here);
        }
        if live == before {
            return Some(live);
        }
    }
}

fn step(system: &System, t: &Transition, place: SymId) -> Option<Step> {
    let at = t.moves(place).ok()??;
    let mut step = Step {
        at,
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        of_others: BTreeSet::new(),
    };
    for u in &t.updates {
        let is_written = match u.target {
            Target::Cell([who, _]) => {
                let always = u.cases.iter().any(|(c, _)| *c == Form::Bool(true));
                always && who == at.who && system.symbols[u.sym].arity <= 1
            }
            Target::Every(first) => {
                let first = Pr::Var(first);
                u.cases.iter().any(|(c, _)| is_same(c, first, at.who))
            }
        };
        if is_written {
            step.writes.insert(u.sym);
        }
    }
    let mut read = |a: &Acc| match a.indices().first() {
        Some(who) if *who == at.who => step.reads.insert(a.sym),
        _ => step.of_others.insert(a.sym),
    };
    each_in_form(&t.guard, &mut |a| {
        read(a);
    });
    for u in &t.updates {
        let is_kept = |a: &Acc| match u.target {
            Target::Every(first) => a.sym == u.sym && a.indices().first() == Some(&Pr::Var(first)),
            Target::Cell(_) => false,
        };
        each_in_updates(std::slice::from_ref(u), &mut |a| {
            if !is_kept(a) {
                read(a);
            }
        });
    }
    step.reads.remove(&place);
    step.of_others.remove(&place);
    Some(step)
}

/// The condition is that two processes are the same, and nothing else.
fn is_same(condition: &Form, p: Pr, q: Pr) -> bool {
    let (p, q) = (Val::Proc(p), Val::Proc(q));
    let Form::Literal(SystemLiteral::Same { equal, a, b, .. }) = condition else {
        return false;
    };
    *equal && ((*a, *b) == (p, q) || (*a, *b) == (q, p))
}
