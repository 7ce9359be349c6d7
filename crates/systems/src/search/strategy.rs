//! What the search of [`super::engine`] asks of a strategy: what a cube keeps of the events that
//! were found, when it subsumes another one, and what is before it.
//!
//! There are two, [`Tso`](super::tso::Tso) and the [`Rules`](crate::cube::Rules) of a memory
//! model. Their cubes have processes, literals and pending reads in common ([`AnyCube`]), on which
//! rest the normal form of the literals, what is initial, and the embedding of processes
//! ([`crate::subsume::embedding`]).

use super::space::Search;
use crate::cube::any::AnyCube;
use crate::cube::formula::{Disjunct, Overflow};
use crate::cube::literals::Base;
use crate::cube::tso::Cube;
use crate::init::meets;
use crate::preimage::image::{PreImage, TooLarge};
use crate::subsume::embedding::Prepared;
use crate::system::Transition;
use crate::theory::context::SystemContext;
use std::fmt::Debug;

/// A cube to be taken in a node's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Together with what is subsumed it has no more states than the node's.
    Generalized,
    /// It may have more.
    Guessed,
}

/// Another cube for a node, if there is one.
pub type Changed<C> = Option<(Change, PreImage<C>)>;

/// A strategy; see the head of the file.
pub trait Strategy: Sync {
    /// Its cubes.
    type Cube: AnyCube;

    /// The cube of an unsafe formula.
    fn unsafe_cube(&self, context: &SystemContext, formula: Cube) -> Self::Cube;

    /// The cube of an invariant, which holds at all times.
    fn invariant(&self, context: &SystemContext, formula: Cube) -> Self::Cube;

    /// Every state of one cube is one of the other. It may say no when that is so.
    fn subsumes(
        &self,
        context: &SystemContext,
        big: &Prepared<Self::Cube>,
        small: &Prepared<Self::Cube>,
    ) -> bool;

    /// The transition concerns processes that it does not name.
    fn sees_all(&self, context: &SystemContext, t: &Transition) -> bool;

    /// All pre-images by a transition with the processes named; there are `procs` processes, new
    /// ones included, and the cube's literals speak of `bases`.
    ///
    /// # Errors
    /// Something is too large; the answer would not be complete.
    fn preimages(
        &self,
        context: &SystemContext,
        cube: &Self::Cube,
        bases: &[Base],
        call: (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<PreImage<Self::Cube>>, TooLarge>;

    /// Some initial state is in the cube; one of `start` holds of its processes then.
    ///
    /// # Errors
    /// Numbers beyond what is represented.
    fn is_initial(
        &self,
        context: &SystemContext,
        cube: &Self::Cube,
        start: &[Disjunct],
    ) -> Result<bool, Overflow> {
        meets(context, cube, start)
    }

    /// Cubes to begin with beside the unsafe ones.
    fn guesses(&self) -> &[Self::Cube] {
        &[]
    }

    /// The cube to be visited in a node's place, if another one is.
    ///
    /// # Errors
    /// Numbers beyond what is represented.
    fn change(
        &self,
        _search: &Search<Self::Cube>,
        _id: usize,
    ) -> Result<Changed<Self::Cube>, Overflow> {
        Ok(None)
    }
}
