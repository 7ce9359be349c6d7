//! Predicate abstraction of concurrent programs over mathematical integers.
//!
//! What bounding cannot prove: loops without end over unbounded integers. The way is that of Dan,
//! Meshman, Vechev and Yahav, "Predicate Abstraction for Relaxed Memory Models" (SAS 2013):
//!
//! ```text
//! commands ── reduce ──▶ commands ── on_demand ──▶ Post ── search ──▶ answer
//! on tso, pso            on sc    └─ boolean ──▶         └─ replay on the program
//! ```
//!
//! A program is one of [guarded commands](crate::commands). [`reduce`] puts the store buffers of TSO and PSO
//! into it as variables, [`predicates`] reads the predicates, [`extrapolate`] makes those for the buffers from those for SC. What a step does to a cube
//! of predicates (a [`post`]) is asked when it is reached ([`on_demand`]), or a Boolean program says it
//! for all cubes, as in the paper ([`boolean`], [`implicants`]). [`search`] explores the abstraction
//! as far as [`symmetry`] and a partial-order reduction ask for, and [`replay`] follows an abstract
//! counterexample on the program. [`closure`] makes an inductive invariant of a proof, and
//! [`certificate`] checks it again. [`print`](mod@print) shows each. [`fences`] has the program
//! with other fences; [`explicit`] finds violations without abstraction, and [`hitting`] the smallest
//! sets of fences against those that were found.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod boolean;
pub mod certificate;
pub mod closure;
pub mod cube;
pub mod cube_set;
pub mod explicit;
pub mod extrapolate;
pub mod fences;
pub mod hitting;
pub mod implicants;
pub mod on_demand;
pub mod post;
pub mod predicates;
pub mod print;
pub mod reduce;
pub mod refine;
pub mod replay;
pub mod search;
pub mod symmetry;
