//! Accesses that one lock keeps apart, so that they do not race: the locksets of Eraser (Savage, Burrows,
//! Nelson, Sobalvarro and Anderson, TOCS 1997), but of sections that [`super::critical`] has found.
//!
//! Let `a` be in a section `S` of a lock, in program order between the acquisition and each release that may
//! happen beside it, and `b` in a section `T` of another thread. The sections of a lock come one after
//! another, say `S` before `T`. Then `S` has been released, and what is immediately behind a release
//! in coherence is the acquisition that reads from it. So program order and read-from lead from `a` through all
//! sections between to `b`. If every acquisition of the lock acquires and every release releases, all of this
//! is happens-before, in the words of `race.cat` (C11 5.1.2.4, and mutexes) and of RC11.
//!
//! The model of the Linux kernel has words of its own. There every acquisition is a marked read that acquires, and
//! every release `U` a marked write that releases, so `a` is before `U(S)` in `released`, and from each acquisition
//! to the release of its section lead `released` and `ppo`. So `U(S)` is in `cumulfence^*` before the last release
//! that the acquisition `L(T)` reads from, in `vis` and in `xbstar` before `L(T)`, which is before `b` in `acquired`:
//! `a` is before `b` in `wwvis`, `wrvis` and `rwxb`. Where one of the two is plain, `plain-coherence` forbids that `b`
//! is before `a` in coherence or from-read, and a read `a` of what `b` wrote; what is left is no race.

use super::bounds::{Analysis, Node};
use super::critical::{CriticalSection, Sections};
use crate::unroll::event::CellId;
use base::idx::Id;
use cat::model::BaseRel;
use ir::program::{MemoryOrder, Role};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// By access: the locks that its thread has whenever it happens, of those that synchronise.
#[derive(Default, Debug)]
pub struct Locksets {
    held: FxHashMap<Node, Vec<CellId>>,
}

impl Locksets {
    /// Those of an event graph; none where a text of its own says what races.
    pub fn find(a: &Analysis, sections: &Sections) -> Locksets {
        let mut locksets = Locksets::default();
        if !a.model.locks_synchronise {
            return locksets;
        }
        let weak = sections.all.iter().filter(|s| !synchronises(a, s));
        let weak: BTreeSet<CellId> = weak.map(|s| s.lock).collect();
        for section in sections.all.iter().filter(|s| !weak.contains(&s.lock)) {
            for n in inside(a, section) {
                locksets.held.entry(n).or_default().push(section.lock);
            }
        }
        locksets
    }

    /// Whether two accesses are in sections of one lock, in different threads.
    pub fn keep_apart(&self, a: &Analysis, x: Node, y: Node) -> bool {
        let (Some(held), Some(other)) = (self.held.get(&x), self.held.get(&y)) else {
            return false;
        };
        a.event(x).thread != a.event(y).thread && held.iter().any(|lock| other.contains(lock))
    }
}

/// What a thread does between the acquisition of a lock and its release.
fn inside(a: &Analysis, section: &CriticalSection) -> Vec<Node> {
    let po = &a.base[&BaseRel::Po].must;
    let thread = a.event(section.acquire).thread;
    let behind = po.successors(section.acquire.index()).map(Node::from_index);
    let inside = behind.filter(|n| {
        let is_before = |u: &Node| a.exclusive(*n, *u) || po.contains(n.index(), u.index());
        a.event(*n).thread == thread
            && a.implies(*n, section.acquire)
            && section.releases.iter().all(is_before)
    });
    inside.collect()
}

/// Whether the acquisition of a section acquires, and each release releases.
fn synchronises(a: &Analysis, section: &CriticalSection) -> bool {
    use MemoryOrder::{AcqRel, Acquire, Library, Release, SeqCst};
    let taken = a.event(section.acquire);
    let read = taken.rmw_read.map(|r| a.graph.events[r].order);
    let given = || section.releases.iter().map(|u| a.event(*u).order);
    let library = taken.order == Library(Role::Lock);
    match library {
        true => given().all(|order| order == Library(Role::Release)),
        false => {
            matches!(read, Some(Acquire | AcqRel | SeqCst))
                && given().all(|order| matches!(order, Release | AcqRel | SeqCst))
        }
    }
}
