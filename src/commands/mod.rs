//! Concurrent programs as guarded commands over mathematical integers.
//!
//! [`program`] is the language, [`arith`] its arithmetic. [`extract`] makes commands of a program of the
//! intermediate language, and [`fuse`] one command of a load and of what its statement does with the loaded
//! value. Predicate abstraction and proofs for any number of threads both begin here.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod arith;
pub mod extract;
pub mod fuse;
pub mod program;
pub mod strength;
