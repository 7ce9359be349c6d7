//! Assertions, assumptions, arbitrary values, atomic sections and the end of the process, as
//! `<assert.h>`, SV-COMP, CBMC and ESBMC spell them.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{Expr as Ast, ExprKind, IntKind};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, Fence, MemoryOrder, Op, Property, Rule};

impl<'a> Lowering<'a> {
    /// Our own `assert`, which gives its text.
    pub(super) fn assert_with_text(&mut self, call: &Call<'a>) -> Lowered<()> {
        let rule = self.options.errors.assertions.then_some(Rule::Assertion);
        let text = string_arg(call.args.get(1));
        self.assertion(call.arg(0)?, rule, text, call.span)
    }

    /// An assertion; where assertions are not looked at it may stand for a call of the error function.
    pub(super) fn assert_condition(
        &mut self,
        call: &Call<'a>,
        else_rule: Option<Rule>,
    ) -> Lowered<()> {
        let condition = call.arg(0)?;
        let text = Some(self.diagnostics.snippet(condition.span).to_string());
        let errors = &self.options.errors;
        let rule = match errors.assertions {
            true => Some(Rule::Assertion),
            false => else_rule.filter(|_| !errors.calls.is_empty()),
        };
        self.assertion(condition, rule, text, call.span)
    }

    /// What `assert` calls when its condition is false.
    pub(super) fn fail_assertion(&mut self, call: &Call<'a>) -> Lowered<()> {
        if self.options.errors.assertions {
            let text = call.args.iter().find_map(|a| string_arg(Some(a)));
            let text = text.unwrap_or_else(|| "assert".to_string());
            self.failure(Rule::Assertion, text, call.span);
        } else {
            self.emit_at(call.span, Op::Halt);
        }
        Ok(())
    }

    pub(super) fn assume_condition(&mut self, call: &Call<'a>) -> Lowered<()> {
        let condition = call.arg(0)?;
        let value = self.value(condition)?;
        let truth = self.truth(value, condition.span)?;
        self.perform(call, Op::Assume(truth))
    }

    pub(super) fn exit(&mut self, call: &Call<'a>) -> Lowered<()> {
        self.use_all(call.args)?;
        self.run_at_exit(call.span);
        self.perform(call, Op::Halt)
    }

    /// The end of the process, without what was registered for it.
    pub(super) fn exit_at_once(&mut self, call: &Call<'a>) -> Lowered<()> {
        self.use_all(call.args)?;
        self.perform(call, Op::Halt)
    }

    pub(super) fn abort(&mut self, call: &Call<'a>) -> Lowered<()> {
        self.discard_all(call.args)?;
        self.perform(call, Op::Halt)
    }

    /// A call that is one instruction.
    pub(super) fn perform(&mut self, call: &Call<'a>, op: Op) -> Lowered<()> {
        self.emit_at(call.span, op);
        Ok(())
    }

    /// Nidhugg's atomic accesses that wait until a comparison of the old value holds. The bits of
    /// the condition say for which outcomes: less, equal, greater; the fourth says unsigned.
    /// It begins at the argument `at`; ahead of it is what is written, if something is.
    pub(super) fn await_value(
        &mut self,
        call: &Call<'a>,
        new: Option<&'a Ast>,
        at: usize,
    ) -> Lowered<TypedValue> {
        let span = call.span;
        let int = self.types.int();
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let new = match new {
            Some(new) => Some(self.value_for(new, int)?.expr),
            None => None,
        };
        let Expr::Const { value: bits, .. } = self.value_for(call.arg(at)?, int)?.expr else {
            return self.unsupported(span, "a computed condition to wait for");
        };
        let operand = self.value_for(call.arg(at + 1)?, int)?.expr;
        let order = if new.is_some() {
            MemoryOrder::Relaxed
        } else {
            MemoryOrder::SeqCst
        };
        let old = self.load(addr.clone(), int, order, span)?;
        let less = if bits & 8 == 0 {
            BinOp::Slt
        } else {
            BinOp::Ult
        };
        let outcomes = [
            Expr::binary(less, old.expr.clone(), operand.clone()),
            Expr::binary(BinOp::Eq, old.expr.clone(), operand.clone()),
            Expr::binary(less, operand, old.expr.clone()),
        ];
        let wanted = outcomes.into_iter().enumerate();
        let wanted = wanted.filter(|(i, _)| bits >> i & 1 == 1).map(|(_, e)| e);
        let cond = wanted.reduce(|a, b| Expr::binary(BinOp::Or, a, b));
        self.assume(cond.unwrap_or(Expr::constant(0, 1)));
        if let Some(new) = new {
            let dst = self.temp(32);
            self.emit(Op::Cas {
                dst,
                addr,
                expected: old.expr.clone(),
                desired: new,
                success: MemoryOrder::SeqCst,
                failure: MemoryOrder::SeqCst,
                weak: None,
            });
            self.assume(Expr::binary(BinOp::Eq, Expr::Local(dst), old.expr.clone()));
        }
        Ok(old)
    }

