//! What threads can learn from each other: values that locations may hold, and what threads may
//! return. Grows until no thread does anything new.
//!
//! Everything here is a *may*: which values go together in one execution is found out when traces
//! are put together.

use super::objects::ThreadKey;
use super::trace::*;
use ir::pair::WORD;
use ir::program::{Lifetime, Width};
use ir::shadow::Word;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How a thread may end: with a value, or not at all (`None`).
pub(super) type Ending = Option<Option<(Word, bool)>>;

/// Facts about all executions.
#[derive(Default)]
pub(super) struct ValueSets {
    /// By location and value: threads that may write it.
    pub values: BTreeMap<u64, BTreeMap<Word, BTreeSet<ThreadKey>>>,
    /// Locations whose accesses are events although no rule says so at once.
    pub shared: BTreeSet<u64>,
    /// By location of private memory: threads that look at it, and whether it is constant.
    private: BTreeMap<u64, (BTreeSet<ThreadKey>, bool)>,
    /// By address of an object: threads that free it, each with those it has joined before.
    frees: BTreeMap<u64, BTreeSet<(ThreadKey, BTreeSet<ThreadKey>)>>,
    /// Addresses of objects that were made while there were other threads.
    begun: BTreeSet<u64>,
    /// By location: the bits of accesses.
    widths: BTreeMap<u64, Width>,
    /// By byte: the bits of accesses at most, where they have different sizes.
    finest: BTreeMap<u64, Width>,
    /// Some location turned out to be accessed in smaller pieces.
    pub is_split: bool,
    /// By object or thread: those that may have ended before it is made.
    ended: BTreeMap<u64, BTreeSet<u64>>,
    /// By thread: what may have ended when it does.
    left: BTreeMap<ThreadKey, BTreeSet<u64>>,
    pub endings: BTreeMap<ThreadKey, BTreeSet<Ending>>,
    /// Something was learned since this was last cleared.
    pub grown: bool,
    /// Some location became shared since this was last cleared.
    pub grew: bool,
    /// Something was learned that changes what threads were seen to do before: which memory is shared, what
    /// may have ended when something else is made, or how large accesses are.
    pub stale: bool,
}

impl ValueSets {
    /// Accesses to a location are events from now on, whoever makes them.
    pub fn share(&mut self, addr: u64) {
        let new = self.shared.insert(addr);
        self.grown |= new;
        self.grew |= new;
        self.stale |= new;
    }

    /// What threads were seen to do before is no longer all that they do.
    pub fn is_stale(&self) -> bool {
        self.stale || self.is_split
    }

    /// A thread touches private memory while others exist. What several threads touch is shared
    /// unless it never changes; `addr` lies in the object at `base`.
    pub fn touch(&mut self, (addr, base): (u64, u64), key: ThreadKey, changes: bool) {
        let (threads, changed) = self.private.entry(addr).or_default();
        threads.insert(key);
        *changed |= changes;
        let mut frees = self.frees.get(&base).into_iter().flatten();
        let freed = frees.any(|(by, joined)| *by != key && !joined.contains(&key));
        if freed || threads.len() > 1 && *changed {
            self.share(addr);
        }
    }

    /// An object is made while there are other threads: what they look at there is shared.
    pub fn begin(&mut self, object: u64) {
        self.begun.insert(object);
    }

    /// Whether an object was made while there were other threads.
    pub fn has_begun(&self, object: u64) -> bool {
        self.begun.contains(&object)
    }

    /// A thread that has joined some others ends the object with these addresses: what yet others
    /// look at there is shared, and what is `behind` its last byte, if they end it too.
    pub fn free(
        &mut self,
        object: Range<u64>,
        behind: u64,
        key: ThreadKey,
        joined: BTreeSet<ThreadKey>,
    ) {
        let touched = self.private.range(object.clone());
        let foreign = |threads: &BTreeSet<ThreadKey>| {
            let mut threads = threads.iter();
            threads.any(|t| *t != key && !joined.contains(t))
        };
        let touched = touched.filter(|(_, (threads, _))| foreign(threads));
        let touched: Vec<u64> = touched.map(|(addr, _)| *addr).collect();
        touched.into_iter().for_each(|addr| self.share(addr));
        let frees = self.frees.entry(object.start).or_default();
        let again = |(k, j): &(ThreadKey, BTreeSet<_>)| {
            *k != key && !joined.contains(k) && !j.contains(&key)
        };
        let again = frees.iter().any(again);
        frees.insert((key, joined));
        if again {
            self.share(behind);
        }
    }

