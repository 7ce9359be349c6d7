//! One concrete execution: events that happened and the relations between them.

use super::bits::BitMatrix;
use super::model::{BaseRel, BaseSet};
use std::collections::BTreeMap;

/// A concrete execution over events numbered `0..len`, ready to be judged by [`super::eval`].
///
/// `Fr`, `Int`, `Ext` are derived by [`Execution::new`]; the rest is given. Missing base relations
/// are empty, missing sets too.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// How many events.
    pub len: usize,
    /// Base relations.
    pub rels: BTreeMap<BaseRel, BitMatrix>,
    /// Base sets, as membership by event.
    pub sets: BTreeMap<BaseSet, Vec<bool>>,
    /// Atomic groups as a number by event; events of one group are one point of every global
    /// order.
    pub groups: Vec<Option<u32>>,
}
