//! Small random C programs of two threads, and what the bounded checker says about them.

use crate::{Random, builtin};
use wmbmc::{Input, Limits, Session, SessionOptions, Verdict};

/// A program is safe on a model.
pub fn bounded(name: &str, text: &str, model: &str) -> bool {
    let mut session =
        Session::read(&Input::text(name, text), &SessionOptions::default()).expect(name);
    let outcome = session
        .check(&builtin(model), Limits::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    match outcome.verdict() {
        Some(Verdict::Safe) => true,
        Some(Verdict::Unsafe(_)) => false,
        other => panic!("{name}: {other:?}\n{text}"),
    }
}

/// Two threads of a few accesses to two variables, and an assertion about what they have read.
pub fn random_program(random: &mut Random) -> String {
    let mut out = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         int x, y, r0, r1;\n",
    );
    for t in 0..2 {
        out += &format!("void *t{t}(void *arg) {{\n    int a = 0;\n");
        for _ in 0..2 + random.below(2) {
            let v = random.pick(&["x", "y"]);
            out += &match random.below(6) {
                0 | 1 => format!("    {v} = {};\n", 1 + random.below(2)),
                2 | 3 => format!("    a = {v};\n"),
                4 => format!("    if (a == 0) {v} = 2;\n"),
                _ => "    atomic_thread_fence(memory_order_seq_cst);\n".into(),
            };
        }
        out += &format!("    r{t} = a;\n    return 0;\n}}\n");
    }
    let (a, b) = (random.below(3), random.below(3));
    out += &format!(
        "int main(void) {{\n    pthread_t p, q;\n    pthread_create(&p, 0, t0, 0);\n    \
         pthread_create(&q, 0, t1, 0);\n    pthread_join(p, 0);\n    pthread_join(q, 0);\n    \
         int u = r0;\n    int v = r1;\n    assert(!(u == {a} && v == {b}));\n    return 0;\n}}\n"
    );
    out
}
