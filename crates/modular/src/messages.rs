//! Message passing: a thread does something, then raises a flag, and another one that has seen the flag raised looks at
//! what was done.
//!
//! Some values of a location say that the flag is raised, and the first value is none of them. Let one thread alone store
//! them, and not access some memory any more when it has. Who has read one of them has read from such a store. If the
//! store releases and the read acquires, or both are under one lock, then all that the thread has done to that memory
//! happens before what comes behind the read.
//!
//! The thread is one alone if it is the only one of its kind, or has a lock that no thread gives back: that of
//! `pthread_once`. A thread that raises a flag when it has seen another one raised passes on what came before that.

use crate::analysis::Analysis;
use crate::graph::NodeId;
use crate::locks::Lock;
use crate::points_to::{Class, Offsets};
use crate::state::{Flag, Via};
use crate::threads::{Access, Change};
use crate::value::{At, StaticBytes, ValId};
use ir::program::{Expr, Program};
use std::collections::BTreeSet;

/// So many flags pass a message on, one behind the other, at most.
const LONGEST: usize = 4;

/// Whether an access happens before what another thread does that has seen a flag; a flag that is 0 or another small number
/// at first.
pub fn is_passed_on(
    program: &Program,
    analysis: &Analysis,
    access: &Access,
    flag: &Flag,
    lock: &dyn Fn(ValId) -> Lock,
) -> bool {
    let messages = Messages {
        program,
        analysis,
        lock,
    };
    messages.pass_on(access, flag, LONGEST)
}

/// What messages are of.
struct Messages<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    lock: &'a dyn Fn(ValId) -> Lock,
}

impl Messages<'_> {
    fn pass_on(&self, access: &Access, flag: &Flag, most: usize) -> bool {
        let Messages {
            program,
            analysis,
            lock,
        } = *self;
        if most == 0 {
            return false;
        }
        let values = &analysis.threads.values;
        let is_static = |lock: ValId| values.static_bytes(lock, 1).is_some();
        if let Via::Lock(with) = flag.via
            && (!is_static(with) || lock(with) == Lock::None)
        {
            return false;
        }
        if !is_down_at_first(program, flag) {
            return false;
        }
        let kept: Vec<ValId> = match analysis.points_to.many[access.at.0] {
            false => Vec::new(),
            true => {
                let held = access.held.iter().copied();
                held.filter(|l| lock(*l) == Lock::Mutex && is_never_free(analysis, *l))
                    .collect()
            }
        };
        let is_by_the_same = |write: &Access| {
            write.at.0 == access.at.0
                && (!analysis.points_to.many[access.at.0]
                    || kept.iter().any(|lock| write.held.contains(lock)))
        };
        let mut raises = writes(analysis, flag.bytes).filter(|w| !leaves_down(w, flag.not));
        raises.all(|write| {
            let publishes = match (flag.via, write.write) {
                (Via::Acquire, Some((_, releases))) => releases,
                (Via::Acquire, None) => false,
                (Via::Lock(with), _) => write.held.contains(&with),
            };
            let is_whole = values.static_bytes(write.addr, flag.bytes.2) == Some(flag.bytes)
                && write.size == Some(flag.bytes.2);
            let is_direct = || is_by_the_same(write) && !comes_to(analysis, write.at, access.at.1);
            let is_passed = || {
                write
                    .seen
                    .iter()
                    .any(|other| self.pass_on(access, other, most - 1))
            };
            publishes && is_whole && (is_direct() || is_passed())
        })
    }
}

/// Whether a location is one for all threads that has one of the values of a flag that is not raised when the program
/// begins.
fn is_down_at_first(program: &Program, flag: &Flag) -> bool {
    let (g, offset, size) = flag.bytes;
    let global = &program.globals[g];
    if global.thread_local || program.undefined.contains_key(&g) {
        return false;
    }
    let is_apart = |at: u64, bytes: u64| at + bytes <= offset || offset + size <= at;
    let mut here = global
        .init
        .iter()
        .filter(|(at, width, _)| !is_apart(*at, u64::from(*width) / 8));
    let first = match (here.next(), here.next()) {
        (None, _) => Some(0),
        (Some((at, width, Expr::Const { value, .. })), None)
            if *at == offset && u64::from(*width) == 8 * size =>
        {
            Some(*value)
        }
        _ => None,
    };
    first.is_some_and(|first| is_one_of(first, flag.not))
}

/// Whether an access may raise a flag.
pub fn raises(analysis: &Analysis, access: &Access, flag: &Flag) -> bool {
    is_write_to(analysis, access, flag.bytes) && !leaves_down(access, flag.not)
}

fn is_one_of(value: u64, values: u8) -> bool {
    value < 8 && values >> value & 1 == 1
}

/// Whether what a write leaves is one of some values.
fn leaves_down(write: &Access, values: u8) -> bool {
    match write.write {
        Some((Change::Number(number), _)) => is_one_of(number, values),
        Some((Change::Take(Some(number)), _)) => is_one_of(number, values),
        _ => false,
    }
}

/// Whether no thread gives a lock back that one has.
fn is_never_free(analysis: &Analysis, lock: ValId) -> bool {
    let values = &analysis.threads.values;
    let takes = |a: &&Access| a.addr == lock && matches!(a.write, Some((Change::Take(_), _)));
    let all = || analysis.conducts.iter().flat_map(|c| &c.accesses);
    let Some(bytes) = all()
        .find(takes)
        .and_then(|a| values.static_bytes(lock, a.size?))
    else {
        return false;
    };
    let mut writes = writes(analysis, bytes);
    writes.all(|w| {
        let change = w.write.map(|(change, _)| change);
        w.addr == lock
            && matches!(
                change,
                Some(Change::Take(_) | Change::Number(1..) | Change::NotZero)
            )
    })
}

/// All writes that may concern some bytes.
fn writes(analysis: &Analysis, bytes: StaticBytes) -> impl Iterator<Item = &Access> {
    let all = analysis.conducts.iter().flat_map(|c| &c.accesses);
    all.filter(move |access| is_write_to(analysis, access, bytes))
}

fn is_write_to(analysis: &Analysis, access: &Access, (g, offset, size): StaticBytes) -> bool {
    let here = Offsets {
        rest: offset,
        modulus: 0,
    };
    let of = analysis.points_to.of(&analysis.threads.values, access.addr);
    let mut offsets = of.objects.get(&Class::Global(g)).into_iter().flatten();
    let is_write = access.write.is_some() || access.size.is_none();
    let overlaps = |there: &Offsets| here.overlap(Some(size), *there, access.size);
    is_write && (of.number || offsets.any(overlaps))
}

/// Whether a thread may come from one point to another.
fn comes_to(analysis: &Analysis, from: At, to: NodeId) -> bool {
    let graph = &analysis.threads.graphs[from.0];
    let mut seen = BTreeSet::new();
    let mut open = vec![from.1];
    while let Some(node) = open.pop() {
        for (_, next) in &graph.next[node] {
            if *next == to {
                return true;
            }
            if seen.insert(*next) {
                open.push(*next);
            }
        }
    }
    false
}
