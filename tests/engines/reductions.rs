//! Reductions change no answer: random programs full of critical sections and counters have the
//! same final states with them and without, on every model, and those that enumeration finds.
//!
//! `WMBMC_RANDOM_CASES=500` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::fmt::Write;
use support::pipeline::{States, Subject, states};
use support::random::seeds;
use support::{Random, builtin, models};
use wmbmc::cat::model::Model;
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::ir::bounds::Bounds;
use wmbmc::lower::c::LoweringOptions;

/// Globals whose last values are the final state.
const OBSERVED: [&str; 9] = [
    "p", "q", "n", "flag", "saw0", "saw1", "saw2", "last", "total",
];

/// What a critical section does.
fn inside(random: &mut Random) -> String {
    let by = 1 + random.below(2);
    match random.below(8) {
        0..=2 => format!("p = p + {by};"),
        3 => "p = p + 1; p = p + 1;".to_string(),
        4 => "a = a + p;".to_string(),
        5 => format!("q = 2 * q + {by}; a = a + p;"),
        6 => "if (flag) p = p + 1; else q = p;".to_string(),
        _ => format!("if (a) q = {by}; p = p + 1;"),
    }
}

/// A statement of a thread.
fn statement(random: &mut Random) -> String {
    let body = inside(random);
    let order = random.pick(&["relaxed", "seq_cst"]);
    let taken = random.pick(&["relaxed", "acquire", "acq_rel", "seq_cst"]);
    let failed = random.pick(&["relaxed", "acquire"]);
    let given = random.pick(&["relaxed", "release", "release", "seq_cst"]);
    match random.below(13) {
        0..=4 => format!("pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m);"),
        5 => format!("if (!pthread_mutex_trylock(&m)) {{ {body} pthread_mutex_unlock(&m); }}"),
        6 => format!("if (flag) {{ pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m); }}"),
        7 => format!(
            "pthread_mutex_lock(&m); if (a) {{ {body} pthread_mutex_unlock(&m); }} else \
             pthread_mutex_unlock(&m);"
        ),
        8 => format!(
            "{{ int e = 0; if (atomic_compare_exchange_strong_explicit(&held, &e, 1, \
             memory_order_{taken}, memory_order_{failed})) {{ {body} \
             atomic_store_explicit(&held, 0, memory_order_{given}); }} }}"
        ),
        9 => format!("a = a + atomic_fetch_add_explicit(&n, 1, memory_order_{order});"),
        // Not the form of a lock, as it goes on from what a lock writes.
        10 => format!(
            "{{ int e = 1; if (atomic_compare_exchange_strong_explicit(&held, &e, 2, \
             memory_order_{order}, memory_order_relaxed)) {{ {body} \
             atomic_store_explicit(&held, 0, memory_order_{order}); }} }}"
        ),
        11 => format!("atomic_store_explicit(&flag, 1, memory_order_{order});"),
        _ => {
            let what = random.pick(&["p", "flag", "q"]);
            format!("a = a + {what};")
        }
    }
}

/// A program: threads, one of which may leave a lock locked, and a main function that looks at the
/// counters when it has joined all threads, or some.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = if random.below(3) == 0 { 3 } else { 2 };
    // Threads that run one function are symmetric.
    let same = random.below(2) == 0;
    let mut out = "#include <pthread.h>\n#include <stdatomic.h>\n".to_string();
    out += "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";
    out += "atomic_int held, n, flag;\nint p, q, saw0, saw1, saw2, last, total;\n";
    for t in 0..if same { 1 } else { threads } {
        let length = 1 + random.below(if threads == 3 { 2 } else { 3 });
        let body: Vec<String> = (0..length).map(|_| statement(&mut random)).collect();
        let mut body = body.join("\n  ");
        if random.below(10) == 0 {
            body += "\n  pthread_mutex_lock(&m); p = p + 1;";
        }
        let _ = writeln!(
            out,
            "void *run{t}(void *x) {{\n  int a = 0;\n  {body}\n  saw{t} = a;\n  return x;\n}}"
        );
    }
    out += "int main(void) {\n  pthread_t h[3];\n";
    if random.below(4) == 0 {
        out += "  pthread_mutex_lock(&m); p = p + 1; pthread_mutex_unlock(&m);\n";
    }
    for t in 0..threads {
        let run = if same { 0 } else { t };
        let _ = writeln!(out, "  pthread_create(&h[{t}], 0, run{run}, 0);");
    }
    let joined = if random.below(3) == 0 { 1 } else { threads };
    for t in 0..joined {
        let _ = writeln!(out, "  pthread_join(h[{t}], 0);");
    }
    out + "  last = p;\n  total = n;\n  return 0;\n}\n"
}

fn solved(subject: &Subject, model: &Model, reductions: Reductions) -> Option<States> {
    let graph = subject.unroll_for(model, Bounds::all(3), &[]);
    subject.final_states(&graph, model, Backend::Matrix, reductions)
}

/// What is wrong with the answers for a program.
fn compare(seed: u64) -> Vec<String> {
    let text = program(seed);
    let mut subject = Subject::c(&text, &LoweringOptions::default());
    subject.observe(&OBSERVED, 32);
    let models: Vec<Model> = models().into_iter().map(builtin).collect();
    let answers = subject.enumerate(&models, Bounds::all(3), &[], 1_000);
    let mut wrong = Vec::new();
    for (model, answer) in models.iter().zip(&answers) {
        let none = Reductions {
            values: false,
            sections: false,
            sums: false,
            symmetry: false,
        };
        let reduced = solved(&subject, model, Reductions::default());
        let whole = solved(&subject, model, none);
        let found = states(answer);
        let enumerated = match (&reduced, answer.is_complete()) {
            (None, _) => true,
            (Some(states), true) => found == *states,
            (Some(states), false) => found.is_subset(states),
        };
        if reduced != whole || !enumerated {
            let name = &model.name;
            wrong.push(format!(
                "seed {seed} on {name}: {reduced:?}, without reductions {whole:?}, enumerated \
                 {found:?}:\n{text}"
            ));
        }
    }
    wrong
}

#[test]
fn reductions_change_no_final_state() {
    let wrong: Vec<String> = seeds(40).into_par_iter().flat_map_iter(compare).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[0]);
}
