//! The replay of an execution by the program itself.
//!
//! [`decode`](super::decode) reads an execution off the solver's answer by evaluating terms of the
//! event graph, and so believes the unroller: its joining of paths, its pointers, its choice of
//! what is shared. Here nothing of that is believed. The instructions of the program are executed
//! one after the other on plain numbers, thread by thread, and what they do is compared with what
//! the execution says happened:
//!
//! - An access to a cell that threads share is the next event of its thread: of the same kind, at
//!   the same place in the source, with the same address, and with the same value if it writes. A
//!   read returns what the write that it reads from has written. Fences and atomic groups are
//!   compared too. A plain read by the only thread that writes a cell may be missing.
//! - All other memory is private to the thread; a new thread has a copy of its creator's.
//! - What the program does not determine is taken from the execution in the order in which the
//!   thread asks for it: arbitrary values, addresses of new objects, contents of uninitialised
//!   memory ([`Choice`]). The size of an object is computed again.
//! - Until main creates the first thread, its writes are no events. At that moment the initial
//!   values of the cells must be what main's memory contains. A path of main that creates no
//!   thread may share events with paths that do; on such a path the moment is searched for, as any
//!   that makes everything else fit is a correct one.
//!
//! A thread may stop anywhere (the bound, an assumption, a wait), but only when the execution has
//! nothing more of it: every event, child and choice must have been consumed, and a thread that ended
//! in the execution must end here. Awaits need no care: the execution contains the iteration that
//! leaves the loop, or none that follows.
//!
//! At the end the violating thread must have failed the violated check, where the execution does.
//! Everything else is a mismatch, that is, a bug of this tool. What is *not* checked here is
//! whether the memory model allows the reads their values; that is `cat::eval`'s part.

mod access;
mod atomic;
mod grace;
mod idle;
mod memory;
mod origin;
mod record;
mod step;

use super::decode::{Mismatch, Run};
use super::outcome::NamedValue;
use crate::unroll::event::*;
use base::idx::{Id, IdVec};
use base::source::Span;
use enumerate::code::Code;
use idle::{Heads, State};
use ir::program::*;
use ir::shadow::Word;
use memory::{Objects, Store};
use record::Recorder;
pub use record::{ExecutedInstruction, Recording, Unwritten};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Instructions of one thread; more are a loop that does not terminate that the execution did not have.
const MAX_STEPS: u64 = 1 << 24;
/// Instructions of one thread behind everything that the event graph has of it.
const MAX_STEPS_BEYOND: u64 = 1 << 16;
/// Activations of procedures at once.
const MAX_FRAMES: usize = 1 << 14;

/// Values of registers at the end of an execution.
pub type Observed = BTreeMap<ObservableId, u64>;

/// Where threads wait.
pub type Waits = BTreeMap<ThreadId, Span>;

/// Executes the program along an execution that violates `check`; what it has executed, if it is a
/// program for a machine.
///
/// # Errors
/// The program does something else than the execution says, or does not violate the check.
pub fn replay(program: &Program, run: &Run, check: &Check) -> Result<Recording, Mismatch> {
    attempts(program, run, &Goal::Check(check)).map(|(_, recording)| recording)
}

/// The loops that threads spin in, by procedure and back edge.
pub type Spins = BTreeMap<ThreadId, (ProcId, usize)>;

/// Executes the program along an execution at whose end these threads wait at these places, and these spin in
/// loops of which the last iteration has changed nothing.
///
/// # Errors
/// The program does something else than the execution says, or a thread does not wait or spin there.
pub fn replay_waits(
    program: &Program,
    run: &Run,
    waits: &Waits,
    spins: &Spins,
) -> Result<(), Mismatch> {
    let code: IdVec<ProcId, Code> = program.procs.iter().map(Code::of).collect();
    let goal = Goal::Waits {
        waits,
        spins,
        code: &code,
    };
    attempts(program, run, &goal).map(|_| ())
}

/// Executes the program along an execution in which all threads end; what they have observed.
///
/// # Errors
/// The program does something else than the execution says.
pub fn observe(program: &Program, run: &Run) -> Result<Observed, Mismatch> {
    attempts(program, run, &Goal::End).map(|(observed, _)| observed)
}

