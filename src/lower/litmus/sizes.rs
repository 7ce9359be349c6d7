//! Values of one width in registers and cells of another.

use super::body::Body;
use super::refusal::{Lowered, unsupported};
use base::source::Span;
use ir::program::*;

/// An access must not be wider than a cell.
pub(super) fn whole(b: &Body, at: Span, size: Width) -> Lowered<()> {
    if size <= b.cell() {
        return Ok(());
    }
    let message = format!(
        "an access of {size} bits to cells of {}: accesses of mixed size are not supported",
        b.cell()
    );
    unsupported(at, message)
}

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
