//! Literals about the cells, processes and pending reads of a cube.
//!
//! A literal is about one or two *bases*. Numbers are compared as differences, which the closure of
//! the theory decides fast; what is no difference is a [`LinearLiteral`], a linear literal.

use crate::system::{Rel, SymId};
use base::idx::{Id, position};
use std::fmt;

/// What a literal is about, in one word; ordered so that the best representative of a class of
/// equal ones comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base(u32);

/// A [`Base`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BaseKind {
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
    pub fn kind(self) -> BaseKind {
        let [_, _, high, low] = self.0.to_be_bytes();
        match self.0 >> 28 {
            0 => BaseKind::Zero,
            1 => BaseKind::Proc(low),
            2 => BaseKind::Cell(
                SymId::from_index((self.0 >> 16 & 0xfff) as usize),
                high,
                low,
            ),
            3 => BaseKind::Read(low),
            _ => BaseKind::Some(low),
        }
    }

    /// The processes in it.
    pub fn processes(self) -> impl Iterator<Item = u8> {
        let both = match self.kind() {
            BaseKind::Proc(p) => [p, NO_INDEX],
            BaseKind::Cell(_, i, j) => [i, j],
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
            BaseKind::Proc(i) => Base::process(p(i)),
            BaseKind::Cell(s, i, j) => {
                Base(2 << 28 | s.0 << 16 | u32::from(p(i)) << 8 | u32::from(p(j)))
            }
            BaseKind::Read(k) => Base::read(usize::from(reads[usize::from(k)])),
            BaseKind::Zero | BaseKind::Some(_) => self,
        }
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            BaseKind::Zero => write!(f, "0"),
            BaseKind::Proc(p) => write!(f, "#{}", p + 1),
            BaseKind::Cell(s, NO_INDEX, _) => write!(f, "s{}", s.0),
            BaseKind::Cell(s, i, NO_INDEX) => write!(f, "s{}[{}]", s.0, i + 1),
            BaseKind::Cell(s, i, j) => write!(f, "s{}[{},{}]", s.0, i + 1, j + 1),
            BaseKind::Read(k) => write!(f, "r{k}"),
            BaseKind::Some(k) => write!(f, "?{k}"),
        }
    }
}

/// A literal; small and `Copy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Literal {
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
pub struct LinearLiteral {
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
    pub lits: Vec<Literal>,
    /// Linear ones.
    pub lins: Vec<LinearLiteral>,
}

impl Conj {
    /// The bases that its literals speak of, each as often as it occurs.
    pub fn bases(&self) -> impl Iterator<Item = Base> + '_ {
        let lits = self.lits.iter().flat_map(bases_of_lit);
        let lins = self.lins.iter().flat_map(|l| &l.lin.terms);
        lits.chain(lins.map(|(_, b)| *b))
    }

    /// The same, sorted and each once.
    pub fn distinct_bases(&self) -> Vec<Base> {
        let mut all: Vec<Base> = self.bases().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Which of so many pending reads some literal speaks of: the *live* ones. The others may read
    /// anything.
    pub fn live_reads(&self, reads: usize) -> Vec<bool> {
        let mut live = vec![false; reads];
        for b in self.bases() {
            if let BaseKind::Read(k) = b.kind() {
                live[usize::from(k)] = true;
            }
        }
        live
    }
}

/// A linear literal, if it is a constant or a difference.
pub enum Small {
    /// It always holds.
    True,
    /// It never holds.
    False,
    /// It is this difference.
    Literal(Literal),
    /// It is neither.
    No,
}

/// Looks whether `lin rel 0` is a constant or a difference.
pub fn small(rel: Rel, int: bool, lin: &LinSum) -> Small {
    let diff = |a, b, rel, bound| {
        Small::Literal(Literal::Diff {
            a,
            b,
            rel,
            bound,
            int,
        })
    };
    let k = lin.constant;
    match lin.terms.as_slice() {
        [] => {
            let holds = match rel {
                Rel::Eq => k == 0,
                Rel::Ne => k != 0,
                Rel::Lt => k < 0,
                Rel::Le => k <= 0,
            };
            if holds { Small::True } else { Small::False }
        }
        [(1, a)] => diff(*a, Base::ZERO, rel, -k),
        [(-1, a)] => match rel {
            Rel::Eq | Rel::Ne => diff(*a, Base::ZERO, rel, k),
            _ => diff(Base::ZERO, *a, rel, -k),
        },
        [(f, a)] if int || k % f == 0 => {
            // f·a + k rel 0; a bound between two integers is rounded, and then reached.
            let exact = k % f == 0;
            let rel = match rel {
                Rel::Lt if !exact => Rel::Le,
                rel => rel,
            };
            match (rel, exact) {
                (Rel::Eq | Rel::Ne, true) => diff(*a, Base::ZERO, rel, -k / f),
                (Rel::Eq, false) => Small::False,
                (Rel::Ne, false) => Small::True,
                _ if *f > 0 => diff(*a, Base::ZERO, rel, (-k).div_euclid(*f)),
                _ => diff(Base::ZERO, *a, rel, (-k).div_euclid(-*f)),
            }
        }
        [(1, a), (-1, b)] => diff(*a, *b, rel, -k),
        [(-1, a), (1, b)] => diff(*b, *a, rel, -k),
        _ => Small::No,
    }
}

/// The bases of a literal.
pub fn bases_of_lit(lit: &Literal) -> impl Iterator<Item = Base> + use<> {
    let both = match *lit {
        Literal::In(a, _) => [a, Base::ZERO],
        Literal::Eq(a, b) | Literal::Ne(a, b) | Literal::Less(a, b) | Literal::LessEq(a, b) => {
            [a, b]
        }
        Literal::Diff { a, b, .. } => [a, b],
    };
    both.into_iter().filter(|b| *b != Base::ZERO)
}

/// The literal with its bases renamed.
pub fn rename_lit(lit: &Literal, f: &dyn Fn(Base) -> Base) -> Literal {
    let ordered = |a: Base, b: Base| {
        let (a, b) = (f(a), f(b));
        (a.min(b), a.max(b))
    };
    match *lit {
        Literal::In(a, m) => Literal::In(f(a), m),
        Literal::Eq(a, b) => {
            let (a, b) = ordered(a, b);
            Literal::Eq(a, b)
        }
        Literal::Ne(a, b) => {
            let (a, b) = ordered(a, b);
            Literal::Ne(a, b)
        }
        Literal::Less(a, b) => Literal::Less(f(a), f(b)),
        Literal::LessEq(a, b) => Literal::LessEq(f(a), f(b)),
        Literal::Diff {
            a,
            b,
            rel,
            bound,
            int,
        } => {
            let (a, b) = (f(a), f(b));
            let turn = a < b && matches!(rel, Rel::Eq | Rel::Ne);
            let (a, b, bound) = if turn { (b, a, -bound) } else { (a, b, bound) };
            Literal::Diff {
                a,
                b,
                rel,
                bound,
                int,
            }
        }
    }
}

/// The linear literal with its bases renamed.
pub fn rename_lin(lit: &LinearLiteral, f: &dyn Fn(Base) -> Base) -> LinearLiteral {
    let mut terms: Vec<(i64, Base)> = lit.lin.terms.iter().map(|(k, b)| (*k, f(*b))).collect();
    terms.sort_unstable_by_key(|(_, b)| *b);
    LinearLiteral {
        lin: LinSum {
            terms,
            constant: lit.lin.constant,
        },
        ..lit.clone()
    }
}
