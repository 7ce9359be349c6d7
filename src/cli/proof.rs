//! Proofs of answers that no execution does something: written as a bundle (`--proof`), checked before
//! the answer is given (`--certify`), and checked by whoever has one (`wmbmc check-proof`).

use super::exit::{self, Exit};
use super::failure::failed;
use super::options::{CheckProofArgs, CommandLine};
use super::output::{self, Answers, Output};
use super::progress;
use super::request::{self, Request, Wanted};
use super::svcomp;
use super::values::{Color, Format};
use crate::driver::limits::{self, Limits};
use crate::driver::thread_modular::sequential;
use crate::driver::{Claimed, Comparison, Error, Executions, Outcome, Session};
use crate::report::text::Detail;
use cat::model::Model;
use clap::Parser;
use flate2::Compression;
use flate2::write::GzEncoder;
use ir::bounds::Bounds;
use proof::bundle::{self, BundleError, Claim};
use proof::directory::{self, Proof};
use proof::formula::{FormulaError, formula, learn};
use proof::graph::{Graph, Term};
use proof::learning::{LARGE, SolverAnswer};
use proof::lrat;
use smt::sat::SatResult;
use smt::sat::proof::{Growing, prove};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What has come of a proof.
pub enum Proved {
    /// There is one, or nothing to prove.
    Yes,
    /// There is none, and this is why.
    No(String),
    /// The answer cannot be trusted, which has been said.
    Refuted(Exit),
}

/// Why there is no proof.
enum Failure {
    /// A file or directory.
    Io(PathBuf, io::Error),
    /// What is given up, and why.
    None(String),
    /// The formula has a satisfying assignment.
    Satisfiable,
    /// It does not stand up to its check.
    Wrong(BundleError),
}

/// Makes the proof of an answer, and checks it if that is wanted.
///
/// # Errors
/// The model cannot be used with this program, or a bug of this tool.
pub fn certify(
    session: &Session,
    model: &Model,
    outcome: &Outcome,
    verdict: &str,
    wanted: &Wanted,
) -> Result<Proved, Error> {
    let (graph, of, conditions) = match session.claim(model, outcome, wanted.limits)? {
        None => return Ok(Proved::Yes),
        Some(Claimed::Limit) => return Ok(Proved::No(past_limit())),
        Some(Claimed::Graph(graph)) => (graph, model.clone(), None),
        Some(Claimed::Conditions(graph, conditions)) => (graph, sequential(), Some(conditions)),
    };
    let bounds = match outcome {
        Outcome::Program(outcome) => &outcome.bounds,
        Outcome::Litmus(outcome) => &outcome.bounds,
        Outcome::System(_) => return Ok(Proved::Yes),
    };
    let bounds = serde_json::to_value(bounds).map_err(|e| Error::Internal(e.to_string()))?;
    let claim = |file: &Path| Claim {
        version: bundle::VERSION,
        tool: format!("wmbmc {}", env!("CARGO_PKG_VERSION")),
        input: session.name().to_string(),
        model: file.display().to_string(),
        verdict: verdict.to_string(),
        arguments: wanted.typed.clone(),
        bounds: bounds.clone(),
        conditions: conditions.clone(),
    };
    let directory = match &wanted.directory {
        Some(directory) => Directory::Named(directory.clone()),
        None => match tempfile::Builder::new().prefix("wmbmc-proof-").tempdir() {
            Ok(made) => Directory::Own(made),
            Err(error) => return Ok(Proved::No(format!("no directory can be made: {error}"))),
        },
    };
    let show = |what: &str| {
        if wanted.shown {
            progress::show(what);
        }
    };
    let made = write(
        directory.path(),
        &graph,
        &of,
        &claim,
        (wanted.limits, &show),
    );
    let checked = made.and_then(|()| match wanted.check {
        true => check(directory.path(), (wanted.limits, &show)).map(|_| ()),
        false => Ok(()),
    });
    let input = session.name();
    let why = match checked {
        Ok(()) => return Ok(Proved::Yes),
        Err(Failure::Io(path, error)) => {
            let why = format!("{} cannot be written: {error}", path.display());
            output::lost(&why);
            return Ok(Proved::No(why));
        }
        Err(Failure::None(why)) => return Ok(Proved::No(why)),
        Err(Failure::Satisfiable) => match uninterpreted(&graph) {
            Some(name) => {
                let why = format!("it depends on what the operator `{name}` computes");
                return Ok(Proved::No(why));
            }
            None => "the formula of the proof has a satisfying assignment".to_string(),
        },
        Err(Failure::Wrong(error)) => error.to_string(),
    };
    let kept = directory.keep();
    output::warn(&exit::report_bug(&format!(
        "{input} on {}: {verdict} is not certified: {why}; {} is kept",
        model.name,
        kept.display()
    )));
    Ok(Proved::Refuted(Exit::Internal))
}

