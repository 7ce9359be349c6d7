//! How far loops are unwound: step by step, by themselves, and as they are listed.

use serde_json::Value;
use std::path::Path;
use support::{models, wmbmc};

/// What one run says of the loops alone, as JSON, and its exit code. Some of the programs race, or
/// have no assertions.
fn answer(file: &str, options: &[&str]) -> (Value, i32) {
    let path = format!("tests/c/{file}");
    let mut args = vec![
        path.as_str(),
        "--format",
        "json",
        "--check",
        // Division by zero is no part of a proof for any number of threads.
        "assert,memory,divzero",
    ];
    args.extend(options);
    let output = wmbmc(args);
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}: {text}"));
    (value, output.status.code().expect("no signal"))
}

fn verdict(file: &str, options: &[&str]) -> String {
    let (value, _) = answer(file, options);
    value["verdict"].as_str().expect("a verdict").to_string()
}

#[test]
fn step_by_step_until_no_bound_is_reached() {
    let (found, exit) = answer(
        "loops_unknown.c",
        &["-DVALUE", "--incremental", "--engine", "sat"],
    );
    assert_eq!((found["verdict"].as_str(), exit), (Some("SAFE"), 0));
    assert_eq!(
        found["bound"], 7,
        "7 rounds, tried with every bound up to it"
    );
}

#[test]
fn step_by_step_until_a_violation() {
    let (found, exit) = answer(
        "loops_unknown.c",
        &["-DVALUE", "-DFOUR", "--incremental", "--engine", "sat"],
    );
    assert_eq!((found["verdict"].as_str(), exit), (Some("UNSAFE"), 10));
    assert_eq!(found["bound"], 7);
}

#[test]
fn step_by_step_up_to_a_bound() {
    let options = [
        "-DVALUE",
        "--incremental",
        "--unwind",
        "5",
        "--engine",
        "sat",
    ];
    let (found, exit) = answer("loops_unknown.c", &options);
    assert_eq!(
        (found["verdict"].as_str(), exit),
        (Some("SAFE_UP_TO_BOUND"), 5)
    );
    assert_eq!(found["cuts"][0]["bound"], 5);
    assert!(found["stopped"].is_null());
}

#[test]
fn step_by_step_until_time_is_up() {
    let options = [
        "-DSTUCK",
        "--incremental",
        "--timeout",
        "5",
        "--engine",
        "sat",
    ];
    let (found, exit) = answer("loops_unknown.c", &options);
    assert_eq!(
        (found["verdict"].as_str(), exit),
        (Some("SAFE_UP_TO_BOUND"), 5)
    );
    assert_eq!(found["stopped"], "no answer within 5 s");
    assert!(found["cuts"][0]["bound"].as_u64().is_some_and(|b| b >= 2));
}

#[test]
fn only_loops_at_their_bound_go_deeper() {
    let (found, _) = answer(
        "loops_two.c",
        &["--incremental", "--unwind", "20", "--engine", "sat"],
    );
    assert_eq!(found["verdict"], "SAFE_UP_TO_BOUND");
    let loops = found["cuts"].as_array().expect("cuts");
    let names: Vec<&str> = loops.iter().filter_map(|l| l["loop"].as_str()).collect();
    assert_eq!(names, ["main.1"], "main.0 takes three rounds, main.3 waits");
}

#[test]
fn a_bound_that_was_asked_for_counts() {
    let is_bounded = |file: &str, options: &[&str]| {
        let options = [&["--engine", "sat"], options].concat();
        assert_eq!(verdict(file, &options), "SAFE_UP_TO_BOUND", "{options:?}");
    };
    is_bounded("loops_known.c", &["-DBREAK", "--unwindset", "main.0:3"]);
    is_bounded(
        "loops_unknown.c",
        &["-DVALUE", "--incremental", "--unwindset", "main.0:3"],
    );
    is_bounded(
        "loops_known.c",
        &["-DRECURSION", "--unwindset", "down_to:2"],
    );
}

#[test]
fn a_violation_behind_what_has_no_meaning_is_looked_for() {
    let options = ["-DGAP", "--incremental", "--unwind", "6"];
    assert_eq!(verdict("loops_two.c", &options), "UNSAFE");
}

