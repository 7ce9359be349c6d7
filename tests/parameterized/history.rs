//! History variables change no verdict: the machine needs as many transitions with them as without,
//! and what the engine proves with them is safe and checks again.

use rayon::prelude::*;
use support::Random;
use support::cub_programs::{shortest_run, system, systems_of_any_number};
use support::random::random_cases;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer};
use wmbmc::systems::certificate::{check, read, write};
use wmbmc::systems::concrete::ExplorationResult;
use wmbmc::systems::search::{self, SearchOptions, SearchVerdict};
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{History, MemorySemantics, System, Variable};
use wmbmc::systems::theory::SystemContext;

/// A variable or two, and who looks at them.
fn history(random: &mut Random, system: &System) -> History {
    let mut history = History::default();
    for _ in 0..1 + random.below(2) {
        let transition = random.below(system.transitions.len() as u64) as usize;
        let params = system.transitions[transition].params.len() as u64;
        let at = random.below(system.transitions.len() as u64) as usize;
        let looking = system.transitions[at].params.len() as u64;
        let keyed = random.below(2) == 0;
        let key = keyed.then(|| random.below(params) as u8);
        let variable = Variable {
            transition,
            param: random.below(params) as u8,
            key,
        };
        let by_unsafe = !keyed && random.below(2) == 0;
        let index = keyed.then(|| random.below(looking) as u8);
        history.add(variable, (!by_unsafe).then_some(at), index);
    }
    history
}

/// The length of the machine's shortest run to an unsafe state, if there is one; nothing when the
/// states are too many.
fn shortest(system: &System, procs: u8, order: StoreOrder) -> Option<Option<usize>> {
    match shortest_run(system, procs, order, 60_000) {
        ExplorationResult::Unsafe(run) => Some(Some(run.len())),
        ExplorationResult::Safe { complete: true, .. } => Some(None),
        _ => None,
    }
}

/// Compares one system with itself; whether there is a run, if the machine could tell.
fn compare(text: &str, order: StoreOrder, random: &mut Random) -> Option<bool> {
    let memory = match order {
        StoreOrder::Sc => MemorySemantics::Flat,
        _ => MemorySemantics::Buffered,
    };
    let plain = system(text, memory);
    let history = history(random, &plain);
    let extended = history.extend(&plain).expect("it speaks of what is there");
    let mut bad = false;
    for procs in 1..=2 {
        let (with, without) = [&extended, &plain]
            .map(|s| shortest(s, procs, order))
            .into();
        if let (Some(with), Some(without)) = (with, without) {
            assert_eq!(with, without, "{procs} processes, {history:?}\n{text}");
        }
        bad |= without?.is_some();
    }
    let options = SearchOptions {
        max_nodes: 300,
        max_procs: 6,
        ..SearchOptions::default()
    };
    let search = search::search(&extended, &options);
    if search.verdict == SearchVerdict::Safe {
        assert!(!bad, "SAFE, but there is a run: {history:?}\n{text}");
        let proof = write(&extended, "sc", search.certificate());
        let (again, cubes) = read(&plain, &proof).expect("what is written reads");
        let model = SystemContext::new(again, plain.procs);
        assert_eq!(check(&model, (), &cubes), Ok(()), "{history:?}\n{text}");
    }
    Some(bad)
}

#[test]
fn history_restricts_nothing() {
    let texts = systems_of_any_number(0x5eed_0031, random_cases(150) as usize);
    for order in [StoreOrder::Sc, StoreOrder::Tso] {
        let one =
            |(i, text): (usize, &String)| compare(text, order, &mut Random::new(i as u64 + 1));
        let found: Vec<Option<bool>> = texts.par_iter().enumerate().map(one).collect();
        let count = |what: Option<bool>| found.iter().filter(|f| **f == what).count();
        let (bad, good, skipped) = (count(Some(true)), count(Some(false)), count(None));
        println!("{order:?}: {bad} have a run, {good} have none, {skipped} are too large");
        let few = texts.len() / 10;
        assert!(bad > few && good > few && skipped <= few);
    }
}

#[test]
fn a_forgotten_process_is_remembered() {
    let file = support::root().join("benchmarks/parameterized/owner.cub");
    let text = std::fs::read_to_string(file).expect("the file is readable");
    let system = system(&text, MemorySemantics::Flat);
    let options = SearchOptions::default();
    let plain = search::search(&system, &options);
    assert!(
        matches!(plain.verdict, SearchVerdict::Unsafe(_)),
        "a trace without a run"
    );
    let SystemAnswer::Safe(search) = answer(&system, StoreOrder::Sc, &options, Brab::Never) else {
        panic!("it is safe");
    };
    assert!(!search.context.system.history.is_empty());
    let text = write(&search.context.system, "sc", search.certificate());
    let (extended, cubes) = read(&system, &text).expect("what is written reads");
    assert_eq!(
        check(&SystemContext::new(extended, None), (), &cubes),
        Ok(())
    );
    for (line, other) in [
        ("last 2 mark 1", "last 3 leave 1"),
        ("last 2", "last 9"),
        ("read-history unsafe 1", "read-history unsafe 2"),
    ] {
        let wrong = text.replace(line, other);
        let valid = read(&system, &wrong)
            .is_ok_and(|(s, c)| check(&SystemContext::new(s, None), (), &c).is_ok());
        assert!(!valid, "{other}");
    }
    // Each look splits all parts again.
    let many = "read-history 1 take 1\n".repeat(12);
    let wrong = text.replace("read-history unsafe 1\n", &many);
    assert!(read(&system, &wrong).is_err_and(|e| e.contains("too often")));
}
