//! A waypoint as text.

use crate::base::source::{SourceMap, Span};

/// Which column of a place is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    None,
    First,
    /// Of the last character: the right parenthesis of a call.
    Last,
}

pub(super) struct Waypoint {
    pub(super) kind: &'static str,
    pub(super) thread: Option<usize>,
    /// A formula and its language.
    pub(super) constraint: Option<(String, &'static str)>,
    pub(super) span: Span,
    pub(super) column: Column,
}

impl Waypoint {
    pub(super) fn new(
        kind: &'static str,
        thread: Option<usize>,
        span: Span,
        column: Column,
    ) -> Waypoint {
        Waypoint {
            kind,
            thread,
            constraint: None,
            span,
            column,
        }
    }

    pub(super) fn text(&self, sources: &SourceMap) -> String {
        let mut out = format!(
            "    - waypoint:\n        type: {}\n        action: follow\n",
            self.kind
        );
        if let Some(thread) = self.thread {
            out += &format!("        thread_id: {thread}\n");
        }
        if let Some((constraint, language)) = &self.constraint {
            out += &format!(
                "        constraint:\n          value: {}\n          format: {language}\n",
                quoted(constraint)
            );
        }
        let at = sources.line_col(self.span.file, self.span.start);
        let file = quoted(&sources.file(self.span.file).name);
        out += &format!("        location:\n          file_name: {file}\n");
        out += &format!("          line: {}\n", at.line);
        let column = match self.column {
            Column::None => None,
            Column::First => Some(at.col),
            Column::Last => {
                let last = self.span.end.saturating_sub(1);
                Some(sources.line_col(self.span.file, last).col)
            }
        };
        if let Some(column) = column {
            out += &format!("          column: {column}\n");
        }
        out
    }
}

/// A string as YAML and JSON write it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("strings always serialize")
}
