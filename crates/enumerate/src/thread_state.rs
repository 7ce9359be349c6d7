//! One thread on its way through its instructions.

use super::objects::{Objects, Site, ThreadKey};
use super::script::ThreadQuestion;
use super::trace::*;
use super::value::{ConcreteValue, Deps};
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use ir::shadow::Word;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Instructions of one trace; more are a loop that does not terminate.
pub(super) const MAX_STEPS: u64 = 1 << 20;

/// A loop the thread is in.
#[derive(Clone)]
pub(super) struct Loop {
    /// How often its back edge was taken.
    pub count: u32,
    /// How often it is taken at most, where its trip count is known.
    pub end: Option<u32>,
    /// The last iteration changed nothing and was followed nevertheless.
    pub idled: bool,
    /// The thread when this iteration began: branches that executions decide, violations, events, created
    /// threads, arbitrary values, new objects, registers, private memory.
    pub branches: u64,
    pub violated: usize,
    pub events: usize,
    pub spawned: usize,
    pub arbitrary: u64,
    pub allocated: usize,
    pub dead: BTreeSet<u64>,
    pub remembered: BTreeMap<u64, u64>,
    pub locals: Vec<Option<ConcreteValue>>,
    pub store: BTreeMap<u64, ConcreteValue>,
}

/// One activation of a procedure.
#[derive(Clone)]
pub(super) struct Frame {
    pub proc: ProcId,
    /// The next instruction.
    pub pc: usize,
    /// `None`: never set, so arbitrary.
    pub locals: Vec<Option<ConcreteValue>>,
    /// Registers that are arbitrary because the program says so: chosen when they are first used.
    pub havocked: BTreeSet<LocalId>,
    /// By back edge.
    pub loops: BTreeMap<usize, Loop>,
    /// The caller's register that receives the value.
    pub dst: Option<LocalId>,
    /// Addresses of the objects of its locals.
    pub objects: Vec<u64>,
}

/// An atomic group that has begun.
#[derive(Clone, Copy)]
pub(super) struct OpenGroup {
    /// Counted within the thread.
    pub number: u32,
    pub kind: Atomicity,
    /// How deep it is nested.
    pub depth: u32,
    /// How many threads the thread had created before.
    pub spawned: usize,
}

/// A thread.
#[derive(Clone)]
pub(super) struct ThreadState {
    pub key: ThreadKey,
    pub frames: Vec<Frame>,
    /// Private memory, where the thread has written or looked.
    pub store: BTreeMap<u64, ConcreteValue>,
    /// Reads that branches so far depended on.
    pub ctrl: Deps,
    /// Those where control dependencies began that end somewhere, the innermost last.
    pub scopes: Vec<Deps>,
    pub events: Vec<Rc<Event>>,
    /// The open atomic group.
    pub group: Option<OpenGroup>,
    pub groups: u32,
    /// The location that a linked load has reserved, and its events, a piece each.
    pub reservation: Option<(u64, Vec<Option<usize>>)>,
    /// What the access that it makes has read of its pieces so far, and the events.
    pub pieces: Vec<(ConcreteValue, Option<usize>)>,
    /// What a compare-exchange has read, and the events.
    pub compared: Option<(Vec<ConcreteValue>, Vec<Option<usize>>)>,
    /// Other threads may exist, so accesses may be events.
    pub concurrent: bool,
    pub snapshot: Option<SnapshotId>,
    pub spawned: Vec<Spawned>,
    pub joined: Vec<Joined>,
    pub observed: BTreeMap<ObservableId, u64>,
    pub violated: Vec<Violated>,
    pub notes: Vec<Note>,
    /// Executions of allocations and thread creations so far.
    pub times: BTreeMap<Site, u32>,
    /// Addresses of the objects it has made.
    pub allocated: Vec<u64>,
    /// Those on the heap, and where.
    pub heap: Vec<(u64, Span)>,
    /// Addresses of the objects it has freed.
    pub freed: Vec<u64>,
    /// Addresses of objects that have ended to exist for it.
    pub dead: BTreeSet<u64>,
    /// Threads that those who created it had joined before.
    pub gone: BTreeSet<ThreadKey>,
    /// See [`ThreadTrace::made`].
    pub made: BTreeMap<u64, Made>,
    /// See [`ThreadTrace::decided`].
    pub decided: BTreeMap<AddressChoice, bool>,
    /// What it remembers, where that is not 0.
    pub remembered: BTreeMap<u64, u64>,
    pub claims: Vec<Claim>,
    /// By location: what it wrote last, as an event.
    pub own: BTreeMap<u64, Word>,
    /// Branches so far that not every execution takes the same way.
    pub branches: u64,
    pub steps: u64,
    /// Arbitrary values that were looked at, and compare-exchanges and stores that have failed for no reason, so far.
    pub arbitrary: u64,
    /// It has stopped before an atomic section.
    pub unbegun: bool,
    /// See [`ThreadTrace::spurious`].
    pub spurious: bool,
    /// See [`ThreadTrace::returned`].
    pub returned: bool,
    /// What it has taken from outside; the activation and the register of values that are not chosen yet.
    pub taken: Vec<(Taken, Option<(usize, LocalId)>)>,
    /// It has taken something that is not there.
    pub is_untold: bool,
    /// What it asks for that its script does not answer.
    pub asks: Option<ThreadQuestion>,
    /// Its events before the iteration that changed nothing, where it goes no further because of that.
    pub idles_from: Option<usize>,
    pub end: Option<End>,
}

