//! `--dimacs` writes what is checked: the formula is satisfiable if and only if the verdict is
//! `UNSAFE`, whatever the kinds of property.

use rayon::prelude::*;
use std::rc::Rc;
use wmbmc::smt::sat::{Cadical, SatResult, Solver};

/// Programs with options, on some models.
const RUNS: [(&str, &str, &str); 18] = [
    ("benchmarks/store_buffer.c", "", "sc,tso,power"),
    ("benchmarks/store_buffer.c", "-DFENCED", "tso,power"),
    ("benchmarks/store_buffer.c", "--check memory", "tso"),
    ("tests/c/no_assertion_race.c", "", "sc,power"),
    ("tests/c/no_assertion_race.c", "--check assert", "sc"),
    ("tests/c/no_assertion_race.c", "--check deadlock", "sc,tso"),
    (
        "benchmarks/races/plain_flag.c",
        "--check race --unwind 1",
        "sc,power",
    ),
    (
        "benchmarks/races/semaphores.c",
        "--check race --unwind 2",
        "sc",
    ),
    ("tests/c/deadlock_locks.c", "--check deadlock -DORDER", "sc"),
    ("tests/c/deadlock_locks.c", "--check deadlock", "sc"),
    ("tests/c/memory_freed.c", "-DAFTER", "sc,tso"),
    ("tests/c/memory_freed.c", "-DIN_TIME", "sc,tso"),
    ("tests/c/memory_shared.c", "-DFLAG=relaxed", "tso,power"),
    ("tests/c/memory_leak.c", "--check leak", "sc"),
    ("tests/c/memory_leak.c", "--check leak -DFREE", "sc"),
    ("tests/c/arithmetic.c", "--check overflow -DE=a+b", "sc"),
    (
        "tests/c/arithmetic.c",
        "--check divzero -DE=(b!=0&&a/b>1)",
        "sc",
    ),
    ("tests/c/loops_two.c", "--unwind 6 -DGAP", "sc"),
];

/// Whether a formula in DIMACS form is satisfiable.
fn satisfiable(text: &str) -> bool {
    let mut lines = text.lines().filter(|l| !l.starts_with('c'));
    let head = lines.next().expect("a head");
    let words: Vec<&str> = head.split_whitespace().collect();
    let ["p", "cnf", variables, clauses] = words[..] else {
        panic!("no head: {head}");
    };
    let body: String = lines.collect::<Vec<_>>().join(" ");
    let flat: Vec<i32> = body
        .split_whitespace()
        .map(|l| l.parse().expect("a literal"))
        .collect();
    let ends = flat.iter().filter(|l| **l == 0).count();
    assert_eq!(clauses, ends.to_string());
    let most = flat.iter().map(|l| l.unsigned_abs()).max().unwrap_or(0);
    assert!(most <= variables.parse().expect("a number"));
    let mut solver = Cadical::new(Rc::new(|| false));
    solver.add(&flat);
    solver.solve(&[]) == SatResult::Sat
}

#[test]
fn the_formula_is_satisfiable_where_the_verdict_is_unsafe() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runs: Vec<(usize, &str)> = (0..RUNS.len())
        .flat_map(|i| RUNS[i].2.split(',').map(move |m| (i, m)))
        .collect();
    let found: Vec<bool> = runs
        .par_iter()
        .map(|(i, model)| {
            let (file, options, _) = RUNS[*i];
            let formula = folder.path().join(format!("{i}.{model}.cnf"));
            let mut args = vec![file, "--mm", model, "--format", "json", "--dimacs"];
            args.push(formula.to_str().expect("UTF-8"));
            args.extend(options.split_whitespace());
            let output = support::wmbmc(&args);
            let object: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("an object");
            let violated = object["verdict"] == "UNSAFE";
            let text = std::fs::read_to_string(&formula).expect("it was written");
            assert_eq!(satisfiable(&text), violated, "{args:?}: {object}");
            let kinds = object["properties"].as_array().expect("a list");
            let kinds: Vec<&str> = kinds.iter().filter_map(|p| p["kind"].as_str()).collect();
            let named = format!(
                "c the last clause asks for a violation of: {}\n",
                kinds.join(", ")
            );
            assert!(text.contains(&named), "{named}");
            violated
        })
        .collect();
    assert!(found.iter().filter(|v| **v).count() >= 8);
    assert!(found.iter().filter(|v| !**v).count() >= 8);
}

#[test]
fn a_limit_that_passes_leaves_no_half_formula() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let formula = folder.path().join("f.cnf");
    let path = formula.to_str().expect("UTF-8");
    let output = support::wmbmc([
        "benchmarks/store_buffer.c",
        "--timeout",
        "0.000001",
        "--dimacs",
        path,
    ]);
    assert_eq!(output.status.code(), Some(5));
    assert!(!formula.exists());
}
