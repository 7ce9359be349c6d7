//! The barriers of the Linux kernel, which `kernel.h` calls by names of its own.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::ir::kernel::FENCES;
use crate::ir::program::{Fence, Op};

impl<'a> Lowering<'a> {
    pub(super) fn kernel_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let name = call.name.strip_prefix("__wmbmc_");
        let fence = name.and_then(|name| FENCES.iter().find(|(fence, _)| *fence == name));
        let Some((_, sets)) = fence else {
            return Ok(None);
        };
        self.emit_at(call.span, Op::Fence(Fence::Annotated(sets)));
        Ok(Some(self.void()))
    }
}
