//! Where objects lie, and which handles threads have ([`ir::placement`]).
//!
//! A thread that compares addresses decides whether an object is in the place of another one when that
//! makes a difference, and goes on in both ways. Which objects may have ended when another one is made is
//! learned like everything that threads learn of each other ([`super::value_set`]); whether they have,
//! and whether all threads have decided alike, is found out when traces are put together.

use super::combine::Combination;
use super::interpreter::{Flow, Interpreter};
use super::objects::{Objects, ThreadKey};
use super::thread_state::ThreadState;
use super::trace::{Instance, InstanceId, Made, SharedAddress, ThreadTrace};
use super::value::{ConcreteValue, eval};
use base::idx::Id;
use ir::placement::compares_addresses;
use ir::program::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Two words that are compared.
#[derive(Clone, Copy)]
struct Pair {
    a: u64,
    b: u64,
}

impl Interpreter<'_> {
    /// Decides what the next instruction needs to know; `None` when it knows all.
    pub(super) fn decide(&self, state: &ThreadState, op: &Op) -> Option<Flow> {
        if !self.program.reuses_addresses {
            return None;
        }
        let open = Cell::new(None);
        let look = |op, a: u64, b: u64, width| match self.compared(state, op, a, b, width) {
            Ok(value) => value,
            Err(place) => {
                open.set(Some(place));
                (eval_binary(op, a, b, width), false)
            }
        };
        let frame = state.frames.last();
        let register = |l: LocalId| frame.and_then(|f| f.locals[l.index()].as_ref());
        let address = |g| self.objects.address(state.key, g);
        for e in super::code::operands(op) {
            if compares(e) {
                eval(e, self.program, &register, &address, &look);
            }
        }
        if let Op::SameThread { a, b, .. } = op {
            let of = |e| eval(e, self.program, &register, &address, &look).number;
            if let Err(place) = self.same_thread(state, of(a), of(b)) {
                open.set(Some(place));
            }
        }
        let place = open.get()?;
        Some(Flow::Fork(decided(state, place).into()))
    }

    /// The value of a comparison, and whether it is the same in every execution by the look of it; or
    /// what has to be decided first.
    pub(super) fn compared(
        &self,
        state: &ThreadState,
        op: BinOp,
        a: u64,
        b: u64,
        width: Width,
    ) -> Result<(u64, bool), SharedAddress> {
        let plain = (eval_binary(op, a, b, width), true);
        let is_word = width == self.program.data_model.pointer_width();
        if !compares_addresses(op) || !is_word || !self.program.reuses_addresses {
            return Ok(plain);
        }
        let (x, y) = (self.objects.base(a), self.objects.base(b));
        if x == y || x == 0 || y == 0 {
            return Ok(plain);
        }
        let equality = matches!(op, BinOp::Eq | BinOp::Ne);
        let mut fixed = true;
        for (turned, pair) in [(false, Pair { a, b }), (true, Pair { a: b, b: a })] {
            for place in self.places(pair) {
                let moved = place.other + place.behind + (pair.a - place.name);
                fixed = false;
                if equality && moved != pair.b {
                    // They differ either way.
                    continue;
                }
                match state.decided.get(&place) {
                    // That it is right behind is asked for by comparisons that can see it alone.
                    None if place.behind > 0 && moved != pair.b => {}
                    None => return Err(place),
                    Some(false) => {}
                    Some(true) => {
                        let (a, b) = if turned {
                            (pair.b, moved)
                        } else {
                            (moved, pair.b)
                        };
                        return Ok((eval_binary(op, a, b, width), false));
                    }
                }
            }
        }
        Ok((plain.0, fixed))
    }

    /// Whether what a compare-exchange reads is what it expects, with the threads that go on so.
    pub(super) fn outcomes(
        &self,
        state: ThreadState,
        old: &ConcreteValue,
        expected: &ConcreteValue,
    ) -> Vec<(ThreadState, bool)> {
        let (mut open, mut out) = (vec![state], Vec::new());
        while let Some(state) = open.pop() {
            let (a, b, width) = (old.number, expected.number, old.width);
            match self.compared(&state, BinOp::Eq, a, b, width) {
                Ok((equal, _)) => out.push((state, equal == 1)),
                Err(place) => open.extend(decided(&state, place)),
            }
        }
        out
    }

    /// Learns what may have ended when a thread does.
    pub(super) fn learn_ends(
        &mut self,
        (thread, gone): (ThreadKey, &BTreeSet<ThreadKey>),
        trace: &ThreadTrace,
    ) {
        if !self.program.reuses_addresses || !trace.ended() {
            return;
        }
        let mut ended = trace.dead.clone();
        for key in trace
            .joined
            .iter()
            .map(|j| j.key)
            .chain(gone.iter().copied())
        {
            ended.insert(Objects::handle(key));
            ended.extend(self.value_sets.left_by(key));
        }
        self.value_sets.leaves(thread, ended);
    }

    /// Whether two handles name one thread.
    pub(super) fn same_thread(
        &self,
        state: &ThreadState,
        a: u64,
        b: u64,
    ) -> Result<bool, SharedAddress> {
        if a == b {
            return Ok(true);
        }
        for (name, other) in [(a, b), (b, a)] {
            let place = SharedAddress {
                name,
                other,
                behind: 0,
            };
            if !self.value_sets.may_have_ended(name, other) {
                continue;
            }
            match state.decided.get(&place) {
                None => return Err(place),
                Some(true) => return Ok(true),
                Some(false) => {}
            }
        }
        Ok(false)
    }

    /// How the object of the first word may be in the place of that of the second, or behind it.
    fn places(&self, pair: Pair) -> Vec<SharedAddress> {
        let (name, other) = (self.objects.base(pair.a), self.objects.base(pair.b));
        let place = |behind| SharedAddress {
            name,
            other,
            behind,
        };
        let mut out = Vec::new();
        let on_heap = self.objects.is_on_heap(name) && self.objects.is_on_heap(other);
        let is_after = on_heap && self.value_sets.may_have_ended(name, other);
        if is_after || self.objects.is_a_later_string(name, other) {
            out.push(place(0));
        }
        if self.objects.may_adjoin(name) && self.objects.may_adjoin(other) {
            out.push(place(self.objects.behind(other) - other));
        }
        out
    }

    /// An object or a thread is made: notes what may have ended before, besides what the thread itself
    /// has ended.
    pub(super) fn is_made(&mut self, state: &mut ThreadState, name: u64, replaced: Option<u64>) {
        if !self.program.reuses_addresses {
            return;
        }
        let mut ended = state.dead.clone();
        ended.extend(replaced);
        ended.remove(&name);
        let joined: Vec<ThreadKey> = state.joined.iter().map(|j| j.key).collect();
        let before = joined.iter().chain(&state.gone);
        for key in before {
            ended.insert(Objects::handle(*key));
            ended.extend(self.value_sets.left_by(*key));
        }
        self.value_sets.may_end(name, ended);
        let mut ended = state.dead.clone();
        ended.extend(replaced);
        let made = Made { ended, joined };
        state.made.insert(name, made);
    }

    /// Whether what the threads have decided can be so.
    pub(super) fn places_fit(&self, combination: &Combination) -> bool {
        let traces = &combination.traces;
        let mut decided: BTreeMap<SharedAddress, bool> = BTreeMap::new();
        for (place, yes) in traces.iter().flat_map(|(_, t)| &t.decided) {
            if *decided.entry(*place).or_insert(*yes) != *yes {
                return false;
            }
        }
        let chosen: Vec<SharedAddress> = decided
            .iter()
            .filter(|(_, y)| **y)
            .map(|(p, _)| *p)
            .collect();
        if chosen.is_empty() {
            return true;
        }
        let mut behind = chosen.iter().filter(|p| p.behind > 0);
        if !behind.all(|p| is_in_one_row(p, &chosen)) {
            return false;
        }
        // All that are at one address.
        let mut at: BTreeMap<u64, u64> = BTreeMap::new();
        let find = |at: &BTreeMap<u64, u64>, mut name: u64| {
            while let Some(next) = at.get(&name) {
                name = *next;
            }
            name
        };
        for place in chosen.iter().filter(|p| p.behind == 0) {
            let (a, b) = (find(&at, place.name), find(&at, place.other));
            if a != b {
                at.insert(a, b);
            }
        }
        let refuted = decided.iter().any(|(place, yes)| {
            !yes && place.behind == 0 && find(&at, place.name) == find(&at, place.other)
        });
        if refuted {
            return false;
        }
        let names: BTreeSet<u64> = chosen
            .iter()
            .filter(|p| p.behind == 0)
            .flat_map(|p| [p.name, p.other])
            .collect();
        let names: Vec<u64> = names.into_iter().collect();
        names.iter().enumerate().all(|(i, a)| {
            names[i + 1..].iter().all(|b| {
                find(&at, *a) != find(&at, *b)
                    || self.objects.is_a_later_string(*a, *b)
                    || self.objects.is_a_later_string(*b, *a)
                    || self.had_ended(traces, *a, *b)
                    || self.had_ended(traces, *b, *a)
            })
        })
    }

    /// Whether the other one had ended when `name` was made.
    fn had_ended(&self, traces: &[(InstanceId, &ThreadTrace)], name: u64, other: u64) -> bool {
        traces.iter().any(|(instance, trace)| {
            let Some(made) = trace.made.get(&name) else {
                return false;
            };
            if made.ended.contains(&other) {
                return true;
            }
            let mut seen = BTreeSet::new();
            let instance = &self.instances[*instance];
            let mut open: Vec<ThreadKey> = made.joined.clone();
            open.extend(&instance.gone);
            while let Some(key) = open.pop() {
                if !seen.insert(key) {
                    continue;
                }
                if Objects::handle(key) == other {
                    return true;
                }
                let mut all = traces.iter();
                let Some((id, trace)) = all.find(|(i, _)| self.instances[*i].key == key) else {
                    continue;
                };
                let Instance { dead, gone, .. } = &self.instances[*id];
                if trace.dead.contains(&other) || dead.contains(&other) {
                    return true;
                }
                open.extend(
                    trace
                        .joined
                        .iter()
                        .filter(|j| j.end.is_some())
                        .map(|j| j.key),
                );
                open.extend(gone);
            }
            false
        })
    }
}

/// Whether nothing else is behind the same object, and no object behind itself by way of others.
fn is_in_one_row(place: &SharedAddress, chosen: &[SharedAddress]) -> bool {
    let row = || chosen.iter().filter(|p| p.behind > 0);
    let with = |p: &&SharedAddress| p.name == place.name || p.other == place.other;
    if row().filter(with).count() > 1 {
        return false;
    }
    let mut at = place.other;
    for _ in 0..=chosen.len() {
        match row().find(|p| p.name == at) {
            Some(next) => at = next.other,
            None => return true,
        }
    }
    false
}

/// The thread where something is in the place of something else, and where it is not.
fn decided(state: &ThreadState, place: SharedAddress) -> [ThreadState; 2] {
    [true, false].map(|yes| {
        let mut way = state.clone();
        way.decided.insert(place, yes);
        way
    })
}

/// Whether some comparison in the expression may be one of addresses.
fn compares(e: &Expr) -> bool {
    matches!(e, Expr::Binary(op, ..) if compares_addresses(*op)) || e.operands().any(compares)
}
