//! Formulas and values with other processes put for those in them.

use super::types::{Acc, Form, Lin, Pr, SystemLiteral, UpdateValue, Val, sum};

/// The formula with each process replaced; that includes the variables of quantifiers.
pub fn map_form(form: &Form, f: &dyn Fn(Pr) -> Pr) -> Form {
    let all = |fs: &[Form]| fs.iter().map(|g| map_form(g, f)).collect();
    match form {
        Form::Bool(_) | Form::Fence => form.clone(),
        Form::And(fs) => Form::And(all(fs)),
        Form::Or(fs) => Form::Or(all(fs)),
        Form::Others(v, inner) => {
            let v = match f(Pr::Var(*v)) {
                Pr::Var(w) => w,
                Pr::Fixed(_) => *v,
            };
            Form::Others(v, Box::new(map_form(inner, f)))
        }
        Form::Literal(lit) => Form::Literal(match lit {
            SystemLiteral::Same { equal, ty, a, b } => SystemLiteral::Same {
                equal: *equal,
                ty: *ty,
                a: map_val(a, f),
                b: map_val(b, f),
            },
            SystemLiteral::Before { strict, a, b } => SystemLiteral::Before {
                strict: *strict,
                a: map_val(a, f),
                b: map_val(b, f),
            },
            SystemLiteral::Num { rel, int, lin } => SystemLiteral::Num {
                rel: *rel,
                int: *int,
                lin: map_lin(lin, f),
            },
        }),
    }
}

/// The new value of a cell with each process replaced.
pub fn map_value(value: &UpdateValue, f: &dyn Fn(Pr) -> Pr) -> UpdateValue {
    match value {
        UpdateValue::Val(v) => UpdateValue::Val(map_val(v, f)),
        UpdateValue::Num(lin) => UpdateValue::Num(map_lin(lin, f)),
        UpdateValue::Any => UpdateValue::Any,
    }
}

fn map_acc(a: &Acc, f: &dyn Fn(Pr) -> Pr) -> Acc {
    Acc {
        index: a.index.map(f),
        by: a.by.map(f),
        ..*a
    }
}

fn map_val(v: &Val, f: &dyn Fn(Pr) -> Pr) -> Val {
    match v {
        Val::Acc(a) => Val::Acc(map_acc(a, f)),
        Val::Proc(p) => Val::Proc(f(*p)),
        Val::Ctor(k) => Val::Ctor(*k),
    }
}

fn map_lin(lin: &Lin, f: &dyn Fn(Pr) -> Pr) -> Lin {
    let terms = lin.terms.iter().map(|(k, a)| (*k, map_acc(a, f)));
    sum(terms, lin.constant)
}
