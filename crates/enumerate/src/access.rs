//! Accesses to memory: events where other threads may look, else the thread's own memory.
//!
//! Until main creates the first thread nothing is an event; what its memory contains then is what
//! memory contains initially. Afterwards an access is an event when it is atomic, when its address
//! depends on a read, when the object has static storage, and when several threads touch the
//! location; all other memory passes values on with their dependencies, like registers.
//!
//! A read that is an event returns any value that the location may hold. Where every model asks for
//! coherence, a thread that has written a location reads that or what others write.

use super::interpreter::{Flow, Interpreter};
use super::lifetime::ALIVE;
use super::objects::Initial;
use super::script::ThreadQuestion;
use super::thread_state::{OpenGroup, ThreadState};
use super::trace::*;
use super::value::{ConcreteValue, Deps, join};
use base::source::Span;
use ir::kernel::SYNC_SRCU;
use ir::pair::WORD;
use ir::program::*;
use ir::read_only::WRITABLE;
use ir::shadow::{DECIDES, Word, shadow_binary};
use std::collections::BTreeSet;
use std::rc::Rc;

/// An access.
#[derive(Clone)]
pub(super) struct At {
    pub addr: ConcreteValue,
    pub width: Width,
    pub order: MemoryOrder,
    pub span: Span,
    /// The read of a read-modify-write.
    pub updates: bool,
}

/// A compare-exchange, but for its access, word by word.
pub(super) struct Swap {
    pub dst: Vec<LocalId>,
    pub expected: Vec<ConcreteValue>,
    pub desired: Vec<ConcreteValue>,
    /// The order of a failure.
    pub failure: MemoryOrder,
    /// Receives whether it stored.
    pub done: Option<LocalId>,
    /// It may fail for no reason; true: on machines with a linked pair alone.
    pub spurious: Option<bool>,
}

/// A fence that no machine has.
pub(super) const NOTHING: FenceTag = FenceTag::BeforeLoad(MemoryOrder::Relaxed);

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessTarget {
    Event,
    Private,
}

/// What happens once a value is read: the thread, the words of the value, its events where there are some.
pub(super) type Then<'f> = &'f dyn Fn(&mut ThreadState, Vec<ConcreteValue>, &[Option<usize>]);

/// The pieces of an access, lowest first, and where each goes; mostly one.
pub(super) struct Places {
    pieces: Vec<(At, AccessTarget)>,
    /// The machine makes all of them at one point.
    is_atomic: bool,
}

