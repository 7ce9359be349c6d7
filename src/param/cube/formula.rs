//! Quantifier-free formulas about a cube: substitution, negation, disjunctive normal form.

use super::literals::{Base, Conj, Kind, LinLit, LinSum, Lit, Small, small};
use crate::param::system::Rel;

/// A quantifier-free formula about a cube; negations are at the literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inst {
    /// A constant.
    Bool(bool),
    /// A small literal.
    Lit(Lit),
    /// A linear one.
    Lin(LinLit),
    /// The performing process's buffer is empty.
    Fence,
    /// All of them.
    And(Vec<Inst>),
    /// One of them.
    Or(Vec<Inst>),
}

/// A term about a cube.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// All of them, flattened.
pub fn conj(mut all: Vec<Inst>) -> Inst {
    if all.len() == 1 {
        return all.remove(0);
    }
    if all.is_empty() {
        return Inst::Bool(true);
    }
    Inst::And(all)
}

/// One of them, flattened.
pub fn disj(mut all: Vec<Inst>) -> Inst {
    if all.len() == 1 {
        return all.remove(0);
    }
    if all.is_empty() {
        return Inst::Bool(false);
    }
    Inst::Or(all)
}

/// `a = b` or `a <> b`.
pub fn same(equal: bool, a: &Term, b: &Term) -> Inst {
    let mask = |k: u16| if equal { 1 << k } else { !(1u128 << k) };
    match (a, b) {
        (Term::Ctor(x), Term::Ctor(y)) => Inst::Bool((x == y) == equal),
        (Term::Ctor(k), Term::Base(b)) | (Term::Base(b), Term::Ctor(k)) => {
            Inst::Lit(Lit::In(*b, mask(*k)))
        }
        (Term::Base(a), Term::Base(b)) if a == b => Inst::Bool(equal),
        (Term::Base(a), Term::Base(b)) => {
            if let (Kind::Proc(_), Kind::Proc(_)) = (a.kind(), b.kind()) {
                return Inst::Bool(!equal);
            }
            let (a, b) = (*a.min(b), *a.max(b));
            Inst::Lit(if equal { Lit::Eq(a, b) } else { Lit::Ne(a, b) })
        }
        // Numbers and unknown values do not come here; types see to that.
        _ => Inst::Bool(true),
    }
}

/// `a < b` or `a <= b` of processes.
pub fn before(strict: bool, a: Base, b: Base, fixed: u8) -> Inst {
    if a == b {
        return Inst::Bool(!strict);
    }
    if let (Kind::Proc(x), Kind::Proc(y)) = (a.kind(), b.kind()) {
        if x.min(y) < fixed {
            return Inst::Bool(x < y);
        }
        return Inst::Lit(Lit::Less(a, b));
    }
    Inst::Lit(if strict {
        Lit::Less(a, b)
    } else {
        Lit::LessEq(a, b)
    })
}

/// `sum rel 0`.
pub fn number(rel: Rel, int: bool, lin: LinSum) -> Inst {
    match small(rel, int, &lin) {
        Small::True => Inst::Bool(true),
        Small::False => Inst::Bool(false),
        Small::Lit(l) => Inst::Lit(l),
        Small::No => Inst::Lin(LinLit { rel, int, lin }),
    }
}

/// The opposite; a fence has none and does not occur where this is used.
pub fn negate(i: &Inst) -> Inst {
    match i {
        Inst::Bool(b) => Inst::Bool(!b),
        Inst::Fence => Inst::Bool(false),
        Inst::And(all) => disj(all.iter().map(negate).collect()),
        Inst::Or(all) => conj(all.iter().map(negate).collect()),
        Inst::Lit(l) => Inst::Lit(match *l {
            Lit::In(a, m) => Lit::In(a, !m),
            Lit::Eq(a, b) => Lit::Ne(a, b),
            Lit::Ne(a, b) => Lit::Eq(a, b),
            Lit::Less(a, b) => Lit::LessEq(b, a),
            Lit::LessEq(a, b) => Lit::Less(b, a),
            Lit::Diff {
                a,
                b,
                rel,
                bound,
                int,
            } => match rel {
                Rel::Eq => Lit::Diff {
                    a,
                    b,
                    rel: Rel::Ne,
                    bound,
                    int,
                },
                Rel::Ne => Lit::Diff {
                    a,
                    b,
                    rel: Rel::Eq,
                    bound,
                    int,
                },
                // a - b <= c: b - a < -c
                Rel::Le if int => Lit::Diff {
                    a: b,
                    b: a,
                    rel: Rel::Le,
                    bound: -bound - 1,
                    int,
                },
                Rel::Le => Lit::Diff {
                    a: b,
                    b: a,
                    rel: Rel::Lt,
                    bound: -bound,
                    int,
                },
                Rel::Lt => Lit::Diff {
                    a: b,
                    b: a,
                    rel: Rel::Le,
                    bound: -bound,
                    int,
                },
            },
        }),
        Inst::Lin(l) => {
            let mut lin = LinSum::default();
            let (rel, sign) = match l.rel {
                Rel::Eq => (Rel::Ne, 1),
                Rel::Ne => (Rel::Eq, 1),
                Rel::Lt => (Rel::Le, -1),
                Rel::Le if l.int => (Rel::Le, -1),
                Rel::Le => (Rel::Lt, -1),
            };
            if lin.add(sign, &l.lin).is_none() {
                return Inst::Bool(true);
            }
            if l.rel == Rel::Le && l.int {
                lin.constant = lin.constant.saturating_add(1);
            }
            Inst::Lin(LinLit {
                rel,
                int: l.int,
                lin,
            })
        }
    }
}

