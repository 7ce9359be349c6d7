//! `realloc`, and memory functions whose size is not known before the program runs: loops over
//! elements, which are unwound like the program's own.

use super::memory::Overlap;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, TypeId};
use crate::lower::c::fold;
use base::diag::Diag;
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op, Storage, Width, mask};

/// Objects whose sizes are kept for `realloc` and `munmap`; those with greater numbers are not supported.
const MAX_OBJECTS: u64 = 4096;
/// More elements than this are filled in a loop.
const MAX_CELLS: u64 = 4096;

impl<'a> Lowering<'a> {
    /// Where the size of an object on the heap is kept, and whether there is room for it.
    fn heap_sizes(&mut self, object: Expr) -> (Expr, Expr) {
        let width = self.pointer_width();
        let table = self.hidden_global("sizes of heap objects", width, MAX_OBJECTS, false);
        let bits = u64::from(self.program.data_model.offset_bits());
        let number = fold::binary(BinOp::Lshr, object, Expr::constant(bits, width), width);
        let known = Expr::binary(
            BinOp::Ult,
            number.clone(),
            Expr::constant(MAX_OBJECTS, width),
        );
        let bytes = Expr::constant(u64::from(width) / 8, width);
        let offset = fold::binary(BinOp::Mul, number, bytes, width);
        (
            fold::binary(BinOp::Add, Expr::Global(table), offset, width),
            known,
        )
    }

    /// Writes down the size of a new object, in programs that call `realloc` or `munmap`.
    pub(super) fn note_size(&mut self, object: Expr, size: Expr) {
        let names = ["realloc", "reallocarray", "__builtin_realloc", "munmap"];
        if !names.iter().any(|n| self.names.is_called(n)) {
            return;
        }
        let (addr, known) = self.heap_sizes(object);
        let next = self.body.label();
        self.body.jump(Some(known), next);
        let reason =
            format!("`realloc` or `munmap` in a program with more than {MAX_OBJECTS} objects");
        self.emit(Op::Unknown(reason));
        self.emit(Op::Halt);
        self.body.place(next);
        let (value, order) = (size, MemoryOrder::Plain);
        self.emit(Op::Store { addr, value, order });
    }

    /// The size that was written down of an object on the heap.
    pub(super) fn noted_size(&mut self, object: Expr, span: Span) -> Expr {
        let (addr, _) = self.heap_sizes(object);
        let (dst, order) = (self.temp(self.pointer_width()), MemoryOrder::Plain);
        self.emit_at(span, Op::Load { dst, addr, order });
        Expr::Local(dst)
    }

    /// A new object, with what the old one held as far as it fits; it may lie where the old one does.
    /// The size is a product where there is another argument.
    pub(super) fn reallocation(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let span = call.span;
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        let width = self.pointer_width();
        let pointed = self.pointed_type(call.arg(0)?);
        let old = self.operand(call, 0, void)?;
        let mut size = self.value_for(call.arg(1)?, size_t)?.expr;
        if let Some(count) = call.args.get(2) {
            let more = self.value_for(count, size_t)?.expr;
            size = fold::binary(BinOp::Mul, size, more, width);
        }
        let size = self.bind(size);
        let hint = call.hint.filter(|t| !self.untyped(Some(*t))).or(pointed);
        let layout = self.element(
            hint,
            &call.args.iter().skip(1).collect::<Vec<_>>(),
            &size,
            span,
        )?;
        let how = (false, Some(old.clone()));
        let new = self.allocation_for(Storage::Heap, layout, size.clone(), how, span)?;
        let end = self.body.label();
        let null = Expr::constant(0, width);
        self.body
            .jump(Some(Expr::binary(BinOp::Eq, old.clone(), null)), end);
        let Some(elem) = self.common_element(hint, hint) else {
            self.not_known(call);
            self.body.place(end);
            return Ok(new);
        };
        let before = self.noted_size(old.clone(), span);
        let shorter = Expr::binary(BinOp::Ult, before.clone(), size.clone());
        let kept = fold::choose(shorter, before, size);
        let kept = self.body.assign(width, kept);
        self.copy_each(&new.expr, &old, &kept, elem, Overlap::Undefined, span)?;
        self.emit_at(span, Op::Free { addr: old });
        self.body.place(end);
        Ok(new)
    }

