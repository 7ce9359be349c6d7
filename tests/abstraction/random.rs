//! Random programs of two and three threads: three ways to an answer on TSO and PSO.
//!
//! - the bounded checker on the program,
//! - the bounded checker, on SC, on the program with its store buffers as variables,
//! - predicate abstraction.
//!
//! The first two agree on every program; the third never contradicts them.
//! `WMBMC_RANDOM_CASES=500` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::Random;
use support::random::seeds;
use support::two_threads::bounded;
use wmbmc::driver::abstraction::{
    Abstraction, AbstractionMethod, AbstractionOptions, AbstractionVerdict, BufferBound,
};
use wmbmc::{Input, Limits};

/// A statement of a thread with two locals, `a` and `b`, and whether it stores to memory.
fn statement(random: &mut Random) -> (String, bool) {
    let (v, l) = (random.pick(&["x", "y"]), random.pick(&["a", "b"]));
    let value = random.pick(&["1", "1", "2", "a + 1", "b"]);
    let condition = random.pick(&["== 0", "!= 0", "== 1", "< 2"]);
    match random.below(14) {
        0..=3 => (format!("{v} = {value};"), true),
        4..=7 => (format!("{l} = {v};"), false),
        8 => (format!("if ({l} {condition}) {v} = {value};"), true),
        9 => (
            format!("if ({l} {condition}) {l} = {v}; else b = 1;"),
            false,
        ),
        10 => (format!("if ({v} {condition}) {l} = 2;"), false),
        11 => (
            format!("atomic_begin(); {v} = {v} + 1; atomic_end();"),
            false,
        ),
        12 => ("assert(!(a == 1 && b == 0));".into(), false),
        _ => ("atomic_thread_fence(memory_order_seq_cst);".into(), false),
    }
}

/// A program, and how many entries a buffer of it has at most.
fn program(random: &mut Random) -> (String, u32) {
    let threads = 2 + random.below(4) / 3;
    let length = 5 - threads;
    let mut out = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
         #define atomic_begin __VERIFIER_atomic_begin\n#define atomic_end __VERIFIER_atomic_end\n\
         int x, y, r0, r1, r2;\n",
    );
    let mut most = 0;
    for t in 0..threads {
        out += &format!("void *t{t}(void *arg) {{\n    int a = 0, b = 0;\n");
        let mut stores = 1;
        for _ in 0..length + random.below(2) {
            let (text, does_store) = statement(random);
            stores += u32::from(does_store);
            out += &format!("    {text}\n");
        }
        most = most.max(stores);
        out += &format!("    r{t} = a + b;\n    return 0;\n}}\n");
    }
    let each = |text: &dyn Fn(u64) -> String| (0..threads).map(text).collect::<String>();
    out += "int main(void) {\n";
    out += &each(&|t| format!("    pthread_t p{t};\n"));
    out += &each(&|t| format!("    pthread_create(&p{t}, 0, t{t}, 0);\n"));
    out += &each(&|t| format!("    pthread_join(p{t}, 0);\n"));
    let (u, v) = (random.below(3), random.below(3));
    out += &format!("    int u = r0;\n    int v = r1;\n    assert(!(u == {u} && v == {v}));\n");
    out += "    return 0;\n}\n";
    (out, most)
}

fn read(text: &str, change: impl Fn(&mut AbstractionOptions)) -> Abstraction {
    let mut options = AbstractionOptions::default();
    change(&mut options);
    Abstraction::read(&Input::text("r.c", text), &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn three_ways_agree() {
    let seeds = seeds(20);
    let count = seeds.end - seeds.start;
    let [violated, safe, unsafe_, unknown] = [(); 4].map(|()| AtomicUsize::new(0));
    let add = |to: &AtomicUsize| {
        to.fetch_add(1, Ordering::Relaxed);
    };
    seeds.into_par_iter().for_each(|seed| {
        let mut random = Random::new(seed);
        let (text, most) = program(&mut random);
        for model in ["tso", "pso"] {
            let is_safe = bounded("r.c", &text, model);
            if !is_safe {
                add(&violated);
            }
            let reduced = read(&text, |options| options.buffer = BufferBound::Fixed(most));
            let reduced = reduced.reduced_c(model).expect("it is supported");
            let by_buffers = bounded("reduced.c", &reduced, "sc");
            assert_eq!(is_safe, by_buffers, "{seed} on {model}\n{text}\n{reduced}");
            let abstraction = read(&text, |options| {
                options.jobs = 1;
                options.method = match seed % 2 {
                    0 => AbstractionMethod::Auto,
                    _ => AbstractionMethod::Cubes,
                };
            });
            let found = abstraction.check(model, Limits::seconds(3.0));
            match found.expect("it is supported").verdict {
                AbstractionVerdict::Safe => {
                    add(&safe);
                    assert!(is_safe, "{seed} on {model}: abstraction says SAFE\n{text}");
                }
                AbstractionVerdict::Unsafe { steps, .. } => {
                    add(&unsafe_);
                    assert!(!is_safe, "{seed} on {model}: {steps:?}\n{text}");
                }
                _ => add(&unknown),
            }
        }
    });
    let [violated, safe, unsafe_, unknown] =
        [violated, safe, unsafe_, unknown].map(|n| n.into_inner());
    println!(
        "{count} programs on two models: {violated} violated; abstraction: {safe} SAFE, {unsafe_} UNSAFE, \
         {unknown} UNKNOWN"
    );
    let count = usize::try_from(count).expect("few");
    assert!(violated * 5 > count, "only {violated} are violated");
    assert!(
        safe * 5 > count && unsafe_ * 10 > count,
        "abstraction decides {safe} + {unsafe_}"
    );
}
