//! The command line: [`options`] and their [`values`] are what is typed (of C programs [`c_programs`], of those that are
//! not whole [`incomplete`], of orders [`orders_args`]), [`purpose`] what inputs it is for, [`request`] what is meant. [`check`] gives each file to a session of the driver ([`program`], [`litmus`], [`system`])
//! and prints what comes back ([`output`]), [`abstraction`] is predicate abstraction, [`certificate`]
//! proofs of safety of systems, [`proof`] those of bounded checks, [`suite`] many litmus tests at once, [`compile_check`] mappings from C11 to machines, [`run`] tests on the machine at hand, [`orders`] the orders that programs need, [`compiler_flags`] those of a
//! compiler, [`cross`] several engines, [`cluster`] one run on many machines, [`svcomp`] in the competition's
//! form; [`supervise`] answers where memory was refused; [`manual`] explains; [`failure`] says what is wrong, and [`exit`] has the numbers.
//!
//! Nothing is written but what an option names; results go to standard output, everything else
//! to standard error.

pub mod abstraction;
pub mod arguments;
pub mod c_programs;
pub mod cargo;
pub mod certificate;
pub mod check;
mod client;
pub mod cluster;
pub mod compile_check;
pub mod compiler_flags;
pub mod cross;
pub mod cross_args;
pub mod exit;
pub mod expect;
pub mod failure;
pub mod generate;
mod groups;
mod help;
pub mod incomplete;
pub mod litmus;
pub mod manual;
pub mod models;
pub mod options;
pub mod orders;
pub mod orders_args;
pub mod output;
pub mod passes;
pub mod print;
pub mod program;
pub mod progress;
pub mod proof;
pub mod purpose;
pub mod request;
pub mod run;
pub mod suite;
mod supervise;
pub mod svcomp;
pub mod system;
pub mod values;
mod watch;

use crate::report::answer::refused::RefusedAnswer;
use crate::report::text::Detail;
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use clap::error::ErrorKind;
use clap::{FromArgMatches, ValueEnum};
use exit::Exit;
use options::{Command, CommandLine};
use output::{Answers, Output};
use std::ffi::OsString;
use values::Format;

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
    let format = typed_format(&args);
    let answers = Answers::default();
    if let Some(code) = supervise::run(&args, format) {
        std::process::exit(code);
    }
    let worker = std::thread::Builder::new().stack_size(STACK).spawn({
        let answers = answers.clone();
        move || run(args, &answers)
    });
    let target = (&answers, format);
    let finished = worker.map(std::thread::JoinHandle::join);
    progress::clear();
    let exit = match finished {
        Ok(Ok(exit)) => exit,
        Ok(Err(_)) => internal(&receive.try_iter().collect::<Vec<_>>().join("; "), target),
        Err(error) => match supervise::limit_mb() {
            Some(mb) => supervise::out_of_memory(mb, format),
            None => internal(&format!("no thread could be started: {error}"), target),
        },
    };
    answers.finish(format, exit.code());
    output::exit(exit)
}

