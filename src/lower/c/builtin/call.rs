//! A call of a function that is known without a body.

use super::Lowered;
use crate::front::c::ast::Expr as Ast;
use crate::front::c::types::TypeId;
use base::diag::Diag;
use base::source::Span;

/// A call of a known function.
pub(super) struct Call<'a> {
    pub name: &'a str,
    pub args: &'a [Ast],
    pub span: Span,
    /// What the pointer it returns will point to.
    pub hint: Option<TypeId>,
}

impl<'a> Call<'a> {
    /// An argument that has to be there.
    pub fn arg(&self, index: usize) -> Lowered<&'a Ast> {
        let few = || {
            Diag::error(
                self.span,
                format!("`{}` is called with too few arguments", self.name),
            )
        };
        self.args.get(index).ok_or_else(|| few().into())
    }
}
