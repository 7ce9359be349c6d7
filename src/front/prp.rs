//! SV-COMP's property files (`.prp`): lines of the form
//!
//! ```text
//! CHECK( init(main()), LTL(G ! call(reach_error())) )
//! ```
//!
//! Blanks may stand anywhere between words, `//` begins a comment. What is asked lies between the
//! parentheses of `LTL`; the formulas that have a meaning are few, and are the variants of
//! [`Formula`]. <https://sv-comp.sosy-lab.org> lists them under "Properties".

use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap, Span};
use std::path::Path;

/// What a property file asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Specification {
    /// The formulas, in the order of the file, with their places; at least one.
    pub formulas: Vec<(Formula, Span)>,
    /// The lines of the file that are not empty, joined by blanks.
    pub text: String,
}

/// One formula of linear temporal logic about all executions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Formula {
    /// `G ! call(f())`: the function is never called.
    NoCall(String),
    /// `G ! label(L)`: the label is never reached.
    NoLabel(String),
    /// `G assert`: no assertion fails.
    Assert,
    /// `G valid-free`: everything freed may be freed.
    ValidFree,
    /// `G valid-deref`: every access is one to an object.
    ValidDeref,
    /// `G valid-memtrack`: what is allocated is freed or pointed to.
    ValidMemtrack,
    /// `G valid-memcleanup`: what is allocated is freed before the program ends.
    ValidMemcleanup,
    /// `G ! overflow`: signed arithmetic does not overflow.
    NoOverflow,
    /// `G ! data-race`: no two accesses race.
    NoDataRace,
    /// `G ! deadlock`: no threads wait forever.
    NoDeadlock,
    /// `F end`: every execution ends.
    Termination,
}

impl Formula {
    /// The name that stands in answers: `FALSE(unreach-call)`.
    pub fn name(&self) -> &'static str {
        match self {
            Formula::NoCall(_) => "unreach-call",
            Formula::NoLabel(_) => "unreach-label",
            Formula::Assert => "assert",
            Formula::ValidFree => "valid-free",
            Formula::ValidDeref => "valid-deref",
            Formula::ValidMemtrack => "valid-memtrack",
            Formula::ValidMemcleanup => "valid-memcleanup",
            Formula::NoOverflow => "no-overflow",
            Formula::NoDataRace => "no-data-race",
            Formula::NoDeadlock => "no-deadlock",
            Formula::Termination => "termination",
        }
    }
}

/// Reads a property file.
///
/// # Errors
/// The file cannot be read, is empty, or asks something else; the message names the place.
pub fn load(sources: &mut SourceMap, path: &Path) -> Result<Specification, Vec<Diag>> {
    let file = sources.load(path);
    let file = file.map_err(|e| vec![Diag::unreadable(&e)])?;
    parse(sources, file).map_err(|diag| specifically(Code::Syntax)(vec![diag]))
}

/// Reads the text of a property file.
///
/// # Errors
/// As [`load`].
pub fn parse(sources: &SourceMap, file: FileId) -> Result<Specification, Diag> {
    let text = &sources.file(file).text;
    let mut reader = Reader { file, text, at: 0 };
    let mut formulas = Vec::new();
    reader.blanks();
    while reader.at < text.len() {
        formulas.push(reader.check()?);
        reader.blanks();
    }
    if formulas.is_empty() {
        let diag = Diag::error(reader.span(0, text.len()), "the property file asks nothing");
        return Err(diag.note(EXAMPLE));
    }
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    Ok(Specification {
        formulas,
        text: lines.collect::<Vec<_>>().join(" "),
    })
}

const EXAMPLE: &str =
    "such a file has lines like `CHECK( init(main()), LTL(G ! call(reach_error())) )`";

const KNOWN: &str = "known are `G ! call(f())`, `G ! label(L)`, `G assert`, `G ! overflow`, \
                     `G ! data-race`, `G ! deadlock`, `G valid-free`, `G valid-deref`, \
                     `G valid-memtrack`, `G valid-memcleanup`, `F end`";

