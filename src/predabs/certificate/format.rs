//! The text of a certificate: an item per line.
//!
//! ```text
//! wmbmc abstraction certificate 1
//! model tso
//! buffer 1
//! threads main zero one
//! invariant zero:t <= next
//! predicate inside == 0
//! predicate cnt.zero == 0
//! at 3 0 -
//! ++
//! .-
//! end 2
//! ```
//!
//! `buffer` is the bound of the buffers, 0 on SC. Invariants are what is proved beside the assertions of
//! the program. `at` begins the states of some locations, a number for each thread and `-` for one that
//! has not begun; below it is a line for each cube, a sign for each predicate in order: `+` true, `-` false,
//! `.` unknown. `end` says how many cubes there are. Conditions are over the variables of the program
//! with its buffers.

use super::interleaving::Locations;
use crate::commands::arith::Cond;
use crate::commands::program::{LocId, Program, ThreadId};
use crate::predabs::cube::{Cube, MAX_PREDICATES};
use crate::predabs::predicates::{Predicate, condition};
use base::diag::Diag;
use base::idx::Id;
use base::source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How every such certificate begins.
const KIND: &str = "wmbmc abstraction certificate";
/// The first line of this version.
const FIRST: &str = "wmbmc abstraction certificate 1";

/// What a certificate is about; the program is reduced accordingly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The memory model's short name.
    pub model: String,
    /// Entries of a store buffer; 0 where there are none.
    pub bound: u32,
}

/// A certificate that has been read.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// What is proved beside assertions.
    pub invariants: Vec<Predicate>,
    /// What the cubes speak of.
    pub predicates: Vec<Predicate>,
    /// The cubes by locations, in the order of the text, each with its place.
    pub states: Vec<(Locations, Vec<(Cube, Span)>)>,
}

/// The text of a condition does not say which variable it is about.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is the name of several variables")]
pub struct AmbiguousNames(String);

/// A certificate as text.
///
/// # Errors
/// A variable of the program is called as a buffer is.
pub fn write(
    program: &Program,
    header: &Header,
    invariants: &[Predicate],
    predicates: &[Predicate],
    states: &BTreeMap<Locations, Vec<Cube>>,
) -> Result<String, AmbiguousNames> {
    let mut out = format!(
        "{FIRST}\nmodel {}\nbuffer {}\nthreads",
        header.model, header.bound
    );
    for t in program.threads.iter() {
        let _ = write!(out, " {}", t.name);
    }
    out.push('\n');
    let all = invariants.iter().map(|p| ("invariant", p));
    for (word, p) in all.chain(predicates.iter().map(|p| ("predicate", p))) {
        let text = p.cond.show(&|x| program.name(x));
        if !reads_as(&text, program, &p.cond) {
            return Err(AmbiguousNames(text));
        }
        let _ = writeln!(out, "{word} {text}");
    }
    let mut count = 0;
    for (at, cubes) in states {
        out += "at";
        for l in at {
            let _ = match l {
                Some(l) => write!(out, " {}", l.0),
                None => write!(out, " -"),
            };
        }
        out.push('\n');
        for cube in cubes {
            out.extend((0..predicates.len()).map(|i| match cube.truth(i) {
                Some(true) => '+',
                Some(false) => '-',
                None => '.',
            }));
            out.push('\n');
            count += 1;
        }
    }
    let _ = writeln!(out, "end {count}");
    Ok(out)
}

/// A text is read as the condition that it is of.
fn reads_as(text: &str, program: &Program, cond: &Cond) -> bool {
    let nowhere = |_, _| Span {
        file: FileId(0),
        start: 0,
        end: 0,
    };
    condition(text, program, &nowhere).is_ok_and(|read| read == *cond)
}

/// The text claims to be a certificate of this kind, of some version.
pub fn is_certificate(text: &str) -> bool {
    text.starts_with(KIND)
}

/// The lines of a certificate that are still to be read.
struct Lines<'a> {
    file: FileId,
    rest: &'a str,
    start: usize,
}

/// A line and where it is.
#[derive(Clone, Copy)]
struct CertificateLine<'a> {
    text: &'a str,
    file: FileId,
    start: usize,
}

impl<'a> Lines<'a> {
    fn of(sources: &'a SourceMap, file: FileId) -> Lines<'a> {
        Lines {
            file,
            rest: &sources.file(file).text,
            start: 0,
        }
    }

    fn next(&mut self) -> Result<CertificateLine<'a>, Diag> {
        let (text, rest) = match self.rest.split_once('\n') {
            Some(parts) => parts,
            None if self.rest.is_empty() => {
                let end = CertificateLine {
                    text: "",
                    file: self.file,
                    start: self.start,
                };
                return Err(end.error("the certificate ends without its line `end`"));
            }
            None => (self.rest, ""),
        };
        let line = CertificateLine {
            text: text.trim_end(),
            file: self.file,
            start: self.start,
        };
        self.start += self.rest.len() - rest.len();
        self.rest = rest;
        Ok(line)
    }

    /// The words after the first of a line that has to begin with it.
    fn expect(&mut self, word: &str) -> Result<(CertificateLine<'a>, &'a str), Diag> {
        let line = self.next()?;
        match line.after(word) {
            Some(rest) => Ok((line, rest)),
            None => Err(line.error(format!("expected a line `{word} ..`"))),
        }
    }
}