impl ThreadState {
    /// At the beginning.
    pub fn new(instance: &Instance, proc: &Proc, is_main: bool) -> ThreadState {
        let mut state = ThreadState {
            key: instance.key,
            frames: Vec::new(),
            store: BTreeMap::new(),
            ctrl: Deps::default(),
            scopes: Vec::new(),
            events: Vec::new(),
            group: None,
            groups: 0,
            reservation: None,
            pieces: Vec::new(),
            compared: None,
            concurrent: !is_main,
            snapshot: instance.snapshot,
            spawned: Vec::new(),
            joined: Vec::new(),
            observed: BTreeMap::new(),
            violated: Vec::new(),
            notes: Vec::new(),
            times: BTreeMap::new(),
            allocated: Vec::new(),
            heap: Vec::new(),
            freed: Vec::new(),
            dead: instance.dead.clone(),
            gone: instance.gone.clone(),
            made: BTreeMap::new(),
            decided: BTreeMap::new(),
            remembered: BTreeMap::new(),
            claims: Vec::new(),
            own: BTreeMap::new(),
            branches: 0,
            steps: 0,
            arbitrary: 0,
            unbegun: false,
            spurious: false,
            returned: false,
            taken: Vec::new(),
            is_untold: false,
            asks: None,
            idles_from: None,
            end: None,
        };
        let arg = instance.arg.map(|(word, fixed)| ConcreteValue {
            fixed,
            shadow: word.shadow,
            ..ConcreteValue::fixed(word.number, 64)
        });
        state.enter(instance.proc, proc, arg.into_iter().collect(), None);
        state
    }

    /// Begins a procedure; arguments that are missing are arbitrary.
    pub fn enter(
        &mut self,
        id: ProcId,
        proc: &Proc,
        args: Vec<ConcreteValue>,
        dst: Option<LocalId>,
    ) {
        let mut locals = vec![None; proc.locals.len()];
        let missing = proc.params.iter().skip(args.len()).copied();
        let havocked = missing.collect();
        for (param, arg) in proc.params.iter().zip(args) {
            locals[param.index()] = Some(arg.resized(proc.locals[*param].width));
        }
        self.frames.push(Frame {
            proc: id,
            pc: 0,
            locals,
            havocked,
            loops: BTreeMap::new(),
            dst,
            objects: Vec::new(),
        });
    }

