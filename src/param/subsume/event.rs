//! Is every situation of one cube also one of another?
//!
//! `big` covers `small` when its processes can be put for distinct processes of `small` (constants
//! for themselves), its pending reads for pending reads by the same process of the same cell and its
//! moments for moments, such that its literals follow from those of `small`, and whatever it says of
//! order is said by `small`: fewer reads, literals, edges and overwritten writes mean more
//! situations. The criterion is sound and not complete.

use super::embedding::{Prepared, Procs, hidden_follow, place, reads_follow, sums_follow};
use crate::base::idx::position;
use crate::param::cube::event::EventCube;
use crate::param::cube::literals::Base;
use crate::param::cube::rules::Rules;
use crate::param::cube::timestamp::{Points, each};
use crate::param::theory::model::Model;

/// True when `big` covers `small`; see the head of the file.
pub fn event_covers(
    model: &Model,
    rules: Rules,
    big: &Prepared<EventCube>,
    small: &Prepared<EventCube>,
) -> bool {
    if !big.may_cover(small)
        || big.cube.snapshot && !small.cube.snapshot
        || big.cube.overs.len() > small.cube.overs.len()
    {
        return false;
    }
    let mut search = Matching {
        model,
        rules,
        big,
        small,
        procs: [0; 32],
        reads: [0; 64],
        points: [0; 64],
    };
    place(model, big, small, |procs| {
        search.procs = *procs;
        search.read(0, 0)
    })
}

struct Matching<'a> {
    model: &'a Model<'a>,
    rules: Rules,
    big: &'a Prepared<EventCube>,
    small: &'a Prepared<EventCube>,
    /// Processes, reads and moments of `big` as those of `small`.
    procs: Procs,
    reads: [u8; 64],
    points: [u8; 64],
}

impl Matching<'_> {
    /// Puts reads of `small` for those of `big`, from position `k`; moments in `known` have one.
    fn read(&mut self, k: usize, known: Points) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let Some(r) = big.reads.get(k) else {
            let names = (&self.procs[..], &self.reads[..]);
            return sums_follow(self.big, self.small, names)
                && self.order()
                && hidden_follow(self.model, self.big, self.small, names);
        };
        let by = self.procs[usize::from(r.by)];
        let cell = r.cell.rename(&self.procs, &self.reads);
        let bars = each(big.bars[k].into()).fold(0, |set, p| set | 1 << self.procs[p]);
        for (i, s) in small.reads.iter().enumerate() {
            let end = |c: &EventCube, p: u8| c.snapshot && p == 0;
            if s.by != by
                || s.cell != cell
                || end(big, r.point) && !end(small, s.point)
                || bars & !small.bars[i] != 0
            {
                continue;
            }
            self.reads[k] = position(i);
            let Some(now) = self.moment(r.point, s.point, known) else {
                continue;
            };
            let now = match (big.last[k], small.last[i]) {
                (None, _) => Some(now),
                (Some(o), Some(x)) => self.moment(o, x, now),
                (Some(_), None) => None,
            };
            let names = (&self.procs[..], &self.reads[..]);
            if let Some(now) = now
                && reads_follow(self.model, self.big, self.small, k, names)
                && self.read(k + 1, now)
            {
                return true;
            }
        }
        false
    }

    /// Puts a moment of `small` for one of `big`, if what `big` says of its order among the known
    /// ones is said by `small`; then it is known, too.
    fn moment(&mut self, big: u8, small: u8, known: Points) -> Option<Points> {
        let (b, s) = (usize::from(big), usize::from(small));
        if known >> b & 1 == 1 {
            return (self.points[b] == small).then_some(known);
        }
        self.points[b] = small;
        let (wanted, has) = (&self.big.cube.after, &self.small.cube.after);
        let later = self.within(wanted[b] & known, has[s]);
        let earlier =
            |m: usize| wanted[m] >> b & 1 == 0 || has[usize::from(self.points[m])] >> s & 1 == 1;
        (later && each(known).all(earlier)).then_some(known | 1 << b)
    }

    /// The set of `big`, each moment put, is within that of `small`.
    fn within(&self, big: Points, small: Points) -> bool {
        each(big).all(|p| small >> self.points[p] & 1 == 1)
    }

    /// What `big` says of events yet to be found is said by `small`.
    fn order(&self) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let mut hit = 0u32;
        for (p, q) in self.procs[..usize::from(big.procs)].iter().enumerate() {
            hit |= 1 << q;
            let q = usize::from(*q);
            if !self.within(big.fires[p], small.fires[q])
                || !self.within(big.commits[p], small.commits[q])
            {
                return false;
            }
        }
        let unknown = (0..usize::from(small.procs)).filter(|q| hit >> q & 1 == 0);
        let default = big.default_fire();
        if !self.rules.firings_in_order
            && !unknown
                .into_iter()
                .all(|q| self.within(default, small.fires[q]))
        {
            return false;
        }
        let f = |c: Base| c.rename(&self.procs, &self.reads);
        let mut cells = big.cells.iter();
        cells.all(|(c, set)| self.within(*set, small.after_cell(f(*c)))) && self.overs()
    }

    /// What is said of overwritten writes.
    fn overs(&self) -> bool {
        self.big.cube.overs.iter().all(|o| {
            let by = each(o.by.into()).fold(0, |set, p| set | 1 << self.procs[p]);
            let mut small = self.small.cube.overs.iter();
            small.any(|s| self.points[usize::from(o.point)] == s.point && by & !s.by == 0)
        })
    }
}
