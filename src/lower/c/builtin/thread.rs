//! Threads of POSIX and C11: create, join, detach, exit.

use super::codes::word;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{Expr as Ast, ExprKind};
use crate::front::c::types::Type;
use crate::lower::c::body::Body;
use crate::lower::c::fold;
use crate::lower::c::names::Entity;
use crate::lower::c::purity::{DESTRUCTOR, mentioned};
use base::source::Span;
use ir::program::{
    BinOp, Callee, Claimed, Expr, Fence, MemoryOrder, Op, ProcId, Property, Role, Rule,
};

/// Functions of our `<pthread.h>`.
const PUSH: &str = "__wmbmc_cleanup_push";
const RUN: &str = "__wmbmc_run_handlers";
/// Functions of our library for the end of a thread: one calls the destructors of keys, the other
/// gives back the robust mutexes that the thread holds.
const DESTROY: &str = "__wmbmc___end_of_thread";
const GIVE_BACK: &str = "__wmbmc___robust_end";

impl<'a> Lowering<'a> {
    /// Creates a thread. Those of POSIX have attributes.
    pub(super) fn create_thread(
        &mut self,
        call: &Call<'a>,
        attributes: Option<&'a Ast>,
        routine: &'a Ast,
        arg: &'a Ast,
    ) -> Lowered<()> {
        let (span, pointer) = (call.span, self.pointer_width());
        let place = self.result_place(call.arg(0)?)?;
        let detached = match attributes {
            Some(attributes) => self.detached_state(attributes)?,
            None => None,
        };
        let callee = self.start_routine(routine)?;
        let ty = self.types.void_pointer();
        let arg = self.value_for(arg, ty)?.expr;
        let (callee, arg) = match callee {
            Callee::Pointer(routine) if attributes.is_some() => {
                self.computed_with_destructors(routine, arg, span)?
            }
            callee => (self.with_destructors(callee, span), arg),
        };
        let early = attributes.is_some() && self.options.id_before_thread;
        let (callee, arg, gate) = match early && self.is_known_elsewhere(call.arg(0)?) {
            true => self.held_back(callee, arg, span)?,
            false => (callee, arg, None),
        };
        let dst = self.temp(pointer);
        self.emit_at(span, Op::Spawn { dst, callee, arg });
        if let Some(detached) = detached {
            let joinable = self.body.label();
            let not = fold::binary(BinOp::Eq, detached, word(0), 32);
            self.body.jump(Some(not), joinable);
            self.claim_thread(&Expr::Local(dst), "created", span);
            self.body.place(joinable);
        }
        if let Some(place) = place {
            self.write_result(place, Expr::Local(dst), span)?;
        }
        if let Some(addr) = gate {
            let value = Expr::constant(1, pointer);
            let order = MemoryOrder::Library(Role::Release);
            self.fence(span);
            self.emit_at(span, Op::Store { addr, value, order });
        }
        Ok(())
    }

    pub(super) fn join_thread(&mut self, call: &Call<'a>) -> Lowered<()> {
        let span = call.span;
        let handle = self.handle(call)?;
        let place = match call.args.get(1) {
            Some(arg) => self.result_place(arg)?,
            None => None,
        };
        let dst = place.is_some().then(|| self.temp(self.pointer_width()));
        self.claim_thread(&handle, "joined", span);
        self.emit_at(span, Op::Join { handle, dst });
        if let (Some(place), Some(dst)) = (place, dst) {
            self.write_result(place, Expr::Local(dst), span)?;
        }
        Ok(())
    }

    /// A thread has ended, whoever has joined it.
    pub(super) fn assume_joined(&mut self, call: &Call<'a>) -> Lowered<()> {
        let handle = self.handle(call)?;
        self.emit_at(call.span, Op::Join { handle, dst: None });
        Ok(())
    }

    pub(super) fn detach_thread(&mut self, call: &Call<'a>) -> Lowered<()> {
        let handle = self.handle(call)?;
        self.claim_thread(&handle, "detached", call.span);
        Ok(())
    }

