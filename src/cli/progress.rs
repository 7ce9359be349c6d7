//! One line that says what is being done, on terminals only, gone before anything else is said.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a line stands on the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows `text` in place of the line before, when standard error is a terminal.
pub fn show(text: &str) {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K{text} …");
        SHOWN.store(true, Ordering::Relaxed);
    }
}

/// Removes the line, if there is one.
pub fn clear() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
