//! The largest set of guesses that is inductive: Flanagan and Leino, "Houdini, an annotation assistant for
//! ESC/Java", FME 2001.
//!
//! A guess goes if an initial state is in its cube, or if some pre-image of its cube is not covered by the cubes of
//! the others; with it go the guesses that need it, until none does. The unsafe formulas stay: if their pre-images
//! are covered as well, the cubes that they need, and those need, prove safety.

use crate::cube::literals::{Base, Conj, Literal, rename_lin, rename_lit};
use crate::cube::tso::Cube;
use crate::init::{initial_disjuncts, meets};
use crate::search::expand::{cubes, expand};
use crate::search::options::{Reason, SearchOptions};
use crate::search::tso::Tso;
use crate::system::tuples::injections;
use crate::theory::context::SystemContext;
use crate::theory::query::{EntailmentQuery, all_of};
use base::idx::position;
use std::collections::BTreeSet;

/// What is left of guesses.
#[derive(Clone, Debug, Default)]
pub struct Inductive {
    /// Their cubes; with those of the unsafe formulas where they prove safety.
    pub cubes: Vec<Cube>,
    /// They prove safety.
    pub is_proof: bool,
}

/// Where a cube is from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It is a guess.
    Guess,
    /// It is one of an unsafe formula.
    Unsafe,
    /// It is one of an invariant of the file.
    Assumed,
}

/// A cube that may be excluded.
struct Guess {
    cube: Cube,
    kept: bool,
    origin: Origin,
    /// The obligations that need it.
    serves: Vec<usize>,
}

/// A pre-image, which has to be covered.
struct Obligation {
    of: usize,
    cube: Cube,
    /// The guesses that cover it.
    by: Vec<usize>,
}

/// The invariants among guesses.
///
/// # Errors
/// Time or memory is used up, or numbers are too large.
pub fn inductive(
    context: &SystemContext,
    candidates: Vec<Cube>,
    options: &SearchOptions,
) -> Result<Inductive, Reason> {
    let mut houdini = Houdini {
        context,
        guesses: Vec::new(),
        obligations: Vec::new(),
        open: false,
    };
    for cube in cubes(context, &context.system.invariants)? {
        houdini.add(cube, Origin::Assumed);
    }
    let unsafes = cubes(context, &context.system.unsafes)?;
    let unsafes = unsafes.into_iter().map(|cube| (cube, Origin::Unsafe));
    let guesses = candidates.into_iter().map(|cube| (cube, Origin::Guess));
    let mut starts = Vec::new();
    for (cube, origin) in unsafes.chain(guesses) {
        while starts.len() <= usize::from(cube.procs) {
            starts.push(initial_disjuncts(context, position(starts.len()))?);
        }
        if !meets(context, &cube, &starts[usize::from(cube.procs)])? {
            houdini.add(cube, origin);
        } else if origin == Origin::Unsafe {
            return Ok(Inductive::default());
        }
    }
    houdini.run(options)?;
    if !houdini.open {
        houdini.minimize(options)?;
    }
    Ok(houdini.left())
}

struct Houdini<'a> {
    context: &'a SystemContext<'a>,
    guesses: Vec<Guess>,
    obligations: Vec<Obligation>,
    /// A pre-image of an unsafe formula is not covered.
    open: bool,
}

