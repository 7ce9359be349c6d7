//! Random systems of any number of processes, all running the same code: what is proved safe is
//! safe for the machine with one, two and three processes, proofs check again, and the two
//! strategies do not contradict each other.

use rayon::prelude::*;
use support::cub_programs::{shortest_run, system, systems_of_any_number};
use support::random::random_cases;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use wmbmc::systems::certificate;
use wmbmc::systems::concrete::ExplorationResult;
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
    let found = |n| shortest_run(system, n, order, 60_000);
    (1..=3).any(|n| matches!(found(n), ExplorationResult::Unsafe(_)))
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
    let found = systems_of_any_number(seed, count)
        .par_iter()
        .map(one)
        .reduce(|| [0; 3], sum);
    println!("seed {seed:#x}, {order:?}: {found:?} are safe, unsafe, undecided");
    found
}

#[test]
fn any_number_of_processes() {
    let cases = random_cases(150) as usize;
    for (seed, order) in [
        (0x5eed_0021, StoreOrder::Sc),
        (0x5eed_0022, StoreOrder::Tso),
        (0x5eed_0023, StoreOrder::Pso),
    ] {
        let [safe, bad, undecided] = compare(seed, cases, order);
        assert!(
            safe > bad / 5 && bad > safe / 20,
            "the generator is one-sided"
        );
        assert!(undecided < cases / 10, "{undecided} are not decided");
    }
}
