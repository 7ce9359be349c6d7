//! Values of one width in registers and cells of another.

use super::body::Body;
use super::refusal::{Lowered, unsupported};
use base::source::Span;
use ir::program::*;

/// Bits of the cell that an access is to, which it must not be wider than. In a statement of C they are
/// those of the access.
pub(super) fn cell(b: &Body, at: Span, size: Width) -> Lowered<Width> {
    if b.in_c {
        return Ok(size);
    }
    let cell = b.cell();
    if size <= cell {
        return Ok(cell);
    }
    let message = format!(
        "an access of {size} bits to cells of {cell}: accesses of mixed size are not supported"
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
