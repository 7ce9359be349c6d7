//! What the values of a pass may be as pointers, under its assumptions.

use super::id::{EventId, SlotId};
use super::memory::Facts;
use super::points_to::{Offsets, PointsTo, joined};
use super::term::{Term, TermId, Terms};
use ir::program::BinOp;
use num::integer::gcd;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(Default)]
pub(super) struct Pointees {
    read_slots: FxHashMap<EventId, Vec<SlotId>>,
    memo: FxHashMap<TermId, Rc<PointsTo>>,
}

impl Pointees {
    /// A read event may touch these slots.
    pub(super) fn note_read(&mut self, read: EventId, slots: Vec<SlotId>) {
        self.read_slots.insert(read, slots);
    }

    pub(super) fn slots_of_read(&self, read: EventId) -> &[SlotId] {
        self.read_slots.get(&read).map_or(&[], |slots| slots)
    }

    /// The objects and offsets a term may point to.
    pub(super) fn of(&mut self, facts: &Facts, terms: &Terms, id: TermId) -> Rc<PointsTo> {
        if let Some(known) = self.memo.get(&id) {
            return known.clone();
        }
        let out = match terms.get(id) {
            // Most choices are between a pointer and what is none.
            Term::Ite(_, a, b) if terms.width(id) > 1 => {
                let (a, b) = (self.of(facts, terms, a), self.of(facts, terms, b));
                match (a.objects.is_empty(), b.objects.is_empty()) {
                    (_, true) => a,
                    (true, _) => b,
                    _ if a == b => a,
                    _ => Rc::new(joined(&a, &b)),
                }
            }
            _ => Rc::new(self.made(facts, terms, id)),
        };
        self.memo.insert(id, out.clone());
        out
    }

    /// The same of a term that is no choice between others.
    fn made(&mut self, facts: &Facts, terms: &Terms, id: TermId) -> PointsTo {
        let mut out = PointsTo::default();
        if let Some(words) = terms.words(id) {
            // Pieces of a pointer: what each is a piece of.
            for word in words {
                out.join(&self.of(facts, terms, word));
            }
        } else if let Term::Read(e) = terms.get(id) {
            for slot in self.slots_of_read(e) {
                if let Some(contents) = facts.contents(*slot) {
                    out.join(contents);
                }
            }
        } else if terms.width(id) == facts.pointer_width() {
            match terms.get(id) {
                Term::Const(v) => {
                    if let Some((o, offset)) = facts.locate(v) {
                        out.objects
                            .insert(o, Offsets::Exact(BTreeSet::from([offset])));
                    }
                }
                Term::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                    out = self.sum(facts, terms, op, a, b)
                }
                // Any other operator may keep the object and change the offset (tags in low bits).
                Term::Binary(_, a, b) => {
                    let (a, b) = (self.of(facts, terms, a), self.of(facts, terms, b));
                    out = joined(&a, &b).map(|o| o.blur(1));
                }
                Term::Not(a) => out = self.of(facts, terms, a).map(|o| o.blur(1)),
                Term::Read(_)
                | Term::Ite(..)
                | Term::Nondet(_)
                | Term::ZeroExtend(_)
                | Term::SignExtend(_)
                | Term::Truncate(_)
                | Term::Float(..)
                | Term::Convert(..) => {}
            }
        }
        out
    }

    fn sum(&mut self, facts: &Facts, terms: &Terms, op: BinOp, a: TermId, b: TermId) -> PointsTo {
        // `p + k` with k a small negative number is an addition of a huge constant, so constants
        // are looked at before they are located.
        if let Some(k) = terms.as_const(b)
            && facts.locate(k).is_none()
        {
            let width = terms.width(b);
            let k = ir::program::sign_extend(k, width);
            let k = if op == BinOp::Sub {
                k.wrapping_neg()
            } else {
                k
            };
            return self.of(facts, terms, a).map(|o| o.shift(k));
        }
        let (left, right) = (self.of(facts, terms, a), self.of(facts, terms, b));
        let (step_a, step_b) = (multiple_of(terms, a, 8), multiple_of(terms, b, 8));
        let mut out = left.map(|o| o.blur(step_b));
        out.join(&right.map(|o| o.blur(step_a)));
        out
    }
}

/// A number the term is a multiple of, at least 1; looks a few operators deep.
fn multiple_of(terms: &Terms, id: TermId, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    match terms.get(id) {
        Term::Const(0) => 1 << 40,
        Term::Const(v) => v.min(v.wrapping_neg()).max(1),
        Term::Binary(BinOp::Mul, a, b) => {
            let (a, b) = (
                multiple_of(terms, a, depth - 1),
                multiple_of(terms, b, depth - 1),
            );
            a.checked_mul(b)
                .filter(|p| *p < 1 << 40)
                .unwrap_or(a.max(b))
        }
        Term::Binary(BinOp::Shl, a, b) => match terms.as_const(b) {
            Some(k) if k < 32 => multiple_of(terms, a, depth - 1).min(1 << 20) << k,
            _ => 1,
        },
        Term::Binary(BinOp::Add | BinOp::Sub, a, b) | Term::Ite(_, a, b) => gcd(
            multiple_of(terms, a, depth - 1),
            multiple_of(terms, b, depth - 1),
        ),
        _ => 1,
    }
}
