//! The project's own headers against the compiler's: sizes and alignments of types, values of
//! constants. Without a C compiler nothing is compared.

use std::path::Path;
use std::process::{Command, Output};

const INCLUDES: &str = "#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
";

const TYPES: &str = "ssize_t,size_t,ptrdiff_t,wchar_t,max_align_t,int8_t,int16_t,int32_t,int64_t,\
uint64_t,intptr_t,uintptr_t,intmax_t,uintmax_t,int_fast8_t,int_fast16_t,int_fast32_t,off_t,off64_t,pid_t,\
uid_t,gid_t,mode_t,dev_t,ino_t,nlink_t,blksize_t,blkcnt_t,useconds_t,suseconds_t,time_t,clock_t,\
clockid_t,timer_t,cpu_set_t,sigset_t,siginfo_t,stack_t,struct sigaction,struct timespec,\
struct timeval,struct itimerspec,struct tm,struct stat,struct flock,struct sched_param,fd_set,\
u_int64_t,key_t,socklen_t,div_t,ldiv_t,struct pollfd,nfds_t";

/// What the names of constants begin with that are compared.
const FAMILIES: [&str; 20] = [
    "E",
    "SEEK_",
    "S_I",
    "_SC_",
    "STD",
    "SCHED_",
    "O_",
    "F_",
    "PROT_",
    "MAP_",
    "MADV_",
    "MS_",
    "CLOCK_",
    "SIG",
    "FUTEX_",
    "SA_",
    "POLL",
    "BYTE_ORDER",
    "LITTLE_",
    "BIG_",
];

fn wmbmc(file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    command.arg(file).arg("-q").output().expect("it is built")
}

/// The names of macros without parameters that stand for a number, as the project's headers have
/// them.
fn constants() -> Vec<String> {
    let folder = support::root().join("src/front/c/headers");
    let mut names = Vec::new();
    for folder in [
        folder.clone(),
        folder.join("sys"),
        folder.join("linux"),
        folder.join("bits"),
    ] {
        for entry in std::fs::read_dir(folder).expect("the headers are there") {
            let path = entry.expect("it can be listed").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let defined = text.lines().filter_map(|l| l.strip_prefix("#define "));
            for line in defined {
                let name = line.split_whitespace().next().unwrap_or_default();
                let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                let wanted = FAMILIES.iter().any(|f| name.starts_with(f));
                if wanted && name.chars().all(upper) {
                    names.push(name.to_string());
                }
            }
        }
    }
    names
}

/// Whatever machine a program is read for, and whichever headers it includes first.
#[test]
fn headers_are_read_for_every_machine() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let file = folder.path().join("all.c");
    let (feature, includes) = INCLUDES.split_once('\n').expect("a line");
    let mut reversed: Vec<&str> = includes.lines().collect();
    reversed.reverse();
    for includes in [includes.to_string(), reversed.join("\n")] {
        let text = format!("{feature}\n{includes}\nint main(void) {{ return 0; }}\n");
        std::fs::write(&file, text).expect("it can be written");
        for machine in [
            "--target x86_64",
            "--target ppc64le",
            "--target aarch64",
            "--target riscv64",
            "--data-model ilp32",
        ] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
            command.arg(&file).args(machine.split(' ')).arg("-q");
            let output = command.output().expect("it is built");
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(text.starts_with("SAFE"), "{machine}: {text}{errors}");
        }
    }
}

/// What makes a platform show more of itself, or less.
const ASKED: [&str; 6] = [
    "",
    "-std=c11",
    "-D_GNU_SOURCE",
    "-std=c99 -D_POSIX_C_SOURCE=199309L",
    "-std=c99 -D_POSIX_C_SOURCE=200112L",
    "-D_XOPEN_SOURCE=600",
];

/// Headers of which each alone answers.
const ANSWERING: [&str; 8] = [
    "assert.h",
    "errno.h",
    "pthread.h",
    "semaphore.h",
    "stdio.h",
    "stdlib.h",
    "time.h",
    "unistd.h",
];

/// The macros that a header defines which say what a platform has.
fn answers(header: &str, options: &str, folder: Option<&Path>) -> Option<String> {
    let dir = tempfile::tempdir().expect("there is room for a file");
    let file = dir.path().join("ask.c");
    std::fs::write(&file, format!("#include <{header}>\n")).expect("it can be written");
    let mut command = Command::new("cc");
    command.args(["-E", "-dM"]).args(options.split_whitespace());
    if let Some(folder) = folder {
        command.arg("-I").arg(folder);
    }
    let output = command.arg(&file).output().ok()?;
    let text = String::from_utf8(output.stdout).expect("macros are text");
    let families = [
        "_POSIX",
        "_XOPEN",
        "_ISOC",
        "_DEFAULT_SOURCE",
        "_ATFILE",
        "_LARGEFILE",
        "_XBS5",
        "__GLIBC__",
        "__GLIBC_MINOR__",
        "__GLIBC_PREREQ",
    ];
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let mut names: Vec<&str> = names
        .filter(|line| families.iter().any(|f| line.starts_with(f)))
        .collect();
    names.sort_unstable();
    let said = names.join("\n");
    Some(said.replace("__POSIX2_THIS_VERSION", "__WMBMC_POSIX2"))
}

/// A program that asks its platform by `#if` is the one that a compiler compiles.
#[test]
fn what_a_platform_has_is_said_as_the_compilers_headers_do() {
    let folder = support::root().join("src/front/c/headers");
    for header in ANSWERING {
        for options in ASKED {
            let Some(theirs) = answers(header, options, None) else {
                eprintln!("there is no C compiler to compare with");
                return;
            };
            let ours = answers(header, options, Some(&folder));
            assert_eq!(ours, Some(theirs), "<{header}> {options}");
        }
    }
}

#[test]
fn types_and_constants_are_those_of_the_compiler() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let (asking, checking) = (folder.path().join("ask.c"), folder.path().join("check.c"));
    let mut text = INCLUDES.to_string();
    text += "int main(void) {\n";
    for t in TYPES.split(',') {
        let format = "_Static_assert(sizeof(%s) == %zu && _Alignof(%s) == %zu, \\\"%s\\\");\\n";
        text += &format!(
            "printf(\"{format}\", \"{t}\", sizeof({t}), \"{t}\", _Alignof({t}), \"{t}\");\n"
        );
    }
    for name in constants() {
        let format = "_Static_assert((long)(%s) == %ldl, \\\"%s\\\");\\n";
        text += &format!(
            "#ifdef {name}\nprintf(\"{format}\", \"{name}\", (long)({name}), \"{name}\");\n#endif\n"
        );
    }
    text += "return 0;\n}\n";
    std::fs::write(&asking, text).expect("it can be written");
    let program = folder.path().join("ask");
    let compiled = Command::new("cc")
        .args(["-w", "-o"])
        .arg(&program)
        .arg(&asking)
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("there is no C compiler to compare with");
        return;
    };
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let said = Command::new(&program).output().expect("it runs").stdout;
    let said = String::from_utf8(said).expect("it prints text");
    assert!(said.lines().count() > 300, "{said}");
    let check = format!("{INCLUDES}{said}int main(void) {{ return 0; }}\n");
    std::fs::write(&checking, check).expect("it can be written");
    let answer = wmbmc(&checking);
    let text = String::from_utf8_lossy(&answer.stdout);
    let errors = String::from_utf8_lossy(&answer.stderr);
    assert!(text.starts_with("SAFE"), "{text}{errors}");
}
