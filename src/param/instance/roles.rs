//! Who performs a transition, and where a symbol's cells are.
//!
//! With buffers the language says both: the process in brackets performs, plain arrays are its
//! registers, weak symbols are memory. On flat memory nothing is said. A transition is then given to
//! the process that stands first in most of its arrays' indices, which may make registers of them;
//! one without parameters to a thread of its own.

use crate::base::idx::{IdVec, position};
use crate::front::cub::ast::SymbolKind;
use crate::param::system::tuples::distinct_tuples;
use crate::param::system::{
    Acc, Form, Lin, MemorySemantics, Pr, SymId, System, SystemLiteral, Target, Transition, Update,
    UpdateValue, Val,
};

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
            MemorySemantics::Flat => likely_performer(system, t),
        };
        let performer: Vec<Option<u8>> = system.transitions.iter().map(performer).collect();
        let mut of: IdVec<SymId, Role> = IdVec::new();
        for symbol in system.symbols.iter() {
            of.push(match (symbol.kind, system.memory) {
                (SymbolKind::Const, _) => Role::Constant,
                (SymbolKind::Weak, _) => Role::Memory,
                (SymbolKind::Plain, MemorySemantics::Flat) if symbol.arity == 0 => Role::Memory,
                (SymbolKind::Plain, _) => Role::Register,
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
        if system.memory == MemorySemantics::Flat {
            for (t, by) in system.transitions.iter().zip(&performer) {
                each_foreign(system, t, by.map(Pr::Var), &mut |sym| {
                    if of[sym] == Role::Register {
                        of[sym] = Role::Memory;
                    }
                });
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

/// The parameter that stands first in the indices of most accesses to plain arrays.
fn likely_performer(system: &System, t: &Transition) -> Option<u8> {
    let mut count = vec![0usize; t.params.len()];
    let mut see = |sym: SymId, first: Pr| {
        let symbol = &system.symbols[sym];
        if let Pr::Var(v) = first
            && symbol.kind != SymbolKind::Const
            && symbol.arity > 0
            && let Some(n) = count.get_mut(usize::from(v))
        {
            *n += 1;
        }
    };
    each_access(t, &mut |a| see(a.sym, a.index[0]));
    for u in &t.updates {
        if let Target::Cell(index) = u.target {
            see(u.sym, index[0]);
        }
    }
    let best = (0..count.len()).max_by_key(|i| (count[*i], std::cmp::Reverse(*i)))?;
    Some(position(best))
}

/// Calls `f` with every array of which a transition touches a cell of another process.
fn each_foreign(system: &System, t: &Transition, by: Option<Pr>, f: &mut dyn FnMut(SymId)) {
    let mut see = |sym: SymId, first: Pr, own: &[Pr]| {
        if system.symbols[sym].arity > 0 && !own.contains(&first) {
            f(sym);
        }
    };
    let thread: Vec<Pr> = by.into_iter().collect();
    each_in_form(&t.guard, &mut |a| see(a.sym, a.index[0], &thread));
    for u in &t.updates {
        let (first, every) = match u.target {
            Target::Cell(index) => (index[0], false),
            Target::Every(from) => (Pr::Var(from), true),
        };
        for (condition, value) in &u.cases {
            let mut own = thread.clone();
            if every && by.is_some_and(|by| equates(condition, first, by)) {
                own.push(first);
            }
            each_in_form(condition, &mut |a| see(a.sym, a.index[0], &own));
            if !keeps(u, value) {
                see(u.sym, first, &own);
                each_in_value(value, &mut |a| see(a.sym, a.index[0], &own));
            }
        }
    }
}

/// The condition has `var = process` among its conjuncts.
fn equates(f: &Form, var: Pr, process: Pr) -> bool {
    match f {
        Form::And(fs) => fs.iter().any(|f| equates(f, var, process)),
        Form::Literal(SystemLiteral::Same { equal, a, b, .. }) => {
            let (x, y) = (Val::Proc(var), Val::Proc(process));
            *equal && ((*a, *b) == (x, y) || (*a, *b) == (y, x))
        }
        _ => false,
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

/// Calls `f` with every cell that a transition reads.
pub fn each_access(t: &Transition, f: &mut dyn FnMut(&Acc)) {
    each_in_form(&t.guard, f);
    for (condition, value) in t.updates.iter().flat_map(|u| &u.cases) {
        each_in_form(condition, f);
        each_in_value(value, f);
    }
}

fn each_in_value(value: &UpdateValue, f: &mut dyn FnMut(&Acc)) {
    match value {
        UpdateValue::Val(Val::Acc(a)) => f(a),
        UpdateValue::Num(lin) => lin.terms.iter().for_each(|(_, a)| f(a)),
        UpdateValue::Val(_) | UpdateValue::Any => {}
    }
}

/// Calls `f` with every cell that a formula speaks of.
pub fn each_in_form(form: &Form, f: &mut dyn FnMut(&Acc)) {
    match form {
        Form::Bool(_) | Form::Fence => {}
        Form::And(fs) | Form::Or(fs) => fs.iter().for_each(|x| each_in_form(x, f)),
        Form::Others(_, inner) => each_in_form(inner, f),
        Form::Literal(SystemLiteral::Same { a, b, .. } | SystemLiteral::Before { a, b, .. }) => {
            for v in [a, b] {
                if let Val::Acc(a) = v {
                    f(a);
                }
            }
        }
        Form::Literal(SystemLiteral::Num { lin, .. }) => lin.terms.iter().for_each(|(_, a)| f(a)),
    }
}
