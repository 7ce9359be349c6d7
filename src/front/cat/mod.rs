//! The cat language in which memory models are written: text to syntax.
//!
//! A cat file is a title and a list of statements. `let` names relations, sets and functions,
//! `acyclic`/`irreflexive`/`empty` ask something of a relation, `include` brings in another file.
//! The grammar is herd7's (Alglave, Cousot, Maranget: "Syntax and semantics of the weak consistency
//! model specification language cat", 2016); what it means is the business of `mm::compile`.
//!
//! Binding, loosest first: `|`, `++`, `;`, `\`, `&`, then `*` and `~`, then `+ * ? ^-1` and
//! application. `|`, `++`, `;` and `&` group to the right, `\` to the left. A `*` is the product of
//! sets when an operand follows and the closure otherwise.
//!
//! Statements of the wider language that describe instructions or search (`enum`, `instructions`,
//! `forall`, …) are refused by name. A wrong statement does not hide the errors of the next ones.

pub mod ast;
mod expr;
mod item;
mod lex;

use crate::base::diag::Diag;
use crate::base::source::{FileId, SourceMap};
use lex::{Kind, Token};

/// Reads a cat file.
///
/// # Errors
/// Every wrong or unsupported statement, in the order of the text.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::File, Vec<Diag>> {
    let (tokens, errors) = lex::lex(&sources.file(file).text, file);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        errors,
    };
    let parsed = item::file(&mut parser);
    if parser.errors.is_empty() {
        Ok(parsed)
    } else {
        Err(parser.errors)
    }
}

/// How deep expressions and statements may nest; keeps recursion away from the end of the stack.
const MAX_DEPTH: usize = 200;

/// The tokens and how far they are read.
struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    errors: Vec<Diag>,
}

/// A statement that could not be read; boxed because errors are rare and large.
type Parsed<T> = Result<T, Box<Diag>>;

impl Parser {
    /// The token to be read next; the last one is the end of the text.
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

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.is(kind);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Token> {
        if self.is(kind) {
            return Ok(self.next());
        }
        Err(self.unexpected(what))
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
