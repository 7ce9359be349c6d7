//! One step of a load and of what its statement does with the loaded value.
//!
//! A load is followed by instructions of its thread alone: a branch on the loaded value, a copy into a
//! named variable. As nobody else reads what they touch, they may as well happen together with the
//! load. A location goes when all steps from it are invisible to the others and either do nothing,
//! set temporaries only, or read one. So `if (X == 1)` is one step with a guard over `X`, and no
//! predicate has to speak of temporaries. A step that stores is not made one with what may block behind it. Steps that assign named variables alone stay as they are, but
//! for those with which a thread begins.

use super::arith::{Cond, Linear, VarId};
use super::program::{
    Effect, LocId, Program, Scan, ScanAct, Step, ThreadId, Update, Variable, VariableKind,
};
use base::idx::{Id, IdVec};
use std::collections::BTreeSet;

/// Steps of a thread at most.
const MAX_STEPS: usize = 100_000;

/// Fuses all threads.
pub fn fuse(program: &mut Program) {
    for t in program.threads.ids().collect::<Vec<ThreadId>>() {
        let vars = &program.vars;
        let thread = &mut program.threads[t];
        drop_unreachable(&mut thread.steps);
        loop {
            drop_dead(vars, &mut thread.steps);
            drop_waiting(&mut thread.steps);
            let all = thread
                .locations
                .ids()
                .filter(|l| *l != LocId(0) && *l != thread.end);
            let mut changed = false;
            for l in all {
                changed |= eliminate(vars, &mut thread.steps, l);
                changed |= eliminate_number(vars, &mut thread.steps, l);
            }
            if !changed {
                break;
            }
        }
        drop_unreachable(&mut thread.steps);
        let is_local = |x: VarId| {
            matches!(
                vars[x].kind,
                VariableKind::Local(_) | VariableKind::Temporary(_)
            )
        };
        let begun = begin(&mut thread.steps, thread.end, &is_local);
        for (x, initial) in begun {
            program.vars[x].initial = initial;
        }
    }
}

/// Takes the assignments of constants away with which a thread begins: its locals have these values
/// from the start, before anybody can look at them.
fn begin(
    steps: &mut Vec<Step>,
    end: LocId,
    is_local: &dyn Fn(VarId) -> bool,
) -> Vec<(VarId, Option<i128>)> {
    let mut begun = Vec::new();
    loop {
        let from: Vec<usize> = (0..steps.len())
            .filter(|i| steps[*i].from == LocId(0))
            .collect();
        let [only] = from[..] else {
            return begun;
        };
        let step = &steps[only];
        let constant = |u: &Update| match u {
            Update::Any => Some(None),
            Update::Set(v) => v.as_constant().map(Some),
        };
        let values: Option<Vec<_>> = step
            .updates
            .iter()
            .map(|(x, u)| Some((*x, constant(u)?)).filter(|_| is_local(*x)))
            .collect();
        let plain =
            step.guard == Cond::Const(true) && step.effect == Effect::None && step.scan.is_none();
        let returns = steps.iter().any(|s| s.to == LocId(0));
        let Some(values) = values.filter(|_| plain && !returns) else {
            return begun;
        };
        begun.extend(values);
        let to = step.to;
        if to == end || steps.iter().filter(|s| s.to == to).count() > 1 {
            // Others come here, too: the step stays, and does nothing.
            steps[only].updates.clear();
            return begun;
        }
        steps.remove(only);
        for s in steps.iter_mut().filter(|s| s.from == to) {
            s.from = LocId(0);
        }
    }
}

/// Takes steps away that only wait for what another thread does at some number.
fn drop_waiting(steps: &mut Vec<Step>) {
    let asks = |s: &Step| {
        let act = s.scan.as_ref().map(|scan| scan.act);
        matches!(
            act,
            Some(ScanAct::At {
                next: false,
                passed: false,
                ..
            })
        )
    };
    let waits =
        |s: &Step| asks(s) && s.from == s.to && s.updates.is_empty() && s.effect == Effect::None;
    steps.retain(|s| !waits(s));
}

