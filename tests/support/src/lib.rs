//! What the test programs share: programs with the answers that they state, the program under test, models, one
//! pipeline from a text to an answer, random numbers, and generators of random programs.

pub mod cases;
pub mod concurrent;
pub mod cub_programs;
pub mod cubes;
pub mod exploration;
pub mod interpreter;
pub mod litmus;
pub mod models;
pub mod pipeline;
pub mod random;
pub mod repository;
pub mod sessions;
pub mod skip;
pub mod tools;
pub mod two_threads;

pub use cases::{Case, all_cases, cases, cases_of_kind, check, check_on_one_model, some};
pub use models::{MODELS, builtin, models, some_models};
pub use random::Random;
pub use repository::{crates, data, files, files_below, root, sources};
pub use skip::{Missing, skipped};
pub use tools::{expect_assertions, smt_solver, wmbmc, z3};
