//! The types of enumerations, and the system in terms of them.

use super::constants::Integers;
use crate::cub::ast::{Access, Expr, File, Rel, Rhs, Term, TypeDecl, Update};
use crate::cub::build::{Sum, conjunction, disjunction, has_value, holds, ident, name_term};
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The type of some enumerations.
struct Enumeration {
    /// Its name.
    name: String,
    /// The names of its values.
    constructors: BTreeMap<i64, String>,
    /// Who has it; the first gives the names.
    symbols: Vec<String>,
}

/// The types of all enumerations.
pub(super) struct Types {
    all: Vec<Enumeration>,
}

impl Types {
    /// Declares them; those that are `alike` have the same if they hold the same constants.
    pub fn declare(system: &mut File, integers: &Integers, alike: &[[String; 2]]) -> Types {
        let constructors = system.types.iter().flat_map(|t| &t.constructors);
        let symbols = system.symbols.iter().map(|s| &s.name);
        let taken = constructors.chain(symbols).map(|n| n.text.clone());
        let mut taken: BTreeSet<String> = taken.collect();
        let mut fresh = |mut name: String| {
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let classes = classes(system, integers, alike).into_iter();
        let all: Vec<Enumeration> = classes
            .map(|symbols| {
                let named = integers.constants(&symbols[0]).map(|constant| {
                    let sign = if constant < 0 { "minus_" } else { "" };
                    let number = constant.unsigned_abs();
                    (constant, fresh(format!("{}_{sign}{number}", symbols[0])))
                });
                Enumeration {
                    constructors: named.collect(),
                    name: fresh(format!("{}_value", symbols[0].to_lowercase())),
                    symbols,
                }
            })
            .collect();
        let types = Types { all };
        for symbol in &mut system.symbols {
            let Some(ty) = types.of(&symbol.name.text) else {
                continue;
            };
            symbol.ty.text.clone_from(&ty.name);
            if ty.symbols[0] == symbol.name.text {
                let span = symbol.name.span;
                let constructors = ty.constructors.values();
                system.types.push(TypeDecl {
                    name: ident(&ty.name, span),
                    constructors: constructors.map(|c| ident(c, span)).collect(),
                });
            }
        }
        types
    }

    fn of(&self, symbol: &str) -> Option<&Enumeration> {
        let has = |ty: &&Enumeration| ty.symbols.iter().any(|s| s == symbol);
        self.all.iter().find(has)
    }

    fn are_same(&self, one: &Access, other: &Access) -> bool {
        let name = |cell: &Access| self.of(&cell.name.text).map(|ty| &ty.name);
        name(one) == name(other)
    }

    /// The name of a constant of a symbol.
    fn constructor(&self, symbol: &str, constant: i64) -> &str {
        let ty = self.of(symbol).expect("the symbol is an enumeration");
        &ty.constructors[&constant]
    }

    /// What each name of a value stands for.
    pub fn constants(&self) -> BTreeMap<String, i64> {
        let named = self.all.iter().flat_map(|ty| &ty.constructors);
        named
            .map(|(constant, name)| (name.clone(), *constant))
            .collect()
    }
}

/// The enumerations, those together that are alike and hold the same constants.
fn classes(system: &File, integers: &Integers, alike: &[[String; 2]]) -> Vec<Vec<String>> {
    // Shared variables come last in a system; they are to give the names.
    let names = system.symbols.iter().rev().map(|s| &s.name.text);
    let enumerations = names.filter(|name| integers.contains(name));
    let mut classes: Vec<Vec<String>> = enumerations.map(|name| vec![name.clone()]).collect();
    for [a, b] in alike {
        let class = |name| classes.iter().position(|c| c.contains(name));
        if let (Some(one), Some(other)) = (class(a), class(b))
            && one != other
            && integers.constants(a).eq(integers.constants(b))
        {
            let moved = classes.remove(one.max(other));
            classes[one.min(other)].extend(moved);
        }
    }
    classes
}

/// Puts constructors in the place of constants.
pub(super) struct Rewriting<'a> {
    pub integers: &'a Integers,
    pub types: &'a Types,
}

