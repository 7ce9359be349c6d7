//! Benchmarks that are right on `sc` and wrong on another model are mended by orders, fences, and atomic accesses, at
//! no more places than those at which the right version of the same program differs.
//!
//! A sample of them; `WMBMC_CASES=all` looks at all.

use serde_json::Value;
use std::collections::BTreeMap;
use support::cases::{Case, some};
use support::sessions::in_parallel;

const FOLDERS: [&str; 4] = [
    "benchmarks",
    "benchmarks/textbook",
    "benchmarks/systems",
    "benchmarks/races",
];

/// What is said of the orders of a program on a model.
fn orders(case: &Case, model: &str, extra: &[&str]) -> Value {
    let mut args = vec!["orders".to_string(), case.file.display().to_string()];
    args.extend(case.options.iter().cloned());
    args.extend(["--mm", model, "--format", "json", "--timeout", "120"].map(str::to_string));
    args.extend(extra.iter().map(|option| option.to_string()));
    let output = support::wmbmc(&args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = text.lines().next().unwrap_or_default();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_str(first).unwrap_or_else(|_| panic!("{} on {model}: {errors}", case.name()))
}

fn sites(answer: &Value) -> &[Value] {
    answer["sites"].as_array().map_or(&[], Vec::as_slice)
}

/// The verdict about the changed text of a program; `None` where a change is to be made by hand.
///
/// Headers are changed like the file itself, so they are copied with it.
fn changed(case: &Case, model: &str, extra: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for directory in FOLDERS {
        let copies = folder.path().join(directory);
        std::fs::create_dir_all(&copies).expect("a folder can be made");
        let originals = std::fs::read_dir(support::root().join(directory)).expect("a folder");
        let originals = originals.map(|entry| entry.expect("an entry").path());
        for header in originals.filter(|path| path.extension().is_some_and(|e| e == "h")) {
            let copy = copies.join(header.file_name()?);
            std::fs::copy(&header, &copy).expect("it can be copied");
        }
    }
    let file = folder.path().join(&case.file);
    std::fs::copy(support::root().join(&case.file), &file).expect("it can be copied");
    let copied = Case {
        file,
        ..case.clone()
    };
    let answer = orders(&copied, model, &[&["--apply"], extra].concat());
    if answer["by_hand"]
        .as_array()
        .is_none_or(|all| !all.is_empty())
    {
        return None;
    }
    let mut args = vec![copied.file.display().to_string()];
    args.extend(case.options.iter().cloned());
    args.extend(["--mm", model, "--format", "json"].map(str::to_string));
    let output = support::wmbmc(&args);
    let checked: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    Some(checked["verdict"].as_str().unwrap_or_default().to_string())
}

/// How many places of the right version the broken one does not have, or with another order; `None` where these are
/// not what makes it right: a relaxed access that is not in the broken one is part of other code.
fn strengthened(right: &Value, broken: &Value) -> Option<usize> {
    let is_same = |fields: &[&str], a: &Value, b: &Value| fields.iter().all(|f| a[f] == b[f]);
    let is_in_broken = |site: &Value, fields: &[&str]| {
        let mut all = sites(broken).iter();
        all.any(|other| is_same(fields, site, other))
    };
    let all = sites(right).iter();
    let differing = all.filter(|site| !is_in_broken(site, &["span", "kind", "before"]));
    let differing: Vec<&Value> = differing.collect();
    let is_other_code =
        |site: &&Value| site["before"] == "relaxed" && !is_in_broken(site, &["span"]);
    let is_comparable = !differing.is_empty() && !differing.iter().any(is_other_code);
    is_comparable.then_some(differing.len())
}

#[test]
fn broken_programs_are_mended() {
    let all: Vec<Case> = FOLDERS.iter().flat_map(|f| support::cases(f)).collect();
    let is = |case: &Case, model: &str, verdicts: &[&str]| {
        let verdict = case.expect.get(model);
        verdict.is_some_and(|v| verdicts.contains(&v.as_str()))
    };
    let mut broken: Vec<(&Case, &str)> = Vec::new();
    for case in all.iter().filter(|case| is(case, "sc", &["SAFE"])) {
        let wrong = case.expect.keys().filter(|m| is(case, m, &["UNSAFE"]));
        broken.extend(wrong.map(|model| (case, model.as_str())));
    }
    let rows = some(broken, 4);
    let results = in_parallel(&rows, |(case, model)| {
        let name = format!("{} on {model}", case.name());
        let is_mended = |answer: &Value| {
            let verdict = answer["verdict"].as_str().unwrap_or_default();
            verdict.starts_with("SAFE") && answer["repair"] == true
        };
        let (mut answer, mut extra) = (orders(case, model, &[]), &[][..]);
        if !is_mended(&answer) {
            extra = &["--make-atomic"];
            answer = orders(case, model, extra);
        }
        let verdict = answer["verdict"].as_str().unwrap_or_default().to_string();
        let is_mended = is_mended(&answer);
        let after = is_mended.then(|| changed(case, model, extra)).flatten();
        if let Some(after) = &after {
            assert!(after.starts_with("SAFE"), "{name}: {after}");
        }
        let changed = sites(&answer).iter().filter(|s| s["before"] != s["after"]);
        let changed = changed.count();
        if !is_mended {
            println!("not mended: {name}: {}", answer["reason"]);
            return (is_mended, false, false, verdict);
        }
        let same = all.iter().filter(|other| other.file == case.file);
        let mut right = same.filter(|other| is(other, model, &["SAFE", "HOLDS", "BOUND"]));
        let most = right.find_map(|right| strengthened(&orders(right, model, &[]), &answer));
        if let Some(most) = most {
            assert!(changed <= most, "{name}: {changed} changes, {most} suffice");
        }
        (is_mended, most.is_some(), after.is_some(), verdict)
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (.., verdict) in &results {
        *counts.entry(verdict).or_default() += 1;
    }
    let mended = results.iter().filter(|(mended, ..)| *mended).count();
    let compared = results.iter().filter(|(_, compared, ..)| *compared).count();
    let applied = results.iter().filter(|(_, _, applied, _)| *applied).count();
    println!(
        "{mended} of {} mended, {compared} compared, {applied} read again: {counts:?}",
        rows.len()
    );
    assert!(mended * 20 >= rows.len() * 19 && compared > 0 && applied > 0);
    assert!(!counts.contains_key("UNKNOWN"), "{counts:?}");
}
