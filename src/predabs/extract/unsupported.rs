//! How what is not supported is refused.

use base::diag::Diag;
use base::source::Span;

/// Says that something is not supported here.
pub fn unsupported(span: Span, what: impl std::fmt::Display) -> Diag {
    let message = format!("predicate abstraction does not support {what}");
    Diag::unsupported(span, message)
}
