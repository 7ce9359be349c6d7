//! Answers on their way out: printed as they come, or kept for the one report that SARIF and JUnit are.

use super::output::{self, Output};
use super::values::Format;
use crate::report::{junit, sarif};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

/// The answers that a report will be made of. The watchdog, too, gives answers and ends the process.
static KEPT: Mutex<Vec<Value>> = Mutex::new(Vec::new());

/// Gives an answer as the format wants it.
pub fn answer(output: &Output, json: impl FnOnce() -> String, text: impl FnOnce() -> String) {
    match output.format {
        Format::Text => output::print(&text()),
        format => give(format, &json()),
    }
}

/// Gives answers, one object a line.
pub fn give(format: Format, lines: &str) {
    if format.is_report() {
        let answers = lines.lines().filter_map(|l| serde_json::from_str(l).ok());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(answers);
    } else {
        output::print(lines);
    }
}

/// Prints the report of the answers that were given, if that is the format.
pub fn finish(format: Format, exit_code: u8) {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    match format {
        // Of `--help` there is no report.
        _ if kept.is_empty() => {}
        Format::Text | Format::Json => {}
        Format::Sarif => output::print(&sarif::log(&kept, exit_code)),
        Format::Junit => output::print(&junit::report(&kept)),
    }
}
