//! Both engines against the answers herd7 gave to recorded litmus tests.
//!
//! For each test and model the recorded table has the observation (`Always`, `Sometimes`, `Never`)
//! and how many final states satisfy the condition and how many do not. Enumeration and the solver
//! must agree with the table, and so with each other. The table is not part of the repository; the
//! test is skipped where it is absent.
//!
//! Of the many tests that were made for a hardware campaign a sample is taken;
//! `WMBMC_LITMUS=all` takes all of them, and `WMBMC_LITMUS=<text>` those whose name contains a text.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use wmbmc::check::bmc::Env;
use wmbmc::check::litmus::{Depth, Task, answer};
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::{Enumeration, Options, enumerate_all};
use wmbmc::front::litmus;
use wmbmc::front::source::SourceMap;
use wmbmc::idx::Id;
use wmbmc::ir::litmus::{Question, Test};
use wmbmc::ir::lower;
use wmbmc::ir::program::{GlobalId, Program};
use wmbmc::mm;
use wmbmc::mm::model::Model;
use wmbmc::unroll::{self, unroll};

/// One in so many tests of the campaign is looked at.
const SAMPLE: usize = 12;

/// An answer: how many final states satisfy the condition, and how many do not.
type Counts = (u64, u64);

struct Recorded {
    name: String,
    file: PathBuf,
    /// By model.
    expected: BTreeMap<&'static str, (String, Counts)>,
}

const COLUMNS: [(&str, &str); 7] = [
    ("SC", "sc"),
    ("TSO", "tso"),
    ("PSO", "pso"),
    ("RMO", "rmo"),
    ("ALPHA", "alpha"),
    ("POWER", "power"),
    ("POWER2010", "power2010"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data")
}

/// The rows of a table; `None` where it is absent.
fn recorded(table: &str) -> Option<Vec<Recorded>> {
    let text = std::fs::read_to_string(folder().join("litmus").join(table)).ok()?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next()?.split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name);
    let (name, file) = (column("name")?, column("file")?);
    let mut out = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let mut expected = BTreeMap::new();
        for (heading, model) in COLUMNS {
            let at = column(heading)?;
            let number = |at: usize| cells[at].parse::<u64>().ok();
            if let (Some(yes), Some(no)) = (number(at + 1), number(at + 2)) {
                expected.insert(model, (cells[at].to_string(), (yes, no)));
            }
        }
        out.push(Recorded {
            name: cells[name].to_string(),
            file: folder().join(cells[file]),
            expected,
        });
    }
    Some(out)
}

fn observation((yes, no): Counts) -> &'static str {
    match (yes, no) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    }
}

fn counts(states: impl Iterator<Item = bool>) -> Counts {
    states.fold(
        (0, 0),
        |(yes, no), holds| {
            if holds { (yes + 1, no) } else { (yes, no + 1) }
        },
    )
}

fn read(file: &Path) -> Result<(SourceMap, Test), String> {
    let mut sources = SourceMap::default();
    let wrong = |sources: &SourceMap, errors: Vec<wmbmc::front::diag::Diag>| {
        let all: Vec<String> = errors.iter().map(|e| e.render(sources, false)).collect();
        all.concat()
    };
    let test = litmus::parse(&mut sources, file).map_err(|e| wrong(&sources, e))?;
    let test = lower::litmus::lower(&sources, &test).map_err(|e| wrong(&sources, e))?;
    Ok((sources, test))
}

/// What enumeration finds, a model each.
fn enumerated(test: &Test, models: &[Model]) -> Result<Vec<Counts>, String> {
    let options = Options {
        unwind: 2,
        max_executions: 1_000_000,
    };
    let all = enumerate_all(&test.program, models, &options, &|| false);
    let all = all.map_err(|e| format!("{e:?}"))?;
    all.iter().map(|a| shown(test, a)).collect()
}

