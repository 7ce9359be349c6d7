//! Quantifier-free formulas about a cube: substitution, negation, disjunctive normal form.

use super::literals::{Base, BaseKind, Conj, LinSum, LinearLiteral, Literal, Small, small};
use crate::system::Rel;

/// A quantifier-free formula about a cube; negations are at the literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroundFormula {
    /// A constant.
    Bool(bool),
    /// A small literal.
    Literal(Literal),
    /// A linear one.
    Lin(LinearLiteral),
    /// The performing process's buffer is empty.
    Fence,
    /// All of them.
    And(Vec<GroundFormula>),
    /// One of them.
    Or(Vec<GroundFormula>),
}

/// A term about a cube.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroundTerm {
    /// A constructor.
    Ctor(u16),
    /// A process, cell, read or unknown value.
    Base(Base),
    /// A number.
    Num(LinSum),
    /// Any value.
    Any,
}

/// Numbers that do not fit in 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a number does not fit in 64 bits")]
pub struct Overflow;

/// All of them, flattened.
pub fn conj(mut all: Vec<GroundFormula>) -> GroundFormula {
    if all.len() == 1 {
        return all.remove(0);
    }
    if all.is_empty() {
        return GroundFormula::Bool(true);
    }
    GroundFormula::And(all)
}

/// One of them, flattened.
pub fn disj(mut all: Vec<GroundFormula>) -> GroundFormula {
    if all.len() == 1 {
        return all.remove(0);
    }
    if all.is_empty() {
        return GroundFormula::Bool(false);
    }
    GroundFormula::Or(all)
}

/// `a = b` or `a <> b`.
pub fn same(equal: bool, a: &GroundTerm, b: &GroundTerm) -> GroundFormula {
    let mask = |k: u16| if equal { 1 << k } else { !(1u128 << k) };
    match (a, b) {
        (GroundTerm::Ctor(x), GroundTerm::Ctor(y)) => GroundFormula::Bool((x == y) == equal),
        (GroundTerm::Ctor(k), GroundTerm::Base(b)) | (GroundTerm::Base(b), GroundTerm::Ctor(k)) => {
            GroundFormula::Literal(Literal::In(*b, mask(*k)))
        }
        (GroundTerm::Base(a), GroundTerm::Base(b)) if a == b => GroundFormula::Bool(equal),
        (GroundTerm::Base(a), GroundTerm::Base(b)) => {
            if let (BaseKind::Proc(_), BaseKind::Proc(_)) = (a.kind(), b.kind()) {
                return GroundFormula::Bool(!equal);
            }
            let (a, b) = (*a.min(b), *a.max(b));
            GroundFormula::Literal(if equal {
                Literal::Eq(a, b)
            } else {
                Literal::Ne(a, b)
            })
        }
        // Numbers and unknown values do not come here; types see to that.
        _ => GroundFormula::Bool(true),
    }
}

/// `a < b` or `a <= b` of processes.
pub fn before(strict: bool, a: Base, b: Base, fixed: u8) -> GroundFormula {
    if a == b {
        return GroundFormula::Bool(!strict);
    }
    if let (BaseKind::Proc(x), BaseKind::Proc(y)) = (a.kind(), b.kind()) {
        if x.min(y) < fixed {
            return GroundFormula::Bool(x < y);
        }
        return GroundFormula::Literal(Literal::Less(a, b));
    }
    GroundFormula::Literal(if strict {
        Literal::Less(a, b)
    } else {
        Literal::LessEq(a, b)
    })
}

/// `sum rel 0`.
pub fn number(rel: Rel, int: bool, lin: LinSum) -> GroundFormula {
    match small(rel, int, &lin) {
        Small::True => GroundFormula::Bool(true),
        Small::False => GroundFormula::Bool(false),
        Small::Literal(l) => GroundFormula::Literal(l),
        Small::No => GroundFormula::Lin(LinearLiteral { rel, int, lin }),
    }
}