    /// Something is made when these may have ended.
    pub fn may_end(&mut self, name: u64, ended: BTreeSet<u64>) {
        let known = self.ended.entry(name).or_default();
        let before = known.len();
        known.extend(ended);
        self.grown |= known.len() > before;
        self.stale |= known.len() > before;
    }

    /// Whether the other one may have ended when something is made.
    pub fn may_have_ended(&self, name: u64, other: u64) -> bool {
        self.ended.get(&name).is_some_and(|e| e.contains(&other))
    }

    /// What may have ended when a thread does.
    pub fn left_by(&self, key: ThreadKey) -> BTreeSet<u64> {
        self.left.get(&key).cloned().unwrap_or_default()
    }

    /// A thread may end when these have.
    pub fn leaves(&mut self, key: ThreadKey, ended: BTreeSet<u64>) {
        let known = self.left.entry(key).or_default();
        let before = known.len();
        known.extend(ended);
        self.grown |= known.len() > before;
        self.stale |= known.len() > before;
    }

    /// The bits of the pieces in which an access is made: all, but no more than a word, unless other accesses of
    /// some of its bytes are smaller or begin elsewhere. What was learned of larger ones is of no use then: see
    /// `is_split`.
    pub fn piece(&mut self, addr: u64, width: Width) -> Width {
        if self.widths.get(&addr) == Some(&width) {
            return width;
        }
        let end = addr + u64::from(width) / 8;
        let finest = (addr..end).filter_map(|byte| self.finest.get(&byte));
        let mut piece = finest.fold(width.min(WORD), |piece, w| piece.min(*w));
        let bytes = |width: Width| u64::from(width) / 8;
        let near = self.widths.range(addr.saturating_sub(7)..end);
        let near: Vec<(u64, Width)> = near.map(|(start, w)| (*start, *w)).collect();
        let near = near.iter().filter(|(start, w)| start + bytes(*w) > addr);
        for (start, other) in near.clone() {
            let begins = (start | addr).trailing_zeros().min(3);
            let aligned: Width = 8 << begins;
            if (*start, *other) != (addr, width) {
                piece = piece.min(*other).min(aligned);
            }
        }
        for (start, other) in near.filter(|(_, other)| *other > piece) {
            self.is_split = true;
            for byte in *start..start + bytes(*other) {
                self.finest.insert(byte, piece);
            }
        }
        if piece < width {
            for byte in addr..end {
                self.finest.insert(byte, piece);
            }
        }
        for start in (addr..end).step_by(usize::from(piece) / 8) {
            self.widths.insert(start, piece);
        }
        piece
    }

    /// Nothing but in which pieces memory is accessed.
    pub fn with_pieces_of(other: &ValueSets) -> ValueSets {
        ValueSets {
            finest: other.finest.clone(),
            ..ValueSets::default()
        }
    }

    /// The bits of accesses to a location, if there are any.
    pub fn width_of(&self, addr: u64) -> Option<Width> {
        self.widths.get(&addr).copied()
    }

    /// Learns from what a thread may do.
    pub fn learn(&mut self, key: ThreadKey, trace: &ThreadTrace) {
        for event in trace.events.iter().filter(|e| {
            matches!(
                e.kind,
                ActionKind::Write | ActionKind::Lifetime(Lifetime::End | Lifetime::Free)
            )
        }) {
            let values = self.values.entry(event.addr).or_default();
            self.grown |= values.entry(event.word()).or_default().insert(key);
        }
        let ending = match trace.end {
            End::Ended(value) => Some(value),
            _ => None,
        };
        self.grown |= self.endings.entry(key).or_default().insert(ending);
    }
}