/// Executes the program along an execution, and beyond it as far as it goes by itself: it does nothing
/// that the event graph does not have, and violates no property of these kinds that is not violated
/// there. The graph may stop where it says so: at the bound of a loop, where a thread waits, at what
/// is not supported; and behind an iteration that has changed nothing of its thread.
///
/// # Errors
/// The program does something else than the execution says, or more.
pub fn follow(
    program: &Program,
    run: &Run,
    kinds: &[PropertyKind],
    code: &IdVec<ProcId, Code>,
) -> Result<(), Mismatch> {
    attempts(program, run, &Goal::All(kinds, code)).map(|_| ())
}

/// What threads have observed, and what they have executed.
type Replayed = (Observed, Recording);

fn attempts(program: &Program, run: &Run, goal: &Goal) -> Result<Replayed, Mismatch> {
    let (passed, result) = attempt(program, run, goal, u64::MAX);
    let Err(first) = result else {
        return result;
    };
    let mut others = (0..=passed).map(|begin| attempt(program, run, goal, begin).1);
    others.find(Result::is_ok).unwrap_or(Err(first))
}

/// A replay in which shared accesses are events after `begin` of main's, or after the first thread
/// is created; says how many there were before.
fn attempt(
    program: &Program,
    run: &Run,
    goal: &Goal,
    begin: u64,
) -> (u64, Result<Replayed, Mismatch>) {
    let objects = match Objects::new(program, run) {
        Ok(objects) => objects,
        Err(mismatch) => return (0, Err(mismatch)),
    };
    let cells = run.graph.cells.iter_enumerated();
    let mut replay = Replay {
        program,
        run,
        goal,
        objects,
        cells: cells.map(|(id, c)| (c.addr, id)).collect(),
        returned: FxHashMap::default(),
        left: FxHashMap::default(),
        concurrent: false,
        begin,
        passed: 0,
        violated: false,
        found: Vec::new(),
        waiting: Waits::new(),
        spinning: Spins::new(),
        heap: BTreeMap::new(),
        freed: BTreeSet::new(),
        claimed: BTreeSet::new(),
        observed: Observed::new(),
        unwritten: BTreeMap::new(),
        recorder: Recorder::default(),
    };
    let result = replay.main();
    let replayed = result.map(|()| (replay.observed, replay.recorder.recording));
    (replay.passed, replayed)
}

/// What the execution is expected to come to.
#[derive(Clone, Copy)]
enum Goal<'a> {
    /// This check fails.
    Check(&'a Check),
    /// These threads wait, and these spin.
    Waits {
        waits: &'a Waits,
        spins: &'a Spins,
        code: &'a IdVec<ProcId, Code>,
    },
    /// Nothing beyond its events.
    End,
    /// Everything that the program does, with violations of these kinds.
    All(&'a [PropertyKind], &'a IdVec<ProcId, Code>),
}

/// Why a thread goes no further.
enum Stop {
    /// The execution has nothing for it.
    Stuck,
    /// The program says so: it waits, or must not go on.
    Blocked,
    /// The execution has something else.
    Wrong(Mismatch),
}

impl From<Mismatch> for Stop {
    fn from(mismatch: Mismatch) -> Stop {
        Stop::Wrong(mismatch)
    }
}

/// What all threads share.
struct Replay<'a> {
    program: &'a Program,
    run: &'a Run<'a>,
    goal: &'a Goal<'a>,
    objects: Objects<'a>,
    cells: FxHashMap<u64, CellId>,
    /// By handle: what threads that ended returned.
    returned: FxHashMap<u64, Word>,
    /// By handle: which objects and threads had ended when a thread did.
    left: FxHashMap<u64, BTreeSet<u64>>,
    /// Accesses to cells are events.
    concurrent: bool,
    begin: u64,
    passed: u64,
    /// The check has failed, as it should.
    violated: bool,
    /// Violations that are looked for wherever they are.
    found: Vec<(ThreadId, PropertyKind, String, Span)>,
    /// Threads that wait.
    waiting: Waits,
    /// Threads that spin.
    spinning: Spins,
    /// By address: objects on the heap, and where they were allocated.
    heap: BTreeMap<u64, Span>,
    /// Addresses that any thread has freed.
    freed: BTreeSet<u64>,
    /// Keys that were claimed and not released.
    claimed: BTreeSet<u64>,
    observed: Observed,
    /// By thread, activation and register: what an indeterminate value comes from.
    unwritten: BTreeMap<(ThreadId, usize, LocalId), Unwritten>,
    recorder: Recorder,
}

