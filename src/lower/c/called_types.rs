//! The functions whose address is taken, and the types of calls through pointers.

use crate::front::c::types::TypeId;
use ir::program::ProcId;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct CalledTypes {
    functions: BTreeMap<ProcId, TypeId>,
    calls: Vec<TypeId>,
}

impl CalledTypes {
    /// The type of a function whose address is taken.
    pub(super) fn of_function(&self, proc: ProcId) -> Option<TypeId> {
        self.functions.get(&proc).copied()
    }

    pub(super) fn note_function(&mut self, proc: ProcId, ty: TypeId) {
        self.functions.insert(proc, ty);
    }

    pub(super) fn functions(&self) -> &BTreeMap<ProcId, TypeId> {
        &self.functions
    }

    /// A call of this type; the number of its assertion.
    pub(super) fn note_call(&mut self, ty: TypeId) -> usize {
        self.calls.push(ty);
        self.calls.len() - 1
    }

    /// The types of calls, by the numbers of their assertions.
    pub(super) fn calls(&self) -> &[TypeId] {
        &self.calls
    }
}
