//! Predicate abstraction of several threads that run one procedure: of states that differ in which of
//! them is which, one is explored.

use wmbmc::driver::abstraction::{
    Abstraction, AbstractionOptions, AbstractionOutcome, AbstractionVerdict,
};
use wmbmc::{Input, Limits};

/// A ticket lock of some threads; `wait` is what a thread does before it enters.
fn program(threads: usize, wait: &str) -> String {
    let each = |text: &dyn Fn(usize) -> String| (0..threads).map(text).collect::<String>();
    format!(
        "#include <assert.h>\n#include <pthread.h>\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
         int next, serving, inside;\n\
         void *worker(void *arg) {{ int t = 0; while (1) {{\n\
         __VERIFIER_atomic_begin(); t = next; next = t + 1; __VERIFIER_atomic_end();\n\
         {wait}\n\
         assert(inside == 0); inside = 1; __atomic_thread_fence(5);\n\
         inside = 0; __atomic_thread_fence(5); serving = t + 1; __atomic_thread_fence(5); }} return 0; }}\n\
         int main(void) {{ {} {} return 0; }}\n",
        each(&|i| format!("pthread_t p{i};")),
        each(&|i| format!("pthread_create(&p{i}, 0, worker, 0);"))
    )
}

/// Predicates that no exchange of threads changes.
fn predicates(threads: usize) -> String {
    let mut out = String::from("inside == 0\n");
    for i in 1..=threads {
        out += &format!("worker_{i}:t == serving\nworker_{i}:t < next\n");
        for j in (1..=threads).filter(|j| *j != i) {
            out += &format!("worker_{i}:t < worker_{j}:t\n");
        }
    }
    out
}

fn check(text: &str, predicates: &str, model: &str) -> AbstractionOutcome {
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::text("p.preds", predicates));
    let read = Abstraction::read(&Input::text("t.c", text), &options);
    let read = read.unwrap_or_else(|e| panic!("{e}"));
    read.check(model, Limits::default())
        .expect("it is supported")
}

#[test]
fn equal_threads_are_explored_once() {
    for (threads, model) in [(2, "sc"), (2, "pso"), (3, "sc")] {
        let text = program(threads, "while (serving != t) ;");
        let symmetric = check(&text, &predicates(threads), model);
        // A predicate about one of them tells them apart, and is of no use.
        let apart = predicates(threads) + "worker_1:t < 0\n";
        let apart = check(&text, &apart, model);
        for found in [&symmetric, &apart] {
            assert!(
                matches!(found.verdict, AbstractionVerdict::Safe),
                "{found:?}"
            );
        }
        let (few, many) = (symmetric.states, apart.states);
        println!("{threads} threads on {model}: {few} states, {many} when told apart");
        assert!(few * 6 < many * 5, "{threads} on {model}: {few}, {many}");
    }
}

/// The run is of the program, whichever threads were exchanged on the way.
#[test]
fn runs_of_equal_threads_are_executions() {
    for (threads, wait) in [
        (2, ""),
        (3, ""),
        (2, "while (serving > t) ;"),
        // The third ticket is not waited for.
        (3, "if (t != 2) while (serving != t) ;"),
    ] {
        let text = program(threads, wait);
        let lines = predicates(threads) + "worker_1:t == 2\nworker_2:t == 2\n";
        let lines = lines
            + if threads == 3 {
                "worker_3:t == 2\n"
            } else {
                ""
            };
        for model in ["sc", "tso"].into_iter().take(4 - threads) {
            let found = check(&text, &lines, model);
            assert!(
                matches!(found.verdict, AbstractionVerdict::Unsafe { .. }),
                "{threads} threads, {wait}: {:?}",
                found.verdict
            );
        }
    }
}
