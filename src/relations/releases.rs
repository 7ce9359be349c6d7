//! What keeps a write before a later one to another place where program order alone does not: a fence that
//! stands between them, or that the later one releases (`unroll::publication`).

use crate::unroll::RELEASING_FENCES;
use base::bits::BitMatrix;
use cat::arch;
use cat::eval::edges;
use cat::execution::{Access, Execution, ExecutionEvent};
use cat::model::{BaseRel, Model, RelId};
use ir::program::{FenceTag, MemoryOrder};
use std::collections::BTreeMap;

/// Whether some parts of a union, to which events only add pairs, keep every write before a later one that
/// releases, and across each fence that does (`unroll::publication`): they do where these are all there is.
pub(super) fn keeps_releases(model: &Model, parts: &[RelId]) -> bool {
    releases(model).all(|events| {
        let last = events.len() - 1;
        let execution = Execution::new(&events, of_one_thread(model, &events));
        let keeps = |part: &RelId| edges(model, &execution, *part).contains(0, last);
        parts.iter().any(keeps)
    })
}

/// A write and one to another place that is kept behind it, by a fence or as it releases, and is that of a
/// read-modify-write if a read precedes it.
fn releases(model: &Model) -> impl Iterator<Item = Vec<ExecutionEvent>> {
    use MemoryOrder::{AcqRel, Plain, Relaxed, Release, SeqCst, Volatile};
    let stores = [Release, SeqCst].map(|order| (FenceTag::BeforeStore(order), order, false));
    let updates = [Release, AcqRel, SeqCst];
    let updates = updates.map(|order| (FenceTag::BeforeRmw(order), order, true));
    let fences = RELEASING_FENCES.map(|fence| (FenceTag::Explicit(fence), Relaxed, false));
    let ways = stores.into_iter().chain(updates).chain(fences);
    // A program with a fence that the model does not know is refused.
    let ways = ways.filter_map(|(tag, order, updates)| {
        let fence = arch::tags(model, tag).ok()?;
        Some((fence, order, updates))
    });
    ways.flat_map(|(fence, order, updates)| {
        let event = |access, location, tags: &[&'static str]| ExecutionEvent {
            access,
            thread: Some(0),
            location,
            value: None,
            tags: tags.to_vec(),
            group: None,
        };
        let tags = |order, writes| arch::access_tags(model, order, writes);
        [Plain, Volatile, Relaxed, Release, SeqCst].map(|first| {
            let mut events = vec![event(Access::Write, Some(0), tags(first, true))];
            events.push(event(Access::Fence, None, fence));
            if updates {
                events.push(event(Access::Read, Some(1), tags(order, false)));
            }
            events.push(event(Access::Write, Some(1), tags(order, true)));
            events
        })
    })
}

/// The program order of one thread's events, and a read next to a write as its read-modify-write.
fn of_one_thread(model: &Model, events: &[ExecutionEvent]) -> BTreeMap<BaseRel, BitMatrix> {
    let len = events.len();
    let (mut po, mut rmw) = (BitMatrix::new(len), BitMatrix::new(len));
    (0..len).for_each(|i| (i + 1..len).for_each(|j| po.insert(i, j)));
    let read = events.iter().position(|e| e.access == Access::Read);
    read.into_iter().for_each(|r| rmw.insert(r, r + 1));
    // On one machine those with C11's orders are all of one kind.
    let kind = arch::rmw_of(model.arch, MemoryOrder::SeqCst);
    BTreeMap::from([(BaseRel::Po, po), (kind, rmw)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unroll::Publishing;
    use cat::eval::eval;

    /// Message passing by an address: what the reader of the address finds behind it, the write or what was there
    /// before.
    fn message(model: &Model, writer: &[ExecutionEvent], is_late: bool) -> Execution {
        let access = |access, thread, location, tags| ExecutionEvent {
            access,
            thread,
            location: Some(location),
            value: None,
            tags,
            group: None,
        };
        let relaxed = arch::access_tags(model, MemoryOrder::Relaxed, false).to_vec();
        let (published, address) = (writer.len() - 1, writer.len());
        let found = address + 1;
        let (old, none) = (found + 1, found + 2);
        let mut events = writer.to_vec();
        events.push(access(Access::Read, Some(1), 1, relaxed.clone()));
        events.push(access(Access::Read, Some(1), 0, relaxed));
        events.push(access(Access::Init, None, 0, Vec::new()));
        events.push(access(Access::Init, None, 1, Vec::new()));
        let source = if is_late { old } else { 0 };
        let mut pairs = vec![
            (BaseRel::Po, address, found),
            (BaseRel::Addr, address, found),
            (BaseRel::Co, old, 0),
            (BaseRel::Co, none, published),
            (BaseRel::Rf, published, address),
            (BaseRel::Rf, source, found),
        ];
        for (base, own) in of_one_thread(model, writer) {
            pairs.extend(own.pairs().map(|(a, b)| (base, a, b)));
        }
        let updated = writer.iter().position(|e| e.access == Access::Read);
        pairs.extend(updated.map(|read| (BaseRel::Rf, none, read)));
        let mut given = BTreeMap::new();
        for (base, a, b) in pairs {
            let rel = given.entry(base);
            let rel = rel.or_insert_with(|| BitMatrix::new(events.len()));
            rel.insert(a, b);
        }
        Execution::new(&events, given)
    }

    #[test]
    fn what_is_published_behind_a_fence_is_seen() {
        let mut models = Vec::new();
        for (name, _) in cat::names() {
            let model = cat::builtin(name).expect("built in");
            if crate::relations::idle::awaits(&[&model], &[]).publishing != Publishing::Fenced {
                continue;
            }
            models.push(name);
            for writer in releases(&model) {
                let is_allowed = |is_late| eval(&model, &message(&model, &writer, is_late)).is_ok();
                let known = [false, true].map(is_allowed);
                assert_eq!(known, [true, false], "{name}: {writer:?}");
            }
        }
        assert_eq!(models, ["pso", "power", "aarch64", "riscv"]);
    }
}
