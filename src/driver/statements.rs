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
        let file = self.sources.file(access.file);
        // Headers of our own and functions that are given in C have no file to change.
        if file.name.starts_with('<') {
            return None;
        }
        let tokens = self.tokens(access.file);
        let (from, to, is_body) = tokens.statement(&file.text, access)?;
        Some(Statement {
            span: Span {
                file: access.file,
                start: base::idx::position(tokens.all[from].start),
                end: base::idx::position(tokens.all[to].end),
            },
            is_body,
        })
    }

    /// Puts a fence after the statement around an access.
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
