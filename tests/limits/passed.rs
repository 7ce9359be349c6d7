//! A limit that passes at any moment never makes an answer stronger: every check is repeated with a
//! limit that passes at the n-th time it is asked for, for each n.

use std::cell::Cell;
use std::rc::Rc;
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::{self, Env, check};
use wmbmc::check::litmus::{self, Depth, Finding};
use wmbmc::check::outcome::{PropertyStatus, UnknownReason, Verdict};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::front::{c, litmus as syntax};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::litmus::LitmusTest;
use wmbmc::ir::program::{DataModel, Program, PropertyKind};
use wmbmc::lower;
use wmbmc::relations::dependencies::unwinding;
use wmbmc::unroll::event::EventGraph;
use wmbmc::unroll::unroll;

/// Limits tried for one program.
const TRIED: u64 = 400;

/// An environment with a limit that passes when it is asked for the `n`-th time, and how often it
/// was asked for. Its clock is so fast that every question is looked into.
fn env(n: u64) -> (Env, Rc<Cell<u64>>) {
    let asked = Rc::new(Cell::new(0));
    let counted = asked.clone();
    let limit = move || {
        counted.set(counted.get() + 1);
        (counted.get() > n).then_some(UnknownReason::Timeout(1.0))
    };
    let seconds = Cell::new(0.0);
    let now = move || seconds.replace(seconds.get() + 1.0);
    let env = Env {
        now: Rc::new(now),
        limit: Rc::new(limit),
        begins: Rc::new(|_| {}),
    };
    (env, asked)
}

fn program(sources: &mut SourceMap, text: &str) -> Program {
    let unit = c::parse_text(sources, "a.c", text, 64).expect("it parses");
    lower::c::lower(sources, &unit, DataModel::Lp64).expect("it has its types")
}

fn graph(program: &Program, model: &Model) -> EventGraph {
    let options = unwinding(Bounds::all(2), [model], &[PropertyKind::Memory]);
    unroll(program, &options, &|| false).expect("it unwinds")
}

/// A word for a verdict.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::SafeUpToBound(_) => "bound",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(UnknownReason::Unsupported(_)) => "gaps",
        _ => "limit",
    }
}

/// The verdicts of a program with all limits, in the order in which they pass.
fn verdicts(text: &str, model: &str) -> Vec<&'static str> {
    let mut sources = SourceMap::default();
    let program = program(&mut sources, text);
    let model = cat::builtin(model).expect("it is built in");
    let graph = graph(&program, &model);
    let task = bmc::CheckTask {
        program: &program,
        graph: &graph,
        model: &model,
        sources: &sources,
    };
    let options = bmc::CheckOptions {
        checks: vec![PropertyKind::Assertion, PropertyKind::Memory],
        order: Backend::Matrix,
        seed: 0,
        reductions: Reductions::default(),
        loops_at_bound: true,
        loads_outside: false,
    };
    let ask = |n: u64| {
        let (env, asked) = env(n);
        let outcome = check(&task, &options, &env).expect("no fault");
        let holds = outcome.properties.iter();
        let holds = holds.filter(|(_, s)| *s == PropertyStatus::Holds);
        let holds: Vec<PropertyKind> = holds.map(|(kind, _)| *kind).collect();
        let verdict = word(&outcome.verdict);
        if verdict != "unsafe" {
            assert_eq!(verdict == "safe", holds.len() == 2, "{n}: {outcome:?}");
        }
        (verdict, asked.get(), holds)
    };
    let (full, times, holding) = ask(u64::MAX);
    let step = (times / TRIED).max(1) as usize;
    // The questions to the solver come last; each is tried.
    let mut tried: Vec<u64> = (0..times).step_by(step).collect();
    tried.extend(times.saturating_sub(TRIED)..times);
    let limited = |n: u64| {
        let (verdict, _, holds) = ask(n);
        let true_ones = holds.iter().all(|kind| holding.contains(kind));
        assert!(true_ones, "{n}: {holds:?} hold, but only {holding:?} do");
        verdict
    };
    let mut all: Vec<&str> = tried.into_iter().map(limited).collect();
    all.push(full);
    all
}

