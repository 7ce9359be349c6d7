//! The cheapest orders that violate no clause: a minimum-cost hitting set, by branch and bound.

use ir::program::MemoryOrder;
use ir::sites::{OpenOrders, Site, SiteKind, is_at_most};
use std::collections::{BTreeMap, BTreeSet};

/// An order for each site.
pub type Orders = BTreeMap<Site, MemoryOrder>;

/// What an order costs at a site of a kind.
pub type Cost<'a> = &'a dyn Fn(SiteKind, MemoryOrder) -> u32;

/// What orders cost together.
pub fn cost_of(orders: &Orders, cost: Cost) -> u32 {
    orders.iter().map(|(s, o)| cost(s.kind, *o)).sum()
}

/// The cheapest choice of orders for which each of the clauses has a site with an order that is not at most the
/// clause's. `None` when there is none.
pub(super) fn cheapest(sites: &OpenOrders, clauses: &[Orders], cost: Cost) -> Option<Orders> {
    let weakest = sites.iter().map(|(site, orders)| (*site, orders[0]));
    let mut search = Search {
        sites,
        clauses,
        cost,
        best: None,
        seen: BTreeSet::new(),
    };
    search.extend(weakest.collect());
    search.best.map(|(_, orders)| orders)
}

struct Search<'a> {
    sites: &'a OpenOrders,
    clauses: &'a [Orders],
    cost: Cost<'a>,
    /// The cheapest choice so far, with its cost.
    best: Option<(u32, Orders)>,
    /// Choices that have been extended.
    seen: BTreeSet<Vec<MemoryOrder>>,
}

impl Search<'_> {
    /// Looks at the choices that are at least this one.
    fn extend(&mut self, chosen: Orders) {
        if !self.seen.insert(chosen.values().copied().collect()) {
            return;
        }
        let clauses = self.clauses.iter();
        let open = clauses.filter(|clause| chosen.iter().all(|(s, o)| is_at_most(*o, clause[s])));
        let mut open: Vec<Vec<(Site, MemoryOrder, u32)>> =
            open.map(|clause| self.ways(&chosen, clause)).collect();
        open.sort_by_key(Vec::len);
        // Clauses without a common site are satisfied each at its own cost.
        let (mut least, mut counted) = (cost_of(&chosen, self.cost), BTreeSet::new());
        for ways in &open {
            if !ways.iter().any(|(site, ..)| counted.contains(site)) {
                least += ways.iter().map(|(.., more)| *more).min().unwrap_or(0);
                counted.extend(ways.iter().map(|(site, ..)| *site));
            }
        }
        if self.best.as_ref().is_some_and(|(best, _)| *best <= least) {
            return;
        }
        let Some(ways) = open.first() else {
            self.best = Some((least, chosen));
            return;
        };
        for (site, order, _) in ways {
            let mut next = chosen.clone();
            next.insert(*site, *order);
            self.extend(next);
        }
    }

    /// The changes of one site that satisfy a clause, each with what it costs; the cheapest first.
    fn ways(&self, chosen: &Orders, clause: &Orders) -> Vec<(Site, MemoryOrder, u32)> {
        let mut ways = Vec::new();
        for (site, orders) in self.sites {
            let (now, most) = (chosen[site], clause[site]);
            let suits = |o: &MemoryOrder| is_at_most(now, *o) && !is_at_most(*o, most);
            let suiting: Vec<MemoryOrder> = orders.iter().copied().filter(suits).collect();
            let below = |a: MemoryOrder, b: MemoryOrder| a != b && is_at_most(a, b);
            for order in &suiting {
                if !suiting.iter().any(|other| below(*other, *order)) {
                    let (kind, before) = (site.kind, (self.cost)(site.kind, now));
                    let more = (self.cost)(kind, *order).saturating_sub(before);
                    ways.push((*site, *order, more));
                }
            }
        }
        ways.sort_by_key(|(site, order, more)| (*more, *site, *order));
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MemoryOrder::{AcqRel, Acquire, Relaxed, Release};
    use base::idx::Id;
    use base::source::{FileId, Span};

    fn site(at: u32, kind: SiteKind) -> Site {
        let file = FileId::from_index(0);
        let span = Span {
            file,
            start: at,
            end: at,
        };
        Site { span, kind }
    }

    fn cost(_: SiteKind, order: MemoryOrder) -> u32 {
        match order {
            Relaxed => 0,
            Acquire | Release => 1,
            AcqRel => 2,
            _ => 5,
        }
    }

    /// All choices.
    fn choices(sites: &OpenOrders) -> Vec<Orders> {
        let mut all = vec![Orders::new()];
        for (site, orders) in sites {
            let longer = all.iter().flat_map(|choice| {
                orders.iter().map(|order| {
                    let mut choice = choice.clone();
                    choice.insert(*site, *order);
                    choice
                })
            });
            all = longer.collect();
        }
        all
    }

    #[test]
    fn the_cheapest_choice_is_that_of_brute_force() {
        let kinds = [
            SiteKind::Load,
            SiteKind::Store,
            SiteKind::Update,
            SiteKind::Fence,
        ];
        let mut random = fastrand::Rng::with_seed(46);
        for _ in 0..300 {
            let kinds = (0..4).map(|_| kinds[random.usize(..kinds.len())]);
            let sites: OpenOrders = (0..)
                .zip(kinds)
                .map(|(at, kind)| (site(at, kind), kind.orders().to_vec()))
                .collect();
            let all = choices(&sites);
            let clauses: Vec<Orders> = (0..random.usize(1..8))
                .map(|_| all[random.usize(..all.len())].clone())
                .collect();
            let meets = |choice: &&Orders| {
                let over = |c: &Orders| choice.iter().any(|(s, o)| !is_at_most(*o, c[s]));
                clauses.iter().all(over)
            };
            let expected = all.iter().filter(meets).map(|c| cost_of(c, &cost)).min();
            let found = cheapest(&sites, &clauses, &cost);
            assert!(found.iter().all(|found| meets(&found)));
            assert_eq!(found.map(|c| cost_of(&c, &cost)), expected);
        }
    }
}
