//! Where objects lie, and which handles threads have ([`ir::placement`]): a choice of the execution
//! for each pair of objects that a comparison may be able to see at one address.
//!
//! Which pairs these are is known when a pass has ended ([`Executor::placements_that_matter`]) and
//! assumed in the next ([`Facts`]), so that programs that compare no addresses pay nothing. Then a
//! comparison looks at each object that a word may lead into and puts the address in its place that it
//! has been given. The choices are made before a pass begins, such that at most one object follows
//! another one, and an object only one; whether the other one has ended is known where the object is made,
//! and a path on which it has not ends there.

use super::event::{Ordered, Placed, ThreadId};
use super::executor::Executor;
use super::memory::*;
use super::placed::{Candidates, Name, OrderedSets};
use super::state::*;
use super::term::{Term, TermId};
use ir::placement::*;
use ir::program::*;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// More objects in a row, each of which may come first, are not put behind each other.
const MAX_ROW: usize = 6;

impl Executor<'_> {
    /// The choices among the candidates that are known.
    pub(super) fn choose_placements(&mut self) {
        let candidates = self.facts.candidates().clone();
        let rounds = Rounds::of(&candidates);
        // Who is in the place of whom, by way of others, as far as they may come round.
        let mut reach: BTreeMap<(Name, Name), TermId> = BTreeMap::new();
        for (name, others) in &candidates {
            for other in others.keys() {
                let any = self.graph.terms.nondet(1);
                let mut not = self.placements.excluding(*name, *other);
                not.extend(reach.get(&(*other, *name)));
                let not = self.graph.terms.any(&not);
                let free = self.graph.terms.not(not);
                let when = self.graph.terms.and(any, free);
                self.placements.choose(*name, *other, when);
                if rounds.are_in_one(*name, *other) {
                    self.extend_reach(&mut reach, *name, *other, when);
                }
            }
        }
        for name in candidates.keys() {
            let at = self.place_of(*name, &candidates, &rounds, &mut Vec::new());
            self.placements.set_place(*name, at);
        }
        let width = self.program.data_model.pointer_width();
        for (name, others) in &candidates {
            for (other, behind) in others {
                let when = self.placements.chosen(*name, *other);
                let at = (other + behind) & mask(width);
                let name = *name;
                self.graph.placements.push(Placed { name, at, when });
            }
        }
    }

    /// `name` is in the place of `other` when `when` holds.
    fn extend_reach(
        &mut self,
        reach: &mut BTreeMap<(Name, Name), TermId>,
        name: Name,
        other: Name,
        when: TermId,
    ) {
        let always = self.graph.terms.bool(true);
        let mut from = vec![(name, always)];
        from.extend(
            reach
                .iter()
                .filter(|((_, to), _)| *to == name)
                .map(|((f, _), t)| (*f, *t)),
        );
        let mut to = vec![(other, always)];
        to.extend(
            reach
                .iter()
                .filter(|((f, _), _)| *f == other)
                .map(|((_, t), c)| (*t, *c)),
        );
        for (a, first) in &from {
            for (b, last) in &to {
                let way = self.graph.terms.all(&[*first, when, *last]);
                let before = reach.get(&(*a, *b)).copied();
                let known = before.unwrap_or_else(|| self.graph.terms.bool(false));
                let now = self.graph.terms.or(known, way);
                reach.insert((*a, *b), now);
            }
        }
    }

    /// Where an object is, that others on the `way` are in the place of.
    fn place_of(
        &mut self,
        name: Name,
        candidates: &Candidates,
        rounds: &Rounds,
        way: &mut Vec<Name>,
    ) -> TermId {
        if let Some(known) = self.placements.place(name) {
            return known;
        }
        let width = self.program.data_model.pointer_width();
        let mut at = self.graph.terms.constant(name, width);
        let Some(others) = candidates.get(&name) else {
            return at;
        };
        let alone = !way.iter().any(|n| rounds.are_in_one(*n, name));
        way.push(name);
        for (other, behind) in others {
            if way.contains(other) {
                continue;
            }
            let base = self.place_of(*other, candidates, rounds, way);
            let behind = self.graph.terms.constant(*behind, width);
            let there = self.graph.terms.binary(BinOp::Add, base, behind);
            let when = self.placements.chosen(name, *other);
            at = self.graph.terms.ite(when, there, at);
        }
        way.pop();
        if alone {
            self.placements.set_place(name, at);
        }
        at
    }

    /// The order of memory, of objects of which some comparison may see it: any permutation of each set.
    pub(super) fn choose_order(&mut self) {
        let width = self.program.data_model.pointer_width();
        for set in self.facts.ordered().clone() {
            let names: Vec<Name> = set.into_iter().collect();
            let each = names.iter();
            let mut at: Vec<TermId> = each
                .map(|name| self.graph.terms.constant(*name, width))
                .collect();
            // The shuffle of Fisher and Yates; which one to exchange with is chosen one by one.
            for last in 1..at.len() {
                for other in 0..last {
                    let exchanged = self.graph.terms.nondet(1);
                    let (a, b) = (at[other], at[last]);
                    at[other] = self.graph.terms.ite(exchanged, b, a);
                    at[last] = self.graph.terms.ite(exchanged, a, b);
                }
            }
            for (name, at) in names.into_iter().zip(at) {
                self.placements.set_order(name, at);
                self.graph.order.push(Ordered { name, at });
            }
        }
    }

    /// What an operator makes of its operands: comparisons look at where they lead to.
    pub(super) fn binary(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let (x, y) = match compares_addresses(op) {
            true => self.places(a, b),
            false => (a, b),
        };
        let (x, y) = match orders_addresses(op) && self.may_be_of_two_objects(a, b) {
            true => {
                self.placements.note_compared_in_order(a, b);
                (self.in_order(x), self.in_order(y))
            }
            false => (x, y),
        };
        self.graph.terms.binary(op.of_numbers(), x, y)
    }

    /// Whether two words may lead into different objects.
    fn may_be_of_two_objects(&mut self, a: TermId, b: TermId) -> bool {
        if !self.program.reuses_addresses {
            return false;
        }
        let (x, y) = (self.points_to(a), self.points_to(b));
        let is_one = x.objects.len() == 1 && x.objects.keys().eq(y.objects.keys());
        !is_one && !x.objects.is_empty() && !y.objects.is_empty()
    }

    /// A word with the object that it leads into put in the order of memory.
    fn in_order(&mut self, word: TermId) -> TermId {
        if self.placements.order().is_empty() {
            return word;
        }
        if let Some(known) = self.placements.word_in_order(word) {
            return known;
        }
        let width = self.graph.terms.width(word);
        let bits = self.program.data_model.offset_bits();
        let out = match self.graph.terms.get(word) {
            Term::Const(number) => {
                let object = ordered_object(number, bits);
                match self.placements.order().get(&object).copied() {
                    Some(at) => {
                        let offset = number.wrapping_sub(object) & mask(width);
                        let offset = self.graph.terms.constant(offset, width);
                        self.graph.terms.binary(BinOp::Add, at, offset)
                    }
                    None => word,
                }
            }
            Term::Ite(cond, a, b) => {
                let (a, b) = (self.in_order(a), self.in_order(b));
                self.graph.terms.ite(cond, a, b)
            }
            _ => {
                let margin = self.graph.terms.constant(before_object(bits), width);
                let later = self.graph.terms.binary(BinOp::Add, word, margin);
                let shift = self.graph.terms.constant(u64::from(bits), width);
                let number = self.graph.terms.binary(BinOp::Lshr, later, shift);
                let mut out = word;
                for (name, at) in self.placements.order().clone() {
                    let own = self.graph.terms.constant(name >> bits, width);
                    let here = self.graph.terms.eq(number, own);
                    let name = self.graph.terms.constant(name, width);
                    let offset = self.graph.terms.binary(BinOp::Sub, word, name);
                    let moved = self.graph.terms.binary(BinOp::Add, at, offset);
                    out = self.graph.terms.ite(here, moved, out);
                }
                out
            }
        };
        self.placements.keep_word_in_order(word, out);
        out
    }

    /// Notes among which objects some comparison may see the order of memory.
    pub(super) fn orders_that_matter(&mut self) {
        let mut sets = self.facts.ordered().clone();
        for (a, b) in self.placements.take_compared_in_order() {
            let (x, y) = (self.points_to(a), self.points_to(b));
            let all = x.objects.keys().chain(y.objects.keys());
            let mut set: BTreeSet<Name> = all.map(|o| self.facts.address(*o, 0)).collect();
            let mut open: Vec<Name> = set.iter().copied().collect();
            while let Some(others) = open.pop().map(|name| self.facts.candidates().get(&name)) {
                let others = others.into_iter().flat_map(BTreeMap::keys);
                open.extend(others.filter(|other| set.insert(**other)));
            }
            if set.len() > 1 {
                let (touched, others) = sets.into_iter().partition(|s| !s.is_disjoint(&set));
                sets = others;
                for other in OrderedSets::from(touched) {
                    set.extend(other);
                }
                sets.push(set);
            }
        }
        sets.sort_unstable();
        self.facts.set_ordered(sets);
    }

    /// Where two words that are compared lead to.
    pub(super) fn places(&mut self, a: TermId, b: TermId) -> (TermId, TermId) {
        let width = self.program.data_model.pointer_width();
        if !self.program.reuses_addresses || self.graph.terms.width(a) != width {
            return (a, b);
        }
        let (x, y) = (self.points_to(a), self.points_to(b));
        let mut all: Vec<ObjId> = x.objects.keys().chain(y.objects.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        if x.objects.is_empty() || y.objects.is_empty() || all.len() == 1 {
            return (a, b);
        }
        self.placements.note_compared(a, b);
        let names = all.into_iter().map(|o| self.facts.address(o, 0));
        let names: Rc<[Name]> = names
            .filter(|n| self.placements.place(*n).is_some())
            .collect();
        if names.is_empty() {
            return (a, b);
        }
        (self.placed(a, &names), self.placed(b, &names))
    }

    /// A word with the place of the object that it leads into, one of these.
    fn placed(&mut self, word: TermId, names: &Rc<[Name]>) -> TermId {
        if let Some(known) = self.placements.word(word, names) {
            return known;
        }
        let width = self.graph.terms.width(word);
        let bits = self.program.data_model.offset_bits();
        let out = match self.graph.terms.get(word) {
            Term::Const(number) => {
                let name = number >> bits << bits;
                let known = names.contains(&name);
                match self.placements.place(name).filter(|_| known) {
                    Some(at) => {
                        let offset = self.graph.terms.constant(number - name, width);
                        self.graph.terms.binary(BinOp::Add, at, offset)
                    }
                    None => word,
                }
            }
            Term::Ite(cond, a, b) => {
                let (a, b) = (self.placed(a, names), self.placed(b, names));
                self.graph.terms.ite(cond, a, b)
            }
            _ => {
                let mut out = word;
                let shift = self.graph.terms.constant(u64::from(bits), width);
                let number = self.graph.terms.binary(BinOp::Lshr, word, shift);
                for name in names.iter() {
                    let own = self.graph.terms.constant(name >> bits, width);
                    let here = self.graph.terms.eq(number, own);
                    let name_term = self.graph.terms.constant(*name, width);
                    let offset = self.graph.terms.binary(BinOp::Sub, word, name_term);
                    let at = self.placements.place(*name);
                    let at = at.expect("only names that have places are looked for");
                    let moved = self.graph.terms.binary(BinOp::Add, at, offset);
                    out = self.graph.terms.ite(here, moved, out);
                }
                out
            }
        };
        self.placements.keep_word(word, names, out);
        out
    }

    /// Whether two handles are those of one thread.
    pub(super) fn same_thread(&mut self, a: TermId, b: TermId) -> TermId {
        let limit = 1 << self.program.data_model.offset_bits();
        let threads = self.placements.places_below(limit);
        let [a, b] = [a, b].map(|word| {
            let width = self.graph.terms.width(word);
            threads.iter().fold(word, |out, (handle, at)| {
                let own = self.graph.terms.constant(*handle, width);
                let here = self.graph.terms.eq(word, own);
                self.graph.terms.ite(here, *at, out)
            })
        });
        self.graph.terms.eq(a, b)
    }

    /// An object on the heap is made, in place of `replaced`: it may lie where one lay that has ended.
    pub(super) fn object_is_made(
        &mut self,
        state: &mut State,
        address: TermId,
        replaced: Option<SymbolicValue>,
    ) {
        let Some(name) = self.graph.terms.as_const(address) else {
            return;
        };
        if !self.program.reuses_addresses {
            return;
        }
        let dead = state
            .dead
            .iter()
            .map(|(o, t)| (self.facts.address(*o, 0), *t));
        let mut ended: BTreeMap<Name, TermId> = dead.collect();
        for (name, when) in state.gone.iter() {
            let before = ended.get(name).copied();
            let before = before.unwrap_or_else(|| self.graph.terms.bool(false));
            let when = self.graph.terms.or(before, *when);
            ended.insert(*name, when);
        }
        if let Some(old) = replaced {
            for object in self.points_to(old.term).objects.keys() {
                let here = self.is_at(old, *object);
                let name = self.facts.address(*object, 0);
                let before = ended.get(&name).copied();
                let before = before.unwrap_or_else(|| self.graph.terms.bool(false));
                let when = self.graph.terms.or(before, here);
                ended.insert(name, when);
            }
        }
        let allowed = self.may_be_placed(name, &ended);
        state.guard = self.graph.terms.and(state.guard, allowed);
    }

    /// A thread is created: it may have the handle of one that was joined. The answer is whether it
    /// has that of such a one alone.
    pub(super) fn thread_is_made(&mut self, state: &State, handle: Name) -> TermId {
        if !compares_threads(self.program) {
            return self.graph.terms.bool(true);
        }
        let limit = 1 << self.program.data_model.offset_bits();
        let gone = state.gone.range(..limit);
        let gone = gone.map(|(n, t)| (*n, *t)).collect();
        self.may_be_placed(handle, &gone)
    }

    /// Whether what is made now is in the place of one that has `ended`, if it is in that of any.
    fn may_be_placed(&mut self, name: Name, ended: &BTreeMap<Name, TermId>) -> TermId {
        let ended = ended.iter();
        let ended = ended.filter(|(n, t)| **n != name && !self.graph.terms.is_false(**t));
        let ended: BTreeMap<Name, TermId> = ended.map(|(n, t)| (*n, *t)).collect();
        let before = ended.keys().copied().collect();
        self.placements.note_ended_before(name, before);
        let mut all = Vec::new();
        for (other, when) in self.placements.chosen_for(name) {
            let not = self.graph.terms.not(when);
            let has_ended = ended.get(&other).copied();
            let has_ended = has_ended.unwrap_or_else(|| self.graph.terms.bool(false));
            all.push(self.graph.terms.or(not, has_ended));
        }
        self.graph.terms.all(&all)
    }

    /// A thread has been joined where `cond` holds: what had ended for it has.
    pub(super) fn has_gone(&mut self, state: &mut State, thread: ThreadId, cond: TermId) {
        if !self.program.reuses_addresses {
            return;
        }
        let mut gone = vec![(Self::handle_of(self.threads.key_of(thread)), cond)];
        if let Some(left) = self.threads.end_of(thread).map(|end| end.left.clone()) {
            let dead = left.objects.iter();
            let dead = dead.map(|(o, t)| (self.facts.address(*o, 0), *t));
            let all = dead.chain(left.names.iter().map(|(n, t)| (*n, *t)));
            for (name, when) in all.collect::<Vec<_>>() {
                gone.push((name, self.graph.terms.and(cond, when)));
            }
        }
        let known = Rc::make_mut(&mut state.gone);
        for (name, when) in gone {
            let before = known.get(&name).copied();
            let before = before.unwrap_or_else(|| self.graph.terms.bool(false));
            known.insert(name, self.graph.terms.or(before, when));
        }
    }

    /// Notes which objects some comparison may see at one address, and which threads may have one
    /// handle.
    pub(super) fn placements_that_matter(&mut self) {
        let mut new = Candidates::new();
        let mut heap: BTreeSet<ObjId> = BTreeSet::new();
        for (a, b) in self.placements.take_compared() {
            let (x, y) = (self.points_to(a), self.points_to(b));
            for (p, q) in [(&x, &y), (&y, &x)] {
                for (object, offsets) in &p.objects {
                    for (other, theirs) in &q.objects {
                        if object == other {
                            continue;
                        }
                        let name = self.facts.address(*object, 0);
                        let place = self.facts.address(*other, 0);
                        let size = self.facts.objects[*other].size;
                        if self.had_ended(name, place) {
                            heap.extend([*object, *other]);
                        } else if self.is_a_later_string(*object, *other) {
                            new.entry(name).or_default().insert(place, 0);
                        } else if offsets.may_be(0)
                            && theirs.may_be(size)
                            && self.may_adjoin(*object)
                            && self.may_adjoin(*other)
                        {
                            new.entry(name).or_default().insert(place, size);
                        }
                    }
                }
            }
        }
        let heap: Vec<Name> = heap.iter().map(|o| self.facts.address(*o, 0)).collect();
        for name in &heap {
            let before = heap.iter().filter(|o| self.had_ended(*name, **o));
            let before: Vec<Name> = before.copied().collect();
            let list = new.entry(*name).or_default();
            list.extend(before.into_iter().map(|o| (o, 0)));
        }
        let limit = 1 << self.program.data_model.offset_bits();
        for (handle, before) in self.placements.made_below(limit) {
            let list = new.entry(handle).or_default();
            list.extend(before.iter().map(|o| (*o, 0)));
        }
        let mut candidates = self.facts.candidates().clone();
        for (name, others) in new {
            for (other, behind) in others {
                let known = candidates.entry(name).or_default();
                if known.contains_key(&other) {
                    continue;
                }
                known.insert(other, behind);
                if behind > 0 && Rounds::of(&candidates).longest() > MAX_ROW {
                    candidates.entry(name).or_default().remove(&other);
                }
            }
        }
        candidates.retain(|_, others| !others.is_empty());
        self.facts.set_candidates(candidates);
    }

    fn had_ended(&self, name: Name, other: Name) -> bool {
        let before = self.placements.ended_before(name);
        before.is_some_and(|b| b.contains(&other)) && self.is_heap_at(other)
    }

    fn is_heap_at(&self, name: Name) -> bool {
        let found = self.facts.locate(name);
        found.is_some_and(|(object, _)| self.is_on_heap(object))
    }

    /// Both are equal strings, and this one comes later in the program.
    fn is_a_later_string(&self, object: ObjId, other: ObjId) -> bool {
        let global = |o: ObjId| match self.facts.objects[o].kind {
            ObjKind::Global(g, None) if self.program.strings.contains(&g) => Some(g),
            _ => None,
        };
        let globals = &self.program.globals;
        match (global(object), global(other)) {
            (Some(a), Some(b)) => {
                let equal = globals[a].init == globals[b].init;
                a > b && equal && globals[a].layout == globals[b].layout
            }
            _ => false,
        }
    }

    /// An object with static storage or on the stack.
    fn may_adjoin(&self, object: ObjId) -> bool {
        let known = &self.facts.objects[object];
        let is_one = match known.kind {
            ObjKind::Null | ObjKind::Proc(_) => false,
            ObjKind::Global(g, _) => !self.program.strings.contains(&g),
            ObjKind::Alloc { site, .. } => {
                let op = &self.program.procs[site.0].body[site.1].op;
                matches!(
                    op,
                    Op::Alloc {
                        storage: Storage::Stack(_),
                        ..
                    }
                )
            }
        };
        is_one && known.size > 0
    }
}

/// Which names may come round to which.
struct Rounds {
    reach: BTreeMap<Name, BTreeSet<Name>>,
}

impl Rounds {
    fn of(candidates: &Candidates) -> Rounds {
        let mut reach = BTreeMap::new();
        for name in candidates.keys() {
            let mut found = BTreeSet::new();
            let mut open = vec![*name];
            while let Some(next) = open.pop() {
                for other in candidates.get(&next).into_iter().flat_map(BTreeMap::keys) {
                    if found.insert(*other) {
                        open.push(*other);
                    }
                }
            }
            reach.insert(*name, found);
        }
        Rounds { reach }
    }

    fn reaches(&self, a: Name, b: Name) -> bool {
        self.reach.get(&a).is_some_and(|r| r.contains(&b))
    }

    fn are_in_one(&self, a: Name, b: Name) -> bool {
        self.reaches(a, b) && self.reaches(b, a)
    }

    /// How many come round together at most.
    fn longest(&self) -> usize {
        let names = || self.reach.keys();
        let together = |a: &Name| names().filter(|b| self.are_in_one(*a, **b)).count();
        names().map(together).max().unwrap_or(0)
    }
}
