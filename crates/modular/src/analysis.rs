//! What all kinds of threads do, where each is followed with what the others do, and which may run side by side.

use crate::answer::Unproved;
use crate::flow::follow;
use crate::graph::Targets;
use crate::points_to::{Class, Offsets, PointsTo, is_once};
use crate::state::Started;
use crate::threads::{Access, Conduct, Threads};
use crate::value::{At, KindId, StaticBytes, Sym, SymId};
use base::idx::{Id, IdVec};
use ir::program::Program;
use std::collections::BTreeMap;

/// How often all kinds of threads are followed at most.
const MOST_ROUNDS: usize = 40;

/// See the file's head.
pub struct Analysis {
    /// The kinds of threads.
    pub threads: Threads,
    /// Which objects values are addresses of.
    pub points_to: PointsTo,
    /// What each kind does.
    pub conducts: IdVec<KindId, Conduct>,
}

/// A kind of thread at some point, with the threads that it has started.
pub type Running<'a> = (KindId, &'a BTreeMap<KindId, Started>);

impl Access {
    /// The thread that makes it.
    pub fn by(&self) -> Running<'_> {
        (self.at.0, &self.started)
    }
}

impl Analysis {
    /// Follows all kinds of threads of a program until nothing changes, calls through pointers included.
    ///
    /// # Errors
    /// What is not supported, an address that is not known, an interruption.
    pub fn new(program: &Program, interrupt: &dyn Fn() -> bool) -> Result<Analysis, Unproved> {
        let mut targets = Targets::default();
        loop {
            let analysis = Analysis::of_targets(program, &targets, interrupt)?;
            let mut more = false;
            let mut unknown = None;
            for (call, pointer, span) in analysis.conducts.iter().flat_map(|c| &c.calls) {
                let known = targets.entry(*call).or_default();
                let of = analysis.points_to.of(&analysis.threads.values, *pointer);
                if of.number || of.procs.is_empty() {
                    unknown = Some(*span);
                }
                for proc in of.procs {
                    more |= known.insert(proc);
                }
            }
            match unknown {
                _ if more => {}
                Some(span) => return Err(Unproved::Address(span)),
                None => return Ok(analysis),
            }
        }
    }

    fn of_targets(
        program: &Program,
        targets: &Targets,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Analysis, Unproved> {
        let main = program.main.expect("a program that runs has a main");
        let mut threads = Threads::default();
        threads.kind(program, main, None, targets)?;
        let mut points_to = PointsTo::new(program);
        for _ in 0..MOST_ROUNDS {
            let mut conducts: IdVec<KindId, Conduct> = IdVec::default();
            let before = threads.kinds.len();
            while conducts.len() < threads.kinds.len() {
                let kind = conducts.next_id();
                let conduct = follow(
                    program,
                    kind,
                    &mut threads,
                    &points_to,
                    (targets, interrupt),
                )?;
                conducts.push(conduct);
            }
            let changed = points_to.update(program, &threads, &conducts);
            if !changed && threads.kinds.len() == before {
                return Ok(Analysis {
                    threads,
                    points_to,
                    conducts,
                });
            }
        }
        Err(Unproved::TooLarge)
    }

    /// The kinds from main to one, each of which creates the next.
    fn chain(&self, kind: KindId) -> Vec<KindId> {
        let mut chain = vec![kind];
        while let Some((of, _)) = self.threads.kinds[*chain.last().expect("not empty")].creation {
            chain.push(of);
        }
        chain.reverse();
        chain
    }

    /// Whether two threads, different ones, may be at two points side by side.
    pub fn are_concurrent(&self, (x, a): Running, (y, b): Running) -> bool {
        let many = &self.points_to.many;
        let lives = |started: &BTreeMap<KindId, Started>, child: KindId, kind: KindId| {
            let Some(started) = started.get(&child) else {
                return false;
            };
            match child == kind {
                true => started.runs(),
                false => started.ever,
            }
        };
        let none = BTreeMap::new();
        let before = |parent: KindId, child: KindId| {
            let creation = self.conducts[parent].creations.get(&child);
            creation.map_or(&none, |creation| &creation.started)
        };
        if x == y {
            let Some((parent, _)) = self.threads.kinds[x].creation else {
                return false;
            };
            return many[x] && (many[parent] || lives(before(parent, x), x, x));
        }
        let (p, q) = (self.chain(x), self.chain(y));
        let common = p.iter().zip(&q).take_while(|(a, b)| a == b).count();
        let parent = p[common - 1];
        if many[parent] {
            return true;
        }
        match (p.get(common), q.get(common)) {
            (None, Some(child)) => lives(a, *child, y),
            (Some(child), None) => lives(b, *child, x),
            (Some(one), Some(other)) => {
                lives(before(parent, *other), *one, x) || lives(before(parent, *one), *other, y)
            }
            (None, None) => unreachable!("two kinds differ"),
        }
    }

    /// The accesses that may write some bytes, or end their object, since there are threads.
    pub fn writes_beside_threads(
        &self,
        (g, offset, size): StaticBytes,
    ) -> impl Iterator<Item = &Access> {
        let here = Offsets {
            modulus: 0,
            rest: offset,
        };
        let all = self.conducts.iter().flat_map(|c| &c.accesses);
        all.filter(move |a| {
            let of = self.points_to.of(&self.threads.values, a.addr);
            let mut offsets = of.objects.get(&Class::Global(g)).into_iter().flatten();
            let is_write = a.write.is_some() || a.size.is_none();
            is_write
                && !a.is_before_threads()
                && (of.number || offsets.any(|there| here.overlap(Some(size), *there, a.size)))
        })
    }

    /// Whether main has created a thread before a point, or it is one of another thread.
    pub fn has_company(&self, at: At) -> bool {
        let point = self.conducts[at.0].points.get(&at.1);
        at.0.index() > 0 || point.is_some_and(|p| p.started.values().any(|s| s.ever))
    }

    /// Whether a value is one for all threads.
    pub fn is_common(&self, sym: SymId) -> bool {
        let many = &self.points_to.many;
        match self.threads.values.of_sym(sym) {
            Sym::Global(_) | Sym::Proc(_) => true,
            Sym::ThreadLocal(kind, _) | Sym::Itself(kind) | Sym::Argument(kind) => !many[*kind],
            Sym::Phi(at, ..)
            | Sym::Result(at)
            | Sym::Done(at)
            | Sym::Object(at)
            | Sym::Thread(at) => is_once(&self.threads, many, *at),
            Sym::Initial(..) | Sym::Count(_) | Sym::ThreadOfCount(..) | Sym::AnyCount => false,
            Sym::Term(_, operands) => operands.iter().all(|o| {
                let mut terms = self.threads.values.of(*o).terms.iter();
                terms.all(|(sym, _)| self.is_common(*sym))
            }),
        }
    }
}
