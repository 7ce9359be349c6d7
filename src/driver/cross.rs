//! One system, three engines that share nothing but its typed form, and whether they agree.
//!
//! - The *parameterized* engine: backward reachability, for every number of processes.
//! - The *machine*: all states of a fixed number of processes with their buffers, one after the other;
//!   complete where they are finitely many.
//! - *Bounded* model checking of the same instance as a program ([`systems::instance`]): the
//!   memory model's axioms and the solver, each process with so many transitions.
//!
//! Of an x86 program also
//!
//! - *instructions*: bounded model checking of the program itself for a fixed number of threads
//!   ([`crate::lower::asm`]), without its translation to a system. That the two agree tests the
//!   translation (PMCx86, Lemma 1).
//!
//! Of a C program with any number of threads also
//!
//! - *program*, in the place of *bounded*: the ordinary check of the program with so many threads. The system has more executions than the
//!   program, so a run of the system that is none of the program contradicts nothing.
//!
//! They contradict each other when
//!
//! - the parameterized engine says SAFE, and one of the others has a run;
//! - the machine has looked at all states of an instance and found nothing, and one of the others has
//!   a run of so many processes;
//! - the bounded engine says SAFE up to a number of transitions, and one of the others has a run of so
//!   many processes in which none of them has more;
//! - the same of the instructions: SAFE with loops unwound up to a bound, and a run in which no thread
//!   executes an instruction more often;
//! - the bounded engine has a run that the machine cannot follow.
//!
//! What is not decided contradicts nothing. Values of the instructions have 32 bits, those of a system
//! are integers without bounds; a run in which a value may wrap around at 2³² is one of both only by
//! chance. So it decides nothing about the other side: of the instructions, the answer is UNKNOWN if
//! their own run is such a one, and if they have none, but a run of another engine is.

mod answer;
mod engines;

use super::error::Error;
use super::limits::Limits;
use super::options::SystemOptions;
use super::outcome::SystemVerdict;
use super::system::SystemSession;
pub use answer::{CrossAnswer, CrossEngine, CrossOutcome, CrossRun, CrossVerdict, Disagreement};
use base::source::SourceMap;
use cat::model::Model;
use engines::Engines;
use ir::program::Program;
use std::collections::BTreeSet;

/// Transitions of each process when nothing says how many are needed.
const STEPS: u32 = 6;
/// The same of an x86 program, whose instructions are smaller steps.
const INSTRUCTIONS: u32 = 10;
/// How often instructions are repeated when nothing says how many times are needed.
const REPEATED: u32 = 2;
/// Instances of more processes are not added to those that are wanted.
const MOST_PROCESSES: u8 = 6;

/// What to compare.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CrossOptions {
    /// The numbers of processes.
    pub processes: Vec<u8>,
    /// How many transitions of each process the bounded engine looks at. By default as many as the
    /// longest process has in a run that another engine has found; without a run six, of an x86
    /// program ten.
    pub steps: Option<u32>,
}

impl Default for CrossOptions {
    fn default() -> CrossOptions {
        CrossOptions {
            processes: vec![2, 3],
            steps: None,
        }
    }
}

/// The C program that a system was made of, and the model that was asked for.
#[derive(Clone, Copy)]
pub struct CrossProgram<'p> {
    /// The program.
    pub program: &'p Program,
    /// The model.
    pub model: &'p Model,
}

