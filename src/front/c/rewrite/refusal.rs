//! What is refused of a text before it is parsed.

/// Why the text is refused: the bytes in the old text, and a sentence.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// First byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The sentence.
    pub message: String,
}
