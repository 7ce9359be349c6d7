//! Allocation, and copying of objects of a known type.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{BinaryOp, Expr as Ast, ExprKind};
use crate::front::c::types::{Type, TypeId, Types};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Expr, LayoutId, MemoryOrder, Op, Storage};

/// Objects with more scalars than this are not copied one by one.
const MAX_CELLS: usize = 4096;

/// Whether the objects of a copy may overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    Allowed,
    Undefined,
}

impl<'a> Lowering<'a> {
    /// A new object of as many bytes as an argument says.
    pub(super) fn allocate_bytes(
        &mut self,
        call: &Call<'a>,
        index: usize,
        storage: Storage,
    ) -> Lowered<TypedValue> {
        let arg = call.arg(index)?;
        let size_t = self.types.size_t();
        let size = self.value_for(arg, size_t)?.expr;
        let layout = self.element(call.hint, &[arg], &size, call.span)?;
        self.allocation(storage, layout, size, false, call.span)
    }

    pub(super) fn allocate_aligned(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        self.discard(call.arg(0)?)?;
        self.allocate_bytes(call, 1, Storage::Heap)
    }

    pub(super) fn allocate_zeroed(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (a, b) = (call.arg(0)?, call.arg(1)?);
        let size_t = self.types.size_t();
        let x = self.value_for(a, size_t)?.expr;
        let y = self.value_for(b, size_t)?.expr;
        let size = fold::binary(BinOp::Mul, x, y, self.pointer_width());
        let layout = self.element(call.hint, &[a, b], &size, call.span)?;
        self.allocation(Storage::Heap, layout, size, true, call.span)
    }

