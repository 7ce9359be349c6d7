//! How many bits numbers need.
//!
//! Numbers of a system are mathematical, those of a program are not. So it is worked out how large
//! any cell can become within the bound on transitions, and any sum that a formula compares; words
//! are wide enough for that, and nothing wraps. What the file leaves open, initially or with `?`,
//! could be any number: only those up to a bound are looked at, beyond all constants of the file.

use super::initial::Initial;
use crate::system::{Form, Lin, SymId, System, SystemLiteral, UpdateValue};
use base::idx::IdVec;
use ir::program::Width;

/// The numbers of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// Bits of a word.
    pub width: Width,
    /// What is open is between this and its negation.
    pub open: i64,
}

/// More cannot be told from a word's sign.
const LARGEST: i128 = 1 << 62;

/// The numbers of a system that fires at most so many transitions; nothing when they may outgrow
/// all words.
pub fn numbers(system: &System, initial: &Initial, transitions: u32) -> Option<Numbers> {
    let mut constant: i128 = i128::from(system.scale);
    each_sum(system, &mut |lin| {
        constant = constant.max(i128::from(lin.constant).abs());
    });
    let open = constant + 2;
    let mut most: IdVec<SymId, i128> = system.symbols.iter().map(|_| open).collect();
    for (sym, symbol) in system.symbols.iter_enumerated() {
        if system.types[symbol.ty].is_number() {
            let values = initial.values(sym).map(|v| i128::from(v).abs());
            most[sym] = values.max().unwrap_or(0);
            if initial.is_open(sym) {
                most[sym] = most[sym].max(open);
            }
        }
    }
    let updates = || system.transitions.iter().flat_map(|t| &t.updates);
    for _ in 0..transitions {
        let mut next = most.clone();
        for u in updates() {
            for (_, value) in &u.cases {
                let here = match value {
                    UpdateValue::Num(lin) => size(lin, &most)?,
                    UpdateValue::Any => open,
                    UpdateValue::Val(_) => 0,
                };
                next[u.sym] = next[u.sym].max(here);
            }
        }
        if next == most {
            break;
        }
        most = next;
    }
    let mut largest = most.iter().copied().max().unwrap_or(0);
    let mut fits = true;
    each_sum(system, &mut |lin| match size(lin, &most) {
        Some(n) => largest = largest.max(n),
        None => fits = false,
    });
    let width = [8u8, 16, 32, 64].into_iter();
    let width = width
        .filter(|_| fits)
        .find(|w| largest < (1i128 << (w - 1)) - 1 && largest < LARGEST)?;
    Some(Numbers {
        width,
        open: i64::try_from(open).ok()?,
    })
}

/// No value of a sum is larger than this either way.
fn size(lin: &Lin, most: &IdVec<SymId, i128>) -> Option<i128> {
    let parts = lin
        .terms
        .iter()
        .map(|(f, a)| i128::from(*f).abs() * most[a.sym].max(1));
    let all = parts.fold(i128::from(lin.constant).abs(), |a, b| a.saturating_add(b));
    (all < LARGEST).then_some(all)
}

fn each_sum(system: &System, f: &mut dyn FnMut(&Lin)) {
    let properties = system.unsafes.iter().chain(&system.invariants);
    for p in properties.chain([&system.init]) {
        in_form(&p.body, f);
    }
    for t in &system.transitions {
        in_form(&t.guard, f);
        for (condition, value) in t.updates.iter().flat_map(|u| &u.cases) {
            in_form(condition, f);
            if let UpdateValue::Num(lin) = value {
                f(lin);
            }
        }
    }
}

fn in_form(form: &Form, f: &mut dyn FnMut(&Lin)) {
    match form {
        Form::And(fs) | Form::Or(fs) => fs.iter().for_each(|x| in_form(x, f)),
        Form::Others(_, inner) => in_form(inner, f),
        Form::Literal(SystemLiteral::Num { lin, .. }) => f(lin),
        Form::Literal(_) | Form::Bool(_) | Form::Fence => {}
    }
}
