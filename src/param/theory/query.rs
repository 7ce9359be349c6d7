//! Literals about cubes as questions to the SMT solver, which answers exactly.
//!
//! Each base becomes a variable of its type: constructors a finite sort, numbers integers or
//! rationals, abstract types sorts of which nothing is known but equality. Processes are such a sort
//! as well, unless their order matters: then they are rationals, for any total order is one of
//! rationals, the constants `#1`, `#2`, … being the numbers 1, 2, … and all others greater. What is
//! known before any literal is asserted when a variable is made: different processes differ, a cell
//! holds one of the constructors that are ever stored in it, and when all processes are there it
//! holds one of them.
//!
//! A question is put once for many literals: models that were found refute most of those that do not
//! follow, and answers are kept.

use super::model::Model;
use crate::base::idx::position;
use crate::param::cube::any::AnyCube;
use crate::param::cube::formula::Inst;
use crate::param::cube::literals::{Base, Conj, Kind, LinLit, LinSum, Lit, bases_of_lit};
use crate::param::cube::timestamp::Read;
use crate::param::system::{Rel, Type};
use crate::smt::{self, Answer, Formula, Solver, Sort, Sum, Var, int};
use std::collections::BTreeMap;

/// The sort of processes without order.
const PROCESSES: Sort = Sort::Open(0);

/// The sort of what is only compared with its like.
const UNTOLD: Sort = Sort::Open(u32::MAX);

/// Models kept to refute literals with.
const MAX_MODELS: usize = 32;

/// What is known of some processes, and the solver that knows it.
pub struct Question<'a> {
    model: &'a Model<'a>,
    reads: Vec<Read>,
    procs: u8,
    known: Inst,
    ordered: bool,
    /// The sorts of existential values, as far as literals tell.
    somes: BTreeMap<Base, Sort>,
    solver: Solver,
    vars: BTreeMap<Base, Var>,
    models: Vec<smt::Model>,
    lits: BTreeMap<Lit, bool>,
    lins: BTreeMap<LinLit, bool>,
}

/// A conjunction as a formula.
pub fn all_of(conj: &Conj) -> Inst {
    let lits = conj.lits.iter().map(|l| Inst::Lit(*l));
    let lins = conj.lins.iter().map(|l| Inst::Lin(l.clone()));
    Inst::And(lits.chain(lins).collect())
}

/// The cube is empty, and it takes more than the engine's theory to see it. It is asked only where
/// the theory has gaps: sums of several numbers, several disequalities, an order of all processes
/// that there are.
pub fn is_empty(model: &Model, cube: &impl AnyCube) -> bool {
    let conj = cube.conj();
    let differ = conj.lits.iter().filter(|l| {
        let numbers = matches!(l, Lit::Diff { rel: Rel::Ne, .. });
        numbers || matches!(l, Lit::Ne(..))
    });
    let gaps = !conj.lins.is_empty()
        || differ.count() > 1
        || model.limit == Some(cube.procs()) && conj.lits.iter().any(is_order);
    gaps && {
        let reads = cube.reads().to_vec();
        let mut question = Question::new(model, reads, cube.procs(), all_of(conj));
        question.is_possible() == Some(false)
    }
}

