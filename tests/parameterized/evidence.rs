//! What backs the verdict SAFE of a parameterized system: its certificate checks, each of its cubes is needed, and the
//! machine with buffers finds nothing with two and with three processes.
//!
//! Programs are those of `benchmarks/parameterized` and, when it is there, of
//! `../shared/data/cubicle`.

use rayon::prelude::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::cubes::subsume_one_by_one;
use wmbmc::base::source::SourceMap;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer};
use wmbmc::systems::certificate::{check, read, write};
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore};
use wmbmc::systems::cub;
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System, resolve};
use wmbmc::systems::theory::SystemContext;

/// Seconds for a proof that Cubicle-W has; the few programs that need longer are listed by
/// `tests/parameterized/data.rs`.
const SECONDS: f64 = 8.0;
/// Seconds for one that it has not.
const BEYOND: f64 = 0.5;
/// A certificate this long is checked whole, and without its first cube, but not without each.
const LONG: usize = 40;
/// Longer ones take the checker half a minute and more.
const TOO_LONG: usize = 2000;

/// A program and the model it is typed for.
struct Program {
    path: PathBuf,
    memory: MemorySemantics,
    order: StoreOrder,
    seconds: f64,
}

fn model(name: &str) -> (MemorySemantics, StoreOrder) {
    match name.to_ascii_lowercase().as_str() {
        "sc" => (MemorySemantics::Flat, StoreOrder::Sc),
        _ => (MemorySemantics::Buffered, StoreOrder::Tso),
    }
}

/// Everything that may be safe.
fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    let mut add = |path: PathBuf, name: &str, seconds: f64| {
        let (memory, order) = model(name);
        all.push(Program {
            path,
            memory,
            order,
            seconds,
        });
    };
    for path in support::files("benchmarks/parameterized", "cub") {
        add(path.clone(), "tso", SECONDS);
        add(path, "sc", SECONDS);
    }
    let data = support::data().join("cubicle");
    let Ok(mut rows) = csv::Reader::from_path(data.join("verdicts.csv")) else {
        support::skipped(support::Missing::Data("cubicle/verdicts.csv"));
        return all;
    };
    for row in rows.deserialize::<std::collections::BTreeMap<String, String>>() {
        let row = row.expect("the table is well formed");
        if row["verdict"] != "UNSAFE" && !row["file"].contains("challenges/") {
            let known = row["verdict"] == "SAFE";
            let seconds = if known { SECONDS } else { BEYOND };
            add(data.join(&row["file"]), &row["model"], seconds);
        }
    }
    all
}

fn system(program: &Program) -> Option<System> {
    let mut sources = SourceMap::default();
    let id = sources.load(&program.path).expect("the file is readable");
    let file = cub::parse(&sources, id).ok()?;
    resolve(&file, program.memory).ok()
}

/// What was looked at of one program, or what is wrong.
#[derive(Default)]
struct Evidence {
    proofs: usize,
    removed: usize,
    /// Certificates with a cube removed that still prove safety: several others cover together what it covered.
    joint: usize,
    too_long: Vec<String>,
    explored: usize,
    wrong: Vec<String>,
}

impl Evidence {
    fn and(mut self, other: Evidence) -> Evidence {
        self.proofs += other.proofs;
        self.removed += other.removed;
        self.joint += other.joint;
        self.explored += other.explored;
        self.too_long.extend(other.too_long);
        self.wrong.extend(other.wrong);
        self
    }
}

fn evidence(program: &Program) -> Evidence {
    let mut e = Evidence::default();
    let Some(system) = system(program) else {
        return e;
    };
    let name = format!("{} on {:?}", program.path.display(), program.memory);
    let until = Instant::now() + Duration::from_secs_f64(program.seconds);
    let options = SearchOptions {
        until: Some(until),
        ..SearchOptions::default()
    };
    let SystemAnswer::Safe(search) = answer(&system, program.order, &options, Brab::Late) else {
        return e;
    };
    let text = write(&search.context.system, "sc", search.certificate());
    // One written after the time was up is not minimised and may have cubes that it does not need.
    let minimised = Instant::now() < until;
    let (extended, cubes) = read(&system, &text).expect("what is written reads");
    let model = SystemContext::new(extended, system.procs);
    if cubes.len() > TOO_LONG {
        e.too_long.push(format!("{name}: {} cubes", cubes.len()));
    } else {
        e.proofs += 1;
        if let Err(flaw) = check(&model, (), &cubes) {
            e.wrong.push(format!("{name}: {flaw:?}"));
        }
        let each = match minimised {
            true if cubes.len() < LONG => cubes.len(),
            true => 1,
            false => 0,
        };
        for i in 0..each {
            let mut fewer = cubes.clone();
            fewer.remove(i);
            e.removed += 1;
            if check(&model, (), &fewer).is_err() {
                continue;
            }
            // The others cover together what it subsumed, which a search does not look at.
            e.joint += 1;
            if search.joint || subsume_one_by_one(&model, &fewer) {
                e.wrong
                    .push(format!("{name}: cube {i} of {} is not needed", cubes.len()));
            }
        }
    }
    for n in system.procs.map_or(2..=3, |n| n..=n) {
        let machine = Machine::new(&system, n, program.order, &[]);
        let limits = ExplorationLimits {
            states: 30_000,
            queue: 6,
            until: None,
        };
        match explore(&machine, limits) {
            ExplorationResult::Unsafe(_) => e.wrong.push(format!("{name}: a run of {n} processes")),
            ExplorationResult::Safe { .. } => e.explored += 1,
            ExplorationResult::Limit => {}
        }
    }
    e
}

#[test]
fn proofs_check_and_machines_agree() {
    let all = programs();
    let e = all
        .par_iter()
        .map(evidence)
        .reduce(Evidence::default, Evidence::and);
    println!(
        "{} certificates checked, {} with a cube removed, of which {} are valid; {} explorations ended; \
         not checked: {:#?}",
        e.proofs, e.removed, e.joint, e.explored, e.too_long
    );
    assert!(e.wrong.is_empty(), "{:#?}", e.wrong);
    assert!(e.proofs >= 20 && e.explored >= 40, "too few programs");
}
