//! Judging an execution that grows: what a new event, a source of a read or a place in coherence adds to
//! each relation, and nothing else.
//!
//! [`super::eval()`] computes every relation anew. An explorer of executions asks after every event, and
//! most of what it would compute it has computed before. A relation made of unions, intersections,
//! compositions, inverses and closures only grows with its operands, so each new pair is handed to those
//! who use the relation, and they make their own new pairs of it: the semi-naive evaluation of Datalog, a
//! pair at a time. Recursive variables need no fixpoint of their own. Pairs are written down in the order
//! in which they come, so that [`PartialExecution::undo`] takes back the last ones.
//!
//! Relations that two events decide by themselves, by their labels and program order, are *static*: they
//! are kept only where they are composed, and looked up elsewhere. A difference must subtract a static one;
//! a model that subtracts anything else, or speaks of final writes, is refused ([`Plan::new`]): such an
//! axiom may hold in an execution and fail in a prefix of it, or the other way round.
//!
//! What is asked for beside the axioms (data races) may subtract what grows: only what it is made of is
//! kept then, and the rest is computed when it is asked for ([`PartialExecution::has_pair`]).
//!
//! Events come in an order that extends program order. There are no atomic groups.

mod plan;

pub use plan::{Label, Plan};

use crate::model::{AxiomKind, BaseRel, Rel, RelId, SetId};
use base::idx::IdVec;
use plan::Rule;

/// Where an event is.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Its thread; `None` for initial writes.
    pub thread: Option<u32>,
    /// Its location, numbered from 0.
    pub location: Option<u32>,
    /// The events that precede it in program order.
    pub before: &'a [usize],
    /// Of the write of a read-modify-write: its read.
    pub read: Option<usize>,
}

/// Everything up to here, see [`PartialExecution::undo`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    is_consistent: bool,
    events: usize,
    pairs: usize,
}

#[derive(Clone, Debug)]
struct Event {
    thread: Option<u32>,
    location: Option<u32>,
    value: Option<u64>,
    /// The read of its read-modify-write, and what is between the two.
    read: Option<(u32, BaseRel)>,
}

/// An execution that grows, with the relations that a model's axioms are about.
#[derive(Clone)]
pub struct PartialExecution {
    events: Vec<Event>,
    /// How many events there is room for.
    room: usize,
    /// By relation that is kept, by event: its successors, as bits.
    rows: Vec<u64>,
    /// Likewise: its predecessors.
    columns: Vec<u64>,
    /// By event: what precedes it in program order.
    po: Vec<u64>,
    /// By set of the model: its members.
    sets: IdVec<SetId, Vec<u64>>,
    /// By thread, the initial writes first, and by location: its events.
    threads: Vec<Vec<u64>>,
    locations: Vec<Vec<u64>>,
    /// Pairs that are there, in the order in which they came.
    trail: Vec<(RelId, u32, u32)>,
    /// Of these the ones whose users have been served.
    served: usize,
    /// By relation that must be acyclic: pairs that came since that was last looked at.
    fresh: Vec<(RelId, u32, u32)>,
    /// An axiom fails.
    fails: bool,
}

/// Words for so many bits.
fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

fn has(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64)
        .is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn put(bits: &mut Vec<u64>, at: usize) {
    if bits.len() <= at / 64 {
        bits.resize(at / 64 + 1, 0);
    }
    bits[at / 64] |= 1 << (at % 64);
}

/// Takes away the bits from `len` on.
fn cut(bits: &mut [u64], len: usize) {
    if let Some(word) = bits.get_mut(len / 64) {
        *word &= (1 << (len % 64)) - 1;
    }
    bits.iter_mut().skip(len / 64 + 1).for_each(|w| *w = 0);
}

/// The lowest bit of a word, which is taken away.
fn pop(word: &mut u64) -> Option<usize> {
    (*word != 0).then(|| {
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        bit
    })
}

