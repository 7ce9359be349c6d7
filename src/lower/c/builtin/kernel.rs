//! The barriers of the Linux kernel, which `kernel.h` calls by names of its own, and its grace periods.

use super::{Call, Lowered, Lowering, TypedValue};
use ir::kernel::FENCES;
use ir::program::{Fence, Op};

impl<'a> Lowering<'a> {
    /// A barrier or a section of RCU; those of RCU that end a grace period have their own names, too.
    pub(super) fn kernel_fence(&mut self, call: &Call<'a>) -> Lowered<Option<TypedValue>> {
        let name = call.name.strip_prefix("__wmbmc_").unwrap_or(call.name);
        let fence = FENCES.iter().find(|(fence, _)| *fence == name);
        Ok(fence.map(|(_, sets)| {
            self.emit_at(call.span, Op::Fence(Fence::Annotated(sets)));
            self.void()
        }))
    }

    /// Of the location that `srcu_read_lock` reads: all of a `struct srcu_struct` of `kernel.h`.
    pub(super) fn grace_period(&mut self, call: &Call<'a>) -> Lowered<()> {
        let arg = call.arg(0)?;
        let (addr, domain) = self.pointer_arg(arg)?;
        let width = self.carrier_widths(domain, arg.span)?[0];
        self.emit_at(call.span, Op::GracePeriod { addr, width });
        Ok(())
    }
}
