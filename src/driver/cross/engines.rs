//! The engines for a fixed number of processes: the machine, and bounded model checking of the
//! instance and of the x86 program that it was made of.

use super::answer::{CrossAnswer, CrossEngine, CrossRun, CrossVerdict, Fired, WRAPPED};
use crate::check::bmc::{self, CheckOptions, CheckTask};
use crate::check::outcome::{
    MachineAction, MachineRun, NamedValue, Step, Trace, UnknownReason, Verdict,
};
use crate::driver::error::Error;
use crate::driver::limits::{self, Limits};
use crate::driver::outcome::SystemRun;
use crate::driver::system_run::RunNames;
use crate::front::asm;
use crate::lower;
use crate::parameterize::instance::with_threads;
use crate::relations::dependencies::unwinding;
use crate::unroll::unroll;
use base::source::SourceMap;
use cat::model::Model;
use ir::bounds::Bounds;
use ir::program::{Program, PropertyKind, sign_extend};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use systems::concrete::{ExplorationLimits, ExplorationResult, Machine, Run, explore, replay};
use systems::instance::{Instance, InstanceOptions, instance, longest};
use systems::system::{StoreOrder, System};

/// States of an instance that the machine looks at.
const STATES: usize = 300_000;
/// Updates in one buffer; longer ones it does not look at.
const QUEUE: usize = 8;

