//! Options for programs that are not whole: without a `main`, or with functions that have no body.

use super::groups::C;
use crate::lower::c::{Entry, Harness, Parallel};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is given for what a program lacks.
#[derive(Args, Clone, Debug, Default)]
pub struct Incomplete {
    /// Check a function instead of `main`, with arbitrary arguments
    #[arg(long, value_name = "F", conflicts_with = "parallel", groups = C)]
    pub function: Option<String>,

    /// Check functions that run as threads at once, instead of `main`, with arbitrary arguments; one
    /// that is named twice runs in two threads, and `F*` in any number of them
    #[arg(long, value_name = "F,..", value_delimiter = ',', groups = C)]
    pub parallel: Vec<String>,

    /// With --function or --parallel: call these functions first, in this order
    #[arg(long, value_name = "F,..", value_delimiter = ',', groups = C)]
    pub setup: Vec<String>,

    /// With --function or --parallel: call these functions at the end, when all threads have ended
    #[arg(long, value_name = "F,..", value_delimiter = ',', groups = C)]
    pub finally: Vec<String>,

    /// Let functions without a body return any value and write nothing
    #[arg(long, value_name = "F,..", value_delimiter = ',', groups = C)]
    pub havoc: Vec<String>,

    /// Take bodies of functions from this file: it is linked with each of the others
    #[arg(long, value_name = "FILE.c", groups = C)]
    pub stub: Vec<PathBuf>,
}

impl Incomplete {
    /// What runs instead of `main`.
    ///
    /// # Errors
    /// Functions are to be called before or after nothing.
    pub fn harness(&self) -> Result<Option<Harness>, String> {
        let entry = match (&self.function, self.parallel.as_slice()) {
            (Some(name), _) => Entry::Call(name.clone()),
            (None, [_, ..]) => Entry::Threads(self.parallel.iter().map(|f| parallel(f)).collect()),
            (None, []) if self.setup.is_empty() && self.finally.is_empty() => return Ok(None),
            (None, []) => {
                return Err(
                    "--setup and --finally are given with --function or --parallel".to_string(),
                );
            }
        };
        Ok(Some(Harness {
            setup: self.setup.clone(),
            entry,
            finally: self.finally.clone(),
        }))
    }

    /// Functions of which nothing is known.
    pub fn unknown(&self) -> BTreeSet<String> {
        self.havoc.iter().cloned().collect()
    }
}

/// `F`, or `F*` for any number of threads.
fn parallel(typed: &str) -> Parallel {
    let name = typed.strip_suffix('*');
    Parallel {
        function: name.unwrap_or(typed).to_string(),
        any_number: name.is_some(),
    }
}
