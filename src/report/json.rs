//! Outcomes as JSON, for `--format json`: one object a file and model, one line each.
//!
//! The fields, which are never renamed:
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version` | `wmbmc` and its version |
//! | `input` | the path as given; `null` for an error of the command line |
//! | `model` | short name of the memory model; `null` when the error came before |
//! | `verdict` | `SAFE`, `SAFE_UP_TO_BOUND`, `UNSAFE`, `UNKNOWN`, or `ERROR` |
//! | `code` | the kind of what is reported, as `wmbmc explain` knows it; `null` where there is nothing |
//! | `exit_code` | what the process would return for this alone |
//! | `bound` | the general unwinding bound; with `--incremental` the greatest that was needed |
//! | `complete` | true when the verdict does not depend on the bound |
//! | `properties` | `{kind, status}` for each kind checked |
//! | `not_checked` | the kinds that were not |
//! | `checks` | who chose them: `options`, `default`, or `default_without_assertions` for a program that has none |
//! | `assertions` | how many assertions the program has |
//! | `bounded_arguments` | true when the program looks at `argv` or an environment variable, and was checked with few and short ones alone |
//! | `assumptions` | of `--function`, `--parallel`, `--havoc`, `--target`: what was taken for granted, a sentence each |
//! | `assumes_no_race` | true when nothing is said of a program with a data race: the model leaves it undefined (`rc11`), and `race` was not checked |
//! | `property` | of `UNSAFE`: `{kind, text, cause, thread, span}` of what is violated, the cause where it is known; of a data race also `events`, the indices of both accesses |
//! | `cuts` | of `SAFE_UP_TO_BOUND`: `{loop, bound, span}` |
//! | `stopped` | of `--incremental`: what kept it from unwinding further, a sentence |
//! | `reason` | of `UNKNOWN`: a sentence; `places` lists `{message, span}` |
//! | `execution` | of `UNSAFE`: `threads`, `events`, and pairs of event indices in `po` (immediate), `sync` (creation and join), `rf`, `co` (immediate), `fr` (to the next write); of an x86 program `machine`, of a program that looks at its arguments `arguments`, see `docs/json.md` |
//! | `weakness` | of a weak `execution`: `cycle` of `{from, to, kind, relaxed}`, `sentences`, `remedy` |
//! | `threads` | of an x86 program with `--threads`: how many |
//! | `stats` | `threads`, `events`, `cells`, `rf`, `variables`, `clauses`, `parts` (clauses by what they are for), `conflicts`, `strategy` (of several), `judged`, `learnt`, `reduced`, `seconds` by stage, `peak_mb` |
//! | `warnings` | of a program for x86 on the model of another machine: as `errors` |
//! | `errors` | of `ERROR`: `{severity, code, message, notes, places}`, the primary place first |
//!
//! `--show-loops` writes one object a file instead: `tool`, `version`, `input`, and `loops` of
//! `{name, function, recursive, extent, most, span}`; `extent` is `bounded` (it ends by itself; `most`
//! is how often its back edge is taken at most, or how deep it recurs), `await`, `cut` (`most` is the
//! bound) or `unreached`.
//!
//! Of a system of any number of processes, `reason` says for whom it is safe or what is violated,
//! `stats` holds `visited`, `remaining`, `nodes` and `seconds`, and [`system`] lists what there is of a
//! run.
//!
//! A `span` is `{file, line, column, end_line, end_column}`, counted from 1 in characters. An event
//! is `{index, kind, thread, cell, value, width, order, from, rmw, group, text, span}`; `kind` is `init`,
//! `read`, `write`, `fence`, or `begin`, `end`, `free` of the object of `cell`; `thread` an index
//! into `threads` or `null`, `value` a number below 2^64 (unsigned), `from` the event a read got
//! its value from, `text` what the execution shows of it.

pub mod abstraction;
pub mod compile_check;
pub mod cross;
pub mod fences;
pub mod litmus;
mod machine;
pub mod system;

use super::{Subject, codes, text, words};
use crate::base::code::Code;
use crate::base::diag::{Diag, Severity};
use crate::base::source::{SourceMap, Span};
use crate::check::loops::{Extent, Loop};
use crate::check::outcome::{
    CheckResult, EdgeKind, PropertyStatus, Step, StepKind, Trace, Verdict,
};
use crate::check::outcome::{Stats as Measured, UnknownReason};
use crate::ir::bounds::Trips;
use crate::ir::program::Lifetime;
use serde::ser::{Serialize, SerializeMap, Serializer};

type Pairs<'a> = &'a [(usize, usize)];

#[derive(serde::Serialize)]
struct Object<'a> {
    tool: &'static str,
    version: &'static str,
    input: Option<&'a str>,
    model: Option<&'a str>,
    verdict: &'static str,
    code: Option<&'static str>,
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assertions: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bounded_arguments: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    assumptions: &'a [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumes_no_race: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<Violated<'a>>,
    #[serde(rename = "cuts", skip_serializing_if = "Vec::is_empty")]
    loops_at_bound: Vec<AtBound<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<Place<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<Execution<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weakness: Option<Weak<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Stats<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Fault<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Fault<'a>>,
}

#[derive(serde::Serialize)]
struct Status {
    kind: &'static str,
    status: &'static str,
}

#[derive(serde::Serialize)]
struct Violated<'a> {
    kind: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    thread: Option<usize>,
    span: Range<'a>,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    events: &'a [usize],
}

#[derive(serde::Serialize)]
struct AtBound<'a> {
    #[serde(rename = "loop")]
    name: &'a str,
    bound: u32,
    /// How often it goes on at most, where constants say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    trip_count: Option<u32>,
    /// Every execution comes to the bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nothing_behind: bool,
    span: Range<'a>,
}

#[derive(serde::Serialize)]
struct Place<'a> {
    message: &'a str,
    span: Range<'a>,
}

#[derive(serde::Serialize)]
struct Range<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(serde::Serialize)]
struct Execution<'a> {
    threads: Vec<Thread<'a>>,
    events: Vec<Event<'a>>,
    po: Pairs<'a>,
    sync: Pairs<'a>,
    rf: Pairs<'a>,
    co: Pairs<'a>,
    fr: Pairs<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Arguments>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<machine::Machine>,
}

#[derive(serde::Serialize)]
struct Argument {
    index: usize,
    text: String,
}

#[derive(serde::Serialize)]
struct Arguments {
    argc: u64,
    argv: Vec<Argument>,
}

#[derive(serde::Serialize)]
struct Thread<'a> {
    name: &'a str,
    span: Range<'a>,
}

#[derive(serde::Serialize)]
struct Event<'a> {
    index: usize,
    kind: &'static str,
    thread: Option<usize>,
    cell: &'a str,
    value: u64,
    width: u8,
    order: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    rmw: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    span: Range<'a>,
}

#[derive(serde::Serialize)]
struct Weak<'a> {
    cycle: Vec<Edge>,
    sentences: Vec<String>,
    remedy: Option<&'a str>,
}

#[derive(serde::Serialize)]
struct Edge {
    from: usize,
    to: usize,
    kind: &'static str,
    relaxed: bool,
}

#[derive(serde::Serialize)]
struct Stats<'a> {
    threads: usize,
    events: usize,
    cells: usize,
    rf: usize,
    variables: u64,
    clauses: u64,
    parts: Parts<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    strategy: &'a str,
    conflicts: u64,
    judged: u64,
    learnt: u64,
    reduced: Removed,
    seconds: Seconds<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<&'static str>,
    peak_mb: u64,
}

/// What reductions did.
#[derive(serde::Serialize)]
struct Removed {
    sections: usize,
    orders: usize,
    reads: usize,
    edges: usize,
    sums: usize,
    symmetric: usize,
}

/// Clauses by what they are for.
struct Parts<'a>(&'a [(String, u64)]);

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, clauses)| (name, clauses)))
    }
}

/// Seconds by stage, in the order they ran.
struct Seconds<'a>(&'a [(&'static str, f64)]);

impl Serialize for Seconds<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (stage, seconds) in self.0 {
            map.serialize_entry(stage, seconds)?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Fault<'a> {
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<Place<'a>>,
}

fn empty<'a>(
    input: Option<&'a str>,
    model: Option<&'a str>,
    verdict: &'static str,
    exit_code: u8,
) -> Object<'a> {
    Object {
        tool: "wmbmc",
        version: env!("CARGO_PKG_VERSION"),
        input,
        model,
        verdict,
        code: None,
        exit_code,
        bound: None,
        complete: None,
        properties: Vec::new(),
        not_checked: None,
        checks: None,
        assertions: None,
        bounded_arguments: false,
        assumptions: &[],
        assumes_no_race: false,
        property: None,
        loops_at_bound: Vec::new(),
        stopped: None,
        reason: None,
        places: Vec::new(),
        execution: None,
        weakness: None,
        stats: None,
        threads: None,
        errors: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The object of an outcome, on one line.
pub fn outcome(subject: &Subject, outcome: &CheckResult, exit_code: u8) -> String {
    let sources = subject.sources;
    let verdict = match &outcome.verdict {
        Verdict::Safe => "SAFE",
        Verdict::SafeUpToBound(_) => "SAFE_UP_TO_BOUND",
        Verdict::Unsafe(_) => "UNSAFE",
        Verdict::Unknown(_) => "UNKNOWN",
    };
    let mut object = empty(
        Some(subject.input),
        Some(&outcome.model),
        verdict,
        exit_code,
    );
    object.code = match &outcome.verdict {
        Verdict::Safe => None,
        Verdict::SafeUpToBound(_) => Some(Code::BoundReached.id()),
        Verdict::Unsafe(found) => Some(codes::of_property(found.property.kind).id()),
        Verdict::Unknown(reason) => Some(codes::of_unknown(reason).id()),
    };
    object.bound = Some(subject.unwind);
    object.bounded_arguments = subject.bounded_arguments;
    object.assumptions = subject.assumptions;
    object.assumes_no_race = subject.assumes_no_race(outcome);
    let warnings = subject.warnings.iter();
    object.warnings = warnings.map(|d| fault(sources, d)).collect();
    object.complete = Some(matches!(
        outcome.verdict,
        Verdict::Safe | Verdict::Unsafe(_)
    ));
    object.properties = outcome
        .properties
        .iter()
        .map(|(kind, s)| Status {
            kind: kind.name(),
            status: status(*s),
        })
        .collect();
    let unchecked = subject.unchecked(outcome);
    object.not_checked = Some(unchecked.iter().map(|k| k.name()).collect());
    object.checks = Some(match (subject.chosen, subject.lacks_assertions()) {
        (true, _) => "options",
        (false, true) => "default_without_assertions",
        (false, false) => "default",
    });
    object.assertions = Some(subject.assertions);
    object.threads = subject.threads;
    let unknown = match &outcome.verdict {
        Verdict::Unknown(reason) => Some(reason),
        _ => None,
    };
    object.stats = Some(stats(&outcome.stats, unknown));
    object.stopped = outcome.stopped.as_ref().map(text::unknown);
    match &outcome.verdict {
        Verdict::Safe => {}
        Verdict::SafeUpToBound(loops) => {
            object.loops_at_bound = loops
                .iter()
                .map(|l| AtBound {
                    name: &l.name,
                    bound: l.bound,
                    trip_count: match l.trips {
                        Trips::Known(trips) => Some(trips),
                        Trips::Unknown | Trips::NonTerminating => None,
                    },
                    nothing_behind: l.blocks,
                    span: range(sources, l.span),
                })
                .collect();
        }
        Verdict::Unknown(reason) => {
            object.reason = Some(text::unknown(reason));
            if let UnknownReason::Unsupported(places) | UnknownReason::NoEnd(places) = reason {
                object.places = places
                    .iter()
                    .map(|(message, span)| Place {
                        message,
                        span: range(sources, *span),
                    })
                    .collect();
            }
        }
        Verdict::Unsafe(found) => {
            object.property = Some(Violated {
                kind: found.property.kind.name(),
                text: &found.property.text,
                cause: found.cause.as_deref(),
                thread: found.thread,
                span: range(sources, found.span),
                events: &found.steps,
            });
            if let Some(trace) = &found.trace {
                object.execution = Some(execution(sources, trace));
                object.weakness = weakness(sources, trace);
            }
        }
    }
    line(&object)
}

/// Why an execution is not an interleaving, if it is none.
fn weakness<'a>(sources: &SourceMap, trace: &'a Trace) -> Option<Weak<'a>> {
    let weak = trace.weak.as_ref()?;
    let cycle = weak.cycle.iter().map(|e| Edge {
        from: e.from,
        to: e.to,
        kind: edge(e.kind),
        relaxed: e.relaxed,
    });
    Some(Weak {
        cycle: cycle.collect(),
        sentences: words::weakness(sources, trace),
        remedy: weak.remedy.as_deref(),
    })
}

/// The object of an input or model that is refused: `input` and `model` as far as they are known.
pub fn refused(
    sources: &SourceMap,
    input: Option<&str>,
    model: Option<&str>,
    diags: &[Diag],
    exit_code: u8,
) -> String {
    let mut object = empty(input, model, "ERROR", exit_code);
    object.code = diags.first().map(|d| d.code.id());
    object.errors = diags.iter().map(|d| fault(sources, d)).collect();
    line(&object)
}

fn fault<'a>(sources: &'a SourceMap, diag: &'a Diag) -> Fault<'a> {
    let place = |(span, message): &'a (Span, String)| Place {
        message,
        span: range(sources, *span),
    };
    Fault {
        severity: match diag.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: diag.code.id(),
        message: &diag.message,
        notes: &diag.notes,
        places: diag.labels.iter().map(place).collect(),
    }
}

fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("numbers and strings always serialize") + "\n"
}

/// What an answer about a model begins with.
fn begin(input: &str, model: &str, verdict: &str, exit_code: u8) -> serde_json::Value {
    serde_json::json!({
        "tool": "wmbmc",
        "version": env!("CARGO_PKG_VERSION"),
        "input": input,
        "model": model,
        "verdict": verdict,
        "exit_code": exit_code,
    })
}

fn range(sources: &SourceMap, span: Span) -> Range<'_> {
    let start = sources.line_col(span.file, span.start);
    let end = sources.line_col(span.file, span.end);
    Range {
        file: &sources.file(span.file).name,
        line: start.line,
        column: start.col,
        end_line: end.line,
        end_column: end.col,
    }
}

fn status(status: PropertyStatus) -> &'static str {
    match status {
        PropertyStatus::Holds => "holds",
        PropertyStatus::HoldsUpToBound => "holds_up_to_bound",
        PropertyStatus::Violated => "violated",
        PropertyStatus::Unknown => "unknown",
    }
}

fn edge(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Po => "po",
        EdgeKind::Rf => "rf",
        EdgeKind::Co => "co",
        EdgeKind::Fr => "fr",
    }
}

fn execution<'a>(sources: &'a SourceMap, trace: &'a Trace) -> Execution<'a> {
    Execution {
        threads: trace
            .threads
            .iter()
            .map(|t| Thread {
                name: &t.name,
                span: range(sources, t.span),
            })
            .collect(),
        events: trace
            .steps
            .iter()
            .enumerate()
            .map(|(index, s)| event(sources, trace, index, s))
            .collect(),
        po: &trace.relations.po,
        sync: &trace.relations.sync,
        rf: &trace.relations.rf,
        co: &trace.relations.co,
        fr: &trace.relations.fr,
        arguments: trace.arguments.as_ref().map(|a| {
            let text = |(index, bytes): &(usize, Vec<u8>)| Argument {
                index: *index,
                text: bytes.escape_ascii().to_string(),
            };
            Arguments {
                argc: a.count,
                argv: a.texts.iter().map(text).collect(),
            }
        }),
        machine: trace.machine.as_ref().map(|m| machine::machine(sources, m)),
    }
}

fn event<'a>(sources: &'a SourceMap, trace: &Trace, index: usize, step: &'a Step) -> Event<'a> {
    let (kind, fence) = match step.kind {
        StepKind::Init => ("init", None),
        StepKind::Read => ("read", None),
        StepKind::Write => ("write", None),
        StepKind::Lifetime(Lifetime::Begin) => ("begin", None),
        StepKind::Lifetime(Lifetime::End) => ("end", None),
        StepKind::Lifetime(Lifetime::Free) => ("free", None),
        StepKind::Fence(tag) => ("fence", Some(words::fence(tag))),
    };
    Event {
        index,
        kind,
        thread: step.thread,
        cell: &step.cell,
        value: step.value,
        width: step.width,
        order: words::order(step.order),
        fence,
        from: step.from,
        rmw: step.rmw,
        group: step.group,
        text: words::is_written(step).then(|| words::step(sources, trace, step)),
        span: range(sources, step.span),
    }
}

fn stats<'a>(measured: &'a Measured, unknown: Option<&UnknownReason>) -> Stats<'a> {
    Stats {
        threads: measured.threads,
        events: measured.events,
        cells: measured.cells,
        rf: measured.rf,
        variables: measured.variables,
        clauses: measured.clauses,
        parts: Parts(&measured.parts),
        strategy: &measured.strategy,
        conflicts: measured.conflicts,
        judged: measured.judged,
        learnt: measured.learnt,
        reduced: Removed {
            sections: measured.reduced.sections,
            orders: measured.reduced.orders,
            reads: measured.reduced.reads,
            edges: measured.reduced.edges,
            sums: measured.reduced.sums,
            symmetric: measured.reduced.symmetric,
        },
        seconds: Seconds(&measured.seconds),
        unfinished: unknown.and_then(|why| measured.unfinished(why)),
        peak_mb: measured.peak_mb,
    }
}

#[derive(serde::Serialize)]
struct Loops<'a> {
    tool: &'static str,
    version: &'static str,
    input: &'a str,
    loops: Vec<LoopObject<'a>>,
}

#[derive(serde::Serialize)]
struct LoopObject<'a> {
    name: &'a str,
    function: &'a str,
    recursive: bool,
    extent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<u32>,
    span: Range<'a>,
}

/// The loops of a program, on one line.
pub fn loops(sources: &SourceMap, input: &str, all: &[Loop]) -> String {
    let of = |l: &'_ Loop| -> (&'static str, Option<u32>) {
        match l.extent {
            Extent::Unreached => ("unreached", None),
            Extent::Await => ("await", None),
            Extent::Bounded(most) => ("bounded", Some(most)),
            Extent::BoundReached(bound) => ("cut", Some(bound)),
        }
    };
    let loops = all.iter().map(|l| {
        let (extent, most) = of(l);
        LoopObject {
            name: &l.name,
            function: &l.function,
            recursive: l.recursive,
            extent,
            most,
            span: range(sources, l.span),
        }
    });
    line(&Loops {
        tool: "wmbmc",
        version: env!("CARGO_PKG_VERSION"),
        input,
        loops: loops.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn an_outcome_is_one_object() {
        let (sources, found) = sample::store_buffering();
        let subject = Subject {
            sources: &sources,
            input: "dir/sb.c",
            model_title: "x86-TSO",
            unwind: 5,
            assertions: 1,
            bounded_arguments: false,
            assumptions: &[],
            warnings: &[],
            chosen: false,
            races_undefined: false,
            threads: None,
        };
        let text = outcome(&subject, &found, 10);
        let value: serde_json::Value = serde_json::from_str(&text).expect("well-formed");
        assert_eq!(value["verdict"], "UNSAFE");
        assert_eq!(value["property"]["span"]["line"], 12);
        assert_eq!(value["execution"]["events"][4]["from"], 1);
        assert_eq!(value["weakness"]["cycle"][0]["kind"], "po");
        assert_eq!(value["stats"]["seconds"]["solve"], 0.25);
        assert_eq!(value["checks"], "default");
        assert_eq!(value["not_checked"][0], "memory");
        assert_eq!(text.lines().count(), 1);
    }

    #[test]
    fn an_error_is_one_object_too() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", "int x = ;\n");
        let diag = Diag::error(
            Span {
                file,
                start: 8,
                end: 9,
            },
            "expected an expression",
        )
        .note("try 0");
        let text = refused(&sources, Some("a.c"), None, &[diag], 2);
        let value: serde_json::Value = serde_json::from_str(&text).expect("well-formed");
        assert_eq!(value["verdict"], "ERROR");
        assert_eq!(value["errors"][0]["places"][0]["span"]["column"], 9);
        assert!(value["model"].is_null());
    }
}
