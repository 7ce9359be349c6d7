//! Answers of others to litmus tests, from a CSV file.
//!
//! A row is a test: the column `file` names it by the end of its path, or else `name` by its name.
//! A column that is called as a model, in capitals or not, holds `Sometimes`, `Never` or `Always`
//! as herd7 observes it, or only `Allowed` or `Forbidden`; an empty field expects nothing. With
//! the columns `MODEL_pos` and `MODEL_neg` the numbers of executions are compared too, by the
//! engine that counts them.

use crate::check::litmus::Finding;
use crate::report::herd;
use rustc_hash::FxHashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is expected of one test on one model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    observation: String,
    executions: Option<(u64, u64)>,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.observation)?;
        match self.executions {
            Some((positive, negative)) => write!(f, " {positive} {negative}"),
            None => Ok(()),
        }
    }
}

impl Expectation {
    /// Whether a finding is as expected.
    pub fn is(&self, finding: &Finding) -> bool {
        let same = match self.observation.as_str() {
            "Allowed" => finding.holds,
            "Forbidden" => !finding.holds,
            observation => observation == herd::observation(finding),
        };
        let counted = finding.states.as_ref().is_some_and(|states| {
            let mut states = states.values();
            states.all(|s| s.executions.is_some())
        });
        same && (!counted || self.executions.is_none() || finding.counts() == self.executions)
    }
}

/// All that is expected.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// By the test's name: the path it has, if the file says so, and what is expected by model.
    rows: FxHashMap<String, Vec<Row>>,
}

#[derive(Clone, Debug)]
struct Row {
    file: Option<PathBuf>,
    models: FxHashMap<String, Expectation>,
}

impl Expected {
    /// What is expected of a test on a model, both by name.
    pub fn of(&self, path: &Path, test: &str, model: &str) -> Option<Expectation> {
        let rows = self.rows.get(test)?;
        let here = |row: &&Row| row.file.as_ref().is_some_and(|f| path.ends_with(f));
        let row = rows.iter().find(here).or(match &rows[..] {
            [row] => Some(row),
            _ => None,
        })?;
        row.models.get(model).cloned()
    }
}

/// Reads a file.
///
/// # Errors
/// A sentence: the file cannot be read, is no CSV, or has none of the columns.
pub fn load(path: &Path) -> Result<Expected, String> {
    let unread = |error: csv::Error| format!("{}: {error}", path.display());
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(path)
        .map_err(unread)?;
    let headers = reader.headers().map_err(unread)?.clone();
    let column = |name: &str| headers.iter().position(|h| h.eq_ignore_ascii_case(name));
    let (name, file) = (column("name"), column("file"));
    if name.is_none() && file.is_none() {
        return Err(format!(
            "{}: there is neither a column `name` nor `file`",
            path.display()
        ));
    }
    let mut expected = Expected::default();
    for record in reader.records() {
        let record = record.map_err(unread)?;
        let text = |i: Option<usize>| i.and_then(|i| record.get(i)).filter(|t| !t.is_empty());
        let file = text(file).map(PathBuf::from);
        let stem = || file.as_ref()?.file_stem()?.to_str();
        let Some(test) = text(name).or_else(stem).map(str::to_string) else {
            continue;
        };
        let mut models = FxHashMap::default();
        for (i, header) in headers.iter().enumerate() {
            let known = ["Sometimes", "Never", "Always", "Allowed", "Forbidden"];
            let Some(observation) = text(Some(i)).filter(|t| known.contains(t)) else {
                continue;
            };
            let number = |suffix: &str| text(column(&format!("{header}{suffix}")))?.parse().ok();
            let executions = number("_pos").zip(number("_neg"));
            let expectation = Expectation {
                observation: observation.to_string(),
                executions,
            };
            models.insert(header.to_lowercase(), expectation);
        }
        let rows = expected.rows.entry(test).or_default();
        rows.push(Row { file, models });
    }
    Ok(expected)
}
