//! Statements of a source text, found by their tokens, and fences put after them or taken away.
//!
//! The text is the one that people wrote, before the preprocessor, so there is no syntax tree of it.
//! A statement ends with a `;` outside of parentheses; what stands before it up to the `;`, `{` or `}`
//! before, without labels and the heads of `if`, `for` and the like, is the statement. Where that does
//! not fit (heads of loops, arguments of calls, directives in between) there is none, and the caller
//! has to say the place in words.

use crate::front::c::scan::{CTokenKind, Token, scan};
use base::source::{FileId, SourceMap, Span};
use ir::program::MemoryOrder;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The statements of the files that were read.
pub struct Statements<'a> {
    sources: &'a SourceMap,
    files: RefCell<BTreeMap<FileId, Rc<Tokens>>>,
}

/// The tokens of a file.
struct Tokens {
    /// Without comments and directives.
    all: Vec<Token>,
    /// For each bracket its partner.
    partner: Vec<Option<usize>>,
    /// How many parentheses and square brackets are open.
    depth: Vec<u32>,
    /// First bytes of directives.
    directives: Vec<usize>,
    /// `<stdatomic.h>` is included.
    has_atomics: bool,
}

/// A statement.
#[derive(Clone, Copy, Debug)]
struct Statement {
    span: Span,
    /// It is the whole body of an `if`, a loop or a label.
    is_body: bool,
}

/// A loop by its tokens.
struct Loop {
    from: usize,
    to: usize,
    /// `while` or `for`, and the parenthesis that closes its head.
    head: (usize, usize),
    /// See [`Statement::is_body`].
    is_body: bool,
}

/// What becomes of the head of an `if` whose body is taken away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heads {
    /// It stays: what it reads may be seen by other threads.
    Kept,
    /// It goes where it is one name or number.
    Dropped,
}

/// A change of a text: these bytes become that text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edit {
    /// The bytes.
    pub span: Span,
    /// The text.
    pub text: String,
}

