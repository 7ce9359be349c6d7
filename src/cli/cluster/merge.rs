//! `wmbmc merge`: from the results of all jobs to the answer of the run.
//!
//! Nothing is taken for granted: the tool and the inputs are those of the plan, every task is in a job
//! and has a result that is whole and belongs to this plan, and the cubes of every check that was split
//! cover all executions. Then the answers are printed as the run itself prints them, in its order. A
//! violation of a cube is decoded, judged by the model and replayed once more.

use super::answer::PartAnswer;
use super::folder::{Folder, PlannedTask, Refusal, TaskResult};
use super::plan::{Run, read};
use super::task::{part_of, violated};
use crate::check::combine::combine;
use crate::check::cover::{Ways, uncovered};
use crate::check::cube::{Cube, Literal};
use crate::check::outcome::CheckResult;
use crate::cli::exit::Exit;
use crate::cli::failure::failed;
use crate::cli::options::MergeArgs;
use crate::cli::output::{self, Output};
use crate::cli::print::print;
use crate::cli::request::{Request, SuiteRequest};
use crate::cli::suite;
use crate::cli::values::Format;
use crate::driver::{Error, Session};
use crate::encode::decision::Decision;
use crate::report::answer::refused::RefusedAnswer;
use crate::report::{Answer, Subject};
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use std::path::Path;

/// `wmbmc merge`
pub fn run(typed: &MergeArgs) -> Exit {
    match merged(&typed.directory) {
        Ok(exit) => exit,
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            Exit::Input
        }
    }
}

fn merged(path: &Path) -> Result<Exit, Refusal> {
    let folder = Folder::open(path)?;
    folder.inputs_agree()?;
    covers(&folder)?;
    let results = results(&folder)?;
    let directory = folder.directory();
    let arguments = &folder.plan.arguments;
    match read(arguments)? {
        // What a run writes goes where the merge runs; the rest is where the jobs ran.
        Run::Suite(request, output) => of_suite(&folder, &results, *request, &output),
        Run::Files(request, output) => {
            let moved = std::env::set_current_dir(&directory);
            moved.map_err(|e| format!("{}: {e}", directory.display()))?;
            let exit = of_files(&folder, &results, &request, &output)?;
            output.finish(exit.code());
            Ok(exit)
        }
    }
}

/// The cubes of every split cover all executions, and every task is in a job.
fn covers(folder: &Folder) -> Result<(), Refusal> {
    let plan = &folder.plan;
    for split in 0..plan.splits.len() {
        let ways = |cube: &Cube| -> Ways<Decision> {
            cube.iter().map(|l| (l.decision, l.holds)).collect()
        };
        let cubes = cubes(folder, split);
        let all: Vec<Ways<Decision>> = cubes.iter().map(|(_, cube)| ways(cube)).collect();
        if let Some(case) = uncovered(&all) {
            let words = words(&cubes, &case);
            return Err(format!(
                "the plan lacks a cube: none of its cubes has the executions where {words}"
            ));
        }
    }
    for (task, work) in plan.tasks.iter().enumerate() {
        if folder.job_of(task).is_none() {
            return Err(format!("task {task} of the plan is in no job"));
        }
        if let PlannedTask::Tests(tests) = work
            && tests.iter().any(|t| *t >= plan.tests.len())
        {
            return Err(format!(
                "task {task} of the plan has a test that is none of the suite"
            ));
        }
    }
    let planned = plan.tasks.iter().filter_map(|task| match task {
        PlannedTask::Tests(tests) => Some(tests.len()),
        _ => None,
    });
    let planned: usize = planned.sum();
    match planned == plan.tests.len() {
        true => Ok(()),
        false => Err(format!(
            "the plan has {planned} of its {} tests in tasks",
            plan.tests.len()
        )),
    }
}

/// The cubes of a split, with their tasks.
fn cubes(folder: &Folder, split: usize) -> Vec<(usize, &Cube)> {
    let tasks = folder.plan.tasks.iter().enumerate();
    let cubes = tasks.filter_map(|(task, work)| match work {
        PlannedTask::Cube { split: of, cube } if *of == split => Some((task, cube)),
        _ => None,
    });
    cubes.collect()
}

