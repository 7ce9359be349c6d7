//! From offsets of preprocessed text to spans of the files people wrote.
//!
//! Line markers give the file and line of every preprocessed line. Within a line, macros have
//! moved things; so the tokens of the preprocessed line are aligned with those of the original
//! ones (longest common subsequence), a token that has a partner maps to it, and a run of tokens
//! without partner, which is what a macro expanded to, maps to the original tokens between the
//! neighbouring partners, which is the macro's invocation.

use super::scan::{CTokenKind, Token, scan, with_characters};
use base::source::{FileId, SourceMap, Span};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// Lines with more tokens than this are aligned by their common ends only.
const MAX_ALIGNED: usize = 400;

/// Answers where a piece of the text that the parser saw stands in the original.
#[derive(Debug)]
pub enum Positions {
    /// The text is the file itself.
    Direct(FileId),
    /// The text came from the preprocessor.
    Mapped(Mapped),
}

/// The lines of preprocessed text and where they come from.
#[derive(Debug)]
pub struct Mapped {
    main: FileId,
    lines: Vec<PreprocessedLine>,
    aligned: RefCell<BTreeMap<usize, Aligned>>,
}

#[derive(Clone, Copy, Debug)]
struct PreprocessedLine {
    /// Bytes in the preprocessed text.
    start: usize,
    end: usize,
    /// Where from; `None` for what no file holds.
    origin: Option<(FileId, u32)>,
}

/// The tokens of a preprocessed line with the original bytes of each.
#[derive(Debug)]
struct Aligned {
    file: FileId,
    /// (start, end) in the preprocessed text, (start, end) in the original file.
    tokens: Vec<(usize, usize, u32, u32)>,
}

impl Positions {
    /// Reads the line markers of preprocessed text. `hidden` is the directory of our own headers;
    /// a file in it is named `<file>`.
    pub fn of_preprocessed(
        sources: &mut SourceMap,
        text: &str,
        main: FileId,
        hidden: &Path,
    ) -> Positions {
        let mut lines = Vec::new();
        let mut origin: Option<(FileId, u32)> = None;
        let mut files: BTreeMap<String, Option<FileId>> = BTreeMap::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let (start, end) = (at, at + line.len());
            at = end;
            match marker(line) {
                Some((number, name)) => {
                    let file = *files
                        .entry(name.clone())
                        .or_insert_with(|| open(sources, &name, hidden));
                    origin = file.map(|f| (f, number));
                }
                None => {
                    lines.push(PreprocessedLine { start, end, origin });
                    origin = origin.map(|(f, n)| (f, n + 1));
                }
            }
        }
        Positions::Mapped(Mapped {
            main,
            lines,
            aligned: RefCell::default(),
        })
    }

    /// The span of `start..end` of the text; the text itself is needed to align a line.
    pub fn span(&self, sources: &SourceMap, text: &str, start: usize, end: usize) -> Span {
        match self {
            Positions::Direct(file) => Span {
                file: *file,
                start: start as u32,
                end: end.max(start) as u32,
            },
            Positions::Mapped(map) => map.span(sources, text, start, end),
        }
    }

    /// The file the user named.
    pub fn main(&self) -> FileId {
        match self {
            Positions::Direct(file) => *file,
            Positions::Mapped(map) => map.main,
        }
    }
}

impl Mapped {
    fn span(&self, sources: &SourceMap, text: &str, start: usize, end: usize) -> Span {
        let nowhere = Span {
            file: self.main,
            start: 0,
            end: 0,
        };
        let Some(first) = self.point(sources, text, start, true) else {
            return nowhere;
        };
        if end <= start {
            return Span {
                end: first.start,
                ..first
            };
        }
        match self.point(sources, text, end - 1, false) {
            Some(last) if last.file == first.file && last.end >= first.start => Span {
                end: last.end,
                ..first
            },
            _ => first,
        }
    }

    /// The original of the token at `offset`, or of the next one (`forward`) or the one before.
    fn point(&self, sources: &SourceMap, text: &str, offset: usize, forward: bool) -> Option<Span> {
        let index = self
            .lines
            .partition_point(|l| l.start <= offset)
            .checked_sub(1)?;
        let (file, number) = self.lines[index].origin?;
        let mut cache = self.aligned.borrow_mut();
        let aligned = cache
            .entry(index)
            .or_insert_with(|| self.align(sources, text, index, file, number));
        let after = aligned.tokens.partition_point(|t| t.1 <= offset);
        let token = match aligned.tokens.get(after) {
            Some(t) if t.0 <= offset || forward => Some(t),
            _ if after > 0 => aligned.tokens.get(after - 1),
            other => other,
        };
        let start = sources.line_start(file, number);
        Some(match token {
            Some((_, _, start, end)) => Span {
                file: aligned.file,
                start: *start,
                end: *end,
            },
            None => Span {
                file,
                start,
                end: start,
            },
        })
    }

