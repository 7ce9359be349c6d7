//! What is printed, and what the exit code says, where there is no answer or it cannot be written: limits of
//! every size, memory that the system refuses, full disks.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use support::wmbmc;

/// A litmus test of so many rounds of store buffering, whose condition is reachable.
fn long_test(folder: &tempfile::TempDir, rounds: usize) -> PathBuf {
    let round = " MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n";
    let text = format!(
        "X86 M\n{{ }}\n P0 | P1 ;\n{}exists (0:EAX=0 /\\ 1:EAX=0)\n",
        round.repeat(rounds)
    );
    let file = folder.path().join("long.litmus");
    std::fs::write(&file, text).expect("it can be written");
    file
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn an_undecided_litmus_test_claims_nothing() {
    let folder = folder();
    let file = long_test(&folder, 400);
    let (file, log) = (file.display().to_string(), folder.path().join("log"));
    for arguments in [
        &[][..],
        &["--quiet"],
        &["--stats"],
        &["--engine", "enumerate"],
    ] {
        let limited = ["--timeout", "0.2", "--mm", "tso", file.as_str()];
        let output = wmbmc(limited.iter().chain(arguments));
        let text = said(&output);
        assert_eq!(output.status.code(), Some(5), "{text}");
        assert!(text.contains("Unknown no answer within 0.2 s"), "{text}");
        assert!(text.contains("Observation M Unknown\n"), "{text}");
        assert!(!text.lines().any(|l| l == "No" || l == "Ok"), "{text}");
    }
    let shown = log.display().to_string();
    let output = wmbmc([
        "suite",
        "--timeout",
        "0.2",
        "--mm",
        "tso",
        "--log",
        &shown,
        &file,
    ]);
    assert_eq!(output.status.code(), Some(5));
    let text = std::fs::read_to_string(&log).expect("the log is there");
    assert!(
        text.contains("Observation M Unknown\n") && !text.contains("\nNo\n"),
        "{text}"
    );
}

#[test]
fn the_stage_that_a_limit_ends_is_named() {
    let folder = folder();
    let file = folder.path().join("long.c");
    let body = "x = 1; y = x;\n".repeat(300);
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\n\
         void *t(void *a) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t p[3];\n\
         for (int i = 0; i < 3; i++) pthread_create(&p[i], 0, t, 0);\n\
         for (int i = 0; i < 3; i++) pthread_join(p[i], 0); }}\n"
    );
    std::fs::write(&file, text).expect("it can be written");
    let file = file.display().to_string();
    let output = wmbmc(["--mm", "tso", "--timeout", "2", "--stats", &file]);
    let text = said(&output);
    assert!(text.starts_with("UNKNOWN: no answer within 2 s"), "{text}");
    assert!(text.contains("it ended in the stage `"), "{text}");
    assert!(text.contains("  did not end "), "{text}");
    let output = wmbmc(["--mm", "tso", "--timeout", "2", "--format", "json", &file]);
    assert!(
        said(&output).contains("\"unfinished\":\""),
        "{}",
        said(&output)
    );
}

#[test]
fn limits_of_every_size_are_read() {
    let program = "tests/c/sb.c";
    for seconds in ["1e300", "1e19", "1e-300"] {
        let output = wmbmc(["--timeout", seconds, program]);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 5)), "{seconds}: {output:?}");
    }
    for wrong in ["nan", "inf", "-inf", "-1", "0", "x"] {
        let output = wmbmc([&format!("--timeout={wrong}"), program]);
        assert_eq!(output.status.code(), Some(1), "{wrong}: {output:?}");
    }
    for megabytes in ["18446744073709551615", "1000000000000"] {
        let output = wmbmc(["--memory", megabytes, program]);
        assert_eq!(output.status.code(), Some(0), "{megabytes}: {output:?}");
    }
    for wrong in ["0", "-1", "nan", "18446744073709551616"] {
        let output = wmbmc([&format!("--memory={wrong}"), program]);
        assert_eq!(output.status.code(), Some(1), "{wrong}: {output:?}");
    }
}

/// A run whose address space is limited to so many KiB.
#[cfg(target_os = "linux")]
fn limited(kb: u64, arguments: &[&str]) -> Output {
    let script = format!("ulimit -v {kb}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.current_dir(support::root());
    shell
        .args(["-c", &script, env!("CARGO_BIN_EXE_wmbmc")])
        .args(arguments);
    shell.output().expect("there is a shell")
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_refused_is_an_answer() {
    let folder = folder();
    let file = long_test(&folder, 4000).display().to_string();
    let output = limited(1_000_000, &[&file]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(
        said(&output).starts_with("UNKNOWN: out of memory"),
        "{output:?}"
    );
    let output = limited(1_000_000, &["--format", "json", &file]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(said(&output).contains("\"code\":\"U0003\""), "{output:?}");
    let output = limited(1_000_000, &["tests/c/sb.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_is_an_error() {
    const FULL: &str = "/dev/full";
    let program = "tests/c/sb.c";
    let test = "litmus/ppc";
    for arguments in [
        &[program][..],
        &["--format", "json", program],
        &["--format", "sarif", program],
        &["models"],
        &["suite", test],
    ] {
        let full = OpenOptions::new()
            .write(true)
            .open(FULL)
            .expect("Linux has it");
        let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
        command.current_dir(support::root()).args(arguments);
        let output = command.stdout(Stdio::from(full)).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("cannot be written"), "{error}");
    }
    for arguments in [
        &["--html", FULL, program][..],
        &["--dimacs", FULL, program],
        &["suite", "--log", FULL, test],
    ] {
        let output = wmbmc(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    }
}
