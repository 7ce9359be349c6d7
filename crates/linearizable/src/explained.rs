//! That some order explains the results, as an expression.
//!
//! The orders with the results of an execution are read from their beginning: a call may come next if none that is left
//! has to come before it. Orders that go on alike share what says so.

use crate::history::{Consistency, Numbering, Outcomes};
use base::source::Span;
use ir::program::{BinOp, Expr, Instr, Local, Op, Proc, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Computes truth values at the end of a procedure.
pub(crate) struct Computation<'a> {
    pub(crate) proc: &'a mut Proc,
    pub(crate) span: Span,
}

impl Computation<'_> {
    /// A register with a truth value.
    fn bit(&mut self, value: Expr) -> Expr {
        if matches!(value, Expr::Local(_) | Expr::Const { .. }) {
            return value;
        }
        let dst = self.proc.locals.push(Local {
            name: String::new(),
            width: 1,
        });
        let (span, op) = (self.span, Op::Assign { dst, value });
        self.proc.body.push(Instr { span, op });
        Expr::Local(dst)
    }
}

fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().collect();
    joined(BinOp::And, &parts).unwrap_or(Expr::constant(1, 1))
}

fn some(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().collect();
    joined(BinOp::Or, &parts).unwrap_or(Expr::constant(0, 1))
}

/// A tree of an operator, as flat as can be: there may be many thousands of operands.
fn joined(op: BinOp, parts: &[Expr]) -> Option<Expr> {
    match parts {
        [] => None,
        [one] => Some(one.clone()),
        _ => {
            let (first, second) = parts.split_at(parts.len() / 2);
            let halves = joined(op, first).zip(joined(op, second));
            halves.map(|(a, b)| Expr::binary(op, a, b))
        }
    }
}

fn not(e: Expr) -> Expr {
    Expr::Unary(UnOp::Not, Box::new(e))
}

/// What is known of an execution, as expressions.
pub(crate) struct Observed<'a> {
    pub(crate) numbering: &'a Numbering,
    /// The results of all calls.
    pub(crate) results: &'a [Expr],
    /// Of two calls of different threads, the first first: it had returned when the second began.
    pub(crate) before: &'a dyn Fn(usize, usize) -> Expr,
}

impl Observed<'_> {
    /// Whether some order explains the results.
    pub(crate) fn is_explained(
        &self,
        outcomes: &Outcomes,
        widths: &[u8],
        consistency: Consistency,
        out: &mut Computation,
    ) -> Expr {
        let mut steps = Steps {
            observed: self,
            consistency,
            quiet: BTreeMap::new(),
            may_be_next: BTreeMap::new(),
            suffixes: BTreeMap::new(),
        };
        let mut ways = Vec::new();
        for (results, orders) in &outcomes.orders {
            let orders = orders.iter().map(Vec::as_slice);
            let orders: Vec<&[usize]> = orders.filter(|o| steps.is_possible(o)).collect();
            if orders.is_empty() {
                continue;
            }
            let equal = self.results.iter().zip(results).zip(widths);
            let equal = equal.map(|((result, value), width)| {
                Expr::binary(BinOp::Eq, result.clone(), Expr::constant(*value, *width))
            });
            let returned = out.bit(all(equal));
            let ordered = steps.some_order(&orders, out);
            ways.push(all([returned, ordered]));
        }
        out.bit(some(ways))
    }
}

struct Steps<'a> {
    observed: &'a Observed<'a>,
    consistency: Consistency,
    /// By sets of calls: no call runs when these have returned and before the others begin.
    quiet: BTreeMap<BTreeSet<usize>, Expr>,
    /// By a call and those that come behind it.
    may_be_next: BTreeMap<(usize, BTreeSet<usize>), Expr>,
    /// By ends of orders.
    suffixes: BTreeMap<Vec<Vec<usize>>, Expr>,
}

impl Steps<'_> {
    /// Whether an order is one whose calls are, thread by thread, as they are made.
    fn is_possible(&self, order: &[usize]) -> bool {
        self.consistency == Consistency::Quiescence || self.observed.numbering.keeps_threads(order)
    }

    /// Whether one of these ends of orders of the same calls is one of the execution.
    fn some_order(&mut self, orders: &[&[usize]], out: &mut Computation) -> Expr {
        if orders.iter().any(|order| order.is_empty()) {
            return Expr::constant(1, 1);
        }
        let key: Vec<Vec<usize>> = orders.iter().map(|o| o.to_vec()).collect();
        if let Some(known) = self.suffixes.get(&key) {
            return known.clone();
        }
        let mut by_first: BTreeMap<usize, Vec<&[usize]>> = BTreeMap::new();
        for order in orders {
            by_first.entry(order[0]).or_default().push(&order[1..]);
        }
        let ways = by_first.into_iter().map(|(call, rests)| {
            let behind = rests[0].iter().copied().collect();
            let may_be_next = self.may_be_next(call, behind, out);
            let rest = self.some_order(&rests, out);
            all([may_be_next, rest])
        });
        let ways: Vec<Expr> = ways.collect();
        let found = out.bit(some(ways));
        self.suffixes.insert(key, found.clone());
        found
    }

    /// Whether a call may come next when these come behind it.
    fn may_be_next(&mut self, call: usize, behind: BTreeSet<usize>, out: &mut Computation) -> Expr {
        let key = (call, behind);
        if let Some(known) = self.may_be_next.get(&key) {
            return known.clone();
        }
        let (numbering, behind) = (self.observed.numbering, &key.1);
        let parts: Vec<Expr> = match self.consistency {
            Consistency::ProgramOrder => Vec::new(),
            Consistency::RealTime => {
                let thread = numbering.place(call).0;
                let others = behind.iter().filter(|b| numbering.place(**b).0 != thread);
                others
                    .map(|b| not((self.observed.before)(*b, call)))
                    .collect()
            }
            Consistency::Quiescence => {
                let sets = numbering.prefixes().into_iter();
                let sets =
                    sets.filter(|s| !s.contains(&call) && s.iter().any(|c| behind.contains(c)));
                sets.map(|early| not(self.is_quiet(early, out))).collect()
            }
        };
        let found = out.bit(all(parts));
        self.may_be_next.insert(key, found.clone());
        found
    }

    /// Whether no call runs when these have returned and before the others begin.
    fn is_quiet(&mut self, early: BTreeSet<usize>, out: &mut Computation) -> Expr {
        if let Some(known) = self.quiet.get(&early) {
            return known.clone();
        }
        let numbering = self.observed.numbering;
        let pairs = early.iter().flat_map(|e| {
            let late = (0..numbering.count()).filter(|l| !early.contains(l));
            late.map(move |l| (*e, l))
        });
        let across = pairs.filter(|(e, l)| numbering.place(*e).0 != numbering.place(*l).0);
        let parts: Vec<Expr> = across.map(|(e, l)| (self.observed.before)(e, l)).collect();
        let found = out.bit(all(parts));
        self.quiet.insert(early, found.clone());
        found
    }
}
