//! One line that says what is being done, for how long and in how much memory, on terminals only, gone
//! before anything else is said.

use crate::driver::limits;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the line is drawn anew while nothing else happens.
const TICK: Duration = Duration::from_millis(500);

/// The line that stands on the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Shows `text` in place of the line before, when standard error is a terminal.
pub fn show(text: &str) {
    let mut shown = shown();
    let line = shown.get_or_insert_with(|| {
        let line = ProgressBar::new_spinner().with_style(style());
        line.enable_steady_tick(TICK);
        line
    });
    line.set_message(text.to_string());
}

/// Removes the line, if there is one.
pub fn clear() {
    if let Some(line) = shown().take() {
        line.finish_and_clear();
    }
}

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn style() -> ProgressStyle {
    let memory = |_: &ProgressState, line: &mut dyn Write| {
        if let Some(mb) = limits::resident_mb() {
            let _ = write!(line, ", {mb} MiB");
        }
    };
    // The template is constant; without it the line looks as the library likes.
    ProgressStyle::with_template("{msg} … {elapsed}{memory}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key("memory", memory)
}
