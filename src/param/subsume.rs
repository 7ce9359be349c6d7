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

use super::cube::{Base, Cube, Kind, Lit, Points, each};
use super::pre::Model;
use super::shape::{bases_of_lit, rename_lin};
use super::theory::{Closed, close};

/// A cube prepared for both sides of the question.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The cube.
    pub cube: Cube,
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
    let closed = close(&cube.conj, &model.facts(&domain, cube.procs))?;
    let n = usize::from(cube.procs);
    let (mut asks, mut has) = (0, 0);
    let (mut asks_of, mut has_of) = (vec![0; n], vec![0; n]);
    // Linear literals imply differences; whether they imply what is asked is seen later.
    for (_, b) in cube.conj.lins.iter().flat_map(|l| &l.lin.terms) {
        has |= bit128(head(&cube, *b), 0);
    }
    for l in &cube.conj.lits {
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
            Kind::Read(k) => (Some(cube.reads[usize::from(k)].by), None),
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
    let places = cube.conj.lits.iter().map(places).collect();
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

/// True when `big` covers `small`; see the head of the file.
pub fn covers(model: &Model, big: &Prepared, small: &Prepared) -> bool {
    if big.asks & !small.has != 0
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
            let (ask, any) = (self.big.asks_of[at], self.big.cube.any[at] != 0);
            for q in 0..self.small.cube.procs {
                let to = usize::from(q);
                if (p < fixed || q < fixed) && p != q
                    || ask & !self.small.has_of[to] != 0
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

    /// The literals about certain processes follow.
    fn follow(&self, about: &dyn Fn(u32) -> bool) -> bool {
        let domain = |b: Base| self.model.domain(&self.small.cube.reads, b);
        let mut lits = self.big.cube.conj.lits.iter().zip(&self.big.places);
        lits.all(|(l, places)| {
            !about(*places) || self.small.closed.implies(&self.renamed(l), &domain)
        })
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
            return self.literals() && self.obligations();
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

    fn literals(&self) -> bool {
        let domain = |b: Base| self.model.domain(&self.small.cube.reads, b);
        // The others have been looked at when their processes were placed.
        let mut rest = self.big.cube.conj.lits.iter().zip(&self.big.places);
        let small = rest.all(|(l, places)| {
            *places != 0 || self.small.closed.implies(&self.renamed(l), &domain)
        });
        let f = |b: Base| b.rename(&self.procs, &self.reads);
        small
            && self
                .big
                .cube
                .conj
                .lins
                .iter()
                .all(|l| self.small.closed.implies_lin(&rename_lin(l, &f)))
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
