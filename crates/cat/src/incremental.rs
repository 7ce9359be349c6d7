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
//! Events come in an order that extends program order. There are no atomic groups.

use super::execution::{Access, ExecutionEvent};
use super::model::{AxiomKind, BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use super::pattern::is_thin_air;
use super::uses::{Operand, operands};
use base::idx::IdVec;

/// What follows from a new pair of a relation.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// It is in this one.
    Copy(RelId),
    /// It is in this one if it is in the first one.
    When(RelId, RelId),
    /// It is in this one unless it is in the first one, which is static.
    Unless(RelId, RelId),
    /// It is in this one if its first event is in the set.
    From(SetId, RelId),
    /// It is in this one if its second event is in the set.
    To(SetId, RelId),
    /// It begins a pair of this one that the first one ends.
    Before(RelId, RelId),
    /// It ends a pair of this one that the first one begins.
    After(RelId, RelId),
    /// Its inverse is in this one.
    Inverse(RelId),
    /// This one is the closure.
    Closure(RelId),
}

/// A model, prepared: which of its relations are kept, and who uses them.
pub struct Plan<'m> {
    model: &'m Model,
    /// Where a relation is kept.
    slots: IdVec<RelId, Option<u32>>,
    /// How many are.
    kept: usize,
    users: IdVec<RelId, Vec<Rule>>,
    /// Static relations that are kept.
    composed: Vec<RelId>,
    /// By relation: it is not static.
    grows: IdVec<RelId, bool>,
    /// The expressions that are `rf`, `co` and `fr`.
    bases: [Vec<RelId>; 3],
    /// Static sets that are looked at.
    sets: Vec<SetId>,
    /// What axioms ask of relations.
    axioms: IdVec<RelId, Vec<AxiomKind>>,
}

impl<'m> Plan<'m> {
    /// Prepares a model.
    ///
    /// # Errors
    /// Why its axioms cannot be judged on growing executions, as a sentence.
    pub fn new(model: &'m Model) -> Result<Plan<'m>, String> {
        let grows = growing(model);
        let is = |base| {
            let all = model.rels.iter_enumerated();
            all.filter(|(_, r)| **r == Rel::Base(base))
                .map(|(id, _)| id)
                .collect()
        };
        let mut plan = Plan {
            model,
            grows,
            bases: [BaseRel::Rf, BaseRel::Co, BaseRel::Fr].map(is),
            slots: model.rels.ids().map(|_| None).collect(),
            kept: 0,
            users: model.rels.ids().map(|_| Vec::new()).collect(),
            composed: Vec::new(),
            sets: Vec::new(),
            axioms: model.rels.ids().map(|_| Vec::new()).collect(),
        };
        let mut used: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
        // Where reads-from and program order have no cycle, dependencies have none.
        let axioms = || model.axioms.iter().filter(|a| !is_thin_air(model, a));
        let mut work: Vec<RelId> = axioms().map(|a| a.rel).collect();
        while let Some(next) = work.pop() {
            if std::mem::replace(&mut used[next], true) {
                continue;
            }
            if let Rel::Base(BaseRel::Addr | BaseRel::Data | BaseRel::Ctrl) = model.rels[next] {
                return Err("it speaks of dependencies".to_string());
            }
            for operand in operands(&model.rels[next]) {
                match operand {
                    Operand::Rel(rel) => work.push(rel),
                    Operand::Set(set) => plan.set(set)?,
                }
            }
            if let Rel::Rec(v) = model.rels[next] {
                work.push(model.recs[v]);
            }
        }
        for axiom in axioms() {
            plan.axioms[axiom.rel].push(axiom.kind);
            plan.keep(axiom.rel);
        }
        for rel in model.rels.ids().filter(|r| used[*r]) {
            if plan.grows[rel] {
                plan.keep(rel);
                plan.rules(rel)?;
            }
        }
        Ok(plan)
    }

    fn keep(&mut self, rel: RelId) {
        if self.slots[rel].is_none() {
            self.slots[rel] = Some(self.kept as u32);
            self.kept += 1;
            if !self.grows[rel] {
                self.composed.push(rel);
            }
        }
    }

    /// A relation is composed with others or closed: it is kept, and this follows from it.
    fn compose(&mut self, rel: RelId, rule: Rule) {
        self.keep(rel);
        self.users[rel].push(rule);
    }

    fn rules(&mut self, rel: RelId) -> Result<(), String> {
        let identity = |model: &Model, rel: RelId| match model.rels[rel] {
            Rel::Identity(set) => Some(set),
            _ => None,
        };
        match self.model.rels[rel] {
            Rel::Union(a, b) => {
                self.compose(a, Rule::Copy(rel));
                self.compose(b, Rule::Copy(rel));
            }
            Rel::Inter(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    if self.grows[one] {
                        self.compose(one, Rule::When(other, rel));
                    }
                }
            }
            Rel::Diff(a, b) if !self.grows[b] => self.compose(a, Rule::Unless(b, rel)),
            Rel::Diff(..) => {
                let text = "it subtracts a relation that grows with the execution";
                return Err(text.to_string());
            }
            Rel::Seq(a, b) => match (identity(self.model, a), identity(self.model, b)) {
                (Some(set), _) => self.compose(b, Rule::From(set, rel)),
                (None, Some(set)) => self.compose(a, Rule::To(set, rel)),
                (None, None) => {
                    self.compose(a, Rule::Before(b, rel));
                    self.compose(b, Rule::After(a, rel));
                }
            },
            Rel::Inverse(a) => self.compose(a, Rule::Inverse(rel)),
            Rel::Plus(a) => self.compose(a, Rule::Closure(rel)),
            Rel::Rec(v) => self.compose(self.model.recs[v], Rule::Copy(rel)),
            Rel::Base(_) | Rel::Empty | Rel::Identity(_) | Rel::Cross(..) => {}
        }
        Ok(())
    }

