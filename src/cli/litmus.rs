//! Answering litmus tests: read and unwound once, asked on every model.

use super::exit::{self, Exit};
use super::options::{Dump, Emit, Engine, Format};
use super::output::{self, Output};
use super::request::{ModelName, Request};
use super::{check, engine, limits};
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::check::bmc::{CheckError, Env};
use crate::check::litmus::{self, Depth, Finding, Task};
use crate::check::loops;
use crate::encode::order::Backend;
use crate::enumerate::{self, EnumerateError};
use crate::front;
use crate::ir::bounds::Bounds;
use crate::ir::litmus::{Quantifier, Test};
use crate::ir::program::PropertyKind;
use crate::lower;
use crate::mm::model::Model;
use crate::report;
use crate::report::json::litmus::{About, finding};
use crate::report::text::{self, Detail};
use crate::report::{dot, herd, stats};
use crate::unroll::event::EventGraph;
use crate::unroll::{self, UnrollError, show, unroll};
use std::path::Path;

/// Executions the enumeration judges before it gives up.
pub const MAX_EXECUTIONS: u64 = 10_000_000;

/// A test, ready to be asked.
pub struct Prepared {
    /// Its text.
    pub sources: SourceMap,
    /// The test.
    pub test: Test,
    /// Its program, unwound.
    pub graph: EventGraph,
}

/// How a test is to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// All final states, or the condition only.
    pub depth: Depth,
    /// How orders are encoded.
    pub order: Backend,
    /// How far loops may be unwound, when that is done step by step.
    pub incremental: Option<u32>,
}

/// Reads and unwinds a test.
///
/// # Errors
/// Everything that is wrong with its text.
pub fn prepare(sources: SourceMap, path: &Path, bounds: &Bounds) -> Result<Prepared, Refused> {
    let mut sources = sources;
    let lowered = front::litmus::parse(&mut sources, path)
        .and_then(|syntax| lower::litmus::lower(&sources, &syntax));
    let test = match lowered {
        Ok(test) => test,
        Err(diags) => return Err(Refused { sources, diags }),
    };
    match unwound(&test, bounds, &|| false) {
        Ok(graph) => Ok(Prepared {
            sources,
            test,
            graph,
        }),
        Err(error) => {
            let diag = match error {
                UnrollError::TooLarge { limit, span } => {
                    Diag::error(span, format!("the test has more than {limit} events"))
                }
                UnrollError::NoMain | UnrollError::Interrupted => {
                    Diag::bare("the test has no threads")
                }
            };
            Err(Refused {
                sources,
                diags: vec![diag],
            })
        }
    }
}

/// The event graph of a test.
fn unwound(
    test: &Test,
    bounds: &Bounds,
    interrupt: &dyn Fn() -> bool,
) -> Result<EventGraph, UnrollError> {
    let options = unroll::UnrollOptions {
        bounds: bounds.clone(),
        address_dependencies: true,
        coherent: false,
        awaits: unroll::Awaits::default(),
    };
    unroll(&test.program, &options, interrupt)
}

/// What is wrong with a test, and the text that is.
pub struct Refused {
    /// Its text.
    pub sources: SourceMap,
    /// What is wrong.
    pub diags: Vec<Diag>,
}

impl Prepared {
    /// Asks one engine about one model; `Both` asks the solver, which sets the bounds it went to.
    ///
    /// # Errors
    /// See [`litmus::answer`].
    pub fn ask(
        &self,
        model: &Model,
        engine: Engine,
        manner: &Manner,
        bounds: &mut Bounds,
        env: &Env,
    ) -> Result<Finding, CheckError> {
        if engine == Engine::Enumerate {
            return self.enumerate(model, bounds, env);
        }
        let mut found = self.solve(&self.graph, model, manner, env)?;
        let Some(most) = manner.incremental else {
            return Ok(found);
        };
        while let Some(next) = bounds.after(found.cuts.iter().map(|c| c.name.as_str()), most) {
            let stop = || (env.limit)().is_some();
            let Ok(graph) = unwound(&self.test, &next, &stop) else {
                break;
            };
            let further = self.solve(&graph, model, manner, env)?;
            if stop() {
                break;
            }
            (found, *bounds) = (further, next);
        }
        Ok(found)
    }

