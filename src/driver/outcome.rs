//! What a session has found: one type for every kind of input.
//!
//! Outcomes are plain data without borrows and without ids of the passes; they may be sent to other
//! threads. `report` prints them.

use super::client::ShownHistory;
use super::options::Engine;
use crate::check::litmus::Finding;
use crate::check::outcome::{CheckResult, Trace, Verdict};
use base::diag::Diag;
use ir::bounds::Bounds;
use serde::{Deserialize, Serialize};

/// The outcome for one input and one model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Of a C program, or of an x86 program with a fixed number of threads.
    Program(Box<ProgramOutcome>),
    /// Of a litmus test.
    Litmus(Box<LitmusOutcome>),
    /// Of a system of any number of processes.
    System(Box<SystemOutcome>),
}

impl Outcome {
    /// The verdict about a C program.
    pub fn verdict(&self) -> Option<&Verdict> {
        match self {
            Outcome::Program(outcome) => Some(&outcome.result.verdict),
            Outcome::Litmus(_) | Outcome::System(_) => None,
        }
    }

    /// The execution found: of a C program one that violates a property, of a litmus test the
    /// witness.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Outcome::Program(outcome) => outcome.result.violation()?.trace.as_ref(),
            Outcome::Litmus(outcome) => outcome.answers.iter().find_map(|a| a.0.witness.as_ref()),
            Outcome::System(_) => None,
        }
    }
}

/// The outcome for a C program, or for an x86 program with a fixed number of threads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgramOutcome {
    /// Verdict, properties and measurements.
    pub result: CheckResult,
    /// The largest bound that was not asked for by name.
    pub unwind: u32,
    /// The bounds that the verdict was found with.
    pub bounds: Bounds,
    /// Assertions that the program has.
    pub assertions: usize,
    /// It looks at its arguments, and was checked with few and short ones alone.
    pub bounded_arguments: bool,
    /// What is taken for granted about what is not in the program, a sentence each.
    pub assumptions: Vec<String>,
    /// The user has named the kinds of property to check.
    pub chosen: bool,
    /// The model's title.
    pub model_title: String,
    /// To the model a program with a data race has no meaning.
    pub races_undefined: bool,
    /// With [`Engine::Both`]: the enumeration of executions was complete, and agrees.
    pub confirmed: Option<bool>,
    /// Of an x86 program: how many threads it was checked for.
    pub threads: Option<u32>,
    /// Of a violation by what the calls of a client return: the calls.
    pub history: Option<ShownHistory>,
    /// How many harnesses it is the outcome of: 1, or all clients of some kind.
    pub harnesses: usize,
}

/// The outcome for a litmus test: the answer of each engine that was asked, the solver's first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LitmusOutcome {
    /// At least one.
    pub answers: Vec<(Finding, Engine)>,
    /// The bounds that the first was found with.
    pub bounds: Bounds,
}

impl LitmusOutcome {
    /// The engines say different things.
    pub fn engines_disagree(&self) -> bool {
        match &self.answers[..] {
            [(a, _), (b, _)] => contradict(a, b),
            _ => false,
        }
    }
}

/// Whether two findings say different things; what is not complete may turn out to be anything.
pub fn contradict(a: &Finding, b: &Finding) -> bool {
    let states = match (&a.states, &b.states) {
        (Some(a), Some(b)) => !a.keys().eq(b.keys()),
        _ => false,
    };
    let complete = a.is_complete() && b.is_complete();
    if let (Some(a), Some(b)) = (a.robust, b.robust) {
        let differ = |a: Option<bool>, b: Option<bool>| a.zip(b).is_some_and(|(a, b)| a != b);
        if differ(a.executions, b.executions) || differ(a.states, b.states) {
            return true;
        }
    }
    complete && (states || (a.holds, a.fails) != (b.holds, b.fails))
}

/// The outcome for a system.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SystemOutcome {
    /// The model's short name.
    pub model: String,
    /// The answer.
    pub verdict: SystemVerdict,
    /// What its processes are.
    pub processes_are: Processes,
    /// Of a C program: what is taken for granted about what is not in it, a sentence each.
    pub assumptions: Vec<String>,
    /// No state is initial, so the system is safe vacuously.
    pub vacuous: bool,
    /// What its author probably did not mean.
    pub warnings: Vec<Diag>,
    /// The number of processes, where the file fixes it.
    pub processes: Option<u8>,
    /// Invariants of the file that were taken for granted.
    pub invariants: usize,
    /// The proof that it is safe, as text, where it was asked for.
    pub certificate: Option<String>,
    /// The exploration, where it was asked for.
    pub exploration: Option<Vec<ExploredNode>>,
    /// Nodes that were visited.
    pub visited: usize,
    /// Those of them that no other one covers.
    pub remaining: usize,
    /// Nodes that were made.
    pub nodes: usize,
    /// Seconds of the search.
    pub seconds: f64,
}

/// What the processes of a system are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Processes {
    /// Processes: the system was written as one.
    Themselves,
    /// Threads of a program that it was made of.
    Threads {
        /// Its integers are taken for integers without bounds.
        unbounded: bool,
    },
}

/// The answer about a system.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SystemVerdict {
    /// No number of processes reaches an unsafe state.
    Safe,
    /// A run reaches one.
    Unsafe(SystemRun),
    /// Not decided.
    Unknown {
        /// Why, a sentence.
        reason: String,
        /// The transitions of a spurious trace, where one was found.
        blocked: Vec<String>,
    },
}

/// A run of a system with store buffers, for a fixed number of processes. Processes are counted from
/// 1; cells and values are named as in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SystemRun {
    /// The unsafe formula that holds at the end.
    pub property: String,
    /// How many processes.
    pub processes: u8,
    /// How many of the steps are transitions.
    pub transitions: usize,
    /// The largest magnitude of an integer in it.
    pub largest_integer: u64,
    /// What happens.
    pub steps: Vec<SystemStep>,
    /// Memory at the end.
    pub end: Vec<NamedCell>,
}

/// A step of a run, and what is buffered after it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SystemStep {
    /// What happens.
    pub action: SystemAction,
    /// Registers, variables and memory that have other values than before.
    pub changes: Vec<NamedCell>,
    /// The updates that are on their way to memory, by process, the oldest first.
    pub buffers: Vec<Vec<Vec<NamedCell>>>,
}

/// What happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SystemAction {
    /// A transition of these processes.
    Transition {
        /// Its name.
        name: String,
        /// Its processes, the performing one first.
        processes: Vec<u8>,
        /// The instruction that it stands for, in an x86 program.
        instruction: Option<SourceLine>,
    },
    /// The oldest update of a process reaches memory.
    Flush {
        /// The process.
        process: u8,
        /// The update.
        writes: Vec<NamedCell>,
    },
    /// A cell that the initial formula leaves open has this value.
    Initially(NamedCell),
}

/// A line of an input, or a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SourceLine {
    /// Its number, from 1.
    pub line: u32,
    /// What stands there.
    pub text: String,
}

/// A cell and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NamedCell {
    /// The cell.
    pub cell: String,
    /// The value.
    pub value: String,
}

/// A node of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExploredNode {
    /// Its position among all nodes.
    pub index: usize,
    /// The cube, a line a literal.
    pub cube: String,
    /// Where a violation was found.
    pub bad: bool,
    /// A later node covers it.
    pub covered: bool,
    /// The node after it, and the transition in between with its processes, counted from 1.
    pub next: Option<(usize, String, Vec<u8>)>,
}
