//! Words that answers have in common.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A word of a fixed list; owned where it was read from a file.
pub type Word = Cow<'static, str>;

/// The name of the tool.
pub(super) const TOOL: Word = Cow::Borrowed("wmbmc");
/// Its version.
pub(super) const VERSION: Word = Cow::Borrowed(env!("CARGO_PKG_VERSION"));

/// The verdict about a program or a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AnswerVerdict {
    /// No execution violates a property.
    Safe,
    /// None within the bounds of loops.
    SafeUpToBound,
    /// An execution violates a property.
    Unsafe,
    /// Not decided.
    Unknown,
}

impl AnswerVerdict {
    /// The word for it, as fields have it.
    pub fn word(self) -> &'static str {
        match self {
            AnswerVerdict::SafeUpToBound => "SAFE_UP_TO_BOUND",
            _ => self.in_text(),
        }
    }

    /// The word for it, as people read it.
    pub fn in_text(self) -> &'static str {
        match self {
            AnswerVerdict::Safe => "SAFE",
            AnswerVerdict::SafeUpToBound => "SAFE up to bound",
            AnswerVerdict::Unsafe => "UNSAFE",
            AnswerVerdict::Unknown => "UNKNOWN",
        }
    }

    /// There is no violation, as far as it was looked.
    pub(in crate::report) fn is_safe(self) -> bool {
        matches!(self, AnswerVerdict::Safe | AnswerVerdict::SafeUpToBound)
    }
}
