//! One trace a thread, such that what one reads another has written, and what one joins has ended.
//!
//! Main's traces say which threads there are, those of their threads which more, so threads are
//! opened first: for each the traces with the same creations are taken together. Then traces are
//! chosen, those of created threads before their creators', because these mostly look at what the
//! others have left. A value that is read must be there initially, be written by a chosen trace, or
//! at least by some trace of a thread that is still to be chosen.

use super::interpreter::Interpreter;
use super::objects::{Initial, ThreadKey};
use super::options::EnumerateOptions;
use super::result::EnumerateError;
use super::trace::*;
use ir::shadow::Word;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A location and a value.
type Held = (u64, Word);

/// A trace with what it needs from others and offers them.
struct Offer {
    trace: usize,
    reads: Vec<Held>,
    writes: Vec<Held>,
}

/// Traces of one instance that create the same threads.
struct Group {
    children: Vec<InstanceId>,
    /// For main, what memory contains initially.
    snapshot: Option<SnapshotId>,
    offers: Vec<Offer>,
    /// All that some of them write.
    may_write: FxHashSet<Held>,
}

/// A trace of each thread; creators come before those they create.
pub(super) struct Combination<'c> {
    pub traces: Vec<(InstanceId, &'c ThreadTrace)>,
    /// What memory contains initially.
    pub snapshot: Option<SnapshotId>,
}

/// Choices of a trace that are tried for each execution that may be judged.
const CHOICES: u64 = 256;

/// Calls `visit` for every combination until it answers false. The answer is whether it gave up:
/// too many traces were tried that do not go together.
///
/// # Errors
/// Interrupted, or what `visit` says.
pub(super) fn combinations(
    interpreter: &Interpreter,
    visit: &mut dyn FnMut(Combination) -> Result<bool, EnumerateError>,
) -> Result<bool, EnumerateError> {
    let groups = interpreter.traces.iter().map(|traces| groups(traces));
    let groups: Vec<Vec<Group>> = groups.collect();
    let mut search = TraceSearch {
        interpreter,
        options: interpreter.options,
        groups: &groups,
        opened: Vec::new(),
        chosen: Vec::new(),
        snapshot: None,
        steps: 0,
        visit,
    };
    search.open(&mut vec![InstanceId(0)])?;
    Ok(search.steps > search.most())
}

