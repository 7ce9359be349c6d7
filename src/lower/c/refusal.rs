//! Why a part of a program is not lowered.

use base::code::Code;
use base::diag::Diag;
use base::source::Span;

/// Either a result or the reason why there is none.
pub(super) type Lowered<T> = Result<T, Refusal>;

/// Why a part of a program is not lowered.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The program is refused.
    Error(Diag),
    /// An unsupported construct: execution stops where it would begin. The program is refused only
    /// where nothing is executed, as at file scope.
    Unsupported(Diag),
    /// It depends on a declaration that is refused, and reported, elsewhere.
    Reported,
}

impl From<Diag> for Refusal {
    fn from(diag: Diag) -> Refusal {
        match diag.code {
            Code::Unsupported => Refusal::Unsupported(diag),
            _ => Refusal::Error(diag),
        }
    }
}

/// The program is refused because of what stands at `span`.
pub(super) fn wrong<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Refusal::Error(Diag::error(span, message)))
}
