//! Programs of Rust (`benchmarks/rust`), with the crate that has threads and locks for them.

use std::process::Command;
use support::{Missing, skipped};

/// Whether there is a compiler; says so otherwise.
fn has_compiler() -> bool {
    let named = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let output = Command::new(named).arg("--version").output();
    let found = output.is_ok_and(|o| o.status.success());
    if !found {
        skipped(Missing::Extra("rustc"));
    }
    found
}

#[test]
fn programs_of_rust_have_their_verdicts() {
    if !has_compiler() {
        return;
    }
    let cases = support::cases_of_kind("benchmarks/rust", "rs");
    support::check_on_one_model(&cases, &["--timeout", "600"]);
}

/// What a program with this main function answers, and what is said of it.
fn answer(items: &str, main: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("program.rs");
    let text = format!("{items}\nfn main() {{\n{main}\n}}\n");
    std::fs::write(&path, text).expect("it is written");
    let mut args = vec![path.to_str().expect("a path in UTF-8"), "--mm", "sc"];
    args.extend(options);
    let output = support::wmbmc(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    String::from_utf8_lossy(&output.stdout).into_owned() + &errors
}

#[test]
fn panics_are_violated_assertions_with_their_texts() {
    if !has_compiler() {
        return;
    }
    let any = "let any: u32 = wmbmc_std::nondet();";
    let rows = [
        ("assert!(any != 7);", "assertion `any != 7`"),
        ("assert!(any != 7, \"seven\");", "assertion `seven`"),
        ("assert_eq!(any & 1, 0);", "assertion `left == right`"),
        ("assert_ne!(any, 9);", "assertion `left != right`"),
        (
            "if any == 3 { panic!(\"{any} is bad\"); }",
            "assertion `{} is bad`",
        ),
        ("drop(any + 1);", "assertion `attempt to add with overflow`"),
        (
            "std::hint::black_box(1 / any);",
            "assertion `attempt to divide by zero`",
        ),
        (
            "std::hint::black_box([1, 2][any as usize]);",
            "assertion `index out of bounds`",
        ),
        (
            "std::hint::black_box(any.checked_sub(1).unwrap());",
            "`Option::unwrap()` on a `None` value",
        ),
        (
            "std::hint::black_box(any.checked_sub(1).expect(\"enough\"));",
            "assertion `enough`",
        ),
        (
            "std::hint::black_box(u8::try_from(any).unwrap());",
            "`Result::unwrap()` on an `Err` value",
        ),
        ("debug_assert!(any < 10);", "assertion `any < 10`"),
        (
            "if any == 1 { todo!(); }",
            "assertion `not yet implemented`",
        ),
    ];
    for (statement, said) in rows {
        let answer = answer("", &format!("{any}\n{statement}"), &[]);
        assert!(answer.starts_with("UNSAFE"), "{statement}: {answer}");
        assert!(answer.contains(said), "{statement}: {answer}");
    }
}

#[test]
fn the_library_of_collections_is_followed() {
    if !has_compiler() {
        return;
    }
    let rows = [
        "let mut v = Vec::new(); for i in 0..3u32 { v.push(i); } assert_eq!(v.iter().sum::<u32>(), 3);",
        "let v = vec![0u8; 4]; assert!(v.iter().all(|b| *b == 0));",
        "let b: Box<dyn Fn(u32) -> u32> = Box::new(|n| n + 1); assert_eq!(b(1), 2);",
        "let a = std::sync::Arc::new(5); let w = std::sync::Arc::downgrade(&a); drop(a); assert!(w.upgrade().is_none());",
        "let s = String::from(\"word\"); println!(\"{s}\"); assert_eq!(s.len(), 4);",
        "let m = wmbmc_std::sync::Mutex::new(1); *m.lock().unwrap() += 1; assert_eq!(m.into_inner().unwrap(), 2);",
        "let m = wmbmc_std::sync::Mutex::new(()); let g = m.lock(); assert!(m.try_lock().is_err()); drop(g);",
        "let l = wmbmc_std::sync::LazyLock::new(|| 3); assert_eq!(*l, 3); assert_eq!(*l, 3);",
    ];
    for main in rows {
        let answer = answer("", main, &[]);
        assert!(answer.starts_with("SAFE"), "{main}: {answer}");
    }
}

#[test]
fn operations_that_c_has_not_are_followed() {
    if !has_compiler() {
        return;
    }
    let uses = "use std::sync::atomic::{AtomicI32, AtomicU8, Ordering::SeqCst};";
    let rows = [
        "let a = AtomicI32::new(1); assert_eq!(a.fetch_max(4, SeqCst), 1); a.fetch_min(-3, SeqCst); assert_eq!(a.into_inner(), -3);",
        "let a = AtomicU8::new(3); a.fetch_max(200, SeqCst); a.fetch_nand(1, SeqCst); assert_eq!(a.into_inner(), 255);",
        "let any: u64 = wmbmc_std::nondet(); assert_eq!(any.checked_mul(2).is_none(), any > u64::MAX / 2);",
        "let any: i64 = wmbmc_std::nondet(); assert_eq!(any.checked_mul(-1).is_none(), any == i64::MIN);",
        "let any: i32 = wmbmc_std::nondet(); assert_eq!(any.cmp(&5) as i32, (any > 5) as i32 - (any < 5) as i32);",
        "let mut w = [wmbmc_std::nondet(), 1, 2]; w[0] = 3u32; w.sort(); assert_eq!(w, [1, 2, 3]);",
    ];
    for main in rows {
        let answer = answer(uses, main, &[]);
        assert!(answer.starts_with("SAFE"), "{main}: {answer}");
    }
}

#[test]
fn what_the_compiler_refuses_is_said() {
    if !has_compiler() {
        return;
    }
    let answer = answer("", "let x: u32 = true;", &[]);
    assert!(answer.contains("refuses"), "{answer}");
    assert!(answer.contains("mismatched types"), "{answer}");
}
