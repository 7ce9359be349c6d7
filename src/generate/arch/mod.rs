//! What differs between architectures: fences, dependencies, and which instructions make an access.
//!
//! An architecture is one file with two tables and a function from the accesses of a thread to
//! instructions, in the syntax of litmus tests, which is printed. It is told nothing of cycles.

pub mod aarch64;
pub mod c11;
mod functions;
pub mod lkmm;
pub mod ppc;
pub mod riscv;
mod weak;
pub mod x86;

use super::edge::{AccessOrder, Com, Dep, Dir, Edge, Fence, Place, RelaxationKind, Side, Through};
use crate::front::litmus::ast::Machine;
use crate::front::litmus::instruction;
use base::source::{FileId, Span};

/// Dependencies without a fence in them, all that an architecture without a fence for branches has.
static PLAIN_DEPENDENCIES: [Dep; 3] = [
    Dep::new(0, "Ctrl", Through::Control),
    Dep::new(1, "Data", Through::Data),
    Dep::new(2, "Addr", Through::Address),
];

/// A memory access of a thread, and how the next one hangs on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Read or write.
    pub dir: Dir,
    /// Its memory order.
    pub order: AccessOrder,
    /// The location's name.
    pub location: &'static str,
    /// What is written, or what the read should see.
    pub value: u32,
    /// The edge to the next access of the thread; of the last access, whatever leaves it.
    pub edge: Edge,
}

/// The code of a thread.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Code {
    /// Instructions and labels, or statements, one per line.
    pub lines: Vec<String>,
    /// Registers that hold addresses at the start: register and location. In a language the parameters:
    /// type and location.
    pub addresses: Vec<(String, &'static str)>,
    /// The register that each access reads into; `None` for plain writes.
    pub targets: Vec<Option<String>>,
}

impl Code {
    /// Adds instructions and labels of a machine, with these texts in the place of the placeholders.
    fn write(&mut self, machine: Machine, template: &str, texts: &[(&str, &str)]) {
        let nowhere = Span {
            file: FileId(0),
            start: 0,
            end: 0,
        };
        let lines = instruction::fill(machine, template, texts, nowhere)
            .expect("the tables have instructions of their machine");
        self.lines.extend(lines.iter().map(ToString::to_string));
    }
}

/// How a test lays out its threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A column per thread.
    Columns,
    /// A function per thread.
    Functions,
}

/// An architecture, or a language.
pub trait Arch: Sync {
    /// In the first line of a litmus test.
    fn name(&self) -> &'static str;

    /// Its fences, as threads are sorted by them.
    fn fences(&self) -> &'static [Fence];

    /// Its dependencies, as threads are sorted by them.
    fn deps(&self) -> &'static [Dep];

    /// True when an exchange is one instruction (the edge `Rmw`).
    fn has_exchange(&self) -> bool;

    /// The memory orders of its accesses besides none.
    fn orders(&self) -> &'static [AccessOrder] {
        &[]
    }

    /// How its tests are written.
    fn layout(&self) -> Layout {
        Layout::Columns
    }

    /// The code of a thread. `labels` counts the labels of the whole test.
    ///
    /// # Errors
    /// The thread needs more registers than there are.
    fn thread(&self, accesses: &[Access], labels: &mut u32) -> Result<Code, NoRegister>;
}

/// A thread needs more registers than the architecture has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a thread needs more registers than the architecture has")]
pub struct NoRegister;

/// Every edge of an architecture, in a fixed order.
pub fn edges(arch: &dyn Arch) -> Vec<Edge> {
    let mut edges = Vec::new();
    for com in [Com::Rf, Com::Fr, Com::Co] {
        edges.extend([Side::External, Side::Internal].map(|side| Edge::com(com, side)));
    }
    for place in [Place::Different, Place::Same] {
        let fenced = arch
            .fences()
            .iter()
            .map(|fence| RelaxationKind::Fenced(fence, place));
        for kind in std::iter::once(RelaxationKind::Po(place)).chain(fenced) {
            for source in [Dir::R, Dir::W] {
                for target in [Dir::R, Dir::W] {
                    edges.push(Edge::new(kind, source, target));
                }
            }
        }
        for dep in arch.deps() {
            for target in [Dir::R, Dir::W] {
                if dep.through != Through::Data || target == Dir::W {
                    edges.push(Edge::new(RelaxationKind::Dep(dep, place), Dir::R, target));
                }
            }
        }
    }
    if arch.has_exchange() {
        edges.push(Edge::new(RelaxationKind::Rmw, Dir::R, Dir::W));
    }
    with_orders(arch, edges)
}

/// The edges, and each of them with all orders that its ends may have.
fn with_orders(arch: &dyn Arch, edges: Vec<Edge>) -> Vec<Edge> {
    let all = std::iter::once(&AccessOrder::Plain).chain(arch.orders());
    let pairs = all.clone().flat_map(|a| all.clone().map(move |b| (*a, *b)));
    let pairs: Vec<(AccessOrder, AccessOrder)> = pairs.collect();
    let ordered = edges.iter().flat_map(|edge| {
        let fitting = pairs.iter().filter(|pair| may_have(*edge, **pair));
        fitting.map(|pair| edge.with_orders(*pair))
    });
    ordered.collect()
}

/// Whether the ends of an edge may have these orders. The two ends of an exchange are one operation.
pub fn may_have(edge: Edge, (from, to): (AccessOrder, AccessOrder)) -> bool {
    use AccessOrder::{Acquire, LoadAcquire, Once, Plain, Relaxed, Release, SeqCst, StoreRelease};
    match edge.kind {
        RelaxationKind::Rmw => match from {
            Plain | SeqCst => from == to,
            Release | StoreRelease => false,
            Relaxed | Acquire => matches!(to, Relaxed | Release),
            Once => matches!(to, Once | StoreRelease),
            LoadAcquire => to == Once,
        },
        _ => from.applies_to(edge.source) && to.applies_to(edge.target),
    }
}

/// Hands out the registers of a thread in order.
pub(super) struct Registers {
    free: std::vec::IntoIter<String>,
}

impl Registers {
    pub(super) fn new(names: impl Iterator<Item = String>) -> Registers {
        let names: Vec<String> = names.collect();
        Registers {
            free: names.into_iter(),
        }
    }

    pub(super) fn next(&mut self) -> Result<String, NoRegister> {
        self.free.next().ok_or(NoRegister)
    }
}