impl PartialExecution {
    /// Without events.
    pub fn new(plan: &Plan) -> PartialExecution {
        let room = 32;
        PartialExecution {
            events: Vec::new(),
            room,
            rows: vec![0; plan.kept * room * words(room)],
            columns: vec![0; plan.kept * room * words(room)],
            po: vec![0; room * words(room)],
            sets: plan.model.sets.ids().map(|_| Vec::new()).collect(),
            threads: Vec::new(),
            locations: Vec::new(),
            trail: Vec::new(),
            served: 0,
            fresh: Vec::new(),
            fails: false,
        }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True when there are no events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// All that is there now, with what follows from it.
    pub fn mark(&mut self, plan: &Plan) -> Mark {
        Mark {
            is_consistent: self.is_consistent(plan),
            events: self.events.len(),
            pairs: self.trail.len(),
        }
    }

    /// Takes back what came after a mark.
    pub fn undo(&mut self, plan: &Plan, mark: Mark) {
        for (rel, a, b) in self.trail.drain(mark.pairs..) {
            let (a, b) = (a as usize, b as usize);
            let Some(slot) = plan.slots[rel] else {
                continue;
            };
            let width = words(self.room);
            let start = slot as usize * self.room;
            self.rows[(start + a) * width + b / 64] &= !(1 << (b % 64));
            self.columns[(start + b) * width + a / 64] &= !(1 << (a % 64));
        }
        if self.events.len() > mark.events {
            let width = words(self.room);
            self.po[mark.events * width..self.events.len() * width].fill(0);
            self.events.truncate(mark.events);
            for set in &plan.sets {
                cut(&mut self.sets[*set], mark.events);
            }
            let lists = self.threads.iter_mut().chain(&mut self.locations);
            lists.for_each(|s| cut(s, mark.events));
        }
        self.served = self.trail.len();
        self.fresh.clear();
        self.fails = !mark.is_consistent;
    }

    /// Adds an event; its number.
    pub fn add_event(&mut self, plan: &Plan, label: &Label, at: &Position) -> usize {
        let e = self.events.len();
        if e == self.room {
            self.grow(plan);
        }
        let read = at.read.map(|r| (r as u32, label.pair));
        self.events.push(Event {
            thread: at.thread,
            location: at.location,
            value: label.value,
            read,
        });
        let width = words(self.room);
        for before in at.before {
            self.po[e * width + before / 64] |= 1 << (before % 64);
        }
        for set in &label.sets {
            put(&mut self.sets[*set], e);
        }
        let thread = at.thread.map_or(0, |t| t as usize + 1);
        let lists = [
            Some((&mut self.threads, thread)),
            at.location.map(|l| (&mut self.locations, l as usize)),
        ];
        for (lists, at) in lists.into_iter().flatten() {
            if lists.len() <= at {
                lists.resize(at + 1, Vec::new());
            }
            put(&mut lists[at], e);
        }
        for rel in &plan.composed {
            for w in 0..words(e + 1) {
                let mut before = self.around(plan, (*rel, false), e, w, false);
                while let Some(bit) = pop(&mut before) {
                    self.add(plan, *rel, w * 64 + bit, e);
                }
                let mut after = self.around(plan, (*rel, false), e, w, true);
                while let Some(bit) = pop(&mut after) {
                    self.add(plan, *rel, e, w * 64 + bit);
                }
            }
        }
        e
    }

    /// Adds a pair of `rf`, `co` or `fr`.
    pub fn add_pair(&mut self, plan: &Plan, base: BaseRel, a: usize, b: usize) {
        let bases = match base {
            BaseRel::Rf => &plan.bases[0],
            BaseRel::Co => &plan.bases[1],
            BaseRel::Fr => &plan.bases[2],
            _ => return,
        };
        for rel in bases.iter().filter(|r| plan.slots[**r].is_some()) {
            self.add(plan, *rel, a, b);
        }
    }

    /// Whether the axioms hold; where they do not, what was added has to be undone.
    pub fn is_consistent(&mut self, plan: &Plan) -> bool {
        while !self.fails && self.served < self.trail.len() {
            let (rel, a, b) = self.trail[self.served];
            self.served += 1;
            for rule in &plan.users[rel] {
                self.follow(plan, *rule, a as usize, b as usize);
            }
        }
        self.fails = self.fails || !self.is_acyclic(plan);
        !self.fails
    }

    fn follow(&mut self, plan: &Plan, rule: Rule, a: usize, b: usize) {
        let width = words(self.room);
        match rule {
            Rule::Copy(to) => self.add(plan, to, a, b),
            Rule::When(other, to) => {
                if self.holds(plan, other, a, b) {
                    self.add(plan, to, a, b);
                }
            }
            Rule::Unless(other, to) => {
                if !self.holds(plan, other, a, b) {
                    self.add(plan, to, a, b);
                }
            }
            Rule::From(set, to) => {
                if has(&self.sets[set], a) {
                    self.add(plan, to, a, b);
                }
            }
            Rule::To(set, to) => {
                if has(&self.sets[set], b) {
                    self.add(plan, to, a, b);
                }
            }
            Rule::Before(next, to) => {
                let (from, into) = (self.row(plan, next, b), self.row(plan, to, a));
                for w in 0..width {
                    let mut new = self.rows[from + w] & !self.rows[into + w];
                    while let Some(bit) = pop(&mut new) {
                        self.add(plan, to, a, w * 64 + bit);
                    }
                }
            }
            Rule::After(first, to) => {
                let (from, into) = (self.row(plan, first, a), self.row(plan, to, b));
                for w in 0..width {
                    let mut new = self.columns[from + w] & !self.columns[into + w];
                    while let Some(bit) = pop(&mut new) {
                        self.add(plan, to, w * 64 + bit, b);
                    }
                }
            }
            Rule::Inverse(to) => self.add(plan, to, b, a),
            Rule::Closure(to) => self.close(plan, to, a, b),
        }
    }

    /// Adds a pair to a relation that is closed, which stays so.
    fn close(&mut self, plan: &Plan, to: RelId, a: usize, b: usize) {
        let width = words(self.room);
        if has(&self.rows[self.row(plan, to, a)..][..width], b) {
            return;
        }
        let behind = self.row(plan, to, b);
        let mut ends: Vec<u64> = self.rows[behind..behind + width].to_vec();
        ends[b / 64] |= 1 << (b % 64);
        let ahead = self.row(plan, to, a);
        let mut starts: Vec<u64> = self.columns[ahead..ahead + width].to_vec();
        starts[a / 64] |= 1 << (a % 64);
        for (v, mut word) in starts.into_iter().enumerate() {
            while let Some(bit) = pop(&mut word) {
                let from = v * 64 + bit;
                let into = self.row(plan, to, from);
                for (w, end) in ends.iter().enumerate() {
                    let mut new = end & !self.rows[into + w];
                    while let Some(bit) = pop(&mut new) {
                        self.add(plan, to, from, w * 64 + bit);
                    }
                }
            }
        }
    }

    /// Adds a pair to a relation that is kept; nothing follows from it yet.
    fn add(&mut self, plan: &Plan, rel: RelId, a: usize, b: usize) {
        let (row, column) = (self.row(plan, rel, a), self.row(plan, rel, b));
        if has(&self.rows[row..], b) {
            return;
        }
        self.rows[row + b / 64] |= 1 << (b % 64);
        self.columns[column + a / 64] |= 1 << (a % 64);
        self.trail.push((rel, a as u32, b as u32));
        for kind in &plan.axioms[rel] {
            match kind {
                AxiomKind::Acyclic => self.fresh.push((rel, a as u32, b as u32)),
                AxiomKind::Irreflexive => self.fails |= a == b,
                AxiomKind::Empty => self.fails = true,
            }
        }
    }

    /// Where the row, or the column, of an event begins in a relation that is kept.
    fn row(&self, plan: &Plan, rel: RelId, event: usize) -> usize {
        let slot = plan.slots[rel].expect("what is composed or asked for is kept") as usize;
        (slot * self.room + event) * words(self.room)
    }

    /// A new cycle has a new pair: it is looked for from one end of each, the event that came last where
    /// that is one of them.
    fn is_acyclic(&mut self, plan: &Plan) -> bool {
        let last = self.events.len().saturating_sub(1);
        let start = |(rel, a, b): (RelId, u32, u32)| (rel, if b as usize == last { b } else { a });
        let mut starts: Vec<(RelId, u32)> = self.fresh.drain(..).map(start).collect();
        starts.sort_unstable();
        starts.dedup();
        let width = words(self.room);
        let (mut seen, mut open) = (vec![0; width], vec![0; width]);
        for (rel, start) in starts {
            let start = start as usize;
            let row = self.row(plan, rel, start);
            open.copy_from_slice(&self.rows[row..row + width]);
            seen.copy_from_slice(&open);
            let mut w = 0;
            while w < width {
                let Some(bit) = pop(&mut open[w]) else {
                    w += 1;
                    continue;
                };
                let next = self.row(plan, rel, w * 64 + bit);
                let mut first = w;
                for v in 0..width {
                    let new = self.rows[next + v] & !seen[v];
                    if new != 0 {
                        seen[v] |= new;
                        open[v] |= new;
                        first = first.min(v);
                    }
                }
                if has(&seen, start) {
                    return false;
                }
                w = first;
            }
            if has(&seen, start) {
                return false;
            }
        }
        true
    }

    /// Room for twice as many events.
    fn grow(&mut self, plan: &Plan) {
        let (old, room) = (self.room, self.room * 2);
        let move_to = |from: &[u64], kept: usize| {
            let (narrow, wide) = (words(old), words(room));
            let mut to = vec![0; kept * room * wide];
            for slot in 0..kept {
                for event in 0..old {
                    let source = (slot * old + event) * narrow;
                    let target = (slot * room + event) * wide;
                    to[target..target + narrow].copy_from_slice(&from[source..source + narrow]);
                }
            }
            to
        };
        self.rows = move_to(&self.rows, plan.kept);
        self.columns = move_to(&self.columns, plan.kept);
        self.po = move_to(&self.po, 1);
        self.room = room;
    }

    /// Whether a pair is in a relation that is kept or static.
    fn holds(&self, plan: &Plan, rel: RelId, a: usize, b: usize) -> bool {
        if plan.grows[rel] {
            return has(&self.rows[self.row(plan, rel, a)..], b);
        }
        let of = |rel| self.holds(plan, rel, a, b);
        let (x, y) = (&self.events[a], &self.events[b]);
        match plan.model.rels[rel] {
            Rel::Base(base) => match base {
                BaseRel::Po => has(&self.po[b * words(self.room)..], a),
                BaseRel::Loc => x.location.is_some() && x.location == y.location,
                BaseRel::Int => x.thread == y.thread,
                BaseRel::Ext => x.thread != y.thread,
                BaseRel::DifferentValues => x.value.zip(y.value).is_some_and(|(v, w)| v != w),
                BaseRel::Rmw => y.read.is_some_and(|(r, _)| r as usize == a),
                BaseRel::Amo | BaseRel::Lxsx => y.read == Some((a as u32, base)),
                _ => false,
            },
            Rel::Union(r, s) => of(r) || of(s),
            Rel::Inter(r, s) => of(r) && of(s),
            Rel::Diff(r, s) => of(r) && !of(s),
            Rel::Inverse(r) => self.holds(plan, r, b, a),
            Rel::Identity(set) => a == b && has(&self.sets[set], a),
            Rel::Cross(s, t) => has(&self.sets[s], a) && has(&self.sets[t], b),
            Rel::Empty | Rel::Seq(..) | Rel::Plus(_) | Rel::Rec(_) => false,
        }
    }

    /// Whether a relation that is asked for beside the axioms has a pair.
    pub fn has_pair(&self, plan: &Plan, rel: RelId) -> bool {
        let all = (0..self.events.len()).flat_map(|e| (0..words(self.room)).map(move |w| (e, w)));
        let mut all = all.into_iter();
        all.any(|(e, w)| self.around(plan, (rel, true), e, w, true) != 0)
    }

    /// A word of the successors of an event, or of its predecessors: in a static relation, of the last
    /// event; where what is kept may be used, in any relation that is made of what is kept, of any event.
    fn around(
        &self,
        plan: &Plan,
        (rel, by_kept): (RelId, bool),
        e: usize,
        w: usize,
        after: bool,
    ) -> u64 {
        if by_kept && plan.slots[rel].is_some() {
            let kept = if after { &self.rows } else { &self.columns };
            return kept[self.row(plan, rel, e) + w];
        }
        let of = |rel| self.around(plan, (rel, by_kept), e, w, after);
        let word = |bits: &[u64]| bits.get(w).copied().unwrap_or(0);
        let bit = |at: usize| if at / 64 == w { 1 << (at % 64) } else { 0 };
        let event = &self.events[e];
        let own = || word(&self.threads[event.thread.map_or(0, |t| t as usize + 1)]);
        let all = || {
            let count = self.events.len() - w * 64;
            if count >= 64 {
                u64::MAX
            } else {
                (1 << count) - 1
            }
        };
        match plan.model.rels[rel] {
            Rel::Base(base) => match base {
                BaseRel::Po if after => {
                    let width = words(self.room);
                    let follows = |f: &usize| has(&self.po[f * width..(f + 1) * width], e);
                    let all = w * 64..self.events.len().min(w * 64 + 64);
                    all.filter(follows).fold(0, |word, f| word | bit(f))
                }
                BaseRel::Po => word(&self.po[e * words(self.room)..][..words(self.room)]),
                BaseRel::Loc => {
                    let location = event.location.map(|l| word(&self.locations[l as usize]));
                    location.unwrap_or(0)
                }
                BaseRel::Int => own(),
                BaseRel::Ext => all() & !own(),
                BaseRel::DifferentValues => {
                    let differs = |f: &usize| {
                        let values = self.events[*f].value.zip(event.value);
                        values.is_some_and(|(v, w)| v != w)
                    };
                    let all = w * 64..self.events.len().min(w * 64 + 64);
                    all.filter(differs).fold(0, |word, f| word | bit(f))
                }
                BaseRel::Rmw | BaseRel::Amo | BaseRel::Lxsx if !after => {
                    let read = event
                        .read
                        .filter(|(_, of)| base == BaseRel::Rmw || *of == base);
                    read.map_or(0, |(r, _)| bit(r as usize))
                }
                _ => 0,
            },
            Rel::Union(r, s) => of(r) | of(s),
            Rel::Inter(r, s) => of(r) & of(s),
            Rel::Diff(r, s) => of(r) & !of(s),
            Rel::Inverse(r) => self.around(plan, (r, by_kept), e, w, !after),
            Rel::Identity(set) => bit(e) & word(&self.sets[set]),
            Rel::Cross(s, t) => {
                let (of, others) = if after { (s, t) } else { (t, s) };
                match has(&self.sets[of], e) {
                    true => word(&self.sets[others]),
                    false => 0,
                }
            }
            Rel::Empty | Rel::Seq(..) | Rel::Plus(_) | Rel::Rec(_) => 0,
        }
    }
}
