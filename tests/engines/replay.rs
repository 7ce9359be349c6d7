//! The replay of counterexamples: what the solver found is accepted, and what differs from it in
//! one place is refused.

use std::rc::Rc;
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::check::bmc::{CheckError, CheckOptions, CheckTask, Env, check};
use wmbmc::check::decode::Run;
use wmbmc::check::outcome::{CheckResult, Verdict};
use wmbmc::check::replay::replay;
use wmbmc::encode::order::Backend;
use wmbmc::encode::{Queries, Reductions, encode};
use wmbmc::front::c;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::FenceTag;
use wmbmc::ir::program::{DataModel, Expr, Fence, Op, Program, PropertyKind, UnOp};
use wmbmc::lower::c::lower;
use wmbmc::relations::bounds::{Analysis, AnalysisError};
use wmbmc::smt::sat::cnf::Lit;
use wmbmc::smt::sat::{Cadical, SatResult, Solver};
use wmbmc::unroll::event::{Check, ChoiceKind, EventGraph, EventId, EventKind};
use wmbmc::unroll::{self, unroll};

fn program(name: &str, text: &str) -> (Program, SourceMap) {
    let mut sources = SourceMap::default();
    let path = std::env::temp_dir().join(format!("wmbmc-replay-{}-{name}.c", std::process::id()));
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\n{text}"
    );
    std::fs::write(&path, text).expect("the folder for temporary files is writable");
    let unit = c::parse(&mut sources, &path, &c::ParseOptions::default()).expect("a C program");
    std::fs::remove_file(&path).expect("it was written above");
    let program = lower(&sources, &unit, DataModel::Lp64).expect("a supported program");
    (program, sources)
}

fn unwound(program: &Program) -> EventGraph {
    let options = unroll::UnrollOptions {
        bounds: Bounds::all(3),
        address_dependencies: false,
        coherent: true,
        values_have_causes: true,
        kernel: false,
        uninitialised: false,
        loads_outside: false,
        awaits: unroll::Awaits::default(),
        max_events: unroll::MAX_EVENTS,
        open_orders: Default::default(),
    };
    unroll(program, &options, &|| false).expect("a small program")
}

/// A violating execution on TSO, and the check it violates, handed to `use_it`.
fn with_run(graph: &EventGraph, use_it: impl FnOnce(Run, &Check)) {
    let model = cat::builtin("tso").expect("built-in");
    let analysis = Analysis::new(graph, &model, &|| false).expect("no fence that the model lacks");
    let mut encoding = encode(
        &analysis,
        Backend::Matrix,
        Reductions::default(),
        Queries::default(),
        &|| false,
    )
    .expect("a model without negations");
    let bad = encoding.cnf.any(&encoding.violated.clone());
    let mut solver = Cadical::new(Rc::new(|| false));
    solver.add(&encoding.cnf.flat);
    assert_eq!(
        solver.solve(&[bad]),
        SatResult::Sat,
        "the program is unsafe"
    );
    let values: Vec<bool> = (1..=encoding.cnf.num_vars())
        .map(|v| solver.value(Lit(v as i32)))
        .collect();
    let value = |l: Lit| values[l.var() as usize - 1] == (l.0 > 0);
    let run = Run::new(graph, &encoding, &value).expect("the solver's answer is an execution");
    let violated = graph
        .checks
        .iter()
        .find(|c| run.holds(c.guard) && !run.holds(c.cond));
    let violated = violated.expect("it was asked for");
    use_it(run, violated);
}

fn checked(
    program: &Program,
    graph: &EventGraph,
    sources: &SourceMap,
    model: &str,
) -> Result<CheckResult, CheckError> {
    let options = CheckOptions {
        checks: vec![PropertyKind::Assertion, PropertyKind::Memory],
        order: Backend::Matrix,
        seed: 0,
        reductions: Reductions::default(),
        loops_at_bound: false,
        loads_outside: false,
    };
    let env = Env::unlimited();
    let model = cat::builtin(model).expect("built-in");
    let task = CheckTask {
        program,
        graph,
        model: &model,
        sources,
    };
    check(&task, &options, &env)
}

fn accepted(program: &Program) {
    let graph = unwound(program);
    with_run(&graph, |run, check| {
        if let Err(mismatch) = replay(program, &run, check) {
            panic!("{}", mismatch.0);
        }
    });
}

/// What the replay says to an execution after `tamper` has changed it.
fn refused(program: &Program, tamper: impl FnOnce(&mut Run)) -> String {
    let graph = unwound(program);
    let mut message = String::new();
    with_run(&graph, |mut run, check| {
        replay(program, &run, check).expect("the execution itself is accepted");
        tamper(&mut run);
        message = replay(program, &run, check)
            .expect_err("the change is found")
            .0;
    });
    message
}

