//! Registers belong to their process.
//!
//! Under weak memory a plain array holds registers: a transition reads and writes only cells whose
//! first index is the performing process. In the `case` of an update the index is a variable; it
//! counts as the performing process in a case that requires it to be equal, and the last case may
//! leave the other cells as they are (`| _ : A[j]`). Constants are free.

use super::scope::Scope;
use super::types::{
    Acc, Form, MemorySemantics, Pr, SystemLiteral, Target, Transition, Update, UpdateValue, Val,
};
use crate::cub::ast::SymbolKind;
use base::source::Span;

/// Reports every access of a transition to a register of another process.
pub(super) fn check(s: &mut Scope, t: &Transition) {
    let Some(thread) = t.thread.map(Pr::Var) else {
        return;
    };
    if s.memory == MemorySemantics::Flat {
        return;
    }
    check_form(s, &t.guard, &[thread], t.span);
    for update in &t.updates {
        check_update(s, update, thread);
    }
}

fn check_update(s: &mut Scope, u: &Update, thread: Pr) {
    let register = s.symbols[u.sym].kind == SymbolKind::Plain;
    let first = match u.target {
        Target::Cell(index) => {
            if register && index[0] != thread {
                let message = "a transition writes only its own process's registers";
                s.error(u.span, message);
            }
            index[0]
        }
        Target::Every(from) => Pr::Var(from),
    };
    let every = matches!(u.target, Target::Every(_));
    for (condition, value) in &u.cases {
        let mut own = vec![thread];
        if every && equates(condition, first, thread) {
            own.push(first);
        }
        let keeps = matches!(value, UpdateValue::Val(Val::Acc(a)) if is_target(u, a))
            || matches!(value, UpdateValue::Num(l) if l.constant == 0 && matches!(l.terms.as_slice(), [(1, a)] if is_target(u, a)));
        check_form(s, condition, &own, u.span);
        if keeps {
            continue;
        }
        if register && every && own.len() == 1 {
            let message = "a transition writes only its own process's registers";
            s.error(u.span, message);
        }
        match value {
            UpdateValue::Val(Val::Acc(a)) => check_acc(s, a, &own, u.span),
            UpdateValue::Num(lin) => lin
                .terms
                .iter()
                .for_each(|(_, a)| check_acc(s, a, &own, u.span)),
            _ => {}
        }
    }
}

/// The value is the cell that is written.
fn is_target(u: &Update, a: &Acc) -> bool {
    let at = |i: u8| match u.target {
        Target::Cell(index) => index[usize::from(i)],
        Target::Every(from) => Pr::Var(from + i),
    };
    a.sym == u.sym && (0..a.arity).all(|i| a.index[usize::from(i)] == at(i))
}

/// The condition has `var = thread` among its conjuncts.
fn equates(f: &Form, var: Pr, thread: Pr) -> bool {
    match f {
        Form::And(fs) => fs.iter().any(|f| equates(f, var, thread)),
        Form::Literal(SystemLiteral::Same { equal, a, b, .. }) => {
            let pair = (*a, *b);
            let (x, y) = (Val::Proc(var), Val::Proc(thread));
            *equal && (pair == (x, y) || pair == (y, x))
        }
        _ => false,
    }
}

fn check_form(s: &mut Scope, f: &Form, own: &[Pr], span: Span) {
    match f {
        Form::Bool(_) | Form::Fence => {}
        Form::And(fs) | Form::Or(fs) => fs.iter().for_each(|f| check_form(s, f, own, span)),
        Form::Others(_, f) => check_form(s, f, own, span),
        Form::Literal(SystemLiteral::Same { a, b, .. } | SystemLiteral::Before { a, b, .. }) => {
            for v in [a, b] {
                if let Val::Acc(a) = v {
                    check_acc(s, a, own, span);
                }
            }
        }
        Form::Literal(SystemLiteral::Num { lin, .. }) => lin
            .terms
            .iter()
            .for_each(|(_, a)| check_acc(s, a, own, span)),
    }
}

fn check_acc(s: &mut Scope, a: &Acc, own: &[Pr], span: Span) {
    let symbol = &s.symbols[a.sym];
    if symbol.kind == SymbolKind::Plain && a.arity > 0 && !own.contains(&a.index[0]) {
        let message = format!(
            "a transition reads only its own process's registers, and `{}` is read of another",
            symbol.name
        );
        s.error(span, message);
    }
}
