//! Both strategies answer alike, the generic one on PSO as known, and the machine with buffers
//! agrees.

use std::path::Path;
use std::time::{Duration, Instant};
use support::files_below;
use wmbmc::base::source::SourceMap;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore};
use wmbmc::systems::cub;
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System, resolve};

fn options(seconds: u64) -> SearchOptions {
    SearchOptions {
        max_nodes: 400,
        until: Some(Instant::now() + Duration::from_secs(seconds)),
        generalize: false,
        ..SearchOptions::default()
    }
}

fn read(path: &Path, memory: MemorySemantics) -> Option<System> {
    let mut sources = SourceMap::default();
    let id = sources.load(path).expect("the file is readable");
    let file = cub::parse(&sources, id).ok()?;
    resolve(&file, memory).ok()
}

/// The answer in a word; `None` when undecided.
fn generic(system: &System, order: StoreOrder) -> Option<&'static str> {
    match answer_on_events(system, order, &options(4)) {
        SystemAnswer::Safe(_) => Some("SAFE"),
        SystemAnswer::Unsafe { .. } => Some("UNSAFE"),
        SystemAnswer::Unknown(_, why) => {
            // With a fixed number of processes every trace is real.
            assert!(system.procs.is_none() || !why.contains("no run"), "{why}");
            None
        }
    }
}

/// How many files of a folder both strategies decide on a model, and alike.
fn agree(folder: &Path, order: StoreOrder) -> usize {
    let all = files_below(folder, &["cub"]);
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in all {
        let flat = if order == StoreOrder::Sc {
            MemorySemantics::Flat
        } else {
            MemorySemantics::Buffered
        };
        let (Some(plain), Some(events)) =
            (read(&path, flat), read(&path, MemorySemantics::Buffered))
        else {
            continue;
        };
        // Without weak variables there are no events.
        if events.memory == MemorySemantics::Flat {
            continue;
        }
        let Some(ours) = generic(&events, order) else {
            continue;
        };
        let theirs = match answer(&plain, order, &options(4), Brab::Never) {
            SystemAnswer::Safe(_) => "SAFE",
            SystemAnswer::Unsafe { .. } => "UNSAFE",
            SystemAnswer::Unknown(..) => continue,
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
    let folder = support::root().join("benchmarks/parameterized");
    for (order, least) in [(StoreOrder::Tso, 12), (StoreOrder::Sc, 12)] {
        let compared = agree(&folder, order);
        println!("{compared} benchmarks compared on {order:?}");
        assert!(compared >= least);
    }
}

#[test]
fn the_strategies_agree_on_recorded_programs() {
    let folder = support::data().join("cubicle");
    if !folder.is_dir() {
        support::skipped(support::Missing::Data("cubicle"));
        return;
    }
    for (order, least) in [(StoreOrder::Tso, 25), (StoreOrder::Sc, 25)] {
        let compared = agree(&folder, order);
        println!("{compared} programs compared on {order:?}");
        assert!(compared >= least);
    }
}

#[test]
fn benchmarks_on_pso_are_as_the_machine_says() {
    let folder = support::root().join("benchmarks/parameterized");
    let all = files_below(&folder, &["cub"]);
    let mut decided = 0;
    for path in all {
        let system = read(&path, MemorySemantics::Buffered).expect("it is typed");
        let name = path.display();
        let Some(ours) = generic(&system, StoreOrder::Pso) else {
            println!("{name}: undecided");
            continue;
        };
        decided += 1;
        println!("{name}: {ours}");
        // A run was replayed; a proof must leave none.
        for n in system.procs.map_or(2..=3, |n| n..=n) {
            let machine = Machine::new(&system, n, StoreOrder::Pso, &[]);
            let limits = ExplorationLimits {
                states: 30_000,
                queue: 6,
                until: None,
            };
            let found = explore(&machine, limits);
            let bad = matches!(found, ExplorationResult::Unsafe(_));
            assert!(!bad || ours == "UNSAFE", "{name} with {n} processes");
        }
    }
    assert!(decided >= 12, "{decided}");
}
