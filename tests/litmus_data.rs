//! Both engines against the answers herd7 gave to recorded litmus tests.
//!
//! For each test and model the recorded table has the observation (`Always`, `Sometimes`, `Never`)
//! and in how many executions the condition holds and in how many it does not. Enumeration must find
//! the same observation and numbers, and the solver the same final states as enumeration. The table
//! is not part of the repository; the test is skipped where it is absent.
//!
//! Of the many tests that were made for a hardware campaign a sample is taken;
//! `WMBMC_LITMUS=all` takes all of them, and `WMBMC_LITMUS=<text>` those whose name contains a text.

mod common;

use common::Missing;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wmbmc::base::idx::Id;
use wmbmc::base::source::SourceMap;
use wmbmc::check::bmc::Env;
use wmbmc::check::litmus::{Depth, LitmusTask, answer};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::{EnumerateOptions, Enumeration, enumerate_all};
use wmbmc::front::litmus;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::litmus::{FinalCondition, LitmusTest};
use wmbmc::ir::program::PropertyKind;
use wmbmc::ir::program::{GlobalId, Op, Program};
use wmbmc::lower;
use wmbmc::mm;
use wmbmc::mm::model::Model;
use wmbmc::unroll::{self, unroll};

/// One in so many tests of the campaign is looked at.
const SAMPLE: usize = 12;

/// In how many executions the condition holds, and in how many it does not.
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
    common::data()
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

fn read(file: &Path) -> Result<(SourceMap, LitmusTest), String> {
    let mut sources = SourceMap::default();
    let wrong = |sources: &SourceMap, errors: Vec<wmbmc::base::diag::Diag>| {
        let all: Vec<String> = errors.iter().map(|e| e.render(sources, false)).collect();
        all.concat()
    };
    let test = litmus::parse(&mut sources, file).map_err(|e| wrong(&sources, e))?;
    let test = lower::litmus::lower(&sources, &test).map_err(|e| wrong(&sources, e))?;
    Ok((sources, test))
}

/// Final states as they are shown, with whether the condition holds.
type States = BTreeMap<Vec<u64>, bool>;

/// What enumeration finds, a model each: the number of executions, and the states.
fn enumerated(test: &LitmusTest, models: &[Model]) -> Result<Vec<(Counts, States)>, String> {
    let options = EnumerateOptions {
        bounds: Bounds::all(2),
        checks: vec![PropertyKind::Assertion],
        max_executions: 1_000_000,
    };
    let all = enumerate_all(&test.program, models, &options, &|| false);
    let all = all.map_err(|e| format!("{e:?}"))?;
    all.iter().map(|a| shown(test, a)).collect()
}

fn shown(test: &LitmusTest, answer: &Enumeration) -> Result<(Counts, States), String> {
    if !answer.is_complete() || !answer.unsupported.is_empty() || !answer.violations.is_empty() {
        return Err(format!(
            "incomplete: {:?} {:?} {:?}",
            answer.limits_reached, answer.unsupported, answer.violations
        ));
    }
    let (program, final_condition) = (&test.program, &test.final_condition);
    let holds = |state: &[u64], what: &wmbmc::ir::litmus::Condition| {
        let address = |g: GlobalId| program.static_address(g);
        what.holds(&|o| state[o.index()], &address, program)
    };
    let (mut yes, mut no) = (0, 0);
    let mut states = States::new();
    for (state, executions) in &answer.states {
        if final_condition
            .filter
            .as_ref()
            .is_none_or(|f| holds(state, f))
        {
            let holds = holds(state, &final_condition.condition);
            *(if holds { &mut yes } else { &mut no }) += executions;
            let seen = final_condition.shown.iter().map(|o| state[o.index()]);
            states.insert(seen.collect(), holds);
        }
    }
    Ok(((yes, no), states))
}

/// What the solver finds, a model each.
fn solved(
    sources: &SourceMap,
    program: &Program,
    final_condition: &FinalCondition,
    models: &[Model],
) -> Result<Vec<States>, String> {
    let options = unroll::UnrollOptions {
        bounds: Bounds::all(2),
        address_dependencies: true,
        coherent: false,
        awaits: unroll::Awaits::default(),
        max_events: unroll::MAX_EVENTS,
    };
    let graph = unroll(program, &options, &|| false).map_err(|e| format!("{e:?}"))?;
    let env = Env::unlimited();
    let one = |model: &Model| {
        let task = LitmusTask {
            program,
            graph: &graph,
            model,
            order: Backend::Matrix,
            reductions: Reductions::default(),
            witness: false,
        };
        let found = answer(&task, final_condition, Depth::States, &env, sources);
        let found = found.map_err(|e| format!("{}: {e:?}", model.name))?;
        let states = found.states.ok_or("there are no states")?;
        if found.unknown.is_some() || !found.loops_at_bound.is_empty() {
            return Err(format!("incomplete: {:?}", found.unknown));
        }
        Ok(states
            .into_iter()
            .map(|(s, seen)| (s, seen.holds))
            .collect())
    };
    models.iter().map(one).collect()
}

/// A loop that waits has any number of executions.
fn has_loop(program: &Program) -> bool {
    let mut bodies = program.procs.iter().flat_map(|p| p.body.iter().enumerate());
    bodies.any(|(pc, i)| matches!(i.op, Op::Goto { target, .. } if target <= pc))
}

/// What is wrong with the answers to a test, a line each.
fn judge(row: &Recorded) -> Vec<String> {
    judged(row).unwrap_or_else(|reason| vec![format!("{}: {reason}", row.name)])
}

fn judged(row: &Recorded) -> Result<Vec<String>, String> {
    let (sources, test) = read(&row.file)?;
    let names: Vec<&str> = row.expected.keys().copied().collect();
    let models: Vec<Model> = names.iter().filter_map(|n| mm::builtin(n)).collect();
    let one = enumerated(&test, &models).map_err(|e| format!("enumeration: {e}"))?;
    let two = solved(&sources, &test.program, &test.final_condition, &models)
        .map_err(|e| format!("solver: {e}"))?;
    let counted = !has_loop(&test.program);
    let mut wrong = Vec::new();
    for (model, ((found, states), solved)) in names.iter().zip(one.iter().zip(&two)) {
        let (word, expected) = &row.expected[model];
        if observation(*found) != word || (counted && found != expected) {
            wrong.push(format!(
                "{} on {model}: {} {found:?}, recorded is {word} {expected:?}",
                row.name,
                observation(*found)
            ));
        }
        if states != solved {
            wrong.push(format!(
                "{} on {model}: enumerated {states:?}, solved {solved:?}",
                row.name
            ));
        }
    }
    Ok(wrong)
}

#[test]
fn both_engines_answer_as_recorded() {
    let (Some(suite), Some(campaign)) =
        (recorded("verdicts.csv"), recorded("verdicts-campaign.csv"))
    else {
        common::skipped(Missing::Data("litmus"));
        return;
    };
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    let step = if wanted.is_empty() { SAMPLE } else { 1 };
    let mut rows: Vec<Recorded> = suite;
    rows.extend(campaign.into_iter().step_by(step));
    if !wanted.is_empty() && wanted != "all" {
        rows.retain(|row| row.name.contains(&wanted));
    }
    let wrong: Vec<String> = rows.par_iter().flat_map_iter(judge).collect();
    assert!(
        wrong.is_empty(),
        "{} answers to {} tests differ:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}
