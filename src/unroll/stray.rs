//! Stray pointers: those that point into an object, but not where the access is known to go.
//!
//! An access is split over the scalars its pointer was seen to be made for. But an arbitrary
//! number may be the address of any object, and a computed offset may lie within a scalar of
//! another size. The memory of bytes that a machine has gives such an access a meaning; the event
//! graph, whose memory is scalars, does not. So it is a gap, and what is still left over lies
//! outside of every object.

use super::machine::Machine;
use super::memory::*;
use super::term::TermId;
use crate::front::source::Span;
use crate::idx::Id;
use crate::ir::program::*;

/// An access by what is known of its pointer.
pub(super) struct Reach<'a> {
    pub(super) addr: TermId,
    /// How many bytes are accessed.
    pub(super) bytes: u64,
    /// What the pointer was made for.
    pub(super) pointers: &'a PointsTo,
    /// Objects of those that have no scalar of this size at some offsets it may have.
    pub(super) mixed: &'a [ObjId],
}

impl Machine<'_> {
    /// Reports that an access may lie in an object without being one of those that `covered` speaks
    /// of; answers when it is one of those or a reported one.
    pub(super) fn stray(
        &mut self,
        guard: TermId,
        reach: &Reach,
        covered: TermId,
        span: Span,
    ) -> TermId {
        let Some(missed) = self.missed(guard, covered) else {
            return covered;
        };
        let bits = self.program.data_model.offset_bits();
        let pointer = self.program.data_model.pointer_width();
        let shift = self.graph.terms.constant(u64::from(bits), pointer);
        let number = self.graph.terms.binary(BinOp::Lshr, reach.addr, shift);
        let offset = self.graph.terms.truncate(reach.addr, bits as Width);
        let first = 1 + self.program.procs.len();
        self.strays = true;
        let mut unknown = self.compare(BinOp::Ult, number, first as u64);
        unknown = self.graph.terms.not(unknown);
        let below = self.compare(BinOp::Ult, number, self.objects as u64);
        unknown = self.graph.terms.and(unknown, below);
        let mut strays = Vec::new();
        let objects = reach.pointers.objects.keys().copied();
        for object in objects.filter(|o| o.index() >= first) {
            let here = self.compare(BinOp::Eq, number, object.index() as u64);
            let room = self.facts.objects[object].size.checked_sub(reach.bytes);
            let inside = match room {
                Some(last) => self.compare(BinOp::Ule, offset, last),
                None => self.graph.terms.bool(false),
            };
            let elsewhere = self.graph.terms.not(here);
            let mut open = self.graph.terms.or(elsewhere, inside);
            if reach.mixed.contains(&object) {
                let name = &self.facts.objects[object].name;
                let bytes = reach.bytes;
                let reason = format!(
                    "access of {bytes} bytes to `{name}`, which has scalars of other sizes there"
                );
                strays.push((self.graph.terms.and(here, inside), reason));
                open = elsewhere;
            }
            unknown = self.graph.terms.and(unknown, open);
        }
        let reason = "access through a pointer whose object could not be determined";
        strays.push((unknown, reason.to_string()));
        let mut covered = covered;
        for (stray, reason) in strays {
            let guard = self.graph.terms.and(missed, stray);
            self.gap(guard, span, reason);
            covered = self.graph.terms.or(covered, stray);
        }
        covered
    }

    /// The same for calls: the address is that of some procedure.
    pub(super) fn stray_call(
        &mut self,
        guard: TermId,
        target: TermId,
        covered: TermId,
        span: Span,
    ) -> TermId {
        let Some(missed) = self.missed(guard, covered) else {
            return covered;
        };
        let bits = self.program.data_model.offset_bits();
        let mut covered = covered;
        for number in 1..=self.program.procs.len() as u64 {
            let this = self.compare(BinOp::Eq, target, number << bits);
            covered = self.graph.terms.or(covered, this);
        }
        let guard = self.graph.terms.and(missed, covered);
        let reason = "call through a pointer whose function could not be determined";
        self.gap(guard, span, reason.to_string());
        covered
    }

    /// The path is taken without what is covered; `None` when that is impossible.
    fn missed(&mut self, guard: TermId, covered: TermId) -> Option<TermId> {
        let missed = self.graph.terms.not(covered);
        let missed = self.graph.terms.and(guard, missed);
        (!self.graph.terms.is_false(missed)).then_some(missed)
    }

    fn compare(&mut self, op: BinOp, a: TermId, b: u64) -> TermId {
        let b = self.graph.terms.constant(b, self.graph.terms.width(a));
        self.graph.terms.binary(op, a, b)
    }
}
