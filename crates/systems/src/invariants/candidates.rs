//! Guesses: what holds in all rows of some places, as cubes of what does not.
//!
//! A guess is about variables alone, or about one or two processes at known places. It says that they are not there
//! at the same time; or that a term has one of some constructors; or how two integers, or one and 0, compare
//! ([`facts`]). Each of these also under a condition, of variables alone under two: that a term has some constructor, or
//! that an integer is negative, 0 or positive; of pairs, where processes are compared, also where the first is before the
//! second, or behind it. What is guessed of variables is not guessed again of a place, nor that
//! of pairs with it, and what is guessed without a condition not with one.

use super::samples::{Row, SampledTerm, Samples, Seen, Values};
use crate::cube::literals::{Base, Literal, bases_of_lit, rename_lit};
use crate::cube::tso::Cube;
use crate::preimage::image::PreImage;
use crate::system::{Rel, SymId, Type};
use crate::theory::context::{SystemContext, normal};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// How much larger one integer is than another at most in what is guessed of the two.
const FAR: i64 = 1;
/// The same of an integer and 0.
const LARGE: i64 = 2;

/// All guesses, as cubes of what is excluded, each once.
pub fn candidates(context: &SystemContext, samples: &Samples) -> Vec<Cube> {
    let place = samples.place;
    let mut all = Vec::new();
    let mut seen = FxHashSet::default();
    let mut add = |places: &[u16], excluded: &[Literal]| {
        let at = |(p, place_of): (u8, &u16)| Literal::In(Base::cell(place, &[p]), 1 << place_of);
        let mut cube = Cube {
            procs: u8::try_from(places.len()).unwrap_or(u8::MAX),
            po_successors: vec![0; places.len()],
            writes: vec![0; places.len()],
            ..Cube::default()
        };
        cube.conj.lits = (0u8..)
            .zip(places)
            .map(at)
            .chain(excluded.iter().copied())
            .collect();
        cube.conj.lits.sort_unstable();
        if let Some(cube) = normal(context, &cube) {
            let cube = PreImage::canonical(context, cube).cube;
            if seen.insert(cube.clone()) {
                all.push(cube);
            }
        }
    };
    let of_none = match samples.seen.get(&vec![]) {
        Some(seen) => guesses(0, seen, 2),
        None => BTreeSet::new(),
    };
    of_none.iter().for_each(|g| add(&[], g));
    let count = places_of(context, place);
    let mut of_one: BTreeMap<u16, BTreeSet<Vec<Literal>>> = BTreeMap::new();
    for at in 0..count {
        match samples.seen.get(&vec![at]) {
            Some(seen) => {
                let guessed = guesses(1, seen, 1);
                guessed.difference(&of_none).for_each(|g| add(&[at], g));
                of_one.insert(at, guessed);
            }
            None => add(&[at], &[]),
        }
    }
    for (first, of_first) in &of_one {
        for (second, of_second) in of_one.range(first..) {
            let places = vec![*first, *second];
            let Some(seen) = samples.seen.get(&places) else {
                add(&places, &[]);
                continue;
            };
            let moved: BTreeSet<Vec<Literal>> =
                of_second.iter().map(|g| of_process(g, 1)).collect();
            for g in guesses(2, seen, 1) {
                if !of_first.contains(&g) && !moved.contains(&g) {
                    add(&places, &g);
                }
            }
        }
    }
    all
}

fn places_of(context: &SystemContext, place: SymId) -> u16 {
    let system = &context.system;
    match &system.types[system.symbols[place].ty] {
        Type::Enum(_, names) => u16::try_from(names.len()).unwrap_or(0),
        _ => 0,
    }
}

/// The same literals of another process.
fn of_process(guess: &[Literal], p: u8) -> Vec<Literal> {
    let rename = |b: Base| b.rename(&[p], &[]);
    let mut all: Vec<Literal> = guess.iter().map(|l| rename_lit(l, &rename)).collect();
    all.sort_unstable();
    all
}

/// What no row of so many processes satisfies: a literal, or one and at most so many conditions; sorted.
fn guesses(procs: u8, seen: &Seen, most_conditions: usize) -> BTreeSet<Vec<Literal>> {
    let rows: Vec<&Row> = seen.rows.iter().collect();
    let mut guesser = Guesser {
        procs,
        terms: &seen.terms,
        all: BTreeSet::new(),
    };
    guesser.under(&[], 0, &rows, &BTreeSet::new(), most_conditions);
    guesser.all
}

/// Guesses about the same terms.
struct Guesser<'a> {
    procs: u8,
    terms: &'a [SampledTerm],
    all: BTreeSet<Vec<Literal>>,
}

impl Guesser<'_> {
    /// Those under some conditions, which the rows satisfy, and under more on the terms from position `from` on;
    /// `weaker` are known without the last one.
    fn under(
        &mut self,
        conditions: &[Literal],
        from: usize,
        rows: &[&Row],
        weaker: &BTreeSet<Literal>,
        more: usize,
    ) {
        let is_conditioned = |b: Base| conditions.iter().any(|c| bases_of_lit(c).any(|o| o == b));
        let here = facts(self.procs, self.terms, rows);
        for l in here.difference(weaker) {
            if !bases_of_lit(l).any(|b| b != Base::ZERO && is_conditioned(b)) {
                let mut guess = conditions.to_vec();
                guess.push(*l);
                guess.sort_unstable();
                self.all.insert(guess);
            }
        }
        if more == 0 {
            return;
        }
        for (i, term) in self.terms.iter().enumerate().skip(from) {
            for (condition, holds) in conditions_on(*term, rows, i) {
                let some: Vec<&Row> = rows.iter().copied().filter(|r| holds(r)).collect();
                if !some.is_empty() && some.len() < rows.len() {
                    let conditions = [conditions, &[condition]].concat();
                    // Which of the two is first is a condition beside the others.
                    let more = more - usize::from(term.values != Values::Order);
                    self.under(&conditions, i + 1, &some, &here, more);
                }
            }
        }
    }
}

