//! Random programs with arrays at indices that come from memory, and with buffers in which pointers are
//! computed by arithmetic: the solver, whose accesses go to selected elements, against the enumeration,
//! which runs the program on random.
//!
//! Indices come from counters, from what other threads store, from links that lie in the array, and from
//! arithmetic on those; some lead out of the array.

use super::agreement::engines_agree;
use std::fmt::Write;
use std::path::Path;
use support::Random;
use support::{models, wmbmc};
use wmbmc::cat;
use wmbmc::relations::dependencies::has_causes;

/// Programs without more being asked for by `WMBMC_RANDOM_CASES`.
const PROGRAMS: u64 = 40;

/// What is done to entries of a buffer of bytes, which lie next to each other as an allocator has them.
const ENTRIES: [&str; 9] = [
    "e = (struct entry *)(bytes + 16 * (i & 3));",
    "e = (struct entry *)(bytes + 16 * (i & 3));",
    "atomic_store_explicit(&top, e, memory_order_release);",
    "if (atomic_load_explicit(&top, memory_order_relaxed)) e = atomic_load(&top);",
    "e->next = atomic_load_explicit(&top, memory_order_acquire);",
    "if (e->next) e = e->next;",
    "e->count++;",
    "e->count = i & 1;",
    "k = e->count;",
];

fn statement(random: &mut Random, size: u64, kind: u64) -> String {
    if kind == 1 && random.below(3) > 0 {
        return random.pick(&ENTRIES).into();
    }
    let linked = kind == 0;
    let index = random.pick(&["i", "i", "i", "i + 1", "(i & 31)", "(i ^ 1)", "i * 2"]);
    match random.below(if linked { 10 } else { 9 }) {
        0 => "i = atomic_fetch_add(&n, 1);".into(),
        1 => "i = atomic_load_explicit(&x, memory_order_relaxed);".into(),
        2 => format!(
            "atomic_store_explicit(&x, {}, memory_order_relaxed);",
            random.below(size)
        ),
        3 => format!("a[{index}] = i;"),
        4 => format!("a[{index}] = {};", random.below(6)),
        5 | 6 => format!("k = a[{index}];"),
        7 => "i = k;".into(),
        8 => format!("if (k < {}) i = {};", random.below(4), random.below(size)),
        _ => random
            .pick(&["pool[i].link = k + 1;", "i = pool[i].link;"])
            .into(),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let size = random.pick(&[3, 7, 33, 64]);
    let element = random.pick(&["int", "atomic_int", "atomic_int"]);
    let first = random.pick(&[0, 0, 3, size - 2]);
    let kind = random.below(3);
    let mut out = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         {element} a[{size}];\natomic_int n = {first}, x = {};\nint r0, r1;\n\
         struct node {{ int link; int value; }} pool[{size}];\n\
         struct entry {{ struct entry *next; int count; }};\n\
         _Alignas(16) unsigned char bytes[64];\n_Atomic(struct entry *) top;\n",
        random.below(size)
    );
    for thread in 0..2 {
        let _ = writeln!(
            out,
            "void *t{thread}(void *arg) {{\n    int i = {}, k = 0;\n    \
             struct entry *e = (struct entry *)bytes;",
            random.below(4)
        );
        for _ in 0..2 + random.below(3) {
            let _ = writeln!(out, "    {}", statement(&mut random, size, kind));
        }
        let _ = writeln!(out, "    r{thread} = k;\n    return 0;\n}}");
    }
    let (u, v) = (random.below(3), random.below(3));
    out + &format!(
        "int main(void) {{\n    pthread_t p, q;\n    pthread_create(&p, 0, t0, 0);\n    \
         pthread_create(&q, 0, t1, 0);\n    pthread_join(p, 0);\n    pthread_join(q, 0);\n    \
         int u = r0, v = r1;\n    assert(!(u == {u} && v == {v}));\n    return 0;\n}}\n"
    )
}

#[test]
fn selected_elements_are_all_that_an_index_may_name() {
    engines_agree("selection", PROGRAMS, "assert,memory", program);
}

/// An array whose index is a number that two threads draw has no more than two elements that matter, where
/// values have causes.
#[test]
fn elements_that_no_index_names_are_not_there() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        atomic_int a[4096], n;\n\
        void *t(void *arg) {\n    int i = atomic_fetch_add(&n, 1);\n    a[i & 4095] = i + 1;\n    \
        return 0;\n}\n\
        int main(void) {\n    pthread_t p, q;\n    pthread_create(&p, 0, t, 0);\n    \
        pthread_create(&q, 0, t, 0);\n    pthread_join(p, 0);\n    pthread_join(q, 0);\n    \
        int k = n - 1;\n    assert(a[k] == 2);\n    return 0;\n}\n";
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drawn.c");
    std::fs::write(&file, text).expect("a program");
    let causal = |name: &&str| has_causes(&cat::builtin(name).expect("built in"));
    for model in models().into_iter().filter(causal) {
        let output = wmbmc([
            file.to_str().expect("a name"),
            "--mm",
            model,
            "--format",
            "json",
        ]);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["verdict"], "SAFE", "{model}");
        let cells = answer["stats"]["cells"].as_u64().expect("a number");
        assert!(cells <= 3, "{model}: {cells} cells");
    }
}