/// The engines for fixed numbers of processes.
pub(super) struct Engines<'s> {
    pub system: &'s System,
    pub order: StoreOrder,
    pub names: RunNames<'s>,
    pub sources: &'s SourceMap,
    pub limits: Limits,
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
    pub fn explored(&self, n: u8) -> CrossAnswer {
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
    pub fn bounded(&self, n: u8, steps: u32) -> Result<CrossAnswer, Error> {
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
        let verdict = match self.model_checked(&instance.program, &self.model()?, Bounds::all(1))? {
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

    /// The answer about the instructions themselves. `others_wrap` says that another engine has a run
    /// in which values may leave 32 bits; then it says nothing about this one that there is none.
    pub fn instructions(
        &self,
        source: &asm::ast::Program,
        n: u8,
        unwound: u32,
        others_wrap: bool,
    ) -> Result<CrossAnswer, Error> {
        let refused = |d| Error::refused(self.sources, d);
        let program = lower::asm::lower(self.sources, source, n.into()).map_err(refused)?;
        let subject = ProgramSubject {
            engine: CrossEngine::Instructions,
            program: &program,
            model: self.model()?,
            others_wrap,
        };
        let wraps = |trace: Option<&Trace>| may_wrap(source, trace);
        self.program_answer(&subject, n, unwound, &wraps)
    }

    /// The answer of the ordinary check of a C program with so many threads, on a model.
    pub fn program(
        &self,
        program: &Program,
        model: &Model,
        n: u8,
        unwound: u32,
    ) -> Result<CrossAnswer, Error> {
        let program = with_threads(program, n.into());
        let subject = ProgramSubject {
            engine: CrossEngine::Program,
            program: &program,
            model: model.clone(),
            others_wrap: false,
        };
        self.program_answer(&subject, n, unwound, &has_large_values)
    }

    fn program_answer(
        &self,
        subject: &ProgramSubject,
        n: u8,
        unwound: u32,
        wraps: &dyn Fn(Option<&Trace>) -> bool,
    ) -> Result<CrossAnswer, Error> {
        let start = Instant::now();
        let checked = self.model_checked(subject.program, &subject.model, Bounds::all(unwound))?;
        let verdict = match checked {
            Ok(Verdict::Safe | Verdict::SafeUpToBound(_)) if subject.others_wrap => {
                CrossVerdict::Unknown(
                    "there is no run, but values of another engine's may wrap around at 2^32"
                        .to_string(),
                )
            }
            Ok(Verdict::Safe) => CrossVerdict::Safe,
            Ok(Verdict::SafeUpToBound(_)) => {
                CrossVerdict::SafeUpToBound(format!("loops unwound {unwound} times"))
            }
            Ok(Verdict::Unsafe(found)) if wraps(found.trace.as_ref()) => CrossVerdict::Unknown(
                "there is a run, in which values may wrap around at 2^32".to_string(),
            ),
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
            engine: subject.engine,
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

    /// The model of the system.
    fn model(&self) -> Result<Model, Error> {
        let name = match self.order {
            StoreOrder::Sc => "sc",
            StoreOrder::Tso => "tso",
            StoreOrder::Pso => "pso",
        };
        let missing = || Error::Internal(format!("there is no model `{name}`"));
        cat::builtin(name).ok_or_else(missing)
    }

    /// The verdict of bounded model checking about the assertions of a program, or the limit that was
    /// exceeded.
    fn model_checked(
        &self,
        program: &Program,
        model: &Model,
        bounds: Bounds,
    ) -> Result<Result<Verdict, String>, Error> {
        let checks = vec![PropertyKind::Assertion];
        let env = limits::env(self.limits, 0.0);
        let options = unwinding(bounds, [model], &checks);
        let graph = match unroll(program, &options, &env.interrupt()) {
            Ok(graph) => graph,
            Err(error) => {
                let limit = (env.limit)().map(|l| limit(&l));
                return Ok(Err(limit.unwrap_or(error.to_string())));
            }
        };
        let task = CheckTask {
            program,
            graph: &graph,
            model,
            sources: self.sources,
        };
        let options = CheckOptions {
            checks,
            ..CheckOptions::default()
        };
        let result = bmc::check(&task, &options, &env);
        let result = result.map_err(|e| Error::of_check(self.sources, e))?;
        Ok(Ok(result.verdict.of_non_terminating()))
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

/// A program that a system was made of, with a number of threads.
struct ProgramSubject<'p> {
    engine: CrossEngine,
    program: &'p Program,
    model: Model,
    /// Another engine has a run in which values may leave 32 bits.
    others_wrap: bool,
}

/// Whether some value in memory is so large that a result may not be the mathematical one.
fn has_large_values(trace: Option<&Trace>) -> bool {
    let is_large =
        |s: &Step| s.width > 0 && sign_extend(s.value, s.width).unsigned_abs() >= WRAPPED;
    trace.is_none_or(|t| t.steps.iter().any(is_large))
}

/// Whether some value of an execution, or number of the program, is so large that a result may not be
/// the mathematical one.
fn may_wrap(source: &asm::ast::Program, trace: Option<&Trace>) -> bool {
    let Some(run) = trace.and_then(|t| t.machine.as_ref()) else {
        return true;
    };
    let is_large = |value: u64, width| sign_extend(value, width).unsigned_abs() >= WRAPPED;
    values(run).any(|v| is_large(v.value, v.width))
        || source.numbers().any(|n| is_large(n.bits, 32))
}

/// All values of a run.
fn values(run: &MachineRun) -> impl Iterator<Item = &NamedValue> {
    let initial = run.initial.iter().map(|(_, value)| value);
    let steps = run.steps.iter().flat_map(|s| {
        let values = match &s.action {
            MachineAction::Instruction {
                reads,
                sets,
                writes,
                ..
            } => [&reads[..], sets, writes],
            MachineAction::Memory(cell) => [std::slice::from_ref(cell), &[], &[]],
        };
        values.into_iter().flatten().chain(&s.pending)
    });
    initial.chain(steps)
}

fn limit(reason: &UnknownReason) -> String {
    match reason {
        UnknownReason::Timeout(_) => "timeout".to_string(),
        UnknownReason::Interrupted => "interrupted".to_string(),
        UnknownReason::NoEnd(_) => "no execution ends".to_string(),
        UnknownReason::NotCertified(why) => why.clone(),
        UnknownReason::Memory(mb) => format!("more than {mb} MiB"),
        UnknownReason::Unsupported(all) => {
            let all: Vec<&str> = all.iter().map(|(text, _)| text.as_str()).collect();
            all.join("; ")
        }
    }
}
