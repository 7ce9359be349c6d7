//! The generic strategy against the machine with buffers on random systems and on
//! litmus tests, on every model.

use crate::common::cub_programs::{Dice, program, system};
use wmbmc::systems::answer::{SystemAnswer, answer_on_events};
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore, replay};
use wmbmc::systems::cube::Rules;
use wmbmc::systems::search::{self, SearchOptions, SearchVerdict};
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System};

/// Compares `count` programs; returns how many are unsafe.
fn compare(seed: u64, count: u64, order: StoreOrder) -> u64 {
    let mut dice = Dice(seed);
    let (mut bad, mut skipped, mut lost) = (0, 0, 0);
    for i in 0..count {
        let text = program(&mut dice);
        let system = system(&text, MemorySemantics::Buffered);
        let procs = system.procs.expect("the generator fixes it");
        let machine = Machine::new(&system, procs, order, &[]);
        let limits = ExplorationLimits {
            states: 200_000,
            queue: usize::MAX,
            until: None,
        };
        let explicit = match explore(&machine, limits) {
            ExplorationResult::Safe { complete, .. } => {
                assert!(complete, "{text}");
                false
            }
            ExplorationResult::Unsafe(_) => true,
            ExplorationResult::Limit => {
                skipped += 1;
                continue;
            }
        };
        let options = SearchOptions {
            max_nodes: 20_000,
            max_procs: procs,
            ..SearchOptions::default()
        };
        let found = search::explore(&Rules::of(order), &system, &options);
        match found.verdict {
            SearchVerdict::Safe => assert!(!explicit, "program {i}: SAFE, but it is not\n{text}"),
            // See the head of `cube::rules`: such a trace has no run, and the answer is UNKNOWN.
            SearchVerdict::Unsafe(_) if order == StoreOrder::Pso && !explicit => lost += 1,
            SearchVerdict::Unsafe(id) => {
                assert!(explicit, "program {i}: UNSAFE, but it is not\n{text}");
                let calls = found.trace(id).calls;
                let run = replay(&machine, &calls, limits).0;
                let real = matches!(run, ExplorationResult::Unsafe(_));
                assert!(real, "program {i}: no replay of {calls:?}\n{text}");
                bad += 1;
            }
            SearchVerdict::Unknown(_) => skipped += 1,
        }
    }
    println!("{order:?}: {bad} of {count} are unsafe, {skipped} too large, {lost} lost");
    assert!(lost * 1000 <= count, "{lost} traces have no run");
    assert!(skipped * 50 < count, "{skipped} were too large");
    bad
}