impl Houdini<'_> {
    fn add(&mut self, cube: Cube, origin: Origin) {
        self.guesses.push(Guess {
            cube,
            kept: true,
            origin,
            serves: Vec::new(),
        });
    }

    fn run(&mut self, options: &SearchOptions) -> Result<(), Reason> {
        let mut todo = Vec::new();
        for of in 0..self.guesses.len() {
            if self.guesses[of].origin == Origin::Assumed {
                continue;
            }
            let cube = &self.guesses[of].cube;
            let (images, left_out) = expand(&Tso::default(), self.context, cube, options)?;
            if left_out {
                self.fails(of, &mut todo);
                continue;
            }
            for (_, pre) in images {
                todo.push(self.obligations.len());
                let by = Vec::new();
                self.obligations.push(Obligation {
                    of,
                    cube: pre.cube,
                    by,
                });
            }
        }
        todo.reverse();
        while let Some(at) = todo.pop() {
            options.look_at_limits()?;
            let of = self.obligations[at].of;
            if !self.guesses[of].kept {
                continue;
            }
            match self.covering(&self.obligations[at].cube) {
                Some(by) => {
                    for g in &by {
                        self.guesses[*g].serves.push(at);
                    }
                    self.obligations[at].by = by;
                }
                None => self.fails(of, &mut todo),
            }
        }
        Ok(())
    }

    /// A guess goes, and what it served is looked at again.
    fn fails(&mut self, guess: usize, todo: &mut Vec<usize>) {
        let guess = &mut self.guesses[guess];
        if guess.origin == Origin::Unsafe {
            self.open = true;
        } else {
            guess.kept = false;
            todo.append(&mut guess.serves);
        }
    }

    /// Guesses that are kept and cover a cube.
    fn covering(&self, small: &Cube) -> Option<Vec<usize>> {
        let mut from = Vec::new();
        let mut cases: Vec<Conj> = Vec::new();
        let mut maps: Vec<Option<Vec<Vec<u8>>>> = vec![None; usize::from(small.procs) + 1];
        for (i, guess) in self.guesses.iter().enumerate().filter(|(_, g)| g.kept) {
            if guess.cube.procs > small.procs {
                continue;
            }
            let maps = maps[usize::from(guess.cube.procs)].get_or_insert_with(|| {
                injections(guess.cube.procs, small.procs, self.context.system.fixed)
            });
            for procs in maps.iter() {
                if may_meet(&guess.cube, small, procs) {
                    from.push(i);
                    cases.push(renamed(&guess.cube.conj, procs));
                }
            }
        }
        let known = all_of(&small.conj);
        let mut query = EntailmentQuery::new(self.context, Vec::new(), small.procs, known);
        let used = query.implies_one_of(&cases)?;
        let mut by: Vec<usize> = used.into_iter().map(|k| from[k]).collect();
        by.dedup();
        Some(by)
    }

    /// Keeps what the unsafe formulas need, and leaves out what they can do without: the cubes of a proof, none of
    /// which can be left out by itself.
    fn minimize(&mut self, options: &SearchOptions) -> Result<(), Reason> {
        self.keep_needed();
        for at in (0..self.guesses.len()).rev() {
            options.look_at_limits()?;
            if !self.guesses[at].kept || self.guesses[at].origin != Origin::Guess {
                continue;
            }
            self.guesses[at].kept = false;
            let served = self.obligations.iter().enumerate();
            let served = served.filter(|(_, o)| self.guesses[o.of].kept && o.by.contains(&at));
            let others: Option<Vec<(usize, Vec<usize>)>> = served
                .map(|(i, o)| Some((i, self.covering(&o.cube)?)))
                .collect();
            match others {
                Some(others) => {
                    others
                        .into_iter()
                        .for_each(|(i, by)| self.obligations[i].by = by);
                    self.keep_needed();
                }
                None => self.guesses[at].kept = true,
            }
        }
        Ok(())
    }

    /// Keeps what the unsafe formulas need.
    fn keep_needed(&mut self) {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); self.guesses.len()];
        for (i, obligation) in self.obligations.iter().enumerate() {
            of[obligation.of].push(i);
        }
        let unsafes = self.guesses.iter().enumerate();
        let unsafes = unsafes.filter(|(_, g)| g.origin == Origin::Unsafe);
        let mut todo: Vec<usize> = unsafes.map(|(i, _)| i).collect();
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        while let Some(guess) = todo.pop() {
            if needed.insert(guess) {
                todo.extend(of[guess].iter().flat_map(|o| &self.obligations[*o].by));
            }
        }
        for (i, guess) in self.guesses.iter_mut().enumerate() {
            guess.kept &= needed.contains(&i);
        }
    }

    fn left(self) -> Inductive {
        let is_proof = !self.open;
        let kept = self.guesses.into_iter().filter(|g| match g.origin {
            Origin::Guess => g.kept,
            Origin::Unsafe => is_proof,
            Origin::Assumed => false,
        });
        Inductive {
            cubes: kept.map(|g| g.cube).collect(),
            is_proof,
        }
    }
}

/// No set of constructors of the one excludes that of the other.
fn may_meet(big: &Cube, small: &Cube, procs: &[u8]) -> bool {
    big.conj.lits.iter().all(|l| match l {
        Literal::In(b, mask) => {
            let b = b.rename(procs, &[]);
            small.conj.lits.iter().all(|l| match l {
                Literal::In(c, other) if *c == b => mask & other != 0,
                _ => true,
            })
        }
        _ => true,
    })
}

fn renamed(conj: &Conj, procs: &[u8]) -> Conj {
    let rename = |b: Base| b.rename(procs, &[]);
    Conj {
        lits: conj.lits.iter().map(|l| rename_lit(l, &rename)).collect(),
        lins: conj.lins.iter().map(|l| rename_lin(l, &rename)).collect(),
    }
}
