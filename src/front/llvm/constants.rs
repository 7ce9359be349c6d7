//! Operands: names, constants and inline assembly.

use super::ast::{Assembly, ConstantExpr, Type, TypedOperand, ValueKind};
use super::lex::{self, TokenKind};
use super::names::Local;
use super::parser::Parser;
use super::{expressions, floats};
use base::diag::Diag;
use base::tokens::Parsed;

/// How many elements a `splat` may have; larger ones are no values that are supported.
const MAX_SPLAT: u64 = 1024;

impl Parser<'_> {
    /// Reads a type and a value of it.
    pub fn typed_value(&mut self) -> Parsed<TypedOperand> {
        let start = self.peek().start;
        let ty = self.value_type()?;
        self.value(ty, start)
    }

    /// Reads a value of a type. Its span begins where that type does, or with the value.
    pub fn value(&mut self, ty: Type, start: usize) -> Parsed<TypedOperand> {
        let kind = match ty {
            Type::Metadata => ValueKind::Metadata(self.metadata_operand()?),
            _ => self.nested(|p| p.value_kind(&ty))?,
        };
        let span = self.span_from(start);
        Ok(TypedOperand { ty, kind, span })
    }

    /// Reads a second value of a type that is written once.
    pub fn same_type(&mut self, first: &TypedOperand) -> Parsed<TypedOperand> {
        self.expect_sign(b',')?;
        let start = self.peek().start;
        self.value(first.ty.clone(), start)
    }

    /// Reads the value that is called, or that an alias names: a pointer whose type is not written.
    pub fn pointer_value(&mut self) -> Parsed<TypedOperand> {
        let start = self.peek().start;
        let mut ty = Type::Pointer(None);
        let kind = match self.peek().kind {
            TokenKind::Word if expressions::is_expression(self.word()) => {
                let (expression, to) = self.nested(Self::expression)?;
                ty = to.unwrap_or(ty);
                ValueKind::Expr(Box::new(expression))
            }
            TokenKind::Word if self.word() == "asm" => self.assembly()?,
            _ => self.value_kind(&ty)?,
        };
        let span = self.span_from(start);
        Ok(TypedOperand { ty, kind, span })
    }

    fn value_kind(&mut self, ty: &Type) -> Parsed<ValueKind> {
        match self.peek().kind {
            TokenKind::Local => {
                let what = match ty {
                    Type::Label => Local::Block,
                    _ => Local::Value,
                };
                Ok(ValueKind::Local(self.use_local(what)?))
            }
            TokenKind::Global => {
                if !self.shape(ty).is_pointer() {
                    return Err(self.unexpected_of("a pointer", "a name of the module"));
                }
                Ok(ValueKind::Global(self.use_global()))
            }
            TokenKind::Integer | TokenKind::HexadecimalInteger => self.integer(ty),
            TokenKind::Decimal | TokenKind::Hexadecimal => self.float(ty),
            TokenKind::Sign(b'[') => {
                if !matches!(self.shape(ty), Type::Array(..) | Type::Named(_)) {
                    return Err(self.unexpected_of("an array", "`[`"));
                }
                self.elements(b']', ty)
            }
            TokenKind::Sign(b'{') => {
                let shape = self.shape(ty);
                if !matches!(shape, Type::Struct { packed: false, .. } | Type::Named(_)) {
                    return Err(self.unexpected_of("a structure", "`{`"));
                }
                self.elements(b'}', ty)
            }
            TokenKind::Sign(b'<') => self.angles(ty),
            TokenKind::Word => self.word_value(ty),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn word_value(&mut self, ty: &Type) -> Parsed<ValueKind> {
        let word = self.word();
        if expressions::is_expression(word) {
            let token = self.peek();
            let (expression, to) = self.expression()?;
            if to.is_some_and(|to| to != *ty) {
                let message =
                    "this constant expression does not have the type that is written before it";
                return Err(self.error(token, message));
            }
            return Ok(ValueKind::Expr(Box::new(expression)));
        }
        let kind = match word {
            "true" | "false" => {
                if *self.shape(ty) != Type::Int(1) {
                    return Err(self.unexpected_of("`i1`", &format!("`{word}`")));
                }
                ValueKind::Int(u128::from(word == "true"))
            }
            "null" => {
                if !self.shape(ty).is_pointer() {
                    return Err(self.unexpected_of("a pointer", "`null`"));
                }
                ValueKind::Null
            }
            "undef" => ValueKind::Undef,
            "poison" => ValueKind::Poison,
            "zeroinitializer" => ValueKind::Zero,
            "none" => ValueKind::None,
            "c" => return self.byte_string(ty),
            "asm" => return self.assembly(),
            "blockaddress" => return self.block_address(),
            "splat" => return self.splat(ty),
            "dso_local_equivalent" | "no_cfi" => {
                self.advance();
                if !self.is(TokenKind::Global) {
                    return Err(self.unexpected("the name of a function"));
                }
                self.use_global();
                return Ok(unsupported(word));
            }
            "ptrauth" => {
                self.advance();
                if !self.is_sign(b'(') {
                    return Err(self.unexpected("`(`"));
                }
                self.skip_balanced()?;
                return Ok(unsupported(word));
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.advance();
        Ok(kind)
    }

    /// What is next needs another type than the one that is written before it.
    fn unexpected_of(&self, wanted: &str, found: &str) -> Box<Diag> {
        self.error(
            self.peek(),
            format!("{found} is no value of the type that is written before it, but of {wanted}"),
        )
    }

    fn integer(&mut self, ty: &Type) -> Parsed<ValueKind> {
        let Type::Int(bits) = *self.shape(ty) else {
            return Err(self.unexpected_of("an integer type", "a whole number"));
        };
        let token = self.advance();
        let text = self.text(token);
        let value = match token.kind {
            TokenKind::HexadecimalInteger => hexadecimal_integer(text, bits),
            _ => match text.strip_prefix('-') {
                Some(digits) => digits.parse::<u128>().ok().map(u128::wrapping_neg),
                None => text.parse().ok(),
            },
        };
        match value {
            Some(value) => Ok(ValueKind::Int(value)),
            None => {
                let message = "integers of more than 128 bits are not supported";
                Err(Box::new(Diag::unsupported(self.span(token), message)))
            }
        }
    }

    fn float(&mut self, ty: &Type) -> Parsed<ValueKind> {
        let Type::Float(kind) = *self.shape(ty) else {
            return Err(self.unexpected_of("a floating type", "a floating number"));
        };
        let token = self.advance();
        let text = self.text(token);
        let bits = match token.kind {
            TokenKind::Hexadecimal => floats::hexadecimal(text, kind),
            _ => floats::decimal(text, kind),
        };
        bits.map(ValueKind::Float)
            .map_err(|message| self.error(token, message))
    }

    /// `< … >`, `<{ … }>`
    fn angles(&mut self, ty: &Type) -> Parsed<ValueKind> {
        if self.ahead().kind == TokenKind::Sign(b'{') {
            let shape = self.shape(ty);
            if !matches!(shape, Type::Struct { packed: true, .. } | Type::Named(_)) {
                return Err(self.unexpected_of("a packed structure", "`<{`"));
            }
            self.advance();
            let elements = self.elements(b'}', ty)?;
            self.expect_sign(b'>')?;
            return Ok(elements);
        }
        if !matches!(self.shape(ty), Type::Vector(..) | Type::Named(_)) {
            return Err(self.unexpected_of("a vector", "`<`"));
        }
        self.elements(b'>', ty)
    }

    /// The elements of an aggregate, from its opening sign on.
    fn elements(&mut self, closing: u8, ty: &Type) -> Parsed<ValueKind> {
        let opening = self.advance();
        let mut elements: Vec<TypedOperand> = Vec::new();
        while !self.eat_sign(closing) {
            if !elements.is_empty() {
                self.expect_sign(b',')?;
            }
            elements.push(self.typed_value()?);
        }
        let count = match self.shape(ty) {
            Type::Array(count, _) | Type::Vector(count, _) => usize::try_from(*count).ok(),
            Type::Struct { fields, .. } => Some(fields.len()),
            _ => Some(elements.len()),
        };
        if count != Some(elements.len()) {
            let found = elements.len();
            let message = format!("its type does not have {found} elements");
            return Err(self.error_at(self.span_from(opening.start), message));
        }
        Ok(ValueKind::Aggregate(elements))
    }

    /// `c"…"`
    fn byte_string(&mut self, ty: &Type) -> Parsed<ValueKind> {
        let start = self.advance().start;
        let token = self.expect(TokenKind::String, "a string")?;
        let bytes = lex::unescape(self.quoted(token));
        match self.shape(ty) {
            Type::Array(count, element) if *self.shape(element) == Type::Int(8) => {
                if usize::try_from(*count) == Ok(bytes.len()) {
                    return Ok(ValueKind::String(bytes));
                }
                let message = format!("this string has {} bytes, its type {count}", bytes.len());
                Err(self.error_at(self.span_from(start), message))
            }
            _ => Err(self.error_at(self.span_from(start), "a string is an array of `i8`")),
        }
    }

    /// `splat (i32 1)`
    fn splat(&mut self, ty: &Type) -> Parsed<ValueKind> {
        let Type::Vector(count, _) = *self.shape(ty) else {
            return Err(self.unexpected_of("a vector", "`splat`"));
        };
        self.advance();
        self.expect_sign(b'(')?;
        let element = self.typed_value()?;
        self.expect_sign(b')')?;
        let is_scalar = !matches!(element.kind, ValueKind::Aggregate(_) | ValueKind::Expr(_));
        match usize::try_from(count) {
            Ok(count) if is_scalar && count as u64 <= MAX_SPLAT => {
                Ok(ValueKind::Aggregate(vec![element; count]))
            }
            _ => Ok(unsupported("splat")),
        }
    }

    /// `blockaddress(@f, %b)`
    fn block_address(&mut self) -> Parsed<ValueKind> {
        self.advance();
        self.expect_sign(b'(')?;
        if !self.is(TokenKind::Global) {
            return Err(self.unexpected("the name of a function"));
        }
        let function = self.use_global();
        self.expect_sign(b',')?;
        let block = self.expect(TokenKind::Local, "the name of a block")?;
        let block = self.name(block).into_owned();
        self.expect_sign(b')')?;
        Ok(ValueKind::BlockAddress(function, block))
    }

    /// `asm sideeffect "…", "…"`
    fn assembly(&mut self) -> Parsed<ValueKind> {
        self.expect_word("asm")?;
        let side_effect = self.eat_word("sideeffect");
        self.eat_word("alignstack");
        let intel = self.eat_word("inteldialect");
        self.eat_word("unwind");
        let template = self.string("the template of inline assembly")?;
        self.expect_sign(b',')?;
        let constraints = self.string("the constraints of inline assembly")?;
        Ok(ValueKind::Assembly(Box::new(Assembly {
            template,
            constraints,
            side_effect,
            intel,
        })))
    }
}

/// A constant expression that is kept by its name.
fn unsupported(word: &str) -> ValueKind {
    ValueKind::Expr(Box::new(ConstantExpr::Unsupported(word.to_string())))
}

/// `u0x…`, or `s0x…` whose highest digit has the sign: LLVM takes as many bits as the number needs, and the highest of
/// them is the sign.
fn hexadecimal_integer(text: &str, bits: u32) -> Option<u128> {
    let value = u128::from_str_radix(text.get(3..)?, 16).ok()?;
    let significant = 128 - value.leading_zeros();
    if !text.starts_with('s') || value == 0 || significant >= bits.min(128) {
        return Some(value);
    }
    Some(value | u128::MAX << significant)
}
