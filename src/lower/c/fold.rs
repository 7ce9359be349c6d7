//! Expressions with their constants computed.
//!
//! Only constants are folded: `x ^ x` keeps its registers, because the dependency it carries has
//! a meaning on the machines this is about.

use ir::program::{
    BinOp, Cast, Expr, UnOp, Width, eval_binary, eval_cast, eval_unary, mask, sign_extend,
};

/// `op(a, b)`; both have `width` bits.
pub fn binary(op: BinOp, a: Expr, b: Expr, width: Width) -> Expr {
    let result = if op.is_comparison() { 1 } else { width };
    match (&a, &b) {
        (Expr::Const { value: x, .. }, Expr::Const { value: y, .. }) => {
            Expr::constant(eval_binary(op, *x, *y, width), result)
        }
        (_, Expr::Const { value: 0, .. }) if matches!(op, BinOp::Add | BinOp::Sub) => a,
        (_, Expr::Const { value: 1, .. }) if matches!(op, BinOp::Mul) => a,
        (Expr::Const { value: 0, .. }, _) if op == BinOp::Add => b,
        // (a + 4) + 4, from a member of a member
        (Expr::Binary(BinOp::Add, inner, c), Expr::Const { value: y, .. }) if op == BinOp::Add => {
            match c.as_ref() {
                Expr::Const { value: x, .. } => Expr::binary(
                    BinOp::Add,
                    (**inner).clone(),
                    Expr::constant(x.wrapping_add(*y), width),
                ),
                _ => Expr::binary(op, a, b),
            }
        }
        _ => Expr::binary(op, a, b),
    }
}

/// `op(a)`, of `width` bits.
pub fn unary(op: UnOp, a: Expr, width: Width) -> Expr {
    match (op, a) {
        (op, Expr::Const { value, .. }) => Expr::constant(eval_unary(op, value, width), width),
        (UnOp::Not, Expr::Binary(BinOp::Eq, x, y)) => Expr::Binary(BinOp::Ne, x, y),
        (UnOp::Not, Expr::Binary(BinOp::Ne, x, y)) => Expr::Binary(BinOp::Eq, x, y),
        (UnOp::Not, Expr::Unary(UnOp::Not, x)) => *x,
        (op, a) => Expr::Unary(op, Box::new(a)),
    }
}

/// The other truth.
pub fn not(e: Expr) -> Expr {
    unary(UnOp::Not, e, 1)
}

/// The value of `from` bits in `to` bits.
pub fn resize(e: Expr, from: Width, to: Width, signed: bool) -> Expr {
    match e {
        e if from == to => e,
        Expr::Const { value, .. } if signed && to > from => {
            Expr::constant(sign_extend(value, from) as u64, to)
        }
        Expr::Const { value, .. } => Expr::constant(value & mask(from), to),
        e if to > from && signed => Expr::Cast(Cast::Sign, to, Box::new(e)),
        // One zero extension does the work of two.
        Expr::Cast(Cast::Zero, _, inner) if to > from => Expr::Cast(Cast::Zero, to, inner),
        e if to > from => Expr::Cast(Cast::Zero, to, Box::new(e)),
        e => Expr::Cast(Cast::Truncate, to, Box::new(e)),
    }
}

/// A conversion from or to a floating-point number.
pub fn convert(cast: Cast, e: Expr, from: Width, to: Width) -> Expr {
    match e {
        Expr::Const { value, .. } => Expr::constant(eval_cast(cast, value, from, to), to),
        e => Expr::Cast(cast, to, Box::new(e)),
    }
}

/// `c ? a : b`
pub fn choose(c: Expr, a: Expr, b: Expr) -> Expr {
    match c {
        Expr::Const { value, .. } => {
            if value != 0 {
                a
            } else {
                b
            }
        }
        c => Expr::Ite(Box::new(c), Box::new(a), Box::new(b)),
    }
}

/// True or false, of width 1, for a value of `width` bits.
pub fn truth(e: Expr, width: Width) -> Expr {
    match e {
        e if width == 1 => e,
        Expr::Const { value, .. } => Expr::constant(u64::from(value != 0), 1),
        // `Zero` of a truth value: a comparison that was made an `int`.
        Expr::Cast(Cast::Zero, to, inner) if is_truth(&inner) => {
            debug_assert!(to > 1);
            *inner
        }
        e => Expr::binary(BinOp::Ne, e, Expr::constant(0, width)),
    }
}

/// True for expressions that certainly have width 1.
fn is_truth(e: &Expr) -> bool {
    match e {
        Expr::Const { width, .. } | Expr::Cast(_, width, _) => *width == 1,
        Expr::Binary(op, a, _) => op.is_comparison() || is_truth(a),
        Expr::Unary(_, a) => is_truth(a),
        Expr::Ite(_, a, b) => is_truth(a) && is_truth(b),
        Expr::Local(_) | Expr::Global(_) | Expr::Proc(_) => false,
    }
}
