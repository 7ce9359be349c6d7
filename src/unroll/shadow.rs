//! Shadows of symbolic values: terms for their indeterminate bits ([`ir::shadow`]).
//!
//! A shadow is made beside the term of each value and not from it: terms are simplified (`x - x` is 0),
//! and what was computed from an indeterminate value stays indeterminate. `None` is the shadow of what is
//! determined, which almost everything is; so a program without indeterminate values has the formula that
//! it has without the check.
//!
//! Of memory that is an event the shadow of a read is an arbitrary value that the encoding makes equal to
//! the shadow of the write it reads from ([`EventGraph::shadows`]), as it does with the value. Which slots
//! may hold indeterminate bits at all is assumed and found out pass by pass, as what is shared
//! ([`super::memory::Facts::is_tainted`]).

use super::event::*;
use super::executor::Executor;
use super::memory::{ObjId, ObjKind, SlotId};
use super::state::{Frame, SymbolicValue, bits_of, chosen_shadow, not_nothing};
use super::term::{TermId, Terms};
use base::source::Span;
use ir::program::*;

/// All bits of a width, if any is there.
fn all(terms: &mut Terms, shadow: TermId, width: Width) -> TermId {
    let zero = terms.constant(0, terms.width(shadow));
    let none = terms.eq(shadow, zero);
    let (zero, ones) = (terms.constant(0, width), terms.constant(mask(width), width));
    terms.ite(none, zero, ones)
}

/// The bits from the lowest one on.
fn upward(terms: &mut Terms, shadow: TermId) -> TermId {
    let zero = terms.constant(0, terms.width(shadow));
    let negative = terms.binary(BinOp::Sub, zero, shadow);
    terms.binary(BinOp::Or, shadow, negative)
}

