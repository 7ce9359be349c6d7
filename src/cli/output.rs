//! Where text goes: answers are printed as they come, or kept for the one report that SARIF and JUnit are.
//! A reader that went away (`wmbmc … | head`) is no error; any other failure to write
//! an answer is one, and no exit code may say otherwise.

use super::exit::Exit;
use super::options::Shared;
use super::progress;
use super::values::{Color, Format};
use crate::report::text::{Detail, Style};
use crate::report::{Answer, json, junit, sarif};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Something that was asked for could not be written.
static LOST: AtomicBool = AtomicBool::new(false);

/// The answers of a run that a report is made of. Clones share them: the watchdog, too, gives answers and
/// ends the process.
#[derive(Clone, Default, Debug)]
pub struct Answers(Arc<Mutex<Vec<Answer>>>);

impl Answers {
    /// Prints an answer, or keeps it for the report, if the format is not text.
    pub fn give(&self, format: Format, answer: Answer) {
        match format {
            Format::Text => {}
            Format::Json => print(&json::line(&answer)),
            Format::Sarif | Format::Junit => {
                let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(answer);
            }
        }
    }

    /// Prints the report of the answers that were given, if that is the format.
    pub fn finish(&self, format: Format, exit_code: u8) {
        let kept = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        match format {
            // Of `--help` there is no report.
            _ if kept.is_empty() => {}
            Format::Text | Format::Json => {}
            Format::Sarif => print(&sarif::log(&kept, exit_code)),
            Format::Junit => print(&junit::report(&kept)),
        }
    }
}

/// How results are shown.
#[derive(Clone, Debug)]
pub struct Output {
    /// Where answers go that are not text.
    pub answers: Answers,
    /// For people or for programs.
    pub format: Format,
    /// How much, and with which colours; `heading` is decided later.
    pub style: Style,
    /// Colours on standard error.
    pub color_errors: bool,
}

impl Output {
    /// As the options and the terminal want it.
    pub fn new(answers: &Answers, shared: &Shared, detail: Detail, stats: bool) -> Output {
        Output::with(answers, shared.format, shared.color, detail, stats)
    }

    /// The same, of single options.
    pub fn with(
        answers: &Answers,
        format: Format,
        color: Color,
        detail: Detail,
        stats: bool,
    ) -> Output {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let colored = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !plain,
        };
        Output {
            answers: answers.clone(),
            format,
            style: Style {
                detail,
                color: colored(std::io::stdout().is_terminal()),
                heading: false,
                stats,
            },
            color_errors: colored(std::io::stderr().is_terminal()),
        }
    }

    /// Gives an answer as the format wants it.
    pub fn answer<A: Into<Answer>>(&self, answer: A, text: impl FnOnce(&A) -> String) {
        match self.format {
            Format::Text => print(&text(&answer)),
            _ => self.give(answer),
        }
    }

    /// Gives an answer, if the format is not text.
    pub fn give(&self, answer: impl Into<Answer>) {
        self.answers.give(self.format, answer.into());
    }

    /// How text is printed of one of several inputs or models, or of the only one.
    pub fn style(&self, answers: usize) -> Style {
        Style {
            heading: answers > 1,
            ..self.style
        }
    }

    /// Prints the report of the answers that were given, if that is the format.
    pub fn finish(&self, exit_code: u8) {
        self.answers.finish(self.format, exit_code);
    }
}

/// Writes to standard output.
pub fn print(text: &str) {
    progress::clear();
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    drop(out);
    if let Some(error) = loss(written)
        && !LOST.load(Ordering::Relaxed)
    {
        lost(&format!("standard output cannot be written: {error}"));
    }
}

/// Says that something which was asked for could not be written; the process will not say otherwise.
pub fn lost(why: &str) {
    LOST.store(true, Ordering::Relaxed);
    warn(&format!("error: {why}\n"));
}

/// Why text has been lost; that no process reads it is no reason.
fn loss(written: io::Result<()>) -> Option<io::Error> {
    written.err().filter(|e| e.kind() != ErrorKind::BrokenPipe)
}

/// The exit of a process that would return this one: an answer that could not be written is not given.
pub fn exit(meant: Exit) -> Exit {
    match LOST.load(Ordering::Relaxed) {
        true => meant.max(Exit::Usage),
        false => meant,
    }
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

/// What tells one of several inputs or models from the others in the name of a file; `None` when it
/// is the only one. The stems of the names will do if they differ, then the whole paths, and at last
/// their numbers.
pub fn label(names: &[String], index: usize) -> Option<String> {
    let stems: Vec<String> = names.iter().map(|n| plain(&stem(n))).collect();
    let whole: Vec<String> = names.iter().map(|n| plain(n)).collect();
    let differ = |all: &[String]| all.iter().collect::<BTreeSet<_>>().len() == all.len();
    match names {
        [_] => None,
        _ if differ(&stems) => Some(stems[index].clone()),
        _ if differ(&whole) => Some(whole[index].clone()),
        _ => Some(format!("{}_{}", whole[index], index + 1)),
    }
}

/// A path with labels before its extension: `out/g.first.tso.dot`.
pub fn labelled(path: &Path, labels: &[String]) -> PathBuf {
    let labels = labels.join(".");
    match path.extension().and_then(|e| e.to_str()) {
        _ if labels.is_empty() => path.to_path_buf(),
        Some(extension) => path.with_extension(format!("{labels}.{extension}")),
        None => path.with_extension(labels),
    }
}

fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem();
    stem.map_or(name.to_string(), |s| s.to_string_lossy().into_owned())
}

/// Without characters that mean something in a path.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str]) -> Vec<Option<String>> {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        (0..names.len()).map(|i| label(&names, i)).collect()
    }

    #[test]
    fn every_input_and_model_has_a_file_of_its_own() {
        let some = |all: &[&str]| -> Vec<Option<String>> {
            all.iter().map(|n| Some(n.to_string())).collect()
        };
        assert_eq!(labels(&["tso"]), [None]);
        assert_eq!(labels(&["tso", "my/own.cat"]), some(&["tso", "own"]));
        let same = ["a/x.c", "b/x.c", "y.c"];
        assert_eq!(labels(&same), some(&["a_x_c", "b_x_c", "y_c"]));
        assert_eq!(labels(&["tso", "tso"]), some(&["tso_1", "tso_2"]));
        assert_eq!(labels(&["a/x.c", "a_x.c"]), some(&["x", "a_x"]));
    }

    #[test]
    fn labels_come_before_the_extension() {
        let labels = ["first".to_string(), "tso".to_string()];
        let path = Path::new("out/g.dot");
        assert_eq!(labelled(path, &labels), Path::new("out/g.first.tso.dot"));
        assert_eq!(labelled(path, &[]), path);
        assert_eq!(labelled(Path::new("g"), &labels), Path::new("g.first.tso"));
    }
}
