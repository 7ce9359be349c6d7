//! Entailment queries: literals about cubes, put to the SMT solver, which answers exactly.
//!
//! Each base becomes a variable of its type: constructors a finite sort, numbers integers or
//! rationals, abstract types sorts of which nothing is known but equality. Processes are such a
//! sort as well, unless their order matters: then they are rationals, for any total order is one of
//! rationals, the constants `#1`, `#2`, … being the numbers 1, 2, … and all others greater. What is
//! known before any literal is asserted when a variable is made: different processes differ, a cell
//! holds one of the constructors that are ever stored in it, and when all processes are there it
//! holds one of them.
//!
//! A query serves many literals: satisfying assignments that were found refute most of those that
//! do not follow, and answers are kept.

use super::context::SystemContext;
use crate::cube::any::AnyCube;
use crate::cube::formula::GroundFormula;
use crate::cube::literals::{Base, BaseKind, Conj, LinSum, LinearLiteral, Literal, bases_of_lit};
use crate::cube::timestamp::PendingRead;
use crate::system::{Rel, Type};
use base::idx::position;
use smt::{self, Formula, SmtResult, Solver, Sort, Sum, Var, int};
use std::collections::BTreeMap;

/// The sort of processes without order.
const PROCESSES: Sort = Sort::Open(0);

/// The sort of what is only compared with its like.
const UNKNOWN_SORT: Sort = Sort::Open(u32::MAX);

/// Satisfying assignments kept to refute literals with.
const MAX_ASSIGNMENTS: usize = 32;

/// What is known of some processes, and the solver that knows it.
pub struct EntailmentQuery<'a> {
    context: &'a SystemContext<'a>,
    reads: Vec<PendingRead>,
    procs: u8,
    known: GroundFormula,
    ordered: bool,
    /// The sorts of existential values, as far as literals tell.
    somes: BTreeMap<Base, Sort>,
    solver: Solver,
    vars: BTreeMap<Base, Var>,
    assignments: Vec<smt::Assignment>,
    lits: BTreeMap<Literal, bool>,
    lins: BTreeMap<LinearLiteral, bool>,
}

/// A conjunction as a formula.
pub fn all_of(conj: &Conj) -> GroundFormula {
    let lits = conj.lits.iter().map(|l| GroundFormula::Literal(*l));
    let lins = conj.lins.iter().map(|l| GroundFormula::Lin(l.clone()));
    GroundFormula::And(lits.chain(lins).collect())
}

/// The cube is empty, and it takes more than the engine's theory to see it. It is asked only where
/// the theory is incomplete: sums of several numbers, several disequalities, an order of all
/// processes that there are.
pub fn is_empty(context: &SystemContext, cube: &impl AnyCube) -> bool {
    let conj = cube.conj();
    let differ = conj.lits.iter().filter(|l| {
        let numbers = matches!(l, Literal::Diff { rel: Rel::Ne, .. });
        numbers || matches!(l, Literal::Ne(..))
    });
    let incomplete = !conj.lins.is_empty()
        || differ.count() > 1
        || context.limit == Some(cube.procs()) && conj.lits.iter().any(is_order);
    incomplete && {
        let reads = cube.reads().to_vec();
        let mut query = EntailmentQuery::new(context, reads, cube.procs(), all_of(conj));
        query.is_possible() == Some(false)
    }
}

