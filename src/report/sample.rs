//! A hand-made outcome for the tests of the printers: store buffering on TSO.

use crate::check::outcome::*;
use crate::encode::Reduced;
use base::source::{SourceMap, Span};
use ir::program::{MemoryOrder, Property, PropertyKind, Rule};

const PROGRAM: &str = "\
int x, y, a, b;

void *first(void *arg) {
  x = 1;
  a = y;
}
void *second(void *arg) {
  y = 1;
  b = x;
}
int main(void) {
  assert(a == 1 || b == 1);
}
";

fn step(
    sources: &SourceMap,
    kind: StepKind,
    thread: Option<usize>,
    cell: &str,
    value: u64,
    line: u32,
) -> Step {
    let file = sources.find("dir/sb.c").expect("the sample has one file");
    let start = sources.line_start(file, line);
    Step {
        kind,
        thread,
        cell: cell.to_string(),
        value,
        width: 32,
        shown: Shown::Integer,
        order: MemoryOrder::Plain,
        from: None,
        rmw: false,
        group: None,
        observes: false,
        span: Span {
            file,
            start,
            end: start + 1,
        },
    }
}

/// The sources and the outcome.
pub fn store_buffering() -> (SourceMap, CheckResult) {
    let mut sources = SourceMap::default();
    let file = sources.add("dir/sb.c", PROGRAM);
    let s = &sources;
    let mut steps = vec![
        step(s, StepKind::Init, None, "x", 0, 1),
        step(s, StepKind::Init, None, "y", 0, 1),
        step(s, StepKind::Write, Some(1), "x", 1, 4),
        step(s, StepKind::Write, Some(2), "y", 1, 8),
        step(s, StepKind::Read, Some(1), "y", 0, 5),
        step(s, StepKind::Read, Some(2), "x", 0, 9),
    ];
    steps[4].from = Some(1);
    steps[5].from = Some(0);
    let line = |n| {
        let start = sources.line_start(file, n);
        Span {
            file,
            start,
            end: sources.line_start(file, n + 1) - 1,
        }
    };
    let thread = |name: &str, n| TraceThread {
        name: name.to_string(),
        span: line(n),
        created: (n < 11).then_some(Creation { by: 0, step: 0 }),
    };
    let edge = |from, to, kind, relaxed| CycleEdge {
        from,
        to,
        kind,
        relaxed,
    };
    let trace = Trace {
        threads: vec![thread("main", 11), thread("first", 3), thread("second", 7)],
        steps,
        choices: Vec::new(),
        arguments: None,
        relations: Relations {
            po: vec![(2, 4), (3, 5)],
            sync: vec![],
            rf: vec![(1, 4), (0, 5)],
            co: vec![(0, 2), (1, 3)],
            fr: vec![(4, 3), (5, 2)],
        },
        spurious: false,
        machine: None,
        weak: Some(Weakness {
            cycle: vec![
                edge(2, 4, EdgeKind::Po, true),
                edge(4, 3, EdgeKind::Fr, false),
                edge(3, 5, EdgeKind::Po, true),
                edge(5, 2, EdgeKind::Fr, false),
            ],
            remedy: Some("an mfence at sb.c:4 and at sb.c:8 forbids it".to_string()),
        }),
    };
    let counterexample = Counterexample {
        cause: None,
        steps: Vec::new(),
        property: Property::new(Rule::Assertion, "a == 1 || b == 1"),
        span: line(12),
        thread: Some(0),
        trace: Some(trace),
    };
    let stats = Stats {
        threads: 3,
        events: 6,
        cells: 2,
        rf: 4,
        variables: 12,
        clauses: 34,
        parts: vec![("values".to_string(), 34)],
        strategy: String::new(),
        executions: None,
        conflicts: 1,
        judged: 0,
        learnt: 0,
        reduced: Reduced::default(),
        seconds: vec![("unroll", 0.001), ("solve", 0.25)],
        peak_mb: 9,
    };
    let properties = vec![(PropertyKind::Assertion, PropertyStatus::Violated)];
    let verdict = Verdict::Unsafe(Box::new(counterexample));
    (
        sources,
        CheckResult {
            model: "tso".to_string(),
            verdict,
            properties,
            stats,
            loops_at_bound: Vec::new(),
            stopped: None,
            argument: Argument::Executions,
            assumed: Vec::new(),
        },
    )
}

/// The execution of an outcome that has one.
pub fn trace(outcome: &CheckResult) -> &Trace {
    match &outcome.verdict {
        Verdict::Unsafe(found) => found.trace.as_ref().expect("the sample has an execution"),
        other => panic!("the sample is unsafe, not {other:?}"),
    }
}
