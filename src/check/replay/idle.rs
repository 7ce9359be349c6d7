//! Iterations that change nothing: an await is not followed further by the event graph, so what the
//! program does there is no more than it has. The thread must be where it was one iteration before, with
//! the same live registers and the same memory of its own, but for one value: what a compare-exchange
//! that failed expects next may be in a register or two, and in one word of memory. What the thread has
//! written to memory that others see is for the event graph to judge.

use super::memory::Store;
use ir::program::ProcId;
use ir::shadow::Word;
use std::collections::{BTreeMap, BTreeSet};

/// How a thread has come to the heads of loops.
#[derive(Default)]
pub(super) struct Heads {
    /// It comes by a back edge.
    pub jumps_back: bool,
    /// By activation and head: the state of the thread when it came there, and that of one iteration
    /// before.
    seen: BTreeMap<(usize, usize), (State, Option<State>)>,
}

/// What an iteration may change.
pub(super) struct State {
    /// The running procedure.
    pub proc: ProcId,
    /// Its registers.
    pub registers: Vec<Option<Word>>,
    /// The memory of the thread.
    pub store: Store,
    /// What it remembers.
    pub notes: BTreeMap<u64, u64>,
}

impl Heads {
    /// The thread comes to a head, in an activation of this depth.
    pub fn come(&mut self, (depth, head): (usize, usize), by_back_edge: bool, now: State) {
        let last = self.seen.remove(&(depth, head)).map(|(last, _)| last);
        let before = last.filter(|_| by_back_edge);
        self.seen.insert((depth, head), (now, before));
    }

    /// Activations deeper than this have ended.
    pub fn leave(&mut self, depth: usize) {
        self.seen.retain(|(of, _), _| *of <= depth);
    }

    /// The loops, by procedure and head, of which the last iteration has changed no register that is live
    /// at the head, and no byte of the thread's own, but for what may be the value that is expected.
    pub fn idle(
        &self,
        is_live: &dyn Fn((ProcId, usize), usize) -> bool,
        is_own: &dyn Fn(u64) -> bool,
    ) -> Vec<(ProcId, usize)> {
        let mut idle = Vec::new();
        for ((_, head), (now, before)) in &self.seen {
            let Some(before) = before else {
                continue;
            };
            let at = (now.proc, *head);
            let registers = before.registers.iter().zip(&now.registers).enumerate();
            let changed = registers.filter(|(i, (b, n))| b != n && is_live(at, *i));
            let mut values: Vec<_> = changed.map(|(_, pair)| pair).collect();
            values.dedup();
            let differ = |a: &Store, b: &Store| {
                let bytes = a.iter().filter(|(addr, _)| is_own(**addr));
                let bytes = bytes.filter(|(addr, byte)| b.get(addr) != Some(byte));
                bytes.map(|(addr, _)| addr / 8).collect::<BTreeSet<u64>>()
            };
            let mut words = differ(&now.store, &before.store);
            words.extend(differ(&before.store, &now.store));
            if now.notes == before.notes && values.len() <= 1 && words.len() <= 1 {
                idle.push(at);
            }
        }
        idle
    }
}