/// How many programs are compared: `WMBMC_RANDOM_CASES`, if that is set.
fn cases(usual: u64) -> u64 {
    let asked = std::env::var("WMBMC_RANDOM_CASES");
    asked.ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_systems_on_sc() {
    let count = cases(500);
    assert!(compare(0x5eed_0011, count, StoreOrder::Sc) > count / 20);
}

#[test]
fn random_systems_on_tso() {
    let count = cases(1000);
    assert!(compare(0x5eed_0012, count, StoreOrder::Tso) > count / 20);
}

#[test]
fn random_systems_on_pso() {
    let count = cases(1000);
    assert!(compare(0x5eed_0013, count, StoreOrder::Pso) > count / 20);
}

#[test]
fn an_increment_is_atomic() {
    // The second process sees the increment although its own write came in between.
    let text = "number_procs 2 type l = L0 | L1 | L2 array PC[proc] : l weak var X : int \
        init (p) { PC[p] = L0 && X = 0 } \
        transition increment ([p]) requires { p = #1 && PC[p] = L0 } { X := X + 1; PC[p] := L1 } \
        transition write ([p]) requires { p = #2 && PC[p] = L0 } { X := 2; PC[p] := L1 } \
        unsafe (a b) { a = #1 && b = #2 && PC[a] = L1 && PC[b] = L1 && b@X = 1 }";
    let system = system(text, MemorySemantics::Buffered);
    for order in [StoreOrder::Sc, StoreOrder::Tso, StoreOrder::Pso] {
        let machine = Machine::new(&system, 2, order, &[]);
        let limits = ExplorationLimits {
            states: 10_000,
            queue: usize::MAX,
            until: None,
        };
        let complete = ExplorationResult::Safe {
            complete: true,
            states: 0,
        };
        let found = explore(&machine, limits);
        assert_eq!(
            std::mem::discriminant(&found),
            std::mem::discriminant(&complete)
        );
        let answer = answer_on_events(&system, order, &SearchOptions::default());
        assert!(matches!(answer, SystemAnswer::Safe(_)), "{order:?}");
    }
}

/// A litmus test: instructions of each process, and what is asked of the end.
fn litmus(threads: &[&[&str]], end: &str) -> System {
    let mut text = format!(
        "number_procs {}\ntype l = L0 | L1 | L2 | L3 | L4\narray PC[proc] : l\n\
         array R[proc] : int\narray S[proc] : int\nweak var X : int\nweak var Y : int\n\
         init (p) {{ PC[p] = L0 && R[p] = 0 && S[p] = 0 && X = 0 && Y = 0 }}\n",
        threads.len()
    );
    let mut ends = Vec::new();
    for (p, code) in threads.iter().enumerate() {
        for (i, instruction) in code.iter().enumerate() {
            let (guard, update) = match *instruction {
                "fence" => ("&& fence()", String::new()),
                update => ("", format!("{update};")),
            };
            text += &format!(
                "transition t{p}_{i} ([p]) requires {{ p = #{} && PC[p] = L{i} {guard} }} \
                 {{ {update} PC[p] := L{} }}\n",
                p + 1,
                i + 1
            );
        }
        ends.push(format!("p{p} = #{} && PC[p{p}] = L{}", p + 1, code.len()));
    }
    let names: Vec<String> = (0..threads.len()).map(|p| format!("p{p}")).collect();
    text += &format!(
        "unsafe ({}) {{ {} && {end} }}\n",
        names.join(" "),
        ends.join(" && ")
    );
    system(&text, MemorySemantics::Buffered)
}

#[test]
fn litmus_shapes_have_their_known_answers() {
    let wx: &[&str] = &["X := 1"];
    let wy: &[&str] = &["Y := 1"];
    let old = "R[p0] = 0 && R[p1] = 0";
    let passed = "R[p1] = 1 && S[p1] = 0";
    let two = "p0@X = 1 && p0@Y = 1";
    let reads: &[&str] = &["R[p] := Y", "S[p] := X"];
    let back: &[&str] = &["R[p] := X", "S[p] := Y"];
    let iriw = "R[p2] = 1 && S[p2] = 0 && R[p3] = 1 && S[p3] = 0";
    // Threads, the end, and whether it is allowed on SC, TSO and PSO.
    type Case<'a> = (&'a str, Vec<&'a [&'a str]>, &'a str, [bool; 3]);
    let cases: Vec<Case> = vec![
        (
            "SB",
            vec![&["X := 1", "R[p] := Y"], &["Y := 1", "R[p] := X"]],
            old,
            [false, true, true],
        ),
        (
            "SB+fences",
            vec![
                &["X := 1", "fence", "R[p] := Y"],
                &["Y := 1", "fence", "R[p] := X"],
            ],
            old,
            [false, false, false],
        ),
        (
            "SB+fence+po",
            vec![&["X := 1", "fence", "R[p] := Y"], &["Y := 1", "R[p] := X"]],
            old,
            [false, true, true],
        ),
        (
            "MP",
            vec![&["X := 1", "Y := 1"], reads],
            passed,
            [false, false, true],
        ),
        (
            "MP+fence+po",
            vec![&["X := 1", "fence", "Y := 1"], reads],
            passed,
            [false, false, false],
        ),
        (
            "MP, one transition writes both",
            vec![&["X := 1; Y := 1"], reads],
            passed,
            [false, false, true],
        ),
        (
            "CoMP",
            vec![&["X := 1", "X := 2"], &["R[p] := X", "S[p] := X"]],
            "R[p1] = 2 && S[p1] = 1",
            [false, false, false],
        ),
        (
            "2+2W",
            vec![&["X := 1", "Y := 2"], &["Y := 1", "X := 2"]],
            // What the other has not drained is not seen.
            two,
            [false, true, true],
        ),
        (
            "2+2W+fences",
            vec![
                &["X := 1", "fence", "Y := 2"],
                &["Y := 1", "fence", "X := 2"],
            ],
            "p0@X = 1 && p1@Y = 1",
            // What is read at the end may be from the own buffer.
            [false, true, true],
        ),
        (
            "2+2W, all drained",
            vec![
                &["X := 1", "fence", "Y := 2", "fence"],
                &["Y := 1", "fence", "X := 2", "fence"],
            ],
            two,
            [false, false, false],
        ),
        (
            "2+2W, drained at the end",
            vec![
                &["X := 1", "Y := 2", "fence"],
                &["Y := 1", "X := 2", "fence"],
            ],
            two,
            [false, false, true],
        ),
        (
            "LB",
            vec![&["R[p] := X", "Y := 1"], &["R[p] := Y", "X := 1"]],
            "R[p0] = 1 && R[p1] = 1",
            [false, false, false],
        ),
        (
            "IRIW",
            vec![wx, wy, back, reads],
            iriw,
            [false, false, false],
        ),
        (
            "S",
            vec![&["X := 2", "Y := 1"], &["R[p] := Y", "X := 1", "fence"]],
            "R[p1] = 1 && p1@X = 2",
            [false, false, true],
        ),
        (
            "R",
            vec![
                &["X := 1", "Y := 1", "fence"],
                &["Y := 2", "R[p] := X", "fence"],
            ],
            "R[p1] = 0 && p0@Y = 2",
            [false, true, true],
        ),
        (
            "WRC",
            vec![wx, &["R[p] := X", "Y := 1"], reads],
            "R[p1] = 1 && R[p2] = 1 && S[p2] = 0",
            [false, false, false],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, threads, end, allowed) in &cases {
        let system = litmus(threads, end);
        for (order, expected) in [StoreOrder::Sc, StoreOrder::Tso, StoreOrder::Pso]
            .iter()
            .zip(allowed)
        {
            let machine = Machine::new(&system, threads.len() as u8, *order, &[]);
            let limits = ExplorationLimits {
                states: 1_000_000,
                queue: usize::MAX,
                until: None,
            };
            let machine = matches!(explore(&machine, limits), ExplorationResult::Unsafe(_));
            let ours = match answer_on_events(&system, *order, &SearchOptions::default()) {
                SystemAnswer::Safe(_) => Some("SAFE"),
                SystemAnswer::Unsafe { .. } => Some("UNSAFE"),
                SystemAnswer::Unknown(..) => None,
            };
            let expected = if *expected { "UNSAFE" } else { "SAFE" };
            if machine != (expected == "UNSAFE") || ours != Some(expected) {
                wrong.push(format!(
                    "{name} on {order:?}: {ours:?}, machine {machine}, known {expected}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
