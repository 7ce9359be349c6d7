//! Intrinsics that compute a value from their arguments.

use super::build::{self, CType};
use super::function::FunctionTranslation;
use super::types::Translated;
use crate::front::c::ast::{BinaryOp as COp, Expr, IntKind};
use crate::front::llvm::ast::{BinaryOp, Flags, FloatKind, IntPredicate, Type, TypedOperand};

impl FunctionTranslation<'_, '_> {
    /// The value of an intrinsic, by its name without `llvm.`.
    pub(super) fn computed(
        &mut self,
        name: &str,
        ret: &Type,
        args: &[&TypedOperand],
    ) -> Translated<Expr> {
        let span = self.span;
        let family = name.split('.').next().unwrap_or(name);
        let saturates = name.contains(".sat.");
        let values = args.iter().map(|v| self.scalar(v));
        let values = values.collect::<Translated<Vec<Expr>>>()?;
        self.module.types.c(ret)?;
        if let Type::Float(kind) = ret {
            return self.float_function(family, *kind, values);
        }
        let few = || format!("`llvm.{name}` with so few arguments");
        let value = |n: usize| values.get(n).cloned().ok_or_else(few);
        let Type::Int(bits) = *ret else {
            return Err(format!("the intrinsic `llvm.{name}`"));
        };
        let pick = |this: &mut Self, predicate| {
            let (a, b) = (value(0)?, value(1)?);
            let first = this
                .module
                .compared(predicate, a.clone(), b.clone(), ret, span)?;
            Ok(build::conditional(first, a, b, span))
        };
        match (family, saturates) {
            ("smax", _) => pick(self, IntPredicate::Sgt),
            ("smin", _) => pick(self, IntPredicate::Slt),
            ("umax", _) => pick(self, IntPredicate::Ugt),
            ("umin", _) => pick(self, IntPredicate::Ult),
            ("scmp" | "ucmp", _) => {
                let (a, b) = (value(0)?, value(1)?);
                let less = match family {
                    "scmp" => IntPredicate::Slt,
                    _ => IntPredicate::Ult,
                };
                let ty = &args[0].ty;
                let less = self.module.compared(less, a.clone(), b.clone(), ty, span)?;
                let equal = self.module.compared(IntPredicate::Eq, a, b, ty, span)?;
                let mut number = |value| self.module.number(value, ret, span);
                let (minus, zero, one) = (number(u128::MAX)?, number(0)?, number(1)?);
                let rest = build::conditional(equal, zero, one, span);
                Ok(build::conditional(less, minus, rest, span))
            }
            ("abs", _) => {
                let zero = self.module.number(0, ret, span)?;
                let a = value(0)?;
                let below =
                    self.module
                        .compared(IntPredicate::Slt, a.clone(), zero.clone(), ret, span)?;
                let sub = BinaryOp::Sub;
                let negated =
                    self.module
                        .operated(sub, Flags::default(), zero, a.clone(), ret, span)?;
                Ok(build::conditional(below, negated, a, span))
            }
            ("uadd", true) => {
                let (a, b) = (value(0)?, value(1)?);
                let add = BinaryOp::Add;
                let sum = self
                    .module
                    .operated(add, Flags::default(), a.clone(), b, ret, span)?;
                let wraps = self
                    .module
                    .compared(IntPredicate::Ult, sum.clone(), a, ret, span)?;
                let most = self.module.number(u128::MAX, ret, span)?;
                Ok(build::conditional(wraps, most, sum, span))
            }
            ("usub", true) => {
                let (a, b) = (value(0)?, value(1)?);
                let sub = BinaryOp::Sub;
                let difference =
                    self.module
                        .operated(sub, Flags::default(), a.clone(), b.clone(), ret, span)?;
                let above = self.module.compared(IntPredicate::Ugt, a, b, ret, span)?;
                let zero = self.module.number(0, ret, span)?;
                Ok(build::conditional(above, difference, zero, span))
            }
            ("ctpop" | "ctlz" | "cttz", _) if bits <= 64 => {
                let a = build::cast(&CType::int(IntKind::ULong), value(0)?);
                let count = |name: &str| build::call(name, vec![a.clone()], span);
                let e = match family {
                    "ctpop" => count("__builtin_popcountl"),
                    other => {
                        let e = match other {
                            "ctlz" => {
                                let above = build::int(64 - u64::from(bits), IntKind::Int, span);
                                build::binary(COp::Sub, count("__builtin_clzl"), above, span)
                            }
                            _ => count("__builtin_ctzl"),
                        };
                        let all = build::int(u64::from(bits), IntKind::Int, span);
                        let zero = build::int(0, IntKind::ULong, span);
                        let is_zero = build::binary(COp::Eq, a.clone(), zero, span);
                        build::conditional(is_zero, all, e, span)
                    }
                };
                self.module.fitted(e, bits, span)
            }
            ("bswap", _) if matches!(bits, 16 | 32 | 64) => {
                let function = format!("__builtin_bswap{bits}");
                let e = build::call(&function, vec![value(0)?], span);
                self.module.fitted(e, bits, span)
            }
            ("fshl" | "fshr", _) if matches!(bits, 8 | 16 | 32 | 64) => {
                self.funnel_shift(family == "fshl", [value(0)?, value(1)?, value(2)?], bits)
            }
            _ => Err(format!("the intrinsic `llvm.{name}`")),
        }
    }

    /// The high (`left`) or the low half of two words side by side that are shifted.
    fn funnel_shift(&mut self, left: bool, values: [Expr; 3], bits: u32) -> Translated<Expr> {
        let span = self.span;
        let [high, low, by] = values;
        let word = Type::Int(bits);
        let width = self.module.number(u128::from(bits), &word, span)?;
        let operated = |this: &mut Self, op, a: &Expr, b: &Expr| {
            let (a, b) = (a.clone(), b.clone());
            this.module
                .operated(op, Flags::default(), a, b, &word, span)
        };
        let by = operated(self, BinaryOp::URem, &by, &width)?;
        let rest = operated(self, BinaryOp::Sub, &width, &by)?;
        let (up, down, whole) = match left {
            true => (&by, &rest, &high),
            false => (&rest, &by, &low),
        };
        let a = operated(self, BinaryOp::Shl, &high, up)?;
        let b = operated(self, BinaryOp::LShr, &low, down)?;
        let joined = operated(self, BinaryOp::Or, &a, &b)?;
        let zero = self.module.number(0, &word, span)?;
        let stays = self
            .module
            .compared(IntPredicate::Eq, by, zero, &word, span)?;
        Ok(build::conditional(stays, whole.clone(), joined, span))
    }

    /// A function of floating numbers, which C's library has, too.
    fn float_function(
        &mut self,
        family: &str,
        kind: FloatKind,
        values: Vec<Expr>,
    ) -> Translated<Expr> {
        let span = self.span;
        let name = match family {
            "fabs" | "sqrt" | "floor" | "ceil" | "trunc" | "round" | "rint" | "nearbyint"
            | "copysign" | "fma" => family,
            "minnum" => "fmin",
            "maxnum" => "fmax",
            "fmuladd" => {
                // It may be one operation or two.
                let [a, b, c] = <[Expr; 3]>::try_from(values).map_err(|_| "this `fmuladd`")?;
                let product = build::binary(COp::Mul, a, b, span);
                return Ok(build::binary(COp::Add, product, c, span));
            }
            other => return Err(format!("the intrinsic `llvm.{other}`")),
        };
        let suffix = if kind == FloatKind::Float { "f" } else { "" };
        Ok(build::call(&format!("{name}{suffix}"), values, span))
    }
}
