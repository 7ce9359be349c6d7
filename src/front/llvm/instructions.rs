//! Instructions: which one a word begins, and all but those of memory and calls.

use super::ast::{Op, Type, TypedOperand};
use super::expressions;
use super::lex::TokenKind;
use super::parser::Parser;
use base::tokens::Parsed;

/// Whether an instruction has a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Yield {
    /// It has one.
    Value,
    /// It has none.
    Nothing,
    /// It has none, and ends its block.
    End,
    /// It has one, and ends its block.
    ValueAndEnd,
}

impl Yield {
    /// What a call yields that returns a type.
    pub fn of(ret: &Type, ends: bool) -> Yield {
        match (ret, ends) {
            (Type::Void, true) => Yield::End,
            (Type::Void, false) => Yield::Nothing,
            (_, true) => Yield::ValueAndEnd,
            (_, false) => Yield::Value,
        }
    }

    /// True of terminators.
    pub fn ends(self) -> bool {
        matches!(self, Yield::End | Yield::ValueAndEnd)
    }

    /// True of instructions with a value.
    pub fn has_value(self) -> bool {
        matches!(self, Yield::Value | Yield::ValueAndEnd)
    }
}

impl Parser<'_> {
    /// Reads an instruction, without its result and its attachments.
    pub fn instruction(&mut self) -> Parsed<(Op, Yield)> {
        let token = self.peek();
        let word = self.word();
        if word.is_empty() {
            return Err(self.unexpected("an instruction"));
        }
        self.advance();
        if let Some(op) = expressions::binary(word) {
            let flags = self.flags();
            let left = self.typed_value()?;
            let right = self.same_type(&left)?;
            return Ok((Op::Binary(op, flags, left, right), Yield::Value));
        }
        if let Some(op) = expressions::cast(word) {
            let flags = self.flags();
            let value = self.typed_value()?;
            self.expect_word("to")?;
            let to = self.value_type()?;
            return Ok((Op::Cast(op, flags, value, to), Yield::Value));
        }
        if let Some(op) = self.terminator(word)? {
            return Ok((op, Yield::End));
        }
        let op = match word {
            "call" => return self.call_instruction(),
            "tail" | "musttail" | "notail" => {
                self.expect_word("call")?;
                return self.call_instruction();
            }
            "invoke" => return self.invoke(),
            "callbr" => return self.call_branch(),
            "catchswitch" => return self.catch_switch(),
            "store" => return Ok((self.store()?, Yield::Nothing)),
            "fence" => return Ok((Op::Fence(self.atomic()?), Yield::Nothing)),
            "alloca" => self.alloca()?,
            "load" => self.load()?,
            "cmpxchg" => self.compare_exchange()?,
            "atomicrmw" => self.read_modify_write()?,
            "getelementptr" => {
                let inbounds = self.pointer_flags()?;
                Op::ElementPointer(self.element_pointer(inbounds)?)
            }
            "fneg" => {
                self.flags();
                Op::FNeg(self.typed_value()?)
            }
            "icmp" => {
                self.flags();
                let predicate = self.int_predicate()?;
                let left = self.typed_value()?;
                let right = self.same_type(&left)?;
                Op::IntCompare(predicate, left, right)
            }
            "fcmp" => {
                self.flags();
                let predicate = self.float_predicate()?;
                let left = self.typed_value()?;
                let right = self.same_type(&left)?;
                Op::FloatCompare(predicate, left, right)
            }
            "phi" => self.phi()?,
            "select" => {
                self.flags();
                let condition = self.typed_value()?;
                let left = self.next_operand()?;
                let right = self.next_operand()?;
                Op::Select(condition, left, right)
            }
            "freeze" => Op::Freeze(self.typed_value()?),
            "va_arg" => {
                let list = self.typed_value()?;
                self.expect_sign(b',')?;
                Op::VaArg(list, self.value_type()?)
            }
            "extractvalue" => {
                let aggregate = self.typed_value()?;
                Op::ExtractValue(aggregate, self.indices()?)
            }
            "insertvalue" => {
                let aggregate = self.typed_value()?;
                let element = self.next_operand()?;
                Op::InsertValue(aggregate, element, self.indices()?)
            }
            "landingpad" => self.landing_pad()?,
            "extractelement" => self.unsupported(word, 2)?,
            "insertelement" | "shufflevector" => self.unsupported(word, 3)?,
            "catchpad" | "cleanuppad" => self.pad(word)?,
            _ => {
                let message = format!("`{}` is no instruction of LLVM IR", self.shown(token));
                return Err(self.error(token, message));
            }
        };
        Ok((op, Yield::Value))
    }

    /// The terminators without a value.
    fn terminator(&mut self, word: &str) -> Parsed<Option<Op>> {
        Ok(Some(match word {
            "ret" => {
                let start = self.peek().start;
                match self.any_type()? {
                    Type::Void => Op::Return(None),
                    ty => Op::Return(Some(self.value(ty, start)?)),
                }
            }
            "br" => self.branch()?,
            "switch" => self.switch()?,
            "unreachable" => Op::Unreachable,
            "resume" => Op::Resume(self.typed_value()?),
            "indirectbr" => {
                self.typed_value()?;
                self.expect_sign(b',')?;
                self.labels()?;
                Op::Unsupported(word.to_string())
            }
            "catchret" => {
                self.expect_word("from")?;
                self.token_value()?;
                self.expect_word("to")?;
                self.label()?;
                Op::Unsupported(word.to_string())
            }
            "cleanupret" => {
                self.expect_word("from")?;
                self.token_value()?;
                self.unwind_target()?;
                Op::Unsupported(word.to_string())
            }
            _ => return Ok(None),
        }))
    }

    fn branch(&mut self) -> Parsed<Op> {
        if self.word() == "label" {
            return Ok(Op::Branch(self.label()?));
        }
        let condition = self.typed_value()?;
        self.expect_sign(b',')?;
        let then = self.label()?;
        self.expect_sign(b',')?;
        Ok(Op::ConditionalBranch(condition, then, self.label()?))
    }

    fn switch(&mut self) -> Parsed<Op> {
        let value = self.typed_value()?;
        self.expect_sign(b',')?;
        let default = self.label()?;
        self.expect_sign(b'[')?;
        let mut cases = Vec::new();
        while !self.eat_sign(b']') {
            let case = self.typed_value()?;
            self.expect_sign(b',')?;
            cases.push((case, self.label()?));
        }
        Ok(Op::Switch {
            value,
            default,
            cases,
        })
    }

    fn phi(&mut self) -> Parsed<Op> {
        self.flags();
        let ty = self.value_type()?;
        let mut incoming = Vec::new();
        loop {
            self.expect_sign(b'[')?;
            let start = self.peek().start;
            let value = self.value(ty.clone(), start)?;
            self.expect_sign(b',')?;
            incoming.push((value, self.block_name()?));
            self.expect_sign(b']')?;
            if !self.eat_comma() {
                return Ok(Op::Phi(ty, incoming));
            }
        }
    }

    /// The clauses choose between exceptions; they are read over.
    fn landing_pad(&mut self) -> Parsed<Op> {
        let ty = self.value_type()?;
        self.eat_word("cleanup");
        while self.eat_word("catch") || self.eat_word("filter") {
            self.typed_value()?;
        }
        Ok(Op::LandingPad(ty))
    }

    /// `, T v`
    fn next_operand(&mut self) -> Parsed<TypedOperand> {
        self.expect_sign(b',')?;
        self.typed_value()
    }

    /// `, 0, 1` behind an aggregate.
    fn indices(&mut self) -> Parsed<Vec<u64>> {
        let mut indices = Vec::new();
        while self.eat_comma() {
            indices.push(self.unsigned("an index")?);
        }
        if indices.is_empty() {
            return Err(self.unexpected("`,` and an index"));
        }
        Ok(indices)
    }

    /// An instruction with this many operands that is kept by its name.
    fn unsupported(&mut self, word: &str, operands: usize) -> Parsed<Op> {
        self.typed_value()?;
        for _ in 1..operands {
            self.next_operand()?;
        }
        Ok(Op::Unsupported(word.to_string()))
    }

    /// `[label %a, label %b]`
    pub fn labels(&mut self) -> Parsed<()> {
        self.expect_sign(b'[')?;
        let mut first = true;
        while !self.eat_sign(b']') {
            if !first {
                self.expect_sign(b',')?;
            }
            first = false;
            self.label()?;
        }
        Ok(())
    }

    /// A value of the type `token`, which is not written.
    fn token_value(&mut self) -> Parsed<()> {
        let start = self.peek().start;
        self.value(Type::Token, start).map(drop)
    }

    /// `unwind to caller`, `unwind label %a`
    fn unwind_target(&mut self) -> Parsed<()> {
        self.expect_word("unwind")?;
        if self.eat_word("to") {
            return self.expect_word("caller");
        }
        self.label().map(drop)
    }

    /// `catchswitch within none [label %a] unwind to caller`
    fn catch_switch(&mut self) -> Parsed<(Op, Yield)> {
        self.expect_word("within")?;
        self.token_value()?;
        self.labels()?;
        self.unwind_target()?;
        let op = Op::Unsupported("catchswitch".to_string());
        Ok((op, Yield::ValueAndEnd))
    }

    /// `catchpad within %a [T v, …]`
    fn pad(&mut self, word: &str) -> Parsed<Op> {
        self.expect_word("within")?;
        self.token_value()?;
        self.expect_sign(b'[')?;
        let mut first = true;
        while !self.eat_sign(b']') {
            if !first {
                self.expect(TokenKind::Sign(b','), "`,` or `]`")?;
            }
            first = false;
            self.typed_value()?;
        }
        Ok(Op::Unsupported(word.to_string()))
    }
}
