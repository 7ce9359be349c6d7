//! Random programs in which a thread fills a node that it has allocated and tells others its address: the
//! solver, which knows what cannot be read from the node before it was published, against the enumeration, which
//! runs the program on random.
//!
//! What may keep the node's writes before the publishing one stands between them, at another place, or
//! in the publishing write itself: fences, writes and read-modify-writes that release, compare-exchanges that
//! may fail, critical sections.

use super::agreement::engines_agree;
use std::fmt::Write;
use support::Random;

/// Programs without more being asked for by `WMBMC_RANDOM_CASES`.
const PROGRAMS: u64 = 60;

fn order(random: &mut Random) -> &'static str {
    random.pick(&["relaxed", "release", "release", "seq_cst"])
}

/// Something between the writes to the node and the one that publishes it.
fn between(random: &mut Random) -> String {
    let order = order(random);
    match random.below(8) {
        0 => format!("atomic_thread_fence(memory_order_{order});"),
        1 => "atomic_thread_fence(memory_order_acquire);".into(),
        2 => format!("atomic_store_explicit(&y, 1, memory_order_{order});"),
        3 => format!("atomic_fetch_add_explicit(&y, 1, memory_order_{order});"),
        4 | 5 => {
            let expected = random.pick(&["0", "0", "5"]);
            format!(
                "{{ int e = {expected}; atomic_compare_exchange_strong_explicit(&y, &e, 1, \
                 memory_order_{order}, memory_order_relaxed); }}"
            )
        }
        6 => "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);".into(),
        _ => "atomic_load_explicit(&y, memory_order_acquire);".into(),
    }
}

fn written(random: &mut Random, value: u64) -> String {
    let order = random.pick(&["relaxed", "relaxed", "release"]);
    format!("atomic_store_explicit(&n->value, {value}, memory_order_{order});")
}

fn published(random: &mut Random) -> String {
    let (order, place) = (order(random), random.pick(&["top", "top", "second"]));
    match random.below(4) {
        0 | 1 => format!("atomic_store_explicit(&{place}, n, memory_order_{order});"),
        2 => format!("atomic_exchange_explicit(&{place}, n, memory_order_{order});"),
        _ => format!(
            "{{ struct node *e = 0; atomic_compare_exchange_strong_explicit(&{place}, &e, n, \
             memory_order_{order}, memory_order_relaxed); }}"
        ),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut out = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         struct node { atomic_int value; };\n_Atomic(struct node *) top, second;\natomic_int y;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *maker(void *arg) {\n    struct node *n = calloc(1, sizeof *n);\n",
    );
    let last = 1 + random.below(2);
    for value in 1..=last {
        let _ = writeln!(out, "    {}", written(&mut random, value));
        for _ in 0..random.below(3) {
            let _ = writeln!(out, "    {}", between(&mut random));
        }
    }
    for _ in 0..1 + random.below(5) / 4 {
        let _ = writeln!(out, "    {}", published(&mut random));
    }
    let (acquire, relaxed) = ("acquire", "relaxed");
    let reading = random.pick(&[acquire, relaxed]);
    let place = random.pick(&["top", "top", "second"]);
    let passes_on = random.below(3) == 0;
    let passed = order(&mut random);
    let _ = writeln!(
        out,
        "    return 0;\n}}\nvoid *passer(void *arg) {{\n    \
         struct node *n = atomic_load_explicit(&top, memory_order_relaxed);\n    \
         if (n) atomic_store_explicit(&second, n, memory_order_{passed});\n    return 0;\n}}\n\
         int main(void) {{\n    pthread_t p, q;\n    pthread_create(&p, 0, maker, 0);"
    );
    if passes_on {
        out += "    pthread_create(&q, 0, passer, 0);\n";
    }
    let _ = writeln!(
        out,
        "    struct node *n = atomic_load_explicit(&{place}, memory_order_{reading});\n    \
         if (n) assert(atomic_load_explicit(&n->value, memory_order_relaxed) == {last});\n    \
         return 0;\n}}"
    );
    out
}

#[test]
fn what_a_node_held_before_it_was_published_is_not_read_where_order_forbids_it() {
    engines_agree("publication", PROGRAMS, "assert", program);
}
