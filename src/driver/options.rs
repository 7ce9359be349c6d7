//! How an input is checked: one struct for each kind of input.

use crate::check::litmus::Depth;
use crate::encode::Reductions;
use crate::encode::order::Backend;
use crate::front::c;
use crate::front::prp::Specification;
use crate::lower::c::{Harness, WeakCas};
use ir::bounds::Bounds;
use ir::program::{DataModel, PropertyKind};
use std::collections::BTreeSet;
use std::path::PathBuf;
use systems::answer::Brab;
use systems::search::SearchOrder;

/// How often the back edge of a loop is taken when nothing else is said: enough for the loops of
/// typical tests, and little enough that a first answer comes soon.
pub const DEFAULT_UNWIND: u32 = 5;

/// The bound of loops that are followed until they end.
pub const NO_BOUND: u32 = 1 << 16;

/// Executions that the enumeration judges before it gives up.
pub const MAX_EXECUTIONS: u64 = 10_000_000;

/// How inputs of each kind are checked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SessionOptions {
    /// C programs.
    pub program: ProgramOptions,
    /// Litmus tests.
    pub litmus: LitmusOptions,
    /// Systems of any number of processes.
    pub system: SystemOptions,
    /// A C program is proved for any number of the threads that it starts in loops.
    pub any_threads: bool,
}

impl SessionOptions {
    /// What is checked is said where it is not left to the program.
    pub(super) fn settled(&self) -> SessionOptions {
        let mut options = self.clone();
        let program = &mut options.program;
        program.subscripts_assumed |= self.any_threads;
        if self.any_threads && program.checks.is_none() && program.specification.is_none() {
            program.checks = Some(PropertyKind::defaults(true));
        }
        options
    }
}

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Engine {
    /// One formula for all executions, for the SAT solver.
    #[default]
    Sat,
    /// The exploration and the formula, in turns.
    Auto,
    /// Each execution once ([`enumerate::explore`]).
    Explore,
    /// The executions one by one, by brute force: the reference.
    Enumerate,
    /// The formula and the executions one by one, and they have to agree: explored where they can be, else
    /// enumerated.
    Both,
}

impl Engine {
    /// Whether there is a formula.
    pub fn has_formula(self) -> bool {
        !matches!(self, Engine::Explore | Engine::Enumerate)
    }
}

/// What bounded checking of programs and of litmus tests has in common.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BoundedOptions {
    /// How far loops are unwound, at first if that is done step by step.
    pub bounds: Bounds,
    /// How far the exploration follows loops.
    pub explored: Bounds,
    /// How far they may be, when that is done step by step.
    pub incremental: Option<u32>,
    /// How orders are encoded.
    pub order: Backend,
    /// What makes formulas smaller.
    pub reductions: Reductions,
    /// Iterations of loops that wrote what no other thread misses are left out, and other threads see new
    /// objects as they were published.
    pub iterations: bool,
    /// That a bound is reached does not matter where nothing in the text of the program can be violated; no
    /// formula says so.
    pub by_text: bool,
    /// Who answers.
    pub engine: Engine,
    /// Of a program: strategies at once, of which the first answer counts; as many as
    /// the machine has processors when 0.
    pub jobs: usize,
}

impl Default for BoundedOptions {
    fn default() -> BoundedOptions {
        BoundedOptions {
            bounds: Bounds::all(DEFAULT_UNWIND),
            explored: Bounds::all(NO_BOUND),
            incremental: None,
            order: Backend::default(),
            reductions: Reductions::default(),
            iterations: true,
            by_text: true,
            engine: Engine::default(),
            jobs: 1,
        }
    }
}

impl BoundedOptions {
    /// No bound is ever raised above this one.
    pub fn most(&self) -> u32 {
        self.incremental.unwrap_or(self.bounds.largest())
    }
}

