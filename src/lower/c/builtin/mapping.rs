//! Anonymous memory of the system (POSIX `mmap`, `munmap`): an object on the heap of whole pages, all zero,
//! which has to be given back as a whole.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::fold;
use ir::program::{BinOp, Expr, Op, Storage};

/// Bytes of a page.
const PAGE: u64 = 4096;
/// `PROT_READ | PROT_WRITE`
const READABLE_AND_WRITABLE: u64 = 3;
/// `MAP_ANONYMOUS`
const ANONYMOUS: u64 = 32;
/// `MAP_FIXED`, `MAP_GROWSDOWN`, `MAP_HUGETLB`, `MAP_FIXED_NOREPLACE`
const OF_ANOTHER_KIND: u64 = 0x10 | 0x100 | 0x4_0000 | 0x10_0000;

impl<'a> Lowering<'a> {
    /// `mmap(at, size, protection, flags, file, offset)`: it does not fail.
    pub(super) fn map_memory(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (span, int) = (call.span, self.types.int());
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        self.operand(call, 0, void)?;
        let size = self.operand(call, 1, size_t)?;
        let protection = self.operand(call, 2, int)?;
        let flags = self.operand(call, 3, int)?;
        self.discard_all(&call.args[4..])?;
        let bits = |e: Expr, bits| fold::binary(BinOp::And, e, Expr::constant(bits, 32), 32);
        let is = |e: Expr, bits| fold::binary(BinOp::Eq, e, Expr::constant(bits, 32), 32);
        let accessible = is(
            bits(protection, READABLE_AND_WRITABLE),
            READABLE_AND_WRITABLE,
        );
        let kind = is(bits(flags, ANONYMOUS | OF_ANOTHER_KIND), ANONYMOUS);
        let width = self.pointer_width();
        let some = fold::binary(BinOp::Ne, size.clone(), self.pointer_constant(0), width);
        let known = fold::binary(BinOp::And, accessible, kind, 1);
        let known = self.bind(fold::binary(BinOp::And, known, some, 1));
        self.unknown_unless(
            known,
            "a mapping that is not anonymous, or that cannot be read and written",
        );
        let bytes = self.whole_pages(size);
        let layout = self.element(call.hint, &[call.arg(1)?], &bytes, span)?;
        self.allocation(Storage::Heap, layout, bytes, true, span)
    }

    /// `munmap(at, size)`
    pub(super) fn unmap_memory(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        let addr = self.operand(call, 0, void)?;
        let size = self.operand(call, 1, size_t)?;
        let width = self.pointer_width();
        let bytes = self.whole_pages(size);
        let whole = self.noted_size(addr.clone(), call.span);
        let same = fold::binary(BinOp::Eq, whole, bytes, width);
        let inside = Expr::constant((1 << self.program.data_model.offset_bits()) - 1, width);
        let offset = fold::binary(BinOp::And, addr.clone(), inside, width);
        let begins = fold::binary(BinOp::Eq, offset, self.pointer_constant(0), width);
        let known = self.bind(fold::binary(BinOp::And, same, begins, 1));
        self.unknown_unless(known, "`munmap` of another range than what one `mmap` gave");
        self.emit_at(call.span, Op::Free { addr });
        Ok(self.int_value(0))
    }

    /// A size as that of the pages that it needs.
    fn whole_pages(&mut self, size: Expr) -> Expr {
        let width = self.pointer_width();
        let up = fold::binary(BinOp::Add, size, self.pointer_constant(PAGE - 1), width);
        let pages = self.pointer_constant(!(PAGE - 1));
        self.bind(fold::binary(BinOp::And, up, pages, width))
    }
}
