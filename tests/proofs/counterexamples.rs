//! What has a counterexample has no proof: where an execution does what the query asks for, the formula of
//! the proof has a satisfying assignment. The answers are those of the search, each with an execution that
//! was replayed and judged by the model.

use std::path::Path;
use std::rc::Rc;
use support::sessions::{FOLDERS, in_parallel, programs_on, with_session};
use support::{builtin, files, models, some_models};
use wmbmc::base::source::SourceMap;
use wmbmc::cat::model::Model;
use wmbmc::check::bundle;
use wmbmc::check::outcome::Verdict;
use wmbmc::driver::litmus::LitmusSession;
use wmbmc::driver::program::Extent;
use wmbmc::driver::{Input, Limits, SessionOptions};
use wmbmc::ir::awaits::waiting_loop;
use wmbmc::ir::program::PropertyKind;
use wmbmc::proof::formula::{formula, learn};
use wmbmc::proof::graph::Graph;
use wmbmc::proof::learning::SolverAnswer;
use wmbmc::proof::learnt::Learnt;
use wmbmc::smt::sat::proof::Growing;
use wmbmc::smt::sat::{Cadical, SatResult, Solver};

/// Whether the formula of a graph has a satisfying assignment.
fn satisfiable(graph: &Graph, model: &Model) -> bool {
    let made = formula(graph, model, &Learnt::default(), &|_| false).expect("there is a formula");
    let mut solver = Cadical::new(Rc::new(|| false));
    solver.add(&made.flat);
    let satisfiable = solver.solve(&[]) == SatResult::Sat;
    assert!(
        !satisfiable || !has_reasons(graph, model),
        "reasons in place of axioms say more than these"
    );
    satisfiable
}

/// Whether reasons in place of all axioms that can be judged leave no satisfying assignment, after some
/// assignments.
fn has_reasons(graph: &Graph, model: &Model) -> bool {
    let mut growing = Growing::new(Rc::new(|| false));
    let (mut refuted, mut left) = (false, 100);
    let mut solve = |new: &[i32]| match growing.solve(new) {
        (SatResult::Sat, _) if left == 0 => SolverAnswer::Limit,
        (SatResult::Sat, values) => {
            left -= 1;
            SolverAnswer::Assignment(values)
        }
        _ => {
            refuted = true;
            SolverAnswer::None
        }
    };
    learn(graph, model, 0, &|_| false, &mut solve).expect("there is a formula");
    refuted
}

/// Whether a program has a violation on a model, which its formula must know of; `None` when that is not
/// known within a few seconds.
fn program(file: &Path, name: &str) -> Option<bool> {
    let model = builtin(name);
    with_session(file, |mut session, context| {
        let outcome = session.check(&model, context).ok()?;
        match outcome.result.verdict {
            Verdict::Unsafe(_) => {}
            Verdict::Safe | Verdict::SafeUpToBound(_) => return Some(false),
            _ => return None,
        }
        // A checker of proofs does not know of threads that spin, and there are no certificates of their programs.
        let lowered = session.lowered();
        let may_spin = waiting_loop(&lowered.program).is_some();
        if may_spin && lowered.checks.on(&model).contains(&PropertyKind::Deadlock) {
            return None;
        }
        session.unroll(&[&model], Extent::Whole, context).ok()?;
        let query = bundle::violation(&session.lowered().checks.on(&model), true);
        let graph = bundle::graph(session.graph()?, &model, query);
        let graph = graph.expect("the model knows its fences");
        assert!(
            satisfiable(&graph, &model),
            "{} is unsafe on {name}, but has a proof",
            file.display()
        );
        Some(true)
    })
}

#[test]
fn unsafe_programs_have_no_proof() {
    let rows = programs_on(&FOLDERS, |number| some_models(number, 4));
    let answers = in_parallel(&rows, |(file, model)| program(file, model));
    let found = answers.iter().filter(|a| **a == Some(true)).count();
    println!("{found} of {} programs and models are unsafe", rows.len());
    assert!(found > 100, "{found}");
}

#[test]
fn final_states_that_there_are_have_no_proof() {
    let mut found = 0;
    for file in files("litmus/x86", "litmus")
        .iter()
        .chain(&files("litmus/ppc", "litmus"))
    {
        let mut sources = SourceMap::default();
        let options = SessionOptions::default().litmus;
        let session = LitmusSession::read(&mut sources, &Input::litmus(file), &options);
        let session = session.expect("the tests of the project are read");
        let test = &session.test;
        // C11 does not know their fences.
        for name in models().into_iter().filter(|name| *name != "rc11") {
            let model = builtin(name);
            let outcome = session.check(&model, &sources, &options, Limits::default());
            let outcome = outcome.expect("they are answered");
            let (answer, _) = &outcome.answers[0];
            for (there, fails) in [(answer.holds, false), (answer.fails, true)] {
                let condition = &test.final_condition;
                let query = bundle::final_state(
                    &test.program,
                    &session.graph,
                    &condition.condition,
                    condition.filter.as_ref(),
                    fails,
                );
                let graph = bundle::graph(&session.graph, &model, query);
                let graph = graph.expect("the model knows its fences");
                let shown = file.display();
                assert_eq!(satisfiable(&graph, &model), there, "{shown} on {name}");
                found += usize::from(there);
            }
        }
    }
    println!("{found} conditions hold or fail in some final state");
    assert!(found > 1000, "{found}");
}
