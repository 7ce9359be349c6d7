//! Integers in memory of a size that no access has, such as 24 or 96 bits: compilers make them of arrays that are
//! compared or copied as a whole. They are accessed word by word, the lower ones first.

use super::build;
use super::function::FunctionTranslation;
use super::types::Translated;
use crate::front::c::ast::{BinaryOp, Expr, IntKind};
use crate::front::llvm::ast::{Instruction, Type};

/// Whether an integer has so many whole bytes that several accesses make it.
pub(super) fn is_composed(bits: u32) -> bool {
    bits.is_multiple_of(8) && bits < 128 && !bits.is_power_of_two()
}

/// The widths of the words, and where they begin, in bits.
fn words(bits: u32) -> Vec<(u32, u32)> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < bits {
        let width = 1 << (bits - at).ilog2();
        words.push((width, at));
        at += width;
    }
    words
}

impl FunctionTranslation<'_, '_> {
    pub(super) fn load_composed(
        &mut self,
        i: &Instruction,
        bits: u32,
        address: &Expr,
        volatile: bool,
    ) -> Translated<()> {
        let span = self.span;
        let ty = Type::Int(bits);
        let c = self.module.types.c(&ty)?;
        let mut whole: Option<Expr> = None;
        for (n, (width, at)) in words(bits).into_iter().enumerate() {
            let word = Type::Int(width);
            let place = self.piece_at(address.clone(), &word, u64::from(at / 8), volatile)?;
            let part = self.part_of(i, n, &word, place)?;
            let by = build::int(u64::from(at), IntKind::Int, span);
            let part = build::binary(BinaryOp::Shl, build::cast(&c, part), by, span);
            whole = Some(match whole {
                Some(whole) => build::binary(BinaryOp::Or, whole, part, span),
                None => part,
            });
        }
        self.define(i, &ty, whole.ok_or("an integer of no bits")?)
    }

    pub(super) fn store_composed(
        &mut self,
        bits: u32,
        value: &Expr,
        address: &Expr,
        volatile: bool,
    ) -> Translated<()> {
        let span = self.span;
        for (width, at) in words(bits) {
            let word = Type::Int(width);
            let place = self.piece_at(address.clone(), &word, u64::from(at / 8), volatile)?;
            let by = build::int(u64::from(at), IntKind::Int, span);
            let part = build::binary(BinaryOp::Shr, value.clone(), by, span);
            let part = self.module.fitted(part, width, span)?;
            self.push(build::statement(build::assignment(place, part, span)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_become_smaller() {
        assert_eq!(words(24), [(16, 0), (8, 16)]);
        assert_eq!(words(96), [(64, 0), (32, 64)]);
        assert_eq!(words(56), [(32, 0), (16, 32), (8, 48)]);
    }
}
