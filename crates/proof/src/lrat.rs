//! Proofs that a formula has no satisfying assignment, in LRAT, and their checker.
//!
//! Each line of a proof is a clause with a number, and *hints*: the numbers of clauses from which it
//! follows by unit propagation, in that order. So checking needs no search: assume that all literals of
//! the clause are false; then each hint has but one literal left, which must be true, until the last
//! one has none. The last line is the empty clause.
//!
//! ```text
//! 7 -2 3 0 1 4 0      clause 7 is (not 2 or 3); it follows from clauses 1 and 4
//! 7 d 1 4 0           clauses 1 and 4 are not needed any more
//! ```

use std::io::{self, BufRead, Write};

/// What a proof does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Clauses that it adds.
    pub added: u64,
    /// Clauses that these follow from.
    pub hints: u64,
}

/// Why a proof is none.
#[derive(Debug, thiserror::Error)]
pub enum LratError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is wrong.
    #[error("line {line}: {what}")]
    Line {
        /// Which, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// It ends before the empty clause.
    #[error("it does not come to the empty clause")]
    Unfinished,
}

/// A line of a proof.
enum ProofLine<'a> {
    /// A clause: its number, its literals, its hints.
    Add(u64, &'a [i32], &'a [u64]),
    /// Clauses that are not needed any more.
    Delete(&'a [u64]),
}

/// Reads a proof line by line.
struct Reader<'a> {
    text: &'a mut dyn BufRead,
    line: u64,
    bytes: Vec<u8>,
    literals: Vec<i32>,
    hints: Vec<u64>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a mut dyn BufRead) -> Reader<'a> {
        Reader {
            text,
            line: 0,
            bytes: Vec::new(),
            literals: Vec::new(),
            hints: Vec::new(),
        }
    }

    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, LratError> {
        let (line, what) = (self.line, what.into());
        Err(LratError::Line { line, what })
    }

    /// The next line; `None` at the end.
    fn next(&mut self) -> Result<Option<ProofLine<'_>>, LratError> {
        self.bytes.clear();
        self.line += 1;
        if self.text.read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        self.literals.clear();
        self.hints.clear();
        let bytes = std::mem::take(&mut self.bytes);
        let parsed = self.parse(&bytes);
        self.bytes = bytes;
        Ok(Some(match parsed? {
            Some(number) => ProofLine::Add(number, &self.literals, &self.hints),
            None => ProofLine::Delete(&self.hints),
        }))
    }

    /// Fills in literals and hints; the number of the clause, or none of a deletion.
    fn parse(&mut self, bytes: &[u8]) -> Result<Option<u64>, LratError> {
        let mut words = bytes
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty());
        let Some(number) = words.next().and_then(natural) else {
            return self.wrong("it does not begin with the number of a clause");
        };
        let mut rest = words.peekable();
        let deletes = rest.next_if(|w| *w == b"d").is_some();
        if !deletes {
            loop {
                match rest.next().and_then(literal) {
                    Some(0) => break,
                    Some(l) => self.literals.push(l),
                    None => return self.wrong("the literals do not end with 0"),
                }
            }
        }
        loop {
            match rest.next().map(|w| (natural(w), w)) {
                Some((Some(0), _)) => break,
                Some((Some(hint), _)) => self.hints.push(hint),
                Some((None, [b'-', ..])) => {
                    return self.wrong("a negative hint: proofs by RAT are not read");
                }
                _ => return self.wrong("the numbers of clauses do not end with 0"),
            }
        }
        match rest.next() {
            Some(_) => self.wrong("there is more behind the last 0"),
            None => Ok((!deletes).then_some(number)),
        }
    }
}

fn natural(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn literal(word: &[u8]) -> Option<i32> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The clauses that there are: those of the formula, and those that the proof has added.
struct Clauses<'a> {
    formula: Vec<Option<&'a [i32]>>,
    added: Vec<Option<Box<[i32]>>>,
}

impl Clauses<'_> {
    fn get(&self, number: u64) -> Option<&[i32]> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        match index.checked_sub(self.formula.len()) {
            None => self.formula[index],
            Some(index) => self.added.get(index)?.as_deref(),
        }
    }

    /// Adds a clause with a number that has not been given; false if it has.
    fn add(&mut self, number: u64, literals: &[i32]) -> bool {
        let all = self.formula.len() + self.added.len();
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        let Some(skipped) = index
            .and_then(|i| i.checked_sub(all))
            .filter(|skipped| *skipped < MOST_SKIPPED)
        else {
            return false;
        };
        self.added.extend((0..skipped).map(|_| None));
        self.added.push(Some(literals.into()));
        true
    }

    /// Removes a clause; false if it is not there.
    fn delete(&mut self, number: u64) -> bool {
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        let Some(index) = index else { return false };
        let behind = index.checked_sub(self.formula.len());
        match behind {
            None => self.formula[index].take().is_some(),
            Some(index) => {
                let clause = self.added.get_mut(index);
                clause.is_some_and(|clause| clause.take().is_some())
            }
        }
    }
}

