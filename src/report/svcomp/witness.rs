//! Witnesses in SV-COMP's exchange format, version 2 (YAML): what a validator needs to find a
//! violation, or a proof, again. <https://gitlab.com/sosy-lab/benchmarking/sv-witnesses> has the
//! format.
//!
//! A violation is a sequence of segments, each a waypoint that every execution meant passes. Of a
//! program with threads it has version 2.2, where a waypoint may name its thread: 0 is main, k the
//! thread that the k-th `function_enter` of a call that creates one has registered; the order of the
//! segments is that of the execution. Waypoints are
//!
//! - `function_enter` where a thread is created,
//! - `function_return` where a function of SV-COMP returns any value: which,
//! - `assumption` before a statement that begins with a read of what another thread wrote: the value
//!   it finds (where the variable has a name, and the value means the same in every type),
//! - `target` in the last segment: the violation; of a data race both accesses.
//!
//! The format speaks of interleavings. An execution that is none is reported without assumptions.
//! Places have no columns where the format wants the beginning of a statement: without one it is
//! the first statement of the line.
//!
//! Correctness is a set of invariants, and ours is empty: nothing of a bounded proof is needed but
//! the bound.

mod format;
mod way;

use crate::check::outcome::Counterexample;
use base::source::{SourceMap, Span};
use format::{Column, Entry, Metadata, Producer, Segment, TaskMetadata, Waypoint};
use ir::program::PropertyKind;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use way::{Before, trace_events, way};

/// What a witness says of the task.
#[derive(Clone, Debug)]
pub struct VerificationTask<'a> {
    /// The program's path as given.
    pub input: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The property file.
    pub specification: &'a str,
    /// `ILP32` or `LP64`.
    pub data_model: &'a str,
    /// Seconds since the beginning of 1970, UTC.
    pub created: u64,
}

/// The witness of a program without violations.
pub fn correctness(task: &VerificationTask) -> String {
    entry(task, "invariant_set", "2.0", Vec::new())
}

/// The witness of a violation; `globals` are the static variables that can be named anywhere.
pub fn violation(
    task: &VerificationTask,
    sources: &SourceMap,
    globals: &BTreeSet<String>,
    found: &Counterexample,
) -> String {
    let mut segments = Vec::new();
    let threads = found.trace.as_ref().map_or(0, |t| t.threads.len());
    let targets: Vec<(Span, usize)> = match &found.trace {
        Some(trace) if found.steps.len() > 1 => {
            let steps = found.steps.iter().map(|s| &trace.steps[*s]);
            steps.map(|s| (s.span, s.thread.unwrap_or(0))).collect()
        }
        _ => vec![(found.span, found.thread.unwrap_or(0))],
    };
    let concurrent = threads > 1;
    let mut ids = vec![None; threads.max(1)];
    ids[0] = concurrent.then_some(0);
    if let Some(trace) = &found.trace {
        let involved: Vec<usize> = targets.iter().map(|(_, thread)| *thread).collect();
        let before = Before::new(trace, &found.steps, involved[0]);
        let trace_events = trace_events(trace, &before, &involved);
        segments = way(trace, sources, globals, &trace_events, &mut ids);
    }
    let id = |thread: usize| ids.get(thread).copied().flatten();
    // A call that must not happen is a statement, or named by its column.
    let column = match found.property.kind {
        PropertyKind::Assertion => Column::First,
        _ => Column::None,
    };
    let waypoint = |(span, thread): &(Span, usize)| {
        Waypoint::new(sources, "target", id(*thread), *span, column)
    };
    segments.push(Segment::new(targets.iter().map(waypoint)));
    let version = if concurrent { "2.2" } else { "2.0" };
    entry(task, "violation_sequence", version, segments)
}

/// An entry, which is a whole file. Its number is made of what it says.
fn entry(
    task: &VerificationTask,
    entry_type: &'static str,
    version: &'static str,
    content: Vec<Segment>,
) -> String {
    let mut entry = Entry {
        entry_type,
        metadata: Metadata {
            format_version: version,
            uuid: String::new(),
            creation_time: time(task.created),
            producer: Producer {
                name: "wmbmc",
                version: env!("CARGO_PKG_VERSION"),
            },
            task: TaskMetadata {
                input_files: [task.input],
                input_file_hashes: [(task.input, hex(&Sha256::digest(task.bytes)))].into(),
                specification: task.specification,
                data_model: task.data_model,
                language: "C",
            },
        },
        content,
    };
    entry.metadata.uuid = uuid(&Sha256::digest(entry.text()));
    entry.text()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A UUID of version 8 (RFC 9562): ours to fill.
fn uuid(digest: &[u8]) -> String {
    let mut bytes: Vec<u8> = digest.iter().copied().take(16).collect();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

/// ISO 8601, UTC. The days of a year are counted from March, so that the leap day is its last.
fn time(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..10 => (year, month + 3),
        _ => (year + 1, month - 9),
    };
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        year + 400 * era,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::outcome::Verdict;
    use crate::report::sample;

    const TASK: VerificationTask = VerificationTask {
        input: "dir/sb.c",
        bytes: b"",
        specification: "CHECK( init(main()), LTL(G assert) )",
        data_model: "LP64",
        created: 1_709_210_096,
    };

    #[test]
    fn times_are_dates() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(time(1_709_210_096), "2024-02-29T12:34:56Z");
        assert_eq!(time(4_102_444_799), "2099-12-31T23:59:59Z");
    }

    #[test]
    fn a_violation_ends_in_its_target() {
        let (sources, outcome) = sample::store_buffering();
        let Verdict::Unsafe(found) = &outcome.verdict else {
            panic!("the sample is unsafe");
        };
        let found = &Counterexample {
            thread: Some(2),
            ..*found.clone()
        };
        let globals = ["x", "y"].map(str::to_string).into();
        let text = violation(&TASK, &sources, &globals, found);
        assert!(
            text.starts_with("- entry_type: 'violation_sequence'\n"),
            "{text}"
        );
        assert_eq!(text.matches("type: 'function_enter'").count(), 2);
        assert_eq!(
            text.matches("type: 'assumption'").count(),
            0,
            "weak: {text}"
        );
        assert_eq!(text.matches("  - segment:").count(), 3);
        assert!(text.contains("thread_id: 2\n"), "{text}");
        assert!(text.contains("e3b0c44298fc1c149afbf4c8996fb924"), "{text}");
        assert!(text.ends_with("line: 12\n          column: 1\n"), "{text}");
        assert_eq!(text, violation(&TASK, &sources, &globals, found));
    }

    #[test]
    fn correctness_has_no_invariants() {
        let text = correctness(&TASK);
        assert!(text.contains("  content: []\n"), "{text}");
        assert!(text.contains("creation_time: '2024-02-29T12:34:56Z'"));
    }
}
