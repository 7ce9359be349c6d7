//! Why there is no outcome.

use crate::check::bmc::CheckError;
use crate::check::loops::UnknownLoop;
use base::diag::Diag;
use base::source::SourceMap;
use std::fmt;

/// Why there is no outcome.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong or not supported, by itself or with this model.
    #[error(transparent)]
    Refused(Box<Refused>),
    /// A bound is given for a loop that the program does not have.
    #[error(transparent)]
    UnknownLoop(UnknownLoop),
    /// A bug of this tool.
    #[error("internal error: {0}")]
    Internal(String),
}

/// What is wrong with an input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The files that the diagnostics point into.
    pub sources: SourceMap,
    /// What is wrong, at least one.
    pub diags: Vec<Diag>,
}

impl Error {
    /// Refuses an input.
    pub fn refused(sources: &SourceMap, diags: Vec<Diag>) -> Error {
        Error::Refused(Box::new(Refused {
            sources: sources.clone(),
            diags,
        }))
    }

    /// A lowering has broken the promise that [`ir::validate`] names.
    pub(super) fn invalid(reason: String) -> Error {
        Error::Internal(format!("the lowered program is not valid: {reason}"))
    }

    /// The same for an error of the bounded checker.
    pub fn of_check(sources: &SourceMap, error: CheckError) -> Error {
        match error {
            CheckError::Refused(diag) => Error::refused(sources, vec![diag]),
            CheckError::Internal(message) => Error::Internal(message),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.diags.iter().map(|d| d.render(&self.sources, false));
        write!(f, "{}", all.collect::<String>().trim_end())
    }
}

impl std::error::Error for Refused {}
