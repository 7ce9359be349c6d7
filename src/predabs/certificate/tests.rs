//! What the checker trusts, and which moves it looks at.

use super::interleaving::Interleavings;
use crate::base::idx::IdVec;
use crate::base::source::{FileId, Span};
use crate::predabs::program::*;

/// The modules of this stage and the other stages that a file uses, as the head names them.
fn modules_used(text: &str) -> Vec<String> {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    let code: String = code.collect::<Vec<_>>().join("\n");
    let module = |path: &str| -> String {
        let segments = path.split("::").take_while(|s| {
            let word = s.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            word && !s.is_empty()
        });
        let depth = if path.starts_with("predabs") { 2 } else { 1 };
        segments.take(depth).collect::<Vec<_>>().join("::")
    };
    code.split("crate::").skip(1).map(module).collect()
}

#[test]
fn the_head_lists_all_that_is_trusted() {
    let head = include_str!("../certificate.rs");
    let rows = head.lines().filter_map(|l| l.strip_prefix("//! | `"));
    let mut trusted: Vec<&str> = rows.filter_map(|l| l.split('`').next()).collect();
    assert_eq!(trusted.len(), 4);
    trusted.extend(["base", "smt"]);
    let mut used = std::collections::BTreeSet::new();
    for text in [
        include_str!("checker.rs"),
        include_str!("format.rs"),
        include_str!("implication.rs"),
        include_str!("interleaving.rs"),
    ] {
        used.extend(modules_used(text));
        assert!(!text.contains("super::super"));
    }
    let listed: std::collections::BTreeSet<String> =
        trusted.iter().map(|t| t.to_string()).collect();
    assert_eq!(used, listed);
}

const NOWHERE: Span = Span {
    file: FileId(0),
    start: 0,
    end: 0,
};

fn step(from: u32, to: u32, effect: Effect) -> Step {
    Step {
        effect,
        ..Step::new(LocId(from), LocId(to), NOWHERE)
    }
}

fn thread(locations: u32, atomic: u32, steps: Vec<Step>) -> Thread {
    let location = |l| Location {
        span: NOWHERE,
        atomic: l == atomic,
    };
    Thread {
        name: "t".into(),
        locations: (0..locations).map(location).collect::<IdVec<_, _>>(),
        end: LocId(locations - 1),
        steps,
    }
}

/// `main` starts a thread, joins it and ends; the thread has a location in an atomic section. One
/// buffer may flush, and there is an invariant.
fn program() -> Program {
    let mut program = Program::default();
    program.threads.push(thread(
        3,
        9,
        vec![
            step(0, 1, Effect::Spawn(ThreadId(1))),
            step(1, 2, Effect::Join(ThreadId(1))),
        ],
    ));
    program.threads.push(thread(
        3,
        1,
        vec![step(0, 1, Effect::None), step(1, 2, Effect::None)],
    ));
    program
        .flushes
        .push((ThreadId(1), step(0, 0, Effect::None)));
    let failure = Effect::Fail(Failure::Invariant("x == 0".into()));
    program.invariants.push(step(0, 0, failure));
    program
}

#[test]
fn moves_are_those_of_all_interleavings() {
    let program = program();
    let interleavings = Interleavings::new(&program);
    let (main, other) = (ThreadId(0), ThreadId(1));
    let free = [Move::Flush(0), Move::Invariant(0)];
    let with = |own: &[Move]| -> Vec<Move> { own.iter().chain(&free).copied().collect() };

    let initial = interleavings.initial();
    assert_eq!(*initial, [Some(LocId(0)), None]);
    assert_eq!(
        interleavings.moves(&initial),
        with(&[Move::Thread(main, 0)])
    );

    // Started, it is at its beginning, and joining it has to wait.
    let started = interleavings.after(&initial, Move::Thread(main, 0));
    assert_eq!(*started, [Some(LocId(1)), Some(LocId(0))]);
    assert_eq!(
        interleavings.moves(&started),
        with(&[Move::Thread(other, 0)])
    );

    // In its section it is alone: neither flushes nor invariants.
    let section = interleavings.after(&started, Move::Thread(other, 0));
    assert_eq!(*section, [Some(LocId(1)), Some(LocId(1))]);
    assert_eq!(interleavings.moves(&section), [Move::Thread(other, 1)]);

    let ended = interleavings.after(&section, Move::Thread(other, 1));
    assert_eq!(interleavings.moves(&ended), with(&[Move::Thread(main, 1)]));
    let flushed = interleavings.after(&ended, Move::Flush(0));
    assert_eq!(flushed, ended);
    let joined = interleavings.after(&ended, Move::Thread(main, 1));
    assert_eq!(interleavings.moves(&joined), free);
}
