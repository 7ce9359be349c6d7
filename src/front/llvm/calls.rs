//! Calls.

use super::ast::{Argument, Call, FunctionType, Op, Type};
use super::instructions::Yield;
use super::lex::TokenKind;
use super::parser::Parser;
use base::diag::Diag;
use base::tokens::Parsed;

impl Parser<'_> {
    /// `call`, behind its name.
    pub fn call_instruction(&mut self) -> Parsed<(Op, Yield)> {
        let call = self.call()?;
        let yields = Yield::of(&call.ty.ret, false);
        Ok((Op::Call(call), yields))
    }

    /// `invoke`, behind its name.
    pub fn invoke(&mut self) -> Parsed<(Op, Yield)> {
        let call = self.call()?;
        self.expect_word("to")?;
        let normal = self.label()?;
        self.expect_word("unwind")?;
        let unwind = self.label()?;
        let yields = Yield::of(&call.ty.ret, true);
        let op = Op::Invoke {
            call,
            normal,
            unwind,
        };
        Ok((op, yields))
    }

    /// `callbr`, behind its name.
    pub fn call_branch(&mut self) -> Parsed<(Op, Yield)> {
        let call = self.call()?;
        self.expect_word("to")?;
        self.label()?;
        self.labels()?;
        let yields = Yield::of(&call.ty.ret, true);
        Ok((Op::Unsupported("callbr".to_string()), yields))
    }

    /// Flags, convention, attributes, type, callee, arguments, attributes, operand bundles.
    fn call(&mut self) -> Parsed<Call> {
        self.flags();
        self.calling_convention()?;
        self.value_attributes(None)?;
        self.address_space()?;
        let written = self.any_type()?;
        let callee = self.pointer_value()?;
        let start = self.peek();
        let args = self.arguments()?;
        self.call_attributes()?;
        if self.eat_sign(b'[') {
            self.bundles()?;
        }
        let ty = match (self.shape(&written), &written) {
            (Type::Function(ty), _) => {
                let (wanted, found) = (ty.params.len(), args.len());
                if found < wanted || found > wanted && !ty.variadic {
                    let message = format!("this call has {found} arguments, its type {wanted}");
                    return Err(self.error(start, message));
                }
                FunctionType::clone(ty)
            }
            (_, ret) => FunctionType {
                ret: ret.clone(),
                params: args.iter().map(|a| a.value.ty.clone()).collect(),
                variadic: false,
            },
        };
        Ok(Call { callee, ty, args })
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect_sign(b'(')?;
        let mut args = Vec::new();
        while !self.eat_sign(b')') {
            if !args.is_empty() {
                self.expect(TokenKind::Sign(b','), "`,` or `)`")?;
            }
            if self.is(TokenKind::Dots) {
                let message = "a call that passes on variable arguments is not supported";
                return Err(Box::new(Diag::unsupported(self.span(self.peek()), message)));
            }
            let start = self.peek().start;
            let ty = self.value_type()?;
            let by_value = match ty {
                Type::Metadata => None,
                _ => self.value_attributes(Some(&ty))?,
            };
            let value = self.value(ty, start)?;
            args.push(Argument { value, by_value });
        }
        Ok(args)
    }

    /// Attributes behind the arguments.
    fn call_attributes(&mut self) -> Parsed<()> {
        loop {
            match self.peek().kind {
                TokenKind::AttributeGroup => drop(self.advance()),
                TokenKind::String => self.string_attribute()?,
                TokenKind::Word if self.attribute()? => {}
                _ => return Ok(()),
            }
        }
    }

    /// Operand bundles, behind their opening bracket.
    fn bundles(&mut self) -> Parsed<()> {
        let mut first = true;
        while !self.eat_sign(b']') {
            if !first {
                self.expect_sign(b',')?;
            }
            first = false;
            self.expect(TokenKind::String, "the tag of an operand bundle")?;
            self.expect_sign(b'(')?;
            let mut is_first = true;
            while !self.eat_sign(b')') {
                if !is_first {
                    self.expect_sign(b',')?;
                }
                is_first = false;
                self.typed_value()?;
            }
        }
        Ok(())
    }
}
