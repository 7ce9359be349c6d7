//! Metadata: nodes with numbers, attachments, operands, and debug records.

use super::ast::{
    Argument, Call, FunctionType, Metadata, MetadataValue, Op, Type, TypedOperand, ValueKind,
};
use super::lex::TokenKind;
use super::parser::Parser;
use base::tokens::Parsed;

/// What debug records are called: an intrinsic has the same name behind `llvm.dbg.`.
const RECORDS: [&str; 5] = ["value", "declare", "assign", "label", "declare_value"];

impl Parser<'_> {
    /// `!5 = distinct !DILocation(…)`, from its number on; `start` is where `!` is.
    pub fn numbered_metadata(&mut self, start: usize) -> Parsed<()> {
        let number = self.unsigned("the number of a node")?;
        let place = self.span_from(start);
        self.expect_sign(b'=')?;
        self.eat_word("distinct");
        let node = self.node()?;
        if self.module.metadata.insert(number, node).is_some() {
            let message = format!("`!{number}` is defined already in this module");
            return Err(self.error_at(place, message));
        }
        Ok(())
    }

    /// `!{ … }`, `!DILocation(…)`
    fn node(&mut self) -> Parsed<Metadata> {
        if let Some(token) = self.eat(TokenKind::MetadataName) {
            let kind = self.text(token).get(1..).unwrap_or_default().to_string();
            self.expect_sign(b'(')?;
            let fields = self.fields(b')')?;
            return Ok(Metadata { kind, fields });
        }
        self.expect(TokenKind::Exclamation, "a node")?;
        self.expect_sign(b'{')?;
        let fields = self.fields(b'}')?;
        let kind = String::new();
        Ok(Metadata { kind, fields })
    }

    /// Fields to the closing sign.
    fn fields(&mut self, closing: u8) -> Parsed<Vec<(String, MetadataValue)>> {
        let mut fields = Vec::new();
        while !self.eat_sign(closing) {
            if !fields.is_empty() {
                self.expect_sign(b',')?;
            }
            let name = match self.eat(TokenKind::Label) {
                Some(token) => self.name(token).into_owned(),
                None => String::new(),
            };
            fields.push((name, self.field_value(closing)?));
        }
        Ok(fields)
    }

    fn field_value(&mut self, closing: u8) -> Parsed<MetadataValue> {
        let token = self.peek();
        match token.kind {
            TokenKind::Exclamation | TokenKind::MetadataName => return self.metadata_operand(),
            TokenKind::String => return Ok(MetadataValue::String(self.string("a string")?)),
            TokenKind::Integer => {
                self.advance();
                let text = self.text(token);
                let number = text.parse().map(MetadataValue::Int);
                return Ok(number.unwrap_or_else(|_| MetadataValue::Text(text.to_string())));
            }
            _ if self.begins_type() => {
                return Ok(MetadataValue::Value(Box::new(self.typed_value()?)));
            }
            _ => {}
        }
        // Flags, names of constants, numbers of other shapes.
        while !self.is_sign(b',') && !self.is_sign(closing) {
            match self.peek().kind {
                TokenKind::Word
                | TokenKind::Integer
                | TokenKind::Decimal
                | TokenKind::Hexadecimal
                | TokenKind::HexadecimalInteger
                | TokenKind::Sign(b'|') => drop(self.advance()),
                TokenKind::Sign(b'(') => self.skip_balanced()?,
                _ => return Err(self.unexpected("the value of a field")),
            }
        }
        let text = self.text_from(token.start);
        if self.peek().start == token.start {
            return Err(self.unexpected("the value of a field"));
        }
        Ok(MetadataValue::Text(text.to_string()))
    }

    /// What stands behind the type `metadata`: a node, a string, or a typed value.
    pub fn metadata_operand(&mut self) -> Parsed<MetadataValue> {
        let start = self.peek().start;
        match self.peek().kind {
            TokenKind::MetadataName => {
                self.advance();
                if !self.is_sign(b'(') {
                    return Err(self.unexpected("`(`"));
                }
                self.skip_balanced()?;
            }
            TokenKind::Exclamation => {
                self.advance();
                match self.peek().kind {
                    TokenKind::String => {
                        return Ok(MetadataValue::String(self.string("a string")?));
                    }
                    TokenKind::Sign(b'{') => self.skip_balanced()?,
                    _ => return Ok(MetadataValue::Node(self.unsigned("the number of a node")?)),
                }
            }
            _ if self.begins_type() => {
                let value = self.nested(Self::typed_value)?;
                return Ok(MetadataValue::Value(Box::new(value)));
            }
            _ => return Err(self.unexpected("metadata")),
        }
        Ok(MetadataValue::Text(self.text_from(start).to_string()))
    }

    /// Reads an attachment: its node, if it is `!dbg`.
    pub fn attachment(&mut self) -> Parsed<Option<u64>> {
        let token = self.expect(TokenKind::MetadataName, "an attachment")?;
        let is_debug = self.text(token) == "!dbg";
        if is_debug && self.is(TokenKind::MetadataName) {
            return self.location_in_place().map(Some);
        }
        match self.metadata_operand()? {
            MetadataValue::Node(number) if is_debug => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    /// A location that is written in place gets a number from the end of all numbers.
    fn location_in_place(&mut self) -> Parsed<u64> {
        let node = self.node()?;
        let mut number = u64::MAX - self.names.locations;
        while self.module.metadata.contains_key(&number) {
            number = number.saturating_sub(1);
        }
        self.names.locations = u64::MAX - number + 1;
        self.module.metadata.insert(number, node);
        Ok(number)
    }

    /// `!name = !{ … }`, from its name on: read over.
    pub fn named_metadata(&mut self) -> Parsed<()> {
        self.advance();
        self.expect_sign(b'=')?;
        self.expect(TokenKind::Exclamation, "`!{`")?;
        if !self.is_sign(b'{') {
            return Err(self.unexpected("`{`"));
        }
        self.skip_balanced()
    }

    /// `#dbg_value(…)`, from `#` on: the call of the intrinsic that says the same, and its location.
    pub fn debug_record(&mut self) -> Parsed<(Op, Option<u64>)> {
        self.advance();
        let token = self.peek();
        let record = self.word().strip_prefix("dbg_");
        let Some(record) = record.filter(|r| RECORDS.contains(r)) else {
            return Err(self.unexpected("the name of a debug record"));
        };
        self.advance();
        let callee = TypedOperand {
            ty: Type::Pointer(None),
            kind: ValueKind::Global(format!("llvm.dbg.{record}")),
            span: self.span(token),
        };
        self.expect_sign(b'(')?;
        let mut args = Vec::new();
        let mut debug = None;
        while !self.eat_sign(b')') {
            let start = self.peek().start;
            // The location is the last one.
            let is_location = self.text(self.peek()) == "!DILocation";
            if is_location {
                debug = Some(self.location_in_place()?);
                self.expect_sign(b')')?;
                break;
            }
            let value = self.metadata_operand()?;
            if self.is_sign(b')') {
                if let MetadataValue::Node(number) = value {
                    debug = Some(number);
                }
                continue;
            }
            self.expect_sign(b',')?;
            let value = TypedOperand {
                ty: Type::Metadata,
                kind: ValueKind::Metadata(value),
                span: self.span_from(start),
            };
            args.push(Argument {
                value,
                by_value: None,
            });
        }
        let ty = FunctionType {
            ret: Type::Void,
            params: vec![Type::Metadata; args.len()],
            variadic: false,
        };
        Ok((Op::Call(Call { callee, ty, args }), debug))
    }
}
