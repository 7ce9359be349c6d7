//! Which bits of a value nothing has determined: its *shadow*, as in MemorySanitizer (Stepanov and
//! Serebryany, CGO 2015) and Memcheck (Seward and Nethercote, USENIX 2005).
//!
//! A local, memory on the stack or the heap, and what a function returns are indeterminate until they are
//! written (C11 6.7.9p10, 6.9.1p12, 7.22.3.4p2). To copy such a value is no error: structures have members
//! and padding that nobody has written. It is one where the value *decides* something ([`Op::uses`]): a
//! branch, an address, an assertion, the exit status ([`PropertyKind::Uninitialised`]). Shadows are exact to
//! the bit for what bit-fields and flags are made of; other operators taint all bits that an indeterminate
//! one may change. So a shadow never depends on indeterminate bits but by what they may decide.
//!
//! The shadow of a number has a bit for each bit of it; 0 says that all is determined.

use super::eval::{eval_binary, eval_cast};
use super::program::{BinOp, Cast, Expr, Op, PropertyKind, RmwOp, UnOp, Width, mask};

/// The rule of branches, assumptions and assertions.
pub const DECIDES: &str = "the value that decides here is initialised";
/// The rule of accesses, calls through pointers, `free` and joins.
pub const ADDRESS: &str = "the address is initialised";
/// The rule of what leaves the program, and of sizes.
pub const VALUE: &str = "the value that is used here is initialised";

/// What memory holds: a number, and its shadow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Word {
    /// The number.
    pub number: u64,
    /// Its indeterminate bits.
    pub shadow: u64,
}

impl Word {
    /// A number of which every bit is determined.
    pub fn known(number: u64) -> Word {
        Word { number, shadow: 0 }
    }
}

