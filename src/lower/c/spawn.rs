//! Threads: start routines of any type, and statements that run asynchronously.

use super::body::Body;
use super::{Lowered, Lowering, fold, wrong};
use crate::front::c::ast::{Expr as Ast, Stmt};
use crate::front::c::types::{FnType, Type, TypeId};
use base::source::Span;
use ir::program::{
    BinOp, Callee, Expr, Field, Layout, LocalId, MemoryOrder, Op, ProcId, Storage, Width,
};

impl<'a> Lowering<'a> {
    /// Name and bits of a register of the enclosing body.
    pub fn outer_local(&self, local: LocalId) -> (String, Width) {
        match self.body.enclosing.as_deref() {
            Some(outer) => (
                outer.proc.locals[local].name.clone(),
                outer.proc.locals[local].width,
            ),
            None => (String::new(), self.pointer_width()),
        }
    }

    /// The start routine of a thread: a procedure that takes and returns a pointer.
    pub fn start_routine(&mut self, routine: &'a Ast) -> Lowered<Callee> {
        let value = self.value(routine)?;
        let Expr::Proc(proc) = value.expr else {
            let ty = self.types.void_pointer();
            return Ok(Callee::Pointer(self.convert(value, ty, routine.span)?.expr));
        };
        let target = self
            .types
            .pointee(value.ty)
            .map(|to| self.types.get(to).clone());
        let Some(Type::Function(f)) = target else {
            return Ok(Callee::Proc(proc));
        };
        let pointer = self.pointer_width();
        let fits = |ty: &TypeId| self.types.width(*ty) == Some(pointer);
        if !Self::is_variadic(&f)
            && f.params.len() <= 1
            && f.params.iter().all(fits)
            && self.types.width(f.ret).is_none_or(|w| w == pointer)
        {
            return Ok(Callee::Proc(proc));
        }
        if f.params.len() > 1 {
            return wrong(routine.span, "a start routine takes one parameter");
        }
        Ok(Callee::Proc(self.adapter(proc, &f, routine.span)?))
    }

    /// A procedure from pointer to pointer that calls one with narrower types.
    pub fn adapter(&mut self, proc: ProcId, f: &FnType, span: Span) -> Lowered<ProcId> {
        let pointer = self.pointer_width();
        let name = format!("{} (thread)", self.program.procs[proc].name);
        let id = self.program.procs.next_id();
        let mut body = Body::new(&name, id, span, f.ret);
        let arg = body.param("arg", pointer);
        let mut args = Vec::new();
        for ty in &f.params {
            let width = self.scalar_width(*ty, span)?;
            args.push(fold::resize(Expr::Local(arg), pointer, width, false));
        }
        if Self::is_variadic(f) {
            // There are no arguments without a name.
            args.push(Expr::constant(0, pointer));
        }
        let dst = self.types.width(f.ret).map(|w| (body.local("", w), w));
        body.emit(Op::Call {
            dst: dst.map(|d| d.0),
            callee: Callee::Proc(proc),
            args,
        });
        let signed = self.types.signed(f.ret);
        let result = dst.map(|(d, w)| fold::resize(Expr::Local(d), w, pointer, signed));
        body.emit(Op::Return(result));
        body.proc.returns = dst.map(|_| pointer);
        Ok(self.program.procs.push(body.finish()))
    }

    /// `__CPROVER_ASYNC_1: statement`: a thread of its own runs the statement, with copies of
    /// the registers it uses.
    pub fn async_stmt(&mut self, s: &'a Stmt) -> Lowered<()> {
        let pointer = self.pointer_width();
        let void = self.types.id(Type::Void);
        let id = self.program.procs.next_id();
        let mut body = Body::new("(asynchronous)", id, s.span, void);
        let arg = body.param("arg", pointer);
        body.addressed = self.body.addressed.clone();
        let placeholder = body.proc.clone();
        self.program.procs.push(placeholder);
        let outer = std::mem::replace(&mut self.body, body);
        self.body.enclosing = Some(Box::new(outer));
        let result = self.stmt(s);
        self.check_labels();
        let outer = self.body.enclosing.take().expect("it was put there above");
        let mut body = std::mem::replace(&mut self.body, *outer);
        let captured = body.captured.clone();
        let width = |l: LocalId| body.proc.locals[l].width;
        self.body.span = s.span;
        let (value, prologue) = match &captured[..] {
            [] => (self.pointer_constant(0), Vec::new()),
            [(from, to)] if width(*to) <= pointer => {
                let value = fold::resize(Expr::Local(*from), width(*to), pointer, false);
                let copy = fold::resize(Expr::Local(arg), pointer, width(*to), false);
                (
                    value,
                    vec![Op::Assign {
                        dst: *to,
                        value: copy,
                    }],
                )
            }
            many => self.capture_block(many, arg),
        };
        body.prepend(prologue);
        self.program.procs[id] = body.finish();
        let dst = self.body.local("", pointer);
        self.emit(Op::Spawn {
            dst,
            callee: Callee::Proc(id),
            arg: value,
        });
        result
    }

    /// Several captured registers travel in a block on the heap, one word each.
    pub fn capture_block(
        &mut self,
        captured: &[(LocalId, LocalId)],
        arg: LocalId,
    ) -> (Expr, Vec<Op>) {
        let pointer = self.pointer_width();
        let width = |this: &Self, l: LocalId| this.body.proc.locals[l].width.max(8);
        let mut fields = Vec::new();
        for (i, (from, _)) in captured.iter().enumerate() {
            let layout = self.program.layouts.push(Layout::Scalar {
                width: width(self, *from),
            });
            fields.push(Field {
                name: String::new(),
                offset: 8 * i as u64,
                layout,
            });
        }
        let size = 8 * captured.len() as u64;
        let layout = self.program.layouts.push(Layout::Struct {
            fields,
            size,
            align: 8,
        });
        let block = self.body.local("", pointer);
        self.emit(Op::Alloc {
            dst: block,
            storage: Storage::Heap,
            layout: Some(layout),
            size: Expr::constant(size, pointer),
            zeroed: true,
            replaces: None,
        });
        let mut prologue = Vec::new();
        for (i, (from, to)) in captured.iter().enumerate() {
            let at = |base| {
                fold::binary(
                    BinOp::Add,
                    Expr::Local(base),
                    Expr::constant(8 * i as u64, pointer),
                    pointer,
                )
            };
            let value = Expr::Local(*from);
            self.emit(Op::Store {
                addr: at(block),
                value,
                order: MemoryOrder::Plain,
            });
            prologue.push(Op::Load {
                dst: *to,
                addr: at(arg),
                order: MemoryOrder::Plain,
            });
        }
        (Expr::Local(block), prologue)
    }
}
