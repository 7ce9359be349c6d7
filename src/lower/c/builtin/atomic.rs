//! C11's generic atomic functions, and GNU's `__atomic` and `__sync` builtins.
//!
//! A memory order is a value like any other and may be a parameter of a wrapper: where it is no
//! constant here, every order it may have is an access of its own ([`super::order`]). `__sync`
//! builtins are full barriers, `__sync_lock_test_and_set` an acquire and `__sync_lock_release` a
//! release, as gcc's manual says.

use super::order::{ACQUIRE, RELAXED, RequestedOrder, SEQ_CST, Use};
use super::{Call, Lowered, Lowering, Place, TypedValue, wrong};
use crate::front::c::ast::Expr as Ast;
use crate::front::c::types::{Type, TypeId};
use crate::lower::c::atomic_record::Bits;
use crate::lower::c::{WeakCas, fold};
use base::source::Span;
use ir::program::{BinOp, Expr, Fence, MemoryOrder, Op, RmwOp, Weak};

/// Whose conventions a name follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `atomic_*`, `__c11_atomic_*`: pointers count elements.
    C11,
    /// `__atomic_*`: pointers count bytes.
    Gnu,
    /// `__sync_*`: no order argument, pointers count bytes.
    Sync,
}

/// Which value a read-modify-write returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fetched {
    Old,
    New,
}

/// How an operand is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// By its value: `__atomic_…_n`.
    Value,
    /// By its address.
    Address,
}

impl<'a> Lowering<'a> {
    /// The object a builtin works on: its address and its type without `_Atomic`.
    fn object(&mut self, arg: &'a Ast) -> Lowered<(Expr, TypeId)> {
        let (addr, ty) = self.pointer_arg(arg)?;
        let plain = self.types.plain(ty);
        if self.types.is_record(plain) {
            self.carrier_widths(plain, arg.span)?;
            if !self.is_atomic_record(ty) && !self.has_words(plain) {
                let what = "an atomic access to a structure that is not declared `_Atomic` and has padding";
                return self.unsupported(arg.span, what);
            }
            return Ok((addr, plain));
        }
        self.scalar_width(plain, arg.span)?;
        Ok((addr, plain))
    }

    pub(super) fn atomic_init(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let value = self.value_for(call.arg(1)?, ty)?;
        let atomic = self.types.id(Type::Atomic(ty));
        self.store(addr, atomic, value, MemoryOrder::Plain, call.span)
    }

    pub(super) fn atomic_load(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let order = self.order(call, 1)?;
        self.ordered_load(addr, ty, &order, call.span)
    }

    pub(super) fn atomic_load_into(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let place = self.result_place(call.arg(1)?)?;
        let order = self.order(call, 2)?;
        let value = self.ordered_load(addr, ty, &order, call.span)?;
        self.deliver(place, value, call.span)
    }

    pub(super) fn atomic_store(&mut self, call: &Call<'a>, given: Given) -> Lowered<()> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let value = self.given_value(call.arg(1)?, ty, given)?;
        let order = self.order(call, 2)?;
        let value = self.bits_of(value, call.span)?;
        self.ordered_store(addr, value, &order, call.span);
        Ok(())
    }

    pub(super) fn atomic_exchange(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let value = self.value_for(call.arg(1)?, ty)?;
        let order = self.order(call, 2)?;
        self.exchanged(addr, value, &order, call.span)
    }

    pub(super) fn atomic_exchange_into(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let value = self.given_value(call.arg(1)?, ty, Given::Address)?;
        let place = self.result_place(call.arg(2)?)?;
        let order = self.order(call, 3)?;
        let old = self.exchanged(addr, value, &order, call.span)?;
        self.deliver(place, old, call.span)
    }

