//! Cubes: sets of situations, each closed under adding processes and memory events.
//!
//! A cube speaks of the registers at some moment and of the reads that come later and are still
//! *pending*: no write has been found from which they take their value. Going back in the schedule
//! of Sec. 4 of the TSO paper, a satisfied event matters only through the pending reads that come
//! after it in the global order (ghb): a cycle can only be closed by an edge that leaves a pending
//! read, for an event found later is schedule-earlier and has no other incoming edge. So satisfied
//! events are not kept. What is kept of them, exactly, are sets of pending *points*:
//!
//! - `any[p]`: what comes after every event of process p known so far: an earlier *read* of p
//!   (also a fence or a locked transition) is before all of it;
//! - `writes[p]`: the same for an earlier *write* of p, which TSO orders before p's later writes,
//!   locked transitions and fences only: the pending fence is this set, not a literal;
//! - `cells[x]`: what comes after the writes of x known so far: an earlier write of x is
//!   coherence-before them, an earlier read of x from-read-before them;
//! - `after`: the order among the pending points themselves, transitively closed.
//!
//! A point is a moment at which one transition reads: all its pending reads share it. The reads of
//! an unsafe formula share one, the *snapshot*, always point 0: it comes after every read, fence
//! and locked transition of every process, known or not, because the formula speaks of the end.
//!
//! Two cubes with different pasts but the same obligations are equal, and a cube with fewer
//! literals, reads and obligations is the larger set; subsumption rests on that.

use super::system::{Rel, SymId};
use crate::base::idx::{Id, position};
use std::fmt;

/// What a literal is about, in one word; ordered so that the best representative of a class of
/// equal ones comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base(u32);

/// A [`Base`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The number 0.
    Zero,
    /// A process of the cube.
    Proc(u8),
    /// A cell of a constant, register or flat variable; in initial states also a weak cell.
    Cell(SymId, u8, u8),
    /// The value of a pending read, by its position.
    Read(u8),
    /// Some value (of a nondeterministic update).
    Some(u8),
}

/// Stands where a cell has no index.
const NO_INDEX: u8 = 0xff;

impl Base {
    /// The number 0.
    pub const ZERO: Base = Base(0);

    /// A process.
    pub fn process(p: u8) -> Base {
        Base(1 << 28 | u32::from(p))
    }

    /// A cell; as many indices count as the symbol takes.
    pub fn cell(sym: SymId, index: &[u8]) -> Base {
        let at = |i: usize| u32::from(index.get(i).copied().unwrap_or(NO_INDEX));
        Base(2 << 28 | (sym.0 & 0xfff) << 16 | at(0) << 8 | at(1))
    }

    /// A pending read.
    pub fn read(k: usize) -> Base {
        Base(3 << 28 | u32::from(position::<u8>(k)))
    }

    /// Some value.
    pub fn some(k: usize) -> Base {
        Base(4 << 28 | u32::from(position::<u8>(k)))
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        let [_, _, high, low] = self.0.to_be_bytes();
        match self.0 >> 28 {
            0 => Kind::Zero,
            1 => Kind::Proc(low),
            2 => Kind::Cell(
                SymId::from_index((self.0 >> 16 & 0xfff) as usize),
                high,
                low,
            ),
            3 => Kind::Read(low),
            _ => Kind::Some(low),
        }
    }

    /// The processes in it.
    pub fn processes(self) -> impl Iterator<Item = u8> {
        let both = match self.kind() {
            Kind::Proc(p) => [p, NO_INDEX],
            Kind::Cell(_, i, j) => [i, j],
            _ => [NO_INDEX, NO_INDEX],
        };
        both.into_iter().filter(|p| *p != NO_INDEX)
    }

    /// The same with processes and reads renamed.
    pub fn rename(self, procs: &[u8], reads: &[u8]) -> Base {
        let p = |i: u8| {
            if i == NO_INDEX {
                i
            } else {
                procs[usize::from(i)]
            }
        };
        match self.kind() {
            Kind::Proc(i) => Base::process(p(i)),
            Kind::Cell(s, i, j) => {
                Base(2 << 28 | s.0 << 16 | u32::from(p(i)) << 8 | u32::from(p(j)))
            }
            Kind::Read(k) => Base::read(usize::from(reads[usize::from(k)])),
            Kind::Zero | Kind::Some(_) => self,
        }
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Kind::Zero => write!(f, "0"),
            Kind::Proc(p) => write!(f, "#{}", p + 1),
            Kind::Cell(s, NO_INDEX, _) => write!(f, "s{}", s.0),
            Kind::Cell(s, i, NO_INDEX) => write!(f, "s{}[{}]", s.0, i + 1),
            Kind::Cell(s, i, j) => write!(f, "s{}[{},{}]", s.0, i + 1, j + 1),
            Kind::Read(k) => write!(f, "r{k}"),
            Kind::Some(k) => write!(f, "?{k}"),
        }
    }
}

