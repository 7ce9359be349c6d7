//! What threads do between two things that they cannot know by themselves.
//!
//! A thread runs until it reads what other threads may write, waits for another thread, or has several ways
//! to go on; there the answer decides. Runs are a tree for each thread: a run and an answer have one next
//! run, which is made once and kept. However often an exploration comes back to a thread that has read the
//! same values, its instructions are executed once. There may be as many runs as executions: those that no graph
//! and no open branch refers to are forgotten when there are too many ([`Runs::collect`]).

use super::error::Halt;
use crate::consistency::{initial_node, node};
use crate::interpreter::{Flow, Interpreter};
use crate::objects::ThreadKey;
use crate::result::EnumerateError;
use crate::script::{Script, ThreadQuestion};
use crate::thread_state::{MAX_STEPS, ThreadState};
use crate::trace::{ActionKind, End, Event, InstanceId, SnapshotId};
use crate::value_set::Ending;
use base::id;
use base::idx::{Id, IdVec};
use cat::arch::rmw_of;
use cat::incremental::{Label, Plan};
use cat::model::Model;
use ir::program::{Op, Program};
use ir::shadow::Word;
use rustc_hash::FxHashMap;
use std::rc::Rc;

id!(
    /// A run of a thread.
    RunId,
    "run"
);

/// What a node does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeKind {
    /// Gives a location its initial value.
    Init,
    Read,
    Write,
    Fence,
    /// The thread goes one of several ways.
    Choice,
}

/// An event of a run.
pub(super) struct RunEvent {
    pub event: Rc<Event>,
    /// `None`: it means nothing to the model.
    pub label: Option<Label>,
}

/// Why a run is over.
pub(super) enum Stop {
    /// The thread reads from a location.
    Reads { addr: u64 },
    /// It waits for a thread.
    Joins(ThreadKey),
    /// It has several ways to go on.
    Chooses(Vec<Rc<ThreadState>>),
    /// It goes no further.
    Ends(End),
}

/// A part of a thread.
pub(super) struct Run {
    /// What it does; after an answer to a read, the first one is that read.
    pub events: Vec<RunEvent>,
    /// How many events the thread has before.
    pub start: usize,
    pub stop: Stop,
    /// The thread where it stops; before the instruction that asks.
    pub state: Rc<ThreadState>,
    /// Of a run that follows a read: the one that asked for it.
    parent: Option<RunId>,
    /// What that instruction was answered so far.
    script: Vec<Word>,
    /// Nothing comes of it: the thread has read what it waits for not to be there, or what must not be.
    pub is_idle: bool,
}

/// What decides how a thread goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RunAnswer {
    Word(Word),
    Ending(Ending),
    Way(usize),
}

/// The runs of a program that were needed so far.
pub(super) struct Runs<'m> {
    model: &'m Model,
    plan: &'m Plan<'m>,
    runs: IdVec<RunId, Option<Run>>,
    /// Those that are forgotten.
    free: Vec<RunId>,
    /// So many are kept at least, before some are forgotten.
    few: usize,
    /// How many are kept now.
    most: usize,
    next: FxHashMap<(RunId, RunAnswer), RunId>,
    first: FxHashMap<InstanceId, RunId>,
    /// By run and word that is read: how it may go on.
    outcomes: FxHashMap<(RunId, Word), Rc<[RunId]>>,
    /// The label of a node that means nothing to the model.
    nothing: Label,
    /// Objects begin or end while there are several threads.
    pub has_lifetimes: bool,
}

impl std::ops::Index<RunId> for Runs<'_> {
    type Output = Run;

    fn index(&self, id: RunId) -> &Run {
        self.runs[id].as_ref().expect("what is referred to is kept")
    }
}

