//! The proof thread by thread of assertions, of accesses to memory and of the use of locks, against the solver: random
//! programs that start threads in a loop or one by one, which change a few numbers under locks, without, or in atomic
//! sections, look whether they are as some thread believes, give locks back early, late, twice or never, and are joined or
//! not. What is proved for any number of threads must not be violated with up to two, on any model.
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

const CHECKS: [PropertyKind; 3] = [
    PropertyKind::Assertion,
    PropertyKind::Memory,
    PropertyKind::Misuse,
];

const HEAD: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
struct pair { int x, y; };
int n, g, h, k, total, *row;
struct pair pair, *shared;
atomic_int a;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER;
";

/// A change that keeps some relation that others look at, or breaks it.
fn change(random: &mut Random) -> &'static str {
    random.pick(&[
        "g++; h++;",
        "g++; h++;",
        "g = h;",
        "if (g < 3) g++;",
        "if (g > 0) { g--; k++; }",
        "if (k > 0) { k--; g++; }",
        "g++; g--;",
        "k = 1; k = 0;",
        "h = g + 1; h = g;",
        "g = 1;",
        "k = g;",
        "p->x++; p->y++;",
        "p->x++; p->x--;",
        "if (p->x < 2) p->x++;",
        "pair.y = pair.x;",
        "shared->x++; shared->y++;",
        "shared->x = 1; shared->x = 0;",
        "if (i < 2) g = i;",
        "local++; if (local <= 2) h = local;",
        "k = a;",
        "a = 1;",
        "atomic_fetch_add(&a, 1);",
        "if (a < 2) a = a + 1;",
        "int e = 0; atomic_compare_exchange_strong(&a, &e, 2);",
        "total = g + k;",
        "pair = *p;",
        "if (0 <= i && i < n) row[i] = g;",
        "if (0 <= g && g < n) row[g]++;",
        "for (int j = 0; j < n; j++) row[j] = j;",
        "for (int j = n; j > 0; j--) row[j - 1] = j;",
        "for (int j = n; j >= 0; j--) row[j - 1] = j;",
        "int low = 0, high = n; while (low < high) { int j = (low + high) / 2; row[j] = g; if (row[j] < k) low = j + 1; \
         else high = j; }",
        "",
    ])
}

/// What somebody believes.
fn belief(random: &mut Random) -> &'static str {
    random.pick(&[
        "assert(g == h);",
        "assert(g == h);",
        "assert(g <= 3);",
        "assert(g >= 0);",
        "assert(k >= 0);",
        "assert(k == 0);",
        "assert(g + k == total);",
        "assert(h <= g);",
        "assert(p->x == p->y);",
        "assert(p->x <= 2);",
        "assert(pair.x == pair.y);",
        "assert(shared->x == shared->y);",
        "assert(shared->x <= 2);",
        "assert(a <= 2);",
        "assert(a >= 0);",
        "assert(i >= 0);",
        "assert(local <= 4);",
    ])
}

fn part(random: &mut Random) -> String {
    match random.below(3) {
        0 => change(random).to_string(),
        1 => belief(random).to_string(),
        _ => format!("{} {}", change(random), belief(random)),
    }
}

