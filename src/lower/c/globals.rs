//! Objects with static storage: variables, when they are first mentioned, and strings.

use super::init::{Leaf, Piece, init_span};
use super::made::StringKey;
use super::names::VariableId;
use super::{Lowered, Lowering, Place, WorkItem, wrong};
use crate::front::c::ast::{Expr as Ast, Init, InitItem, IntKind};
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::idx::Id;
use base::source::Span;
use ir::pair::WORD;
use ir::program::{Expr, Global, GlobalId, Layout, LayoutId, Width, mask};
use std::collections::BTreeMap;

impl<'a> Lowering<'a> {
    /// The object of a variable; its initial value is lowered later, at file scope.
    pub fn global(&mut self, id: VariableId, span: Span) -> Lowered<GlobalId> {
        if let Some(other) = self.names.variable(id).link {
            return self.global(other, span);
        }
        if let Some(global) = self.names.variable(id).global {
            return Ok(global);
        }
        let global = self.new_global(id, span)?;
        self.tasks.push_back(WorkItem::Init(id));
        Ok(global)
    }

    /// The object of a variable of block scope, with its initial value.
    pub fn global_now(&mut self, id: VariableId, span: Span) -> Lowered<()> {
        self.new_global(id, span)?;
        self.global_init(id)
    }

    pub fn new_global(&mut self, id: VariableId, span: Span) -> Lowered<GlobalId> {
        const LIBRARY: [&str; 9] = [
            "errno", "stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt",
        ];
        let variable = self.names.variable(id);
        let (ty, at, align) = (variable.ty, variable.span, variable.align);
        let (thread_local, constant) = (variable.thread_local, variable.constant);
        let is_undefined = !variable.defined && !LIBRARY.contains(&variable.name.as_str());
        let ty = match is_undefined {
            true => self.undefined_type(id, span)?,
            false => ty,
        };
        let name = self.variable_name(id);
        // A tentative array without size has one element.
        let ty = match self.types.get(ty) {
            Type::Array(elem, None) => {
                let elem = *elem;
                self.types.id(Type::Array(elem, Some(1)))
            }
            _ => ty,
        };
        let size = self.size_of(ty, at)?;
        if size >= self.program.data_model.largest_object() {
            let what = format!("`{name}`, an object of {size} bytes,");
            return self.unsupported(at, &what);
        }
        let placed = match align {
            Some(align) => self.types.aligned(ty, align),
            None => ty,
        };
        let mut layout = self.layout(placed, at)?;
        if let Some(init) = self.names.variable(id).init {
            layout = self.with_flexible_member(ty, layout, init)?;
        }
        // What `getopt` begins with.
        let one = !self.names.variable(id).defined && ["optind", "opterr"].contains(&name.as_str());
        let init = match one {
            true => vec![(0, 32, Expr::constant(1, 32))],
            false => Vec::new(),
        };
        let global = Global {
            name,
            span: at,
            layout,
            init,
            thread_local,
        };
        let global = self.program.globals.push(global);
        if constant && !is_undefined {
            self.program.read_only.insert(global);
        }
        if is_undefined {
            self.note_undefined_object(id, global, span)?;
        }
        self.names.variable_mut(id).global = Some(global);
        Ok(global)
    }

    /// The layout of a structure whose flexible array member has the elements that the initial value
    /// gives it, which are no part of the structure's size.
    fn with_flexible_member(
        &mut self,
        ty: TypeId,
        own: LayoutId,
        init: &'a Init,
    ) -> Lowered<LayoutId> {
        let Some((offset, elem)) = self.flexible_member(ty) else {
            return Ok(own);
        };
        let leaves = self.static_leaves(ty, init)?;
        let ends = leaves.iter().filter(|(part, _)| part.offset >= offset);
        let ends = ends.map(|(p, _)| p.offset + self.types.size(p.ty).unwrap_or(0));
        let end = ends.max().unwrap_or(offset);
        let stride = self.size_of(elem, init_span(init))?.max(1);
        let count = (end - offset).div_ceil(stride);
        let elem = self.layout(elem, init_span(init))?;
        let Layout::Struct {
            mut fields,
            size,
            align,
        } = self.program.layouts[own].clone()
        else {
            return Ok(own);
        };
        if let Some(last) = fields.last_mut() {
            last.layout = self.program.layouts.push(Layout::Array { elem, count });
        }
        let layout = self.program.layouts.push(Layout::Struct {
            fields,
            size: size.max(offset + count * stride),
            align,
        });
        let aligned = self.program.aligned.get(&own).copied();
        self.program.aligned.extend(aligned.map(|a| (layout, a)));
        Ok(layout)
    }

