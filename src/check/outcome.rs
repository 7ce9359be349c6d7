//! What a check found: plain data, without ids of the stages before, for `report` to print.

use crate::encode::Reduced;
use base::source::Span;
use ir::bounds::Trips;
use ir::program::{FenceTag, Lifetime};
use ir::program::{MemoryOrder, Property, PropertyKind};
use serde::{Deserialize, Serialize};

/// The answer for one program and one model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckResult {
    /// The model's short name.
    pub model: String,
    /// The answer.
    pub verdict: Verdict,
    /// The kinds of property that were checked, and what holds for each.
    pub properties: Vec<(PropertyKind, PropertyStatus)>,
    /// Measurements.
    pub stats: Stats,
    /// Of `Unknown` because of unsupported constructs, where
    /// [`CheckOptions`](super::task::CheckOptions) ask for it: loops whose bound was reached;
    /// unwinding them further may find a violation.
    pub loops_at_bound: Vec<LoopAtBound>,
    /// What kept `--incremental` from unwinding further.
    pub stopped: Option<UnknownReason>,
    /// What it rests on.
    pub argument: Argument,
    /// What it takes for granted beside what the program does, a sentence each.
    pub assumed: Vec<String>,
}

/// What an answer rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A look at all executions within the bounds of loops.
    Executions,
    /// A proof for any number of threads, as of a parameterized system.
    AnyNumber,
    /// A proof for any number of threads, each by itself, by these invariants.
    ThreadModular(Vec<Invariant>),
}

/// What a proof shows and then relies on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Which of the conditions that were looked at.
    pub number: usize,
    /// A condition on variables.
    pub condition: String,
    /// When it holds: a part of a sentence, empty where that is always.
    pub when: String,
    /// The loop at whose header it holds, if that is at one.
    pub at: Option<Span>,
}

impl CheckResult {
    /// The same answer of a program for which it does not matter that bounds are reached.
    pub fn without_bounds(mut self) -> CheckResult {
        self.verdict = Verdict::Safe;
        self.loops_at_bound.clear();
        self.stopped = None;
        let all = self.properties.iter_mut();
        all.for_each(|(_, status)| *status = PropertyStatus::Holds);
        self
    }

    /// The violation that was found.
    pub fn violation(&self) -> Option<&Counterexample> {
        match &self.verdict {
            Verdict::Unsafe(found) => Some(found),
            _ => None,
        }
    }

    /// Nothing is known.
    pub fn unknown(model: &str, checks: &[PropertyKind], reason: UnknownReason) -> CheckResult {
        CheckResult {
            model: model.to_string(),
            verdict: Verdict::Unknown(reason),
            properties: checks
                .iter()
                .map(|k| (*k, PropertyStatus::Unknown))
                .collect(),
            stats: Stats::default(),
            loops_at_bound: Vec::new(),
            stopped: None,
            argument: Argument::Executions,
            assumed: Vec::new(),
        }
    }
}

/// What was found for one kind of property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PropertyStatus {
    /// No execution violates it.
    Holds,
    /// None within the bound.
    HoldsUpToBound,
    /// Some execution violates it.
    Violated,
    /// Not established.
    Unknown,
}

/// The answer itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// No execution violates a property; all loops are fully unwound.
    Safe,
    /// None within the bound; these loops reach it.
    SafeUpToBound(Vec<LoopAtBound>),
    /// A violation, re-checked.
    Unsafe(Box<Counterexample>),
    /// Not decided.
    Unknown(UnknownReason),
}

impl Verdict {
    /// One says that there is a violation and the other that there is none, or that some execution ends
    /// and that none does.
    pub fn contradicts(&self, other: &Verdict) -> bool {
        use Verdict::{Safe, Unknown, Unsafe};
        let differ = |a: &Verdict, b: &Verdict| {
            let none_ends = |v: &Verdict| matches!(v, Unknown(UnknownReason::NoEnd(_)));
            matches!((a, b), (Safe, Unsafe(_))) || none_ends(a) && matches!(b, Safe | Unsafe(_))
        };
        differ(self, other) || differ(other, self)
    }

    /// The answer for a program that need not end: to standards that say so, and of a machine's threads.
    pub fn of_non_terminating(self) -> Verdict {
        match self {
            Verdict::Unknown(UnknownReason::NoEnd(_)) => Verdict::Safe,
            other => other,
        }
    }
}

/// A loop or recursion whose unwinding stopped too early for a proof.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct LoopAtBound {
    /// As `--unwindset` names it.
    pub name: String,
    /// Where it is.
    pub span: Span,
    /// How often it was unwound.
    pub bound: u32,
    /// How often it would be taken.
    pub trips: Trips,
    /// Every execution comes to this bound, so nothing behind the loop was looked at.
    pub blocks: bool,
    /// It was not followed because its iterations change nothing but a mutex, which others disturb.
    pub section: bool,
}

