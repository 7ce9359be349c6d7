//! The generic strategy against the machine with buffers on random systems, on every model.

mod cub_programs;

use cub_programs::{Dice, program, system};
use wmbmc::param::engine::{Options, Verdict};
use wmbmc::param::generic::Rules;
use wmbmc::param::generic::search::search;
use wmbmc::param::machine::{Limits, Machine, Order, Outcome, explore, replay};
use wmbmc::param::system::Memory;

/// Compares `count` programs; returns how many are unsafe.
fn compare(seed: u64, count: u64, order: Order) -> u64 {
    let mut dice = Dice(seed);
    let (mut bad, mut skipped) = (0, 0);
    for i in 0..count {
        let text = program(&mut dice);
        let system = system(&text, Memory::Buffered);
        let procs = system.procs.expect("the generator fixes it");
        let machine = Machine::new(&system, procs, order, &[]);
        let limits = Limits {
            states: 200_000,
            queue: usize::MAX,
            until: None,
        };
        let explicit = match explore(&machine, limits) {
            Outcome::Safe { complete, .. } => {
                assert!(complete, "{text}");
                false
            }
            Outcome::Unsafe(_) => true,
            Outcome::Limit => {
                skipped += 1;
                continue;
            }
        };
        let options = Options {
            max_nodes: 20_000,
            max_procs: procs,
            ..Options::default()
        };
        let found = search(&system, Rules::of(order), &options);
        match found.verdict {
            Verdict::Safe => assert!(!explicit, "program {i}: SAFE, but it is not\n{text}"),
            Verdict::Unsafe(id) => {
                assert!(explicit, "program {i}: UNSAFE, but it is not\n{text}");
                let (calls, _) = found.trace(id);
                let run = replay(&machine, &calls, limits);
                let real = matches!(run, Outcome::Unsafe(_));
                assert!(real, "program {i}: no replay of {calls:?}\n{text}");
                bad += 1;
            }
            Verdict::Unknown(_) => skipped += 1,
        }
    }
    println!("{order:?}: {bad} of {count} are unsafe, {skipped} too large");
    assert!(skipped * 50 < count, "{skipped} were too large");
    bad
}

#[test]
fn random_systems_on_sc() {
    assert!(compare(0x5eed_0011, 500, Order::Sc) > 25);
}

#[test]
fn random_systems_on_tso() {
    assert!(compare(0x5eed_0012, 1000, Order::Tso) > 50);
}

#[test]
fn random_systems_on_pso() {
    assert!(compare(0x5eed_0013, 1000, Order::Pso) > 50);
}
