//! What a pass of symbolic execution knows of where objects lie ([`super::placement`] decides it).

use super::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An object by its address, or a thread by its handle; the latter are smaller.
pub(super) type Name = u64;

/// The objects and threads that may be in the place of others, and how far behind each.
pub(super) type Candidates = BTreeMap<Name, BTreeMap<Name, u64>>;

/// The choices of a pass, and what it learns of comparisons.
#[derive(Default)]
pub(super) struct Placements {
    /// The first is in the place of the second.
    pub(super) chosen: BTreeMap<(Name, Name), TermId>,
    /// Where objects and threads are.
    pub(super) at: FxHashMap<Name, TermId>,
    /// Words with their addresses put in place, by the names that were looked for.
    pub(super) done: FxHashMap<(TermId, Rc<[Name]>), TermId>,
    /// Words that are compared.
    pub(super) compared: FxHashSet<(TermId, TermId)>,
    /// By name: those that may have ended before.
    pub(super) before: BTreeMap<Name, BTreeSet<Name>>,
}
