//! `--linearizable` as people type it: clients, what they return, and what is said of it.

use serde_json::Value;
use std::path::Path;
use support::wmbmc;

/// A program in a folder of its own, and what is printed about it.
fn printed(files: &[(&str, &str)], arguments: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, text) in files {
        std::fs::write(path(name), text).expect("writable");
    }
    let words = arguments.split_whitespace();
    let words = words.map(|word| match Path::new(word).extension() {
        Some(_) => path(word),
        None => word.to_string(),
    });
    let output = wmbmc([path(files[0].0)].into_iter().chain(words));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

const COUNTER: &str = "#include <stdatomic.h>
atomic_int n;
int add(void) { int old = n; n = old + 1; return old; }
int get(void) { return n; }
";

const STACK: &str = "int items[4], n;
void put(int item) { items[n++] = item; }
int take(void) { return n ? items[--n] : 0; }
";

const QUEUE: &str = "int items[4], first, behind;
void put(int item) { items[behind++] = item; }
int take(void) { return first < behind ? items[first++] : 0; }
";

/// A structure with a lock around everything.
fn locked(text: &str) -> String {
    let text = text.replace(") {", ") { pthread_mutex_lock(&m);");
    let text = text.replace("= item; }", "= item; pthread_mutex_unlock(&m); }");
    let text = text.replace("return ", "int r = ");
    let text = text.replace(": 0; }", ": 0; pthread_mutex_unlock(&m); return r; }");
    format!("#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n{text}")
}

