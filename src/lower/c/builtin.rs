//! Functions that are known without a body, by family.

mod asm;
mod atomic;
mod bits;
mod bytes;
mod call;
mod codes;
mod condition;
mod errno;
mod format;
mod initialised;
mod kernel;
mod library;
mod llvm;
mod mapping;
mod math;
mod memory;
mod mutex;
mod numbers;
mod objects;
mod order;
mod printing;
pub mod registry;
mod row;
mod rows;
mod rwlock;
mod signs;
mod sync;
mod system;
mod thread;
mod timed;
mod verifier;

use super::{Lowered, Lowering, Place, TypedValue, wrong};
use crate::front::c::ast::{Expr as Ast, ExprKind, UnaryOp};
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use call::Call;
use ir::program::{Expr, Global, GlobalId, Layout, LocalId, Op, PropertyKind, Rule, Width};
use row::{Effect, Errno, Returns, Row};
pub(crate) use signs::compares_with_zero;

/// Functions that mean the same even when the program gives them a body.
const ALWAYS: [&str; 3] = [
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__assert_fail",
];

impl<'a> Lowering<'a> {
    /// Lowers the call of a known function; `None` when the function is not known, or has a body
    /// (`defined`) that says what it does.
    pub fn builtin(
        &mut self,
        name: &'a str,
        args: &'a [Ast],
        span: Span,
        hint: Option<TypeId>,
        defined: bool,
    ) -> Lowered<Option<TypedValue>> {
        let sign_alone = std::mem::take(&mut self.sign_alone);
        if self.options.errors.calls.iter().any(|c| c == name) {
            self.discard_all(args)?;
            self.failure(Rule::Call, format!("{name}()"), span);
            return Ok(Some(self.void()));
        }
        if defined && !ALWAYS.contains(&name) {
            return Ok(None);
        }
        let call = Call {
            name,
            args,
            span,
            hint,
        };
        let found = registry::find(name);
        let value = match found {
            Some((_, row)) => self.apply(row, &call)?.map(|value| (value, row.returns)),
            None => None,
        };
        let Some((value, returns)) = value else {
            let known =
                !name.starts_with("__builtin_") || self.names.functions().contains_key(name);
            return match known {
                true => Ok(None),
                false => self.unsupported(span, &format!("the builtin `{name}`")),
            };
        };
        Ok(Some(match returns {
            Returns::Sign | Returns::Truth if !sign_alone => self.any_like(returns, value, span),
            _ => value,
        }))
    }

    /// Whether the library has a function of this name.
    pub(super) fn is_of_library(&self, name: &str) -> bool {
        let in_c = format!("{PREFIX}{name}");
        registry::is_known(name) || self.names.functions().contains_key(&in_c)
    }

    /// Does what the row of a function says.
    fn apply(&mut self, row: &Row, call: &Call<'a>) -> Lowered<Option<TypedValue>> {
        let value = match row.effect {
            Effect::Gives(value) => Some(value(self, call)?),
            Effect::Perhaps(value) => value(self, call)?,
            Effect::Does(action) => {
                action(self, call)?;
                Some(self.result_of(row.returns, call)?)
            }
        };
        if value.is_some() && row.errno == Errno::May {
            self.may_set_errno(call.span)?;
        }
        Ok(value)
    }

    /// The result of a function of which its row says all.
    fn result_of(&mut self, returns: Returns, call: &Call<'a>) -> Lowered<TypedValue> {
        match returns {
            Returns::Nothing | Returns::Never => Ok(self.void()),
            Returns::Any | Returns::Failure | Returns::From(_) | Returns::Within(..) => {
                let declared = self.names.function(call.name).map(|f| f.ty);
                let ty = match declared.map(|ty| self.types.get(ty)) {
                    Some(Type::Function(f)) => f.ret,
                    _ => self.types.int(),
                };
                self.number(returns, ty, call.span)
            }
            _ => Ok(self.zero()),
        }
    }

    /// What is asked of the function is not supported, and looked at only where it is reached.
    fn not_understood(&mut self, call: &Call<'a>, reason: &str) -> Lowered<()> {
        self.emit_at(call.span, Op::Unknown(reason.to_string()));
        Ok(())
    }

    /// Behind this the condition holds, or the execution is not understood.
    fn unknown_unless(&mut self, cond: Expr, reason: &str) {
        let next = self.body.label();
        self.body.jump(Some(cond), next);
        self.emit(Op::Unknown(reason.to_string()));
        self.body.place(next);
    }

