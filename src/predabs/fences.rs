//! Where full fences stand, where they may stand, and the program with some of them.
//!
//! A [`FenceSite`] is a statement of the source: a full fence, which may go, or a store to memory, which
//! a fence may follow. It stands for all copies of the statement, in every thread that runs it. Stores
//! after which the buffers are emptied anyway, and those in atomic sections, are none.
//!
//! Where a run violates a property, more fences help only if they stop this run: where a thread goes on
//! after the site with entries in its buffers, it would have had to wait. [`stopping`] finds these
//! sites. As the fences of a run's own program only make it wait for what has happened in it, the run
//! is one of every program whose fences are none of these.

use super::replay::Run;
use crate::commands::fuse::fuse;
use crate::commands::program::{Effect, LocId, Location, Move, Program, Step, Thread, ThreadId};
use crate::commands::strength::is_full;
use base::source::Span;
use ir::program::{Fence, MemoryOrder};
use std::collections::{BTreeMap, BTreeSet};

/// Sites of a program at most.
pub const MAX_SITES: usize = 64;

/// A set of sites, a bit each.
pub type SiteSet = u64;

/// A step of a thread, by its ends.
type Edge = (ThreadId, LocId, LocId);

/// A place for a full fence.
#[derive(Clone, Debug)]
pub struct FenceSite {
    /// A fence stands here; otherwise one may follow.
    pub exists: bool,
    /// The statement, or an expression where it is no statement by itself.
    pub span: Span,
    /// The fence or the store itself.
    pub access: Span,
    edges: BTreeSet<Edge>,
}

/// The sites of a program, fences first, each part in the order of the source. `statement` is the
/// statement around an access, or nothing where that is not one by itself.
pub fn sites(program: &Program, statement: &dyn Fn(Span) -> Option<Span>) -> Vec<FenceSite> {
    let mut fences: BTreeMap<Span, FenceSite> = BTreeMap::new();
    let mut stores: BTreeMap<Span, FenceSite> = BTreeMap::new();
    for (t, thread) in program.threads.iter_enumerated() {
        for step in &thread.steps {
            let around = statement(step.span);
            let within = |other: &Step| {
                around.is_some_and(|s| {
                    other.span.file == s.file
                        && s.start <= other.span.start
                        && other.span.end <= s.end
                })
            };
            let edge = (t, step.from, step.to);
            let at = |span| FenceSite {
                exists: false,
                span,
                access: step.span,
                edges: BTreeSet::new(),
            };
            if is_fence(program, t, step) {
                let others = thread.steps.iter().filter(|s| within(s));
                let alone = |s: &Step| is_fence(program, t, s) || !s.is_visible(&program.vars);
                if others.into_iter().all(alone) {
                    let span = around.unwrap_or(step.span);
                    let site = fences.entry(span).or_insert_with(|| at(span));
                    site.exists = true;
                    site.edges.insert(edge);
                }
            } else if is_store(program, t, step) && !is_emptied(program, t, step.to) {
                let span = match follows(program, t, step, &within) {
                    Some(Following::Store) => continue,
                    Some(Following::Other) => step.span,
                    None => around.unwrap_or(step.span),
                };
                let site = stores.entry(span).or_insert_with(|| at(span));
                site.edges.insert(edge);
            }
        }
    }
    fences.into_values().chain(stores.into_values()).collect()
}

/// A full fence of the source, outside of atomic sections.
fn is_fence(program: &Program, t: ThreadId, step: &Step) -> bool {
    let here = program.threads[t].locations[step.from];
    !here.atomic && matches!(step.effect, Effect::Fence(f) if is_full(f))
}

/// A store through the buffer.
fn is_store(program: &Program, t: ThreadId, step: &Step) -> bool {
    let here = program.threads[t].locations[step.from];
    !here.atomic
        && step.effect == Effect::None
        && step.updates.iter().any(|(x, _)| program.is_shared(*x))
}

/// Whatever a thread does from a location, it waits for empty buffers before it touches memory.
fn is_emptied(program: &Program, t: ThreadId, from: LocId) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        let thread = &program.threads[t];
        if at == thread.end || !seen.insert(at) {
            return false;
        }
        for s in thread.steps.iter().filter(|s| s.from == at) {
            match &s.effect {
                Effect::Fence(f) if is_full(*f) || *f == Fence::Posix => {}
                Effect::Rmw(_) | Effect::Spawn(_) | Effect::Join(_) | Effect::Fail(_) => {}
                Effect::None if !s.is_visible(&program.vars) => work.push(s.to),
                Effect::None | Effect::Fence(_) => return false,
            }
        }
    }
    true
}

/// What comes after a store within its statement.
enum Following {
    /// Another store, after which the fence would be.
    Store,
    /// Something else that touches memory.
    Other,
}

