//! The answer about a program on a model.

use super::execution::{Execution, WeakExecution};
use super::history::HistoryAnswer;
use super::place::{Diagnostic, PlaceNote, SourceRange};
use super::statistics::Statistics;
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::check::outcome::{
    Argument, CheckResult, Invariant, LoopAtBound, PropertyStatus, UnknownReason, Verdict,
};
use crate::report::{Subject, codes, words};
use base::code::Code;
use base::source::SourceMap;
use ir::bounds::Trips;
use ir::program::PropertyKind;
use serde::{Deserialize, Serialize};

/// The answer about a program on a model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// Short name of the memory model.
    pub model: String,
    /// Its full name.
    #[serde(skip)]
    pub model_title: String,
    /// The verdict.
    pub verdict: AnswerVerdict,
    /// The kind of what is reported; none of `SAFE`.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// The general unwinding bound; with `--incremental` the greatest that was needed.
    pub bound: u32,
    /// The verdict does not depend on the bound.
    pub complete: bool,
    /// What was found for each kind that was checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<CheckedKind>,
    /// The kinds that were not checked.
    pub not_checked: Vec<PropertyKind>,
    /// Who chose them.
    pub checks: ChosenBy,
    /// How many assertions the program has.
    pub assertions: usize,
    /// The program looks at `argv` or an environment variable, and was checked with few and short ones alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bounded_arguments: bool,
    /// What was taken for granted, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Of `SAFE`: it is proved for any number of threads, and loops that go on for ever.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_number: bool,
    /// The invariants that such a proof rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<ShownInvariant>,
    /// Nothing is said of a program with a data race: the model leaves it undefined, and `race` was not checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumes_no_race: bool,
    /// Of `UNSAFE`: what is violated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<ViolatedProperty>,
    /// Of `SAFE_UP_TO_BOUND`: the loops that reach their bound.
    #[serde(default, rename = "cuts", skip_serializing_if = "Vec::is_empty")]
    pub loops_at_bound: Vec<BoundedLoop>,
    /// Of `--incremental`: what kept it from unwinding further, a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Of `UNKNOWN`: why, a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of `UNKNOWN`: the places that are the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PlaceNote>,
    /// Of `UNSAFE` by what the calls of a client return: the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryAnswer>,
    /// Of `UNSAFE`: the execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// Why the execution is weak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weakness: Option<WeakExecution>,
    /// The measurements.
    pub stats: Statistics,
    /// Of an x86 program: for how many threads it is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// How many clients it is about, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<usize>,
    /// What the author probably did not mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

/// Who chose the kinds of property to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChosenBy {
    /// The command line.
    Options,
    /// No one.
    Default,
    /// No one, and the program has no assertions.
    DefaultWithoutAssertions,
}

/// What was found for a kind of property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedKind {
    /// The kind.
    pub kind: PropertyKind,
    /// What was found.
    pub status: PropertyStatus,
}

/// What is violated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViolatedProperty {
    /// Its kind.
    pub kind: PropertyKind,
    /// What the source says, or what must not happen.
    pub text: String,
    /// What has gone wrong, where more is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// In which thread; none when the engine does not say.
    pub thread: Option<usize>,
    /// Where.
    pub span: SourceRange,
    /// Of a data race: the indices of both accesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<usize>,
}

/// A loop that reaches its bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundedLoop {
    /// Its name.
    #[serde(rename = "loop")]
    pub name: String,
    /// The bound.
    pub bound: u32,
    /// How often it goes on at most, where constants say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trip_count: Option<u32>,
    /// Every execution comes to the bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nothing_behind: bool,
    /// Nothing in it lets it end.
    #[serde(skip)]
    pub never_ends: bool,
    /// Where it stands.
    pub span: SourceRange,
}

/// An invariant of a proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownInvariant {
    /// The condition on variables.
    pub condition: String,
    /// When it holds; empty where that is always.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub when: String,
    /// The loop at which it holds, where it is one of a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<SourceRange>,
}

impl ShownInvariant {
    fn of(sources: &SourceMap, invariant: &Invariant) -> ShownInvariant {
        ShownInvariant {
            condition: invariant.condition.clone(),
            when: invariant.when.clone(),
            span: invariant.at.map(|at| SourceRange::of(sources, at)),
        }
    }
}

