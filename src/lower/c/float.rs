//! Floating-point numbers: constants are kept, copied and printed, and nothing more. What would
//! compute with them is refused by name.

use super::{Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::front::c::types::{Type, TypeId};
use crate::ir::program::{Expr, sign_extend};

impl Lowering<'_> {
    /// A constant of a floating type of so many bytes.
    pub fn float_value(&mut self, value: f64, bytes: u8) -> TypedValue {
        let bits = match bytes {
            4 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        TypedValue {
            expr: Expr::constant(bits, bytes * 8),
            ty: self.types.id(Type::Float(bytes)),
        }
    }

    /// Refuses values of a floating type.
    pub fn no_float(&self, ty: TypeId, span: Span) -> Lowered<()> {
        match self.types.is_float(ty) {
            true => {
                let what = format!("arithmetic with a value of type `{}`", self.types.show(ty));
                self.unsupported(span, &what)
            }
            false => Ok(()),
        }
    }

    /// Converts from or to a floating type: constants only.
    pub fn convert_float(
        &mut self,
        value: TypedValue,
        to: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let from = self.types.plain(value.ty);
        let number = match (&value.expr, self.types.get(from)) {
            (Expr::Const { value, .. }, Type::Float(4)) => f64::from(f32::from_bits(*value as u32)),
            (Expr::Const { value, .. }, Type::Float(8)) => f64::from_bits(*value),
            (Expr::Const { value, width }, Type::Int(_) | Type::Bool) => {
                match self.types.signed(from) {
                    true => sign_extend(*value, *width) as f64,
                    false => *value as f64,
                }
            }
            _ => {
                let (from, to) = (self.types.show(from), self.types.show(to));
                return self.unsupported(span, &format!("the conversion of `{from}` to `{to}`"));
            }
        };
        match *self.types.get(to) {
            Type::Float(bytes @ (4 | 8)) => Ok(self.float_value(number, bytes)),
            Type::Bool => Ok(TypedValue {
                expr: Expr::constant(u64::from(number != 0.0), 8),
                ty: to,
            }),
            Type::Int(kind) => {
                let whole = number as i128 as u64;
                Ok(TypedValue {
                    expr: Expr::constant(whole, self.types.int_width(kind)),
                    ty: to,
                })
            }
            _ => {
                let (from, to) = (self.types.show(from), self.types.show(to));
                self.unsupported(span, &format!("the conversion of `{from}` to `{to}`"))
            }
        }
    }
}
