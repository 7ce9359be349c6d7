//! Is every state of one cube also one of another?
//!
//! `big` subsumes `small` when its processes can be put for distinct processes of `small` (constants
//! for themselves), its pending reads for pending reads by the same process of the same cell and its
//! timestamps for timestamps, such that its literals follow from those of `small`, and whatever it says of
//! order is said by `small`: fewer reads, literals, edges and overwritten writes mean more
//! states. The criterion is sound and not complete.

use super::embedding::{
    Prepared, Procs, embed_processes, linear_literals_follow, read_literals_follow, solver_entails,
};
use crate::base::idx::position;
use crate::param::cube::event::EventCube;
use crate::param::cube::literals::Base;
use crate::param::cube::rules::Rules;
use crate::param::cube::timestamp::{Timestamps, each};
use crate::param::theory::context::SystemContext;

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
    let mut search = Embedding {
        context,
        rules,
        big,
        small,
        procs: [0; 32],
        reads: [0; 64],
        timestamps: [0; 64],
    };
    embed_processes(context, big, small, |procs| {
        search.procs = *procs;
        search.read(0, 0)
    })
}

struct Embedding<'a> {
    context: &'a SystemContext<'a>,
    rules: Rules,
    big: &'a Prepared<EventCube>,
    small: &'a Prepared<EventCube>,
    /// Processes, reads and timestamps of `big` as those of `small`.
    procs: Procs,
    reads: [u8; 64],
    timestamps: [u8; 64],
}

impl Embedding<'_> {
    /// Puts reads of `small` for those of `big`, from position `k`; timestamps in `known` have one.
    fn read(&mut self, k: usize, known: Timestamps) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let Some(r) = big.reads.get(k) else {
            let names = (&self.procs[..], &self.reads[..]);
            return linear_literals_follow(self.big, self.small, names)
                && self.order()
                && solver_entails(self.context, self.big, self.small, names);
        };
        let by = self.procs[usize::from(r.by)];
        let cell = r.cell.rename(&self.procs, &self.reads);
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
            let names = (&self.procs[..], &self.reads[..]);
            if let Some(now) = now
                && read_literals_follow(self.context, self.big, self.small, k, names)
                && self.read(k + 1, now)
            {
                return true;
            }
        }
        false
    }

    /// Puts a timestamp of `small` for one of `big`, if what `big` says of its order among the known
    /// ones is said by `small`; then it is known, too.
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

    /// The set of `big`, each timestamp put, is within that of `small`.
    fn within(&self, big: Timestamps, small: Timestamps) -> bool {
        each(big).all(|p| small >> self.timestamps[p] & 1 == 1)
    }

    /// What `big` says of events yet to be found is said by `small`.
    fn order(&self) -> bool {
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
        if !self.rules.steps_in_order
            && !unknown
                .into_iter()
                .all(|q| self.within(default, small.step_successors[q]))
        {
            return false;
        }
        let f = |c: Base| c.rename(&self.procs, &self.reads);
        let mut cells = big.cells.iter();
        cells.all(|(c, set)| self.within(*set, small.after_cell(f(*c)))) && self.overwrites()
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