    /// The value of an argument, in a type.
    fn operand(&mut self, call: &Call<'a>, index: usize, ty: TypeId) -> Lowered<Expr> {
        let value = self.value_for(call.arg(index)?, ty)?.expr;
        Ok(self.bind(value))
    }

    /// An `int`.
    fn int_of(&mut self, expr: Expr) -> TypedValue {
        let ty = self.types.int();
        TypedValue { expr, ty }
    }

    /// The `int` 0, which most library functions return.
    fn zero(&mut self) -> TypedValue {
        self.int_value(0)
    }

    /// Emits an instruction at the place of a call.
    pub(super) fn emit_at(&mut self, span: Span, op: Op) {
        self.body.span = span;
        self.emit(op);
    }

    /// The value of an argument that has to be a pointer, and what it points to.
    fn pointer_arg(&mut self, arg: &'a Ast) -> Lowered<(Expr, TypeId)> {
        let value = self.value(arg)?;
        let shown = self.types.show(value.ty);
        let none = || Diag::error(arg.span, format!("a pointer is needed here, not `{shown}`"));
        let to = self.types.pointee(value.ty).ok_or_else(none)?;
        Ok((self.bind(value.expr), to))
    }

    /// Where a function writes a result: `&x` stands for `x`, which may be a register; `None` for
    /// a null pointer.
    fn result_place(&mut self, arg: &'a Ast) -> Lowered<Option<Place>> {
        let mut inner = arg;
        while let ExprKind::Cast(_, e) = &inner.kind {
            inner = e;
        }
        if let ExprKind::Unary(UnaryOp::Address, e) = &inner.kind {
            return self.place(e).map(Some);
        }
        // The outermost type counts, unless it is that of a pointer to anything.
        let ty = self.type_of(arg)?;
        let to = self.types.pointee(ty).map(|to| self.types.get(to));
        let typed = match to {
            None | Some(Type::Void) => inner,
            Some(_) => arg,
        };
        let pointer = self.value(typed)?;
        if matches!(pointer.expr, Expr::Const { value: 0, .. }) {
            return Ok(None);
        }
        self.target(pointer, arg.span).map(Some)
    }

    /// Writes a value of pointer width where a function writes its result.
    fn write_result(&mut self, place: Place, expr: Expr, span: Span) -> Lowered<()> {
        let ty = Self::place_type(&place);
        let word = self.types.size_t();
        let value = self.convert(TypedValue { expr, ty: word }, ty, span)?;
        let ty = self.types.plain(ty);
        let place = match place {
            Place::Memory(addr, _, within) => Place::Memory(addr, ty, within),
            register => register,
        };
        self.write(place, value, span).map(|_| ())
    }

    /// A register for a temporary.
    pub(super) fn temp(&mut self, width: Width) -> LocalId {
        self.body.local("", width)
    }

    /// Evaluates arguments for their effects.
    fn discard_all(&mut self, args: &'a [Ast]) -> Lowered<()> {
        args.iter().try_for_each(|arg| self.discard(arg))
    }

    /// Arguments whose values leave the program: they must be determined.
    fn use_all(&mut self, args: &'a [Ast]) -> Lowered<()> {
        for arg in args {
            let ty = self.type_of(arg)?;
            if self.types.width(ty).is_none() {
                self.discard(arg)?;
                continue;
            }
            let value = self.value(arg)?;
            self.use_value(value.expr, arg.span);
        }
        Ok(())
    }

    /// A value that must be determined.
    pub(super) fn use_value(&mut self, value: Expr, span: Span) {
        let constant = matches!(value, Expr::Const { .. } | Expr::Global(_));
        if !constant && self.is_checked(PropertyKind::Uninitialised) {
            self.emit_at(span, Op::Use(value));
        }
    }

    /// An object of the library's own.
    fn hidden_global(
        &mut self,
        name: &'static str,
        width: Width,
        count: u64,
        thread_local: bool,
    ) -> GlobalId {
        if let Some(global) = self.made.library_object(name) {
            return global;
        }
        let elem = self.program.layouts.push(Layout::Scalar { width });
        let layout = self.program.layouts.push(Layout::Array { elem, count });
        let span = self.body.proc.span;
        let global = Global {
            name: name.to_string(),
            span,
            layout,
            init: Vec::new(),
            thread_local,
        };
        let global = self.program.globals.push(global);
        self.made.keep_library_object(name, global);
        global
    }
}
