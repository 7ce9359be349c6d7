//! Where text goes. A reader that went away (`wmbmc … | head`) is no error.

use super::options::{Color, Format, Options};
use super::progress;
use crate::report::text::{Detail, Style};
use std::io::{IsTerminal, Write};

/// How results are shown.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// For people or for programs.
    pub format: Format,
    /// How much, and with which colours; `heading` is decided later.
    pub style: Style,
    /// Colours on standard error.
    pub color_errors: bool,
}

impl Output {
    /// As the options and the terminal want it.
    pub fn new(options: &Options) -> Output {
        let detail = match (options.quiet, options.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Normal,
        };
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let color = |terminal: bool| match options.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !plain,
        };
        Output {
            format: options.format,
            style: Style {
                detail,
                color: color(std::io::stdout().is_terminal()),
                heading: false,
                stats: options.stats,
            },
            color_errors: color(std::io::stderr().is_terminal()),
        }
    }
}

/// Writes to standard output.
pub fn print(text: &str) {
    progress::clear();
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes to standard error.
pub fn warn(text: &str) {
    progress::clear();
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