/// The loops among these that were not followed because of a critical section that others disturb.
pub fn sections(loops: &[LoopAtBound]) -> impl Iterator<Item = &str> {
    let sections = loops.iter().filter(|l| l.section);
    sections.map(|l| l.name.as_str())
}

/// Why there is no verdict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum UnknownReason {
    /// Unsupported constructs are reachable: sentences with their places.
    Unsupported(Vec<(String, Span)>),
    /// The time limit, in seconds.
    Timeout(f64),
    /// The memory limit, in MiB.
    Memory(u64),
    /// The user has ended the process.
    Interrupted,
    /// No execution violates a property, but none comes to its end either: where threads stop, as
    /// sentences with their places.
    NoEnd(Vec<(String, Span)>),
    /// No violation was found, but there is no proof of that, which was asked for; why.
    NotCertified(String),
}

/// A violating execution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counterexample {
    /// What is violated.
    pub property: Property,
    /// Where.
    pub span: Span,
    /// In which thread; `None` when the engine does not say.
    pub thread: Option<usize>,
    /// What has gone wrong, where more is known than that the property is violated.
    pub cause: Option<String>,
    /// The steps of the trace that it is about: of a race both accesses, the later one at `span`.
    pub steps: Vec<usize>,
    /// What happened; `None` when the engine keeps no executions.
    pub trace: Option<Trace>,
}

/// An execution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// Threads; main is the first.
    pub threads: Vec<TraceThread>,
    /// The events that happened, in an order compatible with the model's global order.
    pub steps: Vec<Step>,
    /// The arbitrary values that the program took.
    pub choices: Vec<TraceChoice>,
    /// What the program is called with, where it looks at that and it was not given.
    pub arguments: Option<TraceArguments>,
    /// Relations between steps (indices into `steps`).
    pub relations: Relations,
    /// Why the execution needs a weak model; `None` when it is sequentially consistent.
    pub weak: Option<Weakness>,
    /// A weak compare-exchange fails for no reason, as it does on machines with linked loads alone.
    pub spurious: bool,
    /// Of a program for a machine: how a machine with store buffers goes through the execution;
    /// `None` where the model allows more than such a machine does.
    pub machine: Option<MachineRun>,
}

/// What a program is called with.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TraceArguments {
    /// `argc`
    pub count: u64,
    /// Of `argv`, as far as the program looks at it: which argument, and its text.
    pub texts: Vec<(usize, Vec<u8>)>,
}

/// A run of a machine whose threads have store buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MachineRun {
    /// By thread: registers that are arbitrary at first.
    pub initial: Vec<(usize, NamedValue)>,
    /// What happens, in order.
    pub steps: Vec<MachineStep>,
    /// The model lets stores wait in buffers. Otherwise only the store of an instruction that is not
    /// locked comes later than its load.
    pub buffered: bool,
}

/// A step of a [`MachineRun`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MachineStep {
    /// The thread.
    pub thread: usize,
    /// What it does.
    pub action: MachineAction,
    /// What is still on its way to memory afterwards, the oldest first.
    pub pending: Vec<NamedValue>,
}

/// What happens in a [`MachineStep`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MachineAction {
    /// An instruction.
    Instruction {
        /// Where it stands; an empty place is where the thread stops.
        span: Span,
        /// What it reads from memory.
        reads: Vec<NamedValue>,
        /// Registers, flags and variables of the thread that it sets.
        sets: Vec<NamedValue>,
        /// What it writes to memory at once.
        writes: Vec<NamedValue>,
    },
    /// A store reaches memory.
    Memory(NamedValue),
}

/// A register, a flag or a cell, and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NamedValue {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// Its bits.
    pub width: u8,
}

/// A column of a counterexample.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceThread {
    /// Its start procedure.
    pub name: String,
    /// Where it was created.
    pub span: Span,
    /// Who created it and when; `None` for main, and for threads that were not created.
    pub created: Option<Creation>,
}

/// The creation of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Creation {
    /// The thread that created it.
    pub by: usize,
    /// The creator's steps before this one (an index into the steps) come before it.
    pub step: usize,
}

/// An arbitrary value that the program took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TraceChoice {
    /// The thread that took it.
    pub thread: usize,
    /// The thread's steps before this one (an index into the steps) come before it.
    pub step: usize,
    /// How many threads had been created.
    pub threads: usize,
    /// The value.
    pub value: u64,
    /// Its bits.
    pub width: u8,
    /// Where in the source.
    pub span: Span,
}

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StepKind {
    /// Gives a cell its initial value.
    Init,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// The object that the cell is in begins or ends to exist.
    Lifetime(Lifetime),
    /// A fence.
    Fence(FenceTag),
}

