//! The memory orders that programs need: against brute force, textbooks, and both engines on random programs.
//!
//! `WMBMC_RANDOM_CASES=500` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use support::random::seeds;
use support::sessions::in_parallel;
use support::{Random, builtin, files};
use wmbmc::cat::model::Model;
use wmbmc::check::orders::{Orders, cost_of};
use wmbmc::check::outcome::Verdict;
use wmbmc::driver::options::Engine;
use wmbmc::driver::orders::{ChosenOrders, FoundSite, OrdersOptions, OrdersOutcome, OrdersVerdict};
use wmbmc::driver::{Input, Limits, Session, SessionOptions};
use wmbmc::ir::program::MemoryOrder::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use wmbmc::ir::sites::{SiteKind, is_at_most, one_step_weaker, sites};
use wmbmc::strengthen::cost::Machine;

/// A program with what was found for it, and who answers each of its checks.
struct Asked {
    session: Session,
    models: Vec<Model>,
    outcome: OrdersOutcome,
}

fn asked(input: &Input, models: &[&str], engine: Engine) -> Asked {
    asked_with(input, models, engine, &OrdersOptions::default())
}

fn asked_with(input: &Input, models: &[&str], engine: Engine, how: &OrdersOptions) -> Asked {
    let mut options = SessionOptions::default();
    options.program.bounded.engine = engine;
    let session = Session::read(input, &options).expect("a program");
    let models: Vec<Model> = models.iter().map(|m| builtin(m)).collect();
    let all: Vec<&Model> = models.iter().collect();
    let outcome = session.orders(&all, how, Limits::seconds(300.0));
    Asked {
        outcome: outcome.unwrap_or_else(|e| panic!("{}: {e}", input.shown())),
        session,
        models,
    }
}

impl Asked {
    fn chosen(&self) -> &ChosenOrders {
        match &self.outcome.verdict {
            OrdersVerdict::Chosen(chosen) => chosen,
            other => panic!("{}: {other:?}", self.session.name()),
        }
    }

    fn orders(&self) -> Orders {
        let sites = self.outcome.sites.iter();
        sites
            .map(|s| (s.site, s.chosen.expect("orders were chosen")))
            .collect()
    }

    /// Whether a property is violated with some orders, on a model by its name.
    fn is_violated(&self, orders: &Orders, model: &str) -> bool {
        let model = self.models.iter().find(|m| m.name == model);
        let model = model.expect("it was asked about");
        let limits = Limits::seconds(300.0);
        let outcome = self.session.check_with_orders(orders, model, limits);
        let outcome = outcome.unwrap_or_else(|e| panic!("{}: {e}", self.session.name()));
        match outcome.verdict() {
            Some(Verdict::Unsafe(_)) => true,
            Some(Verdict::Safe | Verdict::SafeUpToBound(_)) => false,
            other => panic!("{}: {other:?}", self.session.name()),
        }
    }

    /// Each order that is said to be needed is, and each weaker one is spoken of.
    fn each_order_is_needed(&self) {
        let chosen = self.chosen();
        for site in &self.outcome.sites {
            let order = site.chosen.expect("orders were chosen");
            let weaker = one_step_weaker(site.site.kind.orders(), order);
            let open = |o: &MemoryOrder| match (site.is_kept, chosen.is_repair) {
                (true, _) => false,
                (_, true) => is_at_most(site.before, *o),
                (_, false) => true,
            };
            let weaker: Vec<MemoryOrder> = weaker.filter(open).collect();
            let said: Vec<MemoryOrder> = site.needed.iter().map(|n| n.weaker).collect();
            assert_eq!(said, weaker, "{}: {site:?}", self.session.name());
            for needed in &site.needed {
                let mut orders = self.orders();
                orders.insert(site.site, needed.weaker);
                let name = self.session.name();
                assert!(
                    self.is_violated(&orders, &needed.model),
                    "{name}: {needed:?}"
                );
            }
        }
    }
}

/// All choices of orders that are at most those of the text, the most expensive first.
fn choices(sites: &[FoundSite], cost: &dyn Fn(&Orders) -> u32) -> Vec<Orders> {
    let mut all = vec![Orders::new()];
    for site in sites {
        let weaker = site.site.kind.orders().iter();
        let weaker: Vec<MemoryOrder> = weaker
            .copied()
            .filter(|o| is_at_most(*o, site.before))
            .collect();
        let longer = all.iter().flat_map(|choice| {
            weaker.iter().map(|order| {
                let mut choice = choice.clone();
                choice.insert(site.site, *order);
                choice
            })
        });
        all = longer.collect();
    }
    all.sort_by_key(|choice| std::cmp::Reverse(cost(choice)));
    all
}

