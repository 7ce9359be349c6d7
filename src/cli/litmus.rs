//! Answering single litmus tests.

use super::exit::{self, Exit};
use super::failure::{self, failed};
use super::output::{self, Output};
use super::proof::{self, Proved};
use super::request::Request;
use super::values::Emit;
use super::watch;
use crate::check::litmus::{self, Finding};
use crate::check::outcome::UnknownReason;
use crate::driver::outcome::LitmusOutcome;
use crate::driver::passes::Pass;
use crate::driver::{Engine, Error, Input, InputKind, ModelName, Outcome, Session, watchdog};
use crate::report;
use crate::report::answer::litmus::{AboutLitmus, LitmusAnswer};
use crate::report::answer::refused::RefusedAnswer;
use crate::report::codes;
use crate::report::text::{self, Detail};
use crate::report::{dot, herd, html, stats, words};
use base::diag::Diag;
use base::idx::IdVec;
use base::source::SourceMap;
use ir::litmus::{LitmusTest, Quantifier};
use ir::program::GlobalId;
use std::path::Path;

/// What an answer returns: a claim that is refuted counts as a violation; `exists` asks,
/// and either answer is fine.
pub fn exit_of(test: &LitmusTest, finding: &Finding, accept_bound: bool) -> Exit {
    let claims = test.final_condition.quantifier != Quantifier::Exists;
    let executions = finding.robust.map(|robust| robust.executions);
    if claims && !herd::is_as_claimed(test, finding) || executions == Some(Some(false)) {
        return Exit::Unsafe;
    }
    let at_bound = !finding.loops_at_bound.is_empty() && !accept_bound;
    if finding.unknown.is_some() || at_bound || executions == Some(None) {
        return Exit::Inconclusive;
    }
    Exit::Safe
}

/// The name that an engine is shown under.
pub fn shown(engine: Engine) -> &'static str {
    match engine {
        Engine::Explore => "explore",
        Engine::Enumerate => "enumerate",
        Engine::Auto | Engine::Sat | Engine::Both => "sat",
    }
}

/// The answers that are still to be given about a test.
#[derive(Clone)]
struct Open {
    input: String,
    models: Vec<ModelName>,
    /// The test, the addresses of its objects, and its text, once it has been read.
    test: Option<(LitmusTest, IdVec<GlobalId, u64>, SourceMap)>,
}

/// Watches over the work on these answers, whose limits begin now.
fn start(request: &Request, output: &Output, open: &Open) {
    let (limits, output) = (request.limits, output.clone());
    let (request, open) = (request.clone(), open.clone());
    let words = move |reason: &UnknownReason| {
        output::exit(undecided(&request, &output, &open, reason)).code()
    };
    watchdog::start(limits, 0.0, Box::new(words));
}

/// Says that a limit leaves these answers open, or the user.
fn undecided(request: &Request, output: &Output, open: &Open, reason: &UnknownReason) -> Exit {
    let (input, none) = (&open.input, SourceMap::default());
    let Some((test, statics, sources)) = &open.test else {
        let message = format!("{}, in the stage `unroll`", words::unknown(reason));
        output::warn(&format!("{input}: {message}\n"));
        let diag = Diag::bare(message).with_code(codes::of_unknown(reason));
        let exit = Exit::Inconclusive;
        output.give(RefusedAnswer::new(
            &none,
            Some(input),
            None,
            &[diag],
            exit.code(),
        ));
        watch::refuse_rest(request, output, input, reason);
        output.finish(exit.code());
        return exit;
    };
    let subject = herd::Subject {
        test,
        statics,
        sources,
    };
    let mut exit = Exit::Inconclusive;
    for name in &open.models {
        let Ok(model) = name.load(&mut none.clone()) else {
            continue;
        };
        let found = litmus::unknown(&model, reason.clone());
        exit = exit.max(exit_of(test, &found, request.accept_bound));
        let outcome = LitmusOutcome {
            answers: vec![(found, request.options.litmus.bounded.engine)],
            bounds: request.options.litmus.bounded.bounds.clone(),
        };
        print(request, output, &subject, input, name, &outcome);
    }
    watch::refuse_rest(request, output, input, reason);
    output.finish(exit.code());
    exit
}

/// Answers a single test on every model asked for.
pub fn run(request: &Request, output: &Output, path: &Path) -> Exit {
    let mut open = Open {
        input: path.display().to_string(),
        models: request.models.clone(),
        test: None,
    };
    start(request, output, &open);
    let exit = watched(request, output, path, &mut open);
    watchdog::stop();
    exit
}

/// The same, watched over.
fn watched(request: &Request, output: &Output, path: &Path, open: &mut Open) -> Exit {
    let input = path.display().to_string();
    let unsupported = |pass: &&Pass| !pass.description().printed.contains(&InputKind::Litmus);
    if let Some(pass) = request.dump.as_ref().filter(unsupported) {
        let option = format!("--dump after:{}", pass.name());
        let text = format!("{input}: {option} is not supported for litmus tests");
        let diag = Diag::unsupported_input(text);
        return failure::refused(output, &input, None, diag);
    }
    let whole = |error: &Error| failed(error, output, Some(&input), None);
    let mut session = match Session::read(&Input::file(path), &request.options) {
        Ok(session) => session,
        Err(error) => return whole(&error),
    };
    if let Err(error) = session.known_loops() {
        return whole(&error);
    }
    if request.emit == Some(Emit::Cub) {
        let text = format!("{input}: --emit cub is about x86 programs; litmus tests have --emit c");
        return failure::refused(output, &input, None, Diag::bare(text));
    }
    if request.emit == Some(Emit::C) {
        return emit(&session, output, &input);
    }
    if let Some(pass @ (Pass::Lower | Pass::Unroll)) = request.dump {
        output::print(&session.dump(pass).unwrap_or_default());
        return Exit::Safe;
    }
    open.test = session.litmus().map(|l| {
        let (test, statics) = (l.test.clone(), l.graph.statics.clone());
        (test, statics, session.sources().clone())
    });
    let each = request.models.iter().enumerate().map(|(i, name)| {
        open.models = request.models[i..].to_vec();
        start(request, output, open);
        let exit = on_model(request, output, &mut session, &input, name);
        exit.unwrap_or_else(|error| failed(&error, output, Some(&input), Some(&name.text())))
    });
    each.max().unwrap_or(Exit::Safe)
}

