//! What a replay of a program for a machine notes for people: the instructions that each thread
//! executes, with the registers they set and their events.

use crate::check::outcome::NamedValue;
use crate::unroll::event::{EventId, ThreadId};
use base::source::Span;
use ir::program::{Instr, LocalId, Op, ProcId, Program, Width};
use rustc_hash::FxHashMap;

/// What nobody has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// A register, by its declaration.
    Register(ProcId, LocalId, Span),
    /// Memory at an address.
    Memory(u64),
    /// What a procedure returns.
    Result(ProcId),
}

/// An instruction of the machine that a thread has executed.
#[derive(Clone, Debug)]
pub struct ExecutedInstruction {
    /// The thread.
    pub thread: ThreadId,
    /// Where the instruction stands; an empty span is where a thread has stopped.
    pub span: Span,
    /// The registers that it sets, with their values behind it.
    pub sets: Vec<NamedValue>,
    /// Its events, in program order.
    pub events: Vec<EventId>,
}

/// What threads have executed.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// By thread: registers that are arbitrary at first.
    pub initial: Vec<(ThreadId, NamedValue)>,
    /// Instructions; those of a thread are in program order.
    pub instructions: Vec<ExecutedInstruction>,
    /// Of an access outside of all objects that violates the property: its address.
    pub outside: Option<u64>,
    /// Of an indeterminate value that decides something: where it comes from.
    pub unwritten: Option<Unwritten>,
}

/// Makes a recording.
#[derive(Default)]
pub(super) struct Recorder {
    pub recording: Recording,
    /// By thread: the instruction that it executes, and the last part of it, if it is noted.
    current: FxHashMap<ThreadId, (usize, usize)>,
    /// The thread that has violated the property: nothing behind that is noted.
    ended: Option<ThreadId>,
}

impl Recorder {
    /// A thread comes to the instruction at `pc` of a procedure.
    pub fn begin(&mut self, program: &Program, thread: ThreadId, pc: usize, instr: &Instr) {
        let span = instr.span;
        let chooses = matches!(instr.op, Op::Goto { .. } | Op::Havoc { .. });
        let stops = span.start == span.end && !chooses;
        let noted = stops || program.machine_code.contains(&span);
        if program.machine_code.is_empty() || !noted || self.ended == Some(thread) {
            self.current.remove(&thread);
            return;
        }
        let list = &mut self.recording.instructions;
        let index = match self.current.get(&thread) {
            Some((index, last)) if list[*index].span == span && *last < pc => *index,
            _ => {
                list.push(ExecutedInstruction {
                    thread,
                    span,
                    sets: Vec::new(),
                    events: Vec::new(),
                });
                list.len() - 1
            }
        };
        self.current.insert(thread, (index, pc));
    }

    fn instruction(&mut self, thread: ThreadId) -> Option<&mut ExecutedInstruction> {
        let (index, _) = self.current.get(&thread)?;
        Some(&mut self.recording.instructions[*index])
    }

    /// The instruction has set something.
    pub fn sets(&mut self, thread: ThreadId, name: &str, value: u64, width: Width) {
        if name.is_empty() {
            return;
        }
        if let Some(instruction) = self.instruction(thread) {
            instruction.sets.retain(|r| r.name != name);
            instruction.sets.push(NamedValue {
                name: name.to_string(),
                value,
                width,
            });
        }
    }

    /// The instruction comes to an event.
    pub fn event(&mut self, thread: ThreadId, event: EventId) {
        if let Some(instruction) = self.instruction(thread) {
            instruction.events.push(event);
        }
    }

    /// The thread violates the property here.
    pub fn violates(&mut self, thread: ThreadId) {
        self.ended = Some(thread);
    }
}
