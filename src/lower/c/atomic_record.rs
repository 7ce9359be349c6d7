//! Atomic structures of 1, 2, 4, 8 or 16 bytes: the object is one integer, or two words of 64 bits that are one
//! access of the machine; a whole structure is made of its bits.
//!
//! C11 knows accesses to an `_Atomic` structure as a whole alone (6.5.2.3: those to its members are
//! undefined), so no other access meets it, and the machine has one instruction for it. What is
//! between the members is arbitrary each time a structure becomes an integer: a compare-exchange
//! compares it, too.

use super::{Lowered, Lowering, TypedValue, fold};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::pair::{Pair, PairAccess, WORD};
use ir::program::{BinOp, Expr, LocalId, MemoryOrder, Op, RmwOp, Weak, Width, mask};

/// The bits of an atomic value: those of a scalar, or two words, the lower one first.
#[derive(Clone, Debug)]
pub enum Bits {
    /// As wide as the object.
    One(Expr),
    /// Of 64 bits each.
    Two([Expr; 2]),
}

impl Bits {
    /// A store of them.
    pub fn store(self, addr: Expr, order: MemoryOrder) -> Op {
        match self {
            Bits::One(value) => Op::Store { addr, value, order },
            Bits::Two(value) => pair(addr, PairAccess::Store { value, order }),
        }
    }

    /// Whether they are the same.
    pub fn equal(&self, other: &Bits) -> Expr {
        let same = |a: &Expr, b: &Expr| Expr::binary(BinOp::Eq, a.clone(), b.clone());
        match (self, other) {
            (Bits::Two(a), Bits::Two(b)) => {
                Expr::binary(BinOp::And, same(&a[0], &b[0]), same(&a[1], &b[1]))
            }
            (Bits::One(a), Bits::One(b)) => same(a, b),
            _ => unreachable!("both are values of one type"),
        }
    }
}

/// Registers for the bits of an atomic value.
#[derive(Clone, Copy, Debug)]
pub enum BitsTarget {
    /// As wide as the object.
    One(LocalId),
    /// Of 64 bits each.
    Two([LocalId; 2]),
}

impl BitsTarget {
    /// What is in them.
    pub fn bits(self) -> Bits {
        match self {
            BitsTarget::One(dst) => Bits::One(Expr::Local(dst)),
            BitsTarget::Two(dst) => Bits::Two(dst.map(Expr::Local)),
        }
    }

    /// A load into them.
    pub fn load(self, addr: Expr, order: MemoryOrder) -> Op {
        match self {
            BitsTarget::One(dst) => Op::Load { dst, addr, order },
            BitsTarget::Two(dst) => pair(addr, PairAccess::Load { dst, order }),
        }
    }

    /// A store of other bits, which leaves the old ones in them.
    pub fn exchange(self, addr: Expr, value: Bits, order: MemoryOrder) -> Op {
        match (self, value) {
            (BitsTarget::One(dst), Bits::One(operand)) => Op::Rmw {
                dst,
                addr,
                op: RmwOp::Exchange,
                operand,
                order,
            },
            (BitsTarget::Two(dst), Bits::Two(value)) => {
                pair(addr, PairAccess::Exchange { dst, value, order })
            }
            _ => unreachable!("both are values of one type"),
        }
    }

    /// A compare-exchange with the expected and the desired bits, which leaves the old ones in them.
    pub fn compare_exchange(
        self,
        addr: Expr,
        (expected, desired): (Bits, Bits),
        (success, failure): (MemoryOrder, MemoryOrder),
        weak: Option<Weak>,
    ) -> Op {
        match (self, expected, desired) {
            (BitsTarget::One(dst), Bits::One(expected), Bits::One(desired)) => Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success,
                failure,
                weak,
            },
            (BitsTarget::Two(dst), Bits::Two(expected), Bits::Two(desired)) => {
                let swap = PairAccess::Cas {
                    dst,
                    expected,
                    desired,
                    success,
                    failure,
                    weak,
                };
                pair(addr, swap)
            }
            _ => unreachable!("all are values of one type"),
        }
    }
}

