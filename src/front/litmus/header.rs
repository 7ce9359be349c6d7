//! What stands before the initial state: instruction set, name, documentation, fields.
//!
//! The first line is free text behind the name: herd skips a name in parentheses, and the
//! documentation string may stand there. Further lines are fields, strings, comments and, as herd
//! looks at nothing before the `{`, any other text, which is taken as documentation.

use super::ast::{FinalCondition, Machine, Prop, Quantifier, Test};
use super::lex::span;
use super::parser::{InstructionSet, Parsed, wrong};
use super::sets::SETS;
use base::comment::comment_len;
use base::diag::Diag;
use base::source::FileId;

/// What has been read.
pub(super) struct Header {
    /// The test, with what the header says.
    pub test: Test,
    /// Its instruction set.
    pub set: &'static InstructionSet,
    /// The byte of the `{`.
    pub rest: usize,
}

/// Reads the header.
pub(super) fn read(text: &str, file: FileId) -> Parsed<Header> {
    let mut cursor = Cursor { text, file, at: 0 };
    cursor.skip(true)?;
    let (start, machine) = cursor.word();
    let set = match SETS.iter().find(|s| s.name == machine) {
        Some(set) => *set,
        None if machine.is_empty() => {
            return wrong(
                span(file, start, start),
                "expected a litmus test, found the end of the file",
            );
        }
        None => {
            let known: Vec<&str> = SETS.iter().map(|s| s.name).collect();
            let message = format!("tests of the instruction set `{machine}` are not supported");
            let diag = Diag::unsupported(span(file, start, start + machine.len()), message)
                .note(format!("known are {}", known.join(", ")));
            return Err(Box::new(diag));
        }
    };
    cursor.skip(false)?;
    let (start, name) = cursor.word();
    if name.is_empty() {
        return wrong(span(file, start, start), "expected the name of the test");
    }
    let mut header = Header {
        test: blank(set.machine, name, span(file, text.len(), text.len())),
        set,
        rest: 0,
    };
    cursor.skip(false)?;
    if cursor.rest().starts_with('(') {
        // A name for LaTeX.
        let line = cursor.line();
        cursor.at += line.find(')').map_or(line.len(), |end| end + 1);
    }
    loop {
        cursor.skip(true)?;
        let (at, line) = (cursor.at, cursor.line());
        if line.starts_with('{') {
            header.rest = at;
            return Ok(header);
        }
        if line.is_empty() {
            return wrong(
                span(file, at, at),
                "expected the initial state in `{ }`, found the end of the file",
            );
        }
        if let Some(doc) = cursor.quoted() {
            header.test.doc.push_str(doc);
            cursor.at += doc.len() + 2;
            continue;
        }
        match line.split_once('=').filter(|(key, _)| is_key(key.trim())) {
            Some((key, value)) => {
                let field = (key.trim().to_string(), value.trim().to_string());
                header.test.info.push(field);
            }
            None => header.test.doc.push_str(line.trim_end()),
        }
        cursor.at += line.len();
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A test that says nothing yet.
fn blank(machine: Machine, name: &str, end: base::source::Span) -> Test {
    Test {
        machine,
        name: name.to_string(),
        doc: String::new(),
        info: Vec::new(),
        init: Vec::new(),
        threads: Vec::new(),
        locations: Vec::new(),
        filter: None,
        condition: FinalCondition {
            quantifier: Quantifier::Forall,
            prop: Prop::Constant(true),
            span: end,
        },
    }
}

struct Cursor<'a> {
    text: &'a str,
    file: FileId,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The rest of the line.
    fn line(&self) -> &'a str {
        self.rest().lines().next().unwrap_or("")
    }

    /// The text of a string that begins here and ends before the initial state.
    fn quoted(&self) -> Option<&'a str> {
        let rest = self.rest().strip_prefix('"')?;
        let text = &rest[..rest.find('"')?];
        let overrun = text.lines().skip(1).any(|l| l.starts_with('{'));
        (!overrun).then_some(text)
    }

    /// Skips blanks and comments; ends of lines if asked to.
    fn skip(&mut self, over_lines: bool) -> Parsed<()> {
        loop {
            let rest = self.rest();
            let blanks = rest.trim_start_matches(|c: char| {
                matches!(c, ' ' | '\t' | '\r' | '\u{feff}') || (over_lines && c == '\n')
            });
            self.at += rest.len() - blanks.len();
            if !blanks.starts_with("(*") {
                return Ok(());
            }
            match comment_len(&self.text.as_bytes()[self.at..]) {
                Some(len) => self.at += len,
                None => {
                    let here = span(self.file, self.at, self.at + 2);
                    return wrong(here, "this comment is never closed");
                }
            }
        }
    }

    /// What stands here up to the next blank, and where it begins.
    fn word(&mut self) -> (usize, &'a str) {
        let start = self.at;
        let rest = self.rest();
        let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
        self.at += word.len();
        (start, word)
    }
}
