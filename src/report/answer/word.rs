//! Words that answers have in common.

use std::borrow::Cow;

/// A word of a fixed list; owned where it was read from a file.
pub type Word = Cow<'static, str>;

/// The name of the tool.
pub(super) const TOOL: Word = Cow::Borrowed("wmbmc");
/// Its version.
pub(super) const VERSION: Word = Cow::Borrowed(env!("CARGO_PKG_VERSION"));
