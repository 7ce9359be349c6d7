//! What `init` says of single cells: those that it makes equal to a constant have that value, the
//! others are open, and `init` is assumed of them.

use super::roles::Cell;
use crate::system::tuples::tuples;
use crate::system::{Acc, Form, Rel, SymId, System, SystemLiteral, Val};
use std::collections::BTreeMap;

/// Initial values, as far as they are said.
pub struct Initial {
    known: BTreeMap<Cell, i64>,
    open: Vec<Cell>,
}

impl Initial {
    /// Those of a system with so many processes.
    pub fn new(system: &System, procs: u8) -> Initial {
        let mut known = BTreeMap::new();
        for env in tuples(system.init.params.len(), procs) {
            determine(&system.init.body, &env, &mut known);
        }
        let cells = system.symbols.iter_enumerated().flat_map(|(sym, symbol)| {
            let all = tuples(symbol.arity, procs).into_iter();
            all.map(move |index| Cell::at(sym, &index))
        });
        let open = cells.filter(|c| !known.contains_key(c)).collect();
        Initial { known, open }
    }

    /// The value of a cell.
    pub fn value(&self, cell: Cell) -> Option<i64> {
        self.known.get(&cell).copied()
    }

    /// The values that are said of a symbol's cells.
    pub fn values(&self, sym: SymId) -> impl Iterator<Item = i64> {
        let known = self.known.iter().filter(move |(c, _)| c.sym == sym);
        known.map(|(_, v)| *v)
    }

    /// Some cell of the symbol is open.
    pub fn is_open(&self, sym: SymId) -> bool {
        self.open.iter().any(|c| c.sym == sym)
    }
}

/// Notes what the conjuncts say of cells; of two values the first, and the formula is false then.
fn determine(form: &Form, env: &[u8], known: &mut BTreeMap<Cell, i64>) {
    let mut is = |acc: &Acc, value: i64| {
        known.entry(Cell::of(acc, env)).or_insert(value);
    };
    match form {
        Form::And(fs) => fs.iter().for_each(|f| determine(f, env, known)),
        Form::Literal(SystemLiteral::Same {
            equal: true, a, b, ..
        }) => match (a, b) {
            (Val::Acc(acc), Val::Ctor(k)) | (Val::Ctor(k), Val::Acc(acc)) => {
                is(acc, i64::from(*k));
            }
            (Val::Acc(acc), Val::Proc(p)) | (Val::Proc(p), Val::Acc(acc)) => {
                is(acc, i64::from(p.of(env)));
            }
            _ => {}
        },
        Form::Literal(SystemLiteral::Num {
            rel: Rel::Eq, lin, ..
        }) => {
            if let [(f @ (1 | -1), acc)] = lin.terms.as_slice() {
                is(acc, -f * lin.constant);
            }
        }
        _ => {}
    }
}
