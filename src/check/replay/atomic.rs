//! Instructions that access memory or order accesses, in a replay: from their operands to
//! [`super::access`].

use super::access::Access;
use super::{Replay, ReplayThread, Stop};
use base::source::Span;
use ir::kernel::{GRACE_PERIOD_ORDER, is_sync_rcu};
use ir::program::FenceTag;
use ir::program::*;
use ir::shadow::{Word, shadow_rmw};

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
                (dst, self.load(state, access(addr, width(*dst), *order))?)
            }
            Op::Store { addr, value, order } => {
                let bits = value.width(program, proc);
                let (addr, value) = (self.value(state, addr)?, self.word(state, value)?);
                return self.store(state, access(addr, bits, *order), value);
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
                let update = |old: Word| {
                    let sides = [old, operand].map(|w| (w.number, w.shadow));
                    Word {
                        number: op.apply(old.number, operand.number, bits),
                        shadow: shadow_rmw(*op, sides[0], sides[1], bits),
                    }
                };
                let old = self.rmw(state, at, &update)?;
                (dst, old)
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
                let (expected, desired) = (self.word(state, expected)?, self.word(state, desired)?);
                let fails = match weak {
                    Some(weak) if self.value(state, &weak.when)? == 1 => {
                        state.choice(self.run, 1)? == 0
                    }
                    _ => false,
                };
                let at = access(addr, width(*dst), *success);
                let bits = width(*dst);
                let placement = self.objects.placement.clone();
                let equal = |old: Word| {
                    placement.binary(program, BinOp::Eq, old.number, expected.number, bits) == 1
                };
                let update = |old: Word| (equal(old) && !fails).then_some(desired);
                let orders = (*failure, expected);
                let (old, done) = self.compare_exchange(state, at, orders, &update)?;
                if let Some(weak) = weak {
                    self.set(state, weak.done, Word::known(u64::from(done)));
                }
                (dst, old)
            }
            Op::LoadLinked { dst, addr, order } => {
                let addr = self.value(state, addr)?;
                let at = access(addr, width(*dst), *order);
                (dst, self.load_linked(state, at)?)
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
            _ => return Err(Stop::Stuck),
        };
        self.set(state, *dst, value);
        Ok(())
    }
}