    /// Lowers the initial value of a variable with static storage.
    pub fn global_init(&mut self, id: VariableId) -> Lowered<()> {
        let (Some(init), Some(global)) =
            (self.names.variable(id).init, self.names.variable(id).global)
        else {
            return Ok(());
        };
        let ty = self.names.variable(id).ty;
        let values = self
            .static_leaves(ty, init)
            .and_then(|leaves| self.static_values(leaves))
            .and_then(|values| self.join_atomic_records(ty, values, init_span(init)));
        self.program.globals[global].init = values?;
        Ok(())
    }

    /// Initial values by place, ascending; a later value for the same place replaces an earlier
    /// one.
    fn static_values(&mut self, leaves: Vec<Leaf<'a>>) -> Lowered<Vec<(u64, Width, Expr)>> {
        let mut kept: BTreeMap<u64, (Width, Expr)> = BTreeMap::new();
        for (part, piece) in leaves {
            if let (true, Piece::Expr(e)) = (self.types.is_int128(part.ty), &piece) {
                for (offset, word) in (part.offset..)
                    .step_by(8)
                    .zip(self.constant_int128(part.ty, e)?)
                {
                    kept.insert(offset, (WORD, Expr::constant(word, WORD)));
                }
                continue;
            }
            let (width, value) = self.constant_piece(part.ty, piece)?;
            let Some(bits) = part.bits else {
                kept.insert(part.offset, (width, value));
                continue;
            };
            let Expr::Const { value, .. } = value else {
                return wrong(self.body.span, "a bit-field cannot hold an address");
            };
            let mut at = 0;
            for p in &bits.pieces {
                let offset = part.offset + p.offset;
                let before = match kept.get(&offset) {
                    Some((_, Expr::Const { value, .. })) => *value,
                    _ => 0,
                };
                let ones = mask(p.count);
                let new = before & !(ones << p.low) | (value >> at & ones) << p.low;
                kept.insert(offset, (p.unit, Expr::constant(new, p.unit)));
                at += u32::from(p.count);
            }
        }
        kept.retain(|_, (_, value)| !matches!(value, Expr::Const { value: 0, .. }));
        let kept = kept.into_iter();
        Ok(kept
            .map(|(offset, (width, value))| (offset, width, value))
            .collect())
    }

    /// The initial values of an object in which an `_Atomic` structure is one cell, or two.
    fn join_atomic_records(
        &mut self,
        ty: TypeId,
        mut values: Vec<(u64, Width, Expr)>,
        span: Span,
    ) -> Lowered<Vec<(u64, Width, Expr)>> {
        let mut words = Vec::new();
        for (start, record) in self.atomic_records(ty) {
            let widths = self.carrier_widths(record, span)?;
            words.extend((start..).step_by(8).zip(widths));
        }
        for (start, width) in words {
            let end = start + u64::from(width) / 8;
            let inside = |v: &(u64, Width, Expr)| (start..end).contains(&v.0);
            let (parts, others): (Vec<_>, Vec<_>) = values.into_iter().partition(inside);
            values = others;
            let mut bits = 0;
            for (offset, part_width, value) in &parts {
                match value {
                    Expr::Const { value, .. } => bits |= value << (8 * (offset - start)),
                    _ if parts.len() == 1 && *part_width == width => {}
                    _ => return self.unsupported(span, "this address in an `_Atomic` structure"),
                }
            }
            match parts.as_slice() {
                [] => {}
                [(_, _, Expr::Const { .. }), ..] | [_, _, ..] => {
                    values.push((start, width, Expr::constant(bits, width)));
                }
                [_] => values.extend(parts),
            }
        }
        values.sort_by_key(|(offset, ..)| *offset);
        Ok(values)
    }

    /// `(type){ … }` at file scope: an object without a name.
    pub fn static_literal(
        &mut self,
        (ty, constant): (TypeId, bool),
        items: &'a [InitItem],
        span: Span,
    ) -> Lowered<Place> {
        self.size_of(ty, span)?;
        let layout = self.layout(ty, span)?;
        let (leaves, _) = self.elements(ty, items, span)?;
        let init = self.static_values(leaves)?;
        let init = self.join_atomic_records(ty, init, span)?;
        let name = format!("literal {}", self.program.globals.next_id().index());
        let global = self.program.globals.push(Global {
            name,
            span,
            layout,
            init,
            thread_local: false,
        });
        if constant {
            self.program.read_only.insert(global);
        }
        Ok(Place::object(Expr::Global(global), ty))
    }

