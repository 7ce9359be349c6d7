//! How a C file is read.

use std::path::PathBuf;

/// How to read a C file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParseOptions {
    /// Bits of a pointer: 64 (LP64) or 32 (ILP32).
    pub pointer_width: u8,
    /// `-D`: macros as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// `-I`: where to look for headers.
    pub include_dirs: Vec<PathBuf>,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions {
            pointer_width: 64,
            defines: Vec::new(),
            include_dirs: Vec::new(),
        }
    }
}
