//! Which processes of one cube may be those of another: the first part of the question whether every
//! situation of one is also one of the other, the same in all strategies.
//!
//! Most pairs are told apart by signatures: bits for what a cube mentions, once for the whole and
//! once for each process. Only then are assignments of processes tried, one process at a time, the
//! one with the fewest candidates first: distinct processes for distinct ones, constants for
//! themselves, each literal without reads as soon as its processes have their places. Reads have
//! theirs after that, as the strategy wants; each literal is looked at when its last one has.
//!
//! Literals follow as the built-in theory says ([`crate::param::theory::closure`]). Those that it may miss are put
//! off until all else fits; then the SMT solver is asked ([`crate::param::theory::query`]).

use crate::base::idx::position;
use crate::param::cube::any::AnyCube;
use crate::param::cube::literals::{
    Base, Conj, Kind, LinLit, Lit, bases_of_lit, rename_lin, rename_lit,
};
use crate::param::cube::timestamp::MAX_PROCS;
use crate::param::cube::tso::Cube;
use crate::param::theory::closure::{Closed, close};
use crate::param::theory::incompleteness::Gaps;
use crate::param::theory::model::Model;
use crate::param::theory::query::{Question, all_of};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A cube prepared for both sides of the question.
#[derive(Clone, Debug)]
pub struct Prepared<C = Cube> {
    /// The cube.
    pub cube: C,
    closed: Closed,
    /// What the theory may miss of it.
    gaps: Option<Arc<Hidden>>,
    /// For each literal when it can be looked at.
    needs: Vec<Need>,
    /// What the cube asks of one that it covers.
    asks: Bits,
    /// What it has to offer.
    has: Bits,
}

/// What the theory may miss of a cube, and what has been asked of it.
#[derive(Debug)]
struct Hidden {
    gaps: Gaps,
    answers: Mutex<FxHashMap<Conj, bool>>,
}

/// What is mentioned, in the whole cube and with each process.
#[derive(Clone, Debug)]
struct Bits {
    all: u128,
    of: Vec<u64>,
}

/// What must have a place before a literal can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
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
        Kind::Cell(s, ..) => u64::from(s.0) << 2 | 1,
        Kind::Read(k) => match cube.reads()[usize::from(k)].cell.kind() {
            Kind::Cell(s, ..) => u64::from(s.0) << 2 | 2,
            _ => 3,
        },
        _ => 0,
    }
}