impl<'m> Runs<'m> {
    /// None yet.
    pub fn new(model: &'m Model, plan: &'m Plan<'m>, few: usize) -> Runs<'m> {
        Runs {
            model,
            plan,
            runs: IdVec::new(),
            free: Vec::new(),
            few,
            most: few,
            next: FxHashMap::default(),
            first: FxHashMap::default(),
            outcomes: FxHashMap::default(),
            nothing: Label::nothing(),
            has_lifetimes: false,
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Runs::new(self.model, self.plan, self.few);
    }

    /// The first run of a thread.
    pub fn first(&mut self, interpreter: &mut Interpreter, id: InstanceId) -> Result<RunId, Halt> {
        if let Some(run) = self.first.get(&id) {
            return Ok(*run);
        }
        let instance = interpreter.instances[id].clone();
        let proc = &interpreter.program.procs[instance.proc];
        let state = ThreadState::new(&instance, proc, id == InstanceId(0));
        let run = self.run(interpreter, state, 0, Script::default())?;
        self.first.insert(id, run);
        Ok(run)
    }

    /// The run that follows an answer.
    pub fn next(
        &mut self,
        interpreter: &mut Interpreter,
        id: RunId,
        answer: RunAnswer,
    ) -> Result<RunId, Halt> {
        if let Some(next) = self.next.get(&(id, answer)) {
            return Ok(*next);
        }
        let run = &self[id];
        let start = run.start + run.events.len();
        let mut state = (*run.state).clone();
        let mut script = Script {
            words: run.script.clone(),
            ending: None,
        };
        match (answer, &run.stop) {
            (RunAnswer::Word(word), _) => script.words.push(word),
            (RunAnswer::Ending(ending), _) => script.ending = Some(ending),
            (RunAnswer::Way(way), Stop::Chooses(ways)) => state = (*ways[way]).clone(),
            (RunAnswer::Way(_), _) => {}
        }
        let next = self.run(interpreter, state, start, script)?;
        self.next.insert((id, answer), next);
        Ok(next)
    }

    /// The runs that may follow a read that returns a word: several where a compare-exchange may fail for
    /// no reason.
    pub fn outcomes(
        &mut self,
        interpreter: &mut Interpreter,
        id: RunId,
        word: Word,
    ) -> Result<Rc<[RunId]>, Halt> {
        if let Some(known) = self.outcomes.get(&(id, word)) {
            return Ok(known.clone());
        }
        let first = self.next(interpreter, id, RunAnswer::Word(word))?;
        let (mut open, mut out) = (vec![first], Vec::new());
        while let Some(next) = open.pop() {
            match &self[next].stop {
                Stop::Chooses(ways) if self[next].events.is_empty() => {
                    for way in (0..ways.len()).rev() {
                        open.push(self.next(interpreter, next, RunAnswer::Way(way))?);
                    }
                }
                _ => out.push(next),
            }
        }
        for next in &out {
            if let Some(run) = &mut self.runs[*next] {
                run.parent = Some(id);
            }
        }
        let out: Rc<[RunId]> = out.into();
        self.outcomes.insert((id, word), out.clone());
        Ok(out)
    }

    /// The run that was answered before another one.
    pub fn before(&self, id: RunId) -> RunId {
        self[id].parent.unwrap_or(id)
    }

    /// Whether there are so many runs that some should be forgotten.
    pub fn are_many(&self) -> bool {
        self.runs.len() - self.free.len() > self.most
    }

    /// Forgets the runs that nothing refers to but others of them.
    pub fn collect(&mut self, referred: impl Iterator<Item = RunId>) {
        let mut kept = vec![false; self.runs.len()];
        let first: Vec<RunId> = self.first.values().copied().collect();
        for id in referred.chain(first) {
            let mut next = Some(id);
            while let Some(id) = next.filter(|id| !std::mem::replace(&mut kept[id.index()], true)) {
                next = self[id].parent;
            }
        }
        let is_kept = |id: &RunId| kept[id.index()];
        self.next
            .retain(|(from, _), to| is_kept(from) && is_kept(to));
        self.outcomes
            .retain(|(from, _), to| is_kept(from) && to.iter().all(is_kept));
        for id in self.runs.ids() {
            if !kept[id.index()] && self.runs[id].take().is_some() {
                self.free.push(id);
            }
        }
        self.most = self.few.max(2 * (self.runs.len() - self.free.len()));
    }

    /// What a node is to the model.
    pub fn label(&self, kind: NodeKind, run: RunId, index: usize) -> &Label {
        let event = self[run]
            .events
            .get(index)
            .filter(|_| kind != NodeKind::Choice);
        event
            .and_then(|e| e.label.as_ref())
            .unwrap_or(&self.nothing)
    }

    /// What the initial write of a location is to the model.
    pub fn init_label(
        &self,
        interpreter: &Interpreter,
        snapshot: Option<SnapshotId>,
        addr: u64,
    ) -> Label {
        let initial = interpreter.contents(snapshot, addr);
        self.plan
            .label(&initial_node(self.model, addr, initial), None)
    }

    /// Runs a thread that has `start` events; the script is for its next instruction.
    fn run(
        &mut self,
        interpreter: &mut Interpreter,
        mut state: ThreadState,
        start: usize,
        mut script: Script,
    ) -> Result<RunId, Halt> {
        let begun = Begun::of(&state);
        let answered = script.words.clone();
        let mut is_first = true;
        loop {
            if let Some(end) = state.end.take() {
                return self.ends(interpreter, (state, end), start, &begun);
            }
            state.steps += 1;
            if state.steps.is_multiple_of(1024) && (interpreter.interrupt)() {
                return Err(EnumerateError::Interrupted.into());
            }
            if state.steps > MAX_STEPS {
                state.bounded(interpreter.program);
                continue;
            }
            let resume = may_ask(interpreter.program, &state).then(|| state.clone());
            let before = state.events.len();
            interpreter.script = Some(std::mem::take(&mut script));
            let flow = interpreter.step(&mut state);
            if interpreter.value_sets.is_stale() {
                return Err(Halt::Restart);
            }
            let mut ways = match flow {
                Flow::On => match state.asks.take() {
                    None => {
                        is_first = false;
                        continue;
                    }
                    Some(question) => {
                        let resume = resume.expect("instructions that ask are known");
                        let script = if is_first { answered } else { Vec::new() };
                        let stop = Stop::of(question);
                        return self.add(interpreter, (start, &state.events), stop, resume, script);
                    }
                },
                Flow::Fork(ways) => ways,
                Flow::Also(others) => [vec![state.clone()], others].concat(),
            };
            is_first = false;
            // A way that only machines with a linked pair have.
            ways.retain(|way| !way.spurious || self.model.linked);
            if ways.len() == 1 {
                state = ways.remove(0);
                continue;
            }
            let state = resume.unwrap_or(state);
            let stop = Stop::Chooses(ways.into_iter().map(Rc::new).collect());
            let events = state.events[..before].to_vec();
            return self.add(interpreter, (start, &events), stop, state, Vec::new());
        }
    }

    /// The run at whose end a thread goes no further.
    fn ends(
        &mut self,
        interpreter: &mut Interpreter,
        (mut state, end): (ThreadState, End),
        start: usize,
        begun: &Begun,
    ) -> Result<RunId, Halt> {
        if interpreter.program.reuses_addresses {
            let trace = state.clone().finish(end.clone());
            interpreter.learn_ends((state.key, &state.gone), &trace);
            if interpreter.value_sets.is_stale() {
                return Err(Halt::Restart);
            }
        }
        state.drop_idle_write(start);
        let waits = match &end {
            End::Blocked(..) | End::Waits(..) => true,
            // A read before the iteration is not repeated.
            End::Spins(..) => state.idles_from.is_some_and(|from| from <= start),
            _ => false,
        };
        let is_idle = waits && begun.is_all_of(&state);
        let events = state.events.clone();
        let id = self.add(
            interpreter,
            (start, &events),
            Stop::Ends(end),
            state,
            Vec::new(),
        )?;
        if let Some(run) = &mut self.runs[id] {
            run.is_idle = is_idle;
        }
        Ok(id)
    }

    fn add(
        &mut self,
        interpreter: &mut Interpreter,
        (start, all): (usize, &[Rc<Event>]),
        stop: Stop,
        state: ThreadState,
        script: Vec<Word>,
    ) -> Result<RunId, Halt> {
        let mut events = Vec::new();
        for (position, event) in all.iter().enumerate().skip(start) {
            if event.group.is_some() {
                let reason =
                    "an atomic section, or an access whose bytes others access in smaller units";
                return Err(Halt::refused(reason, event.span));
            }
            if interpreter.omitted.learn(event) {
                return Err(Halt::Restart);
            }
            let read = |w: &&Rc<Event>| w.rmw == Some(position) && !w.conditional;
            let write = all.iter().find(read);
            let order = write.map_or(event.order, |w| w.order);
            let pair = match (event.rmw, write) {
                (Some(_), _) => Some(rmw_of(self.model.arch, event.order)),
                (None, Some(w)) => Some(rmw_of(self.model.arch, w.order)),
                (None, None) => None,
            };
            let thread = state.key.0;
            let label = node(self.model, event, order, thread)?;
            self.has_lifetimes |= matches!(event.kind, ActionKind::Lifetime(_));
            events.push(RunEvent {
                event: event.clone(),
                label: label.map(|label| self.plan.label(&label, pair)),
            });
        }
        debug_assert!(interpreter.script.is_some());
        let run = Some(Run {
            events,
            start,
            stop,
            state: Rc::new(state),
            parent: None,
            script,
            is_idle: false,
        });
        let Some(id) = self.free.pop() else {
            return Ok(self.runs.push(run));
        };
        self.runs[id] = run;
        Ok(id)
    }
}

impl Stop {
    fn of(question: ThreadQuestion) -> Stop {
        match question {
            ThreadQuestion::Read { addr, .. } => Stop::Reads { addr },
            ThreadQuestion::Ending(key) => Stop::Joins(key),
        }
    }
}

impl ThreadState {
    /// The read with which a run began ends an iteration that changes nothing: where all that is written
    /// then is its read-modify-write, that is not made, and the read is one in vain.
    fn drop_idle_write(&mut self, start: usize) {
        let mut writes = (start..self.events.len()).filter(|at| self.events[*at].kind.writes());
        let own = writes.next().filter(|w| self.events[*w].rmw == Some(start));
        if self.idles_from.is_some_and(|from| from <= start)
            && writes.next().is_none()
            && let Some(write) = own
        {
            self.events.truncate(write);
        }
    }
}

/// What a thread had done when a run began.
struct Begun {
    events: usize,
    others: [usize; 4],
}

impl Begun {
    fn of(state: &ThreadState) -> Begun {
        Begun {
            events: state.events.len(),
            others: Begun::others(state),
        }
    }

    fn others(state: &ThreadState) -> [usize; 4] {
        let (violated, spawned) = (state.violated.len(), state.spawned.len());
        [violated, spawned, state.claims.len(), state.notes.len()]
    }

    /// Whether the thread has done nothing since that others can see.
    fn is_all_of(&self, state: &ThreadState) -> bool {
        let mut events = state.events[self.events..].iter();
        self.others == Begun::others(state) && !events.any(|e| e.kind.writes())
    }
}

/// Whether the next instruction may ask for something.
fn may_ask(program: &Program, state: &ThreadState) -> bool {
    let Some(frame) = state.frames.last() else {
        return false;
    };
    let asks = |op: &Op| {
        matches!(
            op,
            Op::Load { .. }
                | Op::Rmw { .. }
                | Op::Cas { .. }
                | Op::Pair(_)
                | Op::LoadLinked { .. }
                | Op::StoreConditional { .. }
                | Op::OneOf(_)
                | Op::Join { .. }
        )
    };
    let next = program.procs[frame.proc].body.get(frame.pc);
    next.is_some_and(|instr| asks(&instr.op))
}

impl ActionKind {
    /// As a node.
    pub(super) fn node_kind(self) -> NodeKind {
        match self {
            ActionKind::Read => NodeKind::Read,
            ActionKind::Write | ActionKind::Lifetime(_) => NodeKind::Write,
            ActionKind::Fence(_) => NodeKind::Fence,
        }
    }
}
