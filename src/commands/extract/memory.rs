//! The variables of memory, and which of them an address may be.

use super::handles::Handles;
use super::numbering::Numbering;
use super::unsupported::{Unsupported, unsupported};
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Program, Variable, VariableKind};
use ::ir::program::{self as ir, GlobalId, MemoryOrder, Width};
use base::idx::IdVec;
use base::source::Span;
use std::collections::BTreeMap;

/// Scalars of a global at most.
const MAX_CELLS: u64 = 256;

/// The scalars of each global: offset, bits, variable.
pub struct CellMap {
    cells: IdVec<GlobalId, Vec<(i128, Width, VarId)>>,
    /// The size of an element of each array with one for each thread; its scalars are those of an element.
    elements: BTreeMap<GlobalId, i128>,
}

/// What an access may touch.
pub struct AccessTarget {
    /// Each variable, and when.
    pub cells: Vec<(Cond, VarId)>,
    /// When it is none of them.
    pub outside: Cond,
    /// The register with the number of the element, of an array with one for each thread.
    pub element: Option<VarId>,
    /// The object.
    pub object: String,
}

impl CellMap {
    /// Makes a variable of each scalar.
    pub fn new(
        ir: &ir::Program,
        handles: Option<&Handles>,
        numbering: Option<&Numbering>,
        program: &mut Program,
    ) -> Result<CellMap, Unsupported> {
        let mut cells = IdVec::new();
        let mut elements = BTreeMap::new();
        for (id, g) in ir.globals.iter_enumerated() {
            if handles.is_some_and(|h| h.hold(id) || !is_used(ir, id)) {
                cells.push(Vec::new());
                continue;
            }
            if ir.undefined.contains_key(&id) {
                let what = "an object that no file defines and that is not known as a whole";
                return Err(unsupported(g.span, what));
            }
            if g.thread_local {
                cells.push(Vec::new());
                continue;
            }
            let of_threads = numbering.and_then(|n| element(ir, n, id));
            if let Some(layout) = of_threads {
                let size = i128::from(ir.size_of(layout));
                elements.insert(id, size);
                cells.push(scalars_of_element(ir, g, layout, program)?);
                continue;
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
                let initial = initial_value(g, offset, width)?;
                let is_count = numbering.is_some_and(|n| n.count == Some(id));
                let id = program.vars.push(Variable {
                    name,
                    kind: match is_count {
                        true => VariableKind::Count,
                        false => VariableKind::Shared,
                    },
                    initial: Some(initial),
                });
                own.push((i128::from(offset), width, id));
            }
            cells.push(own);
        }
        Ok(CellMap { cells, elements })
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
            element: None,
            object: ir.globals[*base].name.clone(),
        };
        if let Some(size) = self.elements.get(base) {
            let (number, within) = number_and_offset(offset, *size).ok_or_else(|| {
                let what = "an element of an array with one for each thread that is at no number of a thread";
                unsupported(span, what)
            })?;
            let cells = self.cells[*base].iter();
            let is_aligned = size % i128::from(width / 8).max(1) == 0;
            let is_here =
                |(at, w): (i128, Width)| (at, w) == (within, width) && is_whole(at) && is_aligned;
            let cells = cells.filter(|(at, w, _)| is_here((*at, *w)));
            target.cells = cells.map(|(.., x)| (Cond::Const(true), *x)).collect();
            if target.cells.is_empty() {
                let what = "an access that a machine may do in parts";
                return Err(unsupported(span, what));
            }
            target.outside = Cond::Const(false);
            target.element = Some(number);
            return Ok(target);
        }
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

/// The initial value of a scalar of an object.
pub(super) fn initial_value(
    g: &ir::Global,
    offset: u64,
    width: Width,
) -> Result<i128, Unsupported> {
    match g.init.iter().find(|(at, ..)| *at == offset) {
        None => Ok(0),
        Some((_, w, ir::Expr::Const { value, .. })) if *w == width => {
            Ok(i128::from(ir::sign_extend(*value, width)))
        }
        Some(_) => Err(unsupported(g.span, "an initial value that is no number")),
    }
}

/// The layout of the elements of an array with one for each thread.
fn element(ir: &ir::Program, numbering: &Numbering, g: GlobalId) -> Option<ir::LayoutId> {
    match ir.layouts[ir.globals[g].layout] {
        ir::Layout::Array { elem, .. } if numbering.arrays.contains(&g) => Some(elem),
        _ => None,
    }
}

/// A variable for each scalar of an element; at the beginning those of all elements are the same.
fn scalars_of_element(
    ir: &ir::Program,
    g: &ir::Global,
    layout: ir::LayoutId,
    program: &mut Program,
) -> Result<Vec<(i128, Width, VarId)>, Unsupported> {
    let is_zero = |e: &ir::Expr| matches!(e, ir::Expr::Const { value: 0, .. });
    if !g.init.iter().all(|(.., value)| is_zero(value)) {
        let what = "an array with an element for each thread that is initialised";
        return Err(unsupported(g.span, what));
    }
    let mut own: Vec<(i128, Width, VarId)> = Vec::new();
    let mut end = 0;
    for (offset, width) in ir.scalars(layout) {
        if offset < end {
            return Err(unsupported(g.span, "a union whose members overlap"));
        }
        end = offset + u64::from(width) / 8;
        let id = program.vars.push(Variable {
            name: format!("{}{}", g.name, ir.path(layout, offset)),
            kind: VariableKind::PerThread,
            initial: Some(0),
        });
        own.push((i128::from(offset), width, id));
    }
    Ok(own)
}

/// The register that an element's number is in, and the offset within the element.
fn number_and_offset(offset: &Linear, size: i128) -> Option<(VarId, i128)> {
    let mut terms = offset.terms.iter();
    let (Some((x, factor)), None) = (terms.next(), terms.next()) else {
        return None;
    };
    let is_within = (0..size).contains(&offset.constant);
    (*factor == size && is_within).then_some((*x, offset.constant))
}

/// Some instruction names the object.
fn is_used(ir: &ir::Program, id: GlobalId) -> bool {
    fn names(e: &ir::Expr, id: GlobalId) -> bool {
        matches!(e, ir::Expr::Global(g) if *g == id) || e.operands().any(|e| names(e, id))
    }
    let mut code = ir.procs.iter().flat_map(|p| &p.body);
    code.any(|i| i.op.operands().into_iter().any(|e| names(e, id)))
}
