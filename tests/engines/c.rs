//! Two engines, one answer, on C: every execution of the small programs in `tests/c`, one by one,
//! against the solver's verdict.
//!
//! What the solver finds violated enumeration must find, and the other way round, in the kinds of
//! property and their places. Programs that are too large for enumeration, or have arbitrary values
//! that it does not try, are compared in one direction only.

use rayon::prelude::*;
use support::pipeline::{Subject, looking_for, violated};
use support::{Case, MODELS, builtin, cases, some_models};
use wmbmc::cat::model::Model;
use wmbmc::check::outcome::Verdict;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;
use wmbmc::lower::c::{LoweringOptions, WeakCas};
use wmbmc::relations::dependencies::unwinding;

/// Executions looked at in one program.
const MOST: u64 = 4_000;

/// The kinds of property by their names for `--check`.
const KINDS: [(&str, PropertyKind); 9] = [
    ("assert", PropertyKind::Assertion),
    ("memory", PropertyKind::Memory),
    ("misuse", PropertyKind::Misuse),
    ("race", PropertyKind::Race),
    ("deadlock", PropertyKind::Deadlock),
    ("leak", PropertyKind::Leak),
    ("overflow", PropertyKind::Overflow),
    ("divzero", PropertyKind::DivisionByZero),
    ("uninitialised", PropertyKind::Uninitialised),
];

fn read(case: &Case, checks: &[PropertyKind]) -> Subject {
    let defines = case.options.iter().filter_map(|o| o.strip_prefix("-D"));
    let defines: Vec<&str> = defines.collect();
    let is_given = |wanted: [&str; 2]| case.options.windows(2).any(|o| o == wanted);
    let weak_cas = match is_given(["--weak-cas", "machine"]) {
        true => WeakCas::Machine,
        false => WeakCas::Always,
    };
    let options = LoweringOptions {
        weak_cas,
        reuse_addresses: !is_given(["--reuse-addresses", "false"]),
        ..looking_for(checks)
    };
    Subject::c_file(&case.file, &defines, &options)
}

/// The values of `--unwind` and `--check`; `None` when there is an option that is not understood
/// here.
fn asked(case: &Case) -> Option<(u32, Vec<PropertyKind>)> {
    let kind = |name: &str| {
        let found = KINDS.iter().find(|(n, _)| *n == name);
        found.map(|(_, kind)| *kind)
    };
    let mut unwind = 1;
    let mut checks = vec![
        PropertyKind::Assertion,
        PropertyKind::Memory,
        PropertyKind::Misuse,
    ];
    let mut options = case.options.iter().filter(|o| !o.starts_with("-D"));
    while let Some(option) = options.next() {
        match option.as_str() {
            "--unwind" => unwind = options.next()?.parse().ok()?,
            "--weak-cas" | "--reuse-addresses" => _ = options.next()?,
            "--check" => {
                checks = options
                    .next()?
                    .split(',')
                    .map(kind)
                    .collect::<Option<_>>()?
            }
            _ => return None,
        }
    }
    Some((unwind, checks))
}

/// What the solver says of each kind; `None` when it has no verdict.
fn solved(
    subject: &Subject,
    model: &Model,
    unwind: u32,
    checks: &[PropertyKind],
) -> Option<Vec<bool>> {
    let unrolling = unwinding(Bounds::all(unwind), [model], checks);
    let result = subject.check_within(model, checks, unrolling);
    let violated = violated(&result);
    let known = !matches!(result.verdict.of_non_terminating(), Verdict::Unknown(_));
    known.then_some(violated)
}

/// What is wrong with the answers for one case, a line each.
fn compare((number, case): (usize, &Case)) -> Vec<String> {
    let Some((unwind, checks)) = asked(case) else {
        println!(
            "not compared: {} has options that enumeration lacks",
            case.name()
        );
        return Vec::new();
    };
    let subject = read(case, &checks);
    // What is about other models alone may have no meaning on these.
    let stated: Vec<&str> = case.expect.keys().map(String::as_str).collect();
    let names = match stated.iter().any(|name| MODELS.contains(name)) {
        true => some_models(number, 7).collect(),
        false => stated,
    };
    let models = names.into_iter().map(builtin);
    let models = models.filter(|model| model.name != "rc11" || subject.is_known_to(model));
    let models: Vec<Model> = models.collect();
    let answers = subject.enumerate(&models, Bounds::all(unwind), &checks, MOST);
    let mut wrong = Vec::new();
    for (model, answer) in models.iter().zip(&answers) {
        // Of a program with a race nothing else is known there.
        let race = [PropertyKind::Race];
        let undefined = model.leaves_races_undefined() && checks != race;
        if undefined && solved(&subject, model, unwind, &race) == Some(vec![true]) {
            continue;
        }
        let solved = solved(&subject, model, unwind, &checks);
        let says = |text: String| format!("{} on {}: {text}", case.name(), model.name);
        // Where the program's head says so, the solver does not support what it does.
        let stated = case.expect.get(&model.name);
        let mut verdicts = case
            .expect
            .values()
            .filter(|_| stated.is_none())
            .chain(stated);
        let is_expected = verdicts.any(|verdict| verdict == "UNKNOWN");
        if solved.is_none() && !is_expected && answer.is_complete() && answer.unsupported.is_empty()
        {
            wrong.push(says("only the solver finds unsupported constructs".into()));
        }
        for (kind, violated) in checks.iter().zip(solved.into_iter().flatten()) {
            let found = answer.violations.keys().any(|(k, _, _)| k == kind);
            if found && !violated {
                wrong.push(says(format!("only enumeration violates {kind:?}")));
            }
            if violated && !found && answer.is_complete() {
                wrong.push(says(format!("only the solver violates {kind:?}")));
            }
        }
        println!(
            "{}",
            says(format!(
                "{} of {} executions, cut: {:?}",
                answer.allowed,
                answer.candidates,
                answer
                    .limits_reached
                    .iter()
                    .map(|(t, _)| t)
                    .collect::<Vec<_>>()
            ))
        );
    }
    wrong
}

#[test]
fn the_engines_agree_on_c() {
    let cases = cases("tests/c");
    let wrong: Vec<String> = cases
        .par_iter()
        .enumerate()
        .flat_map_iter(compare)
        .collect();
    assert!(
        wrong.is_empty(),
        "{} answers differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
