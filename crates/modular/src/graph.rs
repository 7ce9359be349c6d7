//! The control flow graph of a thread, with calls inlined, and its loops.

use crate::answer::Unproved;
use base::id;
use base::idx::{Id, IdVec};
use ir::program::{Callee, Expr, Op, ProcId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

id!(
    /// A call of a procedure, by the way to it.
    FrameId,
    "frame"
);
id!(
    /// A point of a thread.
    NodeId,
    "node"
);

/// Points of a thread at most.
const MOST_NODES: usize = 40_000;

/// Which procedures a call through a pointer may reach, by the call's procedure and index.
pub type Targets = FxHashMap<(ProcId, usize), BTreeSet<ProcId>>;

/// A call of a procedure.
pub struct Frame {
    /// Which.
    pub proc: ProcId,
    /// The call; none of the thread's start routine.
    pub caller: Option<NodeId>,
}

/// Where a point is.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// In front of an instruction.
    Before(FrameId, usize),
    /// Where a call returns.
    Exit(FrameId),
}

/// How one point follows another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The instruction is executed.
    Next,
    /// It is a branch, and its condition has this value.
    Branch(bool),
    /// It is a call, and the callee begins.
    Enter(FrameId),
}

/// See the file's head.
pub struct Graph {
    /// Calls.
    pub frames: IdVec<FrameId, Frame>,
    /// Points.
    pub places: IdVec<NodeId, Place>,
    /// What follows each.
    pub next: IdVec<NodeId, Vec<(Step, NodeId)>>,
    /// Points that can be reached, each behind what precedes it but for jumps backwards.
    pub order: Vec<NodeId>,
    /// The loops that a point is in, by their headers, outermost first.
    pub loops: IdVec<NodeId, Vec<NodeId>>,
    /// Headers of loops.
    pub headers: BTreeSet<NodeId>,
    /// Whether a step is one from a loop's end to its header.
    back: FxHashSet<(NodeId, NodeId)>,
}

impl Graph {
    /// The graph of a thread that begins with a procedure.
    ///
    /// # Errors
    /// Recursion, a size beyond the limit, jumps into a loop.
    pub fn new(program: &Program, start: ProcId, targets: &Targets) -> Result<Graph, Unproved> {
        let mut graph = Graph {
            frames: IdVec::default(),
            places: IdVec::default(),
            next: IdVec::default(),
            order: Vec::new(),
            loops: IdVec::default(),
            headers: BTreeSet::new(),
            back: FxHashSet::default(),
        };
        graph.frame(program, start, None, targets)?;
        graph.sort();
        graph.find_loops()?;
        Ok(graph)
    }

    /// Where the thread begins.
    pub fn entry(&self) -> NodeId {
        NodeId(0)
    }

    /// Whether a step goes back to the header of a loop.
    pub fn is_back(&self, from: NodeId, to: NodeId) -> bool {
        self.back.contains(&(from, to))
    }

    /// The points in the loop with this header.
    pub fn inside(&self, header: NodeId) -> BTreeSet<NodeId> {
        let all = self.loops.iter_enumerated();
        let inside = all.filter(|(_, headers)| headers.contains(&header));
        inside.map(|(node, _)| node).collect()
    }