/// Numbers that may be left out in a row.
const MOST_SKIPPED: usize = 1 << 28;

/// Checks that clauses, each ended by 0, have no satisfying assignment, by a proof.
///
/// # Errors
/// The proof is wrong.
pub fn check(flat: &[i32], proof: &mut dyn BufRead) -> Result<Checked, LratError> {
    let formula = flat.split_inclusive(|l| *l == 0);
    let formula: Vec<Option<&[i32]>> = formula.map(|c| Some(&c[..c.len() - 1])).collect();
    let mut checked = Checked::default();
    let mut clauses = Clauses {
        formula,
        added: Vec::new(),
    };
    let mut assignment = Assignment::default();
    let mut reader = Reader::new(proof);
    loop {
        let line = reader.line + 1;
        let wrong = |what: String| Err(LratError::Line { line, what });
        let Some(step) = reader.next()? else {
            return Err(LratError::Unfinished);
        };
        match step {
            ProofLine::Delete(numbers) => {
                if let Some(number) = numbers.iter().find(|n| !clauses.delete(**n)) {
                    return wrong(format!("there is no clause {number}"));
                }
            }
            ProofLine::Add(number, literals, hints) => {
                if let Err(what) = follows(&clauses, &mut assignment, literals, hints) {
                    return wrong(what);
                }
                checked.added += 1;
                checked.hints += hints.len() as u64;
                if literals.is_empty() {
                    return Ok(checked);
                }
                if !clauses.add(number, literals) {
                    return wrong(format!("the number {number} is taken, or too large"));
                }
            }
        }
    }
}

/// A clause follows from others by unit propagation.
fn follows(
    clauses: &Clauses,
    assignment: &mut Assignment,
    literals: &[i32],
    hints: &[u64],
) -> Result<(), String> {
    assignment.begin();
    literals.iter().for_each(|l| assignment.set(-*l));
    for hint in hints {
        let Some(clause) = clauses.get(*hint) else {
            return Err(format!("there is no clause {hint}"));
        };
        let mut open = clause.iter().filter(|l| !assignment.holds(-**l));
        // A literal may stand in a clause more than once.
        let first = open.next();
        match (first, open.find(|l| Some(*l) != first)) {
            (None, _) => return Ok(()),
            (Some(unit), None) => assignment.set(*unit),
            (Some(_), Some(_)) => {
                return Err(format!("clause {hint} has more than one literal left"));
            }
        }
    }
    Err("the hints do not come to a contradiction".to_string())
}

/// Literals that hold.
#[derive(Default)]
struct Assignment {
    /// By literal: when it was set last.
    set: Vec<u64>,
    now: u64,
}

impl Assignment {
    fn begin(&mut self) {
        self.now += 1;
    }

    fn index(literal: i32) -> usize {
        2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
    }

    fn set(&mut self, literal: i32) {
        let index = Assignment::index(literal);
        if index >= self.set.len() {
            self.set.resize(index + 1, 0);
        }
        self.set[index] = self.now;
    }

    fn holds(&self, literal: i32) -> bool {
        self.set.get(Assignment::index(literal)) == Some(&self.now)
    }
}

