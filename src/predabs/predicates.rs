//! The predicates file: a C condition a line, over shared variables and `thread:local`.
//!
//! ```text
//! # comment
//! Msg == 0
//! sender:lSSt + 1 <= Q[2] && !(turn == 0)
//! invariant receiver:count <= sender:count
//! ```
//!
//! A line that begins with `invariant` is no predicate but a property: it has to hold whenever no
//! thread is within a statement or an atomic section. It says what an assertion of one thread cannot,
//! as it may speak of the locals of several. Conditions are linear; numbers and truth values do not
//! mix, and `==` of truth values is not there.

use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Program, VariableKind};
use base::diag::Diag;
use base::source::{FileId, SourceMap, Span};

/// A predicate as it was written.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The condition.
    pub cond: Cond,
    /// How it is shown.
    pub text: String,
}

impl Predicate {
    /// Of a condition over the variables of a program.
    pub fn new(cond: Cond, program: &Program) -> Predicate {
        let text = cond.show(&|x| program.name(x));
        Predicate { cond, text }
    }
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct PredicatesFile {
    /// The predicates, in order, each once.
    pub predicates: Vec<Predicate>,
    /// The invariants to prove.
    pub invariants: Vec<Predicate>,
}

/// Nesting of a condition at most.
const MAX_DEPTH: usize = 200;
/// Numbers that are written are at most this.
const MAX_NUMBER: i128 = 1 << 62;
/// The same where both sides of a comparison have been put together.
const MAX_NORMAL_NUMBER: i128 = 1 << 64;

/// Reads a file.
///
/// # Errors
/// What is wrong with each line.
pub fn parse(
    sources: &SourceMap,
    file: FileId,
    program: &Program,
) -> Result<PredicatesFile, Vec<Diag>> {
    let text = &sources.file(file).text;
    let mut found = PredicatesFile::default();
    let mut errors = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim_end();
        let at = |from: usize, to: usize| Span {
            file,
            start: base::idx::position(start + from),
            end: base::idx::position(start + to),
        };
        match read_line(code, program, &at) {
            Ok(None) => {}
            Ok(Some((is_invariant, cond, text))) => {
                let to = match is_invariant {
                    true => &mut found.invariants,
                    false => &mut found.predicates,
                };
                if matches!(cond, Cond::Const(_)) {
                    let diag = Diag::error(at(0, code.len()), "this condition never changes");
                    errors.push(diag);
                } else if !to.iter().any(|p| p.cond == cond) {
                    to.push(Predicate { cond, text });
                }
            }
            Err(diag) => errors.push(diag),
        }
        start += line.len();
    }
    if errors.is_empty() {
        Ok(found)
    } else {
        Err(errors)
    }
}

type SpanAt<'a> = &'a dyn Fn(usize, usize) -> Span;

/// Whose variables a condition may speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Those of the source.
    Source,
    /// Those of the program with its buffers; conditions are in their normal form.
    Reduced,
}

impl Scope {
    fn largest(self) -> i128 {
        match self {
            Scope::Source => MAX_NUMBER,
            Scope::Reduced => MAX_NORMAL_NUMBER,
        }
    }
}

/// Reads a condition over all variables of a program, those of its buffers included, as
/// [`Cond::show`] writes it with [`Program::name`].
///
/// # Errors
/// What is wrong with it.
pub fn condition(
    code: &str,
    program: &Program,
    at: &dyn Fn(usize, usize) -> Span,
) -> Result<Cond, Diag> {
    let tokens = tokenize(code, at)?;
    Ok(whole(&tokens, code.len(), Scope::Reduced, program, at)?.0)
}

/// The condition that all tokens are, and where it begins and ends.
fn whole(
    tokens: &[Token],
    end: usize,
    scope: Scope,
    program: &Program,
    at: SpanAt,
) -> Result<(Cond, usize, usize), Diag> {
    let from = tokens.first().map_or(end, |t| t.from);
    let to = tokens.last().map_or(end, |t| t.to);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        end,
        scope,
        program,
        place: at,
    };
    let value = parser.or()?;
    if let Some(t) = parser.peek() {
        let message = format!("`{}` does not belong to the condition", t.text);
        return Err(Diag::error(at(t.from, t.to), message));
    }
    match value {
        Operand::Cond(cond) => Ok((cond, from, to)),
        Operand::Number(_) => Err(
            Diag::error(at(from, to), "this is a number, not a condition")
                .note("compare it with another one: `x != 0`"),
        ),
    }
}