    /// `posix_memalign`
    pub(super) fn allocate_into(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, size_t) = (call.span, self.types.size_t());
        let place = self.result_place(call.arg(0)?)?;
        self.discard(call.arg(1)?)?;
        let arg = call.arg(2)?;
        let size = self.value_for(arg, size_t)?.expr;
        let pointer = place.as_ref().map(Self::place_type);
        let hint = pointer.and_then(|ty| self.types.pointee(ty));
        let layout = self.element(hint, &[arg], &size, span)?;
        let object = self.allocation(Storage::Heap, layout, size, false, span)?;
        match place {
            Some(place) => self.write_result(place, object.expr, span),
            None => Ok(()),
        }
    }

    pub(super) fn free(&mut self, call: &Call<'a>) -> Lowered<()> {
        let ty = self.types.void_pointer();
        let addr = self.value_for(call.arg(0)?, ty)?.expr;
        self.emit_at(call.span, Op::Free { addr });
        Ok(())
    }

    pub(super) fn allocation(
        &mut self,
        storage: Storage,
        layout: Option<LayoutId>,
        size: Expr,
        zeroed: bool,
        span: Span,
    ) -> Lowered<TypedValue> {
        self.allocation_for(storage, layout, size, (zeroed, None), span)
    }

    /// The same, with what the new object is made in place of.
    pub(super) fn allocation_for(
        &mut self,
        storage: Storage,
        layout: Option<LayoutId>,
        size: Expr,
        (zeroed, replaces): (bool, Option<Expr>),
        span: Span,
    ) -> Lowered<TypedValue> {
        let dst = self.temp(self.pointer_width());
        let heap = storage == Storage::Heap;
        let size = self.bind(size);
        self.emit_at(
            span,
            Op::Alloc {
                dst,
                storage,
                layout,
                size: size.clone(),
                zeroed,
                replaces,
            },
        );
        if heap {
            self.note_size(Expr::Local(dst), size);
        }
        Ok(TypedValue::new(Expr::Local(dst), self.types.void_pointer()))
    }

    /// The type of the elements of a new object: what the pointer will point to, or what the size
    /// is computed from, when the size is a multiple of its size.
    pub(super) fn element(
        &mut self,
        hint: Option<TypeId>,
        sizes: &[&'a Ast],
        size: &Expr,
        span: Span,
    ) -> Lowered<Option<LayoutId>> {
        let mentioned = sizes.iter().find_map(|e| self.mentioned(e));
        for ty in hint.into_iter().chain(mentioned) {
            let bytes = match self.types.get(ty) {
                Type::Void | Type::Function(_) | Type::Unsupported(..) => None,
                _ => self.types.size(ty),
            };
            let Some(bytes) = bytes.filter(|b| *b > 0) else {
                continue;
            };
            let fits = match size {
                Expr::Const { value, .. } => value % bytes == 0,
                _ => {
                    let mentioned = mentioned.and_then(|m| self.types.size(m));
                    bytes == 1 || mentioned.is_some_and(|m| m.is_multiple_of(bytes))
                }
            };
            // A byte pointer says nothing when the size speaks of another type.
            let vague = bytes == 1 && mentioned.is_some_and(|m| self.types.size(m) != Some(1));
            if fits && !vague {
                return self.layout(ty, span).map(Some);
            }
        }
        Ok(None)
    }

    /// The type in the `sizeof` of a size such as `n * sizeof(T)`.
    pub(super) fn mentioned(&mut self, e: &'a Ast) -> Option<TypeId> {
        match &e.kind {
            ExprKind::SizeofType(ty) => self.named_type(ty).ok(),
            ExprKind::SizeofExpr(e) => self.type_of(e).ok(),
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                self.mentioned(a).or_else(|| self.mentioned(b))
            }
            ExprKind::Cast(_, inner) => self.mentioned(inner),
            _ => None,
        }
    }

    /// The type of what an argument points to, before its conversions; one that is converted from a `void *` or
    /// a number has the type that it is converted to.
    pub(super) fn pointed_type(&mut self, arg: &'a Ast) -> Option<TypeId> {
        if let ExprKind::Cast(_, inner) = &arg.kind {
            let before = self.pointed_type(inner);
            let says_something = |ty: &TypeId| !matches!(self.types.get(*ty), Type::Void);
            if let Some(ty) = before.filter(says_something) {
                return Some(ty);
            }
        }
        let ty = self.type_of(arg).ok()?;
        self.types.pointee(ty)
    }

    /// The scalars of `size` bytes of elements of this type, when that is a whole number of them.
    pub(super) fn known_cells(
        &mut self,
        elem: Option<TypeId>,
        size: &Expr,
    ) -> Option<Vec<(u64, TypeId)>> {
        let (elem, Expr::Const { value: size, .. }) = (elem?, size) else {
            return None;
        };
        let bytes = self.types.size(elem).filter(|b| *b > 0 && size % b == 0)?;
        if matches!(self.types.get(elem), Type::Void) || size / bytes > MAX_CELLS as u64 {
            return None;
        }
        let inner = self.cells_of_bytes(elem)?;
        let count = size / bytes;
        if inner.len() as u64 * count > MAX_CELLS as u64 {
            return None;
        }
        let at = |i: u64| inner.iter().map(move |(o, ty)| (i * bytes + o, *ty));
        let cells: Vec<(u64, TypeId)> = (0..count).flat_map(at).collect();
        let scalar = |c: &(u64, TypeId)| self.types.width(c.1).is_some();
        cells.iter().all(scalar).then_some(cells)
    }

    /// Fills bytes, with 0 where no byte is given.
    pub(super) fn fill(
        &mut self,
        call: &Call<'a>,
        byte: Option<&'a Ast>,
        size: &'a Ast,
    ) -> Lowered<TypedValue> {
        let span = call.span;
        let (int, void) = (self.types.int(), self.types.void_pointer());
        let elem = self.pointed_type(call.arg(0)?);
        let addr = self.operand(call, 0, void)?;
        let byte = match byte {
            Some(byte) => self.value_for(byte, int)?.expr,
            None => Expr::constant(0, 32),
        };
        let size_t = self.types.size_t();
        let size = self.value_for(size, size_t)?.expr;
        let size = self.bind(size);
        self.check_size(&size, span);
        let pattern = match byte {
            Expr::Const { value, .. } => Some((value & 0xff) * 0x0101_0101_0101_0101),
            _ => None,
        };
        match (self.known_cells(elem, &size), pattern) {
            (Some(cells), Some(pattern)) => {
                let width = self.pointer_width();
                for (offset, ty) in cells {
                    let at = fold::binary(
                        BinOp::Add,
                        addr.clone(),
                        Expr::constant(offset, width),
                        width,
                    );
                    let bits = self.scalar_width(ty, span)?;
                    let ty = self.types.plain(ty);
                    let value = TypedValue::new(Expr::constant(pattern, bits), ty);
                    self.store(at, ty, value, MemoryOrder::Plain, span)?;
                }
            }
            _ => self.fill_each(call, elem, addr.clone(), byte, size)?,
        }
        Ok(TypedValue::new(addr, void))
    }

    pub(super) fn copy_bytes(&mut self, call: &Call<'a>, overlap: Overlap) -> Lowered<TypedValue> {
        let (to, _) = self.copied_bytes(call, overlap)?;
        Ok(TypedValue::new(to, self.types.void_pointer()))
    }

    /// `mempcpy`
    pub(super) fn copy_and_pass(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (to, size) = self.copied_bytes(call, Overlap::Undefined)?;
        let behind = fold::binary(BinOp::Add, to, size, self.pointer_width());
        Ok(TypedValue::new(behind, self.types.void_pointer()))
    }

    /// Copies; where to, and how much.
    fn copied_bytes(&mut self, call: &Call<'a>, overlap: Overlap) -> Lowered<(Expr, Expr)> {
        let span = call.span;
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        let (to_type, from_type) = (
            self.pointed_type(call.arg(0)?),
            self.pointed_type(call.arg(1)?),
        );
        let to = self.operand(call, 0, void)?;
        let from = self.operand(call, 1, void)?;
        let size = self.operand(call, 2, size_t)?;
        self.check_size(&size, span);
        if overlap == Overlap::Undefined {
            self.check_overlap(&to, &from, &size, span);
        }
        if to_type != from_type {
            self.note_bytes_of(to_type);
            self.note_bytes_of(from_type);
        }
        let (a, b) = (
            self.known_cells(to_type, &size),
            self.known_cells(from_type, &size),
        );
        // A side of unknown type has the scalars of the other one.
        let cells = match (a, b) {
            (Some(a), Some(b)) => self.common_cells(&a, &b),
            (Some(a), None) if self.untyped(from_type) => Some(a),
            (None, Some(b)) if self.untyped(to_type) => Some(b),
            _ => None,
        };
        let Some(cells) = cells else {
            match self.common_element(to_type, from_type) {
                Some(elem) if overlap == Overlap::Allowed => {
                    self.copy_each(&to, &from, &size, elem, overlap, span)?;
                }
                Some(elem) => self.copy_elements(&to, &from, &size, elem, span)?,
                None if self.untyped(to_type)
                    && self.untyped(from_type)
                    && overlap == Overlap::Undefined =>
                {
                    self.copy_untyped(&to, &from, &size, span)?;
                }
                None => self.not_known(call),
            }
            return Ok((to, size));
        };
        let width = self.pointer_width();
        // All is read before anything is written, so that the objects may overlap.
        let mut values = Vec::new();
        for (offset, ty) in &cells {
            let at = fold::binary(
                BinOp::Add,
                from.clone(),
                Expr::constant(*offset, width),
                width,
            );
            let ty = self.types.plain(*ty);
            values.push(self.load(at, ty, MemoryOrder::Plain, span)?);
        }
        for ((offset, ty), value) in cells.into_iter().zip(values) {
            let at = fold::binary(BinOp::Add, to.clone(), Expr::constant(offset, width), width);
            let ty = self.types.plain(ty);
            self.store(at, ty, value, MemoryOrder::Plain, span)?;
        }
        Ok((to, size))
    }

    pub(super) fn untyped(&self, ty: Option<TypeId>) -> bool {
        ty.is_none_or(|ty| matches!(self.types.get(ty), Type::Void))
    }

    pub(super) fn same_cells(&self, a: &[(u64, TypeId)], b: &[(u64, TypeId)]) -> bool {
        let width = |c: &(u64, TypeId)| (c.0, self.types.width(c.1));
        a.iter().map(width).eq(b.iter().map(width))
    }

    /// The scalars of two objects of the same size: where they differ, the largest aligned pieces
    /// inside of a scalar of each. `None` where one of them has padding and the other has none.
    fn common_cells(
        &mut self,
        a: &[(u64, TypeId)],
        b: &[(u64, TypeId)],
    ) -> Option<Vec<(u64, TypeId)>> {
        if self.same_cells(a, b) {
            return Some(a.to_vec());
        }
        let bytes_of = |types: &Types, (start, ty): (u64, TypeId)| {
            let bytes = u64::from(types.width(ty)?) / 8;
            Some((start, start + bytes))
        };
        let mut cells = Vec::new();
        let (mut i, mut j, mut at) = (0, 0, 0);
        while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
            let ((from, to), (start, end)) =
                (bytes_of(&self.types, *x)?, bytes_of(&self.types, *y)?);
            if at.max(from) != at.max(start) {
                return None;
            }
            if (from, to) == (start, end) && at <= from {
                cells.push(*x);
            } else {
                at = at.max(from);
                while at < to.min(end) {
                    let most = (to.min(end) - at).ilog2().min(at.trailing_zeros());
                    cells.push((at, self.unit_type(8 << most)));
                    at += 1 << most;
                }
            }
            at = to.min(end);
            i += usize::from(to == at);
            j += usize::from(end == at);
        }
        (i == a.len() && j == b.len()).then_some(cells)
    }

    pub(super) fn not_known(&mut self, call: &Call<'a>) {
        let reason = format!(
            "`{}` of an object whose type or size is not known here",
            call.name
        );
        self.emit_at(call.span, Op::Unknown(reason));
    }
}
