//! The barriers of the Linux kernel, which `kernel.h` calls by names of its own, and its grace periods.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::ir::kernel::{FENCES, SYNC_RCU};
use crate::ir::program::{Fence, Op};

impl<'a> Lowering<'a> {
    pub(super) fn kernel_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let own = call.name.strip_prefix("__wmbmc_");
        let name = own.unwrap_or(call.name);
        let fence = FENCES.iter().find(|(fence, _)| *fence == name);
        let Some((_, sets)) = fence.filter(|(_, sets)| own.is_some() || *sets == SYNC_RCU) else {
            return Ok(None);
        };
        self.emit_at(call.span, Op::Fence(Fence::Annotated(sets)));
        Ok(Some(self.void()))
    }
}
