//! What the steps of a program do to cubes: an abstraction of the program, as the search sees it.

use super::boolean::BooleanProgram;
use super::cube::Cube;
use super::implicants::Counts;
use crate::commands::program::Move;
use std::collections::BTreeSet;

/// An abstraction of a program over predicates.
pub trait Post {
    /// What is known at the beginning.
    fn initial(&self) -> Cube;

    /// What is known after a move where `cube` is; nothing where it is impossible.
    fn after(&mut self, m: Move, cube: Cube) -> Option<Cube>;

    /// The work so far.
    fn counts(&self) -> Counts;

    /// The cubes of more than one literal from which something follows, each once.
    fn cubes(&self) -> BTreeSet<Cube>;
}

impl Post for BooleanProgram {
    fn initial(&self) -> Cube {
        self.initial
    }

    fn after(&mut self, m: Move, cube: Cube) -> Option<Cube> {
        self.steps[&m].apply(cube)
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn cubes(&self) -> BTreeSet<Cube> {
        BooleanProgram::cubes(self)
    }
}
