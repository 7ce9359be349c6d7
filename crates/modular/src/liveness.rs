//! Registers whose values may still be read.

use crate::flow::returned;
use crate::graph::{Graph, NodeId, Place, Step};
use crate::state::Register;
use base::idx::IdVec;
use ir::program::{Expr, Op, Program};
use std::collections::BTreeSet;

/// By points: the registers that are read behind it before they are set.
pub type Live = IdVec<NodeId, BTreeSet<Register>>;

/// Registers that may still be read, at each point of a thread.
pub fn live_registers(program: &Program, graph: &Graph) -> Live {
    let mut live: Live = graph.places.iter().map(|_| BTreeSet::new()).collect();
    loop {
        let mut changed = false;
        for node in graph.order.iter().rev() {
            let now = before(program, graph, &live, *node);
            changed |= now.len() > live[*node].len();
            live[*node] = now;
        }
        if !changed {
            return live;
        }
    }
}

fn before(program: &Program, graph: &Graph, live: &Live, node: NodeId) -> BTreeSet<Register> {
    let mut registers = BTreeSet::new();
    for (step, next) in &graph.next[node] {
        let behind = live[*next].iter().copied();
        match step {
            // All registers of a procedure begin with its call.
            Step::Enter(inner) => registers.extend(behind.filter(|(frame, _)| frame != inner)),
            Step::Next | Step::Branch(_) => registers.extend(behind),
        }
    }
    match graph.places[node] {
        Place::Before(frame, pc) => {
            let op = &program.procs[graph.frames[frame].proc].body[pc].op;
            if let Op::Return(_) = op {
                registers.remove(&returned(frame));
            }
            if !matches!(op, Op::Call { .. }) {
                for result in op.results() {
                    registers.remove(&(frame, result));
                }
            }
            op.operands().into_iter().for_each(|operand: &Expr| {
                operand.each_local(&mut |local| {
                    registers.insert((frame, local));
                });
            });
        }
        Place::Exit(frame) => {
            if let Some(result) = result_of(program, graph, node) {
                registers.remove(&result);
                registers.insert(returned(frame));
            }
        }
    }
    registers
}

/// The register that receives what a call returns, at the point where it does.
pub fn result_of(program: &Program, graph: &Graph, exit: NodeId) -> Option<Register> {
    let Place::Exit(frame) = graph.places[exit] else {
        return None;
    };
    let Place::Before(outer, pc) = graph.places[graph.frames[frame].caller?] else {
        unreachable!("a call is an instruction");
    };
    match program.procs[graph.frames[outer].proc].body[pc].op {
        Op::Call { dst: Some(dst), .. } => Some((outer, dst)),
        _ => None,
    }
}
