//! What a parser does with names: it notes definitions and uses, and says what is wrong with them.

use super::lex::{self, Token, TokenKind};
use super::names::Local;
use super::parser::Parser;
use base::diag::Diag;
use base::tokens::Parsed;
use std::borrow::Cow;

impl<'a> Parser<'a> {
    /// The name of a token: without its sigil or its colon, quotes and escapes resolved.
    pub fn name(&self, token: Token) -> Cow<'a, str> {
        let text = self.text(token);
        let text = match token.kind {
            TokenKind::Label | TokenKind::NumberedLabel => text.strip_suffix(':').unwrap_or(text),
            TokenKind::Word => text,
            _ => text.get(1..).unwrap_or_default(),
        };
        match text.strip_prefix('"') {
            Some(quoted) => unquoted(quoted.strip_suffix('"').unwrap_or(quoted)),
            None if number(text) => Cow::Borrowed(without_zeros(text)),
            None => Cow::Borrowed(text),
        }
    }

    /// Defines a local name as it is written at a token.
    pub fn define_local(&mut self, token: Token, what: Local) -> Parsed<Cow<'a, str>> {
        let name = self.name(token);
        let place = self.span(token);
        let locals = self.locals.get_or_insert_default();
        if number(&name) {
            let next = locals.next;
            if name.parse() != Ok(next) {
                let kind = match what {
                    Local::Value => "value",
                    Local::Block => "block",
                };
                let message = format!("the number of this {kind} is {next}, not {name}");
                return Err(self.error_at(place, message));
            }
            return Ok(locals.unnamed(what));
        }
        if let Some(before) = locals.defined.insert(name.clone(), what) {
            let kind = match before {
                Local::Value => "value",
                Local::Block => "block",
            };
            let message = format!("a {kind} named `%{name}` is defined already in this function");
            return Err(self.error_at(place, message));
        }
        Ok(name)
    }

    /// Reads the use of a local name that is the next token.
    pub fn use_local(&mut self, what: Local) -> Parsed<String> {
        let token = self.advance();
        let name = self.name(token);
        let place = self.span(token);
        let Some(locals) = &mut self.locals else {
            return Err(self.error(token, format!("`%{name}` is used outside of a function")));
        };
        locals.used(name.clone(), place, what);
        Ok(name.into_owned())
    }

    /// Reads the use of a name of the module that is the next token.
    pub fn use_global(&mut self) -> String {
        let token = self.advance();
        let name = self.name(token);
        let place = self.span(token);
        self.names.global_uses.entry(name.clone()).or_insert(place);
        name.into_owned()
    }

    /// Defines or declares a name of the module.
    pub fn define_global(&mut self, token: Token) -> Parsed<String> {
        let name = self.name(token);
        if let Ok(n) = name.parse::<u64>()
            && number(&name)
        {
            self.names.unnamed = self.names.unnamed.max(n.saturating_add(1));
        }
        if !self.names.globals.insert(name.clone()) {
            let message = format!("`@{name}` is defined already in this module");
            return Err(self.error(token, message));
        }
        Ok(name.into_owned())
    }

    /// Reads `label %name`.
    pub fn label(&mut self) -> Parsed<String> {
        self.expect_word("label")?;
        self.block_name()
    }

    /// Reads the name of a block.
    pub fn block_name(&mut self) -> Parsed<String> {
        if !self.is(TokenKind::Local) {
            return Err(self.unexpected("the name of a block"));
        }
        self.use_local(Local::Block)
    }

    /// Every name of the module that is used and not declared; types are named first.
    pub fn undeclared(&self) -> Vec<Diag> {
        let mut missing = Vec::new();
        for (name, place) in &self.names.type_uses {
            if !self.module.types.contains_key(name.as_ref()) {
                let message = format!("the type `%{name}` is not defined in this module");
                missing.push(Diag::error(*place, message));
            }
        }
        for (name, place) in &self.names.global_uses {
            // LLVM declares its own functions itself.
            if !self.names.globals.contains(name) && !name.starts_with("llvm.") {
                let message = format!("`@{name}` is not declared in this module");
                missing.push(Diag::error(*place, message));
            }
        }
        missing.sort_by_key(|d| d.labels.first().map(|(place, _)| *place));
        missing
    }
}

/// A name from between quotes. One that is no UTF-8 keeps its escapes, and one that looks like a number its quotes, so
/// that different names stay different.
fn unquoted(text: &str) -> Cow<'_, str> {
    if number(text) {
        return Cow::Owned(format!("\"{text}\""));
    }
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    match String::from_utf8(lex::unescape(text)) {
        Ok(name) if number(&name) => Cow::Owned(format!("\"{name}\"")),
        Ok(name) => Cow::Owned(name),
        Err(_) => Cow::Borrowed(text),
    }
}

fn number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn without_zeros(text: &str) -> &str {
    let rest = text.trim_start_matches('0');
    if rest.is_empty() { "0" } else { rest }
}