/// How hard texts are packed: proofs are half as large as with 1, and 9 takes much longer for little.
const PACKED: u32 = 5;

/// Clauses that a formula of a proof has at most.
const MOST_CLAUSES: usize = 60_000_000;

fn past_limit() -> String {
    "a limit of time or memory was passed".to_string()
}

/// An operator that the formula lets have any value.
fn uninterpreted(graph: &Graph) -> Option<&str> {
    graph.terms.iter().find_map(|(_, term)| match term {
        Term::Uninterpreted(name, _) => Some(name.as_str()),
        _ => None,
    })
}

/// Where a bundle is.
enum Directory {
    /// Where the user wants it.
    Named(PathBuf),
    /// Nowhere for long.
    Own(tempfile::TempDir),
}

impl Directory {
    fn path(&self) -> &Path {
        match self {
            Directory::Named(path) => path,
            Directory::Own(made) => made.path(),
        }
    }

    fn keep(self) -> PathBuf {
        match self {
            Directory::Named(path) => path,
            Directory::Own(made) => made.keep(),
        }
    }
}

/// Writes a bundle.
fn write(
    directory: &Path,
    graph: &Graph,
    model: &Model,
    claim: &dyn Fn(&Path) -> Claim,
    (limits, show): (Limits, &dyn Fn(&str)),
) -> Result<(), Failure> {
    let env = limits::env(limits, 0.0);
    let stop = Rc::new(env.interrupt());
    let files = cat::texts::files(&model.name).map_err(Failure::None)?;
    let texts = directory.join(bundle::MODEL);
    for (path, text) in &files {
        let path = texts.join(path);
        let parent = path.parent().unwrap_or(&texts);
        at(parent, std::fs::create_dir_all(parent))?;
        at(&path, std::fs::write(&path, text))?;
    }
    let json = |value: serde_json::Result<String>| value.map_err(io::Error::from);
    let path = directory.join(bundle::CLAIM);
    let claim = json(serde_json::to_string_pretty(&claim(&files[0].0)));
    at(&path, claim.and_then(|text| std::fs::write(&path, text)))?;
    let path = directory.join(bundle::GRAPH);
    let text = json(serde_json::to_string(graph));
    at(&path, text.and_then(|text| std::fs::write(&path, text)))?;

    show("proof: formula");
    let too_large = |clauses: usize| clauses > MOST_CLAUSES || stop();
    let failed = |error: FormulaError| match error {
        FormulaError::TooLarge if stop() => Failure::None(past_limit()),
        FormulaError::TooLarge => {
            Failure::None(format!("its formula has more than {MOST_CLAUSES} clauses"))
        }
        error => Failure::Wrong(error.into()),
    };
    let mut growing = Growing::new(stop.clone());
    let mut solve = |new: &[i32]| match growing.solve(new) {
        (SatResult::Sat, values) => SolverAnswer::Assignment(values),
        (SatResult::Unsat, _) => SolverAnswer::None,
        (SatResult::Interrupted, _) => SolverAnswer::Limit,
    };
    let learnt = learn(graph, model, LARGE, &too_large, &mut solve).map_err(failed)?;
    let path = directory.join(bundle::LEARNT);
    let text = json(serde_json::to_string(&learnt));
    at(&path, text.and_then(|text| std::fs::write(&path, text)))?;
    let made = formula(graph, model, &learnt, &too_large).map_err(failed)?;
    let path = directory.join(bundle::FORMULA);
    at(
        &path,
        compressed(&path, |out| bundle::write_formula(&made, out)),
    )?;
    let plain = directory.join("formula.cnf");
    let file = File::create(&plain).map(BufWriter::new);
    let file = file.and_then(|mut out| {
        bundle::write_formula(&made, &mut out)?;
        out.flush()
    });
    at(&plain, file)?;
    let path = directory.join(bundle::RULES);
    at(
        &path,
        compressed(&path, |out| bundle::write_rules(&made, out)),
    )?;

    show(&format!("proof: {} clauses", made.rules.len()));
    let whole = directory.join("proof.lrat");
    let answer = at(&whole, prove(&plain, &whole, stop))?;
    at(&plain, std::fs::remove_file(&plain))?;
    let path = directory.join(bundle::PROOF);
    let trimmed = match (answer, made.empty_clause()) {
        // A checker may want to be told, so this is a line of the proof.
        (SatResult::Unsat, Some(empty)) => {
            let added = made.rules.len() + 1;
            let line = |out: &mut dyn Write| writeln!(out, "{added} 0 {empty} 0");
            at(&path, compressed(&path, line))
        }
        (SatResult::Unsat, None) => {
            show("proof: lines that are needed");
            let open = || File::open(&whole).map(BufReader::new);
            let clauses = made.rules.len() as u64;
            let wrong = |error| Failure::Wrong(BundleError::Proof(error));
            let (mut first, mut again) = (at(&whole, open())?, at(&whole, open())?);
            let mut failed = None;
            let written = compressed(&path, |out| {
                failed = lrat::trim(clauses, &mut first, &mut again, out).err();
                Ok(())
            });
            at(&path, written).and(failed.map_or(Ok(()), |error| Err(wrong(error))))
        }
        (SatResult::Sat, _) => Err(Failure::Satisfiable),
        (SatResult::Interrupted, _) => Err(Failure::None(past_limit())),
    };
    at(&whole, std::fs::remove_file(&whole))?;
    trimmed
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(|error| Failure::Io(path.to_path_buf(), error))
}