    pub fn constant_piece(&mut self, cell: TypeId, piece: Piece<'a>) -> Lowered<(Width, Expr)> {
        let e = match piece {
            Piece::Unit(unit) => {
                let width = self.scalar_width(cell, self.body.span)?;
                return Ok((width, Expr::constant(u64::from(unit) & mask(width), width)));
            }
            Piece::Expr(e) => e,
        };
        let width = self.scalar_width(cell, e.span)?;
        let mark = self.body.mark();
        let outer = std::mem::replace(&mut self.is_initial, true);
        let value = self.value_for(e, cell);
        self.is_initial = outer;
        let emitted = self.body.mark() != mark;
        self.body.rewind(mark);
        let value = value?.expr;
        if emitted || !is_constant(&value) {
            let text = match self.types.is_float(cell) {
                true => {
                    "the initial value of this variable has to be a constant, and a number: what is none has either sign"
                }
                false => "the initial value of this variable has to be a constant",
            };
            return wrong(e.span, text);
        }
        Ok((width, value))
    }

    /// The words of an `__int128` with static storage, the lower one first.
    fn constant_int128(&mut self, ty: TypeId, e: &'a Ast) -> Lowered<[u64; 2]> {
        let mark = self.body.mark();
        let value = self.value_for(e, ty);
        let words = value.and_then(|value| self.constant_words(value, e.span));
        self.body.rewind(mark);
        let text = "the initial value of this variable has to be a constant";
        words?.ok_or_else(|| Diag::error(e.span, text).into())
    }

    /// The object of a string of the program and its type. Equal ones in different places may be one
    /// object or several (C11 6.4.5p7).
    pub fn literal(&mut self, bytes: &[u8], span: Span) -> (GlobalId, TypeId) {
        let place = self.program.reuses_addresses.then_some(span);
        let (global, ty) = self.string(bytes, place, span);
        self.program.strings.insert(global);
        (global, ty)
    }

    /// The same of a wide string.
    pub fn wide_literal(&mut self, units: &[u32], kind: IntKind, span: Span) -> (GlobalId, TypeId) {
        let place = self.program.reuses_addresses.then_some(span);
        let (global, ty) = self.units((units.to_vec(), kind, place), span);
        self.program.strings.insert(global);
        (global, ty)
    }

    /// The object of a string that is the same wherever it is one of this place, and its type.
    pub fn string(&mut self, bytes: &[u8], place: Option<Span>, span: Span) -> (GlobalId, TypeId) {
        let units = bytes.iter().map(|b| u32::from(*b)).collect();
        self.units((units, IntKind::Char, place), span)
    }

    fn units(&mut self, key: StringKey, span: Span) -> (GlobalId, TypeId) {
        let (units, kind, _) = &key;
        let unit = self.types.id(Type::Int(*kind));
        let count = units.len() as u64 + 1;
        let ty = self.types.id(Type::Array(unit, Some(count)));
        if let Some(global) = self.made.string(&key) {
            return (global, ty);
        }
        let width = self.types.int_width(*kind);
        let layout = self
            .layout(ty, span)
            .expect("an array of integers has a layout");
        let bytes = u64::from(width) / 8;
        let init = units.iter().enumerate().filter(|(_, unit)| **unit != 0);
        let value = |unit: u32| Expr::constant(u64::from(unit) & mask(width), width);
        let init = init
            .map(|(i, unit)| (i as u64 * bytes, width, value(*unit)))
            .collect();
        let name = format!("string {}", self.program.globals.next_id().index());
        let global = Global {
            name,
            span,
            layout,
            init,
            thread_local: false,
        };
        let global = self.program.globals.push(global);
        self.program.read_only.insert(global);
        self.made.keep_string(key, global);
        (global, ty)
    }
}

/// True for what may initialise an object with static storage.
fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Const { .. } | Expr::Global(_) | Expr::Proc(_) => true,
        Expr::Binary(_, a, b) => is_constant(a) && is_constant(b),
        Expr::Cast(_, _, a) => is_constant(a),
        Expr::Local(_) | Expr::Unary(..) | Expr::Ite(..) => false,
    }
}
