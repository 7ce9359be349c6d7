//! Objects whose size is not a constant: `malloc(n * sizeof(int))`, `int a[n]`.
//!
//! Such an object has the scalars that lie in its first bytes ([`Executor::room`]), as many as a loop over its
//! elements comes to within the bound of loops. An access is one to a scalar where the object is large enough
//! for it, and a violation where it is not. Whether an access comes to what lies behind those bytes, and in the
//! object, is a question of its own: then the answer is `UNKNOWN`, otherwise it holds for all sizes.
//!
//! An object has fewer bytes than [`ir::program::DataModel::largest_object`]; executions with a larger one end
//! where it would be made.

use super::executor::Executor;
use super::memory::ObjId;
use super::points_to::Offsets;
use super::state::SymbolicValue;
use super::term::TermId;
use ir::program::{BinOp, LayoutId};

/// An object has the scalars of so many elements at least.
const FEWEST_ELEMENTS: u64 = 8;
/// Bytes of an element whose type is not known.
const WORD: u64 = 8;

impl Executor<'_> {
    /// The bytes whose scalars an object of any size has.
    pub(super) fn room(&self, layout: Option<LayoutId>) -> u64 {
        let element = layout.map_or(WORD, |layout| self.program.size_of(layout).max(1));
        let loops = 1 + u64::from(self.options.bounds.largest());
        element * loops.max(FEWEST_ELEMENTS)
    }

    /// A size is below a limit, as unsigned numbers.
    pub(super) fn has_size_below(&mut self, size: TermId, limit: u64) -> TermId {
        let limit = self
            .graph
            .terms
            .constant(limit, self.graph.terms.width(size));
        self.graph.terms.binary(BinOp::Ult, size, limit)
    }

    /// So many bytes at an offset end within a size.
    pub(super) fn ends_within(&mut self, offset: TermId, bytes: u64, size: TermId) -> TermId {
        let width = self.graph.terms.width(size);
        let bytes = self.graph.terms.constant(bytes, width);
        let offset = self.graph.terms.extend(offset, width, false);
        let end = self.graph.terms.binary(BinOp::Add, offset, bytes);
        self.graph.terms.binary(BinOp::Ule, end, size)
    }

    /// An access of some bytes is one to an object of a size that is not a constant, but to none of the
    /// scalars that the object has here; `None` when that cannot be.
    pub(super) fn is_beyond_room(
        &mut self,
        addr: SymbolicValue,
        object: ObjId,
        (bytes, size): (u64, TermId),
        offsets: &Offsets,
    ) -> Option<TermId> {
        let room = self.facts.objects[object].size;
        if let Offsets::Exact(all) = offsets
            && all
                .iter()
                .all(|offset| offset.saturating_add_unsigned(bytes) <= room as i64)
        {
            return None;
        }
        let here = self.is_inside(addr, object);
        let bits = self.program.data_model.offset_bits();
        let offset = self.graph.terms.truncate(addr.term, bits as _);
        let last = self
            .graph
            .terms
            .constant(room.saturating_sub(bytes), bits as _);
        let behind = self.graph.terms.binary(BinOp::Ult, last, offset);
        let within = self.ends_within(offset, bytes, size);
        let both = self.graph.terms.and(behind, within);
        let beyond = self.graph.terms.and(here, both);
        (!self.graph.terms.is_false(beyond)).then_some(beyond)
    }
}