    /// Sets a register of the running procedure.
    pub fn set(&mut self, dst: LocalId, value: Option<ConcreteValue>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.locals[dst.index()] = value;
            frame.havocked.remove(&dst);
        }
    }

    /// Registers have the words of a value.
    pub fn set_words(&mut self, dst: &[LocalId], words: Vec<ConcreteValue>) {
        for (dst, word) in dst.iter().zip(words) {
            self.set(*dst, Some(word));
        }
    }

    /// A register has any value from here on, which is chosen when it is first used.
    pub fn havoc(&mut self, dst: LocalId) {
        self.set(dst, None);
        if let Some(frame) = self.frames.last_mut() {
            frame.havocked.insert(dst);
        }
    }

    /// A branch on this value has been decided.
    pub fn branch(&mut self, on: &ConcreteValue) {
        self.ctrl.add(&on.deps);
        self.branches += u64::from(!on.fixed);
    }

    /// Notes that a property does not hold here.
    pub fn violate(&mut self, kind: PropertyKind, span: Span, text: &str) {
        self.violated.push(Violated {
            kind,
            span,
            text: text.to_string(),
            position: self.events.len(),
            taken: self.taken.len(),
        });
    }

    /// Remembers a number of a key.
    pub fn remember(&mut self, key: u64, value: u64) {
        match value {
            0 => drop(self.remembered.remove(&key)),
            value => drop(self.remembered.insert(key, value)),
        }
    }

    /// Claims a key, or releases it.
    pub fn claim(&mut self, key: u64, claims: Option<(Claimed, &Property)>, span: Span) {
        let own = Objects::handle(self.key);
        if key == own && claims.is_some_and(|(what, _)| what == Claimed::Awaited) {
            return;
        }
        let position = self.events.len();
        self.claims.push(Claim {
            key,
            claims: claims.map(|(what, property)| (what, property.text.clone())),
            span,
            position,
        });
    }

    /// Emits a fence where there may be other threads. `after` are the reads it is behind.
    pub fn fence(&mut self, tag: FenceTag, span: Span, after: &[Option<usize>]) {
        if !self.concurrent {
            return;
        }
        let mut ctrl_deps = self.ctrl.clone();
        for read in after.iter().flatten() {
            ctrl_deps.add(&Deps::one(*read));
        }
        self.events.push(Rc::new(Event {
            kind: ActionKind::Fence(tag),
            addr: 0,
            width: 0,
            value: 0,
            shadow: 0,
            order: MemoryOrder::Plain,
            addr_deps: Deps::default(),
            data_deps: Deps::default(),
            ctrl_deps,
            rmw: None,
            conditional: false,
            updates: false,
            group: self.group.map(|g| (g.number, g.kind)),
            span,
        }));
    }

    /// It takes something from outside.
    pub fn take(&mut self, what: TakenKind) {
        let (position, spawned) = (self.events.len(), self.spawned.len());
        let taken = Taken {
            position,
            spawned,
            what,
        };
        self.taken.push((taken, None));
    }

    /// A register has an arbitrary value from here on, which is chosen when it is first used.
    pub fn take_value(&mut self, dst: LocalId, width: Width, span: Span) {
        self.take(TakenKind::Value {
            number: 0,
            width,
            span,
        });
        let frame = self.frames.len();
        self.taken.last_mut().expect("it was added").1 = Some((frame, dst));
    }

    /// The value of a register is chosen that was arbitrary.
    pub fn choose(&mut self, local: LocalId, value: u64) {
        self.arbitrary += 1;
        let open = Some((self.frames.len(), local));
        match self.taken.iter_mut().rev().find(|(_, of)| *of == open) {
            Some((taken, of)) => {
                *of = None;
                if let TakenKind::Value { number, .. } = &mut taken.what {
                    *number = value;
                }
            }
            None => self.is_untold = true,
        }
    }

    /// It has executed so many instructions that it goes no further.
    pub fn bounded(&mut self, program: &Program) {
        let text = format!("more than {MAX_STEPS} instructions of a thread");
        let proc = self.frames.first().map(|f| program.procs[f.proc].span);
        self.notes
            .push((text, proc.unwrap_or_else(|| program.main_span())));
        self.end = Some(End::BoundReached);
    }

    /// How often this instruction was executed before.
    pub fn time(&mut self, site: Site) -> u32 {
        let time = self.times.entry(site).or_default();
        *time += 1;
        *time - 1
    }

    /// What the thread did, when it goes no further.
    pub fn finish(self, mut end: End) -> ThreadTrace {
        let unfinished = self.unfinished(&end);
        if let Some(created) = unfinished.and_then(|open| self.spawned.get(open.spawned)) {
            let text = "a thread created in an atomic section that does not end".to_string();
            end = End::Unsupported(text, created.span);
        }
        ThreadTrace {
            unfinished: unfinished.map(|open| open.number),
            events: self.events,
            spawned: self.spawned,
            joined: self.joined,
            observed: self.observed,
            violated: self.violated,
            claims: self.claims,
            handle: Objects::handle(self.key),
            notes: self.notes,
            allocated: self.heap,
            freed: self.freed,
            dead: self.dead,
            made: self.made,
            decided: self.decided,
            taken: (!self.is_untold).then(|| self.taken.into_iter().map(|(t, _)| t).collect()),
            spurious: self.spurious,
            returned: self.returned,
            snapshot: self.snapshot,
            end,
        }
    }
}
