//! The cursor over the tokens of a module, and what all parts of the parser use.

use super::ast::Module;
use super::lex::{self, Token, TokenKind};
use super::names::{Locals, Names};
use base::diag::Diag;
use base::source::{FileId, Span};
use base::tokens::{Parsed, span};
use std::collections::BTreeMap;

/// How deep types and constants may nest; keeps recursion away from the end of the stack.
pub(super) const MAX_DEPTH: usize = 100;

/// How much of a token a message shows.
const SHOWN: usize = 40;

/// What is read so far.
pub(super) struct Parser<'a> {
    text: &'a str,
    file: FileId,
    next: Token,
    last_end: usize,
    depth: usize,
    /// The module, as far as it is read.
    pub module: Module,
    /// The names of the module.
    pub names: Names<'a>,
    /// The names of the function whose body is read.
    pub locals: Option<Locals<'a>>,
    /// A function has begun whose closing brace is not read.
    pub in_function: bool,
}

impl<'a> Parser<'a> {
    /// A parser at the beginning of a text.
    pub fn new(text: &'a str, file: FileId) -> Parser<'a> {
        let module = Module {
            data_layout: String::new(),
            triple: String::new(),
            source: String::new(),
            assembly: Vec::new(),
            types: BTreeMap::new(),
            globals: Vec::new(),
            aliases: Vec::new(),
            functions: Vec::new(),
            metadata: BTreeMap::new(),
            span: span(file, 0, text.len()),
        };
        Parser {
            text,
            file,
            next: lex::token(text.as_bytes(), 0),
            last_end: 0,
            depth: 0,
            module,
            names: Names::default(),
            locals: None,
            in_function: false,
        }
    }

    /// The token to be read next.
    pub fn peek(&self) -> Token {
        self.next
    }

    /// The token after it.
    pub fn ahead(&self) -> Token {
        lex::token(self.text.as_bytes(), self.next.end)
    }

    /// Reads a token.
    pub fn advance(&mut self) -> Token {
        let token = self.next;
        self.last_end = token.end;
        self.next = self.ahead();
        token
    }

    /// What a token says.
    pub fn text(&self, token: Token) -> &'a str {
        self.slice(token.start, token.end)
    }

    /// The text between two bytes; empty where they are no bounds of characters.
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The text from a byte to the end of the token read last.
    pub fn text_from(&self, start: usize) -> &'a str {
        self.slice(start, self.last_end)
    }

    /// The keyword to be read next; empty where there is none.
    pub fn word(&self) -> &'a str {
        match self.next.kind {
            TokenKind::Word => self.text(self.next),
            _ => "",
        }
    }

    /// Where a token is.
    pub fn span(&self, token: Token) -> Span {
        span(self.file, token.start, token.end)
    }

    /// From a byte to the end of the token read last.
    pub fn span_from(&self, start: usize) -> Span {
        span(self.file, start, self.last_end.max(start))
    }

    /// True when the next token is of a kind.
    pub fn is(&self, kind: TokenKind) -> bool {
        self.next.kind == kind
    }

    /// True when the next token is this sign.
    pub fn is_sign(&self, sign: u8) -> bool {
        self.is(TokenKind::Sign(sign))
    }

    /// Reads a token of a kind, if it is the next one.
    pub fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        self.is(kind).then(|| self.advance())
    }

    /// Reads a sign, if it is the next token.
    pub fn eat_sign(&mut self, sign: u8) -> bool {
        self.eat(TokenKind::Sign(sign)).is_some()
    }

    /// Reads a keyword, if it is the next token.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    /// Reads a comma, unless attachments come behind it.
    pub fn eat_comma(&mut self) -> bool {
        let found = self.is_sign(b',') && self.ahead().kind != TokenKind::MetadataName;
        if found {
            self.advance();
        }
        found
    }

    /// Reads a token of a kind; `what` names it in the error.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Token> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => Err(self.unexpected(what)),
        }
    }

    /// Reads a sign.
    pub fn expect_sign(&mut self, sign: u8) -> Parsed<()> {
        let what = format!("`{}`", char::from(sign));
        self.expect(TokenKind::Sign(sign), &what).map(drop)
    }

    /// Reads a keyword.
    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    /// The next token is not what the grammar wants here.
    pub fn unexpected(&self, wanted: &str) -> Box<Diag> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Unclosed => return self.error(token, "this quote is never closed"),
            _ => format!("`{}`", self.shown(token)),
        };
        self.error(token, format!("expected {wanted}, found {found}"))
    }

    /// What a token says, shortened for a message.
    pub fn shown(&self, token: Token) -> String {
        let text = self.text(token);
        let line = text.lines().next().unwrap_or_default();
        let mut shown: String = line.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        shown
    }

    /// An error at a token.
    pub fn error(&self, token: Token, message: impl Into<String>) -> Box<Diag> {
        self.error_at(self.span(token), message)
    }

    /// An error at a place.
    pub fn error_at(&self, place: Span, message: impl Into<String>) -> Box<Diag> {
        Box::new(Diag::error(place, message))
    }

    /// Runs `f` one level deeper.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// The error of what nests too deep.
    pub fn too_deep(&self) -> Box<Diag> {
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        Box::new(Diag::unsupported(self.span(self.peek()), message))
    }

    /// Reads a number that is not negative.
    pub fn unsigned(&mut self, what: &str) -> Parsed<u64> {
        let text = self.text(self.peek());
        let number = match self.peek().kind {
            TokenKind::Integer => text.parse().ok(),
            TokenKind::HexadecimalInteger => {
                let digits = text.strip_prefix("u0x");
                digits.and_then(|digits| u64::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        let Some(number) = number else {
            return Err(self.unexpected(what));
        };
        self.advance();
        Ok(number)
    }

    /// Reads a string, resolves its escapes and makes text of it.
    pub fn string(&mut self, what: &str) -> Parsed<String> {
        let token = self.expect(TokenKind::String, what)?;
        Ok(self.string_of(token))
    }

    /// The text of a string.
    pub fn string_of(&self, token: Token) -> String {
        let bytes = lex::unescape(self.quoted(token));
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// What a string has between its quotes.
    pub fn quoted(&self, token: Token) -> &'a str {
        let text = self.text(token);
        text.get(1..text.len().saturating_sub(1))
            .unwrap_or_default()
    }

    /// Reads over everything to the sign that closes the one that is next, which is one of `([{<`.
    pub fn skip_balanced(&mut self) -> Parsed<()> {
        let opening = self.advance();
        let mut open = vec![closing(opening.kind)];
        while let Some(expected) = open.last().copied() {
            let token = self.peek();
            match token.kind {
                TokenKind::End => {
                    let message = format!("`{}` is never closed", self.shown(opening));
                    return Err(self.error(opening, message));
                }
                TokenKind::Bad | TokenKind::Unclosed => {
                    return Err(self.unexpected(&expected_sign(expected)));
                }
                TokenKind::Sign(b'(' | b'[' | b'{' | b'<') => open.push(closing(token.kind)),
                kind if kind == TokenKind::Sign(expected) => drop(open.pop()),
                TokenKind::Sign(b')' | b']' | b'}' | b'>') => {
                    return Err(self.unexpected(&expected_sign(expected)));
                }
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }
}

fn expected_sign(sign: u8) -> String {
    format!("`{}`", char::from(sign))
}

/// The sign that closes an opening one.
fn closing(kind: TokenKind) -> u8 {
    match kind {
        TokenKind::Sign(b'[') => b']',
        TokenKind::Sign(b'{') => b'}',
        TokenKind::Sign(b'<') => b'>',
        _ => b')',
    }
}
