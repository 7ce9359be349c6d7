//! The loops and recursive procedures of a program, and what unwinding has seen of each: plain data
//! for `--show-loops`.

use crate::unroll::event::{EventGraph, Unwinding};
use base::idx::IdVec;
use base::source::Span;
use ir::bounds::{Bounds, loop_name};
use ir::program::{Callee, Op, ProcId, Program};

/// A loop or a recursive procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// As `--unwindset` names it.
    pub name: String,
    /// Its back edge, or the procedure.
    pub span: Span,
    /// The function it is in.
    pub function: String,
    /// A procedure that calls itself.
    pub recursive: bool,
    /// How far it is unwound.
    pub extent: Extent,
}

/// How far a loop is unwound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// No thread comes there, within the bounds of the others.
    Unreached,
    /// All iterations change nothing but the last.
    Await,
    /// It ends by itself; how often its back edge is taken at most, or how deep it recurs.
    Bounded(u32),
    /// Unwinding stopped at this bound; whether executions get there is for the solver to say.
    BoundReached(u32),
}

/// All loops, in the order of the program.
pub fn all(program: &Program, graph: &EventGraph, bounds: &Bounds) -> Vec<Loop> {
    let mut out = Vec::new();
    for (id, proc) in program.procs.iter_enumerated() {
        let mut add = |name: String, span, recursive, seen: Option<&Unwinding>| {
            let extent = extent(seen, bounds.of(&name).times);
            out.push(Loop {
                name,
                span,
                function: proc.name.clone(),
                recursive,
                extent,
            });
        };
        if calls_itself(program, id) || graph.recursions.contains_key(&id) {
            let seen = graph.recursions.get(&id);
            add(proc.name.clone(), proc.span, true, seen);
        }
        for (pc, instr) in proc.body.iter().enumerate() {
            if matches!(instr.op, Op::Goto { target, .. } if target <= pc) {
                let seen = graph.loops.get(&(id, pc));
                add(loop_name(proc, pc), instr.span, false, seen);
            }
        }
    }
    out
}

/// A name that no loop has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no loop is called `{name}`")]
pub struct UnknownLoop {
    /// It.
    pub name: String,
    /// The names of all loops and recursive procedures.
    pub loops: Vec<String>,
}

/// Whether every bound that was asked for is one of a loop or recursive procedure.
///
/// # Errors
/// The first name that is none.
pub fn known(program: &Program, bounds: &Bounds) -> Result<(), UnknownLoop> {
    if bounds.explicit.is_empty() {
        return Ok(());
    }
    let mut loops = Vec::new();
    for (id, proc) in program.procs.iter_enumerated() {
        if may_call_itself(program, id) {
            loops.push(proc.name.clone());
        }
        let body = proc.body.iter().enumerate();
        let back = body.filter(|(pc, i)| matches!(i.op, Op::Goto { target, .. } if target <= *pc));
        loops.extend(back.map(|(pc, _)| loop_name(proc, pc)));
    }
    match bounds
        .explicit
        .iter()
        .find(|(name, _)| !loops.contains(name))
    {
        None => Ok(()),
        Some((name, _)) => Err(UnknownLoop {
            name: name.clone(),
            loops,
        }),
    }
}

fn extent(seen: Option<&Unwinding>, bound: u32) -> Extent {
    match seen {
        None => Extent::Unreached,
        Some(seen) if seen.bound_reached => Extent::BoundReached(bound),
        Some(seen) if seen.awaits => Extent::Await,
        Some(seen) => Extent::Bounded(seen.most),
    }
}

/// Whether calls by name lead from a procedure back to it.
fn calls_itself(program: &Program, start: ProcId) -> bool {
    leads_back(program, start, &[])
}

/// Whether calls may, when those through a pointer go anywhere.
fn may_call_itself(program: &Program, start: ProcId) -> bool {
    let all: Vec<ProcId> = program.procs.ids().collect();
    leads_back(program, start, &all)
}

/// Whether calls lead from a procedure back to it; those through a pointer go to `pointed`.
fn leads_back(program: &Program, start: ProcId, pointed: &[ProcId]) -> bool {
    let mut seen: IdVec<ProcId, bool> = program.procs.iter().map(|_| false).collect();
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for instr in &program.procs[id].body {
            let Op::Call { callee, .. } = &instr.op else {
                continue;
            };
            let called = match callee {
                Callee::Proc(p) => std::slice::from_ref(p),
                Callee::Pointer(_) => pointed,
            };
            if called.contains(&start) {
                return true;
            }
            for p in called {
                if !std::mem::replace(&mut seen[*p], true) {
                    work.push(*p);
                }
            }
        }
    }
    false
}
