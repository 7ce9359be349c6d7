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

use super::{Subject, columns, machine, stats, words};
use crate::check::loops::Loop;
use crate::check::outcome::{
    CheckResult, Counterexample, LoopAtBound, Stats, Trace, UnknownReason, Verdict,
};
use base::source::{SourceMap, Span};
use ir::bounds::Trips;
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

/// The whole block for one program and model, with a final line break.
pub fn outcome(subject: &Subject, outcome: &CheckResult, style: Style) -> String {
    let mut out = String::new();
    if style.heading || style.detail == Detail::Verbose {
        out += &format!(
            "{} on {}: {}\n",
            subject.input, outcome.model, subject.model_title
        );
    }
    out += &paint(&verdict_line(outcome), &outcome.verdict, style.color);
    out.push('\n');
    if style.detail > Detail::Quiet {
        out += &explanation(subject, outcome, style.detail);
        if let Some(reason) = &outcome.stopped {
            out += &format!("  not unwound further: {}\n", unknown(reason));
        }
        if !is_safe(&outcome.verdict) && outcome.properties.len() > 1
            || style.detail == Detail::Verbose
        {
            for (kind, status) in &outcome.properties {
                out += &format!("  {}: {}\n", kind.name(), words::status(*status));
            }
        }
        out += &coverage(subject, outcome);
    }
    if style.stats {
        let unfinished = match &outcome.verdict {
            Verdict::Unknown(reason) => outcome.stats.unfinished(reason),
            _ => None,
        };
        out += &stats::table(&outcome.stats, unfinished);
    }
    out
}

fn is_safe(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Safe | Verdict::SafeUpToBound(_))
}

