//! The published mappings from C11 to machines on generated tests: no machine shows a final state that RC11
//! forbids, and with any ordering of a mapping left out one does.
//!
//! Of the 2 000 tests a sample of 120 is taken; `WMBMC_LITMUS=all` takes all of them. What is left out is
//! looked for in all tests of two threads, each until it is found.

use rayon::prelude::*;
use std::collections::BTreeMap;
use wmbmc::base::source::SourceMap;
use wmbmc::compile::compile;
use wmbmc::compile::mapping::{Mapping, Target};
use wmbmc::driver::compile_check::{CompileCheck, CompileOutcome, CompileVerdict};
use wmbmc::driver::options::LitmusOptions;
use wmbmc::front::litmus;
use wmbmc::generate::arch::c11::C11;
use wmbmc::generate::{of_cycles, ordered};
use wmbmc::{Input, Limits, cat};

/// How many tests the whole suite has.
const WHOLE: usize = 2000;

fn wants_all() -> bool {
    std::env::var("WMBMC_LITMUS").is_ok_and(|wanted| wanted == "all")
}

/// So many tests, evenly taken from the two suites of C11.
fn suite(count: usize) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for cycles in [ordered::classic(&C11), ordered::systematic(&C11)] {
        let cycles: Vec<_> = (0..count / 2)
            .map(|i| cycles[i * cycles.len() / (count / 2)].clone())
            .collect();
        let tests = of_cycles(&C11, &cycles).tests;
        for test in tests {
            // The generator has exchanges alone; every second one becomes an addition.
            let text = match all.len() % 2 {
                0 => test.text(),
                _ => test.text().replace("atomic_exchange", "atomic_fetch_add"),
            };
            all.push((test.name, text));
        }
    }
    all
}

fn read(name: &str, text: &str) -> CompileCheck {
    let model = cat::builtin("rc11").expect("built in");
    let input = Input::text(format!("{name}.litmus"), text);
    let options = LitmusOptions::default();
    CompileCheck::read(&input, &model, &options, Limits::default())
        .unwrap_or_else(|e| panic!("{text}{e}"))
}

fn checked(check: &CompileCheck, mapping: &Mapping) -> CompileOutcome {
    check.check(mapping).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn no_published_mapping_shows_what_rc11_forbids() {
    let suite = suite(if wants_all() { WHOLE } else { 120 });
    let wrong: Vec<String> = suite
        .par_iter()
        .flat_map(|(name, text)| {
            let check = read(name, text);
            let each = Target::ALL.map(|target| {
                let outcome = checked(&check, &Mapping::published(target));
                match outcome.verdict {
                    CompileVerdict::Sound => None,
                    verdict => Some(format!("{text}{verdict:?}\n{}", outcome.compiled.text)),
                }
            });
            each.into_iter().flatten().collect::<Vec<_>>()
        })
        .collect();
    println!("{} tests, {} wrong", suite.len(), wrong.len());
    assert!(
        wrong.is_empty(),
        "{}",
        wrong[..wrong.len().min(3)].join("\n")
    );
}

/// The text of a compiled test.
fn compiled(text: &str, mapping: &Mapping) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("test.litmus", text);
    let test = litmus::parse_file(&sources, file).expect("it is a test");
    compile(&test, mapping).expect("it is compiled").text
}

/// All tests of two threads; what is an exchange is an addition, too.
fn two_threads() -> Vec<(String, String)> {
    let tests = of_cycles(&C11, &ordered::classic(&C11)).tests;
    let exchanges = tests.iter().map(|test| (test.name.clone(), test.text()));
    let mut all: Vec<(String, String)> = exchanges.collect();
    let additions = all.iter().filter(|(_, text)| text.contains("exchange"));
    let additions = additions.map(|(name, text)| {
        let text = text.replace("atomic_exchange", "atomic_fetch_add");
        (format!("{name}+add"), text)
    });
    let additions: Vec<(String, String)> = additions.collect();
    all.extend(additions);
    all
}

