//! Assertions, assumptions, arbitrary values, atomic sections and the end of the process, as
//! `<assert.h>`, SV-COMP, CBMC and ESBMC spell them.

use super::{Call, ERROR_FUNCTIONS, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::front::c::ast::{Expr as Ast, ExprKind, IntKind};
use crate::front::c::types::{Type, TypeId};
use crate::ir::program::{Atomicity, BinOp, Expr, Fence, MemoryOrder, Op, Property, Rule};

impl<'a> Lowering<'a> {
    pub(super) fn verifier_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        match call.name {
            name if self.options.errors.calls.iter().any(|c| c == name) => {
                self.discard_all(call.args)?;
                self.failure(Rule::Call, format!("{name}()"), span);
            }
            "__wmbmc_assert" => {
                let text = string_arg(call.args.get(1));
                let rule = self.options.errors.assertions.then_some(Rule::Assertion);
                self.assertion(call.arg(0)?, rule, text, span)?;
            }
            "assert" | "__VERIFIER_assert" | "__ESBMC_assert" | "__CPROVER_assert" => {
                let condition = call.arg(0)?;
                let text = Some(self.sources.snippet(condition.span).to_string());
                let errors = &self.options.errors;
                let rule = match call.name {
                    _ if errors.assertions => Some(Rule::Assertion),
                    // It stands for a call of the error function.
                    "__VERIFIER_assert" if !errors.calls.is_empty() => Some(Rule::Call),
                    _ => None,
                };
                self.assertion(condition, rule, text, span)?;
            }
            "__assert_fail" | "__assert_rtn" | "__assert" | "__assert_c99" => {
                if self.options.errors.assertions {
                    let text = call.args.iter().find_map(|a| string_arg(Some(a)));
                    let text = text.unwrap_or_else(|| "assert".to_string());
                    self.failure(Rule::Assertion, text, span);
                } else {
                    self.emit_at(span, Op::Halt);
                }
            }
            name if ERROR_FUNCTIONS.contains(&name) => self.emit_at(span, Op::Halt),
            "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" | "__builtin_assume" => {
                let condition = call.arg(0)?;
                let value = self.value(condition)?;
                let truth = self.truth(value, condition.span)?;
                self.emit_at(span, Op::Assume(truth));
            }
            "exit" => {
                self.use_all(call.args)?;
                self.run_at_exit(span);
                self.emit_at(span, Op::Halt);
            }
            "_exit" | "_Exit" | "quick_exit" => {
                self.use_all(call.args)?;
                self.emit_at(span, Op::Halt);
            }
            "abort" | "__builtin_unreachable" | "__builtin_trap" | "__builtin_abort" => {
                self.discard_all(call.args)?;
                self.emit_at(span, Op::Halt);
            }
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" | "__ESBMC_atomic_begin" => {
                self.emit_at(span, Op::AtomicBegin(Atomicity::Section));
            }
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" | "__ESBMC_atomic_end" => {
                self.emit_at(span, Op::AtomicEnd);
            }
            "__CPROVER_fence" => self.cprover_fence(call)?,
            "__VERIFIER_loop_begin"
            | "__VERIFIER_loop_bound"
            | "__VERIFIER_spin_start"
            | "__VERIFIER_spin_end"
            | "__VERIFIER_annotate_begin"
            | "__VERIFIER_annotate_end"
            | "__ESBMC_yield"
            | "__VERIFIER_yield" => self.discard_all(call.args)?,
            // Whether an optional block is looked at, behind which the execution is given up.
            "__VERIFIER_opt_begin" => return self.nondet("__VERIFIER_nondet_bool", call),
            "__VERIFIER_load_await_aint" | "__VERIFIER_xchg_await_aint" => {
                return self.await_value(call).map(Some);
            }
            name => return self.nondet(name, call),
        }
        Ok(Some(self.void()))
    }

    /// Nidhugg's atomic accesses that wait until a comparison of the old value holds. The bits of
    /// the condition say for which outcomes: less, equal, greater; the fourth says unsigned.
    fn await_value(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let int = self.types.int();
        let exchange = call.name.contains("xchg");
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let mut next = 1;
        let mut argument = |this: &mut Self| {
            next += 1;
            this.value_for(call.arg(next - 1)?, int)
        };
        let new = if exchange {
            Some(argument(self)?.expr)
        } else {
            None
        };
        let Expr::Const { value: bits, .. } = argument(self)?.expr else {
            return self.unsupported(span, "a computed condition to wait for");
        };
        let operand = argument(self)?.expr;
        let order = if exchange {
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
    fn nondet(&mut self, name: &str, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let suffix = name
            .strip_prefix("__VERIFIER_nondet_")
            .or_else(|| name.strip_prefix("__SMACK_nondet_"))
            .or_else(|| name.strip_prefix("nondet_"))
            .or_else(|| (name == "__SMACK_nondet").then_some("int"));
        let Some(suffix) = suffix.filter(|s| *s != "memory") else {
            return Ok(None);
        };
        self.discard_all(call.args)?;
        let declared = self
            .functions
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
    fn cprover_fence(&mut self, call: &Call<'a, '_>) -> Lowered<()> {
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