/// Writes a proof without the lines that the empty clause does not depend on, its clauses numbered
/// one after the other behind those of the formula, each deleted after its last use. The proof is read
/// twice.
///
/// # Errors
/// It cannot be read or written, or has no empty clause.
pub fn trim(
    clauses: u64,
    first: &mut dyn BufRead,
    again: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), LratError> {
    // Numbers of what each line adds, and its hints one after the other.
    let (mut numbers, mut ends, mut hints) = (Vec::new(), vec![0_usize], Vec::<u32>::new());
    let mut reader = Reader::new(first);
    let mut finished = false;
    while !finished {
        let line = reader.line + 1;
        match reader.next()? {
            None => return Err(LratError::Unfinished),
            Some(ProofLine::Delete(_)) => {}
            Some(ProofLine::Add(number, literals, from)) => {
                for hint in from {
                    let hint = u32::try_from(*hint).map_err(|_| LratError::Line {
                        line,
                        what: "a number of 33 bits or more".to_string(),
                    })?;
                    hints.push(hint);
                }
                numbers.push(number);
                ends.push(hints.len());
                finished = literals.is_empty();
            }
        }
    }
    let last = numbers.iter().copied().max().unwrap_or(0).max(clauses) as usize;
    let mut line_of = vec![u32::MAX; last + 1];
    for (line, number) in numbers.iter().enumerate() {
        line_of[*number as usize] = line as u32;
    }
    // By line: the line of its last use; those that are needed have one.
    let mut last_use = vec![u32::MAX; numbers.len()];
    let final_line = numbers.len() - 1;
    last_use[final_line] = final_line as u32;
    for line in (0..numbers.len()).rev() {
        if last_use[line] == u32::MAX {
            continue;
        }
        for hint in &hints[ends[line]..ends[line + 1]] {
            let from = line_of.get(*hint as usize).copied().unwrap_or(u32::MAX);
            if from != u32::MAX && last_use[from as usize] == u32::MAX {
                last_use[from as usize] = line as u32;
            }
        }
    }
    let mut reader = Reader::new(again);
    let mut new_number = vec![0_u64; numbers.len()];
    let (mut next, mut line) = (clauses, 0);
    let mut text = String::new();
    while line < numbers.len() {
        let Some(step) = reader.next()? else {
            return Err(LratError::Unfinished);
        };
        let ProofLine::Add(_, literals, from) = step else {
            continue;
        };
        if last_use[line] != u32::MAX {
            next += 1;
            new_number[line] = next;
            text.clear();
            text += &next.to_string();
            literals.iter().for_each(|l| text += &format!(" {l}"));
            text += " 0";
            let mut done = Vec::new();
            for hint in from {
                let of = line_of.get(*hint as usize).copied().unwrap_or(u32::MAX);
                let number = match of {
                    u32::MAX => *hint,
                    of => new_number[of as usize],
                };
                text += &format!(" {number}");
                if of != u32::MAX && last_use[of as usize] == line as u32 {
                    done.push(number);
                }
            }
            text += " 0\n";
            if !done.is_empty() && line != final_line {
                done.sort_unstable();
                done.dedup();
                text += &format!("{next} d");
                done.iter().for_each(|n| text += &format!(" {n}"));
                text += " 0\n";
            }
            out.write_all(text.as_bytes())?;
        }
        line += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All four clauses of two variables.
    const SQUARE: [i32; 12] = [1, 2, 0, 1, -2, 0, -1, 2, 0, -1, -2, 0];

    fn checked(flat: &[i32], proof: &str) -> Result<Checked, LratError> {
        check(flat, &mut proof.as_bytes())
    }

    #[test]
    fn a_proof_is_followed() {
        let proof = "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n";
        let found = checked(&SQUARE, proof).expect("it is one");
        assert_eq!((found.added, found.hints), (2, 5));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for proof in [
            "",
            "5 1 0 1 2 0\n",
            "5 1 0 1 0\n6 0 5 3 4 0\n",
            "5 1 0 1 3 0\n6 0 5 3 4 0\n",
            "5 1 0 1 2 0\n6 0 5 3 0\n",
            "5 1 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n",
            "4 1 0 1 2 0\n6 0 4 3 2 0\n",
            "5 1 0 1 -2 0\n6 0 5 3 4 0\n",
            "5 1 0 1 2\n6 0 5 3 4 0\n",
            "5 2 0 1 2 0\n6 0 5 3 4 0\n",
            "5 1 0 1 7 0\n6 0 5 3 4 0\n",
        ] {
            assert!(checked(&SQUARE, proof).is_err(), "{proof}");
        }
        let satisfiable = &SQUARE[..9];
        assert!(checked(satisfiable, "5 1 0 1 2 0\n6 0 5 3 4 0\n").is_err());
    }

    #[test]
    fn trimming_keeps_what_is_needed() {
        let proof = "5 1 0 1 2 0\n6 2 0 1 3 0\n9 -1 0 3 4 0\n9 d 6 0\n12 0 5 9 0\n";
        assert!(checked(&SQUARE, proof).is_ok());
        let mut out = Vec::new();
        let trimmed = trim(4, &mut proof.as_bytes(), &mut proof.as_bytes(), &mut out);
        trimmed.expect("it is a proof");
        let text = String::from_utf8(out).expect("it is text");
        assert_eq!(text, "5 1 0 1 2 0\n6 -1 0 3 4 0\n7 0 5 6 0\n");
        assert!(checked(&SQUARE, &text).is_ok());
    }
}