/// The `n`-th event of a kind that happened.
fn event(run: &Run, n: usize, wanted: impl Fn(EventKind) -> bool) -> EventId {
    let mut of_kind = run
        .events
        .iter()
        .filter(|e| wanted(run.graph.events[**e].kind));
    *of_kind.nth(n).expect("the program has so many")
}

const STORE_BUFFER: &str = "
volatile int x, y; int a, b;
void *left(void *p) { x = 1; a = y; return 0; }
void *right(void *p) { y = 1; b = x; return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, left, 0);
  pthread_create(&t, 0, right, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a == 1 || b == 1);
}";

#[test]
fn an_execution_is_accepted_and_its_changes_are_refused() {
    let (program, _) = program("store-buffer", STORE_BUFFER);
    let is_read = |k| k == EventKind::Read;
    let is_write = |k| k == EventKind::Write;
    let reads = 4;
    for n in 0..reads {
        refused(&program, |run| {
            let e = event(run, n, is_read);
            run.value.insert(e, 7);
        });
        refused(&program, |run| {
            let e = event(run, n, is_read);
            run.addr.insert(e, 8);
        });
        refused(&program, |run| {
            let e = event(run, n, is_read);
            let elsewhere = |w: &EventId| run.addr[w] != run.addr[&e];
            let other = (0..4).map(|n| event(run, n, is_write)).find(elsewhere);
            let other = other.expect("four variables are written");
            run.source.insert(e, other);
        });
    }
    for n in 0..4 {
        refused(&program, |run| {
            let e = event(run, n, is_write);
            run.value.insert(e, 7);
        });
    }
}

#[test]
fn no_event_can_be_left_out() {
    let (program, _) = program("left-out", STORE_BUFFER);
    let graph = unwound(&program);
    let mut of_threads = 0;
    with_run(&graph, |run, _| {
        let mut all = run.events.iter();
        of_threads = all
            .by_ref()
            .filter(|e| graph.events[**e].thread.is_some())
            .count();
    });
    assert!(of_threads >= 10);
    for n in 0..of_threads {
        refused(&program, |run| {
            let e = event(run, n, |k| k != EventKind::Init);
            run.events.retain(|other| *other != e);
        });
    }
}

/// How many fences threads have for being created or joined.
fn posix_fences(text: &str) -> usize {
    let (program, _) = program("fences", text);
    accepted(&program);
    let posix = EventKind::Fence(FenceTag::Explicit(Fence::Posix));
    let graph = unwound(&program);
    graph.events.iter().filter(|e| e.kind == posix).count()
}

#[test]
fn a_creation_before_any_event_has_no_fence() {
    assert_eq!(posix_fences(STORE_BUFFER), 2, "those of the joins");
    let create = "pthread_create(&t, 0, right, 0);";
    let with_event = STORE_BUFFER.replace(create, &format!("x = 0; {create}"));
    assert_eq!(posix_fences(&with_event), 3);
    let sometimes = format!("if (__VERIFIER_nondet_int()) x = 0; {create}");
    assert_eq!(posix_fences(&STORE_BUFFER.replace(create, &sometimes)), 3);
}

#[test]
fn an_interrupt_ends_the_analysis() {
    let (program, _) = program("interrupt", STORE_BUFFER);
    let graph = unwound(&program);
    let model = cat::builtin("power").expect("built-in");
    let analysis = Analysis::new(&graph, &model, &|| true);
    assert!(matches!(analysis, Err(AnalysisError::Interrupted)));
}

#[test]
fn an_initial_value_is_what_main_wrote() {
    let (program, _) = program(
        "initial",
        "int x; void *t(void *p) { x = x + 1; return 0; }
         int main(void) { pthread_t h; x = 4; pthread_create(&h, 0, t, 0); pthread_join(h, 0); assert(x != 5); }",
    );
    let message = refused(&program, |run| {
        let e = event(run, 0, |k| k == EventKind::Init);
        run.value.insert(e, 3);
    });
    assert!(
        message.contains("when the first thread is created"),
        "{message}"
    );
}

#[test]
fn another_program_is_not_believed() {
    let (program, sources) = program("other", STORE_BUFFER);
    let graph = unwound(&program);
    let mut procs: Vec<_> = program.procs.iter().cloned().collect();
    for instr in procs.iter_mut().flat_map(|p| &mut p.body) {
        if let Op::Assert { cond, .. } = &mut instr.op {
            *cond = Expr::Unary(UnOp::Not, Box::new(cond.clone()));
        }
    }
    let other = Program {
        procs: procs.into_iter().collect(),
        ..program
    };
    let outcome = checked(&other, &graph, &sources, "tso");
    assert!(matches!(outcome, Err(CheckError::Internal(_))));
}