/// A case in words, as far as cubes have words for it.
fn words(cubes: &[(usize, &Cube)], case: &[(Decision, bool)]) -> String {
    let literals: Vec<&Literal> = cubes.iter().flat_map(|(_, cube)| cube.iter()).collect();
    let each = case.iter().map(|(decision, holds)| {
        let same = literals
            .iter()
            .find(|l| l.decision == *decision && l.holds == *holds);
        match same {
            Some(literal) => literal.words.clone(),
            None => format!("{decision:?} is {holds}"),
        }
    });
    let words: Vec<String> = each.collect();
    match words.is_empty() {
        true => "anything happens".to_string(),
        false => words.join(" and "),
    }
}

/// The results of all tasks.
fn results(folder: &Folder) -> Result<Vec<TaskResult>, Refusal> {
    let each = (0..folder.plan.tasks.len()).map(|task| {
        let missing = || {
            let job = folder.job_of(task).unwrap_or_default();
            format!("job {job} is not done: task {task} has no result")
        };
        folder.result(task)?.ok_or_else(missing)
    });
    each.collect()
}

fn of_suite(
    folder: &Folder,
    results: &[TaskResult],
    mut request: SuiteRequest,
    output: &Output,
) -> Result<Exit, Refusal> {
    let mut reports: Vec<Option<suite::Report>> = Vec::new();
    reports.resize_with(folder.plan.tests.len(), || None);
    for (task, result) in folder.plan.tasks.iter().zip(results) {
        let PlannedTask::Tests(tests) = task else {
            continue;
        };
        let read: Result<Vec<suite::Report>, _> = serde_json::from_str(&result.out);
        let Ok(found) = read else {
            // No test was looked at: what was said is the answer.
            output::warn(&result.err);
            if !result.out.is_empty() {
                output.answer(no_answer(result, None, None), |_| result.out.clone());
            }
            output.finish(result.exit);
            return Ok(Exit::of_code(result.exit));
        };
        for (test, report) in tests.iter().zip(found) {
            reports[*test] = Some(report);
        }
    }
    let reports: Option<Vec<suite::Report>> = reports.into_iter().collect();
    let reports = reports.ok_or("a result has fewer tests than its task")?;
    let seconds = results.iter().map(|r| r.seconds).sum();
    // Models and expectations are files of the plan.
    let below = |path: &Path| folder.directory().join(path);
    request.expect = request.expect.as_deref().map(below);
    request
        .models
        .iter_mut()
        .for_each(|m| m.below(&folder.directory()));
    let exit = suite::present(&request, output, reports, seconds);
    output.finish(exit.code());
    Ok(exit)
}

fn of_files(
    folder: &Folder,
    results: &[TaskResult],
    request: &Request,
    output: &Output,
) -> Result<Exit, Refusal> {
    let mut worst = Exit::Safe;
    for input in 0..request.inputs.len() {
        for model in 0..request.models.len() {
            worst = worst.max(of_pair(folder, results, (request, output), (input, model))?);
        }
    }
    Ok(worst)
}

/// The answer for an input and a model.
fn of_pair(
    folder: &Folder,
    results: &[TaskResult],
    (request, output): (&Request, &Output),
    pair: (usize, usize),
) -> Result<Exit, Refusal> {
    let tasks = folder.plan.tasks.iter().zip(results);
    let whole = tasks.filter_map(|(task, result)| match task {
        PlannedTask::Check { input, model, .. } if (*input, *model) == pair => Some(result),
        _ => None,
    });
    // Of several unsafe formulas the first of the worst answers is that of the whole.
    let whole: Vec<&TaskResult> = whole.collect();
    let exits = whole.iter().map(|r| Exit::of_code(r.exit));
    if let Some(exit) = exits.max() {
        let first = whole.iter().find(|r| Exit::of_code(r.exit) == exit);
        if let Some(result) = first {
            given(request, output, result, pair);
        }
        return Ok(exit);
    }
    let splits = folder.plan.splits.iter().enumerate();
    let mut splits = splits.filter(|(_, s)| (s.input, s.model) == pair);
    let Some((split, _)) = splits.next() else {
        let (input, model) = (
            request.inputs[pair.0].shown(),
            request.models[pair.1].text(),
        );
        return Err(format!("the plan has no task for {input} on {model}"));
    };
    let cubes = cubes(folder, split);
    let mut ended = cubes.iter().map(|(task, _)| &results[*task]);
    if let Some(bug) = ended.find(|r| Exit::of_code(r.exit) == Exit::Internal) {
        given(request, output, bug, pair);
        return Ok(Exit::Internal);
    }
    match of_cubes(folder, results, request, split) {
        Ok((session, result)) => present(&session, request, output, (split, result), folder),
        Err(Failed::Refused(message)) => Err(message),
        Err(Failed::Error(error)) => Ok(failed(&error, output, None, None)),
    }
}

