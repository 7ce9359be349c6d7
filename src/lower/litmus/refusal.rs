//! Why a test is not supported.

use crate::base::diag::Diag;
use crate::base::source::Span;

/// Either a result or the one message that says why there is none.
pub(in crate::lower) type Lowered<T> = Result<T, Box<Diag>>;

pub(in crate::lower) fn wrong<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Box::new(Diag::error(span, message)))
}
