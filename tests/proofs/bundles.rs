//! Proofs of answers that no execution does something: they are made, they are accepted, and nothing
//! that has been changed is accepted as what it is not.

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Missing, root, skipped};

/// Runs the binary in the crate's directory; its exit code, and all that it prints.
fn run(args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let output = command.current_dir(root()).args(args).output();
    let output = output.expect("the binary runs");
    let code = output.status.code().expect("it ends by itself");
    let text = [output.stdout, output.stderr].concat();
    (code, String::from_utf8_lossy(&text).into_owned())
}

fn bundle(directory: &Path, args: &[&str]) -> PathBuf {
    let path = directory.join("proof");
    let (code, text) = run(&[args, &["--proof", path.to_str().expect("a path")]].concat());
    assert!(code == 0 || code == 5, "{args:?}: {text}");
    path
}

/// What the main program says of a proof; and the checker's own program, where it has been built, says the same.
fn check(path: &Path) -> (i32, String) {
    let path = path.to_str().expect("a path");
    let said = run(&["check-proof", path]);
    let program = Path::new(env!("CARGO_BIN_EXE_wmbmc")).with_file_name("wmbmc-check-proof");
    if program.exists() {
        let out = Command::new(program).arg(path).output();
        let out = out.expect("it is a program");
        assert_eq!(out.status.code(), Some(said.0), "{said:?}");
        let text = [out.stdout, out.stderr].concat();
        assert_eq!(String::from_utf8_lossy(&text), said.1);
    } else {
        // `cargo test` builds it, unless it is told to build less.
        skipped(Missing::Tool("wmbmc-check-proof"));
    }
    said
}

#[test]
fn a_safe_answer_has_a_proof_on_every_model() {
    for (file, model) in [
        ("benchmarks/cas_lock.c", "sc"),
        ("benchmarks/cas_lock.c", "tso"),
        ("benchmarks/cas_lock.c", "pso"),
        ("benchmarks/cas_lock.c", "rmo"),
        ("benchmarks/cas_lock.c", "alpha"),
        ("benchmarks/cas_lock.c", "power"),
        ("benchmarks/fibonacci.c", "power2010"),
        ("benchmarks/textbook/once.c", "tso"),
        ("benchmarks/textbook/philosophers.c", "sc"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = bundle(directory.path(), &[file, "--mm", model, "--quiet"]);
        let (code, text) = check(&path);
        assert_eq!(code, 0, "{file} on {model}: {text}");
        assert!(text.contains("VALID"), "{text}");
    }
}

/// The bound of a loop that waits is reached by no execution that matters, though the accesses of its
/// iterations go to what ends.
#[test]
fn iterations_that_change_nothing_need_no_bound() {
    for model in ["rmo", "power"] {
        let directory = tempfile::tempdir().expect("a directory");
        let file = "tests/c/queue_lock_heap.c";
        let args = [
            file,
            "--mm",
            model,
            "--check",
            "assert,memory",
            "--unwind",
            "1",
            "--quiet",
        ];
        let path = bundle(directory.path(), &args);
        let (code, text) = check(&path);
        assert_eq!(code, 0, "{model}: {text}");
    }
}

#[test]
fn answers_of_litmus_tests_have_proofs() {
    let directory = tempfile::tempdir().expect("a directory");
    let test = "litmus/x86/SB+mfences.litmus";
    let path = bundle(directory.path(), &[test, "--mm", "tso"]);
    let (code, text) = check(&path);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("VALID"), "{text}");
}

#[test]
fn what_has_a_counterexample_has_no_proof() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("proof");
    let shown = path.to_str().expect("a path");
    let (code, _) = run(&["benchmarks/peterson.c", "--mm", "tso", "--proof", shown]);
    assert_eq!(code, 10);
    assert!(!path.exists());
}

#[test]
fn a_proof_of_another_model_is_none() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = bundle(directory.path(), &["benchmarks/peterson.c", "--mm", "sc"]);
    let tso = wmbmc::cat::text("tso").expect("it is built in");
    let wmm = wmbmc::cat::text("wmm.cat").expect("it is built in");
    std::fs::write(path.join("model/sc.cat"), tso).expect("written");
    std::fs::write(path.join("model/wmm.cat"), wmm).expect("written");
    let (code, text) = check(&path);
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("INVALID"), "{text}");
}

#[test]
fn a_limit_is_no_answer() {
    let program = [
        "benchmarks/fibonacci.c",
        "-DN=8",
        "-DBOUND=2584",
        "--unwind",
        "9",
    ];
    let limit = ["--mm", "sc", "--certify", "--timeout", "2"];
    let (code, text) = run(&[&program[..], &limit].concat());
    assert_eq!(code, 5, "{text}");
    assert!(text.starts_with("UNKNOWN"), "{text}");
}

/// Checks the proof of a directory against programs.
fn check_program(path: &Path, files: &[&str]) -> (i32, String) {
    let path = path.to_str().expect("a path");
    run(&[
        &["check-proof", path, "--program"],
        files,
        &["--executions", "200"],
    ]
    .concat())
}

