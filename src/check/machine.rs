//! An execution as the run of a machine with store buffers, for programs whose instructions are those
//! of a machine.
//!
//! The instructions of each thread are known from the replay, the order in which reads take place
//! and writes reach memory from the trace. Between the two, every instruction is executed as late as
//! possible: when one of its own reads or writes is due, or one of an instruction behind it. A store
//! that is executed before its write is due waits in the buffer of its thread until then. A locked
//! instruction is executed at once, when its write is due: no other write to the cell lies between its
//! read and its write.
//!
//! Every read is checked: it returns the newest store to the cell in the thread's own buffer, else
//! what memory contains. On SC, TSO and PSO that always holds. Where a model allows more, such as
//! reads out of order, there is no run, and the trace is shown by its events alone.

use super::decode::Run;
use super::outcome::{MachineAction, MachineRun, MachineStep, NamedValue, Step, StepKind};
use super::replay::{ExecutedInstruction, Recording};
use base::idx::Id;
use cat::model::Model;
use ir::program::MemoryOrder;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The run, if there is one; `step_of` has the steps of events by position.
pub(super) fn machine_run(
    run: &Run,
    model: &Model,
    recording: &Recording,
    steps: &[Step],
    step_of: &FxHashMap<usize, usize>,
) -> Option<MachineRun> {
    let mut machine = Machine {
        steps,
        threads: BTreeMap::new(),
        memory: FxHashMap::default(),
        last: None,
        out: Vec::new(),
    };
    let mut owner: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for instruction in &recording.instructions {
        let index = instruction.thread.index();
        let thread = machine.threads.entry(index).or_default();
        let positions = instruction.events.iter().map(|e| run.position(*e));
        let own: Option<Vec<usize>> = positions.map(|p| step_of.get(&p?).copied()).collect();
        // What is behind the violation is not shown.
        let Some(own) = own else {
            continue;
        };
        for step in &own {
            owner.insert(*step, (index, thread.todo.len()));
        }
        thread.todo.push((instruction, own));
    }
    for (index, step) in steps.iter().enumerate() {
        if !matches!(step.kind, StepKind::Read | StepKind::Write) {
            continue;
        }
        match owner.get(&index) {
            Some((thread, instruction)) => machine.due(*thread, *instruction, index)?,
            None if step.kind == StepKind::Write => {
                machine.memory.insert(step.cell.clone(), step.value);
            }
            None => {}
        }
    }
    let threads: Vec<usize> = machine.threads.keys().copied().collect();
    for thread in threads {
        machine.without_memory(thread)?;
    }
    let buffered = model.name != "sc";
    let mut out = machine.out;
    let flushes = |s: &MachineStep| matches!(s.action, MachineAction::Memory(_));
    while buffered && out.last().is_some_and(flushes) {
        out.pop();
    }
    let initial = recording.initial.iter();
    Some(MachineRun {
        initial: initial.map(|(t, r)| (t.index(), r.clone())).collect(),
        steps: out,
        buffered,
    })
}

struct Machine<'a> {
    steps: &'a [Step],
    threads: BTreeMap<usize, MachineThread<'a>>,
    memory: FxHashMap<String, u64>,
    /// The thread and the number of the instruction that the last step is.
    last: Option<(usize, usize)>,
    out: Vec<MachineStep>,
}

#[derive(Default)]
struct MachineThread<'a> {
    /// Its instructions, each with the steps of its events.
    todo: Vec<(&'a ExecutedInstruction, Vec<usize>)>,
    /// How many of them have been executed.
    done: usize,
    /// Steps of stores that are on their way to memory, the oldest first.
    buffer: Vec<usize>,
}

