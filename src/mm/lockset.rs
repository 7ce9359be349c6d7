//! Accesses that one lock keeps apart, so that they do not race: the locksets of Eraser (Savage, Burrows,
//! Nelson, Sobalvarro and Anderson, TOCS 1997), but of sections that [`super::critical`] has found.
//!
//! Let `a` be in a section `S` of a lock, between the taking and each giving back that may happen beside it in program
//! order, and `b` in a section `T` of another thread. The sections of a lock come one after another, say `S` before `T`.
//! Then `S` has been given back, and what is immediately behind a giving back in coherence is the taking that reads
//! from it. So program order and read-from lead from `a` through all sections between to `b`. If
//! whoever takes the lock acquires, and whoever gives it back releases, all of this is happens-before in C11 (5.1.2.4) and for
//! mutexes, in the words of `race.cat` and of RC11.

use super::bounds::{Analysis, Node};
use super::critical::{CriticalSection, Sections};
use super::model::BaseRel;
use crate::base::idx::Id;
use crate::ir::program::{MemoryOrder, Role};
use crate::unroll::event::CellId;
use std::collections::BTreeSet;

/// The sections of locks that synchronise.
#[derive(Default, Debug)]
pub struct Locksets {
    sections: Vec<CriticalSection>,
}

impl Locksets {
    /// Those of an event graph; none where the model says itself what races.
    pub fn find(a: &Analysis, sections: &Sections) -> Locksets {
        if !a.model.locks_synchronise {
            return Locksets::default();
        }
        let weak = sections.all.iter().filter(|s| !synchronises(a, s));
        let weak: BTreeSet<CellId> = weak.map(|s| s.lock).collect();
        let strong = sections.all.iter().filter(|s| !weak.contains(&s.lock));
        Locksets {
            sections: strong.cloned().collect(),
        }
    }

    /// Whether two accesses are in sections of one lock, in different threads.
    pub fn keep_apart(&self, a: &Analysis, x: Node, y: Node) -> bool {
        let thread = |n: Node| a.event(n).thread;
        let held = self.held(a, x);
        thread(x) != thread(y)
            && !held.is_empty()
            && self.held(a, y).iter().any(|lock| held.contains(lock))
    }

    /// The locks that a thread has whenever it makes an access.
    fn held(&self, a: &Analysis, n: Node) -> Vec<CellId> {
        let po = &a.base[&BaseRel::Po].must;
        let thread = a.event(n).thread;
        let inside = self.sections.iter().filter(|s| {
            let ends = |u: &Node| a.exclusive(n, *u) || po.contains(n.index(), u.index());
            a.event(s.taken).thread == thread
                && po.contains(s.taken.index(), n.index())
                && a.implies(n, s.taken)
                && s.given.iter().all(ends)
        });
        inside.map(|s| s.lock).collect()
    }
}

/// Whether who takes the lock in a section sees what happened in those before it, and the next one what has
/// happened in this.
fn synchronises(a: &Analysis, section: &CriticalSection) -> bool {
    use MemoryOrder::{AcqRel, Acquire, Library, Release, SeqCst};
    let taken = a.event(section.taken);
    let read = taken.rmw_read.map(|r| a.graph.events[r].order);
    let given = || section.given.iter().map(|u| a.event(*u).order);
    let library = taken.order == Library(Role::Lock);
    match library {
        true => given().all(|order| order == Library(Role::Release)),
        false => {
            matches!(read, Some(Acquire | AcqRel | SeqCst))
                && given().all(|order| matches!(order, Release | AcqRel | SeqCst))
        }
    }
}