/// The opposite; a fence has none and does not occur where this is used.
pub fn negate(i: &GroundFormula) -> GroundFormula {
    match i {
        GroundFormula::Bool(b) => GroundFormula::Bool(!b),
        GroundFormula::Fence => GroundFormula::Bool(false),
        GroundFormula::And(all) => disj(all.iter().map(negate).collect()),
        GroundFormula::Or(all) => conj(all.iter().map(negate).collect()),
        GroundFormula::Literal(l) => GroundFormula::Literal(match *l {
            Literal::In(a, m) => Literal::In(a, !m),
            Literal::Eq(a, b) => Literal::Ne(a, b),
            Literal::Ne(a, b) => Literal::Eq(a, b),
            Literal::Less(a, b) => Literal::LessEq(b, a),
            Literal::LessEq(a, b) => Literal::Less(b, a),
            Literal::Diff {
                a,
                b,
                rel,
                bound,
                int,
            } => match rel {
                Rel::Eq => Literal::Diff {
                    a,
                    b,
                    rel: Rel::Ne,
                    bound,
                    int,
                },
                Rel::Ne => Literal::Diff {
                    a,
                    b,
                    rel: Rel::Eq,
                    bound,
                    int,
                },
                // a - b <= c: b - a < -c
                Rel::Le if int => Literal::Diff {
                    a: b,
                    b: a,
                    rel: Rel::Le,
                    bound: -bound - 1,
                    int,
                },
                Rel::Le => Literal::Diff {
                    a: b,
                    b: a,
                    rel: Rel::Lt,
                    bound: -bound,
                    int,
                },
                Rel::Lt => Literal::Diff {
                    a: b,
                    b: a,
                    rel: Rel::Le,
                    bound: -bound,
                    int,
                },
            },
        }),
        GroundFormula::Lin(l) => {
            let mut lin = LinSum::default();
            let (rel, sign) = match l.rel {
                Rel::Eq => (Rel::Ne, 1),
                Rel::Ne => (Rel::Eq, 1),
                Rel::Lt => (Rel::Le, -1),
                Rel::Le if l.int => (Rel::Le, -1),
                Rel::Le => (Rel::Lt, -1),
            };
            if lin.add(sign, &l.lin).is_none() {
                return GroundFormula::Bool(true);
            }
            if l.rel == Rel::Le && l.int {
                lin.constant = lin.constant.saturating_add(1);
            }
            GroundFormula::Lin(LinearLiteral {
                rel,
                int: l.int,
                lin,
            })
        }
    }
}

/// A conjunction of a disjunctive normal form; `fence` when it waits for an empty buffer.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Disjunct {
    /// The literals.
    pub conj: Conj,
    /// It waits for an empty buffer.
    pub fence: bool,
}

/// More disjuncts than this are not written out.
pub const MAX_DISJUNCTS: usize = 20_000;

/// The disjunctive normal form; `keep` drops conjunctions that are seen to be false early.
pub fn disjuncts(
    i: &GroundFormula,
    start: Vec<Disjunct>,
    keep: &dyn Fn(&Disjunct) -> bool,
) -> Result<Vec<Disjunct>, Overflow> {
    let mut out = start;
    match i {
        GroundFormula::Bool(true) => {}
        GroundFormula::Bool(false) => out.clear(),
        GroundFormula::Fence => out.iter_mut().for_each(|c| c.fence = true),
        GroundFormula::Literal(l) => {
            out.retain_mut(|c| add(&mut c.conj, *l) && keep(c));
        }
        GroundFormula::Lin(l) => out.iter_mut().for_each(|c| c.conj.lins.push(l.clone())),
        GroundFormula::And(all) => {
            // Literals first: they are cheap and cut the most.
            let (plain, rest): (Vec<_>, Vec<_>) =
                all.iter().partition(|i| !matches!(i, GroundFormula::Or(_)));
            for i in plain.into_iter().chain(rest) {
                out = disjuncts(i, out, keep)?;
            }
        }
        GroundFormula::Or(all) => {
            let mut split = Vec::new();
            for i in all {
                split.extend(disjuncts(i, out.clone(), keep)?);
                if split.len() > MAX_DISJUNCTS {
                    return Err(Overflow);
                }
            }
            out = split;
        }
    }
    Ok(out)
}

