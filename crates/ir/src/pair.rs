//! Accesses of 16 bytes that are one access of the machine: `cmpxchg16b` of x86, `casp` of Armv8.1, `lq` of Power.
//!
//! The widest scalar has 64 bits, so that the value of such an access is two words, the lower one first.

use super::program::{Expr, LocalId, MemoryOrder, Weak, Width};
pub use super::program::{Pair, PairAccess};

/// Bits of the widest scalar.
pub const WORD: Width = 64;

/// Bits of an access of two words.
pub const PAIR_WIDTH: Width = 2 * WORD;

impl PairAccess {
    /// The order of the access; of a compare-exchange that on success.
    pub fn order(&self) -> MemoryOrder {
        match self {
            PairAccess::Load { order, .. }
            | PairAccess::Store { order, .. }
            | PairAccess::Exchange { order, .. } => *order,
            PairAccess::Cas { success, .. } => *success,
        }
    }

    /// Where what it reads goes.
    pub fn read(&self) -> Option<[LocalId; 2]> {
        match self {
            PairAccess::Store { .. } => None,
            PairAccess::Load { dst, .. }
            | PairAccess::Exchange { dst, .. }
            | PairAccess::Cas { dst, .. } => Some(*dst),
        }
    }

    /// What it writes, if it does.
    pub fn written(&self) -> Option<&[Expr; 2]> {
        match self {
            PairAccess::Load { .. } => None,
            PairAccess::Store { value, .. } | PairAccess::Exchange { value, .. } => Some(value),
            PairAccess::Cas { desired, .. } => Some(desired),
        }
    }

    fn weak(&self) -> Option<&Weak> {
        match self {
            PairAccess::Cas { weak, .. } => weak.as_ref(),
            _ => None,
        }
    }

    /// The registers that it sets.
    pub fn results(&self) -> Vec<LocalId> {
        let read = self.read().into_iter().flatten();
        read.chain(self.weak().map(|w| w.done)).collect()
    }

    /// The expressions that it evaluates, but for its address.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all: Vec<&Expr> = Vec::new();
        if let PairAccess::Cas { expected, .. } = self {
            all.extend(expected);
        }
        all.extend(self.written().into_iter().flatten());
        all.extend(self.weak().map(|w| &w.when));
        all
    }
}