/// The text and how far it has been read, in bytes.
struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: end as u32,
        }
    }

    fn blanks(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            if !self.rest().starts_with("//") {
                return;
            }
            let line = self.rest().find('\n').unwrap_or(self.rest().len());
            self.at += line;
        }
    }

    /// The next word, or a single character that is none; empty at the end.
    fn peek(&self) -> &'a str {
        let rest = self.rest();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        match rest.find(|c| !is_word(c)) {
            Some(0) => rest.chars().next().map_or("", |c| &rest[..c.len_utf8()]),
            Some(end) => &rest[..end],
            None => rest,
        }
    }

    fn take(&mut self) -> (&'a str, Span) {
        let word = self.peek();
        let span = self.span(self.at, self.at + word.len());
        self.at += word.len();
        self.blanks();
        (word, span)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Diag> {
        let (word, span) = self.take();
        if word == wanted {
            return Ok(());
        }
        let found = match word {
            "" => "the file ends".to_string(),
            word => format!("there is `{word}`"),
        };
        let diag = Diag::error(span, format!("`{wanted}` is expected, but {found}"));
        Err(diag.note(EXAMPLE))
    }

    fn all(&mut self, wanted: &[&str]) -> Result<(), Diag> {
        wanted.iter().try_for_each(|w| self.expect(w))
    }

    /// `CHECK( init(main()), LTL(formula) )`
    fn check(&mut self) -> Result<(Formula, Span), Diag> {
        self.all(&["CHECK", "(", "init", "("])?;
        let (entry, span) = self.take();
        if entry != "main" {
            let message = format!("executions begin with `main`, not with `{entry}`");
            return Err(Diag::error(span, message));
        }
        self.all(&["(", ")", ")", ",", "LTL", "("])?;
        let start = self.at;
        let formula = self.formula()?;
        let end = start + self.text[start..self.at].trim_end().len();
        self.all(&[")", ")"])?;
        Ok((formula, self.span(start, end)))
    }

    fn formula(&mut self) -> Result<Formula, Diag> {
        let start = self.at;
        let (quantifier, _) = self.take();
        let negated = self.peek() == "!";
        if negated {
            self.take();
        }
        let (atom, last) = self.take();
        let formula = match (quantifier, negated, atom) {
            ("G", true, "call") => {
                self.expect("(")?;
                let function = self.name()?;
                self.all(&["(", ")", ")"])?;
                Formula::NoCall(function)
            }
            ("G", true, "label") => {
                self.expect("(")?;
                let label = self.name()?;
                self.expect(")")?;
                Formula::NoLabel(label)
            }
            ("G", false, "assert") => Formula::Assert,
            ("G", false, "valid-free") => Formula::ValidFree,
            ("G", false, "valid-deref") => Formula::ValidDeref,
            ("G", false, "valid-memtrack") => Formula::ValidMemtrack,
            ("G", false, "valid-memcleanup") => Formula::ValidMemcleanup,
            ("G", true, "overflow") => Formula::NoOverflow,
            ("G", true, "data-race") => Formula::NoDataRace,
            ("G", true, "deadlock") => Formula::NoDeadlock,
            ("F", false, "end") => Formula::Termination,
            _ => {
                let span = self.span(start, last.end as usize);
                let message = "this formula is not supported";
                return Err(Diag::unsupported(span, message).note(KNOWN));
            }
        };
        Ok(formula)
    }

    fn name(&mut self) -> Result<String, Diag> {
        let (word, span) = self.take();
        let mut chars = word.chars();
        let is_name = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && chars.all(|c| c.is_alphanumeric() || c == '_');
        if is_name {
            return Ok(word.to_string());
        }
        Err(Diag::error(span, "a name is expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Specification, (u32, u32, String)> {
        let mut sources = SourceMap::default();
        let file = sources.add("p.prp", text);
        parse(&sources, file).map_err(|diag| {
            let at = sources.line_col(file, diag.labels[0].0.start);
            (at.line, at.col, diag.message)
        })
    }

    #[test]
    fn several_lines_are_several_formulas() {
        let text = "CHECK( init(main()), LTL(G valid-free) )\n\
                    CHECK(init(main()),LTL(G valid-deref)) // and\n\n\
                    CHECK( init( main( ) ), LTL( G ! call( reach_error( ) ) ) )";
        let found = read(text).expect("well-formed");
        let formulas: Vec<Formula> = found.formulas.into_iter().map(|f| f.0).collect();
        let call = Formula::NoCall("reach_error".to_string());
        assert_eq!(formulas, [Formula::ValidFree, Formula::ValidDeref, call]);
    }

    #[test]
    fn every_formula_has_its_name() {
        let named = [
            ("G ! call(__VERIFIER_error())", "unreach-call"),
            ("G ! label(ERROR)", "unreach-label"),
            ("G assert", "assert"),
            ("G valid-memtrack", "valid-memtrack"),
            ("G valid-memcleanup", "valid-memcleanup"),
            ("G ! overflow", "no-overflow"),
            ("G ! data-race", "no-data-race"),
            ("G ! deadlock", "no-deadlock"),
            ("F end", "termination"),
        ];
        for (formula, name) in named {
            let found = read(&format!("CHECK( init(main()), LTL({formula}) )"));
            assert_eq!(found.expect(formula).formulas[0].0.name(), name);
        }
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let wrong = [
            ("", 1, 1),
            ("// nothing\n", 1, 1),
            ("CHECK( init(main()), LTL(G ! call(reach_error())) ", 1, 51),
            ("\nCHECK( init(start()), LTL(F end) )", 2, 13),
            ("CHECK( init(main()), LTL(G ! race) )", 1, 26),
            ("CHECK( init(main()), LTL(G overflow) )", 1, 26),
            ("CHECK( init(main()), LTL(G ! call(1x())) )", 1, 35),
            ("COVER( init(main()), FQL(COVER EDGES(@CALL(f))) )", 1, 1),
            ("CHECK( init(main()), LTL(G assert) ) é", 1, 38),
        ];
        for (text, line, column) in wrong {
            let (l, c, message) = read(text).expect_err(text);
            assert_eq!((l, c), (line, column), "{text}: {message}");
        }
    }
}