    fn solve(
        &self,
        graph: &EventGraph,
        model: &Model,
        manner: &Manner,
        env: &Env,
    ) -> Result<Finding, CheckError> {
        let task = Task {
            program: &self.test.program,
            graph,
            model,
            order: manner.order,
        };
        litmus::answer(
            &task,
            &self.test.final_condition,
            manner.depth,
            env,
            &self.sources,
        )
    }

    fn enumerate(&self, model: &Model, bounds: &Bounds, env: &Env) -> Result<Finding, CheckError> {
        let options = enumerate::EnumerateOptions {
            bounds: bounds.clone(),
            checks: vec![PropertyKind::Assertion, PropertyKind::Memory],
            max_executions: MAX_EXECUTIONS,
        };
        let program = &self.test.program;
        let stop = || (env.limit)().is_some();
        match enumerate::enumerate(program, model, &options, &stop) {
            Ok(all) => {
                let final_condition = &self.test.final_condition;
                Ok(litmus::from_enumeration(
                    program,
                    final_condition,
                    model,
                    &all,
                ))
            }
            Err(EnumerateError::Interrupted) => Ok(litmus::undecided(model, env)),
            Err(EnumerateError::UnknownFence { reason, span }) => {
                Err(CheckError::Refused(Diag::error(span, reason)))
            }
            Err(EnumerateError::NoMain) => Err(CheckError::Internal(
                "a litmus test has no main".to_string(),
            )),
        }
    }

    /// The test as printers take it.
    pub fn subject(&self) -> herd::Subject<'_> {
        herd::Subject {
            test: &self.test,
            statics: &self.graph.statics,
            sources: &self.sources,
        }
    }
}

/// What an answer returns: a claim that is refuted counts as a violation; `exists` is a question,
/// and either answer is fine.
pub fn exit_of(test: &Test, finding: &Finding, accept_bound: bool) -> Exit {
    let claims = test.final_condition.quantifier != Quantifier::Exists;
    if claims && !herd::is_as_claimed(test, finding) {
        return Exit::Unsafe;
    }
    let cut = !finding.cuts.is_empty() && !accept_bound;
    if finding.unknown.is_some() || cut {
        return Exit::Inconclusive;
    }
    Exit::Safe
}

/// The engines that answer, with the names they are shown under.
pub fn engines(engine: Engine) -> &'static [(Engine, &'static str)] {
    match engine {
        Engine::Sat => &[(Engine::Sat, "sat")],
        Engine::Enumerate => &[(Engine::Enumerate, "enumerate")],
        Engine::Both => &[(Engine::Sat, "sat"), (Engine::Enumerate, "enumerate")],
    }
}

/// Whether two engines say different things; what is not complete may turn out to be anything.
pub fn differ(a: &Finding, b: &Finding) -> bool {
    let states = match (&a.states, &b.states) {
        (Some(a), Some(b)) => !a.keys().eq(b.keys()),
        _ => false,
    };
    let complete = a.is_complete() && b.is_complete();
    complete && (states || (a.holds, a.fails) != (b.holds, b.fails))
}

/// Says what is wrong.
fn refused(
    output: &Output,
    sources: &SourceMap,
    input: &str,
    model: Option<&str>,
    diags: &[Diag],
) -> Exit {
    refused_as(Exit::Input, output, sources, input, model, diags)
}

fn refused_as(
    exit: Exit,
    output: &Output,
    sources: &SourceMap,
    input: &str,
    model: Option<&str>,
    diags: &[Diag],
) -> Exit {
    for diag in diags {
        output::warn(&diag.render(sources, output.color_errors));
    }
    if output.format == Format::Json {
        let object = report::json::refused(sources, Some(input), model, diags, exit.code());
        output::print(&object);
    }
    exit
}

