//! `__int128`: gcc's integers of two words.
//!
//! An object of the type is laid out as a structure of two words, the lower one first; a value is one that an
//! object of its own holds. The operators compute with the words. Plain accesses are one of each word, as of a
//! structure; the machine's accesses of 16 bytes are for atomic ones ([`super::atomic_record`]).

use super::atomic_record::Bits;
use super::{Lowered, Lowering, TypedValue, fold};
use crate::front::c::ast::{BinaryOp, Expr as Ast, UnaryOp};
use crate::front::c::types::TypeId;
use base::idx::Id;
use base::source::Span;
use ir::pair::WORD;
use ir::program::{BinOp, Expr, Global, GlobalId, LocalId, Op, PropertyKind, Rule, UnOp};

/// The lower and the higher word of a value.
pub type Words = [Expr; 2];

fn word(value: u64) -> Expr {
    Expr::constant(value, WORD)
}

fn binary(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    fold::binary(op, a.clone(), b.clone(), WORD)
}

fn constants(words: &Words) -> Option<[u64; 2]> {
    match words {
        [
            Expr::Const { value: low, .. },
            Expr::Const { value: high, .. },
        ] => Some([*low, *high]),
        _ => None,
    }
}

/// A truth value as a word.
fn bit(truth: Expr) -> Expr {
    fold::resize(truth, 1, WORD, false)
}

fn and(a: Expr, b: Expr) -> Expr {
    fold::binary(BinOp::And, a, b, 1)
}

fn or(a: Expr, b: Expr) -> Expr {
    fold::binary(BinOp::Or, a, b, 1)
}

/// A word below 0.
fn negative(high: &Expr) -> Expr {
    binary(BinOp::Slt, high, &word(0))
}

fn is_less(a: &Words, b: &Words, signed: bool) -> Expr {
    let less = if signed { BinOp::Slt } else { BinOp::Ult };
    let lower = binary(BinOp::Ult, &a[0], &b[0]);
    let same = binary(BinOp::Eq, &a[1], &b[1]);
    or(binary(less, &a[1], &b[1]), and(same, lower))
}

fn is_equal(a: &Words, b: &Words) -> Expr {
    let [low, high] = [0, 1].map(|i| binary(BinOp::Eq, &a[i], &b[i]));
    and(low, high)
}

fn sum(a: &Words, b: &Words) -> Words {
    let low = binary(BinOp::Add, &a[0], &b[0]);
    let carry = bit(binary(BinOp::Ult, &low, &a[0]));
    let high = binary(BinOp::Add, &a[1], &b[1]);
    [low, binary(BinOp::Add, &high, &carry)]
}

fn difference(a: &Words, b: &Words) -> Words {
    let borrow = bit(binary(BinOp::Ult, &a[0], &b[0]));
    let high = binary(BinOp::Sub, &a[1], &b[1]);
    let low = binary(BinOp::Sub, &a[0], &b[0]);
    [low, binary(BinOp::Sub, &high, &borrow)]
}

/// A shift by less than 128; one of a word by its width or more leaves nothing of it.
fn shifted(op: BinaryOp, [low, high]: &Words, by: &Expr, signed: bool) -> Words {
    let rest = binary(BinOp::Sub, &word(WORD.into()), by);
    let beyond = binary(BinOp::Sub, by, &word(WORD.into()));
    let any = |parts: [Expr; 3]| {
        let [a, b, c] = parts;
        binary(BinOp::Or, &binary(BinOp::Or, &a, &b), &c)
    };
    if op == BinaryOp::Shl {
        let into = [
            binary(BinOp::Shl, high, by),
            binary(BinOp::Lshr, low, &rest),
            binary(BinOp::Shl, low, &beyond),
        ];
        return [binary(BinOp::Shl, low, by), any(into)];
    }
    let shift = if signed { BinOp::Ashr } else { BinOp::Lshr };
    let is_short = binary(BinOp::Ult, by, &word(WORD.into()));
    let of_both = binary(
        BinOp::Or,
        &binary(BinOp::Lshr, low, by),
        &binary(BinOp::Shl, high, &rest),
    );
    let low = fold::choose(is_short, of_both, binary(shift, high, &beyond));
    [low, binary(shift, high, by)]
}

