//! Values of one width in registers and cells of another.

use ir::program::*;

/// The low bits of a value.
pub(super) fn low(value: Expr, (from, size): (Width, Width)) -> Expr {
    match size < from {
        true => Expr::Cast(Cast::Truncate, size, Box::new(value)),
        false => value,
    }
}

/// A value in more bits.
pub(super) fn extended(value: Expr, (from, to): (Width, Width), cast: Cast) -> Expr {
    match from < to {
        true => Expr::Cast(cast, to, Box::new(value)),
        false => value,
    }
}
