//! The exploration of executions visits each one, once, and its answers stand without a bound.

use support::exploration::compared;
use support::pipeline::{Subject, looking_for};
use support::{builtin, wmbmc};
use wmbmc::enumerate::EnumerateOptions;
use wmbmc::enumerate::explore::{Exploration, ExploreError, ExploreOptions, check, explore};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

/// A program whose threads do these statements, each in a function of its own.
fn program(threads: &[&str], last: &str) -> String {
    let number = |i: usize| format!("t{i}");
    let functions = threads.iter().enumerate().map(|(i, body)| {
        let name = number(i);
        format!("void *f{name}(void *a) {{ {body} return 0; }}\n")
    });
    let functions: String = functions.collect();
    let all = || (0..threads.len()).map(number);
    let create: String = all()
        .map(|t| format!("pthread_t {t}; pthread_create(&{t}, 0, f{t}, 0);\n"))
        .collect();
    let join: String = all().map(|t| format!("pthread_join({t}, 0);\n")).collect();
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         atomic_int x, y, l; int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         {functions}int main(void) {{ {create}{join}{last} return 0; }}\n"
    )
}

fn explored(text: &str, model: &str) -> Result<Exploration, ExploreError> {
    let checks = [PropertyKind::Assertion];
    let subject = Subject::c(text, &looking_for(&checks));
    let options = EnumerateOptions {
        checks: checks.to_vec(),
        bounds: Bounds::all(1 << 16),
        max_executions: u64::MAX,
    };
    explore(
        &subject.program,
        &builtin(model),
        &options,
        ExploreOptions::default(),
        &|| false,
    )
}

fn count(text: &str, model: &str) -> (u64, u64) {
    let found = explored(text, model).expect("it can be explored");
    assert!(found.found.is_complete(), "{text}");
    (found.complete, found.blocked)
}

const STORE_X: &str = "atomic_store_explicit(&x, 1, memory_order_relaxed);";
const STORE_Y: &str = "atomic_store_explicit(&y, 1, memory_order_relaxed);";
const LOAD_X: &str = "int r = atomic_load_explicit(&x, memory_order_relaxed);";
const LOAD_Y: &str = "int r = atomic_load_explicit(&y, memory_order_relaxed);";

#[test]
fn each_execution_is_visited_once() {
    let add = "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);";
    let locked = "pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);";
    let spinning = "int o = 0; while (!atomic_compare_exchange_strong(&l, &o, 1)) o = 0; n++; \
                    atomic_store(&l, 0);";
    let (first, second) = (STORE_X.to_owned() + LOAD_Y, STORE_Y.to_owned() + LOAD_X);
    let message = STORE_X.to_owned() + "atomic_store_explicit(&y, 1, memory_order_release);";
    let awaits = "while (!atomic_load_explicit(&y, memory_order_acquire)) ;".to_owned() + LOAD_X;
    for model in ["sc", "tso", "pso", "rc11"] {
        let executions = |threads: &[&str]| count(&program(threads, ""), model);
        // Each order of the additions, of the locks.
        for threads in 1..=5 {
            let orders = (1..=threads).product::<usize>() as u64;
            assert_eq!(executions(&vec![add; threads]), (orders, 0), "{model}");
            assert_eq!(executions(&vec![locked; threads]).0, orders, "{model}");
        }
        // Each reader sees the write or not.
        let readers = [STORE_X, LOAD_X, LOAD_X, LOAD_X];
        assert_eq!(executions(&readers), (8, 0), "{model}");
        let buffering = executions(&[&first, &second]);
        let expected = if model == "sc" { 3 } else { 4 };
        assert_eq!(buffering, (expected, 0), "{model}");
        // What waits does not go round.
        assert_eq!(executions(&[&message, &awaits]), (1, 0), "{model}");
        assert!(executions(&[spinning; 3]).0 >= 6, "{model}");
    }
}

