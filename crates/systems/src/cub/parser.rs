//! What the parser of `.cub` files reads at once: signs, keywords, names.

use super::ast;
use super::lex::CubTokenKind;
use base::tokens::{Parsed, Token, Tokens};

/// The tokens and how far they are read.
pub(super) type Parser = Tokens<CubTokenKind>;

/// What stands at the next place.
pub(super) trait CubTokens {
    /// True when the next token is this sign.
    fn is_sign(&self, sign: &'static str) -> bool;
    /// Reads a sign, if it is the next token.
    fn eat_sign(&mut self, sign: &'static str) -> bool;
    /// Reads a keyword, if it is the next token.
    fn eat_word(&mut self, word: &'static str) -> bool;
    /// Reads a sign.
    fn sign(&mut self, sign: &'static str) -> Parsed<Token<CubTokenKind>>;
    /// Reads a keyword.
    fn word(&mut self, word: &'static str) -> Parsed<Token<CubTokenKind>>;
    /// Reads a name of a kind.
    fn ident(&mut self, kind: CubTokenKind, what: &str) -> Parsed<ast::Ident>;
    /// Reads a name that begins with a small letter.
    fn lower(&mut self, what: &str) -> Parsed<ast::Ident>;
    /// Reads a name that begins with a capital.
    fn upper(&mut self, what: &str) -> Parsed<ast::Ident>;
}

impl CubTokens for Parser {
    fn is_sign(&self, sign: &'static str) -> bool {
        self.is(CubTokenKind::Sign(sign))
    }

    fn eat_sign(&mut self, sign: &'static str) -> bool {
        self.eat(CubTokenKind::Sign(sign))
    }

    fn eat_word(&mut self, word: &'static str) -> bool {
        self.eat(CubTokenKind::Keyword(word))
    }

    fn sign(&mut self, sign: &'static str) -> Parsed<Token<CubTokenKind>> {
        if self.is_sign(sign) {
            return Ok(self.advance());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    fn word(&mut self, word: &'static str) -> Parsed<Token<CubTokenKind>> {
        if self.is(CubTokenKind::Keyword(word)) {
            return Ok(self.advance());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn ident(&mut self, kind: CubTokenKind, what: &str) -> Parsed<ast::Ident> {
        if !self.is(kind) {
            return Err(self.unexpected(what));
        }
        let token = self.advance();
        Ok(ast::Ident {
            text: token.text,
            span: token.span,
        })
    }

    fn lower(&mut self, what: &str) -> Parsed<ast::Ident> {
        self.ident(CubTokenKind::Lower, what)
    }

    fn upper(&mut self, what: &str) -> Parsed<ast::Ident> {
        self.ident(CubTokenKind::Upper, what)
    }
}