/// Something done under a lock, or in another way.
fn section(random: &mut Random) -> String {
    let inner = part(random);
    let other = part(random);
    match random.below(20) {
        0..=8 => {
            format!("pthread_mutex_lock(&m); {{ {inner} }} {{ {other} }} pthread_mutex_unlock(&m);")
        }
        9 => format!("pthread_mutex_lock(&l); {{ {inner} }} pthread_mutex_unlock(&l);"),
        10 => format!(
            "pthread_mutex_lock(&m); {{ {inner} }} pthread_mutex_lock(&l); {{ {other} }} pthread_mutex_unlock(&l); \
             pthread_mutex_unlock(&m);"
        ),
        11 => format!(
            "if (!pthread_mutex_trylock(&m)) {{ {{ {inner} }} {{ {other} }} pthread_mutex_unlock(&m); }}"
        ),
        12 => format!(
            "__VERIFIER_atomic_begin(); {{ {inner} }} {{ {other} }} __VERIFIER_atomic_end();"
        ),
        13 => format!(
            "pthread_mutex_lock(&m); {{ {inner} }} if (h) pthread_mutex_unlock(&m); else {{ {{ {other} }} \
             pthread_mutex_unlock(&m); }}"
        ),
        14 => format!(
            "for (int j = 0; j < 2; j++) {{ pthread_mutex_lock(&m); {{ {inner} }} pthread_mutex_unlock(&m); }}"
        ),
        15 => format!(
            "pthread_mutex_lock(&m); for (int j = 0; j < 2; j++) {{ {inner} }} pthread_mutex_unlock(&m);"
        ),
        16 => format!(
            "pthread_mutex_lock(&m); while (__VERIFIER_nondet_int()) {{ {{ {inner} }} pthread_mutex_unlock(&m); \
             pthread_mutex_lock(&m); }} {{ {other} }} pthread_mutex_unlock(&m);"
        ),
        17 if random.below(2) == 0 => format!("pthread_mutex_lock(&m); {{ {inner} }}"),
        17 => format!("{{ {inner} }} pthread_mutex_unlock(&m);"),
        _ => format!("{{ {inner} }} {{ {other} }}"),
    }
}

fn sections(random: &mut Random, most: usize) -> String {
    let all: Vec<String> = (0..random.below(most + 1))
        .map(|_| format!("{{ {} }}", section(random)))
        .collect();
    all.join("\n    ")
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.below(2);
    let object = random.pick(&["&pair", "&pair", "&own", "shared", "i ? &pair : &own"]);
    let made = random.pick(&[
        "shared = malloc(sizeof *shared); shared->x = shared->y = 0;",
        "shared = malloc(sizeof *shared); shared->x = 0; shared->y = 0;",
        "shared = &own;",
        "shared = n ? &own : &pair;",
    ]);
    let body = sections(&mut random, 3);
    let again = random.pick(&[
        "{}",
        "while (__VERIFIER_nondet_int()) {}",
        "for (int r = 0; r < 2; r++) {}",
    ]);
    let body = again.replace("{}", &format!("{{\n    {body}\n    }}"));
    let worker = format!(
        "void *worker(void *x) {{\n    struct pair *p = x; int i = __VERIFIER_nondet_int(), local = 0;\n    {body}\n    return 0;\n}}\n"
    );
    let other = format!(
        "void *other(void *x) {{\n    struct pair *p = x; int i = 0, local = 0;\n    {}\n    return 0;\n}}\n",
        sections(&mut random, 2)
    );
    let (first, before, during, after, last) = (
        sections(&mut random, 2),
        sections(&mut random, 1),
        sections(&mut random, 1),
        sections(&mut random, 1),
        sections(&mut random, 2),
    );
    let joined = random.pick(&[
        "",
        "",
        "",
        "",
        "for (int j = 0; j < n; j++) pthread_join(t[j], 0);",
        "for (int j = 0; j < n; j++) pthread_join(t[j], 0);",
        "for (int j = 0; j < n; j++) pthread_join(t[j], 0);",
        "for (int j = 0; j <= n; j++) pthread_join(t[j], 0);",
        "for (int j = 0; j < n; j++) if (j != k) pthread_join(t[j], 0);",
        "for (int j = 0; j < n - 1; j++) pthread_join(t[j], 0);",
        "for (int r = 0; r < 2; r++) for (int j = 0; j < n; j++) pthread_join(t[j], 0);",
        "for (int j = 0; j < n; j++) pthread_join(t[j], 0); if (n > 1) pthread_detach(t[1]);",
        "if (n > 0) pthread_join(t[0], 0);",
    ]);
    let routine = random.pick(&["worker", "worker", "worker", "g ? worker : other"]);
    let create = format!("pthread_create(&t[i], 0, {routine}, {object});");
    let started = random.pick(&[
        "for (i = 0; i < n; i++) { BEFORE CREATE DURING }",
        "for (i = 0; i < n; i++) { BEFORE CREATE DURING }",
        "n = 1; i = 0; BEFORE CREATE DURING",
        "if (n != 1) return 0; i = 0; BEFORE CREATE DURING",
        "for (i = 0; i < n; i++) { BEFORE CREATE DURING }",
        "for (i = 0; i < n; i++) { BEFORE if (g < 2) CREATE DURING }",
        "for (i = 0; i < n; i++) { BEFORE CREATE DURING if (k) break; }",
        "if (k == 0) for (i = 0; i < n; i++) { BEFORE CREATE DURING }",
        "for (i = 0; i < n; i++) { BEFORE CREATE pthread_join(t[i], 0); DURING }",
        "i = 0; CREATE for (int r = 0; r < 2; r++) { BEFORE if (r == 0) pthread_join(t[0], 0); DURING }",
    ]);
    let started = started
        .replace("BEFORE", &format!("{{ {before} }}"))
        .replace("CREATE", &create)
        .replace("DURING", &format!("{{ {during} }}"));
    let (start, end) = random.pick(&[
        ("", ""),
        ("pthread_create(&o, 0, other, &pair);", ""),
        (
            "pthread_create(&o, 0, other, &pair);",
            "pthread_join(o, 0);",
        ),
        (
            "pthread_create(&o, 0, other, &own); pthread_join(o, 0);",
            "",
        ),
        (
            "",
            "pthread_create(&o, 0, other, &own); pthread_join(o, 0);",
        ),
    ]);
    let text = format!(
        "{HEAD}{worker}{other}int main(void) {{\n    n = __VERIFIER_nondet_int(); if (n < 0 || n > 2) return 0;\n\
         \x20   row = malloc((n + 1) * sizeof(int)); pthread_t t[3], o; struct pair own = {{0, 0}}, *p = &own; int i = 0, local = 0;\n\
         \x20   {made}\n    {first}\n    {start}\n    {started}\n    {after}\n    {joined}\n    {end}\n    {last}\n    return 0;\n}}\n"
    );
    // Some programs have atomic sections where others have the lock.
    match random.below(4) {
        0 => text
            .replace("pthread_mutex_lock(&m)", "__VERIFIER_atomic_begin()")
            .replace("pthread_mutex_unlock(&m)", "__VERIFIER_atomic_end()"),
        _ => text,
    }
}

