//! Runs the preprocessor, when a file needs one.
//!
//! `.i` files and files without directives are read as they are. Everything else goes through
//! `$CC -E` (or `cc -E`), with headers of our own ahead of the system's: they are small, parse
//! everywhere, and keep an assertion's text. They are embedded in the program and written to a
//! fresh temporary directory for the time of the run.

use super::options::ParseOptions;
use super::position::Positions;
use super::redefine;
use super::scan::{CTokenKind, Token, has_directives, scan};
use super::target::Target;
use base::code::Code;
use base::diag::Diag;
use base::source::{FileId, SourceMap, Span};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Text for the parser, and the way back from it.
#[derive(Debug)]
pub struct Preprocessed {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub positions: Positions,
    /// Definitions of macros in headers that come behind those of `-D`, and count.
    pub kept: Vec<Span>,
}

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// Our own headers: name and text.
        const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("headers/", $name)))),*];
    };
}

headers!(
    "asm/mcs_spinlock.h",
    "assert.h",
    "bits/wmbmc_features.h",
    "bits/wmbmc_linux.h",
    "bits/wmbmc_modes.h",
    "bits/wmbmc_posix.h",
    "bits/wmbmc_signals.h",
    "bits/wmbmc_tasks.h",
    "bits/wmbmc_time.h",
    "bits/wmbmc_wait_queues.h",
    "ctype.h",
    "dat3m.h",
    "errno.h",
    "fcntl.h",
    "fenv.h",
    "float.h",
    "generated/bounds.h",
    "genmc.h",
    "gnu/stubs.h",
    "inttypes.h",
    "kernel.h",
    "limits.h",
    "linux/bit_spinlock.h",
    "linux/bitops.h",
    "linux/completion.h",
    "linux/futex.h",
    "linux/kref.h",
    "linux/kthread.h",
    "linux/llist.h",
    "linux/percpu.h",
    "linux/rcupdate.h",
    "linux/refcount.h",
    "linux/rwlock.h",
    "linux/seqlock.h",
    "malloc.h",
    "math.h",
    "poll.h",
    "pthread.h",
    "sched.h",
    "semaphore.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "strings.h",
    "sys/cdefs.h",
    "sys/mman.h",
    "sys/queue.h",
    "sys/stat.h",
    "sys/syscall.h",
    "sys/time.h",
    "sys/types.h",
    "threads.h",
    "time.h",
    "unistd.h",
);

/// Names that the sources of the Linux kernel include, behind the header of ours that has their contents.
const KERNEL_NAMES: [(&str, &[&str]); 3] = [
    (
        "bits/wmbmc_linux.h",
        &[
            "asm/barrier.h",
            "asm/processor.h",
            "linux/array_size.h",
            "linux/atomic.h",
            "linux/bug.h",
            "linux/cache.h",
            "linux/compiler.h",
            "linux/compiler_types.h",
            "linux/container_of.h",
            "linux/dma-mapping.h",
            "linux/err.h",
            "linux/export.h",
            "linux/hardirq.h",
            "linux/init.h",
            "linux/irqflags.h",
            "linux/kcsan-checks.h",
            "linux/list.h",
            "linux/lockdep.h",
            "linux/lockdep_types.h",
            "linux/log2.h",
            "linux/minmax.h",
            "linux/mm.h",
            "linux/mutex.h",
            "linux/mutex_types.h",
            "linux/preempt.h",
            "linux/prefetch.h",
            "linux/printk.h",
            "linux/scatterlist.h",
            "linux/slab.h",
            "linux/spinlock.h",
            "linux/spinlock_types.h",
            "linux/uaccess.h",
            "trace/events/lock.h",
        ],
    ),
    (
        "bits/wmbmc_tasks.h",
        &[
            "asm/current.h",
            "linux/sched/debug.h",
            "linux/sched/signal.h",
            "linux/sched/task.h",
        ],
    ),
    ("linux/percpu.h", &["linux/cpumask.h", "linux/smp.h"]),
];

