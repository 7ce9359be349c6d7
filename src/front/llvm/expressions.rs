//! Constant expressions, and the operators that instructions share with them.

use super::ast::{
    BinaryOp, CastOp, ConstantExpr, ElementPointer, Flags, FloatPredicate, IntPredicate, Type,
};
use super::lex::TokenKind;
use super::parser::Parser;
use base::tokens::Parsed;

impl Parser<'_> {
    /// Reads a constant expression whose name is the next word; the type of a conversion comes with it.
    pub fn expression(&mut self) -> Parsed<(ConstantExpr, Option<Type>)> {
        let word = self.word();
        self.advance();
        if let Some(op) = cast(word) {
            self.flags();
            self.expect_sign(b'(')?;
            let value = self.typed_value()?;
            self.expect_word("to")?;
            let to = self.value_type()?;
            self.expect_sign(b')')?;
            return Ok((ConstantExpr::Cast(op, value), Some(to)));
        }
        if let Some(op) = binary(word) {
            let flags = self.flags();
            self.expect_sign(b'(')?;
            let left = self.typed_value()?;
            self.expect_sign(b',')?;
            let right = self.typed_value()?;
            self.expect_sign(b')')?;
            return Ok((ConstantExpr::Binary(op, flags, left, right), None));
        }
        let expression = match word {
            "getelementptr" => {
                let inbounds = self.pointer_flags()?;
                self.expect_sign(b'(')?;
                let pointer = self.element_pointer(inbounds)?;
                self.expect_sign(b')')?;
                ConstantExpr::ElementPointer(pointer)
            }
            "icmp" => {
                let predicate = self.int_predicate()?;
                self.expect_sign(b'(')?;
                let left = self.typed_value()?;
                self.expect_sign(b',')?;
                let right = self.typed_value()?;
                self.expect_sign(b')')?;
                ConstantExpr::Compare(predicate, left, right)
            }
            "select" => {
                self.expect_sign(b'(')?;
                let condition = self.typed_value()?;
                self.expect_sign(b',')?;
                let left = self.typed_value()?;
                self.expect_sign(b',')?;
                let right = self.typed_value()?;
                self.expect_sign(b')')?;
                ConstantExpr::Select(condition, left, right)
            }
            _ => {
                while self.is(TokenKind::Word) {
                    self.advance();
                }
                if !self.is_sign(b'(') {
                    return Err(self.unexpected("`(`"));
                }
                self.skip_balanced()?;
                ConstantExpr::Unsupported(word.to_string())
            }
        };
        Ok((expression, None))
    }

    /// `T, T* base, indices` behind `getelementptr`.
    pub fn element_pointer(&mut self, inbounds: bool) -> Parsed<ElementPointer> {
        let source = self.value_type()?;
        self.expect_sign(b',')?;
        let base = self.typed_value()?;
        let mut indices = Vec::new();
        while self.eat_comma() {
            self.eat_word("inrange");
            indices.push(self.typed_value()?);
        }
        Ok(ElementPointer {
            inbounds,
            source,
            base,
            indices,
        })
    }

    /// Reads what `getelementptr` promises: whether `inbounds` is there.
    pub fn pointer_flags(&mut self) -> Parsed<bool> {
        let mut inbounds = false;
        loop {
            match self.word() {
                "inbounds" => inbounds = true,
                "nuw" | "nusw" => {}
                "inrange" => {
                    self.advance();
                    if !self.is_sign(b'(') {
                        return Err(self.unexpected("`(`"));
                    }
                    self.skip_balanced()?;
                    continue;
                }
                _ => return Ok(inbounds),
            }
            self.advance();
        }
    }

    /// Reads what an operation promises.
    pub fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.word() {
                "nuw" => flags.no_unsigned_wrap = true,
                "nsw" => flags.no_signed_wrap = true,
                "exact" => flags.exact = true,
                "disjoint" => flags.disjoint = true,
                "nneg" => flags.non_negative = true,
                "fast" | "nnan" | "ninf" | "nsz" | "arcp" | "contract" | "reassoc" | "afn"
                | "samesign" => {}
                _ => return flags,
            }
            self.advance();
        }
    }

    /// The predicate of `icmp`.
    pub fn int_predicate(&mut self) -> Parsed<IntPredicate> {
        let predicate = match self.word() {
            "eq" => IntPredicate::Eq,
            "ne" => IntPredicate::Ne,
            "ugt" => IntPredicate::Ugt,
            "uge" => IntPredicate::Uge,
            "ult" => IntPredicate::Ult,
            "ule" => IntPredicate::Ule,
            "sgt" => IntPredicate::Sgt,
            "sge" => IntPredicate::Sge,
            "slt" => IntPredicate::Slt,
            "sle" => IntPredicate::Sle,
            _ => return Err(self.unexpected("a predicate of `icmp`")),
        };
        self.advance();
        Ok(predicate)
    }

    /// The predicate of `fcmp`.
    pub fn float_predicate(&mut self) -> Parsed<FloatPredicate> {
        let word = self.word();
        let Some((less, equal, greater, unordered)) = float_predicate(word) else {
            return Err(self.unexpected("a predicate of `fcmp`"));
        };
        self.advance();
        Ok(FloatPredicate {
            less,
            equal,
            greater,
            unordered,
        })
    }
}

