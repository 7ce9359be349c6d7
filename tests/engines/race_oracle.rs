//! An oracle for data races: an interleaving is an execution of every model, so a program that races on SC
//! races on each of them, and on `rc11`, where a race is undefined behaviour, above all. The definition for
//! machines (`race.cat`) and that in the text of `rc11` come from different papers; so they are compared.
//!
//! 1. On random programs with plain, volatile and atomic accesses of all orders, fences, locks and
//!    read-modify-writes, by both engines. `WMBMC_RANDOM_CASES=2000` looks at more, `WMBMC_RANDOM_SEED` at others.
//! 2. On the programs about races in `tests/c` and `benchmarks/races`, and on C programs beside the
//!    repository: one in six of those with a recorded answer about races, with `WMBMC_CASES=all` all that
//!    there are.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::concurrent::Concurrent;
use support::pipeline::{Subject, checking};
use support::random::seeds;
use support::{builtin, wmbmc};
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::CheckOptions;
use wmbmc::check::outcome::Verdict;
use wmbmc::encode::order::Backend;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;
use wmbmc::lower::c::LoweringOptions;

const CHECKS: [PropertyKind; 1] = [PropertyKind::Race];
const ROUNDS: u32 = 3;

/// Whether the solver finds a race on a model.
fn races(subject: &Subject, model: &Model, seed: u64) -> bool {
    let graph = subject.unroll_for(model, Bounds::all(ROUNDS), &CHECKS);
    let options = CheckOptions {
        order: [Backend::Matrix, Backend::Lazy][usize::from(seed % 2 == 1)],
        ..checking(&CHECKS)
    };
    let result = subject.check(&graph, model, &options);
    matches!(result.verdict, Verdict::Unsafe(_))
}

/// What is known of a random program.
struct Compared {
    wrong: Vec<String>,
    complete: bool,
    races_on_sc: bool,
    races_on_c11: bool,
}

fn compare(seed: u64) -> Compared {
    let text = Concurrent::racy(seed).program();
    let subject = Subject::c(&text, &LoweringOptions::default());
    let machines = support::models();
    let mut machines = machines
        .into_iter()
        .filter(|name| !["sc", "rc11"].contains(name))
        .cycle();
    let machine = machines.nth(seed as usize).expect("there are some");
    let names = ["sc", "rc11", machine];
    let models = names.map(builtin);
    let enumerated = subject.enumerate(&models, Bounds::all(ROUNDS), &CHECKS, 1_000);
    let solved = models.each_ref().map(|model| races(&subject, model, seed));
    let (mut wrong, mut complete) = (Vec::new(), true);
    for ((name, found), solved) in names.iter().zip(&enumerated).zip(solved) {
        let race = found.violations.keys().any(|v| v.0 == PropertyKind::Race);
        complete &= found.is_complete();
        if race && !solved || found.is_complete() && solved && !race {
            wrong.push(format!(
                "seed {seed} on {name}: enumeration {race}, solver {solved}:\n{text}"
            ));
        }
    }
    let weaker = names.iter().zip(solved).skip(1);
    for (name, _) in weaker.filter(|(_, races)| solved[0] && !races) {
        wrong.push(format!(
            "seed {seed}: a race on sc, none on {name}:\n{text}"
        ));
    }
    Compared {
        wrong,
        complete,
        races_on_sc: solved[0],
        races_on_c11: solved[1],
    }
}

#[test]
fn random_programs_that_race_on_sc_race_on_c11() {
    let seeds: Vec<u64> = seeds(60).collect();
    let cases = seeds.len();
    let answers: Vec<Compared> = seeds.par_iter().map(|seed| compare(*seed)).collect();
    let count = |of: &dyn Fn(&Compared) -> bool| answers.iter().filter(|a| of(a)).count();
    let complete = count(&|a| a.complete);
    let (sc, c11) = (count(&|a| a.races_on_sc), count(&|a| a.races_on_c11));
    println!(
        "{cases} programs on sc, rc11 and a machine: {complete} enumerated completely; {sc} race on sc, {c11} on rc11"
    );
    let wrong: Vec<&String> = answers.iter().flat_map(|a| &a.wrong).collect();
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.iter().take(5).map(|w| w.as_str()).collect::<String>()
    );
    assert!(complete * 3 >= seeds.len(), "hardly anything is enumerated");
    assert!(sc * 10 >= seeds.len() && c11 * 10 <= seeds.len() * 9);
}

/// The verdicts on both models, by the first word of what is printed for each.
fn both(file: &str, options: &[String], seconds: &str) -> Option<[String; 2]> {
    let mut args = vec![
        file.to_string(),
        "-q".into(),
        "--mm".into(),
        "sc,rc11".into(),
    ];
    args.extend(["--timeout".into(), seconds.into()]);
    args.extend(options.iter().cloned());
    let output = wmbmc(&args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdicts = text.lines().filter(|l| !l.contains(" on "));
    let words: Vec<String> = verdicts
        .map(|l| l.split([' ', ':']).next().unwrap_or_default().to_string())
        .collect();
    <[String; 2]>::try_from(words).ok()
}

/// Programs with options that ask for races.
fn programs() -> Vec<(String, Vec<String>)> {
    let all = support::all_cases();
    let mut rows = Vec::new();
    for case in ["tests/c", "benchmarks/races"].map(support::cases).concat() {
        if case.options.iter().any(|o| o == "race" || o == "all") {
            rows.push((case.file.display().to_string(), case.options));
        }
    }
    let folder = support::data().join("c");
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        support::skipped(support::Missing::Data("c"));
        return rows;
    };
    let mut recorded: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let mut fields = line.split(',').map(str::to_string);
        if let (Some(path), Some(property)) = (fields.next(), fields.next()) {
            recorded.entry(path).or_default().insert(property);
        }
    }
    let wanted: Vec<String> = match all {
        true => recorded.into_keys().collect(),
        false => {
            let about = recorded.into_iter().filter(|(_, p)| p.contains("race"));
            about.map(|(path, _)| path).step_by(6).collect()
        }
    };
    let options = ["--check", "race", "--unwind", "2"].map(str::to_string);
    let paths = wanted.iter().map(|p| folder.join(p).display().to_string());
    rows.extend(paths.map(|path| (path, options.to_vec())));
    rows
}

#[test]
fn programs_that_race_on_sc_race_on_c11() {
    let rows = programs();
    let seconds = std::env::var("WMBMC_RACE_SECONDS").unwrap_or_else(|_| "5".to_string());
    let answers: Vec<Option<[String; 2]>> = rows
        .par_iter()
        .map(|(file, options)| both(file, options, &seconds))
        .collect();
    let (mut wrong, mut races, mut open) = (Vec::new(), 0, 0);
    for ((file, options), answer) in rows.iter().zip(&answers) {
        let Some([sc, c11]) = answer else {
            open += 1;
            continue;
        };
        races += usize::from(sc == "UNSAFE");
        open += usize::from([sc, c11].iter().any(|v| *v == "UNKNOWN"));
        if sc == "UNSAFE" && c11 == "SAFE" {
            wrong.push(format!("{file} {}", options.join(" ")));
        }
    }
    println!(
        "{} programs on sc and rc11: {races} race on sc, {open} are not decided on both",
        rows.len()
    );
    assert!(
        wrong.is_empty(),
        "safe on rc11 alone:\n{}",
        wrong.join("\n")
    );
    assert!(races > 20);
}
