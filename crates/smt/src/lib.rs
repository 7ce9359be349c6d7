//! An embedded solver for satisfiability modulo theories: DPLL(T) over [`sat`].
//!
//! The formulas have no quantifiers. The sorts are Booleans, finite sorts, infinite sorts of which
//! nothing is known but equality, integers and rationals; the arithmetic is linear.
//!
//! The scheme is the lazy one (Nieuwenhuis, Oliveras and Tinelli, "Solving SAT and SAT modulo
//! theories", JACM 2006), off line: the SAT solver proposes an assignment, as few of its literals as
//! make the formulas true are handed to the theories, and what they refute comes back as a clause.
//! CaDiCaL keeps what it learnt from one question to the next. Values of finite sorts are
//! encoded one-hot and are no theory; [`equality`] keeps classes with a proof forest; [`simplex`]
//! decides rational arithmetic and [`integer`] branches on top of it. All numbers are rationals
//! without bounds, so nothing overflows. What is found satisfiable comes with an [`assignment`] on
//! which every formula has been evaluated by plain code; what is found unsatisfiable comes with a
//! core. The only limits are on the branches over integers and on the iterations; beyond them the answer is
//! [`SmtResult::Unknown`].
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod assignment;
pub mod equality;
pub mod integer;
pub mod number;
pub mod print;
pub mod sat;
pub mod simplex;
pub mod solver;
pub mod term;

mod encode;

pub use assignment::{Assignment, SmtValue};
pub use number::{Rational, int};
pub use solver::{Limits, SmtResult, Solver, Why};
pub use term::{Atom, Formula, Rel, Sort, Sum, Term, Var};