/// Prints the test as a C program.
fn emit(session: &Session, output: &Output, input: &str) -> Exit {
    let Some(test) = session.litmus() else {
        return Exit::Internal;
    };
    match report::c::program(&test.test) {
        Ok(text) => {
            output::print(&text);
            Exit::Safe
        }
        Err(diag) => {
            let error = Error::refused(session.sources(), vec![diag]);
            failed(&error, output, Some(input), None)
        }
    }
}

fn on_model(
    request: &Request,
    output: &Output,
    session: &mut Session,
    input: &str,
    name: &ModelName,
) -> Result<Exit, Error> {
    let model = session.load_model(name)?;
    if request.dump == Some(Pass::Analyse) {
        return Ok(
            match session.dump_on(Pass::Analyse, &model, request.limits)? {
                Some(text) => {
                    output::print(&text);
                    Exit::Safe
                }
                None => failure::incomplete(Pass::Analyse, input, &model.name),
            },
        );
    }
    let outcome = session.check(&model, request.limits)?;
    watchdog::stop();
    let wanted = request.proof(Path::new(input), name);
    let proved = match (&wanted, &outcome) {
        (Some(wanted), Outcome::Litmus(of)) => {
            let (first, _) = &of.answers[0];
            let verdict = if first.holds { "Always" } else { "Never" };
            proof::certify(session, &model, &outcome, verdict, wanted)?
        }
        _ => Proved::Yes,
    };
    let (Outcome::Litmus(mut outcome), Some(subject)) = (outcome, herd::Subject::of(session))
    else {
        return Err(Error::Internal("the outcome is of another kind".into()));
    };
    match proved {
        Proved::Yes => {}
        Proved::Refuted(exit) => return Ok(exit),
        Proved::No(why) if request.certify => {
            let (first, _) = &mut outcome.answers[0];
            first.unknown = Some(UnknownReason::NotCertified(why));
        }
        Proved::No(why) => {
            let model = &model.name;
            output::warn(&format!("warning: {input} on {model}: no proof: {why}\n"));
        }
    }
    let test = subject.test;
    let page = print(request, output, &subject, input, name, &outcome);
    if outcome.engines_disagree() {
        let message = format!("the engines disagree about {input} on {}", model.name);
        output::warn(&exit::report_bug(&message));
        return Ok(Exit::Internal);
    }
    let (first, _) = &outcome.answers[0];
    if let (Some(path), Some(witness)) = (&request.dot, &first.witness) {
        let title = format!("{} on {}", test.name, model.name);
        let graph = dot::graph(session.sources(), &title, witness);
        let path = request.output_file(path, Path::new(input), name);
        if let Err(exit) = output::write(&path, &graph) {
            return Ok(exit);
        }
    }
    if let (Some(path), Some(page)) = (&request.html, page) {
        let path = request.output_file(path, Path::new(input), name);
        if let Err(exit) = output::write(&path, &page) {
            return Ok(exit);
        }
    }
    Ok(exit_of(test, first, request.accept_bound))
}

/// Prints the answers of all engines; the page for a browser of the first, if that is wanted.
fn print(
    request: &Request,
    output: &Output,
    subject: &herd::Subject,
    input: &str,
    name: &ModelName,
    outcome: &LitmusOutcome,
) -> Option<String> {
    let mut page = None;
    for (found, engine) in &outcome.answers {
        let exit = exit_of(subject.test, found, request.accept_bound);
        let about = AboutLitmus {
            input,
            subject: *subject,
            engine: shown(*engine),
            expected: None,
            agrees: None,
        };
        let answer = LitmusAnswer::new(&about, found, exit.code());
        if page.is_none() && request.html.is_some() {
            let witness = found.witness.as_ref();
            page = Some(html::page(subject.sources, &answer, witness));
        }
        output.answer(answer, |a| {
            block(request, output, subject, name, (a, found))
        });
    }
    page
}

/// herd7's block, and with `-v` the execution it is about; with `-q` its last line alone.
fn block(
    request: &Request,
    output: &Output,
    subject: &herd::Subject,
    name: &ModelName,
    (answer, found): (&LitmusAnswer, &Finding),
) -> String {
    let mut out = String::new();
    if request.of.1 > 1 {
        out += &format!("Model {}\n", name.text());
    }
    if output.style.detail == Detail::Quiet {
        return out + &herd::summary(subject, found);
    }
    out += &herd::block(subject, found);
    if output.style.detail == Detail::Verbose
        && let Some(witness) = &found.witness
    {
        out += &format!(
            "\n{}",
            text::execution(subject.sources, witness, None, Detail::Verbose)
        );
    }
    if output.style.stats {
        out += &format!("\n{}", stats::table(&answer.stats));
    }
    out + "\n"
}
