//! The largest set of guesses that is inductive: Flanagan and Leino, "Houdini, an annotation assistant for
//! ESC/Java", FME 2001.
//!
//! A guess goes if an initial state is in its cube, or if some pre-image of its cube is not covered by the cubes of
//! the others; with it go the guesses that need it, until none does. The unsafe formulas stay: if their pre-images
//! are covered as well, the cubes that they need, and those need, prove safety.

use crate::cube::formula::{GroundFormula, negate};
use crate::cube::literals::{Base, Conj, Literal, rename_lin, rename_lit};
use crate::cube::tso::Cube;
use crate::init::{initial_disjuncts, meets};
use crate::search::expand::{cubes, expand};
use crate::search::options::{Reason, SearchOptions};
use crate::search::tso::Tso;
use crate::system::tuples::injections;
use crate::theory::closure::close;
use crate::theory::context::{SystemContext, another_is_counted};
use crate::theory::query::{EntailmentQuery, all_of};
use base::idx::position;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

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

/// A pre-image of a guess, or an unsafe formula, which has to be covered.
struct Obligation {
    of: Option<usize>,
    cube: Cube,
    /// The guesses that cover it.
    by: Vec<usize>,
}

/// The cubes of guesses, and of unsafe formulas, that prove safety, if the largest inductive set of guesses does; at most
/// so many ways to cover pre-images are given to the solver.
///
/// # Errors
/// Time or memory is used up, or numbers are too large.
pub fn prove(
    context: &SystemContext,
    candidates: Vec<Cube>,
    most_cases: usize,
    options: &SearchOptions,
) -> Result<Option<Vec<Cube>>, Reason> {
    let mut houdini = Houdini {
        context,
        guesses: Vec::new(),
        obligations: Vec::new(),
        open: false,
        cases: 0,
        most_cases,
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
            return Ok(None);
        }
    }
    houdini.run(options)?;
    if houdini.open {
        return Ok(None);
    }
    houdini.minimize(options)?;
    let kept = houdini.guesses.into_iter();
    let kept = kept.filter(|g| g.kept && g.origin != Origin::Assumed);
    Ok(Some(kept.map(|g| g.cube).collect()))
}

