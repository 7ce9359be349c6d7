//! Is every situation of one cube also one of another?
//!
//! `big` covers `small` when its processes can be put for processes of `small` (distinct ones for
//! distinct ones, constants for themselves) such that each of its literals follows from those of
//! `small`, each of its pending reads is a pending read of `small` by the same process of the same
//! cell, reads of one point being of one point, and each of its obligations is one of `small`:
//! fewer literals, reads and obligations mean more situations.
//!
//! Most pairs are told apart by signatures: bits for what a cube mentions, once for the whole and
//! once for each process. Only then are assignments of processes tried, one process at a time.
//!
//! Literals follow as the built-in theory says ([`super::theory`]). Those that it may miss are put
//! off until all else fits; then the SMT solver is asked ([`super::question`]).

use super::cube::{Base, Conj, Cube, Kind, LinLit, Lit, Points, each};
use super::pre::Model;
use super::question::{Question, all_of};
use super::shape::{bases_of_lit, rename_lin};
use super::theory::{Closed, Gaps, close};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A cube prepared for both sides of the question.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The cube.
    pub cube: Cube,
    closed: Closed,
    /// What the theory may miss of it.
    gaps: Option<Arc<Hidden>>,
    /// For each literal the processes in it; none when there are reads in it.
    places: Vec<u32>,
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

fn bit128(a: u64, b: u64) -> u128 {
    1 << (mix(a, b) & 127)
}

fn bit64(a: u64, b: u64) -> u64 {
    1 << (mix(a, b) & 63)
}