/// The same for names that the kernel shares with its interface to programs: they are the kernel's where
/// `__KERNEL__` is defined, as in its own builds, and the system's elsewhere.
const SHARED_KERNEL_NAMES: [(&str, &[&str]); 3] = [
    (
        "bits/wmbmc_linux.h",
        &[
            "asm/errno.h",
            "linux/errno.h",
            "linux/kernel.h",
            "linux/limits.h",
            "linux/module.h",
            "linux/stddef.h",
            "linux/string.h",
            "linux/types.h",
        ],
    ),
    ("bits/wmbmc_tasks.h", &["linux/sched.h"]),
    ("bits/wmbmc_wait_queues.h", &["linux/wait.h"]),
];

/// Reads and preprocesses `path`.
///
/// # Errors
/// The file cannot be read, there is no compiler, or the preprocessor finds fault with it.
pub fn preprocess(
    sources: &mut SourceMap,
    path: &Path,
    options: &ParseOptions,
) -> Result<Preprocessed, Vec<Diag>> {
    let (main, is_lossy) = sources.load_in_any_encoding(path).map_err(|e| {
        let message = format!("cannot read `{}`: {}", e.path.display(), e.reason);
        vec![Diag::bare(message).with_code(Code::File)]
    })?;
    let text = &sources.file(main).text;
    let is_preprocessed = path.extension().is_some_and(|e| e == "i");
    let is_plain = is_preprocessed || (!options.changes_plain_text() && !has_directives(text));
    // The preprocessor keeps the bytes that are no characters.
    if is_plain && !is_lossy {
        return Ok(Preprocessed {
            text: text.clone(),
            positions: Positions::Direct(main),
            kept: Vec::new(),
        });
    }
    let headers = write_headers().map_err(|e| {
        let message = format!("cannot write the built-in headers to a temporary directory: {e}");
        vec![Diag::bare(message).with_code(Code::File)]
    })?;
    let replaced = redefine::replaced(text, options);
    if let Some(part) = replaced.first().filter(|_| is_lossy) {
        let message = "a definition of a file that is not UTF-8 text is not replaced by -D";
        let span = Span {
            file: main,
            start: part.start as u32,
            end: part.end as u32,
        };
        return Err(vec![Diag::unsupported(span, message)]);
    }
    let changed = (!replaced.is_empty()).then(|| redefine::blanked(text, &replaced));
    let output = run(path, changed.as_deref(), options, headers.path())?;
    if !output.status.success() {
        return Err(complaints(
            sources,
            main,
            &String::from_utf8_lossy(&output.stderr),
        ));
    }
    let (text, escaped) = with_escapes(&output.stdout);
    let positions = Positions::of_preprocessed(sources, &text, main, headers.path());
    if let Some((start, end)) = outside_of_strings(&text, &escaped) {
        let place = positions.span(sources, &text, start, end);
        let message = "bytes that are no UTF-8 text stand in strings and comments alone";
        return Err(vec![Diag::error(place, message).with_code(Code::Syntax)]);
    }
    let kept = kept(sources, &String::from_utf8_lossy(&output.stderr), options);
    Ok(Preprocessed {
        text,
        positions,
        kept,
    })
}

/// A text in which each byte that is no part of a UTF-8 character is an octal escape sequence, and where these are.
fn with_escapes(bytes: &[u8]) -> (String, Vec<(usize, usize)>) {
    let mut text = String::with_capacity(bytes.len());
    let mut escaped = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let start = text.len();
            text.push_str(&format!("\\{byte:03o}"));
            escaped.push((start, text.len()));
        }
    }
    (text, escaped)
}

/// One of some places that is neither in a string nor in a comment.
fn outside_of_strings(text: &str, places: &[(usize, usize)]) -> Option<(usize, usize)> {
    if places.is_empty() {
        return None;
    }
    let tokens = scan(text);
    let is_inside = |place: &&(usize, usize)| {
        let token = tokens.get(tokens.partition_point(|t| t.end <= place.0));
        let is_text = |t: &&Token| matches!(t.kind, CTokenKind::Quoted | CTokenKind::Comment);
        token.filter(is_text).is_some_and(|t| t.start <= place.0)
    };
    places.iter().find(|place| !is_inside(place)).copied()
}

