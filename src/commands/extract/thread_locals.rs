//! Thread-local objects: registers of the thread that has them, as long as no other thread is handed their
//! address.

use super::memory::initial_value;
use super::thread::{Builder, Frame};
use super::unsupported::{Unsupported, unsupported};
use crate::commands::arith::VarId;
use crate::commands::program::VariableKind;
use ::ir::program::{self as ir, GlobalId, Width};
use base::source::Span;

impl<'a> Builder<'a, '_> {
    /// The register that a scalar of a thread-local object is; `None` of another object.
    ///
    /// # Errors
    /// It is not known which scalar, or it is accessed in another size than its own.
    pub(super) fn thread_local(
        &mut self,
        frame: &Frame<'a>,
        addr: &ir::Expr,
        width: Width,
        span: Span,
    ) -> Result<Option<VarId>, Unsupported> {
        let (global, offset) = self.reader(frame, span).address(addr)?;
        let object = &self.all.ir.globals[global];
        if !object.thread_local {
            return Ok(None);
        }
        let Some(offset) = offset.as_constant().and_then(|o| u64::try_from(o).ok()) else {
            return Err(unsupported(span, "an element of a thread-local array"));
        };
        let end = |at: u64, width: Width| at + u64::from(width) / 8;
        let mut scalars = self.all.ir.scalars(object.layout);
        scalars.retain(|(at, w)| *at < end(offset, width) && offset < end(*at, *w));
        if scalars != [(offset, width)] {
            let what = "an access to a thread-local object in another size than its scalars have";
            return Err(unsupported(span, what));
        }
        if let Some(x) = self.thread_locals.get(&(global, offset)) {
            return Ok(Some(*x));
        }
        let path = self.all.ir.path(object.layout, offset);
        let name = self.fresh_name(&format!("{}{path}", object.name));
        let x = self.variable(name, VariableKind::Temporary(self.id));
        self.all.program.vars[x].initial = Some(initial_value(object, offset, width)?);
        self.thread_locals.insert((global, offset), x);
        Ok(Some(x))
    }

    /// Refuses the address of a thread-local object, which another thread must not have.
    pub(super) fn keeps_to_itself(&self, global: GlobalId, span: Span) -> Result<(), Unsupported> {
        match self.all.ir.globals[global].thread_local {
            true => Err(unsupported(span, "the address of a thread-local object")),
            false => Ok(()),
        }
    }
}
