//! An execution, and why it is weak, as answers have them.

use super::machine::MachineExecution;
use super::place::SourceRange;
use super::word::Word;
use crate::check::outcome::{CycleEdge, Step, StepKind, Trace};
use crate::report::words;
use base::source::SourceMap;
use ir::program::Lifetime;
use serde::{Deserialize, Serialize};

/// Pairs of events, by their indices.
pub type EventPairs = Vec<(usize, usize)>;

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// The threads; main is the first.
    pub threads: Vec<ExecutionThread>,
    /// The events, in an order compatible with the model's global order.
    pub events: Vec<ExecutionEvent>,
    /// Immediate program order.
    pub po: EventPairs,
    /// Creation and join of threads.
    pub sync: EventPairs,
    /// Read-from.
    pub rf: EventPairs,
    /// Immediate coherence.
    pub co: EventPairs,
    /// From-read, to the next write.
    pub fr: EventPairs,
    /// Of a program that looks at its arguments: what they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
    /// Of an x86 program: the run of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineExecution>,
}

/// The arguments of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// How many.
    pub argc: u64,
    /// Those that the program looks at.
    pub argv: Vec<Argument>,
}

/// An argument of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Its position.
    pub index: usize,
    /// Its text, escaped as in C.
    pub text: String,
}

/// A thread of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionThread {
    /// Its start procedure.
    pub name: String,
    /// Where that stands.
    pub span: SourceRange,
}

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// An initial write.
    Init,
    /// A read.
    Read,
    /// A write.
    Write,
    /// The lifetime of the object begins.
    Begin,
    /// The lifetime of the object ends.
    End,
    /// The object is freed.
    Free,
    /// A fence.
    Fence,
}

/// An event of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionEvent {
    /// Its index.
    pub index: usize,
    /// What it is.
    pub kind: EventKind,
    /// Its thread, by index; none of an initial write.
    pub thread: Option<usize>,
    /// The cell, as the source writes it; empty for a fence.
    pub cell: String,
    /// The value read or written.
    pub value: u64,
    /// Its bits.
    pub width: u8,
    /// Memory order in the source.
    pub order: Word,
    /// Of a fence: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<String>,
    /// Of a read: the event that it got its value from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// Part of a read-modify-write.
    pub rmw: bool,
    /// Its atomic group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// What the execution shows of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where in the source.
    pub span: SourceRange,
}

/// Why an execution is no interleaving.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeakExecution {
    /// A cycle that sequential consistency forbids.
    pub cycle: Vec<CycleEdge>,
    /// What makes the execution weak, a sentence each.
    pub sentences: Vec<String>,
    /// What would forbid it, a sentence.
    pub remedy: Option<String>,
}

impl WeakExecution {
    /// Why an execution is not an interleaving, if it is none.
    pub(super) fn of(sources: &SourceMap, trace: &Trace) -> Option<WeakExecution> {
        let weak = trace.weak.as_ref()?;
        Some(WeakExecution {
            cycle: weak.cycle.clone(),
            sentences: words::weakness(sources, trace),
            remedy: weak.remedy.clone(),
        })
    }
}

impl Execution {
    /// The execution of a trace.
    pub(super) fn of(sources: &SourceMap, trace: &Trace) -> Execution {
        let threads = trace.threads.iter().map(|t| ExecutionThread {
            name: t.name.clone(),
            span: SourceRange::of(sources, t.span),
        });
        let steps = trace.steps.iter().enumerate();
        let relations = &trace.relations;
        Execution {
            threads: threads.collect(),
            events: steps.map(|(i, s)| event(sources, trace, i, s)).collect(),
            po: relations.po.clone(),
            sync: relations.sync.clone(),
            rf: relations.rf.clone(),
            co: relations.co.clone(),
            fr: relations.fr.clone(),
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
            machine: trace
                .machine
                .as_ref()
                .map(|m| MachineExecution::of(sources, m)),
        }
    }
}

fn event(sources: &SourceMap, trace: &Trace, index: usize, step: &Step) -> ExecutionEvent {
    let (kind, fence) = match step.kind {
        StepKind::Init => (EventKind::Init, None),
        StepKind::Read => (EventKind::Read, None),
        StepKind::Write => (EventKind::Write, None),
        StepKind::Lifetime(Lifetime::Begin) => (EventKind::Begin, None),
        StepKind::Lifetime(Lifetime::End) => (EventKind::End, None),
        StepKind::Lifetime(Lifetime::Free) => (EventKind::Free, None),
        StepKind::Fence(tag) => (EventKind::Fence, Some(words::fence(tag))),
    };
    ExecutionEvent {
        index,
        kind,
        thread: step.thread,
        cell: step.cell.clone(),
        value: step.value,
        width: step.width,
        order: words::order(step.order).into(),
        fence,
        from: step.from,
        rmw: step.rmw,
        group: step.group,
        text: words::is_written(step).then(|| words::step(sources, trace, step)),
        span: SourceRange::of(sources, step.span),
    }
}
