//! What the threads share while they are extracted.

use super::handles::Handles;
use super::memory::CellMap;
use super::naturals::Naturals;
use super::numbering::Numbering;
use super::unsupported::{Unsupported, unsupported};
use super::value::Cases;
use crate::commands::arith::VarId;
use crate::commands::program::{Program, ThreadId, VariableKind};
use base::source::Span;
use ir::program as ir;
use std::collections::{BTreeSet, VecDeque};

/// Threads of a program at most.
const MAX_THREADS: usize = 16;

/// What a parameter is when its procedure begins.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Any number.
    Any,
    /// A number.
    Number(Cases),
    /// The number of the thread.
    Own,
    /// The address of an object, and an offset.
    Address(ir::GlobalId, i128),
}

/// A thread that is still to be extracted.
pub struct Start {
    /// What it runs.
    pub proc: ir::ProcId,
    /// Its argument.
    pub arg: Argument,
    /// Where it is started.
    pub span: Span,
}

/// What all threads share while they are extracted.
pub struct Extraction<'a> {
    /// What is extracted.
    pub ir: &'a ir::Program,
    /// The variables of memory.
    pub memory: CellMap,
    /// What has been made of it.
    pub program: Program,
    /// Threads that were started, and are still to be extracted.
    pub starts: VecDeque<Start>,
    /// How many threads there are.
    pub started: usize,
    /// Where there is any number of threads: what is about them alone.
    pub handles: Option<Handles>,
    /// The numbers of threads, where they have some.
    pub numbering: Option<Numbering>,
    /// The numbers that must not be negative.
    pub naturals: Naturals,
    /// Threads that are started in a loop.
    pub repeated: BTreeSet<ThreadId>,
}

impl Extraction<'_> {
    /// A thread that is started here.
    pub fn start(&mut self, start: Start) -> Result<ThreadId, Unsupported> {
        if self.started == MAX_THREADS {
            return Err(unsupported(
                start.span,
                format!("more than {MAX_THREADS} threads"),
            ));
        }
        let id = ThreadId(base::idx::position(self.started));
        self.started += 1;
        self.starts.push_back(start);
        Ok(id)
    }

    /// What a register with a name is: with any number of threads nobody speaks of registers.
    pub fn register_kind(&self, thread: ThreadId) -> VariableKind {
        match self.handles {
            None => VariableKind::Local(thread),
            Some(_) => VariableKind::Temporary(thread),
        }
    }

    /// A local of the thread has this name.
    pub fn has_name(&self, thread: ThreadId, name: &str) -> bool {
        let owned = |x: VarId| {
            let v = &self.program.vars[x];
            matches!(v.kind, VariableKind::Local(t) | VariableKind::Temporary(t) if t == thread)
                && v.name == name
        };
        self.program.vars.ids().any(owned)
    }
}
