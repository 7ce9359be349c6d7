//! The variables of memory, and which of them an address may be.

use super::unsupported::unsupported;
use crate::predabs::arith::{Cond, Linear, VarId};
use crate::predabs::program::{Program, Variable, VariableKind};
use ::ir::program::{self as ir, GlobalId, Width};
use base::diag::Diag;
use base::idx::IdVec;
use base::source::Span;

/// Scalars of a global at most.
const MAX_CELLS: u64 = 256;

/// The scalars of each global: offset, bits, variable.
pub struct CellMap {
    cells: IdVec<GlobalId, Vec<(i128, Width, VarId)>>,
}

/// What an access may touch.
pub struct AccessTarget {
    /// Each variable, and when.
    pub cells: Vec<(Cond, VarId)>,
    /// When it is none of them.
    pub outside: Cond,
    /// The object.
    pub object: String,
}

impl CellMap {
    /// Makes a variable of each scalar.
    pub fn new(ir: &ir::Program, program: &mut Program) -> Result<CellMap, Diag> {
        let mut cells = IdVec::new();
        for g in ir.globals.iter() {
            if g.thread_local {
                return Err(unsupported(g.span, "thread-local variables"));
            }
            if ir.size_of(g.layout) > 8 * MAX_CELLS {
                let what = format!("an object of more than {MAX_CELLS} elements");
                return Err(unsupported(g.span, what));
            }
            let mut own = Vec::new();
            for (offset, width) in ir.scalars(g.layout) {
                let name = format!("{}{}", g.name, ir.path(g.layout, offset));
                let initial = match g.init.iter().find(|(at, ..)| *at == offset) {
                    None => 0,
                    Some((_, w, ir::Expr::Const { value, .. })) if *w == width => {
                        i128::from(ir::sign_extend(*value, width))
                    }
                    Some(_) => {
                        return Err(unsupported(g.span, "an initial value that is no number"));
                    }
                };
                let id = program.vars.push(Variable {
                    name,
                    kind: VariableKind::Shared,
                    initial: Some(initial),
                });
                own.push((i128::from(offset), width, id));
            }
            cells.push(own);
        }
        Ok(CellMap { cells })
    }

    /// What an access of some width may touch.
    pub fn target(
        &self,
        ir: &ir::Program,
        base: GlobalId,
        offset: &Linear,
        width: Width,
    ) -> AccessTarget {
        let mut target = AccessTarget {
            cells: Vec::new(),
            outside: Cond::Const(true),
            object: ir.globals[base].name.clone(),
        };
        for (at, _, x) in self.cells[base].iter().filter(|(_, w, _)| *w == width) {
            let here = Cond::equal(offset, &Linear::constant(*at));
            if here == Cond::Const(false) {
                continue;
            }
            target.outside = Cond::and([target.outside, here.negate()]);
            target.cells.push((here, *x));
        }
        target
    }
}

/// An address as an object and an offset.
pub fn address(
    e: &ir::Expr,
    span: Span,
    linear: &mut dyn FnMut(&ir::Expr) -> Result<Linear, Diag>,
) -> Result<(GlobalId, Linear), Diag> {
    match e {
        ir::Expr::Global(g) => Ok((*g, Linear::default())),
        ir::Expr::Binary(op @ (ir::BinOp::Add | ir::BinOp::Sub), a, b) => {
            let (base, offset) = address(a, span, linear)?;
            let sign = if *op == ir::BinOp::Add { 1 } else { -1 };
            Ok((base, offset.plus(sign, &linear(b)?)))
        }
        _ => Err(unsupported(span, "an access through a pointer")),
    }
}