#[test]
fn a_proof_is_that_of_its_program() {
    for (args, file, other) in [
        (
            &["--mm", "sc"][..],
            "benchmarks/dekker.c",
            "benchmarks/peterson.c",
        ),
        (
            &["--mm", "power"],
            "benchmarks/fibonacci.c",
            "benchmarks/cas_lock.c",
        ),
        (
            &["--mm", "tso", "--unwind", "2"],
            "benchmarks/spsc_queue.c",
            "litmus/x86/SB+mfences.litmus",
        ),
        (
            &["--mm", "tso"],
            "litmus/x86/SB+mfences.litmus",
            "litmus/x86/SB.litmus",
        ),
        (
            &["--mm", "sc", "--check", "memory", "--unwind", "2"],
            "benchmarks/unbounded/jobs.c",
            "benchmarks/unbounded/buffers.c",
        ),
        (
            &["--mm", "rc11", "--check", "assert"],
            "benchmarks/unbounded/spin.c",
            "benchmarks/unbounded/account.c",
        ),
        (
            &["--mm", "tso"],
            "benchmarks/unbounded/account.c",
            "benchmarks/unbounded/latch.c",
        ),
        (
            &["--mm", "power", "--check", "assert,memory,misuse"],
            "benchmarks/unbounded/queue.c",
            "benchmarks/dekker.c",
        ),
        (
            &["--mm", "tso", "--threads", "2", "--unwind", "2"],
            "benchmarks/x86/spinlock.asm",
            "benchmarks/x86/barrier.asm",
        ),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = bundle(directory.path(), &[&[file], args].concat());
        let (code, text) = check_program(&path, &[file]);
        assert_eq!(code, 0, "{file}: {text}");
        assert!(text.contains("random executions"), "{file}: {text}");
        let (code, text) = check_program(&path, &[other]);
        assert_eq!(code, 10, "{other}: {text}");
        assert!(text.contains("INVALID"), "{other}: {text}");
    }
}

/// The conditions of a proof thread by thread are those of a program with these invariants and no others.
#[test]
fn a_proof_for_any_number_of_threads_rests_on_its_invariants() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = "benchmarks/unbounded/account.c";
    let path = bundle(directory.path(), &[file, "--mm", "tso"]);
    let claim = path.join("claim.json");
    let text = std::fs::read_to_string(&claim).expect("written");
    let mut typed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let invariants = typed["conditions"]["invariants"].as_array_mut();
    let invariants = invariants.expect("it is a proof thread by thread");
    assert!(!invariants.is_empty());
    let first = invariants.remove(0);
    std::fs::write(&claim, typed.to_string()).expect("written");
    let (code, text) = check_program(&path, &[file]);
    assert_eq!(code, 10, "{text}");
    let invariants = typed["conditions"]["invariants"].as_array_mut();
    let invariants = invariants.expect("it has been one");
    invariants.extend([first, 1_000_000.into()]);
    std::fs::write(&claim, typed.to_string()).expect("written");
    let (code, text) = check_program(&path, &[file]);
    assert_eq!(code, 10, "{text}");
    // Without them it would be the ordinary event graph.
    typed["conditions"] = serde_json::Value::Null;
    std::fs::write(&claim, typed.to_string()).expect("written");
    let (code, text) = check_program(&path, &[file]);
    assert_eq!(code, 10, "{text}");
}

/// What is compiled has the same text, and other macros: the proof says which.
#[test]
fn a_proof_knows_how_its_program_was_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let (source, header) = (
        directory.path().join("a.c"),
        directory.path().join("limit.h"),
    );
    let text = "#include \"limit.h\"\n#include <assert.h>\nint main(void) { assert(N < LIMIT); return 0; }\n";
    std::fs::write(&source, text).expect("written");
    std::fs::write(&header, "#define LIMIT 8\n").expect("written");
    let source = source.to_str().expect("a path");
    let path = bundle(directory.path(), &[source, "-DN=7"]);
    let (code, text) = check_program(&path, &[source]);
    assert_eq!(code, 0, "{text}");
    std::fs::write(&header, "#define LIMIT 7\n").expect("written");
    let (code, text) = check_program(&path, &[source]);
    assert_eq!(code, 10, "{text}");
}

#[test]
fn a_proof_of_linked_files_is_that_of_all_of_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("a path").to_string()
    };
    let main =
        "int twice(int x);\nint main(void) { __VERIFIER_assert(twice(21) == 42); return 0; }\n";
    let main = write("main.c", &format!("void __VERIFIER_assert(int);\n{main}"));
    let twice = write("twice.c", "int twice(int x) { return 2 * x; }\n");
    let path = bundle(directory.path(), &[&main, &twice, "--link"]);
    let (code, text) = check_program(&path, &[&main, &twice]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = check_program(&path, &[&main]);
    assert_ne!(code, 0, "{text}");
}

#[test]
fn several_proofs_have_no_program() {
    let (code, text) = run(&["check-proof", "one", "two", "--program", "a.c"]);
    assert_eq!(code, 1, "{text}");
}