    /// Attributes are a word, which is 0 at first.
    pub(super) fn initialise_attributes(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        self.set_word(cell, word(0), call.span);
        Ok(())
    }

    pub(super) fn set_detach_state(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        let int = self.types.int();
        let state = self.value_for(call.arg(1)?, int)?.expr;
        self.set_word(cell, state, call.span);
        Ok(())
    }

    pub(super) fn exit_posix_thread(&mut self, call: &Call<'a>) -> Lowered<()> {
        let ty = self.types.void_pointer();
        let value = self.value_for(call.arg(0)?, ty)?;
        if self.names.is_called(PUSH) {
            self.run_handlers(call.span);
        }
        self.exit_thread(call, value);
        Ok(())
    }

    pub(super) fn exit_c11_thread(&mut self, call: &Call<'a>) -> Lowered<()> {
        let ty = self.types.ptrdiff_t();
        let value = self.value_for(call.arg(0)?, ty)?;
        self.exit_thread(call, value);
        Ok(())
    }

    fn exit_thread(&mut self, call: &Call<'a>, value: TypedValue) {
        self.run_destructors(call.span);
        if !self.at_exit.is_empty() {
            // If `main` ends so, they run where the last thread ends.
            let reason = format!("`{}` in a program with destructors", call.name);
            self.emit_at(call.span, Op::Unknown(reason));
        }
        self.emit_at(call.span, Op::ThreadExit(Some(value.expr)));
    }

    pub(super) fn same_thread(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let ty = self.types.size_t();
        let a = self.value_for(call.arg(0)?, ty)?.expr;
        let b = self.value_for(call.arg(1)?, ty)?.expr;
        let dst = self.temp(1);
        self.emit_at(call.span, Op::SameThread { dst, a, b });
        Ok(self.int_of_truth(Expr::Local(dst)))
    }

    pub(super) fn this_thread(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let dst = self.temp(self.pointer_width());
        self.emit_at(call.span, Op::ThreadSelf { dst });
        Ok(TypedValue::new(Expr::Local(dst), self.types.size_t()))
    }

    /// A thread may be joined or detached once, and there has to be one.
    fn claim_thread(&mut self, handle: &Expr, done: &str, span: Span) {
        let text = format!("the thread that is {done} has not been joined or detached before");
        let what = match done {
            "joined" => Claimed::Awaited,
            _ => Claimed::Thread,
        };
        let op = Op::Claim {
            key: handle.clone(),
            what,
            property: Property::new(Rule::Misuse, text),
        };
        self.emit_at(span, op);
    }

    /// Whether a thread with these attributes is detached from the beginning, where some are.
    fn detached_state(&mut self, attributes: &'a Ast) -> Lowered<Option<Expr>> {
        let value = self.value(attributes)?;
        let requested = self.names.is_called("pthread_attr_setdetachstate");
        if !requested || matches!(value.expr, Expr::Const { value: 0, .. }) {
            return Ok(None);
        }
        let (dst, order) = (self.temp(32), MemoryOrder::Plain);
        let addr = value.expr;
        let span = attributes.span;
        self.emit_at(span, Op::Load { dst, addr, order });
        Ok(Some(Expr::Local(dst)))
    }

    /// Runs the cleanup handlers of this thread, which our header has.
    fn run_handlers(&mut self, span: Span) {
        let callee = match self.names.functions().contains_key(RUN) {
            true => Callee::Proc(self.procedure(RUN, span)),
            false => return,
        };
        let (dst, args) = (None, Vec::new());
        self.emit_at(span, Op::Call { dst, callee, args });
    }

    /// Runs what belongs to the end of a thread, in a program that has such.
    fn run_destructors(&mut self, span: Span) {
        for proc in self.end_of_thread(span) {
            let (dst, callee, args) = (None, Callee::Proc(proc), Vec::new());
            self.emit_at(span, Op::Call { dst, callee, args });
        }
    }

