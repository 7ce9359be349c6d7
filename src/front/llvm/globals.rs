//! Global variables, aliases and ifuncs.

use super::ast::{Alias, Global, Linkage, TypedOperand};
use super::attributes::Prefix;
use super::expressions;
use super::lex::{Token, TokenKind};
use super::parser::Parser;
use base::source::Span;
use base::tokens::Parsed;

impl Parser<'_> {
    /// `@name = …`, from its name on.
    pub fn named_global(&mut self, name: Token) -> Parsed<()> {
        self.advance();
        self.expect_sign(b'=')?;
        let span = self.span(name);
        let name = self.define_global(name)?;
        self.global(name, span)
    }

    /// A global without a name: it has the next number.
    pub fn unnamed_global(&mut self) -> Parsed<()> {
        let number = self.names.unnamed;
        self.names.unnamed = number.saturating_add(1);
        self.names.globals.insert(number.to_string().into());
        let span = self.span(self.peek());
        self.global(number.to_string(), span)
    }

    fn global(&mut self, name: String, span: Span) -> Parsed<()> {
        let prefix = self.prefix()?;
        match self.word() {
            word @ ("alias" | "ifunc") => {
                self.advance();
                self.alias(name, span, &prefix, word == "ifunc")
            }
            _ => self.variable(name, span, &prefix),
        }
    }

    fn variable(&mut self, name: String, span: Span, prefix: &Prefix) -> Parsed<()> {
        let mut address_space = 0;
        let constant = loop {
            match self.word() {
                "addrspace" => address_space = self.address_space()?,
                "externally_initialized" => drop(self.advance()),
                "global" => break false,
                "constant" => break true,
                _ => return Err(self.unexpected("`global` or `constant`")),
            }
        };
        self.advance();
        let start = self.peek().start;
        let ty = self.value_type()?;
        let init = match prefix.declares {
            true => None,
            false => Some(self.value(ty.clone(), start)?),
        };
        let (mut align, mut debug) = (None, None);
        loop {
            if self.is(TokenKind::AttributeGroup) {
                self.advance();
                continue;
            }
            if self.is(TokenKind::String) {
                self.string_attribute()?;
                continue;
            }
            if !self.eat_sign(b',') {
                if self.attribute()? {
                    continue;
                }
                break;
            }
            if self.is(TokenKind::MetadataName) {
                debug = self.attachment()?.or(debug);
                continue;
            }
            match self.word() {
                "section" | "partition" | "code_model" => {
                    self.advance();
                    self.expect(TokenKind::String, "a name in quotes")?;
                }
                "comdat" => self.comdat()?,
                "align" => align = Some(self.alignment()?),
                "no_sanitize_address"
                | "no_sanitize_hwaddress"
                | "sanitize_address_dyninit"
                | "sanitize_memtag" => drop(self.advance()),
                _ => return Err(self.unexpected("a property of a global variable")),
            }
        }
        self.module.globals.push(Global {
            name,
            linkage: prefix.linkage.unwrap_or(Linkage::External),
            thread_local: prefix.thread_local,
            constant,
            ty,
            init,
            align,
            address_space,
            debug,
            span,
        });
        Ok(())
    }

    fn alias(&mut self, name: String, span: Span, prefix: &Prefix, ifunc: bool) -> Parsed<()> {
        let ty = self.value_type()?;
        self.expect_sign(b',')?;
        let target: TypedOperand = if expressions::is_expression(self.word()) {
            self.pointer_value()?
        } else {
            let token = self.peek();
            let target = self.typed_value()?;
            if !target.ty.is_pointer() {
                return Err(self.error(token, "an alias names what a pointer points to"));
            }
            target
        };
        while self.eat_sign(b',') {
            if self.is(TokenKind::MetadataName) {
                self.attachment()?;
                continue;
            }
            self.expect_word("partition")?;
            self.expect(TokenKind::String, "a name in quotes")?;
        }
        self.module.aliases.push(Alias {
            name,
            linkage: prefix.linkage.unwrap_or(Linkage::External),
            ty,
            target,
            ifunc,
            span,
        });
        Ok(())
    }

    /// `comdat`, `comdat($name)`: read over.
    pub fn comdat(&mut self) -> Parsed<()> {
        self.advance();
        if self.eat_sign(b'(') {
            self.expect(TokenKind::Comdat, "the name of a comdat")?;
            self.expect_sign(b')')?;
        }
        Ok(())
    }
}
