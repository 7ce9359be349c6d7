//! What is seen of variables, of one process, and of two, in states of a finite instance.
//!
//! States are told apart by where the processes are: an array of constructors over processes that says so (of a
//! program, its program counter). For each place, and each pair of places, the values of the variables and of the
//! processes' registers are kept, as rows. A register that is written before it is read is not looked at.

use super::equations::{Column, Totals};
use crate::concrete::{Machine, MachineState};
use crate::cub::ast::SymbolKind;
use crate::cube::literals::{Base, BaseKind};
use crate::system::access::{each_access, each_in_form};
use crate::system::counts::Move;
use crate::system::{Form, SymId, System, Target, Transition, Type};
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
            seen: BTreeMap::new(),
        }
    }

    /// The variables, and the registers of processes at these places.
    fn terms(&self, places: &[u16]) -> Vec<SampledTerm> {
        let mut terms = Vec::new();
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
                    for p in 0..2u8 {
                        let other = 1 - p;
                        if places.len() == 2 {
                            add(&[p, other]);
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

/// A transition of one process, and the registers that it reads and writes.
struct Step {
    at: Move,
    reads: BTreeSet<SymId>,
    writes: BTreeSet<SymId>,
}

/// The registers that may be read before they are written, at each place; nothing where a transition is no move of
/// one process that reads its own registers.
fn live(system: &System, place: SymId) -> Option<BTreeMap<u16, BTreeSet<SymId>>> {
    let steps: Option<Vec<Step>> = system.transitions.iter().map(|t| step(t, place)).collect();
    let steps = steps?;
    let mut own = BTreeSet::new();
    for p in system.unsafes.iter().chain(&system.invariants) {
        each_in_form(&p.body, &mut |a| {
            own.insert(a.sym);
        });
    }
    for t in &system.transitions {
        reads_of_others(&t.guard, &mut own);
    }
    own.remove(&place);
    let mut live: BTreeMap<u16, BTreeSet<SymId>> = BTreeMap::new();
    for s in &steps {
        live.insert(s.at.from, own.clone());
        live.insert(s.at.to, own.clone());
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

fn step(t: &Transition, place: SymId) -> Option<Step> {
    if t.params.len() != 1 {
        return None;
    }
    let at = t.moves(place).ok()??;
    let mut reads = BTreeSet::new();
    each_access(t, &mut |a| {
        reads.insert(a.sym);
    });
    let mut writes = BTreeSet::new();
    for u in &t.updates {
        if matches!(u.target, Target::Every(_)) {
            return None;
        }
        if u.cases.iter().any(|(c, _)| *c == Form::Bool(true)) {
            writes.insert(u.sym);
        }
    }
    reads.remove(&place);
    Some(Step { at, reads, writes })
}

/// What is read of other processes, wherever they are.
fn reads_of_others(form: &Form, out: &mut BTreeSet<SymId>) {
    match form {
        Form::And(all) | Form::Or(all) => all.iter().for_each(|f| reads_of_others(f, out)),
        Form::Others(_, f) => each_in_form(f, &mut |a| {
            out.insert(a.sym);
        }),
        Form::Literal(_) | Form::Bool(_) | Form::Fence => {}
    }
}