impl<'a> Statements<'a> {
    /// Of these files.
    pub fn new(sources: &'a SourceMap) -> Statements<'a> {
        Statements {
            sources,
            files: RefCell::default(),
        }
    }

    /// The statement around an expression, to its `;`.
    pub fn around(&self, access: Span) -> Option<Span> {
        Some(self.statement(access)?.span)
    }

    /// The innermost loop around an access, to its last token, and the bytes of its head.
    pub fn loop_around(&self, access: Span) -> Option<(Span, Span)> {
        let found = self
            .tokens(access.file)
            .loop_around(self.text(access.file)?, access)?;
        let file = access.file;
        let bytes = |start: usize, end: usize| Span {
            file,
            start: base::idx::position(start),
            end: base::idx::position(end),
        };
        let all = &self.tokens(file).all;
        let (from, to) = (&all[found.from], &all[found.to]);
        let (word, close) = (&all[found.head.0], &all[found.head.1]);
        Some((bytes(from.start, to.end), bytes(word.start, close.end)))
    }

    /// Whether a text is a `break`.
    pub fn is_break(&self, span: Span) -> bool {
        let tokens = self.tokens(span.file);
        let at = tokens
            .all
            .iter()
            .position(|t| t.start == span.start as usize);
        let text = &self.sources.file(span.file).text;
        at.is_some_and(|at| tokens.word(at, text) == "break")
    }

    /// The text of a file; none of headers of our own and of functions that are given in C, which cannot be changed.
    fn text(&self, file: FileId) -> Option<&str> {
        let file = self.sources.file(file);
        (!file.name.starts_with('<')).then_some(&file.text)
    }

    /// Whether a file includes `<stdatomic.h>` by itself.
    pub fn has_atomics(&self, file: FileId) -> bool {
        self.tokens(file).has_atomics
    }

    fn tokens(&self, file: FileId) -> Rc<Tokens> {
        let mut files = self.files.borrow_mut();
        let made = files
            .entry(file)
            .or_insert_with(|| Rc::new(Tokens::new(&self.sources.file(file).text)));
        made.clone()
    }

    fn statement(&self, access: Span) -> Option<Statement> {
        let text = self.text(access.file)?;
        let tokens = self.tokens(access.file);
        let (from, to, is_body) = match tokens.loop_that_ends(text, access) {
            Some(found) => (found.from, found.to, found.is_body),
            None => tokens.statement(text, access)?,
        };
        Some(Statement {
            span: Span {
                file: access.file,
                start: base::idx::position(tokens.all[from].start),
                end: base::idx::position(tokens.all[to].end),
            },
            is_body,
        })
    }

    /// Puts a fence after the statement around an access, or the loop with this last token.
    pub fn fence_after(&self, access: Span, order: MemoryOrder) -> Option<Vec<Edit>> {
        let statement = self.statement(access)?;
        let text = &self.sources.file(access.file).text;
        let order = order_name(order);
        let fence = match self.tokens(access.file).has_atomics {
            true => format!("atomic_thread_fence(memory_order_{order});"),
            false => format!("__atomic_thread_fence(__ATOMIC_{});", order.to_uppercase()),
        };
        let (from, to) = (statement.span.start as usize, statement.span.end as usize);
        if statement.is_body {
            let (open, close) = ("{ ".to_string(), format!(" {fence} }}"));
            return Some(vec![
                edit(access.file, from, from, open),
                edit(access.file, to, to, close),
            ]);
        }
        let line = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let indent = text[line..from].len() - text[line..from].trim_start().len();
        let indent = &text[line..line + indent];
        let rest = text[to..].find(['\r', '\n']).map_or(text.len(), |n| to + n);
        let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        if is_blank(&text[to..rest]) {
            let added = format!("{end_of_line}{indent}{fence}");
            return Some(vec![edit(access.file, rest, rest, added)]);
        }
        let skipped = text[to..rest].len() - text[to..rest].trim_start().len();
        let added = format!("{end_of_line}{indent}{fence}{end_of_line}{indent}");
        Some(vec![edit(access.file, to, to + skipped, added)])
    }

    /// Takes the statement around a fence away, with its line when nothing else stands there, and with an `if` over one
    /// name or number that it is the body of, unless heads are kept.
    pub fn without(&self, access: Span, heads: Heads) -> Option<Edit> {
        let statement = self.statement(access)?;
        let text = &self.sources.file(access.file).text;
        let (mut from, to) = (statement.span.start as usize, statement.span.end as usize);
        if statement.is_body {
            let head = self.tokens(access.file).constant_if(text, from);
            match head.filter(|_| heads == Heads::Dropped) {
                Some(head) => from = head,
                None => return Some(edit(access.file, from, to, ";".into())),
            }
        }
        let line = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let next = text[to..].find('\n').map_or(text.len(), |n| to + n + 1);
        if text[line..from].trim().is_empty() && is_blank(text[to..next].trim_end()) {
            return Some(edit(access.file, line, next, String::new()));
        }
        let skipped = text[to..next].len() - text[to..next].trim_start_matches([' ', '\t']).len();
        Some(edit(access.file, from, to + skipped, String::new()))
    }
}

/// An order as the end of its name in C.
pub fn order_name(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Acquire => "acquire",
        MemoryOrder::Release => "release",
        MemoryOrder::AcqRel => "acq_rel",
        MemoryOrder::SeqCst => "seq_cst",
        _ => "relaxed",
    }
}

fn edit(file: FileId, start: usize, end: usize, text: String) -> Edit {
    Edit {
        span: Span {
            file,
            start: base::idx::position(start),
            end: base::idx::position(end),
        },
        text,
    }
}

/// Nothing, or a comment that ends here.
fn is_blank(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty()
        || rest.starts_with("//")
        || rest.starts_with("/*") && rest.find("*/") == Some(rest.len() - 2)
}