    /// C11's; `weak` is 1 for the one that may fail for no reason.
    pub(super) fn c11_compare_exchange(
        &mut self,
        call: &Call<'a>,
        weak: u64,
    ) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let place = self.result_place(call.arg(1)?)?;
        let desired = self.value_for(call.arg(2)?, ty)?;
        let weak = Expr::constant(weak, 1);
        let orders = (self.order(call, 3)?, self.order(call, 4)?);
        self.compare_exchange((addr, ty), place, (desired, weak), orders, call.span)
    }

    pub(super) fn gnu_compare_exchange(
        &mut self,
        call: &Call<'a>,
        given: Given,
    ) -> Lowered<TypedValue> {
        let span = call.span;
        let (addr, ty) = self.object(call.arg(0)?)?;
        let place = self.result_place(call.arg(1)?)?;
        let desired = self.given_value(call.arg(2)?, ty, given)?;
        let weak = self.value(call.arg(3)?)?;
        let weak = match self.truth(weak, span)? {
            weak @ Expr::Const { .. } => weak,
            weak => self.body.assign(1, weak),
        };
        let orders = (self.order(call, 4)?, self.order(call, 5)?);
        self.compare_exchange((addr, ty), place, (desired, weak), orders, span)
    }

    pub(super) fn sync_lock(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let value = self.value_for(call.arg(1)?, ty)?;
        let order = RequestedOrder::Known(ACQUIRE);
        self.exchanged(addr, value, &order, call.span)
    }

    pub(super) fn sync_release(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let zero = self.int_value(0);
        let zero = self.convert(zero, ty, call.span)?;
        let zero = self.bits_of(zero, call.span)?;
        self.emit_at(call.span, zero.store(addr, MemoryOrder::Release));
        Ok(())
    }

    /// The old value, and whether it was the expected one.
    fn sync_swap(&mut self, call: &Call<'a>) -> Lowered<(TypedValue, Expr)> {
        let (addr, ty) = self.object(call.arg(0)?)?;
        let expected = self.value_for(call.arg(1)?, ty)?;
        let expected = self.bits_of(expected, call.span)?;
        let desired = self.value_for(call.arg(2)?, ty)?;
        let desired = self.bits_of(desired, call.span)?;
        let dst = self.bits_target(ty, call.span)?;
        let orders = (MemoryOrder::SeqCst, MemoryOrder::SeqCst);
        let swap = dst.compare_exchange(addr, (expected.clone(), desired), orders, None);
        self.emit_at(call.span, swap);
        let same = dst.bits().equal(&expected);
        Ok((self.of_bits(dst.bits(), ty, call.span)?, same))
    }

    pub(super) fn sync_swap_value(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        Ok(self.sync_swap(call)?.0)
    }

    pub(super) fn sync_swap_success(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (_, same) = self.sync_swap(call)?;
        Ok(self.int_of_truth(same))
    }

    pub(super) fn thread_fence(&mut self, call: &Call<'a>) -> Lowered<()> {
        let order = self.order(call, 0)?;
        if !order.is(RELAXED) {
            let fence = |order| Op::Fence(Fence::C11(order));
            self.emit_ordered(call.span, Use::Fence, &order, &fence);
        }
        Ok(())
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
        let dst = self.bits_target(ty, span)?;
        let access = |order| dst.exchange(addr.clone(), bits.clone(), order);
        self.emit_ordered(span, Use::Update, order, &access);
        self.of_bits(dst.bits(), ty, span)
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
        Ok(TypedValue::new(Expr::Local(dst), ty))
    }

    /// `fetch_op` and `op_fetch`.
    pub(super) fn fetch(
        &mut self,
        call: &Call<'a>,
        op: RmwOp,
        style: Style,
        result: Fetched,
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
        if result == Fetched::Old {
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
            RmwOp::Nand => fold::unary(ir::program::UnOp::Not, simple(BinOp::And), width),
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
        let dst = self.bits_target(ty, span)?;
        // The comparison is with the expected value as it was, whatever becomes of its place.
        let expected = match expected {
            Bits::One(Expr::Local(l)) if matches!(place, Place::Register(..)) => {
                let width = self.body.proc.locals[l].width;
                Bits::One(self.body.assign(width, Expr::Local(l)))
            }
            Bits::One(other) => Bits::One(self.bind(other)),
            both @ Bits::Two(_) => both,
        };
        let weak = match weak {
            Expr::Const { value: 0, .. } => None,
            when => Some(Weak {
                done: self.temp(1),
                when,
                machine: self.options.weak_cas == WeakCas::Machine,
            }),
        };
        let access = |success, failure| {
            let values = (expected.clone(), desired.clone());
            dst.compare_exchange(addr.clone(), values, (success, failure), weak.clone())
        };
        self.emit_compare_exchange(span, &success, &failure, &access);
        let good = match &weak {
            Some(weak) => Expr::Local(weak.done),
            None => dst.bits().equal(&expected),
        };
        let target = Self::place_type(&place);
        match place {
            // On success the old value is the expected one: writing it changes nothing. Likewise when
            // a weak one fails for no reason.
            Place::Register(..) => {
                let old = self.of_bits(dst.bits(), ty, span)?;
                let old = self.convert(old, target, span)?;
                self.write(place, old, span)?;
            }
            Place::Memory(..) | Place::Bits(..) => {
                let end = self.body.label();
                self.body.jump(Some(good.clone()), end);
                let old = self.of_bits(dst.bits(), ty, span)?;
                let old = self.convert(old, target, span)?;
                self.write(place, old, span)?;
                self.body.place(end);
            }
        }
        let bool_type = self.types.id(Type::Bool);
        Ok(TypedValue::new(fold::resize(good, 1, 8, false), bool_type))
    }

    /// An operand, in the type of the atomic object.
    fn given_value(&mut self, arg: &'a Ast, ty: TypeId, given: Given) -> Lowered<TypedValue> {
        if given == Given::Value {
            return self.value_for(arg, ty);
        }
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

    pub(super) fn test_and_set(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let order = self.order(call, 1)?;
        let bool_type = self.types.id(Type::Bool);
        let one = Expr::constant(1, 8);
        self.rmw(addr, bool_type, RmwOp::Exchange, one, &order, call.span)
    }

    pub(super) fn clear(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let order = self.order(call, 1)?;
        self.ordered_store(addr, Bits::One(Expr::constant(0, 8)), &order, call.span);
        Ok(())
    }
}