fn read_line(
    code: &str,
    program: &Program,
    at: SpanAt,
) -> Result<Option<(bool, Cond, String)>, Diag> {
    let mut tokens = tokenize(code, at)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let is_invariant = tokens[0].text == "invariant";
    if is_invariant {
        tokens.remove(0);
    }
    let (cond, from, to) = whole(&tokens, code.len(), Scope::Source, program, at)?;
    Ok(Some((is_invariant, cond, code[from..to].to_string())))
}

struct Token<'a> {
    text: &'a str,
    from: usize,
    to: usize,
}

/// The tokens of a line without its comment.
fn tokenize<'a>(code: &'a str, at: SpanAt) -> Result<Vec<Token<'a>>, Diag> {
    let bytes = code.as_bytes();
    let mut tokens = Vec::new();
    let mut i = 0;
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    while let Some(rest) = code.get(i..).filter(|r| !r.is_empty()) {
        let c = bytes[i];
        if c.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        if c == b'#' || rest.starts_with("//") {
            break;
        }
        let two = rest.get(..2).unwrap_or("");
        let len = if word(c) {
            rest.bytes().take_while(|b| word(*b)).count()
        } else if ["==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-="].contains(&two) {
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        let text = &code[i..i + len];
        let known = word(c)
            || [
                "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "(", ")", ":",
                "[", "]", ".",
            ]
            .contains(&text);
        if !known {
            let message = match text {
                "=" => "`=` assigns; a condition compares with `==`".to_string(),
                "++" | "--" | "+=" | "-=" => {
                    format!("`{text}` assigns; a condition has no effects")
                }
                "&" | "|" => {
                    format!("`{text}` is an operator on bits; conditions have `{text}{text}`")
                }
                "/" | "%" => "conditions are linear: there is no division".to_string(),
                _ => format!("`{text}` is not part of a condition"),
            };
            return Err(Diag::error(at(i, i + len), message));
        }
        tokens.push(Token {
            text,
            from: i,
            to: i + len,
        });
        i += len;
    }
    Ok(tokens)
}