fn benchmarks() -> Vec<PathBuf> {
    files("benchmarks/orders", "c")
}

/// Every choice that costs less than the one that was found violates a property, or is weaker than one that does.
#[test]
fn no_cheaper_orders_keep_the_properties() {
    let rows: Vec<(PathBuf, &str)> = benchmarks()
        .into_iter()
        .flat_map(|file| ["rc11", "aarch64"].map(|model| (file.clone(), model)))
        .collect();
    let looked_at = in_parallel(&rows, |(file, model)| {
        let input = Input::file(file);
        let asked = asked(&input, &[model], Engine::Auto);
        asked.each_order_is_needed();
        let sites = &asked.outcome.sites;
        if sites.len() > 6 {
            return 0;
        }
        let cost = |orders: &Orders| cost_of(orders, &|kind, order| Machine::Any.cost(kind, order));
        let found = cost(&asked.orders());
        assert_eq!(found, asked.chosen().cost.1);
        let mut violated: Vec<Orders> = Vec::new();
        for choice in choices(sites, &cost) {
            let is_weaker = |other: &Orders| choice.iter().all(|(s, o)| is_at_most(*o, other[s]));
            if cost(&choice) >= found || violated.iter().any(is_weaker) {
                continue;
            }
            let name = file.display();
            assert!(
                asked.is_violated(&choice, model),
                "{name} {model}: {choice:?}"
            );
            violated.push(choice);
        }
        violated.len()
    });
    // Those where anything weaker than the first choice was refused.
    assert!(looked_at.iter().filter(|n| **n > 0).count() > 30);
}

/// The chosen orders and the others that are listed are those of all choices that are safe and minimal.
#[test]
fn all_minimal_orders_are_listed() {
    let mut several = 0;
    for file in benchmarks() {
        let input = Input::file(&file);
        let mut how = OrdersOptions::default();
        how.others = 1000;
        let asked = asked_with(&input, &["rc11"], Engine::Sat, &how);
        let sites = &asked.outcome.sites;
        if sites.len() > 3 {
            continue;
        }
        let mut listed = vec![asked.orders()];
        for other in &asked.outcome.others {
            let mut orders = asked.orders();
            orders.extend(other.differing.iter().copied());
            listed.push(orders);
        }
        let rank = |orders: &Orders| cost_of(orders, &|kind, order| Machine::Any.cost(kind, order));
        let safe: Vec<Orders> = choices(sites, &rank)
            .into_iter()
            .filter(|orders| !asked.is_violated(orders, "rc11"))
            .collect();
        let is_below =
            |a: &Orders, b: &Orders| a != b && a.iter().all(|(s, o)| is_at_most(*o, b[s]));
        let minimal = safe
            .iter()
            .filter(|o| !safe.iter().any(|below| is_below(below, o)));
        let mut minimal: Vec<Orders> = minimal.cloned().collect();
        several += usize::from(minimal.len() > 1);
        minimal.sort();
        listed.sort();
        assert_eq!(listed, minimal, "{}", file.display());
    }
    println!("{several} programs have several minimal choices");
}

/// What is written everywhere.
#[test]
fn the_orders_of_textbooks_are_found() {
    let expected: BTreeMap<&str, &[MemoryOrder]> = BTreeMap::from([
        ("message_passing", &[Release, Acquire][..]),
        ("tas_lock", &[Acquire, Release]),
        ("flag_lock", &[Acquire, Release]),
        ("ttas_lock", &[Relaxed, Acquire, Release]),
        ("cas_lock", &[Acquire, Relaxed, Release]),
        ("ticket_lock", &[Relaxed, Acquire, Release, Relaxed]),
        ("reference_count", &[AcqRel]),
        ("counter", &[Relaxed, Relaxed, Relaxed]),
        ("double_checked", &[Acquire, Relaxed, Release]),
        ("store_buffer", &[SeqCst, SeqCst, SeqCst, SeqCst]),
        ("latch", &[Release, Release, Acquire]),
    ]);
    for (name, orders) in expected {
        let file = format!("benchmarks/orders/{name}.c");
        let asked = asked(
            &Input::file(support::root().join(file)),
            &["rc11"],
            Engine::Sat,
        );
        let own = asked.outcome.sites.iter().filter(|s| !s.is_kept);
        let found: Vec<MemoryOrder> = own.filter_map(|s| s.chosen).collect();
        assert_eq!(found, orders, "{name}");
    }
}

