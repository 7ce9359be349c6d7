//! Embedding of the processes of one cube in another: the first part of subsumption, the same in
//! both domains.
//!
//! Most pairs are told apart by signatures: bits for what a cube mentions, once for the whole and
//! once for each process. What a subsuming cube *requires* the other one must *provide*. Only then
//! are embeddings tried, one process at a time, the one with the fewest candidates first: distinct
//! processes for distinct ones, constants for themselves, each literal without reads as soon as its
//! processes are embedded. Reads are embedded after that, as the domain wants; each literal is
//! looked at when its last one is.
//!
//! Literals follow as the built-in theory says ([`crate::theory::closure`]). Those that it
//! may miss are put off until all else fits; then the SMT solver is asked
//! ([`crate::theory::query`]).

use crate::cube::any::AnyCube;
use crate::cube::literals::{
    Base, BaseKind, Conj, LinearLiteral, Literal, bases_of_lit, rename_lin, rename_lit,
};
use crate::cube::timestamp::{MAX_PROCS, Timestamps, each};
use crate::cube::tso::Cube;
use crate::theory::closure::{Closed, close};
use crate::theory::context::SystemContext;
use crate::theory::incompleteness::Incompleteness;
use crate::theory::query::{EntailmentQuery, all_of};
use base::idx::position;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A cube prepared for both sides of subsumption.
#[derive(Clone, Debug)]
pub struct Prepared<C = Cube> {
    /// The cube.
    pub cube: C,
    closed: Closed,
    /// What the theory may miss of it.
    fallback: Option<Arc<SolverFallback>>,
    /// For each literal when it can be looked at.
    prerequisites: Vec<Prerequisite>,
    /// What a cube that this one subsumes must mention.
    required: Signature,
    /// What it mentions.
    provided: Signature,
}

/// What the theory may miss of a cube, and what the solver has said of it.
#[derive(Debug)]
struct SolverFallback {
    incompleteness: Incompleteness,
    answers: Mutex<FxHashMap<Conj, bool>>,
}

/// What is mentioned, in the whole cube and with each process.
#[derive(Clone, Debug)]
struct Signature {
    all: u128,
    of: Vec<u64>,
}

/// What must be embedded before a literal can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Prerequisite {
    /// A set of processes.
    Procs(u32),
    /// The reads up to this one.
    Read(u8),
}

fn bit128(a: u64, b: u64) -> u128 {
    1 << (mix(a, b) & 127)
}

fn bit64(a: u64, b: u64) -> u64 {
    1 << (mix(a, b) & 63)
}

/// Tells marks from values of literals.
const MARK: u64 = 1 << 32;

