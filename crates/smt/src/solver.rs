//! The solver: a SAT solver that proposes, theories that object.

use super::assignment::{Assignment, SmtValue};
use super::encode::{Encoder, Home, LiteralFormula, Meaning, justify};
use super::equality::{self, Classes, Edge};
use super::integer::{self, IntegerResult};
use super::number::Delta;
use super::print;
use super::simplex::{Bound, Reason, Side};
use super::term::{Formula, Sort, Var};
use crate::sat::cnf::Lit;
use crate::sat::{self, Cadical, Solver as _};
use base::idx::{IdVec, position};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SmtResult {
    /// All of it holds in this assignment.
    Sat(Assignment),
    /// What is asserted and the assumptions at these positions cannot hold together.
    Unsat(Vec<usize>),
    /// Nothing is found out.
    Unknown(Why),
}

/// Why nothing is found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// A limit is reached.
    Limit,
    /// The sorts of some formula do not fit.
    Sorts,
}

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Branches over integers for one assignment of the SAT solver.
    pub branches: u32,
    /// Assignments of the SAT solver for one question.
    pub rounds: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            branches: 300,
            rounds: 100_000,
        }
    }
}

/// An incremental solver.
pub struct Solver {
    sorts: IdVec<Var, Sort>,
    encoder: Encoder,
    sat: Cadical,
    limits: Limits,
    asserted: Vec<(Formula, LiteralFormula)>,
    ill_sorted: bool,
    queries: u64,
}

/// What the theories say of an assignment.
enum Verdict {
    Possible(Classes),
    /// Each of these sets of literals is impossible.
    Impossible(Vec<Vec<Lit>>),
    /// The branches were too many.
    Unclear,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(Limits::default())
    }
}

impl Solver {
    /// With nothing asserted.
    pub fn new(limits: Limits) -> Solver {
        Solver {
            sorts: IdVec::new(),
            encoder: Encoder::new(),
            sat: Cadical::new(Rc::new(|| false)),
            limits,
            asserted: Vec::new(),
            ill_sorted: false,
            queries: 0,
        }
    }

    /// A new variable.
    pub fn variable(&mut self, sort: Sort) -> Var {
        self.sorts.push(sort);
        self.encoder.variable(sort)
    }

