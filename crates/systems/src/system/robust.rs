//! Systems that do on weak memory what they do on stronger memory.
//!
//! On TSO a process's store may reach memory after a later load, on PSO also after a later store of another cell. Where
//! no process performs such a pair without a fence or a locked transition in between, the executions are those of SC.
//! Take a cycle of program order, reads-from, coherence and from-read: each of its steps is one that TSO keeps, too,
//! but for program order from a store to a load; if that is of the same cell, it reads the store or one behind it in
//! coherence, so the cycle goes on with an access that comes after the store in program order anyway, or with a store
//! that is behind it in coherence. So there is none (Shasha and Snir, TOPLAS 1988; Owens, ECOOP 2010, has the general
//! case). What properties then may speak of is where processes are and what they have in registers: an execution up to
//! that point is one of SC, with the same ends.
//!
//! Nor do others' buffers matter if there are no races on SC. Call *data* the variables to which a process may have a store
//! in its buffer while it performs another access, on PSO also those that it stores to meanwhile, or together with others;
//! a store to any other variable reaches memory before the next access. In a run with buffers look at the first access
//! of data that conflicts with a store that another process has in its buffer, or on PSO has performed since its buffer
//! was last empty. Until then each load has seen what it sees in the run in which stores reach memory at once, as what it
//! would not see is such a conflict. In that run leave out what the other process has done since that store, that
//! included: no process has seen any of it, as on TSO stores leave the buffer in order, and on PSO it would have been a
//! conflict. Then both are about to access the variable. (That programs without data races have no others than SC's executions is due to Adve and Hill,
//! "Weak ordering: a new definition", ISCA 1990.)

use super::access::{each_in_form, each_in_updates};
use super::counts::at;
use super::types::{
    Acc, Form, MemorySemantics, Pr, Property, StoreOrder, SymId, System, Target, Transition,
};
use crate::cub::ast::SymbolKind;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the properties that are races.
pub const RACE: &str = "race";

/// A weak cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// A variable, or the element with the number of the performing process.
    One(SymId),
    /// Some element of an array.
    Any(SymId),
}

impl Cell {
    fn symbol(self) -> SymId {
        match self {
            Cell::One(sym) | Cell::Any(sym) => sym,
        }
    }

    /// They are the same cell for sure.
    fn is(self, other: Cell) -> bool {
        matches!((self, other), (Cell::One(a), Cell::One(b)) if a == b)
    }
}

/// What a transition does to the buffer of its process.
struct Access {
    from: Option<u16>,
    to: Option<u16>,
    loads: BTreeSet<Cell>,
    stores: BTreeSet<Cell>,
    /// The buffer has to be empty.
    drains: bool,
    /// It stores at once.
    locked: bool,
}

/// What a system does the same under.
#[derive(Clone, Debug)]
pub struct Strongest {
    /// The order of stores.
    pub order: StoreOrder,
    /// It does so if none of these holds in a reachable state under that order: two processes are about to access the
    /// same variable, one of them to store to it.
    pub races: Vec<Property>,
}

impl System {
    /// The strongest order of stores under which the system, which is resolved for buffers, does what it does under
    /// this one.
    pub fn strongest(&self, order: StoreOrder) -> Strongest {
        let of_order = |order| Strongest {
            order,
            races: Vec::new(),
        };
        if self.memory != MemorySemantics::Buffered || order == StoreOrder::Sc {
            return of_order(order);
        }
        let Some(accesses) = self.accesses() else {
            return of_order(order);
        };
        let buffered = buffered(&accesses);
        let in_order = order == StoreOrder::Tso || buffered.values().all(is_one);
        let mut loading = accesses.iter().filter(|a| !a.drains);
        let loads_what_it_stored = loading.all(|a| {
            let stored = &buffered[&a.from];
            let mut pairs = stored
                .iter()
                .flat_map(|s| a.loads.iter().map(move |l| (s, l)));
            pairs.all(|(s, l)| s.is(*l))
        });
        if in_order && loads_what_it_stored {
            return of_order(StoreOrder::Sc);
        }
        match self.races(&accesses, &buffered, order) {
            Some(races) => Strongest {
                order: StoreOrder::Sc,
                races,
            },
            None if in_order => of_order(StoreOrder::Tso),
            None => of_order(order),
        }
    }

