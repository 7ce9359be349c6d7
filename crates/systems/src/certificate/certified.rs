//! What certificates are made of: cubes of either kind, and transitions put before them.

use crate::cube::any::AnyCube;
use crate::cube::formula::{Disjunct, GroundFormula, GroundTerm, Overflow};
use crate::cube::literals::{Base, Conj};
use crate::cube::timestamp::PendingRead;
use crate::cube::tso::Cube;
use crate::system::Transition;
use crate::theory::context::SystemContext;
use base::idx::position;

/// What is wrong with a certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// This unsafe formula is not covered.
    #[error("`{0}` is not covered")]
    Unsafe(String),
    /// The cube at this position meets an initial state.
    #[error("cube {} meets an initial state", .0 + 1)]
    Initial(usize),
    /// A pre-image of the cube at this position, by this transition, is not covered.
    #[error("a pre-image of cube {at} by `{1}` is not covered", at = .0 + 1)]
    Open(usize, String),
    /// There are no cubes, as no state is initial: that has no goals for another solver.
    #[error("no state is initial, of which there are no goals")]
    Vacuous,
    /// Numbers or sets beyond what is represented.
    #[error("it is too large to be checked")]
    TooLarge,
}

impl From<Overflow> for Flaw {
    fn from(_: Overflow) -> Flaw {
        Flaw::TooLarge
    }
}

/// A cube that certificates are made of; [`tso`](super::tso) and [`events`](super::events).
pub trait Certified: AnyCube {
    /// What the memory model allows.
    type Model: Copy;
    /// Which pending reads take their values from the writes of a transition, and when.
    type Reading;

    /// The cube of a formula, which reads at the end.
    fn at_end(formula: Cube) -> Self;

    /// It may contain an initial state, whatever its literals.
    fn may_be_initial(&self) -> bool {
        true
    }

    /// All ways in which pending reads may take values from the chosen writes.
    ///
    /// # Errors
    /// There are too many.
    fn readings(setting: &Setting<Self>, chosen: &[Choice]) -> Result<Vec<Self::Reading>, Flaw>;

    /// The read takes the value that is written to its cell, if one is.
    fn takes(setting: &Setting<Self>, reading: &Self::Reading, read: usize) -> bool;

    /// The pre-image, nothing forgotten; nothing when the order of events has a cycle.
    fn before(
        setting: &Setting<Self>,
        cond: &Disjunct,
        chosen: &[Choice],
        reading: &Self::Reading,
    ) -> Option<Self>;

    /// The same cube, of one process more; nothing where counts are not made.
    fn with_another(&self) -> Option<Self>;

    /// What `big` says of the order of events, `small` says too, where `procs` and `reads` are
    /// those of `small` that stand for those of `big`.
    fn order_holds(
        context: &SystemContext,
        model: Self::Model,
        big: &Self,
        small: &Self,
        procs: &[u8],
        reads: &[u8],
    ) -> bool;
}

/// The cases of an update: condition, and the value if the cell is changed.
pub type Cases = Vec<(GroundFormula, Option<GroundTerm>)>;

/// A transition with its processes, about to be put before a cube.
pub struct Setting<'a, C: Certified> {
    /// The system.
    pub context: &'a SystemContext<'a>,
    /// What the memory model allows.
    pub model: C::Model,
    /// The cube.
    pub cube: &'a C,
    /// The transition.
    pub t: &'a Transition,
    /// The process that performs it.
    pub thread: Option<u8>,
    /// How many processes there are.
    pub procs: u8,
    /// Its guard.
    pub guard: GroundFormula,
    /// The cells that are not weak and that some update is about.
    pub plain: Vec<(Base, Cases)>,
    /// The reads of the transition: by whom, of what.
    pub new_reads: Vec<(u8, Base)>,
}

/// A weak cell, the condition of the case chosen for it, and what is written.
pub type Choice = (Base, GroundFormula, Option<GroundTerm>);

impl<C: Certified> Setting<'_, C> {
    /// The transition may change something that is not weak and that the cube's literals speak of.
    pub fn changes(&self) -> bool {
        let spoken_of = self.cube.conj().distinct_bases();
        self.plain.iter().any(|(cell, _)| spoken_of.contains(cell))
    }

    /// The pending reads of the cube, and those of the transition at a new timestamp.
    pub fn all_reads(&self, new: usize) -> Vec<PendingRead> {
        let new_reads = self.new_reads.iter().map(|(by, cell)| PendingRead {
            timestamp: position(new),
            by: *by,
            cell: *cell,
        });
        self.cube.reads().iter().copied().chain(new_reads).collect()
    }
}

/// The cells of new reads that literals speak of.
pub fn live_cells(conj: &Conj, reads: &[PendingRead], known: usize) -> Vec<Base> {
    let live = conj.live_reads(reads.len());
    let new = reads.iter().zip(live).skip(known);
    new.filter(|(_, live)| *live).map(|(r, _)| r.cell).collect()
}

/// The transitive closure of a relation on so many nodes.
pub fn close_graph(edge: &mut [bool], size: usize) {
    for k in 0..size {
        for i in 0..size {
            if edge[i * size + k] {
                for j in 0..size {
                    if edge[k * size + j] {
                        edge[i * size + j] = true;
                    }
                }
            }
        }
    }
}
