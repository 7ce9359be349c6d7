//! Is every state of one cube also one of another?
//!
//! `big` subsumes `small` when its processes can be put for distinct processes of `small`
//! (constants for themselves), its pending reads for pending reads by the same process of the same
//! cell and its timestamps for timestamps, such that its literals follow from those of `small`, and
//! whatever it says of order is said by `small`: fewer reads, literals, edges and overwritten
//! writes mean more states. The criterion is sound and not complete.

use super::embedding::{Embedding, Prepared, embed_processes};
use crate::cube::event::EventCube;
use crate::cube::rules::Rules;
use crate::cube::timestamp::{Timestamps, each};
use crate::theory::context::SystemContext;
use base::idx::position;

/// True when `big` subsumes `small`; see the head of the file.
pub fn event_subsumes(
    context: &SystemContext,
    rules: Rules,
    big: &Prepared<EventCube>,
    small: &Prepared<EventCube>,
) -> bool {
    if !big.may_subsume(small)
        || big.cube.snapshot && !small.cube.snapshot
        || big.cube.overwrites.len() > small.cube.overwrites.len()
    {
        return false;
    }
    let mut search = Embedding::new(context, big, small);
    embed_processes(context, big, small, |procs| {
        search.procs = *procs;
        search.read(rules, 0, 0)
    })
}

impl Embedding<'_, EventCube> {
    /// Puts reads of `small` for those of `big`, from position `k`; timestamps in `known` have one.
    fn read(&mut self, rules: Rules, k: usize, known: Timestamps) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let Some(r) = big.reads.get(k) else {
            return self.linear_literals_follow() && self.order(rules) && self.solver_entails();
        };
        let by = self.procs[usize::from(r.by)];
        let cell = self.rename(r.cell);
        let blocked_writers =
            each(big.blocked_writers[k].into()).fold(0, |set, p| set | 1 << self.procs[p]);
        for (i, s) in small.reads.iter().enumerate() {
            let end = |c: &EventCube, p: u8| c.snapshot && p == 0;
            if s.by != by
                || s.cell != cell
                || end(big, r.timestamp) && !end(small, s.timestamp)
                || blocked_writers & !small.blocked_writers[i] != 0
            {
                continue;
            }
            self.reads[k] = position(i);
            let Some(now) = self.moment(r.timestamp, s.timestamp, known) else {
                continue;
            };
            let now = match (big.last[k], small.last[i]) {
                (None, _) => Some(now),
                (Some(o), Some(x)) => self.moment(o, x, now),
                (Some(_), None) => None,
            };
            if let Some(now) = now
                && self.read_literals_follow(k)
                && self.read(rules, k + 1, now)
            {
                return true;
            }
        }
        false
    }

    /// Puts a timestamp of `small` for one of `big`, if what `big` says of its order among the
    /// known ones is said by `small`; then it is known, too.
    fn moment(&mut self, big: u8, small: u8, known: Timestamps) -> Option<Timestamps> {
        let (b, s) = (usize::from(big), usize::from(small));
        if known >> b & 1 == 1 {
            return (self.timestamps[b] == small).then_some(known);
        }
        self.timestamps[b] = small;
        let (wanted, has) = (&self.big.cube.after, &self.small.cube.after);
        let later = self.within(wanted[b] & known, has[s]);
        let earlier = |m: usize| {
            wanted[m] >> b & 1 == 0 || has[usize::from(self.timestamps[m])] >> s & 1 == 1
        };
        (later && each(known).all(earlier)).then_some(known | 1 << b)
    }

    /// What `big` says of events yet to be found is said by `small`.
    fn order(&self, rules: Rules) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let mut hit = 0u32;
        for (p, q) in self.procs[..usize::from(big.procs)].iter().enumerate() {
            hit |= 1 << q;
            let q = usize::from(*q);
            if !self.within(big.step_successors[p], small.step_successors[q])
                || !self.within(big.write_successors[p], small.write_successors[q])
            {
                return false;
            }
        }
        let unknown = (0..usize::from(small.procs)).filter(|q| hit >> q & 1 == 0);
        let default = big.fresh_process_successors();
        if !rules.steps_in_order
            && !unknown
                .into_iter()
                .all(|q| self.within(default, small.step_successors[q]))
        {
            return false;
        }
        let mut cells = big.cells.iter();
        cells.all(|(c, set)| self.within(*set, small.after_cell(self.rename(*c))))
            && self.overwrites()
    }

    /// What is said of overwritten writes.
    fn overwrites(&self) -> bool {
        self.big.cube.overwrites.iter().all(|o| {
            let by = each(o.by.into()).fold(0, |set, p| set | 1 << self.procs[p]);
            let mut small = self.small.cube.overwrites.iter();
            small.any(|s| {
                self.timestamps[usize::from(o.timestamp)] == s.timestamp && by & !s.by == 0
            })
        })
    }
}