    /// A set that is looked at, and those that it is made of.
    fn set(&mut self, set: SetId) -> Result<(), String> {
        if self.sets.contains(&set) {
            return Ok(());
        }
        match &self.model.sets[set] {
            Set::Base(BaseSet::FW) => return Err("it speaks of final writes".to_string()),
            Set::Domain(rel) | Set::Range(rel) if pairs_of(self.model, *rel).is_none() => {
                return Err("it speaks of the ends of a relation that grows".to_string());
            }
            Set::Base(_) | Set::All | Set::Empty | Set::Domain(_) | Set::Range(_) => {}
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                self.set(*a)?;
                self.set(*b)?;
            }
        }
        self.sets.push(set);
        Ok(())
    }

    /// The label of an event; `pair` is the relation between it and the other half of its
    /// read-modify-write.
    pub fn label(&self, event: &ExecutionEvent, pair: Option<BaseRel>) -> Label {
        let holds = |set: &SetId| self.is_in(event, pair, *set);
        Label {
            sets: self.sets.iter().copied().filter(holds).collect(),
            value: event.value,
            pair: pair.unwrap_or(BaseRel::Amo),
        }
    }

    fn is_in(&self, event: &ExecutionEvent, pair: Option<BaseRel>, set: SetId) -> bool {
        let both = |a, b| [a, b].map(|s| self.is_in(event, pair, s));
        let writes = matches!(event.access, Access::Write | Access::Init);
        match &self.model.sets[set] {
            Set::Base(base) => match base {
                BaseSet::R => event.access == Access::Read,
                BaseSet::W => writes,
                BaseSet::F => event.access == Access::Fence,
                BaseSet::IW => event.access == Access::Init,
                BaseSet::FW => false,
                BaseSet::Rmw => pair.is_some() || event.tags.contains(&"RMW"),
                BaseSet::Tag(tag) => event.tags.contains(&tag.as_str()),
            },
            Set::All => true,
            Set::Empty => false,
            Set::Union(a, b) => both(*a, *b) != [false, false],
            Set::Inter(a, b) => both(*a, *b) == [true, true],
            Set::Diff(a, b) => both(*a, *b) == [true, false],
            Set::Domain(rel) => !writes && is_pair(pairs_of(self.model, *rel), pair),
            Set::Range(rel) => writes && is_pair(pairs_of(self.model, *rel), pair),
        }
    }
}

/// By relation: a pair of events does not decide by itself whether it is in it.
fn growing(model: &Model) -> IdVec<RelId, bool> {
    let mut out: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
    // Operands come first, but for variables, which grow.
    for (id, rel) in model.rels.iter_enumerated() {
        out[id] = match *rel {
            Rel::Base(base) => matches!(base, BaseRel::Rf | BaseRel::Co | BaseRel::Fr),
            Rel::Empty | Rel::Identity(_) | Rel::Cross(..) => false,
            Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => out[a] || out[b],
            Rel::Inverse(a) => out[a],
            Rel::Seq(..) | Rel::Plus(_) | Rel::Rec(_) => true,
        };
    }
    out
}

/// `rmw` or a part of it.
fn pairs_of(model: &Model, rel: RelId) -> Option<BaseRel> {
    match model.rels[rel] {
        Rel::Base(base @ (BaseRel::Rmw | BaseRel::Amo | BaseRel::Lxsx)) => Some(base),
        _ => None,
    }
}

/// Whether a pair of this kind is in the relation.
fn is_pair(rel: Option<BaseRel>, pair: Option<BaseRel>) -> bool {
    pair.is_some() && (rel == Some(BaseRel::Rmw) || rel == pair)
}

/// What an event is to a model.
#[derive(Clone, Debug)]
pub struct Label {
    sets: Box<[SetId]>,
    value: Option<u64>,
    pair: BaseRel,
}

impl Label {
    /// Of an event that means nothing to the model.
    pub fn nothing() -> Label {
        Label {
            sets: Box::default(),
            value: None,
            pair: BaseRel::Amo,
        }
    }
}

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
                let mut before = self.before(plan, *rel, e, w);
                while let Some(bit) = pop(&mut before) {
                    self.add(plan, *rel, w * 64 + bit, e);
                }
                let mut after = self.after(plan, *rel, e, w);
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

    /// A word of the predecessors of the last event in a static relation.
    fn before(&self, plan: &Plan, rel: RelId, e: usize, w: usize) -> u64 {
        self.around(plan, rel, e, w, false)
    }

    /// A word of its successors.
    fn after(&self, plan: &Plan, rel: RelId, e: usize, w: usize) -> u64 {
        self.around(plan, rel, e, w, true)
    }

    fn around(&self, plan: &Plan, rel: RelId, e: usize, w: usize, after: bool) -> u64 {
        let of = |rel| self.around(plan, rel, e, w, after);
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
                BaseRel::Po if after => 0,
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
            Rel::Inverse(r) => self.around(plan, r, e, w, !after),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn models_without_dependencies_can_be_judged_as_they_grow() {
        for (name, can) in [
            ("sc", true),
            ("tso", true),
            ("pso", true),
            ("rc11", true),
            ("aarch64", false),
            ("power", false),
        ] {
            let model = builtin(name).expect("built in");
            let plan = Plan::new(&model);
            assert_eq!(plan.is_ok(), can, "{name}: {:?}", plan.err());
        }
    }
}
