//! Robustness of litmus tests: the solver, the enumeration of executions, and a count agree.
//!
//! The enumeration judges each execution and compares the final states with those on SC. Where a test has no loop
//! there is a third way: SC allows no more than the model, so that all executions are sequentially consistent if
//! and only if there are as many as on SC.
//!
//! Tests of the data are looked at, one in some; `WMBMC_CASES=all` takes all of them.

use std::path::{Path, PathBuf};
use support::cases::some;
use support::litmus::{enumerated, has_loop, read};
use support::sessions::in_parallel;
use support::{Missing, builtin};
use wmbmc::check::litmus::{Depth, Robustness};
use wmbmc::driver::options::Engine;
use wmbmc::driver::{Input, Limits, Outcome, Session, SessionOptions};

/// One in so many tests is looked at.
const SAMPLE: usize = 40;

/// Folders of the data, each with the models of its tests.
const FOLDERS: [(&str, &[&str]); 7] = [
    ("litmus/x86", &["tso", "pso"]),
    ("litmus/ppc", &["power", "alpha"]),
    ("litmus/ppc-campaign", &["power"]),
    ("litmus-more/AARCH64", &["aarch64"]),
    ("litmus-more/RISCV", &["riscv"]),
    ("litmus-more/C11", &["rc11"]),
    ("litmus-more/LKMM", &["lkmm"]),
];

fn tests(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => all.extend(tests(&path)),
            false if path.extension().is_some_and(|e| e == "litmus") => all.push(path),
            false => {}
        }
    }
    all.sort();
    all
}

/// What both engines say; `None` where the test is refused, or one of them has no answer in time.
fn answers(input: &Input, model: &str) -> Option<[Robustness; 2]> {
    let mut options = SessionOptions::default();
    options.litmus.bounded.engine = Engine::Both;
    options.litmus.depth = Depth::States;
    options.litmus.robust = true;
    let mut session = Session::read(input, &options).ok()?;
    let outcome = session.check(&builtin(model), Limits::seconds(20.0)).ok()?;
    let Outcome::Litmus(outcome) = outcome else {
        panic!("it is a litmus test");
    };
    assert!(!outcome.engines_disagree(), "{} on {model}", input.shown());
    let robust = outcome.answers.iter().map(|(found, _)| found.robust);
    let robust: Vec<Robustness> = robust.map(|r| r.expect("it was asked")).collect();
    <[Robustness; 2]>::try_from(robust).ok()
}

/// Whether there are as many executions as on SC; `None` where they cannot be counted.
fn counts_as_on_sc(file: &Path, model: &str) -> Option<bool> {
    let (_, test) = read(file).ok()?;
    if has_loop(&test.program) || test.final_condition.filter.is_some() {
        return None;
    }
    let both = enumerated(&test, &[builtin(model), builtin("sc")]).ok()?;
    let [((yes, no), _), ((sc_yes, sc_no), _)] = &both[..] else {
        panic!("two models");
    };
    assert!(yes >= sc_yes && no >= sc_no, "{}", file.display());
    Some((yes, no) == (sc_yes, sc_no))
}

#[test]
fn solver_enumeration_and_counts_agree() {
    let all = FOLDERS.iter().flat_map(|(folder, models)| {
        let files = tests(&support::data().join(folder));
        let rows = files.into_iter();
        rows.flat_map(|file| models.iter().map(move |model| (file.clone(), *model)))
    });
    let rows = some(all, SAMPLE);
    if rows.is_empty() {
        support::skipped(Missing::Data("litmus"));
        return;
    }
    let results = in_parallel(&rows, |(file, model)| {
        let Some([solved, enumerated]) = answers(&Input::file(file), model) else {
            return [0; 4];
        };
        let name = format!("{} on {model}", file.display());
        let (Some(executions), Some(states)) = (solved.executions, solved.states) else {
            return [0; 4];
        };
        assert!(states || !executions, "{name}");
        for (one, other) in [
            (executions, enumerated.executions),
            (states, enumerated.states),
        ] {
            assert_eq!(one, other.unwrap_or(one), "{name}");
        }
        let counted = counts_as_on_sc(file, model);
        assert_eq!(executions, counted.unwrap_or(executions), "{name}");
        let count = usize::from(counted.is_some());
        [1, usize::from(!executions), usize::from(!states), count]
    });
    let sum = |i: usize| results.iter().map(|row| row[i]).sum::<usize>();
    let [tests, by_executions, by_states, counted] = [sum(0), sum(1), sum(2), sum(3)];
    println!(
        "{tests} of {} decided, {by_executions} not robust, {by_states} by their states; {counted} counted",
        rows.len()
    );
    assert!(tests * 10 > rows.len() * 8, "{tests} of {}", rows.len());
    assert!(by_executions > by_states && by_states > 0 && counted > 0);
}

/// Each thread stores, and loads what the other one stores.
const STORE_BUFFER: &str = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                            exists (0:EAX=0 /\\ 1:EAX=0)\n";

#[test]
fn traces_and_states_are_told_apart() {
    let answers = |text: &str, model| {
        let both = answers(&Input::text("sb.litmus", text), model).expect("answers");
        assert_eq!(both[0], both[1], "{text}");
        (both[0].executions, both[0].states)
    };
    assert_eq!(answers(STORE_BUFFER, "tso"), (Some(false), Some(false)));
    // What is read is forgotten.
    let forgets = STORE_BUFFER.replace(";\nexists", ";\n MOV EAX,$0 | MOV EAX,$0 ;\nexists");
    assert_eq!(answers(&forgets, "tso"), (Some(false), Some(true)));
    assert_eq!(answers(STORE_BUFFER, "sc"), (Some(true), Some(true)));
    let fenced = STORE_BUFFER.replace(
        "MOV EAX,[y] | MOV EAX,[x]",
        "MFENCE | MFENCE ;\n MOV EAX,[y] | MOV EAX,[x]",
    );
    assert_eq!(answers(&fenced, "tso"), (Some(true), Some(true)));
}
