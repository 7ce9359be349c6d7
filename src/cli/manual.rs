//! What the table of options is good for beside parsing (completions, man pages), what a code means,
//! and which build this is.

use super::exit::Exit;
use super::help;
use super::output;
use crate::report::explanation::{explanation, title};
use base::code::Code;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use smt::sat;
use std::path::Path;

/// The commit of this build, where it is known: `build.rs` says from where.
pub const COMMIT: Option<&str> = option_env!("WMBMC_COMMIT");

/// What `--version` prints behind the name.
pub fn version() -> String {
    format!(
        "{}\ncommit: {}\nsolver: CaDiCaL {}\nfeatures: all (none is optional)",
        env!("CARGO_PKG_VERSION"),
        COMMIT.unwrap_or("unknown, a build of a working tree"),
        sat::version()
    )
}

/// `wmbmc completions SHELL`
pub fn completions(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "wmbmc", &mut script);
    output::print(&String::from_utf8_lossy(&script));
    Exit::Safe
}

/// `wmbmc man`: prints the page of the program, or writes one for it and for each of its commands.
pub fn man(out: Option<&Path>) -> Exit {
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = out else {
        return match page(&command) {
            Ok(page) => {
                output::print(&page);
                Exit::Safe
            }
            Err(error) => unwritten(Path::new("the page"), &error),
        };
    };
    if let Err(error) = std::fs::create_dir_all(folder) {
        return unwritten(folder, &error);
    }
    let names: Vec<String> = command
        .get_subcommands()
        .map(|c| format!("wmbmc-{}", c.get_name()))
        .collect();
    let pages = command.get_subcommands().zip(&names);
    let pages = pages.map(|(c, name)| (c.clone().name(name.clone().leak() as &str), name.as_str()));
    for (command, name) in pages.chain([(command.clone(), "wmbmc")]) {
        let file = folder.join(format!("{name}.1"));
        let written = page(&command).and_then(|page| std::fs::write(&file, page));
        if let Err(error) = written {
            return unwritten(&file, &error);
        }
    }
    Exit::Safe
}

fn page(command: &Command) -> std::io::Result<String> {
    let mut page = Vec::new();
    // Without a date the arguments of the title would shift: roff drops an empty one.
    let man = Man::new(command.clone()).date(" ").manual("User Commands");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let notes = command.get_after_long_help();
    if let Some(notes) = notes.or_else(|| command.get_after_help()) {
        let mut section = Roff::new();
        section.control("SH", ["NOTES"]);
        // They have tables, so lines stay as they are.
        section.control("nf", []);
        for line in notes.to_string().lines() {
            section.text([roman(line)]);
        }
        section.control("fi", []);
        section.to_writer(&mut page)?;
    }
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn unwritten(path: &Path, error: &std::io::Error) -> Exit {
    output::warn(&format!(
        "error: {} cannot be written: {error}\n",
        path.display()
    ));
    Exit::Usage
}

/// `wmbmc explain`: the section of a code, or all codes.
pub fn explain(id: Option<&str>) -> Exit {
    let Some(id) = id else {
        let lines = Code::ALL.map(|c| format!("{}  {}\n", c.id(), title(c)));
        output::print(&lines.concat());
        return Exit::Safe;
    };
    match Code::of(id) {
        Some(code) => {
            let (id, title) = (code.id(), title(code));
            output::print(&format!("{id}: {title}\n\n{}\n", explanation(code)));
            Exit::Safe
        }
        None => {
            output::warn(&format!(
                "error: no code is called `{id}`; `wmbmc explain` lists them\n"
            ));
            Exit::Usage
        }
    }
}
