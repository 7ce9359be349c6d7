//! The orders, fences and dependencies that litmus tests need: on generated tests of each instruction set and language,
//! against the enumeration of all executions.
//!
//! `WMBMC_RANDOM_CASES=200` looks at so many tests of each, `WMBMC_RANDOM_SEED` at others.

use std::collections::BTreeMap;
use support::random::seeds;
use support::sessions::in_parallel;
use support::{Random, builtin};
use wmbmc::base::source::SourceMap;
use wmbmc::cat::model::Model;
use wmbmc::driver::options::Engine;
use wmbmc::driver::orders::{ChosenPlaces, LitmusOrders, LitmusOrdersVerdict, OrdersOptions};
use wmbmc::driver::{Input, Limits, Outcome, Session, SessionOptions};
use wmbmc::front::litmus::ast::Test;
use wmbmc::generate::arch::{
    Arch, aarch64::Aarch64, c11::C11, lkmm::Lkmm, ppc::Ppc, riscv::Riscv, x86::X86,
};
use wmbmc::generate::search::Search;
use wmbmc::generate::suite::systematic;
use wmbmc::generate::{of_cycles, of_search, ordered};
use wmbmc::strengthen::cost::Machine;
use wmbmc::strengthen::{OrderingPlace, PlaceKind, Strengthening};

/// The instruction sets and languages, each with a model.
const MACHINES: [(&dyn Arch, &str); 6] = [
    (&X86, "tso"),
    (&Ppc, "power"),
    (&Aarch64, "aarch64"),
    (&Riscv, "riscv"),
    (&C11, "rc11"),
    (&Lkmm, "lkmm"),
];

/// Tests of a machine or a language, any of those of some size.
fn generated(arch: &dyn Arch, name: &str) -> Vec<String> {
    let seeds = seeds(40);
    let mut random = Random::new(seeds.clone().next().unwrap_or_default());
    if matches!(name, "rc11" | "lkmm") {
        let cycles = ordered::systematic(arch);
        let taken: Vec<_> = seeds.map(|_| random.pick(&cycles).clone()).collect();
        let tests = of_cycles(arch, &taken).tests;
        return tests.iter().map(|test| test.text()).collect();
    }
    let search = Search {
        size: 5,
        threads: 2..=3,
        ..systematic(arch)
    };
    let tests = of_search(arch, &search).tests;
    seeds.map(|_| random.pick(&tests).text()).collect()
}

