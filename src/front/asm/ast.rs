//! The syntax of an `.asm` program. Names are resolved: see [`super::names`] for what holds of a
//! program that was read without errors.

use crate::front::litmus::ast::x86::{Instr, Operand};
pub use crate::front::litmus::ast::{Name, Number};
use base::source::Span;

/// A program: one text that every thread executes.
#[derive(Clone, Debug)]
pub struct Program {
    /// `shared_data`: memory that all threads share.
    pub shared: Vec<Data>,
    /// `thread_data`: memory of which every thread has its own.
    pub private: Vec<Data>,
    /// `thread_code`: the instructions in order.
    pub code: Vec<Line>,
    /// Labels behind the last instruction.
    pub end_labels: Vec<Name>,
    /// `unsafe_prop`: what must not hold of any distinct threads, a conjunction.
    pub property: Vec<Comparison>,
    /// Where the property stands.
    pub property_span: Span,
}

/// A variable of 32 bits.
#[derive(Clone, Debug)]
pub struct Data {
    /// Its name.
    pub name: Name,
    /// Its value before threads run; `init_code` included.
    pub initial: Initial,
    /// `! as counter`: a number between 0 and that of the threads, with few uses.
    pub counter: bool,
}

/// An initial value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    /// A number.
    Number(Number),
    /// `N`, the number of threads; only of counters.
    ThreadCount(Span),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Line {
    /// Labels before it.
    pub labels: Vec<Name>,
    /// What it does.
    pub instr: Instr,
    /// All of it, labels apart.
    pub span: Span,
}

/// Comparisons of the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A conjunct of the property.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// `eip[$t] = label`, or `<>`: the next instruction of a thread.
    Location {
        /// The thread, without `$`.
        thread: Name,
        /// It is there, or elsewhere.
        equal: bool,
        /// The label.
        label: Name,
        /// All of it.
        span: Span,
    },
    /// A comparison of values.
    Values {
        /// Left.
        left: Term,
        /// The comparison.
        relation: Relation,
        /// Right.
        right: Term,
        /// All of it.
        span: Span,
    },
}

/// A value in the property.
#[derive(Clone, Debug)]
pub enum Term {
    /// `eax[$t]`
    Register {
        /// The register, in capitals.
        name: Name,
        /// Whose.
        thread: Name,
    },
    /// `x[$t]`: a variable of `thread_data`.
    Private {
        /// The variable.
        name: Name,
        /// Whose.
        thread: Name,
    },
    /// `$t:x`: a shared variable, as a thread sees it.
    Shared {
        /// Who looks.
        thread: Name,
        /// The variable; no counter.
        name: Name,
    },
    /// A number.
    Number(Number),
}

impl Program {
    /// The number of the instruction that a label stands before; as many as there are instructions
    /// for one behind the last.
    pub fn target(&self, label: &str) -> Option<usize> {
        let names = |l: &Line| l.labels.iter().any(|n| n.text == label);
        let found = self.code.iter().position(names);
        let at_end = self.end_labels.iter().any(|n| n.text == label);
        found.or(at_end.then_some(self.code.len()))
    }

    /// The same of a label that the program uses.
    pub fn target_of(&self, label: &Name) -> usize {
        let target = self.target(&label.text);
        target.expect("names are resolved: every label that is used exists")
    }

    /// The shared variable of a name.
    pub fn shared(&self, name: &str) -> Option<&Data> {
        self.shared.iter().find(|d| d.name.text == name)
    }

    /// The variable of `thread_data` of a name.
    pub fn private(&self, name: &str) -> Option<&Data> {
        self.private.iter().find(|d| d.name.text == name)
    }

    /// The numbers that it is written with: in instructions, as initial values and in the property.
    pub fn numbers(&self) -> impl Iterator<Item = Number> {
        let operands = self.code.iter().flat_map(|l| l.instr.op.operands());
        let in_code = operands.filter_map(|o| match o {
            Operand::Number(number) => Some(*number),
            _ => None,
        });
        let data = self.shared.iter().chain(&self.private);
        let initial = data.filter_map(|d| match d.initial {
            Initial::Number(number) => Some(number),
            Initial::ThreadCount(_) => None,
        });
        let terms = self.property.iter().flat_map(Comparison::terms);
        let in_property = terms.filter_map(|t| match t {
            Term::Number(number) => Some(*number),
            _ => None,
        });
        in_code.chain(initial).chain(in_property)
    }

    /// The threads that the property names, in order of appearance.
    pub fn property_threads(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for comparison in &self.property {
            let threads: Vec<&Name> = match comparison {
                Comparison::Location { thread, .. } => vec![thread],
                Comparison::Values { left, right, .. } => {
                    [left, right].into_iter().filter_map(Term::thread).collect()
                }
            };
            for thread in threads {
                if !all.contains(&thread.text.as_str()) {
                    all.push(&thread.text);
                }
            }
        }
        all
    }
}

impl Comparison {
    /// The values that it compares.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let terms = match self {
            Comparison::Values { left, right, .. } => [Some(left), Some(right)],
            Comparison::Location { .. } => [None, None],
        };
        terms.into_iter().flatten()
    }

    /// All of it.
    pub fn span(&self) -> Span {
        match self {
            Comparison::Location { span, .. } | Comparison::Values { span, .. } => *span,
        }
    }
}

impl Term {
    /// The thread that it is about.
    pub fn thread(&self) -> Option<&Name> {
        match self {
            Term::Register { thread, .. }
            | Term::Private { thread, .. }
            | Term::Shared { thread, .. } => Some(thread),
            Term::Number(_) => None,
        }
    }
}