/// A condition on a term, and whether a row satisfies it; where a cell may have any value it may.
type Condition = (Literal, Box<dyn Fn(&Row) -> bool>);

fn conditions_on(term: SampledTerm, rows: &[&Row], i: usize) -> Vec<Condition> {
    let is = |holds: fn(i64, i64) -> bool, than: i64| -> Box<dyn Fn(&Row) -> bool> {
        Box::new(move |r: &Row| r[i].is_none_or(|v| holds(v, than)))
    };
    match term.values {
        Values::Constructors(_) => {
            let values: BTreeSet<i64> = rows.iter().filter_map(|r| r[i]).collect();
            let condition = |v: i64| {
                let mask = u32::try_from(v).ok().and_then(|v| 1u128.checked_shl(v))?;
                Some((Literal::In(term.cell, mask), is(|a, b| a == b, v)))
            };
            values.into_iter().filter_map(condition).collect()
        }
        Values::Integer => vec![
            (at_most(term.cell, Base::ZERO, -1), is(|a, b| a < b, 0)),
            (equal(term.cell, Base::ZERO, 0), is(|a, b| a == b, 0)),
            (at_most(Base::ZERO, term.cell, -1), is(|a, b| a > b, 0)),
        ],
        Values::Process => Vec::new(),
        Values::Order => {
            let (first, second) = (Base::process(0), Base::process(1));
            vec![
                (Literal::Less(first, second), is(|a, b| a == b, 1)),
                (Literal::Less(second, first), is(|a, b| a == b, 0)),
            ]
        }
    }
}

/// `a - b <= bound`
fn at_most(a: Base, b: Base, bound: i64) -> Literal {
    difference(a, b, Rel::Le, bound)
}

/// `a - b = bound`
fn equal(a: Base, b: Base, bound: i64) -> Literal {
    difference(a, b, Rel::Eq, bound)
}

fn difference(a: Base, b: Base, rel: Rel, bound: i64) -> Literal {
    Literal::Diff {
        a,
        b,
        rel,
        bound,
        int: true,
    }
}

/// Literals that no row of so many processes satisfies.
fn facts(procs: u8, terms: &[SampledTerm], rows: &[&Row]) -> BTreeSet<Literal> {
    let mut all = BTreeSet::new();
    for (i, term) in terms.iter().enumerate() {
        match term.values {
            Values::Constructors(n) => {
                let whole = u128::MAX >> (u128::BITS - n);
                let some = rows.iter().try_fold(0u128, |set, r| {
                    Some(set | 1u128.checked_shl(u32::try_from(r[i]?).ok()?)?)
                });
                match some.map(|some| whole & !some) {
                    Some(missing) if missing != 0 => all.insert(Literal::In(term.cell, missing)),
                    _ => false,
                };
            }
            Values::Process => {
                for p in 0..procs {
                    if rows.iter().all(|r| r[i].is_some_and(|v| v != i64::from(p))) {
                        all.insert(Literal::Eq(Base::process(p), term.cell));
                    }
                    if rows.iter().all(|r| r[i] == Some(i64::from(p))) {
                        all.insert(Literal::Ne(Base::process(p), term.cell));
                    }
                }
            }
            Values::Integer => {
                compare(term.cell, Base::ZERO, LARGE, rows, |r| r[i], &mut all);
                for (j, other) in terms.iter().enumerate().skip(i + 1) {
                    if other.values == Values::Integer {
                        let difference = |r: &Row| r[i]?.checked_sub(r[j]?);
                        compare(term.cell, other.cell, FAR, rows, difference, &mut all);
                    }
                }
            }
            Values::Order => {
                let (first, second) = (Base::process(0), Base::process(1));
                if rows.iter().all(|r| r[i] == Some(1)) {
                    all.insert(Literal::Less(second, first));
                }
                if rows.iter().all(|r| r[i] == Some(0)) {
                    all.insert(Literal::Less(first, second));
                }
            }
        }
    }
    all
}

/// How `a` compares with `b` in no row, where they are no further apart than `far`.
fn compare(
    a: Base,
    b: Base,
    far: i64,
    rows: &[&Row],
    difference: impl Fn(&Row) -> Option<i64>,
    all: &mut BTreeSet<Literal>,
) {
    let Some(seen) = rows
        .iter()
        .map(|r| difference(r))
        .collect::<Option<BTreeSet<i64>>>()
    else {
        return;
    };
    let (Some(least), Some(most)) = (seen.first(), seen.last()) else {
        return;
    };
    if least.abs() <= far {
        all.insert(at_most(a, b, least - 1));
    }
    if most.abs() <= far {
        all.insert(at_most(b, a, -most - 1));
    }
    for between in (-far).max(*least)..=far.min(*most) {
        if !seen.contains(&between) {
            all.insert(equal(a, b, between));
        }
    }
}
