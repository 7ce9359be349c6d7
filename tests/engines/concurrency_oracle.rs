//! An oracle for threads, locks and C11 atomics: random programs ([`support::concurrent`]).
//!
//! 1. The final states that the solver finds must be those that enumeration finds, on every model;
//!    where there are too many executions to enumerate, all that were found must be among them.
//! 2. Where there is a `cc` for a machine with a model here, the programs are compiled and run a few
//!    hundred times each: what the machine shows the model must allow.
//!
//! `WMBMC_RANDOM_CASES=5000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::process::Command;
use support::builtin;
use support::concurrent::{Concurrent, native};
use support::pipeline::{States, Subject, states};
use support::random::seeds;
use wmbmc::cat::model::Model;
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;
use wmbmc::lower::c::LoweringOptions;

/// The program, and which of the observed variables it has.
fn lowered(program: &Concurrent) -> (Subject, Vec<bool>) {
    let options = LoweringOptions {
        reuse_addresses: true,
        ..LoweringOptions::default()
    };
    let mut subject = Subject::c(&program.program(), &options);
    let has = subject.observe(&program.observed(), 32);
    (subject, has)
}

/// What the solver finds; `None` when a loop reaches its bound.
fn solved(subject: &Subject, model: &Model, order: Backend) -> Option<States> {
    let mut graph = subject.unroll_for(model, Bounds::all(3), &[]);
    // What some programs leave allocated is no matter here.
    graph
        .checks
        .retain(|c| c.property.kind != PropertyKind::Leak);
    subject.final_states(&graph, model, order, Reductions::default())
}

/// What was found out about a program.
struct Answer {
    /// What is wrong with the answers.
    wrong: Vec<String>,
    /// Enumeration was complete.
    complete: bool,
    /// What TSO allows.
    tso: Option<States>,
    /// Some comparison may see an object at another one's address.
    reuses: bool,
}

/// Compares the engines on a program.
fn compare(source: &Concurrent, seed: u64) -> Answer {
    let (subject, _) = lowered(source);
    // What TSO allows is compared with the machine.
    let others = support::some_models(seed as usize, 5).filter(|name| *name != "tso");
    let names = std::iter::once("tso").chain(others);
    let models: Vec<Model> = names.map(builtin).collect();
    let answers = subject.enumerate(&models, Bounds::all(3), &[], 3_000);
    let order = [Backend::Matrix, Backend::Lazy][usize::from(seed / 2 % 2 == 1)];
    let (mut wrong, mut complete, mut tso) = (Vec::new(), true, None);
    for (model, answer) in models.iter().zip(&answers) {
        let Some(solved) = solved(&subject, model, order) else {
            complete = false;
            continue;
        };
        let found = states(answer);
        let agree = match answer.is_complete() {
            true => found == solved,
            false => found.is_subset(&solved),
        };
        complete &= answer.is_complete();
        if !agree {
            wrong.push(format!(
                "seed {seed} on {}: enumerated {found:?}, solved {solved:?}:\n{}",
                model.name,
                source.program()
            ));
        }
        if model.name == "tso" {
            tso = Some(solved);
        }
    }
    let graph = subject.unroll_for(&models[0], Bounds::all(3), &[]);
    Answer {
        wrong,
        complete,
        tso,
        reuses: !graph.placements.is_empty(),
    }
}

/// The final states that the machine shows, by program.
fn run(programs: &[Concurrent], name: &str) -> BTreeMap<usize, Vec<Vec<u64>>> {
    let base = std::env::temp_dir().join(format!("wmbmc-native-{}-{name}", std::process::id()));
    let (text, binary) = (base.with_extension("c"), base.with_extension("bin"));
    std::fs::write(&text, native(programs, 300))
        .expect("the folder for temporary files is writable");
    let built = Command::new("cc")
        .args(["-w", "-O1", "-fno-builtin", "-pthread", "-o"])
        .args([&binary, &text])
        .output()
        .expect("there is a cc");
    assert!(
        built.status.success(),
        "{}: {}",
        text.display(),
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(&binary).output().expect("it was just built");
    assert!(ran.status.success(), "{}: {}", text.display(), ran.status);
    let _ = std::fs::remove_file(&text);
    let _ = std::fs::remove_file(&binary);
    let mut seen: BTreeMap<usize, Vec<Vec<u64>>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&ran.stdout).lines() {
        let mut values = line.split(' ').map(|v| v.parse::<i32>().expect("a number"));
        let program = values.next().expect("the number of the program") as usize;
        let state = values.map(|v| u64::from(v as u32)).collect();
        seen.entry(program).or_default().push(state);
    }
    seen
}

fn has_cc() -> bool {
    let version = Command::new("cc").arg("--version").output();
    version.is_ok_and(|v| v.status.success())
}

#[test]
fn both_engines_and_the_machine_agree() {
    agree("orders", Concurrent::new, seeds(40));
}

#[test]
fn both_engines_and_the_machine_agree_on_addresses() {
    agree("addresses", Concurrent::with_heap, seeds(100));
}

/// Looks at the programs of some seeds.
fn agree(name: &str, program: fn(u64) -> Concurrent, seeds: Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let cases = seeds.len();
    let answers: Vec<Answer> = {
        let each = seeds.par_iter();
        each.map(|seed| compare(&program(*seed), *seed)).collect()
    };
    let complete = answers.iter().filter(|a| a.complete).count();
    println!(
        "{name}: {cases} programs, {complete} enumerated completely; {} may reuse addresses",
        answers.iter().filter(|a| a.reuses).count()
    );
    let mut wrong: Vec<String> = answers.iter().flat_map(|a| a.wrong.clone()).collect();
    assert!(complete * 4 >= seeds.len(), "hardly anything is compared");
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: this machine has no model here");
    } else if !has_cc() {
        support::skipped(support::Missing::Tool("cc"));
    } else {
        let (mut compared, mut shown) = (0, 0);
        let batches = seeds.chunks(100).zip(answers.chunks(100));
        for (batch, (seeds, answers)) in batches.enumerate() {
            let programs: Vec<Concurrent> = seeds.iter().map(|s| program(*s)).collect();
            for (i, states) in run(&programs, &format!("{name}-{batch}")) {
                let Some(allowed) = &answers[i].tso else {
                    continue;
                };
                let (_, has) = lowered(&programs[i]);
                compared += 1;
                for state in states {
                    shown += 1;
                    let state = state.iter().zip(&has).filter(|(_, has)| **has);
                    let state: Vec<u64> = state.map(|(v, _)| *v).collect();
                    if !allowed.contains(&state) {
                        wrong.push(format!(
                            "seed {}: the machine shows {state:?}, TSO allows {allowed:?}:\n{}",
                            seeds[i],
                            programs[i].program()
                        ));
                    }
                }
            }
        }
        println!("{compared} programs run on this machine: {shown} final states, all on TSO");
    }
    assert!(
        wrong.is_empty(),
        "{} of {cases} disagree:\n{}",
        wrong.len(),
        wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n")
    );
}
