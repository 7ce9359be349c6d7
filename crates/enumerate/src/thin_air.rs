//! Whether values may come out of thin air.
//!
//! The values that reads may return are learned from what threads write on values that are known already
//! ([`super::traces`]). Where a model allows a cycle of reads-from and dependencies, there are executions
//! whose values only justify each other, and these are never learned. Here such cycles are looked for in
//! the program: from the location of a read to that of a write that depends on it.

use base::idx::Id;
use cat::arch::is_kernel;
use cat::model::{Causality, Model};
use cat::pattern::is_coherent;
use ir::pair::Pair;
use ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// Where an access goes; `None` is not known.
type Location = Option<GlobalId>;

/// From the location of a read to that of a write that depends on it; and whether one of them is plain.
type Edges = BTreeSet<(Location, Location, bool)>;

/// Reads that a value may depend on: their locations, and whether they are plain.
type Reads = BTreeSet<(Location, bool)>;

/// Whether an execution that the model allows may have values that only justify each other.
pub(super) fn is_possible(program: &Program, model: &Model) -> bool {
    let Some(edges) = edges(program, is_kernel(model)) else {
        return true;
    };
    // What threads do to one location alone is as if it were done one after the other.
    let coherent = is_coherent(model);
    let edges = edges
        .into_iter()
        .filter(|(from, to, _)| !coherent || from != to || from.is_none());
    let edges: Vec<_> = edges.collect();
    let marked = model.causal == Causality::Marked;
    let starts = edges.iter().filter(|(.., plain)| *plain || !marked);
    starts
        .into_iter()
        .any(|(from, to, _)| reaches(&edges, *to, *from))
}

/// Whether a chain of edges, perhaps none, leads from one location to another one.
fn reaches(edges: &[(Location, Location, bool)], from: Location, to: Location) -> bool {
    let same = |a: Location, b: Location| a == b || a.is_none() || b.is_none();
    let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = todo.pop() {
        if same(at, to) {
            return true;
        }
        let next = edges.iter().filter(|(from, ..)| same(*from, at));
        todo.extend(next.map(|(_, to, _)| *to).filter(|to| seen.insert(*to)));
    }
    false
}

/// All edges; `None` if that is not known.
fn edges(program: &Program, kernel: bool) -> Option<Edges> {
    let mut edges = Edges::new();
    for proc in program.procs.iter() {
        let mut flow = Flow {
            locals: BTreeMap::new(),
            ctrl: Reads::new(),
            scopes: Vec::new(),
            kernel,
            edges: &mut edges,
        };
        for (at, instr) in proc.body.iter().enumerate() {
            flow.instruction(at, &instr.op)?;
        }
    }
    Some(edges)
}

/// What the instructions of a procedure without loops depend on, one after the other.
struct Flow<'a> {
    locals: BTreeMap<usize, Reads>,
    ctrl: Reads,
    /// Control dependencies end as the kernel has it.
    kernel: bool,
    /// Control dependencies where some began that end somewhere.
    scopes: Vec<Reads>,
    edges: &'a mut Edges,
}

impl Flow<'_> {
    fn reads(&self, e: &Expr) -> Reads {
        match e {
            Expr::Const { .. } | Expr::Global(_) | Expr::Proc(_) => Reads::new(),
            Expr::Local(local) => self.locals.get(&local.index()).cloned().unwrap_or_default(),
            Expr::Unary(_, a) | Expr::Cast(_, _, a) => self.reads(a),
            Expr::Binary(_, a, b) => &self.reads(a) | &self.reads(b),
            Expr::Ite(a, b, c) => &(&self.reads(a) | &self.reads(b)) | &self.reads(c),
        }
    }

    fn assign(&mut self, dst: LocalId, reads: &Reads) {
        let all = self.locals.entry(dst.index()).or_default();
        all.extend(reads.iter().copied());
        // Which assignment a register has is no dependency of any model, so nothing orders it.
        all.extend(self.ctrl.iter().map(|(location, _)| (*location, true)));
    }

    /// An access that writes.
    fn write(&mut self, addr: &Expr, depends: &Reads, order: MemoryOrder) {
        self.write_at(location(addr), addr, depends, order);
    }

    fn write_at(&mut self, to: Location, addr: &Expr, depends: &Reads, order: MemoryOrder) {
        let all = &(depends | &self.reads(addr)) | &self.ctrl;
        let plain = !order.is_atomic();
        let edges = all
            .into_iter()
            .map(|(from, read)| (from, to, read || plain));
        self.edges.extend(edges);
    }

    /// An access that reads; what the value depends on.
    fn read(&mut self, dst: LocalId, addr: &Expr, order: MemoryOrder) -> Reads {
        let mut reads = self.reads(addr);
        reads.insert((location(addr), !order.is_atomic()));
        self.assign(dst, &reads);
        reads
    }

    /// An access of two words, which are two locations.
    fn pair(&mut self, pair: &Pair) {
        let order = pair.access.order();
        let mut reads = Reads::new();
        if let Some(dst) = pair.access.read() {
            reads = self.reads(&pair.addr);
            reads.insert((None, !order.is_atomic()));
            dst.into_iter().for_each(|dst| self.assign(dst, &reads));
        }
        if pair.access.written().is_some() {
            for operand in pair.access.operands() {
                reads = &reads | &self.reads(operand);
            }
            self.write_at(None, &pair.addr, &reads, order);
        }
    }

    fn instruction(&mut self, at: usize, op: &Op) -> Option<()> {
        match op {
            Op::Assign { dst, value } => {
                let reads = self.reads(value);
                self.assign(*dst, &reads);
            }
            Op::Load { dst, addr, order } => {
                self.read(*dst, addr, *order);
            }
            Op::Store { addr, value, order } => {
                let reads = self.reads(value);
                self.write(addr, &reads, *order);
            }
            Op::Rmw {
                dst,
                addr,
                operand,
                order,
                ..
            } => {
                let reads = &self.read(*dst, addr, *order) | &self.reads(operand);
                self.write(addr, &reads, *order);
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success,
                weak: None,
                ..
            } => {
                let operands = &self.reads(expected) | &self.reads(desired);
                let reads = &self.read(*dst, addr, *success) | &operands;
                self.write(addr, &reads, *success);
            }
            Op::Pair(pair) => self.pair(pair),
            Op::Goto { target, .. } if *target <= at => return None,
            Op::Goto { cond, .. } => {
                let reads = cond.as_ref().map(|c| self.reads(c)).unwrap_or_default();
                self.ctrl.extend(reads);
            }
            Op::Assume(cond) => {
                let reads = self.reads(cond);
                self.ctrl.extend(reads);
            }
            Op::ControlBegin(scope) if *scope == ControlScope::Kernel && !self.kernel => {}
            Op::ControlEnd(scope) if *scope == ControlScope::Kernel && !self.kernel => {}
            Op::ControlBegin(_) => self.scopes.push(self.ctrl.clone()),
            Op::ControlEnd(_) => self.ctrl = self.scopes.pop().unwrap_or_default(),
            Op::Havoc { .. }
            | Op::Indeterminate { .. }
            | Op::Use(_)
            | Op::Fence(_)
            | Op::GracePeriod { .. }
            | Op::Observe { .. }
            | Op::Spawn { .. } => {}
            _ => return None,
        }
        Some(())
    }
}

fn location(addr: &Expr) -> Location {
    match addr {
        Expr::Global(global) => Some(*global),
        _ => None,
    }
}
