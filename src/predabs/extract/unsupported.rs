//! How what is not supported is refused.

use crate::base::code::Code;
use crate::base::diag::Diag;
use crate::base::source::Span;

/// Says that something is not supported here.
pub fn unsupported(span: Span, what: impl std::fmt::Display) -> Diag {
    let message = format!("predicate abstraction does not support {what}");
    Diag::error(span, message).with_code(Code::Unsupported)
}
