//! The command line: [`options`] is what is typed (of programs that are not whole [`incomplete`]), [`purpose`] what inputs it is for, [`request`] what
//! is meant. [`check`] gives each file to a session of the driver ([`program`], [`litmus`], [`system`])
//! and prints what comes back, [`abstraction`] is predicate abstraction, [`certificate`]
//! proofs of safety, [`suite`] many litmus tests at once, [`compiler_flags`] those of a
//! compiler, [`cross`] several engines, [`svcomp`] in the competition's
//! form; [`failure`] says what is wrong, and [`exit`] has the numbers.
//!
//! Nothing is written but what an option names; results go to standard output, everything else
//! to standard error.

pub mod abstraction;
pub mod arguments;
pub mod certificate;
pub mod check;
pub mod compiler_flags;
pub mod cross;
pub mod exit;
pub mod expect;
pub mod failure;
pub mod generate;
pub mod incomplete;
pub mod litmus;
pub mod models;
pub mod options;
pub mod output;
pub mod passes;
pub mod print;
pub mod program;
pub mod progress;
pub mod purpose;
pub mod request;
pub mod suite;
pub mod svcomp;
pub mod system;
mod watch;

use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::report::json;
use crate::report::text::Detail;
use clap::{CommandFactory, FromArgMatches};
use exit::Exit;
use options::{Command, CommandLine};
use output::Output;
use std::ffi::OsString;

/// Stack of the working thread in bytes: nested expressions are walked by recursion.
const STACK: usize = 1 << 28;

/// Runs the program on these arguments (the first is its own name) and returns what the process
/// should return. A panic is a bug; it is caught here and reported as one.
pub fn main(args: Vec<OsString>) -> Exit {
    let (send, receive) = std::sync::mpsc::channel();
    std::panic::set_hook(Box::new(move |info| {
        // The receiver outlives every thread that could panic before the answer is there.
        let _ = send.send(info.to_string());
    }));
    let json = wants_json(&args);
    let worker = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || run(args));
    let finished = worker.map(std::thread::JoinHandle::join);
    progress::clear();
    match finished {
        Ok(Ok(exit)) => exit,
        Ok(Err(_)) => internal(&receive.try_iter().collect::<Vec<_>>().join("; "), json),
        Err(error) => internal(&format!("no thread could be started: {error}"), json),
    }
}

fn run(args: Vec<OsString>) -> Exit {
    let json = wants_json(&args);
    let command = CommandLine::command();
    let commands: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
    let normalized = match compiler_flags::normalize(args, &commands) {
        Ok(normalized) => normalized,
        Err(message) => return usage(&format!("error: {message}\n"), json),
    };
    let ignored = normalized.ignored.join(", ");
    let parsed = command.try_get_matches_from(normalized.args);
    let parsed = parsed.and_then(|m| Ok((CommandLine::from_arg_matches(&m)?, m)));
    let (mut options, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => return usage(&error.render().to_string(), json),
        Err(error) => {
            output::print(&error.render().to_string());
            return Exit::Safe;
        }
    };
    if !ignored.is_empty() {
        output::warn(&format!(
            "note: these change nothing here, and are ignored: {ignored}\n"
        ));
    }
    match &options.command {
        Some(Command::Models { name }) => return models::run(name.as_deref()),
        Some(Command::Passes) => return passes::run(),
        Some(Command::Generate(options)) => return generate::run(options),
        Some(Command::Suite(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            return match request::SuiteRequest::from_options(typed) {
                Ok(request) => suite::run(&request, &Output::new(&typed.shared, detail, false)),
                Err(message) => usage(&format!("error: {message}\n"), json),
            };
        }
        Some(Command::Cross(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            let output = Output::with(typed.format, typed.color, detail, false);
            let exit = cross::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&format!("error: {message}\n"), json));
        }
        Some(Command::Abstract(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            let output = Output::with(typed.format, typed.color, detail, typed.stats);
            let exit = abstraction::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&format!("error: {message}\n"), json));
        }
        Some(Command::CheckCertificate(typed)) => {
            let output = Output::new(&options.shared, Detail::Normal, false);
            let exit = certificate::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&format!("error: {message}\n"), json));
        }
        None => {}
    }
    let detail = match (options.quiet, options.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    let output = Output::new(&options.shared, detail, options.stats);
    let request = purpose::check(&matches, &options)
        .and_then(|()| purpose::take_model(&matches, &mut options));
    match request.and_then(|()| request::Request::from_options(&options)) {
        Ok(mut request) => match svcomp::specify(&mut request, &options, &output) {
            Ok(()) => check::run(&request, &output),
            Err(exit) => exit,
        },
        Err(message) => usage(&format!("error: {message}\n"), json),
    }
}

/// True when `--format json` was asked for; errors of the command line itself respect it, so it
/// is looked for before the line is parsed.
fn wants_json(args: &[OsString]) -> bool {
    let args: Vec<&str> = args.iter().filter_map(|a| a.to_str()).collect();
    args.contains(&"--format=json") || args.windows(2).any(|w| w == ["--format", "json"])
}

fn usage(message: &str, json: bool) -> Exit {
    output::warn(message);
    if json {
        let text = message.strip_prefix("error: ").unwrap_or(message).trim();
        let diag = Diag::bare(text);
        output::print(&json::refused(
            &SourceMap::default(),
            None,
            None,
            &[diag],
            Exit::Usage.code(),
        ));
    }
    Exit::Usage
}

/// Says that this is a bug, and how to report it.
fn internal(message: &str, json: bool) -> Exit {
    output::warn(&exit::report_bug(message));
    if json {
        let diag = Diag::bare(format!("internal error: {message}"));
        output::print(&json::refused(
            &SourceMap::default(),
            None,
            None,
            &[diag],
            Exit::Internal.code(),
        ));
    }
    Exit::Internal
}