impl Executor<'_> {
    /// The same value, of which all bits are indeterminate.
    pub(super) fn tainted(&mut self, value: SymbolicValue) -> SymbolicValue {
        let width = self.graph.terms.width(value.term);
        let ones = self.graph.terms.constant(mask(width), width);
        SymbolicValue {
            shadow: self.options.uninitialised.then_some(ones),
            ..value
        }
    }

    /// An arbitrary value that nothing determines.
    pub(super) fn indeterminate(&mut self, guard: TermId, width: Width) -> SymbolicValue {
        let any = self.choice(guard, width);
        self.tainted(any)
    }

    /// Whether an object contains nothing until it is written: on the heap or the stack. What the
    /// process brings along is arbitrary, but determined.
    pub(super) fn is_uninitialised(&self, object: ObjId) -> bool {
        let object = &self.facts.objects[object];
        let ObjKind::Alloc { site, .. } = object.kind else {
            return false;
        };
        let op = &self.program.procs[site.0].body[site.1].op;
        let process = matches!(
            op,
            Op::Alloc {
                storage: Storage::Process(_),
                ..
            }
        );
        !object.zeroed && !process
    }

    /// The indeterminate bits of what an event has written, or contains initially.
    pub(super) fn taint(&mut self, event: EventId, shadow: Option<TermId>) {
        let Some(shadow) = shadow else {
            return;
        };
        self.graph.shadows.insert(event, shadow);
        for cell in &self.graph.events[event].cells {
            self.facts.taint(self.cells.slot(*cell));
        }
    }

    /// The indeterminate bits of what an event reads from some slots.
    pub(super) fn read_taint(&mut self, event: EventId, slots: &[SlotId]) {
        if slots.iter().any(|slot| self.facts.is_tainted(*slot)) {
            let width = self.graph.terms.width(self.graph.events[event].value);
            let any = self.graph.terms.nondet(width);
            self.graph.shadows.insert(event, any);
        }
    }

    /// What an instruction is about to use must be determined.
    pub(super) fn uses(&mut self, op: &Op, frame: &Frame, span: Span) {
        if !self.options.uninitialised {
            return;
        }
        for (value, rule) in op.uses() {
            let shadow = self.eval(value, &frame.locals).shadow;
            self.use_of(frame.state.guard, shadow, rule, span);
        }
    }

    /// A value with this shadow is used.
    pub(super) fn use_of(&mut self, guard: TermId, shadow: Option<TermId>, rule: &str, span: Span) {
        let Some(shadow) = shadow else {
            return;
        };
        let zero = self.graph.terms.constant(0, self.graph.terms.width(shadow));
        let cond = self.graph.terms.eq(shadow, zero);
        self.graph.checks.push(Check {
            property: Property::new(Rule::Uninitialised, rule),
            span,
            thread: self.threads.current(),
            position: self.position(),
            choices: self.graph.choices.len(),
            guard,
            cond,
        });
    }

    pub(super) fn shadow_unary(&mut self, op: UnOp, a: SymbolicValue) -> Option<TermId> {
        let shadow = a.shadow?;
        let terms = &mut self.graph.terms;
        let width = terms.width(shadow);
        Some(match op {
            UnOp::Not => shadow,
            UnOp::Neg => upward(terms, shadow),
            UnOp::Float(_) => all(terms, shadow, width),
        })
    }

    pub(super) fn shadow_binary(
        &mut self,
        op: BinOp,
        a: SymbolicValue,
        b: SymbolicValue,
    ) -> Option<TermId> {
        if a.shadow.is_none() && b.shadow.is_none() {
            return None;
        }
        let terms = &mut self.graph.terms;
        let width = terms.width(a.term);
        let (sa, sb) = (bits_of(terms, a), bits_of(terms, b));
        let any = terms.binary(BinOp::Or, sa, sb);
        let shadow = match op {
            BinOp::And | BinOp::Or => {
                // Where the other operand does not decide.
                let mut open = |value: SymbolicValue, shadow| {
                    let value = match op {
                        BinOp::And => value.term,
                        _ => terms.not(value.term),
                    };
                    terms.binary(BinOp::Or, value, shadow)
                };
                let (left, right) = (open(a, sa), open(b, sb));
                let both = terms.binary(BinOp::And, left, right);
                terms.binary(BinOp::And, any, both)
            }
            BinOp::Xor => any,
            BinOp::Add | BinOp::Sub | BinOp::Mul => upward(terms, any),
            BinOp::Shl | BinOp::Lshr | BinOp::Ashr => {
                let moved = terms.binary(op, sa, b.term);
                let by = all(terms, sb, width);
                terms.binary(BinOp::Or, moved, by)
            }
            BinOp::Eq | BinOp::Ne => {
                let differ = terms.binary(BinOp::Xor, a.term, b.term);
                let known = terms.not(any);
                let differ = terms.binary(BinOp::And, differ, known);
                let zero = terms.constant(0, width);
                let same = terms.eq(differ, zero);
                let some = all(terms, any, 1);
                terms.and(same, some)
            }
            op if op.is_comparison() => all(terms, any, 1),
            _ => all(terms, any, width),
        };
        not_nothing(terms, shadow)
    }

    pub(super) fn shadow_choice(
        &mut self,
        c: SymbolicValue,
        a: SymbolicValue,
        b: SymbolicValue,
    ) -> Option<TermId> {
        let decided = chosen_shadow(&mut self.graph.terms, c.term, a, b);
        let Some(unknown) = c.shadow else {
            return decided;
        };
        let terms = &mut self.graph.terms;
        let (sa, sb) = (bits_of(terms, a), bits_of(terms, b));
        let any = terms.binary(BinOp::Or, sa, sb);
        let differ = terms.binary(BinOp::Xor, a.term, b.term);
        let either = terms.binary(BinOp::Or, any, differ);
        let decided = decided.unwrap_or_else(|| terms.constant(0, terms.width(a.term)));
        let shadow = terms.ite(unknown, either, decided);
        not_nothing(terms, shadow)
    }

    pub(super) fn shadow_cast(
        &mut self,
        cast: Cast,
        a: SymbolicValue,
        width: Width,
    ) -> Option<TermId> {
        let shadow = a.shadow?;
        let terms = &mut self.graph.terms;
        let shadow = match cast {
            Cast::Zero => terms.extend(shadow, width, false),
            Cast::Sign => terms.extend(shadow, width, true),
            Cast::Truncate => terms.truncate(shadow, width),
            _ => all(terms, shadow, width),
        };
        not_nothing(terms, shadow)
    }

    /// Of what a read-modify-write stores.
    pub(super) fn shadow_rmw(
        &mut self,
        op: RmwOp,
        old: SymbolicValue,
        operand: SymbolicValue,
    ) -> Option<TermId> {
        let op = match op {
            RmwOp::Exchange => return operand.shadow,
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
            RmwOp::And | RmwOp::Nand => BinOp::And,
        };
        self.shadow_binary(op, old, operand)
    }

    /// Of a value from those of its pieces.
    pub(super) fn joined_shadow(&mut self, pieces: &[SymbolicValue]) -> Option<TermId> {
        if pieces.iter().all(|p| p.shadow.is_none()) {
            return None;
        }
        let words = pieces.iter().map(|p| bits_of(&mut self.graph.terms, *p));
        let words: Vec<TermId> = words.collect();
        let shadow = self.graph.terms.concat(&words);
        not_nothing(&self.graph.terms, shadow)
    }
}