/// For which orders of two numbers a predicate of `fcmp` holds: less, equal, greater, none.
fn float_predicate(word: &str) -> Option<(bool, bool, bool, bool)> {
    Some(match word {
        "false" => (false, false, false, false),
        "oeq" => (false, true, false, false),
        "ogt" => (false, false, true, false),
        "oge" => (false, true, true, false),
        "olt" => (true, false, false, false),
        "ole" => (true, true, false, false),
        "one" => (true, false, true, false),
        "ord" => (true, true, true, false),
        "ueq" => (false, true, false, true),
        "ugt" => (false, false, true, true),
        "uge" => (false, true, true, true),
        "ult" => (true, false, false, true),
        "ule" => (true, true, false, true),
        "une" => (true, false, true, true),
        "uno" => (false, false, false, true),
        "true" => (true, true, true, true),
        _ => return None,
    })
}

/// True of the words that begin a constant expression.
pub(super) fn is_expression(word: &str) -> bool {
    cast(word).is_some()
        || binary(word).is_some()
        || matches!(
            word,
            "getelementptr"
                | "icmp"
                | "fcmp"
                | "fneg"
                | "select"
                | "extractvalue"
                | "insertvalue"
                | "extractelement"
                | "insertelement"
                | "shufflevector"
        )
}

/// The conversion of a name.
pub(super) fn cast(word: &str) -> Option<CastOp> {
    Some(match word {
        "trunc" => CastOp::Trunc,
        "zext" => CastOp::ZExt,
        "sext" => CastOp::SExt,
        "fptrunc" => CastOp::FpTrunc,
        "fpext" => CastOp::FpExt,
        "fptoui" => CastOp::FpToUi,
        "fptosi" => CastOp::FpToSi,
        "uitofp" => CastOp::UiToFp,
        "sitofp" => CastOp::SiToFp,
        "ptrtoint" => CastOp::PtrToInt,
        "ptrtoaddr" => CastOp::PtrToAddr,
        "inttoptr" => CastOp::IntToPtr,
        "bitcast" => CastOp::BitCast,
        "addrspacecast" => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

/// The operator of a name.
pub(super) fn binary(word: &str) -> Option<BinaryOp> {
    Some(match word {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        "udiv" => BinaryOp::UDiv,
        "sdiv" => BinaryOp::SDiv,
        "urem" => BinaryOp::URem,
        "srem" => BinaryOp::SRem,
        "shl" => BinaryOp::Shl,
        "lshr" => BinaryOp::LShr,
        "ashr" => BinaryOp::AShr,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "fadd" => BinaryOp::FAdd,
        "fsub" => BinaryOp::FSub,
        "fmul" => BinaryOp::FMul,
        "fdiv" => BinaryOp::FDiv,
        "frem" => BinaryOp::FRem,
        _ => return None,
    })
}