impl<'a> Question<'a> {
    /// `known` holds of so many processes and these pending reads.
    pub fn new(model: &'a Model<'a>, reads: Vec<Read>, procs: u8, known: Inst) -> Question<'a> {
        let mut q = Question {
            model,
            reads,
            procs,
            ordered: has_order(&known),
            known,
            somes: BTreeMap::new(),
            solver: Solver::default(),
            vars: BTreeMap::new(),
            models: Vec::new(),
            lits: BTreeMap::new(),
            lins: BTreeMap::new(),
        };
        q.begin();
        q
    }

    fn begin(&mut self) {
        self.solver = Solver::default();
        self.vars.clear();
        self.models.clear();
        let known = self.known.clone();
        while self.learn_sorts(&known) {}
        let formula = self.formula(&known);
        self.solver.assert(formula);
    }

    /// Can it be? Nothing when that is beyond the solver's limits.
    pub fn is_possible(&mut self) -> Option<bool> {
        self.check(&[])
    }

    /// Does the literal hold wherever all that is known does? False when that is not decided.
    pub fn implies(&mut self, lit: &Lit) -> bool {
        if let Some(answer) = self.lits.get(lit) {
            return *answer;
        }
        let answer = self.follows(&Inst::Lit(*lit));
        self.lits.insert(*lit, answer);
        answer
    }

    /// The same of a linear literal.
    pub fn implies_lin(&mut self, lit: &LinLit) -> bool {
        if let Some(answer) = self.lins.get(lit) {
            return *answer;
        }
        let answer = self.follows(&Inst::Lin(lit.clone()));
        self.lins.insert(lit.clone(), answer);
        answer
    }

    fn follows(&mut self, i: &Inst) -> bool {
        if !self.ordered && has_order(i) {
            self.ordered = true;
            self.begin();
        }
        let not = self.formula(i).negate();
        let refutes = |m: &smt::Model| m.satisfies(&not) == Some(true);
        !self.models.iter().any(refutes) && self.check(&[not]) == Some(false)
    }

    fn check(&mut self, assumptions: &[Formula]) -> Option<bool> {
        match self.solver.check_with(assumptions) {
            Answer::Sat(model) => {
                if self.models.len() < MAX_MODELS {
                    self.models.push(model);
                }
                Some(true)
            }
            Answer::Unsat(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// A formula over the solver's variables. A fence says nothing of values.
    fn formula(&mut self, i: &Inst) -> Formula {
        match i {
            Inst::Bool(b) => Formula::Bool(*b),
            Inst::Fence => Formula::Bool(true),
            Inst::Lit(l) => self.literal(l),
            Inst::Lin(l) => self.number(l.rel, l.int, &l.lin),
            Inst::And(all) => Formula::And(all.iter().map(|i| self.formula(i)).collect()),
            Inst::Or(all) => Formula::Or(all.iter().map(|i| self.formula(i)).collect()),
        }
    }

    fn literal(&mut self, l: &Lit) -> Formula {
        match *l {
            Lit::In(b, mask) => {
                let x = self.var(b, Sort::Finite(u128::BITS));
                let size = match self.sort(b) {
                    Some(Sort::Finite(n)) => n,
                    _ => 0,
                };
                one_of(x, size, mask)
            }
            Lit::Eq(a, b) => self.same(a, b),
            Lit::Ne(a, b) => self.same(a, b).negate(),
            Lit::Less(a, b) => self.before(a, b, smt::Rel::Lt),
            Lit::LessEq(a, b) => self.before(a, b, smt::Rel::Le),
            Lit::Diff {
                a,
                b,
                rel,
                bound,
                int: is_int,
            } => {
                let sort = number_sort(is_int);
                let mut sum = Sum::constant(-int(bound));
                for (f, base) in [(1, a), (-1, b)] {
                    if base != Base::ZERO {
                        sum = sum.plus(&int(f), self.var(base, sort));
                    }
                }
                compare(sum, rel)
            }
        }
    }

    fn number(&mut self, rel: Rel, is_int: bool, lin: &LinSum) -> Formula {
        let mut sum = Sum::constant(int(lin.constant));
        for (f, b) in &lin.terms {
            sum = sum.plus(&int(*f), self.var(*b, number_sort(is_int)));
        }
        compare(sum, rel)
    }

    fn same(&mut self, a: Base, b: Base) -> Formula {
        let (x, y) = (self.var(a, UNTOLD), self.var(b, UNTOLD));
        if self.ordered && self.is_process(a) && self.is_process(b) {
            Formula::compare(Sum::var(x).minus(&Sum::var(y)), smt::Rel::Eq)
        } else {
            Formula::same(x, y)
        }
    }

    fn before(&mut self, a: Base, b: Base, rel: smt::Rel) -> Formula {
        let (x, y) = (self.var(a, PROCESSES), self.var(b, PROCESSES));
        Formula::compare(Sum::var(x).minus(&Sum::var(y)), rel)
    }

    /// The sort of a base, if its type or some literal tells.
    fn sort(&self, b: Base) -> Option<Sort> {
        let sym = match b.kind() {
            Kind::Zero => return None,
            Kind::Proc(_) => return Some(PROCESSES),
            Kind::Some(_) => return self.somes.get(&b).copied(),
            Kind::Cell(sym, ..) => sym,
            Kind::Read(k) => return self.sort(self.reads.get(usize::from(k))?.cell),
        };
        let symbol = self.model.system.symbols.get(sym)?;
        Some(match &self.model.system.types[symbol.ty] {
            Type::Int => Sort::Int,
            Type::Real => Sort::Real,
            Type::Proc => PROCESSES,
            Type::Enum(_, names) => Sort::Finite(position(names.len())),
            Type::Abstract(_) => Sort::Open(1 + symbol.ty.0),
        })
    }

    fn is_process(&self, b: Base) -> bool {
        self.sort(b) == Some(PROCESSES)
    }

    /// Gives existential values the sorts of what they are compared with; true when there is news.
    fn learn_sorts(&mut self, i: &Inst) -> bool {
        let mut news = false;
        let mut learn = |q: &mut Question, b: Base, sort: Option<Sort>| {
            let unknown = matches!(b.kind(), Kind::Some(_)) && q.sort(b).is_none();
            if let Some(sort) = sort.filter(|_| unknown) {
                q.somes.insert(b, sort);
                news = true;
            }
        };
        match i {
            Inst::And(all) | Inst::Or(all) => {
                return all.iter().any(|i| self.learn_sorts(i));
            }
            Inst::Lit(Lit::Eq(a, b) | Lit::Ne(a, b)) => {
                let (left, right) = (self.sort(*a), self.sort(*b));
                learn(self, *a, right);
                learn(self, *b, left);
            }
            Inst::Lit(l @ (Lit::Less(..) | Lit::LessEq(..))) => {
                bases_of_lit(l).for_each(|b| learn(self, b, Some(PROCESSES)));
            }
            Inst::Lit(l @ Lit::Diff { int, .. }) => {
                bases_of_lit(l).for_each(|b| learn(self, b, Some(number_sort(*int))));
            }
            Inst::Lin(l) => {
                let sort = Some(number_sort(l.int));
                l.lin.terms.iter().for_each(|(_, b)| learn(self, *b, sort));
            }
            Inst::Lit(Lit::In(..)) | Inst::Bool(_) | Inst::Fence => {}
        }
        news
    }

    /// The variable of a base, made with what is always known of it; `default` is the sort of an
    /// existential value that nothing else tells the sort of.
    fn var(&mut self, b: Base, default: Sort) -> Var {
        if let Some(x) = self.vars.get(&b) {
            return *x;
        }
        let sort = self.sort(b).unwrap_or(default);
        if matches!(b.kind(), Kind::Some(_)) {
            self.somes.insert(b, sort);
        }
        let x = self.solver.variable(match sort {
            PROCESSES if self.ordered => Sort::Real,
            sort => sort,
        });
        self.vars.insert(b, x);
        match sort {
            Sort::Finite(n) => {
                let domain = self.model.domain(&self.reads, b);
                self.solver.assert(one_of(x, n, domain));
            }
            PROCESSES => self.process(b, x),
            _ => {}
        }
        x
    }

    fn process(&mut self, b: Base, x: Var) {
        let fixed = self.model.system.fixed;
        if let Kind::Proc(p) = b.kind() {
            if self.ordered {
                self.solver.assert(place(x, p, fixed));
            }
            let others = self.vars.keys().copied();
            let others = others.filter(|o| *o != b && matches!(o.kind(), Kind::Proc(_)));
            for o in others.collect::<Vec<Base>>() {
                let differ = self.same(b, o).negate();
                self.solver.assert(differ);
            }
            return;
        }
        if let Some(n) = self.model.all_procs(self.procs) {
            let one = (0..n).map(|p| self.same(b, Base::process(p))).collect();
            self.solver.assert(Formula::Or(one));
        }
        if self.ordered {
            let one = (0..=fixed).map(|p| place(x, p, fixed)).collect();
            self.solver.assert(Formula::Or(one));
        }
    }
}

/// Where process `p` stands in the order: at its number if it is a constant, else after them.
fn place(x: Var, p: u8, fixed: u8) -> Formula {
    let at = |k: u8| Sum::constant(int(i64::from(k)));
    if p < fixed {
        Formula::compare(Sum::var(x).minus(&at(p + 1)), smt::Rel::Eq)
    } else {
        Formula::compare(at(fixed).minus(&Sum::var(x)), smt::Rel::Lt)
    }
}

fn number_sort(is_int: bool) -> Sort {
    if is_int { Sort::Int } else { Sort::Real }
}

/// One of the constructors of the mask, of so many.
fn one_of(x: Var, size: u32, mask: u128) -> Formula {
    let (all, set) = (0..size.min(u128::BITS), |k: &u32| mask >> k & 1 == 1);
    if all.clone().all(|k| set(&k)) {
        return Formula::Bool(true);
    }
    Formula::Or(all.filter(set).map(|k| Formula::is(x, k)).collect())
}

fn compare(sum: Sum, rel: Rel) -> Formula {
    match rel {
        Rel::Eq => Formula::compare(sum, smt::Rel::Eq),
        Rel::Ne => Formula::compare(sum, smt::Rel::Eq).negate(),
        Rel::Lt => Formula::compare(sum, smt::Rel::Lt),
        Rel::Le => Formula::compare(sum, smt::Rel::Le),
    }
}

fn has_order(i: &Inst) -> bool {
    match i {
        Inst::And(all) | Inst::Or(all) => all.iter().any(has_order),
        Inst::Lit(l) => is_order(l),
        _ => false,
    }
}

fn is_order(l: &Lit) -> bool {
    matches!(l, Lit::Less(..) | Lit::LessEq(..))
}