fn run(args: Vec<OsString>, answers: &Answers) -> Exit {
    let format = typed_format(&args);
    let usage = |message: &str| usage(message, (answers, format));
    let version: &'static str = manual::version().leak();
    let command = help::command().long_version(version);
    let commands: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
    let args = cluster::plan::arranged(args);
    let normalized = match compiler_flags::normalize(args, &commands) {
        Ok(normalized) => normalized,
        Err(diag) => return refuse_line(diag, (answers, format)),
    };
    let ignored = normalized.ignored.join(", ");
    let typed = normalized.args.iter();
    let typed: Vec<String> = typed.map(|a| a.to_string_lossy().into_owned()).collect();
    let parsed = command.try_get_matches_from(normalized.args);
    let parsed = parsed.and_then(|m| Ok((CommandLine::from_arg_matches(&m)?, m)));
    let (mut options, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => return unparsed(&error, (answers, format)),
        Err(error) => {
            let is_short = error.kind() == ErrorKind::DisplayHelp && help::is_short(&typed);
            let text = error.render().to_string();
            output::print(&if is_short { help::short() } else { text });
            return Exit::Safe;
        }
    };
    if !ignored.is_empty() {
        output::warn(&format!(
            "note: these change nothing here, and are ignored: {ignored}\n"
        ));
    }
    options.typed = typed;
    match &options.command {
        Some(Command::Models { name }) => return models::run(name.as_deref()),
        Some(Command::Passes) => return passes::run(),
        Some(Command::Explain { code }) => return manual::explain(code.as_deref()),
        Some(Command::Completions { shell }) => return manual::completions(*shell),
        Some(Command::Man { out }) => return manual::man(out.as_deref()),
        Some(Command::Generate(options)) => return generate::run(options),
        Some(Command::Suite(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            return match request::SuiteRequest::from_options(typed) {
                Ok(request) => suite::run(
                    &request,
                    &Output::new(answers, &typed.shared, detail, false),
                ),
                Err(message) => usage(&message),
            };
        }
        Some(Command::Cross(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            let output = Output::with(answers, typed.format, typed.color, detail, false);
            let exit = cross::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&message));
        }
        Some(Command::Abstract(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            let output = Output::with(answers, typed.format, typed.color, detail, typed.stats);
            let exit = abstraction::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&message));
        }
        Some(Command::Orders(typed)) => {
            let detail = if typed.quiet {
                Detail::Quiet
            } else {
                Detail::Normal
            };
            let output = Output::with(answers, typed.format, typed.color, detail, false);
            let exit = purpose::check_orders(&matches, &typed.files);
            let exit = exit.and_then(|()| orders::run(typed, &output));
            return exit.unwrap_or_else(|message| usage(&message));
        }
        Some(Command::CheckCertificate(typed)) => {
            let output = Output::new(answers, &options.shared, Detail::Normal, false);
            let exit = certificate::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&message));
        }
        Some(Command::CompileCheck(typed)) => {
            let color = options.shared.color;
            let output = Output::with(answers, typed.format, color, Detail::Normal, false);
            let exit = compile_check::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&message));
        }
        Some(Command::Run(typed)) => {
            let color = options.shared.color;
            let output = Output::with(answers, typed.format, color, Detail::Normal, false);
            let exit = run::run(typed, &output);
            return exit.unwrap_or_else(|message| usage(&message));
        }
        Some(Command::CheckProof(typed)) => return proof::run(typed),
        Some(Command::Plan(typed)) => return cluster::plan::run(typed),
        Some(Command::Job(typed)) => return cluster::job::run(typed),
        Some(Command::Merge(typed)) => return cluster::merge::run(typed),
        Some(Command::Progress(typed)) => return cluster::progress::run(typed),
        None => {}
    }
    let detail = match (options.quiet, options.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    let output = Output::new(answers, &options.shared, detail, options.stats);
    let request =
        purpose::check(&matches, &options).map(|()| purpose::take_model(&matches, &mut options));
    match request.and_then(|()| request::Request::from_options(&options)) {
        Ok(mut request) => match svcomp::specify(&mut request, &options, &output) {
            Ok(()) => check::run(&request, &output),
            Err(exit) => exit,
        },
        Err(message) => usage(&message),
    }
}

/// What `--format` says; errors of the command line itself respect it, so it is looked for before the
/// line is parsed.
fn typed_format(args: &[OsString]) -> Format {
    let args: Vec<&str> = args.iter().filter_map(|a| a.to_str()).collect();
    let apart = args.windows(2).filter(|w| w[0] == "--format").map(|w| w[1]);
    let mut typed = apart.chain(args.iter().filter_map(|a| a.strip_prefix("--format=")));
    let format = typed.next().and_then(|f| Format::from_str(f, false).ok());
    format.unwrap_or(Format::Text)
}

/// Where answers go while the command line is not read, and in which format.
type Target<'a> = (&'a Answers, Format);

/// Refuses a command line for a reason.
fn usage(message: &str, target: Target) -> Exit {
    refuse_line(
        Diag::bare(message.trim()).with_code(Code::CommandLine),
        target,
    )
}

fn refuse_line(diag: Diag, target: Target) -> Exit {
    output::warn(&format!("error: {diag}\n"));
    refuse(diag, Exit::Usage, target)
}

/// Refuses a command line that clap does not parse; its text begins with the severity.
fn unparsed(error: &clap::Error, target: Target) -> Exit {
    let text = error.render().to_string();
    output::warn(&text);
    let message = text.strip_prefix("error: ").unwrap_or(&text).trim();
    let diag = Diag::bare(message).with_code(Code::CommandLine);
    refuse(diag, Exit::Usage, target)
}

/// Says that this is a bug, and how to report it.
fn internal(message: &str, target: Target) -> Exit {
    output::warn(&exit::report_bug(message));
    let diag = Diag::bare(format!("internal error: {message}")).with_code(Code::Bug);
    refuse(diag, Exit::Internal, target)
}

/// Gives the answer that there is none.
fn refuse(diag: Diag, exit: Exit, (answers, format): Target) -> Exit {
    let none = SourceMap::default();
    let refused = RefusedAnswer::new(&none, None, None, &[diag], exit.code());
    answers.give(format, refused.into());
    exit
}
