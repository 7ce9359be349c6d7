//! Why a test is not supported.

use crate::front::litmus::ast::Name;
use base::diag::Diag;
use base::source::Span;

/// Either a result or the one message that says why there is none.
pub(in crate::lower) type Lowered<T> = Result<T, Box<Diag>>;

pub(in crate::lower) fn wrong<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Box::new(Diag::error(span, message)))
}

pub(in crate::lower) fn unsupported<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Box::new(Diag::unsupported(span, message)))
}

/// A function has another number of arguments.
pub(super) fn arity<T>(name: &Name) -> Lowered<T> {
    let message = format!("`{}` does not have so many arguments", name.text);
    wrong(name.span, message)
}