fn compressed(path: &Path, text: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let file = BufWriter::new(File::create(path)?);
    let mut out = BufWriter::with_capacity(1 << 16, GzEncoder::new(file, Compression::new(PACKED)));
    text(&mut out)?;
    let packed = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    packed.finish()?.flush()
}

/// Checks a bundle.
fn check(directory: &Path, (limits, show): (Limits, &dyn Fn(&str))) -> Result<Proof, Failure> {
    let env = limits::env(limits, 0.0);
    show("check of the proof");
    let checked = directory::check(directory, &|_| (env.limit)().is_some());
    checked.map_err(|error| match error {
        BundleError::Formula(FormulaError::TooLarge) => Failure::None(past_limit()),
        error => Failure::Wrong(error),
    })
}

/// `wmbmc check-proof`
pub fn run(typed: &CheckProofArgs) -> Exit {
    let usage = |message: &str| {
        output::warn(&format!("error: {message}\n"));
        Exit::Usage
    };
    let limits = match request::limits(typed.timeout, None) {
        Ok(limits) => limits,
        Err(message) => return usage(&message),
    };
    if !typed.program.is_empty() && typed.directories.len() > 1 {
        return usage("--program takes the directory of one proof");
    }
    let mut worst = Exit::Safe;
    for directory in &typed.directories {
        let shown = directory.display();
        let exit = match check(directory, (limits, &progress::show)) {
            Ok(valid) if typed.program.is_empty() => {
                output::print(&format!("{shown}: {valid}\n"));
                Exit::Safe
            }
            Ok(valid) => compare(directory, &valid, typed, limits),
            Err(Failure::Wrong(error @ BundleError::Unreadable { .. })) => {
                output::warn(&format!("error: {shown}: {error}\n"));
                Exit::Input
            }
            Err(Failure::Wrong(error)) => {
                output::print(&format!("{shown}: INVALID: {error}\n"));
                Exit::Unsafe
            }
            Err(Failure::None(why)) => {
                output::print(&format!("{shown}: UNKNOWN: {why}\n"));
                Exit::Inconclusive
            }
            Err(Failure::Io(..) | Failure::Satisfiable) => Exit::Internal,
        };
        worst = worst.max(exit);
    }
    progress::clear();
    worst
}