/// Adds a literal; false when it contradicts one that is there, as far as a glance shows.
pub fn add(conj: &mut Conj, lit: Literal) -> bool {
    for old in &mut conj.lits {
        match (old, lit) {
            (Literal::In(a, m), Literal::In(b, k)) if *a == b => {
                *m &= k;
                return *m != 0;
            }
            (old, new) if *old == new => return true,
            (Literal::Eq(a, b), Literal::Ne(x, y)) | (Literal::Ne(a, b), Literal::Eq(x, y))
                if (*a, *b) == (x, y) =>
            {
                return false;
            }
            (Literal::Eq(a, b), Literal::Eq(x, y)) if *b == y => {
                let procs = matches!((a.kind(), x.kind()), (BaseKind::Proc(_), BaseKind::Proc(_)));
                if procs && *a != x {
                    return false;
                }
            }
            _ => {}
        }
    }
    conj.lits.push(lit);
    true
}

/// A literal with terms put for bases.
pub fn substitute(
    lit: &Literal,
    get: &mut dyn FnMut(Base) -> Option<GroundTerm>,
    fixed: u8,
) -> Result<GroundFormula, Overflow> {
    let mut term = |b: Base| get(b).unwrap_or(GroundTerm::Base(b));
    Ok(match *lit {
        Literal::In(a, m) => match term(a) {
            GroundTerm::Ctor(k) => GroundFormula::Bool(m >> k & 1 == 1),
            GroundTerm::Base(b) => GroundFormula::Literal(Literal::In(b, m)),
            _ => GroundFormula::Bool(true),
        },
        Literal::Eq(a, b) => same(true, &term(a), &term(b)),
        Literal::Ne(a, b) => same(false, &term(a), &term(b)),
        Literal::Less(a, b) | Literal::LessEq(a, b) => match (term(a), term(b)) {
            (GroundTerm::Base(a), GroundTerm::Base(b)) => {
                before(matches!(lit, Literal::Less(..)), a, b, fixed)
            }
            _ => GroundFormula::Bool(true),
        },
        Literal::Diff {
            a,
            b,
            rel,
            bound,
            int,
        } => {
            let mut lin = LinSum {
                terms: Vec::new(),
                constant: bound.checked_neg().ok_or(Overflow)?,
            };
            add_term(&mut lin, 1, a, term(a))?;
            add_term(&mut lin, -1, b, term(b))?;
            number(rel, int, lin)
        }
    })
}

/// A linear literal with terms put for bases.
pub fn substitute_lin(
    lit: &LinearLiteral,
    get: &mut dyn FnMut(Base) -> Option<GroundTerm>,
) -> Result<GroundFormula, Overflow> {
    let mut lin = LinSum {
        terms: Vec::new(),
        constant: lit.lin.constant,
    };
    for (f, b) in &lit.lin.terms {
        let term = get(*b).unwrap_or(GroundTerm::Base(*b));
        add_term(&mut lin, *f, *b, term)?;
    }
    Ok(number(lit.rel, lit.int, lin))
}

fn add_term(lin: &mut LinSum, factor: i64, old: Base, term: GroundTerm) -> Result<(), Overflow> {
    if old == Base::ZERO {
        return Ok(());
    }
    let value = match term {
        GroundTerm::Base(b) => LinSum::of(b),
        GroundTerm::Num(n) => n,
        GroundTerm::Ctor(_) | GroundTerm::Any => return Ok(()),
    };
    lin.add(factor, &value).ok_or(Overflow)
}