/// The same where a thread takes the next number, and then does something with it: nobody else sees the number between.
fn eliminate_number(vars: &IdVec<VarId, Variable>, steps: &mut Vec<Step>, at: LocId) -> bool {
    let act = |s: &Step| s.scan.as_ref().map(|scan| (scan.register, scan.act));
    let shared = |s: &Step| {
        let is_memory = |x: &VarId| vars[*x].kind.is_memory();
        s.reads().iter().any(is_memory) || s.updates.iter().any(|(x, _)| is_memory(x))
    };
    let takes = |s: &Step| {
        let next = matches!(
            act(s),
            Some((
                _,
                ScanAct::At {
                    next: true,
                    passed: false,
                    ..
                }
            ))
        );
        next && s.effect == Effect::None && !shared(s)
    };
    let passes = |s: &Step| {
        let only = s.effect == Effect::None && s.updates.is_empty() && s.guard == Cond::Const(true);
        only && matches!(act(s), Some((_, ScanAct::At { passed: true, .. })))
    };
    let asks = |s: &Step| matches!(act(s), Some((_, ScanAct::At { passed: false, .. })));
    let before = || steps.iter().filter(|s| s.to == at);
    let after = || steps.iter().filter(|s| s.from == at);
    let is_read = after().all(|s| matches!(act(s), Some((_, ScanAct::At { next: false, .. }))))
        && before().all(takes);
    let is_passed = after().all(passes) && before().all(asks);
    if !is_read && !is_passed || before().next().is_none() || after().next().is_none() {
        return false;
    }
    compose_all(steps, at, &|_| false)
}

/// Composes the steps to a location with those from it; whether that was possible.
fn eliminate(vars: &IdVec<VarId, Variable>, steps: &mut Vec<Step>, at: LocId) -> bool {
    let temporary = |x: &VarId| matches!(vars[*x].kind, VariableKind::Temporary(_));
    let after: Vec<Step> = steps.iter().filter(|s| s.from == at).cloned().collect();
    let before: Vec<Step> = steps.iter().filter(|s| s.to == at).cloned().collect();
    let fits = |s: &Step| {
        s.to != at
            && !s.is_visible(vars)
            && (s.guard == Cond::Const(true) && s.updates.is_empty() && s.effect == Effect::None
                || s.reads().iter().any(temporary)
                || !s.updates.is_empty() && s.updates.iter().all(|(x, _)| temporary(x)))
    };
    let shared = |x: &VarId| vars[*x].kind.is_memory();
    let stores = |s: &Step| s.updates.iter().any(|(x, _)| shared(x));
    if after.is_empty()
        || before.is_empty()
        || before.iter().any(|s| stores(s) && may_block(s, &after))
        || !after.iter().all(fits)
        || before.iter().any(|s| matches!(s.effect, Effect::Fail(_)))
        || before.len() * after.len() > 16 && before.len() > 1 && after.len() > 1
        || steps.len() + before.len() * after.len() > MAX_STEPS
    {
        return false;
    }
    compose_all(steps, at, &temporary)
}

/// Composes each step to a location with each from it; whether that was possible.
fn compose_all(steps: &mut Vec<Step>, at: LocId, temporary: &dyn Fn(&VarId) -> bool) -> bool {
    let mut fused = Vec::new();
    for a in steps.iter().filter(|s| s.to == at) {
        for b in steps.iter().filter(|s| s.from == at) {
            let only_here = |x: VarId| {
                steps.iter().filter(|s| s.reads().contains(&x)).count() == 1 && temporary(&x)
            };
            match compose(a, b, &only_here) {
                Some(step) => fused.push(step),
                None => return false,
            }
        }
    }
    let before = steps.len();
    steps.retain(|s| s.from != at && s.to != at);
    let changed = steps.len() < before;
    steps.extend(fused.into_iter().filter(|s| s.guard != Cond::Const(false)));
    changed
}

/// None of these steps may be possible right after the first one. What that has stored would be seen.
fn may_block(first: &Step, after: &[Step]) -> bool {
    let set = |x: VarId| match first.update(x) {
        Some(Update::Set(v)) => Some(v.clone()),
        _ => None,
    };
    let goes_on = Cond::or(after.iter().map(|s| s.guard.replace(&set)));
    Cond::and([first.guard.clone(), goes_on.negate()]) != Cond::Const(false)
}

