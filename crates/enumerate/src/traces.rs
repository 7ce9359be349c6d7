//! All traces of all threads: each thread is run alone, on any values its reads may return, until
//! no thread does anything new.
//!
//! What a read may return, which memory is shared and what threads return is learned on the way
//! ([`ValueSets`]) and only grows; the last iteration learns nothing, so its traces are all there are.
//! A program could write larger and larger values that only justify each other; where dependencies
//! and reads-from have no cycle, the value of a write is reached in as many iterations as there are
//! writes, joins and creations, and the iterations end there.

use super::interpreter::{Flow, Interpreter};
use super::result::EnumerateError;
use super::thread_state::{MAX_STEPS, ThreadState};
use super::trace::*;
use super::value_set::ValueSets;
use base::idx::IdVec;

impl Interpreter<'_> {
    /// Finds all traces; main is the first instance.
    ///
    /// # Errors
    /// Interrupted, or there is no main.
    pub fn run(&mut self) -> Result<(), EnumerateError> {
        let main = self.program.main.ok_or(EnumerateError::NoMain)?;
        self.restart(main);
        let mut iterations = 0;
        loop {
            self.value_sets.grown = false;
            self.value_sets.grew = false;
            self.traces = IdVec::new();
            while self.traces.len() < self.instances.len() && !self.value_sets.is_split {
                let traces = self.explore(self.traces.next_id())?;
                self.traces.push(traces);
            }
            if self.value_sets.is_split {
                // What is known is of other locations.
                self.value_sets = ValueSets::with_pieces_of(&self.value_sets);
                self.restart(main);
                iterations = 0;
                continue;
            }
            // With ways left out the answer is incomplete, whatever else is learned.
            if !self.value_sets.grown || !self.notes.is_empty() {
                return Ok(());
            }
            iterations = if self.value_sets.grew {
                0
            } else {
                iterations + 1
            };
            if iterations > self.depth() {
                self.unfounded = true;
                return Ok(());
            }
        }
    }

    /// How many steps a value can take from thread to thread, without coming round.
    fn depth(&self) -> usize {
        let steps = |t: &ThreadTrace| {
            let writes = t.events.iter().filter(|e| e.kind.writes()).count();
            writes + t.joined.len() + t.spawned.len()
        };
        let longest = |traces: &Vec<ThreadTrace>| traces.iter().map(steps).max().unwrap_or(0);
        self.traces.iter().map(longest).sum::<usize>() + 1
    }

    /// The traces of one thread as far as is known.
    fn explore(&mut self, id: InstanceId) -> Result<Vec<ThreadTrace>, EnumerateError> {
        let instance = self.instances[id].clone();
        let proc = &self.program.procs[instance.proc];
        let mut work = vec![ThreadState::new(&instance, proc, id == InstanceId(0))];
        let (mut out, mut unbegun) = (Vec::new(), Vec::new());
        let mut steps: u64 = 0;
        while let Some(mut state) = work.pop() {
            if self.value_sets.is_split {
                return Ok(out);
            }
            if let Some(end) = state.end.take() {
                if state.unbegun {
                    unbegun.push(state.finish(end));
                    continue;
                }
                let trace = state.finish(end);
                self.value_sets.learn(instance.key, &trace);
                self.learn_ends((instance.key, &instance.gone), &trace);
                out.push(trace);
                if out.len() as u64 >= self.options.max_executions {
                    let text = format!("more than {} ways through a thread", out.len());
                    self.notes.push((text, proc.span));
                    return Ok(out);
                }
                continue;
            }
            steps += 1;
            if steps.is_multiple_of(1024) && (self.interrupt)() {
                return Err(EnumerateError::Interrupted);
            }
            state.steps += 1;
            if state.steps > MAX_STEPS {
                state.bounded(self.program);
            }
            match self.step(&mut state) {
                Flow::On => work.push(state),
                Flow::Fork(others) => work.extend(others),
                Flow::Also(others) => {
                    work.push(state);
                    work.extend(others);
                }
            }
        }
        // Nobody has to stop before a section that can always come last.
        let unseen = |t: &ThreadTrace| t.events.iter().any(|e| t.is_unseen(e));
        if out.iter().any(unseen) {
            for trace in unbegun {
                self.value_sets.learn(instance.key, &trace);
                out.push(trace);
            }
        }
        Ok(out)
    }
}
