//! Programs of Rust with the crate `wmbmc-std`, which has threads and locks that can be read: the program's text
//! mentions it, and it is compiled beside the program, from the text that is part of this one.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate's name in programs.
const CRATE: &str = "wmbmc_std";

/// A panic ends the program.
const PANIC: &str = "-Cpanic=abort";

/// What all crates of a program are compiled with. Functions of the standard library that are generic are instantiated
/// in the program's own module (the optimisation level says so), loops stay as they are, symbols say for which types a
/// function is, and what an operation of the library promises is not tested: the accesses that it makes are.
pub const FLAGS: [&str; 10] = [
    "-Csymbol-mangling-version=v0",
    "-Copt-level=2",
    "-Cdebuginfo=2",
    "-Coverflow-checks=on",
    "-Ccodegen-units=1",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
    "-Cllvm-args=-disable-loop-idiom-all -rotation-max-header-size=0 -enable-load-pre=false -unroll-full-max-count=0 -unroll-allow-partial=false -unroll-allow-peeling=false -unroll-runtime=false",
    "-Awarnings",
    "--cfg=wmbmc",
];

/// What the program itself is compiled with besides: `debug_assert!` counts.
pub const OWN_FLAGS: [&str; 3] = [
    "--emit=llvm-ir",
    "-Aexplicit_builtin_cfgs_in_flags",
    "--cfg=debug_assertions",
];

/// What a program of one file is compiled with besides.
pub(super) const FILE_FLAGS: [&str; 2] = [PANIC, "--edition=2021"];

/// Whether a program uses the crate.
///
/// # Errors
/// The program cannot be read.
pub(super) fn uses_crate(program: &Path) -> io::Result<bool> {
    Ok(std::fs::read_to_string(program)?.contains(CRATE))
}

/// The arguments that name the compiled crate.
pub(super) fn arguments(library: &Path) -> [OsString; 2] {
    let mut named = OsString::from(format!("{CRATE}="));
    named.push(library);
    ["--extern".into(), named]
}

/// Writes the crate to a folder, and says how it is compiled there, and to what.
///
/// # Errors
/// A file cannot be written.
pub(super) fn prepared(mut compiler: Command, folder: &Path) -> io::Result<(Command, PathBuf)> {
    let source = folder.join(CRATE);
    for (name, text) in standard::sources::FILES {
        let path = source.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&source))?;
        std::fs::write(path, text)?;
    }
    let library = folder.join(format!("lib{CRATE}.rlib"));
    compiler.args(["--crate-type=rlib", "--edition=2024", "--crate-name", CRATE]);
    compiler.arg(PANIC).args(FLAGS).arg(source.join("lib.rs"));
    // As the standard library's, so that what is inlined is shown where the program calls it.
    let mut shown = OsString::from("--remap-path-prefix=");
    shown.push(&source);
    shown.push("=/rustc/wmbmc-std");
    compiler.arg(shown);
    compiler.arg("-o").arg(&library);
    Ok((compiler, library))
}
