//! `cargo wmbmc`: checks the tests of a crate of Rust. [`options`] are what is typed, [`build`] makes modules of the
//! tests, and `wmbmc` is called for each test and model.

mod build;
mod options;

use super::exit::Exit;
use super::output;
use build::{Built, ListedTest, TestKind, TestProgram};
use clap::Parser;
use options::{CalledByCargo, CargoOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the subcommand on these arguments, which cargo gives, and returns what the process should return.
pub fn main(args: Vec<OsString>) -> Exit {
    let CalledByCargo::Wmbmc(options) = match CalledByCargo::try_parse_from(args) {
        Ok(called) => called,
        Err(error) => {
            let text = error.render().to_string();
            if error.use_stderr() {
                output::warn(&text);
                return Exit::Usage;
            }
            output::print(&text);
            return Exit::Safe;
        }
    };
    let checking = match options::checking(&options.checking) {
        Ok(checking) => checking,
        Err(message) => return failed(&message, Exit::Usage),
    };
    match run(&options, checking) {
        Ok(exit) => output::exit(exit),
        Err(message) => failed(&message, Exit::Input),
    }
}

fn failed(message: &str, exit: Exit) -> Exit {
    output::warn(&format!("error: {message}\n"));
    exit
}

/// How many tests have an answer that begins so.
type Counts = BTreeMap<&'static str, usize>;

fn run(options: &CargoOptions, checking: (Vec<String>, Vec<String>)) -> Result<Exit, String> {
    let built = build::build(options)?;
    let mut session = TestSession {
        options,
        built: &built,
        words: checking.0,
        models: checking.1,
        counts: Counts::new(),
        assumed: BTreeSet::new(),
        exit: Exit::Safe,
    };
    let mut selected = 0;
    for program in &built.programs {
        let tests = program.tests.iter();
        let tests: Vec<&ListedTest> = tests.filter(|t| options.selects(&t.name)).collect();
        selected += tests.len();
        if options.list {
            let lines = tests.iter().map(|test| format!("{}: test\n", test.name));
            output::print(&lines.collect::<String>());
        } else if !tests.is_empty() {
            session.check(program, &tests)?;
        }
    }
    if selected == 0 {
        let message = match &options.filter {
            Some(filter) => format!("there is no test whose name contains `{filter}`"),
            None => "there are no functions with #[test]".to_string(),
        };
        return Ok(failed(&message, Exit::Usage));
    }
    if !options.list {
        session.summarize();
    }
    Ok(session.exit)
}

/// The check of many tests.
struct TestSession<'a> {
    options: &'a CargoOptions,
    built: &'a Built,
    /// Options for each check.
    words: Vec<String>,
    models: Vec<String>,
    counts: Counts,
    /// What answers assume whose details are not printed.
    assumed: BTreeSet<String>,
    exit: Exit,
}

impl TestSession<'_> {
    /// Checks tests of a program.
    fn check(&mut self, program: &TestProgram, tests: &[&ListedTest]) -> Result<(), String> {
        let libraries = build::needed(program, &self.built.libraries)?;
        let plural = if tests.len() == 1 { "" } else { "s" };
        let heading = format!(
            "\nchecking {} test{plural} of {} ({})\n",
            tests.len(),
            program.name,
            program.source
        );
        output::print(&heading);
        for test in tests {
            match test.kind {
                TestKind::Plain => {
                    for model in self.models.clone() {
                        self.check_test(program, test, &model, &libraries)?;
                    }
                }
                TestKind::Ignored => {
                    output::print(&format!("test {} ... ignored\n", test.name));
                    self.count("ignored", Exit::Safe);
                }
                TestKind::ShouldPanic => {
                    let why = "#[should_panic] is not supported; #[cfg_attr(wmbmc, ignore)] leaves a test out";
                    output::print(&format!("test {} ... refused: {why}\n", test.name));
                    self.count("refused", Exit::Input);
                }
            }
        }
        Ok(())
    }

    /// Checks a test on a model.
    fn check_test(
        &mut self,
        program: &TestProgram,
        test: &ListedTest,
        model: &str,
        libraries: &[PathBuf],
    ) -> Result<(), String> {
        let chosen = self.built.folder.join(format!("chosen-{}.ll", test.index));
        let text = format!(
            "define i64 @wmbmc_chosen_test() {{\n  ret i64 {}\n}}\n",
            test.index
        );
        let written = std::fs::write(&chosen, text);
        written.map_err(|e| format!("cannot write `{}`: {e}", chosen.display()))?;
        let mut command = Command::new(checker());
        command.current_dir(&self.built.root).arg("--link");
        command.arg(&program.module).arg(&chosen).args(libraries);
        command.args(["--mm", model]).args(&self.words);
        if self.options.verbose {
            output::warn(&format!("{}\n", shown(&command, &self.built.root)));
        }
        output::print(&format!("test {} on {model} ... ", test.name));
        let found = command.stdin(Stdio::null()).output();
        let found = found.map_err(|e| {
            let program = command.get_program().display();
            format!("cannot run `{program}`, which is installed with `cargo-wmbmc`: {e}")
        })?;
        let exit = found.status.code().and_then(|code| u8::try_from(code).ok());
        let exit = exit.map_or(Exit::Internal, Exit::of_code);
        let answer = String::from_utf8_lossy(&found.stdout);
        let (verdict, details) = answer.split_once('\n').unwrap_or((&answer, ""));
        let kind = kind(verdict);
        let verdict = if verdict.is_empty() { kind } else { verdict };
        output::print(&format!("{verdict}\n"));
        if self.options.verbose || kind != "SAFE" {
            output::print(details);
        } else {
            let assumed = details
                .lines()
                .map(str::trim)
                .filter(|l| l.starts_with("assumed:"));
            self.assumed.extend(assumed.map(str::to_string));
        }
        output::warn(&String::from_utf8_lossy(&found.stderr));
        self.count(kind, exit);
        Ok(())
    }

    fn count(&mut self, kind: &'static str, exit: Exit) {
        *self.counts.entry(kind).or_default() += 1;
        self.exit = self.exit.max(exit);
    }

    /// Prints how many answers there are of each kind, and what those assume whose details are not printed.
    fn summarize(&self) {
        let counts = self.counts.iter();
        let counts: Vec<String> = counts.map(|(kind, n)| format!("{n} {kind}")).collect();
        let outcome = match self.exit {
            Exit::Safe => "ok",
            _ => "FAILED",
        };
        output::print(&format!(
            "\ntest result: {outcome}. {}\n",
            counts.join("; ")
        ));
        for assumed in &self.assumed {
            output::print(&format!("{assumed}\n"));
        }
    }
}

/// The kind of an answer by its first line.
fn kind(verdict: &str) -> &'static str {
    let kinds = ["SAFE up to bound", "SAFE", "UNSAFE", "UNKNOWN"];
    let found = kinds.into_iter().find(|kind| verdict.starts_with(kind));
    found.unwrap_or("refused")
}

/// `wmbmc`: it is installed beside this program.
fn checker() -> PathBuf {
    let name = format!("wmbmc{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(&name));
    beside
        .filter(|path| path.exists())
        .unwrap_or_else(|| name.into())
}

/// How a command is typed in a shell.
fn shown(command: &Command, folder: &Path) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+".contains(c);
        match word.chars().all(is_plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    });
    let words: Vec<String> = words.collect();
    format!("(cd {} && {})", folder.display(), words.join(" "))
}