fn mix(a: u64, b: u64) -> u64 {
    let x = (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

/// The kind of a base without its processes.
fn head(cube: &impl AnyCube, b: Base) -> u64 {
    match b.kind() {
        BaseKind::Cell(s, ..) => u64::from(s.0) << 2 | 1,
        BaseKind::Read(k) => match cube.reads()[usize::from(k)].cell.kind() {
            BaseKind::Cell(s, ..) => u64::from(s.0) << 2 | 2,
            _ => 3,
        },
        _ => 0,
    }
}

impl Signature {
    fn new(procs: u8) -> Signature {
        Signature {
            all: 0,
            of: vec![0; usize::from(procs)],
        }
    }

    /// The base is one of some constructors, or this one.
    fn add(&mut self, cube: &impl AnyCube, b: Base, one: Option<u32>) {
        let h = head(cube, b);
        let value = one.map(|v| u64::from(v) + 1);
        if let Some(value) = value {
            self.all |= bit128(h, value);
        }
        let (first, second) = match b.kind() {
            BaseKind::Cell(_, i, j) => (Some(i), Some(j)),
            BaseKind::Read(k) => (Some(cube.reads()[usize::from(k)].by), None),
            _ => (None, None),
        };
        for (at, p) in [(1u64, first), (2, second)] {
            if let Some(of) = p.and_then(|p| self.of.get_mut(usize::from(p))) {
                *of |= bit64(h << 2 | at, 0) | value.map_or(0, |v| bit64(h << 2 | at, v));
            }
        }
    }

    fn mark(&mut self, of: Option<u8>, mark: u64) {
        match of {
            None => self.all |= bit128(mark, MARK),
            Some(p) => self.of[usize::from(p)] |= bit64(mark, MARK),
        }
    }
}

fn prerequisite(l: &Literal) -> Prerequisite {
    let read = bases_of_lit(l).filter_map(|b| match b.kind() {
        BaseKind::Read(k) => Some(k),
        _ => None,
    });
    match read.max() {
        Some(k) => Prerequisite::Read(k),
        None => {
            let procs = bases_of_lit(l).flat_map(Base::processes);
            Prerequisite::Procs(procs.fold(0, |set, p| set | 1 << p))
        }
    }
}

/// Closes a cube and computes its signatures; nothing when it is empty.
pub fn prepare<C: AnyCube>(context: &SystemContext, cube: C) -> Option<Prepared<C>> {
    let (conj, reads) = (cube.conj(), cube.reads());
    let domain = |b: Base| context.domain(reads, b);
    let facts = context.facts(&domain, cube.procs());
    let closed = close(conj, &facts)?;
    let fallback = Incompleteness::of(&closed, &facts).map(|incompleteness| {
        let answers = Mutex::default();
        Arc::new(SolverFallback {
            incompleteness,
            answers,
        })
    });
    let (mut required, mut provided) = (Signature::new(cube.procs()), Signature::new(cube.procs()));
    // Linear literals imply differences; whether they imply what is required is seen later.
    for (_, b) in conj.lins.iter().flat_map(|l| &l.lin.terms) {
        provided.all |= bit128(head(&cube, *b), 0);
    }
    for l in &conj.lits {
        for b in bases_of_lit(l) {
            let h = head(&cube, b);
            if h != 0 {
                provided.all |= bit128(h, 0);
                required.all |= bit128(h, 0);
            }
        }
        if let Literal::In(b, m) = *l {
            let one = m.is_power_of_two().then(|| m.trailing_zeros());
            required.add(&cube, b, one);
            provided.add(&cube, b, one);
        }
    }
    // Where the theory is incomplete, what remains of several constructors may be any one of them.
    for b in fallback.iter().flat_map(|g| &g.incompleteness.values) {
        let mask = closed.mask(*b, &domain);
        if mask != u128::MAX {
            let values = (0..u128::BITS).filter(|v| mask >> v & 1 == 1);
            values.for_each(|v| provided.add(&cube, *b, Some(v)));
        }
    }
    cube.marks(&mut |of, mark| {
        provided.mark(of, mark);
        required.mark(of, mark);
    });
    let prerequisites = conj.lits.iter().map(prerequisite).collect();
    Some(Prepared {
        cube,
        closed,
        fallback,
        prerequisites,
        required,
        provided,
    })
}

impl<C: AnyCube> Prepared<C> {
    /// The same, taken for a cube of which the theory misses nothing.
    #[cfg(test)]
    pub fn taken_as_complete(self) -> Prepared<C> {
        Prepared {
            fallback: None,
            ..self
        }
    }

    /// A look at signatures does not rule out that this subsumes `small`.
    pub fn may_subsume(&self, small: &Prepared<C>) -> bool {
        self.required.all & !small.provided.all == 0 && self.cube.procs() <= small.cube.procs()
    }
}

/// Processes of one cube as those of another.
pub type Procs = [u8; MAX_PROCS as usize];

/// Puts processes of `small` for those of `big` such that the literals without reads follow; true
/// as soon as the `rest` is for one way to do it.
pub fn embed_processes<C: AnyCube>(
    context: &SystemContext,
    big: &Prepared<C>,
    small: &Prepared<C>,
    rest: impl FnMut(&Procs) -> bool,
) -> bool {
    let mut search = ProcessEmbedding {
        context,
        big,
        small,
        procs: [0; MAX_PROCS as usize],
        rest,
    };
    search.follow(|procs| procs == 0)
        && (search.candidates()).is_some_and(|c| search.process(&c, 0, 0))
}

/// For each process of one cube, a set of those of another.
type Candidates = [u32; MAX_PROCS as usize];

struct ProcessEmbedding<'a, C, R> {
    context: &'a SystemContext<'a>,
    big: &'a Prepared<C>,
    small: &'a Prepared<C>,
    procs: Procs,
    rest: R,
}

impl<C: AnyCube, R: FnMut(&Procs) -> bool> ProcessEmbedding<'_, C, R> {
    /// For each process of `big` those of `small` that it may be, as far as it alone is concerned;
    /// nothing when one may be none.
    fn candidates(&mut self) -> Option<Candidates> {
        let fixed = self.context.system.fixed;
        let mut all = [0; MAX_PROCS as usize];
        for p in 0..self.big.cube.procs() {
            let at = usize::from(p);
            let required = self.big.required.of[at];
            for q in 0..self.small.cube.procs() {
                let to = usize::from(q);
                if (p < fixed || q < fixed) && p != q || required & !self.small.provided.of[to] != 0
                {
                    continue;
                }
                self.procs[at] = q;
                if self.follow(|procs| procs == 1 << p) {
                    all[at] |= 1 << q;
                }
            }
            if all[at] == 0 {
                return None;
            }
        }
        Some(all)
    }

    /// Puts processes of `small` for those of `big` that are not `embedded` yet, the one with the
    /// fewest candidates first.
    fn process(&mut self, candidates: &Candidates, embedded: u32, used: u32) -> bool {
        let left = (0..self.big.cube.procs()).filter(|p| embedded >> p & 1 == 0);
        let free = |p: &u8| candidates[usize::from(*p)] & !used;
        let Some(p) = left.min_by_key(|p| free(p).count_ones()) else {
            return (self.rest)(&self.procs);
        };
        let now = embedded | 1 << p;
        let mut rest = free(&p);
        while rest != 0 {
            let q = rest.trailing_zeros();
            rest &= rest - 1;
            self.procs[usize::from(p)] = position(q as usize);
            let settled = |procs: u32| procs >> p & 1 == 1 && procs & !now == 0;
            if self.follow(settled) && self.process(candidates, now, used | 1 << q) {
                return true;
            }
        }
        false
    }

    /// The literals that need certain sets of processes follow.
    fn follow(&self, which: impl Fn(u32) -> bool) -> bool {
        let looked_at = |n: &Prerequisite| matches!(n, Prerequisite::Procs(set) if which(*set));
        follow(
            self.context,
            self.big,
            self.small,
            looked_at,
            (&self.procs, &[]),
        )
    }
}

