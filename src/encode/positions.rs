//! What reads may return, by how much can have happened before.
//!
//! Two threads that add each other's number to their own, `N` times: sets of values that go round
//! ([`super::values`]) double with each iteration, as any write may read any other. But a write that
//! reads `b` writes of the other thread's reads what *they* have read earlier, and so on: the `k`-th
//! write of one thread, with at most `b` of the other one before it, is the `k-1`-st with `b`, plus
//! the `b`-th of the other with `k-1`. Those are Fibonacci numbers.
//!
//! **Chains.** The writes of a component, which depend on each other through reads-from, are listed
//! in chains: of two in a chain the earlier one is never *caused* by the later one, that is, by
//! reads-from and by what written values are computed from and narrowed by. Where program order has
//! the causes ([`has_causes`](crate::relations::dependencies::has_causes)) that is so of two writes in
//! program order: with the later one as a cause of the earlier one there would be a cycle of
//! reads-from and of reads before writes. Elsewhere causes have no cycle, so it is so when the later
//! write is surely computed from the earlier one, or from all reads that the earlier one is computed
//! from. Writes that exclude each other may be in one chain in any order.
//!
//! **Positions.** Let `p` have a number for each chain. An event is *within* `p` when, of every chain
//! `Y`, only the first `p[Y]` writes are among its causes and their causes. Of each event `limit`
//! tells some `p` that it is within in every execution. Then
//!
//! - `read(r, p)`: the union of `write(w, p)` over the candidates `w` that `p` has, with `p` lowered to
//!   the limit of `r`; candidates of other components have the sets found before;
//! - `write(w, p)`: the value of its term where each read `r` of the component has `read(r, p)`, with
//!   `p` lowered to the limit of `w`, which excludes `w` itself.
//!
//! **Sound**: in an execution the value of an event within `p` is in its set for `p`, by induction on
//! its causes: they are within `p` themselves, since their causes are among its own, and a write that
//! a read returns is one of its causes, so `p` has it. **It ends**, since `write(w, p)` needs only
//! `write(v, q)` with `q` below `p` in the chain of `v` and nowhere above: all are found in
//! lexicographic order of `p`. The cost is the product of the lengths of the chains, so it is done
//! only where that is small, and what was known before remains.

use crate::relations::bounds::{Analysis, Node};
use crate::unroll::range::Range;
use base::bits::BitMatrix;
use base::idx::Id;
use cat::model::{BaseRel, Causality};
use rustc_hash::FxHashMap;

/// Sets that are joined, in all, for one component.
const MAX_JOINS: usize = 200_000;

/// The reads and writes of a component, and how they depend on each other.
pub struct Component<'a> {
    /// The reads.
    pub reads: &'a [Node],
    /// The candidates of each read.
    pub sources: FxHashMap<Node, Vec<Node>>,
    /// By write of the component: the reads of the component that it is computed from. Candidates
    /// that are not here have sets that are known.
    pub causes: FxHashMap<Node, Vec<Node>>,
}

/// The numbers of writes that may be causes, by chain.
type Position = Vec<usize>;

/// The writes of a component in chains.
struct Chains {
    /// The chain of a write and its place there, from 1.
    place: FxHashMap<Node, (usize, usize)>,
    len: Position,
    /// Of reads and writes.
    limit: FxHashMap<Node, Position>,
}