fn follows(
    program: &Program,
    t: ThreadId,
    store: &Step,
    within: &dyn Fn(&Step) -> bool,
) -> Option<Following> {
    let thread = &program.threads[t];
    let mut seen = BTreeSet::new();
    let mut work = vec![store.to];
    let mut found = None;
    while let Some(at) = work.pop() {
        if !seen.insert(at) || at == store.from {
            continue;
        }
        for s in thread.steps.iter().filter(|s| s.from == at && within(s)) {
            if is_store(program, t, s) {
                return Some(Following::Store);
            }
            if s.is_visible(&program.vars) && !is_fence(program, t, s) {
                found = Some(Following::Other);
            }
            work.push(s.to);
        }
    }
    found
}

/// The program with fences at the chosen sites, and at no other. Locations keep their numbers.
pub fn place(program: &Program, sites: &[FenceSite], chosen: SiteSet) -> Program {
    let mut placed = program.clone();
    for (i, site) in sites.iter().enumerate() {
        if site.exists == has(chosen, i) {
            continue;
        }
        for (t, from, to) in &site.edges {
            let thread = &mut placed.threads[*t];
            if site.exists {
                let own = thread.steps.iter_mut();
                for s in own.filter(|s| (s.from, s.to) == (*from, *to)) {
                    if matches!(s.effect, Effect::Fence(_)) {
                        s.effect = Effect::None;
                    }
                }
                continue;
            }
            let before = thread.locations.push(Location {
                span: site.span,
                atomic: false,
            });
            let own = thread.steps.iter_mut();
            for s in own.filter(|s| (s.from, s.to) == (*from, *to)) {
                if s.effect == Effect::None {
                    s.to = before;
                }
            }
            thread.steps.push(Step {
                effect: Effect::Fence(Fence::C11(MemoryOrder::SeqCst)),
                ..Step::new(before, *to, site.span)
            });
        }
    }
    placed
}

/// Two programs are the same but for the numbers of locations, and for steps that do nothing. Where
/// steps are alike they may seem different.
pub fn same(a: &Program, b: &Program) -> bool {
    let variables = |p: &Program| -> Vec<_> {
        let all = p.vars.iter();
        all.map(|v| (v.name.clone(), v.kind, v.initial)).collect()
    };
    let fused = |p: &Program| {
        let mut p = p.clone();
        fuse(&mut p);
        p
    };
    let (a, b) = (fused(a), fused(b));
    let pairs = a.threads.iter().zip(b.threads.iter());
    a.threads.len() == b.threads.len()
        && variables(&a) == variables(&b)
        && pairs
            .into_iter()
            .all(|(s, t)| normal_form(s) == normal_form(t))
}

/// The steps of a thread as text, with locations numbered in the order in which they are met.
fn normal_form(thread: &Thread) -> Vec<String> {
    let text = |s: &Step| {
        let (from, effect) = (thread.locations[s.from].atomic, &s.effect);
        let ends = s.to == thread.end;
        format!("{from} {:?} {:?} {effect:?} {ends}", s.guard, s.updates)
    };
    let mut numbers = BTreeMap::from([(LocId(0), 0)]);
    let mut work = vec![LocId(0)];
    let mut all = Vec::new();
    while let Some(at) = work.pop() {
        let own = thread.steps.iter().filter(|s| s.from == at);
        let mut own: Vec<(String, LocId)> = own.map(|s| (text(s), s.to)).collect();
        own.sort();
        for (text, to) in own {
            let fresh = numbers.len();
            let number = *numbers.entry(to).or_insert_with(|| {
                work.push(to);
                fresh
            });
            all.push(format!("{} {number} {text}", numbers[&at]));
        }
    }
    all
}

/// Whether a site is in a set.
pub fn has(set: SiteSet, site: usize) -> bool {
    set >> site & 1 == 1
}

/// The sites without a fence at which a fence stops a run. The run is one of `reduced`, the program
/// with the fences `chosen` and with buffers.
pub fn stopping(reduced: &Program, run: &Run, sites: &[FenceSite], chosen: SiteSet) -> SiteSet {
    let waits = |t: ThreadId, i: usize| {
        let values = match i.checked_sub(1) {
            None => &run.start,
            Some(before) => &run.steps[before].1,
        };
        let own = reduced.buffers.iter().filter(|b| b.thread == t);
        own.into_iter().any(|b| values[b.count] != 0)
    };
    let mut found = 0;
    for (i, (m, _)) in run.steps.iter().enumerate() {
        let Move::Thread(t, _) = m else {
            continue;
        };
        let step = reduced.step(*m);
        let passed = sites
            .iter()
            .enumerate()
            .filter(|(n, site)| !has(chosen, *n) && site.edges.contains(&(*t, step.from, step.to)));
        for (n, site) in passed {
            // A fence after a store is there before the thread goes on.
            let mut later = run.steps.iter().enumerate().skip(i + 1);
            let next = later.find(|(_, (m, _))| matches!(m, Move::Thread(other, _) if other == t));
            let stops = match site.exists {
                true => waits(*t, i),
                false => next.is_some_and(|(j, _)| waits(*t, j)),
            };
            found |= u64::from(stops) << n;
        }
    }
    found
}
