//! Small random C programs of two threads, and what the bounded checker says about them.
#![allow(dead_code, reason = "each test program uses a part of it")]

use wmbmc::{Input, Limits, Session, SessionOptions, Verdict};

/// A program is safe on a model.
pub fn bounded(name: &str, text: &str, model: &str) -> bool {
    let mut session =
        Session::read(&Input::text(name, text), &SessionOptions::default()).expect(name);
    let model = wmbmc::model(model).expect("it is built in");
    let outcome = session
        .check(&model, Limits::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    match outcome.verdict() {
        Some(Verdict::Safe) => true,
        Some(Verdict::Unsafe(_)) => false,
        other => panic!("{name}: {other:?}\n{text}"),
    }
}

/// A generator of numbers, the same ones in every run.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below another one.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % n
    }
}

/// Two threads of a few accesses to two variables, and an assertion about what they have read.
pub fn random_program(numbers: &mut Numbers) -> String {
    let mut out = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         int x, y, r0, r1;\n",
    );
    for t in 0..2 {
        out += &format!("void *t{t}(void *arg) {{\n    int a = 0;\n");
        for _ in 0..2 + numbers.below(2) {
            let v = ["x", "y"][usize::try_from(numbers.below(2)).expect("small")];
            out += &match numbers.below(6) {
                0 | 1 => format!("    {v} = {};\n", 1 + numbers.below(2)),
                2 | 3 => format!("    a = {v};\n"),
                4 => format!("    if (a == 0) {v} = 2;\n"),
                _ => "    atomic_thread_fence(memory_order_seq_cst);\n".into(),
            };
        }
        out += &format!("    r{t} = a;\n    return 0;\n}}\n");
    }
    let (a, b) = (numbers.below(3), numbers.below(3));
    out += &format!(
        "int main(void) {{\n    pthread_t p, q;\n    pthread_create(&p, 0, t0, 0);\n    \
         pthread_create(&q, 0, t1, 0);\n    pthread_join(p, 0);\n    pthread_join(q, 0);\n    \
         int u = r0;\n    int v = r1;\n    assert(!(u == {a} && v == {b}));\n    return 0;\n}}\n"
    );
    out
}
