//! The program under test, and the solvers of others.

use crate::{Missing, root, skipped};
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The program under test: Cargo tells its place to the tests that it runs, or at least has it beside the
/// folder of their programs.
fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("CARGO_BIN_EXE_wmbmc") {
        return program.into();
    }
    let test = std::env::current_exe().expect("a test has a program");
    let profile = test
        .ancestors()
        .nth(2)
        .expect("it is in a folder of a profile");
    profile.join(format!("wmbmc{}", std::env::consts::EXE_SUFFIX))
}

/// Runs the program under test in the root of the repository.
pub fn wmbmc<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    let mut command = Command::new(program());
    command
        .current_dir(root())
        .args(args)
        .env_remove("NO_COLOR");
    command
        .output()
        .expect("the program under test was built by cargo")
}

/// Asks the formula whether the assertions of a C program hold, which they do where it `is_right`.
#[track_caller]
pub fn expect_assertions(text: &str, is_right: bool, seed: u64) {
    let mut file = tempfile::Builder::new()
        .suffix(".c")
        .tempfile()
        .expect("a temporary file");
    file.write_all(text.as_bytes()).expect("it is writable");
    let options = ["--check", "assert", "--engine", "sat", "--timeout", "100"];
    let path = [file.path().as_os_str()];
    let output = wmbmc(options.iter().map(OsStr::new).chain(path));
    let answer = String::from_utf8_lossy(&output.stdout);
    let expected = if is_right { "SAFE" } else { "UNSAFE" };
    let first = answer.lines().next().unwrap_or_default();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(first, expected, "seed {seed}:\n{text}\n{answer}{errors}");
}

/// The answers of z3, one line each; nothing when it is not installed.
pub fn z3(script: String) -> Option<Vec<String>> {
    let child = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skipped(Missing::Tool("z3"));
        return None;
    };
    let mut input = child.stdin.take().expect("it is piped");
    let feeder = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("z3 ends");
    feeder.join().expect("no panic").expect("z3 reads all");
    let text = String::from_utf8(output.stdout).expect("z3 answers in ASCII");
    Some(text.lines().map(str::to_string).collect())
}

/// The answers of z3, or of cvc5 where that is what is installed.
pub fn smt_solver(script: String) -> Option<Vec<String>> {
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if there("z3") || !there("cvc5") {
        return z3(script);
    }
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(script.as_bytes()).expect("it is written");
    let output = Command::new("cvc5")
        .args(["--incremental", "--lang=smt2"])
        .arg(file.path())
        .output();
    let text = String::from_utf8(output.expect("cvc5 runs").stdout).expect("ASCII");
    Some(text.lines().map(str::to_string).collect())
}
