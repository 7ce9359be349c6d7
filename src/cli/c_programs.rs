//! Options of all commands that read C programs.

use super::groups::{C, EVERY};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the preprocessor, as a compiler has them.
#[derive(Args, Clone, Debug)]
pub struct Preprocessing {
    /// Look for headers here too
    #[arg(short = 'I', value_name = "DIR", groups = C)]
    pub include: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", groups = C)]
    pub define: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", groups = C)]
    pub undefine: Vec<String>,

    /// Read this file before the program (also -include)
    #[arg(long = "include", value_name = "FILE", groups = C)]
    pub include_file: Vec<PathBuf>,

    /// Look here for headers in quotes, before the directories of -I (also -iquote)
    #[arg(long, value_name = "DIR", groups = C)]
    pub iquote: Vec<PathBuf>,

    /// Look here for headers after the directories of -I (also -isystem)
    #[arg(long, value_name = "DIR", groups = C)]
    pub isystem: Vec<PathBuf>,

    /// Look here for headers that are in no other directory (also -idirafter)
    #[arg(long, value_name = "DIR", groups = C)]
    pub idirafter: Vec<PathBuf>,

    /// The language for the preprocessor, as gcc names it (also -std=NAME) [default: gnu11]
    #[arg(long, value_name = "NAME", groups = C)]
    pub std: Option<String>,

    /// Who reads files of C: wmbmc, or clang, which makes a module of LLVM IR of each
    #[arg(long, value_enum, default_value = "own", groups = C)]
    pub front: FrontArg,

    /// More words for the compiler that makes a module of LLVM IR (C++, Rust, C with --front clang)
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, groups = C)]
    pub compiler_flags: Vec<String>,
}

/// `--front`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FrontArg {
    /// The front end for C
    Own,
    /// clang
    Clang,
}

/// Options of commands that read C programs.
#[derive(Args, Clone, Debug)]
pub struct CPrograms {
    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub preprocessing: Preprocessing,

    /// Stop when the process needs more than MB MiB: the answer is UNKNOWN
    #[arg(long, value_name = "MB", groups = EVERY)]
    pub memory: Option<u64>,
}

/// Options of commands whose time is limited by file and model.
#[derive(Args, Clone, Debug)]
pub struct TimeLimit {
    /// Stop after S seconds for each file and model: the answer is UNKNOWN
    #[arg(long, value_name = "S", groups = EVERY)]
    pub timeout: Option<f64>,
}
