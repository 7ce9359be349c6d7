//! Races of identical threads: which programs have one is the same with one order of the threads
//! asked for and without, and as the enumeration has it.
//!
//! `WMBMC_RANDOM_CASES=500` looks at more programs.

use rayon::prelude::*;
use std::path::Path;
use support::random::seeds;
use support::{Random, some_models, wmbmc};

/// Programs without more being asked for.
const PROGRAMS: u64 = 15;

/// What each of the threads does, a statement each.
const STATEMENTS: [&str; 12] = [
    "int t = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);",
    "int t = atomic_fetch_add_explicit(&next, 1, memory_order_acq_rel);",
    "int t = atomic_load_explicit(&serving, memory_order_acquire);",
    "while (atomic_load_explicit(&serving, memory_order_acquire) != t) ;",
    "while (atomic_load_explicit(&serving, memory_order_relaxed) != t) ;",
    "if (atomic_load_explicit(&serving, memory_order_acquire) == t)",
    "if (t == 1)",
    "x++;",
    "if (x == 2) y = 1;",
    "atomic_store_explicit(&serving, t + 1, memory_order_release);",
    "atomic_store_explicit(&serving, t + 1, memory_order_relaxed);",
    "assert(x < 3);",
];

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let places = [0..3, 3..7, 7..9, 7..11, 7..12];
    let body = places.map(|place| random.pick(&STATEMENTS[place]));
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         atomic_int next, serving;\nint x, y;\n\
         void *w(void *a) {{\n    {}\n    return 0;\n}}\n\
         int main(void) {{\n    pthread_t t[3];\n    \
         for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, w, 0);\n    \
         for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n    \
         assert(y == 0 || x > 1);\n    return 0;\n}}\n",
        body.join("\n    ")
    )
}

#[test]
fn an_order_of_identical_threads_hides_no_race() {
    let seeds = seeds(PROGRAMS);
    let programs = seeds.end - seeds.start;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symmetric-races");
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let found: Vec<[usize; 3]> = seeds
        .into_par_iter()
        .map(|seed| {
            let text = program(seed);
            let file = folder.join(format!("{seed}.c"));
            std::fs::write(&file, &text).expect("a program");
            let file = file.to_str().expect("a name");
            let mut found = [0; 3];
            for model in some_models(seed as usize, 5) {
                let answer = |more: &[&str]| {
                    let args = [
                        file,
                        "--mm",
                        model,
                        "--check",
                        "assert,race",
                        "--format",
                        "json",
                    ];
                    let output = wmbmc([&args[..], more].concat());
                    let answer = serde_json::from_slice::<serde_json::Value>(&output.stdout);
                    answer.unwrap_or_else(|e| panic!("{e}: {more:?} on {model}\n{text}"))
                };
                let ordered = answer(&[]);
                let others = [
                    &["--without", "symmetry", "--timeout", "5"][..],
                    &["--engine", "enumerate", "--timeout", "1"],
                ];
                for more in others {
                    let other = answer(more);
                    if other["verdict"] != "UNKNOWN" {
                        assert_eq!(
                            ordered["verdict"], other["verdict"],
                            "{more:?} on {model}\n{text}"
                        );
                    }
                }
                let symmetric = ordered["stats"]["reduced"]["symmetric"].as_u64();
                found[usize::from(ordered["verdict"] == "UNSAFE")] += 1;
                found[2] += usize::from(symmetric > Some(0));
            }
            found
        })
        .collect();
    let sum = |i: usize| found.iter().map(|f| f[i]).sum::<usize>();
    let [safe, unsafe_, symmetric] = [0, 1, 2].map(sum);
    println!(
        "{programs} programs: {safe} answers SAFE, {unsafe_} UNSAFE, {symmetric} with one order"
    );
    assert!(safe > 0 && unsafe_ > 0 && symmetric > 0);
}
