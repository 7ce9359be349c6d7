//! Which locations are locks: those that a thread takes by changing 0 to something else, or by taking the only
//! permit, and that nobody sets back but who has taken them.
//!
//! Let the location be 0 where it is free. Between two acquisitions in coherence there is a write of 0, as an
//! acquisition reads the write before it. Each such write is by a thread that has the lock, which ends with it,
//! so there are no more of them than acquisitions before it. So the write of 0 that an acquisition reads from is
//! that of the thread that had the lock before: what that thread did before, happens before. The same holds of a
//! semaphore with one permit, which is 1 where it is free.

use crate::analysis::Analysis;
use crate::points_to::{Offsets, gcd};
use crate::threads::{Access, Change};
use crate::value::ValId;
use rustc_hash::FxHashMap;

/// Locks that were looked at.
#[derive(Default)]
pub struct Locks {
    known: FxHashMap<ValId, Lock>,
}

/// What a location is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    /// 0 where it is free.
    Mutex,
    /// 1 where it is free, never more.
    Semaphore,
    /// No lock.
    None,
}

impl Locks {
    /// What the location is that a thread believes to have.
    pub fn of(&mut self, analysis: &Analysis, lock: ValId) -> Lock {
        if let Some(known) = self.known.get(&lock) {
            return *known;
        }
        let answer = find(analysis, lock);
        self.known.insert(lock, answer);
        answer
    }
}

fn find(analysis: &Analysis, lock: ValId) -> Lock {
    let Analysis {
        threads,
        points_to,
        conducts,
    } = analysis;
    let values = &threads.values;
    let all = || conducts.iter().flat_map(|c| &c.accesses);
    let takes = |a: &&Access| {
        a.addr == lock && matches!(a.write, Some((Change::Take(_) | Change::TakePermit, _)))
    };
    let Some(size) = all().find(takes).and_then(|a| a.size) else {
        return Lock::None;
    };
    let of = points_to.of(values, lock);
    if of.number || of.objects.is_empty() {
        return Lock::None;
    }
    let (mut mutex, mut semaphore) = (true, true);
    for access in all() {
        let Some((change, releases)) = access.write else {
            continue;
        };
        let written = points_to.of(values, access.addr);
        let mut overlaps = false;
        for (class, offsets) in &of.objects {
            for there in written.objects.get(class).into_iter().flatten() {
                for here in offsets {
                    // The end of an object is no change of the lock in it.
                    if access.size.is_none() || !here.overlap(Some(size), *there, access.size) {
                        continue;
                    }
                    overlaps = true;
                    if access.size != Some(size) || !is_whole(*here, *there, size) {
                        return Lock::None;
                    }
                }
            }
        }
        if written.number {
            return Lock::None;
        }
        if !overlaps {
            continue;
        }
        let is_alone = access.is_before_threads();
        let is_given = access.held.contains(&access.addr) && releases;
        mutex &= is_alone
            || is_given
            || matches!(
                change,
                Change::Take(_) | Change::Number(1..) | Change::NotZero
            );
        semaphore &= match change {
            Change::TakePermit => true,
            Change::Add => is_given,
            Change::Number(permits) => is_alone && permits <= 1,
            _ => false,
        };
    }
    match (mutex, semaphore) {
        (true, _) => Lock::Mutex,
        (false, true) => Lock::Semaphore,
        (false, false) => Lock::None,
    }
}

/// Whether words at these offsets are the same where they overlap.
fn is_whole(a: Offsets, b: Offsets, size: u64) -> bool {
    match gcd(a.modulus, b.modulus) {
        0 => a.rest == b.rest,
        modulus => modulus >= size && a.rest.abs_diff(b.rest).is_multiple_of(modulus),
    }
}
