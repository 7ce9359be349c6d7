//! Proofs thread by thread, for any number of threads and loops without bounds ([`modular`]): freedom of races by
//! locksets, of deadlocks by an order of locks; the other kinds of property by invariants of locks, of what threads
//! share and of loops, which are guessed and of which Houdini keeps those that are needed, until the conditions of the
//! proof hold, too, which bounded checking decides.

use crate::check::bmc::{self, CheckError, CheckOptions, CheckTask, Env};
use crate::check::houdini::{Role, houdini};
use crate::check::outcome::{Argument, CheckResult, Invariant, PropertyStatus, Stats, Verdict};
use crate::relations::dependencies::{has_causes, unwinding};
use crate::unroll::unroll;
use base::source::SourceMap;
use cat::locks_synchronise;
use cat::model::Model;
use ir::bounds::Bounds;
use ir::program::{Op, Program, PropertyKind};
use modular::{
    Analysis, Invariants, Obligations, ProofQuestion, assumptions, deadlock_freedom, race_freedom,
};
use rustc_hash::FxHashMap;

/// Kinds of property that are shown by invariants.
const BY_INVARIANTS: [PropertyKind; 5] = [
    PropertyKind::Assertion,
    PropertyKind::Memory,
    PropertyKind::Misuse,
    PropertyKind::Overflow,
    PropertyKind::DivisionByZero,
];

/// The answer that such a proof is; `None` where there is none, or not within the limits of `env`.
///
/// # Errors
/// A bug.
pub fn prove(
    (program, sources): (&Program, &SourceMap),
    kinds: &[PropertyKind],
    model: &Model,
    env: &Env,
) -> Result<Option<CheckResult>, CheckError> {
    let races = kinds.contains(&PropertyKind::Race);
    let deadlocks = kinds.contains(&PropertyKind::Deadlock);
    let mut others = kinds.to_vec();
    others.retain(|kind| !matches!(kind, PropertyKind::Race | PropertyKind::Deadlock));
    let is_shown = others.iter().all(|kind| BY_INVARIANTS.contains(kind));
    let is_ordered = others.is_empty() && !deadlocks || orders(model);
    let is_apt = (!races || locks_synchronise(model)) && is_ordered;
    if !is_shown || !is_apt {
        return Ok(None);
    }
    let interrupt = env.interrupt();
    let Ok(analysis) = Analysis::new(program, &interrupt) else {
        return Ok(None);
    };
    if races && race_freedom(program, &analysis, &interrupt).is_err() {
        return Ok(None);
    }
    if deadlocks && deadlock_freedom(program, &analysis).is_err() {
        return Ok(None);
    }
    let (mut stats, mut invariants, mut counts_threads) = (Stats::default(), Vec::new(), false);
    if !others.is_empty() {
        let sc = cat::builtin("sc").expect("the model is built in");
        let question = ProofQuestion {
            kinds: &others,
            sections_exclude: model.says_the_same_as(&sc),
        };
        let Ok(obligations) = Obligations::new(program, question, &analysis) else {
            return Ok(None);
        };
        counts_threads = obligations.counts_threads();
        match check_conditions((&obligations, sources), &others, &sc, env)? {
            Some(found) => (stats, invariants) = found,
            None => return Ok(None),
        }
    }
    let shown = (races, deadlocks, !others.is_empty());
    let assumed = assumptions(shown, counts_threads).into_iter();
    let holds = |kind: &PropertyKind| (*kind, PropertyStatus::Holds);
    Ok(Some(CheckResult {
        model: model.name.clone(),
        verdict: Verdict::Safe,
        properties: kinds.iter().map(holds).collect(),
        stats,
        loops_at_bound: Vec::new(),
        stopped: None,
        argument: Argument::ThreadModular(invariants),
        assumed: assumed.map(str::to_string).collect(),
    }))
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

/// Whether a thread that takes a lock sees what the one before has written under it, and no value comes out of thin
/// air. The former is known of the built-in models.
fn orders(model: &Model) -> bool {
    let is_text_of = |(name, _): (&str, &str)| {
        cat::builtin(name).is_some_and(|text| model.says_the_same_as(&text))
    };
    cat::names().any(is_text_of) && has_causes(model)
}

/// Finds invariants among the candidates, then checks the conditions with these as any program is checked. The
/// measurements of that check, and the invariants, where all conditions hold.
fn check_conditions(
    (obligations, sources): (&Obligations, &SourceMap),
    kinds: &[PropertyKind],
    sc: &Model,
    env: &Env,
) -> Result<Option<(Stats, Vec<Invariant>)>, CheckError> {
    // Invariants are assertions. Behind a violation of memory or misuse nothing is known.
    let mut checks = vec![
        PropertyKind::Assertion,
        PropertyKind::Memory,
        PropertyKind::Misuse,
    ];
    checks.extend(kinds);
    checks.sort_unstable();
    checks.dedup();
    let options = CheckOptions {
        checks: checks.clone(),
        ..CheckOptions::default()
    };
    let unrolling = unwinding(Bounds::all(1), [sc], &checks);
    let unrolled = |invariants: Invariants| {
        let program = obligations.conditions(invariants).ok()?;
        let graph = unroll(&program, &unrolling, &env.interrupt()).ok()?;
        Some((program, graph))
    };
    let task = |program, graph| CheckTask {
        program,
        graph,
        model: sc,
        sources,
    };
    let Some((program, graph)) = unrolled(Invariants::Searched) else {
        return Ok(None);
    };
    let roles: FxHashMap<String, Role> = (0..obligations.candidates.len())
        .flat_map(|i| {
            let assumed = (obligations.is_assumed(i), Role::IsAssumed(i));
            [assumed, (obligations.holds(i), Role::Holds(i))]
        })
        .collect();
    let role = |check: usize| roles.get(&graph.checks[check].property.text).copied();
    let Some(kept) = houdini(&task(&program, &graph), &options, &role, env)? else {
        return Ok(None);
    };
    let Some((program, graph)) = unrolled(Invariants::Known(&kept)) else {
        return Ok(None);
    };
    let result = bmc::check(&task(&program, &graph), &options, env)?;
    let invariant = |i: &usize| Invariant {
        condition: obligations.condition(*i),
        when: obligations.when(*i),
        at: obligations.header(*i),
    };
    let invariants = kept.iter().map(invariant).collect();
    Ok(matches!(result.verdict, Verdict::Safe).then_some((result.stats, invariants)))
}
