//! Both strategies against the machine with buffers on random systems with a fixed number of processes, and the
//! generic one on litmus tests, on every model.

use support::Random;
use support::cub_programs::{machine_finds, program, system};
use support::random::random_cases;
use wmbmc::systems::answer::{SystemAnswer, answer_on_events};
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore, replay};
use wmbmc::systems::cube::Rules;
use wmbmc::systems::search::{self, SearchOptions, SearchVerdict};
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System};

/// The answer of a strategy: a verdict, and the transitions of the trace of an unsafe system.
type Found = (SearchVerdict, Vec<(usize, Vec<u8>)>);

/// The strategy for TSO and flat memory.
fn by_tso(system: &System, options: &SearchOptions) -> Found {
    let search = search::search(system, options);
    let calls = match search.verdict {
        SearchVerdict::Unsafe(id) => search.trace(id).calls,
        _ => Vec::new(),
    };
    (search.verdict, calls)
}

/// The generic strategy.
fn by_events(order: StoreOrder) -> impl Fn(&System, &SearchOptions) -> Found {
    move |system, options| {
        let search = search::explore(&Rules::of(order), system, options);
        let calls = match search.verdict {
            SearchVerdict::Unsafe(id) => search.trace(id).calls,
            _ => Vec::new(),
        };
        (search.verdict, calls)
    }
}

/// Compares a strategy with the machine on `count` systems; most must be small enough for both. Returns how many
/// are unsafe.
fn compare(
    seed: u64,
    count: u64,
    memory: MemorySemantics,
    order: StoreOrder,
    strategy: impl Fn(&System, &SearchOptions) -> Found,
) -> u64 {
    let mut random = Random::new(seed);
    let (mut bad, mut skipped, mut lost) = (0, 0, 0);
    for i in 0..count {
        let text = program(&mut random);
        let system = system(&text, memory);
        let procs = system.procs.expect("the generator fixes it");
        let Some(explicit) = machine_finds(&system, procs, order, 200_000) else {
            skipped += 1;
            continue;
        };
        let options = SearchOptions {
            max_nodes: 20_000,
            max_procs: procs,
            generalize: i % 2 == 0,
            ..SearchOptions::default()
        };
        let (verdict, calls) = strategy(&system, &options);
        match verdict {
            SearchVerdict::Safe => assert!(!explicit, "program {i}: SAFE, but it is not\n{text}"),
            // See the head of `cube::rules`: such a trace has no run, and the answer is UNKNOWN.
            SearchVerdict::Unsafe(_) if order == StoreOrder::Pso && !explicit => lost += 1,
            SearchVerdict::Unsafe(_) => {
                assert!(explicit, "program {i}: UNSAFE, but it is not\n{text}");
                let machine = Machine::new(&system, procs, order, &[]);
                let limits = ExplorationLimits {
                    states: 200_000,
                    queue: usize::MAX,
                    until: None,
                };
                let run = replay(&machine, &calls, limits).0;
                let real = matches!(run, ExplorationResult::Unsafe(_));
                assert!(
                    real || memory == MemorySemantics::Flat && options.generalize,
                    "program {i}: no replay of {calls:?}\n{text}"
                );
                bad += 1;
            }
            SearchVerdict::Unknown(_) => skipped += 1,
        }
    }
    println!(
        "seed {seed:#x}, {order:?}: {bad} of {count} are unsafe, {skipped} too large, {lost} lost"
    );
    assert!(lost * 1000 <= count, "{lost} traces have no run");
    assert!(skipped * 100 <= count, "{skipped} were too large");
    bad
}

#[test]
fn random_systems_with_flat_memory_by_the_strategy_for_tso() {
    compare(
        0x5eed_0002,
        random_cases(500),
        MemorySemantics::Flat,
        StoreOrder::Tso,
        by_tso,
    );
}

#[test]
fn random_systems_on_tso_by_the_strategy_for_tso() {
    let count = random_cases(2000);
    let bad = compare(
        0x5eed_0001,
        count,
        MemorySemantics::Buffered,
        StoreOrder::Tso,
        by_tso,
    );
    let is_balanced = bad > count / 20 && bad < count / 20 * 19;
    assert!(is_balanced, "the generator is one-sided: {bad} of {count}");
}

fn compare_events(seed: u64, usual: u64, order: StoreOrder) {
    let count = random_cases(usual);
    let bad = compare(
        seed,
        count,
        MemorySemantics::Buffered,
        order,
        by_events(order),
    );
    assert!(bad > count / 20, "{bad} of {count}");
}

#[test]
fn random_systems_on_sc() {
    compare_events(0x5eed_0011, 500, StoreOrder::Sc);
}

#[test]
fn random_systems_on_tso() {
    compare_events(0x5eed_0012, 1000, StoreOrder::Tso);
}

#[test]
fn random_systems_on_pso() {
    compare_events(0x5eed_0013, 1000, StoreOrder::Pso);
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
