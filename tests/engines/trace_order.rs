//! The steps of a counterexample stand in an order that the model allows: an execution that is
//! sequentially consistent is told as an interleaving, and a weak one leaves program order only
//! where its model does.

use rayon::prelude::*;
use serde_json::Value;
use support::{cases, some_models, wmbmc};

/// Pairs of indices of events.
fn pairs(execution: &Value, relation: &str) -> Vec<(usize, usize)> {
    let list = execution[relation].as_array().expect("a list of pairs");
    let index = |v: &Value| v.as_u64().expect("an index") as usize;
    list.iter().map(|p| (index(&p[0]), index(&p[1]))).collect()
}

/// Whether the model may perform these two steps of one thread in the other order.
fn may_swap(model: &str, first: &str, second: &str) -> bool {
    match model {
        "sc" => false,
        "tso" => first != "read" && second == "read",
        "pso" => first != "read",
        _ => true,
    }
}

/// What is wrong with the trace of an UNSAFE program.
fn complaint(model: &str, safe_on_sc: bool, answer: &Value) -> Option<String> {
    let execution = &answer["execution"];
    if !execution.is_object() {
        return None;
    }
    let weak = answer["weakness"].is_object();
    if safe_on_sc && !weak {
        return Some("an interleaving, but SC is SAFE".to_string());
    }
    let kind = |i: usize| execution["events"][i]["kind"].as_str().unwrap_or("");
    for (a, b) in pairs(execution, "po") {
        let fence = [a, b].iter().any(|i| kind(*i) == "fence");
        if a > b && (!weak || !fence && !may_swap(model, kind(a), kind(b))) {
            return Some(format!("step {b} of a thread comes before step {a}"));
        }
    }
    let communications = ["rf", "co", "fr", "sync"];
    let mut all = communications.iter().flat_map(|r| pairs(execution, r));
    let back = all.find(|(a, b)| !weak && a > b);
    back.map(|(a, b)| format!("step {a} is told after step {b}, which it precedes"))
}

#[test]
fn steps_are_told_in_an_order_that_the_model_allows() {
    let runs: Vec<_> = cases("tests/c")
        .into_iter()
        .enumerate()
        .flat_map(|(number, case)| some_models(number, 7).map(move |model| (case.clone(), model)))
        .filter(|(case, model)| case.expect.get(*model).is_none_or(|v| v == "UNSAFE"))
        // A compare-exchange that only the machine with a linked pair lets fail for no reason fails
        // in an interleaving.
        .filter(|(case, _)| !case.options.iter().any(|o| o == "--weak-cas"))
        .collect();
    let complaints: Vec<String> = runs
        .par_iter()
        .filter_map(|(case, model)| {
            // Where no violation is stated there may be none to wait for.
            let stated = case.expect.contains_key(*model);
            let limit = if stated { "60" } else { "10" };
            let fixed = ["--mm", model, "--format", "json", "--timeout", limit];
            let options = case.options.iter().map(String::as_str).chain(fixed);
            let file = case.file.display().to_string();
            let output = wmbmc(std::iter::once(file.as_str()).chain(options));
            let text = String::from_utf8_lossy(&output.stdout);
            let answer: Value = serde_json::from_str(text.lines().next()?).ok()?;
            // An interleaving may have a race, which C11 leaves undefined.
            let safe_on_sc = *model != "rc11" && case.expect.get("sc").is_some_and(|v| v == "SAFE");
            let found = complaint(model, safe_on_sc, &answer)?;
            Some(format!("{} on {model}: {found}", case.name()))
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
