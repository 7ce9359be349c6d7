//! Proofs thread by thread, for any number of threads and loops without bounds ([`modular`]): freedom of races by
//! locksets, of deadlocks by an order of locks; the other kinds of property by invariants of locks, of what threads
//! share and of loops, which are guessed and of which Houdini keeps those that are needed, until the conditions of the
//! proof hold, too, which bounded checking decides.

use crate::check::bmc::{self, CheckError, CheckOptions, CheckTask, Env};
use crate::check::houdini::{Role, houdini};
use crate::check::outcome::{Argument, CheckResult, Invariant, PropertyStatus, Stats, Verdict};
use crate::relations::dependencies::{has_causes, unwinding};
use crate::unroll::event::EventGraph;
use crate::unroll::unroll;
use base::source::SourceMap;
use cat::locks_synchronise;
use cat::model::Model;
use ir::bounds::Bounds;
use ir::program::{Op, Program, PropertyKind, Storage};
use modular::{
    Analysis, Invariants, Obligations, ProofQuestion, assumptions, deadlock_freedom, race_freedom,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Kinds of property that are shown by invariants.
const BY_INVARIANTS: [PropertyKind; 5] = [
    PropertyKind::Assertion,
    PropertyKind::Memory,
    PropertyKind::Misuse,
    PropertyKind::Overflow,
    PropertyKind::DivisionByZero,
];

/// Kinds of property that need none, so that no certificate says why they hold.
pub const BY_ANALYSIS: [PropertyKind; 3] = [
    PropertyKind::Race,
    PropertyKind::Deadlock,
    PropertyKind::Leak,
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
    others.retain(|kind| !BY_ANALYSIS.contains(kind));
    let is_shown = others.iter().all(|kind| BY_INVARIANTS.contains(kind));
    // What allocates nothing leaks nothing.
    if kinds.contains(&PropertyKind::Leak) && allocates(program) {
        return Ok(None);
    }
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
        let sc = sequential();
        let question = question(&others, model, &sc);
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

/// The program of the conditions under which a program has properties of these kinds on a model, with invariants by their
/// numbers; what is asked of it, on the model [`sequential`]. `None` where there is none.
pub fn conditions(
    program: &Program,
    kinds: &[PropertyKind],
    model: &Model,
    invariants: &BTreeSet<usize>,
    env: &Env,
) -> Option<Conditions> {
    let sc = sequential();
    let analysis = Analysis::new(program, &env.interrupt()).ok()?;
    let question = question(kinds, model, &sc);
    let obligations = Obligations::new(program, question, &analysis).ok()?;
    if invariants
        .iter()
        .any(|i| *i >= obligations.candidates.len())
    {
        return None;
    }
    Conditions::new(&obligations, Invariants::Known(invariants), kinds, &sc, env)
}

/// What the proof of a program comes down to.
pub struct Conditions {
    /// A program with one thread and without loops.
    pub program: Program,
    /// All of its executions.
    pub graph: EventGraph,
    /// What is asked of it.
    pub kinds: Vec<PropertyKind>,
}

impl Conditions {
    fn new(
        obligations: &Obligations,
        invariants: Invariants,
        kinds: &[PropertyKind],
        sc: &Model,
        env: &Env,
    ) -> Option<Conditions> {
        // Invariants are assertions. Behind a violation of memory or misuse nothing is known.
        let mut checks = vec![
            PropertyKind::Assertion,
            PropertyKind::Memory,
            PropertyKind::Misuse,
        ];
        checks.extend(kinds);
        checks.sort_unstable();
        checks.dedup();
        let program = obligations.conditions(invariants).ok()?;
        let unrolling = unwinding(Bounds::all(1), [sc], &checks);
        let graph = unroll(&program, &unrolling, &env.interrupt()).ok()?;
        Some(Conditions {
            program,
            graph,
            kinds: checks,
        })
    }
}

/// The model on which conditions are decided.
pub fn sequential() -> Model {
    cat::builtin("sc").expect("the model is built in")
}

fn question<'a>(kinds: &'a [PropertyKind], model: &Model, sc: &Model) -> ProofQuestion<'a> {
    ProofQuestion {
        kinds,
        sections_exclude: model.says_the_same_as(sc),
    }
}

/// Whether some instruction makes an object on the heap.
fn allocates(program: &Program) -> bool {
    let mut code = program.procs.iter().flat_map(|proc| &proc.body);
    let is_heap = |op: &Op| {
        matches!(
            op,
            Op::Alloc {
                storage: Storage::Heap,
                ..
            }
        )
    };
    code.any(|instr| is_heap(&instr.op))
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
    built_in(model).is_some() && has_causes(model)
}

/// The built-in model that says the same.
pub fn built_in(model: &Model) -> Option<&'static str> {
    let mut names = cat::names();
    let is_text_of =
        |name: &str| cat::builtin(name).is_some_and(|text| model.says_the_same_as(&text));
    names.find_map(|(name, _)| is_text_of(name).then_some(name))
}

/// Finds invariants among the candidates, then checks the conditions with these as any program is checked. The
/// measurements of that check, and the invariants, where all conditions hold.
fn check_conditions(
    (obligations, sources): (&Obligations, &SourceMap),
    kinds: &[PropertyKind],
    sc: &Model,
    env: &Env,
) -> Result<Option<(Stats, Vec<Invariant>)>, CheckError> {
    let options = |conditions: &Conditions| CheckOptions {
        checks: conditions.kinds.clone(),
        ..CheckOptions::default()
    };
    let searched = Conditions::new(obligations, Invariants::Searched, kinds, sc, env);
    let Some(searched) = searched else {
        return Ok(None);
    };
    let roles: FxHashMap<String, Role> = (0..obligations.candidates.len())
        .flat_map(|i| {
            let assumed = (obligations.is_assumed(i), Role::IsAssumed(i));
            [assumed, (obligations.holds(i), Role::Holds(i))]
        })
        .collect();
    let role = |check: usize| {
        let text = &searched.graph.checks[check].property.text;
        roles.get(text).copied()
    };
    let task = |conditions| task(conditions, sc, sources);
    let Some(kept) = houdini(&task(&searched), &options(&searched), &role, env)? else {
        return Ok(None);
    };
    let known = Conditions::new(obligations, Invariants::Known(&kept), kinds, sc, env);
    let Some(known) = known else {
        return Ok(None);
    };
    let result = match bmc::check(&task(&known), &options(&known), env) {
        // Conditions that fail are no answer, and their execution is not shown. It may be one of no program: a pointer
        // that is arbitrary has the address of an object that is made on another way, and does not replay.
        Err(CheckError::Internal(_)) => return Ok(None),
        result => result?,
    };
    let invariant = |i: &usize| Invariant {
        number: *i,
        condition: obligations.condition(*i),
        when: obligations.when(*i),
        at: obligations.header(*i),
    };
    let invariants = kept.iter().map(invariant).collect();
    Ok(matches!(result.verdict, Verdict::Safe).then_some((result.stats, invariants)))
}

fn task<'a>(conditions: &'a Conditions, sc: &'a Model, sources: &'a SourceMap) -> CheckTask<'a> {
    CheckTask {
        program: &conditions.program,
        graph: &conditions.graph,
        model: sc,
        sources,
    }
}
