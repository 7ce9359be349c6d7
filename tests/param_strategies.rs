//! Both strategies answer alike, the generic one on PSO as known, and the machine with buffers
//! agrees.

mod cub_programs;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wmbmc::front::cub;
use wmbmc::front::source::SourceMap;
use wmbmc::param::engine::{self, Options, Verdict};
use wmbmc::param::generic::{Answer, answer};
use wmbmc::param::machine::{Limits, Machine, Order, Outcome, explore};
use wmbmc::param::system::{Memory, System, resolve};

fn options(seconds: u64) -> Options {
    Options {
        max_nodes: 400,
        until: Some(Instant::now() + Duration::from_secs(seconds)),
        widen: false,
        ..Options::default()
    }
}

fn read(path: &Path, memory: Memory) -> Option<System> {
    let mut sources = SourceMap::default();
    let id = sources.load(path).expect("the file is readable");
    let file = cub::parse(&sources, id).ok()?;
    resolve(&file, memory).ok()
}

/// The answer in a word; `None` when undecided.
fn generic(system: &System, order: Order) -> Option<&'static str> {
    match answer(system, order, &options(4)).1 {
        Answer::Safe => Some("SAFE"),
        Answer::Unsafe { .. } => Some("UNSAFE"),
        Answer::Unknown(_) => None,
    }
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    for entry in entries {
        let path = entry.expect("it is readable").path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|e| e == "cub") {
            into.push(path);
        }
    }
}

/// How many files of a folder both strategies decide on a model, and alike.
fn agree(folder: &Path, order: Order) -> usize {
    let mut all = Vec::new();
    files(folder, &mut all);
    all.sort();
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in all {
        let flat = if order == Order::Sc {
            Memory::Flat
        } else {
            Memory::Buffered
        };
        let (Some(plain), Some(events)) = (read(&path, flat), read(&path, Memory::Buffered)) else {
            continue;
        };
        // Without weak variables there are no events.
        if events.memory == Memory::Flat {
            continue;
        }
        let Some(ours) = generic(&events, order) else {
            continue;
        };
        let theirs = match engine::search(&plain, &options(4)).verdict {
            Verdict::Safe => "SAFE",
            Verdict::Unsafe(_) => "UNSAFE",
            Verdict::Unknown(_) => continue,
        };
        compared += 1;
        if ours != theirs {
            wrong.push(format!("{}: {ours}, not {theirs}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    compared
}

#[test]
fn the_strategies_agree_on_the_benchmarks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/parameterized");
    for (order, least) in [(Order::Tso, 12), (Order::Sc, 12)] {
        let compared = agree(&folder, order);
        println!("{compared} benchmarks compared on {order:?}");
        assert!(compared >= least);
    }
}

#[test]
fn the_strategies_agree_on_recorded_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/cubicle");
    if !folder.is_dir() {
        println!("skipped: ../shared/data/cubicle is absent");
        return;
    }
    for (order, least) in [(Order::Tso, 25), (Order::Sc, 25)] {
        let compared = agree(&folder, order);
        println!("{compared} programs compared on {order:?}");
        assert!(compared >= least);
    }
}

#[test]
fn benchmarks_on_pso_are_as_the_machine_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/parameterized");
    let mut all = Vec::new();
    files(&folder, &mut all);
    all.sort();
    let mut decided = 0;
    for path in all {
        let system = read(&path, Memory::Buffered).expect("it is typed");
        let name = path.display();
        let Some(ours) = generic(&system, Order::Pso) else {
            println!("{name}: undecided");
            continue;
        };
        decided += 1;
        println!("{name}: {ours}");
        // A run was replayed; a proof must leave none.
        for n in system.procs.map_or(2..=3, |n| n..=n) {
            let machine = Machine::new(&system, n, Order::Pso, &[]);
            let limits = Limits {
                states: 30_000,
                queue: 6,
                until: None,
            };
            let found = explore(&machine, limits);
            let bad = matches!(found, Outcome::Unsafe(_));
            assert!(!bad || ours == "UNSAFE", "{name} with {n} processes");
        }
    }
    assert!(decided >= 12, "{decided}");
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
    cub_programs::system(&text, Memory::Buffered)
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
            two,
            [false, false, true],
        ),
        (
            "2+2W+fences",
            vec![
                &["X := 1", "fence", "Y := 2"],
                &["Y := 1", "fence", "X := 2"],
            ],
            "p0@X = 1 && p1@Y = 1",
            // The reads at the end may be from the buffers: drained by a fence they are not.
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
        for (order, expected) in [Order::Sc, Order::Tso, Order::Pso].iter().zip(allowed) {
            let machine = Machine::new(&system, threads.len() as u8, *order, &[]);
            let limits = Limits {
                states: 1_000_000,
                queue: usize::MAX,
                until: None,
            };
            let machine = matches!(explore(&machine, limits), Outcome::Unsafe(_));
            let ours = generic(&system, *order);
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