/// A text after changes that do not overlap.
pub fn changed(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort();
    let mut out = String::new();
    let mut at = 0;
    for e in edits {
        out.push_str(&text[at..e.span.start as usize]);
        out.push_str(&e.text);
        at = e.span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

impl Tokens {
    fn new(text: &str) -> Tokens {
        let (mut all, mut directives, mut has_atomics) = (Vec::new(), Vec::new(), false);
        for token in scan(text) {
            match token.kind {
                CTokenKind::Comment => {}
                CTokenKind::Directive => {
                    directives.push(token.start);
                    let line = token.text(text);
                    has_atomics |= line.contains("include") && line.contains("stdatomic.h");
                }
                _ => all.push(token),
            }
        }
        let mut partner = vec![None; all.len()];
        let mut depth = vec![0; all.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut parentheses = 0;
        for (i, token) in all.iter().enumerate() {
            match token.kind {
                CTokenKind::Punct(b'(' | b'[' | b'{') => {
                    open.push(i);
                    depth[i] = parentheses;
                    parentheses += u32::from(token.kind != CTokenKind::Punct(b'{'));
                }
                CTokenKind::Punct(close @ (b')' | b']' | b'}')) => {
                    parentheses = parentheses.saturating_sub(u32::from(close != b'}'));
                    depth[i] = parentheses;
                    if let Some(before) = open.pop() {
                        partner[i] = Some(before);
                        partner[before] = Some(i);
                    }
                }
                _ => depth[i] = parentheses,
            }
        }
        Tokens {
            all,
            partner,
            depth,
            directives,
            has_atomics,
        }
    }

    fn is(&self, i: usize, punctuation: u8) -> bool {
        self.all.get(i).map(|t| t.kind) == Some(CTokenKind::Punct(punctuation))
    }

    fn word<'t>(&self, i: usize, text: &'t str) -> &'t str {
        match self.all.get(i) {
            Some(t) if t.kind == CTokenKind::Word => t.text(text),
            _ => "",
        }
    }

    /// A statement begins after this token, or ends with it.
    fn is_boundary(&self, i: usize) -> bool {
        self.depth[i] == 0 && [b';', b'{', b'}'].iter().any(|p| self.is(i, *p))
    }

    /// The first and the last token of the statement around an access, and whether it is a body.
    fn statement(&self, text: &str, access: Span) -> Option<(usize, usize, bool)> {
        let (start, end) = (access.start as usize, access.end as usize);
        let first = self
            .all
            .iter()
            .position(|t| t.start <= start && start < t.end)?;
        let before = (0..first).rev().find(|i| self.is_boundary(*i));
        let last = (first..self.all.len()).find(|i| self.is_boundary(*i))?;
        if !self.is(last, b';') || self.all[last].end < end {
            return None;
        }
        let begin = before.map_or(0, |b| b + 1);
        let (from, is_body) = self.after_heads(text, begin, first)?;
        let leaves = ["return", "goto", "break", "continue"];
        let interrupted = |d: &usize| {
            let begin = self.all[begin].start;
            begin < *d && *d < self.all[last].end
        };
        if leaves.contains(&self.word(from, text)) || self.directives.iter().any(interrupted) {
            return None;
        }
        // An assignment in an argument: the call comes after it.
        let assigns = access_assigns(text.get(start..end)?);
        if self.depth[first] > 0 && assigns && self.is_called(text, from, first) {
            return None;
        }
        // Another branch of the preprocessor's may have the head of this statement.
        let branch = |d: &&usize| {
            let earlier = before.map_or(0, |b| self.all[b].end);
            let line = text[**d..].trim_start_matches('#').trim_start();
            earlier <= **d
                && **d < self.all[begin].start
                && (line.starts_with("else") || line.starts_with("elif"))
        };
        if self.directives.iter().any(|d| branch(&d)) {
            return None;
        }
        Some((from, last, is_body))
    }

    /// The innermost loop around an access.
    fn loop_around(&self, text: &str, access: Span) -> Option<Loop> {
        let (start, end) = (access.start as usize, access.end as usize);
        let heads = (0..self.all.len()).filter(|open| self.is(*open, b'('));
        let loops = heads.filter_map(|open| self.loop_with_head(text, (open, self.partner[open]?)));
        let around = loops.filter(|l| self.all[l.from].start <= start && end <= self.all[l.to].end);
        around.min_by_key(|l| l.to - l.from)
    }

    /// The loop with this last token.
    fn loop_that_ends(&self, text: &str, last: Span) -> Option<Loop> {
        let begins = |t: &Token| t.start == last.start as usize && t.end == last.end as usize;
        let to = self.all.iter().position(begins)?;
        let ends = |found: &Loop| found.to == to;
        if self.is(to, b'}') {
            let close = self.partner[to]?.checked_sub(1)?;
            let found = self.loop_with_head(text, (self.partner[close]?, close))?;
            return Some(found).filter(ends);
        }
        let before = (0..to).rev().find(|i| self.is_boundary(*i));
        let mut opens = (before.map_or(0, |b| b + 1)..to).rev();
        opens.find_map(|open| {
            let close = self.partner[open].filter(|close| open < *close)?;
            self.loop_with_head(text, (open, close)).filter(ends)
        })
    }

    /// The loop whose head has these parentheses; none where directives are in between, or its body is a statement
    /// with a head of its own.
    fn loop_with_head(&self, text: &str, (open, close): (usize, usize)) -> Option<Loop> {
        let word = open.checked_sub(1)?;
        if !["while", "for"].contains(&self.word(word, text)) || self.depth[word] > 0 {
            return None;
        }
        let body_of_do = word.checked_sub(1).filter(|i| self.is(*i, b'}'));
        let body_of_do = body_of_do.and_then(|i| self.partner[i]?.checked_sub(1));
        let do_word = body_of_do.filter(|i| self.word(*i, text) == "do");
        let is_while = self.word(word, text) == "while";
        let (from, to) = match do_word.filter(|_| is_while) {
            Some(from) => (from, close + 1),
            None if self.is(close + 1, b'{') => (word, self.partner[close + 1]?),
            None => {
                let heads = [
                    "if", "while", "for", "switch", "do", "else", "case", "default",
                ];
                if heads.contains(&self.word(close + 1, text)) {
                    return None;
                }
                let last = (close + 1..self.all.len()).find(|i| self.is_boundary(*i))?;
                (word, last)
            }
        };
        let (start, end) = (self.all[from].start, self.all.get(to)?.end);
        let is_interrupted = self.directives.iter().any(|d| start < *d && *d < end);
        let is_whole = [b'}', b';'].iter().any(|p| self.is(to, *p));
        if is_interrupted || !is_whole {
            return None;
        }
        // `do x; while (c);` without braces looks like a loop without a body.
        let before = (0..from).rev().find(|i| self.is_boundary(*i));
        let begin = before.map_or(0, |b| b + 1);
        if before.is_some_and(|b| self.is(b, b';')) && from == word && self.is(close + 1, b';') {
            let earlier = (0..before?).rev().find(|i| self.is_boundary(*i));
            let first = earlier.map_or(0, |b| b + 1);
            if (first..from).any(|i| self.word(i, text) == "do") {
                return None;
            }
        }
        Some(Loop {
            from,
            to,
            head: (word, close),
            is_body: begin < from,
        })
    }

    /// Some parenthesis that is open at a token follows a name.
    fn is_called(&self, text: &str, from: usize, token: usize) -> bool {
        (from..token).any(|i| {
            self.is(i, b'(')
                && self.partner[i].is_none_or(|close| token < close)
                && i > from
                && !self.word(i - 1, text).is_empty()
        })
    }

    /// Where an `if` over one name or number begins whose body begins here, when it stands in a block
    /// and has no `else`: without its body it does nothing.
    fn constant_if(&self, text: &str, body: usize) -> Option<usize> {
        let at = self.all.iter().position(|t| t.start == body)?;
        let head = at.checked_sub(4)?;
        let last = (at..self.all.len()).find(|i| self.is_boundary(*i))?;
        let is_plain = self.word(head, text) == "if"
            && self.is(head + 1, b'(')
            && self.is(head + 3, b')')
            && self.word(last + 1, text) != "else"
            && head.checked_sub(1).is_some_and(|i| self.is_boundary(i));
        is_plain.then(|| self.all[head].start)
    }

    /// Where a statement begins after labels and heads; nothing when the access is within one.
    fn after_heads(&self, text: &str, begin: usize, access: usize) -> Option<(usize, bool)> {
        let mut at = begin;
        loop {
            let next = match self.word(at, text) {
                "if" | "while" | "for" | "switch" => self.partner.get(at + 1).copied()?? + 1,
                "else" | "do" => at + 1,
                "case" | "default" => (at..access).find(|i| self.is(*i, b':'))? + 1,
                "" => return Some((at, at > begin)),
                _ if self.is(at + 1, b':') => at + 2,
                _ => return Some((at, at > begin)),
            };
            if access < next {
                return None;
            }
            at = next;
        }
    }
}

/// The text of an expression has an assignment: it is no call of a macro that hides one.
fn access_assigns(text: &str) -> bool {
    let tokens = scan(text);
    let punct = |i: usize| match tokens.get(i).map(|t| t.kind) {
        Some(CTokenKind::Punct(p)) => p,
        _ => b' ',
    };
    (0..tokens.len()).any(|i| match punct(i) {
        b'=' => {
            let compares = i > 0 && matches!(punct(i - 1), b'=' | b'!' | b'<' | b'>');
            !compares && punct(i + 1) != b'='
        }
        p @ (b'+' | b'-') => punct(i + 1) == p,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fenced(text: &str, store: &str) -> Option<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", text);
        let start = text.find(store).expect("the store is in the text");
        let span = Span {
            file,
            start: base::idx::position(start),
            end: base::idx::position(start + store.len()),
        };
        let edits = Statements::new(&sources).fence_after(span, MemoryOrder::SeqCst)?;
        let fence = "__atomic_thread_fence(__ATOMIC_SEQ_CST);";
        Some(changed(text, &edits).replace(fence, "FENCE;"))
    }

    /// The text with a fence behind the loop whose head has this in it.
    fn fenced_loop(text: &str, access: &str) -> Option<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", text);
        let start = text.find(access).expect("the access is in the text");
        let statements = Statements::new(&sources);
        let span = |start: usize, end: usize| Span {
            file,
            start: base::idx::position(start),
            end: base::idx::position(end),
        };
        let (around, _) = statements.loop_around(span(start, start + access.len()))?;
        let end = span(around.end as usize - 1, around.end as usize);
        let edits = statements.fence_after(end, MemoryOrder::SeqCst)?;
        let fence = "__atomic_thread_fence(__ATOMIC_SEQ_CST);";
        Some(changed(text, &edits).replace(fence, "FENCE;"))
    }

    #[test]
    fn a_fence_stands_behind_a_loop() {
        for (text, expected) in [
            (
                "{\n  while ((s = READ(x)) & 1) {\n    relax();\n  }\n  f();\n}",
                "{\n  while ((s = READ(x)) & 1) {\n    relax();\n  }\n  FENCE;\n  f();\n}",
            ),
            (
                "{ int s; while (READ(x)); }",
                "{ int s; while (READ(x));\nFENCE;\n}",
            ),
            (
                "{\n for (; READ(x); ) y();\n}",
                "{\n for (; READ(x); ) y();\n FENCE;\n}",
            ),
            (
                "{\n do {\n  y();\n } while (READ(x));\n}",
                "{\n do {\n  y();\n } while (READ(x));\n FENCE;\n}",
            ),
            (
                "{ if (a) while (READ(x)) { y(); } else z(); }",
                "{ if (a) { while (READ(x)) { y(); } FENCE; } else z(); }",
            ),
            (
                "{ for (;;) { if (READ(x)) break; } }",
                "{ for (;;) { if (READ(x)) break; }\nFENCE;\n}",
            ),
            (
                "{ while (a) while (READ(x)) ; }",
                "{ while (a) { while (READ(x)) ; FENCE; } }",
            ),
        ] {
            assert_eq!(fenced_loop(text, "READ(x)").as_deref(), Some(expected));
        }
        for text in [
            "{ do y(); while (READ(x)); }",
            "{ while (READ(x)) if (a) y(); }",
            "{ while (READ(x)) {\n#if A\n y();\n#endif\n } }",
            "{ if (READ(x)) { y(); } }",
            "{ while (a) { y(); } READ(x); }",
        ] {
            assert_eq!(fenced_loop(text, "READ(x)"), None, "{text}");
        }
    }

    fn removed(text: &str) -> Option<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", text);
        let start = text.find("fence()").expect("there is a fence");
        let span = Span {
            file,
            start: base::idx::position(start),
            end: base::idx::position(start + "fence()".len()),
        };
        let edit = Statements::new(&sources).without(span, Heads::Dropped)?;
        Some(changed(text, &[edit]))
    }

    #[test]
    fn a_fence_stands_on_a_line_of_its_own() {
        for (text, expected) in [
            ("{\n\tx = 1;\n}", "{\n\tx = 1;\n\tFENCE;\n}"),
            ("{\n  x = 1; // a\n}", "{\n  x = 1; // a\n  FENCE;\n}"),
            (
                "{\n  x = 1; y = 2;\n}",
                "{\n  x = 1;\n  FENCE;\n  y = 2;\n}",
            ),
            ("{ x = 1; }", "{ x = 1;\nFENCE;\n}"),
            ("{\r\n x = 1;\r\n}", "{\r\n x = 1;\r\n FENCE;\r\n}"),
            (
                "{ f();\n#if A\n x = 1;\n#endif\n}",
                "{ f();\n#if A\n x = 1;\n FENCE;\n#endif\n}",
            ),
        ] {
            assert_eq!(fenced(text, "x = 1").as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_body_gets_braces() {
        for (text, expected) in [
            ("{ if (c) x = 1; }", "{ if (c) { x = 1; FENCE; } }"),
            (
                "{ if (c)\n x = 1;\nelse y = 2; }",
                "{ if (c)\n { x = 1; FENCE; }\nelse y = 2; }",
            ),
            (
                "{ if (c) y = 1; else x = 1; }",
                "{ if (c) y = 1; else { x = 1; FENCE; } }",
            ),
            (
                "{ for (i = 0; i < (2); i++) x = 1; }",
                "{ for (i = 0; i < (2); i++) { x = 1; FENCE; } }",
            ),
            (
                "{ do x = 1; while (c); }",
                "{ do { x = 1; FENCE; } while (c); }",
            ),
            (
                "{ case 1: x = 1; break; }",
                "{ case 1: { x = 1; FENCE; } break; }",
            ),
            ("{ again: x = 1; }", "{ again: { x = 1; FENCE; } }"),
        ] {
            assert_eq!(fenced(text, "x = 1").as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn where_no_statement_fits_there_is_none() {
        for text in [
            "{ for (x = 1; c; ) ; }",
            "{ while ((x = 1) != y) ; }",
            "{ do ; while (x = 1); }",
            "{ if (x = 1) { } }",
            "{ return x = 1; }",
            "{ f(x = 1); }",
            "{ if (c)\n#if A\n x = 1;\n#endif\n }",
            "{ if (c)\n#if A\n y = 1;\n#else\n x = 1;\n#endif\n }",
            "{ int a[] = { x = 1 }; }",
        ] {
            assert_eq!(fenced(text, "x = 1"), None, "{text}");
        }
    }

    #[test]
    fn a_call_of_a_macro_is_a_statement() {
        assert_eq!(
            fenced("{\n STORE(x, 1);\n}", "x, 1").as_deref(),
            Some("{\n STORE(x, 1);\n FENCE;\n}")
        );
    }

    #[test]
    fn fences_are_taken_away() {
        for (text, expected) in [
            ("{\n  fence(); // why\n  x();\n}", "{\n  x();\n}"),
            ("{ a(); fence(); b(); }", "{ a(); b(); }"),
            ("{ if (c) fence(); b(); }", "{ b(); }"),
            ("{\n  if (c)\n    fence();\n  b();\n}", "{\n  b();\n}"),
            ("{ if (c) fence(); else b(); }", "{ if (c) ; else b(); }"),
            ("{ if (c()) fence(); b(); }", "{ if (c()) ; b(); }"),
        ] {
            assert_eq!(removed(text).as_deref(), Some(expected), "{text}");
        }
    }
}