fn write_headers() -> std::io::Result<tempfile::TempDir> {
    let dir = tempfile::Builder::new()
        .prefix("wmbmc-headers-")
        .tempdir()?;
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file stands in a folder"))?;
        std::fs::write(path, text)
    };
    for (name, text) in HEADERS {
        write(name, text)?;
    }
    for (header, names) in KERNEL_NAMES {
        for name in names {
            write(name, &format!("#include <{header}>\n"))?;
        }
    }
    for (header, names) in SHARED_KERNEL_NAMES {
        for name in names {
            let text = format!(
                "#ifdef __KERNEL__\n#include <{header}>\n#else\n#include_next <{name}>\n#endif\n"
            );
            write(name, &text)?;
        }
    }
    Ok(dir)
}

/// Preprocesses the file, or another text in its place.
fn run<'a>(
    path: &Path,
    text: Option<&str>,
    options: &'a ParseOptions,
    headers: &Path,
) -> Result<std::process::Output, Vec<Diag>> {
    let compiler = std::env::var("CC").unwrap_or_default();
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or("cc");
    let mut command = Command::new(program);
    command
        .args(words)
        .args(["-E", "-x", "c", "-D__WMBMC__", "-U__SIZEOF_INT128__"]);
    // Only of interest are warnings of macros that are defined again.
    if options.defines.is_empty() {
        command.arg("-w");
    }
    command.env("LC_ALL", "C");
    let standard = options.standard.as_deref().unwrap_or("gnu11");
    command.arg(format!("-std={standard}"));
    if options.pointer_width == 32 {
        let undefined = ["-U__LP64__", "-U_LP64", "-U__x86_64__", "-D__WMBMC_ILP32__"];
        command
            .args(undefined)
            .args(["-U__SIZEOF_POINTER__", "-D__SIZEOF_POINTER__=4"]);
        command.args(["-U__SIZEOF_LONG__", "-D__SIZEOF_LONG__=4"]);
    }
    command.args(options.target.map(Target::flags).unwrap_or_default());
    command.args(
        options
            .include_dirs
            .iter()
            .map(|d| format!("-I{}", d.display())),
    );
    let with = |flag: &'static str, paths: &'a [PathBuf]| {
        let each = paths.iter();
        each.flat_map(move |p| [OsStr::new(flag), p.as_os_str()])
    };
    // Another text stands in a file of its own. Headers in quotes are looked for beside the original
    // first, as they are beside a file, and lines are the original's.
    if text.is_some() {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        command.arg("-iquote").arg(folder.unwrap_or(Path::new(".")));
    }
    command.args(with("-iquote", &options.quote_dirs));
    command.args(options.defines.iter().map(|d| format!("-D{d}")));
    command.args(options.undefines.iter().map(|u| format!("-U{u}")));
    command.args(with("-include", &options.include_files));
    // Ours go before the platform's, but not before those of the user.
    let of_platform = |dir: &&PathBuf| dir.starts_with("/usr/include");
    let dirs = options.system_dirs.iter();
    let (late, early): (Vec<_>, Vec<_>) = dirs.partition(of_platform);
    for dir in early.into_iter().map(PathBuf::as_path).chain([headers]) {
        command.arg("-isystem").arg(dir);
    }
    late.iter().for_each(|dir| {
        command.arg("-isystem").arg(dir);
    });
    command.args(with("-idirafter", &options.after_dirs));
    let own = headers.join("input");
    let written = own.join("main.c");
    let output = match text {
        None => command.arg(path).output(),
        Some(text) => {
            command.arg(&written);
            let shown = path.display().to_string();
            let shown = shown.replace('\\', "\\\\").replace('"', "\\\"");
            std::fs::create_dir(&own)
                .and_then(|()| std::fs::write(&written, format!("# 1 \"{shown}\"\n{text}")))
                .and_then(|()| command.output())
        }
    };
    output.map_err(|e| {
        let why = match e.kind() {
            std::io::ErrorKind::NotFound => "there is no such program".to_string(),
            _ => e.to_string(),
        };
        let diag = Diag::bare(format!("cannot run the C preprocessor `{program}`: {why}"));
        vec![diag.with_code(Code::Preprocessor).note("install a C compiler, name one in the variable CC, or give an already preprocessed `.i` file")]
    })
}

