//! One concrete execution: events that happened and the relations between them.

use super::model::{BaseRel, BaseSet};
use base::bits::BitMatrix;
use ir::program::Atomicity;
use std::collections::BTreeMap;

/// A concrete execution over events numbered `0..len`, ready to be judged by [`super::eval()`].
///
/// `Fr`, `Loc`, `Int`, `Ext`, `Group`, `SameAccess`, `DifferentValues` and the sets are derived by [`Execution::new`];
/// the rest is given.
/// Missing base relations are empty, missing sets too.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// How many events.
    pub len: usize,
    /// Base relations.
    pub rels: BTreeMap<BaseRel, BitMatrix>,
    /// Base sets, as membership by event.
    pub sets: BTreeMap<BaseSet, Vec<bool>>,
    /// Atomic groups by event.
    pub groups: Vec<Option<AtomicGroup>>,
}

/// The atomic group of an event: all of its events happen at one point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicGroup {
    /// Which.
    pub number: u32,
    /// What that means. A [`Atomicity::Section`] is one point of every order, the others only of
    /// orders between different locations.
    pub kind: Atomicity,
}

impl AtomicGroup {
    /// It has full fences at both ends.
    pub fn is_fenced(&self) -> bool {
        self.kind == Atomicity::Section
    }
}

/// What an event of an [`Execution`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The initial write of a location.
    Init,
    /// A read.
    Read,
    /// A write.
    Write,
    /// A fence.
    Fence,
}

/// An event as [`Execution::new`] takes it.
#[derive(Clone, Debug)]
pub struct ExecutionEvent {
    /// What it does.
    pub access: Access,
    /// Its thread; `None` for initial writes.
    pub thread: Option<u32>,
    /// Its location; `None` for fences that have none.
    pub location: Option<u64>,
    /// What is read or written; `None` for fences, and where it is not known.
    pub value: Option<u64>,
    /// Its tags: `MFENCE`, `ACQ`, … (see [`super::arch`]). `RMW` marks the read of a failed
    /// compare-and-swap, which is in [`BaseSet::Rmw`] without a write of its own.
    pub tags: Vec<&'static str>,
    /// Its atomic group.
    pub group: Option<AtomicGroup>,
}

impl Execution {
    /// An execution of `nodes`. `given` are the relations that do not follow from the events: `Po`
    /// (transitive), `Rf`, `Co` (a total order a location), dependencies, and `Amo` and `Lxsx`;
    /// `Rmw` is their union when it is not given.
    pub fn new(nodes: &[ExecutionEvent], given: BTreeMap<BaseRel, BitMatrix>) -> Execution {
        let len = nodes.len();
        let mut rels = given;
        let empty = BitMatrix::new(len);
        let get = |rels: &BTreeMap<_, BitMatrix>, base| rels.get(&base).unwrap_or(&empty).clone();
        let co = get(&rels, BaseRel::Co);
        let rmw = get(&rels, BaseRel::Amo).union(&get(&rels, BaseRel::Lxsx));
        let rmw = rels.entry(BaseRel::Rmw).or_insert(rmw).clone();
        let fr = get(&rels, BaseRel::Rf).inverse().seq(&co);
        let fr = fr.diff(&BitMatrix::identity(len));
        rels.insert(BaseRel::Fr, fr);
        let pairs = |holds: &dyn Fn(&ExecutionEvent, &ExecutionEvent) -> bool| {
            let mut out = BitMatrix::new(len);
            for (a, x) in nodes.iter().enumerate() {
                for (b, y) in nodes.iter().enumerate() {
                    if holds(x, y) {
                        out.insert(a, b);
                    }
                }
            }
            out
        };
        let is_access = |g: &AtomicGroup| g.kind == Atomicity::Access;
        rels.insert(BaseRel::Int, pairs(&|x, y| x.thread == y.thread));
        rels.insert(BaseRel::Ext, pairs(&|x, y| x.thread != y.thread));
        rels.insert(
            BaseRel::Loc,
            pairs(&|x, y| x.location.is_some() && x.location == y.location),
        );
        rels.insert(
            BaseRel::DifferentValues,
            pairs(&|x, y| x.value.zip(y.value).is_some_and(|(v, w)| v != w)),
        );
        rels.insert(
            BaseRel::Group,
            pairs(&|x, y| x.group == y.group && x.group.is_some_and(|g| !is_access(&g))),
        );
        let mut same_access =
            pairs(&|x, y| x.group == y.group && x.group.is_some_and(|g| is_access(&g)));
        (0..len).for_each(|i| same_access.remove(i, i));
        rels.insert(BaseRel::SameAccess, same_access);

        let members = |holds: &dyn Fn(usize, &ExecutionEvent) -> bool| -> Vec<bool> {
            nodes.iter().enumerate().map(|(i, n)| holds(i, n)).collect()
        };
        let paired = |i| (0..len).any(|j| rmw.contains(i, j) || rmw.contains(j, i));
        let writes = |n: &ExecutionEvent| matches!(n.access, Access::Write | Access::Init);
        let mut sets = BTreeMap::from([
            (BaseSet::R, members(&|_, n| n.access == Access::Read)),
            (BaseSet::W, members(&|_, n| writes(n))),
            (BaseSet::F, members(&|_, n| n.access == Access::Fence)),
            (BaseSet::IW, members(&|_, n| n.access == Access::Init)),
            (
                BaseSet::FW,
                members(&|i, n| writes(n) && co.successors(i).next().is_none()),
            ),
            (
                BaseSet::Rmw,
                members(&|i, n| n.tags.contains(&"RMW") || paired(i)),
            ),
        ]);
        for (i, node) in nodes.iter().enumerate() {
            for tag in &node.tags {
                sets.entry(BaseSet::Tag((*tag).to_string()))
                    .or_insert_with(|| vec![false; len])[i] = true;
            }
        }
        Execution {
            len,
            rels,
            sets,
            groups: nodes.iter().map(|n| n.group).collect(),
        }
    }
}
