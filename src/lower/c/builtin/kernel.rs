//! The barriers of the Linux kernel, which `kernel.h` calls by names of its own, and its grace periods.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::ir::kernel::{FENCES, SYNC_RCU};
use crate::ir::program::{Fence, Op};

impl<'a> Lowering<'a> {
    pub(super) fn kernel_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        if let "synchronize_srcu" | "synchronize_srcu_expedited" = call.name {
            return self.grace_period(call);
        }
        let own = call.name.strip_prefix("__wmbmc_");
        let name = own.unwrap_or(call.name);
        let fence = FENCES.iter().find(|(fence, _)| *fence == name);
        let Some((_, sets)) = fence.filter(|(_, sets)| own.is_some() || *sets == SYNC_RCU) else {
            return Ok(None);
        };
        self.emit_at(call.span, Op::Fence(Fence::Annotated(sets)));
        Ok(Some(self.void()))
    }

    /// Of the location that `srcu_read_lock` reads: all of a `struct srcu_struct` of `kernel.h`.
    fn grace_period(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let arg = call.arg(0)?;
        let (addr, domain) = self.pointer_arg(arg)?;
        let width = self.carrier_width(domain, arg.span)?;
        self.emit_at(call.span, Op::GracePeriod { addr, width });
        Ok(Some(self.void()))
    }
}
