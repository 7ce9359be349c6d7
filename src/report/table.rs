//! The summary of a suite: a line a model and engine.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What one engine answered to one test on one model.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Count {
    /// Completely.
    pub answered: bool,
    /// The condition is reachable.
    pub holds: bool,
    /// There was an answer to compare it with.
    pub compared: bool,
    /// It is not what was expected, or not what the other engine says.
    pub disagrees: bool,
    /// How long it took.
    pub seconds: f64,
}

impl Count {
    /// The model cannot be used with the test.
    pub fn refused() -> Count {
        Count::default()
    }
}

#[derive(Clone, Default)]
struct Row {
    tests: usize,
    allowed: usize,
    forbidden: usize,
    unknown: usize,
    disagree: usize,
    seconds: Vec<f64>,
}

/// The summary.
pub struct Table {
    names: Vec<(String, &'static str)>,
    rows: Vec<Row>,
    tests: usize,
    refused: usize,
    compared: usize,
}

impl Table {
    /// An empty table with a line for each model and engine.
    pub fn new(names: Vec<(String, &'static str)>) -> Table {
        Table {
            rows: vec![Row::default(); names.len()],
            names,
            tests: 0,
            refused: 0,
            compared: 0,
        }
    }

    /// Adds a test: its counts in the order of the lines, none when it could not be read.
    pub fn add(&mut self, counts: &[Count], refused: bool) {
        self.tests += 1;
        self.refused += usize::from(refused);
        for (row, count) in self.rows.iter_mut().zip(counts) {
            row.tests += 1;
            match (count.answered, count.holds) {
                (true, true) => row.allowed += 1,
                (true, false) => row.forbidden += 1,
                (false, _) => row.unknown += 1,
            }
            self.compared += usize::from(count.compared);
            row.disagree += usize::from(count.disagrees);
            row.seconds.push(count.seconds);
        }
    }

    /// How many answers there was something to compare with.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// The table as text; `seconds` is how long all of it took.
    pub fn text(&self, seconds: f64) -> String {
        let width = self.names.iter().map(|(m, _)| m.len()).max().unwrap_or(0);
        let width = width.max("model".len());
        let mut out = format!(
            "{:width$}  {:9}  {:>6}  {:>7}  {:>9}  {:>7}  {:>8}  {:>7}  {:>7}\n",
            "model",
            "engine",
            "tests",
            "allowed",
            "forbidden",
            "unknown",
            "disagree",
            "mean ms",
            "max ms"
        );
        for ((model, engine), row) in self.names.iter().zip(&self.rows) {
            let total: f64 = row.seconds.iter().sum();
            let mean = 1e3 * total / row.seconds.len().max(1) as f64;
            let max = 1e3 * row.seconds.iter().copied().fold(0.0, f64::max);
            let _ = writeln!(
                out,
                "{model:width$}  {engine:9}  {:>6}  {:>7}  {:>9}  {:>7}  {:>8}  {mean:>7.2}  {max:>7.1}",
                row.tests, row.allowed, row.forbidden, row.unknown, row.disagree,
            );
        }
        let read = self.tests - self.refused;
        let _ = write!(out, "{read} tests answered, {} refused", self.refused);
        if self.compared > 0 {
            let _ = write!(out, ", {} answers compared", self.compared);
        }
        let _ = writeln!(out, ", {seconds:.1} s");
        out
    }
}
