//! Instructions that access memory or order accesses, in a replay: from their operands to
//! [`super::access`].

use super::access::Access;
use super::{Goal, Replay, ReplayThread, Stop};
use base::source::Span;
use ir::kernel::{GRACE_PERIOD_ORDER, is_sync_rcu};
use ir::pair::{PAIR_WIDTH, Pair, PairAccess};
use ir::program::FenceTag;
use ir::program::*;
use ir::shadow::{Word, shadow_rmw};

/// A compare-exchange, but for its access, word by word.
struct Swap<'a> {
    expected: Vec<Word>,
    desired: Vec<Word>,
    /// The order of a failure.
    failure: MemoryOrder,
    weak: Option<&'a Weak>,
}

impl Replay<'_> {
    /// Executes an access or a fence.
    pub(super) fn access(
        &mut self,
        state: &mut ReplayThread,
        op: &Op,
        span: Span,
    ) -> Result<(), Stop> {
        let program = self.program;
        let frame = state.frames.last().ok_or(Stop::Stuck)?;
        let proc = &program.procs[frame.proc];
        let access = |addr, width, order| Access {
            addr,
            width,
            order,
            span,
        };
        let width = |local: LocalId| proc.locals[local].width;
        let (dst, value) = match op {
            Op::Load { dst, addr, order } => {
                let addr = self.value(state, addr)?;
                (dst, self.load(state, access(addr, width(*dst), *order))?[0])
            }
            Op::Store { addr, value, order } => {
                let bits = value.width(program, proc);
                let (addr, value) = (self.value(state, addr)?, self.word(state, value)?);
                return self.store(state, access(addr, bits, *order), &[value]);
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            } => {
                let bits = width(*dst);
                let (addr, operand) = (self.value(state, addr)?, self.word(state, operand)?);
                let at = access(addr, bits, *order);
                let update = |_, old: Word| {
                    let sides = [old, operand].map(|w| (w.number, w.shadow));
                    Word {
                        number: op.apply(old.number, operand.number, bits),
                        shadow: shadow_rmw(*op, sides[0], sides[1], bits),
                    }
                };
                (dst, self.rmw(state, at, &update)?[0])
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
                let addr = self.value(state, addr)?;
                let swap = Swap {
                    expected: vec![self.word(state, expected)?],
                    desired: vec![self.word(state, desired)?],
                    failure: *failure,
                    weak: weak.as_ref(),
                };
                let at = access(addr, width(*dst), *success);
                (dst, self.swap(state, at, &swap)?[0])
            }
            Op::Pair(pair) => return self.pair(state, pair, span),
            Op::LoadLinked { dst, addr, order } => {
                let addr = self.value(state, addr)?;
                let at = access(addr, width(*dst), *order);
                (dst, self.load_linked(state, at)?[0])
            }
            Op::StoreConditional {
                dst,
                addr,
                value,
                order,
            } => {
                let bits = value.width(program, proc);
                let (addr, value) = (self.value(state, addr)?, self.word(state, value)?);
                let at = access(addr, bits, *order);
                let done = self.store_conditional(state, at, value)?;
                (dst, Word::known(u64::from(done)))
            }
            Op::Fence(fence) => {
                if is_sync_rcu(*fence) {
                    self.stays_in_grace_period(state, None, span)?;
                }
                return self.fence(state, FenceTag::Explicit(*fence), span);
            }
            Op::GracePeriod { addr, width } => {
                let addr = self.value(state, addr)?;
                self.stays_in_grace_period(state, Some(addr), span)?;
                return self.grace_period(state, access(addr, *width, GRACE_PERIOD_ORDER));
            }
            Op::OneOf(ways) => {
                for (cond, way) in ways {
                    if self.value(state, cond)? == 1 {
                        return self.access(state, way, span);
                    }
                }
                return Err(Stop::Stuck);
            }
            // The event graph goes on as if nothing happened here; no violation that is shown comes after it.
            Op::Unknown(_) if matches!(self.goal, Goal::All(..)) => return Ok(()),
            _ => return Err(Stop::Stuck),
        };
        self.set(state, *dst, value);
        Ok(())
    }

    /// Executes an access of two words.
    fn pair(&mut self, state: &mut ReplayThread, pair: &Pair, span: Span) -> Result<(), Stop> {
        let at = Access {
            addr: self.value(state, &pair.addr)?,
            width: PAIR_WIDTH,
            order: pair.access.order(),
            span,
        };
        let both = |this: &mut Self, state: &mut ReplayThread, words: &[Expr; 2]| {
            let words = words.iter().map(|e| this.word(state, e));
            words.collect::<Result<Vec<Word>, Stop>>()
        };
        let (dst, words) = match &pair.access {
            PairAccess::Load { dst, .. } => (dst, self.load(state, at)?),
            PairAccess::Store { value, .. } => {
                let words = both(self, state, value)?;
                return self.store(state, at, &words);
            }
            PairAccess::Exchange { dst, value, .. } => {
                let words = both(self, state, value)?;
                (dst, self.rmw(state, at, &|word, _| words[word])?)
            }
            PairAccess::Cas {
                dst,
                expected,
                desired,
                failure,
                weak,
                ..
            } => {
                let swap = Swap {
                    expected: both(self, state, expected)?,
                    desired: both(self, state, desired)?,
                    failure: *failure,
                    weak: weak.as_ref(),
                };
                (dst, self.swap(state, at, &swap)?)
            }
        };
        for (dst, word) in dst.iter().zip(words) {
            self.set(state, *dst, word);
        }
        Ok(())
    }

    /// A compare-exchange; what was read.
    fn swap(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        swap: &Swap,
    ) -> Result<Vec<Word>, Stop> {
        let fails = match swap.weak {
            Some(weak) if self.value(state, &weak.when)? == 1 => state.choice(self.run, 1)? == 0,
            _ => false,
        };
        let (program, bits) = (self.program, at.width / swap.expected.len() as Width);
        let placement = self.objects.placement.clone();
        let equal = |old: Word, expected: Word| {
            placement.binary(program, BinOp::Eq, old.number, expected.number, bits) == 1
        };
        let update = |old: &[Word]| {
            let mut words = old.iter().zip(&swap.expected);
            let stores = words.all(|(old, expected)| equal(*old, *expected)) && !fails;
            stores.then(|| swap.desired.clone())
        };
        let orders = (swap.failure, &swap.expected[..]);
        let (old, done) = self.compare_exchange(state, at, orders, &update)?;
        if let Some(weak) = swap.weak {
            self.set(state, weak.done, Word::known(u64::from(done)));
        }
        Ok(old)
    }
}