#[test]
fn both_engines_go_step_by_step_to_the_same_bounds() {
    let options = ["-DVALUE", "--incremental", "--engine", "both"];
    assert_eq!(verdict("loops_unknown.c", &options), "SAFE");
    let output = wmbmc([
        "tests/c/loops_two.c",
        "--incremental",
        "--engine",
        "enumerate",
    ]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn known_loops_are_complete_for_enumeration_too() {
    for loops in [
        "BREAK",
        "DOWN",
        "NESTED",
        "PARAMETER",
        "MEMORY",
        "RECURSION",
        "CHAIN",
    ] {
        let define = format!("-D{loops}");
        let options = [define.as_str(), "--unwind", "1", "--engine", "enumerate"];
        assert_eq!(verdict("loops_known.c", &options), "SAFE", "{loops}");
    }
    for loops in ["VALUE", "CHAIN"] {
        let define = format!("-D{loops}");
        let options = [define.as_str(), "--unwind", "1", "--engine", "enumerate"];
        assert_eq!(verdict("loops_unknown.c", &options), "UNKNOWN", "{loops}");
    }
}

/// By name: what is said of the loops of a program.
fn listed(file: &str, options: &[&str]) -> Vec<(String, String, Option<u64>)> {
    let mut all = vec!["--show-loops"];
    all.extend(options);
    let (found, exit) = answer(file, &all);
    assert_eq!(exit, 0);
    let loops = found["loops"].as_array().expect("a list");
    let of = |l: &Value, field: &str| l[field].as_str().expect("text").to_string();
    loops
        .iter()
        .map(|l| (of(l, "name"), of(l, "extent"), l["most"].as_u64()))
        .collect()
}

#[test]
fn loops_are_listed_by_the_names_that_bounds_take() {
    let row = |name: &str, extent: &str, most| (name.to_string(), extent.to_string(), most);
    let two = listed("loops_two.c", &[]);
    assert!(two.contains(&row("main.0", "bounded", Some(3))), "{two:?}");
    assert!(two.contains(&row("main.1", "cut", Some(5))), "{two:?}");
    assert!(two.contains(&row("main.3", "await", None)), "{two:?}");
    assert!(two.contains(&row("main.2", "unreached", None)), "{two:?}");
    let known = listed("loops_known.c", &["-DRECURSION"]);
    assert!(
        known.contains(&row("down_to", "bounded", Some(7))),
        "{known:?}"
    );
    let unknown = listed("loops_unknown.c", &["-DRECURSION"]);
    assert!(
        unknown.contains(&row("down_to", "cut", Some(5))),
        "{unknown:?}"
    );
    let text = wmbmc(["tests/c/loops_two.c", "--show-loops"]);
    let text = String::from_utf8(text.stdout).expect("output is UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines
            .iter()
            .any(|l| l.starts_with("main.0") && l.contains("loops_two.c:")),
        "{text}"
    );
}

#[test]
fn suites_go_step_by_step() {
    let folder = std::env::temp_dir().join(format!("wmbmc-unwinding-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    let test = "X86 count\n{ x=0; }\n P0           ;\n MOV EAX,$3   ;\n LC0:         ;\n \
                XADD [x],EAX ;\n CMP EAX,$0   ;\n JE LC0       ;\nexists (x=3)\n";
    std::fs::write(folder.join("count.litmus"), test).expect("writable");
    let path = folder.display().to_string();
    let output = wmbmc([
        "suite",
        &path,
        "--incremental",
        "--timeout",
        "5",
        "--engine",
        "both",
    ]);
    let printed = String::from_utf8_lossy(&output.stdout).to_string();
    std::fs::remove_dir_all(&folder).expect("ours");
    assert_eq!(output.status.code(), Some(0), "{printed}");
}

#[test]
fn as_many_threads_on_every_model() {
    for model in models() {
        let words = ["--mm", model, "--unwind", "2", "--stats", "--engine", "sat"];
        let (found, _) = answer("one_writer.c", &words);
        assert_eq!(found["stats"]["threads"], 4, "{model}: {found}");
    }
}

/// Threads that never end. Nothing in the text can be violated, but for what a macro adds.
const ENDLESS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y[2];
int plain[2];
const int fixed = 1;
int *pointer;

void *first(void *arg) {
  while (1) {
    atomic_fetch_xor_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y[1], 1, memory_order_relaxed);
#if defined PLAIN || defined OWN
    plain[0]++;
#elif defined INDEX
    atomic_store_explicit(&y[x * 2], 1, memory_order_relaxed);
#elif defined ASSERTION
    assert(x < 1);
#elif defined CONSTANT
    *(int *)&fixed = 2;
#elif defined POINTER
    *pointer = 1;
#endif
  }
  return 0;
}

void *second(void *arg) {
  while (1) {
    atomic_load_explicit(&x, memory_order_relaxed);
#ifdef PLAIN
    plain[0]++;
#elif defined OWN
    plain[1]++;
#endif
  }
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  return 0;
}
"#;

#[test]
fn bounds_do_not_matter_where_nothing_can_be_violated() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless.c");
    std::fs::write(&file, ENDLESS).expect("a program");
    let path = file.to_str().expect("a name");
    for (define, expected) in [
        ("NOTHING", "SAFE"),
        ("OWN", "SAFE"),
        ("PLAIN", "UNSAFE"),
        ("INDEX", "UNSAFE"),
        ("ASSERTION", "UNSAFE"),
        ("CONSTANT", "UNSAFE"),
        ("POINTER", "UNSAFE"),
    ] {
        for model in ["sc", "power", "rc11"] {
            let define = format!("-D{define}");
            let kinds = "assert,memory,misuse,race";
            let args = [
                path, &define, "--mm", model, "--check", kinds, "--format", "json",
            ];
            let answer: Value = serde_json::from_slice(&wmbmc(args).stdout).expect("JSON");
            assert_eq!(answer["verdict"], expected, "{define} on {model}");
        }
    }
    // Races are not looked for, and a proof is that of a formula.
    for (options, expected) in [
        (["-DPLAIN", "--check", "memory"], "SAFE"),
        (["-DNOTHING", "--unwind", "1"], "SAFE"),
        (["--certify", "--unwind", "1"], "SAFE_UP_TO_BOUND"),
    ] {
        let mut args = vec![path, "--mm", "sc", "--format", "json"];
        args.extend(options);
        let answer: Value = serde_json::from_slice(&wmbmc(args).stdout).expect("JSON");
        assert_eq!(answer["verdict"], expected, "{options:?}");
    }
}
