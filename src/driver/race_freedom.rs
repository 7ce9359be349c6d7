//! Freedom of races, thread by thread: a proof for any number of threads, where races are all that is asked about.

use crate::check::bmc::Env;
use crate::check::outcome::{Argument, CheckResult, PropertyStatus, Stats, Verdict};
use cat::locks_synchronise;
use cat::model::Model;
use ir::program::{Op, Program, PropertyKind};
use modular::race_freedom;

/// The answer that such a proof is; `None` where there is none, or something else is asked about, too.
pub(super) fn prove(
    program: &Program,
    kinds: &[PropertyKind],
    model: &Model,
    env: &Env,
) -> Option<CheckResult> {
    let is_query = kinds == [PropertyKind::Race] && locks_synchronise(model);
    let proved = is_query
        .then(|| race_freedom(program, &env.interrupt()))?
        .ok()?;
    Some(CheckResult {
        model: model.name.clone(),
        verdict: Verdict::Safe,
        properties: vec![(PropertyKind::Race, PropertyStatus::Holds)],
        stats: Stats::default(),
        loops_at_bound: Vec::new(),
        stopped: None,
        argument: Argument::AnyNumber(proved.assumptions),
    })
}

/// Whether some instruction jumps backwards.
pub(super) fn has_loops(program: &Program) -> bool {
    let mut bodies = program
        .procs
        .iter()
        .map(|proc| proc.body.iter().enumerate());
    bodies.any(|mut body| {
        body.any(|(at, instr)| matches!(instr.op, Op::Goto { target, .. } if target <= at))
    })
}
