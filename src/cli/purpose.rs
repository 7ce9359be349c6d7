//! Which options are about which inputs. One that is typed and does not apply to an input, or to
//! the engine, is refused, so that it is not taken for obeyed.
//!
//! The row of an option in [`options`](super::options) names its [`groups`](super::groups).

use super::groups::{ANY, ASSEMBLY, EVERY, LITMUS, PROGRAM, SOLVER, SYSTEM, THREADS, WHOLE};
use super::options::CommandLine;
use super::values::{EngineArg, TargetArg, Threads};
use crate::driver::InputKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};
use std::path::{Path, PathBuf};

/// An option that was typed.
struct TypedOption {
    /// As people type it.
    text: String,
    groups: Vec<String>,
}

impl TypedOption {
    fn is_about(&self, group: &str) -> bool {
        self.groups.iter().any(|g| g == group)
    }
}

/// The options of a command that were typed, in the order of their rows.
fn typed_options(command: &Command, matches: &ArgMatches) -> Vec<TypedOption> {
    // Only arguments of this command are asked for, never those of its subcommands.
    let typed = command.get_arguments().filter(|arg| {
        let id = arg.get_id().as_str();
        matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    let option = |arg: &Arg| {
        let groups = command.get_groups();
        let own = groups.filter(|g| g.get_args().any(|id| id == arg.get_id()));
        TypedOption {
            text: typed_as(arg),
            groups: own.map(|g| g.get_id().to_string()).collect(),
        }
    };
    typed.map(option).collect()
}

/// The command that checks files, with its subcommands.
fn command() -> Command {
    let mut command = CommandLine::command();
    command.build();
    command
}

/// Looks at what was typed for `wmbmc orders`.
///
/// # Errors
/// A sentence about the first option that is about C programs, where a file is a litmus test.
pub fn check_orders(matches: &ArgMatches, files: &[PathBuf]) -> Result<(), String> {
    let mut files = files.iter();
    let litmus = files.find(|file| InputKind::of(file) == InputKind::Litmus);
    let command = command();
    let orders = command.find_subcommand("orders");
    let typed = orders.zip(matches.subcommand_matches("orders"));
    let (Some(file), Some((command, matches))) = (litmus, typed) else {
        return Ok(());
    };
    match typed_options(command, matches)
        .iter()
        .find(|o| o.is_about(PROGRAM) && !o.is_about(LITMUS))
    {
        Some(option) => Err(format!(
            "{} is about {PROGRAM}, not {}",
            option.text,
            file.display()
        )),
        None => Ok(()),
    }
}

/// Looks at what was typed for these files.
///
/// # Errors
/// A sentence about the first option that does not apply to one of them.
pub fn check(matches: &ArgMatches, options: &CommandLine) -> Result<(), String> {
    for option in typed_options(&command(), matches) {
        let mut files = options.files.iter().chain(&options.entry);
        // Clients of some size have so many threads.
        let of_clients = options.incomplete.ops.is_some() && option.text == "--threads";
        let applies = |file: &Path| {
            option.is_about(purpose_of(file, options))
                || of_clients && InputKind::of(file) == InputKind::Program
        };
        if let Some(file) = files.find(|f| !applies(f)) {
            let fixed = match purpose_of(file, options) {
                THREADS => " with --threads",
                ANY => " with --threads any",
                _ => "",
            };
            let inputs = EVERY.into_iter().filter(|input| option.is_about(input));
            return Err(format!(
                "{} is about {}, not {}{fixed}",
                option.text,
                inputs.collect::<Vec<_>>().join(" and "),
                file.display()
            ));
        }
        let engine = options.shared.engine;
        let named = match engine {
            EngineArg::Explore => "explore",
            EngineArg::Enumerate => "enumerate",
            EngineArg::Auto | EngineArg::Sat | EngineArg::Both => continue,
        };
        if option.is_about(SOLVER) {
            return Err(format!(
                "{} has no effect with --engine {named}; take --engine auto, sat or both",
                option.text
            ));
        }
    }
    Ok(())
}

/// Looks at what was typed for a run that is to be planned.
///
/// # Errors
/// A sentence about the first option that parts of the run cannot obey.
pub fn check_plan(matches: &ArgMatches) -> Result<(), String> {
    match typed_options(&command(), matches)
        .iter()
        .find(|o| o.is_about(WHOLE))
    {
        Some(option) => Err(format!(
            "{} cannot be planned: a job has a part of the run, and this is about the whole",
            option.text
        )),
        None => Ok(()),
    }
}

/// Takes the memory model of the machine where none is typed.
pub fn take_model(matches: &ArgMatches, options: &mut CommandLine) {
    let typed = matches.value_source("mm") == Some(ValueSource::CommandLine);
    let Some(target) = options.target.filter(|_| !typed) else {
        options.shared.mm_by_default = !typed;
        return;
    };
    let model = match target {
        TargetArg::X86_64 => "tso",
        TargetArg::Ppc64le => "power",
        TargetArg::Aarch64 => "aarch64",
        TargetArg::Riscv64 => "riscv",
    };
    options.shared.mm = vec![model.to_string()];
}

/// An option as people type it.
fn typed_as(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => arg.get_id().to_string(),
    }
}

/// What a file is.
fn purpose_of(file: &Path, options: &CommandLine) -> &'static str {
    match InputKind::of(file) {
        InputKind::Program if options.threads == Some(Threads::Any) => ANY,
        InputKind::Program => PROGRAM,
        InputKind::Litmus => LITMUS,
        InputKind::System => SYSTEM,
        InputKind::Assembly if matches!(options.threads, Some(Threads::Fixed(_))) => THREADS,
        InputKind::Assembly => ASSEMBLY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ArgGroup;

    #[test]
    fn every_option_is_about_some_input() {
        let mut command = CommandLine::command();
        command.build();
        let inputs = command.get_groups();
        let inputs: Vec<&ArgGroup> = inputs
            .filter(|g| EVERY.contains(&g.get_id().as_str()))
            .collect();
        assert_eq!(inputs.len(), EVERY.len());
        let own = command.get_arguments().map(Arg::get_id);
        for id in own.filter(|id| !["help", "version"].contains(&id.as_str())) {
            assert!(inputs.iter().any(|g| g.get_args().any(|a| a == id)), "{id}");
        }
    }
}