struct Houdini<'a> {
    context: &'a SystemContext<'a>,
    guesses: Vec<Guess>,
    obligations: Vec<Obligation>,
    /// A pre-image of an unsafe formula is not covered.
    open: bool,
    /// How many ways to cover pre-images were given to the solver.
    cases: usize,
    /// How many at most.
    most_cases: usize,
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
                    of: Some(of),
                    cube: pre.cube,
                    by,
                });
            }
        }
        todo.reverse();
        while let Some(at) = todo.pop() {
            options.look_at_limits()?;
            if self.cases > self.most_cases {
                return Err(Reason::Guesses);
            }
            let Some(of) = self.obligations[at].of.filter(|of| self.guesses[*of].kept) else {
                continue;
            };
            let cube = self.obligations[at].cube.clone();
            match self.covering(&cube) {
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

    /// Guesses that are kept and cover a cube: one by itself, or several together, perhaps because another process
    /// is there whenever more are counted.
    fn covering(&mut self, small: &Cube) -> Option<Vec<usize>> {
        let known = all_of(&small.conj);
        let by = self.covering_of(small, &known);
        let mut counts = 0..self.context.system.counts.len();
        by.or_else(|| {
            counts.find_map(|k| {
                let larger = small.with_another()?;
                let counted = another_is_counted(self.context, &small.conj, small.procs, k)?;
                let known = GroundFormula::And(vec![known.clone(), counted]);
                self.covering_of(&larger, &known)
            })
        })
    }

    fn covering_of(&mut self, small: &Cube, known: &GroundFormula) -> Option<Vec<usize>> {
        let context = self.context;
        let domain = |b: Base| context.domain(&[], b);
        let Some(closed) = close(&small.conj, &context.facts(&domain, small.procs)) else {
            return Some(Vec::new());
        };
        let mut from = Vec::new();
        let mut cases: Vec<Conj> = Vec::new();
        let mut maps: Vec<Option<Vec<Vec<u8>>>> = vec![None; usize::from(small.procs) + 1];
        for (i, guess) in self.guesses.iter().enumerate().filter(|(_, g)| g.kept) {
            if guess.cube.procs > small.procs {
                continue;
            }
            let maps = maps[usize::from(guess.cube.procs)].get_or_insert_with(|| {
                injections(guess.cube.procs, small.procs, context.system.fixed)
            });
            for procs in maps.iter() {
                let rename = |b: Base| b.rename(procs, &[]);
                let mut lits = guess.cube.conj.lits.iter().map(|l| rename_lit(l, &rename));
                if lits.any(|l| closed.implies(&opposite(&l), &domain)) {
                    continue;
                }
                let case = renamed(&guess.cube.conj, procs);
                let follows = case.lits.iter().all(|l| closed.implies(l, &domain));
                if follows && case.lins.iter().all(|l| closed.implies_lin(l)) {
                    return Some(vec![i]);
                }
                from.push(i);
                cases.push(case);
            }
        }
        // Those about the same cells are enough most of the time.
        let cells: FxHashSet<Base> = small.conj.bases().chain([Base::ZERO]).collect();
        let is_near = |case: &Conj| case.bases().all(|b| cells.contains(&b));
        let near: Vec<usize> = (0..cases.len()).filter(|k| is_near(&cases[*k])).collect();
        let all: Vec<usize> = (0..cases.len()).collect();
        let used = match self.query((small, known), &cases, &near) {
            None if near.len() < all.len() => self.query((small, known), &cases, &all),
            answer => answer,
        };
        let mut by: Vec<usize> = used?.into_iter().map(|k| from[k]).collect();
        by.dedup();
        Some(by)
    }

    /// The positions of cases that cover a cube together, of some.
    fn query(
        &mut self,
        (small, known): (&Cube, &GroundFormula),
        cases: &[Conj],
        some: &[usize],
    ) -> Option<Vec<usize>> {
        self.cases += some.len();
        let mut query = EntailmentQuery::new(self.context, Vec::new(), small.procs, known.clone());
        let some_cases: Vec<Conj> = some.iter().map(|k| cases[*k].clone()).collect();
        let used = query.implies_one_of(&some_cases)?;
        Some(used.into_iter().map(|k| some[k]).collect())
    }

    /// Keeps what the unsafe formulas need, and leaves out what they can do without: the cubes of a proof, none of
    /// which can be left out by itself.
    fn minimize(&mut self, options: &SearchOptions) -> Result<(), Reason> {
        for (i, guess) in self.guesses.iter().enumerate() {
            if guess.origin == Origin::Unsafe {
                let (of, cube, by) = (None, guess.cube.clone(), vec![i]);
                self.obligations.push(Obligation { of, cube, by });
            }
        }
        self.keep_needed();
        // What is left out may be what another one was needed for.
        while self.leave_out(options)? {}
        Ok(())
    }

    /// Leaves out guesses, one by one; true when there were any.
    fn leave_out(&mut self, options: &SearchOptions) -> Result<bool, Reason> {
        let mut some = false;
        for at in (0..self.guesses.len()).rev() {
            options.look_at_limits()?;
            if !self.guesses[at].kept || self.guesses[at].origin == Origin::Assumed {
                continue;
            }
            self.guesses[at].kept = false;
            let is_due = |o: &Obligation| o.of.is_none_or(|of| self.guesses[of].kept);
            let served = self.obligations.iter().enumerate();
            let served = served.filter(|(_, o)| is_due(o) && o.by.contains(&at));
            let served: Vec<(usize, Cube)> = served.map(|(i, o)| (i, o.cube.clone())).collect();
            let others: Option<Vec<(usize, Vec<usize>)>> = served
                .into_iter()
                .map(|(i, cube)| Some((i, self.covering(&cube)?)))
                .collect();
            match others {
                Some(others) => {
                    for (i, by) in others {
                        self.obligations[i].by = by;
                    }
                    self.keep_needed();
                    some = true;
                }
                None => self.guesses[at].kept = true,
            }
        }
        Ok(some)
    }

    /// Keeps what the unsafe formulas need.
    fn keep_needed(&mut self) {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); self.guesses.len()];
        let mut todo: Vec<usize> = Vec::new();
        for (i, obligation) in self.obligations.iter().enumerate() {
            match obligation.of {
                Some(guess) => of[guess].push(i),
                None => todo.extend(&obligation.by),
            }
        }
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        while let Some(guess) = todo.pop() {
            if needed.insert(guess) {
                todo.extend(of[guess].iter().flat_map(|o| &self.obligations[*o].by));
            }
        }
        for (i, guess) in self.guesses.iter_mut().enumerate() {
            guess.kept &= guess.origin == Origin::Assumed || needed.contains(&i);
        }
    }
}

/// What holds where a literal does not.
fn opposite(lit: &Literal) -> Literal {
    match negate(&GroundFormula::Literal(*lit)) {
        GroundFormula::Literal(opposite) => opposite,
        _ => *lit,
    }
}

fn renamed(conj: &Conj, procs: &[u8]) -> Conj {
    let rename = |b: Base| b.rename(procs, &[]);
    Conj {
        lits: conj.lits.iter().map(|l| rename_lit(l, &rename)).collect(),
        lins: conj.lins.iter().map(|l| rename_lin(l, &rename)).collect(),
    }
}
