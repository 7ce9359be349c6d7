//! The parameterized engine against the machine with buffers, on random systems with a fixed
//! number of processes.

use crate::common::cub_programs::{Dice, program, system};
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore, replay};
use wmbmc::systems::search::{self, SearchOptions, SearchVerdict};
use wmbmc::systems::system::MemorySemantics;
use wmbmc::systems::system::StoreOrder;

/// Compares `count` programs; returns how many are unsafe, and how many were too large.
fn compare(seed: u64, count: u64, memory: MemorySemantics) -> (u64, u64) {
    let mut dice = Dice(seed);
    let (mut bad, mut skipped) = (0, 0);
    for i in 0..count {
        let text = program(&mut dice);
        let system = system(&text, memory);
        let procs = system.procs.expect("the generator fixes it");
        let machine = Machine::new(&system, procs, StoreOrder::Tso, &[]);
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
            generalize: i % 2 == 0,
            ..SearchOptions::default()
        };
        let search = search::search(&system, &options);
        match search.verdict {
            SearchVerdict::Safe => assert!(!explicit, "program {i}: SAFE, but it is not\n{text}"),
            SearchVerdict::Unsafe(id) => {
                assert!(explicit, "program {i}: UNSAFE, but it is not\n{text}");
                let calls = search.trace(id).calls;
                let run = replay(&machine, &calls, limits).0;
                let real = matches!(run, ExplorationResult::Unsafe(_));
                assert!(
                    real || options.generalize,
                    "program {i}: no replay of {calls:?}\n{text}"
                );
                bad += 1;
            }
            SearchVerdict::Unknown(_) => skipped += 1,
        }
    }
    (bad, skipped)
}

#[test]
fn the_engine_and_the_machine_agree_on_random_systems() {
    let (bad, skipped) = compare(0x5eed_0001, 2000, MemorySemantics::Buffered);
    println!("{bad} of 2000 are unsafe, {skipped} too large");
    assert!(bad > 100 && bad < 1900, "the generator is one-sided: {bad}");
    assert!(skipped < 20, "{skipped} were too large");
}

#[test]
fn they_agree_under_sequential_consistency() {
    let (bad, skipped) = compare(0x5eed_0002, 500, MemorySemantics::Flat);
    println!("{bad} of 500 are unsafe, {skipped} too large");
    assert!(skipped < 5, "{skipped} were too large");
}
