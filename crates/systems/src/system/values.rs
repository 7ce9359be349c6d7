//! Value-set analysis: the constructors that the cells of a symbol can ever hold.

use super::types::{Form, Pr, System, SystemLiteral, Type, UpdateValue, Val};
use crate::cub::ast::SymbolKind;

/// The constructors that a symbol's cells can hold: those `init` allows and those stored.
pub fn flow(system: &System) -> Vec<u128> {
    let full = |n: usize| {
        if n >= 128 {
            u128::MAX
        } else {
            (1u128 << n) - 1
        }
    };
    let all: Vec<u128> = system
        .symbols
        .iter()
        .map(|s| match &system.types[s.ty] {
            Type::Enum(_, ctors) => full(ctors.len()),
            _ => u128::MAX,
        })
        .collect();
    let mut can: Vec<u128> = system
        .symbols
        .iter()
        .zip(&all)
        .map(|(s, full)| match (&system.types[s.ty], s.kind) {
            (Type::Enum(..), SymbolKind::Plain | SymbolKind::Weak) => 0,
            _ => *full,
        })
        .collect();
    // What `init` says of a cell under every tuple of processes bounds all cells of its symbol.
    let mut start = all.clone();
    let conjuncts: &[Form] = match &system.init.body {
        Form::And(fs) => fs,
        f => std::slice::from_ref(f),
    };
    for f in conjuncts {
        if let Some((sym, mask, general)) = constrains(f)
            && general
        {
            start[sym] &= mask;
        }
    }
    for (c, s) in can.iter_mut().zip(&start) {
        *c |= s;
    }
    loop {
        let before = can.clone();
        for u in system.transitions.iter().flat_map(|t| &t.updates) {
            let sym = u.sym.0 as usize;
            for (_, value) in &u.cases {
                can[sym] |= match value {
                    UpdateValue::Val(Val::Ctor(k)) => 1 << k,
                    UpdateValue::Val(Val::Acc(a)) => can[a.sym.0 as usize],
                    _ => all[sym],
                };
            }
        }
        if can == before {
            return can;
        }
    }
}

/// `A[p] = C` or a disjunction of such of one symbol; `general` when p is a variable.
fn constrains(f: &Form) -> Option<(usize, u128, bool)> {
    match f {
        Form::Literal(SystemLiteral::Same { equal, a, b, .. }) => {
            let (Val::Acc(acc), Val::Ctor(k)) = (match (a, b) {
                (Val::Ctor(_), Val::Acc(_)) => (*b, *a),
                _ => (*a, *b),
            }) else {
                return None;
            };
            let distinct = acc.arity < 2 || acc.index[0] != acc.index[1];
            let general = distinct && acc.indices().iter().all(|p| matches!(p, Pr::Var(_)));
            let mask = if *equal { 1 << k } else { !(1 << k) };
            Some((acc.sym.0 as usize, mask, general))
        }
        Form::Or(fs) => {
            let mut parts = fs.iter().map(constrains);
            let (sym, mut mask, mut general) = parts.next()??;
            for p in parts {
                let (s, m, g) = p?;
                if s != sym {
                    return None;
                }
                mask |= m;
                general &= g;
            }
            Some((sym, mask, general))
        }
        _ => None,
    }
}
