//! A pre-image, and why there may be none.

use crate::cube::canonical::canonicalize;
use crate::cube::formula::Overflow;
use crate::cube::tso::Cube;
use crate::theory::context::{SystemContext, renormalize};

/// A pre-image and how the processes of the cube it came from are called in it.
#[derive(Clone, Debug)]
pub struct PreImage<C = Cube> {
    /// The cube before the transition.
    pub cube: C,
    /// For each process of the cube after it (and each new one): its name here, if it has one.
    pub names: Vec<Option<u8>>,
}

/// Why a pre-image cannot be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooLarge {
    /// Numbers beyond 64 bits, or too many cases.
    #[error("numbers beyond 64 bits, or too many cases")]
    Numbers,
    /// More pending timestamps than are looked at.
    #[error("too many pending timestamps")]
    Timestamps,
}

impl From<Overflow> for TooLarge {
    fn from(_: Overflow) -> TooLarge {
        TooLarge::Numbers
    }
}

impl PreImage {
    /// A cube in canonical form, its literals closed.
    pub fn canonical(context: &SystemContext, cube: Cube) -> PreImage {
        let (mut cube, names) = canonicalize(context.system.fixed, cube);
        renormalize(context, &mut cube);
        PreImage { cube, names }
    }
}