    /// The races without which a system does what it does on SC; nothing where some variable is neither always
    /// accessed with an empty buffer nor never by locked transitions.
    fn races(
        &self,
        accesses: &[Access],
        buffered: &BTreeMap<Option<u16>, BTreeSet<Cell>>,
        order: StoreOrder,
    ) -> Option<Vec<Property>> {
        let mut data: BTreeSet<SymId> = BTreeSet::new();
        for a in accesses.iter().filter(|a| !a.locked) {
            let stored = &buffered[&a.from];
            let accesses = a.loads.len() + a.stores.len() > 0;
            if !a.drains && !stored.is_empty() && accesses {
                data.extend(stored.iter().map(|c| c.symbol()));
            }
            let is_with_others = !a.drains && !stored.is_empty() || !is_one(&a.stores);
            if order == StoreOrder::Pso && is_with_others {
                data.extend(a.stores.iter().map(|c| c.symbol()));
            }
        }
        let locked = accesses.iter().filter(|a| a.locked);
        let mut at_once = locked.flat_map(|a| a.loads.iter().chain(&a.stores));
        if at_once.any(|c| data.contains(&c.symbol())) {
            return None;
        }
        self.races_among(accesses, &data)
    }

    /// The races of some variables of the system, which is resolved for buffers: two processes are about to access the
    /// same one, one of them to store to it. Nothing where that is not known of places.
    pub fn races_of(&self, data: &BTreeSet<SymId>) -> Option<Vec<Property>> {
        self.races_among(&self.accesses()?, data)
    }

    fn races_among(&self, accesses: &[Access], data: &BTreeSet<SymId>) -> Option<Vec<Property>> {
        let place = self.place()?;
        let mut places: BTreeSet<(u16, u16)> = BTreeSet::new();
        for a in accesses {
            for b in accesses {
                let mut accessed = b.loads.iter().chain(&b.stores);
                let conflict = accessed.any(|c| a.stores.iter().any(|s| self.may_be(*s, *c, data)));
                if conflict {
                    let (from, other) = (a.from?, b.from?);
                    places.insert((from.min(other), from.max(other)));
                }
            }
        }
        Some(
            places
                .into_iter()
                .map(|(p, q)| self.both_at(place, p, q))
                .collect(),
        )
    }

    /// Two processes may access the same cell of some variables so.
    fn may_be(&self, a: Cell, b: Cell, data: &BTreeSet<SymId>) -> bool {
        let sym = a.symbol();
        let own = |c: Cell| matches!(c, Cell::One(sym) if self.symbols[sym].arity > 0);
        sym == b.symbol() && data.contains(&sym) && !(own(a) && own(b))
    }

    /// One process is at a place, another one at another.
    fn both_at(&self, place: SymId, first: u16, second: u16) -> Property {
        let at = |p: u8, c: u16| at(place, self.symbols[place].ty, p, c);
        Property {
            name: RACE.into(),
            params: vec!["p".into(), "q".into()],
            body: Form::And(vec![at(0, first), at(1, second)]),
            span: self.init.span,
        }
    }

    /// What transitions access, if processes tell each other things by memory alone.
    fn accesses(&self) -> Option<Vec<Access>> {
        let is_weak = |sym: SymId| self.symbols[sym].kind == SymbolKind::Weak;
        let is_local = |f: &Form| {
            let mut local = true;
            each_in_form(f, &mut |a| local &= !is_weak(a.sym) && a.arity > 0);
            local
        };
        let properties = self.unsafes.iter().chain(&self.invariants);
        if !properties.map(|p| &p.body).all(is_local) {
            return None;
        }
        let place = self.place();
        let places = place.filter(|place| {
            let mut moves = self.transitions.iter().map(|t| t.moves(*place));
            moves.all(|m| matches!(m, Ok(Some(_))))
        });
        self.transitions
            .iter()
            .map(|t| self.access(t, places))
            .collect()
    }

