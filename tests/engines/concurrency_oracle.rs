//! An oracle for threads, locks and C11 atomics: random programs (`common/concurrent.rs`).
//!
//! 1. The final states that the solver finds must be those that enumeration finds, on every model;
//!    where there are too many executions to enumerate, all that were found must be among them.
//! 2. Where there is a `cc` for a machine with a model here, the programs are compiled and run a few
//!    hundred times each: what the machine shows the model must allow.
//!
//! `WMBMC_RANDOM_CASES=5000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use crate::common;
use crate::common::concurrent::{Concurrent, native};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use wmbmc::cat;
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::Env;
use wmbmc::check::litmus::{LitmusTask, final_states};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::{EnumerateOptions, enumerate_all};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{Observable, Program, PropertyKind};
use wmbmc::lower::c::LoweringOptions;
use wmbmc::relations::dependencies::unwinding;
use wmbmc::unroll::unroll;

/// Final states: the values of [`Concurrent::observed`] that the program has.
type States = BTreeSet<Vec<u64>>;

fn number(variable: &str, otherwise: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// The program, and which of the observed variables it has.
fn lowered(program: &Concurrent) -> (Program, Vec<bool>) {
    let asked = LoweringOptions {
        reuse_addresses: true,
        ..LoweringOptions::default()
    };
    let (_, mut lowered) = common::lowered(&program.program(), &asked);
    let mut has = Vec::new();
    for name in program.observed() {
        let mut globals = lowered.globals.iter_enumerated();
        let global = globals.find(|(_, g)| g.name == name).map(|(id, _)| id);
        has.push(global.is_some());
        if let Some(global) = global {
            lowered.observables.push(Observable::Memory {
                global,
                offset: 0,
                width: 32,
            });
        }
    }
    (lowered, has)
}

/// What the solver finds; `None` when a loop reaches its bound.
fn solved(program: &Program, model: &Model, order: Backend) -> Option<States> {
    let options = unwinding(Bounds::all(3), [model], &[]);
    let mut graph = unroll(program, &options, &|| false).expect("the programs unwind");
    // What some programs leave allocated is no matter here.
    graph
        .checks
        .retain(|c| c.property.kind != PropertyKind::Leak);
    let env = Env::unlimited();
    let task = LitmusTask {
        program,
        graph: &graph,
        model,
        order,
        reductions: Reductions::default(),
        witness: false,
    };
    let states = final_states(&task, &env).unwrap_or_else(|e| panic!("{}: {e:?}", model.name));
    states.map(|states| states.into_iter().collect())
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
    let (program, _) = lowered(source);
    // What TSO allows is compared with the machine.
    let others = common::some_models(seed as usize, 5).filter(|name| *name != "tso");
    let names = std::iter::once("tso").chain(others);
    let models: Vec<Model> = names.filter_map(cat::builtin).collect();
    let options = EnumerateOptions {
        bounds: Bounds::all(3),
        checks: Vec::new(),
        max_executions: 3_000,
    };
    let answers = enumerate_all(&program, &models, &options, &|| false);
    let answers = answers.expect("built-in models know every fence");
    let order = [Backend::Matrix, Backend::Lazy][usize::from(seed / 2 % 2 == 1)];
    let (mut wrong, mut complete, mut tso) = (Vec::new(), true, None);
    for (model, answer) in models.iter().zip(&answers) {
        let Some(solved) = solved(&program, model, order) else {
            complete = false;
            continue;
        };
        let found: States = answer.states.keys().cloned().collect();
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
    let options = unwinding(Bounds::all(3), &models[..1], &[]);
    let graph = unroll(&program, &options, &|| false).expect("the programs unwind");
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
    agree("orders", Concurrent::new, number("WMBMC_RANDOM_CASES", 40));
}

#[test]
fn both_engines_and_the_machine_agree_on_addresses() {
    let cases = number("WMBMC_RANDOM_CASES", 100);
    agree("addresses", Concurrent::with_heap, cases);
}

/// Looks at the programs of so many seeds.
fn agree(name: &str, program: fn(u64) -> Concurrent, cases: u64) {
    let from = number("WMBMC_RANDOM_SEED", 0);
    let seeds: Vec<u64> = (from..from + cases).collect();
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
        common::skipped(common::Missing::Tool("cc"));
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
