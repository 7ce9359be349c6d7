//! Which options are about which inputs. One that is typed and does not apply to an input, or to
//! the engine, is refused, so that it is not taken for obeyed.

use super::options::CommandLine;
use super::values::{EngineArg, TargetArg};
use crate::driver::InputKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory};
use std::path::Path;

use Purpose::{Assembly, Litmus, Program, System, Threads};

/// What an option may be about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// C programs.
    Program,
    /// Litmus tests.
    Litmus,
    /// Systems of any number of processes.
    System,
    /// x86 programs for any number of threads.
    Assembly,
    /// x86 programs for a fixed number of threads.
    Threads,
}

/// Every option, by its id, with the inputs it is about.
const PURPOSES: [(&str, &[Purpose]); 59] = [
    ("files", &[Program, Litmus, System, Assembly, Threads]),
    ("color", &[Program, Litmus, System, Assembly, Threads]),
    ("dot", &[Program, Litmus, System, Assembly, Threads]),
    ("html", &[Program, Litmus, System, Assembly, Threads]),
    ("format", &[Program, Litmus, System, Assembly, Threads]),
    ("memory", &[Program, Litmus, System, Assembly, Threads]),
    ("mm", &[Program, Litmus, System, Assembly, Threads]),
    ("quiet", &[Program, Litmus, System, Assembly, Threads]),
    ("stats", &[Program, Litmus, System, Assembly, Threads]),
    ("timeout", &[Program, Litmus, System, Assembly, Threads]),
    ("accept_bound", &[Program, Litmus, Threads]),
    ("certify", &[Program, Litmus, Threads]),
    ("dump", &[Program, Litmus, Threads]),
    ("engine", &[Program, Litmus, Threads]),
    ("incremental", &[Program, Litmus, Threads]),
    ("order", &[Program, Litmus, Threads]),
    ("without", &[Program, Litmus, Threads]),
    ("proof", &[Program, Litmus, Threads]),
    ("unwind", &[Program, Litmus, Threads]),
    ("unwindset", &[Program, Litmus, Threads]),
    ("limit_loops", &[Program, Litmus, Threads]),
    ("verbose", &[Program, Litmus, Threads]),
    ("args", &[Program]),
    ("check", &[Program]),
    ("compile_commands", &[Program]),
    ("data_model", &[Program]),
    ("define", &[Program]),
    ("dimacs", &[Program, Threads]),
    ("entry", &[Program]),
    ("finally", &[Program]),
    ("function", &[Program]),
    ("havoc", &[Program]),
    ("include", &[Program]),
    ("include_file", &[Program]),
    ("iquote", &[Program]),
    ("isystem", &[Program]),
    ("link", &[Program]),
    ("parallel", &[Program]),
    ("property", &[Program]),
    ("reuse_addresses", &[Program]),
    ("setup", &[Program]),
    ("show_loops", &[Program, Threads]),
    ("std", &[Program]),
    ("stub", &[Program]),
    ("svcomp", &[Program]),
    ("target", &[Program]),
    ("undefine", &[Program]),
    ("weak_cas", &[Program]),
    ("witness", &[Program]),
    ("emit", &[Litmus, Assembly]),
    ("states", &[Litmus]),
    ("brab", &[System, Assembly]),
    ("certificate", &[System, Assembly]),
    ("jobs", &[Program, System, Assembly, Threads]),
    ("max_nodes", &[System, Assembly]),
    ("max_procs", &[System, Assembly]),
    ("search", &[System, Assembly]),
    ("strategy", &[System, Assembly]),
    ("threads", &[Assembly, Threads]),
];

/// Options that are about the solver's way, and have no effect on the enumeration of executions.
const OF_THE_SOLVER: [&str; 5] = ["dimacs", "dot", "jobs", "order", "without"];

/// Looks at what was typed for these files.
///
/// # Errors
/// A sentence about the first option that does not apply to one of them.
pub fn check(matches: &ArgMatches, options: &CommandLine) -> Result<(), String> {
    let command = CommandLine::command();
    // Only arguments of this command are asked for, never those of its subcommands.
    let typed = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    for arg in command.get_arguments().filter(typed) {
        let id = arg.get_id().as_str();
        let inputs = purpose(id);
        if let Some(file) = options
            .files
            .iter()
            .chain(&options.entry)
            .find(|f| !inputs.contains(&purpose_of(f, options)))
        {
            let fixed = match purpose_of(file, options) {
                Threads => " with --threads",
                _ => "",
            };
            let inputs: Vec<&str> = inputs.iter().map(|i| describe(*i)).collect();
            return Err(format!(
                "{} is about {}, not {}{fixed}",
                typed_as(arg),
                inputs.join(" and "),
                file.display()
            ));
        }
        if options.shared.engine == EngineArg::Enumerate && OF_THE_SOLVER.contains(&id) {
            return Err(format!(
                "{} has no effect with --engine enumerate; take --engine sat, or both",
                typed_as(arg)
            ));
        }
    }
    Ok(())
}

/// Takes the memory model of the machine where none is typed.
pub fn take_model(matches: &ArgMatches, options: &mut CommandLine) {
    let typed = matches.value_source("mm") == Some(ValueSource::CommandLine);
    let Some(target) = options.target.filter(|_| !typed) else {
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

/// The inputs that an option is about.
fn purpose(id: &str) -> &'static [Purpose] {
    let found = PURPOSES.iter().find(|(name, _)| *name == id);
    found.map_or(&[], |(_, inputs)| inputs)
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
fn purpose_of(file: &Path, options: &CommandLine) -> Purpose {
    match InputKind::of(file) {
        InputKind::Program => Program,
        InputKind::Litmus => Litmus,
        InputKind::System => System,
        InputKind::Assembly if options.threads.is_some() => Threads,
        InputKind::Assembly => Assembly,
    }
}

fn describe(purpose: Purpose) -> &'static str {
    match purpose {
        Program => "C programs (.c, .i)",
        Litmus => "litmus tests (.litmus)",
        System => "systems of any number of processes (.cub)",
        Assembly => "x86 programs (.asm)",
        Threads => "x86 programs with --threads",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_purpose() {
        let command = CommandLine::command();
        let ids = command.get_arguments().map(|a| a.get_id().as_str());
        for id in ids {
            assert!(PURPOSES.iter().any(|(name, _)| *name == id), "{id}");
        }
    }
}
