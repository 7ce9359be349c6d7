//! Which moves a vector of locations allows, and where they lead: all interleavings.
//!
//! A thread that has begun may take any step from its location; one that joins another waits until that
//! is at its end. Buffers may flush, and invariants are looked at, whenever no thread is at an
//! atomic location. If one is, it alone moves.

use crate::commands::program::{Effect, LocId, Move, Program, ThreadId};
use base::idx::{Id, IdVec};

/// Where each thread is; nowhere before it has begun.
pub type Locations = Box<[Option<LocId>]>;

/// The moves of a program by locations.
pub struct Interleavings<'a> {
    program: &'a Program,
    outgoing: IdVec<ThreadId, IdVec<LocId, Vec<usize>>>,
}

impl<'a> Interleavings<'a> {
    /// Of a program.
    pub fn new(program: &'a Program) -> Interleavings<'a> {
        let of_thread = program.threads.iter().map(|thread| {
            let mut all: IdVec<LocId, Vec<usize>> =
                thread.locations.iter().map(|_| Vec::new()).collect();
            for (i, step) in thread.steps.iter().enumerate() {
                all[step.from].push(i);
            }
            all
        });
        Interleavings {
            program,
            outgoing: of_thread.collect(),
        }
    }

    /// The first thread at its beginning, the others not begun.
    pub fn initial(&self) -> Locations {
        let mut at = vec![None; self.program.threads.len()];
        if let Some(first) = at.first_mut() {
            *first = Some(LocId(0));
        }
        at.into()
    }

    /// The moves that are possible as far as the locations say.
    pub fn moves(&self, at: &Locations) -> Vec<Move> {
        let program = self.program;
        let running = program.threads.ids();
        let running = running.filter_map(|t| Some((t, at[t.index()]?)));
        let running: Vec<(ThreadId, LocId)> = running.collect();
        let is_atomic = |(t, l): &&(ThreadId, LocId)| program.threads[*t].locations[*l].atomic;
        let alone: Vec<_> = running.iter().filter(is_atomic).copied().collect();
        let free = alone.is_empty();
        let movers = if free { running } else { alone };
        let steps = movers.into_iter().flat_map(|(t, l)| {
            let steps = self.outgoing[t][l].iter();
            steps.map(move |i| Move::Thread(t, *i))
        });
        let ready = |m: &Move| match program.step(*m).effect {
            Effect::Join(t) => at[t.index()] == Some(program.threads[t].end),
            _ => true,
        };
        let mut moves: Vec<Move> = steps.filter(ready).collect();
        if free {
            moves.extend((0..program.flushes.len()).map(Move::Flush));
            moves.extend((0..program.invariants.len()).map(Move::Invariant));
        }
        moves
    }

    /// Where the threads are after a move.
    pub fn after(&self, at: &Locations, m: Move) -> Locations {
        let step = self.program.step(m);
        let mut after = at.clone();
        if let Move::Thread(t, _) = m {
            after[t.index()] = Some(step.to);
        }
        if let Effect::Spawn(t) = step.effect {
            after[t.index()] = Some(LocId(0));
        }
        after
    }
}
