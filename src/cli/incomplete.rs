//! Options for programs that are not whole: without a `main`, or with functions that have no body.

use super::client::{self, TypedCall, TypedClient};
use super::groups::{C, PROGRAM};
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

    /// Run these functions as threads, instead of `main`
    ///
    /// Their arguments are arbitrary; one that is named twice runs in two threads, and `F*` in any number of them.
    /// With `;` between threads, each makes calls with given arguments: 'push(1),push(2);pop,pop'.
    #[arg(long, value_name = "F,..", groups = C)]
    pub parallel: Vec<String>,

    /// With --function or --parallel: call these functions first, in this order
    #[arg(long, value_name = "F,..", groups = C)]
    pub setup: Vec<String>,

    /// With --function or --parallel: call these functions at the end, when all threads have ended
    #[arg(long, value_name = "F,..", groups = C)]
    pub finally: Vec<String>,

    /// With --parallel: check that what the calls return is what some order of them returns that respects real time,
    /// beside the usual properties
    #[arg(long, group = PROGRAM)]
    pub linearizable: bool,

    /// In place of --parallel: check all clients of --threads threads [default: 2] of --calls calls, each one of these;
    /// `*` is any number
    #[arg(long, value_name = "CALL,..", conflicts_with_all = ["parallel", "function"], group = PROGRAM)]
    pub ops: Option<String>,

    /// With --ops: how many calls a thread makes
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..), requires = "ops", group = PROGRAM)]
    pub calls: u32,

    /// With --linearizable: what calls return one after the other is what the functions of this file do
    #[arg(long, value_name = "FILE.c", group = PROGRAM)]
    pub spec: Option<PathBuf>,

    /// Let functions without a body return any value and write nothing
    #[arg(long, value_name = "F,..", value_delimiter = ',', groups = C)]
    pub havoc: Vec<String>,

    /// Take bodies of functions from this file: it is linked with each of the others
    #[arg(long, value_name = "FILE.c", groups = C)]
    pub stub: Vec<PathBuf>,
}

impl Incomplete {
    /// What runs instead of `main`; its threads make calls with arguments where that is wanted, or typed so. There are
    /// several clients where not all of their calls are given.
    ///
    /// # Errors
    /// Functions are to be called before or after nothing, or calls are typed wrongly.
    pub fn harnesses(
        &self,
        makes_calls: bool,
        threads: Option<u32>,
    ) -> Result<Vec<Harness>, String> {
        let has_calls = self.parallel.iter().any(|text| text.contains([';', '(']));
        let is_client = !self.parallel.is_empty() && (makes_calls || has_calls);
        if !is_client && self.ops.is_none() {
            return Ok(self.harness()?.into_iter().collect());
        }
        let setup = calls("--setup", &self.setup)?;
        let finally = calls("--finally", &self.finally)?;
        let of_threads = match &self.ops {
            None => vec![self::threads("--parallel", &self.parallel)?],
            Some(operations) => {
                let operations =
                    client::calls(operations).map_err(|wrong| format!("--ops: {wrong}"))?;
                client::of_size(
                    &operations,
                    threads.unwrap_or(2) as usize,
                    self.calls as usize,
                )
                .map_err(|wrong| format!("--ops: {wrong}"))?
            }
        };
        let typed = of_threads.into_iter().map(|threads| TypedClient {
            setup: setup.clone(),
            threads,
            finally: finally.clone(),
        });
        let clients = client::with_numbers(&typed.collect::<Vec<_>>())?;
        let harness = |client| Harness {
            setup: Vec::new(),
            entry: Entry::Client(client),
            finally: Vec::new(),
        };
        Ok(clients.into_iter().map(harness).collect())
    }

    fn harness(&self) -> Result<Option<Harness>, String> {
        let others = [("--setup", &self.setup), ("--finally", &self.finally)];
        for (option, texts) in others {
            if let Some(text) = texts.iter().find(|text| text.contains('(')) {
                return Err(format!(
                    "{option} {text}: arguments are given where --parallel has threads with `;` between them"
                ));
            }
        }
        let entry = match (&self.function, self.parallel.as_slice()) {
            (Some(name), _) => Entry::Call(name.clone()),
            (None, [_, ..]) => Entry::Threads(names(&self.parallel).map(parallel).collect()),
            (None, []) if self.setup.is_empty() && self.finally.is_empty() => return Ok(None),
            (None, []) => {
                return Err(
                    "--setup and --finally are given with --function or --parallel".to_string(),
                );
            }
        };
        Ok(Some(Harness {
            setup: names(&self.setup).map(str::to_string).collect(),
            entry,
            finally: names(&self.finally).map(str::to_string).collect(),
        }))
    }

    /// Functions of which nothing is known.
    pub fn unknown(&self) -> BTreeSet<String> {
        self.havoc.iter().cloned().collect()
    }
}

/// Names with commas between them.
fn names(typed: &[String]) -> impl Iterator<Item = &str> {
    typed.iter().flat_map(|text| text.split(',')).map(str::trim)
}

fn calls(option: &str, typed: &[String]) -> Result<Vec<TypedCall>, String> {
    let each = typed.iter().map(|text| client::calls(text));
    let each = each.collect::<Result<Vec<_>, _>>();
    each.map(|calls| calls.concat())
        .map_err(|wrong| format!("{option}: {wrong}"))
}

fn threads(option: &str, typed: &[String]) -> Result<Vec<Vec<TypedCall>>, String> {
    let each = typed.iter().map(|text| client::threads(text));
    let each = each.collect::<Result<Vec<_>, _>>();
    each.map(|threads| threads.concat())
        .map_err(|wrong| format!("{option}: {wrong}"))
}

/// `F`, or `F*` for any number of threads.
fn parallel(typed: &str) -> Parallel {
    let name = typed.strip_suffix('*');
    Parallel {
        function: name.unwrap_or(typed).to_string(),
        any_number: name.is_some(),
    }
}
