//! Programs that count what they see are compiled and run on the machine at hand.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What runs on the machine have shown.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Histogram {
    /// How often each outcome, the values of all observables, was seen.
    pub outcomes: BTreeMap<Vec<u64>, u64>,
    /// Seconds of the runs.
    pub seconds: f64,
}

/// Why a program has not run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// There is no C compiler, or it cannot be started.
    #[error("cannot run the C compiler `{0}`: {1}")]
    NoCompiler(String, String),
    /// The compiler refuses the program.
    #[error("the C compiler refuses the test: {0}")]
    Refused(String),
    /// The program ends in another way than it should.
    #[error("the compiled test ends with {0}")]
    Ended(String),
    /// Files cannot be written, or programs not started.
    #[error("{0}")]
    System(String),
}

/// Compiles a program with `$CC`, or `cc`, and runs it; its argument is the number of runs, and it prints a line for each
/// outcome, a number of runs and then values.
///
/// # Errors
/// The compiler or the program fails.
pub fn run(text: &str, runs: u64) -> Result<Histogram, NativeError> {
    let system = |e: std::io::Error| NativeError::System(e.to_string());
    let folder = tempfile::tempdir().map_err(system)?;
    let (source, program) = (folder.path().join("test.c"), folder.path().join("test"));
    std::fs::write(&source, text).map_err(system)?;
    let typed = std::env::var("CC").unwrap_or_default();
    let mut words = typed.split_whitespace();
    let compiler = words.next().unwrap_or("cc");
    let mut command = Command::new(compiler);
    let command = command.args(words).args(["-O2", "-w", "-pthread", "-o"]);
    let built = command.arg(&program).arg(&source).output();
    let built = built.map_err(|e| NativeError::NoCompiler(compiler.to_string(), e.to_string()))?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr);
        let first = said.lines().find(|line| line.contains("error"));
        return Err(NativeError::Refused(
            first.unwrap_or("no reason is given").to_string(),
        ));
    }
    let start = Instant::now();
    let ran = Command::new(&program)
        .arg(runs.to_string())
        .stdin(Stdio::null())
        .output()
        .map_err(system)?;
    let seconds = start.elapsed().as_secs_f64();
    if !ran.status.success() {
        return Err(NativeError::Ended(ran.status.to_string()));
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    let mut outcomes = BTreeMap::new();
    for line in text.lines() {
        let numbers: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
        let numbers = numbers.map_err(|e| NativeError::Ended(format!("`{line}`: {e}")))?;
        if let [count, values @ ..] = &numbers[..] {
            outcomes.insert(values.to_vec(), *count);
        }
    }
    Ok(Histogram { outcomes, seconds })
}