fn pair(addr: Expr, access: PairAccess) -> Op {
    Op::Pair(Pair { addr, access })
}

impl Lowering<'_> {
    /// The widths of the words that an atomic structure is, where there are some of its size.
    fn carriers(&mut self, record: TypeId) -> Option<Vec<Width>> {
        let plain = self.types.plain(record);
        match self.types.size(plain)? {
            _ if !self.types.is_record(plain) => None,
            bytes @ (1 | 2 | 4 | 8) => Some(vec![8 * bytes as Width]),
            16 => Some(vec![WORD, WORD]),
            _ => None,
        }
    }

    /// The same, or a refusal.
    pub fn carrier_widths(&mut self, record: TypeId, span: Span) -> Lowered<Vec<Width>> {
        match self.carriers(record) {
            Some(widths) => Ok(widths),
            None => self.unsupported(
                span,
                "an atomic access to a structure whose size is not 1, 2, 4, 8 or 16 bytes",
            ),
        }
    }

    /// Registers for the bits of a value of a scalar or of an atomic structure.
    pub fn bits_target(&mut self, ty: TypeId, span: Span) -> Lowered<BitsTarget> {
        let plain = self.types.plain(ty);
        let widths = match self.types.is_record(plain) {
            true => self.carrier_widths(plain, span)?,
            false => vec![self.scalar_width(plain, span)?],
        };
        let locals = widths.into_iter().map(|width| self.body.local("", width));
        Ok(match locals.collect::<Vec<_>>()[..] {
            [low, high] => BitsTarget::Two([low, high]),
            [one, ..] => BitsTarget::One(one),
            [] => unreachable!("a value has a word"),
        })
    }

    /// Whether words can be read and written as a whole where the members of a plain structure are: each byte is
    /// one of a member, and none is in two words.
    pub fn has_words(&mut self, record: TypeId) -> bool {
        let Some(widths) = self.carriers(record) else {
            return false;
        };
        let bytes: u64 = widths.iter().map(|w| u64::from(*w) / 8).sum();
        let mut end = 0;
        for (offset, cell) in self.cells(record).unwrap_or_default() {
            let Some(size) = self.types.size(cell) else {
                return false;
            };
            if offset != end || offset % 8 + size > 8 || self.types.is_atomic(cell) {
                return false;
            }
            end = offset + size;
        }
        end == bytes
    }

    /// The bits of an atomic value: of a structure, which is where its address says, those of its
    /// members and anything between them.
    pub fn bits_of(&mut self, value: TypedValue, span: Span) -> Lowered<Bits> {
        if !self.types.is_record(value.ty) {
            return Ok(Bits::One(value.expr));
        }
        let widths = self.carrier_widths(value.ty, span)?;
        let record = self.types.plain(value.ty);
        let cells = self.cells(record).unwrap_or_default();
        let from = self.bind(value.expr);
        let mut words = Vec::new();
        for (start, width) in (0..).step_by(8).zip(widths) {
            let inside = cells
                .iter()
                .filter(|(at, _)| (start..start + 8).contains(at));
            let inside: Vec<(u64, TypeId)> = inside.copied().collect();
            words.push(self.word_of(&from, (start, width), &inside, span)?);
        }
        Ok(match <[Expr; 2]>::try_from(words) {
            Ok(both) => Bits::Two(both),
            Err(mut one) => Bits::One(one.remove(0)),
        })
    }

    /// One word of a structure, from the scalars in it.
    fn word_of(
        &mut self,
        from: &Expr,
        (start, width): (u64, Width),
        cells: &[(u64, TypeId)],
        span: Span,
    ) -> Lowered<Expr> {
        let mut known = 0u64;
        let mut bits = Expr::constant(0, width);
        for (offset, ty) in cells.iter().copied() {
            let at = self.member_address(from, offset);
            let order = self.default_order(ty).min(MemoryOrder::Relaxed);
            let part = self.load(at, ty, order, span)?;
            let part_width = self.scalar_width(part.ty, span)?;
            let low = self.low_bit(offset - start, part_width, width, span)?;
            known |= mask(part_width) << low;
            let part = fold::resize(part.expr, part_width, width, false);
            let part = fold::binary(BinOp::Shl, part, Expr::constant(low, width), width);
            bits = fold::binary(BinOp::Or, bits, part, width);
        }
        let padding = mask(width) & !known;
        if padding != 0 {
            let dst = self.body.local("", width);
            self.emit(Op::Havoc { dst });
            let padding = Expr::constant(padding, width);
            let any = fold::binary(BinOp::And, Expr::Local(dst), padding, width);
            bits = fold::binary(BinOp::Or, bits, any, width);
        }
        Ok(self.bind(bits))
    }

    /// Where the bits of a member begin in a word.
    fn low_bit(&mut self, offset: u64, part: Width, word: Width, span: Span) -> Lowered<u64> {
        let low = 8 * offset;
        if low + u64::from(part) > u64::from(word) {
            return self.unsupported(span, "an atomic structure with a member in two words");
        }
        Ok(low)
    }

    /// The value of these bits: a structure is put into an object of its own.
    pub fn of_bits(&mut self, bits: Bits, ty: TypeId, span: Span) -> Lowered<TypedValue> {
        let plain = self.types.plain(ty);
        let words = match bits {
            Bits::One(expr) if !self.types.is_record(plain) => return Ok(TypedValue { expr, ty }),
            Bits::One(word) => vec![word],
            Bits::Two(words) => words.to_vec(),
        };
        let widths = self.carrier_widths(plain, span)?;
        let words: Vec<Expr> = words.into_iter().map(|word| self.bind(word)).collect();
        let size = self.size_of(plain, span)?;
        let copy = self.allocate("(copy)", plain, size, false, span)?;
        for (offset, cell) in self.cells(plain).unwrap_or_default() {
            let at = self.member_address(&Expr::Local(copy), offset);
            let cell = self.types.plain(cell);
            let (word, width) = ((offset / 8) as usize, widths[0]);
            let part_width = self.scalar_width(cell, span)?;
            let low = self.low_bit(offset % 8, part_width, width, span)?;
            let shift = Expr::constant(low, width);
            let part = fold::binary(BinOp::Lshr, words[word].clone(), shift, width);
            let expr = fold::resize(part, width, part_width, false);
            let value = TypedValue { expr, ty: cell };
            self.store(at, cell, value, MemoryOrder::Plain, span)?;
        }
        Ok(TypedValue::new(Expr::Local(copy), plain))
    }

    /// Writes an `_Atomic` structure. Two words that need not be written at one point are two stores.
    pub fn store_bits(&mut self, addr: Expr, bits: Bits, order: MemoryOrder) {
        match bits {
            Bits::Two([low, high]) if !order.is_atomic() => {
                let addr = self.bind(addr);
                let behind = self.member_address(&addr, 8);
                for (addr, value) in [(addr, low), (behind, high)] {
                    self.emit(Op::Store { addr, value, order });
                }
            }
            bits => self.emit(bits.store(addr, order)),
        }
    }

    /// True for an `_Atomic` structure.
    pub fn is_atomic_record(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Atomic(inner) if self.types.is_record(*inner))
    }

    /// Where in an object there are `_Atomic` structures.
    pub fn atomic_records(&mut self, ty: TypeId) -> Vec<(u64, TypeId)> {
        let mut all = self.cells(ty).unwrap_or_default();
        all.retain(|(_, cell)| self.is_atomic_record(*cell));
        all
    }

    fn member_address(&self, record: &Expr, offset: u64) -> Expr {
        let width = self.pointer_width();
        let offset = Expr::constant(offset, width);
        fold::binary(BinOp::Add, record.clone(), offset, width)
    }
}
