//! The proof thread by thread of programs that pass messages, against the solver: random programs in which threads do
//! something, raise flags (atomic ones of any order, ones under locks, `pthread_once`), and look at flags before they do
//! something else, in the right way or not. What is proved for any number of threads must not be violated with up to two
//! readers, on any model.
//!
//! `WMBMC_RANDOM_CASES=10000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use support::pipeline::{Subject, looking_for};
use support::random::{bound_of_loops, seeds};
use support::{Random, builtin};
use wmbmc::check::bmc::Env;
use wmbmc::driver::thread_modular::prove;
use wmbmc::driver::{Limits, limits};
use wmbmc::ir::program::PropertyKind;

const RACES: [PropertyKind; 1] = [PropertyKind::Race];
const ASSERTIONS: [PropertyKind; 3] = [
    PropertyKind::Assertion,
    PropertyKind::Memory,
    PropertyKind::Misuse,
];

const HEAD: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int g, h, stage, *p;
struct { int x, y; } pair;
atomic_int ready;
_Atomic(int *) made;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
";

/// What a thread does to memory that it has for itself, or that others look at.
fn change(random: &mut Random) -> &'static str {
    random.pick(&[
        "g = 1;",
        "g = 1; h = 1;",
        "g++;",
        "pair.x = pair.y = 2;",
        "pair.x++; pair.y++;",
        "h = g;",
        "p = malloc(sizeof *p); *p = 1;",
        "g = 1; g = 0;",
        "",
    ])
}

/// What a thread looks at.
fn look(random: &mut Random) -> &'static str {
    random.pick(&[
        "assert(g == 1);",
        "assert(g == h);",
        "assert(g >= 0);",
        "assert(pair.x == pair.y);",
        "assert(pair.x == 2);",
        "if (p) assert(*p == 1);",
        "local = g;",
        "local = pair.x;",
        "g++;",
    ])
}

/// Flags that the threads of a program use most.
#[derive(Clone, Copy)]
enum Habit {
    Atomic,
    UnderLock,
    Pointer,
    None,
}

/// One of some ways, most often one that is usual.
fn way(random: &mut Random, usual: &[usize], all: usize) -> usize {
    match usual.is_empty() || random.below(8) == 0 {
        true => random.below(all),
        false => random.pick(usual),
    }
}

/// A flag is raised, or taken down.
fn raise(random: &mut Random, habit: Habit) -> String {
    let value = random.pick(&["1", "1", "1", "1", "1", "1", "2", "2", "0", "local"]);
    let order = random.pick(&[
        "release", "release", "release", "seq_cst", "relaxed", "relaxed",
    ]);
    let usual: &[usize] = match habit {
        Habit::Atomic => &[0],
        Habit::UnderLock => &[3, 5],
        Habit::Pointer => &[7],
        Habit::None => &[],
    };
    match way(random, usual, 9) {
        0..=2 => format!("atomic_store_explicit(&ready, {value}, memory_order_{order});"),
        3 | 4 => {
            let lock = random.pick(&["m", "m", "m", "l"]);
            format!("pthread_mutex_lock(&{lock}); stage = {value}; pthread_mutex_unlock(&{lock});")
        }
        5 => format!(
            "pthread_mutex_lock(&m); stage = {value}; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);"
        ),
        6 => random
            .pick(&[
                "pthread_mutex_lock(&l); stage = 1; pthread_mutex_unlock(&l);",
                "stage = 1;",
                "atomic_fetch_add(&ready, 1);",
                "int e = 0; atomic_compare_exchange_strong(&ready, &e, 1);",
            ])
            .to_string(),
        7 => format!("atomic_store_explicit(&made, &g, memory_order_{order});"),
        _ => String::new(),
    }
}

/// Something that is done when a flag is seen.
fn seen(random: &mut Random, habit: Habit, then: &str) -> String {
    let is = random.pick(&[
        "", "", "", "", "", "== 1", "== 2", "!= 0", "> 0", "> 1", "!= 1", "== 0", ">= 0", "% 2",
    ]);
    let order = random.pick(&[
        "acquire", "acquire", "acquire", "acquire", "acquire", "seq_cst", "relaxed",
    ]);
    let lock = random.pick(&["m", "m", "m", "m", "m", "l"]);
    let usual: &[usize] = match habit {
        Habit::Atomic => &[0, 1, 2],
        Habit::UnderLock => &[3, 4, 5],
        Habit::Pointer => &[7],
        Habit::None => &[],
    };
    match way(random, usual, 9) {
        0 | 1 => {
            format!("if (atomic_load_explicit(&ready, memory_order_{order}) {is}) {{ {then} }}")
        }
        2 => format!(
            "while (!(atomic_load_explicit(&ready, memory_order_{order}) {is})) {{}} {then}"
        ),
        3 => format!(
            "pthread_mutex_lock(&{lock}); int v = stage; pthread_mutex_unlock(&{lock}); if (v {is}) {{ {then} }}"
        ),
        4 => format!(
            "pthread_mutex_lock(&m); while (!(stage {is})) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); {then}"
        ),
        5 => format!(
            "int v = 0; for (int k = 0; k < 2 && !v; k++) {{ pthread_mutex_lock(&m); v = stage {is}; \
             pthread_mutex_unlock(&m); }} if (v) {{ {then} }}"
        ),
        6 => format!("pthread_once(&once, first); {then}"),
        7 => format!(
            "int *q = atomic_load_explicit(&made, memory_order_{order}); if (q) {{ local = *q; {then} }}"
        ),
        _ => then.to_string(),
    }
}

