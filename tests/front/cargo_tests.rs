//! `cargo wmbmc` on crates: that of `examples/rust`, and others made for one property of the command.

use std::path::Path;
use std::process::{Command, Output};
use support::{Missing, root, skipped};

/// Whether there is a cargo that builds crates; says so otherwise.
fn has_cargo() -> bool {
    let runs = |variable: &str, name: &str| {
        let named = std::env::var(variable).unwrap_or_else(|_| name.to_string());
        let output = Command::new(named).arg("--version").output();
        output.is_ok_and(|o| o.status.success())
    };
    let found = runs("CARGO", "cargo") && runs("RUSTC", "rustc");
    if !found {
        skipped(Missing::Extra("cargo"));
    }
    found
}

/// What is said, on standard output and then on standard error, and the exit code.
struct Said {
    text: String,
    code: Option<i32>,
}

impl Said {
    /// The line of a test on a model.
    #[track_caller]
    fn line(&self, test: &str) -> &str {
        let start = format!("test {test} ");
        let line = self.text.lines().find(|line| line.starts_with(&start));
        line.unwrap_or_else(|| panic!("no line of `{test}`:\n{}", self.text))
    }
}

/// Calls `cargo wmbmc` in a folder, without the network.
fn cargo_wmbmc(folder: &Path, target: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-wmbmc"));
    command.current_dir(folder).arg("wmbmc").args(args);
    command.env("CARGO_TARGET_DIR", target);
    command.env("CARGO_NET_OFFLINE", "true");
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("cargo has built it");
    let text = String::from_utf8_lossy(&stdout).into_owned();
    Said {
        text: text + &String::from_utf8_lossy(&stderr),
        code: status.code(),
    }
}

#[test]
fn the_example_has_the_verdicts_of_its_page() {
    if !has_cargo() {
        return;
    }
    let folder = root().join("examples/rust");
    let target = tempfile::tempdir().expect("a temporary directory");
    let checked = |args: &[&str]| cargo_wmbmc(&folder, target.path(), args);

    let right = checked(&["--locked", "--", "--mm", "rc11,aarch64"]);
    assert_eq!(right.code, Some(0), "{}", right.text);
    for test in [
        "items_arrive_in_order",
        "an_item_has_its_value",
        "queue::tests::what_is_left_is_dropped",
    ] {
        for model in ["rc11", "aarch64"] {
            let line = right.line(&format!("{test} on {model}"));
            assert!(line.ends_with("... SAFE"), "{line}\n{}", right.text);
        }
    }
    assert!(
        right.text.contains("test result: ok. 6 SAFE"),
        "{}",
        right.text
    );

    let proved = checked(&["in_order", "--", "--certify"]);
    assert_eq!(proved.code, Some(0), "{}", proved.text);
    let line = proved.line("items_arrive_in_order on rc11");
    assert!(line.ends_with("... SAFE"), "{line}");
    assert!(
        !proved.text.contains("an_item_has_its_value"),
        "{}",
        proved.text
    );

    let words = [
        "--features",
        "textbook",
        "value",
        "--",
        "--mm",
        "tso,aarch64",
    ];
    let wrong = checked(&words);
    assert_eq!(wrong.code, Some(10), "{}", wrong.text);
    assert!(
        wrong
            .line("an_item_has_its_value on tso")
            .ends_with("... SAFE")
    );
    assert!(
        wrong
            .line("an_item_has_its_value on aarch64")
            .ends_with("... UNSAFE")
    );
    // The execution is in the lines of the crate.
    for said in ["src/queue.rs:", "tests/threads.rs:", "memory_order_release"] {
        assert!(wrong.text.contains(said), "{said}: {}", wrong.text);
    }
    assert!(wrong.text.contains("test result: FAILED. 1 SAFE; 1 UNSAFE"));
}