impl<'a> CertificateLine<'a> {
    fn part(&self, from: usize, to: usize) -> Span {
        Span {
            file: self.file,
            start: base::idx::position(self.start + from),
            end: base::idx::position(self.start + to),
        }
    }

    fn span(&self) -> Span {
        self.part(0, self.text.len())
    }

    fn error(&self, message: impl Into<String>) -> Diag {
        Diag::error(self.span(), message)
    }

    fn after(&self, word: &str) -> Option<&'a str> {
        self.text.strip_prefix(word)?.strip_prefix(' ')
    }
}

/// Reads what a certificate is about.
///
/// # Errors
/// What is wrong with its first lines.
pub fn read_header(sources: &SourceMap, file: FileId) -> Result<Header, Diag> {
    Ok(header(&mut Lines::of(sources, file))?.0)
}

fn header<'a>(lines: &mut Lines<'a>) -> Result<(Header, CertificateLine<'a>, &'a str), Diag> {
    let first = lines.next()?;
    if first.text != FIRST {
        return Err(first.error(format!("the first line is `{FIRST}`")));
    }
    let (_, model) = lines.expect("model")?;
    let (line, bound) = lines.expect("buffer")?;
    let Some(bound) = bound.parse().ok().filter(|b| *b <= 64) else {
        return Err(line.error("a buffer has at most 64 entries"));
    };
    let (line, threads) = lines.expect("threads")?;
    let header = Header {
        model: model.to_string(),
        bound,
    };
    Ok((header, line, threads))
}

/// Reads a certificate of a program with its buffers.
///
/// # Errors
/// The first thing that is wrong with it, at its line.
pub fn read(sources: &SourceMap, file: FileId, program: &Program) -> Result<Certificate, Diag> {
    let mut lines = Lines::of(sources, file);
    let (_, line, threads) = header(&mut lines)?;
    let names: Vec<&str> = program.threads.iter().map(|t| t.name.as_str()).collect();
    if threads.split(' ').collect::<Vec<_>>() != names {
        let message = format!("the threads of the program are {}", names.join(" "));
        return Err(line.error(message));
    }
    let mut certificate = Certificate {
        invariants: Vec::new(),
        predicates: Vec::new(),
        states: Vec::new(),
    };
    let mut count = 0;
    loop {
        let line = lines.next()?;
        if let Some(text) = line.after("invariant") {
            certificate.invariants.push(predicate(line, text, program)?);
        } else if let Some(text) = line.after("predicate") {
            if !certificate.states.is_empty() {
                return Err(line.error("predicates come before states"));
            }
            if certificate.predicates.len() == MAX_PREDICATES {
                let message = format!("there are at most {MAX_PREDICATES} predicates");
                return Err(line.error(message));
            }
            certificate.predicates.push(predicate(line, text, program)?);
        } else if let Some(text) = line.after("at") {
            let at = locations(line, text, program)?;
            certificate.states.push((at, Vec::new()));
        } else if let Some(number) = line.after("end") {
            if number.parse() != Ok(count) {
                return Err(line.error(format!("there are {count} cubes before this line")));
            }
            if !lines.rest.is_empty() {
                return Err(lines.next()?.error("nothing follows the line `end`"));
            }
            return Ok(certificate);
        } else {
            let Some((_, cubes)) = certificate.states.last_mut() else {
                return Err(line.error("this line cannot be read here"));
            };
            cubes.push((cube(line, certificate.predicates.len())?, line.span()));
            count += 1;
        }
    }
}

fn predicate(line: CertificateLine, text: &str, program: &Program) -> Result<Predicate, Diag> {
    let from = line.text.len() - text.len();
    let cond = condition(text, program, &|a, b| line.part(from + a, from + b))?;
    Ok(Predicate {
        cond,
        text: text.to_string(),
    })
}

fn locations(line: CertificateLine, text: &str, program: &Program) -> Result<Locations, Diag> {
    let words: Vec<&str> = text.split(' ').collect();
    if words.len() != program.threads.len() {
        let message = format!(
            "expected a location for each of {} threads",
            program.threads.len()
        );
        return Err(line.error(message));
    }
    let location = |(t, word): (ThreadId, &&str)| {
        if *word == "-" {
            return Ok(None);
        }
        let thread = &program.threads[t];
        let number = word.parse().ok().map(LocId);
        match number.filter(|l| l.index() < thread.locations.len()) {
            Some(l) => Ok(Some(l)),
            None => Err(line.error(format!("thread `{}` has no location `{word}`", thread.name))),
        }
    };
    program.threads.ids().zip(&words).map(location).collect()
}

fn cube(line: CertificateLine, predicates: usize) -> Result<Cube, Diag> {
    if line.text.len() != predicates {
        let message = format!("expected a cube, a sign for each of {predicates} predicates");
        return Err(line.error(message));
    }
    let mut cube = Cube::default();
    for (i, sign) in line.text.chars().enumerate() {
        cube = match sign {
            '+' => cube.with(i, true),
            '-' => cube.with(i, false),
            '.' => cube,
            other => {
                let place = line.part(i, i + other.len_utf8());
                return Err(Diag::error(
                    place,
                    format!("`{other}` is none of `+`, `-`, `.`"),
                ));
            }
        };
    }
    Ok(cube)
}
