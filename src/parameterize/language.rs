//! What the language promises whatever the machine.
//!
//! A program whose atomic accesses are all sequentially consistent, and that has no data race in any execution of SC, has
//! no other executions (Adve and Hill, ISCA 1990; C11 5.1.2.4; for rc11: Lahav, Vafeiadis, Kang, Hur and Dreyer,
//! "Repairing sequential consistency in C/C++11", PLDI 2017). What a compiler makes of it for a machine has none
//! either. Locks of the thread library synchronise as the language says.

use super::spawner::{Spawner, kinds};
use crate::commands::arith::VarId;
use crate::commands::program::{Access, Program, ThreadId};
use base::source::Span;
use ir::program::MemoryOrder;
use std::collections::BTreeSet;

/// What a program does that the promise is about.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// The variables with accesses that are not atomic.
    pub plain: BTreeSet<VarId>,
    /// The first atomic access that is not sequentially consistent; there is no promise then.
    pub weak: Option<Span>,
}

/// Of the threads of a program.
pub fn accesses(program: &Program, spawner: Spawner) -> Accesses {
    let threads: BTreeSet<ThreadId> = kinds(program, spawner).collect();
    let of_threads = || {
        program
            .accesses
            .iter()
            .filter(|a| threads.contains(&a.thread))
    };
    // An atomic section is one of SV-COMP's, which the language knows nothing of.
    let in_section = |a: &Access| program.threads[a.thread].locations[a.at].atomic;
    let is_weak = |a: &&Access| match a.order.compiled() {
        MemoryOrder::Library(_) => false,
        MemoryOrder::SeqCst => in_section(a),
        order => order.is_atomic() || in_section(a),
    };
    let plain = of_threads().filter(|a| !a.order.compiled().is_atomic());
    Accesses {
        plain: plain.flat_map(|a| a.variables.iter().copied()).collect(),
        weak: of_threads().find(is_weak).map(|a| a.span),
    }
}