/// A program whose assertion depends on the orders on a model, if one of some is so: relaxed ones violate it, and
/// those that are `seq_cst` do not.
fn undecided(seed: u64, model: &str) -> String {
    let mut text = String::new();
    for attempt in 0..10 {
        text = program(seed, attempt);
        let input = Input::text(format!("random{seed}.c"), &*text);
        let session = Session::read(&input, &SessionOptions::default()).expect("a program");
        let violated = |order: MemoryOrder| {
            let all = sites(session.program().expect("a program"));
            let all: Orders = all.into_keys().map(|site| (site, order)).collect();
            let outcome = session.check_with_orders(&all, &builtin(model), Limits::default());
            let outcome = outcome.expect("it can be checked");
            matches!(outcome.verdict(), Some(Verdict::Unsafe(_)))
        };
        if violated(Relaxed) && !violated(SeqCst) {
            break;
        }
    }
    text
}

/// What a thread does: a write of 1 to a variable, or a read.
#[derive(Clone, Copy)]
enum Act {
    Write(&'static str),
    Read(&'static str),
}

/// Threads, and what they read in the execution that only weak orders allow, by thread and step.
type Shape = (&'static [&'static [Act]], &'static [(usize, usize, u32)]);

use Act::{Read, Write as Put};

/// Message passing, store buffering, load buffering, a message by way of a second thread, and a read of what another
/// one may have overwritten.
const SHAPES: [Shape; 5] = [
    (
        &[&[Put("x"), Put("y")], &[Read("y"), Read("x")]],
        &[(1, 0, 1), (1, 1, 0)],
    ),
    (
        &[&[Put("x"), Read("y")], &[Put("y"), Read("x")]],
        &[(0, 1, 0), (1, 1, 0)],
    ),
    (
        &[&[Read("x"), Put("y")], &[Read("y"), Put("x")]],
        &[(0, 0, 1), (1, 0, 1)],
    ),
    (
        &[&[Put("x")], &[Read("x"), Put("y")], &[Read("y"), Read("x")]],
        &[(1, 0, 1), (2, 0, 1), (2, 1, 0)],
    ),
    (
        &[
            &[Put("x"), Put("y")],
            &[Read("y"), Put("z")],
            &[Read("z"), Read("x")],
        ],
        &[(1, 0, 1), (2, 0, 1), (2, 1, 0)],
    ),
];

/// A shape with accesses of all kinds, fences between some, any orders, and the assertion that it does not happen.
fn program(seed: u64, attempt: u64) -> String {
    let mut random = Random::new(100 * seed + attempt);
    let (threads, outcome) = random.pick(&SHAPES);
    // Half of the programs begin with the strongest orders, the others with any.
    let strongest = random.one_in(2);
    let order = |kind: SiteKind, random: &mut Random| match strongest {
        true => name(SeqCst),
        false => name(random.pick(kind.orders())),
    };
    let mut out = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
                   atomic_int x, y, z, u;\nint r[3][2];\n"
        .to_string();
    for (thread, acts) in threads.iter().enumerate() {
        let _ = writeln!(out, "void *t{thread}(void *arg) {{\n  int e;");
        for (step, act) in acts.iter().enumerate() {
            if step > 0 && random.one_in(3) {
                let order = order(SiteKind::Fence, &mut random);
                let _ = writeln!(out, "  atomic_thread_fence({order});");
            }
            if random.one_in(6) {
                let order = order(SiteKind::Update, &mut random);
                let _ = writeln!(out, "  atomic_fetch_add_explicit(&u, 1, {order});");
            }
            let into = format!("r[{thread}][{step}]");
            let line = match (act, random.below(5_u64)) {
                (Put(at), 0) => {
                    let order = order(SiteKind::Update, &mut random);
                    format!("atomic_exchange_explicit(&{at}, 1, {order});")
                }
                (Put(at), 1) => {
                    let success = order(SiteKind::Success, &mut random);
                    let failure = order(SiteKind::Failure, &mut random);
                    format!(
                        "e = 0; atomic_compare_exchange_strong_explicit(&{at}, &e, 1, {success}, \
                         {failure});"
                    )
                }
                (Put(at), _) => {
                    let order = order(SiteKind::Store, &mut random);
                    format!("atomic_store_explicit(&{at}, 1, {order});")
                }
                (Read(at), 0) => {
                    let order = order(SiteKind::Update, &mut random);
                    format!("{into} = atomic_fetch_add_explicit(&{at}, 0, {order});")
                }
                (Read(at), 1) => {
                    let success = order(SiteKind::Success, &mut random);
                    let failure = order(SiteKind::Failure, &mut random);
                    format!(
                        "e = 7; atomic_compare_exchange_strong_explicit(&{at}, &e, 8, {success}, \
                         {failure}); {into} = e;"
                    )
                }
                (Read(at), _) => {
                    let order = order(SiteKind::Load, &mut random);
                    format!("{into} = atomic_load_explicit(&{at}, {order});")
                }
            };
            let _ = writeln!(out, "  {line}");
        }
        out.push_str("  return 0;\n}\n");
    }
    out.push_str("int main(void) {\n  pthread_t t[3];\n");
    for thread in 0..threads.len() {
        let _ = writeln!(out, "  pthread_create(&t[{thread}], 0, t{thread}, 0);");
    }
    for thread in 0..threads.len() {
        let _ = writeln!(out, "  pthread_join(t[{thread}], 0);");
    }
    let each = outcome.iter();
    let read: Vec<String> = each
        .map(|(thread, step, value)| format!("r[{thread}][{step}] == {value}"))
        .collect();
    let _ = writeln!(out, "  assert(!({}));\n  return 0;\n}}", read.join(" && "));
    out
}

fn name(order: MemoryOrder) -> String {
    let name = match order {
        Acquire => "acquire",
        Release => "release",
        AcqRel => "acq_rel",
        SeqCst => "seq_cst",
        _ => "relaxed",
    };
    format!("memory_order_{name}")
}

/// What is chosen holds, what is weaker does not, and where nothing is chosen the strongest orders are violated: each
/// by both engines.
#[test]
fn random_programs_need_the_orders_that_are_found() {
    let models = ["rc11", "aarch64", "power", "riscv", "tso", "pso"];
    let seeds: Vec<u64> = seeds(60).collect();
    let kinds = in_parallel(&seeds, |seed| {
        let model = models[usize::try_from(*seed).expect("small") % models.len()];
        let text = undecided(*seed, model);
        let input = Input::text(format!("random{seed}.c"), &*text);
        let asked = asked(&input, &[model], Engine::Both);
        match &asked.outcome.verdict {
            OrdersVerdict::Chosen(chosen) => {
                asked.each_order_is_needed();
                assert!(!asked.is_violated(&asked.orders(), model), "{text}");
                let sites = asked.outcome.sites.iter();
                let changed = sites.filter(|s| s.chosen != Some(s.before)).count();
                (usize::from(chosen.is_repair), changed)
            }
            OrdersVerdict::NotEnough { outcome, .. } => {
                let verdict = &outcome.result.verdict;
                assert!(matches!(verdict, Verdict::Unsafe(_)), "{text}");
                (2, 0)
            }
            other => panic!("{other:?}\n{text}"),
        }
    });
    let count = |kind: usize| {
        kinds
            .iter()
            .filter(|(k, n)| *k == kind && (kind == 2 || *n > 0))
            .count()
    };
    println!(
        "weaker {}, repaired {}, not enough {}",
        count(0),
        count(1),
        count(2)
    );
    assert!(count(0) > 0 && count(1) > 0);
}

/// The text that is proposed is the program with the chosen orders, whatever form its accesses have.
#[test]
fn the_text_has_the_chosen_orders() {
    let text = "#include <stdatomic.h>\n#include <pthread.h>\n#include <assert.h>\n\
        atomic_int x, y, z;\nint d;\n\
        void *t(void *a) {\n  d = 1;\n  x = 1;\n  y++;\n  ++y;\n  y += 2;\n  y--;\n\
          __atomic_store_n(&z, 1, __ATOMIC_SEQ_CST);\n  __sync_synchronize();\n  if (x)\n    \
          atomic_thread_fence(memory_order_seq_cst);\n  return 0;\n}\n\
        int main(void) {\n  pthread_t p;\n  pthread_create(&p, 0, t, 0);\n  \
          if (x)\n    assert(d == 1);\n  int e = 0;\n  atomic_compare_exchange_weak(&y, &e, z);\n  return 0;\n}\n";
    let asked = asked(&Input::text("forms.c", text), &["rc11"], Engine::Sat);
    let edited = &asked.chosen().edited;
    assert!(
        edited.is_read_again && edited.by_hand.is_empty(),
        "{edited:?}"
    );
    let after = &edited.files[0].text;
    for line in [
        "atomic_store_explicit(&x, 1, memory_order_release);",
        "atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);",
        "atomic_fetch_add_explicit(&y, 2, memory_order_relaxed);",
        "atomic_fetch_sub_explicit(&y, 1, memory_order_relaxed);",
        "__atomic_store_n(&z, 1, __ATOMIC_RELAXED);",
        "if (atomic_load_explicit(&x, memory_order_acquire))",
        "atomic_compare_exchange_weak_explicit(&y, &e, atomic_load_explicit(&z, memory_order_relaxed), \
         memory_order_relaxed, memory_order_relaxed);",
    ] {
        assert!(after.contains(line), "{line}\n{after}");
    }
    assert!(
        !after.contains("fence") && !after.contains("sync"),
        "{after}"
    );
    let again = Session::read(
        &Input::text(Path::new("forms.c"), &**after),
        &SessionOptions::default(),
    );
    assert!(again.is_ok());
}
