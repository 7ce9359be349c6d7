//! What is wrong with the program, and the text that it is wrong in.

use super::refusal::Refusal;
use base::diag::Diag;
use base::source::{FileId, SourceMap, Span};

/// More errors than these do not help.
const MAX_ERRORS: usize = 50;

pub(super) struct Diagnostics<'a> {
    sources: &'a SourceMap,
    errors: Vec<Diag>,
}

impl<'a> Diagnostics<'a> {
    pub(super) fn new(sources: &'a SourceMap) -> Diagnostics<'a> {
        Diagnostics {
            sources,
            errors: Vec::new(),
        }
    }

    /// Reports why a part of the program is not lowered, unless that has been reported.
    pub(super) fn report(&mut self, refusal: Refusal) {
        let (Refusal::Error(diag) | Refusal::Unsupported(diag)) = refusal else {
            return;
        };
        if self.errors.len() < MAX_ERRORS && !self.errors.contains(&diag) {
            self.errors.push(diag);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors, if there are any, in place of what they forbid.
    pub(super) fn unless_wrong<T>(self, result: T) -> Result<T, Vec<Diag>> {
        match self.errors.is_empty() {
            true => Ok(result),
            false => Err(self.errors),
        }
    }

    pub(super) fn file_name(&self, file: FileId) -> &'a str {
        &self.sources.file(file).name
    }

    /// The text of the source at a place.
    pub(super) fn snippet(&self, span: Span) -> &'a str {
        self.sources.snippet(span)
    }
}