/// The second step right after the first; nothing where that is no single step.
pub fn compose(a: &Step, b: &Step, only_here: &dyn Fn(VarId) -> bool) -> Option<Step> {
    if a.effect != Effect::None && b.effect != Effect::None {
        return None;
    }
    let scan = match (&a.scan, &b.scan) {
        (Some(first), Some(second)) if first.register != second.register => return None,
        (Some(first), Some(second)) => match first.act.then(second.act)? {
            Some(act) => Some(Scan { act, ..*first }),
            None => {
                return Some(Step {
                    guard: Cond::Const(false),
                    ..Step::new(a.from, b.to, a.span)
                });
            }
        },
        (first, second) => first.clone().or_else(|| second.clone()),
    };
    let mut elements = a.elements.clone();
    for (array, number) in &b.elements {
        if a.update(*number).is_some() || *elements.entry(*array).or_insert(*number) != *number {
            return None;
        }
    }
    let is_any = |x: VarId| a.update(x) == Some(&Update::Any);
    let set = |x: VarId| match a.update(x) {
        Some(Update::Set(v)) => Some(v.clone()),
        _ => None,
    };
    if b.guard.vars().into_iter().any(is_any) {
        return None;
    }
    let mut updates = Vec::new();
    for (x, u) in &b.updates {
        let u = match u {
            Update::Any => Update::Any,
            Update::Set(v) => match (v.as_var().filter(|y| is_any(*y)), &b.updates[..]) {
                (Some(y), [_]) if only_here(y) => Update::Any,
                _ if v.terms.keys().any(|y| is_any(*y)) => return None,
                _ => Update::Set(v.replace(&set)),
            },
        };
        updates.push((*x, u));
    }
    let kept = a.updates.iter().filter(|(x, _)| b.update(*x).is_none());
    let mut all: Vec<(VarId, Update)> = kept.cloned().collect();
    all.extend(updates);
    let effect = match &a.effect {
        Effect::None => b.effect.clone(),
        effect => effect.clone(),
    };
    let trivial = a.updates.is_empty() && a.guard == Cond::Const(true) && a.effect == Effect::None;
    Some(Step {
        from: a.from,
        to: b.to,
        guard: Cond::and([a.guard.clone(), b.guard.replace(&set)]),
        updates: all,
        effect,
        elements,
        scan,
        span: if trivial { b.span } else { a.span },
    })
}

/// The variables that are read for something else than their own next value.
fn read_by_others(steps: &[Step]) -> BTreeSet<VarId> {
    let mut read = BTreeSet::new();
    for s in steps {
        read.extend(s.guard.vars());
        for (x, u) in &s.updates {
            if let Update::Set(value) = u {
                read.extend(value.terms.keys().filter(|y| *y != x));
            }
        }
    }
    read
}

/// Temporaries that nobody reads need no values.
fn drop_dead(vars: &IdVec<VarId, Variable>, steps: &mut [Step]) {
    loop {
        let read = read_by_others(steps);
        let dead =
            |x: VarId| matches!(vars[x].kind, VariableKind::Temporary(_)) && !read.contains(&x);
        let mut changed = false;
        for s in steps.iter_mut() {
            let before = s.updates.len();
            s.updates.retain(|(x, _)| !dead(*x));
            // A variable that is copied to itself stays as it is.
            s.updates
                .retain(|(x, u)| *u != Update::Set(Linear::var(*x)));
            changed |= s.updates.len() != before;
        }
        if !changed {
            return;
        }
    }
}

fn drop_unreachable(steps: &mut Vec<Step>) {
    let most = steps.iter().map(|s| s.from.max(s.to).index() + 1).max();
    let mut seen = vec![false; most.unwrap_or(1)];
    seen[0] = true;
    let mut changed = true;
    while changed {
        changed = false;
        for s in steps.iter().filter(|s| s.guard != Cond::Const(false)) {
            if seen[s.from.index()] && !seen[s.to.index()] {
                seen[s.to.index()] = true;
                changed = true;
            }
        }
    }
    steps.retain(|s| seen[s.from.index()] && s.guard != Cond::Const(false));
}
