//! One system, three engines that share nothing but its typed form, and whether they agree.
//!
//! - The *parameterized* engine: backward reachability, for every number of processes.
//! - The *machine*: all states of a fixed number of processes with their buffers, one after the other;
//!   complete where they are finitely many.
//! - *Bounded* model checking of the same instance as a program ([`crate::param::instance`]): the
//!   memory model's axioms and the solver, each process with so many transitions.
//!
//! Of an x86 program also
//!
//! - *instructions*: bounded model checking of the program itself for a fixed number of threads
//!   ([`crate::lower::asm`]), without its translation to a system. That the two agree tests the
//!   translation (PMCx86, Lemma 1).
//!
//! They contradict each other when
//!
//! - the parameterized engine says SAFE, and one of the others has a run;
//! - the machine has looked at all states of an instance and found nothing, and one of the others has
//!   a run of so many processes;
//! - the bounded engine says SAFE up to a number of transitions, and one of the others has a run of so
//!   many processes in which none of them has more;
//! - the bounded engine has a run that the machine cannot follow.
//!
//! What is not decided contradicts nothing.

use super::error::Error;
use super::limits::{self, Limits};
use super::options::SystemOptions;
use super::outcome::{SystemAction, SystemRun, SystemVerdict};
use super::system::SystemSession;
use super::system_run::RunNames;
use crate::base::source::SourceMap;
use crate::check::bmc::{self, CheckOptions, CheckTask};
use crate::check::outcome::{MachineAction, Trace, UnknownReason, Verdict};
use crate::front::asm;
use crate::ir::bounds::Bounds;
use crate::ir::program::{Program, PropertyKind, sign_extend};
use crate::lower;
use crate::mm;
use crate::mm::dependencies::unwinding;
use crate::param::concrete::{ExplorationLimits, ExplorationResult, Machine, Run, explore, replay};
use crate::param::instance::{Instance, InstanceOptions, instance, longest};
use crate::param::system::{StoreOrder, System};
use crate::unroll::unroll;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Transitions of each process when nothing says how many are needed.
const STEPS: u32 = 6;
/// The same of an x86 program, whose instructions are smaller steps.
const INSTRUCTIONS: u32 = 10;
/// States of an instance that the machine looks at.
const STATES: usize = 300_000;
/// Updates in one buffer; longer ones it does not look at.
const QUEUE: usize = 8;
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

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossEngine {
    /// Backward reachability, for every number of processes.
    Parameterized,
    /// The machine with buffers.
    Machine,
    /// Bounded model checking.
    Bounded,
    /// Bounded model checking of the x86 program that the system was made of.
    Instructions,
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
    /// An engine with this bound looks at it.
    fn is_within(&self, engine: CrossEngine, bound: u32) -> bool {
        match engine {
            CrossEngine::Bounded => self.longest <= bound,
            CrossEngine::Instructions => self.repeated <= bound,
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
            answers.push(engines.bounded(n, steps)?);
            if let Some(program) = self.program() {
                let unwound = if repeated == 0 { REPEATED } else { repeated };
                answers.push(engines.instructions(program, n, unwound)?);
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

/// The engines for fixed numbers of processes.
struct Engines<'s> {
    system: &'s System,
    order: StoreOrder,
    names: RunNames<'s>,
    sources: &'s SourceMap,
    limits: Limits,
}

impl Engines<'_> {
    /// These transitions; with the run of so many processes that has them, if there is one.
    fn run(&self, calls: &[Fired], run: Option<(u8, &Run)>) -> CrossRun {
        let shown = calls.iter().map(|(t, args)| {
            let args: Vec<String> = args.iter().map(|a| format!("#{}", a + 1)).collect();
            format!("{}({})", self.system.transitions[*t].name, args.join(", "))
        });
        let longest = longest(self.system, calls);
        let run = run.map(|(n, run)| self.names.run(self.system, self.order, n, run));
        CrossRun {
            calls: shown.collect(),
            longest,
            repeated: run
                .as_ref()
                .and_then(SystemRun::repeated)
                .unwrap_or(longest),
            run,
            refuted: false,
        }
    }

    /// A run of the machine.
    fn machine_run(&self, n: u8, run: &Run) -> CrossVerdict {
        let calls: Vec<Fired> = run.calls().map(|(t, args)| (t, args.to_vec())).collect();
        CrossVerdict::Unsafe(Box::new(self.run(&calls, Some((n, run)))))
    }

    /// The machine's answer.
    fn explored(&self, n: u8) -> CrossAnswer {
        let start = Instant::now();
        let machine = Machine::new(self.system, n, self.order, &[]);
        let until = |s: f64| start + Duration::from_secs_f64(s.min(1e9));
        let limits = ExplorationLimits {
            states: STATES,
            queue: QUEUE,
            until: self.limits.timeout.map(until),
        };
        let verdict = match explore(&machine, limits) {
            ExplorationResult::Safe { complete: true, .. } => CrossVerdict::Safe,
            ExplorationResult::Safe { .. } => CrossVerdict::SafeUpToBound(format!(
                "buffers of at most {QUEUE} updates, and open numbers among those of the file"
            )),
            ExplorationResult::Unsafe(run) => self.machine_run(n, &run),
            ExplorationResult::Limit => {
                let late = self
                    .limits
                    .timeout
                    .is_some_and(|s| start.elapsed().as_secs_f64() >= s);
                CrossVerdict::Unknown(match late {
                    true => "timeout".to_string(),
                    false => format!("more than {STATES} states"),
                })
            }
        };
        CrossAnswer {
            engine: CrossEngine::Machine,
            processes: Some(n),
            steps: None,
            verdict,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// The answer of bounded model checking.
    fn bounded(&self, n: u8, steps: u32) -> Result<CrossAnswer, Error> {
        let start = Instant::now();
        let verdict = self.bounded_verdict(n, steps)?;
        Ok(CrossAnswer {
            engine: CrossEngine::Bounded,
            processes: Some(n),
            steps: Some(steps),
            verdict,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    fn bounded_verdict(&self, n: u8, steps: u32) -> Result<CrossVerdict, Error> {
        let options = InstanceOptions {
            procs: n,
            steps,
            order: self.order,
        };
        let instance = match instance(self.system, &options) {
            Ok(instance) => instance,
            Err(reason) => return Ok(CrossVerdict::Unknown(reason)),
        };
        let verdict = match self.model_checked(&instance.program, Bounds::all(1))? {
            Ok(verdict) => verdict,
            Err(reason) => return Ok(CrossVerdict::Unknown(reason)),
        };
        Ok(match verdict {
            Verdict::Safe => CrossVerdict::SafeUpToBound(match instance.open_numbers {
                None => format!("{steps} transitions of each process"),
                Some(most) => format!(
                    "{steps} transitions of each process, and open numbers between -{most} and {most}"
                ),
            }),
            Verdict::Unsafe(found) => match &found.trace {
                Some(trace) => self.followed(n, &instance, trace),
                None => CrossVerdict::Unknown("there is no trace".to_string()),
            },
            Verdict::SafeUpToBound(_) => {
                CrossVerdict::Unknown("a loop in a program without".into())
            }
            Verdict::Unknown(reason) => CrossVerdict::Unknown(limit(&reason)),
        })
    }

    /// The answer about the instructions themselves.
    fn instructions(
        &self,
        program: &asm::ast::Program,
        n: u8,
        unwound: u32,
    ) -> Result<CrossAnswer, Error> {
        let start = Instant::now();
        let refused = |d| Error::refused(self.sources, d);
        let program = lower::asm::lower(self.sources, program, n.into()).map_err(refused)?;
        let verdict = match self.model_checked(&program, Bounds::all(unwound))? {
            Ok(Verdict::Safe) => CrossVerdict::Safe,
            Ok(Verdict::SafeUpToBound(_)) => {
                CrossVerdict::SafeUpToBound(format!("loops unwound {unwound} times"))
            }
            Ok(Verdict::Unsafe(found)) => CrossVerdict::Unsafe(Box::new(CrossRun {
                calls: self.executed(found.trace.as_ref()),
                longest: u32::MAX,
                repeated: unwound,
                run: None,
                refuted: false,
            })),
            Ok(Verdict::Unknown(reason)) => CrossVerdict::Unknown(limit(&reason)),
            Err(reason) => CrossVerdict::Unknown(reason),
        };
        Ok(CrossAnswer {
            engine: CrossEngine::Instructions,
            processes: Some(n),
            steps: Some(unwound),
            verdict,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// The instructions of an execution, in the order of a machine with store buffers.
    fn executed(&self, trace: Option<&Trace>) -> Vec<String> {
        let run = trace.and_then(|t| t.machine.as_ref());
        let steps = run.map_or(&[][..], |r| &r.steps);
        let instructions = steps.iter().filter_map(|s| match &s.action {
            MachineAction::Instruction { span, .. } => {
                let line = self.sources.line_col(span.file, span.start).line;
                Some(format!("line {line} (#{})", s.thread))
            }
            _ => None,
        });
        instructions.collect()
    }

    /// The verdict of bounded model checking about the assertions of a program, or the limit that was
    /// exceeded.
    fn model_checked(
        &self,
        program: &Program,
        bounds: Bounds,
    ) -> Result<Result<Verdict, String>, Error> {
        let name = match self.order {
            StoreOrder::Sc => "sc",
            StoreOrder::Tso => "tso",
            StoreOrder::Pso => "pso",
        };
        let missing = || Error::Internal(format!("there is no model `{name}`"));
        let model = mm::builtin(name).ok_or_else(missing)?;
        let checks = vec![PropertyKind::Assertion];
        let env = limits::env(self.limits, 0.0);
        let options = unwinding(bounds, [&model], &checks);
        let graph = match unroll(program, &options, &|| (env.limit)().is_some()) {
            Ok(graph) => graph,
            Err(error) => {
                let limit = (env.limit)().map(|l| limit(&l));
                return Ok(Err(limit.unwrap_or(error.to_string())));
            }
        };
        let task = CheckTask {
            program,
            graph: &graph,
            model: &model,
            sources: self.sources,
        };
        let options = CheckOptions {
            checks,
            ..CheckOptions::default()
        };
        let result = bmc::check(&task, &options, &env);
        let result = result.map_err(|e| Error::of_check(self.sources, e))?;
        Ok(Ok(result.verdict))
    }

    /// A violating execution as a run: the machine follows its transitions.
    fn followed(&self, n: u8, instance: &Instance, trace: &Trace) -> CrossVerdict {
        let calls = calls(instance, trace);
        let width = instance.number_width;
        let numbers = trace.choices.iter().filter(|c| c.width == width);
        let numbers: Vec<i64> = numbers.map(|c| sign_extend(c.value, c.width)).collect();
        let machine = Machine::new(self.system, n, self.order, &numbers);
        let until = |s: f64| Instant::now() + Duration::from_secs_f64(s.min(1e9));
        let limits = ExplorationLimits {
            states: STATES,
            queue: usize::MAX,
            until: self.limits.timeout.map(until),
        };
        let found = replay(&machine, &calls, limits).0;
        match found {
            ExplorationResult::Unsafe(run) => self.machine_run(n, &run),
            _ if instance.invariants_left > 0 => CrossVerdict::Unknown(
                "there is a run, perhaps through states that an `invariant` excludes".to_string(),
            ),
            ExplorationResult::Limit => CrossVerdict::Unsafe(Box::new(self.run(&calls, None))),
            ExplorationResult::Safe { complete, .. } => CrossVerdict::Unsafe(Box::new(CrossRun {
                refuted: complete,
                ..self.run(&calls, None)
            })),
        }
    }
}

/// A transition, by its position, with its processes.
type Fired = (usize, Vec<u8>);

/// The transitions of an execution, those of each thread in order; where nothing is buffered, so are
/// those that access the same memory.
fn calls(instance: &Instance, trace: &Trace) -> Vec<Fired> {
    let mut calls: Vec<Fired> = Vec::new();
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    // By step of the trace, the transition that it is part of.
    let mut part_of: Vec<Option<usize>> = vec![None; trace.steps.len()];
    for column in &instance.columns {
        let thread = column.thread;
        let choices = trace.choices.iter().filter(|d| d.thread == thread);
        let choices: Vec<_> = choices.collect();
        let values: Vec<u64> = choices.iter().map(|d| d.value).collect();
        let mut last = None;
        for (call, at) in column.fired(&values) {
            let begin = choices[at].step;
            let own = trace.steps.iter().enumerate().skip(begin);
            for (i, _) in own.filter(|(_, s)| s.thread == Some(thread)) {
                part_of[i] = Some(calls.len());
            }
            before.push(last.into_iter().collect());
            last = Some(calls.len());
            calls.push((call.transition, call.args));
        }
    }
    let relations = &trace.relations;
    for (a, b) in relations
        .rf
        .iter()
        .chain(&relations.co)
        .chain(&relations.fr)
    {
        if let (Some(a), Some(b)) = (part_of[*a], part_of[*b])
            && a != b
        {
            before[b].insert(a);
        }
    }
    let mut left: Vec<usize> = (0..calls.len()).collect();
    let mut out = Vec::new();
    while !left.is_empty() {
        let free = |c: &usize| before[*c].iter().all(|b| !left.contains(b));
        // With buffers there may be circles; then each thread is as it is.
        let next = left.iter().position(free).unwrap_or(0);
        out.push(calls[left.remove(next)].clone());
    }
    out
}

fn limit(reason: &UnknownReason) -> String {
    match reason {
        UnknownReason::Timeout(_) => "timeout".to_string(),
        UnknownReason::Memory(mb) => format!("more than {mb} MiB"),
        UnknownReason::Unsupported(all) => {
            let all: Vec<&str> = all.iter().map(|(text, _)| text.as_str()).collect();
            all.join("; ")
        }
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

impl SystemRun {
    /// Its transitions with their processes.
    fn calls(&self) -> Vec<String> {
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
    fn repeated(&self) -> Option<u32> {
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
    fn longest(&self, system: &System) -> u32 {
        let fired = self.transitions_fired().filter_map(|(name, processes)| {
            let mut all = system.transitions.iter();
            let t = all.position(|t| t.name == name && t.params.len() == processes.len())?;
            Some((t, processes.iter().map(|p| p - 1).collect()))
        });
        longest(system, &fired.collect::<Vec<Fired>>())
    }
}
