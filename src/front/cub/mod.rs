//! Weak array-based transition systems (`.cub`): text to syntax.
//!
//! The language is Cubicle's, with the weak memory of Cubicle-W: `weak var` and `weak array` are
//! read and written through store buffers, `fence()` holds when the performing process's buffer is
//! empty. Two notations are in circulation and both are read: `transition t ([p] q)` with bare `X`,
//! and `transition t (p q)` with `p @ X` (also `[p]X`) and `fence(p)`. Whether a file uses them
//! consistently is a question of types (`param::system`), not of syntax.
//!
//! Binding, tightest first: `not`, `if then else`, `&&`, `||`, `=>` and `<=>` (to the right),
//! quantifiers, whose body reaches as far as it can. A declaration that cannot be read is reported
//! and skipped up to the next word that begins one, so that the errors of the next ones are seen.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod ast;
mod decl;
mod expr;
mod lex;

use crate::base::diag::Diag;
use crate::base::source::{FileId, SourceMap};
use lex::{Kind, Token};

/// Reads a `.cub` file.
///
/// # Errors
/// Every declaration that cannot be read, in the order of the text.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::File, Vec<Diag>> {
    let (tokens, errors) = lex::lex(&sources.file(file).text, file);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        errors,
    };
    let parsed = decl::file(&mut parser);
    if parser.errors.is_empty() {
        Ok(parsed)
    } else {
        Err(parser.errors)
    }
}

/// How deep formulas may nest; keeps recursion away from the end of the stack.
const MAX_DEPTH: usize = 200;

/// The tokens and how far they are read.
struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    errors: Vec<Diag>,
}

/// A declaration that could not be read; boxed because errors are rare and large.
type Parsed<T> = Result<T, Box<Diag>>;

impl Parser {
    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + n).min(last)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, kind: Kind) -> bool {
        self.peek().kind == kind
    }

    fn is_sign(&self, sign: &'static str) -> bool {
        self.is(Kind::Sign(sign))
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.is(kind);
        if found {
            self.next();
        }
        found
    }

    fn eat_sign(&mut self, sign: &'static str) -> bool {
        self.eat(Kind::Sign(sign))
    }

    fn eat_word(&mut self, word: &'static str) -> bool {
        self.eat(Kind::Keyword(word))
    }

    fn sign(&mut self, sign: &'static str) -> Parsed<Token> {
        if self.is_sign(sign) {
            return Ok(self.next());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    fn word(&mut self, word: &'static str) -> Parsed<Token> {
        if self.is(Kind::Keyword(word)) {
            return Ok(self.next());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn ident(&mut self, kind: Kind, what: &str) -> Parsed<ast::Ident> {
        if !self.is(kind) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(ast::Ident {
            text: token.text,
            span: token.span,
        })
    }

    fn lower(&mut self, what: &str) -> Parsed<ast::Ident> {
        self.ident(Kind::Lower, what)
    }

    fn upper(&mut self, what: &str) -> Parsed<ast::Ident> {
        self.ident(Kind::Upper, what)
    }

    /// The next token is not what the grammar wants here.
    fn unexpected(&self, wanted: &str) -> Box<Diag> {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            _ => format!("`{}`", token.text),
        };
        Box::new(Diag::error(
            token.span,
            format!("expected {wanted}, found {found}"),
        ))
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Box::new(Diag::error(self.peek().span, message)));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests;
