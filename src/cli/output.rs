//! Where text goes. A reader that went away (`wmbmc … | head`) is no error.

use super::exit::Exit;
use super::options::{Color, Format, Shared};
use super::progress;
use crate::report::text::{Detail, Style};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

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
    pub fn new(shared: &Shared, detail: Detail, stats: bool) -> Output {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let color = |terminal: bool| match shared.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !plain,
        };
        Output {
            format: shared.format,
            style: Style {
                detail,
                color: color(std::io::stdout().is_terminal()),
                heading: false,
                stats,
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

/// Writes a file.
///
/// # Errors
/// It cannot be written, which has been said; the exit.
pub fn write(path: &Path, text: &str) -> Result<(), Exit> {
    std::fs::write(path, text).map_err(|error| {
        warn(&format!(
            "error: {} cannot be written: {error}\n",
            path.display()
        ));
        Exit::Usage
    })
}

/// Where a file of one of several models goes: each has one of its own, `g.tso.dot`.
pub fn path_for(path: &Path, model: &str, models: usize) -> PathBuf {
    if models > 1 {
        with_model(path, model)
    } else {
        path.to_path_buf()
    }
}

fn with_model(path: &Path, model: &str) -> PathBuf {
    let model: String = model
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    match path.extension().and_then(|e| e.to_str()) {
        Some(extension) => path.with_extension(format!("{model}.{extension}")),
        None => path.with_extension(model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_file_of_its_own() {
        assert_eq!(
            with_model(Path::new("out/g.dot"), "tso"),
            Path::new("out/g.tso.dot")
        );
        assert_eq!(
            with_model(Path::new("g"), "a/b.cat"),
            Path::new("g.a_b_cat")
        );
    }
}
