//! Memory orders that are values of the program.
//!
//! An order is written as a number, often behind a parameter of a wrapper, so that it is a constant
//! only after unwinding. An access with such an order is one of several, one for each order that it
//! may have ([`Op::OneOf`]); unwinding leaves those whose condition may hold. What C11 leaves
//! undefined for an operation (a load that releases, a number that is no order) is not supported: the
//! answer is `UNKNOWN` where it is reached. A failing compare-exchange that is to release is
//! common, though, and relaxed here: some compilers make just that of it, the others more.
//! `memory_order_consume` is `memory_order_acquire`, as in every compiler. The header `kernel.h` has numbers of its
//! own for the annotations of the Linux kernel ([`kernel::ORDERS`]).

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::types::TypeId;
use crate::lower::c::atomic_record::Bits;
use base::source::Span;
use ir::kernel;
use ir::program::{BinOp, Expr, MemoryOrder, Op};

/// `memory_order_relaxed` as a number.
pub(super) const RELAXED: u64 = 0;
/// `memory_order_acquire` as a number.
pub(super) const ACQUIRE: u64 = 2;
/// `memory_order_seq_cst` as a number.
pub(super) const SEQ_CST: u64 = 5;

/// The memory order that a program asks for.
pub(super) enum RequestedOrder {
    /// This number.
    Known(u64),
    /// The value of this expression, an `int`.
    Value(Expr),
}

impl RequestedOrder {
    /// Whether it is this order in every execution.
    pub fn is(&self, number: u64) -> bool {
        matches!(self, RequestedOrder::Known(n) if *n == number)
    }
}

/// What an order is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Load,
    Store,
    /// A read-modify-write, and a compare-exchange that succeeds.
    Update,
    /// A compare-exchange that fails.
    Failure,
    Fence,
}

impl Use {
    /// The order with a number, where C11 allows it.
    fn order(self, number: u64) -> Option<MemoryOrder> {
        let order = match number {
            RELAXED => MemoryOrder::Relaxed,
            1 | ACQUIRE => MemoryOrder::Acquire,
            3 => MemoryOrder::Release,
            4 => MemoryOrder::AcqRel,
            SEQ_CST => MemoryOrder::SeqCst,
            _ => return kernel_order(number),
        };
        let allowed = match self {
            Use::Load => !matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel),
            Use::Failure if matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel) => {
                return Some(MemoryOrder::Relaxed);
            }
            Use::Failure => true,
            Use::Store => !matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel),
            Use::Update | Use::Fence => true,
        };
        allowed.then_some(order)
    }

    fn name(self) -> &'static str {
        match self {
            Use::Load => "an atomic load",
            Use::Store => "an atomic store",
            Use::Update => "an atomic read-modify-write",
            Use::Failure => "a failing compare-exchange",
            Use::Fence => "a fence",
        }
    }

    /// The orders it may have, each with its condition; the first whose condition holds. `None` is
    /// an order that is not allowed.
    fn ways(self, requested: &RequestedOrder) -> Vec<(Expr, Option<MemoryOrder>)> {
        let always = Expr::constant(1, 1);
        match requested {
            RequestedOrder::Known(number) => vec![(always, self.order(*number))],
            RequestedOrder::Value(e) => {
                let is = |n| Expr::binary(BinOp::Eq, e.clone(), Expr::constant(n, 32));
                let allowed = (0..=SEQ_CST).filter_map(|n| Some((is(n), Some(self.order(n)?))));
                allowed.chain([(always, None)]).collect()
            }
        }
    }

    fn refused(self) -> Op {
        let name = self.name();
        Op::Unknown(format!(
            "{name} with a memory order that C11 does not allow for it"
        ))
    }
}

/// The order of the Linux kernel with a number of `kernel.h`.
fn kernel_order(number: u64) -> Option<MemoryOrder> {
    let at = usize::try_from(number.checked_sub(kernel::FIRST_ORDER)?).ok()?;
    Some(MemoryOrder::Annotated(kernel::ORDERS.get(at)?))
}

