//! Exit codes: the numbers of the CBMC family, so that existing scripts keep working.

use crate::check::outcome::{CheckResult, Verdict};
use serde::{Deserialize, Serialize};

/// What the process returns. Ordered from best to worst: of several files or models the worst
/// counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Exit {
    /// No violation.
    Safe,
    /// No verdict, or only up to a bound.
    Inconclusive,
    /// A violation.
    Unsafe,
    /// The input is wrong or not supported.
    Input,
    /// The command line is wrong.
    Usage,
    /// A bug in this program.
    Internal,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Safe => 0,
            Exit::Usage => 1,
            Exit::Input => 2,
            Exit::Inconclusive => 5,
            Exit::Internal => 6,
            Exit::Unsafe => 10,
        }
    }

    /// Of a process that has returned this number; a bug where none is meant.
    pub fn of_code(code: u8) -> Exit {
        use Exit::{Inconclusive, Input, Safe, Unsafe, Usage};
        let known = [Safe, Inconclusive, Unsafe, Input, Usage];
        let found = known.into_iter().find(|exit| exit.code() == code);
        found.unwrap_or(Exit::Internal)
    }

    /// What a result returns; `accept_bound` takes safety up to the bound for safety.
    pub fn of(result: &CheckResult, accept_bound: bool) -> Exit {
        match result.verdict {
            Verdict::Safe => Exit::Safe,
            Verdict::SafeUpToBound(_) if accept_bound => Exit::Safe,
            Verdict::SafeUpToBound(_) | Verdict::Unknown(_) => Exit::Inconclusive,
            Verdict::Unsafe(_) => Exit::Unsafe,
        }
    }
}

/// The text of an internal error.
pub fn report_bug(message: &str) -> String {
    format!(
        "internal error: {message}\n\
         This is a bug in wmbmc, not in your program. Please report it with the command line, the \
         input\nand the line above (wmbmc {}).\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_counts() {
        let order = [
            Exit::Internal,
            Exit::Usage,
            Exit::Input,
            Exit::Unsafe,
            Exit::Inconclusive,
            Exit::Safe,
        ];
        let codes: Vec<u8> = order.iter().map(|e| e.code()).collect();
        assert_eq!(codes, [6, 1, 2, 10, 5, 0]);
        assert!(order.is_sorted_by(|a, b| a > b));
    }
}