impl Component<'_> {
    /// The values of the reads: `write` tells those of a write when its reads have some values, and
    /// `known` those of the other candidates. `None` when that would take too long, or `write` says so.
    pub fn solve(
        &self,
        analysis: &Analysis,
        known: &FxHashMap<Node, Range>,
        write: &mut dyn FnMut(Node, Vec<(Node, Range)>) -> Option<Range>,
    ) -> Option<Vec<(Node, Range)>> {
        let chains = self.chains(analysis)?;
        let mut table: FxHashMap<(Node, Position), Range> = FxHashMap::default();
        let mut writes: Vec<Node> = self.causes.keys().copied().collect();
        writes.sort_unstable();
        let mut position = vec![0; chains.len.len()];
        loop {
            for w in &writes {
                // Other positions are lowered to one of these.
                if lowered(&position, &chains.limit[w]) == position {
                    let reads = self.causes[w].iter();
                    let reads =
                        reads.map(|r| (*r, self.read(*r, &position, &chains, known, &table)));
                    let set = write(*w, reads.collect())?;
                    table.insert((*w, position.clone()), set);
                }
            }
            if !next(&mut position, &chains.len) {
                break;
            }
        }
        let top = &chains.len;
        let reads = self.reads.iter();
        Some(
            reads
                .map(|r| (*r, self.read(*r, top, &chains, known, &table)))
                .collect(),
        )
    }

    fn read(
        &self,
        r: Node,
        position: &[usize],
        chains: &Chains,
        known: &FxHashMap<Node, Range>,
        table: &FxHashMap<(Node, Position), Range>,
    ) -> Range {
        let position = lowered(position, &chains.limit[&r]);
        let mut set = Range::NONE;
        for w in &self.sources[&r] {
            match chains.place.get(w) {
                Some((chain, at)) if *at <= position[*chain] => {
                    let within = lowered(&position, &chains.limit[w]);
                    set = set.join(&table[&(*w, within)]);
                }
                Some(_) => {}
                None => set = set.join(&known[w]),
            }
        }
        set
    }

    fn chains(&self, analysis: &Analysis) -> Option<Chains> {
        let later = self.never_caused(analysis);
        let before = |a: Node, b: Node| later.contains(a.index(), b.index());
        let mut writes: Vec<Node> = self.causes.keys().copied().collect();
        writes.sort_unstable();
        let mut lists: Vec<Vec<Node>> = Vec::new();
        for w in writes {
            let fits = |list: &Vec<Node>| {
                list.iter()
                    .all(|v| before(*v, w) || analysis.exclusive(*v, w))
            };
            match lists.iter_mut().find(|list| fits(list)) {
                Some(list) => list.push(w),
                None => lists.push(vec![w]),
            }
        }
        let candidates: usize = self
            .causes
            .values()
            .flatten()
            .map(|r| self.sources[r].len())
            .sum();
        let positions = lists
            .iter()
            .try_fold(1usize, |n, list| n.checked_mul(list.len() + 1))?;
        // A write has no position above its own place, which is half of them on average.
        if positions.checked_mul(candidates)? / 2 > MAX_JOINS {
            return None;
        }
        let mut place = FxHashMap::default();
        for (chain, list) in lists.iter().enumerate() {
            for (i, w) in list.iter().enumerate() {
                place.insert(*w, (chain, i + 1));
            }
        }
        let limit = |e: &Node| -> Position {
            let possible = |list: &Vec<Node>| {
                let cause = |w: &Node| w != e && !before(*e, *w) && !analysis.exclusive(*e, *w);
                list.iter().rposition(cause).map_or(0, |i| i + 1)
            };
            let mut limit: Position = lists.iter().map(possible).collect();
            if let Some((chain, at)) = place.get(e) {
                limit[*chain] = limit[*chain].min(at - 1);
            }
            limit
        };
        let events = self.reads.iter().chain(self.causes.keys());
        Some(Chains {
            limit: events.map(|e| (*e, limit(e))).collect(),
            len: lists.iter().map(Vec::len).collect(),
            place,
        })
    }

    /// Pairs of events of which the second, if both happen, is not among the causes of the first.
    fn never_caused(&self, analysis: &Analysis) -> BitMatrix {
        if analysis.model.causal == Causality::Known {
            return self.computed_later(analysis);
        }
        let mut pairs = BitMatrix::new(analysis.nodes.len());
        let events: Vec<Node> = self
            .reads
            .iter()
            .chain(self.causes.keys())
            .copied()
            .collect();
        let po = &analysis.base[&BaseRel::Po].must;
        for a in &events {
            for b in &events {
                let together = analysis.event(*a).thread == analysis.event(*b).thread;
                if together && po.contains(a.index(), b.index()) {
                    pairs.insert(a.index(), b.index());
                }
            }
        }
        pairs
    }

    /// The same where only causes have no cycle.
    fn computed_later(&self, analysis: &Analysis) -> BitMatrix {
        // Reads that are causes of a write, if both happen.
        let mut causes = BitMatrix::new(analysis.nodes.len());
        // Pairs of which the first is a cause of the second whenever that happens.
        let mut surely = BitMatrix::new(analysis.nodes.len());
        for (w, reads) in &self.causes {
            for r in reads {
                causes.insert(r.index(), w.index());
                if analysis.implies(*w, *r) {
                    surely.insert(r.index(), w.index());
                }
            }
        }
        for r in self.reads {
            if let [w] = self.sources[r][..] {
                surely.insert(w.index(), r.index());
            }
        }
        let causes = causes.union(&surely.plus());
        let mut pairs = causes.clone();
        for (earlier, reads) in &self.causes {
            for later in self.causes.keys().filter(|w| *w != earlier) {
                if reads
                    .iter()
                    .all(|r| causes.contains(r.index(), later.index()))
                {
                    pairs.insert(earlier.index(), later.index());
                }
            }
        }
        pairs
    }
}

/// The smaller number for each chain.
fn lowered(position: &[usize], limit: &[usize]) -> Position {
    position.iter().zip(limit).map(|(a, b)| *a.min(b)).collect()
}

/// The next position in lexicographic order; false at the last one.
fn next(position: &mut [usize], len: &[usize]) -> bool {
    for (at, len) in position.iter_mut().zip(len).rev() {
        if *at < *len {
            *at += 1;
            return true;
        }
        *at = 0;
    }
    false
}