impl Op {
    /// The values that decide what this instruction does, with the rule of each. Of a compare-exchange
    /// the outcome does, besides, which is known only behind its read.
    pub fn uses(&self) -> Vec<(&Expr, &'static str)> {
        if let Some(addr) = self.address() {
            return vec![(addr, ADDRESS)];
        }
        match self {
            Op::Goto { cond: Some(e), .. } | Op::Assume(e) | Op::Wait { cond: e, .. } => {
                vec![(e, DECIDES)]
            }
            Op::Assert { cond, property } if property.kind == PropertyKind::Assertion => {
                vec![(cond, DECIDES)]
            }
            Op::Call { callee, .. } | Op::Spawn { callee, .. } => {
                let pointer = callee.pointer().into_iter();
                pointer.map(|e| (e, ADDRESS)).collect()
            }
            Op::Free { addr: e } | Op::Join { handle: e, .. } => vec![(e, ADDRESS)],
            Op::SameThread { a, b, .. } => vec![(a, VALUE), (b, VALUE)],
            Op::Alloc { size: e, .. } | Op::Use(e) => vec![(e, VALUE)],
            Op::OneOf(ways) => {
                // All access the same place.
                let conds = ways.iter().map(|(cond, _)| (cond, VALUE));
                let first = ways.first().map(|(_, op)| op.uses());
                conds.chain(first.into_iter().flatten()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// All bits, if any.
fn all(shadow: u64, width: Width) -> u64 {
    if shadow == 0 { 0 } else { mask(width) }
}

/// The bits from the lowest one on: what carries reach.
fn upward(shadow: u64, width: Width) -> u64 {
    (shadow | shadow.wrapping_neg()) & mask(width)
}

/// Of an operator with one operand.
pub fn shadow_unary(op: UnOp, shadow: u64, width: Width) -> u64 {
    match op {
        UnOp::Not => shadow,
        UnOp::Neg => upward(shadow, width),
        UnOp::Float(_) => all(shadow, width),
    }
}

/// Of an operator with two operands of some width, each a number and its shadow.
pub fn shadow_binary(op: BinOp, (a, sa): (u64, u64), (b, sb): (u64, u64), width: Width) -> u64 {
    let any = sa | sb;
    if any == 0 {
        return 0;
    }
    match op {
        BinOp::And => any & (a | sa) & (b | sb),
        BinOp::Or => any & (!a | sa) & (!b | sb),
        BinOp::Xor => any,
        BinOp::Add | BinOp::Sub | BinOp::Mul => upward(any, width),
        BinOp::Shl | BinOp::Lshr | BinOp::Ashr => match sb {
            0 => eval_binary(op, sa, b, width),
            _ => mask(width),
        },
        BinOp::Eq | BinOp::Ne => u64::from((a ^ b) & !any == 0),
        op if op.is_comparison() => 1,
        _ => mask(width),
    }
}

/// Of `c ? a : b`, each a number and its shadow.
pub fn shadow_choice((c, sc): (u64, u64), (a, sa): (u64, u64), (b, sb): (u64, u64)) -> u64 {
    match (sc, c) {
        (0, 1) => sa,
        (0, _) => sb,
        _ => sa | sb | (a ^ b),
    }
}

/// Of a number in another width.
pub fn shadow_cast(cast: Cast, shadow: u64, from: Width, to: Width) -> u64 {
    match cast {
        Cast::Zero | Cast::Sign | Cast::Truncate => eval_cast(cast, shadow, from, to),
        _ => all(shadow, to),
    }
}

/// Of what a read-modify-write stores.
pub fn shadow_rmw(op: RmwOp, old: (u64, u64), operand: (u64, u64), width: Width) -> u64 {
    let binary = |(): &mut (), op, a: (u64, u64), b: (u64, u64)| {
        let number = eval_binary(op, a.0, b.0, width);
        (number, shadow_binary(op, a, b, width))
    };
    op.apply_with(&mut (), old, operand, binary, |(), (v, s)| (!v, s))
        .1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a bit of the result differs between two choices of the indeterminate bits.
    fn varies(op: BinOp, (a, sa): (u64, u64), (b, sb): (u64, u64), width: Width) -> u64 {
        let choices = |v: u64, s: u64| {
            (0..16)
                .filter(move |c| c & !s == 0)
                .map(move |c| v & !s | c)
        };
        let mut results = choices(a, sa).flat_map(|a| choices(b, sb).map(move |b| (a, b)));
        let of = |(a, b)| eval_binary(op, a, b, width);
        let first = results.next().map_or(0, of);
        results.fold(0, |all, pair| all | (of(pair) ^ first))
    }

    #[test]
    fn shadows_cover_what_indeterminate_bits_may_change() {
        use BinOp::*;
        let exact = [And, Or, Xor, Eq, Ne];
        let others = [
            Add, Sub, Mul, Udiv, Sdiv, Urem, Srem, Shl, Lshr, Ashr, Ult, Ule, Slt, Sle, PtrLt,
            PtrLe,
        ];
        let mut cases = 0;
        for op in exact.iter().chain(&others) {
            for n in 0..1 << 16 {
                let [a, sa, b, sb] = [n & 15, n >> 4 & 15, n >> 8 & 15, n >> 12 & 15];
                let (varies, shadow) = (
                    varies(*op, (a, sa), (b, sb), 4),
                    shadow_binary(*op, (a, sa), (b, sb), 4),
                );
                assert_eq!(varies & !shadow, 0, "{op:?} {a} {sa} {b} {sb}");
                assert!(
                    !exact.contains(op) || varies == shadow,
                    "{op:?} {a} {sa} {b} {sb}"
                );
                cases += 1;
            }
        }
        println!("{cases} shadows");
    }

    #[test]
    fn a_bit_field_of_an_indeterminate_unit_is_determined() {
        // unit = unit & ~6 | 2 << 1; unit >> 1 & 3
        let cleared = shadow_binary(BinOp::And, (77, 0xff), (!6 & 0xff, 0), 8);
        let set = shadow_binary(BinOp::Or, (77 & !6, cleared), (4, 0), 8);
        let moved = shadow_binary(BinOp::Lshr, (77 & !6 | 4, set), (1, 0), 8);
        assert_eq!(shadow_binary(BinOp::And, (38, moved), (3, 0), 8), 0);
    }
}
