//! From an input to its outcome.
//!
//! A [`Session`] reads one [`Input`] (a C program, a litmus test, a system of any number of
//! processes) and checks it on one model after the other; an [`Outcome`] is plain data for `report`.
//! [`passes`] lists the passes, [`unwind`] is the one loop that raises bounds, [`limits`] and
//! [`watchdog`] keep time and memory, and the files [`program`], [`litmus`] and [`system`] lead the
//! inputs through their passes; [`compile_commands`] finds the files of a program, [`orders`] the memory
//! orders that one needs, and [`fronts`] reads one in two ways.
//!
//! The driver decides nothing about executions itself: it calls the stages before it in order, hands
//! on what they find, and compares two engines where that is asked for.

pub mod abstraction;
mod any_number;
mod checks;
mod claim;
pub mod client;
pub mod compile_check;
mod compile_commands;
pub mod cross;
pub mod cubes;
mod enumeration;
pub mod error;
pub mod fronts;
mod harnesses;
pub mod input;
pub mod limits;
pub mod litmus;
pub mod model;
pub mod native_run;
pub mod options;
pub mod orders;
pub mod outcome;
pub mod parsed;
pub mod passes;
mod portfolio;
pub mod program;
mod program_system;
pub mod progress;
pub mod session;
pub mod specification;
pub mod stage;
mod statements;
mod strategies;
pub mod system;
mod system_run;
pub mod thread_modular;
pub mod turns;
mod unwind;
pub mod watchdog;

pub use checks::Checks;
pub use claim::{Claimed, Comparison, Executions};
pub use error::Error;
pub use input::{Input, InputKind, Units};
pub use limits::Limits;
pub use model::ModelName;
pub use options::{Engine, SessionOptions};
pub use outcome::Outcome;
pub use session::{ParsedInput, Session, check};
