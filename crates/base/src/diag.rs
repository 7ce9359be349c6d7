//! Diagnostics: what was wrong with the input, where, and what would help.

use super::code::Code;
use super::source::{ReadError, SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// Which kind it is.
    pub code: Code,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Where, the primary place first; may be empty (a missing file has no place).
    pub labels: Vec<(Span, String)>,
    /// What would help, one sentence each.
    pub notes: Vec<String>,
}

impl Diag {
    /// An error at `span`. Its kind is that of what has no meaning, until another one is given.
    pub fn error(span: Span, message: impl Into<String>) -> Diag {
        Diag {
            labels: vec![(span, String::new())],
            ..Diag::of_kind(Code::Meaning, message)
        }
    }

    /// An error without a place. Its kind is that of what does not apply, until another one is given.
    pub fn bare(message: impl Into<String>) -> Diag {
        Diag::of_kind(Code::NotApplicable, message)
    }

    /// An error of a kind, without a place.
    fn of_kind(code: Code, message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A file cannot be read.
    pub fn unreadable(error: &ReadError) -> Diag {
        let message = format!("{}: {}", error.path.display(), error.reason);
        Diag::bare(message).with_code(Code::File)
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Warning,
            code,
            ..Diag::error(span, message)
        }
    }

    /// An error at `span`: what stands there is not supported.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Diag {
        Diag::error(span, message).with_code(Code::Unsupported)
    }

    /// The input as a whole is not supported, or one of its limits is passed.
    pub fn unsupported_input(message: impl Into<String>) -> Diag {
        Diag::of_kind(Code::Unsupported, message)
    }

    /// The same of another kind.
    pub fn with_code(self, code: Code) -> Diag {
        Diag { code, ..self }
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
        let mut group = Group::with_title(
            level
                .primary_title(self.message.as_str())
                .id(self.code.id()),
        );
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

/// Gives a code to the errors that have only the general one, as a parser or a compiler does to its own.
pub fn specifically(code: Code) -> impl Fn(Vec<Diag>) -> Vec<Diag> {
    move |diags| {
        let each = diags.into_iter().map(|d| match d.code {
            Code::Meaning => d.with_code(code),
            _ => d,
        });
        each.collect()
    }
}
