//! The calls that the current thread is in, and its paths that have left them all.

use super::memory::ObjId;
use super::state::{State, SymbolicValue};
use ir::program::ProcId;

/// A procedure, and whether its caller uses what it returns.
#[derive(Clone, Copy)]
pub(super) struct Called {
    pub(super) proc: ProcId,
    pub(super) is_result_used: bool,
}

/// A call of a procedure that has not returned.
pub(super) struct Activation {
    pub(super) called: Called,
    /// How many events the thread had when it began.
    pub(super) events: usize,
}

#[derive(Default)]
pub(super) struct Calls {
    stack: Vec<(Activation, Vec<ObjId>)>,
    exits: Vec<(State, SymbolicValue)>,
}

impl Calls {
    pub(super) fn enter(&mut self, activation: Activation) {
        self.stack.push((activation, Vec::new()));
    }

    /// The innermost call returns; the objects of its locals.
    pub(super) fn leave(&mut self) -> Vec<ObjId> {
        self.stack
            .pop()
            .map(|(_, objects)| objects)
            .unwrap_or_default()
    }

    /// The innermost call has made an object.
    pub(super) fn note_object(&mut self, object: ObjId) {
        if let Some((_, objects)) = self.stack.last_mut() {
            objects.push(object);
        }
    }

    pub(super) fn innermost(&self) -> Option<&Activation> {
        self.stack.last().map(|(activation, _)| activation)
    }

    /// How many calls of a procedure there are.
    pub(super) fn depth(&self, proc: ProcId) -> u32 {
        self.stack
            .iter()
            .filter(|(a, _)| a.called.proc == proc)
            .count() as u32
    }

    /// The objects of all calls.
    pub(super) fn objects(&self) -> Vec<ObjId> {
        self.stack
            .iter()
            .flat_map(|(_, objects)| objects)
            .copied()
            .collect()
    }

    /// A path ends by `pthread_exit`, with a value.
    pub(super) fn exit(&mut self, state: State, value: SymbolicValue) {
        self.exits.push((state, value));
    }

    /// The paths that have ended so.
    pub(super) fn exits(self) -> Vec<(State, SymbolicValue)> {
        self.exits
    }
}
