//! Whether programs are robust: the solver and the enumeration of executions agree on random ones, and what is known of
//! textbook programs.
//!
//! `WMBMC_RANDOM_CASES=500` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use support::random::seeds;
use support::sessions::in_parallel;
use support::{Random, builtin, some_models};
use wmbmc::check::outcome::Verdict;
use wmbmc::driver::options::Engine;
use wmbmc::driver::{Input, Limits, Session, SessionOptions};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

/// What threads do; `$` is the order of a load, `#` that of a store, `%` any.
const STATEMENTS: [&str; 18] = [
    "atomic_store_explicit(&x, 1, #);",
    "atomic_store_explicit(&y, 1, #);",
    "atomic_store_explicit(&x, 2, #);",
    "r = atomic_load_explicit(&x, $);",
    "r = atomic_load_explicit(&y, $);",
    "if (atomic_load_explicit(&x, $)) atomic_store_explicit(&y, 2, #);",
    "atomic_thread_fence(%);",
    "atomic_exchange_explicit(&x, 3, %);",
    "atomic_fetch_add_explicit(&y, 1, %);",
    "{ int e = 0; atomic_compare_exchange_strong_explicit(&y, &e, 4, %, memory_order_relaxed); }",
    "pthread_mutex_lock(&m); p++; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); atomic_store_explicit(&x, 5, #); pthread_mutex_unlock(&m);",
    "while (!atomic_load_explicit(&x, $)) ;",
    "while (!atomic_load_explicit(&y, $)) ;",
    "while (atomic_exchange_explicit(&l, 1, %)) ; p++; atomic_store_explicit(&l, 0, #);",
    "__VERIFIER_atomic_begin(); atomic_store_explicit(&x, 6, #); r = atomic_load_explicit(&y, $); \
     __VERIFIER_atomic_end();",
    "p = r;",
    "atomic_store_explicit(&y, r, #);",
];

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut out = "#include <pthread.h>\n#include <stdatomic.h>\n\
                   extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n\
                   atomic_int x, y, l;\nint p;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        .to_string();
    let loads = ["relaxed", "acquire", "seq_cst"];
    let stores = ["relaxed", "release", "seq_cst"];
    let any = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
    for thread in 0..2 {
        out += &format!("void *t{thread}(void *arg) {{\n  int r = 0;\n");
        for _ in 0..2 + random.below(2_u64) {
            let mut line = random.pick(&STATEMENTS).to_string();
            for (sign, orders) in [("$", &loads[..]), ("#", &stores), ("%", &any)] {
                while line.contains(sign) {
                    let order = format!("memory_order_{}", random.pick(orders));
                    line = line.replacen(sign, &order, 1);
                }
            }
            out += &format!("  {line}\n");
        }
        out += "  return 0;\n}\n";
    }
    out + "int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, t0, 0);\n  \
           pthread_create(&t, 0, t1, 0);\n  pthread_join(s, 0);\n  pthread_join(t, 0);\n  return 0;\n}\n"
}

/// Whether an execution is not sequentially consistent; `None` where that is not decided.
fn is_refuted(input: &Input, model: &str, engine: Engine) -> Option<bool> {
    let mut options = SessionOptions::default();
    options.program.checks = Some(vec![PropertyKind::Robust]);
    options.program.bounded.engine = engine;
    options.program.bounded.bounds = Bounds::all(2);
    let mut session = Session::read(input, &options).expect("a program");
    let outcome = session.check(&builtin(model), Limits::seconds(60.0));
    let outcome = outcome.unwrap_or_else(|e| panic!("{} on {model}: {e}", input.shown()));
    match outcome.verdict() {
        Some(Verdict::Unsafe(_)) => Some(true),
        Some(Verdict::Safe | Verdict::SafeUpToBound(_)) => Some(false),
        _ => None,
    }
}

#[test]
fn both_engines_agree_on_random_programs() {
    let seeds: Vec<u64> = seeds(60).collect();
    let results = in_parallel(&seeds, |seed| {
        let text = program(*seed);
        let input = Input::text(format!("random{seed}.c"), &*text);
        let mut decided = [0, 0];
        for model in some_models(*seed as usize, 3).chain(["sc"]) {
            let solved = is_refuted(&input, model, Engine::Sat);
            let enumerated = is_refuted(&input, model, Engine::Enumerate);
            let (Some(solved), Some(enumerated)) = (solved, enumerated) else {
                continue;
            };
            assert_eq!(solved, enumerated, "{model}\n{text}");
            assert!(!(solved && model == "sc"), "{text}");
            decided[usize::from(solved)] += 1;
        }
        decided
    });
    let sum = |i: usize| results.iter().map(|row| row[i]).sum::<usize>();
    println!("{} robust, {} not", sum(0), sum(1));
    assert!(sum(0) > seeds.len() && sum(1) > 0);
}

/// A program of the benchmarks, and whether it is robust on models.
const KNOWN: [(&str, &str, bool); 8] = [
    ("benchmarks/orders/store_buffer.c", "rc11", true),
    ("benchmarks/store_buffer.c", "tso", false),
    ("benchmarks/store_buffer.c", "sc", true),
    ("benchmarks/message_passing.c", "tso", true),
    ("benchmarks/message_passing.c", "pso", false),
    ("benchmarks/peterson.c", "tso", false),
    ("benchmarks/orders/message_passing.c", "aarch64", true),
    ("benchmarks/orders/tas_lock.c", "power", true),
];

#[test]
fn textbooks_are_told_apart() {
    for (file, model, is_robust) in KNOWN {
        let input = Input::file(support::root().join(file));
        let found = is_refuted(&input, model, Engine::Auto);
        assert_eq!(found, Some(!is_robust), "{file} on {model}");
    }
}
