//! Why an exploration stops.

use crate::result::EnumerateError;
use base::source::Span;

/// Why there is no exploration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExploreError {
    /// As of an enumeration.
    #[error(transparent)]
    Enumerate(#[from] EnumerateError),
    /// The model, or something in the program, cannot be explored.
    #[error("{reason} cannot be explored")]
    Refused {
        /// What.
        reason: String,
        /// Where it is in the program; `None`: it is the model.
        span: Option<Span>,
    },
}

/// Why an exploration stops.
pub(super) enum Halt {
    Error(ExploreError),
    /// What threads were seen to do is not all that they do.
    Restart,
    /// What was wanted is found.
    Found,
}

impl From<EnumerateError> for Halt {
    fn from(error: EnumerateError) -> Halt {
        Halt::Error(error.into())
    }
}

impl Halt {
    pub fn refused(reason: &str, span: Span) -> Halt {
        Halt::Error(ExploreError::Refused {
            reason: reason.to_string(),
            span: Some(span),
        })
    }
}
