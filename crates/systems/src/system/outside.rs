//! A process outside of all those that parameters stand for.
//!
//! `init (p) { Home <> p && … }` says of a variable that it is no process p, whichever. If
//! variables held only the processes that p ranges over, no state would be initial. Cubicle, which
//! instantiates `init` with the processes of a cube, reads it as the authors of FLASH meant it: the
//! home node is another process. So when `init` has such a conjunct, `V <> p` of a variable or
//! constant V and a parameter p,
//!
//! - parameters, quantifiers and indices range over the processes, as always; V is none of them at
//!   the beginning, and so there are values of type `proc` beside them, at most one for each such
//!   V;
//! - any variable or cell of type `proc` may hold one of these values, as far as `init` leaves it
//!   open, or have it assigned (`UniMsg_Proc[src] := Home`);
//! - V itself may be assigned another value, unless it is a constant. When no transition does so,
//!   it is never a process, and `V = p` is decided here, in all formulas but `init`.
//!
//! Whether such a value is before or after a process is not said: the order of what variables hold
//! is refused then.

use super::expr::join;
use super::types::{Form, Pr, Property, SymId, System, SystemLiteral, Val};
use base::diag::Diag;
use base::idx::Id;

/// The variables and constants that `init` says to be none of the processes.
pub(super) fn find(init: &Property) -> Vec<SymId> {
    let conjuncts = match &init.body {
        Form::And(fs) => fs.as_slice(),
        f => std::slice::from_ref(f),
    };
    let mut all: Vec<SymId> = conjuncts.iter().filter_map(is_no_process).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// `V <> p`.
fn is_no_process(f: &Form) -> Option<SymId> {
    let Form::Literal(lit) = f else { return None };
    match beside_process(lit)? {
        (sym, Pr::Var(_), false) => Some(sym),
        _ => None,
    }
}

/// A variable or constant that is compared with a process of the environment, and whether it is to
/// be equal.
fn beside_process(lit: &SystemLiteral) -> Option<(SymId, Pr, bool)> {
    match lit {
        SystemLiteral::Same { equal, a, b, .. } => match (a, b) {
            (Val::Acc(acc), Val::Proc(p)) | (Val::Proc(p), Val::Acc(acc)) => {
                (acc.arity == 0).then_some((acc.sym, *p, *equal))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Decides the comparisons with variables that are never a process.
///
/// # Errors
/// The order of what a variable holds.
pub(super) fn settle(system: &mut System) -> Result<(), Diag> {
    let Some(first) = system.outside.first().copied() else {
        return Ok(());
    };
    let properties = system.unsafes.iter().chain(&system.invariants);
    let properties = properties.chain([&system.init]);
    let mut formulas: Vec<(&Form, _)> = properties.map(|p| (&p.body, p.span)).collect();
    for t in &system.transitions {
        let conditions = t.updates.iter().flat_map(|u| &u.cases).map(|(c, _)| c);
        formulas.extend(conditions.chain([&t.guard]).map(|f| (f, t.span)));
    }
    if let Some((_, span)) = formulas.into_iter().find(|(f, _)| has_order(f)) {
        let name = &system.symbols[first].name;
        let message = format!(
            "the order of what variables hold is not supported when `{name}` is none of the \
             processes"
        );
        let note = format!("`init` says so: `{name}` differs from every process");
        return Err(Diag::unsupported(span, message).note(note));
    }
    let updates = system.transitions.iter().flat_map(|t| &t.updates);
    let assigned: Vec<SymId> = updates.map(|u| u.sym).collect();
    let mut for_ever = vec![false; system.symbols.len()];
    for sym in system.outside.iter().filter(|s| !assigned.contains(s)) {
        for_ever[sym.index()] = true;
    }
    let decide = |f: &mut Form| *f = decided(f, &for_ever);
    for p in system.unsafes.iter_mut().chain(&mut system.invariants) {
        decide(&mut p.body);
    }
    for t in &mut system.transitions {
        decide(&mut t.guard);
        let cases = t.updates.iter_mut().flat_map(|u| &mut u.cases);
        cases.for_each(|(condition, _)| decide(condition));
    }
    Ok(())
}

/// The order of two values is asked of which one is no parameter.
fn has_order(f: &Form) -> bool {
    match f {
        Form::And(fs) | Form::Or(fs) => fs.iter().any(has_order),
        Form::Others(_, f) => has_order(f),
        Form::Literal(SystemLiteral::Before { a, b, .. }) => {
            [a, b].iter().any(|v| matches!(v, Val::Acc(_)))
        }
        Form::Literal(_) | Form::Bool(_) | Form::Fence => false,
    }
}

fn decided(f: &Form, for_ever: &[bool]) -> Form {
    let all = |fs: &[Form], and: bool| {
        let parts = fs.iter().map(|f| decided(f, for_ever));
        parts.fold(Form::Bool(and), |a, b| join(a, b, and))
    };
    match f {
        Form::And(fs) => all(fs, true),
        Form::Or(fs) => all(fs, false),
        Form::Others(v, f) => match decided(f, for_ever) {
            Form::Bool(true) => Form::Bool(true),
            f => Form::Others(*v, Box::new(f)),
        },
        Form::Literal(lit) => match beside_process(lit) {
            Some((sym, _, equal)) if for_ever[sym.index()] => Form::Bool(!equal),
            _ => f.clone(),
        },
        Form::Bool(_) | Form::Fence => f.clone(),
    }
}