fn mix(a: u64, b: u64) -> u64 {
    let x = (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

/// The kind of a base without its processes.
fn head(cube: &Cube, b: Base) -> u64 {
    match b.kind() {
        Kind::Cell(s, ..) => u64::from(s.0) << 2 | 1,
        Kind::Read(k) => match cube.reads[usize::from(k)].cell.kind() {
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
    fn add(&mut self, cube: &Cube, b: Base, one: Option<u32>) {
        let h = head(cube, b);
        let value = one.map(|v| u64::from(v) + 1);
        if let Some(value) = value {
            self.all |= bit128(h, value);
        }
        let (first, second) = match b.kind() {
            Kind::Cell(_, i, j) => (Some(i), Some(j)),
            Kind::Read(k) => (Some(cube.reads[usize::from(k)].by), None),
            _ => (None, None),
        };
        for (at, p) in [(1u64, first), (2, second)] {
            if let Some(of) = p.and_then(|p| self.of.get_mut(usize::from(p))) {
                *of |= bit64(h << 2 | at, 0) | value.map_or(0, |v| bit64(h << 2 | at, v));
            }
        }
    }
}

/// The processes of a literal; none when there are reads in it.
fn places(l: &Lit) -> u32 {
    let mut set = 0;
    for b in bases_of_lit(l) {
        if matches!(b.kind(), Kind::Read(_)) {
            return 0;
        }
        set = b.processes().fold(set, |set, p| set | 1 << p);
    }
    set
}

/// Closes a cube and computes its signatures; nothing when it is empty.
pub fn prepare(model: &Model, cube: Cube) -> Option<Prepared> {
    let domain = |b: Base| model.domain(&cube.reads, b);
    let facts = model.facts(&domain, cube.procs);
    let closed = close(&cube.conj, &facts)?;
    let gaps = Gaps::of(&closed, &facts).map(|gaps| {
        let answers = Mutex::default();
        Arc::new(Hidden { gaps, answers })
    });
    let (mut asks, mut has) = (Bits::new(cube.procs), Bits::new(cube.procs));
    // Linear literals imply differences; whether they imply what is asked is seen later.
    for (_, b) in cube.conj.lins.iter().flat_map(|l| &l.lin.terms) {
        has.all |= bit128(head(&cube, *b), 0);
    }
    for l in &cube.conj.lits {
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
    let places = cube.conj.lits.iter().map(places).collect();
    Some(Prepared {
        cube,
        closed,
        gaps,
        places,
        asks,
        has,
    })
}

/// True when `big` covers `small`; see the head of the file.
pub fn covers(model: &Model, big: &Prepared, small: &Prepared) -> bool {
    if big.asks.all & !small.has.all != 0
        || big.cube.procs > small.cube.procs
        || big.cube.reads.len() > small.cube.reads.len() * 4
        || (big.cube.snapshot && !small.cube.snapshot)
    {
        return false;
    }
    let mut search = Matching {
        model,
        big,
        small,
        procs: [0; 32],
        reads: [0; 64],
        points: [0; 64],
    };
    let candidates = search.candidates();
    candidates.is_some_and(|c| search.process(&c, 0, 0))
}

struct Matching<'a> {
    model: &'a Model<'a>,
    big: &'a Prepared,
    small: &'a Prepared,
    /// Processes of `big` as processes of `small`.
    procs: [u8; 32],
    reads: [u8; 64],
    /// Points of `big` as points of `small`.
    points: [u8; 64],
}

impl Matching<'_> {
    /// For each process of `big` those of `small` that it may be, as far as it alone is concerned;
    /// nothing when one may be none.
    fn candidates(&mut self) -> Option<[u32; 32]> {
        let fixed = self.model.system.fixed;
        let mut all = [0; 32];
        for p in 0..self.big.cube.procs {
            let at = usize::from(p);
            let (ask, any) = (self.big.asks.of[at], self.big.cube.any[at] != 0);
            for q in 0..self.small.cube.procs {
                let to = usize::from(q);
                if (p < fixed || q < fixed) && p != q
                    || ask & !self.small.has.of[to] != 0
                    || any && self.small.cube.any[to] == 0
                {
                    continue;
                }
                self.procs[at] = q;
                if self.follow(&|places| places == 1 << p) {
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
    fn process(&mut self, candidates: &[u32; 32], placed: u32, used: u32) -> bool {
        let left = (0..self.big.cube.procs).filter(|p| placed >> p & 1 == 0);
        let free = |p: &u8| candidates[usize::from(*p)] & !used;
        let Some(p) = left.min_by_key(|p| free(p).count_ones()) else {
            return self.read(0, 0);
        };
        let now = placed | 1 << p;
        let mut rest = free(&p);
        while rest != 0 {
            let q = rest.trailing_zeros();
            rest &= rest - 1;
            self.procs[usize::from(p)] = q as u8;
            let settled = |places: u32| places >> p & 1 == 1 && places & !now == 0;
            if self.follow(&settled) && self.process(candidates, now, used | 1 << q) {
                return true;
            }
        }
        false
    }

    /// The literals about certain processes follow, or may.
    fn follow(&self, about: &dyn Fn(u32) -> bool) -> bool {
        let gaps = self.small.gaps.as_ref();
        let hides = |l: &Lit| gaps.is_some_and(|g| g.gaps.may_hide(&self.small.closed, l));
        let mut lits = self.big.cube.conj.lits.iter().zip(&self.big.places);
        lits.all(|(l, places)| {
            !about(*places) || {
                let l = self.renamed(l);
                self.follows(&l) || hides(&l)
            }
        })
    }

    /// The literal follows as far as the theory sees.
    fn follows(&self, l: &Lit) -> bool {
        let domain = |b: Base| self.model.domain(&self.small.cube.reads, b);
        self.small.closed.implies(l, &domain)
    }

    fn renamed(&self, l: &Lit) -> Lit {
        let f = |b: Base| b.rename(&self.procs, &self.reads);
        match *l {
            Lit::In(a, m) => Lit::In(f(a), m),
            Lit::Eq(a, b) => Lit::Eq(f(a), f(b)),
            Lit::Ne(a, b) => Lit::Ne(f(a), f(b)),
            Lit::Less(a, b) => Lit::Less(f(a), f(b)),
            Lit::LessEq(a, b) => Lit::LessEq(f(a), f(b)),
            Lit::Diff {
                a,
                b,
                rel,
                bound,
                int,
            } => Lit::Diff {
                a: f(a),
                b: f(b),
                rel,
                bound,
                int,
            },
        }
    }

    /// Puts reads of `small` for those of `big`, from position `k`; points in `known` have one.
    fn read(&mut self, k: usize, known: Points) -> bool {
        let Some(r) = self.big.cube.reads.get(k).copied() else {
            return self.literals() && self.obligations() && self.hidden();
        };
        let by = self.procs[usize::from(r.by)];
        let cell = r.cell.rename(&self.procs, &self.reads);
        let point = usize::from(r.point);
        for (i, s) in self.small.cube.reads.iter().enumerate() {
            if s.by != by || s.cell != cell {
                continue;
            }
            let has = known >> point & 1 == 1;
            let snapshot = |c: &Cube, p: u8| c.snapshot && p == 0;
            if has && self.points[point] != s.point
                || snapshot(&self.big.cube, r.point) && !snapshot(&self.small.cube, s.point)
            {
                continue;
            }
            self.points[point] = s.point;
            self.reads[k] = i as u8;
            if self.read(k + 1, known | 1 << point) {
                return true;
            }
        }
        false
    }

    /// The literals that are left follow, or may; the others have been looked at when their
    /// processes were placed.
    fn literals(&self) -> bool {
        let hides = |l: &LinLit| {
            let gaps = self.small.gaps.as_ref();
            gaps.is_some_and(|g| g.gaps.may_hide_lin(l))
        };
        let mut lins = self.big.cube.conj.lins.iter();
        self.follow(&|places| places == 0)
            && lins.all(|l| {
                let l = self.renamed_lin(l);
                self.small.closed.implies_lin(&l) || hides(&l)
            })
    }

    fn renamed_lin(&self, l: &LinLit) -> LinLit {
        rename_lin(l, &|b: Base| b.rename(&self.procs, &self.reads))
    }

    /// What the theory may have missed follows.
    fn hidden(&self) -> bool {
        let (small, conj) = (self.small, &self.big.cube.conj);
        let Some(hidden) = &small.gaps else {
            return true;
        };
        let mut lits: Vec<Lit> = conj.lits.iter().map(|l| self.renamed(l)).collect();
        let mut lins: Vec<LinLit> = conj.lins.iter().map(|l| self.renamed_lin(l)).collect();
        lits.retain(|l| !self.follows(l));
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
        let cube = &small.cube;
        let known = all_of(&cube.conj);
        let mut question = Question::new(self.model, cube.reads.clone(), cube.procs, known);
        let answer = asked.lits.iter().all(|l| question.implies(l))
            && asked.lins.iter().all(|l| question.implies_lin(l));
        answers().insert(asked, answer);
        answer
    }

    /// The set of `big`, each point put, is within that of `small`.
    fn within(&self, big: Points, small: Points) -> bool {
        each(big).all(|p| small >> self.points[p] & 1 == 1)
    }

    fn obligations(&self) -> bool {
        let (big, small) = (&self.big.cube, &self.small.cube);
        let after = |p: usize| self.within(big.after[p], small.after[usize::from(self.points[p])]);
        if !(0..big.after.len()).all(after) {
            return false;
        }
        let mut hit = 0u32;
        for p in 0..usize::from(big.procs) {
            let q = usize::from(self.procs[p]);
            hit |= 1 << q;
            if !self.within(big.any[p], small.any[q])
                || !self.within(big.writes[p], small.writes[q])
            {
                return false;
            }
        }
        let unknown = big.default_any();
        for q in 0..usize::from(small.procs) {
            if hit >> q & 1 == 0 && !self.within(unknown, small.any[q]) {
                return false;
            }
        }
        let f = |c: Base| c.rename(&self.procs, &self.reads);
        let cells = big
            .cells
            .iter()
            .all(|(c, set)| self.within(*set, small.after_writes(f(*c))));
        cells
            && big
                .wild
                .iter()
                .all(|(s, set)| self.within(*set, small.after_wild(*s)))
            && big.wild.iter().all(|(s, set)| {
                // Cells of processes that only `small` names were unknown to `big`.
                let Ok(arity) = u8::try_from(self.model.system.symbols[*s].arity) else {
                    return false;
                };
                (0..small.procs).all(|i| {
                    (0..if arity == 2 { small.procs } else { 1 }).all(|j| {
                        let index = [i, j];
                        let index = &index[..usize::from(arity)];
                        let new = index.iter().any(|p| hit >> p & 1 == 0);
                        !new || self.within(*set, small.after_writes(Base::cell(*s, index)))
                    })
                })
            })
    }
}

#[cfg(test)]
mod tests;
