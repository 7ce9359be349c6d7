//! Running out of address space (`ulimit -v`) ends a process at once: neither the solver, whose exceptions
//! end where our code begins, nor an allocation of our own comes back to give an answer. So where there is
//! such a limit the work is done by a child, and the process that was started says what became of it.
//!
//! Without the limit nothing is different: memory is not refused then, and `--memory` is kept in every
//! stage. A child whose parent is gone ends, too.

use super::exit::Exit;
use super::output::{self, Answers};
use super::values::Format;
use crate::report::answer::refused::RefusedAnswer;
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// Tells a child that it is one.
const CHILD: &str = "WMBMC_SUPERVISED";
/// How much address space our allocator takes at once, in KiB (otherwise a gigabyte), and how many times
/// the one of C takes some (otherwise once per thread).
const RESERVE: [(&str, &str); 2] = [
    ("MIMALLOC_ARENA_RESERVE", "32768"),
    ("MALLOC_ARENA_MAX", "1"),
];
/// How long between two looks at whether the parent is still there.
const INTERVAL: Duration = Duration::from_millis(200);

/// The most address space that the process may have, in MiB.
pub fn limit_mb() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|l| l.strip_prefix("Max address space"))?;
    let soft: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(soft >> 20)
}

/// Lets a child do the work, where address space is limited; the exit code of the process then.
pub fn run(args: &[OsString], format: Format) -> Option<i32> {
    if std::env::var_os(CHILD).is_some() {
        follow_parent();
        return None;
    }
    let limit = limit_mb()?;
    let program = std::env::current_exe().ok()?;
    // The child gets an interrupt as well, and answers it.
    ctrlc::set_handler(|| {}).ok()?;
    let mut child = Command::new(program);
    child.args(args.get(1..)?).env(CHILD, "1");
    child.envs(RESERVE);
    let status = child.status().ok()?;
    Some(
        status
            .code()
            .unwrap_or_else(|| ended(status, limit, format)),
    )
}

/// Says that a process which may have so much address space has run out of it; the exit.
pub fn out_of_memory(limit: u64, format: Format) -> Exit {
    let exit = Exit::Inconclusive;
    let message = format!("out of memory: the process may have {limit} MiB of address space");
    if format == Format::Text {
        output::print(&format!("UNKNOWN: {message}\n"));
        return exit;
    }
    let diag = Diag::bare(message).with_code(Code::MemoryLimit);
    let none = SourceMap::default();
    let answers = Answers::default();
    let refused = RefusedAnswer::new(&none, None, None, &[diag], exit.code());
    answers.give(format, refused.into());
    answers.finish(format, exit.code());
    exit
}

/// What is to be said of a child that a signal has ended; the exit code.
#[cfg(unix)]
fn ended(status: ExitStatus, limit: u64, format: Format) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    /// An allocation failed: C++ and Rust end the process so.
    const ABORTED: i32 = 6;
    /// A stack could not grow.
    const NO_STACK: i32 = 11;
    match status.signal() {
        Some(ABORTED | NO_STACK) => output::exit(out_of_memory(limit, format)).code().into(),
        signal => 128 + signal.unwrap_or_default(),
    }
}

#[cfg(not(unix))]
fn ended(_: ExitStatus, limit: u64, format: Format) -> i32 {
    output::exit(out_of_memory(limit, format)).code().into()
}

/// Ends the process when its parent is gone.
#[cfg(unix)]
fn follow_parent() {
    use std::os::unix::process::parent_id;
    let parent = parent_id();
    let watch = move || {
        while parent_id() == parent {
            std::thread::sleep(INTERVAL);
        }
        std::process::exit(Exit::Inconclusive.code().into());
    };
    // Without the thread the child goes on for itself.
    let _ = std::thread::Builder::new().stack_size(1 << 16).spawn(watch);
}

#[cfg(not(unix))]
fn follow_parent() {}
