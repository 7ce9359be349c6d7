//! The cells that formulas and transitions read.

use super::types::{Acc, Form, SystemLiteral, Transition, Update, UpdateValue, Val};

/// Calls `f` with every cell that a transition reads.
pub fn each_access(t: &Transition, f: &mut dyn FnMut(&Acc)) {
    each_in_form(&t.guard, f);
    each_in_updates(&t.updates, f);
}

/// Calls `f` with every cell that the conditions and values of updates speak of.
pub fn each_in_updates(updates: &[Update], f: &mut dyn FnMut(&Acc)) {
    for (condition, value) in updates.iter().flat_map(|u| &u.cases) {
        each_in_form(condition, f);
        match value {
            UpdateValue::Val(Val::Acc(a)) => f(a),
            UpdateValue::Num(lin) => lin.terms.iter().for_each(|(_, a)| f(a)),
            UpdateValue::Val(_) | UpdateValue::Any => {}
        }
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