/// Definitions of macros that the preprocessor says come behind those of `-D`:
/// `file:line: warning: "name" redefined`.
fn kept(sources: &mut SourceMap, stderr: &str, options: &ParseOptions) -> Vec<Span> {
    let mut found = Vec::new();
    for line in stderr.lines() {
        let Some((place, rest)) = line.split_once(" warning: ") else {
            continue;
        };
        let name = rest.split(['"', '\'']).nth(1).unwrap_or_default();
        let is_ours = |d: &String| redefine::macro_of(d).0 == name;
        if !rest.contains("redefined") || !options.defines.iter().any(is_ours) {
            continue;
        }
        if let Some((file, number, _)) = place_of(sources, place) {
            let start = sources.line_start(file, number);
            let rest = sources.file(file).text.get(start as usize..).unwrap_or("");
            let end = start + rest.lines().next().unwrap_or("").len() as u32;
            found.push(Span { file, start, end });
        }
    }
    found
}

/// What `file:line:` or `file:line:column:` names; a column is 1 where there is none.
fn place_of(sources: &mut SourceMap, place: &str) -> Option<(FileId, u32, u32)> {
    let parts: Vec<&str> = place.trim_end_matches(':').split(':').collect();
    let numbers = parts.iter().rev().map_while(|p| p.parse::<u32>().ok());
    let mut numbers: Vec<u32> = numbers.take(2).collect();
    let name = parts[..parts.len() - numbers.len()].join(":");
    let file = sources
        .find(&name)
        .or_else(|| sources.load(Path::new(&name)).ok())?;
    let line = numbers.pop()?;
    Some((file, line, numbers.pop().unwrap_or(1)))
}

/// The preprocessor's errors, with their places.
fn complaints(sources: &mut SourceMap, main: FileId, stderr: &str) -> Vec<Diag> {
    let diags: Vec<Diag> = stderr
        .lines()
        .filter_map(|line| complaint(sources, line))
        .collect();
    if !diags.is_empty() {
        return diags;
    }
    let first = stderr
        .lines()
        .find(|l| !l.trim().is_empty())
        .unwrap_or("it gave no reason");
    let whole = Span {
        file: main,
        start: 0,
        end: 0,
    };
    let message = format!("the C preprocessor failed: {first}");
    vec![Diag::error(whole, message).with_code(Code::Preprocessor)]
}

/// `file:line:column: fatal error: sentence`
fn complaint(sources: &mut SourceMap, line: &str) -> Option<Diag> {
    let (place, message) = line
        .split_once(" fatal error: ")
        .or_else(|| line.split_once(" error: "))?;
    let (file, number, column) = place_of(sources, place)?;
    let start = sources.line_start(file, number) + column.saturating_sub(1);
    let rest = sources.file(file).text.get(start as usize..)?;
    let length = rest
        .find(|c: char| c == '\n' || c.is_whitespace())
        .unwrap_or(rest.len()) as u32;
    let span = Span {
        file,
        start,
        end: start + length,
    };
    Some(Diag::error(span, message.trim()).with_code(Code::Preprocessor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that includes such a header is not of the kernel.
    #[test]
    fn names_of_the_kernel_are_no_names_of_the_platform() {
        let all = KERNEL_NAMES.iter().flat_map(|(_, names)| *names);
        let own = HEADERS.iter().map(|(name, _)| name);
        let own = own.filter(|n| n.starts_with("linux/") && **n != "linux/futex.h");
        for name in all.chain(own) {
            let path = Path::new("/usr/include").join(name);
            assert!(!path.is_file(), "{}", path.display());
        }
    }
}
