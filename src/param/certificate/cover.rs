//! Is a pre-image covered by a cube of the certificate?
//!
//! The condition is that of [`subsume`](crate::param::subsume::tso), found without its signatures
//! and normal forms. What follows from literals is asked of the SMT solver, which the engine does
//! not rest on; a first look finds the literals that are simply there.

use crate::base::idx::position;
use crate::param::cube::literals::{
    Base, BaseKind, Conj, LinearLiteral, Literal, bases_of_lit, rename_lin, rename_lit,
};
use crate::param::cube::timestamp::{Timestamps, each};
use crate::param::cube::tso::Cube;
use crate::param::system::tuples::{injections, tuples};
use crate::param::theory::context::SystemContext;
use crate::param::theory::query::{EntailmentQuery, all_of};

/// A literal of either kind.
pub enum Either {
    /// A small one.
    Literal(Literal),
    /// A linear one.
    Lin(LinearLiteral),
}

/// Says of literals whether they follow.
type Follows<'a> = dyn FnMut(&Either) -> bool + 'a;

/// Takes a cube that covers, with its processes and reads there; false to look for another one.
type Found<'a> = dyn FnMut(&Cube, &[u8], &[u8]) -> bool + 'a;

/// The cubes that may cover, each with a summary of what its sets of constructors are about.
pub struct Cover {
    cubes: Vec<(Cube, Summary)>,
}

/// Bits for what literals are about.
struct Summary {
    /// The symbols of cells in sets of constructors.
    sets: u128,
    /// The same with their values, where there is one.
    values: u128,
    /// The symbols of cells in any literal.
    all: u128,
}

fn summary(cube: &Cube) -> Summary {
    let (mut sets, mut values) = (0, 0);
    for l in &cube.conj.lits {
        if let Literal::In(b, m) = l
            && let BaseKind::Cell(sym, ..) = b.kind()
        {
            sets |= 1 << (sym.0 * 37 % 128);
            if m.is_power_of_two() {
                values |= 1 << ((sym.0 * 37 + 11 * (m.trailing_zeros() + 1)) % 128);
            }
        }
    }
    let symbols = cube
        .conj
        .distinct_bases()
        .into_iter()
        .filter_map(|b| match b.kind() {
            BaseKind::Cell(sym, ..) => Some(sym),
            _ => None,
        });
    Summary {
        sets,
        values: sets | values,
        all: symbols.fold(0, |bits, sym| bits | 1 << (sym.0 * 37 % 128)),
    }
}

impl Cover {
    /// Prepares the cubes.
    pub fn new(cubes: Vec<Cube>) -> Cover {
        let cubes = cubes.into_iter().map(|c| {
            let bits = summary(&c);
            (c, bits)
        });
        Cover {
            cubes: cubes.collect(),
        }
    }

    /// Some cube has every state of `small`.
    pub fn covers(&self, context: &SystemContext, small: &Cube) -> bool {
        let bits = summary(small);
        let fits = |wants: &Summary| wants.values & !bits.values == 0;
        let found = &mut |_: &Cube, _: &[u8], _: &[u8]| true;
        if self.some(context, small, &fits, &mut |l| is_there(small, l), found) {
            return true;
        }
        let known = all_of(&small.conj);
        let mut query = EntailmentQuery::new(context, small.reads.clone(), small.procs, known);
        if query.is_possible() == Some(false) {
            return true;
        }
        let fits = |wants: &Summary| wants.sets & !bits.all == 0;
        let follows = &mut |l: &Either| match l {
            Either::Literal(l) => query.implies(l),
            Either::Lin(l) => query.implies_lin(l),
        };
        self.some(context, small, &fits, follows, found)
    }

    /// The literals that `small` has to have so that some cube has every state of it: of the cube
    /// that covers it, put in its place; or if none does, of all that could as far as processes,
    /// reads and their order are concerned.
    pub fn coverings(&self, context: &SystemContext, small: &Cube) -> Vec<Conj> {
        let mut all = Vec::new();
        let any = |_: &Summary| true;
        let one = &mut |big: &Cube, procs: &[u8], reads: &[u8]| {
            all.push(renamed(big, procs, reads));
            true
        };
        if self.some(context, small, &any, &mut |l| is_there(small, l), one) {
            return all;
        }
        let known = all_of(&small.conj);
        let mut query = EntailmentQuery::new(context, small.reads.clone(), small.procs, known);
        if query.is_possible() == Some(false) {
            return all;
        }
        let follows = &mut |l: &Either| match l {
            Either::Literal(l) => query.implies(l),
            Either::Lin(l) => query.implies_lin(l),
        };
        if !self.some(context, small, &any, follows, one) {
            let every = &mut |big: &Cube, procs: &[u8], reads: &[u8]| {
                all.push(renamed(big, procs, reads));
                false
            };
            self.some(context, small, &any, &mut |_| true, every);
        }
        all
    }

