//! One line that says what is being done, on terminals only, gone when it is done.

use std::io::{IsTerminal, Write};

/// The line; removed when dropped.
#[derive(Debug)]
pub struct Progress {
    shown: bool,
}

impl Progress {
    /// Shows `text` when `wanted` and standard error is a terminal.
    pub fn show(text: &str, wanted: bool) -> Progress {
        let shown = wanted && std::io::stderr().is_terminal();
        if shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K{text} …");
        }
        Progress { shown }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
