//! Invariants guessed from a few processes, against the machine, and variables that count processes.

use support::Random;
use support::cub_programs::{machine_finds, program, system};
use support::random::random_cases;
use wmbmc::systems::certificate;
use wmbmc::systems::concrete::{
    ExplorationLimits, ExplorationResult, Machine, MachineState, explore, reach,
};
use wmbmc::systems::invariants;
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::system::{Count, MemorySemantics, StoreOrder, System};
use wmbmc::systems::theory::SystemContext;

fn states(system: &System, procs: u8) -> usize {
    let limits = ExplorationLimits {
        states: 100_000,
        queue: 1,
        until: None,
    };
    match explore(&Machine::new(system, procs, StoreOrder::Sc, &[]), limits) {
        ExplorationResult::Safe { states, complete } => {
            assert!(complete);
            states
        }
        other => panic!("{other:?}"),
    }
}

/// What is taken for granted of a count excludes no state, and an invariant that is wrong does.
#[test]
fn what_is_known_of_counts_is_true() {
    let text = |known: &str| {
        format!(
            "type place = Out | Trying | In | Leaving
             array At[proc] : place
             var Free : bool
             init (p) {{ At[p] = Out && Free = True }}
             unsafe both (p q) {{ At[p] = In && At[q] = In && Free = True }}
             {known}
             transition tries (p) requires {{ At[p] = Out }} {{ At[p] := Trying }}
             transition enters (p) requires {{ At[p] = Trying && Free = True }} {{ At[p] := In; Free := False }}
             transition gives_up (p) requires {{ At[p] = Trying }} {{ At[p] := Out }}
             transition leaves (p) requires {{ At[p] = In }} {{ At[p] := Leaving; Free := True }}
             transition ends (p) requires {{ At[p] = Leaving }} {{ At[p] := Out }}"
        )
    };
    let plain = system(&text(""), MemorySemantics::Flat);
    let place = plain.place().expect("there are places");
    let counts = [vec![1], vec![2, 3], vec![1, 2, 3]].map(|at| Count { place, at });
    let counted = plain.with_counts(&counts).expect("they can be counted");
    for procs in 1..=4 {
        assert_eq!(states(&plain, procs), states(&counted, procs), "{procs}");
    }
    // It is no more than those that are there, either: another one is if more are counted.
    for procs in 1..=4 {
        let machine = Machine::new(&counted, procs, StoreOrder::Sc, &[]);
        let limits = ExplorationLimits {
            states: 100_000,
            queue: 1,
            until: None,
        };
        let value = |state: &MachineState, sym, index: &[u8]| {
            let cell = machine.cell_at(sym, index).expect("a cell");
            Machine::memory(state, cell).expect("it is known")
        };
        for state in reach(&machine, limits).1 {
            for (k, count) in counts.iter().enumerate() {
                let sym = counted.symbol_of_count(k).expect("it is counted");
                let is_there = |p: &u8| {
                    let at = value(&state, place, &[*p]);
                    count.at.iter().any(|c| i64::from(*c) == at)
                };
                let there = (0..procs).filter(is_there).count();
                assert_eq!(value(&state, sym, &[]), i64::try_from(there).expect("few"));
            }
        }
    }
    let wrong = system(
        &text("invariant (p) { At[p] = Trying }"),
        MemorySemantics::Flat,
    );
    assert!(states(&wrong, 3) < states(&plain, 3));
    let first = [Count { place, at: vec![0] }];
    assert!(
        plain.with_counts(&first).is_err(),
        "all are there initially"
    );
}

/// What invariants prove of random systems the machine does not refute, and the checker confirms it.
#[test]
fn random_systems_are_not_proved_wrongly() {
    let mut random = Random::new(0x5eed_0043);
    let (mut proved, mut refuted) = (0, 0);
    for i in 0..random_cases(300) {
        let text = program(&mut random);
        let system = system(&text, MemorySemantics::Flat);
        let procs = system.procs.expect("the generator fixes it");
        let is_unsafe = machine_finds(&system, procs, StoreOrder::Sc, 200_000);
        refuted += u32::from(is_unsafe == Some(true));
        let Ok(Some(proof)) = invariants::prove(&system, &SearchOptions::default()) else {
            continue;
        };
        proved += 1;
        assert_ne!(is_unsafe, Some(true), "program {i}:\n{text}");
        let context = SystemContext::new(&*proof.system, system.procs);
        let checked = certificate::check(&context, (), &proof.cubes);
        assert_eq!(checked, Ok(()), "program {i}:\n{text}");
    }
    println!("{proved} proved, {refuted} refuted");
    assert!(proved > 10 && refuted > 10);
}
