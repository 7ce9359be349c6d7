//! What the text of a program compares, and which constants its variables are about.

use super::atoms::atoms;
use crate::commands::arith::{Cond, Rel, VarId};
use crate::commands::program::{Program, Update};
use std::collections::{BTreeMap, BTreeSet};

/// Atoms and constants of a program.
pub struct Vocabulary {
    atoms: BTreeSet<Cond>,
    constants: BTreeMap<VarId, BTreeSet<i128>>,
    /// Variables that hold constants of the text only.
    finite: BTreeSet<VarId>,
    /// Pairs of variables that a step compares, or one of which is assigned from the other.
    related: BTreeMap<(VarId, VarId), Relation>,
}

/// How the text relates two variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// It compares them.
    Compared,
    /// It assigns one from the other.
    Assigned,
}

impl Vocabulary {
    /// Of a program.
    pub fn new(program: &Program) -> Vocabulary {
        let steps: Vec<_> = program
            .moves()
            .into_iter()
            .map(|m| program.step(m))
            .collect();
        let atoms: BTreeSet<Cond> = steps.iter().flat_map(|s| atoms(&s.guard)).collect();
        let mut constants: BTreeMap<VarId, BTreeSet<i128>> = BTreeMap::new();
        for (x, v) in program.vars.iter_enumerated() {
            constants.entry(x).or_default().extend(v.initial);
        }
        for atom in &atoms {
            if let Some((x, c)) = constant(atom) {
                constants.entry(x).or_default().insert(c);
            }
        }
        let mut copies: Vec<(VarId, VarId)> = Vec::new();
        let mut finite: BTreeSet<VarId> = program.vars.ids().collect();
        for (x, u) in steps.iter().flat_map(|s| &s.updates) {
            let (number, copied) = match u {
                Update::Set(v) => (v.as_constant(), v.as_var()),
                Update::Any => (None, None),
            };
            constants.entry(*x).or_default().extend(number);
            copies.extend(copied.map(|y| (*x, y)));
            if number.is_none() && copied.is_none() {
                finite.remove(x);
            }
        }
        let mut related = BTreeMap::new();
        for atom in &atoms {
            let vars: Vec<VarId> = atom.vars().into_iter().collect();
            if let [x, y] = vars[..] {
                related.insert((x, y), Relation::Compared);
            }
        }
        for (x, u) in steps.iter().flat_map(|s| &s.updates) {
            let Update::Set(value) = u else {
                continue;
            };
            for y in value.terms.keys().filter(|y| *y != x) {
                related.insert((*x.min(y), *x.max(y)), Relation::Assigned);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (x, y) in &copies {
                changed |= !finite.contains(y) && finite.remove(x);
                let of_y = constants[y].clone();
                let of_x = constants.entry(*x).or_default();
                let before = of_x.len();
                of_x.extend(of_y);
                changed |= of_x.len() != before;
            }
        }
        Vocabulary {
            atoms,
            constants,
            finite,
            related,
        }
    }

    /// The text compares so.
    pub fn has(&self, atom: &Cond) -> bool {
        self.atoms.contains(atom)
    }

    /// The comparisons of the text over some variables.
    pub fn over(&self, vars: &BTreeSet<VarId>) -> impl Iterator<Item = &Cond> {
        self.atoms
            .iter()
            .filter(|c| c.vars().iter().all(|x| vars.contains(x)))
    }

    /// The constants that a variable is assigned or compared with.
    pub fn constants(&self, x: VarId) -> &BTreeSet<i128> {
        &self.constants[&x]
    }

    /// How the text relates two variables, the first of which has the lower number.
    pub fn relation(&self, x: VarId, y: VarId) -> Option<Relation> {
        self.related.get(&(x, y)).copied()
    }

    /// The pairs of variables that the text relates so.
    pub fn related(&self, by: Relation) -> impl Iterator<Item = (VarId, VarId)> {
        let pairs = self.related.iter().filter(move |(_, r)| **r == by);
        pairs.map(|(pair, _)| *pair)
    }

    /// A variable holds constants of the text only.
    pub fn is_finite(&self, x: VarId) -> bool {
        self.finite.contains(&x)
    }
}

/// The variable and the constant that it is compared with.
pub fn constant(atom: &Cond) -> Option<(VarId, i128)> {
    let Cond::Compare(sum, rel) = atom else {
        return None;
    };
    match (sum.terms.first_key_value()?, sum.terms.len(), rel) {
        ((x, 1), 1, _) => Some((*x, -sum.constant)),
        ((x, -1), 1, Rel::Le) => Some((*x, sum.constant)),
        _ => None,
    }
}
