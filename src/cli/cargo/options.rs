//! What is typed behind `cargo wmbmc`.

use clap::{Args, Parser};
use std::path::PathBuf;

/// Cargo calls `cargo-wmbmc wmbmc ..`.
#[derive(Parser, Debug)]
#[command(name = "cargo", bin_name = "cargo")]
pub enum CalledByCargo {
    /// Checks the tests of a crate against weak memory models.
    Wmbmc(CargoOptions),
}

/// Checks the tests of a crate against weak memory models.
#[derive(Args, Debug)]
#[command(
    version,
    after_help = "\
What is checked is each function with #[test], compiled with --cfg wmbmc; #[cfg_attr(wmbmc, ignore)] leaves one out.
The model is rc11, unless --mm among the options of wmbmc says something else. Exit codes are those of wmbmc: of several
tests and models the worst counts."
)]
pub struct CargoOptions {
    /// Check only tests whose names contain this
    #[arg(value_name = "TEST")]
    pub filter: Option<String>,

    /// The name of a test has to be TEST
    #[arg(long, requires = "filter")]
    pub exact: bool,

    /// List the tests, and check none
    #[arg(long)]
    pub list: bool,

    /// Print how wmbmc is called, and all that it says of tests that are SAFE, too
    #[arg(short, long)]
    pub verbose: bool,

    /// The package whose tests are checked
    #[arg(short, long, value_name = "SPEC")]
    pub package: Vec<String>,

    /// The tests of all packages of the workspace
    #[arg(long)]
    pub workspace: bool,

    /// Only the tests in the library
    #[arg(long)]
    pub lib: bool,

    /// Only the tests in tests/NAME.rs
    #[arg(long, value_name = "NAME")]
    pub test: Vec<String>,

    /// Features to turn on
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub features: Vec<String>,

    /// All features
    #[arg(long)]
    pub all_features: bool,

    /// Without the default feature
    #[arg(long)]
    pub no_default_features: bool,

    /// The Cargo.toml of the crate
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,

    /// Do not change Cargo.lock
    #[arg(long)]
    pub locked: bool,

    /// Do not access the network
    #[arg(long)]
    pub offline: bool,

    /// Options of wmbmc
    #[arg(last = true, value_name = "OPTIONS OF WMBMC")]
    pub checking: Vec<String>,
}

impl CargoOptions {
    /// The options that every call of cargo gets.
    pub fn of_workspace(&self) -> Vec<String> {
        let mut words = Vec::new();
        for features in &self.features {
            words.extend(["--features".to_string(), features.clone()]);
        }
        let flags = [
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
            (self.locked, "--locked"),
            (self.offline, "--offline"),
        ];
        words.extend(set(&flags));
        if let Some(path) = &self.manifest_path {
            words.extend(["--manifest-path".to_string(), path.display().to_string()]);
        }
        words
    }

    /// The options that say which tests are built.
    pub fn of_tests(&self) -> Vec<String> {
        let mut words = Vec::new();
        for package in &self.package {
            words.extend(["--package".to_string(), package.clone()]);
        }
        for test in &self.test {
            words.extend(["--test".to_string(), test.clone()]);
        }
        let every = !self.lib && self.test.is_empty();
        let flags = [
            (self.workspace, "--workspace"),
            (self.lib, "--lib"),
            (every, "--tests"),
        ];
        words.extend(set(&flags));
        words
    }

    /// Whether the test of a name is meant.
    pub fn selects(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| match self.exact {
            true => name == filter,
            false => name.contains(filter),
        })
    }
}

/// The flags that are set.
fn set<'f>(flags: &'f [(bool, &'f str)]) -> impl Iterator<Item = String> + 'f {
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, flag)| (*flag).to_string())
}

/// Options of wmbmc that are about something else than tests in text, or write files that every test would overwrite.
const NOT_OF_TESTS: [&str; 30] = [
    "--format",
    "--link",
    "--function",
    "--parallel",
    "--setup",
    "--finally",
    "--linearizable",
    "--ops",
    "--spec",
    "--threads",
    "--args",
    "--compile-commands",
    "--entry",
    "--compiler-flags",
    "--front",
    "--std",
    "--target",
    "--data-model",
    "--property",
    "--svcomp",
    "--witness",
    "--dot",
    "--html",
    "--dimacs",
    "--proof",
    "--certificate",
    "--emit",
    "--dump",
    "--show-loops",
    "--help",
];

/// The model of Rust's atomics, which is that of C11.
const MODEL: &str = "rc11";

/// The options for a check, and the models, which are checked one after the other.
///
/// # Errors
/// An option that is of no use here, or no option.
pub fn checking(words: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut options, mut models) = (Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (word.as_str(), None),
        };
        if NOT_OF_TESTS.contains(&name) {
            return Err(format!(
                "{name} is not supported by `cargo wmbmc`: --verbose prints how `wmbmc` is called for a test"
            ));
        }
        if name != "--mm" {
            options.push(word.clone());
            continue;
        }
        let value = value.or_else(|| rest.next().cloned());
        let value = value.ok_or("--mm is given with the name of a model")?;
        models.extend(value.split(',').map(str::to_string));
    }
    if models.is_empty() {
        models.push(MODEL.to_string());
    }
    Ok((options, models))
}

#[cfg(test)]
mod tests {
    use super::{CalledByCargo, checking};
    use clap::CommandFactory;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn the_table_is_consistent() {
        CalledByCargo::command().debug_assert();
    }

    #[test]
    fn models_are_taken_out_of_the_options() {
        let found = checking(&words("--unwind 3 --mm sc,tso --check race --mm=rc11"));
        let wanted = (words("--unwind 3 --check race"), words("sc tso rc11"));
        assert_eq!(found, Ok(wanted));
        assert_eq!(checking(&[]), Ok((Vec::new(), words("rc11"))));
        assert!(checking(&words("--mm")).is_err());
    }

    #[test]
    fn options_of_something_else_are_refused_by_name() {
        for line in ["--format json", "--dot=g", "--unwind 2 --function f"] {
            let error = checking(&words(line)).expect_err(line);
            assert!(error.starts_with("--"), "{line}: {error}");
        }
    }
}
