//! Atomic sections: each way through one is a single command.

use crate::commands::fuse::compose as compose_steps;
use crate::commands::program::{Effect, Program, Step, Thread, ThreadId};
use base::diag::Diag;
use ir::program::MemoryOrder;

/// Ways through the sections of a thread at most.
const MAX_WAYS: usize = 1000;

/// Composes the commands of every atomic section.
///
/// # Errors
/// A section with a loop, or with a value that is arbitrary and looked at.
pub fn compose(program: &mut Program) -> Result<(), Diag> {
    let ids: Vec<ThreadId> = program.threads.ids().collect();
    for t in ids {
        let steps = through(&program.threads[t])?;
        program.threads[t].steps = steps;
    }
    Ok(())
}

fn through(thread: &Thread) -> Result<Vec<Step>, Diag> {
    let is_within = |s: &Step| thread.locations[s.from].atomic;
    let ends = |s: &Step| !thread.locations[s.to].atomic || matches!(s.effect, Effect::Fail(_));
    let mut done = Vec::new();
    let mut ways: Vec<(Step, Vec<_>)> = Vec::new();
    for s in thread.steps.iter().filter(|s| !is_within(s)) {
        let leads_on = thread.steps.iter().any(|next| next.from == s.to);
        match ends(s) || !leads_on {
            true => done.push(s.clone()),
            false => ways.push((locked(s), vec![s.to])),
        }
    }
    while let Some((way, seen)) = ways.pop() {
        for next in thread.steps.iter().filter(|s| s.from == way.to) {
            let fails = matches!(next.effect, Effect::Fail(_));
            if matches!(next.effect, Effect::Spawn(_)) {
                let message = "a proof for any number of threads does not support a thread that is started in an atomic section";
                return Err(Diag::unsupported(next.span, message));
            }
            let step = if fails { next.clone() } else { plain(next) };
            if seen.contains(&next.to) {
                let message = "a proof for any number of threads does not support a loop in an atomic section";
                return Err(Diag::unsupported(next.span, message));
            }
            let before = if fails { plain(&way) } else { way.clone() };
            let Some(mut both) = compose_steps(&before, &step, &|_| true) else {
                let message = "a proof for any number of threads does not support an arbitrary value in an atomic section";
                return Err(Diag::unsupported(next.span, message));
            };
            both.span = way.span;
            if ends(next) || !thread.steps.iter().any(|s| s.from == next.to) {
                done.push(both);
            } else {
                ways.push((both, [&seen[..], &[next.to]].concat()));
            }
            if done.len() + ways.len() > MAX_WAYS + thread.steps.len() {
                let message = "a proof for any number of threads does not support an atomic section with this many ways";
                return Err(Diag::unsupported(next.span, message));
            }
        }
    }
    Ok(done)
}

/// With an empty buffer, at one point.
fn locked(step: &Step) -> Step {
    Step {
        effect: Effect::Rmw(MemoryOrder::Locked),
        ..step.clone()
    }
}

/// Without what the section does as a whole.
fn plain(step: &Step) -> Step {
    Step {
        effect: Effect::None,
        ..step.clone()
    }
}