/// What the verdict is about, and what it says nothing of, in one line; nothing when it is about
/// everything and there is a violation or no answer.
fn coverage(subject: &Subject, outcome: &CheckResult) -> String {
    if let Some(threads) = subject.threads {
        return match is_safe(&outcome.verdict) {
            true => {
                let threads = words::counted(threads as usize, "thread", "threads");
                format!("  for {threads}\n")
            }
            false => String::new(),
        };
    }
    let list = |kinds: &[PropertyKind]| -> String {
        let name = |kind: &PropertyKind| match kind {
            PropertyKind::Assertion if subject.assertions == 1 => "1 assertion".to_string(),
            PropertyKind::Assertion => format!("{} assertions", subject.assertions),
            kind => words::properties(*kind).to_string(),
        };
        kinds.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    if is_safe(&outcome.verdict) || subject.lacks_assertions() {
        let kinds: Vec<PropertyKind> = outcome.properties.iter().map(|(k, _)| *k).collect();
        let why = match subject.lacks_assertions() {
            true => " (the program has no assertions)",
            false => "",
        };
        let assuming = match subject.assumes_no_race(outcome) {
            true => ", assuming no data race",
            false => "",
        };
        parts.push(format!("checked: {}{why}{assuming}", list(&kinds)));
    }
    let unchecked = subject.unchecked(outcome);
    if !unchecked.is_empty() {
        parts.push(format!("not checked: {}", list(&unchecked)));
    }
    let mut out = match parts.is_empty() {
        true => String::new(),
        false => format!("  {}\n", parts.join("; ")),
    };
    if is_safe(&outcome.verdict) && subject.bounded_arguments {
        out += &format!("  {}\n", words::BOUNDED_ARGUMENTS);
    }
    for assumption in subject.assumptions {
        out += &format!("  assumed: {assumption}\n");
    }
    out
}

/// The verdict as scripts read it: the first word decides.
pub fn verdict_line(outcome: &CheckResult) -> String {
    match &outcome.verdict {
        Verdict::Safe => "SAFE".to_string(),
        Verdict::SafeUpToBound(loops) => match bound(loops) {
            Some(bound) => format!("SAFE up to bound {bound}"),
            None => "SAFE up to bound".to_string(),
        },
        Verdict::Unsafe(_) => "UNSAFE".to_string(),
        Verdict::Unknown(reason) => format!("UNKNOWN: {}", unknown(reason)),
    }
}

/// The bound up to which there is no violation: the least of the loops that reach theirs.
pub fn bound(loops: &[LoopAtBound]) -> Option<u32> {
    loops.iter().map(|l| l.bound).min()
}

/// Why there is no verdict, in one line.
pub fn unknown(reason: &UnknownReason) -> String {
    match reason {
        UnknownReason::Unsupported(places) => match places.as_slice() {
            [] => "an unsupported construct is reachable".to_string(),
            [(text, _)] => text.clone(),
            [(text, _), rest @ ..] => format!("{text} (and {} more)", rest.len()),
        },
        UnknownReason::Timeout(seconds) => format!("no answer within {seconds} s"),
        UnknownReason::Interrupted => "interrupted".to_string(),
        UnknownReason::NoEnd(_) => "no execution ends".to_string(),
        UnknownReason::NotCertified(why) => format!("no violation found, but not certified: {why}"),
        UnknownReason::Memory(mb) => format!("the memory limit of {mb} MiB is reached"),
    }
}

fn paint(line: &str, verdict: &Verdict, color: bool) -> String {
    let code = match verdict {
        Verdict::Safe => 32,
        Verdict::Unsafe(_) => 31,
        Verdict::SafeUpToBound(_) | Verdict::Unknown(_) => 33,
    };
    if color {
        format!("\x1b[1;{code}m{line}\x1b[0m")
    } else {
        line.to_string()
    }
}

fn explanation(subject: &Subject, outcome: &CheckResult, detail: Detail) -> String {
    match &outcome.verdict {
        Verdict::Safe => String::new(),
        Verdict::SafeUpToBound(loops) => {
            // Several calls, or iterations of a loop outside, may run a loop, each its own times.
            let mut each: BTreeMap<(&str, Span), Vec<&LoopAtBound>> = BTreeMap::new();
            for l in loops {
                each.entry((&l.name, l.span)).or_default().push(l);
            }
            let each = each.values();
            each.map(|same| at_bound(subject.sources, same)).collect()
        }
        Verdict::Unsafe(found) => match subject.threads {
            Some(_) => bad_state(subject.sources, found, detail),
            None => counterexample(subject.sources, found, detail),
        },
        Verdict::Unknown(UnknownReason::Unsupported(places) | UnknownReason::NoEnd(places)) => {
            places
                .iter()
                .map(|(text, span)| {
                    let column = subject.sources.line_col(span.file, span.start).col;
                    let line = subject.sources.location(*span);
                    format!("  {line}:{column}: {text}\n")
                })
                .collect()
        }
        Verdict::Unknown(reason @ UnknownReason::Timeout(_)) => {
            format!(
                "{}  --timeout gives it more\n",
                reached(&outcome.stats, reason)
            )
        }
        Verdict::Unknown(reason @ UnknownReason::Memory(_)) => {
            format!(
                "{}  --memory gives it more\n",
                reached(&outcome.stats, reason)
            )
        }
        Verdict::Unknown(reason) => reached(&outcome.stats, reason),
    }
}

/// How far a check came that a limit has ended.
fn reached(stats: &Stats, reason: &UnknownReason) -> String {
    let Some(stage) = stats.unfinished(reason) else {
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
fn at_bound(sources: &SourceMap, same: &[&LoopAtBound]) -> String {
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
    let (name, at) = (&first.name, sources.location(first.span));
    let behind = match same.iter().any(|l| l.blocks) {
        true => ", and nothing behind this loop was reached",
        false => "",
    };
    let known = |l: &&LoopAtBound| match l.trips {
        Trips::Known(trips) => Some(trips),
        Trips::Unknown | Trips::NonTerminating => None,
    };
    let trips = same.iter().filter_map(known).max();
    let further = match trips.filter(|trips| *trips > most) {
        Some(trips) => format!("`--unwindset {name}:{trips}` unwinds it to its end"),
        None if same.iter().any(|l| l.trips == Trips::NonTerminating) => {
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

/// The violated property, the execution, and why it is weak.
pub fn counterexample(sources: &SourceMap, found: &Counterexample, detail: Detail) -> String {
    let at = sources.location(found.span);
    let text = &found.property.text;
    let who = found.thread.map_or(String::new(), |thread| {
        format!(" in {}", words::thread(thread))
    });
    let code = sources.snippet(found.span);
    let mut out = match found.property.kind {
        PropertyKind::Memory | PropertyKind::Uninitialised if found.cause.is_some() => {
            let cause = words::violation(found);
            let code = match code.lines().count() {
                1 => format!(": `{code}`"),
                _ => String::new(),
            };
            format!("{cause}{code} at {at}{who}\n\n")
        }
        PropertyKind::Assertion => format!("assertion `{text}` is violated at {at}{who}\n\n"),
        PropertyKind::Memory | PropertyKind::Leak => {
            format!("memory property `{text}` is violated at {at}{who}\n\n")
        }
        PropertyKind::Overflow | PropertyKind::DivisionByZero | PropertyKind::Uninitialised => {
            format!("`{text}` is violated at {at}{who}\n\n")
        }
        PropertyKind::Misuse => {
            format!("misuse of the thread library: `{text}` is violated at {at}{who}\n\n")
        }
        PropertyKind::Race => format!("data race: {text}\n\n"),
        PropertyKind::Deadlock => format!("deadlock: {text}\n\n"),
    };
    out += &how(sources, found, detail);
    out
}

/// The state of an x86 program that is reached, and how.
fn bad_state(sources: &SourceMap, found: &Counterexample, detail: Detail) -> String {
    let text = &found.property.text;
    let mut out = match found.thread {
        Some(0) | None => format!("{text}\n\n"),
        Some(thread) => {
            let at = sources.location(found.span);
            format!("{text} at {at} in {}\n\n", words::thread(thread))
        }
    };
    out += &how(sources, found, detail);
    out
}

fn how(sources: &SourceMap, found: &Counterexample, detail: Detail) -> String {
    match &found.trace {
        Some(trace) => execution(sources, trace, Some(found), detail),
        None => "`--engine sat` shows an execution.\n".to_string(),
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
    use crate::check::outcome::PropertyStatus;
    use crate::report::sample;
    use base::source::{FileId, Span};

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
        }
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
                "  not checked: memory, misuse, races, deadlocks, overflows, divisions by zero, leaks, uninitialised values"
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
             checked: 1 assertion; not checked: memory, misuse, races, deadlocks, overflows, divisions by \
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
            "SAFE\n  checked: 2 assertions, memory, misuse, races, deadlocks, overflows, divisions by zero, \
             leaks, uninitialised values\n"
        );
        found.properties = kinds(&PropertyKind::defaults(false));
        let text = said(&found, 0, false);
        assert!(
            text.contains("(the program has no assertions); not checked: overflows"),
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
                "  checked: 1 assertion, assuming no data race; not checked: memory, misuse, races,"
            ),
            "{text}"
        );
        found.properties = kinds(&[PropertyKind::Leak]);
        let text = said(&found, 3, true);
        assert!(
            text.contains("  checked: leaks; not checked: 3 assertions, memory, misuse"),
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