fn groups(traces: &[ThreadTrace]) -> Vec<Group> {
    let mut out: BTreeMap<(Vec<InstanceId>, Option<SnapshotId>), Group> = BTreeMap::new();
    for (i, trace) in traces.iter().enumerate() {
        let children: Vec<InstanceId> = trace.spawned.iter().map(|s| s.child).collect();
        let snapshot = trace.snapshot;
        let group = out.entry((children.clone(), snapshot)).or_insert(Group {
            children,
            snapshot,
            offers: Vec::new(),
            may_write: FxHashSet::default(),
        });
        let of = |wanted: fn(ActionKind) -> bool| {
            let events = trace.events.iter().filter(|e| wanted(e.kind));
            let mut all: Vec<Held> = events.map(|e| (e.addr, e.word())).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (mut reads, writes) = (of(|k| k == ActionKind::Read), of(ActionKind::writes));
        reads.retain(|held| !writes.contains(held));
        group.may_write.extend(writes.iter().copied());
        group.offers.push(Offer {
            trace: i,
            reads,
            writes,
        });
    }
    out.into_values().collect()
}

struct TraceSearch<'s> {
    interpreter: &'s Interpreter<'s>,
    options: &'s EnumerateOptions,
    groups: &'s [Vec<Group>],
    /// Threads of this execution with the group of their traces.
    opened: Vec<(InstanceId, &'s Group)>,
    /// From the last opened to the first.
    chosen: Vec<&'s Offer>,
    snapshot: Option<SnapshotId>,
    steps: u64,
    visit: &'s mut dyn FnMut(Combination) -> Result<bool, EnumerateError>,
}

impl<'s> TraceSearch<'s> {
    fn most(&self) -> u64 {
        self.options.max_executions.saturating_mul(CHOICES)
    }

    /// Opens the threads that wait; false when the search is over.
    fn open(&mut self, waiting: &mut Vec<InstanceId>) -> Result<bool, EnumerateError> {
        let Some(next) = waiting.pop() else {
            return self.choose(&[]);
        };
        let groups = self.groups;
        for group in &groups[next.0 as usize] {
            if self.opened.is_empty() {
                self.snapshot = group.snapshot;
            }
            self.opened.push((next, group));
            let before = waiting.len();
            waiting.extend(&group.children);
            let go_on = self.open(waiting)?;
            waiting.truncate(before);
            self.opened.pop();
            if !go_on {
                return Ok(false);
            }
        }
        waiting.push(next);
        Ok(true)
    }

    /// Chooses a trace for the last opened thread that has none. `wanted` is what chosen traces
    /// read and no write offers yet.
    fn choose(&mut self, wanted: &[Held]) -> Result<bool, EnumerateError> {
        self.steps += 1;
        if self.steps > self.most() {
            return Ok(false);
        }
        if self.steps.is_multiple_of(256) && (self.interpreter.interrupt)() {
            return Err(EnumerateError::Interrupted);
        }
        if self.chosen.len() == self.opened.len() {
            return self.complete();
        }
        let left = self.opened.len() - 1 - self.chosen.len();
        let (instance, group) = self.opened[left];
        for offer in &group.offers {
            let Some(wanted) = self.still_wanted(left, offer, wanted) else {
                continue;
            };
            if !self.joins_fit(instance, offer) {
                continue;
            }
            self.chosen.push(offer);
            let go_on = self.choose(&wanted);
            self.chosen.pop();
            if !go_on? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is wanted once `offer` is chosen; `None` when no thread can write it.
    fn still_wanted(&self, left: usize, offer: &Offer, wanted: &[Held]) -> Option<Vec<Held>> {
        let mut out = Vec::new();
        let old = wanted.iter().filter(|held| !offer.writes.contains(held));
        let there = |held: &Held| {
            self.is_initial(*held) || self.chosen.iter().any(|o| o.writes.contains(held))
        };
        let new = offer.reads.iter().filter(|held| !there(held));
        for held in old.chain(new) {
            let others = &self.opened[..left];
            if !others.iter().any(|(_, g)| g.may_write.contains(held)) {
                return None;
            }
            out.push(*held);
        }
        Some(out)
    }

    fn is_initial(&self, (addr, value): Held) -> bool {
        match self.interpreter.contents(self.snapshot, addr) {
            Initial::Known(word) => word == value,
            Initial::Arbitrary(shadow) => shadow == value.shadow,
        }
    }

    /// Whether the joins of a trace fit the threads that are already chosen.
    fn joins_fit(&self, instance: InstanceId, offer: &Offer) -> bool {
        let trace = &self.interpreter.traces[instance][offer.trace];
        trace.joined.iter().all(|joined| {
            let position = self
                .opened
                .iter()
                .position(|(i, _)| self.key(*i) == joined.key);
            let Some(position) = position else {
                // A thread that does not exist does not end.
                return joined.end.is_none();
            };
            let chosen = self.chosen.get(self.opened.len() - 1 - position);
            chosen.is_none_or(|offer| {
                let other = &self.interpreter.traces[self.opened[position].0][offer.trace];
                ending(other) == joined.end
            })
        })
    }

    fn key(&self, instance: InstanceId) -> ThreadKey {
        self.interpreter.instances[instance].key
    }

    fn complete(&mut self) -> Result<bool, EnumerateError> {
        let opened = self.opened.iter().map(|(i, _)| *i);
        let fits = opened
            .clone()
            .zip(self.chosen.iter().rev())
            .all(|(instance, offer)| self.joins_fit(instance, offer));
        if !fits {
            return Ok(true);
        }
        let traces = &self.interpreter.traces;
        let combination = Combination {
            traces: opened
                .zip(self.chosen.iter().rev())
                .map(|(instance, offer)| (instance, &traces[instance][offer.trace]))
                .collect(),
            snapshot: self.snapshot,
        };
        debug_assert!(self.options.max_executions > 0);
        (self.visit)(combination)
    }
}

/// How a trace ends, for who joins it.
fn ending(trace: &ThreadTrace) -> Option<Option<(Word, bool)>> {
    match trace.end {
        End::Ended(value) => Some(value),
        _ => None,
    }
}
