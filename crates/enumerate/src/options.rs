//! How far to go.

use ir::bounds::Bounds;
use ir::program::PropertyKind;

/// How far to go.
#[derive(Clone, Debug)]
pub struct EnumerateOptions {
    /// How often the back edge of a loop is taken, and how deep a procedure recurs.
    pub bounds: Bounds,
    /// Kinds of property to look for; of others only violations that threads notice by themselves
    /// are reported.
    pub checks: Vec<PropertyKind>,
    /// Executions to judge, and ways through one thread to follow; where there are more, the
    /// enumeration is incomplete.
    pub max_executions: u64,
}
