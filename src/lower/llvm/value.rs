//! Values: constants, constant expressions and registers as expressions of C.

use super::build::{self, CType};
use super::module::ModuleTranslation;
use super::registers::Registers;
use super::types::Translated;
use crate::front::c::ast::{BinaryOp as COp, Expr, IntKind, UnaryOp};
use crate::front::llvm::ast::{
    BinaryOp, CastOp, ConstantExpr, ElementPointer, Flags, FloatKind, FloatPredicate, IntPredicate,
    Type, TypedOperand, ValueKind,
};
use base::source::Span;

impl ModuleTranslation<'_> {
    /// A scalar value. An integer is unsigned, its bits above its width are 0.
    pub(super) fn scalar(
        &mut self,
        v: &TypedOperand,
        registers: &dyn Registers,
        span: Span,
    ) -> Translated<Expr> {
        let mut leaves = self.leaves(v, registers, span)?;
        match (leaves.pop(), leaves.is_empty()) {
            (Some(leaf), true) => Ok(leaf),
            _ => Err("a value that is no scalar".to_string()),
        }
    }

    /// The scalars of a value.
    pub(super) fn leaves(
        &mut self,
        v: &TypedOperand,
        registers: &dyn Registers,
        span: Span,
    ) -> Translated<Vec<Expr>> {
        match &v.kind {
            ValueKind::Local(name) => registers.register(name),
            ValueKind::Aggregate(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.leaves(part, registers, span)?);
                }
                Ok(all)
            }
            ValueKind::String(bytes) => {
                let bytes = bytes.iter();
                Ok(bytes
                    .map(|b| build::int(u64::from(*b), IntKind::UChar, span))
                    .collect())
            }
            ValueKind::Zero | ValueKind::Undef | ValueKind::Poison => {
                let leaves = self.types.leaves(&v.ty)?;
                let any = v.kind != ValueKind::Zero;
                let leaf = |ty: &Type| match any {
                    true => self.arbitrary(ty, span),
                    false => self.zero(ty, span),
                };
                leaves.iter().map(leaf).collect()
            }
            _ => Ok(vec![self.constant(v, registers, span)?]),
        }
    }

    fn constant(
        &mut self,
        v: &TypedOperand,
        registers: &dyn Registers,
        span: Span,
    ) -> Translated<Expr> {
        match &v.kind {
            ValueKind::Int(value) => self.number(*value, &v.ty, span),
            ValueKind::Float(bits) => match &v.ty {
                Type::Float(FloatKind::Float) => {
                    let value = f64::from(f32::from_bits(*bits as u32));
                    Ok(build::float(value.to_bits(), 4, span))
                }
                Type::Float(FloatKind::Double) => Ok(build::float(*bits as u64, 8, span)),
                ty => self.types.space(ty).and(Err("this number".to_string())),
            },
            ValueKind::Null => self.zero(&v.ty, span),
            ValueKind::Global(name) => Ok(self.global(name, span)),
            ValueKind::Expr(e) => self.constant_expression(e, &v.ty, registers, span),
            ValueKind::BlockAddress(..) => Err("the address of a block".to_string()),
            ValueKind::Assembly(_) => Err("inline assembly as a value".to_string()),
            ValueKind::Metadata(_) => Err("metadata as a value".to_string()),
            _ => Err("this value".to_string()),
        }
    }

    /// A number of a type of integers.
    pub(super) fn number(&mut self, value: u128, ty: &Type, span: Span) -> Translated<Expr> {
        let Type::Int(bits) = ty else {
            return Err("a number of this type".to_string());
        };
        let c = self.types.c(ty)?;
        if *bits > 64 {
            let half = |value: u128| {
                let word = build::int(value as u64, IntKind::ULong, span);
                build::cast(&c, word)
            };
            let by = build::int(64, IntKind::Int, span);
            let high = build::binary(COp::Shl, half(value >> 64), by, span);
            return Ok(build::binary(COp::Or, high, half(value), span));
        }
        let value = value as u64 & ir::program::mask(*bits as u8);
        Ok(match bits {
            0..=16 => build::cast(&c, build::int(value, IntKind::UInt, span)),
            17..=32 => build::int(value, IntKind::UInt, span),
            _ => build::int(value, IntKind::ULong, span),
        })
    }

    /// 0 of a scalar type.
    fn zero(&mut self, ty: &Type, span: Span) -> Translated<Expr> {
        match ty {
            Type::Float(FloatKind::Float) => Ok(build::float(0, 4, span)),
            Type::Float(FloatKind::Double) => Ok(build::float(0, 8, span)),
            Type::Pointer(_) => {
                let zero = build::int(0, IntKind::ULong, span);
                Ok(build::cast(&CType::pointer(), zero))
            }
            ty => self.number(0, ty, span),
        }
    }

    /// Any value of a scalar type.
    pub(super) fn arbitrary(&mut self, ty: &Type, span: Span) -> Translated<Expr> {
        let any = |name: &str| build::call(name, Vec::new(), span);
        match ty {
            Type::Float(FloatKind::Float) => Ok(any("__VERIFIER_nondet_float")),
            Type::Float(FloatKind::Double) => Ok(any("__VERIFIER_nondet_double")),
            Type::Pointer(_) => {
                let number = any("__VERIFIER_nondet_ulong");
                Ok(build::cast(&CType::pointer(), number))
            }
            Type::Int(bits) if *bits <= 64 => {
                let number = any("__VERIFIER_nondet_ulong");
                self.fitted(number, *bits, span)
            }
            ty => self
                .types
                .c(ty)
                .and(Err("an undefined value of this type".to_string())),
        }
    }

    /// A number of C as an integer of so many bits: those above are gone.
    pub(super) fn fitted(&mut self, e: Expr, bits: u32, span: Span) -> Translated<Expr> {
        let c = self.types.c(&Type::Int(bits))?;
        if matches!(bits, 8 | 16 | 32 | 64 | 128) {
            return Ok(build::cast(&c, e));
        }
        let mask = match bits {
            0..=64 => u128::from(ir::program::mask(bits as u8)),
            _ => (1u128 << bits) - 1,
        };
        let wide = match bits {
            0..=32 => Type::Int(32),
            33..=64 => Type::Int(64),
            _ => Type::Int(128),
        };
        let wide_c = self.types.c(&wide)?;
        let mask = self.number(mask, &wide, span)?;
        let masked = build::binary(COp::And, build::cast(&wide_c, e), mask, span);
        Ok(build::cast(&c, masked))
    }

    /// An integer as a signed number of at least as many bits as `int` has.
    pub(super) fn signed(&mut self, e: Expr, bits: u32, span: Span) -> Translated<Expr> {
        let (kind, narrow, width) = match bits {
            0..=8 => (IntKind::Int, Some(IntKind::SChar), 32),
            9..=16 => (IntKind::Int, Some(IntKind::Short), 32),
            17..=32 => (IntKind::Int, None, 32),
            33..=64 => (IntKind::Long, None, 64),
            128 => return Ok(build::cast(&signed_128(), e)),
            _ => return Err(format!("a signed operation on {bits} bits")),
        };
        let wide = CType::int(kind);
        match (narrow, bits) {
            (Some(narrow), 8 | 16) => Ok(build::cast(&wide, build::cast(&CType::int(narrow), e))),
            (_, 32 | 64) => Ok(build::cast(&wide, e)),
            _ => {
                let unsigned = self.types.c(&Type::Int(width))?;
                let by = || build::int(u64::from(width - bits), IntKind::Int, span);
                let up = build::binary(COp::Shl, build::cast(&unsigned, e), by(), span);
                Ok(build::binary(COp::Shr, build::cast(&wide, up), by(), span))
            }
        }
    }

    fn constant_expression(
        &mut self,
        e: &ConstantExpr,
        ty: &Type,
        registers: &dyn Registers,
        span: Span,
    ) -> Translated<Expr> {
        match e {
            ConstantExpr::Cast(op, v) => {
                let value = self.scalar(v, registers, span)?;
                self.converted(*op, value, &v.ty, ty, span)
            }
            ConstantExpr::ElementPointer(gep) => self.element_pointer(gep, registers, span),
            ConstantExpr::Binary(op, flags, a, b) => {
                let ty = a.ty.clone();
                let a = self.scalar(a, registers, span)?;
                let b = self.scalar(b, registers, span)?;
                self.operated(*op, *flags, a, b, &ty, span)
            }
            ConstantExpr::Compare(predicate, a, b) => {
                let ty = a.ty.clone();
                let a = self.scalar(a, registers, span)?;
                let b = self.scalar(b, registers, span)?;
                self.compared(*predicate, a, b, &ty, span)
            }
            ConstantExpr::Select(c, a, b) => {
                let c = self.scalar(c, registers, span)?;
                let a = self.scalar(a, registers, span)?;
                let b = self.scalar(b, registers, span)?;
                Ok(build::conditional(c, a, b, span))
            }
            ConstantExpr::Unsupported(name) => Err(format!("the constant expression `{name}`")),
        }
    }

    /// An address: bytes behind a pointer.
    pub(super) fn element_pointer(
        &mut self,
        gep: &ElementPointer,
        registers: &dyn Registers,
        span: Span,
    ) -> Translated<Expr> {
        let base = self.scalar(&gep.base, registers, span)?;
        let mut offset = 0i64;
        let mut at = base;
        let char_pointer = CType::int(IntKind::UChar).pointed();
        let mut ty = &gep.source;
        let mut indices = Vec::new();
        for (i, index) in gep.indices.iter().enumerate() {
            let stride = if i == 0 {
                self.types.space(ty)?.size
            } else {
                match self.types.resolve(ty)? {
                    Type::Array(_, elem) => {
                        ty = elem;
                        self.types.space(elem)?.size
                    }
                    Type::Struct { .. } => {
                        let ValueKind::Int(field) = index.kind else {
                            return Err("an index of a member that is no constant".to_string());
                        };
                        let (part, bytes) = self.types.part(ty, field as u64)?;
                        ty = part;
                        offset = offset.wrapping_add(bytes as i64);
                        continue;
                    }
                    _ => return Err("`getelementptr` into a vector".to_string()),
                }
            };
            let Type::Int(bits) = index.ty else {
                return Err("a vector of pointers".to_string());
            };
            match &index.kind {
                ValueKind::Int(value) => {
                    let value = ir::program::sign_extend(*value as u64, bits.min(64) as u8);
                    offset = offset.wrapping_add((value as i64).wrapping_mul(stride as i64));
                }
                ValueKind::Zero => {}
                _ => indices.push((index, bits, stride)),
            }
        }
        let is_plain = offset == 0 && indices.is_empty();
        if is_plain {
            return Ok(at);
        }
        // C's arithmetic of pointers looks whether a multiple of the size is one.
        for (index, bits, stride) in indices {
            let index = self.scalar(index, registers, span)?;
            let index = self.signed(index, bits, span)?;
            let index = build::cast(&CType::int(IntKind::Long), index);
            let element = CType::int(IntKind::UChar).array(stride, span).pointed();
            at = build::binary(COp::Add, build::cast(&element, at), index, span);
        }
        at = build::cast(&char_pointer, at);
        if offset != 0 {
            let op = if offset < 0 { COp::Sub } else { COp::Add };
            let by = build::int(offset.unsigned_abs(), IntKind::Long, span);
            at = build::binary(op, at, by, span);
        }
        Ok(build::cast(&CType::pointer(), at))
    }

    /// A conversion.
    pub(super) fn converted(
        &mut self,
        op: CastOp,
        e: Expr,
        from: &Type,
        to: &Type,
        span: Span,
    ) -> Translated<Expr> {
        let c = self.types.c(to)?;
        self.types.c(from)?;
        match (op, from, to) {
            (CastOp::Trunc, _, Type::Int(bits)) => self.fitted(e, *bits, span),
            (CastOp::SExt, Type::Int(narrow), Type::Int(bits)) => {
                let signed = self.signed(e, *narrow, span)?;
                let wide = match bits {
                    0..=32 => CType::int(IntKind::Int),
                    33..=64 => CType::int(IntKind::Long),
                    _ => signed_128(),
                };
                self.fitted(build::cast(&wide, signed), *bits, span)
            }
            (CastOp::FpToSi, _, Type::Int(bits)) => {
                let signed = match bits {
                    0..=32 => CType::int(IntKind::Int),
                    _ => CType::int(IntKind::Long),
                };
                self.fitted(build::cast(&signed, e), *bits, span)
            }
            (CastOp::SiToFp, Type::Int(bits), _) => {
                let signed = self.signed(e, *bits, span)?;
                Ok(build::cast(&c, signed))
            }
            (CastOp::BitCast, from, to) => self.same_bits(e, from, to, span),
            (CastOp::AddrSpaceCast, ..) => Err("`addrspacecast`".to_string()),
            (CastOp::PtrToInt | CastOp::PtrToAddr, _, Type::Int(bits)) => {
                let word = build::cast(&CType::int(IntKind::ULong), e);
                self.fitted(word, *bits, span)
            }
            (CastOp::IntToPtr, ..) => {
                let word = build::cast(&CType::int(IntKind::ULong), e);
                Ok(build::cast(&c, word))
            }
            _ => Ok(build::cast(&c, e)),
        }
    }

    /// A value of another type with the same bits.
    fn same_bits(&mut self, e: Expr, from: &Type, to: &Type, span: Span) -> Translated<Expr> {
        let c = self.types.c(to)?;
        match (from, to) {
            (Type::Float(_), Type::Int(_)) => {
                let bits = build::call("__llvm_bits_of_number", vec![e], span);
                Ok(build::cast(&c, bits))
            }
            (Type::Int(_), Type::Float(_)) => {
                Ok(build::call("__llvm_number_of_bits", vec![e], span))
            }
            (Type::Vector(..), _) | (_, Type::Vector(..)) => Err("a vector".to_string()),
            _ => Ok(e),
        }
    }

    /// An operator with two operands.
    pub(super) fn operated(
        &mut self,
        op: BinaryOp,
        flags: Flags,
        a: Expr,
        b: Expr,
        ty: &Type,
        span: Span,
    ) -> Translated<Expr> {
        let c = self.types.c(ty)?;
        if let Some(op) = float_operator(op) {
            return match op {
                Some(op) => Ok(build::binary(op, a, b, span)),
                None => {
                    let function = match ty {
                        Type::Float(FloatKind::Float) => "__builtin_fmodf",
                        _ => "__builtin_fmod",
                    };
                    Ok(build::call(function, vec![a, b], span))
                }
            };
        }
        let Type::Int(bits) = *ty else {
            return Err("an operator on values of this type".to_string());
        };
        // Numbers of fewer bits than `int` has would become signed ones.
        let wide = match bits {
            0..=32 => CType::int(IntKind::UInt),
            _ => c.clone(),
        };
        let (op, is_signed) = match op {
            BinaryOp::Add => (COp::Add, flags.no_signed_wrap),
            BinaryOp::Sub => (COp::Sub, flags.no_signed_wrap),
            BinaryOp::Mul => (COp::Mul, flags.no_signed_wrap),
            BinaryOp::UDiv => (COp::Div, false),
            BinaryOp::SDiv => (COp::Div, true),
            BinaryOp::URem => (COp::Rem, false),
            BinaryOp::SRem => (COp::Rem, true),
            BinaryOp::Shl => (COp::Shl, false),
            BinaryOp::LShr => (COp::Shr, false),
            BinaryOp::AShr => (COp::Shr, true),
            BinaryOp::And => (COp::And, false),
            BinaryOp::Or => (COp::Or, false),
            BinaryOp::Xor => (COp::Xor, false),
            _ => return Err("this operator".to_string()),
        };
        let is_shift = matches!(op, COp::Shl | COp::Shr);
        let (a, b) = match is_signed {
            true => {
                let a = self.signed(a, bits, span)?;
                let b = match is_shift {
                    true => build::cast(&wide, b),
                    false => self.signed(b, bits, span)?,
                };
                (a, b)
            }
            false => (build::cast(&wide, a), build::cast(&wide, b)),
        };
        self.fitted(build::binary(op, a, b, span), bits, span)
    }

    /// `icmp`
    pub(super) fn compared(
        &mut self,
        predicate: IntPredicate,
        a: Expr,
        b: Expr,
        ty: &Type,
        span: Span,
    ) -> Translated<Expr> {
        let (op, is_signed) = match predicate {
            IntPredicate::Eq => (COp::Eq, false),
            IntPredicate::Ne => (COp::Ne, false),
            IntPredicate::Ugt => (COp::Gt, false),
            IntPredicate::Uge => (COp::Ge, false),
            IntPredicate::Ult => (COp::Lt, false),
            IntPredicate::Ule => (COp::Le, false),
            IntPredicate::Sgt => (COp::Gt, true),
            IntPredicate::Sge => (COp::Ge, true),
            IntPredicate::Slt => (COp::Lt, true),
            IntPredicate::Sle => (COp::Le, true),
        };
        let (a, b) = match (ty, is_signed) {
            (Type::Int(bits), true) => (self.signed(a, *bits, span)?, self.signed(b, *bits, span)?),
            (Type::Int(_) | Type::Pointer(_), _) => (a, b),
            _ => return Err("a comparison of values of this type".to_string()),
        };
        let boolean = self.types.c(&Type::Int(1))?;
        Ok(build::cast(&boolean, build::binary(op, a, b, span)))
    }

    /// `fcmp`: both operands are evaluated more than once, so they are names or constants.
    pub(super) fn numbers_compared(
        &mut self,
        predicate: FloatPredicate,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Translated<Expr> {
        let compare = |op| build::binary(op, a.clone(), b.clone(), span);
        let is_nan = |e: &Expr| build::binary(COp::Ne, e.clone(), e.clone(), span);
        let mut any = Vec::new();
        let ordered = match (predicate.less, predicate.equal, predicate.greater) {
            (true, true, false) => Some(COp::Le),
            (false, true, true) => Some(COp::Ge),
            (true, false, false) => Some(COp::Lt),
            (false, false, true) => Some(COp::Gt),
            (false, true, false) => Some(COp::Eq),
            _ => None,
        };
        match ordered {
            Some(op) => any.push(compare(op)),
            None if predicate.less => {
                any.push(compare(COp::Lt));
                any.push(compare(COp::Gt));
                if predicate.equal {
                    any.push(compare(COp::Eq));
                }
            }
            None => {}
        }
        if predicate.unordered {
            any.extend([is_nan(a), is_nan(b)]);
        }
        let boolean = self.types.c(&Type::Int(1))?;
        let either = any
            .into_iter()
            .reduce(|x, y| build::binary(COp::Or, x, y, span));
        let holds = either.unwrap_or_else(|| build::int(0, IntKind::Int, span));
        Ok(build::cast(&boolean, holds))
    }

    pub(super) fn negated(&self, e: Expr) -> Expr {
        build::unary(UnaryOp::Minus, e)
    }
}

/// `__int128`
fn signed_128() -> CType {
    CType::plain(crate::front::c::ast::TypeSpecKind::Int128 { signed: true })
}

/// The operator of C on floating numbers; `None` within for the remainder, which is a function.
fn float_operator(op: BinaryOp) -> Option<Option<COp>> {
    match op {
        BinaryOp::FAdd => Some(Some(COp::Add)),
        BinaryOp::FSub => Some(Some(COp::Sub)),
        BinaryOp::FMul => Some(Some(COp::Mul)),
        BinaryOp::FDiv => Some(Some(COp::Div)),
        BinaryOp::FRem => Some(None),
        _ => None,
    }
}
