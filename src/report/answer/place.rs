//! Places in files, and diagnostics about them, as answers have them.

use base::code::Code;
use base::diag::{Diag, Severity};
use base::source::{SourceMap, Span};
use serde::{Deserialize, Serialize};

/// A place in a file, counted from 1 in characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRange {
    /// The file.
    pub file: String,
    /// Its first line.
    pub line: u32,
    /// Its first column.
    pub column: u32,
    /// Its last line.
    pub end_line: u32,
    /// The column behind its last character.
    pub end_column: u32,
}

impl SourceRange {
    /// The file and the line.
    pub(in crate::report) fn location(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The place of a span.
    pub(in crate::report) fn of(sources: &SourceMap, span: Span) -> SourceRange {
        let start = sources.line_col(span.file, span.start);
        let end = sources.line_col(span.file, span.end);
        SourceRange {
            file: sources.file(span.file).name.clone(),
            line: start.line,
            column: start.col,
            end_line: end.line,
            end_column: end.col,
        }
    }
}

/// What is said of a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceNote {
    /// A sentence; empty where the diagnostic says it.
    pub message: String,
    /// The place.
    pub span: SourceRange,
}

impl PlaceNote {
    /// What is said of a span.
    pub(super) fn of(sources: &SourceMap, message: &str, span: Span) -> PlaceNote {
        PlaceNote {
            message: message.to_string(),
            span: SourceRange::of(sources, span),
        }
    }
}

/// An error or a warning about the input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Which kind it is.
    pub code: Code,
    /// A sentence.
    pub message: String,
    /// What would help, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where, the primary place first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PlaceNote>,
}

impl Diagnostic {
    /// The diagnostics as answers have them.
    pub(super) fn all(sources: &SourceMap, diags: &[Diag]) -> Vec<Diagnostic> {
        let each = diags.iter().map(|diag| Diagnostic {
            severity: diag.severity,
            code: diag.code,
            message: diag.message.clone(),
            notes: diag.notes.clone(),
            places: diag
                .labels
                .iter()
                .map(|(span, message)| PlaceNote::of(sources, message, *span))
                .collect(),
        });
        each.collect()
    }
}
