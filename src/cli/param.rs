//! Checking systems of any number of processes (`.cub`), and their certificates.

use super::exit::Exit;
use super::limits;
use super::options::Format;
use super::output::{self, Output};
use super::request::{ModelName, Request};
use crate::front::cub;
use crate::front::diag::Diag;
use crate::front::source::SourceMap;
use crate::param::answer::{Answer, answer};
use crate::param::certificate;
use crate::param::engine::Options;
use crate::param::machine::{Machine, Order};
use crate::param::pre::Model;
use crate::param::show;
use crate::param::system::{Memory, System, resolve};
use crate::param::vacuous::is_vacuous;
use crate::report::json;
use crate::report::text::Detail;
use std::path::Path;
use std::time::{Duration, Instant};

/// A system on the models asked for; the worst exit.
pub fn run(request: &Request, output: &Output, path: &Path) -> Exit {
    let each = request.models.iter().map(|name| {
        let mut sources = SourceMap::default();
        let read = read(&mut sources, path, name);
        let (system, order) = match read {
            Ok(read) => read,
            Err(diags) => return refused(output, &sources, path, Some(name), &diags),
        };
        for d in &system.warnings {
            output::warn(&d.render(&sources, output.color_errors));
        }
        on_model(request, output, path, name, &system, order)
    });
    each.max().unwrap_or(Exit::Safe)
}

/// Checks a certificate of a system.
pub fn check_certificate(file: &Path, text: &Path, model: &str, output: &Output) -> Exit {
    let mut sources = SourceMap::default();
    let name = match super::request::model(model) {
        Ok(name) => name,
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            return Exit::Usage;
        }
    };
    let system = match read(&mut sources, file, &name) {
        Ok((system, _)) => system,
        Err(diags) => return refused(output, &sources, file, Some(&name), &diags),
    };
    let text = match sources.load(text) {
        Ok(id) => sources.file(id).text.clone(),
        Err(e) => {
            let diag = Diag::bare(format!("{}: {}", e.path.display(), e.reason));
            return refused(output, &sources, file, None, &[diag]);
        }
    };
    let cubes = match certificate::read(&system, &text) {
        Ok(cubes) => cubes,
        Err(message) => {
            let diag = Diag::bare(format!("the certificate cannot be read: {message}"));
            return refused(output, &sources, file, None, &[diag]);
        }
    };
    let model = Model::new(&system, system.procs);
    match certificate::check(&model, &cubes) {
        Ok(()) => {
            output::print(&format!(
                "VALID: {} cubes prove that {} is safe\n",
                cubes.len(),
                file.display()
            ));
            Exit::Safe
        }
        Err(flaw) => {
            let why = match flaw {
                certificate::Flaw::Unsafe(name) => format!("`{name}` is not covered"),
                certificate::Flaw::Initial(i) => {
                    format!("cube {} meets an initial state", i + 1)
                }
                certificate::Flaw::Open(i, t) => {
                    format!("a pre-image of cube {} by `{t}` is not covered", i + 1)
                }
                certificate::Flaw::TooLarge => "it is too large to be checked".into(),
            };
            output::print(&format!("INVALID: {why}\n"));
            Exit::Unsafe
        }
    }
}

/// Reads and types a system for a model.
fn read(
    sources: &mut SourceMap,
    path: &Path,
    model: &ModelName,
) -> Result<(System, Order), Vec<Diag>> {
    let id = sources
        .load(path)
        .map_err(|e| vec![Diag::bare(format!("{}: {}", e.path.display(), e.reason))])?;
    let file = cub::parse(sources, id)?;
    let (memory, order) = match model {
        ModelName::BuiltIn(name) if name == "sc" => (Memory::Flat, Order::Sc),
        ModelName::BuiltIn(name) if name == "tso" => (Memory::Buffered, Order::Tso),
        other => {
            return Err(vec![
                Diag::bare(format!(
                    "systems of any number of processes cannot be checked on `{}`",
                    other.text()
                ))
                .note("they can on sc and tso"),
            ]);
        }
    };
    match resolve(&file, memory) {
        Ok(system) => Ok((system, order)),
        Err(mut diags) => {
            // What has no place at least names the file.
            for d in diags.iter_mut().filter(|d| d.labels.is_empty()) {
                d.message = format!("{}: {}", path.display(), d.message);
            }
            Err(diags)
        }
    }
}

fn refused(
    output: &Output,
    sources: &SourceMap,
    path: &Path,
    model: Option<&ModelName>,
    diags: &[Diag],
) -> Exit {
    for d in diags {
        output::warn(&d.render(sources, output.color_errors));
    }
    if output.format == Format::Json {
        let input = path.display().to_string();
        let model = model.map(ModelName::text);
        output::print(&json::refused(
            sources,
            Some(&input),
            model.as_deref(),
            diags,
            Exit::Input.code(),
        ));
    }
    Exit::Input
}

