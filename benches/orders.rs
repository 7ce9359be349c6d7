//! The memory orders of `benchmarks/orders`, beside two loops that check the program anew each time: one that weakens one
//! order after the other, which does not find the cheapest orders, and one that tries all choices in the order of
//! their cost, which does. Of the second one it is counted how many choices cost less than what is found.
//!
//! `cargo bench -p wmbmc-benches --bench orders` prints a table; a part of a name after `--` selects programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use wmbmc::cat::{self, model::Model};
use wmbmc::check::orders::Orders;
use wmbmc::check::outcome::Verdict;
use wmbmc::driver::options::Engine;
use wmbmc::driver::orders::{OrdersOptions, OrdersOutcome, OrdersVerdict};
use wmbmc::driver::{Input, Limits, Session, SessionOptions};
use wmbmc::ir::program::MemoryOrder;
use wmbmc::ir::sites::is_at_most;
use wmbmc::strengthen::cost::Machine;

const MODELS: [&str; 2] = ["rc11", "aarch64"];

/// Orders that none alone can be weakened of, and how many checks of the program that took.
fn one_by_one(session: &Session, models: &[&Model], mut orders: Orders) -> (Orders, usize) {
    let mut checks = 0;
    let sites: Vec<_> = orders.keys().copied().collect();
    for site in sites {
        let now = orders[&site];
        let weaker = site.kind.orders().iter().copied();
        for order in weaker.filter(|o| *o != now && is_at_most(*o, now)) {
            orders.insert(site, order);
            let mut holds = models.iter().map(|model| {
                checks += 1;
                let outcome = session.check_with_orders(&orders, model, Limits::default());
                let outcome = outcome.expect("the benchmarks can be checked");
                !matches!(outcome.verdict(), Some(Verdict::Unsafe(_)))
            });
            if holds.all(|holds| holds) {
                break;
            }
            orders.insert(site, now);
        }
    }
    (orders, checks)
}

/// How many choices of orders, of those that are at most the program's, cost less than the ones that were found.
fn cheaper(found: &OrdersOutcome, most: u32) -> u128 {
    // By what some sites cost together.
    let mut counts = BTreeMap::from([(0_u32, 1_u128)]);
    for site in &found.sites {
        let kind = site.site.kind;
        let orders = kind
            .orders()
            .iter()
            .filter(|o| is_at_most(**o, site.before));
        let costs: Vec<u32> = orders.map(|o| Machine::Any.cost(kind, *o)).collect();
        let mut next: BTreeMap<u32, u128> = BTreeMap::new();
        for (cost, count) in &counts {
            for more in costs.iter().map(|more| cost + more).filter(|c| *c < most) {
                *next.entry(more).or_default() += count;
            }
        }
        counts = next;
    }
    counts.values().sum()
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let models = MODELS.map(|name| cat::builtin(name).expect("the model is built in"));
    let models: Vec<&Model> = models.iter().collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/orders");
    let files = std::fs::read_dir(&folder).expect("the folder is there");
    let files = files.map(|f| f.expect("it is readable").path());
    let mut files: Vec<_> = files
        .filter(|f| f.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    println!(
        "| program | places | choices | s | checks one by one | s | cheaper choices |\n|---|---|---|---|---|---|---|"
    );
    for file in files {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w)) {
            continue;
        }
        let mut options = SessionOptions::default();
        options.program.bounded.engine = Engine::Auto;
        let session = Session::read(&Input::file(&file), &options).expect("the benchmarks are C");
        let begun = Instant::now();
        let found = session.orders(&models, &OrdersOptions::default(), Limits::default());
        let found = found.expect("the benchmarks can be checked");
        let seconds = begun.elapsed().as_secs_f64();
        let OrdersVerdict::Chosen(chosen) = &found.verdict else {
            panic!("{name}: {:?}", found.verdict);
        };
        let cheaper = cheaper(&found, chosen.cost.1);
        let begun = Instant::now();
        let before: BTreeMap<_, MemoryOrder> =
            found.sites.iter().map(|s| (s.site, s.before)).collect();
        let (_, checks) = one_by_one(&session, &models, before);
        let alone = begun.elapsed().as_secs_f64();
        let (places, choices) = (found.sites.len(), found.choices);
        println!(
            "| {name} | {places} | {choices} | {seconds:.2} | {checks} | {alone:.2} | {cheaper} |"
        );
    }
}