    /// Where the condition does not hold, a rule is violated, or the process ends.
    fn assertion(
        &mut self,
        condition: &'a Ast,
        rule: Option<Rule>,
        text: Option<String>,
        span: Span,
    ) -> Lowered<()> {
        let value = self.value(condition)?;
        let cond = self.truth(value, condition.span)?;
        let Some(rule) = rule else {
            self.body.span = span;
            let holds = self.body.label();
            self.body.jump(Some(cond), holds);
            self.emit(Op::Halt);
            self.body.place(holds);
            return Ok(());
        };
        let text = text.unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let property = Property::new(rule, text);
        self.emit_at(span, Op::Assert { cond, property });
        Ok(())
    }

    /// A place that must not be reached; the process ends there.
    pub(in crate::lower::c) fn failure(&mut self, rule: Rule, text: String, span: Span) {
        let property = Property::new(rule, text);
        let cond = Expr::constant(0, 1);
        self.emit_at(span, Op::Assert { cond, property });
        self.emit(Op::Halt);
    }

    /// `__VERIFIER_nondet_int` and its kin: any value of the type that the prototype or the name
    /// says.
    pub(super) fn nondet(&mut self, name: &str, call: &Call<'a>) -> Lowered<Option<TypedValue>> {
        let suffix = name
            .strip_prefix("__VERIFIER_nondet_")
            .or_else(|| name.strip_prefix("__SMACK_nondet_"))
            .or_else(|| name.strip_prefix("nondet_"))
            .or_else(|| (name == "__SMACK_nondet").then_some("int"));
        let Some(suffix) = suffix else {
            return Ok(None);
        };
        self.discard_all(call.args)?;
        let declared = self
            .names
            .functions()
            .get(name)
            .and_then(|f| match self.types.get(f.ty) {
                Type::Function(f) => Some(f.ret),
                _ => None,
            });
        let ty = match declared.or_else(|| self.suffix_type(suffix)) {
            Some(ty) => ty,
            None => return self.unsupported(call.span, &format!("`{name}`")),
        };
        if self.types.width(ty).is_none() && !self.types.is_record(ty) {
            return self.unsupported(
                call.span,
                &format!("an arbitrary value of type `{}`", self.types.show(ty)),
            );
        }
        self.any_value(ty, call.span).map(Some)
    }

    fn suffix_type(&mut self, suffix: &str) -> Option<TypeId> {
        use IntKind::*;
        let kind = match suffix {
            "bool" | "_Bool" => return Some(self.types.id(Type::Bool)),
            "float" => return Some(self.types.id(Type::Float(4))),
            "double" => return Some(self.types.id(Type::Float(8))),
            "pointer" | "pchar" | "charp" | "const_char_pointer" => {
                return Some(self.types.void_pointer());
            }
            "char" | "int8" | "s8" | "S8" => Char,
            "uchar" | "unsigned_char" | "u8" | "uint8" => UChar,
            "short" | "int16" | "s16" => Short,
            "ushort" | "unsigned_short" | "u16" | "uint16" => UShort,
            "int" | "int32" | "s32" => Int,
            "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32" => UInt,
            "long" => Long,
            "ulong" | "unsigned_long" | "size_t" | "sector_t" | "pthread_t" => ULong,
            "longlong" | "long_long" | "loff_t" | "int64" | "s64" => LongLong,
            "ulonglong" | "unsigned_long_long" | "u64" | "uint64" => ULongLong,
            _ => return None,
        };
        Some(self.types.id(Type::Int(kind)))
    }

    /// `__CPROVER_fence("WWfence", "RRcumul", …)`: which pairs of accesses are ordered.
    pub(super) fn cprover_fence(&mut self, call: &Call<'a>) -> Lowered<()> {
        let mut flags = [false; 4];
        for arg in call.args {
            let text = string_arg(Some(arg)).unwrap_or_default();
            let pairs = ["RR", "RW", "WR", "WW"];
            let suffix = ["fence", "cumul"].iter().find_map(|s| text.strip_suffix(s));
            let Some(i) = suffix.and_then(|p| pairs.iter().position(|q| *q == p)) else {
                return self.unsupported(arg.span, &format!("the fence `{text}`"));
            };
            flags[i] = true;
        }
        let [load_load, load_store, store_load, store_store] = flags;
        self.emit_at(
            call.span,
            Op::Fence(Fence::Membar {
                load_load,
                load_store,
                store_load,
                store_store,
            }),
        );
        Ok(())
    }
}

/// The text of a string argument.
fn string_arg(arg: Option<&Ast>) -> Option<String> {
    match &arg?.kind {
        ExprKind::Str(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ExprKind::Cast(_, inner) => string_arg(Some(inner)),
        _ => None,
    }
}