fn seconds(most: f64) -> Env {
    limits::env(Limits::seconds(most), 0.0)
}

/// Whether the solver finds a violation on a model, for the threads and iterations that it looks at.
fn fails(subject: &Subject, model: &str) -> bool {
    subject.is_violated(&builtin(model), bound_of_loops(), &CHECKS, 10.0)
}

#[test]
fn what_is_proved_for_any_number_of_threads_holds_for_two() {
    let texts: Vec<String> = seeds(100).map(program).collect();
    let all: Vec<(bool, bool)> = texts
        .par_iter()
        .enumerate()
        .map(|(i, text)| {
            let subject = Subject::c(text, &looking_for(&CHECKS));
            let is_proved = |model: &str| {
                let program = (&subject.program, &subject.sources);
                let proof = prove(program, &CHECKS, &builtin(model), &seconds(20.0));
                proof.expect("no bug").is_some()
            };
            // Models differ in what atomic sections keep away.
            let weak = ["tso", "aarch64", "rc11", "power"][i % 4];
            let mut proved = false;
            for model in ["sc", weak] {
                if is_proved(model) {
                    proved = true;
                    assert!(
                        !fails(&subject, model),
                        "proved, and violated on {model}:\n{text}"
                    );
                }
            }
            (proved, !proved && i % 5 == 0 && fails(&subject, "sc"))
        })
        .collect();
    let proved = all.iter().filter(|(proved, _)| *proved).count();
    let wrong = all.iter().filter(|(_, wrong)| *wrong).count();
    println!(
        "{proved} of {} programs are proved; one in five of the others was checked: {wrong} are violated",
        texts.len()
    );
    assert!(20 * proved > texts.len() && 100 * wrong > texts.len());
}