    /// Aligns a preprocessed line with the original lines up to the origin of the next one.
    fn align(
        &self,
        sources: &SourceMap,
        text: &str,
        index: usize,
        file: FileId,
        number: u32,
    ) -> Aligned {
        let line = self.lines[index];
        let next = self.lines[index + 1..]
            .iter()
            .find_map(|l| l.origin.filter(|(f, _)| *f == file));
        let until = next.map_or(number + 1, |(_, n)| n.clamp(number + 1, number + 40));
        let from = sources.line_start(file, number) as usize;
        let to = sources.line_start(file, until) as usize;
        let original = sources.file(file).text.get(from..to).unwrap_or("");
        let ours = text.get(line.start..line.end).unwrap_or("");
        let theirs: Vec<Token> = scan(original)
            .into_iter()
            .filter(|t| t.kind != CTokenKind::Comment)
            .collect();
        let mine = scan(ours);
        let (partners, differing) = partners(ours, &mine, original, &theirs);
        let place = |i: usize| -> (u32, u32) {
            if let Some(j) = partners[i] {
                return (theirs[j].start as u32, theirs[j].end as u32);
            }
            // The original tokens between the neighbouring partners are the macro's invocation.
            let low = partners[..i]
                .iter()
                .rev()
                .find_map(|p| *p)
                .map_or(0, |j| j + 1);
            let high = partners[i..]
                .iter()
                .find_map(|p| *p)
                .unwrap_or(theirs.len());
            // When the partners leave nothing between them, it is all that differs on the line.
            let (low, high) = if low < high { (low, high) } else { differing };
            match (
                theirs.get(low),
                high.checked_sub(1).and_then(|h| theirs.get(h)),
            ) {
                (Some(a), Some(b)) if low < high => (a.start as u32, b.end as u32),
                _ => {
                    let at = low.checked_sub(1).map_or(0, |l| theirs[l].end) as u32;
                    (at, at)
                }
            }
        };
        let tokens = mine
            .iter()
            .enumerate()
            .map(|(i, t)| {
                let (start, end) = place(i);
                (
                    line.start + t.start,
                    line.start + t.end,
                    from as u32 + start,
                    from as u32 + end,
                )
            })
            .collect();
        Aligned { file, tokens }
    }
}

/// For each of our tokens the original one it is, by a longest common subsequence; and the range
/// of original tokens between the common beginning and the common end.
fn partners(
    ours: &str,
    mine: &[Token],
    original: &str,
    theirs: &[Token],
) -> (Vec<Option<usize>>, (usize, usize)) {
    let same = |i: usize, j: usize| {
        let (a, b) = (mine[i].text(ours), theirs[j].text(original));
        // Preprocessors write letters beyond ASCII as universal character names.
        let is_word = mine[i].kind == CTokenKind::Word;
        a == b || is_word && with_characters(a) == with_characters(b)
    };
    let (n, m) = (mine.len(), theirs.len());
    let mut result = vec![None; n];
    let prefix = (0..n.min(m)).take_while(|i| same(*i, *i)).count();
    let suffix = (0..(n - prefix).min(m - prefix))
        .take_while(|k| same(n - 1 - k, m - 1 - k))
        .count();
    (0..prefix).for_each(|i| result[i] = Some(i));
    (0..suffix).for_each(|k| result[n - 1 - k] = Some(m - 1 - k));
    let (rows, cols) = (n - prefix - suffix, m - prefix - suffix);
    let differing = (prefix, m - suffix);
    if rows == 0 || cols == 0 || rows.max(cols) > MAX_ALIGNED {
        return (result, differing);
    }
    // best[i][j]: the longest common subsequence of what begins at i and j.
    let mut best = vec![vec![0u16; cols + 1]; rows + 1];
    for i in (0..rows).rev() {
        for j in (0..cols).rev() {
            best[i][j] = match same(prefix + i, prefix + j) {
                true => best[i + 1][j + 1] + 1,
                false => best[i + 1][j].max(best[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < rows && j < cols {
        if same(prefix + i, prefix + j) {
            result[prefix + i] = Some(prefix + j);
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    (result, differing)
}

/// `# 12 "file" flags` or `#line 12 "file"`.
fn marker(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    let mut out = String::new();
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some((number, out)),
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    None
}

/// The file a marker names, read if it has not been; `None` for `<built-in>` and what is gone.
fn open(sources: &mut SourceMap, name: &str, hidden: &Path) -> Option<FileId> {
    if name.starts_with('<') {
        return None;
    }
    let path = Path::new(name);
    let shown = path
        .strip_prefix(hidden)
        .map_or(name.to_string(), |p| format!("<{}>", p.display()));
    if let Some(file) = sources.find(&shown) {
        return Some(file);
    }
    if shown == name {
        return sources
            .load_in_any_encoding(path)
            .ok()
            .map(|(file, _)| file);
    }
    let text = std::fs::read_to_string(path).ok()?;
    Some(sources.add(shown, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_expansions_map_to_their_invocation() {
        let mut sources = SourceMap::default();
        let main = sources.add("a.c", "#define TWO 2\nint x = TWO + y;\n");
        let text = "# 1 \"a.c\"\n\nint x = 2 + y;\n";
        let positions = Positions::of_preprocessed(&mut sources, text, main, Path::new("/nowhere"));
        let at = |s: &str| {
            let start = text.find(s).expect("the snippet is in the text");
            sources.snippet(positions.span(&sources, text, start, start + s.len()))
        };
        assert_eq!(at("2"), "TWO");
        assert_eq!(at("y"), "y");
        assert_eq!(at("2 + y"), "TWO + y");
    }
}
