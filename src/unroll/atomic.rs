//! Instructions that access memory or order accesses: from their operands to [`super::access`],
//! read-modify-writes, and accesses whose memory order is a value of the program.
//!
//! A compare-exchange is a read-modify-write with the order of success where it stores, and a load
//! with the order of failure where it does not. Which of the two it is depends on what it reads, so
//! its fences happen under that condition, the one before it included. The read is one event: the
//! memory model gives it the order of the write that belongs to it, if that happens.

use super::access::Writing;
use super::deps::DepSets;
use super::event::*;
use super::executor::Executor;
use super::loop_log::Failure;
use super::ordering::Ordering;
use super::state::*;
use super::term::{TermId, Terms};
use base::idx::IdVec;
use base::source::Span;
use ir::kernel::is_sync_rcu;
use ir::pair::{PAIR_WIDTH, Pair, PairAccess};
use ir::program::*;
use ir::shadow::DECIDES;
use ir::sites::SiteKind;

/// What a read-modify-write does with each word that it reads.
struct Update {
    op: RmwOp,
    operands: Vec<SymbolicValue>,
    order: MemoryOrder,
}

/// What a compare-exchange does where it reads what it expects, word by word.
struct Swap<'a> {
    expected: Vec<SymbolicValue>,
    desired: Vec<SymbolicValue>,
    orders: (MemoryOrder, MemoryOrder),
    weak: Option<(&'a Weak, TermId)>,
}

/// The orders of a compare-exchange.
struct SwapOrderings {
    success: Ordering,
    /// Of the read as long as nothing is stored.
    failing_read: Ordering,
    /// What is said of a failure.
    failure: Ordering,
}

impl SwapOrderings {
    fn is_open(&self) -> bool {
        self.success.is_open() || self.failure.is_open()
    }
}

/// Where fences stand.
#[derive(Clone, Copy)]
enum Side {
    Before,
    Behind,
}

/// The fence that an order brings along.
type TagOf = fn(MemoryOrder) -> Option<FenceTag>;