    fn end_of_thread(&mut self, span: Span) -> Vec<ProcId> {
        let wanted = [
            (DESTROY, self.names.is_called(DESTRUCTOR)),
            (GIVE_BACK, self.has_robust_mutexes()),
        ];
        let wanted = wanted.into_iter().filter(|(_, wanted)| *wanted);
        let mut out = Vec::new();
        for (name, _) in wanted {
            if self.names.functions().contains_key(name) {
                out.push(self.procedure(name, span));
            }
        }
        out
    }

    /// A start routine behind which runs what belongs to the end of a thread, where there is such:
    /// destructors of thread-specific keys, and giving back robust mutexes.
    pub fn with_destructors(&mut self, callee: Callee, span: Span) -> Callee {
        let at_end = self.end_of_thread(span);
        if at_end.is_empty() {
            return callee;
        }
        let known = match callee {
            Callee::Proc(routine) => self.start_parameters(routine).map(|n| (routine, n)),
            Callee::Pointer(_) => None,
        };
        let Some((routine, parameters)) = known else {
            let reason = match self.names.is_called(DESTRUCTOR) {
                true => "destructors of thread-specific keys with a computed start routine",
                false => "robust mutexes with a computed start routine",
            };
            self.emit_at(span, Op::Unknown(reason.to_string()));
            return callee;
        };
        let pointer = self.pointer_width();
        let void = self.types.void_pointer();
        let name = format!("{} (thread)", self.program.procs[routine].name);
        let id = self.program.procs.next_id();
        let mut body = Body::new(&name, id, span, void);
        let arg = body.param("arg", pointer);
        let dst = self.program.procs[routine]
            .returns
            .map(|w| body.local("", w));
        body.emit(Op::Call {
            dst,
            callee: Callee::Proc(routine),
            args: vec![Expr::Local(arg); parameters],
        });
        for proc in at_end {
            let (dst, callee, args) = (None, Callee::Proc(proc), Vec::new());
            body.emit(Op::Call { dst, callee, args });
        }
        body.emit(Op::Return(dst.map(Expr::Local)));
        body.proc.returns = dst.map(|_| pointer);
        Callee::Proc(self.program.procs.push(body.finish()))
    }

    /// The same for a start routine that is known when the thread is created: it and its argument are handed over.
    fn computed_with_destructors(
        &mut self,
        routine: Expr,
        arg: Expr,
        span: Span,
    ) -> Lowered<(Callee, Expr)> {
        let at_end = self.end_of_thread(span);
        if at_end.is_empty() {
            return Ok((Callee::Pointer(routine), arg));
        }
        let pointer = self.pointer_width();
        let (word_type, void) = (self.types.size_t(), self.types.void_pointer());
        let pair = self.types.id(Type::Array(word_type, Some(2)));
        let held = self.argument_object("(new thread)", pair, true, span)?;
        let words = [(0, routine), (u64::from(pointer / 8), arg)];
        for (offset, value) in words.clone() {
            self.put(&held, offset, value, span);
        }
        let id = self.program.procs.next_id();
        let mut body = Body::new("(thread)", id, span, void);
        let own = body.param("arg", pointer);
        let [routine, arg] = words.map(|(offset, _)| {
            let dst = body.local("", pointer);
            let offset = Expr::constant(offset, pointer);
            body.emit(Op::Load {
                dst,
                addr: fold::binary(BinOp::Add, Expr::Local(own), offset, pointer),
                order: MemoryOrder::Plain,
            });
            Expr::Local(dst)
        });
        let result = body.local("", pointer);
        body.emit(Op::Call {
            dst: Some(result),
            callee: Callee::Pointer(routine),
            args: vec![arg],
        });
        for proc in at_end {
            let (dst, callee, args) = (None, Callee::Proc(proc), Vec::new());
            body.emit(Op::Call { dst, callee, args });
        }
        body.emit(Op::Return(Some(Expr::Local(result))));
        body.proc.returns = Some(pointer);
        Ok((Callee::Proc(self.program.procs.push(body.finish())), held))
    }