/// One cube put in another, as far as that is done: processes, reads and timestamps of `big` as those
/// of `small`.
pub struct Embedding<'a, C> {
    /// The system.
    pub context: &'a SystemContext<'a>,
    /// The cube that may subsume.
    pub big: &'a Prepared<C>,
    /// The cube that may be subsumed.
    pub small: &'a Prepared<C>,
    /// Processes.
    pub procs: Procs,
    /// Reads.
    pub reads: [u8; 64],
    /// Timestamps.
    pub timestamps: [u8; 64],
}

impl<'a, C: AnyCube> Embedding<'a, C> {
    /// Nothing is put yet.
    pub fn new(
        context: &'a SystemContext<'a>,
        big: &'a Prepared<C>,
        small: &'a Prepared<C>,
    ) -> Embedding<'a, C> {
        Embedding {
            context,
            big,
            small,
            procs: [0; MAX_PROCS as usize],
            reads: [0; 64],
            timestamps: [0; 64],
        }
    }

    /// A base of `big` as that of `small`.
    pub fn rename(&self, b: Base) -> Base {
        b.rename(&self.procs, &self.reads)
    }

    /// The set of `big`, each timestamp put, is within that of `small`.
    pub fn within(&self, big: Timestamps, small: Timestamps) -> bool {
        each(big).all(|p| small >> self.timestamps[p] & 1 == 1)
    }

    /// The literals follow whose last read is the one at position `k`, or may.
    pub fn read_literals_follow(&self, k: usize) -> bool {
        let looked_at =
            |n: &Prerequisite| matches!(n, Prerequisite::Read(last) if usize::from(*last) == k);
        let names = (&self.procs[..], &self.reads[..]);
        follow(self.context, self.big, self.small, looked_at, names)
    }

    /// The linear literals follow, or may.
    pub fn linear_literals_follow(&self) -> bool {
        let fallback = self.small.fallback.as_ref();
        let may_miss =
            |l: &LinearLiteral| fallback.is_some_and(|g| g.incompleteness.may_miss_lin(l));
        let sums = self.big.cube.conj().lins.iter();
        let mut sums = sums.map(|l| rename_lin(l, &|b| self.rename(b)));
        sums.all(|l| self.small.closed.implies_lin(&l) || may_miss(&l))
    }

    /// What the theory may have missed follows, as the SMT solver says when all else fits.
    pub fn solver_entails(&self) -> bool {
        let Embedding {
            context,
            big,
            small,
            ..
        } = *self;
        let Some(fallback) = &small.fallback else {
            return true;
        };
        let domain = |b: Base| context.domain(small.cube.reads(), b);
        let f = |b: Base| self.rename(b);
        let conj = big.cube.conj();
        let mut lits: Vec<Literal> = conj.lits.iter().map(|l| rename_lit(l, &f)).collect();
        let mut lins: Vec<LinearLiteral> = conj.lins.iter().map(|l| rename_lin(l, &f)).collect();
        lits.retain(|l| !small.closed.implies(l, &domain));
        lins.retain(|l| !small.closed.implies_lin(l));
        if lits.is_empty() && lins.is_empty() {
            return true;
        }
        let missed = Conj { lits, lins };
        let answers = || {
            fallback
                .answers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(answer) = answers().get(&missed) {
            return *answer;
        }
        // A solver of its own, so that the answer does not depend on what was asked before.
        let known = all_of(small.cube.conj());
        let reads = small.cube.reads().to_vec();
        let mut query = EntailmentQuery::new(context, reads, small.cube.procs(), known);
        let answer = missed.lits.iter().all(|l| query.implies(l))
            && missed.lins.iter().all(|l| query.implies_lin(l));
        answers().insert(missed, answer);
        answer
    }
}

fn follow<C: AnyCube>(
    context: &SystemContext,
    big: &Prepared<C>,
    small: &Prepared<C>,
    looked_at: impl Fn(&Prerequisite) -> bool,
    (procs, reads): (&[u8], &[u8]),
) -> bool {
    let domain = |b: Base| context.domain(small.cube.reads(), b);
    let f = |b: Base| b.rename(procs, reads);
    let fallback = small.fallback.as_ref();
    let may_miss =
        |l: &Literal| fallback.is_some_and(|h| h.incompleteness.may_miss(&small.closed, l));
    let mut lits = big.cube.conj().lits.iter().zip(&big.prerequisites);
    lits.all(|(l, prerequisite)| {
        !looked_at(prerequisite) || {
            let l = rename_lit(l, &f);
            small.closed.implies(&l, &domain) || may_miss(&l)
        }
    })
}
