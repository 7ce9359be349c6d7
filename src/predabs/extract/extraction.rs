//! What the threads share while they are extracted.

use super::memory::CellMap;
use super::unsupported::unsupported;
use crate::predabs::arith::VarId;
use crate::predabs::program::{Program, ThreadId, VariableKind};
use base::diag::Diag;
use base::source::Span;
use ir::program as ir;
use std::collections::VecDeque;

/// Threads of a program at most.
const MAX_THREADS: usize = 16;

/// A thread that is still to be extracted.
pub struct Start {
    /// What it runs.
    pub proc: ir::ProcId,
    /// Its argument, of `main` none.
    pub arg: Option<i128>,
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
}

impl Extraction<'_> {
    /// A thread that is started here.
    pub fn start(&mut self, start: Start) -> Result<ThreadId, Diag> {
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

    /// A local of the thread has this name.
    pub fn has_name(&self, thread: ThreadId, name: &str) -> bool {
        let owned = |x: VarId| {
            let v = &self.program.vars[x];
            matches!(v.kind, VariableKind::Local(t) if t == thread) && v.name == name
        };
        self.program.vars.ids().any(owned)
    }
}
