//! Which processes of one cube may be those of another: the first part of the question whether every
//! situation of one is also one of the other, the same in all strategies.
//!
//! Most pairs are told apart by signatures: bits for what a cube mentions, once for the whole and
//! once for each process. Only then are assignments of processes tried, one process at a time, the
//! one with the fewest candidates first: distinct processes for distinct ones, constants for
//! themselves, each literal without reads as soon as its processes have their places.

use super::cube::{Base, Cube, Kind, Lit};
use super::pre::Model;
use super::shape::{bases_of_lit, rename_lin};
use super::strategy::AnyCube;
use super::theory::{Closed, close};

/// A cube prepared for both sides of the question.
#[derive(Clone, Debug)]
pub struct Prepared<C = Cube> {
    /// The cube.
    pub cube: C,
    closed: Closed,
    /// For each literal the processes in it; none when there are reads in it.
    places: Vec<u32>,
    /// What the cube asks of one that it covers.
    asks: u128,
    asks_of: Vec<u64>,
    /// What it has to offer.
    has: u128,
    has_of: Vec<u64>,
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
pub fn prepare<C: AnyCube>(model: &Model, cube: C) -> Option<Prepared<C>> {
    let (conj, reads) = (cube.conj(), cube.reads());
    let domain = |b: Base| model.domain(reads, b);
    let closed = close(conj, &model.facts(&domain, cube.procs()))?;
    let n = usize::from(cube.procs());
    let (mut asks, mut has) = (0, 0);
    let (mut asks_of, mut has_of) = (vec![0; n], vec![0; n]);
    // Linear literals imply differences; whether they imply what is asked is seen later.
    for (_, b) in conj.lins.iter().flat_map(|l| &l.lin.terms) {
        has |= bit128(head(&cube, *b), 0);
    }
    for l in &conj.lits {
        for b in bases_of_lit(l) {
            let h = head(&cube, b);
            if h != 0 {
                has |= bit128(h, 0);
                asks |= bit128(h, 0);
            }
        }
        let Lit::In(b, m) = *l else {
            continue;
        };
        let h = head(&cube, b);
        let single = m.is_power_of_two();
        let value = u64::from(m.trailing_zeros()) + 1;
        if single {
            has |= bit128(h, value);
            asks |= bit128(h, value);
        }
        let (first, second) = match b.kind() {
            Kind::Cell(_, i, j) => (Some(i), Some(j)),
            Kind::Read(k) => (Some(reads[usize::from(k)].by), None),
            _ => (None, None),
        };
        for (at, p) in [(1u64, first), (2, second)] {
            let Some(p) = p.filter(|p| usize::from(*p) < n) else {
                continue;
            };
            let mut bits = bit64(h << 2 | at, 0);
            if single {
                bits |= bit64(h << 2 | at, value);
            }
            asks_of[usize::from(p)] |= bits;
            has_of[usize::from(p)] |= bits;
        }
    }
    let places = conj.lits.iter().map(places).collect();
    Some(Prepared {
        cube,
        closed,
        places,
        asks,
        asks_of,
        has,
        has_of,
    })
}

impl<C: AnyCube> Prepared<C> {
    /// A look at signatures does not rule out that this covers `small`.
    pub fn may_cover(&self, small: &Prepared<C>) -> bool {
        self.asks & !small.has == 0 && self.cube.procs() <= small.cube.procs()
    }
}

/// Processes of one cube as those of another.
pub type Procs = [u8; 32];

/// Puts processes of `small` for those of `big`, as far as `may` lets one be put for another, such
/// that the literals without reads follow; true as soon as the `rest` is for one way to do it.
pub fn place<C: AnyCube>(
    model: &Model,
    big: &Prepared<C>,
    small: &Prepared<C>,
    may: impl Fn(usize, usize) -> bool,
    rest: impl FnMut(&Procs) -> bool,
) -> bool {
    let mut search = Placing {
        model,
        big,
        small,
        procs: [0; 32],
        rest,
    };
    let candidates = search.candidates(may);
    candidates.is_some_and(|c| search.process(&c, 0, 0))
}

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
    fn candidates(&mut self, may: impl Fn(usize, usize) -> bool) -> Option<[u32; 32]> {
        let fixed = self.model.system.fixed;
        let mut all = [0; 32];
        for p in 0..self.big.cube.procs() {
            let at = usize::from(p);
            let ask = self.big.asks_of[at];
            for q in 0..self.small.cube.procs() {
                let to = usize::from(q);
                if (p < fixed || q < fixed) && p != q
                    || ask & !self.small.has_of[to] != 0
                    || !may(at, to)
                {
                    continue;
                }
                self.procs[at] = q;
                if self.follow(|places| places == 1 << p) {
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
            self.procs[usize::from(p)] = q as u8;
            let settled = |places: u32| places >> p & 1 == 1 && places & !now == 0;
            if self.follow(settled) && self.process(candidates, now, used | 1 << q) {
                return true;
            }
        }
        false
    }

    /// The literals about certain processes follow.
    fn follow(&self, about: impl Fn(u32) -> bool) -> bool {
        let domain = |b: Base| self.model.domain(self.small.cube.reads(), b);
        let mut lits = self.big.cube.conj().lits.iter().zip(&self.big.places);
        lits.all(|(l, places)| {
            let renamed = || renamed(l, &self.procs, &[]);
            !about(*places) || self.small.closed.implies(&renamed(), &domain)
        })
    }
}

/// The literals that [`place`] left follow, where processes and reads are called as told.
pub fn literals<C: AnyCube>(
    model: &Model,
    big: &Prepared<C>,
    small: &Prepared<C>,
    procs: &Procs,
    reads: &[u8],
) -> bool {
    let domain = |b: Base| model.domain(small.cube.reads(), b);
    let conj = big.cube.conj();
    let mut lits = conj.lits.iter().zip(&big.places);
    let f = |b: Base| b.rename(procs, reads);
    lits.all(|(l, places)| *places != 0 || small.closed.implies(&renamed(l, procs, reads), &domain))
        && conj
            .lins
            .iter()
            .all(|l| small.closed.implies_lin(&rename_lin(l, &f)))
}

/// The literal with its bases renamed, not in normal form.
fn renamed(l: &Lit, procs: &[u8], reads: &[u8]) -> Lit {
    let f = |b: Base| b.rename(procs, reads);
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