#[test]
fn a_violation_shows_its_history() {
    let client = "--linearizable --parallel add;add --finally get";
    let (code, text, _) = printed(&[("counter.c", COUNTER)], client);
    assert_eq!(code, Some(10), "{text}");
    let first = "UNSAFE\nnot linearizable: no order of the calls that respects real time has these results\n\n";
    assert!(text.starts_with(first), "{text}");
    let rows: Vec<&str> = text.lines().skip(3).take(3).collect();
    for (row, (thread, call)) in rows.iter().zip([
        ("thread 1", "add() = 0"),
        ("thread 2", "add() = 0"),
        ("main", "get() = 1"),
    ]) {
        assert!(
            row.trim().starts_with(thread) && row.contains(call),
            "{text}"
        );
    }
    // What main calls comes behind the calls of the threads.
    let bar = |row: &str| (row.find('|'), row.rfind('|'));
    assert!(bar(rows[0]).1 <= bar(rows[2]).0, "{text}");
    assert!(
        text.contains("  in no order the calls return this\n"),
        "{text}"
    );
    let (_, json, _) = printed(
        &[("counter.c", COUNTER)],
        &format!("{client} --format json"),
    );
    let answer: Value = serde_json::from_str(&json).expect("an object");
    assert_eq!(answer["code"], "V0015");
    let history = &answer["history"];
    let calls: Vec<_> = history["calls"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let threads: Vec<_> = calls.iter().map(|c| c["thread"].as_u64()).collect();
    assert_eq!(threads, [Some(1), Some(2), Some(0)]);
    assert_eq!(calls[2]["results"][0]["value"], "1");
    assert_eq!(history["before"].as_array().map(Vec::len), Some(0));
}

#[test]
fn real_time_is_more_than_program_order() {
    let program = "#include <stdatomic.h>\natomic_int copies[2];\n\
                   void put(int n) { copies[0] = n; copies[1] = n; }\n\
                   int get(int i) { return copies[i]; }\n";
    let of = |check: &str| {
        let client = format!("--check {check} --parallel put(1);get(0);get(1) --mm sc -q");
        printed(&[("copies.c", program)], &client).1
    };
    assert_eq!(of("linearizable"), "UNSAFE\n");
    assert_eq!(of("sequential"), "SAFE\n");
    assert_eq!(of("quiescent"), "SAFE\n");
}

#[test]
fn kinds_are_told_apart_where_several_are_checked() {
    // An order that turns a thread's calls around explains the results, and is one for quiescence alone.
    let program = "#include <stdatomic.h>\natomic_int a[2];\n\
                   void set(int i) { atomic_store_explicit(&a[i], 1, memory_order_relaxed); }\n\
                   int get(int i) { return atomic_load_explicit(&a[i], memory_order_relaxed); }\n";
    let client = "--check sequential,quiescent --parallel set(0),get(1);set(1),get(0) --mm tso";
    let (code, text, said) = printed(&[("flags.c", program)], client);
    assert_eq!(code, Some(10), "{text}{said}");
    assert!(
        text.contains("  sequential: violated\n  quiescent: holds\n"),
        "{text}"
    );
}

#[test]
fn looking_at_counters_orders_nothing_else() {
    let program = "#include <stdatomic.h>\natomic_int a[2];\n\
                   void set(int i) { atomic_store_explicit(&a[i], 1, memory_order_relaxed); }\n\
                   int get(int i) { return atomic_load_explicit(&a[i], memory_order_relaxed); }\n";
    let of = |kind: &str, client: &str, model: &str| {
        let client = format!("--check {kind} --parallel {client} --mm {model} -q");
        printed(&[("flags.c", program)], &client).1
    };
    for (client, models) in [
        (
            "set(0),get(1);set(1),get(0)",
            &["tso", "aarch64", "power"][..],
        ),
        (
            "set(1),set(0);get(0),get(1)",
            &["pso", "power", "aarch64", "riscv", "rc11"],
        ),
        (
            "get(1),set(0);get(0),set(1)",
            &["power", "aarch64", "riscv"],
        ),
    ] {
        for model in models {
            for kind in ["sequential", "linearizable"] {
                assert_eq!(
                    of(kind, client, model),
                    "UNSAFE\n",
                    "{kind} {client} {model}"
                );
            }
        }
        assert_eq!(of("linearizable", client, "sc"), "SAFE\n", "{client}");
    }
}

#[test]
fn a_specification_says_what_calls_return() {
    let client = "--linearizable --parallel put(1),put(2);take,take -q --spec spec.c";
    for (text, spec, expected) in [
        (STACK, STACK, "SAFE\n"),
        (QUEUE, QUEUE, "SAFE\n"),
        (STACK, QUEUE, "UNSAFE\n"),
        (QUEUE, STACK, "UNSAFE\n"),
    ] {
        let files = [("program.c", &*locked(text)), ("spec.c", spec)];
        assert_eq!(printed(&files, client).1, expected, "{text}{spec}");
    }
    let other = "void put(int n) {}\nlong take(void) { return 0; }\n";
    let (code, _, said) = printed(&[("program.c", &*locked(QUEUE)), ("spec.c", other)], client);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("spec.c:2:6: ") || said.contains("spec.c:2:6\n"),
        "{said}"
    );
}

#[test]
fn all_clients_of_a_size_are_checked() {
    let program = locked(QUEUE);
    let size = "--linearizable --ops put(*),take --threads 2 --calls 1";
    let (_, text, _) = printed(&[("queue.c", &program)], size);
    // Both put, the same number or not; one puts; both take.
    assert!(text.contains("\n  for each of 4 clients\n"), "{text}");
    let (code, text, _) = printed(
        &[("counter.c", COUNTER)],
        "--linearizable --ops add,get --jobs 2",
    );
    assert_eq!(code, Some(10), "{text}");
    assert!(text.contains("\n  one of 10 clients\n"), "{text}");
}

#[test]
fn parameters_return_values_too() {
    let program = "#include <stdatomic.h>\natomic_int n;\n\
                   _Bool next(int *out, unsigned char *odd) { int old = n; n = old + 1; *out = old; *odd = old & 1; return 1; }\n";
    let client = "--linearizable --parallel next(?,?);next(?,?)";
    let (_, text, _) = printed(&[("next.c", program)], client);
    assert!(text.contains("next(?, ?) = 1, out = 0, odd = 0"), "{text}");
}