    /// The same, where literals follow as `follows` says.
    fn some(
        &self,
        context: &SystemContext,
        small: &Cube,
        fits: &dyn Fn(&Summary) -> bool,
        follows: &mut Follows,
        found: &mut Found,
    ) -> bool {
        let mut maps: Vec<Option<Vec<Vec<u8>>>> = vec![None; usize::from(small.procs) + 1];
        self.cubes.iter().any(|(big, wants)| {
            if big.procs > small.procs || !fits(wants) {
                return false;
            }
            let maps = maps[usize::from(big.procs)]
                .get_or_insert_with(|| injections(big.procs, small.procs, context.system.fixed));
            maps.iter().any(|procs| {
                let mut reads = Vec::new();
                simple(big, procs, follows)
                    && assign(context, big, small, procs, &mut reads, follows, found)
            })
        })
    }
}

/// The literal is one of the cube's, or a set of constructors with one of the cube's within it.
fn is_there(cube: &Cube, l: &Either) -> bool {
    match l {
        Either::Literal(Literal::In(b, m)) => {
            let mut lits = cube.conj.lits.iter();
            lits.any(|l| matches!(l, Literal::In(c, k) if b == c && k & !m == 0))
        }
        Either::Literal(l) => cube.conj.lits.contains(l),
        Either::Lin(l) => cube.conj.lins.contains(l),
    }
}

/// The literals of a cube about these processes and reads.
fn renamed(cube: &Cube, procs: &[u8], reads: &[u8]) -> Conj {
    let f = |b: Base| b.rename(procs, reads);
    Conj {
        lits: cube.conj.lits.iter().map(|l| rename_lit(l, &f)).collect(),
        lins: cube.conj.lins.iter().map(|l| rename_lin(l, &f)).collect(),
    }
}

/// The literals without reads follow.
fn simple(big: &Cube, procs: &[u8], follows: &mut Follows) -> bool {
    big.conj.lits.iter().all(|l| {
        let about = bases_of_lit(l);
        let mut about = about.filter(|b| matches!(b.kind(), BaseKind::Read(_)));
        about.next().is_some() || {
            let f = |b: Base| b.rename(procs, &[]);
            follows(&Either::Literal(rename_lit(l, &f)))
        }
    })
}

fn assign(
    context: &SystemContext,
    big: &Cube,
    small: &Cube,
    procs: &[u8],
    reads: &mut Vec<u8>,
    follows: &mut Follows,
    found: &mut Found,
) -> bool {
    let Some(r) = big.reads.get(reads.len()) else {
        return rest(context, big, small, procs, reads, follows) && found(big, procs, reads);
    };
    let cell = r.cell.rename(procs, &[]);
    (0..small.reads.len()).any(|k| {
        let s = small.reads[k];
        if s.cell != cell || s.by != procs[usize::from(r.by)] {
            return false;
        }
        reads.push(position(k));
        let done = assign(context, big, small, procs, reads, follows, found);
        reads.pop();
        done
    })
}

fn rest(
    context: &SystemContext,
    big: &Cube,
    s: &Cube,
    procs: &[u8],
    reads: &[u8],
    follows: &mut Follows,
) -> bool {
    let mut timestamps = vec![None; big.after.len()];
    for (r, k) in big.reads.iter().zip(reads) {
        let to = s.reads[usize::from(*k)].timestamp;
        let slot = &mut timestamps[usize::from(r.timestamp)];
        if slot.is_some_and(|p| p != to) {
            return false;
        }
        *slot = Some(to);
    }
    if big.snapshot && (!s.snapshot || timestamps.first() != Some(&Some(0))) {
        return false;
    }
    let within = |a: Timestamps, b: Timestamps| {
        each(a).all(|p| {
            timestamps
                .get(p)
                .copied()
                .flatten()
                .is_some_and(|q| b >> q & 1 == 1)
        })
    };
    let f = |b: Base| b.rename(procs, reads);
    let lits = big.conj.lits.iter();
    let lits = lits.map(|l| Either::Literal(rename_lit(l, &f)));
    let lins = big.conj.lins.iter();
    let lins = lins.map(|l| Either::Lin(rename_lin(l, &f)));
    let default = Timestamps::from(big.snapshot);
    let per_process =
        (0..usize::from(s.procs)).all(|q| match procs.iter().position(|p| usize::from(*p) == q) {
            Some(p) => {
                within(big.po_successors[p], s.po_successors[q])
                    && within(big.writes[p], s.writes[q])
            }
            None => within(default, s.po_successors[q]),
        });
    let new = |b: Base| b.processes().any(|q| !procs.contains(&q));
    let fresh_cells = big.fresh_cells.iter().all(|(sym, set)| {
        within(*set, s.after_fresh_cells(*sym))
            && tuples(context.system.symbols[*sym].arity, s.procs)
                .iter()
                .map(|t| Base::cell(*sym, t))
                .filter(|b| new(*b))
                .all(|b| within(*set, s.after_writes(b)))
    });
    let after = (0..big.after.len()).all(|p| match timestamps[p] {
        Some(q) => within(big.after[p], s.after[usize::from(q)]),
        None => true,
    });
    per_process
        && fresh_cells
        && after
        && big
            .cells
            .iter()
            .all(|(c, set)| within(*set, s.after_writes(f(*c))))
        && lits.chain(lins).all(|l| follows(&l))
}
