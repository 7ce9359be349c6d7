//! What is asked of an execution that a model allows: which properties does it violate?
//!
//! Assertions and accesses threads notice by themselves. Data races and accesses to objects
//! that do not exist are relations beside the model (`cat::query`), evaluated as its axioms are. A
//! deadlock is an execution in which every thread has ended or waits forever; a leak is an object
//! that no thread has freed when all have ended.

use super::consistency::{ExecutionSkeleton, View};
use super::grace::never_ends;
use super::interpreter::Interpreter;
use super::lifetime::ALIVE;
use super::options::EnumerateOptions;
use super::result::Violated;
use super::trace::{ActionKind, Claim, End, ThreadTrace, Violated as Violation};
use base::source::Span;
use cat::eval::Evaluator;
use cat::model::Model;
use ir::program::{Claimed, NO_THREAD, PropertyKind};
use ir::property::asks_for_progress;
use std::collections::BTreeSet;

/// The models with the relations that are asked for; `None`: none are. `lifetimes` says whether objects
/// begin or end while there are other threads.
pub(super) fn with_queries(
    models: &[Model],
    checks: &[PropertyKind],
    lifetimes: bool,
) -> Option<Vec<Model>> {
    let race = checks.contains(&PropertyKind::Race);
    let robust = checks.contains(&PropertyKind::Robust);
    let with = |model: &Model| {
        let model = match race || lifetimes {
            true => cat::with_queries(model, race, lifetimes),
            false => model.clone(),
        };
        match robust {
            true => cat::with_robustness(&model),
            false => model,
        }
    };
    (race || lifetimes || robust).then(|| models.iter().map(with).collect())
}

impl Interpreter<'_> {
    /// Whether objects begin or end while there are other threads.
    pub(super) fn has_lifetimes(&self) -> bool {
        let mut events = self.traces.iter().flatten().flat_map(|t| &t.events);
        events.any(|e| matches!(e.kind, ActionKind::Lifetime(_)))
    }
}

/// What an execution violates. Where it violates what is not checked and leaves it undefined, that
/// alone counts.
pub(super) fn found(
    skeleton: &ExecutionSkeleton,
    view: &View,
    (model, evaluator): (&Model, &Evaluator),
    execution: &[usize],
    options: &EnumerateOptions,
) -> BTreeSet<Violated> {
    let checks = |kind| options.checks.contains(&kind);
    let claimed = misused(skeleton);
    let own = skeleton.traces().flat_map(|t| &t.violated);
    let own: Vec<&Violation> = own.chain(&claimed).collect();
    let fails = |kind| own.iter().any(|v| v.kind == kind);
    let mut out: BTreeSet<Violated> = own
        .iter()
        .map(|v| (v.kind, v.span, v.text.clone()))
        .collect();
    if let Some(race) = model.race {
        let pairs = view.pairs(evaluator, race);
        let mut real = pairs.iter().filter(|(a, b)| {
            let fails_before = |event: &usize| {
                let (trace, position) = skeleton.place(*event);
                let mut failed = trace.violated.iter();
                failed.any(|v| v.kind == PropertyKind::Assertion && v.position <= position)
            };
            ![a, b].into_iter().any(fails_before)
        });
        if let Some((a, b)) = real.next() {
            let text = "nothing orders two accesses of one place".to_string();
            out.insert((PropertyKind::Race, skeleton.span(*a.max(b)), text));
        }
    }
    let mut used = false;
    if let Some(lifetime) = model.lifetime
        && let Some((a, b)) = view.pairs(evaluator, lifetime).first()
    {
        used = true;
        let access = if skeleton.bounds_life(*b) { *a } else { *b };
        out.insert((
            PropertyKind::Memory,
            skeleton.span(access),
            ALIVE.to_string(),
        ));
    }
    if let Some(robust) = model.robust
        && let Some(first) = view.on_cycle(evaluator, robust)
    {
        let text = "no interleaving has this execution".to_string();
        out.insert((PropertyKind::Robust, skeleton.span(first), text));
    }
    if !fails(PropertyKind::Assertion) && asks_for_progress(&options.checks) {
        let (waits, spins) = no_progress(skeleton, execution);
        let mut add = |kind, span: Option<Span>, text: &str| {
            out.extend(
                span.filter(|_| checks(kind))
                    .map(|span| (kind, span, text.to_string())),
            );
        };
        add(PropertyKind::Deadlock, waits, "no thread can make progress");
        add(PropertyKind::Termination, spins, "a thread spins forever");
    }
    if checks(PropertyKind::Leak) && skeleton.traces().all(ThreadTrace::ended) {
        let freed: BTreeSet<&u64> = skeleton.traces().flat_map(|t| &t.freed).collect();
        let all = skeleton.traces().flat_map(|t| &t.allocated);
        let lost = all.filter(|(addr, _)| !freed.contains(addr));
        let text = "the memory allocated here is freed";
        out.extend(lost.map(|(_, span)| (PropertyKind::Leak, *span, text.to_string())));
    }
    let mut undefines = [PropertyKind::Memory, PropertyKind::Misuse].into_iter();
    let undefined =
        undefines.any(|kind| fails(kind) && !checks(kind)) || used && !checks(PropertyKind::Memory);
    let failed = fails(PropertyKind::Assertion) && !checks(PropertyKind::Assertion);
    out.retain(|(kind, _, _)| {
        let looks_before = matches!(
            kind,
            PropertyKind::Race
                | PropertyKind::Deadlock
                | PropertyKind::Termination
                | PropertyKind::Robust
        );
        // What a read from the end of an object returns means nothing.
        let means = !used || *kind == PropertyKind::Memory;
        // An indeterminate pointer leads anywhere: that it is used comes before.
        let defined = !undefined || *kind == PropertyKind::Uninitialised;
        !checks(*kind) || means && defined && (looks_before || !failed)
    });
    out
}

