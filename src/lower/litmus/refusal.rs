//! Why a test is not supported.

use crate::base::diag::Diag;
use crate::base::source::Span;

/// Either a result or the one message that says why there is none.
pub(super) type Lowered<T> = Result<T, Box<Diag>>;

pub(super) fn wrong<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Box::new(Diag::error(span, message)))
}