    /// Whether another function names the variable that an id is written to.
    fn is_known_elsewhere(&self, arg: &Ast) -> bool {
        let mut root = arg;
        loop {
            root = match &root.kind {
                ExprKind::Unary(_, e) | ExprKind::Cast(_, e) | ExprKind::Index(e, _) => e,
                ExprKind::Binary(_, e, _) | ExprKind::Member { base: e, .. } => e,
                _ => break,
            };
        }
        let ExprKind::Ident(name) = &root.kind else {
            return false;
        };
        if !matches!(self.names.scopes().find(name), Some(Entity::Variable(_))) {
            return false;
        }
        let here = self.body.proc.name.as_str();
        let others = self.names.functions().iter().filter(|(f, _)| *f != here);
        let mut bodies = others.filter_map(|(_, f)| f.definition);
        bodies.any(|f| mentioned(&f.body).contains(name))
    }

    /// A thread that begins when its creator writes to a gate: what it runs, what with, and the gate.
    fn held_back(
        &mut self,
        callee: Callee,
        arg: Expr,
        span: Span,
    ) -> Lowered<(Callee, Expr, Option<Expr>)> {
        let known = match callee {
            Callee::Proc(routine) => self.start_parameters(routine).map(|n| (routine, n)),
            Callee::Pointer(_) => None,
        };
        let Some((routine, parameters)) = known else {
            return Ok((callee, arg, None));
        };
        let pointer = self.pointer_width();
        let (word_type, void) = (self.types.size_t(), self.types.void_pointer());
        let pair = self.types.id(Type::Array(word_type, Some(2)));
        let held = self.argument_object("(new thread)", pair, true, span)?;
        self.put(&held, 0, arg, span);
        let behind = |held: Expr| {
            let size = Expr::constant(u64::from(pointer / 8), pointer);
            fold::binary(BinOp::Add, held, size, pointer)
        };
        let name = self.program.procs[routine].name.clone();
        let id = self.program.procs.next_id();
        let mut body = Body::new(&name, id, span, void);
        let own = Expr::Local(body.param("arg", pointer));
        let (open, value) = (body.local("", pointer), body.local("", pointer));
        body.emit(Op::Load {
            dst: open,
            addr: behind(own.clone()),
            order: MemoryOrder::Library(Role::Wait),
        });
        body.emit(Op::Fence(Fence::Posix));
        let one = Expr::constant(1, pointer);
        let opened = Expr::binary(BinOp::Eq, Expr::Local(open), one);
        body.emit(Op::Assume(opened));
        body.emit(Op::Load {
            dst: value,
            addr: own,
            order: MemoryOrder::Plain,
        });
        let dst = self.program.procs[routine]
            .returns
            .map(|w| body.local("", w));
        body.emit(Op::Call {
            dst,
            callee: Callee::Proc(routine),
            args: vec![Expr::Local(value); parameters],
        });
        body.emit(Op::Return(dst.map(Expr::Local)));
        body.proc.returns = dst.map(|_| pointer);
        let callee = Callee::Proc(self.program.procs.push(body.finish()));
        Ok((callee, held.clone(), Some(behind(held))))
    }

    /// How many parameters a start routine has: none, or one for a pointer.
    fn start_parameters(&self, routine: ProcId) -> Option<usize> {
        let mut functions = self.names.functions().values();
        let Some(function) = functions.find(|f| f.proc == Some(routine)) else {
            return Some(self.program.procs[routine].params.len()).filter(|n| *n <= 1);
        };
        let Type::Function(f) = self.types.get(function.ty) else {
            return None;
        };
        let pointer = self.types.pointer_width;
        let fits = f
            .params
            .iter()
            .all(|p| self.types.width(*p) == Some(pointer));
        let plain = f.params.len() <= 1 && fits && !Self::is_variadic(f);
        plain.then_some(f.params.len())
    }

    /// A thread's handle, in pointer width.
    fn handle(&mut self, call: &Call<'a>) -> Lowered<Expr> {
        let ty = self.types.size_t();
        self.operand(call, 0, ty)
    }
}
