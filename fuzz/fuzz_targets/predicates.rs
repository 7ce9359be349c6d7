//! Predicate files on any text, for a fixed program: each line is refused at a place within the text, or
//! is a condition that is printed and read again as the same one, also with buffered values in the
//! place of shared variables.
//!
//! `cargo +nightly fuzz run predicates` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use wmbmc::base::source::{SourceMap, Span};
use wmbmc::front::c::parse_text;
use wmbmc::ir::program::DataModel;
use wmbmc::lower::c::lower;
use wmbmc::predabs::extract::extract;
use wmbmc::predabs::extrapolate::lift;
use wmbmc::predabs::predicates::{condition, parse};
use wmbmc::predabs::program::Program;
use wmbmc::predabs::reduce::{BufferModel, reduce};

const TEXT: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    struct s { int f; int g[2]; } s;
    int x, y, q[3];
    void *one(void *arg) { int l = y; x = l + 1; s.g[1] = l; q[2] = l; return 0; }
    void *two(void *arg) { int l = x; int m = s.g[1]; y = l + m; q[0] = q[2]; s.f = l; return 0; }
    int main(void) {
        pthread_t a, b, c;
        pthread_create(&a, 0, one, 0);
        pthread_create(&b, 0, one, 0);
        pthread_create(&c, 0, two, 0);
        return 0;
    }
";

static PROGRAMS: LazyLock<[Program; 3]> = LazyLock::new(|| {
    let mut sources = SourceMap::default();
    let unit = parse_text(&mut sources, "fuzz.i", TEXT, 64).expect("the program parses");
    let ir = lower(&sources, &unit, DataModel::Lp64).expect("the program is lowered");
    let program = extract(&ir).expect("the program is supported");
    let on = |model, bound| reduce(&program, model, bound).expect("the program is supported");
    [
        on(BufferModel::Sc, 0),
        on(BufferModel::Tso, 2),
        on(BufferModel::Pso, 2),
    ]
});

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.preds", text);
    let read = match parse(&sources, file, &PROGRAMS[0]) {
        Ok(read) => read,
        Err(diags) => {
            assert!(!diags.is_empty());
            for d in diags {
                let (span, _) = d.labels[0];
                assert!(span.start <= span.end && span.end as usize <= text.len());
                assert!(!d.render(&sources, false).is_empty());
            }
            return;
        }
    };
    let nowhere = |_, _| Span { file, start: 0, end: 0 };
    for p in read.predicates.iter().chain(&read.invariants) {
        for program in PROGRAMS.iter() {
            for cond in lift(program, &p.cond).iter().chain([&p.cond]) {
                let shown = cond.show(&|x| program.name(x));
                let again = condition(&shown, program, &nowhere);
                assert_eq!(again.as_ref(), Ok(cond), "{shown}");
            }
        }
    }
});