impl Rewriting<'_> {
    pub fn system(&self, system: &mut File) {
        for formula in system.inits.iter_mut().chain(&mut system.unsafes) {
            self.formula(&mut formula.body);
        }
        for transition in &mut system.transitions {
            if let Some(guard) = &mut transition.guard {
                self.formula(guard);
            }
            for update in &mut transition.updates {
                self.update(update);
            }
        }
    }

    fn formula(&self, formula: &mut Expr) {
        match formula {
            Expr::Bool(..) | Expr::Fence(..) | Expr::Call(..) => {}
            Expr::Cmp(rel, left, right, span) => {
                if let Some(decided) = self.compare(*rel, left, right, *span) {
                    *formula = decided;
                }
            }
            Expr::Not(inner, _) | Expr::Quant(_, _, inner, _) => self.formula(inner),
            Expr::Bin(_, a, b) => {
                self.formula(a);
                self.formula(b);
            }
            Expr::Ite(a, b, c) => {
                for part in [a, b, c] {
                    self.formula(part);
                }
            }
        }
    }

    /// A comparison of enumerations, unless it remains what it is.
    fn compare(&self, rel: Rel, left: &Term, right: &Term, span: Span) -> Option<Expr> {
        let (left, right) = (self.integers.sum(left)?, self.integers.sum(right)?);
        if let (Some(a), Some(b), Rel::Eq | Rel::Ne) = (left.lone_cell(), right.lone_cell(), rel)
            && self.types.are_same(a, b)
        {
            return None;
        }
        let difference = left.plus(-1, right);
        if difference.parts.is_empty() {
            return None;
        }
        let cases = self.cases(&difference).into_iter();
        let (possible, others): (Vec<Case>, Vec<Case>) = cases.partition(|c| holds(rel, c.sum));
        if let [other] = &others[..]
            && let [(cell, constant)] = &other.values[..]
            && possible.len() > 1
        {
            let value = self.types.constructor(&cell.name.text, *constant);
            return Some(has_value((*cell).clone(), false, value, span));
        }
        let possible = possible.iter().map(|case| self.is(case, span));
        Some(disjunction(possible.collect(), span))
    }

    fn update(&self, update: &mut Update) {
        if let Rhs::Case(cases) = &mut update.rhs {
            for condition in cases.iter_mut().filter_map(|(c, _)| c.as_mut()) {
                self.formula(condition);
            }
            return;
        }
        let Rhs::Term(term) = &update.rhs else {
            return;
        };
        let (target, span) = (&update.target.name.text, update.span);
        let Some(sum) = self
            .integers
            .sum(term)
            .filter(|_| self.types.of(target).is_some())
        else {
            return;
        };
        let copied = sum.lone_cell();
        if copied.is_some_and(|cell| self.types.are_same(&update.target, cell)) {
            return;
        }
        let value = |case: &Case| name_term(self.types.constructor(target, case.sum), span);
        let mut cases = self.cases(&sum);
        let last = cases.pop().expect("every enumeration has a value");
        update.rhs = if cases.is_empty() {
            Rhs::Term(value(&last))
        } else {
            let cases = cases.iter().map(|c| (Some(self.is(c, span)), value(c)));
            Rhs::Case(cases.chain([(None, value(&last))]).collect())
        };
    }

    /// The cells have these values.
    fn is(&self, case: &Case, span: Span) -> Expr {
        let cells = case.values.iter().map(|(cell, constant)| {
            let value = self.types.constructor(&cell.name.text, *constant);
            has_value((*cell).clone(), true, value, span)
        });
        conjunction(cells.collect(), span)
    }

    /// All values of a sum's cells.
    fn cases<'s>(&self, sum: &'s Sum) -> Vec<Case<'s>> {
        let mut all = vec![Case {
            values: Vec::new(),
            sum: sum.constant,
        }];
        for (factor, cell) in &sum.parts {
            let with = |case: Case<'s>| {
                let constants = self.integers.constants(&cell.name.text);
                let more = constants.map(|constant| Case {
                    values: [&case.values[..], &[(cell, constant)]].concat(),
                    sum: case.sum + factor * constant,
                });
                more.collect::<Vec<_>>()
            };
            all = all.into_iter().flat_map(with).collect();
        }
        all
    }
}

/// Values of the cells of a sum, and what the sum is then.
struct Case<'s> {
    values: Vec<(&'s Access, i64)>,
    sum: i64,
}