impl Executor<'_> {
    /// Executes an access or a fence; the registers it sets.
    pub(super) fn access(
        &mut self,
        proc: &Proc,
        op: &Op,
        state: &mut State,
        locals: &Registers,
        span: Span,
    ) -> Vec<(LocalId, SymbolicValue)> {
        match op {
            Op::Load { dst, addr, order } => {
                let addr = self.eval(addr, locals);
                let width = proc.locals[*dst].width;
                vec![(*dst, self.load(state, addr, width, *order, span))]
            }
            Op::Store { addr, value, order } => {
                let addr = self.eval(addr, locals);
                let value = self.eval(value, locals);
                self.store(state, addr, value, *order, span);
                Vec::new()
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            } => {
                let addr = self.eval(addr, locals);
                let width = proc.locals[*dst].width;
                let update = Update {
                    op: *op,
                    operands: vec![self.eval(operand, locals)],
                    order: *order,
                };
                let old = self.rmw(state, addr, width, &update, span);
                vec![(*dst, old[0])]
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success,
                failure,
                weak,
            } => {
                let addr = self.eval(addr, locals);
                let width = proc.locals[*dst].width;
                let swap = Swap {
                    expected: vec![self.eval(expected, locals)],
                    desired: vec![self.eval(desired, locals)],
                    orders: (*success, *failure),
                    weak: weak.as_ref().map(|w| (w, self.eval(&w.when, locals).term)),
                };
                let (old, done) = self.compare_exchange(state, addr, width, &swap, span);
                let done = weak.iter().map(|w| (w.done, done));
                std::iter::once((*dst, old[0])).chain(done).collect()
            }
            Op::Pair(pair) => self.pair(pair, state, locals, span),
            Op::LoadLinked { dst, addr, order } => {
                let addr = self.eval(addr, locals);
                let width = proc.locals[*dst].width;
                vec![(*dst, self.load_linked(state, addr, width, *order, span))]
            }
            Op::StoreConditional {
                dst,
                addr,
                value,
                order,
            } => {
                let addr = self.eval(addr, locals);
                let value = self.eval(value, locals);
                let done = self.store_conditional(state, addr, value, *order, span);
                vec![(*dst, done)]
            }
            Op::Fence(fence) => {
                if is_sync_rcu(*fence) {
                    self.begin_grace_period(state, None, span);
                }
                self.explicit_fence(state, *fence, span);
                Vec::new()
            }
            Op::GracePeriod { addr, width } => {
                let addr = self.eval(addr, locals);
                self.begin_grace_period(state, Some(addr.term), span);
                self.grace_period(state, addr, *width, span);
                Vec::new()
            }
            Op::OneOf(ways) => self.one_of(proc, ways, state, locals, span),
            Op::Unknown(reason) => {
                self.unsupported(state.guard, span, reason.clone());
                Vec::new()
            }
            _ => unreachable!("only accesses and fences come here"),
        }
    }

    /// Executes the first instruction whose condition holds: each in turn under its condition. The
    /// conditions guard what happens, but nothing depends on the reads they look at.
    fn one_of(
        &mut self,
        proc: &Proc,
        ways: &[(Expr, Op)],
        state: &mut State,
        locals: &Registers,
        span: Span,
    ) -> Vec<(LocalId, SymbolicValue)> {
        let mut left = self.graph.terms.bool(true);
        let mut done: Option<(State, IdVec<LocalId, Option<SymbolicValue>>)> = None;
        for (cond, op) in ways {
            let cond = self.eval(cond, locals).term;
            let here = self.graph.terms.and(left, cond);
            let not = self.graph.terms.not(cond);
            left = self.graph.terms.and(left, not);
            let mut way = state.clone();
            way.guard = self.graph.terms.and(state.guard, here);
            if self.graph.terms.is_false(way.guard) {
                continue;
            }
            let mut set: IdVec<LocalId, Option<SymbolicValue>> =
                proc.locals.iter().map(|_| None).collect();
            for (dst, value) in self.access(proc, op, &mut way, locals, span) {
                set[dst] = Some(value);
            }
            done = Some(match done {
                None => (way, set),
                Some((other, mut before)) => {
                    let (joined, cond) = self.merge(other, way);
                    for (local, value) in set.iter_enumerated() {
                        before[local] = match (before[local], *value) {
                            (Some(a), Some(b)) => {
                                Some(choose(&mut self.graph.terms, &mut self.deps, cond, a, b))
                            }
                            // The other case is unsupported.
                            (a, b) => a.or(b),
                        };
                    }
                    (joined, before)
                }
            });
        }
        let Some((after, set)) = done else {
            return Vec::new();
        };
        *state = after;
        let set = set.iter_enumerated();
        set.filter_map(|(local, value)| Some((local, (*value)?)))
            .collect()
    }

    /// Executes an access of two words.
    fn pair(
        &mut self,
        pair: &Pair,
        state: &mut State,
        locals: &Registers,
        span: Span,
    ) -> Vec<(LocalId, SymbolicValue)> {
        let addr = self.eval(&pair.addr, locals);
        let both = |this: &mut Self, words: &[Expr; 2]| -> Vec<SymbolicValue> {
            words.iter().map(|e| this.eval(e, locals)).collect()
        };
        let (dst, old) = match &pair.access {
            PairAccess::Load { dst, order } => (dst, self.load_pair(state, addr, *order, span)),
            PairAccess::Store { value, order } => {
                let words = both(self, value);
                self.store_words(state, addr, &words, *order, span);
                return Vec::new();
            }
            PairAccess::Exchange { dst, value, order } => {
                let update = Update {
                    op: RmwOp::Exchange,
                    operands: both(self, value),
                    order: *order,
                };
                (dst, self.rmw(state, addr, PAIR_WIDTH, &update, span))
            }
            PairAccess::Cas {
                dst,
                expected,
                desired,
                success,
                failure,
                weak,
            } => {
                let swap = Swap {
                    expected: both(self, expected),
                    desired: both(self, desired),
                    orders: (*success, *failure),
                    weak: weak.as_ref().map(|w| (w, self.eval(&w.when, locals).term)),
                };
                let (old, done) = self.compare_exchange(state, addr, PAIR_WIDTH, &swap, span);
                let done = weak.iter().map(|w| (w.done, done));
                return dst.iter().copied().zip(old).chain(done).collect();
            }
        };
        dst.iter().copied().zip(old).collect()
    }

    /// A read-modify-write that always stores; the words of the old value.
    fn rmw(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        width: Width,
        update: &Update,
        span: Span,
    ) -> Vec<SymbolicValue> {
        let (operands, order) = (&update.operands, update.order);
        let ordering = self.ordering(span, SiteKind::Update, order);
        self.fence_of(state, &ordering, FenceTag::before_rmw, span, &[]);
        let targets = self.targets(state, addr, width, order, span);
        let always = self.graph.terms.bool(true);
        self.check_writable(state, addr, always, span);
        let events = self.read_events(state, &targets, &ordering, span);
        let old = self.read_words(state, &targets, &events, operands.len());
        let sides = old.iter().zip(operands);
        let new: Vec<SymbolicValue> = sides
            .map(|(old, operand)| self.rmw_result(update.op, *old, *operand))
            .collect();
        let write = Writing {
            order: ordering.clone(),
            span,
            cond: always,
        };
        self.write_events(state, &targets, &new, &events, write);
        self.write_private(state, &targets, always, &new);
        self.fence_of(state, &ordering, FenceTag::after_rmw, span, &events);
        old
    }

    /// The words of the old value, and whether it was replaced.
    fn compare_exchange(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        width: Width,
        swap: &Swap,
        span: Span,
    ) -> (Vec<SymbolicValue>, SymbolicValue) {
        let orders = self.swap_orderings(swap, span);
        let before = self.fences_of_swap(state, &orders, Side::Before, span, &[]);
        let targets = self.targets(state, addr, width, swap.orders.0, span);
        // Before what is read, which may be arbitrary, too: replay takes them in this order.
        let attempt = swap.weak.and_then(|(_, when)| {
            let guard = self.graph.terms.and(state.guard, when);
            (!self.graph.terms.is_false(guard)).then(|| self.choice(guard, 1).term)
        });
        let events = self.read_events(state, &targets, &orders.failing_read, span);
        let mut old = self.read_words(state, &targets, &events, swap.expected.len());
        let mut same = self.graph.terms.bool(true);
        let mut equal = same;
        for (old, expected) in old.iter().zip(&swap.expected) {
            let word = self.graph.terms.eq(old.term, expected.term);
            same = self.graph.terms.and(same, word);
            let word = self.binary(BinOp::Eq, old.term, expected.term);
            equal = self.graph.terms.and(equal, word);
            let decides = self.shadow_binary(BinOp::Eq, *old, *expected);
            self.use_of(state.guard, decides, DECIDES, span);
        }
        let stores = match swap.weak {
            Some((weak, when)) => {
                let attempt = self.attempt(state, weak, when, attempt, equal);
                // The same value, such that a failure for no reason is seen to change nothing.
                for (old, expected) in old.iter_mut().zip(&swap.expected) {
                    old.term = self.graph.terms.ite(same, expected.term, old.term);
                }
                self.graph.terms.and(equal, attempt)
            }
            None => equal,
        };
        let fails = self.graph.terms.not(stores);
        // The store happens behind a comparison of what was read.
        for old in &old {
            state.ctrl = self.deps.union(state.ctrl, old.deps, &mut self.graph.terms);
        }
        let when = match events.iter().any(Option::is_some) {
            // What surely fails is one instruction of the machine all the same, a fence on some:
            // the store stays, and that it does not happen is left to the value of the read.
            true if self.graph.terms.is_false(stores) => {
                let mut words = Vec::new();
                for (i, event) in events.iter().enumerate() {
                    words.push(match event {
                        Some(e) => {
                            let term = self.graph.terms.read(*e, targets.width);
                            self.graph.events[*e].value = term;
                            term
                        }
                        None => targets.part_of(&mut self.graph.terms, &old, i).term,
                    });
                }
                let in_word = words.len() / old.len();
                let mut all = self.graph.terms.bool(true);
                for (word, expected) in words.chunks(in_word).zip(&swap.expected) {
                    let read = self.graph.terms.concat(word);
                    let word = self.graph.terms.eq(read, expected.term);
                    all = self.graph.terms.and(all, word);
                }
                all
            }
            _ => stores,
        };
        let desired = &swap.desired;
        self.check_writable(state, addr, stores, span);
        let write = Writing {
            order: orders.success.clone(),
            span,
            cond: when,
        };
        self.write_events(state, &targets, desired, &events, write);
        self.write_private(state, &targets, stores, desired);
        let after = self.fences_of_swap(state, &orders, Side::Behind, span, &events);
        for [on_success, on_failure] in [before, after] {
            self.happens_when(on_success, stores);
            self.happens_when(on_failure, fails);
        }
        let mut deps = DepSets::EMPTY;
        for expected in &swap.expected {
            let terms = &mut self.graph.terms;
            state.ctrl = self.deps.union(state.ctrl, expected.deps, terms);
        }
        for word in old.iter().chain(&swap.expected) {
            deps = self.deps.union(deps, word.deps, &mut self.graph.terms);
        }
        let done = SymbolicValue {
            term: stores,
            deps,
            shadow: None,
        };
        (old, done)
    }

    /// Whether a compare-exchange that is weak when `when` holds, and reads what it expects when
    /// `equal` does, is not going to fail for no reason: its `attempt` succeeds, if it may be weak.
    fn attempt(
        &mut self,
        state: &State,
        weak: &Weak,
        when: TermId,
        attempt: Option<TermId>,
        equal: TermId,
    ) -> TermId {
        let strong = self.graph.terms.not(when);
        let Some(attempt) = attempt else {
            return strong;
        };
        let guard = self.graph.terms.and(state.guard, when);
        let fails = self.graph.terms.not(attempt);
        let fails = self.graph.terms.and(equal, fails);
        let fails = self.graph.terms.and(guard, fails);
        let (thread, now) = (self.threads.current(), self.progress.now());
        self.loops.note_failure(Failure {
            thread,
            time: now,
            fails,
            attempt,
        });
        if weak.machine {
            self.graph.spurious.push(fails);
        }
        self.graph.terms.or(strong, attempt)
    }

    fn swap_orderings(&mut self, swap: &Swap, span: Span) -> SwapOrderings {
        let (success, failure) = swap.orders;
        let success = self.ordering(span, SiteKind::Success, success);
        let failure = self.ordering(span, SiteKind::Failure, failure);
        let said = (success.weakest, failure.weakest);
        let failing_read = match MemoryOrder::of_failing_read(said.0, said.1) {
            order if order == said.1 => failure.clone(),
            order => Ordering::fixed(order),
        };
        SwapOrderings {
            success,
            failing_read,
            failure,
        }
    }

    /// Fences for the two outcomes of a compare-exchange, each to be restricted to its own; one that
    /// is for both is not among them.
    fn fences_of_swap(
        &mut self,
        state: &mut State,
        orders: &SwapOrderings,
        side: Side,
        span: Span,
        after: &[Option<EventId>],
    ) -> [Option<EventId>; 2] {
        if orders.is_open() {
            let (on_success, on_failure): (TagOf, TagOf) = match side {
                Side::Before => (FenceTag::before_rmw, FenceTag::before_load),
                Side::Behind => (FenceTag::after_rmw, FenceTag::after_load),
            };
            return [
                self.fence_of(state, &orders.success, on_success, span, after),
                self.fence_of(state, &orders.failure, on_failure, span, after),
            ];
        }
        let (success, failure) = (orders.success.weakest, orders.failure.weakest);
        let [on_success, on_failure] = match side {
            Side::Before => FenceTag::before_cas(success, failure),
            Side::Behind => FenceTag::after_cas(success, failure),
        };
        if on_success == on_failure {
            if let Some(tag) = on_success {
                self.fence(state, tag, span, after);
            }
            return [None, None];
        }
        [on_success, on_failure].map(|tag| self.fence(state, tag?, span, after))
    }

    /// Restricts an event by what was only known after it had been emitted.
    fn happens_when(&mut self, event: Option<EventId>, cond: TermId) {
        if let Some(event) = event {
            let guard = self.graph.events[event].guard;
            self.graph.events[event].guard = self.graph.terms.and(guard, cond);
        }
    }

    fn rmw_result(
        &mut self,
        op: RmwOp,
        old: SymbolicValue,
        operand: SymbolicValue,
    ) -> SymbolicValue {
        if op == RmwOp::Exchange {
            return operand;
        }
        let deps = self
            .deps
            .union(old.deps, operand.deps, &mut self.graph.terms);
        let term = op.apply_with(
            &mut self.graph.terms,
            old.term,
            operand.term,
            Terms::binary,
            Terms::not,
        );
        let shadow = self.shadow_rmw(op, old, operand);
        SymbolicValue { term, deps, shadow }
    }
}