fn orders(text: &str, model: &Model, options: &OrdersOptions) -> LitmusOrders {
    let input = Input::text("t.litmus", text);
    let session = Session::read(&input, &SessionOptions::default()).expect("a test");
    let found = session.litmus_orders(&[model], options, Limits::seconds(300.0));
    found.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether the condition holds in one of all executions; `None` where there are too many.
fn enumerated(text: &str, model: &Model) -> Option<bool> {
    let mut options = SessionOptions::default();
    options.litmus.bounded.engine = Engine::Enumerate;
    let session = Session::read(&Input::text("t.litmus", text), &options);
    let mut session = session.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let outcome = session.check(model, Limits::seconds(300.0));
    match outcome.unwrap_or_else(|e| panic!("{e}\n{text}")) {
        Outcome::Litmus(outcome) => {
            let (finding, _) = &outcome.answers[0];
            let is_known = finding.unknown.is_none() || finding.holds;
            is_known.then_some(finding.holds)
        }
        _ => panic!("it is a litmus test"),
    }
}

fn parsed(text: &str) -> Test {
    let mut sources = SourceMap::default();
    let file = sources.add("t.litmus", text);
    wmbmc::front::litmus::parse_file(&sources, file).expect("it is read")
}

fn chosen(found: LitmusOrders, text: &str) -> ChosenPlaces {
    match found.verdict {
        LitmusOrdersVerdict::Chosen(chosen) => chosen,
        LitmusOrdersVerdict::NotEnough(model) => panic!("not enough on {model}\n{text}"),
        LitmusOrdersVerdict::Undecided(model, reason) => panic!("{model}: {reason:?}\n{text}"),
        _ => panic!("{text}"),
    }
}

/// The ways of a place with one less step of what is ordered, within those that were open.
fn one_step_weaker(place: &OrderingPlace, now: usize, is_repair: bool) -> Vec<usize> {
    let below = |a: usize, b: usize| {
        let (a, b) = (place.ways[a].ordered, place.ways[b].ordered);
        a != b && a.is_at_most(b)
    };
    let is_open = |way: &usize| !is_repair || *way == place.now || below(place.now, *way);
    let weaker: Vec<usize> = (0..place.ways.len())
        .filter(|way| is_open(way) && below(*way, now))
        .collect();
    let all = weaker.iter().copied();
    all.filter(|way| !weaker.iter().any(|other| below(*way, *other)))
        .collect()
}

#[test]
fn the_condition_is_forbidden_and_nothing_weaker_does_it() {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (arch, name) in MACHINES {
        let model = builtin(name);
        let results = in_parallel(&generated(arch, name), |text| {
            let found = orders(text, &model, &OrdersOptions::default());
            let chosen = chosen(found, text);
            let test = parsed(text);
            let strengthening = Strengthening::new(&test, text, Machine::Any);
            let after = strengthening.text(&chosen.choice);
            assert_eq!(chosen.file.is_some(), after != *text, "{text}");
            if let Some(file) = &chosen.file {
                assert_eq!(file.text, after);
            }
            let Some(holds) = enumerated(&after, &model) else {
                return [0, 0, 0];
            };
            assert!(!holds, "{name}\n{text}\n{after}");
            assert_eq!(
                enumerated(text, &model).unwrap_or(chosen.is_repair),
                chosen.is_repair,
                "{name}\n{text}"
            );
            let mut neighbours = 0;
            for (at, place) in strengthening.places().iter().enumerate() {
                for way in one_step_weaker(place, chosen.choice[at], chosen.is_repair) {
                    let mut weaker = chosen.choice.clone();
                    weaker[at] = way;
                    let weaker = strengthening.text(&weaker);
                    let holds = enumerated(&weaker, &model).unwrap_or(true);
                    assert!(holds, "{name}\n{text}\n{after}\n{weaker}");
                    neighbours += 1;
                }
            }
            [1, usize::from(chosen.is_repair), neighbours]
        });
        let sum = |i: usize| results.iter().map(|row| row[i]).sum();
        counts.insert(name, [sum(0), sum(1), sum(2)]);
    }
    println!("tests, repairs, weaker neighbours: {counts:?}");
    assert!(counts.values().all(|[tests, ..]| *tests > 0), "{counts:?}");
}

/// Message passing, written as people write it.
const MESSAGE_PASSING: [(&str, &str, &[&str]); 6] = [
    (
        "aarch64",
        "AArch64 MP\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n \
         STR W0,[X1] | LDR W2,[X3] ;\n STR W0,[X3] | ;\nexists (1:X0=1 /\\ 1:X2=0)\n",
        &["STLR W0,[X3]", "LDAPR W0,[X1]"],
    ),
    (
        "power",
        "PPC MP\n{ 0:r1=x; 0:r3=y; 1:r1=y; 1:r3=x; }\n P0 | P1 ;\n li r0,1 | lwz r0,0(r1) ;\n \
         stw r0,0(r1) | lwz r2,0(r3) ;\n stw r0,0(r3) | ;\nexists (1:r0=1 /\\ 1:r2=0)\n",
        &["lwsync", "dependency on r0"],
    ),
    (
        "riscv",
        "RISCV MP\n{ 0:x6=x; 0:x7=y; 1:x6=y; 1:x7=x; }\n P0 | P1 ;\n ori x5,x0,1 | lw x5,0(x6) ;\n \
         sw x5,0(x6) | lw x8,0(x7) ;\n sw x5,0(x7) | ;\nexists (1:x5=1 /\\ 1:x8=0)\n",
        &["fence w,w", "dependency on x5"],
    ),
    (
        "tso",
        "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
         exists (0:EAX=0 /\\ 1:EAX=0)\n",
        &["MFENCE", "MFENCE"],
    ),
    (
        "rc11",
        "C MP\n{ }\nP0(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
         atomic_store_explicit(y, 1, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  \
         int r0 = atomic_load_explicit(y, memory_order_relaxed);\n  \
         int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\nexists (1:r0=1 /\\ 1:r1=0)\n",
        &["release", "acquire"],
    ),
    (
        "lkmm",
        "C MP\n{ }\nP0(int *x, int *y) {\n  WRITE_ONCE(*x, 1);\n  WRITE_ONCE(*y, 1);\n}\n\
         P1(int *x, int *y) {\n  int r0 = READ_ONCE(*y);\n  int r1 = READ_ONCE(*x);\n}\n\
         exists (1:r0=1 /\\ 1:r1=0)\n",
        &["smp_store_release(y, 1)", "smp_load_acquire(y)"],
    ),
];

#[test]
fn message_passing_is_mended_as_textbooks_do() {
    for (name, text, expected) in MESSAGE_PASSING {
        let found = orders(text, &builtin(name), &OrdersOptions::default());
        let changed = found.places.iter();
        let changed = changed.filter(|place| place.chosen.as_ref() != Some(&place.before));
        let changed: Vec<&str> = changed.filter_map(|p| p.chosen.as_deref()).collect();
        assert_eq!(changed, expected, "{name}");
        assert!(chosen(found, text).is_repair);
    }
}

/// Fences in the way of nothing go, and a line that is to be kept stays.
#[test]
fn what_nothing_needs_goes() {
    let (_, text, _) = MESSAGE_PASSING[5];
    let text = text.replace("WRITE_ONCE(*x, 1);", "WRITE_ONCE(*x, 1);\n  smp_mb();");
    let text = text.replace("int r1", "smp_mb();\n  int r1");
    let model = builtin("lkmm");
    let found = orders(&text, &model, &OrdersOptions::default());
    let after = chosen(found, &text).file.expect("it changes").text;
    assert!(
        after.contains("smp_wmb();\n") && after.contains("smp_rmb();\n"),
        "{after}"
    );
    let mut options = OrdersOptions::default();
    options.keep = vec![("t.litmus".to_string(), 5)];
    let found = orders(&text, &model, &options);
    let kept = found.places.iter().filter(|place| place.is_kept);
    assert_eq!(
        kept.map(|place| place.kind).collect::<Vec<_>>(),
        [PlaceKind::Fence]
    );
    let after = chosen(found, &text).file.expect("it changes").text;
    assert!(
        after.contains("smp_mb();\n") && after.contains("smp_rmb();\n"),
        "{after}"
    );
}

/// Conditions that hold when nothing is reordered are forbidden by nothing.
#[test]
fn what_interleavings_show_stays() {
    let (name, text, _) = MESSAGE_PASSING[0];
    let text = text.replace("1:X0=1", "1:X0=0");
    let found = orders(&text, &builtin(name), &OrdersOptions::default());
    assert!(matches!(&found.verdict, LitmusOrdersVerdict::NotEnough(model) if model == name));
}