#[test]
fn the_size_of_an_object_is_computed_again() {
    let (program, _) = program(
        "heap",
        "int main(void) { int *p = malloc(4 * sizeof(int)); p[3] = 1; assert(p[3] != 1); }",
    );
    accepted(&program);
    let mut graph = unwound(&program);
    let larger = graph.terms.constant(20, 64);
    for draw in &mut graph.choices {
        if let ChoiceKind::Object { bytes, .. } = &mut draw.what {
            *bytes = larger;
        }
    }
    with_run(&graph, |run, check| {
        let mismatch = replay(&program, &run, check).expect_err("the change is found");
        assert!(mismatch.0.contains("allocates 16 bytes"), "{}", mismatch.0);
    });
}

/// What a program does beside accessing shared memory: each of these must be violated, and the
/// replay must follow.
#[test]
fn everything_arbitrary_is_followed() {
    let programs = [
        // Uninitialised registers, heap and arbitrary values, in loops.
        "int main(void) { int s = 0, u; for (int i = 0; i < 3; i++) { int v; if (__VERIFIER_nondet_int()) v = u; s += v; } assert(s != 77); }",
        "int main(void) { int *p = malloc(8), *q = malloc(8); assert(p[0] + q[1] != 9 || p[1] != 2); }",
        "int f(int n) { int x; if (n == 0) return x; return x + f(n - 1); } int main(void) { assert(f(2) != 11); }",
        // Functions that return nothing where a value is expected.
        "int f(int n) { if (n) return 3; } int main(void) { int n = __VERIFIER_nondet_int(); assert(f(n) != 8); }",
        // Calls through pointers, and of no function.
        "int f(int n) { return n; } int g(int n) { return n + 1; }
         int main(void) { int (*h)(int) = __VERIFIER_nondet_int() ? f : g; assert(h(1) == 1); }",
        "int main(void) { int (*h)(int) = 0; h(1); }",
        // Memory that is no object.
        "int main(void) { int a[2]; unsigned i = __VERIFIER_nondet_int(); a[i] = 1; }",
        "int *p; void *t(void *q) { p = 0; return 0; }
         int x; int main(void) { pthread_t h; p = &x; pthread_create(&h, 0, t, 0); *p = 1; }",
        // Thread-local memory, thread results, handles in memory.
        "_Thread_local int l = 3; void *t(void *q) { l++; return (void *)(long)l; }
         int main(void) { pthread_t h[2]; void *r, *s; l = 9; for (int i = 0; i < 2; i++) pthread_create(&h[i], 0, t, 0);
           pthread_join(h[0], &r); pthread_join(h[1], &s); assert(r != s || (long)r != 4 || l != 9); }",
        // An object made by one thread and used by another.
        "int *volatile p; void *t(void *q) { int *r = p; if (r) assert(*r != 5); return 0; }
         int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); int *m = malloc(4); *m = 5; p = m; }",
        // A path that creates no thread, beside and before one that does.
        "int x; void *t(void *p) { x++; return 0; }
         int main(void) { pthread_t h; if (__VERIFIER_nondet_int()) { x = 5; pthread_create(&h, 0, t, 0); } else { assert(x == 5); } }",
        "int x; void *t(void *p) { x++; return 0; }
         int main(void) { pthread_t h; x = 1; if (__VERIFIER_nondet_int()) { x = 5; pthread_create(&h, 0, t, 0); pthread_join(h, 0); } else { x = 2; } x++; assert(x != 3); }",
        "int x; void *t(void *p) { x++; return 0; }
         int main(void) { pthread_t h; for (int i = 0; i < 3; i++) { x++; if (i == 1 && __VERIFIER_nondet_int()) pthread_create(&h, 0, t, 0); x++; } assert(x != 6); }",
        "int x, y; void *t(void *p) { x++; return 0; }
         int main(void) { pthread_t h; y = 7; if (__VERIFIER_nondet_int()) { x = 5; pthread_create(&h, 0, t, 0); } else { x = 6; pthread_create(&h, 0, t, 0); } pthread_join(h, 0); assert(x != 7); }",
        // The contents of a union, read as another member.
        "union { int i; char c[4]; } u = { .i = 0x0201 }; int main(void) { assert(u.c[1] != 2); }",
    ];
    for (n, text) in programs.iter().enumerate() {
        let (program, _) = program(&format!("arbitrary-{n}"), text);
        println!("{text}");
        accepted(&program);
    }
}

/// On a path without threads, main sees what it wrote itself.
#[test]
fn a_path_without_threads_has_initial_values_of_its_own() {
    let (program, sources) = program(
        "own-values",
        "int x; void *t(void *p) { x++; return 0; }
         int main(void) { pthread_t h; if (__VERIFIER_nondet_int()) { x = 5; pthread_create(&h, 0, t, 0); } else { assert(x == 0); } }",
    );
    let graph = unwound(&program);
    let outcome = checked(&program, &graph, &sources, "sc").expect("no error");
    assert!(matches!(outcome.verdict, Verdict::Safe));
}
