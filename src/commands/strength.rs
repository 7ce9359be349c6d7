//! What fences and read-modify-writes do to store buffers, as the compilation table of the bounded checker
//! has it.

use ir::kernel;
use ir::program::{Fence, MemoryOrder};

/// A memory model that buffers define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferModel {
    /// No buffers.
    Sc,
    /// A buffer for each thread.
    Tso,
    /// A buffer for each thread and variable.
    Pso,
}

impl BufferModel {
    /// The model by its short name.
    pub fn named(name: &str) -> Option<BufferModel> {
        Some(match name {
            "sc" => BufferModel::Sc,
            "tso" => BufferModel::Tso,
            "pso" => BufferModel::Pso,
            _ => return None,
        })
    }

    /// The short name.
    pub fn name(self) -> &'static str {
        match self {
            BufferModel::Sc => "sc",
            BufferModel::Tso => "tso",
            BufferModel::Pso => "pso",
        }
    }
}

/// What a fence does to buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// Nothing.
    Nothing,
    /// What was stored before reaches memory before what is stored behind.
    OrdersStores,
    /// It waits until the buffers are empty.
    Empties,
}

/// The fence is a statement of the source that waits for empty buffers on every model.
pub fn is_full(fence: Fence) -> bool {
    matches!(
        fence,
        Fence::Mfence | Fence::C11(MemoryOrder::SeqCst) | kernel::FULL
    )
}

/// What a fence does on the model; nothing where that is not known.
pub fn strength(model: BufferModel, fence: Fence) -> Option<Strength> {
    use MemoryOrder::{AcqRel, Acquire, Plain, Relaxed, Release};
    Some(match fence {
        Fence::Posix => Strength::Empties,
        _ if is_full(fence) => Strength::Empties,
        Fence::C11(Relaxed | Acquire | Plain) => Strength::Nothing,
        Fence::C11(Release | AcqRel) if model == BufferModel::Pso => Strength::OrdersStores,
        Fence::C11(Release | AcqRel) => Strength::Nothing,
        _ => return None,
    })
}
