//! What is refused of a text before it is parsed.

use base::code::Code;

/// Why the text is refused: the bytes in the old text, the kind, and a sentence.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// First byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The kind.
    pub code: Code,
    /// The sentence.
    pub message: String,
}