enum Operand {
    Cond(Cond),
    Number(Linear),
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    depth: usize,
    end: usize,
    scope: Scope,
    program: &'a Program,
    place: SpanAt<'a>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn accept(&mut self, text: &str) -> bool {
        let here = self.peek().is_some_and(|t| t.text == text);
        self.at += usize::from(here);
        here
    }

    /// The place of the next token.
    fn here(&self) -> Span {
        match self.peek() {
            Some(t) => (self.place)(t.from, t.to),
            None => (self.place)(self.end, self.end),
        }
    }

    fn since(&self, from: usize) -> Span {
        let first = self.tokens.get(from).map_or(self.end, |t| t.from);
        let last = self.tokens.get(self.at.wrapping_sub(1));
        (self.place)(first, last.map_or(self.end, |t| t.to).max(first))
    }

    fn expect(&mut self, text: &str) -> Result<(), Diag> {
        if self.accept(text) {
            return Ok(());
        }
        let message = match self.peek() {
            Some(t) => format!("expected `{text}`, found `{}`", t.text),
            None => format!("expected `{text}`, found the end of the line"),
        };
        Err(Diag::error(self.here(), message))
    }

    fn cond(&self, value: Operand, from: usize) -> Result<Cond, Diag> {
        match value {
            Operand::Cond(c) => Ok(c),
            Operand::Number(_) => Err(Diag::error(
                self.since(from),
                "this is a number, not a condition",
            )),
        }
    }

    fn number(&self, value: Operand, from: usize) -> Result<Linear, Diag> {
        match value {
            Operand::Number(n) => Ok(n),
            Operand::Cond(_) => Err(Diag::error(
                self.since(from),
                "this is a condition, not a number",
            )),
        }
    }

    fn or(&mut self) -> Result<Operand, Diag> {
        self.junction("||", Parser::and, Cond::or)
    }

    fn and(&mut self) -> Result<Operand, Diag> {
        self.junction("&&", Parser::comparison, Cond::and)
    }

    fn junction(
        &mut self,
        op: &str,
        operand: fn(&mut Self) -> Result<Operand, Diag>,
        join: fn(Vec<Cond>) -> Cond,
    ) -> Result<Operand, Diag> {
        let from = self.at;
        let first = operand(self)?;
        if self.peek().is_none_or(|t| t.text != op) {
            return Ok(first);
        }
        let mut all = vec![self.cond(first, from)?];
        while self.accept(op) {
            let from = self.at;
            let next = operand(self)?;
            all.push(self.cond(next, from)?);
        }
        Ok(Operand::Cond(join(all)))
    }

    fn comparison(&mut self) -> Result<Operand, Diag> {
        let from = self.at;
        let left = self.sum()?;
        let op = match self.peek() {
            Some(t) if ["==", "!=", "<", "<=", ">", ">="].contains(&t.text) => t.text,
            _ => return Ok(left),
        };
        let left = self.number(left, from)?;
        self.at += 1;
        let from = self.at;
        let right = self.sum()?;
        let right = self.number(right, from)?;
        Ok(Operand::Cond(match op {
            "==" => Cond::equal(&left, &right),
            "!=" => Cond::equal(&left, &right).negate(),
            "<" => Cond::less(&left, &right),
            "<=" => Cond::at_most(&left, &right),
            ">" => Cond::less(&right, &left),
            _ => Cond::at_most(&right, &left),
        }))
    }

    fn sum(&mut self) -> Result<Operand, Diag> {
        let from = self.at;
        let first = self.product()?;
        let sign = |t: &Token| match t.text {
            "+" => Some(1),
            "-" => Some(-1),
            _ => None,
        };
        let Some(mut factor) = self.peek().and_then(sign) else {
            return Ok(first);
        };
        let mut sum = self.number(first, from)?;
        loop {
            self.at += 1;
            let from = self.at;
            let next = self.product()?;
            sum = sum.plus(factor, &self.number(next, from)?);
            match self.peek().and_then(sign) {
                Some(f) => factor = f,
                None => return self.small(sum, from),
            }
        }
    }

    fn product(&mut self) -> Result<Operand, Diag> {
        let from = self.at;
        let first = self.unary()?;
        if self.peek().is_none_or(|t| t.text != "*") {
            return Ok(first);
        }
        let mut product = self.number(first, from)?;
        while self.accept("*") {
            let at = self.at;
            let next = self.unary()?;
            let next = self.number(next, at)?;
            product = match (product.as_constant(), next.as_constant()) {
                (Some(n), _) => next.times(n),
                (_, Some(n)) => product.times(n),
                _ => {
                    let message = "conditions are linear: one factor has to be a constant";
                    return Err(Diag::error(self.since(from), message));
                }
            };
            self.small(product.clone(), from)?;
        }
        Ok(Operand::Number(product))
    }

    /// Refuses numbers that are too large.
    fn small(&self, sum: Linear, from: usize) -> Result<Operand, Diag> {
        let large = |n: &i128| n.abs() > self.scope.largest();
        if sum.terms.values().any(large) || large(&sum.constant) {
            return Err(Diag::error(self.since(from), "this number is too large"));
        }
        Ok(Operand::Number(sum))
    }

    fn unary(&mut self) -> Result<Operand, Diag> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Diag::error(
                self.here(),
                "this condition is nested too deeply",
            ));
        }
        let from = self.at;
        let value = if self.accept("!") {
            let inner = self.unary()?;
            Operand::Cond(self.cond(inner, from + 1)?.negate())
        } else if self.accept("-") {
            let inner = self.unary()?;
            Operand::Number(self.number(inner, from + 1)?.times(-1))
        } else if self.accept("(") {
            let inner = self.or()?;
            self.expect(")")?;
            inner
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<Operand, Diag> {
        let from = self.at;
        let Some(t) = self.peek() else {
            return Err(Diag::error(self.here(), "the condition ends too early"));
        };
        self.at += 1;
        let first = t.text.as_bytes()[0];
        if first.is_ascii_digit() {
            let n = t.text.parse::<i128>().ok();
            let n = n.filter(|n| *n <= self.scope.largest());
            let message = format!("`{}` is no number that is understood here", t.text);
            return match n {
                Some(n) => Ok(Operand::Number(Linear::constant(n))),
                None => Err(Diag::error(self.since(from), message)),
            };
        }
        if !(first.is_ascii_alphabetic() || first == b'_' || first == b'$') {
            let message = format!("expected a condition, found `{}`", t.text);
            return Err(Diag::error(self.since(from), message));
        }
        if self.peek().is_some_and(|n| n.text == "(") {
            let message = format!("`{}(`: a condition calls nothing", t.text);
            return Err(Diag::error(self.since(from), message));
        }
        if self.accept(":") {
            return self.local(t, from);
        }
        let mut name = t.text.to_string();
        self.path(&mut name)?;
        let in_scope = |x: &VarId| match self.program.vars[*x].kind {
            VariableKind::Shared => true,
            VariableKind::Buffer(_) => self.scope == Scope::Reduced,
            VariableKind::PerThread
            | VariableKind::Count
            | VariableKind::Local(_)
            | VariableKind::Temporary(_) => false,
        };
        let mut global = self.program.vars.ids().filter(in_scope);
        match global.find(|x| self.program.vars[*x].name == name) {
            Some(x) => Ok(Operand::Number(Linear::var(x))),
            None => Err(self.unknown(&name, from)),
        }
    }

    /// Fields and constant indices.
    fn path(&mut self, name: &mut String) -> Result<(), Diag> {
        loop {
            if self.accept("[") {
                match self.peek() {
                    Some(t) if t.text.bytes().all(|b| b.is_ascii_digit()) => {
                        self.at += 1;
                        *name += &format!("[{}]", t.text);
                    }
                    _ => return Err(Diag::error(self.here(), "an index has to be a constant")),
                }
                self.expect("]")?;
            } else if self.accept(".") {
                match self.peek() {
                    Some(t) => {
                        self.at += 1;
                        *name += &format!(".{}", t.text);
                    }
                    None => return Err(Diag::error(self.here(), "a name has to follow")),
                }
            } else if let Some(suffix) = self.buffer_suffix(name) {
                self.at += 1;
                *name += suffix;
            } else {
                return Ok(());
            }
        }
    }

    /// What follows the index of an element in the name of its buffer: `_cnt` of `q[0]_cnt.t`.
    fn buffer_suffix(&self, name: &str) -> Option<&'a str> {
        let suffix = self.peek()?.text;
        let fits = name.ends_with(']') && suffix.starts_with('_');
        (fits && self.scope == Scope::Reduced).then_some(suffix)
    }

    /// A local variable of a thread.
    fn local(&mut self, thread: &Token, from: usize) -> Result<Operand, Diag> {
        let threads = &self.program.threads;
        let Some(t) = threads.ids().find(|t| threads[*t].name == thread.text) else {
            let names: Vec<&str> = threads.iter().map(|t| t.name.as_str()).collect();
            let place = (self.place)(thread.from, thread.to);
            let message = format!("there is no thread `{}`", thread.text);
            let note = format!("the threads are {}", names.join(", "));
            return Err(Diag::error(place, message).note(note));
        };
        let Some(name) = self.peek() else {
            return Err(Diag::error(
                self.here(),
                "the name of a local has to follow",
            ));
        };
        self.at += 1;
        let mut full = name.text.to_string();
        self.path(&mut full)?;
        let is_it = |x: &VarId| {
            let v = &self.program.vars[*x];
            v.name == full
                && matches!(v.kind, VariableKind::Local(o) | VariableKind::Temporary(o) if o == t)
        };
        match self.program.vars.ids().find(is_it) {
            Some(x) => Ok(Operand::Number(Linear::var(x))),
            None => {
                let message = format!("thread `{}` has no local `{full}`", thread.text);
                Err(Diag::error(self.since(from), message))
            }
        }
    }

    fn unknown(&self, name: &str, from: usize) -> Diag {
        let message = format!("there is no shared variable `{name}`");
        let diag = Diag::error(self.since(from), message);
        let owner = self.program.vars.ids().find(|x| {
            let v = &self.program.vars[*x];
            v.name == name && matches!(v.kind, VariableKind::Local(_))
        });
        match owner {
            Some(x) => diag.note(format!("the local is called `{}`", self.program.name(x))),
            None => diag.note("what the program never uses is not part of it"),
        }
    }
}
