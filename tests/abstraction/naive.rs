//! Why predicates have to speak of buffered values: Fig. 3, 4 and 10 of the paper.
//!
//! `X = Y + 1 || Y = X + 1; assert(X != Y)` is violated on PSO. Naive abstraction makes the Boolean
//! program of the program itself and puts truth values of predicates into store buffers: it calls the
//! program safe. It lives here and nowhere else.

use std::collections::BTreeSet;
use wmbmc::base::idx::IdVec;
use wmbmc::base::source::{SourceMap, Span};
use wmbmc::commands::arith::{Cond, Linear, VarId};
use wmbmc::commands::program::*;
use wmbmc::driver::abstraction::{Abstraction, AbstractionOptions, AbstractionVerdict};
use wmbmc::predabs::boolean::{BooleanProgram, BooleanStep};
use wmbmc::predabs::cube::Cube;
use wmbmc::predabs::implicants::CubeSearch;
use wmbmc::predabs::predicates::Predicate;
use wmbmc::{Input, Limits};

/// One atomic step of each thread: `X = Y + 1` and `Y = X + 1`.
fn program(span: Span) -> Program {
    let mut program = Program::default();
    for name in ["X", "Y"] {
        program.vars.push(Variable {
            name: name.into(),
            kind: VariableKind::Shared,
            initial: Some(0),
        });
    }
    for (name, to, from) in [("one", VarId(0), VarId(1)), ("two", VarId(1), VarId(0))] {
        let location = Location {
            span,
            atomic: false,
        };
        let sum = Linear::var(from).plus(1, &Linear::constant(1));
        program.threads.push(Thread {
            name: name.into(),
            locations: [location, location].into_iter().collect::<IdVec<_, _>>(),
            end: LocId(1),
            steps: vec![Step {
                updates: vec![(to, Update::Set(sum))],
                ..Step::new(LocId(0), LocId(1), span)
            }],
            instances: Instances::One,
        });
    }
    program
}

/// The predicates of Sec. 2.2: X = Y, X = 1, Y = 1, X = 0, Y = 0.
fn predicates() -> Vec<Predicate> {
    let (x, y) = (VarId(0), VarId(1));
    let conds = [
        Cond::equal(&Linear::var(x), &Linear::var(y)),
        Cond::is(x, 1),
        Cond::is(y, 1),
        Cond::is(x, 0),
        Cond::is(y, 0),
    ];
    let predicate = |cond| Predicate {
        cond,
        text: String::new(),
    };
    conds.into_iter().map(predicate).collect()
}

/// What a thread sees: its buffered truth values, and memory for the others.
fn overwritten(memory: Cube, buffer: Option<Cube>, about: u128) -> Cube {
    match buffer {
        None => memory,
        Some(buffer) => Cube {
            mask: memory.mask & !about | buffer.mask,
            value: memory.value & !about | buffer.value,
        },
    }
}

/// Memory, and of each thread whether its step is done and the truth values in its buffer.
type State = (Cube, [(bool, Option<Cube>); 2]);

/// The truth values in memory when both threads have fenced.
fn naive_ends(boolean: &BooleanProgram) -> BTreeSet<Cube> {
    let step = |t: u32| -> &BooleanStep { &boolean.steps[&Move::Thread(ThreadId(t), 0)] };
    // The predicates about the variable that each thread stores.
    let about = [0b01011_u128, 0b10101];
    let start: State = (boolean.initial, [(false, None); 2]);
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some((memory, threads)) = open.pop() {
        for t in 0..2 {
            let (done, buffer) = threads[t];
            let mut after = threads;
            let view = overwritten(memory, buffer, about[t]);
            let next = match (done, buffer) {
                (false, _) => {
                    let id = if t == 0 { 0 } else { 1 };
                    let Some(stored) = step(id).apply(view) else {
                        continue;
                    };
                    after[t] = (
                        true,
                        Some(Cube {
                            mask: stored.mask & about[t],
                            value: stored.value & about[t],
                        }),
                    );
                    (memory, after)
                }
                (true, Some(_)) => {
                    after[t] = (true, None);
                    (view, after)
                }
                (true, None) => continue,
            };
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    let ended = |s: &&State| s.1 == [(true, None); 2];
    seen.iter().filter(ended).map(|s| s.0).collect()
}

#[test]
fn naive_abstraction_misses_what_predicates_about_buffers_find() {
    let mut sources = SourceMap::default();
    let file = sources.add("unsound", "");
    let span = Span {
        file,
        start: 0,
        end: 0,
    };
    let boolean = BooleanProgram::new(
        &program(span),
        &predicates(),
        CubeSearch::Primes(4),
        &|| false,
    );
    let ends = naive_ends(&boolean.expect("nothing stops it"));
    let equal = |c: &Cube| c.mask & 1 == 0 || c.value & 1 == 1;
    assert!(!ends.is_empty());
    assert!(!ends.iter().any(equal), "naive abstraction finds X = Y");
    // The state of Fig. 4: X = 1 and Y = 1, and yet X = Y is false.
    let contradiction = Cube {
        mask: 0b00111,
        value: 0b00110,
    };
    assert!(ends.iter().any(|c| c.extends(contradiction)), "{ends:?}");

    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/abstraction/");
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::file(format!("{folder}unsound.preds")));
    let read = Abstraction::read(&Input::file(format!("{folder}unsound.c")), &options);
    let read = read.unwrap_or_else(|e| panic!("{e}"));
    for model in ["tso", "pso"] {
        let found = read
            .check(model, Limits::default())
            .expect("it is supported");
        assert!(
            matches!(found.verdict, AbstractionVerdict::Unsafe { .. }),
            "{model}: {:?}",
            found.verdict
        );
    }
}
