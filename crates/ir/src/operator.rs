//! Bit vectors and the operators on them.

/// Bits of a value, 1 to 64. Booleans have width 1.
pub type Width = u8;

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnOp {
    /// Bitwise complement; negation on width 1.
    Not,
    /// Two's complement negation.
    Neg,
    /// A function of a floating-point number of 32 or 64 bits.
    Float(FloatFunction),
}

/// Functions of a floating-point number that IEEE 754 determines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatFunction {
    /// The square root.
    Sqrt,
    /// Down to an integer.
    Floor,
    /// Up to an integer.
    Ceil,
    /// Towards zero to an integer.
    Trunc,
    /// To the nearest integer, ties away from zero.
    Round,
    /// To the nearest integer, ties to even.
    RoundEven,
}

/// Operators with two operands of one width; comparisons have width 1, shifts take the amount in
/// the width of the value (an amount of at least the width gives 0, or the sign for `Ashr`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Unsigned; by zero gives all ones.
    Udiv,
    /// Signed, truncating.
    Sdiv,
    /// Unsigned; by zero gives the dividend.
    Urem,
    /// Signed, with the sign of the dividend.
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    /// Whether an address lies before another one ([`super::placement`]); otherwise like `Ult`.
    PtrLt,
    /// Whether an address lies before another one, or at it; otherwise like `Ule`.
    PtrLe,
    /// The operands are floating-point numbers of 32 or 64 bits, here and below.
    Fadd,
    Fsub,
    Fmul,
    Fdiv,
    /// Zeros are equal, and what is not a number is equal to nothing.
    Feq,
    Flt,
    Fle,
}

impl BinOp {
    /// True for operators whose result has width 1.
    pub fn is_comparison(self) -> bool {
        use BinOp::*;
        matches!(
            self,
            Eq | Ne | Ult | Ule | Slt | Sle | PtrLt | PtrLe | Feq | Flt | Fle
        )
    }

    /// The operator on numbers that does the same where all objects have places of their own.
    pub fn of_numbers(self) -> BinOp {
        match self {
            BinOp::PtrLt => BinOp::Ult,
            BinOp::PtrLe => BinOp::Ule,
            other => other,
        }
    }

    /// True for operators on floating-point numbers.
    pub fn is_float(self) -> bool {
        use BinOp::*;
        matches!(self, Fadd | Fsub | Fmul | Fdiv | Feq | Flt | Fle)
    }
}

/// How a value changes its width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cast {
    /// Extend with zeros, or keep.
    Zero,
    /// Extend with the sign, or keep.
    Sign,
    /// Drop high bits, or keep.
    Truncate,
    /// The floating-point number of 32 or 64 bits next to a signed number.
    FromSigned,
    /// The floating-point number next to an unsigned number.
    FromUnsigned,
    /// The signed number that is left of a floating-point number without its fraction; anything where
    /// none of the width is.
    ToSigned,
    /// Likewise an unsigned one.
    ToUnsigned,
    /// The floating-point number of another width next to one.
    Float,
}

/// What a read-modify-write computes from the old value and its operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RmwOp {
    /// The operand.
    Exchange,
    /// old + operand
    Add,
    /// old - operand
    Sub,
    /// old & operand
    And,
    /// old | operand
    Or,
    /// old ^ operand
    Xor,
    /// !(old & operand)
    Nand,
}

impl RmwOp {
    /// What is stored where `old` was read, by an evaluator with values of its own (numbers, terms):
    /// `binary` applies an operator, `complement` flips all bits.
    pub fn apply_with<C, V: Copy>(
        self,
        context: &mut C,
        old: V,
        operand: V,
        binary: impl FnOnce(&mut C, BinOp, V, V) -> V,
        complement: impl FnOnce(&mut C, V) -> V,
    ) -> V {
        match self {
            RmwOp::Exchange => operand,
            RmwOp::Add => binary(context, BinOp::Add, old, operand),
            RmwOp::Sub => binary(context, BinOp::Sub, old, operand),
            RmwOp::And => binary(context, BinOp::And, old, operand),
            RmwOp::Or => binary(context, BinOp::Or, old, operand),
            RmwOp::Xor => binary(context, BinOp::Xor, old, operand),
            RmwOp::Nand => {
                let both = binary(context, BinOp::And, old, operand);
                complement(context, both)
            }
        }
    }
}

/// The low `width` bits set.
pub fn mask(width: Width) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// The value of `width` bits as a signed number.
pub fn sign_extend(value: u64, width: Width) -> i64 {
    // What has no bits, the value of a call that returns nothing, is 0.
    let shift = (64 - u32::from(width)).min(63);
    ((value << shift) as i64) >> shift
}
