//! An outcome as text: the verdict line, and what a person needs to believe it.
//!
//! ```text
//! UNSAFE
//! assertion `a == 1 || b == 1` is violated at sb.c:12 in main
//!
//!   thread 1: first                  | thread 2: second
//!   ---------------------------------+---------------------------------
//!   4  x := 1                        |
//!   …
//! No interleaving does this:
//!   store x (sb.c:4) is still buffered when load y (sb.c:5) runs
//!   an mfence at sb.c:4 and at sb.c:8 forbids it
//! ```

use super::answer::program::{BoundedLoop, ChosenBy, ProgramAnswer, ViolatedProperty};
use super::answer::statistics::Statistics;
use super::answer::word::AnswerVerdict;
use super::{columns, history, machine, stats, words};
use crate::check::loops::Loop;
use crate::check::outcome::{Counterexample, Trace};
use base::code::Code;
use base::source::SourceMap;
use ir::program::PropertyKind;
use std::collections::BTreeMap;

/// How much to say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Detail {
    /// The verdict line only.
    Quiet,
    /// And what explains it.
    #[default]
    Normal,
    /// And what the tool added: fences of the compilation, initial values, the model's name.
    Verbose,
}

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// How much.
    pub detail: Detail,
    /// With terminal colours.
    pub color: bool,
    /// Say which program and model this is about (there are several).
    pub heading: bool,
    /// Add the table of measurements.
    pub stats: bool,
}

/// The whole block for one program and model, with a final line break; `found` is the violation.
pub fn program(
    sources: &SourceMap,
    answer: &ProgramAnswer,
    found: Option<&Counterexample>,
    style: Style,
) -> String {
    let mut out = String::new();
    if style.heading || style.detail == Detail::Verbose {
        out += &format!(
            "{} on {}: {}\n",
            answer.input, answer.model, answer.model_title
        );
    }
    out += &paint(&answer.verdict_line(), answer.verdict, style.color);
    out.push('\n');
    if style.detail > Detail::Quiet {
        out += &explanation(sources, answer, found, style.detail);
        if let Some(reason) = &answer.stopped {
            out += &format!("  not unwound further: {reason}\n");
        }
        if !answer.verdict.is_safe() && answer.properties.len() > 1
            || style.detail == Detail::Verbose
        {
            for checked in &answer.properties {
                let status = words::status(checked.status);
                out += &format!("  {}: {status}\n", checked.kind.name());
            }
        }
        out += &coverage(answer);
    }
    if style.stats {
        out += &stats::table(&answer.stats);
    }
    out
}

