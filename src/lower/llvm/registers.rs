//! How registers are written as expressions of C.

use super::types::Translated;
use crate::front::c::ast::Expr;

/// How registers are written, by those who know them.
pub(super) trait Registers {
    /// The scalars of a register.
    fn register(&self, name: &str) -> Translated<Vec<Expr>>;
}

/// Where there are no registers: in the initial values of globals.
pub(super) struct NoRegisters;

impl Registers for NoRegisters {
    fn register(&self, name: &str) -> Translated<Vec<Expr>> {
        Err(format!("the register `%{name}` in a constant"))
    }
}