#[test]
fn loops_without_a_bound_end() {
    let retry = "int o = atomic_load(&x); while (!atomic_compare_exchange_strong(&x, &o, o + 1)) ;";
    let text = program(&[retry; 3], "assert(x == 3);");
    for model in ["sc", "tso", "pso", "rc11"] {
        let found = explored(&text, model).expect("it can be explored");
        let is_safe = found.found.violations.is_empty() && found.complete > 0;
        assert!(found.found.is_complete() && is_safe, "{model}");
    }
    let waits = ["exchange_lock", "fetch_or_lock", "tas_lock", "poll_lock"];
    for name in waits.into_iter().chain(["condition_flag", "latch"]) {
        for model in ["sc", "rc11"] {
            let file = format!("benchmarks/textbook/{name}.c");
            let output = wmbmc([&file, "--mm", model, "--engine", "explore"]);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.starts_with("SAFE\n"), "{name} on {model}: {text}");
        }
    }
    let file = "benchmarks/textbook/cas_counter.c";
    let output = wmbmc([file, "--mm", "rc11", "--engine", "auto"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("SAFE\n"), "{text}");
    let output = wmbmc([file, "--mm", "rc11", "--engine", "explore", "--stats"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let explored = text.starts_with("SAFE\n") && text.contains("executions");
    assert!(explored, "{text}");
}

#[test]
fn a_critical_section_that_others_look_into_is_followed() {
    let polls = "for (int d = 0; !d;) { d = atomic_load(&y); pthread_mutex_lock(&m); \
                 pthread_mutex_unlock(&m); }";
    let looks = "if (pthread_mutex_trylock(&m)) atomic_store(&x, 1); else pthread_mutex_unlock(&m); \
                 atomic_store(&y, 1);";
    for (section, is_seen) in [(polls, true), ("", false)] {
        let text = program(&[section, looks], "assert(x == 0);");
        let subject = Subject::c(&text, &looking_for(&[PropertyKind::Assertion]));
        for model in ["sc", "tso", "pso", "rc11"] {
            let options = EnumerateOptions {
                checks: vec![PropertyKind::Assertion],
                bounds: Bounds::all(2),
                max_executions: u64::MAX,
            };
            let shorter = ExploreOptions {
                leaves_out_writes: true,
                ..ExploreOptions::default()
            };
            let all = [ExploreOptions::default(), shorter].map(|how| {
                let found = explore(&subject.program, &builtin(model), &options, how, &|| false);
                !found.expect("it is explored").found.violations.is_empty()
            });
            assert_eq!(all, [is_seen; 2], "{model}: {section}");
        }
    }
}

#[test]
fn what_comes_behind_a_join_that_is_executed_later_is_explored() {
    for how in ["-DPARENT", "-DSIBLING"] {
        let output = wmbmc(["tests/c/join_executed_later.c", how, "--mm", "tso"]);
        assert_eq!(output.status.code(), Some(10), "{how}");
    }
}

#[test]
fn an_execution_is_shown_of_what_the_exploration_violates() {
    for engine in ["auto", "explore"] {
        let output = wmbmc([
            "benchmarks/store_buffer.c",
            "--mm",
            "tso",
            "--engine",
            engine,
        ]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(10), "{text}");
        assert!(text.contains("store x"), "{text}");
    }
}

#[test]
fn a_violation_stays_when_the_exploration_is_interrupted() {
    let add = "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);";
    let text = program(&[add; 6], "assert(x == 0);");
    let checks = [PropertyKind::Assertion];
    let subject = Subject::c(&text, &looking_for(&checks));
    let options = EnumerateOptions {
        checks: checks.to_vec(),
        bounds: Bounds::all(1),
        max_executions: u64::MAX,
    };
    let looks = std::cell::Cell::new(0);
    let third = || looks.replace(looks.get() + 1) == 3;
    let first = ExploreOptions {
        first: true,
        ..ExploreOptions::default()
    };
    let found = explore(&subject.program, &builtin("sc"), &options, first, &third);
    let found = found.expect("the violation is there before");
    assert!(found.is_cut && !found.found.violations.is_empty() && found.complete < 720);
    assert!(found.witnesses[&PropertyKind::Assertion].is_some());
}

#[test]
fn more_executions_than_wanted_are_no_answer() {
    let text = program(&[STORE_X, LOAD_X, LOAD_X, LOAD_X], "");
    let subject = Subject::c(&text, &looking_for(&[]));
    for (most, is_whole) in [(7, false), (8, true)] {
        let options = EnumerateOptions {
            checks: Vec::new(),
            bounds: Bounds::all(1),
            max_executions: most,
        };
        let found = explore(
            &subject.program,
            &builtin("sc"),
            &options,
            ExploreOptions::default(),
            &|| false,
        );
        let found = found.expect("it can be explored").found;
        assert_eq!(found.is_complete(), is_whole, "{most}");
    }
}

#[test]
fn both_engines_end_where_a_loop_does_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lock.c");
    let spinning = "while (atomic_exchange(&l, 1)) ; n++; atomic_store(&l, 0);";
    std::fs::write(&path, program(&[spinning; 2], "assert(n == 2);")).expect("writable");
    let path = path.to_str().expect("UTF-8");
    let output = wmbmc([
        path, "--mm", "sc", "--engine", "both", "--unwind", "1", "-q",
    ]);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
    let output = wmbmc([
        path,
        "--mm",
        "sc",
        "--engine",
        "both",
        "-q",
        "--timeout",
        "20",
    ]);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
}

#[test]
fn what_cannot_be_explored_is_refused_by_name() {
    for (model, why) in [
        ("power", "it lets a thread write"),
        ("aarch64", "it lets a thread write"),
        ("rmo", "it lets a thread write"),
    ] {
        let refused = check(&builtin(model)).expect_err(model);
        assert!(refused.starts_with(why), "{model}: {refused}");
    }
    let section = "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n";
    let body = "__VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end();";
    let text = section.to_owned() + &program(&[body, body], "");
    let refused = explored(&text, "sc").expect_err("sections are not explored");
    assert!(
        refused.to_string().contains("an atomic section"),
        "{refused}"
    );
}

#[test]
fn enumerations_are_compared_with_explorations() {
    let before = compared();
    let checks = [PropertyKind::Assertion];
    let text = program(&[STORE_X, LOAD_X], "");
    let subject = Subject::c(&text, &looking_for(&checks));
    let models = ["sc", "tso", "pso", "rc11", "power"].map(builtin);
    subject.enumerate(&models, Bounds::all(1), &checks, 100);
    assert!(compared() >= before + 4);
}
