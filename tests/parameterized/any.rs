//! Random systems of any number of processes, all running the same code: what is proved safe is
//! safe for the machine with one, two and three processes, proofs check again, and the two
//! strategies do not contradict each other.

use crate::common::cub_programs::{Dice, program, system};
use rayon::prelude::*;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use wmbmc::systems::certificate;
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore};
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System};

/// The verdicts on one system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Safe,
    Unsafe,
    Unknown,
}

/// Systems whose processes all run the same code, however many there are.
fn systems(seed: u64, count: usize) -> Vec<String> {
    let mut dice = Dice(seed);
    let mut all = Vec::new();
    while all.len() < count {
        let text = program(&mut dice);
        if !text.contains("= #") {
            let (_, rest) = text.split_once('\n').expect("it begins with number_procs");
            all.push(rest.to_string());
        }
    }
    all
}

fn options() -> SearchOptions {
    SearchOptions {
        max_nodes: 2000,
        max_procs: 6,
        ..SearchOptions::default()
    }
}

/// The strategy for TSO and flat memory; a proof is checked again.
fn by_tso(system: &System, order: StoreOrder, text: &str) -> Verdict {
    match answer(system, order, &options(), Brab::Never) {
        SystemAnswer::Safe(search) => {
            let cubes: Vec<_> = search.certificate().into_iter().cloned().collect();
            assert_eq!(
                certificate::check(&search.context, (), &cubes),
                Ok(()),
                "{text}"
            );
            Verdict::Safe
        }
        SystemAnswer::Unsafe { .. } => Verdict::Unsafe,
        SystemAnswer::Unknown(..) => Verdict::Unknown,
    }
}

/// The strategy over events.
fn by_events(system: &System, order: StoreOrder) -> Verdict {
    match answer_on_events(system, order, &options()) {
        SystemAnswer::Safe(_) => Verdict::Safe,
        SystemAnswer::Unsafe { .. } => Verdict::Unsafe,
        SystemAnswer::Unknown(..) => Verdict::Unknown,
    }
}

/// The machine with one, two and three processes finds a run.
fn has_run(system: &System, order: StoreOrder) -> bool {
    (1..=3).any(|n| {
        let machine = Machine::new(system, n, order, &[]);
        let limits = ExplorationLimits {
            states: 60_000,
            queue: usize::MAX,
            until: None,
        };
        matches!(explore(&machine, limits), ExplorationResult::Unsafe(_))
    })
}

/// Compares so many systems; returns how many are safe, unsafe, undecided.
fn compare(seed: u64, count: usize, order: StoreOrder) -> [usize; 3] {
    let one = |text: &String| {
        let buffered = system(text, MemorySemantics::Buffered);
        let run = has_run(&buffered, order);
        let mut verdicts = vec![by_events(&buffered, order)];
        if order != StoreOrder::Pso {
            let memory = match order {
                StoreOrder::Sc => MemorySemantics::Flat,
                _ => MemorySemantics::Buffered,
            };
            verdicts.push(by_tso(&system(text, memory), order, text));
        }
        for v in &verdicts {
            assert!(
                *v != Verdict::Safe || !run,
                "SAFE, but there is a run\n{text}"
            );
            assert!(*v != Verdict::Unknown || !run, "a run is missed\n{text}");
        }
        let both = [Verdict::Safe, Verdict::Unsafe].map(|v| verdicts.contains(&v));
        assert_ne!(both, [true, true], "{verdicts:?}\n{text}");
        let at = [Verdict::Safe, Verdict::Unsafe].map(|v| usize::from(verdicts.contains(&v)));
        [at[0], at[1], usize::from(at == [0, 0])]
    };
    let sum = |a: [usize; 3], b: [usize; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let found = systems(seed, count)
        .par_iter()
        .map(one)
        .reduce(|| [0; 3], sum);
    println!("{order:?}: {found:?} are safe, unsafe, undecided");
    found
}

/// How many systems are compared: `WMBMC_RANDOM_CASES`, if that is set.
fn cases() -> usize {
    let asked = std::env::var("WMBMC_RANDOM_CASES");
    asked.ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

#[test]
fn any_number_of_processes() {
    for (seed, order) in [
        (0x5eed_0021, StoreOrder::Sc),
        (0x5eed_0022, StoreOrder::Tso),
        (0x5eed_0023, StoreOrder::Pso),
    ] {
        let [safe, bad, undecided] = compare(seed, cases(), order);
        assert!(
            safe > bad / 5 && bad > safe / 20,
            "the generator is one-sided"
        );
        assert!(undecided < cases() / 10, "{undecided} are not decided");
    }
}
