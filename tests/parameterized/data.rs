//! Recorded answers of Cubicle-W, and what we answer; see `benchmarks/parameterized/differences.md`.
//! What backs the answers is tested in `tests/parameterized/evidence.rs`.
//!
//! The data lies outside of the repository; without it these tests say so and pass.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wmbmc::base::source::SourceMap;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer};
use wmbmc::systems::certificate;
use wmbmc::systems::cub;
use wmbmc::systems::search::{Search, SearchOptions};
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System, resolve};
use wmbmc::systems::theory::SystemContext;

/// Where we know better: the machine shows a run, or the recorded trace is none of its runs.
const DIFFERENT: [(&str, &str, &str); 7] = [
    ("exp/minimal.cub", "TSO", "UNSAFE"),
    ("exp/minimal.cub", "SC", "UNSAFE"),
    ("bug_safe.cub", "SC", "UNSAFE"),
    ("examples/futurebus.cub", "SC", "SAFE"),
    ("examples/german_data.cub", "SC", "SAFE"),
    ("examples/challenges/lynch_full.cub", "SC", "UNSAFE"),
    ("cubbuf/peterson_2_tso.cub", "SC", "UNKNOWN"),
];

/// A system whose recorded trace a process outside of it blocks, and which we do not decide for any
/// number of processes; with the number of processes of our abstract trace.
const BLOCKED: (&str, u8) = ("cubbuf/peterson_2_tso.cub", 3);

fn data() -> Option<PathBuf> {
    let folder = support::data().join("cubicle");
    if !folder.is_dir() {
        support::skipped(support::Missing::Data("cubicle"));
        return None;
    }
    Some(folder)
}

/// The rows of a CSV file, by the names of its columns.
fn rows(path: &Path) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("the table is readable");
    let rows = reader.deserialize().collect::<Result<Vec<_>, _>>();
    rows.expect("the table is well formed")
}

fn system(path: &Path, memory: MemorySemantics) -> Option<System> {
    let mut sources = SourceMap::default();
    let id = sources.load(path).expect("the file is readable");
    let file = cub::parse(&sources, id).ok()?;
    resolve(&file, memory).ok()
}

fn model(name: &str) -> (MemorySemantics, StoreOrder) {
    match name {
        "SC" => (MemorySemantics::Flat, StoreOrder::Sc),
        _ => (MemorySemantics::Buffered, StoreOrder::Tso),
    }
}

/// `SAFE`, `UNSAFE 4` or `UNKNOWN`.
fn verdict(system: &System, order: StoreOrder, seconds: f64) -> (&'static str, usize) {
    let options = SearchOptions {
        until: Some(Instant::now() + Duration::from_secs_f64(seconds)),
        ..SearchOptions::default()
    };
    match answer(system, order, &options, Brab::Late) {
        SystemAnswer::Safe(_) => ("SAFE", 0),
        SystemAnswer::Unsafe { run, .. } => ("UNSAFE", run.len()),
        SystemAnswer::Unknown(..) => ("UNKNOWN", 0),
    }
}

#[test]
fn recorded_verdicts_hold() {
    let Some(folder) = data() else { return };
    let (mut wrong, mut compared, mut better) = (Vec::new(), 0, Vec::new());
    for row in rows(&folder.join("verdicts.csv")) {
        let (file, name) = (row["file"].as_str(), row["model"].as_str());
        let recorded = row["verdict"].as_str();
        let known = DIFFERENT.iter().find(|d| (d.0, d.1) == (file, name));
        let undecided = !matches!(recorded, "SAFE" | "UNSAFE");
        if undecided && file.contains("challenges/") {
            continue;
        }
        let (memory, order) = model(name);
        let Some(system) = system(&folder.join(file), memory) else {
            wrong.push(format!("{file} on {name} does not read"));
            continue;
        };
        let seconds = match undecided {
            true => 0.5,
            false if BLOCKED.0 == file => 10.0,
            false => 60.0,
        };
        let (ours, length) = verdict(&system, order, seconds);
        if undecided {
            if ours != "UNKNOWN" {
                better.push(format!("{file} on {name}: {ours}"));
            }
            continue;
        }
        compared += 1;
        let expected = known.map_or(recorded, |d| d.2);
        let longest: usize = row["trace_length"].parse().unwrap_or(usize::MAX);
        if ours != expected || length > longest && known.is_none() {
            wrong.push(format!(
                "{file} on {name}: {ours} {length}, not {expected} {longest}"
            ));
        }
    }
    println!("{compared} verdicts compared; decided beyond the record: {better:#?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 100, "{compared}");
}

/// A proof, written, read and checked again.
fn is_proof(system: &System, search: &Search) -> bool {
    let text = certificate::write(&search.context.system, "sc", search.certificate());
    let (extended, cubes) = certificate::read(system, &text).expect("what is written reads");
    let model = SystemContext::new(extended, system.procs);
    certificate::check(&model, (), &cubes) == Ok(())
}

#[test]
fn a_blocked_trace_is_no_run() {
    let Some(folder) = data() else { return };
    let (file, procs) = BLOCKED;
    let mut system = system(&folder.join(file), MemorySemantics::Flat).expect("it is typed");
    system.procs = Some(procs);
    // With all processes known, a universal guard is exact.
    let answer = answer(
        &system,
        StoreOrder::Sc,
        &SearchOptions::default(),
        Brab::Never,
    );
    let SystemAnswer::Safe(search) = answer else {
        panic!("{file} is safe for {procs} processes");
    };
    assert!(is_proof(&system, &search), "{file}");
}

#[test]
fn what_a_forgotten_process_blocks_is_proved_safe() {
    let Some(folder) = data() else { return };
    let file = folder.join("examples/german_data.cub");
    let system = system(&file, MemorySemantics::Flat).expect("it is typed");
    let answer = answer(
        &system,
        StoreOrder::Sc,
        &SearchOptions::default(),
        Brab::Never,
    );
    let SystemAnswer::Safe(search) = answer else {
        panic!("it is safe for any number of processes");
    };
    assert!(!search.context.system.history.is_empty());
    assert!(is_proof(&system, &search));
}

#[test]
fn traps_are_answered_right() {
    let Some(folder) = data() else { return };
    for row in rows(&folder.join("traps.csv")) {
        let system = system(&folder.join(&row["file"]), MemorySemantics::Buffered);
        let ours = match &system {
            None => "refused",
            Some(system) => verdict(system, StoreOrder::Tso, 20.0).0,
        };
        let right = row["right"].as_str();
        if right == "decided" {
            assert_ne!(ours, "UNKNOWN", "{row:?}");
        } else {
            assert_eq!(ours, right, "{row:?}");
        }
    }
}
