//! Registers that go through the numbers of threads, in a system.
//!
//! `Passed[p,q]` says that such a register of `p` has had the number of `q` since it began, and `Number[p]` which
//! number it has.

use super::names::Names;
use crate::commands::arith::VarId;
use crate::commands::program::{Numbers, Scan, ScanAct, Which};
use base::source::Span;
use std::collections::BTreeMap;
use systems::cub::ast::{Expr, Rel, Update};
use systems::cub::build::{
    Sum, access, assign, assign_cases, compare_processes, disjunction, forall_other, has_process,
    has_value, name_term, process,
};

/// The process that performs a transition.
pub const SELF: &str = "p";
/// Another one, whose number a register of it has.
pub const OTHER: &str = "q";

/// The names of the arrays that stand for such registers.
#[derive(Default)]
pub struct Scans {
    arrays: BTreeMap<VarId, Arrays>,
}

/// Those of a register.
struct Arrays {
    passed: String,
    number: String,
    /// Somebody reads which number it is.
    is_read: bool,
}

/// What a step asks and does beside its other conditions and assignments.
#[derive(Default)]
pub struct Part {
    /// What has to hold.
    pub guard: Vec<Expr>,
    /// What is assigned.
    pub updates: Vec<Update>,
    /// The number is that of another process.
    pub has_other: bool,
}

impl Scans {
    /// A register with a name, and whether its number is read.
    pub fn declare(&mut self, register: VarId, name: &str, is_read: bool, names: &mut Names) {
        let passed = names.capital(&format!("{name}_passed"));
        let number = names.capital(name);
        let arrays = Arrays {
            passed,
            number,
            is_read,
        };
        self.arrays.insert(register, arrays);
    }

    /// The arrays: the name of each, for how many processes, the type of its cells, and the register.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, usize, &'static str, VarId)> {
        self.arrays.iter().flat_map(|(x, a)| {
            let number = (a.number.as_str(), 1, "proc", *x);
            let passed = (a.passed.as_str(), 2, "bool", *x);
            [passed].into_iter().chain(a.is_read.then_some(number))
        })
    }

    /// At the beginning nothing has been passed.
    pub fn init(&self, span: Span) -> impl Iterator<Item = Expr> {
        let all = self.arrays.values();
        all.map(move |a| has_value(access(&a.passed, &[SELF, OTHER], span), true, "False", span))
    }

    /// What a step does with its register.
    pub fn part(&self, scan: &Scan, span: Span) -> Part {
        let arrays = &self.arrays[&scan.register];
        let passed = |of: &str, has: &str| {
            has_value(access(&arrays.passed, &[SELF, of], span), true, has, span)
        };
        let number = || access(&arrays.number, &[SELF], span);
        let mut part = Part::default();
        match scan.act {
            ScanAct::Begin => {
                let cell = || access(&arrays.passed, &["i", "j"], span);
                let own = compare_processes("i", Rel::Eq, SELF, span);
                let cases = vec![(own, name_term("False", span))];
                let kept = Sum::cell(cell()).term(span);
                part.updates.push(assign_cases(cell(), cases, kept));
            }
            ScanAct::At {
                which,
                next,
                passed: passes,
            } => {
                let of = whose(which);
                part.guard.push(match next {
                    true => passed(of, "False"),
                    false => has_process(number(), of, span),
                });
                part.guard.extend(order(which, span));
                if passes {
                    let target = access(&arrays.passed, &[SELF, of], span);
                    part.updates.push(assign(target, name_term("True", span)));
                } else if next && arrays.is_read {
                    part.updates.push(assign(number(), process(of, span)));
                }
                part.has_other = which != Which::Own;
            }
            ScanAct::Done(numbers) => {
                if numbers.own {
                    part.guard.push(passed(SELF, "True"));
                }
                part.guard
                    .extend(others_passed(numbers, passed(OTHER, "True"), span));
            }
        }
        part
    }
}

/// The process whose number it is.
pub fn whose(which: Which) -> &'static str {
    match which {
        Which::Own => SELF,
        Which::Smaller | Which::Larger | Which::Other => OTHER,
    }
}

fn order(which: Which, span: Span) -> Option<Expr> {
    let rel = match which {
        Which::Smaller => Rel::Lt,
        Which::Larger => Rel::Gt,
        Which::Own | Which::Other => return None,
    };
    Some(compare_processes(OTHER, rel, SELF, span))
}

/// All others that are among some numbers have been passed.
fn others_passed(numbers: Numbers, passed: Expr, span: Span) -> Option<Expr> {
    let outside = |rel| compare_processes(OTHER, rel, SELF, span);
    let mut ways = vec![passed];
    match (numbers.smaller, numbers.larger) {
        (false, false) => return None,
        (true, true) => {}
        (true, false) => ways.push(outside(Rel::Gt)),
        (false, true) => ways.push(outside(Rel::Lt)),
    }
    Some(forall_other(OTHER, disjunction(ways, span), span))
}
