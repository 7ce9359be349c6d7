//! What a caller chooses.

use crate::driver::input::Input;
use crate::driver::options::ProgramOptions;
use crate::predabs::extrapolate::Rules;
use serde::Serialize;

/// Entries of a store buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BufferBound {
    /// So many.
    Fixed(u32),
    /// One, and more as long as they overflow.
    Auto,
}

/// The largest bound that is tried by itself.
pub const MAX_BUFFER: u32 = 4;

/// How the abstraction for the model is made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AbstractionMethod {
    /// From extrapolated predicates, by prime implicants.
    Predicates,
    /// From extrapolated predicates, with a query for each cube, by size: Fig. 6 (a) of the paper.
    Search,
    /// From extrapolated predicates and the extrapolated cubes of the Boolean program for SC:
    /// Fig. 6 (b).
    Cubes,
    /// From extrapolated predicates, without a Boolean program: what follows from a cube is asked when
    /// the cube is reached.
    #[default]
    Auto,
}

/// How a program is abstracted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbstractionOptions {
    /// How the C program is read.
    pub program: ProgramOptions,
    /// The predicates file.
    pub predicates: Option<Input>,
    /// Entries of a store buffer.
    pub buffer: BufferBound,
    /// Which predicates are extrapolated.
    pub rules: Rules,
    /// How cubes are found.
    pub method: AbstractionMethod,
    /// Threads that build a Boolean program; as many as there are processors when 0.
    pub jobs: usize,
    /// Literals of a cube at most.
    pub cubes: usize,
    /// States of the abstraction at most.
    pub max_states: usize,
    /// Write a certificate of a safe answer.
    pub certificate: bool,
}

impl Default for AbstractionOptions {
    fn default() -> AbstractionOptions {
        AbstractionOptions {
            program: ProgramOptions::default(),
            predicates: None,
            buffer: BufferBound::Auto,
            rules: Rules::default(),
            method: AbstractionMethod::default(),
            jobs: 0,
            cubes: 4,
            max_states: 5_000_000,
            certificate: false,
        }
    }
}
