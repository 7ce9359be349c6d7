//! What the parser of `.cub` files reads at once: signs, keywords, names.

use super::ast;
use super::lex::CubTokenKind;
use crate::front::tokens::{Parsed, Token, Tokens};

/// The tokens and how far they are read.
pub(super) type Parser = Tokens<CubTokenKind>;

impl Parser {
    /// True when the next token is this sign.
    pub fn is_sign(&self, sign: &'static str) -> bool {
        self.is(CubTokenKind::Sign(sign))
    }

    /// Reads a sign, if it is the next token.
    pub fn eat_sign(&mut self, sign: &'static str) -> bool {
        self.eat(CubTokenKind::Sign(sign))
    }

    /// Reads a keyword, if it is the next token.
    pub fn eat_word(&mut self, word: &'static str) -> bool {
        self.eat(CubTokenKind::Keyword(word))
    }

    /// Reads a sign.
    pub fn sign(&mut self, sign: &'static str) -> Parsed<Token<CubTokenKind>> {
        if self.is_sign(sign) {
            return Ok(self.next());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    /// Reads a keyword.
    pub fn word(&mut self, word: &'static str) -> Parsed<Token<CubTokenKind>> {
        if self.is(CubTokenKind::Keyword(word)) {
            return Ok(self.next());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    /// Reads a name of a kind.
    pub fn ident(&mut self, kind: CubTokenKind, what: &str) -> Parsed<ast::Ident> {
        if !self.is(kind) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(ast::Ident {
            text: token.text,
            span: token.span,
        })
    }

    /// Reads a name that begins with a small letter.
    pub fn lower(&mut self, what: &str) -> Parsed<ast::Ident> {
        self.ident(CubTokenKind::Lower, what)
    }

    /// Reads a name that begins with a capital.
    pub fn upper(&mut self, what: &str) -> Parsed<ast::Ident> {
        self.ident(CubTokenKind::Upper, what)
    }
}
