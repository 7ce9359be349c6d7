//! Checking systems of any number of processes (`.cub`), and their certificates.

use super::exit::Exit;
use super::limits;
use super::options::{Format, Strategy};
use super::output::{self, Output};
use super::request::{ModelName, Request};
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::front::cub;
use crate::param::answer::{Answer, Brab, answer, answer_on_events};
use crate::param::certificate;
use crate::param::concrete::{Machine, Run};
use crate::param::cube::AnyCube;
use crate::param::init::is_init_unsatisfiable;
use crate::param::search::{Search, SearchOptions};
use crate::param::show;
use crate::param::system::StoreOrder;
use crate::param::system::{Memory, System, resolve};
use crate::param::theory::SystemContext;
use crate::report::json;
use crate::report::text::Detail;
use std::path::Path;
use std::time::{Duration, Instant};

/// A system on the models asked for; the worst exit.
pub fn run(request: &Request, output: &Output, path: &Path) -> Exit {
    let each = request.models.iter().map(|name| {
        let mut sources = SourceMap::default();
        let read = strategy(request, name).and_then(|how| {
            let (system, order) = read(&mut sources, path, name, how)?;
            Ok((system, order, how))
        });
        let (system, order, how) = match read {
            Ok(read) => read,
            Err(diags) => return refused(output, &sources, path, Some(name), &diags),
        };
        let vacuous = is_init_unsatisfiable(&SystemContext::new(&system, system.procs)) == Ok(true);
        let contradiction = vacuous.then(|| {
            let message = "no state is initial: `init` contradicts itself";
            Diag::warning(system.init.span, message)
        });
        for d in system.warnings.iter().chain(&contradiction) {
            output::warn(&d.render(&sources, output.color_errors));
        }
        let question = Question {
            request,
            output,
            path,
            name,
            system: &system,
            order,
            vacuous,
        };
        match how {
            Strategy::Tso => on_model(&question),
            Strategy::Generic => on_events(&question),
        }
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
    let system = match read(&mut sources, file, &name, Strategy::Tso) {
        Ok((_, StoreOrder::Pso)) => {
            let diag = Diag::bare("there are no certificates on `pso`");
            return refused(output, &sources, file, Some(&name), &[diag]);
        }
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
    let (system, cubes) = match certificate::read(&system, &text) {
        Ok(read) => read,
        Err(message) => {
            let diag = Diag::bare(format!("the certificate cannot be read: {message}"));
            return refused(output, &sources, file, None, &[diag]);
        }
    };
    let limit = system.procs;
    let model = SystemContext::new(system, limit);
    match certificate::check(&model, &cubes) {
        Ok(()) => {
            let prove = match cubes.len() {
                1 => "1 cube proves".into(),
                n => format!("{n} cubes prove"),
            };
            output::print(&format!("VALID: {prove} that {} is safe\n", file.display()));
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

/// A system on a model, to be answered.
struct Question<'a> {
    request: &'a Request,
    output: &'a Output,
    path: &'a Path,
    name: &'a ModelName,
    system: &'a System,
    order: StoreOrder,
    /// No state is initial.
    vacuous: bool,
}

/// The strategy for a model; what it cannot do is refused.
fn strategy(request: &Request, model: &ModelName) -> Result<Strategy, Vec<Diag>> {
    let pso = matches!(model, ModelName::BuiltIn(name) if name == "pso");
    let refuse = |text: &str| Err(vec![Diag::bare(text.to_string())]);
    match request.strategy {
        Some(Strategy::Tso) if pso => {
            refuse("--strategy tso does not know `pso`; --strategy generic does")
        }
        None | Some(Strategy::Tso) if !pso => Ok(Strategy::Tso),
        _ if request.certificate.is_some() => {
            refuse("--certificate: the generic strategy writes none")
        }
        _ if matches!(request.brab, Brab::Always(_)) => {
            refuse("--brab: the generic strategy does not guess")
        }
        _ => Ok(Strategy::Generic),
    }
}

/// Reads and types a system for a model.
fn read(
    sources: &mut SourceMap,
    path: &Path,
    model: &ModelName,
    strategy: Strategy,
) -> Result<(System, StoreOrder), Vec<Diag>> {
    let id = sources
        .load(path)
        .map_err(|e| vec![Diag::bare(format!("{}: {}", e.path.display(), e.reason))])?;
    let file = cub::parse(sources, id)?;
    let (memory, order) = match model {
        ModelName::BuiltIn(name) if name == "sc" => match strategy {
            Strategy::Tso => (Memory::Flat, StoreOrder::Sc),
            Strategy::Generic => (Memory::Buffered, StoreOrder::Sc),
        },
        ModelName::BuiltIn(name) if name == "tso" => (Memory::Buffered, StoreOrder::Tso),
        ModelName::BuiltIn(name) if name == "pso" => (Memory::Buffered, StoreOrder::Pso),
        other => {
            return Err(vec![
                Diag::bare(format!(
                    "systems of any number of processes cannot be checked on `{}`",
                    other.text()
                ))
                .note("they can on sc, tso and pso"),
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

/// The limits of a search that begins now.
fn options(request: &Request, start: Instant) -> SearchOptions {
    SearchOptions {
        max_nodes: request.max_nodes,
        max_procs: request.max_procs,
        until: request
            .timeout
            .map(|s| start + Duration::from_secs_f64(s.min(1e9))),
        full: request.memory_mb.map(limits::watch_memory),
        jobs: request.jobs,
        order: request.search,
        ..SearchOptions::default()
    }
}

/// The strategy made for TSO and flat memory.
fn on_model(q: &Question) -> Exit {
    let request = q.request;
    let start = Instant::now();
    let answer = answer(q.system, q.order, &options(request, start), request.brab);
    let seconds = start.elapsed().as_secs_f64();
    if let (Some(file), Answer::Safe(s)) = (&request.certificate, &answer) {
        let text = certificate::write(&s.context.system, s.certificate());
        let file = request.output_file(file, q.path, q.name);
        if let Err(exit) = output::write(&file, &text) {
            return exit;
        }
    }
    conclude(q, &answer, seconds)
}

/// The generic strategy.
fn on_events(q: &Question) -> Exit {
    let start = Instant::now();
    let answer = answer_on_events(q.system, q.order, &options(q.request, start));
    conclude(q, &answer, start.elapsed().as_secs_f64())
}

/// Prints an answer, and the exploration if that is asked for.
fn conclude<C: AnyCube>(q: &Question, answer: &Answer<C>, seconds: f64) -> Exit {
    let search = answer.search();
    if let Err(exit) = draw(q, search) {
        return exit;
    }
    let exit = match answer {
        Answer::Safe(_) => Exit::Safe,
        Answer::Unsafe { .. } => Exit::Unsafe,
        Answer::Unknown(..) => Exit::Inconclusive,
    };
    let (word, sentence) = verdict(q, answer);
    let run = match answer {
        Answer::Unsafe { procs, run, .. } => Some((*procs, run)),
        _ => None,
    };
    let lost = answer.spurious_trace();
    let told = Told {
        exit,
        word,
        sentence,
        run,
        lost: lost.map_or_else(Vec::new, |trace| show::trace(q.system, &trace)),
        visited: search.visited,
        remaining: search.active.len(),
        nodes: search.nodes.len(),
        seconds,
    };
    tell(q, &told)
}

/// Writes the exploration as a graph where that is asked for.
fn draw(q: &Question, search: &Search<impl AnyCube>) -> Result<(), Exit> {
    let Some(file) = &q.request.dot else {
        return Ok(());
    };
    let file = q.request.output_file(file, q.path, q.name);
    output::write(&file, &show::dot(search))
}

/// What is told of an answer.
struct Told<'a> {
    exit: Exit,
    word: &'static str,
    sentence: String,
    /// A run and its number of processes.
    run: Option<(u8, &'a Run)>,
    /// The transitions of a trace that no run follows.
    lost: Vec<String>,
    visited: usize,
    remaining: usize,
    nodes: usize,
    seconds: f64,
}

/// Prints an answer.
fn tell(q: &Question, told: &Told) -> Exit {
    let text = match q.output.format {
        Format::Json => object(q, told),
        Format::Text => text(q, told),
    };
    output::print(&text);
    told.exit
}

/// So many of something.
fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// For whom a system is safe.
fn proved(q: &Question) -> String {
    if q.vacuous {
        return "(vacuous: no initial state)".into();
    }
    let system = q.system;
    let number = match system.procs {
        Some(n) => counted(n.into(), "process", "processes"),
        None => "any number of processes".into(),
    };
    let assumed = match system.invariants.len() {
        0 => String::new(),
        1 => ", given the file's invariant".into(),
        n => format!(", given the file's {n} invariants"),
    };
    format!("for {number}{assumed}")
}

/// What a run shows.
fn violated(system: &System, procs: u8, run: &Run) -> String {
    format!(
        "`{}` holds after {} of {}",
        system.unsafes[run.violated].name,
        counted(run.len(), "transition", "transitions"),
        counted(procs.into(), "process", "processes"),
    )
}

/// What was decided, in a word and a sentence.
fn verdict<C: AnyCube>(q: &Question, answer: &Answer<C>) -> (&'static str, String) {
    match answer {
        Answer::Safe(_) => ("SAFE", proved(q)),
        Answer::Unsafe { procs, run, .. } => ("UNSAFE", violated(q.system, *procs, run)),
        Answer::Unknown(_, why) => ("UNKNOWN", why.clone()),
    }
}

fn text(q: &Question, told: &Told) -> String {
    let heading = if q.request.files.len() * q.request.models.len() > 1 {
        format!("{} ({}): ", q.path.display(), q.name.text())
    } else {
        String::new()
    };
    let word = told.word;
    if q.output.style.detail == Detail::Quiet {
        return format!("{heading}{word}\n");
    }
    let colon = if told.exit == Exit::Safe { "" } else { ":" };
    let mut out = format!("{heading}{word}{colon} {}\n", told.sentence);
    if let Some((procs, run)) = told.run {
        let machine = Machine::new(q.system, procs, q.order, &[]);
        out += &show::run(q.system, &machine, run);
    }
    for (i, call) in told.lost.iter().enumerate() {
        out += &format!("  {:>3}. {call}\n", i + 1);
    }
    if q.output.style.stats {
        out += &format!(
            "  {} visited, {} of them remain{}, {} made; {:.3} s\n",
            counted(told.visited, "node", "nodes"),
            told.remaining,
            if told.remaining == 1 { "s" } else { "" },
            told.nodes,
            told.seconds
        );
    }
    out
}

fn object(q: &Question, told: &Told) -> String {
    let mut object = serde_json::json!({
        "tool": "wmbmc",
        "version": env!("CARGO_PKG_VERSION"),
        "input": q.path.display().to_string(),
        "model": q.name.text(),
        "verdict": told.word,
        "exit_code": told.exit.code(),
        "reason": told.sentence,
        "vacuous": q.vacuous,
        "stats": {
            "visited": told.visited,
            "remaining": told.remaining,
            "nodes": told.nodes,
            "seconds": told.seconds,
        },
    });
    if !told.lost.is_empty() {
        object["blocked_trace"] = told.lost.clone().into();
    }
    if let Some((procs, run)) = told.run {
        let machine = Machine::new(q.system, procs, q.order, &[]);
        json::system::add_run(&mut object, q.system, &machine, run);
    }
    object.to_string() + "\n"
}
