//! How what is not supported is refused.

use base::diag::Diag;
use base::source::Span;

/// What guarded commands cannot say, at its place.
#[derive(Clone, Debug)]
pub struct Unsupported {
    span: Span,
    what: String,
}

impl Unsupported {
    /// As a diagnostic of the analysis that the commands are for.
    pub fn diag(self, analysis: &str) -> Diag {
        let Unsupported { span, what } = self;
        Diag::unsupported(span, format!("{analysis} does not support {what}"))
    }
}

/// Says that something is not supported here.
pub fn unsupported(span: Span, what: impl std::fmt::Display) -> Unsupported {
    Unsupported {
        span,
        what: what.to_string(),
    }
}
