//! How a C file is read.

use super::target::Target;
use std::path::PathBuf;

/// How to read a C file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ParseOptions {
    /// Bits of a pointer: 64 (LP64) or 32 (ILP32).
    pub pointer_width: u8,
    /// `-D`: macros as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// A macro of `defines` counts, where the file itself defines it with another value.
    pub redefine: bool,
    /// `-U`: macros that are not defined; of a macro in both lists it is not known which counts.
    pub undefines: Vec<String>,
    /// `-I`: where to look for headers.
    pub include_dirs: Vec<PathBuf>,
    /// `-iquote`: where to look for headers in quotes, before [`ParseOptions::include_dirs`].
    pub quote_dirs: Vec<PathBuf>,
    /// `-isystem`: where to look for headers after [`ParseOptions::include_dirs`].
    pub system_dirs: Vec<PathBuf>,
    /// `-idirafter`: where to look for headers that are nowhere else, not even among ours.
    pub after_dirs: Vec<PathBuf>,
    /// `-include`: files that are read before the text.
    pub include_files: Vec<PathBuf>,
    /// `-std`: the language, as gcc names it; GNU's C11 when nothing is said.
    pub standard: Option<String>,
    /// The machine that the text is read for; `None` for that of the preprocessor.
    pub target: Option<Target>,
    /// Who reads a file of C.
    pub reader: Reader,
    /// More words for the compiler that makes a module of LLVM IR of a file.
    pub compiler_flags: Vec<String>,
}

/// Who reads a file of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reader {
    /// The front end for C.
    #[default]
    Own,
    /// clang, which makes a module of LLVM IR of it.
    Clang,
}

impl ParseOptions {
    /// Whether a text without directives goes through the preprocessor.
    pub fn changes_plain_text(&self) -> bool {
        !self.defines.is_empty() || !self.include_files.is_empty()
    }
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions {
            pointer_width: 64,
            defines: Vec::new(),
            redefine: false,
            undefines: Vec::new(),
            include_dirs: Vec::new(),
            quote_dirs: Vec::new(),
            system_dirs: Vec::new(),
            after_dirs: Vec::new(),
            include_files: Vec::new(),
            standard: None,
            target: None,
            reader: Reader::Own,
            compiler_flags: Vec::new(),
        }
    }
}