    /// The sorts of all variables, in order.
    pub fn sorts(&self) -> std::slice::Iter<'_, Sort> {
        self.sorts.iter()
    }

    fn is_well_sorted(&self, f: &Formula) -> bool {
        f.is_well_sorted(&|x| self.sorts.get(x).copied())
    }

    /// From now on the formula holds.
    pub fn assert(&mut self, f: Formula) {
        if !self.is_well_sorted(&f) {
            self.ill_sorted = true;
            return;
        }
        let node = self.encoder.node(&f, true);
        let l = self.encoder.literal(&node);
        self.encoder.cnf.clause(&[l]);
        self.asserted.push((f, node));
    }

    /// How many questions it was asked.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// Can all that is asserted hold?
    pub fn check(&mut self) -> SmtResult {
        self.check_with(&[])
    }

    /// Can all that is asserted and these assumptions hold? They are forgotten afterwards.
    pub fn check_with(&mut self, assumptions: &[Formula]) -> SmtResult {
        self.queries += 1;
        if self.ill_sorted || !assumptions.iter().all(|f| self.is_well_sorted(f)) {
            return SmtResult::Unknown(Why::Sorts);
        }
        let nodes: Vec<LiteralFormula> = assumptions
            .iter()
            .map(|f| self.encoder.node(f, true))
            .collect();
        let lits: Vec<Lit> = nodes.iter().map(|n| self.encoder.literal(n)).collect();
        // What is unclear is passed over in this question only.
        let mut passed_over: Option<Lit> = None;
        for _ in 0..self.limits.rounds {
            self.sat.add(&std::mem::take(&mut self.encoder.cnf.flat));
            let assumed: Vec<Lit> = lits.iter().copied().chain(passed_over).collect();
            match self.sat.solve(&assumed) {
                sat::SatResult::Interrupted => return SmtResult::Unknown(Why::Limit),
                sat::SatResult::Unsat if passed_over.is_some() => {
                    return SmtResult::Unknown(Why::Limit);
                }
                sat::SatResult::Unsat => return SmtResult::Unsat(self.failed(&lits)),
                sat::SatResult::Sat => {}
            }
            let mut chosen = BTreeSet::new();
            for node in self.asserted.iter().map(|a| &a.1).chain(&nodes) {
                justify(node, &mut |l| self.sat.value(l), &mut chosen);
            }
            match self.theories(&chosen) {
                Verdict::Possible(classes) => {
                    let assignment = self.assignment(&classes);
                    let all = self.asserted.iter().map(|a| &a.0).chain(assumptions);
                    let right = all
                        .into_iter()
                        .all(|f| assignment.satisfies(f) == Some(true));
                    debug_assert!(
                        right,
                        "an assignment does not satisfy what it was found for"
                    );
                    return if right {
                        SmtResult::Sat(assignment)
                    } else {
                        SmtResult::Unknown(Why::Limit)
                    };
                }
                Verdict::Impossible(conflicts) => {
                    for c in conflicts {
                        let clause: Vec<Lit> = c.iter().map(|l| !*l).collect();
                        self.encoder.cnf.clause(&clause);
                    }
                }
                Verdict::Unclear => {
                    let guard = *passed_over.get_or_insert_with(|| self.encoder.cnf.fresh());
                    let mut clause: Vec<Lit> = chosen.iter().map(|l| !*l).collect();
                    clause.push(!guard);
                    self.encoder.cnf.clause(&clause);
                }
            }
        }
        SmtResult::Unknown(Why::Limit)
    }

    /// The positions of the assumptions that were used.
    fn failed(&mut self, lits: &[Lit]) -> Vec<usize> {
        let mut core = Vec::new();
        for (i, l) in lits.iter().enumerate() {
            if !lits[..i].contains(l) && self.sat.failed(*l) {
                core.push(i);
            }
        }
        core
    }

    /// A core without assumptions that it can do without: each is left out once.
    pub fn shrink(&mut self, assumptions: &[Formula], core: &[usize]) -> Vec<usize> {
        let mut core = core.to_vec();
        let mut at = 0;
        while at < core.len() {
            let mut without = core.clone();
            without.remove(at);
            let formulas: Vec<Formula> = without.iter().map(|i| assumptions[*i].clone()).collect();
            match self.check_with(&formulas) {
                // What is kept so far is needed, so it is in every core that is left.
                SmtResult::Unsat(used) => core = used.into_iter().map(|i| without[i]).collect(),
                _ => at += 1,
            }
        }
        core
    }

    /// What is asserted and these assumptions as an SMT-LIB 2 script.
    pub fn script(&self, assumptions: &[Formula]) -> String {
        let asserted: Vec<&Formula> = self.asserted.iter().map(|a| &a.0).collect();
        print::script(&self.sorts, &asserted, assumptions)
    }

    fn theories(&mut self, chosen: &BTreeSet<Lit>) -> Verdict {
        let mut edges = Vec::new();
        let mut bounds = Vec::new();
        for l in chosen {
            let positive = l.0 > 0;
            match self.encoder.meanings.get(&l.var()) {
                Some(Meaning::Same(a, b)) => edges.push(Edge {
                    a: *a,
                    b: *b,
                    equal: positive,
                    reason: *l,
                }),
                Some(Meaning::AtMost {
                    column,
                    upper,
                    lower,
                }) => {
                    let (side, value) = if positive {
                        (Side::Upper, upper)
                    } else {
                        (Side::Lower, lower)
                    };
                    bounds.push((*column, side, Delta::clone(value), *l));
                }
                None => {}
            }
        }
        let classes = match equality::check(self.encoder.nodes, &edges) {
            Ok(classes) => classes,
            Err(conflicts) => return Verdict::Impossible(conflicts),
        };
        match self.arithmetic(bounds) {
            IntegerResult::Feasible => Verdict::Possible(classes),
            IntegerResult::GaveUp => Verdict::Unclear,
            IntegerResult::Infeasible(why) => {
                let lits = why.into_iter().filter_map(|r| match r {
                    Reason::Literal(l) => Some(l),
                    Reason::Branch(_) => None,
                });
                Verdict::Impossible(vec![lits.collect()])
            }
        }
    }

    fn arithmetic(&mut self, bounds: Vec<(usize, Side, Delta, Lit)>) -> IntegerResult {
        let simplex = &mut self.encoder.simplex;
        simplex.reset();
        for (column, side, value, l) in bounds {
            let reason = Reason::Literal(l);
            if let Err(conflict) = simplex.bound(column, side, Bound { value, reason }) {
                return IntegerResult::Infeasible(conflict);
            }
        }
        let mut branches = self.limits.branches;
        integer::check(simplex, &mut branches)
    }

    fn assignment(&mut self, classes: &Classes) -> Assignment {
        let simplex = &self.encoder.simplex;
        let small = simplex.infinitesimal();
        let sat = &mut self.sat;
        let values = self.encoder.homes.iter().map(|home| match home {
            Home::Bool(l) => SmtValue::Bool(sat.value(*l)),
            Home::Finite(values) => {
                let at = values.iter().position(|l| sat.value(*l));
                SmtValue::Finite(position(at.unwrap_or_default()))
            }
            Home::Open(node) => SmtValue::Open(position(classes.class(*node))),
            Home::Number(column) => {
                let v = simplex.value(*column);
                SmtValue::Number(&v.standard + &(&v.small * &small))
            }
        });
        Assignment {
            values: values.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