/// Gives what a task for an input and a model has said.
fn given(request: &Request, output: &Output, result: &TaskResult, pair: (usize, usize)) {
    output::warn(&result.err);
    if output.format == Format::Text {
        output::print(&result.out);
        return;
    }
    let (input, model) = (&request.inputs[pair.0], &request.models[pair.1]);
    let answers = answers_of(result, &input.shown(), &model.text());
    answers.into_iter().for_each(|a| output.give(a));
}

/// The answers that a task has printed, an object on each line. Where a line is none there is no answer,
/// and what the task has said is why.
fn answers_of(result: &TaskResult, input: &str, model: &str) -> Vec<Answer> {
    let lines = result.out.lines();
    let read: Result<Vec<Answer>, _> = lines.map(serde_json::from_str).collect();
    match read {
        Ok(answers) if !answers.is_empty() => answers,
        _ => vec![no_answer(result, Some(input), Some(model))],
    }
}

/// The answer that a task has none: its process has run out of address space, or has met a bug.
fn no_answer(result: &TaskResult, input: Option<&str>, model: Option<&str>) -> Answer {
    let said = match result.out.trim() {
        "" => result.err.trim(),
        out => out,
    };
    let code = match Exit::of_code(result.exit) {
        Exit::Internal => Code::Bug,
        _ => Code::MemoryLimit,
    };
    let diag = Diag::bare(format!("task {} has no answer: {said}", result.task)).with_code(code);
    RefusedAnswer::new(&SourceMap::default(), input, model, &[diag], result.exit).into()
}

enum Failed {
    Refused(Refusal),
    Error(Error),
}

/// What the answers for all cubes of a split come to, with a session of the program.
fn of_cubes(
    folder: &Folder,
    results: &[TaskResult],
    request: &Request,
    split: usize,
) -> Result<(Option<Session>, CheckResult), Failed> {
    let planned = &folder.plan.splits[split];
    let model = &request.models[planned.model];
    let (mut session, mut parts) = (None, Vec::new());
    for (task, cube) in cubes(folder, split) {
        let answer: PartAnswer = serde_json::from_str(&results[task].out).map_err(|_| {
            let said = results[task].err.trim();
            Failed::Refused(format!("task {task} has no answer: {said}"))
        })?;
        let mut violation = None;
        if let (Some(assignment), None) = (answer.assignment(), &session) {
            let part = violated(planned, cube, assignment);
            let (outcome, own) = part_of(request, planned, &part).map_err(Failed::Error)?;
            violation = Some(outcome.outcome.result.verdict);
            session = Some(own);
        }
        parts.push(answer.result(&model.text(), violation));
    }
    let result = combine(parts);
    let result = result.ok_or_else(|| Failed::Refused("a check has no cubes".to_string()))?;
    Ok((session, result))
}

/// Prints the answer of a check that was split.
fn present(
    session: &Option<Session>,
    request: &Request,
    output: &Output,
    (split, result): (usize, CheckResult),
    folder: &Folder,
) -> Result<Exit, Refusal> {
    let planned = &folder.plan.splits[split];
    let own;
    let session = match session {
        Some(session) => session,
        None => {
            // Places point into the files of the program, in the order in which they are read.
            let read = Session::read(&request.inputs[planned.input], &request.options);
            own = read.map_err(|e| e.to_string())?;
            &own
        }
    };
    let mut sources = session.sources().clone();
    let model = request.models[planned.model].load(&mut sources);
    let model = model.map_err(|e| e.to_string())?;
    let input = session.name().to_string();
    let program = &request.options.program;
    let subject = Subject {
        sources: &sources,
        input: &input,
        model_title: &model.title,
        unwind: planned.bounds.largest(),
        assertions: session.assertions(),
        bounded_arguments: session.bounded_arguments(),
        assumptions: session.assumptions(),
        warnings: &[],
        chosen: crate::driver::specification::has_chosen(program),
        races_undefined: model.leaves_races_undefined(),
        threads: program.threads,
        history: None,
        clients: 1,
    };
    let result = CheckResult {
        model: model.name.clone(),
        ..result
    };
    Ok(print(request, output, &subject, &result).0)
}
