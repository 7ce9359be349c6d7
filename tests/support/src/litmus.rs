//! Litmus tests through both engines: executions counted by enumeration, and the solver's final states.

use crate::exploration::explores_alike;
use crate::pipeline::on_any_model;
use std::collections::BTreeMap;
use std::path::Path;
use wmbmc::base::idx::Id;
use wmbmc::base::source::SourceMap;
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::Env;
use wmbmc::check::litmus::{Depth, Finding, LitmusTask, answer};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::{EnumerateOptions, Enumeration, enumerate_all};
use wmbmc::front::litmus;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::litmus::{FinalCondition, LitmusTest};
use wmbmc::ir::program::{GlobalId, Op, Program, PropertyKind};
use wmbmc::ir::validate;
use wmbmc::lower;
use wmbmc::unroll::{UnrollOptions, unroll};

/// In how many executions the condition holds, and in how many it does not.
pub type Counts = (u64, u64);

/// A test of a file.
pub fn read(file: &Path) -> Result<(SourceMap, LitmusTest), String> {
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
pub type States = BTreeMap<Vec<u64>, bool>;

/// What enumeration finds, a model each: the number of executions, and the states.
pub fn enumerated(test: &LitmusTest, models: &[Model]) -> Result<Vec<(Counts, States)>, String> {
    let options = EnumerateOptions {
        bounds: Bounds::all(2),
        checks: vec![PropertyKind::Assertion],
        max_executions: 1_000_000,
    };
    validate::check(&test.program)?;
    let all = enumerate_all(&test.program, models, &options, &|| false);
    let all = all.map_err(|e| format!("{e:?}"))?;
    explores_alike(&test.program, models, &options, &all);
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

/// The solver's final states, a model each.
pub fn solved(
    sources: &SourceMap,
    program: &Program,
    final_condition: &FinalCondition,
    models: &[Model],
) -> Result<Vec<States>, String> {
    let found = findings(sources, program, final_condition, models, Depth::States)?;
    let states = found.into_iter().map(|found| {
        let states = found.states.ok_or("there are no states")?;
        Ok(states
            .into_iter()
            .map(|(s, seen)| (s, seen.holds))
            .collect())
    });
    states.collect()
}

/// Whether the solver finds that the condition can hold, and that it can fail: also of tests that have very
/// many final states.
pub fn outcomes(
    sources: &SourceMap,
    program: &Program,
    final_condition: &FinalCondition,
    model: &Model,
) -> Result<(bool, bool), String> {
    let models = std::slice::from_ref(model);
    let found = findings(sources, program, final_condition, models, Depth::Condition)?;
    Ok((found[0].holds, found[0].fails))
}

fn findings(
    sources: &SourceMap,
    program: &Program,
    final_condition: &FinalCondition,
    models: &[Model],
    depth: Depth,
) -> Result<Vec<Finding>, String> {
    let options = UnrollOptions {
        coherent: false,
        ..on_any_model(Bounds::all(2))
    };
    validate::check(program)?;
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
        let found = answer(&task, final_condition, depth, &env, sources);
        let found = found.map_err(|e| format!("{}: {e:?}", model.name))?;
        if !found.is_complete() {
            return Err(format!("incomplete: {:?}", found.unknown));
        }
        Ok(found)
    };
    models.iter().map(one).collect()
}

/// A loop that waits has any number of executions.
pub fn has_loop(program: &Program) -> bool {
    let mut bodies = program.procs.iter().flat_map(|p| p.body.iter().enumerate());
    bodies.any(|(pc, i)| matches!(i.op, Op::Goto { target, .. } if target <= pc))
}
