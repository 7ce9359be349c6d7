//! Is a pre-image covered by the cubes of the certificate?
//!
//! The condition is that of [`subsume`](crate::subsume::tso), found without its signatures
//! and normal forms. What follows from literals is asked of the SMT solver, which the engine does
//! not rest on; a first look finds the literals that are simply there. Where no cube has all states of a
//! pre-image, all those together may whose processes, reads and order fit.

use super::certified::Certified;
use crate::cube::formula::GroundFormula;
use crate::cube::literals::{
    Base, BaseKind, Conj, LinearLiteral, Literal, bases_of_lit, rename_lin, rename_lit,
};
use crate::system::tuples::injections;
use crate::theory::context::{SystemContext, another_is_counted};
use crate::theory::query::{EntailmentQuery, all_of};
use base::idx::position;

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
type Found<'a, C> = dyn FnMut(&C, &[u8], &[u8]) -> bool + 'a;

/// The cubes that may cover, each with a summary of what its sets of constructors are about.
pub struct Cover<C: Certified> {
    model: C::Model,
    cubes: Vec<(C, Summary)>,
}

/// That a cube is covered, to be shown.
pub struct Covering {
    /// How many processes it is about.
    pub procs: u8,
    /// What is known.
    pub known: GroundFormula,
    /// What follows: one of these.
    pub by: Vec<Conj>,
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

fn summary<C: Certified>(cube: &C) -> Summary {
    let (mut sets, mut values) = (0, 0);
    for l in &cube.conj().lits {
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
        .conj()
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

impl<C: Certified> Cover<C> {
    /// Prepares the cubes.
    pub fn new(model: C::Model, cubes: Vec<C>) -> Cover<C> {
        let cubes = cubes.into_iter().map(|c| {
            let bits = summary(&c);
            (c, bits)
        });
        Cover {
            model,
            cubes: cubes.collect(),
        }
    }

    /// Every state of `small` is in some cube: most often all of them in one.
    pub fn covers(&self, context: &SystemContext, small: &C) -> bool {
        let bits = summary(small);
        let fits = |wants: &Summary| wants.values & !bits.values == 0;
        let found = &mut |_: &C, _: &[u8], _: &[u8]| true;
        if self.some(context, small, &fits, &mut |l| is_there(small, l), found) {
            return true;
        }
        let known = all_of(small.conj());
        let mut query = EntailmentQuery::new(context, small.reads().to_vec(), small.procs(), known);
        if query.is_possible() == Some(false) {
            return true;
        }
        let fits = |wants: &Summary| wants.sets & !bits.all == 0;
        let follows = &mut |l: &Either| match l {
            Either::Literal(l) => query.implies(l),
            Either::Lin(l) => query.implies_lin(l),
        };
        if self.some(context, small, &fits, follows, found) {
            return true;
        }
        let all = self.all_that_fit(context, small);
        query.implies_one_of(&all).is_some() || self.counted(context, small).is_some()
    }

    /// How the cube is covered if another process is there whenever more are counted.
    fn counted(&self, context: &SystemContext, small: &C) -> Option<Covering> {
        (0..context.system.counts.len()).find_map(|k| {
            let larger = small.with_another()?;
            let counted = another_is_counted(context, small.conj(), small.procs(), k)?;
            let known = GroundFormula::And(vec![all_of(small.conj()), counted]);
            let all = self.all_that_fit(context, &larger);
            let reads = small.reads().to_vec();
            let mut query = EntailmentQuery::new(context, reads, larger.procs(), known.clone());
            query.implies_one_of(&all)?;
            Some(Covering {
                procs: larger.procs(),
                known,
                by: all,
            })
        })
    }

    /// The literals that `small` has to have to be in a cube, for all cubes and ways to put their processes and
    /// reads that fit as far as those and their order are concerned.
    fn all_that_fit(&self, context: &SystemContext, small: &C) -> Vec<Conj> {
        let mut all = Vec::new();
        let every = &mut |big: &C, procs: &[u8], reads: &[u8]| {
            all.push(renamed(big.conj(), procs, reads));
            false
        };
        self.some(context, small, &|_| true, &mut |_| true, every);
        all
    }

    /// How a cube is covered: by the cube that covers it, put in its place; or if none does, by all that could as far as
    /// processes, reads and their order are concerned.
    pub fn covering(&self, context: &SystemContext, small: &C) -> Covering {
        let by = self.coverings(context, small);
        let known = all_of(small.conj());
        let reads = small.reads().to_vec();
        let mut query = EntailmentQuery::new(context, reads, small.procs(), known.clone());
        let counted = match query.implies_one_of(&by) {
            None => self.counted(context, small),
            Some(_) => None,
        };
        counted.unwrap_or(Covering {
            procs: small.procs(),
            known,
            by,
        })
    }

    fn coverings(&self, context: &SystemContext, small: &C) -> Vec<Conj> {
        let mut all = Vec::new();
        let any = |_: &Summary| true;
        let one = &mut |big: &C, procs: &[u8], reads: &[u8]| {
            all.push(renamed(big.conj(), procs, reads));
            true
        };
        if self.some(context, small, &any, &mut |l| is_there(small, l), one) {
            return all;
        }
        let known = all_of(small.conj());
        let mut query = EntailmentQuery::new(context, small.reads().to_vec(), small.procs(), known);
        if query.is_possible() == Some(false) {
            return all;
        }
        let follows = &mut |l: &Either| match l {
            Either::Literal(l) => query.implies(l),
            Either::Lin(l) => query.implies_lin(l),
        };
        if !self.some(context, small, &any, follows, one) {
            all = self.all_that_fit(context, small);
        }
        all
    }

    /// The same, where literals follow as `follows` says.
    fn some(
        &self,
        context: &SystemContext,
        small: &C,
        fits: &dyn Fn(&Summary) -> bool,
        follows: &mut Follows,
        found: &mut Found<C>,
    ) -> bool {
        let mut maps: Vec<Option<Vec<Vec<u8>>>> = vec![None; usize::from(small.procs()) + 1];
        self.cubes.iter().any(|(big, wants)| {
            if big.procs() > small.procs() || !fits(wants) {
                return false;
            }
            let maps = maps[usize::from(big.procs())].get_or_insert_with(|| {
                injections(big.procs(), small.procs(), context.system.fixed)
            });
            maps.iter().any(|procs| {
                let mut reads = Vec::new();
                simple(big, procs, follows)
                    && assign(
                        (context, self.model),
                        big,
                        small,
                        procs,
                        &mut reads,
                        follows,
                        found,
                    )
            })
        })
    }
}

/// The literal is one of the cube's, or a set of constructors with one of the cube's within it.
fn is_there<C: Certified>(cube: &C, l: &Either) -> bool {
    match l {
        Either::Literal(Literal::In(b, m)) => {
            let mut lits = cube.conj().lits.iter();
            lits.any(|l| matches!(l, Literal::In(c, k) if b == c && k & !m == 0))
        }
        Either::Literal(l) => cube.conj().lits.contains(l),
        Either::Lin(l) => cube.conj().lins.contains(l),
    }
}

/// The literals of a cube about these processes and reads.
fn renamed(conj: &Conj, procs: &[u8], reads: &[u8]) -> Conj {
    let f = |b: Base| b.rename(procs, reads);
    Conj {
        lits: conj.lits.iter().map(|l| rename_lit(l, &f)).collect(),
        lins: conj.lins.iter().map(|l| rename_lin(l, &f)).collect(),
    }
}

/// The literals of a conjunction.
fn literals(conj: &Conj) -> impl Iterator<Item = Either> + '_ {
    let lits = conj.lits.iter().map(|l| Either::Literal(*l));
    lits.chain(conj.lins.iter().map(|l| Either::Lin(l.clone())))
}

/// The literals without reads follow.
fn simple<C: Certified>(big: &C, procs: &[u8], follows: &mut Follows) -> bool {
    big.conj().lits.iter().all(|l| {
        let about = bases_of_lit(l);
        let mut about = about.filter(|b| matches!(b.kind(), BaseKind::Read(_)));
        about.next().is_some() || {
            let f = |b: Base| b.rename(procs, &[]);
            follows(&Either::Literal(rename_lit(l, &f)))
        }
    })
}

fn assign<C: Certified>(
    (context, model): (&SystemContext, C::Model),
    big: &C,
    small: &C,
    procs: &[u8],
    reads: &mut Vec<u8>,
    follows: &mut Follows,
    found: &mut Found<C>,
) -> bool {
    let Some(r) = big.reads().get(reads.len()) else {
        return C::order_holds(context, model, big, small, procs, reads)
            && literals(&renamed(big.conj(), procs, reads)).all(|l| follows(&l))
            && found(big, procs, reads);
    };
    let cell = r.cell.rename(procs, &[]);
    (0..small.reads().len()).any(|k| {
        let s = small.reads()[k];
        if s.cell != cell || s.by != procs[usize::from(r.by)] {
            return false;
        }
        reads.push(position(k));
        let done = assign((context, model), big, small, procs, reads, follows, found);
        reads.pop();
        done
    })
}