/// Compares a valid proof with its program.
fn compare(directory: &Path, valid: &Proof, typed: &CheckProofArgs, limits: Limits) -> Exit {
    let shown = directory.display();
    let output = Output::with(
        &Answers::default(),
        Format::Text,
        Color::Auto,
        Detail::Normal,
        false,
    );
    let bounds: Bounds = match serde_json::from_value(valid.claim.bounds.clone()) {
        Ok(bounds) => bounds,
        Err(error) => {
            output::warn(&format!("error: {}: bounds: {error}\n", bundle::CLAIM));
            return Exit::Input;
        }
    };
    let (mut session, arguments) = match session(&valid.claim, &typed.program, &output) {
        Ok(made) => made,
        Err(exit) => return exit,
    };
    progress::show("comparison with the program");
    let executions = Executions {
        number: typed.executions,
        seed: typed.seed,
    };
    let claim = (&valid.graph, &valid.model, &bounds);
    let conditions = valid.claim.conditions.as_ref();
    let compared = session.compare(claim, conditions, executions, limits);
    let files: Vec<String> = typed
        .program
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    let files = files.join(" ");
    match compared {
        Err(error) => failed(&error, &output, None, None),
        Ok(Comparison::Differs(what)) => {
            output::print(&format!("{shown}: INVALID for {files}: {what}\n"));
            Exit::Unsafe
        }
        Ok(Comparison::Limit) => {
            output::print(&format!("{shown}: UNKNOWN for {files}: {}\n", past_limit()));
            Exit::Inconclusive
        }
        Ok(Comparison::Same(walks)) => {
            let (followed, forbidden) = (walks.followed, walks.forbidden);
            output::print(&format!(
                "{shown}: {valid}\n  the graph is that of {files}, read with: {arguments}\n  \
                 the program does the same on {followed} random executions of it, {whole} of them whole; \
                 {forbidden} more are forbidden\n",
                whole = walks.whole,
            ));
            Exit::Safe
        }
    }
}

/// Reads the program of a proof as it was read when the proof was made, from these files. With the options
/// that say how.
fn session(claim: &Claim, files: &[PathBuf], output: &Output) -> Result<(Session, String), Exit> {
    let refuse = |message: String| {
        output::warn(&format!("error: {}: {message}\n", bundle::CLAIM));
        Exit::Input
    };
    let parsed = CommandLine::try_parse_from(&claim.arguments);
    let mut options = parsed.map_err(|error| {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        refuse(format!("the command line is none: {first}"))
    })?;
    if options.compile_commands.is_some() {
        let why = "a program of --compile-commands is not read again, as its files are not named";
        return Err(refuse(why.to_string()));
    }
    if !options.link && files.len() > 1 {
        return Err(refuse(
            "the proof is about a program of one file".to_string(),
        ));
    }
    let replaced: Vec<String> = options
        .files
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    options.files = files.to_vec();
    let mut request = Request::from_options(&options).map_err(refuse)?;
    svcomp::specify(&mut request, &options, output)?;
    let Some(input) = request.inputs.first() else {
        return Err(refuse("it names no file".to_string()));
    };
    let session = Session::read(input, &request.options);
    let session = session.map_err(|error| failed(&error, output, None, None))?;
    let others = claim
        .arguments
        .iter()
        .skip(1)
        .filter(|a| !replaced.contains(a));
    let arguments: Vec<&str> = others.map(String::as_str).collect();
    Ok((session, arguments.join(" ")))
}
