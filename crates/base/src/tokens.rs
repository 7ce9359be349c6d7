//! A stream of tokens with look-ahead, errors and a limit of nesting, for the parsers of the languages
//! that end a wrong declaration at the next one.

use super::comment::comment_len;
use crate::diag::Diag;
use crate::source::{FileId, Span};

/// How deep a text may nest; keeps recursion away from the end of the stack.
const MAX_DEPTH: usize = 200;

/// A part of the text that could not be read; boxed because errors are rare and large.
pub type Parsed<T> = Result<T, Box<Diag>>;

/// What the parsers need to know of a token kind.
pub trait TokenKind: Copy + PartialEq {
    /// The end of the text.
    const END: Self;
}

/// A token.
#[derive(Clone, Debug)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// As written, without quotes.
    pub text: String,
    /// Where.
    pub span: Span,
    /// Nothing but blanks and comments stands before it on its line.
    pub first_on_line: bool,
}

/// The tokens and how far they are read.
pub struct Tokens<K> {
    tokens: Vec<Token<K>>,
    at: usize,
    depth: usize,
    /// What was wrong so far.
    pub errors: Vec<Diag>,
}

impl<K: TokenKind> Tokens<K> {
    /// Tokens, the end of the text last, and what could not be read.
    pub fn new((tokens, errors): (Vec<Token<K>>, Vec<Diag>)) -> Tokens<K> {
        Tokens {
            tokens,
            at: 0,
            depth: 0,
            errors,
        }
    }

    /// The token to be read next; the last one is the end of the text.
    pub fn peek(&self) -> &Token<K> {
        self.ahead(0)
    }

    /// The token that is read after `n` others.
    pub fn ahead(&self, n: usize) -> &Token<K> {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + n).min(last)]
    }

    /// Reads a token.
    pub fn advance(&mut self) -> Token<K> {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the token read last is.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// How many tokens are read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position.
    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    /// True when the next token is of a kind.
    pub fn is(&self, kind: K) -> bool {
        self.peek().kind == kind
    }

    /// Reads a token of a kind, if it is the next one.
    pub fn eat(&mut self, kind: K) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Reads a token of a kind; `what` names it in the error.
    pub fn expect(&mut self, kind: K, what: &str) -> Parsed<Token<K>> {
        if self.is(kind) {
            return Ok(self.advance());
        }
        Err(self.unexpected(what))
    }

    /// The next token is not what the grammar wants here.
    pub fn unexpected(&self, wanted: &str) -> Box<Diag> {
        let token = self.peek();
        let found = if token.kind == K::END {
            "the end of the file".to_string()
        } else {
            format!("`{}`", token.text)
        };
        Box::new(Diag::error(
            token.span,
            format!("expected {wanted}, found {found}"),
        ))
    }

    /// Runs `f` one level deeper.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Box::new(Diag::unsupported(self.peek().span, message)));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// What was parsed, unless there were errors.
    pub fn finish<T>(self, parsed: T) -> Result<T, Vec<Diag>> {
        if self.errors.is_empty() {
            Ok(parsed)
        } else {
            Err(self.errors)
        }
    }
}

/// The length of the comment that begins the text; one that is never closed is an error and reaches
/// to the end.
pub fn comment(text: &str, file: FileId, at: usize, errors: &mut Vec<Diag>) -> usize {
    comment_len(text.as_bytes()).unwrap_or_else(|| {
        errors.push(never_closed("comment", file, at, 2));
        text.len()
    })
}

/// The error that what begins with `len` bytes at `at` is never closed.
pub fn never_closed(what: &str, file: FileId, at: usize, len: usize) -> Diag {
    let message = format!("this {what} is never closed");
    Diag::error(span(file, at, at + len), message).label("opened here")
}

/// The bytes from `start` to `end` of a file.
pub fn span(file: FileId, start: usize, end: usize) -> Span {
    Span {
        file,
        start: crate::idx::position(start),
        end: crate::idx::position(end),
    }
}
