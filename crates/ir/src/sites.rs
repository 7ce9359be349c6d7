//! The places of a program at which it chooses a memory order: atomic accesses and fences.
//!
//! A site is a place in the source: it is one site however often the function is called or inlined, and the
//! two orders of a compare-exchange are two sites. An access whose order is a value of the program is none,
//! nor is one whose order is not of C11: that of the library, of an instruction, of a kernel.

use crate::pair::PairAccess;
use crate::program::{Fence, Instr, MemoryOrder, Op, ProcId, Program};
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

use MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// What has an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SiteKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write that always stores.
    Update,
    /// A compare-exchange that stores.
    Success,
    /// A compare-exchange that does not.
    Failure,
    /// A fence.
    Fence,
}

impl SiteKind {
    /// The orders that C11 allows, each behind those that are weaker. A relaxed fence is none.
    pub fn orders(self) -> &'static [MemoryOrder] {
        match self {
            SiteKind::Load | SiteKind::Failure => &[Relaxed, Acquire, SeqCst],
            SiteKind::Store => &[Relaxed, Release, SeqCst],
            SiteKind::Update | SiteKind::Success | SiteKind::Fence => {
                &[Relaxed, Acquire, Release, AcqRel, SeqCst]
            }
        }
    }
}

/// The orders among these that are weaker than one with none between.
pub fn one_step_weaker(
    orders: &[MemoryOrder],
    order: MemoryOrder,
) -> impl Iterator<Item = MemoryOrder> {
    let below = |a: MemoryOrder, b: MemoryOrder| a != b && is_at_most(a, b);
    let weaker = orders.iter().copied().filter(move |o| below(*o, order));
    weaker.filter(move |o| {
        let mut between = orders.iter();
        !between.any(|m| below(*o, *m) && below(*m, order))
    })
}

/// Whether everything that the first order asks for the second one does, too; of C11's orders, and of accesses
/// that are not atomic.
pub fn is_at_most(a: MemoryOrder, b: MemoryOrder) -> bool {
    let acquires_and_releases = b == AcqRel && matches!(a, Acquire | Release);
    a == b
        || !a.is_atomic()
        || a == Relaxed && b.is_atomic()
        || b == SeqCst
        || acquires_and_releases
}

/// A place in the source that has an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The access, or the fence.
    pub span: Span,
    /// What it is.
    pub kind: SiteKind,
}

/// Sites that may have one of several orders: the weakest one, which comes first, to the strongest.
pub type OpenOrders = BTreeMap<Site, Vec<MemoryOrder>>;

/// The sites of a program with their orders. A place with several accesses of one kind is a site if all of
/// them have the same order.
pub fn sites(program: &Program) -> BTreeMap<Site, MemoryOrder> {
    let mut found: BTreeMap<Site, Option<MemoryOrder>> = BTreeMap::new();
    // What a client does to observe its calls is no text of the program.
    let client = program.client.iter();
    let own = client.flat_map(|c| c.threads.iter().map(|t| t.routine).chain([c.main]));
    let own: BTreeSet<ProcId> = own.collect();
    let procs = program.procs.iter_enumerated();
    let procs = procs.filter(|(id, _)| !own.contains(id));
    for instr in procs.flat_map(|(_, proc)| &proc.body) {
        for (kind, order) in orders(&instr.op) {
            let span = instr.span;
            let site = found.entry(Site { span, kind }).or_insert(Some(order));
            *site = site.filter(|known| *known == order && kind.orders().contains(&order));
        }
    }
    let all = found.into_iter();
    all.filter_map(|(site, order)| Some((site, order?)))
        .collect()
}

/// The accesses at some places that are not atomic and might be: of one scalar, and of each kind alone there.
pub fn plain_sites(program: &Program, places: &BTreeSet<Span>) -> BTreeMap<Site, MemoryOrder> {
    let mut found: BTreeMap<Site, Option<MemoryOrder>> = BTreeMap::new();
    for proc in program.procs.iter() {
        for instr in proc.body.iter().filter(|i| places.contains(&i.span)) {
            let (kind, order) = match &instr.op {
                Op::Load { order, .. } => (SiteKind::Load, *order),
                Op::Store { order, .. } => (SiteKind::Store, *order),
                _ => continue,
            };
            let span = instr.span;
            let is_plain = matches!(order, MemoryOrder::Plain | MemoryOrder::Volatile);
            let site = found.entry(Site { span, kind });
            let again = |known: &mut Option<MemoryOrder>| *known = None;
            site.and_modify(again).or_insert(is_plain.then_some(order));
        }
    }
    let all = found.into_iter();
    all.filter_map(|(site, order)| Some((site, order?)))
        .collect()
}

/// The program with these orders.
pub fn with_orders(program: &Program, chosen: &BTreeMap<Site, MemoryOrder>) -> Program {
    let mut program = program.clone();
    let ids: Vec<ProcId> = program.procs.ids().collect();
    for id in ids {
        for instr in &mut program.procs[id].body {
            set_orders(instr, chosen);
        }
    }
    program
}

/// Instructions of one statement, behind which a fence may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fenced {
    /// The first one; the jumps from here on that go behind the last one go to the fence.
    pub first: usize,
    /// The place of the fence in the source.
    pub span: Span,
}

