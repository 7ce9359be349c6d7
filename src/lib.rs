//! `wmbmc`: a model checker for concurrent programs on weak memory.
//!
//! Everything is a stage of one pipeline; a stage uses only the stages before it
//! (`tests/layers.rs` keeps the rule):
//!
//! ```text
//! base → front → ir → lower → unroll → mm → enumerate → sat → encode → smt → check → param → driver → report → cli
//! ```
//!
//! `generate` stands beside `front`: it makes litmus tests, as text.
//!
//! `ARCHITECTURE.md` draws the picture and says what each module does not know.
#![forbid(unsafe_code)]

pub mod base;
pub mod check;
pub mod cli;
pub mod driver;
pub mod encode;
pub mod enumerate;
pub mod front;
pub mod generate;

pub mod ir;
pub mod lower;
pub mod mm;
pub mod param;
pub mod report;
pub mod sat;
pub mod smt;
pub mod unroll;