impl Interpreter<'_> {
    /// Where an access goes; `None` when the thread has come to its end with it.
    pub(super) fn place(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        writes: bool,
    ) -> Option<Places> {
        let addr = at.addr.number;
        if let Some(object) = self.objects.hidden(addr, at.width) {
            let name = &self.program.globals[object].name;
            let text = ir::program::hidden_text(name);
            state.end = Some(End::Unsupported(text, at.span));
            return None;
        }
        if !self.objects.contains(addr, at.width) {
            let text = "the address is that of an object";
            state.violate(PropertyKind::Memory, at.span, text);
            state.end = Some(End::Blocked("an access fails here", at.span));
            return None;
        }
        let base = self.objects.base(addr);
        if state.dead.contains(&base) {
            state.violate(PropertyKind::Memory, at.span, ALIVE);
        }
        let width = self.value_sets.piece(addr, at.width);
        let bytes = u64::from(at.width) / 8;
        let mut pieces = Vec::new();
        for start in (0..bytes).step_by(usize::from(width) / 8) {
            let number = addr + start;
            let addr = ConcreteValue {
                number,
                ..at.addr.clone()
            };
            let piece = At {
                addr,
                width,
                ..at.clone()
            };
            let place = self.place_of_piece(state, &piece, writes);
            pieces.push((piece, place));
        }
        let is_atomic = self.objects.is_one_access(addr, at.width, at.order);
        let events = pieces.iter().filter(|(_, p)| *p == AccessTarget::Event);
        if !is_atomic && events.count() > 1 && state.group.is_none() {
            let text = format!("an access of {bytes} bytes in pieces, in an unknown order");
            state.end = Some(End::Unsupported(text, at.span));
            return None;
        }
        Some(Places { pieces, is_atomic })
    }

    /// Whether the instruction must not write at this place.
    fn is_read_only(&self, state: &ThreadState, at: &At) -> bool {
        let frame = state.frames.last();
        // The frame is at the next instruction already.
        let site = frame.map(|f| (f.proc, f.pc.saturating_sub(1)));
        site.is_some_and(|site| self.objects.is_read_only(at.addr.number, site))
    }

    /// An access writes here.
    fn writes(&self, state: &mut ThreadState, at: &At) {
        if self.is_read_only(state, at) {
            state.violate(PropertyKind::Memory, at.span, WRITABLE);
        }
    }

    /// A fence that has a location.
    pub(super) fn grace_period(&mut self, state: &mut ThreadState, at: &At) {
        let before = state.events.len();
        if self.place(state, at, false).is_none() {
            return;
        }
        let tag = FenceTag::Explicit(Fence::Annotated(SYNC_SRCU));
        state.fence(tag, at.span, &[]);
        if let Some(fence) = state.events.get_mut(before).map(Rc::make_mut) {
            (fence.addr, fence.width) = (at.addr.number, at.width);
            fence.addr_deps = at.addr.deps.clone();
        }
    }

    fn place_of_piece(&mut self, state: &ThreadState, at: &At, writes: bool) -> AccessTarget {
        let addr = at.addr.number;
        let base = self.objects.base(addr);
        if !state.concurrent {
            return AccessTarget::Private;
        }
        let known = self.value_sets.shared.contains(&addr);
        let by_rule = at.order != MemoryOrder::Plain || !at.addr.deps.is_empty();
        // What is static is an event whether it is known or not.
        if by_rule && !known && !self.objects.is_static(addr) {
            self.value_sets.share(addr);
        }
        let foreign = self.objects.maker(base).is_some_and(|by| by != state.key);
        if !known && foreign && self.value_sets.has_begun(base) {
            // It may be too early.
            self.value_sets.share(addr);
            return AccessTarget::Event;
        }
        if known || by_rule || self.objects.is_static(addr) {
            return AccessTarget::Event;
        }
        let unset = self.initially(state, addr, at.width).is_none();
        self.value_sets
            .touch((addr, base), state.key, writes || unset);
        AccessTarget::Private
    }

    /// What memory contains for a thread that has neither written nor looked; `None`: anything.
    fn initially(&self, state: &ThreadState, addr: u64, width: Width) -> Option<ConcreteValue> {
        let before = state
            .snapshot
            .and_then(|s| self.snapshots[s].get(&addr).cloned());
        before.or_else(|| self.objects.initial_value(addr, width))
    }

    /// Reads, and goes on with every value there may be: piece by piece.
    pub(super) fn read(&mut self, state: &mut ThreadState, places: &Places, then: Then) -> Flow {
        if let [(at, place)] = &places.pieces[..] {
            let then = &|state: &mut ThreadState, value, event| then(state, vec![value], &[event]);
            return self.read_piece(state, at, *place, then);
        }
        let is_open = open_access(state, places);
        let mut ways = vec![state.clone()];
        for (at, place) in &places.pieces {
            let mut next = Vec::new();
            for mut way in ways {
                let read = &|state: &mut ThreadState, value, event| {
                    state.pieces.push((value, event));
                };
                match self.read_piece(&mut way, at, *place, read) {
                    Flow::Fork(some) => next.extend(some),
                    Flow::On | Flow::Also(_) => next.push(way),
                }
            }
            ways = next;
            if self.script.is_some() && ways.len() > 1 {
                // A script says what one way reads.
                let text = "an access in pieces to memory that is not initialised".to_string();
                let span = at.span;
                state.end = Some(End::Unsupported(text, span));
                return Flow::On;
            }
            if ways.first().is_some_and(|way| way.asks.is_some()) {
                *state = ways.remove(0);
                return Flow::On;
            }
        }
        for way in &mut ways {
            way.group.take_if(|_| is_open);
            let pieces = std::mem::take(&mut way.pieces);
            let events: Vec<Option<usize>> = pieces.iter().map(|(_, e)| *e).collect();
            let mut words: Vec<ConcreteValue> = Vec::new();
            for (high, _) in pieces {
                match words.last_mut().filter(|low| low.width < WORD) {
                    Some(word) => {
                        let low = word.clone();
                        let number = low.number | high.number << low.width;
                        let shadow = low.shadow | high.shadow << low.width;
                        let width = low.width + high.width;
                        *word = join(number, width, [low, high]).with_shadow(shadow);
                    }
                    None => words.push(high),
                }
            }
            then(way, words, &events);
        }
        match ways.len() {
            1 => {
                *state = ways.remove(0);
                Flow::On
            }
            _ => Flow::Fork(ways),
        }
    }

    fn read_piece(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        place: AccessTarget,
        then: &dyn Fn(&mut ThreadState, ConcreteValue, Option<usize>),
    ) -> Flow {
        let addr = at.addr.number;
        let initial = self.initially(state, addr, at.width);
        let shadow = match self.objects.initial(addr, at.width) {
            Initial::Arbitrary(shadow) => shadow,
            Initial::Known(_) => 0,
        };
        if place == AccessTarget::Private {
            if let Some(value) = state.store.get(&addr).cloned().or(initial) {
                then(state, value, None);
                return Flow::On;
            }
            let (numbers, all) = self.unwritten(at.width, shadow);
            return self.fork(state, &numbers, &|state, number| {
                let value = ConcreteValue::any(number, at.width).with_shadow(shadow);
                if !all {
                    state.notes.push(Self::arbitrary(at.width, at.span));
                }
                state.is_untold = true;
                state.store.insert(addr, value.clone());
                then(state, value, None);
            });
        }
        let words = match self.script.as_mut() {
            None => self.readable(state, at, shadow, initial),
            Some(script) if script.words.is_empty() => {
                let width = at.width;
                state.asks = Some(ThreadQuestion::Read { addr, width });
                return Flow::On;
            }
            Some(script) => vec![script.words.remove(0)],
        };
        self.fork(state, &words, &|state, word| {
            let position = state.events.len();
            let ctrl_deps = state.ctrl.clone();
            state.events.push(Rc::new(Event {
                kind: ActionKind::Read,
                addr,
                width: at.width,
                value: word.number,
                shadow: word.shadow,
                order: at.order,
                addr_deps: at.addr.deps.clone(),
                data_deps: Deps::default(),
                ctrl_deps,
                rmw: None,
                conditional: false,
                updates: at.updates,
                group: state.group.map(|g| (g.number, g.kind)),
                span: at.span,
            }));
            let value = ConcreteValue {
                deps: Deps::one(position),
                shadow: word.shadow,
                ..ConcreteValue::any(word.number, at.width)
            };
            then(state, value, Some(position));
        })
    }

    /// What a read may return as far as is known.
    fn readable(
        &self,
        state: &ThreadState,
        at: &At,
        shadow: u64,
        initial: Option<ConcreteValue>,
    ) -> Vec<Word> {
        let addr = at.addr.number;
        let mut numbers = BTreeSet::new();
        let mine = state.own.get(&addr).filter(|_| self.coherent);
        match (mine, initial) {
            (Some(mine), _) => _ = numbers.insert(*mine),
            (None, Some(value)) => _ = numbers.insert(value.word()),
            (None, None) => {
                let unwritten = self.unwritten(at.width, shadow).0;
                let word = |number| Word { number, shadow };
                numbers.extend(unwritten.into_iter().map(word));
            }
        }
        let foreign = |by: &BTreeSet<_>| !self.coherent || by.iter().any(|k| *k != state.key);
        for (number, by) in self.value_sets.values.get(&addr).into_iter().flatten() {
            if foreign(by) {
                numbers.insert(*number);
            }
        }
        numbers.into_iter().collect()
    }

    pub(super) fn load(&mut self, state: &mut ThreadState, at: &At, dst: &[LocalId]) -> Flow {
        let order = at.order.compiled();
        if order == MemoryOrder::SeqCst {
            state.fence(FenceTag::BeforeLoad(at.order), at.span, &[]);
        }
        let Some(places) = self.place(state, at, false) else {
            return Flow::On;
        };
        self.read(state, &places, &|state, words, events| {
            state.set_words(dst, words);
            if matches!(order, MemoryOrder::Acquire | MemoryOrder::SeqCst) {
                state.fence(FenceTag::AfterLoad(at.order), at.span, events);
            }
        })
    }

    pub(super) fn store(&mut self, state: &mut ThreadState, at: &At, words: &[ConcreteValue]) {
        let order = at.order.compiled();
        if matches!(order, MemoryOrder::Release | MemoryOrder::SeqCst) {
            state.fence(FenceTag::BeforeStore(at.order), at.span, &[]);
        }
        let Some(places) = self.place(state, at, true) else {
            return;
        };
        self.writes(state, at);
        write(state, &places, at.order, words, &[]);
        if order == MemoryOrder::SeqCst {
            state.fence(FenceTag::AfterStore(at.order), at.span, &[]);
        }
    }

    /// A read-modify-write that stores what `update` says of each word.
    pub(super) fn rmw(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        dst: &[LocalId],
        update: &dyn Fn(usize, &ConcreteValue) -> ConcreteValue,
    ) -> Flow {
        if let Some(tag) = FenceTag::before_rmw(at.order) {
            state.fence(tag, at.span, &[]);
        }
        let Some(places) = self.place(state, at, true) else {
            return Flow::On;
        };
        self.writes(state, at);
        self.read(state, &places, &|state, old, events| {
            let new = old.iter().enumerate().map(|(i, old)| update(i, old));
            write(state, &places, at.order, &new.collect::<Vec<_>>(), events);
            if let Some(tag) = FenceTag::after_rmw(at.order) {
                state.fence(tag, at.span, events);
            }
            state.set_words(dst, old);
        })
    }

    /// A compare-exchange with the order of success. The fence before it is that of the outcome,
    /// which is known only behind the read.
    pub(super) fn compare_exchange(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        swap: &Swap,
    ) -> Flow {
        let before = FenceTag::before_cas(at.order, swap.failure);
        let fence = before.iter().any(Option::is_some) && state.concurrent;
        let position = state.events.len();
        if fence {
            state.fence(NOTHING, at.span, &[]);
        }
        let Some(mut places) = self.place(state, at, true) else {
            return Flow::On;
        };
        // The write has that of success.
        for (piece, _) in &mut places.pieces {
            piece.order = MemoryOrder::of_failing_read(at.order, swap.failure);
        }
        let is_read_only = self.is_read_only(state, at);
        let ends = |state: &mut ThreadState,
                    old: &[ConcreteValue],
                    events: &[Option<usize>],
                    stores: bool| {
            for (old, expected) in old.iter().zip(&swap.expected) {
                let sides = [old, expected].map(|v| (v.number, v.shadow));
                if shadow_binary(BinOp::Eq, sides[0], sides[1], old.width) != 0 {
                    state.violate(PropertyKind::Uninitialised, at.span, DECIDES);
                }
                // The store happens behind a comparison of what was read.
                state.branch(old);
            }
            let outcome = usize::from(!stores);
            if swap.spurious.is_some() {
                state.take(TakenKind::Value {
                    number: u64::from(stores),
                    width: 1,
                    span: at.span,
                });
            }
            if fence && let Some(tag) = before[outcome] {
                Rc::make_mut(&mut state.events[position]).kind = ActionKind::Fence(tag);
            }
            if stores {
                if is_read_only {
                    state.violate(PropertyKind::Memory, at.span, WRITABLE);
                }
                write(state, &places, at.order, &swap.desired, events);
            }
            if let Some(tag) = FenceTag::after_cas(at.order, swap.failure)[outcome] {
                state.fence(tag, at.span, events);
            }
            let sides = old.iter().zip(&swap.expected);
            let mut done: Option<ConcreteValue> = None;
            for (old, expected) in sides {
                state.ctrl.add(&expected.deps);
                let compared = join(u64::from(stores), 1, [old.clone(), expected.clone()]);
                done = Some(match done {
                    Some(before) => join(u64::from(stores), 1, [before, compared]),
                    None => compared,
                });
            }
            if let (Some(dst), Some(mut value)) = (swap.done, done) {
                value.fixed &= swap.spurious.is_none();
                state.set(dst, Some(value));
            }
            state.set_words(&swap.dst, old.to_vec());
        };
        let flow = self.read(state, &places, &|state, old, events| {
            state.compared = Some((old, events.to_vec()));
        });
        if state.asks.is_some() {
            return Flow::On;
        }
        let read = match flow {
            Flow::On | Flow::Also(_) => vec![state.clone()],
            Flow::Fork(ways) => ways,
        };
        let mut ways = Vec::new();
        for mut way in read {
            let Some((old, events)) = way.compared.take() else {
                continue;
            };
            for (mut way, equal) in self.outcomes(way, &old, &swap.expected) {
                if equal && let Some(machine) = swap.spurious {
                    let mut other = way.clone();
                    other.spurious |= machine;
                    other.arbitrary += 1;
                    ends(&mut other, &old, &events, false);
                    ways.push(other);
                }
                ends(&mut way, &old, &events, equal);
                ways.push(way);
            }
        }
        match ways.len() {
            1 => {
                *state = ways.remove(0);
                Flow::On
            }
            _ => Flow::Fork(ways),
        }
    }

    pub(super) fn load_linked(&mut self, state: &mut ThreadState, at: &At, dst: LocalId) -> Flow {
        let Some(places) = self.place(state, at, false) else {
            return Flow::On;
        };
        self.read(state, &places, &|state, words, events| {
            state.reservation = Some((at.addr.number, events.to_vec()));
            state.set_words(&[dst], words);
            if let Some(tag) = FenceTag::after_load(at.order) {
                state.fence(tag, at.span, events);
            }
        })
    }

    /// A store that needs a reservation of its location, and may fail although there is one.
    pub(super) fn store_conditional(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        dst: LocalId,
        value: &ConcreteValue,
    ) -> Flow {
        if let Some(tag) = FenceTag::before_store(at.order) {
            state.fence(tag, at.span, &[]);
        }
        state.is_untold = true;
        let held = state.reservation.take();
        let held = held.filter(|(addr, _)| *addr == at.addr.number);
        let Some((_, reads)) = held else {
            state.set(dst, Some(ConcreteValue::any(0, 1)));
            return Flow::On;
        };
        let mut done = state.clone();
        state.set(dst, Some(ConcreteValue::any(0, 1)));
        state.arbitrary += 1;
        if let Some(places) = self.place(&mut done, at, true) {
            let first = done.events.len();
            self.writes(&mut done, at);
            write(
                &mut done,
                &places,
                at.order,
                std::slice::from_ref(value),
                &reads,
            );
            for event in &mut done.events[first..] {
                let event = Rc::make_mut(event);
                event.conditional = event.kind == ActionKind::Write;
            }
            let mut success = ConcreteValue::any(1, 1);
            // What is said of success may depend on the store: the model decides.
            if matches!(at.order, MemoryOrder::Annotated(_)) {
                for (i, event) in done.events.iter().enumerate().skip(first) {
                    if event.kind == ActionKind::Write {
                        success.deps.add(&Deps::one(i));
                    }
                }
            }
            done.set(dst, Some(success));
        }
        Flow::Also(vec![done])
    }
}