/// One activation of a procedure.
struct Frame {
    proc: ProcId,
    /// The next instruction.
    pc: usize,
    registers: Vec<Option<Word>>,
    /// The caller's register that receives the value.
    dst: Option<LocalId>,
    /// Addresses of the objects of its locals.
    objects: Vec<u64>,
}

/// An atomic group that has begun.
struct OpenGroup {
    kind: Atomicity,
    /// How deep it is nested.
    depth: u32,
    /// The group of its events, once there is one.
    id: Option<GroupId>,
}

/// One thread on its way.
struct ReplayThread {
    id: ThreadId,
    frames: Vec<Frame>,
    store: Store,
    /// Its events that happened and are still to come, with their positions in the thread.
    events: VecDeque<(usize, EventId)>,
    /// Its choices that are still to come.
    choices: VecDeque<ChoiceKind>,
    /// Threads it has still to create.
    children: VecDeque<ThreadId>,
    /// The position behind the last event.
    position: usize,
    /// The atomic group that has begun.
    atomic: Option<OpenGroup>,
    /// Addresses of objects that have ended to exist for it.
    dead: BTreeSet<u64>,
    /// Addresses of objects, and handles of threads, that had ended before a join did.
    gone: BTreeSet<u64>,
    /// What it remembers.
    notes: BTreeMap<u64, u64>,
    /// The location that a linked load has reserved, and its events, a piece each.
    reservation: Option<(u64, Vec<Option<EventId>>)>,
    /// The instruction it is at.
    span: Span,
    /// Where it has jumped back, and has called.
    passed: FxHashSet<Span>,
    /// How it has come to the heads of the loops it is in.
    heads: Heads,
}

impl ReplayThread {
    /// Begins the group that several pieces of an access may be, if no other has begun.
    fn open_access(&mut self, pieces: usize) -> bool {
        let opens = pieces > 1 && self.atomic.is_none();
        if opens {
            self.atomic = Some(OpenGroup {
                kind: Atomicity::Access,
                depth: 1,
                id: None,
            });
        }
        opens
    }

    fn new(run: &Run, id: ThreadId, store: Store) -> ReplayThread {
        let graph = run.graph;
        let events = graph.threads[id].events.iter().copied().enumerate();
        let choices = graph.choices.iter().filter(|d| d.thread == id);
        let threads = graph.threads.iter_enumerated();
        let children = threads.filter(|(_, t)| t.parent == Some(id) && run.holds(t.guard));
        ReplayThread {
            id,
            frames: Vec::new(),
            store,
            events: events
                .filter(|(_, e)| run.events.binary_search(e).is_ok())
                .collect(),
            choices: choices
                .filter(|d| run.holds(d.guard))
                .map(|d| d.what)
                .collect(),
            children: children.map(|(child, _)| child).collect(),
            position: 0,
            atomic: None,
            dead: BTreeSet::new(),
            gone: BTreeSet::new(),
            notes: BTreeMap::new(),
            reservation: None,
            span: graph.threads[id].span,
            passed: FxHashSet::default(),
            heads: Heads::default(),
        }
    }

    /// Whether the thread stands between its events where the event graph says `position`.
    fn is_at(&self, position: usize) -> bool {
        self.position <= position
            && self
                .events
                .front()
                .is_none_or(|(next, _)| position <= *next)
    }

    fn is_done(&self) -> bool {
        self.events.is_empty() && self.choices.is_empty() && self.children.is_empty()
    }

    /// The next arbitrary value of the thread.
    fn choice(&mut self, run: &Run, width: Width) -> Result<u64, Stop> {
        match self.choices.pop_front() {
            None => Err(Stop::Stuck),
            Some(ChoiceKind::Value(term)) if run.graph.terms.width(term) == width => {
                Ok(run.eval(term))
            }
            Some(other) => Err(Mismatch(format!(
                "{} takes an arbitrary value of {width} bits, the execution has {other:?}",
                self.id
            ))
            .into()),
        }
    }

