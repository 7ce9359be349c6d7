//! What terms may be, when what reads may return is known as sets of numbers ([`Range`]).
//!
//! How such sets are found, and in which executions they hold, is for who keeps them to say.

use super::event::EventId;
use super::range::Range;
use super::state::conjuncts;
use super::term::{Term, TermId, Terms, operands};
use ir::program::{BinOp, UnOp, eval_cast, eval_unary};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// More iterations than this are not worth while: what has not settled by then is anything.
const MAX_ROUNDS: usize = 256;
/// Operators that are evaluated in all.
pub const MAX_STEPS: u64 = 5_000_000;
/// Operators of a term that is evaluated by itself.
pub const NEAR: u64 = 200;

/// Sets of values by term, as far as they are not every number.
pub type Known = FxHashMap<TermId, Range>;

/// Sets of values of reads, and of the terms over them.
pub struct ValueSets<'a> {
    terms: &'a Terms,
    /// What a read may return; one that is not here, every number.
    pub of: FxHashMap<EventId, Range>,
    /// Arbitrary values that count for nothing: no execution that is asked about takes them.
    pub without: FxHashSet<TermId>,
    /// What large terms may be, as things are.
    far: Known,
    /// Operators evaluated so far.
    pub steps: u64,
}

impl<'a> ValueSets<'a> {
    /// Nothing is known of any read.
    pub fn new(terms: &'a Terms) -> ValueSets<'a> {
        ValueSets {
            terms,
            of: FxHashMap::default(),
            without: FxHashSet::default(),
            far: Known::default(),
            steps: 0,
        }
    }

    /// The iterations over reads that depend on each other, each with the writes that it may return:
    /// as many as there are reads, each of which takes the union of what these are `written` to be by
    /// the sets of the one before. Reads that do not settle within [`MAX_ROUNDS`] may be anything.
    pub fn iterate<W: Copy + Eq + Hash>(
        &mut self,
        reads: &[(EventId, &[W])],
        mut written: impl FnMut(&mut Self, W) -> Range,
    ) -> bool {
        let mut changed = true;
        for _ in 0..reads.len().min(MAX_ROUNDS) {
            if !changed || self.steps > MAX_STEPS {
                break;
            }
            changed = false;
            self.forget_terms();
            let mut known: FxHashMap<W, Range> = FxHashMap::default();
            for (read, sources) in reads {
                let mut set = Range::NONE;
                for w in *sources {
                    let of = known.entry(*w);
                    set = set.join(of.or_insert_with(|| written(self, *w)));
                }
                let before = self.of.insert(*read, set.clone());
                changed |= before != Some(set);
            }
        }
        self.forget_terms();
        !changed || reads.len() <= MAX_ROUNDS
    }

    /// Sets of reads have changed, so that what was found of large terms does not count.
    pub fn forget_terms(&mut self) {
        self.far.clear();
    }

    /// The reads that a term is computed from; `None` when it is larger than `limit`.
    pub fn leaves(&self, root: TermId, limit: usize) -> Option<Vec<EventId>> {
        let (mut work, mut leaves) = (vec![root], Vec::new());
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            if seen.len() > limit {
                return None;
            }
            match self.terms.get(term) {
                Term::Read(e) => leaves.push(e),
                other => work.extend(operands(other).into_iter().flatten()),
            }
        }
        Some(leaves)
    }

    /// What a guard says of the operands of the comparisons that it is made of.
    pub fn under(&mut self, guard: TermId) -> Known {
        // In the order in which the path came to them.
        let parts: Vec<TermId> = conjuncts(self.terms, guard).into_iter().rev().collect();
        self.said(&parts)
    }

    /// The same of comparisons that hold together, in the order in which a path comes to them.
    pub fn said(&mut self, parts: &[TermId]) -> Known {
        let mut said = Known::default();
        for part in parts.iter().copied() {
            let (part, holds) = match self.terms.get(part) {
                Term::Not(inner) => (inner, false),
                _ => (part, true),
            };
            let Term::Binary(op, a, b) = self.terms.get(part) else {
                continue;
            };
            if !matches!(op, BinOp::Eq | BinOp::Ult) {
                continue;
            }
            let of = |v: &mut Self, t: TermId, said: &Known| match said.get(&t) {
                Some(set) => set.clone(),
                None => v.eval(t, &Known::default()),
            };
            let (x, y) = (of(self, a, &said), of(self, b, &said));
            let (left, right) = narrowed(op, holds, &x, &y);
            said.insert(a, left);
            said.insert(b, right);
        }
        said
    }

