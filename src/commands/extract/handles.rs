//! The handles of threads, and the objects that hold nothing else.
//!
//! Where there is any number of threads nobody waits for one of them to end, so it does not matter which
//! thread a handle names. `pthread_t t[n]` and what leads to it have no variables of their own; whatever else
//! is done with them is refused where it is done.

use super::unsupported::{Unsupported, unsupported};
use base::idx::IdVec;
use ir::program::{BinOp, Expr, GlobalId, LocalId, Op, Proc, ProcId, Program};
use std::collections::BTreeSet;

/// A register of some procedure, or an object with static storage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Local(LocalId),
    Global(GlobalId),
}

/// What a procedure does with handles.
#[derive(Clone, Default)]
struct OfProc {
    /// Registers with a handle.
    handles: BTreeSet<LocalId>,
    /// What leads to objects that hold handles.
    storage: BTreeSet<Root>,
}

/// The handles of a program.
pub struct Handles {
    procs: IdVec<ProcId, OfProc>,
}

impl Handles {
    /// Finds them, each procedure by itself.
    ///
    /// # Errors
    /// An object holds handles and something else.
    pub fn new(program: &Program) -> Result<Handles, Unsupported> {
        let procs = program.procs.iter().map(OfProc::new);
        Ok(Handles {
            procs: procs.collect::<Result<_, _>>()?,
        })
    }

    /// The object with static storage holds handles.
    pub fn hold(&self, g: GlobalId) -> bool {
        let mut procs = self.procs.iter();
        procs.any(|of| of.storage.contains(&Root::Global(g)))
    }

    /// The register has a handle, or leads to some.
    pub fn is_about(&self, proc: ProcId, l: LocalId) -> bool {
        let of = &self.procs[proc];
        of.handles.contains(&l) || of.storage.contains(&Root::Local(l))
    }

    /// The instruction does something with handles only, and starts no thread; what else it sets may be
    /// anything.
    pub fn is_all_of(&self, proc: ProcId, op: &Op) -> bool {
        let of = &self.procs[proc];
        match op {
            Op::Store { addr, .. } => root(addr).is_some_and(|r| of.storage.contains(&r)),
            Op::Join { .. } => true,
            Op::Assign { .. }
            | Op::Load { .. }
            | Op::Alloc { .. }
            | Op::Free { .. }
            | Op::LeaveScope { .. }
            | Op::Constant { .. }
            | Op::Claim { .. }
            | Op::Release(_)
            | Op::Goto { .. } => {
                let is_about = |l: &LocalId| self.is_about(proc, *l);
                let reads = op.operands().into_iter().any(|e| of.mentions(e));
                reads || op.results().iter().any(is_about)
            }
            _ => false,
        }
    }
}

impl OfProc {
    fn new(proc: &Proc) -> Result<OfProc, Unsupported> {
        let mut of = OfProc::default();
        loop {
            let before = (of.handles.len(), of.storage.len());
            for instr in &proc.body {
                of.follow(&instr.op);
            }
            if (of.handles.len(), of.storage.len()) == before {
                break;
            }
        }
        for instr in &proc.body {
            if let Op::Store { addr, value, .. } = &instr.op
                && root(addr).is_some_and(|r| of.storage.contains(&r))
                && !of.is_handle(value)
            {
                let what = "an object that holds the handle of a thread and something else";
                return Err(unsupported(instr.span, what));
            }
        }
        Ok(of)
    }

    fn follow(&mut self, op: &Op) {
        match op {
            Op::Spawn { dst, .. } => {
                self.handles.insert(*dst);
            }
            Op::Assign { dst, value } => {
                if self.is_handle(value) {
                    self.handles.insert(*dst);
                }
                if let Some(from) = root(value) {
                    // What leads to an object leads to the same one as what it is made of.
                    let to = Root::Local(*dst);
                    if self.storage.contains(&from) || self.storage.contains(&to) {
                        self.storage.extend([from, to]);
                    }
                }
            }
            Op::Store { addr, value, .. } if self.is_handle(value) => {
                self.storage.extend(root(addr));
            }
            Op::Load { dst, addr, .. } if root(addr).is_some_and(|r| self.storage.contains(&r)) => {
                self.handles.insert(*dst);
            }
            _ => {}
        }
    }

    fn is_handle(&self, e: &Expr) -> bool {
        matches!(e, Expr::Local(l) if self.handles.contains(l))
    }

    fn mentions(&self, e: &Expr) -> bool {
        match e {
            Expr::Global(g) => self.storage.contains(&Root::Global(*g)),
            Expr::Local(l) => self.handles.contains(l) || self.storage.contains(&Root::Local(*l)),
            _ => e.operands().any(|e| self.mentions(e)),
        }
    }
}

/// What an address begins with.
fn root(e: &Expr) -> Option<Root> {
    match e {
        Expr::Local(l) => Some(Root::Local(*l)),
        Expr::Global(g) => Some(Root::Global(*g)),
        Expr::Binary(BinOp::Add | BinOp::Sub, a, _) => root(a),
        _ => None,
    }
}
