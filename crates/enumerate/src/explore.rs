//! All traces of all threads: each thread is run alone, on any values its reads may return, until
//! no thread does anything new.
//!
//! What a read may return, which memory is shared and what threads return is learned on the way
//! ([`ValueSets`]) and only grows; the last iteration learns nothing, so its traces are all there are.
//! A program could write larger and larger values that only justify each other; where dependencies
//! and reads-from have no cycle, the value of a write is reached in as many iterations as there are
//! writes, joins and creations, and the iterations end there.

use super::code::{Code, numbers};
use super::objects::{Creation, Objects};
use super::options::EnumerateOptions;
use super::result::EnumerateError;
use super::thread_state::ThreadState;
use super::trace::*;
use super::value::ConcreteValue;
use super::value_set::ValueSets;
use base::idx::IdVec;
use base::source::Span;
use ir::program::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions of one trace; more are a loop that does not terminate.
const MAX_STEPS: u64 = 1 << 20;
/// Numbers tried for a value that nothing determines.
const MAX_NUMBERS: usize = 12;

/// What comes after an instruction.
pub(super) enum Flow {
    /// The thread goes on (or has its end set).
    On,
    /// These go on instead.
    Fork(Vec<ThreadState>),
    /// These go on too.
    Also(Vec<ThreadState>),
}

/// The threads of one program.
pub(super) struct Explorer<'a> {
    pub program: &'a Program,
    pub options: &'a EnumerateOptions,
    pub interrupt: &'a dyn Fn() -> bool,
    /// Every model asks for coherence.
    pub coherent: bool,
    /// Control dependencies end as the model of the Linux kernel has it.
    pub kernel: bool,
    pub code: IdVec<ProcId, Code>,
    pub objects: Objects<'a>,
    pub value_sets: ValueSets,
    pub snapshots: IdVec<SnapshotId, BTreeMap<u64, ConcreteValue>>,
    snapshot_ids: BTreeMap<BTreeMap<u64, ConcreteValue>, SnapshotId>,
    pub instances: IdVec<InstanceId, Instance>,
    instance_ids: BTreeMap<Instance, InstanceId>,
    /// Of the last iteration, by instance.
    pub traces: IdVec<InstanceId, Vec<ThreadTrace>>,
    numbers: Vec<u64>,
    /// How often the trip count of a loop was asked for and not known.
    pub undetermined: RefCell<BTreeMap<(ProcId, usize), u32>>,
    /// Values were left out that only justify each other.
    pub unfounded: bool,
    /// What was not looked at whatever the execution.
    pub notes: Vec<Note>,
}

impl<'a> Explorer<'a> {
    /// Nothing is known.
    pub fn new(
        program: &'a Program,
        options: &'a EnumerateOptions,
        (coherent, kernel): (bool, bool),
        interrupt: &'a dyn Fn() -> bool,
    ) -> Explorer<'a> {
        Explorer {
            program,
            options,
            interrupt,
            coherent,
            kernel,
            code: program.procs.iter().map(Code::of).collect(),
            objects: Objects::new(
                program,
                options.checks.contains(&PropertyKind::Uninitialised),
            ),
            value_sets: ValueSets::default(),
            snapshots: IdVec::new(),
            snapshot_ids: BTreeMap::new(),
            instances: IdVec::new(),
            instance_ids: BTreeMap::new(),
            traces: IdVec::new(),
            numbers: numbers(program, MAX_NUMBERS),
            undetermined: RefCell::default(),
            unfounded: false,
            notes: Vec::new(),
        }
    }

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

    /// Begins with main and nothing that is known of the others.
    fn restart(&mut self, main: ProcId) {
        self.snapshots = IdVec::new();
        self.snapshot_ids.clear();
        self.instances = IdVec::new();
        self.instance_ids.clear();
        self.notes.clear();
        let first: Creation = (None, (main, 0), 0, main);
        let key = self.objects.thread(first);
        self.instance(Instance {
            key,
            proc: main,
            arg: None,
            dead: BTreeSet::new(),
            gone: BTreeSet::new(),
            snapshot: None,
        });
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

    /// The instance of this description.
    pub(super) fn instance(&mut self, instance: Instance) -> InstanceId {
        if let Some(id) = self.instance_ids.get(&instance) {
            return *id;
        }
        let id = self.instances.push(instance.clone());
        self.instance_ids.insert(instance, id);
        id
    }

    /// Main's memory, when it creates the first thread.
    pub(super) fn snapshot(&mut self, store: &BTreeMap<u64, ConcreteValue>) -> SnapshotId {
        if let Some(id) = self.snapshot_ids.get(store) {
            return *id;
        }
        let id = self.snapshots.push(store.clone());
        self.snapshot_ids.insert(store.clone(), id);
        id
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
                self.learn_ends(&instance, &trace);
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
                let text = format!("more than {MAX_STEPS} instructions of a thread");
                state.notes.push((text, proc.span));
                state.end = Some(End::BoundReached);
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

    /// Goes on with each of some numbers, or words.
    pub(super) fn fork<T: Copy>(
        &self,
        state: &mut ThreadState,
        numbers: &[T],
        then: &dyn Fn(&mut ThreadState, T),
    ) -> Flow {
        if let [only] = numbers {
            then(state, *only);
            return Flow::On;
        }
        let each = numbers.iter().map(|number| {
            let mut other = state.clone();
            then(&mut other, *number);
            other
        });
        Flow::Fork(each.collect())
    }

    /// One number is enough for an indeterminate value: where it matters which, it decides something, and
    /// nothing else is asked for.
    pub(super) fn takes_one(&self) -> bool {
        self.options.checks == [PropertyKind::Uninitialised]
    }

    /// Numbers to try for what nobody has written, of which some bits are indeterminate, and whether these
    /// are all there are.
    pub(super) fn unwritten(&self, width: Width, shadow: u64) -> (Vec<u64>, bool) {
        match self.takes_one() && shadow == mask(width) {
            true => (vec![0], true),
            false => self.chosen(width),
        }
    }

    /// The indeterminate bits of what nobody has written.
    pub(super) fn shadow(&self, width: Width) -> u64 {
        match self.options.checks.contains(&PropertyKind::Uninitialised) {
            true => mask(width),
            false => 0,
        }
    }

    /// Numbers to try for a value that nothing determines, and whether these are all there are.
    pub(super) fn chosen(&self, width: Width) -> (Vec<u64>, bool) {
        if width <= 2 {
            return ((0..1 << width).collect(), true);
        }
        let mut some: Vec<u64> = self.numbers.iter().map(|n| n & mask(width)).collect();
        some.sort_unstable();
        some.dedup();
        (some, false)
    }

    /// What is said when only some numbers are tried.
    pub(super) fn arbitrary(width: Width, span: Span) -> Note {
        (format!("an arbitrary value of {width} bits"), span)
    }
}