impl SystemSession {
    /// Asks all engines.
    ///
    /// # Errors
    /// What is wrong with the system, that it cannot be checked on this model, or a bug.
    pub fn cross(
        &self,
        model: &str,
        sources: &SourceMap,
        options: &SystemOptions,
        cross: &CrossOptions,
        limits: Limits,
        program: Option<CrossProgram>,
    ) -> Result<CrossOutcome, Error> {
        let certified = SystemOptions {
            certificate: model != "pso" && options.strategy.is_none(),
            ..options.clone()
        };
        let found = self.check(model, sources, &certified, limits)?;
        let (system, order) = self.instance_system(model, sources)?;
        let engines = Engines {
            system: &system,
            order,
            names: self.names(sources),
            sources,
            limits,
        };
        let mut answers = Vec::new();
        let mut processes: BTreeSet<u8> = match system.procs {
            Some(n) => [n].into(),
            None => cross.processes.iter().copied().collect(),
        };
        let (mut longest, mut repeated) = (0, 0);
        let verdict = match found.verdict {
            SystemVerdict::Safe => CrossVerdict::Safe,
            SystemVerdict::Unknown { reason, .. } => CrossVerdict::Unknown(reason),
            SystemVerdict::Unsafe(run) => {
                longest = run.longest(&system);
                repeated = run.repeated().unwrap_or(longest);
                if run.processes <= MOST_PROCESSES {
                    processes.insert(run.processes);
                }
                CrossVerdict::Unsafe(Box::new(CrossRun {
                    calls: run.calls(),
                    longest,
                    repeated,
                    run: Some(run),
                    refuted: false,
                }))
            }
        };
        answers.push(CrossAnswer {
            engine: CrossEngine::Parameterized,
            processes: system.procs,
            steps: None,
            verdict,
            seconds: found.seconds,
        });
        for n in processes {
            let explored = engines.explored(n);
            let steps = cross.steps.unwrap_or_else(|| {
                let there = match &explored.verdict {
                    CrossVerdict::Unsafe(run) => run.longest.max(longest),
                    _ => longest,
                };
                match (there, engines.names.variables) {
                    (0, None) => STEPS,
                    (0, Some(_)) => INSTRUCTIONS,
                    _ => there,
                }
            });
            let repeated = match &explored.verdict {
                CrossVerdict::Unsafe(run) => run.repeated.max(repeated),
                _ => repeated,
            };
            answers.push(explored);
            if program.is_none() {
                answers.push(engines.bounded(n, steps)?);
            }
            if let Some(program) = self.program() {
                let unwound = if repeated == 0 { REPEATED } else { repeated };
                let others = answers.iter().filter(|a| a.is_about(n));
                let others_wrap = others.filter_map(CrossAnswer::run).any(CrossRun::may_wrap);
                answers.push(engines.instructions(program, n, unwound, others_wrap)?);
            }
            if let Some(CrossProgram { program, model }) = program {
                let unwound = if repeated == 0 { REPEATED } else { repeated };
                answers.push(engines.program(program, model, n, unwound)?);
            }
        }
        Ok(CrossOutcome {
            model: model.to_string(),
            disagreements: disagreements(&answers),
            answers,
            certificate: found.certificate,
        })
    }
}

/// The answers that contradict each other.
pub fn disagreements(answers: &[CrossAnswer]) -> Vec<Disagreement> {
    let mut all = Vec::new();
    let mut add = |one: usize, other: usize, reason: &str| {
        all.push(Disagreement {
            one,
            other,
            reason: reason.to_string(),
        });
    };
    for (i, with) in answers.iter().enumerate() {
        let CrossVerdict::Unsafe(run) = &with.verdict else {
            continue;
        };
        if run.refuted {
            add(
                i,
                i,
                "the machine cannot follow the transitions of this run",
            );
        }
        // The run of the parameterized engine is one of so many processes.
        let of = match (&run.run, with.processes) {
            (Some(run), _) => Some(run.processes),
            (None, n) => n,
        };
        for (j, safe) in answers.iter().enumerate() {
            if safe.processes.is_some() && safe.processes != of {
                continue;
            }
            // The system of a C program has more executions than the program.
            if safe.engine == CrossEngine::Program && with.engine != CrossEngine::Program {
                continue;
            }
            match (&safe.verdict, safe.engine) {
                (CrossVerdict::Safe, CrossEngine::Parameterized) => {
                    add(j, i, "what is safe for every number of processes has a run");
                }
                (CrossVerdict::Safe, _) => {
                    add(
                        j,
                        i,
                        "all states were looked at, and there is a run to an unsafe one",
                    );
                }
                (CrossVerdict::SafeUpToBound(_), engine)
                    if safe.steps.is_some_and(|k| run.is_within(engine, k)) =>
                {
                    add(j, i, "there is a run within the bound");
                }
                _ => {}
            }
        }
    }
    all
}