fn part(random: &mut Random, habit: Habit) -> String {
    let (change, look) = (change(random), look(random));
    match random.below(8) {
        0..=4 => format!("{change} {}", raise(random, habit)),
        5 => format!("{} {change}", raise(random, habit)),
        _ => {
            let then = match random.below(4) {
                0 => format!("{change} {}", raise(random, habit)),
                _ => look.to_string(),
            };
            seen(random, habit, &then)
        }
    }
}

fn parts(random: &mut Random, habit: Habit, most: usize) -> String {
    let all: Vec<String> = (0..1 + random.below(most))
        .map(|_| format!("{{ {} }}", part(random, habit)))
        .collect();
    all.join("\n    ")
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.below(2);
    let habit = random.pick(&[
        Habit::Atomic,
        Habit::Atomic,
        Habit::UnderLock,
        Habit::UnderLock,
        Habit::Pointer,
        Habit::None,
    ]);
    let reader = {
        let look = look(&mut random);
        match random.below(4) {
            0 => parts(&mut random, habit, 2),
            _ => seen(&mut random, habit, look),
        }
    };
    let writer = match random.below(3) {
        0 => parts(&mut random, habit, 2),
        _ => parts(&mut random, habit, 1),
    };
    let first = change(&mut random);
    let before = match random.below(6) {
        0 => parts(&mut random, habit, 1),
        _ => String::new(),
    };
    let start_writer = random.pick(&[
        "pthread_create(&w, 0, writer, 0);",
        "pthread_create(&w, 0, writer, 0);",
        "pthread_create(&w, 0, writer, 0);",
        "pthread_create(&w, 0, writer, 0);",
        "if (__VERIFIER_nondet_int()) pthread_create(&w, 0, writer, 0);",
        "for (int j = 0; j < 2; j++) pthread_create(&w, 0, writer, 0);",
        "",
    ]);
    let after = match random.below(4) {
        0 => parts(&mut random, habit, 2),
        _ => String::new(),
    };
    let start = "for (int i = 0; i < n; i++) pthread_create(&t[i], 0, reader, 0);";
    let (one, other) = match random.below(2) {
        0 => (start, start_writer),
        _ => (start_writer, start),
    };
    let joined = random.pick(&["", "for (int i = 0; i < n; i++) pthread_join(t[i], 0);"]);
    let last = match random.below(6) {
        0 => parts(&mut random, habit, 1),
        _ => String::new(),
    };
    format!(
        "{HEAD}void first(void) {{ {first} }}\n\
         void *reader(void *x) {{\n    int local = 0;\n    {{ {reader} }}\n    return 0;\n}}\n\
         void *writer(void *x) {{\n    int local = 0;\n    {writer}\n    return 0;\n}}\n\
         int main(void) {{\n    int n = __VERIFIER_nondet_int(), local = 0; if (n < 0 || n > 2) return 0;\n\
         \x20   pthread_t t[3], w;\n    {before}\n    {one}\n    {other}\n    {after}\n    {joined}\n    {last}\n    return 0;\n}}\n"
    )
}

fn seconds(most: f64) -> Env {
    limits::env(Limits::seconds(most), 0.0)
}

/// Whether a kind of property is proved on a model.
fn is_proved(subject: &Subject, kinds: &[PropertyKind], model: &str) -> bool {
    let program = (&subject.program, &subject.sources);
    let proof = prove(program, kinds, &builtin(model), &seconds(5.0));
    proof.expect("no bug").is_some()
}

#[test]
fn what_is_proved_of_messages_holds_for_two_readers() {
    let texts: Vec<String> = seeds(150).map(program).collect();
    let all: Vec<[bool; 4]> = texts
        .par_iter()
        .enumerate()
        .map(|(i, text)| {
            let weak = ["rc11", "aarch64", "rc11", "tso", "rc11", "power"][i % 6];
            let of = |kinds: &[PropertyKind]| {
                let subject = Subject::c(text, &looking_for(kinds));
                let fails = |model: &str| {
                    subject.is_violated(&builtin(model), bound_of_loops(), kinds, 10.0)
                };
                let mut proved = false;
                for model in ["sc", weak] {
                    if is_proved(&subject, kinds, model) {
                        proved = true;
                        assert!(
                            !fails(model),
                            "proved on {model} and violated ({kinds:?}):\n{text}"
                        );
                    }
                }
                [proved, !proved && i % 5 == 0 && fails(weak)]
            };
            let ([a, b], [c, d]) = (of(&RACES), of(&ASSERTIONS));
            [a, b, c, d]
        })
        .collect();
    let count = |of: usize| all.iter().filter(|one| one[of]).count();
    println!(
        "of {} programs {} are proved to be free of races, {} have one (of one in five), {} are proved right, {} are wrong",
        texts.len(),
        count(0),
        count(1),
        count(2),
        count(3)
    );
    assert!((0..4).all(|of| 100 * count(of) > texts.len()));
}