/// A conjunction of a disjunctive normal form; `fence` when it waits for an empty buffer.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Cond {
    /// The literals.
    pub conj: Conj,
    /// It waits for an empty buffer.
    pub fence: bool,
}

/// More disjuncts than this are not written out.
pub const MAX_DISJUNCTS: usize = 20_000;

/// The disjunctive normal form; `keep` drops conjunctions that are seen to be false early.
pub fn disjuncts(
    i: &Inst,
    start: Vec<Cond>,
    keep: &dyn Fn(&Cond) -> bool,
) -> Result<Vec<Cond>, Overflow> {
    let mut out = start;
    match i {
        Inst::Bool(true) => {}
        Inst::Bool(false) => out.clear(),
        Inst::Fence => out.iter_mut().for_each(|c| c.fence = true),
        Inst::Lit(l) => {
            out.retain_mut(|c| add(&mut c.conj, *l) && keep(c));
        }
        Inst::Lin(l) => out.iter_mut().for_each(|c| c.conj.lins.push(l.clone())),
        Inst::And(all) => {
            // Literals first: they are cheap and cut the most.
            let (plain, rest): (Vec<_>, Vec<_>) =
                all.iter().partition(|i| !matches!(i, Inst::Or(_)));
            for i in plain.into_iter().chain(rest) {
                out = disjuncts(i, out, keep)?;
            }
        }
        Inst::Or(all) => {
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
pub fn add(conj: &mut Conj, lit: Lit) -> bool {
    for old in &mut conj.lits {
        match (old, lit) {
            (Lit::In(a, m), Lit::In(b, k)) if *a == b => {
                *m &= k;
                return *m != 0;
            }
            (old, new) if *old == new => return true,
            (Lit::Eq(a, b), Lit::Ne(x, y)) | (Lit::Ne(a, b), Lit::Eq(x, y))
                if (*a, *b) == (x, y) =>
            {
                return false;
            }
            (Lit::Eq(a, b), Lit::Eq(x, y)) if *b == y => {
                let procs = matches!((a.kind(), x.kind()), (Kind::Proc(_), Kind::Proc(_)));
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
    lit: &Lit,
    get: &mut dyn FnMut(Base) -> Option<Term>,
    fixed: u8,
) -> Result<Inst, Overflow> {
    let mut term = |b: Base| get(b).unwrap_or(Term::Base(b));
    Ok(match *lit {
        Lit::In(a, m) => match term(a) {
            Term::Ctor(k) => Inst::Bool(m >> k & 1 == 1),
            Term::Base(b) => Inst::Lit(Lit::In(b, m)),
            _ => Inst::Bool(true),
        },
        Lit::Eq(a, b) => same(true, &term(a), &term(b)),
        Lit::Ne(a, b) => same(false, &term(a), &term(b)),
        Lit::Less(a, b) | Lit::LessEq(a, b) => match (term(a), term(b)) {
            (Term::Base(a), Term::Base(b)) => before(matches!(lit, Lit::Less(..)), a, b, fixed),
            _ => Inst::Bool(true),
        },
        Lit::Diff {
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
    lit: &LinLit,
    get: &mut dyn FnMut(Base) -> Option<Term>,
) -> Result<Inst, Overflow> {
    let mut lin = LinSum {
        terms: Vec::new(),
        constant: lit.lin.constant,
    };
    for (f, b) in &lit.lin.terms {
        let term = get(*b).unwrap_or(Term::Base(*b));
        add_term(&mut lin, *f, *b, term)?;
    }
    Ok(number(lit.rel, lit.int, lin))
}

fn add_term(lin: &mut LinSum, factor: i64, old: Base, term: Term) -> Result<(), Overflow> {
    if old == Base::ZERO {
        return Ok(());
    }
    let value = match term {
        Term::Base(b) => LinSum::of(b),
        Term::Num(n) => n,
        Term::Ctor(_) | Term::Any => return Ok(()),
    };
    lin.add(factor, &value).ok_or(Overflow)
}