/// Claims of keys that are claimed already, and of handles that no thread has. Two threads claim in
/// either order; where a release may be in between, nothing is said.
fn misused(skeleton: &ExecutionSkeleton) -> Vec<Violation> {
    let all = || {
        let traces = skeleton.traces().enumerate();
        traces.flat_map(|(thread, t)| t.claims.iter().enumerate().map(move |c| (thread, c)))
    };
    let mut out = Vec::new();
    for (number, (thread, (at, claim))) in all().enumerate() {
        let Some((what, text)) = &claim.claims else {
            continue;
        };
        let mut violate = |text: &str| {
            out.push(Violation {
                kind: PropertyKind::Misuse,
                span: claim.span,
                text: text.to_string(),
                position: claim.position,
                taken: usize::MAX,
            });
        };
        if *what != Claimed::Object && !skeleton.traces().any(|t| t.handle == claim.key) {
            violate(NO_THREAD);
        }
        let same = |(_, (_, other)): &(usize, (usize, &Claim))| other.key == claim.key;
        let mut earlier = all().take(number).filter(same);
        let twice = earlier.any(|(first, (before, other))| {
            let mut releases = all().filter(same).filter(|(_, (_, c))| c.claims.is_none());
            let outside = |(t, (place, _)): (usize, (usize, &Claim))| {
                t == first && place < before || t == thread && place > at
            };
            other.claims.is_some() && releases.all(outside)
        });
        if twice {
            violate(text);
        }
    }
    out
}

/// If every thread has ended, waits forever or spins forever, and main has not returned: where a thread
/// waits, the others in loops that read something, and where one spins.
fn no_progress(skeleton: &ExecutionSkeleton, execution: &[usize]) -> (Option<Span>, Option<Span>) {
    if skeleton.traces().next().is_some_and(|main| main.returned) {
        return (None, None);
    }
    // Writes that leave what was there, and critical sections that do.
    let (mut writes, mut sections) = (BTreeSet::new(), BTreeSet::new());
    for (thread, trace) in skeleton.traces().enumerate() {
        if let End::Spins(spinning, _) = &trace.end {
            let all = match spinning.mutex {
                Some(_) => &mut sections,
                None => &mut writes,
            };
            all.extend(spinning.writes.iter().map(|at| (thread, *at)));
        }
    }
    let none = BTreeSet::new();
    let (mut waits, mut spins, mut is_await) = (None, None, true);
    for (thread, trace) in skeleton.traces().enumerate() {
        let is_last = |reads: &[usize], but| skeleton.reads_last(execution, (thread, reads), but);
        match &trace.end {
            End::Ended(_) => {}
            End::Waits(reads, span) if is_last(reads, &none) => {
                waits.get_or_insert(*span);
            }
            End::WaitsForReaders(domain, span) if never_ends(skeleton.traces(), *domain) => {
                waits.get_or_insert(*span);
            }
            End::Spins(spinning, span) => {
                let reads_mutex = |at: &usize| Some(trace.events[*at].addr) == spinning.mutex;
                let all = spinning.reads.iter().copied();
                let (mutex, others): (Vec<usize>, Vec<usize>) = all.partition(reads_mutex);
                if !is_last(&others, &writes) || !is_last(&mutex, &sections) {
                    return (None, None);
                }
                is_await &= spinning.is_await;
                spins.get_or_insert(*span);
            }
            _ => return (None, None),
        }
    }
    (waits.filter(|_| is_await), spins)
}
