//! C11's generic atomic functions, and GNU's `__atomic` and `__sync` builtins.
//!
//! A memory order is a value like any other and may be a parameter of a wrapper: where it is no
//! constant here, every order it may have is an access of its own ([`super::order`]). `__sync`
//! builtins are full barriers, `__sync_lock_test_and_set` an acquire and `__sync_lock_release` a
//! release, as gcc's manual says.

use super::order::{ACQUIRE, RELAXED, RequestedOrder, SEQ_CST, Use};
use super::{Call, Lowered, Lowering, Place, TypedValue, wrong};
use crate::base::source::Span;
use crate::front::c::ast::Expr as Ast;
use crate::front::c::types::{Type, TypeId};
use crate::ir::program::{BinOp, Expr, Fence, MemoryOrder, Op, RmwOp, Weak};
use crate::lower::c::{WeakCas, fold};

/// Whose conventions a name follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `atomic_*`, `__c11_atomic_*`: pointers count elements.
    C11,
    /// `__atomic_*`: pointers count bytes.
    Gnu,
    /// `__sync_*`: no order argument, pointers count bytes.
    Sync,
}

impl<'a> Lowering<'a> {
    pub(super) fn atomic_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let name = call.name;
        if let Some(rest) = name.strip_prefix("__sync_") {
            let sizes = ["_1", "_2", "_4", "_8"];
            let plain = sizes.iter().find_map(|s| rest.strip_suffix(s));
            return self.sync_builtin(plain.unwrap_or(rest), call);
        }
        if let Some(rest) = name
            .strip_prefix("__c11_atomic_")
            .or_else(|| name.strip_prefix("atomic_"))
        {
            return self.c11(rest.strip_suffix("_explicit").unwrap_or(rest), call);
        }
        match name.strip_prefix("__atomic_") {
            Some(rest) => self.gnu(rest, call),
            None => Ok(None),
        }
    }

    /// The object a builtin works on: its address and its type without `_Atomic`.
    fn object(&mut self, arg: &'a Ast) -> Lowered<(Expr, TypeId)> {
        let (addr, ty) = self.pointer_arg(arg)?;
        let plain = self.types.plain(ty);
        if self.types.is_record(plain) {
            self.carrier_width(plain, arg.span)?;
            if !self.is_atomic_record(ty) && !self.is_one_cell(plain) {
                let what = "an atomic access to a structure that is not declared `_Atomic`";
                return self.unsupported(arg.span, what);
            }
            return Ok((addr, plain));
        }
        self.scalar_width(plain, arg.span)?;
        Ok((addr, plain))
    }

    fn c11(&mut self, rest: &str, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        Ok(Some(match rest {
            "thread_fence" => self.thread_fence(call)?,
            "signal_fence" => self.void(),
            "init" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let value = self.value_for(call.arg(1)?, ty)?;
                let atomic = self.types.id(Type::Atomic(ty));
                self.store(addr, atomic, value, MemoryOrder::Plain, span)?;
                self.void()
            }
            "load" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let order = self.order(call, 1)?;
                self.ordered_load(addr, ty, &order, span)?
            }
            "store" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let value = self.value_for(call.arg(1)?, ty)?;
                let order = self.order(call, 2)?;
                let value = self.bits_of(value, span)?;
                self.ordered_store(addr, value, &order, span);
                self.void()
            }
            "exchange" => self.exchange(call)?,
            "compare_exchange_strong" | "compare_exchange_weak" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let place = self.result_place(call.arg(1)?)?;
                let desired = self.value_for(call.arg(2)?, ty)?;
                let weak = Expr::constant(u64::from(rest.ends_with("_weak")), 1);
                let orders = (self.order(call, 3)?, self.order(call, 4)?);
                self.compare_exchange((addr, ty), place, (desired, weak), orders, span)?
            }
            "flag_test_and_set" => self.test_and_set(call)?,
            "flag_clear" => self.clear(call)?,
            "is_lock_free" => self.int_value(1),
            _ => match rest.strip_prefix("fetch_").and_then(operator) {
                Some(op) => self.fetch(call, op, Style::C11, false)?,
                None => return Ok(None),
            },
        }))
    }

    fn gnu(&mut self, rest: &str, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        Ok(Some(match rest {
            "thread_fence" => self.thread_fence(call)?,
            "signal_fence" => self.void(),
            "load_n" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let order = self.order(call, 1)?;
                self.ordered_load(addr, ty, &order, span)?
            }
            "load" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let place = self.result_place(call.arg(1)?)?;
                let order = self.order(call, 2)?;
                let value = self.ordered_load(addr, ty, &order, span)?;
                self.deliver(place, value, span)?
            }
            "store_n" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let value = self.value_for(call.arg(1)?, ty)?;
                let order = self.order(call, 2)?;
                let value = self.bits_of(value, span)?;
                self.ordered_store(addr, value, &order, span);
                self.void()
            }
            "store" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let value = self.pointed_value(call.arg(1)?, ty)?;
                let order = self.order(call, 2)?;
                let value = self.bits_of(value, span)?;
                self.ordered_store(addr, value, &order, span);
                self.void()
            }
            "exchange_n" => self.exchange(call)?,
            "exchange" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let value = self.pointed_value(call.arg(1)?, ty)?;
                let place = self.result_place(call.arg(2)?)?;
                let order = self.order(call, 3)?;
                let old = self.exchanged(addr, value, &order, span)?;
                self.deliver(place, old, span)?
            }
            "compare_exchange_n" | "compare_exchange" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let place = self.result_place(call.arg(1)?)?;
                let desired = match rest {
                    "compare_exchange" => self.pointed_value(call.arg(2)?, ty)?,
                    _ => self.value_for(call.arg(2)?, ty)?,
                };
                let weak = self.value(call.arg(3)?)?;
                let weak = self.truth(weak, span)?;
                let weak = match weak {
                    Expr::Const { .. } => weak,
                    weak => self.body.assign(1, weak),
                };
                let orders = (self.order(call, 4)?, self.order(call, 5)?);
                self.compare_exchange((addr, ty), place, (desired, weak), orders, span)?
            }
            "test_and_set" => self.test_and_set(call)?,
            "clear" => self.clear(call)?,
            "always_lock_free" | "is_lock_free" => self.int_value(1),
            _ => {
                let fetch = rest
                    .strip_prefix("fetch_")
                    .and_then(operator)
                    .map(|op| (op, false));
                let fetch = fetch.or_else(|| {
                    rest.strip_suffix("_fetch")
                        .and_then(operator)
                        .map(|op| (op, true))
                });
                match fetch {
                    Some((op, new)) => self.fetch(call, op, Style::Gnu, new)?,
                    None => return Ok(None),
                }
            }
        }))
    }

    fn sync_builtin(&mut self, rest: &str, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        Ok(Some(match rest {
            "synchronize" => {
                self.emit_at(span, Op::Fence(Fence::C11(MemoryOrder::SeqCst)));
                self.void()
            }
            "lock_test_and_set" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let value = self.value_for(call.arg(1)?, ty)?;
                let order = RequestedOrder::Known(ACQUIRE);
                self.exchanged(addr, value, &order, span)?
            }
            "lock_release" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let zero = self.int_value(0);
                let zero = self.convert(zero, ty, span)?;
                self.store(addr, ty, zero, MemoryOrder::Release, span)?;
                self.void()
            }
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                let (addr, ty) = self.object(call.arg(0)?)?;
                let expected = self.value_for(call.arg(1)?, ty)?.expr;
                let desired = self.value_for(call.arg(2)?, ty)?.expr;
                let width = self.scalar_width(ty, span)?;
                let dst = self.temp(width);
                let (success, failure) = (MemoryOrder::SeqCst, MemoryOrder::SeqCst);
                self.emit_at(
                    span,
                    Op::Cas {
                        dst,
                        addr,
                        expected: expected.clone(),
                        desired,
                        success,
                        failure,
                        weak: None,
                    },
                );
                match rest {
                    "val_compare_and_swap" => TypedValue {
                        expr: Expr::Local(dst),
                        ty,
                    },
                    _ => self.int_of_truth(Expr::binary(BinOp::Eq, Expr::Local(dst), expected)),
                }
            }
            _ => {
                let fetch = rest
                    .strip_prefix("fetch_and_")
                    .and_then(operator)
                    .map(|op| (op, false));
                let fetch = fetch.or_else(|| {
                    rest.strip_suffix("_and_fetch")
                        .and_then(operator)
                        .map(|op| (op, true))
                });
                match fetch {
                    Some((op, new)) => self.fetch(call, op, Style::Sync, new)?,
                    None => return Ok(None),
                }
            }
        }))
    }

    fn thread_fence(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let order = self.order(call, 0)?;
        if !order.is(RELAXED) {
            let fence = |order| Op::Fence(Fence::C11(order));
            self.emit_ordered(call.span, Use::Fence, &order, &fence);
        }
        Ok(self.void())
    }

    fn exchange(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let value = self.value_for(call.arg(1)?, ty)?;
        let order = self.order(call, 2)?;
        self.exchanged(addr, value, &order, call.span)
    }

    /// Puts a value into an atomic object; the value is the old one.
    fn exchanged(
        &mut self,
        addr: Expr,
        value: TypedValue,
        order: &RequestedOrder,
        span: Span,
    ) -> Lowered<TypedValue> {
        let ty = self.types.plain(value.ty);
        let bits = self.bits_of(value, span)?;
        let carrier = self.carrier(ty).unwrap_or(ty);
        let old = self.rmw(addr, carrier, RmwOp::Exchange, bits, order, span)?;
        self.of_bits(old.expr, ty, span)
    }

    /// One read-modify-write; the value is the old one.
    fn rmw(
        &mut self,
        addr: Expr,
        ty: TypeId,
        op: RmwOp,
        operand: Expr,
        order: &RequestedOrder,
        span: Span,
    ) -> Lowered<TypedValue> {
        let width = self.scalar_width(ty, span)?;
        let dst = self.temp(width);
        let access = |order| Op::Rmw {
            dst,
            addr: addr.clone(),
            op,
            operand: operand.clone(),
            order,
        };
        self.emit_ordered(span, Use::Update, order, &access);
        Ok(TypedValue {
            expr: Expr::Local(dst),
            ty,
        })
    }

    /// `fetch_op` (old value) and `op_fetch` (`new` value).
    fn fetch(
        &mut self,
        call: &Call<'a, '_>,
        op: RmwOp,
        style: Style,
        new: bool,
    ) -> Lowered<TypedValue> {
        let span = call.span;
        let (addr, ty) = self.object(call.arg(0)?)?;
        if self.types.is_float(ty) {
            let message = format!("`{}` needs an integer", call.name);
            return wrong(call.arg(0)?.span, message);
        }
        let operand = self.value(call.arg(1)?)?;
        let width = self.scalar_width(ty, span)?;
        let operand = match self.types.pointee(ty) {
            Some(elem) if style == Style::C11 => self.scaled(operand, elem, span)?,
            Some(_) => {
                let word = self.types.ptrdiff_t();
                self.convert(operand, word, span)?.expr
            }
            None => self.convert(operand, ty, span)?.expr,
        };
        let operand = self.bind(operand);
        let order = match style {
            Style::Sync => RequestedOrder::Known(SEQ_CST),
            _ => self.order(call, 2)?,
        };
        let old = self.rmw(addr, ty, op, operand.clone(), &order, span)?;
        if !new {
            return Ok(old);
        }
        let simple = |op| fold::binary(op, old.expr.clone(), operand.clone(), width);
        let expr = match op {
            RmwOp::Exchange => operand,
            RmwOp::Add => simple(BinOp::Add),
            RmwOp::Sub => simple(BinOp::Sub),
            RmwOp::And => simple(BinOp::And),
            RmwOp::Or => simple(BinOp::Or),
            RmwOp::Xor => simple(BinOp::Xor),
            RmwOp::Nand => fold::unary(crate::ir::program::UnOp::Not, simple(BinOp::And), width),
        };
        Ok(TypedValue { expr, ty })
    }

    /// On failure the old value goes to where the expected one was. It is a `weak` one when that
    /// holds.
    fn compare_exchange(
        &mut self,
        (addr, ty): (Expr, TypeId),
        place: Option<Place>,
        (desired, weak): (TypedValue, Expr),
        (success, failure): (RequestedOrder, RequestedOrder),
        span: Span,
    ) -> Lowered<TypedValue> {
        let Some(place) = place else {
            return self.unsupported(span, "a null pointer as the expected value");
        };
        let carrier = self.carrier(ty).unwrap_or(ty);
        let width = self.scalar_width(carrier, span)?;
        let place = match place {
            Place::Memory(at, ty, within) => {
                Place::Memory(self.bind(at), self.types.plain(ty), within)
            }
            register => register,
        };
        let expected = self.read(place.clone(), span)?;
        let expected = self.convert(expected, ty, span)?;
        let expected = self.bits_of(expected, span)?;
        let desired = self.bits_of(desired, span)?;
        let dst = self.temp(width);
        // The comparison is with the expected value as it was, whatever becomes of its place.
        let expected = match expected {
            Expr::Local(l) if matches!(place, Place::Register(..)) => {
                self.body.assign(width, Expr::Local(l))
            }
            other => self.bind(other),
        };
        let weak = match weak {
            Expr::Const { value: 0, .. } => None,
            when => Some(Weak {
                done: self.temp(1),
                when,
                machine: self.options.weak_cas == WeakCas::Machine,
            }),
        };
        let access = |success, failure| Op::Cas {
            dst,
            addr: addr.clone(),
            expected: expected.clone(),
            desired: desired.clone(),
            success,
            failure,
            weak: weak.clone(),
        };
        self.emit_compare_exchange(span, &success, &failure, &access);
        let good = match &weak {
            Some(weak) => Expr::Local(weak.done),
            None => Expr::binary(BinOp::Eq, Expr::Local(dst), expected),
        };
        let target = Self::place_type(&place);
        match place {
            // On success the old value is the expected one: writing it changes nothing. Likewise when
            // a weak one fails for no reason.
            Place::Register(..) => {
                let old = self.of_bits(Expr::Local(dst), ty, span)?;
                let old = self.convert(old, target, span)?;
                self.write(place, old, span)?;
            }
            Place::Memory(..) | Place::Bits(..) => {
                let end = self.body.label();
                self.body.jump(Some(good.clone()), end);
                let old = self.of_bits(Expr::Local(dst), ty, span)?;
                let old = self.convert(old, target, span)?;
                self.write(place, old, span)?;
                self.body.place(end);
            }
        }
        let bool_type = self.types.id(Type::Bool);
        Ok(TypedValue {
            expr: fold::resize(good, 1, 8, false),
            ty: bool_type,
        })
    }

    /// `*arg` converted to the type of the atomic object.
    fn pointed_value(&mut self, arg: &'a Ast, ty: TypeId) -> Lowered<TypedValue> {
        match self.result_place(arg)? {
            Some(place) => {
                let value = self.read(place, arg.span)?;
                self.convert(value, ty, arg.span)
            }
            None => self.unsupported(arg.span, "a null pointer as an operand"),
        }
    }

    /// Writes a result where an argument points.
    pub(super) fn deliver(
        &mut self,
        place: Option<Place>,
        value: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        if let Some(place) = place {
            let ty = Self::place_type(&place);
            let value = self.convert(value, ty, span)?;
            self.write(place, value, span)?;
        }
        Ok(self.void())
    }

    fn test_and_set(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let order = self.order(call, 1)?;
        let bool_type = self.types.id(Type::Bool);
        let one = Expr::constant(1, 8);
        self.rmw(addr, bool_type, RmwOp::Exchange, one, &order, call.span)
    }

    fn clear(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let order = self.order(call, 1)?;
        self.ordered_store(addr, Expr::constant(0, 8), &order, call.span);
        Ok(self.void())
    }
}

fn operator(name: &str) -> Option<RmwOp> {
    match name {
        "add" => Some(RmwOp::Add),
        "sub" => Some(RmwOp::Sub),
        "and" => Some(RmwOp::And),
        "or" => Some(RmwOp::Or),
        "xor" => Some(RmwOp::Xor),
        "nand" => Some(RmwOp::Nand),
        _ => None,
    }
}