fn shown(test: &Test, answer: &Enumeration) -> Result<Counts, String> {
    if !answer.is_complete() || !answer.gaps.is_empty() || !answer.violations.is_empty() {
        return Err(format!(
            "incomplete: {:?} {:?} {:?}",
            answer.cuts, answer.gaps, answer.violations
        ));
    }
    let (program, question) = (&test.program, &test.question);
    let holds = |state: &[u64], what: &wmbmc::ir::litmus::Condition| {
        let address = |g: GlobalId| program.static_address(g);
        what.holds(&|o| state[o.index()], &address, program)
    };
    let (mut yes, mut no) = (0, 0);
    for (state, executions) in &answer.states {
        if question.filter.as_ref().is_none_or(|f| holds(state, f)) {
            let holds = holds(state, &question.condition);
            *(if holds { &mut yes } else { &mut no }) += executions;
        }
    }
    Ok((yes, no))
}

/// What the solver finds, a model each.
fn solved(
    sources: &SourceMap,
    program: &Program,
    question: &Question,
    models: &[Model],
) -> Result<Vec<Counts>, String> {
    let options = unroll::Options {
        unwind: 2,
        unwindset: Vec::new(),
        address_dependencies: true,
    };
    let graph = unroll(program, &options, &|| false).map_err(|e| format!("{e:?}"))?;
    let env = Env {
        now: Rc::new(|| 0.0),
        limit: Rc::new(|| None),
    };
    let one = |model: &Model| {
        let task = Task {
            program,
            graph: &graph,
            model,
            order: Backend::Matrix,
        };
        let found = answer(&task, question, Depth::States, &env, sources);
        let found = found.map_err(|e| format!("{}: {e:?}", model.name))?;
        let states = found.states.ok_or("there are no states")?;
        if found.unknown.is_some() || !found.cuts.is_empty() {
            return Err(format!("incomplete: {:?}", found.unknown));
        }
        Ok(counts(states.into_values().map(|s| s.holds)))
    };
    models.iter().map(one).collect()
}

/// What is wrong with the answers to a test, a line each.
fn judge(row: &Recorded, engine: Engine) -> Vec<String> {
    let (sources, test) = match read(&row.file) {
        Ok(read) => read,
        Err(reason) => return vec![format!("{}: {reason}", row.name)],
    };
    let names: Vec<&str> = row.expected.keys().copied().collect();
    let models: Vec<Model> = names.iter().filter_map(|n| mm::builtin(n)).collect();
    let found = match engine {
        Engine::Enumerate => enumerated(&test, &models),
        Engine::Solve => solved(&sources, &test.program, &test.question, &models),
    };
    let found = match found {
        Ok(found) => found,
        Err(reason) => return vec![format!("{}: {engine:?}: {reason}", row.name)],
    };
    let mut wrong = Vec::new();
    for (model, found) in names.iter().zip(found) {
        let (word, expected) = &row.expected[model];
        if observation(found) != word || found != *expected {
            wrong.push(format!(
                "{} on {model}: {engine:?} says {} {found:?}, recorded is {word} {expected:?}",
                row.name,
                observation(found)
            ));
        }
    }
    wrong
}

#[derive(Clone, Copy, Debug)]
enum Engine {
    Enumerate,
    Solve,
}

fn compare(engine: Engine) {
    let (Some(suite), Some(campaign)) =
        (recorded("verdicts.csv"), recorded("verdicts-campaign.csv"))
    else {
        println!("skipped: ../shared/data/litmus is absent");
        return;
    };
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    let step = if wanted.is_empty() { SAMPLE } else { 1 };
    let mut rows: Vec<Recorded> = suite;
    rows.extend(campaign.into_iter().step_by(step));
    if !wanted.is_empty() && wanted != "all" {
        rows.retain(|row| row.name.contains(&wanted));
    }
    let wrong: Vec<String> = rows
        .par_iter()
        .flat_map_iter(|row| judge(row, engine))
        .collect();
    let tests: BTreeSet<&str> = wrong.iter().filter_map(|w| w.split(':').next()).collect();
    assert!(
        wrong.is_empty(),
        "{} answers to {} of {} tests differ:\n{}",
        wrong.len(),
        tests.len(),
        rows.len(),
        wrong.join("\n")
    );
}

#[test]
fn enumeration_answers_as_recorded() {
    compare(Engine::Enumerate);
}

#[test]
fn the_solver_answers_as_recorded() {
    compare(Engine::Solve);
}
