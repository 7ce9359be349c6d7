//! A litmus test: a small program, and a question about its final states.
//!
//! A final state gives every observable of the program a value, when all threads have ended. The
//! program has a `main` that does nothing but create the threads, in the order of the source.

use crate::program::{GlobalId, ObservableId, Program};
use base::source::Span;

/// A test.
#[derive(Clone, Debug)]
pub struct LitmusTest {
    /// Its name.
    pub name: String,
    /// Its instruction set, as its first word says: `X86`, `PPC`.
    pub machine: String,
    /// The program; `program.observables` are what the question, `locations` and `filter` name.
    pub program: Program,
    /// What is asked.
    pub final_condition: FinalCondition,
}

/// A question about final states.
#[derive(Clone, Debug)]
pub struct FinalCondition {
    /// For which states.
    pub quantifier: Quantifier,
    /// What holds in a state.
    pub condition: Condition,
    /// States in which this does not hold are left out.
    pub filter: Option<Condition>,
    /// What a state shows: the observables of `locations` and of the condition, each once, in the
    /// order in which herd7 prints them (registers by thread and name, then memory by name).
    pub shown: Vec<ObservableId>,
    /// The condition in parentheses, on one line, without the quantifier.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// For which states the condition is to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `exists`: is there one? A question without a right answer.
    Exists,
    /// `~exists`: there must be none.
    NotExists,
    /// `forall`: it must in all.
    Forall,
}

/// A proposition about a final state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Always holds, or never.
    Constant(bool),
    /// The observable has this value.
    Equal(ObservableId, Operand),
    /// Negation.
    Not(Box<Condition>),
    /// All hold.
    And(Vec<Condition>),
    /// One holds.
    Or(Vec<Condition>),
    /// The second holds if the first does.
    Implies(Box<Condition>, Box<Condition>),
}

/// What an observable is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A number, truncated to the width of the observable.
    Number(u64),
    /// The address of an object, and an offset in bytes.
    Address(GlobalId, u64),
    /// Another observable of the same width.
    Observable(ObservableId),
}

impl Condition {
    /// Whether it holds where observables have these values; `address` is where an object begins.
    pub fn holds(
        &self,
        value: &dyn Fn(ObservableId) -> u64,
        address: &dyn Fn(GlobalId) -> u64,
        program: &Program,
    ) -> bool {
        let holds = |c: &Condition| c.holds(value, address, program);
        match self {
            Condition::Constant(truth) => *truth,
            Condition::Equal(what, operand) => {
                let width = program.observables[*what].width();
                let other = match operand {
                    Operand::Number(n) => *n,
                    Operand::Address(g, offset) => address(*g).wrapping_add(*offset),
                    Operand::Observable(other) => value(*other),
                };
                value(*what) == other & crate::program::mask(width)
            }
            Condition::Not(c) => !holds(c),
            Condition::And(all) => all.iter().all(holds),
            Condition::Or(any) => any.iter().any(holds),
            Condition::Implies(a, b) => !holds(a) || holds(b),
        }
    }
}