    /// The next arbitrary value of the thread, which nothing determines.
    fn indeterminate(&mut self, run: &Run, width: Width) -> Result<Word, Stop> {
        let number = self.choice(run, width)?;
        Ok(indeterminate(run, number, width))
    }

    /// Begins a procedure.
    fn enter(
        &mut self,
        program: &Program,
        run: &Run,
        proc: ProcId,
        args: Vec<Word>,
        dst: Option<LocalId>,
    ) -> Result<(), Stop> {
        let mut registers = vec![None; program.procs[proc].locals.len()];
        for (param, arg) in program.procs[proc].params.iter().zip(args) {
            registers[param.index()] = Some(arg);
        }
        while let Some(ChoiceKind::Register(of, local, term)) = self.choices.front()
            && *of == proc
            && registers[local.index()].is_none()
        {
            let width = program.procs[proc].locals[*local].width;
            registers[local.index()] = Some(indeterminate(run, run.eval(*term), width));
            self.choices.pop_front();
        }
        if self.frames.len() == MAX_FRAMES {
            return Err(Stop::Stuck);
        }
        self.frames.push(Frame {
            proc,
            pc: 0,
            registers,
            dst,
            objects: Vec::new(),
        });
        Ok(())
    }
}

/// A number that nothing determines, where that is followed.
fn indeterminate(run: &Run, number: u64, width: Width) -> Word {
    let shadow = if run.graph.shadowed { mask(width) } else { 0 };
    Word { number, shadow }
}