impl<'a> Lowering<'a> {
    /// The order an argument gives; sequentially consistent for functions that have none.
    pub(super) fn order(&mut self, call: &Call<'a>, index: usize) -> Lowered<RequestedOrder> {
        let implicit = call.name.starts_with("atomic_") && !call.name.ends_with("_explicit");
        let fence = ["atomic_thread_fence", "atomic_signal_fence"].contains(&call.name);
        if implicit && !fence && call.args.len() <= index {
            return Ok(RequestedOrder::Known(SEQ_CST));
        }
        let arg = call.arg(index)?;
        let value = self.value(arg)?;
        let int = self.types.int();
        Ok(match self.convert(value, int, arg.span)?.expr {
            Expr::Const { value, .. } => RequestedOrder::Known(value),
            e => RequestedOrder::Value(self.bind(e)),
        })
    }

    /// Emits an access or a fence with the order that is asked for.
    pub(super) fn emit_ordered(
        &mut self,
        span: Span,
        of: Use,
        requested: &RequestedOrder,
        access: &dyn Fn(MemoryOrder) -> Op,
    ) {
        let ways = of.ways(requested).into_iter();
        let ways = ways.map(|(cond, order)| (cond, order.map_or_else(|| of.refused(), access)));
        self.emit_one_of(span, ways.collect());
    }

    /// Emits a compare-exchange with the orders of success and failure that are asked for.
    pub(super) fn emit_compare_exchange(
        &mut self,
        span: Span,
        success: &RequestedOrder,
        failure: &RequestedOrder,
        access: &dyn Fn(MemoryOrder, MemoryOrder) -> Op,
    ) {
        let mut ways = Vec::new();
        for (first, on_success) in Use::Update.ways(success) {
            for (second, on_failure) in Use::Failure.ways(failure) {
                let cond = match (&first, second) {
                    (Expr::Const { .. }, second) => second,
                    (first, Expr::Const { .. }) => first.clone(),
                    (first, second) => Expr::binary(BinOp::And, first.clone(), second),
                };
                let op = match (on_success, on_failure) {
                    (Some(success), Some(failure)) => access(success, failure),
                    (None, _) => Use::Update.refused(),
                    (_, None) => Use::Failure.refused(),
                };
                ways.push((cond, op));
            }
        }
        self.emit_one_of(span, ways);
    }

    fn emit_one_of(&mut self, span: Span, mut ways: Vec<(Expr, Op)>) {
        let op = match ways.pop() {
            Some((_, only)) if ways.is_empty() => only,
            last => Op::OneOf(ways.into_iter().chain(last).collect()),
        };
        self.emit_at(span, op);
    }

    /// The value of an atomic object.
    pub(super) fn ordered_load(
        &mut self,
        addr: Expr,
        ty: TypeId,
        order: &RequestedOrder,
        span: Span,
    ) -> Lowered<TypedValue> {
        let dst = self.bits_target(ty, span)?;
        let access = |order| dst.load(addr.clone(), order);
        self.emit_ordered(span, Use::Load, order, &access);
        self.of_bits(dst.bits(), ty, span)
    }

    /// Writes an atomic object.
    pub(super) fn ordered_store(
        &mut self,
        addr: Expr,
        value: Bits,
        order: &RequestedOrder,
        span: Span,
    ) {
        let access = |order| value.clone().store(addr.clone(), order);
        self.emit_ordered(span, Use::Store, order, &access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_numbers_of_the_kernels_orders() {
        let header = include_str!("../../../front/c/headers/kernel.h");
        for (number, annotation) in (kernel::FIRST_ORDER..).zip(kernel::ORDERS) {
            let name = annotation.name.to_uppercase().replace('-', "_");
            let line = format!("#define __WMBMC_{name} {number:#x}\n");
            assert!(header.contains(&line), "{line}");
        }
    }
}