/// What the verdict is about, and what it says nothing of, in one line.
fn coverage(answer: &ProgramAnswer) -> String {
    let safe = answer.verdict.is_safe();
    if let Some(threads) = answer.threads {
        let threads = words::counted(threads as usize, "thread", "threads");
        return if safe {
            format!("  for {threads}\n")
        } else {
            String::new()
        };
    }
    let list = |kinds: &[PropertyKind]| -> String {
        let name = |kind: &PropertyKind| match kind {
            PropertyKind::Assertion => words::counted(answer.assertions, "assertion", "assertions"),
            kind => words::properties(*kind).to_string(),
        };
        kinds.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    let lacks_assertions = answer.checks == ChosenBy::DefaultWithoutAssertions;
    if safe || lacks_assertions {
        let kinds: Vec<PropertyKind> = answer.properties.iter().map(|c| c.kind).collect();
        let why = match lacks_assertions {
            true => " (the program has no assertions)",
            false => "",
        };
        let assuming = match answer.assumes_no_race {
            true => ", assuming no data race",
            false => "",
        };
        parts.push(format!(
            "checked on {}: {}{why}{assuming}",
            answer.model,
            list(&kinds)
        ));
    } else {
        parts.push(format!("on {}", answer.model));
    }
    if !answer.not_checked.is_empty() {
        parts.push(format!("not checked: {}", list(&answer.not_checked)));
    }
    let mut out = match parts.is_empty() {
        true => String::new(),
        false => format!("  {}\n", parts.join("; ")),
    };
    if let Some(clients) = answer.clients {
        out += &match safe {
            true => format!("  for each of {clients} clients\n"),
            false => format!("  one of {clients} clients\n"),
        };
    }
    if safe && answer.bounded_arguments {
        out += &format!("  {}\n", words::BOUNDED_ARGUMENTS);
    }
    if answer.any_number {
        out += "  by a proof for any number of threads\n";
    }
    for invariant in &answer.invariants {
        let when = match &invariant.span {
            Some(span) => format!(" at the loop at {}", span.location()),
            None if invariant.when.is_empty() => String::new(),
            None => format!(" {}", invariant.when),
        };
        out += &format!("  invariant: `{}`{when}\n", invariant.condition);
    }
    for assumption in &answer.assumptions {
        out += &format!("  assumed: {assumption}\n");
    }
    out
}

/// A verdict in its colour, if there are any.
pub(super) fn paint(line: &str, verdict: AnswerVerdict, color: bool) -> String {
    let code = match verdict {
        AnswerVerdict::Safe => 32,
        AnswerVerdict::Unsafe => 31,
        AnswerVerdict::SafeUpToBound | AnswerVerdict::Unknown => 33,
    };
    if color {
        format!("\x1b[1;{code}m{line}\x1b[0m")
    } else {
        line.to_string()
    }
}

fn explanation(
    sources: &SourceMap,
    answer: &ProgramAnswer,
    found: Option<&Counterexample>,
    detail: Detail,
) -> String {
    if let (Some(property), Some(found)) = (&answer.property, found) {
        let history = answer.history.as_ref().map_or(String::new(), history::text);
        return violated(sources, answer, property, found)
            + &history
            + &how(sources, found, detail);
    }
    // Several calls, or iterations of a loop outside, may run a loop, each its own times.
    let mut loops: BTreeMap<_, Vec<&BoundedLoop>> = BTreeMap::new();
    for l in &answer.loops_at_bound {
        loops.entry((&l.name, &l.span)).or_default().push(l);
    }
    let loops = loops.values().map(|same| at_bound(same));
    let places = answer.places.iter().map(|place| {
        let (at, message) = (&place.span, &place.message);
        format!("  {}:{}: {message}\n", at.location(), at.column)
    });
    let mut out: String = loops.chain(places).collect();
    if answer.verdict == AnswerVerdict::Unknown {
        out += &reached(&answer.stats);
        out += match answer.code {
            Some(Code::Timeout) => "  --timeout gives it more\n",
            Some(Code::MemoryLimit) => "  --memory gives it more\n",
            _ => "",
        };
    }
    out
}

/// How far a check came that a limit has ended.
fn reached(stats: &Statistics) -> String {
    let Some(stage) = &stats.unfinished else {
        return String::new();
    };
    if stats.events == 0 {
        return format!("  it ended in the stage `{stage}`\n");
    }
    format!(
        "  it ended in the stage `{stage}`, with {}, {} and {}\n",
        words::counted(stats.threads, "thread", "threads"),
        words::counted(stats.events, "event", "events"),
        words::counted(stats.clauses as usize, "clause", "clauses"),
    )
}

/// One loop, at each of its bounds.
fn at_bound(same: &[&BoundedLoop]) -> String {
    let Some(first) = same.first() else {
        return String::new();
    };
    let bounds = same.iter().map(|l| l.bound);
    let (least, most) = (bounds.clone().min(), bounds.max());
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
    let bounds = match least == most {
        true => format!("bound {least}"),
        false => format!("bounds from {least} to {most}"),
    };
    let (name, at) = (&first.name, first.span.location());
    let behind = match same.iter().any(|l| l.nothing_behind) {
        true => ", and nothing behind this loop was reached",
        false => "",
    };
    let trips = same.iter().filter_map(|l| l.trip_count).max();
    let further = match trips.filter(|trips| *trips > most) {
        Some(trips) => format!("`--unwindset {name}:{trips}` unwinds it to its end"),
        None if same.iter().any(|l| l.never_ends) => {
            "no bound is known that it ends within".to_string()
        }
        None => {
            let further = most.saturating_mul(2).max(most.saturating_add(1));
            format!("`--unwindset {name}:{further}` unwinds it further")
        }
    };
    format!("  {name} at {at} was cut at {bounds}{behind}; {further}\n")
}

/// A list of loops: name, place, and how far each is unwound.
pub fn loops(sources: &SourceMap, all: &[Loop]) -> String {
    let rows: Vec<[String; 3]> = all
        .iter()
        .map(|l| {
            let at = sources.location(l.span).to_string();
            [l.name.clone(), at, words::extent(l)]
        })
        .collect();
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let (name, at) = (width(0), width(1));
    rows.iter()
        .map(|r| format!("{:name$}  {:at$}  {}\n", r[0], r[1], r[2]))
        .collect()
}

/// The violated property of a C program, or the state of an x86 program that is reached, and where.
fn violated(
    sources: &SourceMap,
    answer: &ProgramAnswer,
    property: &ViolatedProperty,
    found: &Counterexample,
) -> String {
    let code = sources.snippet(found.span);
    let code = match answer.cause(property).is_some() && code.lines().count() == 1 {
        true => format!(": `{code}`"),
        false => String::new(),
    };
    let mut place = format!(" at {}", property.span.location());
    if let Some(thread) = property.thread {
        place += &format!(" in {}", words::thread(thread));
    }
    let everywhere = match answer.threads {
        Some(_) => matches!(property.thread, Some(0) | None),
        None => matches!(
            property.kind,
            PropertyKind::Race
                | PropertyKind::Deadlock
                | PropertyKind::Termination
                | PropertyKind::Robust
                | PropertyKind::Linearizable
                | PropertyKind::Sequential
                | PropertyKind::Quiescent
        ),
    };
    if everywhere {
        place.clear();
    }
    format!("{}{code}{place}\n\n", answer.sentence(property))
}

fn how(sources: &SourceMap, found: &Counterexample, detail: Detail) -> String {
    match &found.trace {
        Some(trace) => execution(sources, trace, Some(found), detail),
        None => "`--engine sat` may show an execution.\n".to_string(),
    }
}

/// An execution, and why it is weak.
pub fn execution(
    sources: &SourceMap,
    trace: &Trace,
    found: Option<&Counterexample>,
    detail: Detail,
) -> String {
    let mut out = String::new();
    if let Some(arguments) = &trace.arguments {
        out += &format!("  called with {}\n\n", words::arguments(arguments));
    }
    let table = match &trace.machine {
        Some(run) => machine::table(sources, trace, run),
        None => columns::table(sources, trace, found, detail == Detail::Verbose),
    };
    if !table.is_empty() {
        out += &table;
        out.push('\n');
    }
    let sentences = words::weakness(sources, trace);
    match &trace.weak {
        None if trace.spurious => {
            out += "This is an interleaving in which a weak compare-exchange fails for no reason, as \
                    machines with linked loads let it.\n"
        }
        None => out += "This is an interleaving: it is possible under sequential consistency.\n",
        Some(weak) => {
            out += "No interleaving does this:\n";
            sentences.iter().for_each(|s| out += &format!("  {s}\n"));
            if let Some(remedy) = &weak.remedy {
                out += &format!("  {remedy}\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::outcome::UnknownReason;
    use crate::check::outcome::{CheckResult, LoopAtBound, PropertyStatus, Verdict};
    use crate::report::{Subject, sample};
    use base::source::{FileId, Span};
    use ir::bounds::Trips;

    fn subject(sources: &SourceMap) -> Subject<'_> {
        Subject {
            sources,
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
            history: None,
            clients: 1,
        }
    }

    fn outcome(subject: &Subject, result: &CheckResult, style: Style) -> String {
        let answer = ProgramAnswer::new(subject, result, 0);
        program(subject.sources, &answer, result.violation(), style)
    }

    #[test]
    fn a_counterexample_begins_with_the_assertion() {
        let (sources, found) = sample::store_buffering();
        let text = outcome(&subject(&sources), &found, Style::default());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "UNSAFE");
        assert_eq!(
            lines[1],
            "assertion `a == 1 || b == 1` is violated at dir/sb.c:12 in main"
        );
        assert_eq!(
            lines[lines.len() - 2..],
            [
                "  an mfence at sb.c:4 and at sb.c:8 forbids it",
                "  on tso; not checked: memory, misuse, races, deadlocks, termination, overflows, divisions by zero, leaks, uninitialised values"
            ]
        );
    }

    fn at(bound: u32) -> LoopAtBound {
        let span = Span {
            file: FileId(0),
            start: 0,
            end: 1,
        };
        LoopAtBound {
            name: "main.0".into(),
            span,
            bound,
            trips: Trips::Unknown,
            blocks: false,
            section: false,
        }
    }

    #[test]
    fn a_loop_at_its_bound_is_named_with_the_flag_that_goes_further() {
        let (sources, mut found) = sample::store_buffering();
        found.verdict = Verdict::SafeUpToBound(vec![at(5)]);
        let text = outcome(&subject(&sources), &found, Style::default());
        assert_eq!(
            text,
            "SAFE up to bound 5\n  main.0 at dir/sb.c:1 was cut at bound 5; `--unwindset main.0:10` unwinds it further\n  \
             checked on tso: 1 assertion; not checked: memory, misuse, races, deadlocks, termination, overflows, divisions by \
             zero, leaks, uninitialised values\n"
        );
    }

    #[test]
    fn a_loop_at_several_bounds_is_named_once() {
        let (sources, mut found) = sample::store_buffering();
        found.verdict = Verdict::SafeUpToBound(vec![at(2), at(4), at(1)]);
        let text = outcome(&subject(&sources), &found, Style::default());
        let named = "main.0 at dir/sb.c:1 was cut at bounds from 1 to 4; `--unwindset main.0:8`";
        assert!(text.starts_with("SAFE up to bound 1\n") && text.contains(named));
        assert_eq!(text.matches("was cut").count(), 1);
    }

    #[test]
    fn what_was_checked_is_said() {
        let (sources, mut found) = sample::store_buffering();
        found.verdict = Verdict::Safe;
        let kinds = |kinds: &[PropertyKind]| -> Vec<_> {
            kinds.iter().map(|k| (*k, PropertyStatus::Holds)).collect()
        };
        let said = |found: &CheckResult, assertions, chosen| {
            let subject = Subject {
                assertions,
                chosen,
                ..subject(&sources)
            };
            outcome(&subject, found, Style::default())
        };
        found.properties = kinds(&PropertyKind::ALL);
        assert_eq!(
            said(&found, 2, true),
            "SAFE\n  checked on tso: 2 assertions, memory, misuse, races, deadlocks, termination, overflows, \
             divisions by zero, leaks, uninitialised values\n"
        );
        found.properties = kinds(&PropertyKind::defaults(false));
        let text = said(&found, 0, false);
        assert!(
            text.contains("(the program has no assertions); not checked: termination, overflows"),
            "{text}"
        );
        found.properties = kinds(&[PropertyKind::Assertion]);
        let subject = Subject {
            chosen: true,
            races_undefined: true,
            ..subject(&sources)
        };
        let text = outcome(&subject, &found, Style::default());
        assert!(
            text.contains(
                "  checked on tso: 1 assertion, assuming no data race; not checked: memory, misuse, races,"
            ),
            "{text}"
        );
        found.properties = kinds(&[PropertyKind::Leak]);
        let text = said(&found, 3, true);
        assert!(
            text.contains("  checked on tso: leaks; not checked: 3 assertions, memory, misuse"),
            "{text}"
        );
    }

    #[test]
    fn unknown_says_why() {
        let (sources, mut found) = sample::store_buffering();
        found.verdict = Verdict::Unknown(UnknownReason::Timeout(1.5));
        let quiet = Style {
            detail: Detail::Quiet,
            heading: true,
            ..Style::default()
        };
        let text = outcome(&subject(&sources), &found, quiet);
        assert_eq!(
            text,
            "dir/sb.c on tso: x86-TSO\nUNKNOWN: no answer within 1.5 s\n"
        );
    }
}
