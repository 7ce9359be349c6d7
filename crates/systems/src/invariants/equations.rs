//! Linear equations between integer variables and the numbers of processes at places.
//!
//! What a counter counts is what most of its invariants rest on: the permits of a semaphore and the processes inside
//! are as many as the permits there are. Such equations are the linear relations that hold of all states seen
//! (Karr, "Affine relationships among variables of a program", 1976; of the numbers alone, a Petri net's place
//! invariants). A column each for the places, the constant, the values of variables with constructors and the integers;
//! in the reduced echelon form of the rows an integer that is no pivot is a sum of those that are.

use crate::cube::formula::{GroundFormula, number};
use crate::cube::literals::{Base, Conj, LinSum, Literal};
use crate::cube::tso::Cube;
use crate::preimage::image::PreImage;
use crate::system::{Count, Rel, SymId, System, Type};
use crate::theory::context::{SystemContext, normal};
use base::idx::Id;
use rustc_hash::FxHashSet;
use smt::{Rational, int};
use std::collections::{BTreeMap, BTreeSet};

/// What stands in a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Column {
    /// How many processes are at a place.
    Place(u16),
    /// 1.
    One,
    /// 1 where a variable has this constructor, else 0.
    Has(SymId, u16),
    /// An integer variable.
    Integer(SymId),
}

/// `Σ factor · column = 0`
pub type Equation = Vec<(i64, Column)>;

/// Columns of rows, and the rows seen.
pub struct Totals {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: FxHashSet<Vec<i64>>,
}

/// More constructors of a variable are not told apart.
const MOST_VALUES: usize = 8;
/// Equations with larger factors are left out.
const MOST_FACTOR: i64 = 8;

impl Totals {
    /// No row yet; where all processes are initially comes last of the places, as it is not counted.
    pub fn new(system: &System, place: SymId) -> Totals {
        let mut columns = Vec::new();
        let first = system.first_place(place);
        if let Type::Enum(_, names) = &system.types[system.symbols[place].ty] {
            let all = (0u16..).take(names.len());
            columns.extend(all.filter(|c| Some(*c) != first).map(Column::Place));
        }
        columns.extend(first.map(Column::Place));
        columns.push(Column::One);
        let variables = || {
            let all = system.symbols.iter_enumerated();
            all.filter(|(_, s)| s.arity == 0)
        };
        for (sym, symbol) in variables() {
            if let Type::Enum(_, names) = &system.types[symbol.ty]
                && names.len() <= MOST_VALUES
            {
                let later = (1u16..).take(names.len() - 1);
                columns.extend(later.map(|c| Column::Has(sym, c)));
            }
        }
        for (sym, symbol) in variables() {
            if system.types[symbol.ty] == Type::Int {
                columns.push(Column::Integer(sym));
            }
        }
        Totals {
            columns,
            rows: FxHashSet::default(),
        }
    }

    /// The equations that hold of all rows: each has an integer variable, and places that are not `first`.
    pub fn equations(&self, first: Option<u16>) -> Vec<Equation> {
        // In reduced echelon form after each row: a pivot is the first entry of its row, and alone in its column.
        let mut echelon: Vec<(usize, Vec<Rational>)> = Vec::new();
        for row in &self.rows {
            let mut row: Vec<Rational> = row.iter().map(|n| int(*n)).collect();
            for (pivot, other) in &echelon {
                subtract(&mut row, *pivot, other);
            }
            let Some(pivot) = row.iter().position(|n| *n != int(0)) else {
                continue;
            };
            let factor = row[pivot].clone();
            row.iter_mut().for_each(|n| *n = &*n / &factor);
            for (_, other) in &mut echelon {
                subtract(other, pivot, &row);
            }
            echelon.push((pivot, row));
        }
        let mut all = Vec::new();
        for (free, column) in self.columns.iter().enumerate() {
            let is_pivot = echelon.iter().any(|(pivot, _)| *pivot == free);
            if is_pivot || !matches!(column, Column::Integer(_)) {
                continue;
            }
            let mut sum = vec![(int(1), *column)];
            for (pivot, row) in &echelon {
                if row[free] != int(0) {
                    sum.push((&int(0) - &row[free], self.columns[*pivot]));
                }
            }
            let is_place = |c: &Column| matches!(c, Column::Place(_));
            let counts = sum.iter().any(|(_, c)| is_place(c));
            let counts_first =
                first.is_some_and(|f| sum.iter().any(|(_, c)| *c == Column::Place(f)));
            if counts && !counts_first {
                all.extend(whole(&sum));
            }
        }
        all
    }
}