fn on_model(
    request: &Request,
    output: &Output,
    path: &Path,
    name: &ModelName,
    system: &System,
    order: Order,
) -> Exit {
    let start = Instant::now();
    let options = Options {
        max_nodes: request.max_nodes,
        max_procs: request.max_procs,
        until: request
            .timeout
            .map(|s| start + Duration::from_secs_f64(s.min(1e9))),
        full: request.memory_mb.map(limits::watch_memory),
        jobs: request.jobs,
        order: request.search,
        ..Options::default()
    };
    let answer = answer(system, order, &options, request.brab);
    let seconds = start.elapsed().as_secs_f64();
    let (exit, search) = match &answer {
        Answer::Safe(s) => (Exit::Safe, s),
        Answer::Unsafe { search, .. } => (Exit::Unsafe, search),
        Answer::Unknown(s, _) => (Exit::Inconclusive, s),
    };
    let several = request.models.len();
    if let (Some(file), Answer::Safe(s)) = (&request.certificate, &answer) {
        let text = certificate::write(system, s.certificate());
        let file = output::path_for(file, &name.text(), several);
        if let Err(exit) = output::write(&file, &text) {
            return exit;
        }
    }
    if let Some(file) = &request.dot {
        let file = output::path_for(file, &name.text(), several);
        if let Err(exit) = output::write(&file, &show::dot(search)) {
            return exit;
        }
    }
    let text = match output.format {
        Format::Json => object(path, name, system, order, &answer, exit, seconds),
        Format::Text => text(request, output, path, name, system, order, &answer, seconds),
    };
    output::print(&text);
    exit
}

/// What was decided, in a word and a sentence.
fn verdict(system: &System, answer: &Answer) -> (&'static str, String) {
    match answer {
        Answer::Safe(search) => {
            let number = match system.procs {
                Some(n) => format!("{n} processes"),
                None => "any number of processes".into(),
            };
            let number = if is_vacuous(&search.model) == Ok(true) {
                format!("{number}, and for nothing: no state is initial")
            } else {
                number
            };
            let assumed = match system.invariants.len() {
                0 => String::new(),
                1 => ", given the file's invariant".into(),
                n => format!(", given the file's {n} invariants"),
            };
            ("SAFE", format!("for {number}{assumed}"))
        }
        Answer::Unsafe { procs, run, .. } => (
            "UNSAFE",
            format!(
                "`{}` holds after {} transitions of {procs} processes",
                system.unsafes[run.violated].name,
                run.len()
            ),
        ),
        Answer::Unknown(_, why) => ("UNKNOWN", why.clone()),
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "everything that is said of an answer"
)]
fn text(
    request: &Request,
    output: &Output,
    path: &Path,
    name: &ModelName,
    system: &System,
    order: Order,
    answer: &Answer,
    seconds: f64,
) -> String {
    let (word, sentence) = verdict(system, answer);
    let heading = if request.files.len() * request.models.len() > 1 {
        format!("{} ({}): ", path.display(), name.text())
    } else {
        String::new()
    };
    if output.style.detail == Detail::Quiet {
        return format!("{heading}{word}\n");
    }
    let mut out = match answer {
        Answer::Safe(_) => format!("{heading}{word} {sentence}\n"),
        _ => format!("{heading}{word}: {sentence}\n"),
    };
    let search = match answer {
        Answer::Unsafe { search, procs, run } => {
            let machine = Machine::new(system, *procs, order, &[]);
            out += &show::run(system, &machine, run);
            search
        }
        Answer::Safe(s) | Answer::Unknown(s, _) => s,
    };
    if output.style.stats {
        out += &format!(
            "  {} nodes visited, {} of them remain, {} made; {seconds:.3} s\n",
            search.visited,
            search.active.len(),
            search.nodes.len()
        );
    }
    out
}

fn object(
    path: &Path,
    name: &ModelName,
    system: &System,
    order: Order,
    answer: &Answer,
    exit: Exit,
    seconds: f64,
) -> String {
    let (word, sentence) = verdict(system, answer);
    let search = match answer {
        Answer::Unsafe { search, .. } | Answer::Safe(search) | Answer::Unknown(search, _) => search,
    };
    let mut object = serde_json::json!({
        "tool": "wmbmc",
        "version": env!("CARGO_PKG_VERSION"),
        "input": path.display().to_string(),
        "model": name.text(),
        "verdict": word,
        "exit_code": exit.code(),
        "reason": sentence,
        "stats": {
            "visited": search.visited,
            "remaining": search.active.len(),
            "nodes": search.nodes.len(),
            "seconds": seconds,
        },
    });
    if let Answer::Unsafe { procs, run, .. } = answer {
        let machine = Machine::new(system, *procs, order, &[]);
        object["processes"] = (*procs).into();
        object["transitions"] = run.len().into();
        object["run"] = show::run(system, &machine, run)
            .lines()
            .map(str::trim)
            .collect();
    }
    object.to_string() + "\n"
}
