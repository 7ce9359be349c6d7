//! Solving: CaDiCaL behind one small trait, so that another solver can stand in.

mod cadical;
pub mod cnf;
pub mod proof;
mod solver;

pub use cadical::{Cadical, version};
pub use solver::{SatResult, Solver};
