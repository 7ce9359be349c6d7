//! Which options are about which inputs. One that is typed and has no meaning for an input is
//! refused, so that nobody takes it for obeyed.

use super::options::Options;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};
use std::path::Path;

/// Options about systems of any number of processes alone.
const OF_SYSTEMS: [&str; 7] = [
    "brab",
    "certificate",
    "jobs",
    "max_nodes",
    "max_procs",
    "search",
    "strategy",
];

/// Options that these systems share with other inputs.
const SHARED: [&str; 9] = [
    "color", "dot", "files", "format", "memory", "mm", "quiet", "stats", "timeout",
];

/// Looks at what was typed for these files.
///
/// # Errors
/// A sentence about the first option that has no meaning for one of them.
pub fn check(matches: &ArgMatches, options: &Options) -> Result<(), String> {
    let is_system = |f: &&std::path::PathBuf| has_systems(f);
    let system = options.files.iter().find(is_system);
    let other = options.files.iter().find(|f| !is_system(f));
    let command = Options::command();
    let typed = |arg: &&clap::Arg| {
        let id = arg.get_id().as_str();
        // Only arguments of this command are asked for, never those of its subcommands.
        matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    for arg in command.get_arguments().filter(typed) {
        let id = arg.get_id().as_str();
        let name = arg.get_long().unwrap_or(id);
        if let Some(file) = other
            && OF_SYSTEMS.contains(&id)
        {
            return Err(format!(
                "--{name} is about systems of any number of processes (.cub), not {}",
                file.display()
            ));
        }
        if let Some(file) = system
            && !OF_SYSTEMS.contains(&id)
            && !SHARED.contains(&id)
        {
            return Err(format!(
                "--{name} has no meaning for systems of any number of processes: {}",
                file.display()
            ));
        }
    }
    Ok(())
}

/// The file holds a system.
fn has_systems(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "cub")
}
