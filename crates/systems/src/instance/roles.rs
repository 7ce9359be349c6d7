//! Who performs a transition, and where a symbol's cells are.
//!
//! With buffers the language says both: the process in brackets performs, plain arrays are its
//! registers, weak symbols are memory. On flat memory nothing is said, and nothing depends on it: a
//! transition is counted as one of its first parameter.

use crate::cub::ast::SymbolKind;
use crate::system::tuples::distinct_tuples;
use crate::system::{
    Acc, Lin, MemorySemantics, Pr, SymId, System, Target, Transition, Update, UpdateValue, Val,
};
use base::idx::IdVec;

/// Where the cells of a symbol are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// They keep their initial value.
    Constant,
    /// With the process that is their first index; no other one touches them.
    Register,
    /// In memory.
    Memory,
}

/// A cell of a symbol; indices that the symbol does not have are 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cell {
    pub sym: SymId,
    pub at: [u8; 2],
}

impl Cell {
    /// What an access touches where variables stand for these processes.
    pub fn of(acc: &Acc, env: &[u8]) -> Cell {
        let mut at = [0; 2];
        for (slot, p) in at.iter_mut().zip(acc.indices()) {
            *slot = p.of(env);
        }
        Cell { sym: acc.sym, at }
    }

    /// The cell with these indices.
    pub fn at(sym: SymId, index: &[u8]) -> Cell {
        let mut at = [0; 2];
        at.iter_mut().zip(index).for_each(|(slot, p)| *slot = *p);
        Cell { sym, at }
    }

    /// As the file would name it, processes counted from 1.
    pub fn name(&self, system: &System) -> String {
        let symbol = &system.symbols[self.sym];
        let index = self.at[..symbol.arity].iter();
        let index: Vec<String> = index.map(|p| format!("#{}", p + 1)).collect();
        match index.len() {
            0 => symbol.name.clone(),
            _ => format!("{}[{}]", symbol.name, index.join(",")),
        }
    }
}

/// Who performs what, and where cells are.
pub struct Roles {
    /// By transition: the parameter whose process performs it.
    pub performer: Vec<Option<u8>>,
    /// By symbol.
    pub of: IdVec<SymId, Role>,
}

impl Roles {
    /// Those of a system.
    pub fn new(system: &System) -> Roles {
        let performer = |t: &Transition| match system.memory {
            MemorySemantics::Buffered => t.thread,
            MemorySemantics::Flat => (!t.params.is_empty()).then_some(0),
        };
        let performer: Vec<Option<u8>> = system.transitions.iter().map(performer).collect();
        let mut of: IdVec<SymId, Role> = IdVec::new();
        for symbol in system.symbols.iter() {
            of.push(match symbol.kind {
                SymbolKind::Const => Role::Constant,
                SymbolKind::Weak => Role::Memory,
                SymbolKind::Plain => Role::Register,
            });
        }
        let written = |sym: SymId| {
            let mut updates = system.transitions.iter().flat_map(|t| &t.updates);
            updates.any(|u| u.sym == sym)
        };
        for sym in system.symbols.ids() {
            if !written(sym) {
                of[sym] = Role::Constant;
            }
        }
        Roles { performer, of }
    }

    /// The calls of a process, or of the thread of those without one.
    pub fn calls(&self, system: &System, procs: u8, process: Option<u8>) -> Vec<(usize, Vec<u8>)> {
        let mut all = Vec::new();
        for (t, by) in self.performer.iter().enumerate() {
            for args in distinct_tuples(system.transitions[t].params.len(), procs) {
                if by.map(|p| args[usize::from(p)]) == process {
                    all.push((t, args));
                }
            }
        }
        all
    }
}

/// The value is what the cell has.
pub fn keeps(u: &Update, value: &UpdateValue) -> bool {
    let at = |i: u8| match u.target {
        Target::Cell(index) => index[usize::from(i)],
        Target::Every(from) => Pr::Var(from + i),
    };
    let same = |a: &Acc| a.sym == u.sym && (0..a.arity).all(|i| a.index[usize::from(i)] == at(i));
    match value {
        UpdateValue::Val(Val::Acc(a)) => same(a),
        UpdateValue::Num(Lin { terms, constant: 0 }) => {
            matches!(terms.as_slice(), [(1, a)] if same(a))
        }
        _ => false,
    }
}
