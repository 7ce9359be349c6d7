//! What is known of a program before it is executed.

use super::flow::Flow;
use base::idx::IdVec;
use ir::program::{Atomicity, Instr, Op, ProcId, Program};
use ir::read_only::ReadOnly;

pub(super) struct Analysis<'a> {
    flows: IdVec<ProcId, Flow>,
    read_only: ReadOnly<'a>,
    has_atomic_sections: bool,
}

impl<'a> Analysis<'a> {
    pub(super) fn of(program: &'a Program) -> Analysis<'a> {
        let begins = |i: &Instr| matches!(i.op, Op::AtomicBegin(Atomicity::Section));
        let mut procs = program.procs.iter();
        Analysis {
            flows: program.procs.iter().map(Flow::of).collect(),
            read_only: ReadOnly::of(program),
            has_atomic_sections: procs.any(|proc| proc.body.iter().any(begins)),
        }
    }

    pub(super) fn flow(&self, proc: ProcId) -> &Flow {
        &self.flows[proc]
    }

    /// What must not be written.
    pub(super) fn read_only(&self) -> &ReadOnly<'a> {
        &self.read_only
    }

    pub(super) fn has_atomic_sections(&self) -> bool {
        self.has_atomic_sections
    }
}