    /// Adds a call, with all that it calls; returns where it begins and ends.
    fn frame(
        &mut self,
        program: &Program,
        proc: ProcId,
        caller: Option<NodeId>,
        targets: &Targets,
    ) -> Result<(FrameId, NodeId, NodeId), Unproved> {
        let mut at = caller;
        while let Some(node) = at {
            let Place::Before(frame, _) = self.places[node] else {
                unreachable!("a call is an instruction");
            };
            if self.frames[frame].proc == proc {
                return Err(Unproved::Recursion(program.procs[proc].span));
            }
            at = self.frames[frame].caller;
        }
        let frame = self.frames.push(Frame { proc, caller });
        let body = &program.procs[proc].body;
        let first = NodeId::from_index(self.places.len());
        let node = |pc: usize| NodeId::from_index(first.index() + pc);
        for pc in 0..body.len() {
            self.places.push(Place::Before(frame, pc));
            self.next.push(Vec::new());
        }
        let exit = self.places.push(Place::Exit(frame));
        self.next.push(Vec::new());
        if self.places.len() > MOST_NODES {
            return Err(Unproved::TooLarge);
        }
        for (pc, instr) in body.iter().enumerate() {
            let behind = node(pc + 1);
            let next = match &instr.op {
                Op::Goto { cond: None, target } => vec![(Step::Next, node(*target))],
                Op::Goto {
                    cond: Some(_),
                    target,
                } => vec![
                    (Step::Branch(true), node(*target)),
                    (Step::Branch(false), behind),
                ],
                Op::Return(_) => vec![(Step::Next, exit)],
                Op::ThreadExit(_) | Op::Halt | Op::Unknown(_) => Vec::new(),
                Op::Call { callee, .. } => {
                    let all: Vec<ProcId> = match callee {
                        Callee::Proc(p) | Callee::Pointer(Expr::Proc(p)) => vec![*p],
                        Callee::Pointer(_) => {
                            let known = targets.get(&(proc, pc));
                            known.into_iter().flatten().copied().collect()
                        }
                    };
                    let mut next = Vec::new();
                    for callee in all {
                        let (inner, begin, end) =
                            self.frame(program, callee, Some(node(pc)), targets)?;
                        next.push((Step::Enter(inner), begin));
                        self.next[end].push((Step::Next, behind));
                    }
                    next
                }
                _ => vec![(Step::Next, behind)],
            };
            self.next[node(pc)] = next;
        }
        Ok((frame, first, exit))
    }

    /// Reverse postorder.
    fn sort(&mut self) {
        let mut seen: IdVec<NodeId, bool> = self.places.iter().map(|_| false).collect();
        let mut stack = vec![(self.entry(), 0)];
        seen[self.entry()] = true;
        while let Some((node, at)) = stack.pop() {
            match self.next[node].get(at) {
                Some((_, next)) => {
                    stack.push((node, at + 1));
                    if !seen[*next] {
                        seen[*next] = true;
                        stack.push((*next, 0));
                    }
                }
                None => self.order.push(node),
            }
        }
        self.order.reverse();
    }

    /// Dominators as Cooper, Harvey and Kennedy find them ("A simple, fast dominance algorithm"), and the
    /// natural loops.
    fn find_loops(&mut self) -> Result<(), Unproved> {
        const NONE: usize = usize::MAX;
        let mut position: IdVec<NodeId, usize> = self.places.iter().map(|_| NONE).collect();
        for (i, node) in self.order.iter().enumerate() {
            position[*node] = i;
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.order.len()];
        for (i, node) in self.order.iter().enumerate() {
            for (_, next) in &self.next[*node] {
                before[position[*next]].push(i);
            }
        }
        let mut dominator = vec![NONE; self.order.len()];
        dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for i in 1..self.order.len() {
                let mut known = before[i].iter().filter(|p| dominator[**p] != NONE);
                let first = *known.next().expect("a point behind another one");
                let common = known.fold(first, |mut a, b| {
                    let mut b = *b;
                    while a != b {
                        match a > b {
                            true => a = dominator[a],
                            false => b = dominator[b],
                        }
                    }
                    a
                });
                if dominator[i] != common {
                    dominator[i] = common;
                    changed = true;
                }
            }
        }
        let mut inside: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.order.len()];
        for header in 0..self.order.len() {
            let latches = before[header].iter().filter(|p| **p >= header);
            let mut stack: Vec<usize> = latches.copied().collect();
            if stack.is_empty() {
                continue;
            }
            for latch in &stack {
                let mut at = *latch;
                while at > header {
                    at = dominator[at];
                }
                if at != header {
                    return Err(Unproved::JumpIntoLoop);
                }
                self.back.insert((self.order[*latch], self.order[header]));
            }
            self.headers.insert(self.order[header]);
            inside[header].insert(header);
            while let Some(at) = stack.pop() {
                if inside[at].insert(header) {
                    stack.extend(&before[at]);
                }
            }
        }
        self.loops = self.places.iter().map(|_| Vec::new()).collect();
        for (i, headers) in inside.iter().enumerate() {
            // An outer loop's header comes first.
            self.loops[self.order[i]] = headers.iter().map(|h| self.order[*h]).collect();
        }
        Ok(())
    }
}