/// A literal; small and `Copy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lit {
    /// One of these constructors.
    In(Base, u128),
    /// The same value; not of numbers.
    Eq(Base, Base),
    /// Different values; not of numbers.
    Ne(Base, Base),
    /// An earlier process.
    Less(Base, Base),
    /// An earlier process, or the same.
    LessEq(Base, Base),
    /// `a - b rel bound`; `b` may be [`Base::ZERO`].
    Diff {
        /// Left.
        a: Base,
        /// Right.
        b: Base,
        /// The comparison.
        rel: Rel,
        /// The bound.
        bound: i64,
        /// Of integers.
        int: bool,
    },
}

/// `Σ factor · base + constant rel 0`, when it is no difference.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinLit {
    /// The comparison.
    pub rel: Rel,
    /// Of integers.
    pub int: bool,
    /// The sum.
    pub lin: LinSum,
}

/// Factors and constants of literals are no larger than this, either way, so that their negations
/// and the sums of a few of them fit in 64 bits.
pub const MAX_NUMBER: u64 = 1 << 60;

/// `Σ factor · base + constant`, sorted by base.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LinSum {
    /// Factors, none 0, and bases, none twice.
    pub terms: Vec<(i64, Base)>,
    /// The constant.
    pub constant: i64,
}

impl LinSum {
    /// A single base.
    pub fn of(base: Base) -> LinSum {
        LinSum {
            terms: vec![(1, base)],
            constant: 0,
        }
    }

    /// Adds `factor · other`; nothing when a number gets beyond [`MAX_NUMBER`].
    pub fn add(&mut self, factor: i64, other: &LinSum) -> Option<()> {
        let sum = |to: i64, n: i64| {
            let sum = to.checked_add(factor.checked_mul(n)?)?;
            (sum.unsigned_abs() <= MAX_NUMBER).then_some(sum)
        };
        self.constant = sum(self.constant, other.constant)?;
        for (f, b) in &other.terms {
            let f = sum(0, *f)?;
            match self.terms.iter().position(|(_, c)| c >= b) {
                Some(i) if self.terms[i].1 == *b => {
                    self.terms[i].0 += f;
                    if self.terms[i].0 == 0 {
                        self.terms.remove(i);
                    }
                }
                Some(i) => self.terms.insert(i, (f, *b)),
                None => self.terms.push((f, *b)),
            }
        }
        Some(())
    }
}

/// A conjunction of literals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Conj {
    /// Small literals.
    pub lits: Vec<Lit>,
    /// Linear ones.
    pub lins: Vec<LinLit>,
}

/// A pending read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Read {
    /// When.
    pub point: u8,
    /// Who.
    pub by: u8,
    /// Of which weak cell.
    pub cell: Base,
}

/// A set of pending points.
pub type Points = u64;

/// More pending reads than these are not looked at.
pub const MAX_READS: usize = 60;

/// More processes than these are not looked at: a set of them is the bits of one word.
pub const MAX_PROCS: u8 = 32;

/// Reads and unknown values are numbered below this while a pre-image is computed.
pub const MAX_NUMBERED: usize = 256;

/// More pending points than a word has bits are not looked at.
pub const MAX_POINTS: u8 = 63;

/// A cube; see the head of the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// How many processes it speaks of; the first ones are the constants of the file.
    pub procs: u8,
    /// The literals.
    pub conj: Conj,
    /// The pending reads.
    pub reads: Vec<Read>,
    /// Point 0 is the snapshot of the unsafe formula.
    pub snapshot: bool,
    /// Order among points.
    pub after: Vec<Points>,
    /// What comes after a process's known events.
    pub any: Vec<Points>,
    /// What comes after an earlier write of a process.
    pub writes: Vec<Points>,
    /// What comes after the known writes of a cell; sorted, no empty set.
    pub cells: Vec<(Base, Points)>,
    /// The same for the cells of processes that the cube does not speak of.
    pub wild: Vec<(SymId, Points)>,
}

/// The points of a set.
pub fn each(points: Points) -> impl Iterator<Item = usize> {
    let mut rest = points;
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(next)
    })
}

impl Cube {
    /// What every read, fence and locked transition of an unknown process is before.
    pub fn default_any(&self) -> Points {
        Points::from(self.snapshot)
    }

    /// What comes after the known writes of a cell.
    pub fn after_writes(&self, cell: Base) -> Points {
        match self.cells.binary_search_by_key(&cell, |(c, _)| *c) {
            Ok(i) => self.cells[i].1,
            Err(_) => 0,
        }
    }

    /// The wild set of a symbol.
    pub fn after_wild(&self, sym: SymId) -> Points {
        self.wild.iter().find(|(s, _)| *s == sym).map_or(0, |w| w.1)
    }

    /// The set with everything that comes after it.
    pub fn closed(&self, points: Points) -> Points {
        each(points).fold(points, |all, p| all | self.after[p])
    }
}
