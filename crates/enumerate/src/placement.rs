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
use super::trace::{AddressChoice, Instance, InstanceId, Made, SharedAddress, ThreadTrace};
use super::value::{ConcreteValue, eval};
use base::idx::Id;
use ir::placement::{compares_addresses, ordered_object, orders_addresses};
use ir::program::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Two words that are compared.
#[derive(Clone, Copy)]
struct Pair {
    a: u64,
    b: u64,
    /// The addresses of the objects that they lead into.
    objects: [u64; 2],
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
            Err(choice) => {
                open.set(Some(choice));
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
            if let Err(choice) = self.same_thread(state, of(a), of(b)) {
                open.set(Some(choice));
            }
        }
        let choice = open.get()?;
        Some(Flow::Fork(decided(state, choice).into()))
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
    ) -> Result<(u64, bool), AddressChoice> {
        let plain = (eval_binary(op, a, b, width), true);
        let is_word = width == self.program.data_model.pointer_width();
        if !compares_addresses(op) || !is_word || !self.program.reuses_addresses {
            return Ok(plain);
        }
        let bits = self.program.data_model.offset_bits();
        let [x, y] = [a, b].map(|word| match orders_addresses(op) {
            true => ordered_object(word, bits),
            false => self.objects.base(word),
        });
        if x == y || x == 0 || y == 0 {
            return Ok(plain);
        }
        let equality = matches!(op, BinOp::Eq | BinOp::Ne);
        let mut fixed = true;
        let [pair, turned] =
            [(a, b, [x, y]), (b, a, [y, x])].map(|(a, b, objects)| Pair { a, b, objects });
        for (turned, pair) in [(false, pair), (true, turned)] {
            for place in self.places(pair) {
                let moved =
                    (place.other + place.behind).wrapping_add(pair.a.wrapping_sub(place.name));
                fixed = false;
                if equality && moved != pair.b {
                    // They differ either way.
                    continue;
                }
                let choice = AddressChoice::Shares(place);
                match state.decided.get(&choice) {
                    // That it is right behind is asked for by comparisons that can see it alone.
                    None if place.behind > 0 && moved != pair.b => {}
                    None => return Err(choice),
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
        if orders_addresses(op) && self.objects.exists(x) && self.objects.exists(y) {
            let choice = AddressChoice::InOrder(x.min(y), x.max(y));
            let in_order = state.decided.get(&choice).ok_or(choice)?;
            return Ok((u64::from(*in_order == (x < y)), false));
        }
        Ok((plain.0, fixed))
    }

    /// Whether what a compare-exchange reads is what it expects, with the threads that go on so.
    pub(super) fn outcomes(
        &self,
        state: ThreadState,
        old: &[ConcreteValue],
        expected: &[ConcreteValue],
    ) -> Vec<(ThreadState, bool)> {
        let (mut open, mut out) = (vec![state], Vec::new());
        while let Some(state) = open.pop() {
            let mut words = old.iter().zip(expected);
            let equal = words.try_fold(true, |equal, (old, expected)| {
                let (a, b, width) = (old.number, expected.number, old.width);
                let word = self.compared(&state, BinOp::Eq, a, b, width)?.0 == 1;
                Ok(equal && word)
            });
            match equal {
                Ok(equal) => out.push((state, equal)),
                Err(choice) => open.extend(decided(&state, choice)),
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
    ) -> Result<bool, AddressChoice> {
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
            let choice = AddressChoice::Shares(place);
            match state.decided.get(&choice) {
                None => return Err(choice),
                Some(true) => return Ok(true),
                Some(false) => {}
            }
        }
        Ok(false)
    }

    /// How the object of the first word may be in the place of that of the second, or behind it.
    fn places(&self, pair: Pair) -> Vec<SharedAddress> {
        let [name, other] = pair.objects;
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
        let mut decided: BTreeMap<AddressChoice, bool> = BTreeMap::new();
        for (choice, yes) in traces.iter().flat_map(|(_, t)| &t.decided) {
            if *decided.entry(*choice).or_insert(*yes) != *yes {
                return false;
            }
        }
        let (mut shared, mut order) = (BTreeMap::new(), Vec::new());
        for (choice, yes) in decided {
            match choice {
                AddressChoice::Shares(place) => _ = shared.insert(place, yes),
                AddressChoice::InOrder(a, b) => order.push(if yes { (a, b) } else { (b, a) }),
            }
        }
        let each = shared.iter().filter(|(_, yes)| **yes);
        let chosen: Vec<SharedAddress> = each.map(|(place, _)| *place).collect();
        if !is_one_order(order, &chosen) {
            return false;
        }
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
        let refuted = shared.iter().any(|(place, yes)| {
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

/// Whether the pairs, of which the first comes first in memory, are from one order of all objects, in which those
/// at one address have one place, and those of a row follow each other with nothing between.
fn is_one_order(pairs: Vec<(u64, u64)>, chosen: &[SharedAddress]) -> bool {
    // By name: the place of another one, and how many come between in the row.
    let place = |mut name: u64| {
        let mut behind = 0;
        for _ in 0..=chosen.len() {
            let Some(next) = chosen.iter().find(|p| p.name == name) else {
                break;
            };
            behind += u64::from(next.behind > 0);
            name = next.other;
        }
        (name, behind)
    };
    let mut later: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (first, second) in pairs {
        let ((a, m), (b, n)) = (place(first), place(second));
        if a != b {
            later.entry(a).or_default().insert(b);
        } else if m >= n {
            return false;
        }
    }
    // What nothing comes before can be taken away; of a cycle nothing can.
    while let Some(first) = {
        let mut all = later.keys();
        all.find(|name| !later.values().any(|others| others.contains(name)))
            .copied()
    } {
        later.remove(&first);
    }
    later.is_empty()
}

/// The thread where a choice is made, and where it is not.
fn decided(state: &ThreadState, choice: AddressChoice) -> [ThreadState; 2] {
    [true, false].map(|yes| {
        let mut way = state.clone();
        way.decided.insert(choice, yes);
        way
    })
}

/// Whether some comparison in the expression may be one of addresses.
fn compares(e: &Expr) -> bool {
    matches!(e, Expr::Binary(op, ..) if compares_addresses(*op)) || e.operands().any(compares)
}