impl<'a> Lowering<'a> {
    /// Whether values of a type are numbers or pointers.
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.types.is_int128(ty) || self.types.width(ty).is_some()
    }

    /// The words of a number or a pointer.
    fn words(&mut self, value: TypedValue, span: Span) -> Lowered<Words> {
        if self.types.is_int128(value.ty) {
            let known = match value.expr {
                Expr::Local(copy) => self.body.words.get(&copy).cloned(),
                Expr::Global(object) => self.made.words(object).map(|words| words.map(word)),
                _ => None,
            };
            if let Some(words) = known {
                return Ok(words);
            }
            return match self.bits_of(value, span)? {
                Bits::Two(words) => Ok(words),
                Bits::One(_) => unreachable!("it has 16 bytes"),
            };
        }
        if self.types.is_float(value.ty) {
            return self.unsupported(
                span,
                "a conversion of a floating-point number to `__int128`",
            );
        }
        let width = self.scalar_width(value.ty, span)?;
        let signed = self.types.signed(value.ty);
        let low = fold::resize(value.expr, width, WORD, signed);
        let low = self.bind(low);
        let high = match signed {
            true => binary(BinOp::Ashr, &low, &word(u64::from(WORD) - 1)),
            false => word(0),
        };
        Ok([low, high])
    }

    /// The value of two words: constants are in an object that is never written.
    fn of_words(&mut self, words: Words, ty: TypeId, span: Span) -> Lowered<TypedValue> {
        if let Some(words) = constants(&words) {
            let object = self.int128_object(words, ty, span)?;
            return Ok(TypedValue::new(Expr::Global(object), ty));
        }
        let words = words.map(|word| self.bind(word));
        let value = self.of_bits(Bits::Two(words.clone()), ty, span)?;
        if let Expr::Local(copy) = value.expr {
            self.body.words.insert(copy, words);
        }
        Ok(value)
    }

    fn int128_object(&mut self, words: [u64; 2], ty: TypeId, span: Span) -> Lowered<GlobalId> {
        if let Some(object) = self.made.object_of_words(words) {
            return Ok(object);
        }
        let layout = self.layout(ty, span)?;
        let init = (0..).step_by(8).zip(words);
        let init = init.filter(|(_, value)| *value != 0);
        let object = self.program.globals.push(Global {
            name: format!("integer {}", self.program.globals.next_id().index()),
            span,
            layout,
            init: init.map(|(at, value)| (at, WORD, word(value))).collect(),
            thread_local: false,
        });
        self.program.read_only.insert(object);
        self.made.keep_words(words, object);
        Ok(object)
    }

    /// The value that an object has now: what is written to it later does not change it.
    pub fn load_int128(&mut self, place: TypedValue, span: Span) -> Lowered<TypedValue> {
        let ty = self.types.plain(place.ty);
        let words = self.words(place, span)?;
        self.of_words(words, ty, span)
    }

    /// Writes both words, the lower one first.
    pub fn store_int128(
        &mut self,
        place: TypedValue,
        value: TypedValue,
        span: Span,
    ) -> Lowered<()> {
        let order = self.default_order(place.ty);
        let addr = self.bind(place.expr);
        for (offset, value) in (0..).step_by(8).zip(self.words(value, span)?) {
            let offset = self.pointer_constant(offset);
            let at = fold::binary(BinOp::Add, addr.clone(), offset, self.pointer_width());
            self.body.span = span;
            self.emit_store(at, value, order);
        }
        Ok(())
    }

    /// The words of a constant; `None` if it is not known here.
    pub fn constant_words(&mut self, value: TypedValue, span: Span) -> Lowered<Option<[u64; 2]>> {
        Ok(constants(&self.words(value, span)?))
    }

    /// Whether a value differs from 0, in one bit.
    pub fn int128_truth(&mut self, value: TypedValue, span: Span) -> Lowered<Expr> {
        let [low, high] = self.words(value, span)?;
        Ok(fold::truth(binary(BinOp::Or, &low, &high), WORD))
    }

    /// Converts a number to one of 128 bits.
    pub fn convert_to_int128(
        &mut self,
        value: TypedValue,
        to: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let words = self.words(value, span)?;
        self.of_words(words, to, span)
    }

    /// Converts a number of 128 bits to a smaller integer, or to a pointer.
    pub fn convert_from_int128(
        &mut self,
        value: TypedValue,
        to: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let width = self.scalar_width(to, span)?;
        if self.types.is_float(to) {
            return self.unsupported(
                span,
                "a conversion of `__int128` to a floating-point number",
            );
        }
        let [low, _] = self.words(value, span)?;
        Ok(TypedValue::new(fold::resize(low, WORD, width, false), to))
    }

    /// One of two values of a type.
    pub fn int128_choice(
        &mut self,
        test: Expr,
        x: TypedValue,
        y: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let (test, ty) = (self.bind(test), x.ty);
        let ([low, high], [other_low, other_high]) = (self.words(x, span)?, self.words(y, span)?);
        let low = fold::choose(test.clone(), low, other_low);
        self.of_words([low, fold::choose(test, high, other_high)], ty, span)
    }

    /// The type of `c ? a : b` if it has 128 bits.
    pub fn int128_type_of_either(&mut self, a: &'a Ast, b: &'a Ast) -> Lowered<Option<TypeId>> {
        let types = [self.type_of(a)?, self.type_of(b)?];
        let is_any = types.into_iter().any(|ty| self.types.is_int128(ty));
        let is_number = |ty| self.types.is_int128(ty) || self.types.is_integer(ty);
        let are_numbers = types.into_iter().all(is_number);
        Ok((is_any && are_numbers).then(|| self.common(types[0], types[1])))
    }

    /// `c ? a : b` where the operands do more than compute: each is converted where it is evaluated.
    pub fn int128_conditional(
        &mut self,
        c: &'a Ast,
        (a, b): (&'a Ast, &'a Ast),
        ty: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let results = [self.body.local("", WORD), self.body.local("", WORD)];
        let (other, end) = (self.body.label(), self.body.label());
        self.branch(c, false, other)?;
        self.where_reached(|this| this.assign_int128(results, a, ty))?;
        self.body.jump(None, end);
        self.body.place(other);
        self.where_reached(|this| this.assign_int128(results, b, ty))?;
        self.body.place(end);
        self.of_words(results.map(Expr::Local), ty, span)
    }

    fn assign_int128(&mut self, to: [LocalId; 2], e: &'a Ast, ty: TypeId) -> Lowered<()> {
        let value = self.value_for(e, ty)?;
        for (dst, value) in to.into_iter().zip(self.words(value, e.span)?) {
            self.emit_at(e.span, Op::Assign { dst, value });
        }
        Ok(())
    }

    /// A prefix operator other than `&`, `*` and `!`.
    pub fn int128_unary(
        &mut self,
        op: UnaryOp,
        value: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let ty = self.types.plain(value.ty);
        let words = self.words(value, span)?;
        let words = match op {
            UnaryOp::Minus => {
                if self.types.is_signed_int128(ty) && self.is_checked(PropertyKind::Overflow) {
                    let least = [word(0), word(1 << (WORD - 1))];
                    let cond = fold::not(is_equal(&words, &least));
                    self.check(Rule::Overflow, cond, "the negation does not overflow", span);
                }
                self.program.wraps = true;
                difference(&[word(0), word(0)], &words)
            }
            UnaryOp::Complement => words.map(|word| fold::unary(UnOp::Not, word, WORD)),
            _ => words,
        };
        self.of_words(words, ty, span)
    }

    /// A binary operator of two numbers one of which has 128 bits.
    pub fn int128_binary(
        &mut self,
        op: BinaryOp,
        a: TypedValue,
        b: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.int128_shift(op, a, b, span);
        }
        let ty = self.common(a.ty, b.ty);
        let signed = self.types.is_signed_int128(ty);
        let (a, b) = (self.words(a, span)?, self.words(b, span)?);
        let words = match op {
            BinaryOp::Add => sum(&a, &b),
            BinaryOp::Sub => difference(&a, &b),
            BinaryOp::Mul => self.int128_product(&a, &b),
            BinaryOp::Div | BinaryOp::Rem => self.int128_quotient(op, &a, &b, span)?,
            BinaryOp::And => [0, 1].map(|i| binary(BinOp::And, &a[i], &b[i])),
            BinaryOp::Or => [0, 1].map(|i| binary(BinOp::Or, &a[i], &b[i])),
            BinaryOp::Xor => [0, 1].map(|i| binary(BinOp::Xor, &a[i], &b[i])),
            comparison => {
                let truth = match comparison {
                    BinaryOp::Lt => is_less(&a, &b, signed),
                    BinaryOp::Gt => is_less(&b, &a, signed),
                    BinaryOp::Le => fold::not(is_less(&b, &a, signed)),
                    BinaryOp::Ge => fold::not(is_less(&a, &b, signed)),
                    BinaryOp::Ne => fold::not(is_equal(&a, &b)),
                    _ => is_equal(&a, &b),
                };
                return Ok(self.int_of_truth(truth));
            }
        };
        if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            self.program.wraps = true;
            if signed && self.is_checked(PropertyKind::Overflow) {
                self.check_int128(op, [&a[1], &b[1], &words[1]], span)?;
            }
        }
        self.of_words(words, ty, span)
    }

    /// Asserts that a sum or a difference does not overflow, by its highest words: what is added has one sign,
    /// and the result the other one.
    fn check_int128(
        &mut self,
        op: BinaryOp,
        [a, b, result]: [&Expr; 3],
        span: Span,
    ) -> Lowered<()> {
        let [x, y, z] = [a, b, result].map(negative);
        let differ = |a: &Expr, b: &Expr| Expr::binary(BinOp::Ne, a.clone(), b.clone());
        let (may, text) = match op {
            BinaryOp::Add => (fold::not(differ(&x, &y)), "the sum does not overflow"),
            BinaryOp::Sub => (differ(&x, &y), "the difference does not overflow"),
            _ => return self.unsupported(span, "a check of overflows of products of `__int128`"),
        };
        let cond = fold::not(and(may, differ(&x, &z)));
        self.check(Rule::Overflow, cond, text, span);
        Ok(())
    }

    /// The product of the lower words by halves, and the cross products that reach the higher word.
    fn int128_product(&mut self, a: &Words, b: &Words) -> Words {
        let half = word(u64::from(WORD) / 2);
        let ones = word(u64::from(u32::MAX));
        let [x, y] = [&a[0], &b[0]].map(|w| {
            let high = self.bind(binary(BinOp::Lshr, w, &half));
            [self.bind(binary(BinOp::And, w, &ones)), high]
        });
        let lows = self.bind(binary(BinOp::Mul, &x[0], &y[0]));
        // Neither sum overflows: a product of halves leaves room for two halves.
        let carry = binary(BinOp::Lshr, &lows, &half);
        let first = binary(BinOp::Mul, &x[1], &y[0]);
        let first = self.bind(binary(BinOp::Add, &first, &carry));
        let second = binary(BinOp::Mul, &x[0], &y[1]);
        let rest = binary(BinOp::And, &first, &ones);
        let second = self.bind(binary(BinOp::Add, &second, &rest));
        let low = binary(BinOp::Mul, &a[0], &b[0]);
        let terms = [
            binary(BinOp::Mul, &x[1], &y[1]),
            binary(BinOp::Lshr, &first, &half),
            binary(BinOp::Lshr, &second, &half),
            binary(BinOp::Mul, &a[0], &b[1]),
            binary(BinOp::Mul, &a[1], &b[0]),
        ];
        let add = |all, term| binary(BinOp::Add, &all, &term);
        [low, terms.into_iter().fold(word(0), add)]
    }

    /// A quotient or a remainder of numbers that fit into a word.
    fn int128_quotient(
        &mut self,
        op: BinaryOp,
        a: &Words,
        b: &Words,
        span: Span,
    ) -> Lowered<Words> {
        let is_zero = |word: &Expr| matches!(word, Expr::Const { value: 0, .. });
        if !is_zero(&a[1]) || !is_zero(&b[1]) {
            return self.unsupported(span, "a division of `__int128`");
        }
        if self.is_checked(PropertyKind::DivisionByZero) {
            let cond = binary(BinOp::Ne, &b[0], &word(0));
            let text = "the divisor is not zero";
            self.check(Rule::DivisionByZero, cond, text, span);
        }
        let op = if op == BinaryOp::Div {
            BinOp::Udiv
        } else {
            BinOp::Urem
        };
        Ok([binary(op, &a[0], &b[0]), word(0)])
    }

    /// The right operand of a shift in one word: one that is not small stays so, which is undefined.
    fn distance_of_shift(&mut self, by: TypedValue, span: Span) -> Lowered<Expr> {
        let [low, high] = self.words(by, span)?;
        let is_small = binary(BinOp::Eq, &high, &word(0));
        Ok(fold::choose(is_small, low, word(u64::MAX)))
    }

    fn int128_shift(
        &mut self,
        op: BinaryOp,
        a: TypedValue,
        b: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        if !self.types.is_int128(a.ty) {
            let by = self.distance_of_shift(b, span)?;
            let by = TypedValue::new(by, self.types.size_t());
            return self.binary(op, a, by, span);
        }
        let ty = self.types.plain(a.ty);
        let signed = self.types.is_signed_int128(ty);
        if op == BinaryOp::Shl && signed && self.is_checked(PropertyKind::Overflow) {
            return self.unsupported(span, "a check of overflows of shifts of `__int128`");
        }
        let words = self.words(a, span)?;
        let by = self.distance_of_shift(b, span)?;
        self.check_shift(&by, WORD, 2 * WORD, span);
        self.program.wraps |= op == BinaryOp::Shl;
        self.of_words(shifted(op, &words, &by, signed), ty, span)
    }
}