#[test]
fn each_thread_has_what_is_its_own() {
    let program = "#include <stdatomic.h>\n_Thread_local int mine; atomic_int all;\n\
                   int add(void) { atomic_fetch_add(&all, 1); return ++mine; }\n\
                   int get(void) { return all; }\n";
    let client = "--linearizable --parallel add,add;add,get -q";
    assert_eq!(printed(&[("local.c", program)], client).1, "SAFE\n");
}

#[test]
fn addresses_of_variables_are_results() {
    let program = "#include <stdatomic.h>\nint a, b; _Atomic(int *) top;\n\
                   void put(int *item) { top = item; }\nint *get(void) { return top; }\n\
                   int *lose(void) { int *old = top; top = 0; return old; }\n";
    let client = |calls: &str| {
        let arguments = format!("--linearizable --parallel {calls}");
        printed(&[("top.c", program)], &arguments).1
    };
    assert!(client("put(&a),get;put(&b)").starts_with("SAFE\n"));
    let text = client("put(&a);lose;lose");
    assert!(text.contains("lose() = &a"), "{text}");
}

#[test]
fn orders_are_found_that_keep_it() {
    let program = "#include <stdatomic.h>\n#include <stdlib.h>\nint data; atomic_int ready;\n\
                   void put(int n) { data = n; ready = 1; }\n\
                   int get(void) { return ready ? data : 0; }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("message.c");
    std::fs::write(&path, program).expect("writable");
    let path = path.display().to_string();
    let output = wmbmc([
        "orders",
        &path,
        "--linearizable",
        "--parallel",
        "put(1);get",
        "--mm",
        "rc11",
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("store   seq_cst -> release") || text.contains("store  seq_cst -> release"),
        "{text}"
    );
    assert!(
        text.starts_with("SAFE with weaker orders at 2 of 2 places"),
        "{text}"
    );
}

#[test]
fn wrong_clients_are_refused() {
    let of = |arguments: &str| printed(&[("counter.c", COUNTER)], arguments);
    for (arguments, expected, said) in [
        ("--linearizable", 1, "calls of several threads"),
        (
            "--linearizable --parallel add,get",
            1,
            "calls of several threads",
        ),
        (
            "--linearizable --parallel add;add,add,add,add,add,add,add,add",
            1,
            "up to 8 calls",
        ),
        (
            "--linearizable --parallel add;add(1)",
            2,
            "`add(1)` has 1 argument, and `add` takes 0 arguments",
        ),
        ("--linearizable --parallel add;gt", 2, "did you mean `get`?"),
        ("--linearizable --parallel add;get(", 1, "column 9"),
        ("--spec spec.c", 1, "--spec is given with --linearizable"),
        (
            "--linearizable --ops add --parallel add;add",
            1,
            "cannot be used with",
        ),
        ("--ops add,get --threads 3 --calls 3", 1, "up to 8 calls"),
        (
            "--check linearizable --ops add,get --certify",
            1,
            "of one client",
        ),
        (
            "--setup add(1) --parallel add,get",
            1,
            "with `;` between them",
        ),
    ] {
        let (code, _, message) = of(arguments);
        assert_eq!(code, Some(expected), "{arguments}: {message}");
        assert!(message.contains(said), "{arguments}: {message}");
    }
}

#[test]
fn what_calls_allocate_is_no_result() {
    let program =
        "#include <stdlib.h>\nint *make(void) { int *p = malloc(4); *p = 1; return p; }\n";
    let (code, text, _) = printed(
        &[("make.c", program)],
        "--linearizable --parallel make;make",
    );
    assert_eq!(code, Some(5), "{text}");
    assert!(
        text.contains("the address of what it has allocated"),
        "{text}"
    );
}