/// What the bits of a value are, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shown {
    /// An integer, or unknown.
    Integer,
    /// A floating-point number.
    Float,
    /// An address, as the source writes it if it is one of the program's.
    Address(Option<String>),
}

/// One event of a counterexample.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// Which thread; `None` for initial writes.
    pub thread: Option<usize>,
    /// The cell as the source writes it; empty for a fence.
    pub cell: String,
    /// The value read or written.
    pub value: u64,
    /// Its bits.
    pub width: u8,
    /// What the value is.
    pub shown: Shown,
    /// Memory order in the source.
    pub order: MemoryOrder,
    /// For a read: the step that wrote the value.
    pub from: Option<usize>,
    /// Part of a read-modify-write.
    pub rmw: bool,
    /// Atomic group.
    pub group: Option<usize>,
    /// It is no step of the program: a client observes what its calls return.
    pub observes: bool,
    /// Where in the source.
    pub span: Span,
}

/// Pairs of steps.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Relations {
    /// Immediate program order within threads.
    pub po: Vec<(usize, usize)>,
    /// Thread creation and join: last step before, first step after.
    pub sync: Vec<(usize, usize)>,
    /// Read-from.
    pub rf: Vec<(usize, usize)>,
    /// Coherence, immediate.
    pub co: Vec<(usize, usize)>,
    /// From-read to the immediate co-successor of the write read.
    pub fr: Vec<(usize, usize)>,
}

/// How an edge of a cycle came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EdgeKind {
    /// Program order.
    Po,
    /// Read-from.
    Rf,
    /// Coherence.
    Co,
    /// From-read.
    Fr,
}

/// An edge of a cycle that sequential consistency forbids.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CycleEdge {
    /// From this step.
    pub from: usize,
    /// To this step.
    pub to: usize,
    /// Why.
    pub kind: EdgeKind,
    /// True when the model does not preserve it: this is where the execution is weak.
    pub relaxed: bool,
}

/// Why an execution is weak.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Weakness {
    /// A cycle of program order and communications, in order.
    pub cycle: Vec<CycleEdge>,
    /// What would forbid the execution, a sentence; found by adding it and asking the model again.
    pub remedy: Option<String>,
}

/// Measurements of one check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Threads of the unwound program.
    pub threads: usize,
    /// Events, initial writes included.
    pub events: usize,
    /// Shared scalars.
    pub cells: usize,
    /// Read-from candidates.
    pub rf: usize,
    /// Variables of the formula.
    pub variables: u64,
    /// Clauses of the formula.
    pub clauses: u64,
    /// How many of them are for what: values, relations, axioms.
    pub parts: Vec<(String, u64)>,
    /// What reductions did to the formula.
    pub reduced: Reduced,
    /// The strategy that has answered, where several were tried at once.
    pub strategy: String,
    /// Conflicts of the solver.
    pub conflicts: u64,
    /// Candidate executions that lazily judged axioms have judged.
    pub judged: u64,
    /// Clauses learnt from those that they forbid.
    pub learnt: u64,
    /// Executions that were explored, where they were: those in which all threads end, and the others.
    pub executions: Option<(u64, u64)>,
    /// Seconds by stage, in the order they ran; where a limit has ended the check the last one did not
    /// end.
    pub seconds: Vec<(&'static str, f64)>,
    /// Largest resident size of the process so far, in MiB.
    pub peak_mb: u64,
}

impl Stats {
    /// The stage that did not end, where this is why.
    pub fn unfinished(&self, reason: &UnknownReason) -> Option<&'static str> {
        let ended = match reason {
            UnknownReason::Timeout(_) | UnknownReason::Memory(_) | UnknownReason::Interrupted => {
                false
            }
            UnknownReason::Unsupported(_)
            | UnknownReason::NotCertified(_)
            | UnknownReason::NoEnd(_) => true,
        };
        let (stage, _) = self.seconds.last().filter(|_| !ended)?;
        Some(stage)
    }

    /// Adds the measurements of an earlier attempt.
    pub fn add(&mut self, before: &Stats) {
        for (pass, seconds) in &before.seconds {
            match self.seconds.iter_mut().find(|(s, _)| s == pass) {
                Some((_, sum)) => *sum += seconds,
                None => self.seconds.push((pass, *seconds)),
            }
        }
        self.conflicts += before.conflicts;
        self.judged += before.judged;
        self.learnt += before.learnt;
    }
}
