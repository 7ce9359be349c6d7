//! Expressions of the intermediate language, with what is known already worked out: indices and
//! constants are numbers, and most of a formula is decided by them.

use ir::program::{BinOp, Expr, UnOp, Width, eval_binary};

/// A truth value.
pub fn truth(value: bool) -> Expr {
    Expr::constant(u64::from(value), 1)
}

/// The truth value, where it is known.
pub fn known(e: &Expr) -> Option<bool> {
    match e {
        Expr::Const { value, width: 1 } => Some(*value == 1),
        _ => None,
    }
}

/// A number, of two's complement.
pub fn number(value: i64, width: Width) -> Expr {
    Expr::constant(value.cast_unsigned(), width)
}

/// Two operands.
pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const { value: x, width }, Expr::Const { value: y, .. }) = (&a, &b) {
        let result = if op.is_comparison() { 1 } else { *width };
        return Expr::constant(eval_binary(op, *x, *y, *width), result);
    }
    match op {
        BinOp::Eq | BinOp::Ule | BinOp::Sle if a == b => truth(true),
        BinOp::Ne | BinOp::Ult | BinOp::Slt if a == b => truth(false),
        _ => Expr::binary(op, a, b),
    }
}

/// The opposite.
pub fn not(e: Expr) -> Expr {
    match (known(&e), e) {
        (Some(value), _) => truth(!value),
        (None, Expr::Unary(UnOp::Not, inner)) => *inner,
        (None, e) => Expr::Unary(UnOp::Not, Box::new(e)),
    }
}

/// Both.
pub fn and(a: Expr, b: Expr) -> Expr {
    match (known(&a), known(&b)) {
        (Some(false), _) | (_, Some(true)) => a,
        (_, Some(false)) | (Some(true), _) => b,
        _ => Expr::binary(BinOp::And, a, b),
    }
}

/// One of two.
pub fn or(a: Expr, b: Expr) -> Expr {
    match (known(&a), known(&b)) {
        (Some(true), _) | (_, Some(false)) => a,
        (_, Some(true)) | (Some(false), _) => b,
        _ => Expr::binary(BinOp::Or, a, b),
    }
}

/// All of them.
pub fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    parts.into_iter().fold(truth(true), and)
}

/// The one or the other.
pub fn choose(cond: Expr, yes: Expr, no: Expr) -> Expr {
    match known(&cond) {
        Some(true) => yes,
        Some(false) => no,
        None if yes == no => yes,
        None => Expr::Ite(Box::new(cond), Box::new(yes), Box::new(no)),
    }
}
