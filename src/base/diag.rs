//! Diagnostics: what was wrong with the input, where, and what would help.

use super::source::{SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input is used, but probably not as its author thinks.
    Warning,
}

/// One message about the input, printed as rustc prints its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Diag {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Where, the primary place first; may be empty (a missing file has no place).
    pub labels: Vec<(Span, String)>,
    /// What would help, one sentence each.
    pub notes: Vec<String>,
    /// The input is not wrong, but has what is not supported.
    pub unsupported: bool,
}

impl Diag {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Error,
            message: message.into(),
            labels: vec![(span, String::new())],
            notes: Vec::new(),
            unsupported: false,
        }
    }

    /// An error without a place.
    pub fn bare(message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            unsupported: false,
        }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Warning,
            ..Diag::error(span, message)
        }
    }

    /// An error at `span`: what stands there is not supported.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Diag {
        Diag {
            unsupported: true,
            ..Diag::error(span, message)
        }
    }

    /// Says at the primary place what is wrong there.
    pub fn label(mut self, text: impl Into<String>) -> Diag {
        if let Some(first) = self.labels.first_mut() {
            first.1 = text.into();
        }
        self
    }

    /// Adds a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diag {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a sentence of help.
    pub fn note(mut self, text: impl Into<String>) -> Diag {
        self.notes.push(text.into());
        self
    }

    /// The message as text, rustc-like, with a final line break.
    pub fn render(&self, sources: &SourceMap, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()));
        let mut files: Vec<_> = self.labels.iter().map(|(s, _)| s.file).collect();
        files.dedup();
        for id in files {
            let file = sources.file(id);
            let here = self
                .labels
                .iter()
                .enumerate()
                .filter(|(_, (s, _))| s.file == id);
            let annotations = here.map(|(i, (span, text))| {
                let kind = if i == 0 {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let start = (span.start as usize).min(file.text.len());
                let annotation =
                    kind.span(start..(span.end as usize).clamp(start, file.text.len()));
                if text.is_empty() {
                    annotation
                } else {
                    annotation.label(text.as_str())
                }
            });
            group = group.element(
                Snippet::source(file.text.as_str())
                    .path(file.name.as_str())
                    .annotations(annotations),
            );
        }
        for note in &self.notes {
            group = group.element(Level::HELP.message(note.as_str()));
        }
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&[group]) + "\n"
    }
}
