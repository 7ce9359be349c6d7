//! Which condition variables a program waits on with which mutexes, by the text alone.
//!
//! Threads that wait on one condition variable at the same time have to use one mutex. In most programs
//! that is plain to see: there is one mutex, or each condition variable goes with one beside it in the
//! same structure. Only where it is not the waits keep a record, which costs.

use crate::front::c::ast::{Expr, ExprKind, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// What the names of marks begin with among the names of called functions.
const MARK: &str = "(wait) ";
const WITH: &str = " with ";
const UNKNOWN: &str = "?";
const WAITS: [&str; 5] = [
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "cnd_wait",
    "cnd_timedwait",
];

/// The mark that a call leaves among the names of called functions, where it is a wait.
pub fn marks(function: &str, args: &[Expr]) -> Option<String> {
    let (cond, mutex) = match args {
        [cond, mutex, ..] if WAITS.contains(&function) => (cond, mutex),
        _ => return None,
    };
    let text = |e: &Expr| object(e).unwrap_or_else(|| UNKNOWN.to_string());
    Some(format!("{MARK}{}{WITH}{}", text(cond), text(mutex)))
}

/// The object whose address an expression is.
fn object(e: &Expr) -> Option<String> {
    match &e.kind {
        ExprKind::Cast(_, inner) => object(inner),
        ExprKind::Unary(UnaryOp::Address, inner) => place(inner),
        _ => None,
    }
}

/// `base.member`, or a variable.
fn place(e: &Expr) -> Option<String> {
    match &e.kind {
        ExprKind::Ident(name) => Some(name.clone()),
        ExprKind::Unary(UnaryOp::Deref, inner) => place(inner).map(|p| format!("*{p}")),
        ExprKind::Index(array, index) => {
            let index = match &index.kind {
                ExprKind::Ident(name) => name.clone(),
                ExprKind::Int(value, _) => value.to_string(),
                _ => return None,
            };
            Some(format!("{}[{index}]", place(array)?))
        }
        ExprKind::Member { base, arrow, name } => {
            let of = if *arrow { "*" } else { "" };
            Some(format!("{of}{}.{}", place(base)?, name.name))
        }
        _ => None,
    }
}

/// Whether some condition variable may be waited on with two mutexes, as far as the marks tell.
/// `is_global` knows the variables that there is one of.
pub fn may_mix(calls: &BTreeSet<String>, is_global: &dyn Fn(&str) -> bool) -> bool {
    let marks = calls.iter().filter_map(|c| c.strip_prefix(MARK));
    let pairs: Vec<(&str, &str)> = marks.filter_map(|m| m.split_once(WITH)).collect();
    let mutexes: BTreeSet<&str> = pairs.iter().map(|(_, mutex)| *mutex).collect();
    if let [mutex] = mutexes.iter().collect::<Vec<_>>()[..]
        && is_global(mutex)
    {
        return false;
    }
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (cond, mutex) in pairs {
        let key_and_value = match (cond.rsplit_once('.'), mutex.rsplit_once('.')) {
            (Some((base, cond)), Some((same, mutex))) if base == same => Some((cond, mutex)),
            (None, None) if is_global(cond) && is_global(mutex) => Some((cond, mutex)),
            _ => None,
        };
        match key_and_value {
            Some((cond, mutex)) if *known.entry(cond).or_insert(mutex) == mutex => {}
            _ => return true,
        }
    }
    false
}
