//! What a caller chooses.

use crate::driver::input::Input;
use crate::driver::options::ProgramOptions;
use crate::predabs::extrapolate::Rules;

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
    /// Literals of a cube at most.
    pub cubes: usize,
    /// States of the Boolean program at most.
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
            cubes: 4,
            max_states: 5_000_000,
            certificate: false,
        }
    }
}