/// Takes a multiple of `other` away, so that the entry at its pivot is 0.
fn subtract(row: &mut [Rational], pivot: usize, other: &[Rational]) {
    let factor = row[pivot].clone();
    if factor == int(0) {
        return;
    }
    for (n, m) in row.iter_mut().zip(other) {
        *n = &*n - &(&factor * m);
    }
}

/// With whole factors, if they are small.
fn whole(sum: &[(Rational, Column)]) -> Option<Equation> {
    let small = |n: &Rational| {
        let all = -MOST_FACTOR..=MOST_FACTOR;
        all.into_iter().find(|k| int(*k) == *n)
    };
    (1..=MOST_FACTOR).find_map(|scale| {
        let factors = sum
            .iter()
            .map(|(n, c)| Some((small(&(&int(scale) * n))?, *c)));
        factors.collect()
    })
}

/// What has to be counted so that equations can be written: the places that have the same factors in all of them.
pub fn counts(equations: &[Equation], place: SymId) -> Vec<Count> {
    let mut by_factors: BTreeMap<Vec<i64>, BTreeSet<u16>> = BTreeMap::new();
    let places = equations.iter().flatten().filter_map(|(_, c)| match c {
        Column::Place(at) => Some(*at),
        _ => None,
    });
    for at in places.collect::<BTreeSet<u16>>() {
        let factors = equations.iter().map(|e| factor(e, Column::Place(at)));
        by_factors.entry(factors.collect()).or_default().insert(at);
    }
    let counted = by_factors.into_values().map(|at| Count {
        place,
        at: at.into_iter().collect(),
    });
    counted.collect()
}

fn factor(equation: &Equation, column: Column) -> i64 {
    let found = equation.iter().find(|(_, c)| *c == column);
    found.map_or(0, |(f, _)| *f)
}

/// The cubes of states that violate an equation, of the system with counts.
pub fn excluded(context: &SystemContext, equation: &Equation) -> Vec<Cube> {
    let system = &*context.system;
    let mut lin = LinSum::default();
    let mut cases: BTreeMap<SymId, Vec<(u16, i64)>> = BTreeMap::new();
    let first_count = system.symbols.len() - system.counts.len();
    for (factor, column) in equation {
        match column {
            Column::One => lin.constant += factor,
            Column::Integer(sym) => {
                if lin
                    .add(*factor, &LinSum::of(Base::cell(*sym, &[])))
                    .is_none()
                {
                    return Vec::new();
                }
            }
            Column::Has(sym, c) => cases.entry(*sym).or_default().push((*c, *factor)),
            Column::Place(_) => {}
        }
    }
    for (k, count) in system.counts.iter().enumerate() {
        let factor = factor(equation, Column::Place(count.at[0]));
        let sym = SymId::from_index(first_count + k);
        if factor != 0 && lin.add(factor, &LinSum::of(Base::cell(sym, &[]))).is_none() {
            return Vec::new();
        }
    }
    // Every choice of constructors for the variables that it speaks of.
    let mut choices: Vec<(Vec<Literal>, i64)> = vec![(Vec::new(), 0)];
    for (sym, factors) in cases {
        let Type::Enum(_, names) = &system.types[system.symbols[sym].ty] else {
            return Vec::new();
        };
        let mut next = Vec::new();
        for (lits, constant) in &choices {
            for c in (0u16..).take(names.len()) {
                let more = factors.iter().find(|(d, _)| *d == c).map_or(0, |(_, f)| *f);
                let lit = Literal::In(Base::cell(sym, &[]), 1 << c);
                next.push(([&lits[..], &[lit]].concat(), constant + more));
            }
        }
        choices = next;
    }
    let mut all = Vec::new();
    for (lits, constant) in choices {
        for sign in [1, -1] {
            // The sum is at least 1, or at most -1.
            let mut sum = LinSum {
                terms: Vec::new(),
                constant: 1 - sign * constant,
            };
            if sum.add(-sign, &lin).is_none() {
                return Vec::new();
            }
            let mut conj = Conj {
                lits: lits.clone(),
                lins: Vec::new(),
            };
            match number(Rel::Le, true, sum) {
                GroundFormula::Literal(l) => conj.lits.push(l),
                GroundFormula::Lin(l) => conj.lins.push(l),
                _ => continue,
            }
            let cube = Cube {
                conj,
                ..Cube::default()
            };
            let cube = normal(context, &cube);
            all.extend(cube.map(|c| PreImage::canonical(context, c).cube));
        }
    }
    all
}
