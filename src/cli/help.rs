//! What `-h` and `--help` show: options by what they are about, and for `-h` those that people use.

use super::options::CommandLine;
use clap::{Arg, Command, CommandFactory};

/// Every option that checks files, by its name in the table, under the heading of what it is about.
const HEADINGS: [(&str, &[&str]); 9] = [
    (
        "Input",
        &[
            "link",
            "compile_commands",
            "entry",
            "include",
            "define",
            "undefine",
            "include_file",
            "iquote",
            "isystem",
            "idirafter",
            "std",
            "data_model",
            "target",
            "front",
            "compiler_flags",
            "args",
            "havoc",
            "stub",
        ],
    ),
    (
        "What runs",
        &[
            "function", "parallel", "setup", "finally", "ops", "calls", "spec", "threads",
        ],
    ),
    ("Model", &["mm", "weak_cas", "reuse_addresses", "order"]),
    (
        "Properties",
        &["check", "linearizable", "property", "svcomp", "states"],
    ),
    (
        "Loops",
        &[
            "unwind",
            "unwindset",
            "limit_loops",
            "incremental",
            "show_loops",
            "accept_bound",
        ],
    ),
    (
        "Engines and limits",
        &["engine", "timeout", "memory", "jobs", "without"],
    ),
    (
        "Systems of any number of processes",
        &["strategy", "max_procs", "max_nodes", "search", "brab"],
    ),
    (
        "Output",
        &[
            "html", "dot", "format", "color", "quiet", "verbose", "stats", "emit", "dump",
            "dimacs", "witness",
        ],
    ),
    ("Evidence", &["proof", "certify", "certificate"]),
];

/// What `-h` shows of these, in their order.
const USUAL: [&str; 16] = [
    "link",
    "include",
    "define",
    "parallel",
    "threads",
    "mm",
    "check",
    "unwind",
    "incremental",
    "engine",
    "timeout",
    "html",
    "format",
    "quiet",
    "proof",
    "certify",
];

/// The commands that `-h` shows.
const COMMANDS: [&str; 6] = ["suite", "run", "orders", "abstract", "models", "explain"];

/// The command line, its options under their headings.
pub fn command() -> Command {
    let mut command = CommandLine::command();
    for (heading, names) in HEADINGS {
        for name in names {
            command = command.mut_arg(*name, |arg| arg.help_heading(heading));
        }
    }
    command
}

/// Whether `-h` is typed for the checking of files, not for a command.
pub fn is_short(args: &[String]) -> bool {
    let command = CommandLine::command();
    let is_command = |word: &String| command.get_subcommands().any(|c| c.get_name() == word);
    let mut before = args
        .iter()
        .skip(1)
        .take_while(|word| *word != "-h" && *word != "--help");
    let at = before.clone().count() + 1;
    args.get(at).is_some_and(|word| word == "-h") && !before.any(is_command)
}

/// The text of `-h`.
pub fn short() -> String {
    let command = command();
    let mut out = "Checks concurrent programs against weak memory models\n\n\
        Usage: wmbmc [OPTIONS] FILE..    C programs, litmus tests (.litmus), systems (.cub), x86 (.asm)\n\
        \x20      wmbmc COMMAND ..\n"
        .to_string();
    for (heading, names) in HEADINGS {
        let usual = names.iter().filter(|name| USUAL.contains(*name));
        let args = usual.filter_map(|name| command.get_arguments().find(|a| a.get_id() == name));
        let rows: String = args.map(row).collect();
        if !rows.is_empty() {
            out += &format!("{heading}:\n{rows}");
        }
    }
    out += "Commands:\n";
    for name in COMMANDS {
        let found = command.get_subcommands().find(|c| c.get_name() == name);
        let about = found.and_then(Command::get_about).map(ToString::to_string);
        out += &aligned(name, &about.unwrap_or_default());
    }
    out + "SAFE returns 0, UNSAFE 10, SAFE up to bound N and UNKNOWN 5, a wrong input 1 or 2, a bug 6.\n\
           --help shows all options, `wmbmc help` all commands, and `wmbmc help COMMAND` one of them.\n"
}

/// An option on one line.
fn row(arg: &Arg) -> String {
    let value = arg.get_value_names().map(|names| names.join(" "));
    let value = value.filter(|_| arg.get_action().takes_values());
    let value = value.map_or(String::new(), |value| format!(" {value}"));
    let name = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{value}"),
        (Some(short), None) => format!("-{short}{value}"),
        (None, long) => format!("    --{}{value}", long.unwrap_or_default()),
    };
    let help = arg.get_help().map(ToString::to_string);
    let default = arg
        .get_default_values()
        .first()
        .filter(|_| arg.get_action().takes_values());
    let default = default.map(|value| format!(" [default: {}]", value.to_string_lossy()));
    aligned(
        &name,
        &(help.unwrap_or_default() + &default.unwrap_or_default()),
    )
}

fn aligned(name: &str, about: &str) -> String {
    format!("  {name:<24}  {about}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_has_a_heading() {
        let named: BTreeSet<String> = HEADINGS
            .iter()
            .flat_map(|(_, names)| names.iter().map(|n| n.to_string()))
            .collect();
        let command = CommandLine::command();
        let options = command.get_arguments().filter(|a| !a.is_positional());
        let options: BTreeSet<String> = options.map(|a| a.get_id().to_string()).collect();
        assert_eq!(named, options);
        assert!(USUAL.iter().all(|name| named.contains(*name)));
    }

    #[test]
    fn the_short_help_fits_on_a_screen() {
        let text = short();
        assert!(text.lines().count() <= 40, "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }

    #[test]
    fn commands_have_their_own_help() {
        let args = |words: &str| words.split(' ').map(str::to_string).collect::<Vec<_>>();
        assert!(is_short(&args("wmbmc -h")));
        assert!(is_short(&args("wmbmc a.c --mm tso -h")));
        assert!(!is_short(&args("wmbmc suite -h")));
        assert!(!is_short(&args("wmbmc --help")));
    }
}
