//! Proofs of answers that no execution does something: they are made, they are accepted, and nothing
//! that has been changed is accepted as what it is not.

mod common;

use common::root;
use std::path::{Path, PathBuf};
use std::process::Command;

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

fn check(path: &Path) -> (i32, String) {
    run(&["check-proof", path.to_str().expect("a path")])
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
    let tso = wmbmc::mm::text("tso").expect("it is built in");
    let wmm = wmbmc::mm::text("wmm.cat").expect("it is built in");
    std::fs::write(path.join("model/sc.cat"), tso).expect("written");
    std::fs::write(path.join("model/wmm.cat"), wmm).expect("written");
    let (code, text) = check(&path);
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("INVALID"), "{text}");
}

#[test]
fn a_limit_is_no_answer() {
    let program = "benchmarks/ring_semaphores.c";
    let (code, text) = run(&[program, "--mm", "sc", "--certify", "--timeout", "2"]);
    assert_eq!(code, 5, "{text}");
    assert!(text.starts_with("UNKNOWN"), "{text}");
}
