//! Source files and spans: the one place that reads program text from disk.

use crate::idx::IdVec;
use std::path::{Path, PathBuf};

crate::id!(
    /// A file of a [`SourceMap`].
    FileId,
    "file"
);

/// A range of bytes in one file. Every error and every event carries one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; `self` when they are of different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// One file: its name as the user gave it, and its text.
#[derive(Debug, Clone)]
pub struct File {
    /// The path as shown in messages.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// A position as people write it; both count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub col: u32,
}

/// All files read so far.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: IdVec<FileId, File>,
}

/// Why a file could not be read; the text is a sentence without the file's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct ReadError {
    /// The path as given.
    pub path: PathBuf,
    /// What was wrong with it.
    pub reason: String,
}

impl SourceMap {
    /// Adds text that is already in memory under `name`.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        self.files.push(File {
            name: name.into(),
            text,
            line_starts,
        })
    }

    /// Reads `path` from disk.
    ///
    /// # Errors
    /// The file is missing, unreadable, larger than 4 GiB or not UTF-8 (the byte position is named).
    pub fn load(&mut self, path: &Path) -> Result<FileId, ReadError> {
        let bytes = read(path)?;
        let fail = |reason: String| ReadError {
            path: path.to_path_buf(),
            reason,
        };
        let text = String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
            fail(format!(
                "not UTF-8 text: byte {at} (line {line}) starts no character"
            ))
        })?;
        Ok(self.add(path.display().to_string(), text))
    }

    /// Reads a file whose encoding may be another one; what is not UTF-8 becomes a character that stands for anything
    /// ([`char::REPLACEMENT_CHARACTER`]). Says besides whether there is such a byte.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn load_in_any_encoding(&mut self, path: &Path) -> Result<(FileId, bool), ReadError> {
        let bytes = read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let is_lossy = matches!(text, std::borrow::Cow::Owned(_));
        let file = self.add(path.display().to_string(), text.into_owned());
        Ok((file, is_lossy))
    }

    /// Gives a file another name in messages.
    pub fn rename(&mut self, id: FileId, name: impl Into<String>) {
        self.files[id].name = name.into();
    }

    /// The file named by `id`.
    pub fn file(&self, id: FileId) -> &File {
        &self.files[id]
    }

    /// All of them, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter()
    }

    /// The file with this exact name, if it has been added.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files
            .iter_enumerated()
            .find(|(_, f)| f.name == name)
            .map(|(id, _)| id)
    }

    /// Line and column of a byte of a file; past the end it is the end.
    pub fn line_col(&self, file: FileId, byte: u32) -> LineCol {
        let file = &self.files[file];
        let byte = (byte as usize).min(file.text.len());
        let line = file.line_starts.partition_point(|s| *s as usize <= byte) - 1;
        let start = file.line_starts[line] as usize;
        let col = file
            .text
            .get(start..byte)
            .map_or(byte - start, |s| s.chars().count());
        LineCol {
            line: line as u32 + 1,
            col: col as u32 + 1,
        }
    }

    /// The byte where a line (from 1) begins; the end of the file when there is no such line.
    pub fn line_start(&self, file: FileId, line: u32) -> u32 {
        let file = &self.files[file];
        let index = (line.max(1) - 1) as usize;
        file.line_starts
            .get(index)
            .copied()
            .unwrap_or(file.text.len() as u32)
    }

    /// `name:line` of the start of a span.
    pub fn location(&self, span: Span) -> String {
        format!(
            "{}:{}",
            self.files[span.file].name,
            self.line_col(span.file, span.start).line
        )
    }

    /// The text of the line in which a span begins, without its end.
    pub fn line(&self, span: Span) -> &str {
        let line = self.line_col(span.file, span.start).line;
        let start = self.line_start(span.file, line) as usize;
        let text = self.files[span.file].text.get(start..).unwrap_or("");
        text.lines().next().unwrap_or("")
    }

    /// The text a span covers; empty when it does not fall on character bounds.
    pub fn snippet(&self, span: Span) -> &str {
        self.files[span.file]
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    let fail = |reason: String| ReadError {
        path: path.to_path_buf(),
        reason,
    };
    let bytes = std::fs::read(path).map_err(|e| {
        fail(match e.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_string(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
            _ => e.to_string(),
        })
    })?;
    if u32::try_from(bytes.len()).is_err() {
        return Err(fail("the file is larger than 4 GiB".to_string()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one_and_in_characters() {
        let mut map = SourceMap::default();
        let f = map.add("a.c", "int x;\né = 1;\n");
        assert_eq!(map.line_col(f, 0), LineCol { line: 1, col: 1 });
        assert_eq!(map.line_col(f, 10), LineCol { line: 2, col: 3 });
        assert_eq!(map.line_col(f, 999), LineCol { line: 3, col: 1 });
        assert_eq!(
            map.location(Span {
                file: f,
                start: 8,
                end: 9
            }),
            "a.c:2"
        );
    }
}