impl Machine<'_> {
    /// A step of an instruction is due.
    fn due(&mut self, thread: usize, instruction: usize, step: usize) -> Option<()> {
        let own = &self.threads[&thread].todo[instruction].1;
        let locked = |s: &usize| self.steps[*s].order == MemoryOrder::Locked;
        let later = own.iter().any(|s| *s > step && locked(s) && locked(&step));
        if later && self.steps[step].kind == StepKind::Read {
            return Some(());
        }
        let store_is_next = own.contains(&(step + 1));
        while self.threads[&thread].done <= instruction {
            self.execute(thread)?;
        }
        if self.steps[step].kind == StepKind::Write && !locked(&step) {
            let at_once = self.last == Some((thread, instruction));
            self.reaches_memory(thread, step, at_once)?;
        }
        match store_is_next {
            true => Some(()),
            false => self.without_memory(thread),
        }
    }

    /// Executes the next instructions of a thread, up to one that reads or writes memory, or waits
    /// for the buffer.
    fn without_memory(&mut self, thread: usize) -> Option<()> {
        loop {
            let state = &self.threads[&thread];
            match state.todo.get(state.done) {
                Some((_, own)) if own.is_empty() => self.execute(thread)?,
                _ => return Some(()),
            }
        }
    }

    /// Executes the next instruction of a thread; none if it does not fit.
    fn execute(&mut self, thread: usize) -> Option<()> {
        let steps = self.steps;
        let state = self.threads.get_mut(&thread)?;
        let (instruction, own) = state.todo.get(state.done)?;
        self.last = Some((thread, state.done));
        state.done += 1;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for index in own {
            let step = &steps[*index];
            match step.kind {
                StepKind::Read => {
                    let mut own = state.buffer.iter().rev().map(|s| &steps[*s]);
                    let found = own.find(|s| s.cell == step.cell).map(|s| s.value);
                    let initial = || {
                        let from = step.from.and_then(|s| steps.get(s))?;
                        (from.kind == StepKind::Init).then_some(from.value)
                    };
                    let in_memory = || self.memory.get(&step.cell).copied().or_else(initial);
                    if found.or_else(in_memory) != Some(step.value) {
                        return None;
                    }
                    reads.push(named(step));
                }
                StepKind::Write if step.order == MemoryOrder::Locked => {
                    if !state.buffer.is_empty() {
                        return None;
                    }
                    self.memory.insert(step.cell.clone(), step.value);
                    writes.push(named(step));
                }
                StepKind::Write => state.buffer.push(*index),
                StepKind::Fence(_) if !state.buffer.is_empty() => return None,
                _ => {}
            }
        }
        self.out.push(MachineStep {
            thread,
            action: MachineAction::Instruction {
                span: instruction.span,
                reads,
                sets: instruction.sets.clone(),
                writes,
            },
            pending: state.buffer.iter().map(|s| named(&steps[*s])).collect(),
        });
        Some(())
    }

    /// A store leaves its buffer. One that is alone there and has been executed last has written to
    /// memory at once.
    fn reaches_memory(&mut self, thread: usize, step: usize, last: bool) -> Option<()> {
        let steps = self.steps;
        let state = self.threads.get_mut(&thread)?;
        let at = state.buffer.iter().position(|s| *s == step)?;
        let cell = &steps[step].cell;
        if state.buffer[..at].iter().any(|s| steps[*s].cell == *cell) {
            return None;
        }
        state.buffer.remove(at);
        self.memory.insert(cell.clone(), steps[step].value);
        let value = named(&steps[step]);
        if last
            && state.buffer.is_empty()
            && let Some(last) = self.out.last_mut()
            && let MachineAction::Instruction { writes, .. } = &mut last.action
        {
            writes.push(value);
            last.pending.clear();
            return Some(());
        }
        self.last = None;
        let pending = state.buffer.iter().map(|s| named(&steps[*s])).collect();
        self.out.push(MachineStep {
            thread,
            action: MachineAction::Memory(value),
            pending,
        });
        Some(())
    }
}

fn named(step: &Step) -> NamedValue {
    NamedValue {
        name: step.cell.clone(),
        value: step.value,
        width: step.width,
    }
}