/// The program with relaxed fences, which order nothing, behind these instructions; each is a site at its place.
pub fn with_fences(program: &Program, behind: &BTreeMap<(ProcId, usize), Fenced>) -> Program {
    let mut program = program.clone();
    let ids: Vec<ProcId> = program.procs.ids().collect();
    for id in ids {
        let of_proc = || behind.range((id, 0)..=(id, usize::MAX));
        let moved = |from: usize, target: usize| {
            let is_earlier = |((_, last), fenced): &(&(ProcId, usize), &Fenced)| {
                let leaves = *last + 1 == target && (fenced.first..=*last).contains(&from);
                *last < target && !leaves
            };
            target + of_proc().filter(is_earlier).count()
        };
        let body = std::mem::take(&mut program.procs[id].body);
        let mut longer = Vec::new();
        for (at, mut instr) in body.into_iter().enumerate() {
            if let Op::Goto { target, .. } = &mut instr.op {
                *target = moved(at, *target);
            }
            longer.push(instr);
            if let Some(fenced) = behind.get(&(id, at)) {
                let (span, op) = (fenced.span, Op::Fence(Fence::C11(Relaxed)));
                longer.push(Instr { span, op });
            }
        }
        program.procs[id].body = longer;
    }
    program
}

fn set_orders(instr: &mut Instr, chosen: &BTreeMap<Site, MemoryOrder>) {
    let span = instr.span;
    let set = |kind: SiteKind, order: &mut MemoryOrder| {
        if let Some(chosen) = chosen.get(&Site { span, kind }) {
            *order = *chosen;
        }
    };
    match &mut instr.op {
        Op::Load { order, .. } => set(SiteKind::Load, order),
        Op::Store { order, .. } => set(SiteKind::Store, order),
        Op::Rmw { order, .. } => set(SiteKind::Update, order),
        Op::Cas {
            success, failure, ..
        } => {
            set(SiteKind::Success, success);
            set(SiteKind::Failure, failure);
        }
        Op::Pair(pair) => match &mut pair.access {
            PairAccess::Load { order, .. } => set(SiteKind::Load, order),
            PairAccess::Store { order, .. } => set(SiteKind::Store, order),
            PairAccess::Exchange { order, .. } => set(SiteKind::Update, order),
            PairAccess::Cas {
                success, failure, ..
            } => {
                set(SiteKind::Success, success);
                set(SiteKind::Failure, failure);
            }
        },
        Op::Fence(Fence::C11(order)) => set(SiteKind::Fence, order),
        _ => {}
    }
}

/// The orders that an instruction has by itself.
fn orders(op: &Op) -> Vec<(SiteKind, MemoryOrder)> {
    match op {
        Op::Load { order, .. } => vec![(SiteKind::Load, *order)],
        Op::Store { order, .. } => vec![(SiteKind::Store, *order)],
        Op::Rmw { order, .. } => vec![(SiteKind::Update, *order)],
        // That of the library has a role where it succeeds.
        Op::Cas { success, .. } if !SiteKind::Success.orders().contains(success) => Vec::new(),
        Op::Cas {
            success, failure, ..
        } => vec![(SiteKind::Success, *success), (SiteKind::Failure, *failure)],
        Op::Pair(pair) => match &pair.access {
            PairAccess::Load { order, .. } => vec![(SiteKind::Load, *order)],
            PairAccess::Store { order, .. } => vec![(SiteKind::Store, *order)],
            PairAccess::Exchange { order, .. } => vec![(SiteKind::Update, *order)],
            PairAccess::Cas {
                success, failure, ..
            } => vec![(SiteKind::Success, *success), (SiteKind::Failure, *failure)],
        },
        Op::Fence(Fence::C11(order)) => vec![(SiteKind::Fence, *order)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [SiteKind; 6] = [
        SiteKind::Load,
        SiteKind::Store,
        SiteKind::Update,
        SiteKind::Success,
        SiteKind::Failure,
        SiteKind::Fence,
    ];

    #[test]
    fn weaker_orders_come_first() {
        for kind in KINDS {
            let orders = kind.orders();
            for (i, a) in orders.iter().enumerate() {
                assert!(orders[..i].iter().all(|b| !is_at_most(*a, *b)));
                assert!(is_at_most(orders[0], *a) && is_at_most(*a, SeqCst));
            }
        }
    }

    #[test]
    fn a_step_is_the_smallest_change() {
        let steps = |kind: SiteKind, order| -> Vec<MemoryOrder> {
            one_step_weaker(kind.orders(), order).collect()
        };
        assert_eq!(steps(SiteKind::Update, SeqCst), [AcqRel]);
        assert_eq!(steps(SiteKind::Update, AcqRel), [Acquire, Release]);
        assert_eq!(steps(SiteKind::Update, Release), [Relaxed]);
        assert_eq!(steps(SiteKind::Update, Relaxed), []);
        assert_eq!(steps(SiteKind::Store, SeqCst), [Release]);
        let all = [MemoryOrder::Plain, Relaxed, Acquire, SeqCst];
        let steps: Vec<MemoryOrder> = one_step_weaker(&all, Relaxed).collect();
        assert_eq!(steps, [MemoryOrder::Plain]);
    }
}
