//! The functions of the Linux kernel in litmus tests, after `linux-kernel.def` of the kernel's
//! `tools/memory-model`: which accesses and fences each is made of.

use super::access::{Accesses, WORD};
use super::refusal::{Lowered, arity, wrong};
use crate::front::litmus::ast::Name;
use crate::front::litmus::ast::c::{Expr as Syntax, ExprKind};
use ir::kernel::{
    ACQUIRE, FAILED, FENCES, IS_LOCKED, LOCK, LOCK_FAIL, MB, NORETURN, ONCE, RCU_LOCK, RCU_UNLOCK,
    RELEASE, SRCU_LOCK, SRCU_UNLOCK, UNLOCK,
};
use ir::program::*;

const ANNOTATED_ONCE: MemoryOrder = MemoryOrder::Annotated(&ONCE);

/// The order that the end of a function's name asks for: `xchg_acquire`.
fn suffix(name: &str) -> (&str, MemoryOrder) {
    let suffixes = [
        ("_relaxed", &ONCE),
        ("_acquire", &ACQUIRE),
        ("_release", &RELEASE),
    ];
    let found = suffixes
        .into_iter()
        .find_map(|(end, order)| Some((name.strip_suffix(end)?, order)));
    let (name, order) = found.unwrap_or((name, &MB));
    (name, MemoryOrder::Annotated(order))
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::binary(op, a, b)
}

fn number(bit: Expr) -> Expr {
    Expr::Cast(Cast::Zero, WORD, Box::new(bit))
}

/// The value that is compared with 0, and how.
fn compared(op: BinOp, value: Expr) -> Expr {
    number(binary(op, value, Expr::constant(0, WORD)))
}

/// A call of a function of the kernel; `None` if it is none, and the value of one that has one.
pub(super) fn call(
    t: &mut dyn Accesses<'_>,
    name: &Name,
    args: &[Syntax],
) -> Lowered<Option<Option<Expr>>> {
    if let Some(value) = section(t, name, args)? {
        return Ok(Some(value));
    }
    if let Some((_, tags)) = FENCES.iter().find(|(f, _)| *f == name.text) {
        let [] = args else {
            return arity(name);
        };
        t.body().emit(Op::Fence(Fence::Annotated(tags)));
        return Ok(Some(None));
    }
    if let Some(value) = access(t, name, args)? {
        return Ok(Some(value));
    }
    atomic(t, name, args)
}

/// RCU's critical sections. What is inside of one and is one itself orders nothing more: whatever is
/// ordered with its ends is ordered with those of the outer one, which come earlier and later.
fn section(
    t: &mut dyn Accesses<'_>,
    name: &Name,
    args: &[Syntax],
) -> Lowered<Option<Option<Expr>>> {
    let begins = match name.text.as_str() {
        "rcu_read_lock" => true,
        "rcu_read_unlock" => false,
        _ => return Ok(None),
    };
    let [] = args else {
        return arity(name);
    };
    if begins {
        *t.sections() += 1;
        if *t.sections() == 1 {
            t.body().emit(Op::Fence(Fence::Annotated(RCU_LOCK)));
        }
        return Ok(Some(None));
    }
    if *t.sections() == 0 {
        return wrong(name.span, "no critical section of RCU is open here");
    }
    *t.sections() -= 1;
    if *t.sections() == 0 {
        t.body().emit(Op::Fence(Fence::Annotated(RCU_UNLOCK)));
    }
    Ok(Some(None))
}