impl Replay<'_> {
    fn main(&mut self) -> Result<(), Mismatch> {
        let Some(main) = self.program.main else {
            return Err(Mismatch("the program has no main".to_string()));
        };
        let mut state = ReplayThread::new(self.run, ThreadId(0), Store::default());
        let args = self.arguments(&mut state, main, &[]);
        self.thread(&mut state, main, args)?;
        self.leaks();
        match self.goal {
            Goal::Check(check) if !self.violated => Err(Mismatch(format!(
                "the program does not violate the property that {} in {}",
                check.property.text, check.thread
            ))),
            Goal::Waits { waits, .. } if self.waiting != **waits => Err(Mismatch(
                "other threads wait than in the execution".to_string(),
            )),
            Goal::Waits { spins, .. } if self.spinning != **spins => Err(Mismatch(
                "other threads spin than in the execution".to_string(),
            )),
            Goal::All(..) => self.violates_no_more(),
            _ => Ok(()),
        }
    }

    /// Each violation of the program is one of the event graph, and threads wait where they do there.
    fn violates_no_more(&self) -> Result<(), Mismatch> {
        let run = self.run;
        for (thread, span) in &self.waiting {
            let mut waits = run.graph.waits.iter();
            if !waits.any(|w| w.span == *span && self.waits_at(w, *thread)) {
                let text = format!("{thread} waits at {span:?}; in the event graph it does not");
                return Err(Mismatch(text));
            }
        }
        for (thread, kind, text, span) in &self.found {
            let known = run.graph.checks.iter().any(|c| {
                (c.thread, c.span, c.property.kind) == (*thread, *span, *kind)
                    && c.property.text == *text
                    && run.holds(c.guard)
                    && !run.holds(c.cond)
            });
            if !known {
                let text = format!("{thread} violates the property that {text} at {span:?}");
                return Err(Mismatch(format!("{text}; in the event graph it does not")));
            }
        }
        Ok(())
    }

    /// The thread is where unwinding has stopped, on its way.
    fn is_beyond_bounds(&self, state: &ReplayThread) -> bool {
        let run = self.run;
        let mut bounds = run.graph.bounds_reached.iter();
        bounds.any(|b| state.passed.contains(&b.span) && run.holds(b.guard))
    }

    /// A thread comes to an instruction.
    fn comes_to(&self, state: &mut ReplayThread, (proc, pc): (ProcId, usize)) {
        let by_back_edge = std::mem::take(&mut state.heads.jumps_back);
        if let (Some(code), Some(frame)) = (self.code(), state.frames.last())
            && !code[proc].heads[pc].is_empty()
        {
            let now = State {
                proc,
                registers: frame.registers.clone(),
                store: state.store.clone(),
                notes: state.notes.clone(),
            };
            let at = (state.frames.len(), pc);
            state.heads.come(at, by_back_edge, now);
        }
    }

    /// What is known of procedures, where it matters how threads spin.
    fn code(&self) -> Option<&IdVec<ProcId, Code>> {
        match self.goal {
            Goal::All(_, code) | Goal::Waits { code, .. } => Some(code),
            Goal::Check(_) | Goal::End => None,
        }
    }

    /// The thread is in an await of which the last iteration has changed nothing.
    fn is_idle(&self, state: &ReplayThread) -> bool {
        let loops = &self.run.graph.loops;
        let Some(code) = self.code() else {
            return false;
        };
        let awaits = |(proc, head): (ProcId, usize)| {
            let mut edges = code[proc].heads[head].iter();
            edges.any(|edge| loops.get(&(proc, *edge)).is_some_and(|l| l.awaits))
        };
        self.idle_loops(state).into_iter().any(awaits)
    }

    /// The loop that the thread is to spin in, if its last iteration has changed nothing.
    fn spins(&self, state: &ReplayThread) -> Option<(ProcId, usize)> {
        let Goal::Waits { spins, code, .. } = self.goal else {
            return None;
        };
        let (proc, back) = *spins.get(&state.id)?;
        let ends = |(of, head): (ProcId, usize)| of == proc && code[of].heads[head].contains(&back);
        let is_there = state.is_done() && self.idle_loops(state).into_iter().any(ends);
        is_there.then_some((proc, back))
    }

    /// The loops, by procedure and head, of which the last iteration has changed nothing of the thread.
    fn idle_loops(&self, state: &ReplayThread) -> Vec<(ProcId, usize)> {
        let Some(code) = self.code() else {
            return Vec::new();
        };
        let is_live = |(proc, head): (ProcId, usize), i| code[proc].is_live(head, i);
        let is_own = |addr| {
            let object = self.objects.base(addr);
            !object.is_some_and(|o| state.dead.contains(&o)) && !self.is_shared(addr)
        };
        state.heads.idle(&is_live, &is_own)
    }

    /// Whether a byte is one of a cell.
    fn is_shared(&self, addr: u64) -> bool {
        let mut near = addr.saturating_sub(7)..=addr;
        near.any(|at| {
            let cell = self.cells.get(&at);
            let width = cell.map(|c| self.run.graph.cells[*c].width);
            width.is_some_and(|w| addr - at < u64::from(w) / 8)
        })
    }

    /// Whether the event graph says why it has nothing more of a thread.
    fn may_stop(&self, state: &ReplayThread) -> bool {
        let (run, graph) = (self.run, self.run.graph);
        let mut unknown = graph.unsupported.iter().chain(&graph.unresolved);
        let mut found = self.found.iter();
        found.any(|(thread, ..)| *thread == state.id)
            || self.is_beyond_bounds(state)
            || self.is_idle(state)
            || graph.waits.iter().any(|w| self.waits_at(w, state.id))
            || unknown.any(|u| run.holds(u.guard))
            || self.stops_before_section(state)
    }

    /// The thread has stopped before an atomic section that does not end in every execution.
    fn stops_before_section(&self, state: &ReplayThread) -> bool {
        let mut unbegun = self.run.graph.unbegun.iter();
        unbegun.any(|(thread, stops)| *thread == state.id && self.run.holds(*stops))
    }

    /// A thread waits here in the execution.
    fn waits_at(&self, wait: &Wait, id: ThreadId) -> bool {
        let run = self.run;
        let mut reads = wait.reads.iter();
        wait.thread == id
            && run.holds(wait.guard)
            && reads.all(|e| run.events.binary_search(e).is_ok())
    }

    /// Notes a leak that is looked for.
    fn leaks(&mut self) {
        if let Goal::Check(check) = self.goal
            && check.property.kind == PropertyKind::Leak
        {
            let mut heap = self.heap.iter();
            self.violated |= heap.any(|(a, span)| *span == check.span && !self.freed.contains(a));
        }
    }

    /// Arguments fitted to the parameters; those that are missing are arbitrary.
    fn arguments(
        &self,
        state: &mut ReplayThread,
        proc: ProcId,
        args: &[Word],
    ) -> Result<Vec<Word>, Stop> {
        let proc = &self.program.procs[proc];
        let widths = proc.params.iter().map(|p| proc.locals[*p].width);
        widths
            .enumerate()
            .map(|(i, width)| match args.get(i) {
                Some(arg) => Ok(Word {
                    number: arg.number & mask(width),
                    shadow: arg.shadow & mask(width),
                }),
                None => state.choice(self.run, width).map(Word::known),
            })
            .collect()
    }

    /// Notes the registers of a thread for a machine that are arbitrary at first.
    fn record_initial(&mut self, state: &ReplayThread) {
        let frame = state
            .frames
            .last()
            .filter(|_| !self.program.machine_code.is_empty());
        let Some(frame) = frame else {
            return;
        };
        let locals = self.program.procs[frame.proc].locals.iter();
        for (local, value) in locals.zip(&frame.registers) {
            if let (false, Some(value)) = (local.name.is_empty(), value) {
                let register = NamedValue {
                    name: local.name.clone(),
                    value: value.number,
                    width: local.width,
                };
                self.recorder.recording.initial.push((state.id, register));
            }
        }
    }

    /// Executes a thread as far as it goes.
    fn thread(
        &mut self,
        state: &mut ReplayThread,
        proc: ProcId,
        args: Result<Vec<Word>, Stop>,
    ) -> Result<(), Mismatch> {
        let (run, id) = (self.run, state.id);
        let thread = &run.graph.threads[id];
        let ends = run.holds(thread.ended);
        let begun = args.and_then(|args| state.enter(self.program, run, proc, args, None));
        let mut end = begun.map(|()| None);
        self.record_initial(state);
        let everything = matches!(self.goal, Goal::All(..));
        let mut beyond = 0;
        for _ in 0..MAX_STEPS {
            let is_goal = match self.goal {
                Goal::Check(check) => check.thread == id && !self.violated,
                Goal::Waits { waits, spins, .. } => {
                    waits.contains_key(&id) || spins.contains_key(&id)
                }
                Goal::End | Goal::All(..) => false,
            };
            let awaited = ends || is_goal || everything;
            beyond += u64::from(everything && state.is_done());
            let done = state.is_done() && !awaited || beyond > MAX_STEPS_BEYOND;
            if !matches!(end, Ok(None)) || done {
                break;
            }
            if self.spins(state).is_some() {
                break;
            }
            end = self.step(state);
        }
        self.spinning.extend(self.spins(state).map(|at| (id, at)));
        let goes_on = matches!(end, Ok(None) | Err(Stop::Stuck)) || end.is_ok() && !ends;
        if everything && goes_on && state.is_done() && !self.may_stop(state) {
            return Err(Mismatch(format!(
                "{id} goes on at {:?}, where the event graph has nothing more of it",
                state.span
            )));
        }
        // Main may have nothing to do any more where its events begin.
        if !self.concurrent
            && self.passed == self.begin
            && !state.events.is_empty()
            && !matches!(end, Err(Stop::Wrong(_)))
        {
            end = self.begin(state).and(end);
        }
        let value = match end {
            Ok(value) => value,
            Err(Stop::Stuck | Stop::Blocked) => None,
            Err(Stop::Wrong(mismatch)) => return Err(mismatch),
        };
        if let Some((_, e)) = state.events.front() {
            return Err(Mismatch(format!("{id} does not come to its event {e}")));
        }
        if !state.is_done() {
            let left = (&state.choices, &state.children);
            let text = format!("{id} does less than in the execution, which has {left:?}");
            return Err(Mismatch(text));
        }
        match value {
            Some(value) if ends => {
                if thread.handle == 0 || self.returned.insert(thread.handle, value).is_some() {
                    return Err(Mismatch(format!("{id} has the handle of another thread")));
                }
                let left = state.dead.union(&state.gone).copied().collect();
                self.left.insert(thread.handle, left);
                Ok(())
            }
            None if ends => Err(Mismatch(format!("{id} does not end"))),
            _ => Ok(()),
        }
    }
}