/// Begins the group that several pieces of an access are, if the machine makes them at one point and
/// no other has begun.
fn open_access(state: &mut ThreadState, places: &Places) -> bool {
    let events = places
        .pieces
        .iter()
        .filter(|(_, p)| *p == AccessTarget::Event);
    let opens = state.group.is_none() && places.is_atomic && events.count() > 1;
    if opens {
        state.group = Some(OpenGroup {
            number: state.groups,
            kind: Atomicity::Access,
            depth: 1,
            spawned: state.spawned.len(),
        });
        state.groups += 1;
    }
    opens
}

/// Writes all pieces of a value of one word or two; `reads` are those of a read-modify-write.
fn write(
    state: &mut ThreadState,
    places: &Places,
    order: MemoryOrder,
    words: &[ConcreteValue],
    reads: &[Option<usize>],
) {
    let is_open = open_access(state, places);
    let in_word = places.pieces.len() / words.len();
    for (i, (at, place)) in places.pieces.iter().enumerate() {
        let rmw = reads.get(i).copied().flatten();
        let low = (i % in_word) as Width * at.width;
        let value = words[i / in_word].piece(low, at.width);
        write_piece(state, at, *place, order, value, rmw);
    }
    state.group.take_if(|_| is_open);
}

fn write_piece(
    state: &mut ThreadState,
    at: &At,
    place: AccessTarget,
    order: MemoryOrder,
    value: ConcreteValue,
    rmw: Option<usize>,
) {
    let addr = at.addr.number;
    if place == AccessTarget::Private {
        state.store.insert(addr, value);
        return;
    }
    state.own.insert(addr, value.word());
    let ctrl_deps = state.ctrl.clone();
    state.events.push(Rc::new(Event {
        kind: ActionKind::Write,
        addr,
        width: at.width,
        value: value.number,
        shadow: value.shadow,
        order,
        addr_deps: at.addr.deps.clone(),
        data_deps: value.deps,
        ctrl_deps,
        rmw,
        conditional: false,
        updates: false,
        group: state.group.map(|g| (g.number, g.kind)),
        span: at.span,
    }));
}
