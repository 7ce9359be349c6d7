//! From an outcome to the answer of a verification task as SV-COMP counts it: does the program
//! have all properties of a property file?
//!
//! TRUE needs a proof for every formula, FALSE a violation of one of them. What is neither is
//! UNKNOWN, safety up to a bound among it. The kinds of property do not fall together with the
//! formulas everywhere:
//!
//! - Memory that is left at the end violates `valid-memcleanup`. It violates `valid-memtrack` only
//!   when nothing points to it, which is sure where no static object has room for a pointer.
//! - A program that may end by `exit` or `abort`, or before its threads, is not looked at for what
//!   it has left then.
//! - Violations of rules that no formula speaks of, such as shifting too far, are undefined
//!   behaviour, but not FALSE.

pub mod witness;

use crate::check::outcome::{CheckResult, Verdict};
use crate::driver::specification::kind;
use crate::front::prp::{Formula, Specification};
use ir::places::has_scalar;
use ir::program::{Op, Program, PropertyKind, Rule, Storage};
use std::fmt;

/// The answer of a verification task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SvCompAnswer {
    /// All executions have the property.
    True,
    /// One has not; the name of the formula that it violates.
    False(&'static str),
    /// Not decided.
    Unknown,
}

impl fmt::Display for SvCompAnswer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SvCompAnswer::True => write!(f, "TRUE"),
            SvCompAnswer::False(name) => write!(f, "FALSE({name})"),
            SvCompAnswer::Unknown => write!(f, "UNKNOWN"),
        }
    }
}

/// The answer that an outcome is.
pub fn answer(
    specification: &Specification,
    program: &Program,
    outcome: &CheckResult,
) -> SvCompAnswer {
    let mut formulas = specification.formulas.iter().map(|(f, _)| f);
    match &outcome.verdict {
        Verdict::Unsafe(found) => formulas
            .find(|f| violates(found.property.rule, f, program))
            .map_or(SvCompAnswer::Unknown, |f| SvCompAnswer::False(f.name())),
        Verdict::Safe if formulas.all(|f| is_decided(f, program)) => SvCompAnswer::True,
        Verdict::Safe | Verdict::SafeUpToBound(_) | Verdict::Unknown(_) => SvCompAnswer::Unknown,
    }
}

/// Whether breaking the rule violates the formula.
fn violates(rule: Rule, formula: &Formula, program: &Program) -> bool {
    match rule {
        Rule::Assertion => *formula == Formula::Assert,
        Rule::Call => matches!(formula, Formula::NoCall(_)),
        Rule::Label => matches!(formula, Formula::NoLabel(_)),
        Rule::Access => *formula == Formula::ValidDeref,
        Rule::Free => *formula == Formula::ValidFree,
        Rule::Race => *formula == Formula::NoDataRace,
        Rule::Deadlock => *formula == Formula::NoDeadlock,
        Rule::Overflow => *formula == Formula::NoOverflow,
        Rule::Leak => match formula {
            Formula::ValidMemcleanup => true,
            Formula::ValidMemtrack => !keeps_pointers(program),
            _ => false,
        },
        Rule::Bounds
        | Rule::Constant
        | Rule::CalledType
        | Rule::Library
        | Rule::Misuse
        | Rule::Memory
        | Rule::Shift
        | Rule::DivisionByZero
        | Rule::Uninitialised
        | Rule::Termination
        | Rule::Robust
        | Rule::Linearizable
        | Rule::Sequential
        | Rule::Quiescent => false,
    }
}

/// Whether safety is a proof of the formula.
fn is_decided(formula: &Formula, program: &Program) -> bool {
    match kind(formula) {
        None => false,
        Some(PropertyKind::Leak) => !may_leave_memory(program),
        Some(_) => true,
    }
}

/// Some static object has room for a pointer.
fn keeps_pointers(program: &Program) -> bool {
    let width = program.data_model.pointer_width();
    let mut globals = program.globals.iter();
    globals.any(|global| has_scalar(program, global.layout, width))
}

/// The program has memory of the heap, and may end elsewhere than at the end of `main`, or when
/// threads have not ended.
fn may_leave_memory(program: &Program) -> bool {
    let has = |wanted: fn(&Op) -> bool| {
        let mut code = program.procs.iter().flat_map(|p| &p.body);
        code.any(|i| wanted(&i.op))
    };
    let allocates = |op: &Op| matches!(op, Op::Alloc { storage, .. } if *storage == Storage::Heap);
    has(allocates) && has(|op| matches!(op, Op::Halt | Op::Spawn { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::outcome::{Argument, Counterexample, Stats};
    use crate::front::prp;
    use base::source::{SourceMap, Span};
    use ir::program::Property;

    fn specification(formulas: &[&str]) -> Specification {
        let lines = formulas
            .iter()
            .map(|f| format!("CHECK( init(main()), LTL({f}) )\n"));
        let mut sources = SourceMap::default();
        let file = sources.add("p.prp", lines.collect::<String>());
        prp::parse(&sources, file).expect("well-formed")
    }

    fn answer_to(formulas: &[&str], verdict: Verdict) -> String {
        let outcome = CheckResult {
            model: "sc".to_string(),
            verdict,
            properties: Vec::new(),
            loops_at_bound: Vec::new(),
            stopped: None,
            argument: Argument::Executions,
            assumed: Vec::new(),
            stats: Stats::default(),
        };
        answer(&specification(formulas), &Program::default(), &outcome).to_string()
    }

    fn violation(rule: Rule) -> Verdict {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", "");
        Verdict::Unsafe(Box::new(Counterexample {
            property: Property::new(rule, ""),
            span: Span {
                file,
                start: 0,
                end: 0,
            },
            thread: None,
            cause: None,
            steps: Vec::new(),
            trace: None,
        }))
    }

    #[test]
    fn a_bound_is_no_proof() {
        let unreach = ["G ! call(reach_error())"];
        assert_eq!(answer_to(&unreach, Verdict::Safe), "TRUE");
        let bounded = Verdict::SafeUpToBound(Vec::new());
        assert_eq!(answer_to(&unreach, bounded), "UNKNOWN");
        assert_eq!(answer_to(&["F end"], Verdict::Safe), "UNKNOWN");
    }

    #[test]
    fn a_violation_is_one_of_the_formula_that_forbids_it() {
        let memory = ["G valid-free", "G valid-deref", "G valid-memtrack"];
        for (rule, expected) in [
            (Rule::Free, "FALSE(valid-free)"),
            (Rule::Access, "FALSE(valid-deref)"),
            (Rule::Leak, "FALSE(valid-memtrack)"),
            (Rule::Library, "UNKNOWN"),
            (Rule::Memory, "UNKNOWN"),
        ] {
            assert_eq!(answer_to(&memory, violation(rule)), expected);
        }
        let overflow = ["G ! overflow"];
        assert_eq!(
            answer_to(&overflow, violation(Rule::Overflow)),
            "FALSE(no-overflow)"
        );
        assert_eq!(answer_to(&overflow, violation(Rule::Shift)), "UNKNOWN");
        assert_eq!(
            answer_to(&["G valid-deref"], violation(Rule::Free)),
            "UNKNOWN"
        );
    }
}
