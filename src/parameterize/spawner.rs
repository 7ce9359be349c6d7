//! What `main` does once there are threads.

use super::prefix::MAIN;
use crate::commands::arith::{Cond, VarId};
use crate::commands::program::{Effect, LocId, Program, Step, ThreadId, reachable};
use base::diag::Diag;
use std::collections::BTreeSet;

/// What is left of `main`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spawner {
    /// Nothing that others see: every thread may begin at once.
    Gone,
    /// It is a process, and threads begin when it has started them.
    Process,
}

/// Takes the commands of `main` away that nobody sees; it begins at `rest`.
///
/// # Errors
/// It starts no thread.
pub fn leave_out(program: &mut Program, rest: LocId) -> Result<Spawner, Diag> {
    let reached = reachable(&program.threads[MAIN].steps, rest);
    let main = &mut program.threads[MAIN];
    main.steps.retain(|s| reached.contains(&s.from));
    for s in &mut main.steps {
        for l in [&mut s.from, &mut s.to] {
            if *l == rest {
                *l = LocId(0);
            } else if *l == LocId(0) {
                // What is behind the beginning is not reached from here.
                *l = rest;
            }
        }
    }
    if rest == main.end {
        main.end = LocId(0);
    }
    let main = &program.threads[MAIN];
    let spawns = |s: &&Step| matches!(s.effect, Effect::Spawn(_));
    if !main.steps.iter().any(|s| spawns(&s)) {
        let span = main.locations[LocId(0)].span;
        let message =
            "no thread is started: a proof for any number of threads has none to be about";
        return Err(Diag::unsupported(span, message)
            .note("threads are started in a loop of `main`, or named by `--parallel 'f*'`"));
    }
    let is_seen = |s: &Step| match s.effect {
        Effect::Spawn(_) | Effect::Join(_) => false,
        Effect::Fail(_) => true,
        _ => s.is_visible(&program.vars) && !matches!(s.effect, Effect::Fence(_)),
    };
    if !main.steps.iter().any(is_seen) {
        program.threads[MAIN].steps.clear();
        return Ok(Spawner::Gone);
    }
    leave_open(program);
    Ok(Spawner::Process)
}

/// How often a loop goes around that nobody sees, or that starts threads, is left open.
fn leave_open(program: &mut Program) {
    let steps = &program.threads[MAIN].steps;
    let is_local = |x: VarId| program.owner(x) == Some(MAIN);
    let silent = |s: &&Step| {
        matches!(s.effect, Effect::Spawn(_) | Effect::Join(_)) || !s.is_visible(&program.vars)
    };
    let silent: Vec<Step> = steps.iter().filter(silent).cloned().collect();
    let loops: BTreeSet<LocId> = steps
        .iter()
        .map(|s| s.from)
        .filter(|l| {
            let after = silent.iter().filter(|s| s.from == *l);
            after
                .into_iter()
                .any(|s| reachable(&silent, s.to).contains(l))
        })
        .collect();
    let open = |s: &Step| {
        loops.contains(&s.from)
            && s.effect == Effect::None
            && s.guard.vars().into_iter().all(is_local)
    };
    let open: Vec<bool> = steps.iter().map(open).collect();
    for (s, open) in program.threads[MAIN].steps.iter_mut().zip(open) {
        if open {
            s.guard = Cond::Const(true);
        }
    }
}

/// The threads that there may be, `main` among them where it is a process.
pub fn kinds(program: &Program, spawner: Spawner) -> impl Iterator<Item = ThreadId> {
    let threads = program.threads.ids();
    threads.filter(move |t| *t != MAIN || spawner == Spawner::Process)
}
