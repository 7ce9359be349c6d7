//! Without buffers nothing distinguishes one process from another: a state is the values of all cells,
//! and a run a sequence of transitions, whoever fires them. So the program has one thread, which fires
//! as many transitions as all processes have together, and what `invariant`s exclude is excluded in
//! every state.

use super::code::Code;
use super::column::{Column, TransitionInstance};
use super::expr::{all, and, binary, choose, not, number, or, truth};
use super::formula::{Env, InstanceContext, cases};
use super::initial::Initial;
use super::reach::Fired;
use super::roles::{Cell, keeps};
use super::state::{State, assert_safe, not_excluded, spoken_of, start};
use crate::system::{Update, UpdateValue};
use ir::program::{BinOp, Expr, Proc};
use std::collections::BTreeMap;

/// The procedure, and the column that says what its steps are.
pub fn flat(context: &InstanceContext, initial: &Initial, steps: &[Vec<Fired>]) -> (Proc, Column) {
    let span = context.system.init.span;
    let mut code = Code::new(span);
    let cells = spoken_of(context.system, context.procs);
    let mut state = start(context, initial, &cells, &mut code);
    let mut column = Column {
        thread: 0,
        first: code.choices(),
        steps: Vec::new(),
    };
    let mut before: Option<Expr> = None;
    for fired in steps {
        let width = if fired.len() > 255 { 16 } else { 8 };
        let choice = code.any_of(fired.len() as u64 + 1, width);
        let is = |i: usize| {
            let i = i64::try_from(i).unwrap_or(i64::MAX);
            binary(BinOp::Eq, choice.clone(), number(i, width))
        };
        // Having stopped it goes no further.
        if let Some(stopped) = before.replace(is(0)) {
            code.assume(or(not(stopped), is(0)));
        }
        let chosen = code.choices();
        let mut guards = Vec::new();
        let mut writes: BTreeMap<Cell, Vec<(Expr, Expr)>> = BTreeMap::new();
        for (i, (t, args)) in fired.iter().enumerate() {
            let t = &context.system.transitions[*t];
            let env = Env {
                vars: args,
                params: args.len(),
            };
            let look = &mut |cell, _| value(&state, cell);
            let guard = context.form(&t.guard, env, &truth(true), look);
            guards.push(or(not(is(i + 1)), guard));
            for u in &t.updates {
                for (cell, vars) in context.targets(u, args) {
                    let env = Env { vars: &vars, ..env };
                    let (when, new) = written(context, u, cell, env, &state, &mut code);
                    if when != truth(false) {
                        let when = and(is(i + 1), when);
                        writes.entry(cell).or_default().push((when, new));
                    }
                }
            }
        }
        code.assume(all(guards));
        let choices = code.choices() - chosen;
        let mut next = state.clone();
        for (cell, new) in writes {
            let old = value(&state, cell);
            let new = new.into_iter().fold(old, |a, (when, v)| choose(when, v, a));
            let name = cell.name(context.system);
            let local = code.set(&name, context.width(cell.sym), new);
            next.insert(cell, Expr::Local(local));
        }
        state = next;
        code.assume(not_excluded(context, &state));
        let instance = |(t, args): &Fired| TransitionInstance {
            transition: *t,
            args: args.clone(),
            choices,
        };
        column.steps.push(fired.iter().map(instance).collect());
    }
    assert_safe(context, &mut code, &mut |cell, _| value(&state, cell));
    let proc = code.proc("main".into(), Vec::new(), span);
    (proc, column)
}

fn value(state: &State, cell: Cell) -> Expr {
    state[&cell].clone()
}

/// When an update gives a cell another value, and which.
fn written(
    context: &InstanceContext,
    u: &Update,
    cell: Cell,
    env: Env,
    state: &State,
    code: &mut Code,
) -> (Expr, Expr) {
    let mut list = Vec::new();
    for (condition, new) in &u.cases {
        let look = &mut |cell, _| value(state, cell);
        let when = context.form(condition, env, &truth(true), look);
        if when == truth(false) {
            continue;
        }
        let new = match new {
            new if keeps(u, new) => None,
            UpdateValue::Any => Some(code.any_value(context, u.sym)),
            new => context.value(new, env.vars, look),
        };
        let last = when == truth(true);
        list.push((when, new));
        if last {
            break;
        }
    }
    cases(list, value(state, cell))
}
