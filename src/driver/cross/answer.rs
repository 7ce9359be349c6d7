//! What each engine says of a system, and the runs that it has found.

use crate::driver::outcome::{SystemAction, SystemRun};
use serde::Serialize;
use std::collections::BTreeMap;
use systems::instance::longest;
use systems::system::System;

/// No sum of two numbers of smaller magnitude wraps around at 2³².
pub(super) const WRAPPED: u64 = 1 << 30;

/// A transition, by its position, with its processes.
pub(super) type Fired = (usize, Vec<u8>);

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CrossEngine {
    /// Backward reachability, for every number of processes.
    Parameterized,
    /// The machine with buffers.
    Machine,
    /// Bounded model checking.
    Bounded,
    /// Bounded model checking of the x86 program that the system was made of.
    Instructions,
    /// The ordinary check of the C program that the system was made of, with so many threads.
    Program,
}

impl CrossEngine {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CrossEngine::Parameterized => "parameterized",
            CrossEngine::Machine => "machine",
            CrossEngine::Bounded => "bounded",
            CrossEngine::Instructions => "instructions",
            CrossEngine::Program => "program",
        }
    }
}

/// The answer of one engine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CrossAnswer {
    /// Who answers.
    pub engine: CrossEngine,
    /// For how many processes; for any number if it is not said.
    pub processes: Option<u8>,
    /// How many transitions of each process were looked at, or how often each loop of a program was
    /// unwound, if that was limited.
    pub steps: Option<u32>,
    /// The answer.
    pub verdict: CrossVerdict,
    /// How long that took.
    pub seconds: f64,
}

impl CrossAnswer {
    /// It is about so many processes.
    pub(super) fn is_about(&self, n: u8) -> bool {
        self.processes.is_none_or(|p| p == n)
    }

    /// The run that was found.
    pub(super) fn run(&self) -> Option<&CrossRun> {
        match &self.verdict {
            CrossVerdict::Unsafe(run) => Some(run),
            _ => None,
        }
    }
}

/// The answer itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CrossVerdict {
    /// No state is unsafe.
    Safe,
    /// None that was looked at; what else there may be, a sentence.
    SafeUpToBound(String),
    /// A run to one.
    Unsafe(Box<CrossRun>),
    /// Not decided, and why.
    Unknown(String),
}

/// A run to an unsafe state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CrossRun {
    /// Its transitions with their processes, those of each process in order.
    pub calls: Vec<String>,
    /// Transitions of the process that has most of them.
    pub longest: u32,
    /// How often a thread executes the instruction that it executes most often; of a system the
    /// transitions of the longest process.
    pub repeated: u32,
    /// The run as the machine has it, with buffers; nothing if the machine does not follow the
    /// transitions.
    pub run: Option<SystemRun>,
    /// There is no way in which the machine could follow them.
    pub refuted: bool,
}

impl CrossRun {
    /// Some value in it may be another one on a machine of 32 bits.
    pub(super) fn may_wrap(&self) -> bool {
        let run = self.run.as_ref();
        run.is_none_or(|run| run.largest_integer >= WRAPPED)
    }

    /// An engine with this bound looks at it.
    pub(super) fn is_within(&self, engine: CrossEngine, bound: u32) -> bool {
        match engine {
            CrossEngine::Bounded => self.longest <= bound,
            CrossEngine::Instructions | CrossEngine::Program => self.repeated <= bound,
            CrossEngine::Parameterized | CrossEngine::Machine => false,
        }
    }
}

/// What all engines say.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CrossOutcome {
    /// The model's short name.
    pub model: String,
    /// All answers.
    pub answers: Vec<CrossAnswer>,
    /// Which of them contradict each other, by their positions, and why.
    pub disagreements: Vec<Disagreement>,
    /// The proof of the parameterized engine, if it has one.
    pub certificate: Option<String>,
}

impl CrossOutcome {
    /// Every engine has an answer.
    pub fn is_decided(&self) -> bool {
        let unknown = |a: &CrossAnswer| matches!(a.verdict, CrossVerdict::Unknown(_));
        !self.answers.iter().any(unknown)
    }
}

/// Two answers that are not both right.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Disagreement {
    /// One answer, by its position.
    pub one: usize,
    /// The other one; the same if it contradicts itself.
    pub other: usize,
    /// Why.
    pub reason: String,
}

impl SystemRun {
    /// Its transitions with their processes.
    pub(in crate::driver) fn calls(&self) -> Vec<String> {
        let calls = self.transitions_fired().map(|(name, processes)| {
            let args: Vec<String> = processes.iter().map(|p| format!("#{p}")).collect();
            format!("{name}({})", args.join(", "))
        });
        calls.collect()
    }

    fn transitions_fired(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.steps.iter().filter_map(|s| match &s.action {
            SystemAction::Transition {
                name, processes, ..
            } => Some((name.as_str(), &processes[..])),
            SystemAction::Flush { .. } | SystemAction::Initially(_) => None,
        })
    }

    /// How often a thread executes the instruction that it executes most often; none of a system that
    /// was not made of instructions.
    pub(in crate::driver) fn repeated(&self) -> Option<u32> {
        let mut counts: BTreeMap<(u8, u32), u32> = BTreeMap::new();
        for step in &self.steps {
            if let SystemAction::Transition {
                processes,
                instruction,
                ..
            } = &step.action
            {
                let line = instruction.as_ref()?.line;
                *counts.entry((processes[0], line)).or_default() += 1;
            }
        }
        counts.into_values().max()
    }

    /// Transitions of the process that has most of them.
    pub(super) fn longest(&self, system: &System) -> u32 {
        let fired = self.transitions_fired().filter_map(|(name, processes)| {
            let mut all = system.transitions.iter();
            let t = all.position(|t| t.name == name && t.params.len() == processes.len())?;
            Some((t, processes.iter().map(|p| p - 1).collect()))
        });
        longest(system, &fired.collect::<Vec<Fired>>())
    }
}
