//! The interpreter of a program's threads, on plain numbers: what it knows, and the choices it makes.
//!
//! One instruction is executed in [`step`](super::step), an access in [`access`](super::access). What a
//! read may return is either learned from all that threads may write ([`super::traces`]), or said by a
//! [`Script`](super::script::Script).

use super::code::{Code, numbers};
use super::objects::{Creation, Objects};
use super::omitted::Omitted;
use super::options::EnumerateOptions;
use super::script::Script;
use super::thread_state::ThreadState;
use super::trace::*;
use super::value::ConcreteValue;
use super::value_set::ValueSets;
use base::idx::IdVec;
use base::source::Span;
use ir::program::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

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
pub(super) struct Interpreter<'a> {
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
    /// The answers to what the next instruction asks for; `None`: any that is known.
    pub script: Option<Script>,
    numbers: Vec<u64>,
    /// How often the trip count of a loop was asked for and not known.
    pub undetermined: RefCell<BTreeMap<(ProcId, usize), u32>>,
    pub omitted: Omitted,
    /// Values were left out that only justify each other.
    pub unfounded: bool,
    /// What was not looked at whatever the execution.
    pub notes: Vec<Note>,
}

impl<'a> Interpreter<'a> {
    /// Nothing is known.
    pub fn new(
        program: &'a Program,
        options: &'a EnumerateOptions,
        (coherent, kernel): (bool, bool),
        interrupt: &'a dyn Fn() -> bool,
    ) -> Interpreter<'a> {
        Interpreter {
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
            script: None,
            numbers: numbers(program, MAX_NUMBERS),
            undetermined: RefCell::default(),
            omitted: Omitted::default(),
            unfounded: false,
            notes: Vec::new(),
        }
    }

    /// Begins with main and nothing that is known of the others.
    pub(super) fn restart(&mut self, main: ProcId) {
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