    fn access(&self, t: &Transition, place: Option<SymId>) -> Option<Access> {
        let thread = Pr::Var(t.thread?);
        let cell = |sym: SymId, index: &[Pr]| match index.iter().all(|p| *p == thread) {
            true => Cell::One(sym),
            false => Cell::Any(sym),
        };
        let mut loads = BTreeSet::new();
        let mut by_memory = true;
        let mut load = |a: &Acc| match self.symbols[a.sym].kind {
            SymbolKind::Weak => {
                by_memory &= a.by == Some(thread);
                loads.insert(cell(a.sym, a.indices()));
            }
            SymbolKind::Const => {}
            _ => by_memory &= a.indices().first() == Some(&thread),
        };
        each_in_form(&t.guard, &mut load);
        for u in &t.updates {
            let is_kept = |a: &Acc| {
                let row = matches!(u.target, Target::Every(first) if a.indices().first() == Some(&Pr::Var(first)));
                row && a.sym == u.sym && self.symbols[u.sym].kind == SymbolKind::Plain
            };
            each_in_updates(std::slice::from_ref(u), &mut |a| {
                if !is_kept(a) {
                    load(a);
                }
            });
        }
        let mut stores = BTreeSet::new();
        for u in &t.updates {
            let index = match u.target {
                Target::Cell(index) => Some(index),
                Target::Every(_) => None,
            };
            let arity = self.symbols[u.sym].arity;
            match (self.symbols[u.sym].kind, index) {
                (SymbolKind::Weak, Some(index)) => {
                    stores.insert(cell(u.sym, &index[..arity]));
                }
                (SymbolKind::Weak, None) => {
                    stores.insert(Cell::Any(u.sym));
                }
                (_, Some(index)) => by_memory &= arity > 0 && index[0] == thread,
                // The registers of a process are updated by that process alone, see [`super::ownership`].
                (_, None) => {}
            }
        }
        if !by_memory || !self.looks_at_registers(&t.guard) {
            return None;
        }
        let moved = match place {
            Some(place) => t.moves(place).ok()?,
            None => None,
        };
        let locked = t.locked();
        Some(Access {
            from: moved.map(|m| m.from),
            to: moved.map(|m| m.to),
            loads,
            stores,
            drains: locked || is_fenced(&t.guard),
            locked,
        })
    }
}

impl System {
    /// What a guard says of all other processes is about registers: memory that all have would be looked at all at once.
    fn looks_at_registers(&self, guard: &Form) -> bool {
        match guard {
            Form::And(all) | Form::Or(all) => all.iter().all(|f| self.looks_at_registers(f)),
            Form::Others(_, body) => {
                let mut registers = true;
                each_in_form(body, &mut |a| {
                    registers &= self.symbols[a.sym].kind != SymbolKind::Weak;
                });
                registers
            }
            Form::Literal(_) | Form::Bool(_) | Form::Fence => true,
        }
    }
}

fn is_fenced(guard: &Form) -> bool {
    match guard {
        Form::Fence => true,
        Form::And(all) => all.iter().any(is_fenced),
        _ => false,
    }
}

/// No two cells, as far as that is known.
fn is_one(cells: &BTreeSet<Cell>) -> bool {
    cells.iter().all(|c| cells.iter().all(|d| c.is(*d)))
}

/// The cells to which there may be stores in the buffer of a process, by its place.
fn buffered(accesses: &[Access]) -> BTreeMap<Option<u16>, BTreeSet<Cell>> {
    let mut buffered: BTreeMap<Option<u16>, BTreeSet<Cell>> = BTreeMap::new();
    for a in accesses {
        buffered.entry(a.from).or_default();
        buffered.entry(a.to).or_default();
    }
    loop {
        let before = buffered.clone();
        for a in accesses {
            let mut after = match a.drains {
                true => BTreeSet::new(),
                false => buffered[&a.from].clone(),
            };
            if !a.locked {
                after.extend(&a.stores);
            }
            buffered.entry(a.to).or_default().extend(after);
        }
        if buffered == before {
            return buffered;
        }
    }
}