/// Answers a single test on every model asked for.
pub fn run(request: &Request, output: &Output, path: &Path) -> Exit {
    let input = path.display().to_string();
    let refused = |sources: &SourceMap, model: Option<&str>, diags: &[Diag]| {
        refused(output, sources, &input, model, diags)
    };
    let unused = [
        ("--dump after:ast", request.dump == Some(Dump::Ast)),
        ("--dump after:encode", request.dump == Some(Dump::Encode)),
    ];
    if let Some((option, _)) = unused.iter().find(|(_, typed)| *typed) {
        let text = format!("{input}: {option} is not supported for litmus tests");
        return refused(&SourceMap::default(), None, &[Diag::bare(text)]);
    }
    let prepared = match prepare(SourceMap::default(), path, &request.bounds) {
        Ok(prepared) => prepared,
        Err(wrong) => return refused(&wrong.sources, None, &wrong.diags),
    };
    if let Err(unknown) = loops::known(&prepared.test.program, &request.bounds) {
        let sources = &prepared.sources;
        let diag = check::no_loop(&unknown);
        return refused_as(Exit::Usage, output, sources, &input, None, &[diag]);
    }
    if request.emit == Some(Emit::C) {
        return match report::c::program(&prepared.test) {
            Ok(text) => {
                output::print(&text);
                Exit::Safe
            }
            Err(diag) => refused(&prepared.sources, None, &[diag]),
        };
    }
    match request.dump {
        Some(Dump::Ir) => {
            output::print(&prepared.test.program.to_string());
            return Exit::Safe;
        }
        Some(Dump::Unroll) => {
            output::print(&show::show(&prepared.graph, &prepared.sources));
            return Exit::Safe;
        }
        _ => {}
    }
    let mut worst = Exit::Safe;
    for name in &request.models {
        let mut sources = SourceMap::default();
        let exit = match engine::model(&mut sources, name) {
            Ok(model) => on_model(request, output, &prepared, &input, name, &model),
            Err(diags) => refused(&sources, Some(&name.text()), &diags),
        };
        worst = worst.max(exit);
    }
    worst
}

fn on_model(
    request: &Request,
    output: &Output,
    prepared: &Prepared,
    input: &str,
    name: &ModelName,
    model: &Model,
) -> Exit {
    let manner = Manner {
        depth: if request.states {
            Depth::States
        } else {
            Depth::Condition
        },
        order: request.order,
        incremental: request.incremental,
    };
    let mut bounds = request.bounds.clone();
    let mut findings: Vec<Finding> = Vec::new();
    for (engine, shown) in engines(request.engine) {
        let env = limits::env(request.timeout, request.memory_mb, 0.0);
        let mut found = match prepared.ask(model, *engine, &manner, &mut bounds, &env) {
            Ok(found) => found,
            Err(CheckError::Refused(diag)) => {
                let (sources, model) = (&prepared.sources, name.text());
                return refused(output, sources, input, Some(&model), &[diag]);
            }
            Err(CheckError::Internal(message)) => {
                output::warn(&exit::report_bug(&message));
                return Exit::Internal;
            }
        };
        found.stats.peak_mb = limits::peak_mb();
        let exit = exit_of(&prepared.test, &found, request.accept_bound);
        let about = About {
            input,
            subject: prepared.subject(),
            engine: shown,
            expected: None,
            agrees: None,
        };
        output::print(&match output.format {
            Format::Json => finding(&about, &found, exit.code()),
            Format::Text => told(prepared, request, output, name, &found),
        });
        findings.push(found);
    }
    if let [a, b] = &findings[..]
        && differ(a, b)
    {
        let message = format!("the engines disagree about {input} on {}", model.name);
        output::warn(&exit::report_bug(&message));
        return Exit::Internal;
    }
    let first = &findings[0];
    if let (Some(path), Some(witness)) = (&request.dot, &first.witness) {
        let title = format!("{} on {}", prepared.test.name, model.name);
        let graph = dot::graph(&prepared.sources, &title, witness);
        let path = request.output_file(path, Path::new(input), name);
        if let Err(exit) = output::write(&path, &graph) {
            return exit;
        }
    }
    exit_of(&prepared.test, first, request.accept_bound)
}

/// herd7's block, and with `-v` the execution it is about; with `-q` its last line alone.
fn told(
    prepared: &Prepared,
    request: &Request,
    output: &Output,
    name: &ModelName,
    found: &Finding,
) -> String {
    let mut out = String::new();
    if request.models.len() > 1 {
        out += &format!("Model {}\n", name.text());
    }
    if output.style.detail == Detail::Quiet {
        return out + &herd::summary(&prepared.subject(), found);
    }
    out += &herd::block(&prepared.subject(), found);
    if output.style.detail == Detail::Verbose
        && let Some(witness) = &found.witness
    {
        out += &format!(
            "\n{}",
            text::execution(&prepared.sources, witness, Detail::Verbose)
        );
    }
    if output.style.stats {
        out += &format!("\n{}", stats::table(&found.stats));
    }
    out + "\n"
}
