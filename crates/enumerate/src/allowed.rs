//! An execution that a model allows, and what it adds to the answer.

use super::combine::Combination;
use super::consistency::{ExecutionSkeleton, View};
use super::interpreter::Interpreter;
use super::objects::Initial;
use super::result::{Enumeration, FinalState};
use super::trace::{End, SnapshotId, ThreadTrace};
use super::violations::found;
use base::source::Span;
use cat::eval::Evaluator;
use cat::model::{Flag, FlagKind};
use ir::program::{Observable, ObservableId, mask};
use std::collections::BTreeMap;

/// An execution that a model allows.
pub(super) struct AllowedExecution<'x> {
    pub interpreter: &'x Interpreter<'x>,
    pub combination: &'x Combination<'x>,
    pub skeleton: &'x ExecutionSkeleton<'x>,
    /// As the model sees it.
    pub view: &'x View,
    /// The index of a choice by location.
    pub execution: &'x [usize],
}

impl AllowedExecution<'_> {
    /// Adds it to the answer.
    pub fn add(&self, evaluator: &Evaluator, answer: &mut Enumeration) {
        let (interpreter, skeleton) = (self.interpreter, self.skeleton);
        let (program, model) = (interpreter.program, evaluator.model);
        let traces = || self.combination.traces.iter().map(|(_, trace)| *trace);
        answer.allowed += 1;
        let violations = found(
            skeleton,
            self.view,
            (model, evaluator),
            self.execution,
            interpreter.options,
        );
        let ended = traces().all(ThreadTrace::ended);
        let state = ended.then(|| self.final_state());
        let known = |flag: &Flag| {
            let states = answer.flags.get(&flag.name).zip(state.as_ref());
            states.is_some_and(|(states, state)| states.contains(state))
        };
        let marks = self.view.flags(evaluator, model, &known);
        for flag in &marks {
            if flag.kind == FlagKind::Wrong {
                let text = format!("executions in which `{}` of the model fails", flag.name);
                answer.limits_reached.insert((text, program.main_span()));
            }
        }
        let unsupported = traces().filter_map(|t| match &t.end {
            End::Unsupported(text, span) => Some((text.clone(), *span)),
            _ => None,
        });
        let unsupported: Vec<(String, Span)> = unsupported.collect();
        for trace in traces() {
            answer.limits_reached.extend(trace.notes.iter().cloned());
        }
        if skeleton.reads_arbitrary(self.execution) && !interpreter.takes_one() {
            let text = "memory that is not initialised".to_string();
            answer.limits_reached.insert((text, program.main_span()));
        }
        if !unsupported.is_empty() {
            answer.unsupported.extend(unsupported);
            return;
        }
        let mut ends = traces().enumerate().map(|(i, t)| t.ends_process(i == 0));
        answer.ends |= state.is_some() || ends.any(|ends| ends);
        answer.stops.extend(traces().filter_map(ThreadTrace::stop));
        for violation in violations {
            *answer.violations.entry(violation).or_default() += 1;
        }
        if let Some(state) = state {
            for flag in marks {
                let states = answer.flags.entry(flag.name.clone()).or_default();
                states.insert(state.clone());
            }
            *answer.states.entry(state).or_default() += 1;
        }
    }

    fn final_state(&self) -> FinalState {
        let last = self.skeleton.last(self.execution);
        let program = self.interpreter.program;
        let observables = program.observables.iter_enumerated();
        let value = |(id, what): (ObservableId, &Observable)| match what {
            Observable::Register { .. } => {
                let traces = self.combination.traces.iter().rev();
                let mut said = traces.filter_map(|(_, t)| t.observed.get(&id));
                said.next().copied().unwrap_or(0)
            }
            Observable::Memory {
                global,
                offset,
                width,
            } => {
                let addr = program.static_address(*global) + offset;
                let snapshot = self.combination.snapshot;
                self.interpreter.memory(snapshot, &last, addr, *width)
            }
        };
        observables.map(value).collect()
    }
}

impl Interpreter<'_> {
    /// What memory contains initially.
    pub(super) fn contents(&self, snapshot: Option<SnapshotId>, addr: u64) -> Initial {
        let width = self.value_sets.width_of(addr).unwrap_or(8);
        match snapshot.and_then(|s| self.snapshots[s].get(&addr)) {
            Some(value) => Initial::Known(value.word()),
            None => self.objects.initial(addr, width),
        }
    }

    /// What memory contains initially, where that is not arbitrary.
    pub(super) fn known_contents(&self, snapshot: Option<SnapshotId>, addr: u64) -> Option<u64> {
        match self.contents(snapshot, addr) {
            Initial::Known(word) => Some(word.number),
            Initial::Arbitrary(_) => None,
        }
    }

    /// What memory contains at the end, byte by byte; `last` are the last writes by location.
    fn memory(
        &self,
        snapshot: Option<SnapshotId>,
        last: &BTreeMap<u64, (u8, u64)>,
        addr: u64,
        width: u8,
    ) -> u64 {
        let before = snapshot.map(|s| &self.snapshots[s]);
        let mut number = 0;
        for i in 0..u64::from(width) / 8 {
            let at = addr + i;
            let near = at.saturating_sub(7)..=at;
            let covers = |start: u64, width: u8| at - start < u64::from(width) / 8;
            let written = last.range(near.clone()).find(|(a, (w, _))| covers(**a, *w));
            let written = written.map(|(a, (_, value))| (*a, *value));
            let written = written.or_else(|| {
                let mut near = before?.range(near);
                let (a, value) = near.find(|(a, value)| covers(**a, value.width))?;
                Some((*a, value.number))
            });
            let byte = match written {
                Some((start, value)) => value >> (8 * (at - start)),
                None => match self.objects.initial(at, 8) {
                    Initial::Known(byte) => byte.number,
                    Initial::Arbitrary(_) => 0,
                },
            };
            number |= (byte & 0xff) << (8 * i);
        }
        number & mask(width)
    }
}
