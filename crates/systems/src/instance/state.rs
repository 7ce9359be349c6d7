//! States as expressions: the initial one, what `init` and invariants say of it, and the assertion that
//! one is not unsafe.

use super::code::Code;
use super::expr::{all, not, number, truth};
use super::formula::{Env, InstanceContext};
use super::initial::Initial;
use super::roles::Cell;
use crate::system::access::{each_access, each_in_form};
use crate::system::tuples::{distinct_tuples, tuples};
use crate::system::{Form, System, UpdateValue};
use ir::program::{Expr, Op, Property as Assertion, Rule};
use std::collections::{BTreeMap, BTreeSet};

/// The value of each cell.
pub type State = BTreeMap<Cell, Expr>;

/// The cells of all symbols that the file speaks of.
pub fn spoken_of(system: &System, procs: u8) -> BTreeSet<Cell> {
    let mut symbols = BTreeSet::new();
    let properties = system.unsafes.iter().chain(&system.invariants);
    for p in properties.chain([&system.init]) {
        each_in_form(&p.body, &mut |a| {
            symbols.insert(a.sym);
        });
    }
    for t in &system.transitions {
        each_access(t, &mut |a| {
            symbols.insert(a.sym);
        });
        symbols.extend(t.updates.iter().map(|u| u.sym));
    }
    let cells = symbols.into_iter().flat_map(|sym| {
        let all = tuples(system.symbols[sym].arity, procs).into_iter();
        all.map(move |index| Cell::at(sym, &index))
    });
    cells.collect()
}

/// Some number is not said: initially, or where a transition takes any.
pub fn has_open_number(
    context: &InstanceContext,
    initial: &Initial,
    cells: &BTreeSet<Cell>,
) -> bool {
    let is_number = |sym| context.values(sym).is_none();
    let open = |c: &&Cell| is_number(c.sym) && initial.value(**c).is_none();
    let mut updates = context.system.transitions.iter().flat_map(|t| &t.updates);
    cells.iter().any(|c| open(&c))
        || updates.any(|u| {
            let mut cases = u.cases.iter();
            is_number(u.sym) && cases.any(|(_, v)| matches!(v, UpdateValue::Any))
        })
}

/// An initial state.
pub fn start(
    context: &InstanceContext,
    initial: &Initial,
    cells: &BTreeSet<Cell>,
    code: &mut Code,
) -> State {
    let values = cells.iter().map(|cell| {
        let value = match initial.value(*cell) {
            Some(value) => number(value, context.width(cell.sym)),
            None => code.any_value(context, cell.sym),
        };
        (*cell, value)
    });
    let state: State = values.collect();
    let system = context.system;
    let all_tuples = tuples(system.init.params.len(), context.procs);
    code.assume(all(holds(context, &system.init.body, all_tuples, &state)));
    code.assume(not_excluded(context, &state));
    state
}

/// What a formula says of each of these tuples of processes.
fn holds(
    context: &InstanceContext,
    form: &Form,
    tuples: Vec<Vec<u8>>,
    state: &State,
) -> impl Iterator<Item = Expr> {
    tuples.into_iter().map(move |vars| {
        let env = Env {
            vars: &vars,
            params: vars.len(),
        };
        let look = &mut |cell: Cell, _: Option<u8>| state[&cell].clone();
        context.form(form, env, &truth(true), look)
    })
}

/// No invariant of the file excludes a state.
pub fn not_excluded(context: &InstanceContext, state: &State) -> Expr {
    let invariants = context.system.invariants.iter().flat_map(|p| {
        let tuples = distinct_tuples(p.params.len(), context.procs);
        holds(context, &p.body, tuples, state)
    });
    all(invariants.map(not))
}

/// Asserts the opposite of the unsafe formulas, of what processes see in cells.
pub fn assert_safe(
    context: &InstanceContext,
    code: &mut Code,
    look: &mut dyn FnMut(Cell, Option<u8>) -> Expr,
) {
    for p in &context.system.unsafes {
        let mut safe = Vec::new();
        for vars in distinct_tuples(p.params.len(), context.procs) {
            let env = Env {
                vars: &vars,
                params: vars.len(),
            };
            safe.push(not(context.form(&p.body, env, &truth(true), look)));
        }
        code.span = p.span;
        code.push(Op::Assert {
            cond: all(safe),
            property: Assertion::new(Rule::Assertion, p.name.clone()),
        });
    }
}