const HEAD: &str = "\
void *malloc(unsigned long); int __VERIFIER_nondet_int(void); void unknown(void);
void abort(void); void reach_error(void);
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int x, y;
void *first(void *arg) { x = 1; if (y == 0) y = 2; return 0; }
";

fn with_main(body: &str) -> String {
    format!(
        "{HEAD}int main(void) {{ pthread_t t; pthread_create(&t, 0, first, 0); y = 1; int r = x; \
         {body} pthread_join(t, 0); return 0; }}\n"
    )
}

fn never_stronger(body: &str, full: &str) {
    for model in ["sc", "power"] {
        let all = verdicts(&with_main(body), model);
        assert_eq!(all.last(), Some(&full), "{body} on {model}");
        assert!(all.len() > 20, "{body} on {model}: {}", all.len());
        assert_eq!(all[0], "limit", "{body} on {model}");
        let others = all.iter().filter(|v| **v != "limit" && **v != full);
        let others: Vec<&&str> = others.collect();
        assert!(others.is_empty(), "{body} on {model}: {others:?}");
    }
}

#[test]
fn what_is_unsupported_stays_so() {
    never_stronger("if (r) unknown();", "gaps");
    let several = "if (r) unknown(); if (y == 2) unknown(); while (__VERIFIER_nondet_int()) r++;";
    never_stronger(several, "gaps");
}

#[test]
fn loops_at_their_bound_stay_there() {
    never_stronger("while (__VERIFIER_nondet_int()) r++;", "bound");
}

#[test]
fn safety_and_violations_are_not_guessed() {
    never_stronger("if (r == 2) reach_error();", "safe");
    never_stronger("if (r == 1 && y == 2) reach_error();", "unsafe");
}

/// The answers to a litmus test with all limits, in the order in which they pass.
fn findings(text: &str, depth: Depth) -> Vec<Finding> {
    let mut sources = SourceMap::default();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("t.litmus");
    std::fs::write(&path, text).expect("writable");
    let parsed = syntax::parse(&mut sources, &path).expect("it parses");
    let test: LitmusTest = lower::litmus::lower(&sources, &parsed).expect("it is supported");
    let model = cat::builtin("tso").expect("it is built in");
    let graph = graph(&test.program, &model);
    let task = litmus::LitmusTask {
        program: &test.program,
        graph: &graph,
        model: &model,
        order: Backend::Matrix,
        reductions: Reductions::default(),
        witness: true,
    };
    let ask = |n: u64| {
        let (env, asked) = env(n);
        let finding = litmus::answer(&task, &test.final_condition, depth, &env, &sources);
        (finding.expect("no fault"), asked.get())
    };
    let (full, times) = ask(u64::MAX);
    let mut all: Vec<Finding> = (0..times).map(|n| ask(n).0).collect();
    all.push(full);
    all
}

#[test]
fn litmus_tests_are_complete_only_when_all_was_asked() {
    let test = "X86 count\n{ x=0; }\n P0           ;\n MOV EAX,$3   ;\n LC0:         ;\n \
                XADD [x],EAX ;\n CMP EAX,$0   ;\n JE LC0       ;\nexists (x=9)\n";
    for depth in [Depth::Condition, Depth::States] {
        let all = findings(test, depth);
        let (full, limited) = all.split_last().expect("one without a limit");
        for finding in limited {
            assert!(finding.unknown.is_some() || !finding.loops_at_bound.is_empty());
            let limit = matches!(finding.unknown, Some(UnknownReason::Timeout(_)));
            assert!(limit, "{finding:?}");
        }
        assert!(full.unknown.is_none());
    }
    let looping = test.replace("CMP EAX,$0   ;\n JE", "CMP EAX,$7   ;\n JNE");
    let all = findings(&looping, Depth::Condition);
    let loops_at_bound = all.last().map(|f| f.loops_at_bound.len());
    assert_eq!(loops_at_bound, Some(1));
    assert!(all.iter().all(|finding| !finding.is_complete()));
}
