//! Bit vectors and the operators on them: the one definition of what they mean on numbers.

/// Bits of a value, 1 to 64. Booleans have width 1.
pub type Width = u8;

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnOp {
    /// Bitwise complement; negation on width 1.
    Not,
    /// Two's complement negation.
    Neg,
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
}

impl BinOp {
    /// True for operators whose result has width 1.
    pub fn is_comparison(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | Ult | Ule | Slt | Sle)
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

    /// What is stored where the number `old` was read.
    pub fn apply(self, old: u64, operand: u64, width: Width) -> u64 {
        let binary = |(): &mut (), op, a, b| eval_binary(op, a, b, width);
        self.apply_with(&mut (), old, operand, binary, |(), v| !v & mask(width))
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

/// `op(a, b)` on values of `width` bits; the one definition of what the operators mean on numbers.
pub fn eval_binary(op: BinOp, a: u64, b: u64, width: Width) -> u64 {
    let signed = |v: u64| sign_extend(v, width);
    let bits = u64::from(width);
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Udiv => a.checked_div(b).unwrap_or(u64::MAX),
        BinOp::Sdiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                u64::MAX
            }
        }
        BinOp::Sdiv => signed(a).wrapping_div(signed(b)) as u64,
        BinOp::Urem => a.checked_rem(b).unwrap_or(a),
        BinOp::Srem if b == 0 => a,
        BinOp::Srem => signed(a).wrapping_rem(signed(b)) as u64,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => {
            if b >= bits {
                0
            } else {
                a << b
            }
        }
        BinOp::Lshr => {
            if b >= bits {
                0
            } else {
                a >> b
            }
        }
        BinOp::Ashr => (signed(a) >> b.min(63)) as u64,
        BinOp::Eq => u64::from(a == b),
        BinOp::Ne => u64::from(a != b),
        BinOp::Ult => u64::from(a < b),
        BinOp::Ule => u64::from(a <= b),
        BinOp::Slt => u64::from(signed(a) < signed(b)),
        BinOp::Sle => u64::from(signed(a) <= signed(b)),
    };
    result & mask(if op.is_comparison() { 1 } else { width })
}

/// The value of `width` bits as a signed number.
pub fn sign_extend(value: u64, width: Width) -> i64 {
    let shift = 64 - u32::from(width);
    ((value << shift) as i64) >> shift
}