/// How C programs are checked, and x86 programs for a fixed number of threads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgramOptions {
    /// Unwinding and engines.
    pub bounded: BoundedOptions,
    /// Macros and headers.
    pub c: c::ParseOptions,
    /// Sizes of types.
    pub data_model: DataModel,
    /// When a weak compare-exchange may fail for no reason.
    pub weak_cas: WeakCas,
    /// What the program is called with, behind its name; `None` for few and short arguments of any
    /// kind.
    pub arguments: Option<Vec<String>>,
    /// Addresses and handles of threads may repeat.
    pub reuse_addresses: bool,
    /// Kinds of property to check; `None` leaves that to the program.
    pub checks: Option<Vec<PropertyKind>>,
    /// Kinds that are checked beside those.
    pub also: Vec<PropertyKind>,
    /// The property file of SV-COMP, which goes before `checks`.
    pub specification: Option<Specification>,
    /// What runs instead of `main`.
    pub harness: Option<Harness>,
    /// What else runs so, one after the other: the answer is that of all of them.
    pub other_harnesses: Vec<Harness>,
    /// The file whose functions say what the calls of a client return one after the other; the program's own do where
    /// there is none.
    pub spec: Option<PathBuf>,
    /// Functions without a body that return any value and write nothing.
    pub havoc: BTreeSet<String>,
    /// Subscripts lead to no other object: where there is any number of threads, it is assumed that arrays have an
    /// element for each.
    pub subscripts_assumed: bool,
    /// How many threads an x86 program is checked for; `None` checks it for any number of them.
    pub threads: Option<u32>,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        ProgramOptions {
            bounded: BoundedOptions::default(),
            c: c::ParseOptions::default(),
            data_model: DataModel::Lp64,
            weak_cas: WeakCas::default(),
            arguments: None,
            reuse_addresses: true,
            checks: None,
            also: Vec::new(),
            specification: None,
            harness: None,
            other_harnesses: Vec::new(),
            spec: None,
            havoc: BTreeSet::new(),
            subscripts_assumed: false,
            threads: None,
        }
    }
}

/// How litmus tests are answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LitmusOptions {
    /// Unwinding and engines.
    pub bounded: BoundedOptions,
    /// All final states, or the condition only.
    pub depth: Depth,
    /// Whether executions and states are those of sequential consistency is asked, too.
    pub robust: bool,
    /// A witness and the peak of memory are given, too: for a small test that takes longer than the
    /// answer.
    pub details: bool,
}

impl Default for LitmusOptions {
    fn default() -> LitmusOptions {
        LitmusOptions {
            bounded: BoundedOptions::default(),
            depth: Depth::Condition,
            robust: false,
            details: true,
        }
    }
}

/// How a system is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SystemStrategy {
    /// Made for TSO, and for flat memory on SC; not for PSO.
    Tso,
    /// Over events, the memory model a parameter: SC, TSO and PSO.
    Generic,
}

/// How systems of any number of processes are checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SystemOptions {
    /// The only unsafe formula that is looked at, by its position; all when `None`.
    pub formula: Option<usize>,
    /// How it is explored; `None` takes the generic strategy on PSO and the other one elsewhere.
    pub strategy: Option<SystemStrategy>,
    /// Processes that a cube may have.
    pub max_procs: u8,
    /// Nodes that the exploration may visit.
    pub max_nodes: usize,
    /// Threads that explore; as many as the machine has processors when 0.
    pub jobs: usize,
    /// Which cube is explored next.
    pub search: SearchOrder,
    /// When cubes are approximated by larger ones.
    pub brab: Brab,
    /// The outcome has a certificate, when the system is safe.
    pub certificate: bool,
    /// The certificate is checked before the answer is given.
    pub certify: bool,
    /// The outcome has the graph of the exploration.
    pub exploration: bool,
}

impl Default for SystemOptions {
    fn default() -> SystemOptions {
        SystemOptions {
            formula: None,
            strategy: None,
            max_procs: 12,
            max_nodes: 1_000_000,
            jobs: 1,
            search: SearchOrder::default(),
            brab: Brab::Late,
            certificate: false,
            certify: false,
            exploration: false,
        }
    }
}
