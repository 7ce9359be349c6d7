//! The answer that there is none: an input, a model or a command line is refused, or there is a bug.

use super::place::Diagnostic;
use super::word::{TOOL, VERSION, Word};
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use serde::{Deserialize, Serialize};

/// The answer that there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given; none for an error of the command line.
    pub input: Option<String>,
    /// Short name of the memory model; none when the error came before.
    pub model: Option<String>,
    /// `ERROR`.
    pub verdict: Word,
    /// The kind of the first error.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// What is wrong.
    pub errors: Vec<Diagnostic>,
}

impl RefusedAnswer {
    /// The answer that these diagnostics are: `input` and `model` as far as they are known.
    pub fn new(
        sources: &SourceMap,
        input: Option<&str>,
        model: Option<&str>,
        diags: &[Diag],
        exit_code: u8,
    ) -> RefusedAnswer {
        RefusedAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.map(str::to_string),
            model: model.map(str::to_string),
            verdict: Word::Borrowed("ERROR"),
            code: diags.first().map(|d| d.code),
            exit_code,
            errors: Diagnostic::all(sources, diags),
        }
    }
}