/// Loads, stores, spin locks and SRCU.
fn access(t: &mut dyn Accesses<'_>, name: &Name, args: &[Syntax]) -> Lowered<Option<Option<Expr>>> {
    let order = MemoryOrder::Annotated;
    let value = match (name.text.as_str(), args) {
        ("READ_ONCE" | "rcu_dereference", [place]) => {
            let addr = pointed(t, place)?;
            Some(t.load(addr, ANNOTATED_ONCE))
        }
        ("WRITE_ONCE", [place, value]) => {
            let addr = pointed(t, place)?;
            let value = t.value(value)?;
            t.store(addr, value, ANNOTATED_ONCE);
            None
        }
        ("rcu_assign_pointer", [place, value]) => {
            let addr = pointed(t, place)?;
            let value = t.value(value)?;
            t.store(addr, value, order(&RELEASE));
            None
        }
        ("smp_load_acquire" | "atomic_read_acquire", [addr]) => {
            let addr = t.value(addr)?;
            Some(t.load(addr, order(&ACQUIRE)))
        }
        ("atomic_read", [addr]) => {
            let addr = t.value(addr)?;
            Some(t.load(addr, ANNOTATED_ONCE))
        }
        ("smp_store_release" | "atomic_set_release", [addr, value]) => {
            let (addr, value) = (t.value(addr)?, t.value(value)?);
            t.store(addr, value, order(&RELEASE));
            None
        }
        ("atomic_set", [addr, value]) => {
            let (addr, value) = (t.value(addr)?, t.value(value)?);
            t.store(addr, value, ANNOTATED_ONCE);
            None
        }
        ("smp_store_mb", [place, value]) => {
            let addr = pointed(t, place)?;
            let value = t.value(value)?;
            t.store(addr, value, ANNOTATED_ONCE);
            t.body().emit(Op::Fence(Fence::Annotated(&["MB"])));
            None
        }
        // Orders nothing, and there is no compiler here.
        ("barrier", []) => None,
        ("spin_lock", [addr]) => {
            let addr = t.value(addr)?;
            let one = Expr::constant(1, WORD);
            let old = t.update(addr, RmwOp::Exchange, one, order(&LOCK));
            let free = binary(BinOp::Eq, old, Expr::constant(0, WORD));
            t.assume(free);
            None
        }
        ("spin_unlock", [addr]) => {
            let addr = t.value(addr)?;
            t.store(addr, Expr::constant(0, WORD), order(&UNLOCK));
            None
        }
        ("spin_trylock", [addr]) => {
            let addr = t.value(addr)?;
            let (free, taken) = (Expr::constant(0, WORD), Expr::constant(1, WORD));
            let orders = (order(&LOCK), order(&LOCK_FAIL));
            let old = t.compare_exchange(addr, (free, taken), orders);
            Some(compared(BinOp::Eq, old))
        }
        ("spin_is_locked", [addr]) => {
            let addr = t.value(addr)?;
            let held = t.load(addr, order(&IS_LOCKED));
            Some(compared(BinOp::Ne, held))
        }
        // The index is what is read: 0, and what sections that ended before have written back.
        ("srcu_read_lock" | "srcu_down_read", [addr]) => {
            let addr = t.value(addr)?;
            Some(t.load(addr, order(&SRCU_LOCK)))
        }
        ("srcu_read_unlock" | "srcu_up_read", [addr, index]) => {
            let (addr, index) = (t.value(addr)?, t.value(index)?);
            t.store(addr, index, order(&SRCU_UNLOCK));
            None
        }
        ("synchronize_srcu" | "synchronize_srcu_expedited", [addr]) => {
            let addr = t.value(addr)?;
            t.body().emit(Op::GracePeriod { addr, width: WORD });
            None
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// `xchg`, `cmpxchg` and the operations on `atomic_t`.
fn atomic(t: &mut dyn Accesses<'_>, name: &Name, args: &[Syntax]) -> Lowered<Option<Option<Expr>>> {
    let (what, order) = suffix(&name.text);
    let what = what.strip_prefix("atomic_").unwrap_or(what);
    let is_atomic = name.text.starts_with("atomic_");
    let failing = (order, MemoryOrder::Annotated(&FAILED));
    let value = match (what, args) {
        ("xchg", [addr, value]) => {
            let (addr, value) = (t.value(addr)?, t.value(value)?);
            t.update(addr, RmwOp::Exchange, value, order)
        }
        ("cmpxchg", [addr, expected, desired]) => {
            let addr = t.value(addr)?;
            let values = (t.value(expected)?, t.value(desired)?);
            t.compare_exchange(addr, values, failing)
        }
        ("add_unless", [addr, operand, unless]) if is_atomic => {
            return add_unless(t, [addr, operand, unless], failing);
        }
        ("sub_and_test" | "dec_and_test" | "inc_and_test" | "add_negative", _) if is_atomic => {
            let (op, rest) = match what {
                "inc_and_test" | "add_negative" => ("add", what == "add_negative"),
                _ => ("sub", false),
            };
            let counts = matches!(what, "sub_and_test" | "add_negative");
            let new = arithmetic(t, name, args, (op, counts, true), order)?;
            match rest {
                true => compared(BinOp::Slt, new),
                false => compared(BinOp::Eq, new),
            }
        }
        _ if is_atomic => {
            let (what, returns) = match (what.strip_suffix("_return"), what.strip_prefix("fetch_"))
            {
                (Some(what), _) => (what, Some(true)),
                (_, Some(what)) => (what, Some(false)),
                _ => (what, None),
            };
            let (op, counts) = match what {
                "add" | "sub" => (what, true),
                "inc" => ("add", false),
                "dec" => ("sub", false),
                _ => return Ok(None),
            };
            let order = match returns {
                Some(_) => order,
                None if name.text.ends_with(what) => MemoryOrder::Annotated(&NORETURN),
                None => return Ok(None),
            };
            let new = returns == Some(true);
            let value = arithmetic(t, name, args, (op, counts, new), order)?;
            return Ok(Some(returns.map(|_| value)));
        }
        _ => return Ok(None),
    };
    Ok(Some(Some(value)))
}

/// Adds or subtracts: an operand if it `counts`, else 1. The new value, or the old one.
fn arithmetic(
    t: &mut dyn Accesses<'_>,
    name: &Name,
    args: &[Syntax],
    (what, counts, new): (&str, bool, bool),
    order: MemoryOrder,
) -> Lowered<Expr> {
    let (operand, addr) = match args {
        [operand, addr] if counts => (t.value(operand)?, addr),
        [addr] if !counts => (Expr::constant(1, WORD), addr),
        _ => return arity(name),
    };
    let addr = t.value(addr)?;
    let (rmw, op) = match what {
        "add" => (RmwOp::Add, BinOp::Add),
        _ => (RmwOp::Sub, BinOp::Sub),
    };
    let old = t.update(addr, rmw, operand.clone(), order);
    Ok(match new {
        true => binary(op, old, operand),
        false => old,
    })
}

/// `atomic_add_unless(v, a, u)` adds `a` and returns 1, unless the value is `u`: a compare-exchange whose
/// expected value is any other one than `u`, and which only `u` makes fail.
fn add_unless(
    t: &mut dyn Accesses<'_>,
    [addr, operand, unless]: [&Syntax; 3],
    orders: (MemoryOrder, MemoryOrder),
) -> Lowered<Option<Option<Expr>>> {
    let (addr, operand, unless) = (t.value(addr)?, t.value(operand)?, t.value(unless)?);
    let expected = t.body().temporary(WORD);
    t.body().emit(Op::Havoc { dst: expected });
    let expected = Expr::Local(expected);
    let differs = binary(BinOp::Ne, expected.clone(), unless.clone());
    t.assume(differs);
    let desired = binary(BinOp::Add, expected.clone(), operand);
    let old = t.compare_exchange(addr, (expected.clone(), desired), orders);
    let done = binary(BinOp::Eq, old.clone(), expected);
    let fails = binary(BinOp::Eq, old, unless);
    t.assume(binary(BinOp::Or, done.clone(), fails));
    Ok(Some(Some(number(done))))
}

/// The address of what a macro is given as a place: `*p`, or `x` of a parameter.
fn pointed(t: &mut dyn Accesses<'_>, place: &Syntax) -> Lowered<Expr> {
    match &place.kind {
        ExprKind::Deref(addr) => t.value(addr),
        _ => wrong(place.span, "expected `*` and the address of a location"),
    }
}
