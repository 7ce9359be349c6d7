//! Pieces of the syntax of systems, made rather than read. Every node has the place of the
//! instruction that it stands for.

use super::ast::{
    Access, Atom, Connective, Expr, Ident, Number, ProcRef, Quantifier, Rel, Rhs, Summand, Term,
    Update,
};
use base::source::Span;

/// A name at a place.
pub fn ident(text: &str, span: Span) -> Ident {
    Ident {
        text: text.to_string(),
        span,
    }
}

/// `Name[indices]`
pub fn access(name: &str, index: &[&str], span: Span) -> Access {
    Access {
        thread: None,
        name: ident(name, span),
        index: index
            .iter()
            .map(|p| ProcRef::Name(ident(p, span)))
            .collect(),
        span,
    }
}

/// `Σ factor · cell + constant`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The factors and the cells.
    pub parts: Vec<(i64, Access)>,
    /// The constant.
    pub constant: i64,
}

impl Sum {
    /// A number.
    pub fn constant(constant: i64) -> Sum {
        Sum {
            parts: Vec::new(),
            constant,
        }
    }

    /// One cell.
    pub fn cell(cell: Access) -> Sum {
        Sum {
            parts: vec![(1, cell)],
            constant: 0,
        }
    }

    /// A term of variables that are integers, as a sum of their cells.
    pub fn of(term: &Term, is_integer: impl Fn(&str) -> bool) -> Option<Sum> {
        let mut sum = Sum::constant(0);
        for part in &term.parts {
            let factor = part.factor.map_or(1, |n| n.mantissa);
            let one = match &part.atom {
                Atom::One => Sum::constant(1),
                Atom::Access(cell) if is_integer(&cell.name.text) => Sum::cell(cell.clone()),
                Atom::Access(_) | Atom::Proc(_) => return None,
            };
            sum = sum.plus(if part.minus { -factor } else { factor }, one);
        }
        Some(sum)
    }

    /// The cell that it is, if it is just one.
    pub fn lone_cell(&self) -> Option<&Access> {
        match (&self.parts[..], self.constant) {
            ([(1, cell)], 0) => Some(cell),
            _ => None,
        }
    }

    /// `self + factor · other`
    pub fn plus(mut self, factor: i64, other: Sum) -> Sum {
        self.constant += factor * other.constant;
        for (k, cell) in other.parts {
            let found = self.parts.iter_mut().find(|(_, c)| *c == cell);
            match found {
                Some((sum, _)) => *sum += factor * k,
                None => self.parts.push((factor * k, cell)),
            }
        }
        self
    }

    /// The bitwise complement, `-self - 1`.
    pub fn complement(self) -> Sum {
        Sum::constant(-1).plus(-1, self)
    }

    /// As a term.
    pub fn term(&self, span: Span) -> Term {
        let number = |n: i64| Number {
            mantissa: n,
            decimals: 0,
            real: false,
        };
        let mut parts: Vec<Summand> = self
            .parts
            .iter()
            .filter(|(k, _)| *k != 0)
            .map(|(k, cell)| Summand {
                minus: *k < 0,
                factor: (k.abs() != 1).then(|| number(k.abs())),
                atom: Atom::Access(cell.clone()),
                span,
            })
            .collect();
        if self.constant != 0 || parts.is_empty() {
            parts.push(Summand {
                minus: self.constant < 0,
                factor: Some(number(self.constant.abs())),
                atom: Atom::One,
                span,
            });
        }
        Term { parts, span }
    }
}

/// A constructor, a constant or a variable as a term.
pub fn name_term(name: &str, span: Span) -> Term {
    Sum::cell(access(name, &[], span)).term(span)
}

/// `cell rel 0`, and so on.
pub fn compare(left: &Sum, rel: Rel, right: &Sum, span: Span) -> Expr {
    Expr::Cmp(rel, left.term(span), right.term(span), span)
}

/// `Name[indices] = Value`, of a type with named values; or `<>`.
pub fn has_value(cell: Access, equal: bool, value: &str, span: Span) -> Expr {
    let rel = if equal { Rel::Eq } else { Rel::Ne };
    Expr::Cmp(
        rel,
        Sum::cell(cell).term(span),
        name_term(value, span),
        span,
    )
}

/// A process.
pub fn process(name: &str, span: Span) -> Term {
    Term {
        parts: vec![Summand {
            minus: false,
            factor: None,
            atom: Atom::Proc(ProcRef::Name(ident(name, span))),
            span,
        }],
        span,
    }
}

/// `p rel q`, of processes.
pub fn compare_processes(p: &str, rel: Rel, q: &str, span: Span) -> Expr {
    Expr::Cmp(rel, process(p, span), process(q, span), span)
}

/// The cell holds the process.
pub fn has_process(cell: Access, process_name: &str, span: Span) -> Expr {
    let held = Sum::cell(cell).term(span);
    Expr::Cmp(Rel::Eq, held, process(process_name, span), span)
}

/// `fence()`
pub fn fence(span: Span) -> Expr {
    Expr::Fence(None, span)
}

/// `forall_other o. body`
pub fn forall_other(other: &str, body: Expr, span: Span) -> Expr {
    let names = vec![ident(other, span)];
    Expr::Quant(Quantifier::ForallOther, names, Box::new(body), span)
}

/// Whether a number compares so with 0.
pub fn holds(rel: Rel, number: i64) -> bool {
    match rel {
        Rel::Eq => number == 0,
        Rel::Ne => number != 0,
        Rel::Lt => number < 0,
        Rel::Le => number <= 0,
        Rel::Gt => number > 0,
        Rel::Ge => number >= 0,
    }
}

/// One of them; `false` when there are none.
pub fn disjunction(all: Vec<Expr>, span: Span) -> Expr {
    let or = |a: Expr, b: Expr| Expr::Bin(Connective::Or, Box::new(a), Box::new(b));
    all.into_iter()
        .reduce(or)
        .unwrap_or(Expr::Bool(false, span))
}

/// All of them; `true` when there are none.
pub fn conjunction(all: Vec<Expr>, span: Span) -> Expr {
    let and = |a: Expr, b: Expr| Expr::Bin(Connective::And, Box::new(a), Box::new(b));
    all.into_iter()
        .reduce(and)
        .unwrap_or(Expr::Bool(true, span))
}

/// `target := value`
pub fn assign(target: Access, value: Term) -> Update {
    let span = target.span;
    Update {
        target,
        rhs: Rhs::Term(value),
        span,
    }
}

/// `target := case | condition : value … | _ : last`
pub fn assign_cases(target: Access, cases: Vec<(Expr, Term)>, last: Term) -> Update {
    let span = target.span;
    let cases = cases.into_iter().map(|(c, t)| (Some(c), t));
    Update {
        target,
        rhs: Rhs::Case(cases.chain([(None, last)]).collect()),
        span,
    }
}