#[test]
fn every_ordering_of_a_mapping_is_needed() {
    let suite = two_threads();
    let checks: Vec<CompileCheck> = suite
        .par_iter()
        .map(|(name, text)| read(name, text))
        .collect();
    let mut needless = Vec::new();
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for target in Target::ALL {
        let published = Mapping::published(target);
        for omission in published.omissions() {
            let weaker = published.clone().without(omission);
            let what = format!("{}: {}", target.model(), published.describe(&omission));
            let found = suite
                .par_iter()
                .zip(&checks)
                .find_any(|((_, text), check)| {
                    // Where nothing is left out, nothing can be missing.
                    if compiled(text, &weaker) == compiled(text, &published) {
                        return false;
                    }
                    matches!(checked(check, &weaker).verdict, CompileVerdict::Violated(_))
                });
            match found {
                Some(((name, _), _)) => {
                    first.insert(what, name.clone());
                }
                None => needless.push(what),
            }
        }
    }
    for (what, name) in &first {
        println!("{what}: {name}");
    }
    assert!(
        needless.is_empty(),
        "never missed:\n{}",
        needless.join("\n")
    );
}

/// What compilers emit for relaxed loads lets load buffering through, which RC11 forbids and C11 does not.
#[test]
fn bare_relaxed_loads_show_load_buffering() {
    let test = wmbmc::generate::one(&C11, "PodRWRlxRlx RfeRlxRlx PodRWRlxRlx RfeRlxRlx");
    let text = test.expect("a cycle").text();
    let check = read("LB", &text);
    for target in [Target::Power, Target::Aarch64, Target::Riscv] {
        let bare = Mapping::published(target).with_bare_relaxed();
        let verdict = checked(&check, &bare).verdict;
        assert!(
            matches!(verdict, CompileVerdict::Violated(_)),
            "{verdict:?}"
        );
    }
}

#[test]
fn answers_are_objects_for_programs() {
    let test = wmbmc::generate::one(&C11, "PodRWRlxRlx RfeRlxRlx PodRWRlxRlx RfeRlxRlx");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("LB.litmus");
    std::fs::write(&file, test.expect("a cycle").text()).expect("it is written");
    let options = "--targets tso,power --relaxed-loads bare --format json".split(' ');
    let mut args = vec!["compile-check"];
    args.extend(options);
    args.extend(file.to_str());
    let output = support::wmbmc(args);
    let text = String::from_utf8(output.stdout).expect("text");
    let objects: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object per line"))
        .collect();
    let [tso, power] = &objects[..] else {
        panic!("an object a target: {text}");
    };
    assert_eq!(
        (&tso["verdict"], &tso["model"]),
        (&"SOUND".into(), &"tso".into())
    );
    assert_eq!(power["verdict"], "VIOLATED");
    assert_eq!(power["exit_code"], output.status.code().unwrap_or_default());
    let both_read = |state: &serde_json::Value| {
        let places = state.as_array().into_iter().flatten();
        places
            .filter(|p| p["value"] == 1 && p["place"] != "[x]" && p["place"] != "[y]")
            .count()
            == 2
    };
    let states = power["states"].as_array().expect("states");
    assert!(states.iter().any(both_read), "{text}");
}

#[test]
fn a_source_with_a_race_is_undefined() {
    let text =
        "C race\n{ }\nP0(int *x) { *x = 1; }\nP1(int *x) { int r0 = *x; }\nexists (1:r0=1)\n";
    let check = read("race", text);
    let verdict = checked(&check, &Mapping::published(Target::Tso)).verdict;
    assert!(
        matches!(verdict, CompileVerdict::Undefined(_)),
        "{verdict:?}"
    );
}

#[test]
fn what_is_not_compiled_is_named_with_its_place() {
    let cases = [
        ("while (1) { }", "loops"),
        ("int r0 = atomic_fetch_or(x, 1);", "`atomic_fetch_or`"),
        ("int r0 = 1 * 2;", "this operator"),
        ("int r0 = READ_ONCE(*x);", "`READ_ONCE`"),
    ];
    for (statement, expected) in cases {
        let text = format!("C one\n{{ }}\nP0(atomic_int *x) {{\n  {statement}\n}}\nexists (x=1)\n");
        let model = cat::builtin("rc11").expect("built in");
        let input = Input::text("one.litmus", &text);
        let options = LitmusOptions::default();
        let check = CompileCheck::read(&input, &model, &options, Limits::default());
        let error = check.and_then(|check| check.check(&Mapping::published(Target::Power)));
        let error = error.expect_err("it is not compiled").to_string();
        assert!(error.contains(expected), "{statement}: {error}");
        assert!(error.contains("one.litmus:4:"), "{statement}: {error}");
    }
}
