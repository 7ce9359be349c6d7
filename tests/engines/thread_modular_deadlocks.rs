//! The proof that no threads wait for each other against the solver: random programs that take a few locks, in an order or
//! in none, by name, by pointer or by number, in loops and calls, give them back early, late or never, end in between,
//! and join threads with locks or without. What is proved for any number of threads must not be a deadlock with two, on
//! any model.
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

const CHECKS: [PropertyKind; 1] = [PropertyKind::Deadlock];

const HEAD: &str = "#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
struct node { int number; pthread_mutex_t lock; } x, y;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c[2];
pthread_t o;
int g;
void both(void) { pthread_mutex_lock(&b); g++; pthread_mutex_unlock(&b); }
";

/// The names of locks, in an order.
const LOCKS: [&str; 7] = [
    "&b", "&c[0]", "&c[1]", "&c[i]", "&p->lock", "&x.lock", "&q->lock",
];

/// Something that is done with the locks from a number on.
fn part(random: &mut Random, locks: &[&str], from: usize, depth: usize) -> String {
    let number = match random.below(10) {
        0 => random.below(locks.len()),
        _ => from + random.below(locks.len() + 1 - from.min(locks.len())),
    };
    let Some(lock) = locks.get(number).filter(|_| depth < 3) else {
        return random.pick(&["g++;", "", "g++;"]).to_string();
    };
    let inner = part(random, locks, number + 1, depth + 1);
    let other = part(random, locks, from, depth + 1);
    let take = format!("pthread_mutex_lock({lock});");
    let give = format!("pthread_mutex_unlock({lock});");
    match random.below(24) {
        0 => format!("{take} {inner} if (g == 5) return 0; {give}"),
        1 => format!("{take} {inner} if (g == 5) {{ {give} return 0; }} {give}"),
        2 => format!("{take} {inner}"),
        3 => format!("if (g) {{ {take} }} {inner} if (g) {{ {give} }}"),
        4 => format!("if (!pthread_mutex_trylock({lock})) {{ {inner} {give} }}"),
        5 => format!("for (int j = 0; j < 2; j++) {{ {take} {inner} {give} }}"),
        6 => format!("{take} while (__VERIFIER_nondet_int()) {{ {give} {other} {take} }} {give}"),
        7 => format!("for (i = 0; i < 2; i++) {{ {take} {inner} {give} }} i = 0;"),
        8 => format!("for (i = 0; i < 2; i++) {{ if (i) {{ {give} }} {take} {inner} }} i = 0;"),
        9 => format!("{take} both(); {give}"),
        10 => format!("{take} q = p; {inner} {give}"),
        11 => format!("p = &y; {take} {inner} {give}"),
        12 => format!("{take} {give} {inner}"),
        13 => format!("{other} {take} {inner} {give}"),
        _ => format!("{take} {inner} {give} {other}"),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.below(2);
    let given = random.pick(&["&x", "&x", "&y", "n ? &x : &y"]);
    let locks: Vec<&str> = LOCKS
        .into_iter()
        .filter(|_| random.below(3) == 0)
        .chain(["&a"])
        .collect();
    let mut parts = |depth: usize| part(&mut random, &locks, 0, depth);
    let (worker, then, other) = (parts(0), parts(1), parts(1));
    let number = random.pick(&["0", "1", "__VERIFIER_nondet_int() & 1"]);
    let joins = random.pick(&["", "", "", "", "", "", "", "pthread_join(o, 0);"]);
    let (before, during, after) = (
        random.pick(&[
            "",
            "pthread_mutex_lock(&a);",
            "pthread_mutex_lock(&x.lock);",
        ]),
        random.pick(&["", "pthread_join(t[n], 0);"]),
        random.pick(&[
            "",
            "",
            "if (n > 0) pthread_join(t[0], 0);",
            "pthread_join(o, 0);",
        ]),
    );
    let give = before.replace("_lock(", "_unlock(");
    let (early, late) = random.pick(&[(give.as_str(), ""), ("", give.as_str())]);
    format!(
        "{HEAD}void *worker(void *u) {{\n    struct node *p = u, *q = &x; int i = {number};\n    {worker}\n    {then}\n    return 0;\n}}\n\
         void *other(void *u) {{\n    struct node *p = u, *q = &y; int i = 1;\n    {other}\n    {joins}\n    return 0;\n}}\n\
         int main(void) {{\n    pthread_t t[2]; int most = __VERIFIER_nondet_int(); if (most < 0 || most > 2) return 0;\n\
         \x20   pthread_create(&o, 0, other, &x);\n\
         \x20   for (int n = 0; n < most; n++) {{ {before} pthread_create(&t[n], 0, worker, {given}); {early} {during} {late} }}\n\
         \x20   int n = most; {after}\n    pthread_exit(0);\n}}\n"
    )
}

fn seconds(most: f64) -> Env {
    limits::env(Limits::seconds(most), 0.0)
}

/// Whether the solver finds a deadlock on a model, for the threads and iterations that it looks at.
fn fails(subject: &Subject, model: &str) -> bool {
    subject.is_violated(&builtin(model), bound_of_loops(), &CHECKS, 10.0)
}

#[test]
fn who_waits_for_nobody_is_not_deadlocked() {
    let texts: Vec<String> = seeds(200).map(program).collect();
    let all: Vec<(bool, bool)> = texts
        .par_iter()
        .enumerate()
        .map(|(i, text)| {
            let subject = Subject::c(text, &looking_for(&CHECKS));
            let model = ["sc", "tso", "aarch64", "rc11"][i % 4];
            let program = (&subject.program, &subject.sources);
            let proof = prove(program, &CHECKS, &builtin(model), &seconds(5.0));
            let proved = proof.expect("no bug").is_some();
            let wrong = (proved || i % 5 == 0) && fails(&subject, model);
            assert!(
                !(proved && wrong),
                "proved, and a deadlock on {model}:\n{text}"
            );
            (proved, wrong)
        })
        .collect();
    let proved = all.iter().filter(|(proved, _)| *proved).count();
    let wrong = all.iter().filter(|(_, wrong)| *wrong).count();
    println!(
        "{proved} of {} programs are proved; one in five of the others was checked: {wrong} are deadlocked",
        texts.len()
    );
    assert!(20 * proved > texts.len() && 100 * wrong > texts.len());
}
