//! The variables of memory, and which of them an address may be.

use super::handles::Handles;
use super::unsupported::{Unsupported, unsupported};
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Program, Variable, VariableKind};
use ::ir::program::{self as ir, GlobalId, MemoryOrder, Width};
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
    pub fn new(
        ir: &ir::Program,
        handles: Option<&Handles>,
        program: &mut Program,
    ) -> Result<CellMap, Unsupported> {
        let mut cells = IdVec::new();
        for (id, g) in ir.globals.iter_enumerated() {
            if handles.is_some_and(|h| h.hold(id) || !is_used(ir, id)) {
                cells.push(Vec::new());
                continue;
            }
            if g.thread_local {
                return Err(unsupported(g.span, "thread-local variables"));
            }
            if ir.size_of(g.layout) > 8 * MAX_CELLS {
                let what = format!("an object of more than {MAX_CELLS} elements");
                return Err(unsupported(g.span, what));
            }
            let mut own: Vec<(i128, Width, VarId)> = Vec::new();
            let mut end = 0;
            for (offset, width) in ir.scalars(g.layout) {
                if offset < end {
                    return Err(unsupported(g.span, "a union whose members overlap"));
                }
                end = offset + u64::from(width) / 8;
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

    /// What an access of some width and memory order may touch.
    ///
    /// # Errors
    /// A machine may do the access in parts.
    pub fn target(
        &self,
        ir: &ir::Program,
        (base, offset): &(GlobalId, Linear),
        (width, order): (Width, MemoryOrder),
        span: Span,
    ) -> Result<AccessTarget, Unsupported> {
        let align = ir.alignment(ir.globals[*base].layout);
        let is_whole = |at: i128| {
            let at = u64::try_from(at).unwrap_or_default();
            ir.is_one_access(u64::from(width) / 8, at, align, order.compiled())
        };
        let mut target = AccessTarget {
            cells: Vec::new(),
            outside: Cond::Const(true),
            object: ir.globals[*base].name.clone(),
        };
        for (at, _, x) in self.cells[*base].iter().filter(|(_, w, _)| *w == width) {
            let here = Cond::equal(offset, &Linear::constant(*at));
            if here == Cond::Const(false) {
                continue;
            }
            if !is_whole(*at) {
                let what = "an access that a machine may do in parts";
                return Err(unsupported(span, what));
            }
            target.outside = Cond::and([target.outside, here.negate()]);
            target.cells.push((here, *x));
        }
        Ok(target)
    }
}

/// Some instruction names the object.
fn is_used(ir: &ir::Program, id: GlobalId) -> bool {
    fn names(e: &ir::Expr, id: GlobalId) -> bool {
        matches!(e, ir::Expr::Global(g) if *g == id) || e.operands().any(|e| names(e, id))
    }
    let mut code = ir.procs.iter().flat_map(|p| &p.body);
    code.any(|i| i.op.operands().into_iter().any(|e| names(e, id)))
}