    /// The type of the elements that are copied: both sides have it, or one says nothing.
    pub(super) fn common_element(
        &mut self,
        to: Option<TypeId>,
        from: Option<TypeId>,
    ) -> Option<TypeId> {
        let (to, from) = (self.scalar_element(to), self.scalar_element(from));
        let elem = match (to, from) {
            (Some(a), Some(b)) => {
                let (x, y) = (self.cells(a)?, self.cells(b)?);
                self.same_cells(&x, &y).then_some(a)?
            }
            (a, b) => a.or(b)?,
        };
        self.types.size(elem).filter(|b| *b > 0).map(|_| elem)
    }

    /// Of an array of arrays the innermost elements; nothing for `void`.
    fn scalar_element(&self, ty: Option<TypeId>) -> Option<TypeId> {
        let mut ty = self.types.plain(ty?);
        while let Type::Array(elem, _) = self.types.get(ty) {
            ty = self.types.plain(*elem);
        }
        let good = self.types.width(ty).is_some() || self.types.is_record(ty);
        good.then_some(ty)
    }

    /// A loop over the elements of `size` bytes: `iteration` gets the offset of each.
    fn each(
        &mut self,
        size: &Expr,
        elem: TypeId,
        span: Span,
        iteration: &mut dyn FnMut(&mut Self, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let width = self.pointer_width();
        let bytes = Expr::constant(self.size_of(elem, span)?, width);
        let (top, end, whole) = (self.body.label(), self.body.label(), self.body.label());
        self.body.span = span;
        let even = self.is_whole_number(size, &bytes);
        self.body.jump(Some(even), whole);
        self.emit(Op::Unknown(
            "a size that is no whole number of elements".to_string(),
        ));
        self.body.place(whole);
        let at = self.body.local("", width);
        let value = Expr::constant(0, width);
        self.emit(Op::Assign { dst: at, value });
        self.body.place(top);
        let done = Expr::binary(BinOp::Ule, size.clone(), Expr::Local(at));
        self.body.jump(Some(done), end);
        iteration(self, Expr::Local(at))?;
        self.body.span = span;
        let value = fold::binary(BinOp::Add, Expr::Local(at), bytes, width);
        self.emit(Op::Assign { dst: at, value });
        self.body.jump(None, top);
        self.body.place(end);
        Ok(())
    }

    /// Whether so many bytes are a whole number of elements.
    fn is_whole_number(&self, size: &Expr, element: &Expr) -> Expr {
        let width = self.pointer_width();
        let rest = match element {
            Expr::Const { value, .. } if value.is_power_of_two() => {
                let low = Expr::constant(value - 1, width);
                fold::binary(BinOp::And, size.clone(), low, width)
            }
            element => fold::binary(BinOp::Urem, size.clone(), element.clone(), width),
        };
        fold::binary(BinOp::Eq, rest, Expr::constant(0, width), width)
    }

    /// `memcpy`: element by element, or without regard to them where the size is no whole number of
    /// them.
    pub(super) fn copy_elements(
        &mut self,
        to: &Expr,
        from: &Expr,
        size: &Expr,
        elem: TypeId,
        span: Span,
    ) -> Lowered<()> {
        let size = self.bind(size.clone());
        let bytes = self.pointer_constant(self.size_of(elem, span)?);
        let is_whole = self.is_whole_number(&size, &bytes);
        match is_whole {
            Expr::Const { value: 0, .. } => self.copy_untyped(to, from, &size, span),
            Expr::Const { .. } => self.copy_each(to, from, &size, elem, Overlap::Undefined, span),
            is_whole => {
                let (whole, end) = (self.body.label(), self.body.label());
                self.body.jump(Some(is_whole), whole);
                self.copy_untyped(to, from, &size, span)?;
                self.body.jump(None, end);
                self.body.place(whole);
                self.copy_each(to, from, &size, elem, Overlap::Undefined, span)?;
                self.body.place(end);
                Ok(())
            }
        }
    }

    /// Copies element by element; objects that may overlap from the end that is not yet read.
    pub(super) fn copy_each(
        &mut self,
        to: &Expr,
        from: &Expr,
        size: &Expr,
        elem: TypeId,
        overlap: Overlap,
        span: Span,
    ) -> Lowered<()> {
        let width = self.pointer_width();
        let size = self.bind(size.clone());
        let plus = |base: &Expr, at: Expr| fold::binary(BinOp::Add, base.clone(), at, width);
        if overlap == Overlap::Undefined {
            return self.each(&size, elem, span, &mut |this, at| {
                let (to, from) = (plus(to, at.clone()), plus(from, at));
                this.copy_representation(TypedValue::new(to, elem), from, span)
            });
        }
        let bytes = Expr::constant(self.size_of(elem, span)?, width);
        let last = fold::binary(BinOp::Sub, size.clone(), bytes, width);
        let backward = self
            .body
            .assign(1, Expr::binary(BinOp::Ult, from.clone(), to.clone()));
        self.each(&size, elem, span, &mut |this, at| {
            let mirrored = fold::binary(BinOp::Sub, last.clone(), at.clone(), width);
            let at = this
                .body
                .assign(width, fold::choose(backward.clone(), mirrored, at));
            let (to, from) = (plus(to, at.clone()), plus(from, at));
            this.copy_representation(TypedValue::new(to, elem), from, span)
        })
    }

    /// `memcpy` between `void *`: words, so that pointers stay whole, and what is left in halves of them
    /// and bytes. What the objects consist of is not known here, so each may be copied in parts.
    pub(super) fn copy_untyped(
        &mut self,
        to: &Expr,
        from: &Expr,
        size: &Expr,
        span: Span,
    ) -> Lowered<()> {
        let width = self.pointer_width();
        self.each_unit(size, span, &mut |this, at, elem, _| {
            let place = |base: &Expr| fold::binary(BinOp::Add, base.clone(), at.clone(), width);
            let value = this.load(place(from), elem, MemoryOrder::Bytes, span)?;
            this.store(place(to), elem, value, MemoryOrder::Bytes, span)
        })
    }

    /// Loops over the words of `size` bytes, and over what is left: a half of one, and bytes. `iteration` gets the offset
    /// of each, its type and its bits.
    fn each_unit(
        &mut self,
        size: &Expr,
        span: Span,
        iteration: &mut dyn FnMut(&mut Self, Expr, TypeId, Width) -> Lowered<()>,
    ) -> Lowered<()> {
        let width = self.pointer_width();
        let size = self.bind(size.clone());
        let low = mask(width);
        let masked = |bits: u64| {
            let bits = Expr::constant(bits & low, width);
            fold::binary(BinOp::And, size.clone(), bits, width)
        };
        for (bits, of_size, before) in [(64, !7, 0), (32, 4, !7), (8, 3, !3)] {
            let elem = self.unit_type(bits);
            let before = masked(before);
            let bytes = self.bind(masked(of_size));
            self.each(&bytes, elem, span, &mut |this, at| {
                let at = fold::binary(BinOp::Add, before.clone(), at, width);
                iteration(this, at, elem, bits)
            })?;
        }
        Ok(())
    }

    /// `memset` with a size or a byte that is computed.
    pub(super) fn fill_each(
        &mut self,
        call: &Call<'a>,
        elem: Option<TypeId>,
        addr: Expr,
        byte: Expr,
        size: Expr,
    ) -> Lowered<()> {
        let (span, width) = (call.span, self.pointer_width());
        let (size, byte) = (self.bind(size), self.bind(byte));
        let Some(elem) = self.common_element(elem, elem) else {
            return self.fill_untyped(&addr, &byte, &size, span);
        };
        let Some(cells) = self.cells_of_bytes(elem) else {
            self.not_known(call);
            return Ok(());
        };
        // Behind a structure there may be the elements of its flexible array member.
        let tail = self.flexible_member(elem);
        let tail = tail.and_then(|(offset, ty)| Some((offset, ty, self.cells_of_bytes(ty)?)));
        let bytes = self.pointer_constant(self.size_of(elem, span)?);
        let is_whole = match &tail {
            Some((offset, ty, _)) => {
                let bytes = self.pointer_constant(self.size_of(*ty, span)?);
                let offset = self.pointer_constant(*offset);
                let is_longer = Expr::binary(BinOp::Ule, offset.clone(), size.clone());
                let rest = fold::binary(BinOp::Sub, size.clone(), offset, width);
                let is_whole = self.is_whole_number(&rest, &bytes);
                fold::binary(BinOp::And, is_longer, is_whole, 1)
            }
            None => self.is_whole_number(&size, &bytes),
        };
        let (whole, end) = (self.body.label(), self.body.label());
        self.body.span = span;
        self.body.jump(Some(is_whole), whole);
        self.fill_untyped(&addr, &byte, &size, span)?;
        self.body.jump(None, end);
        self.body.place(whole);
        match tail {
            Some((offset, ty, rest)) => {
                let header = cells.into_iter().filter(|(at, _)| *at < offset);
                self.fill_cells(&addr, &byte, &header.collect::<Vec<_>>(), span)?;
                let offset = self.pointer_constant(offset);
                let size = self.bind(fold::binary(BinOp::Sub, size, offset.clone(), width));
                let first = self.bind(fold::binary(BinOp::Add, addr, offset, width));
                self.each(&size, ty, span, &mut |this, at| {
                    let at = fold::binary(BinOp::Add, first.clone(), at, width);
                    this.fill_cells(&at, &byte, &rest, span)
                })?;
            }
            None => self.each(&size, elem, span, &mut |this, at| {
                let at = fold::binary(BinOp::Add, addr.clone(), at, width);
                this.fill_cells(&at, &byte, &cells, span)
            })?,
        }
        self.body.place(end);
        Ok(())
    }

    /// Fills the scalars of an object at an address.
    fn fill_cells(
        &mut self,
        at: &Expr,
        byte: &Expr,
        cells: &[(u64, TypeId)],
        span: Span,
    ) -> Lowered<()> {
        for (offset, ty) in cells {
            let ty = self.types.plain(*ty);
            let bits = self.scalar_width(ty, span)?;
            let expr = repeated(byte, bits);
            let offset = self.pointer_constant(*offset);
            let at = fold::binary(BinOp::Add, at.clone(), offset, self.pointer_width());
            self.store(at, ty, TypedValue { expr, ty }, MemoryOrder::Plain, span)?;
        }
        Ok(())
    }

    /// `memset` without regard to what the object consists of: words, and what is left in halves of them and bytes.
    fn fill_untyped(&mut self, addr: &Expr, byte: &Expr, size: &Expr, span: Span) -> Lowered<()> {
        let width = self.pointer_width();
        self.each_unit(size, span, &mut |this, at, elem, bits| {
            let at = fold::binary(BinOp::Add, addr.clone(), at, width);
            let value = TypedValue::new(repeated(byte, bits), elem);
            this.store(at, elem, value, MemoryOrder::Bytes, span)
        })
    }

    /// `memcmp`: scalar by scalar where both sides have the same ones, else byte by byte.
    pub(super) fn compare_bytes(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let span = call.span;
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        let (a, b) = (call.arg(0)?, call.arg(1)?);
        let (left, right) = (self.pointed_type(a), self.pointed_type(b));
        self.note_bytes_of(left);
        self.note_bytes_of(right);
        let (x, y) = (self.operand(call, 0, void)?, self.operand(call, 1, void)?);
        let size = self.value_for(call.arg(2)?, size_t)?.expr;
        let (p, q) = (
            self.known_cells(left, &size),
            self.known_cells(right, &size),
        );
        if let (Some(p), Some(q)) = (p, q)
            && self.same_cells(&p, &q)
        {
            return self.compare_cells(&x, &y, &p, span);
        }
        let given = format!("{PREFIX}memcmp");
        let bytes = |this: &Self, ty| {
            this.scalar_element(ty)
                .is_none_or(|t| this.types.size(t) == Some(1))
        };
        if !bytes(self, left) || !bytes(self, right) || !self.names.functions().contains_key(&given)
        {
            self.not_known(call);
            return Ok(self.zero());
        }
        let proc = self.procedure(&given, span);
        let dst = self.temp(32);
        self.emit_at(
            span,
            Op::Call {
                dst: Some(dst),
                callee: ir::program::Callee::Proc(proc),
                args: vec![x, y, size],
            },
        );
        Ok(self.int_of(Expr::Local(dst)))
    }

    /// The first cells that differ decide, by their bytes from the lowest address.
    fn compare_cells(
        &mut self,
        x: &Expr,
        y: &Expr,
        cells: &[(u64, TypeId)],
        span: Span,
    ) -> Lowered<TypedValue> {
        let width = self.pointer_width();
        let mut pairs = Vec::new();
        for (offset, ty) in cells {
            let ty = self.types.plain(*ty);
            let read = |this: &mut Self, base: &Expr| {
                let at = Expr::constant(*offset, width);
                let at = fold::binary(BinOp::Add, base.clone(), at, width);
                this.load(at, ty, MemoryOrder::Plain, span)
            };
            let (a, b) = (read(self, x)?.expr, read(self, y)?.expr);
            pairs.push((a, b, self.scalar_width(ty, span)?));
        }
        let mut result = Expr::constant(0, 32);
        for (a, b, bits) in pairs.into_iter().rev() {
            let swapped = |e: &Expr| super::library::swapped(e.clone(), bits);
            let less = fold::binary(BinOp::Ult, swapped(&a), swapped(&b), bits);
            let sign = fold::choose(less, Expr::constant(u64::MAX, 32), Expr::constant(1, 32));
            let differ = fold::binary(BinOp::Ne, a, b, bits);
            result = fold::choose(differ, sign, result);
        }
        Ok(self.int_of(result))
    }

    /// `__VERIFIER_nondet_memory(object, size)`: any bytes.
    pub(super) fn arbitrary_bytes(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let span = call.span;
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        let pointed = self.pointed_type(call.arg(0)?);
        let addr = self.operand(call, 0, void)?;
        let size = self.value_for(call.arg(1)?, size_t)?.expr;
        let Some(elem) = self.common_element(pointed, pointed) else {
            let message = "arbitrary bytes for an object of unknown type are not supported";
            return Err(Diag::unsupported(span, message).into());
        };
        self.arbitrary_elements(&addr, elem, &size, span)?;
        Ok(self.void())
    }

    /// Puts any values into the elements of `size` bytes.
    pub(super) fn arbitrary_elements(
        &mut self,
        addr: &Expr,
        elem: TypeId,
        size: &Expr,
        span: Span,
    ) -> Lowered<()> {
        let width = self.pointer_width();
        let size = self.bind(size.clone());
        let Some(cells) = self.cells_of_bytes(elem) else {
            let name = self.types.show(elem);
            let reason = format!("arbitrary values in an object as large as `{name}`");
            self.emit_at(span, Op::Unknown(reason));
            return Ok(());
        };
        let mut put = |this: &mut Self, at: Expr| {
            for (offset, ty) in &cells {
                let ty = this.types.plain(*ty);
                let value = this.any_value(ty, span)?;
                let offset = Expr::constant(*offset, width);
                let at = fold::binary(BinOp::Add, at.clone(), offset, width);
                let at = fold::binary(BinOp::Add, addr.clone(), at, width);
                this.store(at, ty, value, MemoryOrder::Plain, span)?;
            }
            Ok(())
        };
        let bytes = self.size_of(elem, span)?;
        match size {
            Expr::Const { value, .. } if value % bytes == 0 && value / bytes <= MAX_CELLS => {
                (0..value / bytes).try_for_each(|i| {
                    let at = Expr::constant(i * bytes, width);
                    put(self, at)
                })
            }
            size => self.each(&size, elem, span, &mut put),
        }
    }
}

/// A byte, the low bits of a value, in every byte of a number.
fn repeated(byte: &Expr, bits: Width) -> Expr {
    let low = fold::binary(BinOp::And, byte.clone(), Expr::constant(0xff, 32), 32);
    let low = fold::resize(low, 32, bits, false);
    let ones = Expr::constant(0x0101_0101_0101_0101 & mask(bits), bits);
    fold::binary(BinOp::Mul, low, ones, bits)
}
