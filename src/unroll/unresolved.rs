//! Unresolved accesses: those that lie in an object, but outside the points-to set of their pointer.
//!
//! An access is split over the scalars its pointer was seen to be made for. But an arbitrary
//! number may be the address of any object, and a computed offset may lie within a scalar of
//! another size. The memory of bytes that a machine has gives such an access a meaning; the event
//! graph, whose memory is scalars, does not. So it is unsupported, and what is still left over lies
//! outside of every object.

use super::event::Unsupported;
use super::executor::Executor;
use super::memory::*;
use super::points_to::PointsTo;
use super::term::TermId;
use base::idx::Id;
use base::source::Span;
use ir::program::*;

/// An access by what is known of its pointer.
pub(super) struct UnresolvedAccess<'a> {
    pub(super) addr: TermId,
    /// How many bytes are accessed.
    pub(super) bytes: u64,
    /// What the pointer was made for.
    pub(super) pointers: &'a PointsTo,
    /// Objects of those that have no scalar of this size at some offsets it may have.
    pub(super) mixed: &'a [ObjId],
}

impl Executor<'_> {
    /// Notes that an access may lie in an object. `missed`: it is none of those that are known.
    pub(super) fn unresolved_access(
        &mut self,
        missed: TermId,
        access: &UnresolvedAccess,
        span: Span,
    ) {
        let bits = self.program.data_model.offset_bits();
        let pointer = self.program.data_model.pointer_width();
        let shift = self.graph.terms.constant(u64::from(bits), pointer);
        let number = self.graph.terms.binary(BinOp::Lshr, access.addr, shift);
        let offset = self.graph.terms.truncate(access.addr, bits as Width);
        let first = 1 + self.program.procs.len();
        let small = self.compare(BinOp::Ult, number, first as u64);
        let large = self.graph.terms.not(small);
        let objects = self.assumed.objects() as u64;
        let known = self.compare(BinOp::Ult, number, objects);
        let mut unknown = self.graph.terms.and(large, known);
        // What lies before an object, too far behind the one before for being in that, is in none.
        let largest = self.program.data_model.largest_object();
        let in_some = self.compare(BinOp::Ult, offset, largest);
        unknown = self.graph.terms.and(unknown, in_some);
        let objects = access.pointers.objects.keys().copied();
        for object in objects.filter(|o| o.index() >= first) {
            let here = self.compare(BinOp::Eq, number, object.index() as u64);
            let room = self.facts.objects[object].size.checked_sub(access.bytes);
            let mut inside = match room {
                Some(last) => self.compare(BinOp::Ule, offset, last),
                None => self.graph.terms.bool(false),
            };
            if let Some(length) = self.allocations.size_of(object) {
                let fits = self.ends_within(offset, access.bytes, length);
                inside = self.graph.terms.and(inside, fits);
            }
            let elsewhere = self.graph.terms.not(here);
            let mut open = self.graph.terms.or(elsewhere, inside);
            if access.mixed.contains(&object) {
                let name = &self.facts.objects[object].name;
                let bytes = access.bytes;
                let reason = format!(
                    "access of {bytes} bytes to `{name}`, which has scalars of other sizes there"
                );
                let unresolved = self.graph.terms.and(here, inside);
                self.note(missed, unresolved, span, &reason);
                open = elsewhere;
            }
            unknown = self.graph.terms.and(unknown, open);
        }
        let reason = "access through a pointer whose object could not be determined";
        self.note(missed, unknown, span, reason);
    }

    /// Notes that a call may be that of a procedure that is not `covered`.
    pub(super) fn unresolved_call(
        &mut self,
        guard: TermId,
        target: TermId,
        covered: TermId,
        span: Span,
    ) {
        let bits = self.program.data_model.offset_bits();
        let mut some = self.graph.terms.bool(false);
        for number in 1..=self.program.procs.len() as u64 {
            let this = self.compare(BinOp::Eq, target, number << bits);
            some = self.graph.terms.or(some, this);
        }
        let missed = self.graph.terms.not(covered);
        let missed = self.graph.terms.and(guard, missed);
        let reason = "call through a pointer whose function could not be determined";
        self.note(missed, some, span, reason);
    }

    fn note(&mut self, missed: TermId, unresolved: TermId, span: Span, reason: &str) {
        let guard = self.graph.terms.and(missed, unresolved);
        if !self.graph.terms.is_false(guard) {
            let reason = reason.to_string();
            self.graph.unresolved.push(Unsupported {
                reason,
                span,
                guard,
            });
        }
    }

    fn compare(&mut self, op: BinOp, a: TermId, b: u64) -> TermId {
        let b = self.graph.terms.constant(b, self.graph.terms.width(a));
        self.graph.terms.binary(op, a, b)
    }
}