impl Bits {
    fn new(procs: u8) -> Bits {
        Bits {
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
            Kind::Cell(_, i, j) => (Some(i), Some(j)),
            Kind::Read(k) => (Some(cube.reads()[usize::from(k)].by), None),
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

fn need(l: &Lit) -> Need {
    let read = bases_of_lit(l).filter_map(|b| match b.kind() {
        Kind::Read(k) => Some(k),
        _ => None,
    });
    match read.max() {
        Some(k) => Need::Read(k),
        None => {
            let procs = bases_of_lit(l).flat_map(Base::processes);
            Need::Procs(procs.fold(0, |set, p| set | 1 << p))
        }
    }
}

/// Closes a cube and computes its signatures; nothing when it is empty.
pub fn prepare<C: AnyCube>(model: &Model, cube: C) -> Option<Prepared<C>> {
    let (conj, reads) = (cube.conj(), cube.reads());
    let domain = |b: Base| model.domain(reads, b);
    let facts = model.facts(&domain, cube.procs());
    let closed = close(conj, &facts)?;
    let gaps = Gaps::of(&closed, &facts).map(|gaps| {
        let answers = Mutex::default();
        Arc::new(Hidden { gaps, answers })
    });
    let (mut asks, mut has) = (Bits::new(cube.procs()), Bits::new(cube.procs()));
    // Linear literals imply differences; whether they imply what is asked is seen later.
    for (_, b) in conj.lins.iter().flat_map(|l| &l.lin.terms) {
        has.all |= bit128(head(&cube, *b), 0);
    }
    for l in &conj.lits {
        for b in bases_of_lit(l) {
            let h = head(&cube, b);
            if h != 0 {
                has.all |= bit128(h, 0);
                asks.all |= bit128(h, 0);
            }
        }
        if let Lit::In(b, m) = *l {
            let one = m.is_power_of_two().then(|| m.trailing_zeros());
            asks.add(&cube, b, one);
            has.add(&cube, b, one);
        }
    }
    // Where the theory has gaps, what remains of several constructors may be any one of them.
    for b in gaps.iter().flat_map(|g| &g.gaps.values) {
        let mask = closed.mask(*b, &domain);
        if mask != u128::MAX {
            let values = (0..u128::BITS).filter(|v| mask >> v & 1 == 1);
            values.for_each(|v| has.add(&cube, *b, Some(v)));
        }
    }
    cube.marks(&mut |of, mark| {
        has.mark(of, mark);
        asks.mark(of, mark);
    });
    let needs = conj.lits.iter().map(need).collect();
    Some(Prepared {
        cube,
        closed,
        gaps,
        needs,
        asks,
        has,
    })
}

impl<C: AnyCube> Prepared<C> {
    /// The same, taken for a cube of which the theory misses nothing.
    #[cfg(test)]
    pub fn without_gaps(self) -> Prepared<C> {
        Prepared { gaps: None, ..self }
    }

    /// A look at signatures does not rule out that this covers `small`.
    pub fn may_cover(&self, small: &Prepared<C>) -> bool {
        self.asks.all & !small.has.all == 0 && self.cube.procs() <= small.cube.procs()
    }
}

/// Processes of one cube as those of another.
pub type Procs = [u8; MAX_PROCS as usize];

/// Puts processes of `small` for those of `big` such that the literals without reads follow; true as
/// soon as the `rest` is for one way to do it.
pub fn place<C: AnyCube>(
    model: &Model,
    big: &Prepared<C>,
    small: &Prepared<C>,
    rest: impl FnMut(&Procs) -> bool,
) -> bool {
    let mut search = Placing {
        model,
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

struct Placing<'a, C, R> {
    model: &'a Model<'a>,
    big: &'a Prepared<C>,
    small: &'a Prepared<C>,
    procs: Procs,
    rest: R,
}

impl<C: AnyCube, R: FnMut(&Procs) -> bool> Placing<'_, C, R> {
    /// For each process of `big` those of `small` that it may be, as far as it alone is concerned;
    /// nothing when one may be none.
    fn candidates(&mut self) -> Option<Candidates> {
        let fixed = self.model.system.fixed;
        let mut all = [0; MAX_PROCS as usize];
        for p in 0..self.big.cube.procs() {
            let at = usize::from(p);
            let ask = self.big.asks.of[at];
            for q in 0..self.small.cube.procs() {
                let to = usize::from(q);
                if (p < fixed || q < fixed) && p != q || ask & !self.small.has.of[to] != 0 {
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

    /// Puts processes of `small` for those of `big` that are not `placed` yet, the one with the
    /// fewest candidates first.
    fn process(&mut self, candidates: &Candidates, placed: u32, used: u32) -> bool {
        let left = (0..self.big.cube.procs()).filter(|p| placed >> p & 1 == 0);
        let free = |p: &u8| candidates[usize::from(*p)] & !used;
        let Some(p) = left.min_by_key(|p| free(p).count_ones()) else {
            return (self.rest)(&self.procs);
        };
        let now = placed | 1 << p;
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
        let looked_at = |n: &Need| matches!(n, Need::Procs(set) if which(*set));
        follow(
            self.model,
            self.big,
            self.small,
            looked_at,
            (&self.procs, &[]),
        )
    }
}

/// The literals follow whose last read is the one at position `k`, or may; processes and reads are
/// called as told.
pub fn reads_follow<C: AnyCube>(
    model: &Model,
    big: &Prepared<C>,
    small: &Prepared<C>,
    k: usize,
    names: (&[u8], &[u8]),
) -> bool {
    let looked_at = |n: &Need| matches!(n, Need::Read(last) if usize::from(*last) == k);
    follow(model, big, small, looked_at, names)
}

/// The linear literals follow, or may.
pub fn sums_follow<C: AnyCube>(
    big: &Prepared<C>,
    small: &Prepared<C>,
    (procs, reads): (&[u8], &[u8]),
) -> bool {
    let f = |b: Base| b.rename(procs, reads);
    let may_hide = |l: &LinLit| small.gaps.as_ref().is_some_and(|g| g.gaps.may_hide_lin(l));
    let mut sums = big.cube.conj().lins.iter().map(|l| rename_lin(l, &f));
    sums.all(|l| small.closed.implies_lin(&l) || may_hide(&l))
}

/// What the theory may have missed follows, as the SMT solver says when all else fits.
pub fn hidden_follow<C: AnyCube>(
    model: &Model,
    big: &Prepared<C>,
    small: &Prepared<C>,
    (procs, reads): (&[u8], &[u8]),
) -> bool {
    let Some(hidden) = &small.gaps else {
        return true;
    };
    let domain = |b: Base| model.domain(small.cube.reads(), b);
    let f = |b: Base| b.rename(procs, reads);
    let conj = big.cube.conj();
    let mut lits: Vec<Lit> = conj.lits.iter().map(|l| rename_lit(l, &f)).collect();
    let mut lins: Vec<LinLit> = conj.lins.iter().map(|l| rename_lin(l, &f)).collect();
    lits.retain(|l| !small.closed.implies(l, &domain));
    lins.retain(|l| !small.closed.implies_lin(l));
    if lits.is_empty() && lins.is_empty() {
        return true;
    }
    let asked = Conj { lits, lins };
    let answers = || {
        hidden
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    if let Some(answer) = answers().get(&asked) {
        return *answer;
    }
    // A solver of its own, so that the answer does not depend on what was asked before.
    let known = all_of(small.cube.conj());
    let reads = small.cube.reads().to_vec();
    let mut question = Question::new(model, reads, small.cube.procs(), known);
    let answer = asked.lits.iter().all(|l| question.implies(l))
        && asked.lins.iter().all(|l| question.implies_lin(l));
    answers().insert(asked, answer);
    answer
}

fn follow<C: AnyCube>(
    model: &Model,
    big: &Prepared<C>,
    small: &Prepared<C>,
    looked_at: impl Fn(&Need) -> bool,
    (procs, reads): (&[u8], &[u8]),
) -> bool {
    let domain = |b: Base| model.domain(small.cube.reads(), b);
    let f = |b: Base| b.rename(procs, reads);
    let hidden = small.gaps.as_ref();
    let may_hide = |l: &Lit| hidden.is_some_and(|h| h.gaps.may_hide(&small.closed, l));
    let mut lits = big.cube.conj().lits.iter().zip(&big.needs);
    lits.all(|(l, need)| {
        !looked_at(need) || {
            let l = rename_lit(l, &f);
            small.closed.implies(&l, &domain) || may_hide(&l)
        }
    })
}