impl ProgramAnswer {
    /// The answer that a result is.
    pub fn new(subject: &Subject, outcome: &CheckResult, exit_code: u8) -> ProgramAnswer {
        let sources = subject.sources;
        let (verdict, code) = match &outcome.verdict {
            Verdict::Safe => (AnswerVerdict::Safe, None),
            Verdict::SafeUpToBound(_) => (AnswerVerdict::SafeUpToBound, Some(Code::BoundReached)),
            Verdict::Unsafe(found) => {
                let code = codes::of_property(found.property.kind);
                (AnswerVerdict::Unsafe, Some(code))
            }
            Verdict::Unknown(reason) => (AnswerVerdict::Unknown, Some(codes::of_unknown(reason))),
        };
        let unknown = match &outcome.verdict {
            Verdict::Unknown(reason) => Some(reason),
            _ => None,
        };
        let properties = outcome.properties.iter();
        let mut answer = ProgramAnswer {
            tool: TOOL,
            version: VERSION,
            input: subject.input.to_string(),
            model: outcome.model.clone(),
            model_title: subject.model_title.to_string(),
            verdict,
            code,
            exit_code,
            bound: subject.unwind,
            complete: matches!(outcome.verdict, Verdict::Safe | Verdict::Unsafe(_)),
            properties: properties
                .map(|(kind, status)| CheckedKind {
                    kind: *kind,
                    status: *status,
                })
                .collect(),
            not_checked: subject.unchecked(outcome),
            checks: match (subject.chosen, subject.lacks_assertions()) {
                (true, _) => ChosenBy::Options,
                (false, true) => ChosenBy::DefaultWithoutAssertions,
                (false, false) => ChosenBy::Default,
            },
            assertions: subject.assertions,
            bounded_arguments: subject.bounded_arguments,
            assumptions: subject.assumptions.to_vec(),
            any_number: outcome.argument != Argument::Executions,
            invariants: match &outcome.argument {
                Argument::ThreadModular(invariants) => {
                    let shown = invariants.iter().map(|i| ShownInvariant::of(sources, i));
                    shown.collect()
                }
                Argument::Executions | Argument::AnyNumber => Vec::new(),
            },
            assumes_no_race: subject.assumes_no_race(outcome),
            property: None,
            loops_at_bound: Vec::new(),
            stopped: outcome.stopped.as_ref().map(words::unknown),
            reason: unknown.map(words::unknown),
            places: Vec::new(),
            history: subject.history.map(HistoryAnswer::new),
            execution: None,
            weakness: None,
            stats: Statistics::of(&outcome.stats, unknown),
            threads: subject.threads,
            clients: Some(subject.clients).filter(|n| *n > 1),
            warnings: Diagnostic::all(sources, subject.warnings),
        };
        match &outcome.verdict {
            Verdict::Safe => {}
            Verdict::SafeUpToBound(loops) => {
                let at_bound = |l: &LoopAtBound| BoundedLoop {
                    name: l.name.clone(),
                    bound: l.bound,
                    trip_count: match l.trips {
                        Trips::Known(trips) => Some(trips),
                        Trips::Unknown | Trips::NonTerminating => None,
                    },
                    nothing_behind: l.blocks,
                    never_ends: l.trips == Trips::NonTerminating,
                    span: SourceRange::of(sources, l.span),
                };
                answer.loops_at_bound = loops.iter().map(at_bound).collect();
            }
            Verdict::Unknown(UnknownReason::Unsupported(places) | UnknownReason::NoEnd(places)) => {
                let note = |(message, span): &(String, _)| PlaceNote::of(sources, message, *span);
                answer.places = places.iter().map(note).collect();
            }
            Verdict::Unknown(_) => {}
            Verdict::Unsafe(found) => {
                answer.property = Some(ViolatedProperty {
                    kind: found.property.kind,
                    text: found.property.text.clone(),
                    cause: found.cause.clone(),
                    thread: found.thread,
                    span: SourceRange::of(sources, found.span),
                    events: found.steps.clone(),
                });
                if let Some(trace) = &found.trace {
                    answer.execution = Some(Execution::of(sources, trace));
                    answer.weakness = WeakExecution::of(sources, trace);
                }
            }
        }
        answer
    }

    /// The verdict as scripts read it: the first word decides.
    pub fn verdict_line(&self) -> String {
        let word = self.verdict.in_text();
        let bound = self.loops_at_bound.iter().map(|l| l.bound).min();
        match (bound, &self.reason) {
            (Some(bound), _) => format!("{word} {bound}"),
            (None, Some(reason)) => format!("{word}: {reason}"),
            (None, None) => word.to_string(),
        }
    }

    /// What has gone wrong, where that says more than the property.
    pub(in crate::report) fn cause<'a>(&self, violated: &'a ViolatedProperty) -> Option<&'a str> {
        let says_more = matches!(
            violated.kind,
            PropertyKind::Memory | PropertyKind::Uninitialised
        );
        let cause = violated.cause.as_deref();
        cause.filter(|_| says_more && self.threads.is_none())
    }

    /// What is violated: of a C program a property with its kind, of an x86 program a state that is reached.
    pub(in crate::report) fn sentence(&self, violated: &ViolatedProperty) -> String {
        let ViolatedProperty { kind, text, .. } = violated;
        if self.threads.is_some() {
            return text.clone();
        }
        if let Some(cause) = self.cause(violated) {
            return cause.to_string();
        }
        match kind {
            PropertyKind::Assertion => format!("assertion `{text}` is violated"),
            PropertyKind::Memory | PropertyKind::Leak => {
                format!("memory property `{text}` is violated")
            }
            PropertyKind::Misuse => format!("misuse of the thread library: `{text}` is violated"),
            PropertyKind::Race => format!("data race: {text}"),
            PropertyKind::Deadlock => format!("deadlock: {text}"),
            PropertyKind::Termination => format!("no termination: {text}"),
            PropertyKind::Robust => format!("not robust: {text}"),
            PropertyKind::Linearizable => format!("not linearizable: {text}"),
            PropertyKind::Sequential => format!("not sequentially consistent: {text}"),
            PropertyKind::Quiescent => format!("not quiescently consistent: {text}"),
            PropertyKind::Overflow | PropertyKind::DivisionByZero | PropertyKind::Uninitialised => {
                format!("`{text}` is violated")
            }
        }
    }
}