impl<'a> EntailmentQuery<'a> {
    /// `known` holds of so many processes and these pending reads.
    pub fn new(
        context: &'a SystemContext<'a>,
        reads: Vec<PendingRead>,
        procs: u8,
        known: GroundFormula,
    ) -> EntailmentQuery<'a> {
        let mut q = EntailmentQuery {
            context,
            reads,
            procs,
            ordered: has_order(&known),
            known,
            somes: BTreeMap::new(),
            solver: Solver::default(),
            vars: BTreeMap::new(),
            assignments: Vec::new(),
            lits: BTreeMap::new(),
            lins: BTreeMap::new(),
        };
        q.begin();
        q
    }

    fn begin(&mut self) {
        self.solver = Solver::default();
        self.vars.clear();
        self.assignments.clear();
        let known = self.known.clone();
        while self.infer_sorts(&known) {}
        let formula = self.formula(&known);
        self.solver.assert(formula);
    }

    /// Can it be? Nothing when that is beyond the solver's limits.
    pub fn is_possible(&mut self) -> Option<bool> {
        self.check(&[])
    }

    /// Does the literal hold wherever all that is known does? False when that is not decided.
    pub fn implies(&mut self, lit: &Literal) -> bool {
        if let Some(answer) = self.lits.get(lit) {
            return *answer;
        }
        let answer = self.follows(&GroundFormula::Literal(*lit));
        self.lits.insert(*lit, answer);
        answer
    }

    /// The same of a linear literal.
    pub fn implies_lin(&mut self, lit: &LinearLiteral) -> bool {
        if let Some(answer) = self.lins.get(lit) {
            return *answer;
        }
        let answer = self.follows(&GroundFormula::Lin(lit.clone()));
        self.lins.insert(lit.clone(), answer);
        answer
    }

    /// Does one of the conjunctions hold wherever all that is known does? The positions of some that it takes;
    /// nothing when that is not so, or not decided.
    pub fn implies_one_of(&mut self, all: &[Conj]) -> Option<Vec<usize>> {
        let all: Vec<GroundFormula> = all.iter().map(all_of).collect();
        if !self.ordered && all.iter().any(has_order) {
            self.ordered = true;
            self.begin();
        }
        let all: Vec<Formula> = all.iter().map(|f| self.formula(f)).collect();
        // Those that satisfying assignments have shown to matter.
        let mut used: Vec<usize> = Vec::new();
        loop {
            let none: Vec<Formula> = used.iter().map(|i| all[*i].clone().negate()).collect();
            match self.solver.check_with(&none) {
                SmtResult::Unsat(core) => return Some(core.into_iter().map(|i| used[i]).collect()),
                SmtResult::Sat(assignment) => {
                    let holds = |f: &Formula| assignment.satisfies(f) == Some(true);
                    used.push(all.iter().position(holds)?);
                }
                SmtResult::Unknown(_) => return None,
            }
        }
    }

    fn follows(&mut self, i: &GroundFormula) -> bool {
        if !self.ordered && has_order(i) {
            self.ordered = true;
            self.begin();
        }
        let not = self.formula(i).negate();
        let refutes = |m: &smt::Assignment| m.satisfies(&not) == Some(true);
        !self.assignments.iter().any(refutes) && self.check(&[not]) == Some(false)
    }

    fn check(&mut self, assumptions: &[Formula]) -> Option<bool> {
        match self.solver.check_with(assumptions) {
            SmtResult::Sat(context) => {
                if self.assignments.len() < MAX_ASSIGNMENTS {
                    self.assignments.push(context);
                }
                Some(true)
            }
            SmtResult::Unsat(_) => Some(false),
            SmtResult::Unknown(_) => None,
        }
    }

    /// A formula over the solver's variables. A fence says nothing of values.
    fn formula(&mut self, i: &GroundFormula) -> Formula {
        match i {
            GroundFormula::Bool(b) => Formula::Bool(*b),
            GroundFormula::Fence => Formula::Bool(true),
            GroundFormula::Literal(l) => self.literal(l),
            GroundFormula::Lin(l) => self.number(l.rel, l.int, &l.lin),
            GroundFormula::And(all) => Formula::And(all.iter().map(|i| self.formula(i)).collect()),
            GroundFormula::Or(all) => Formula::Or(all.iter().map(|i| self.formula(i)).collect()),
        }
    }

    fn literal(&mut self, l: &Literal) -> Formula {
        match *l {
            Literal::In(b, mask) => {
                let x = self.var(b, Sort::Finite(u128::BITS));
                let size = match self.sort(b) {
                    Some(Sort::Finite(n)) => n,
                    _ => 0,
                };
                one_of(x, size, mask)
            }
            Literal::Eq(a, b) => self.same(a, b),
            Literal::Ne(a, b) => self.same(a, b).negate(),
            Literal::Less(a, b) => self.before(a, b, smt::Rel::Lt),
            Literal::LessEq(a, b) => self.before(a, b, smt::Rel::Le),
            Literal::Diff {
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
        let (x, y) = (self.var(a, UNKNOWN_SORT), self.var(b, UNKNOWN_SORT));
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
            BaseKind::Zero => return None,
            BaseKind::Proc(_) => return Some(PROCESSES),
            BaseKind::Some(_) => return self.somes.get(&b).copied(),
            BaseKind::Cell(sym, ..) => sym,
            BaseKind::Read(k) => return self.sort(self.reads.get(usize::from(k))?.cell),
        };
        let symbol = self.context.system.symbols.get(sym)?;
        Some(match &self.context.system.types[symbol.ty] {
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
    fn infer_sorts(&mut self, i: &GroundFormula) -> bool {
        let mut news = false;
        let mut learn = |q: &mut EntailmentQuery, b: Base, sort: Option<Sort>| {
            let unknown = matches!(b.kind(), BaseKind::Some(_)) && q.sort(b).is_none();
            if let Some(sort) = sort.filter(|_| unknown) {
                q.somes.insert(b, sort);
                news = true;
            }
        };
        match i {
            GroundFormula::And(all) | GroundFormula::Or(all) => {
                return all.iter().any(|i| self.infer_sorts(i));
            }
            GroundFormula::Literal(Literal::Eq(a, b) | Literal::Ne(a, b)) => {
                let (left, right) = (self.sort(*a), self.sort(*b));
                learn(self, *a, right);
                learn(self, *b, left);
            }
            GroundFormula::Literal(l @ (Literal::Less(..) | Literal::LessEq(..))) => {
                bases_of_lit(l).for_each(|b| learn(self, b, Some(PROCESSES)));
            }
            GroundFormula::Literal(l @ Literal::Diff { int, .. }) => {
                bases_of_lit(l).for_each(|b| learn(self, b, Some(number_sort(*int))));
            }
            GroundFormula::Lin(l) => {
                let sort = Some(number_sort(l.int));
                l.lin.terms.iter().for_each(|(_, b)| learn(self, *b, sort));
            }
            GroundFormula::Literal(Literal::In(..))
            | GroundFormula::Bool(_)
            | GroundFormula::Fence => {}
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
        if matches!(b.kind(), BaseKind::Some(_)) {
            self.somes.insert(b, sort);
        }
        let x = self.solver.variable(match sort {
            PROCESSES if self.ordered => Sort::Real,
            sort => sort,
        });
        self.vars.insert(b, x);
        match sort {
            Sort::Finite(n) => {
                let domain = self.context.domain(&self.reads, b);
                self.solver.assert(one_of(x, n, domain));
            }
            PROCESSES => self.process(b, x),
            _ => {}
        }
        x
    }

    fn process(&mut self, b: Base, x: Var) {
        let fixed = self.context.system.fixed;
        if let BaseKind::Proc(p) = b.kind() {
            if self.ordered {
                self.solver.assert(order_position(x, p, fixed));
            }
            let others = self.vars.keys().copied();
            let others = others.filter(|o| *o != b && matches!(o.kind(), BaseKind::Proc(_)));
            for o in others.collect::<Vec<Base>>() {
                let differ = self.same(b, o).negate();
                self.solver.assert(differ);
            }
            return;
        }
        if let Some(n) = self.context.all_procs(self.procs) {
            let one = (0..n).map(|p| self.same(b, Base::process(p))).collect();
            self.solver.assert(Formula::Or(one));
        }
        if self.ordered {
            let one = (0..=fixed).map(|p| order_position(x, p, fixed)).collect();
            self.solver.assert(Formula::Or(one));
        }
    }
}

/// Where process `p` stands in the order: at its number if it is a constant, else after them.
fn order_position(x: Var, p: u8, fixed: u8) -> Formula {
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

fn has_order(i: &GroundFormula) -> bool {
    match i {
        GroundFormula::And(all) | GroundFormula::Or(all) => all.iter().any(has_order),
        GroundFormula::Literal(l) => is_order(l),
        _ => false,
    }
}

fn is_order(l: &Literal) -> bool {
    matches!(l, Literal::Less(..) | Literal::LessEq(..))
}