/// Writes a crate: its root, a file of tests, and more lines for its manifest.
fn write_crate(folder: &Path, library: &str, tests: &str, manifest: &str) {
    let head = "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let files = [
        ("Cargo.toml", format!("{head}{manifest}\n")),
        ("src/lib.rs", library.to_string()),
        ("tests/of_user.rs", tests.to_string()),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().expect("it is in a folder");
        std::fs::create_dir_all(parent).expect("it is made");
        std::fs::write(path, text).expect("it is written");
    }
}

#[test]
fn attributes_of_tests_and_results_count() {
    if !has_cargo() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary directory");
    let library = "pub fn half(n: u32) -> Result<u32, String> {
            if n % 2 == 0 { Ok(n / 2) } else { Err(\"it is odd\".to_string()) }
        }";
    let tests = "
        #[test] fn even() -> Result<(), String> { assert_eq!(user::half(4)?, 2); Ok(()) }
        #[test] fn odd() -> Result<(), String> { user::half(3).map(drop) }
        #[test] fn same() { assert_eq!(user::half(4), Ok(2)); }
        #[test] fn same_again() { assert_eq!(user::half(4), Ok(2)); }
        #[test] fn wrong() { assert_eq!(user::half(4), Ok(3)); }
        #[test] fn overflows() { let n = std::hint::black_box(u8::MAX); std::hint::black_box(n + 1); }
        #[test] fn debug() { debug_assert!(std::hint::black_box(false)); }
        #[test] #[cfg_attr(wmbmc, ignore)] fn left_out() { panic!() }
        #[test] #[should_panic] fn panics() { panic!() }
    ";
    write_crate(folder.path(), library, tests, "");
    let target = folder.path().join("target");
    let said = cargo_wmbmc(folder.path(), &target, &["--", "--mm", "sc"]);
    // Of the exit codes of all tests that of one which is refused is the worst.
    assert_eq!(said.code, Some(2), "{}", said.text);
    let rows = [
        ("even on sc", "... SAFE"),
        ("odd on sc", "... UNSAFE"),
        ("same on sc", "... SAFE"),
        ("same_again on sc", "... SAFE"),
        ("wrong on sc", "... UNSAFE"),
        ("overflows on sc", "... UNSAFE"),
        ("debug on sc", "... UNSAFE"),
        ("left_out", "... ignored"),
    ];
    for (test, end) in rows {
        assert!(said.line(test).ends_with(end), "{test}: {}", said.text);
    }
    assert!(
        said.line("panics")
            .contains("#[should_panic] is not supported")
    );
    assert!(
        said.text.contains("the test returns no error"),
        "{}",
        said.text
    );

    let exact = cargo_wmbmc(folder.path(), &target, &["same", "--exact"]);
    assert_eq!(exact.code, Some(0), "{}", exact.text);
    assert!(
        exact.text.contains("test result: ok. 1 SAFE\n"),
        "{}",
        exact.text
    );
    let panics = cargo_wmbmc(folder.path(), &target, &["panics"]);
    assert_eq!(panics.code, Some(2), "{}", panics.text);
    let none = cargo_wmbmc(folder.path(), &target, &["no_such_test"]);
    assert_eq!(none.code, Some(1), "{}", none.text);
    assert!(none.text.contains("whose name contains `no_such_test`"));
    let listed = cargo_wmbmc(folder.path(), &target, &["--list", "o"]);
    assert_eq!(listed.code, Some(0), "{}", listed.text);
    assert!(
        listed
            .text
            .starts_with("left_out: test\nodd: test\noverflows: test\nwrong: test\n")
    );
}

#[test]
fn code_of_dependencies_is_linked() {
    if !has_cargo() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary directory");
    // Neither generic nor small: it is in the module of its own crate.
    let counter = "use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        pub static LIMIT: AtomicU32 = AtomicU32::new(3);
        #[inline(never)] pub fn next() -> u32 {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            assert!(count < LIMIT.load(Ordering::Relaxed), \"too many\");
            count
        }";
    let of_counter = folder.path().join("counter");
    std::fs::create_dir_all(of_counter.join("src")).expect("it is made");
    let manifest = "[package]\nname = \"counter\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    std::fs::write(of_counter.join("Cargo.toml"), manifest).expect("it is written");
    std::fs::write(of_counter.join("src/lib.rs"), counter).expect("it is written");
    let library = "
        #[inline(never)] pub fn take(n: u32) -> u32 { (0..n).map(|_| counter::next()).sum() }
        #[inline(never)] pub fn sleep() { wmbmc_std::thread::park(); }
        #[cfg(test)] mod tests { #[test] fn three() { assert_eq!(super::take(3), 3); } }
    ";
    // Both modules have what parks threads: it is one object for all.
    let tests = "
        #[test] fn two() { assert_eq!(user::take(2), 1); }
        #[test] fn four() { user::take(4); }
        #[test] fn limited() {
            counter::LIMIT.store(1, std::sync::atomic::Ordering::Relaxed);
            user::take(2);
        }
        #[test] fn woken() {
            let sleeper = wmbmc_std::thread::spawn(user::sleep);
            sleeper.thread().unpark();
            sleeper.join().unwrap();
        }
        #[test] fn not_woken() {
            let sleeper = wmbmc_std::thread::spawn(user::sleep);
            sleeper.join().unwrap();
        }
    ";
    let standard = root().join("crates/wmbmc-std");
    let dependencies = format!(
        "[dependencies]\ncounter = {{ path = \"counter\" }}\nwmbmc-std = {{ path = {standard:?} }}"
    );
    write_crate(folder.path(), library, tests, &dependencies);
    let target = folder.path().join("target");
    let words = ["--", "--mm", "sc", "--check", "assert,memory,deadlock"];
    let said = cargo_wmbmc(folder.path(), &target, &words);
    assert_eq!(said.code, Some(10), "{}", said.text);
    let rows = [
        ("tests::three on sc", "... SAFE"),
        ("two on sc", "... SAFE"),
        ("four on sc", "... UNSAFE"),
        ("limited on sc", "... UNSAFE"),
        ("woken on sc", "... SAFE"),
        ("not_woken on sc", "... UNSAFE"),
    ];
    for (test, end) in rows {
        assert!(said.line(test).ends_with(end), "{test}: {}", said.text);
    }
    assert!(said.text.contains("assertion `too many`"), "{}", said.text);
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    if !has_cargo() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary directory");
    let manifest = "[[test]]\nname = \"of_user\"\nharness = false";
    write_crate(
        folder.path(),
        "",
        "fn main() { panic!(\"it runs\") }",
        manifest,
    );
    let target = folder.path().join("target");
    let own = cargo_wmbmc(folder.path(), &target, &[]);
    assert_eq!(own.code, Some(2), "{}", own.text);
    assert!(own.text.contains("tests/of_user.rs"), "{}", own.text);
    assert!(own.text.contains("harness = false"), "{}", own.text);
    assert!(!own.text.contains("it runs"), "{}", own.text);

    let format = cargo_wmbmc(folder.path(), &target, &["--", "--format", "json"]);
    assert_eq!(format.code, Some(1), "{}", format.text);
    assert!(
        format.text.contains("--format is not supported"),
        "{}",
        format.text
    );

    write_crate(folder.path(), "fn wrong() -> u32 { true }", "", "");
    let wrong = cargo_wmbmc(folder.path(), &target, &[]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.text);
    assert!(wrong.text.contains("mismatched types"), "{}", wrong.text);
}

#[test]
fn the_page_has_every_option() {
    let page = std::fs::read_to_string(root().join("docs/rust.md")).expect("it is a page");
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-wmbmc"))
        .args(["wmbmc", "--help"])
        .output();
    let help = output.expect("cargo has built it").stdout;
    let help = String::from_utf8(help).expect("UTF-8");
    let options = help
        .lines()
        .map(str::trim_start)
        .filter(|l| l.starts_with('-'));
    let words = options.flat_map(str::split_whitespace);
    let long: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
    assert!(long.len() > 10, "{help}");
    for option in long {
        let given = ["--help", "--version"].contains(&option);
        assert!(given || page.contains(&format!("`{option}")), "{option}");
    }
}