    /// What a term may be, when some terms are `said` to be something. That is forgotten where the
    /// term is large.
    pub fn eval(&mut self, root: TermId, said: &Known) -> Range {
        if let Some(set) = self.eval_within(root, &mut said.clone(), NEAR) {
            return set;
        }
        let mut far = std::mem::take(&mut self.far);
        let set = self.eval_within(root, &mut far, MAX_STEPS.saturating_sub(self.steps));
        self.far = far;
        set.unwrap_or(Range::all(self.terms.width(root)))
    }

    /// What a term may be, beside terms that are known; `None` when that takes too many steps.
    fn eval_within(&mut self, root: TermId, known: &mut Known, limit: u64) -> Option<Range> {
        let mut stack = vec![root];
        let most = self.steps + limit;
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let term = self.terms.get(id);
            let width = self.terms.width(id);
            let before = stack.len();
            let missing = operands(term).into_iter().flatten();
            stack.extend(missing.filter(|o| !known.contains_key(o)));
            if stack.len() > before {
                continue;
            }
            self.steps += 1;
            if self.steps > most {
                return None;
            }
            let at = |o: TermId| &known[&o];
            let set = match term {
                Term::Const(v) => Range::only(v),
                Term::Nondet(_) if self.without.contains(&id) => Range::NONE,
                Term::Nondet(_) => Range::all(width),
                Term::Read(e) => match self.of.get(&e) {
                    Some(set) => set.clone(),
                    None => Range::all(width),
                },
                Term::Not(a) => at(a).not(width),
                Term::Ite(c, a, b) => match at(c).single() {
                    Some(1) => at(a).clone(),
                    Some(_) => at(b).clone(),
                    None => at(a).join(at(b)),
                },
                Term::ZeroExtend(a) => at(a).clone(),
                Term::SignExtend(a) => at(a).sign_extend(self.terms.width(a), width),
                Term::Truncate(a) => at(a).truncate(width),
                Term::Float(f, a) => at(a).map(width, |v| eval_unary(UnOp::Float(f), v, width)),
                Term::Convert(cast, a) => {
                    let from = self.terms.width(a);
                    at(a).map(width, |v| eval_cast(cast, v, from, width))
                }
                // Of two truth values, one may be computed from a read that does not happen when the
                // other one decides.
                Term::Binary(BinOp::And, a, b)
                    if width == 1 && (at(a).is_none() || at(b).is_none()) =>
                {
                    at(a).join(at(b)).meet(&Range::only(0))
                }
                Term::Binary(op, a, b) => Range::binary(op, at(a), at(b), self.terms.width(a)),
            };
            known.insert(id, set);
            stack.pop();
        }
        known.get(&root).cloned()
    }

    /// The bits that do not change of the operators that some terms are made of: which ones, and what
    /// they are. Of a term whose value nothing depends on, as a read that it is computed from does not
    /// happen, they may be anything.
    pub fn constant_bits(
        &mut self,
        roots: impl Iterator<Item = TermId>,
    ) -> Vec<(TermId, u64, u64)> {
        let mut known = Known::default();
        let steps = std::mem::take(&mut self.steps);
        for root in roots {
            let limit = MAX_STEPS.saturating_sub(self.steps);
            if self.eval_within(root, &mut known, limit).is_none() {
                break;
            }
        }
        self.steps = steps;
        let operators = known.iter().filter(|(term, set)| {
            matches!(self.terms.get(**term), Term::Binary(..)) && !set.is_none()
        });
        let bits = operators.map(|(term, set)| {
            let (which, bits) = set.known_bits(self.terms.width(*term));
            (*term, which, bits)
        });
        bits.filter(|(_, which, _)| *which != 0).collect()
    }
}

/// What is left of two sets when a comparison of their numbers holds, or does not.
fn narrowed(op: BinOp, holds: bool, x: &Range, y: &Range) -> (Range, Range) {
    let (Some((xl, xh)), Some((yl, yh))) = (x.ends(), y.ends()) else {
        return (x.clone(), y.clone());
    };
    match (op, holds) {
        (BinOp::Eq, true) => {
            let both = x.meet(y);
            (both.clone(), both)
        }
        (BinOp::Eq, false) => {
            let less = |x: &Range, y: &Range| match y.single() {
                Some(value) => x.without(value),
                None => x.clone(),
            };
            (less(x, y), less(y, x))
        }
        (_, true) if yh == 0 || xl == u64::MAX => (Range::NONE, Range::NONE),
        (_, true) => (x.clip(0, yh - 1), y.clip(xl + 1, u64::MAX)),
        (_, false) => (x.clip(yl, u64::MAX), y.clip(0, xh)),
    }
}
