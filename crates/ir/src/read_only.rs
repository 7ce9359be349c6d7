//! Which objects must not be written: string literals and what is defined as `const` (C11 6.4.5p7,
//! 6.7.3p6).
//!
//! It is the definition of an object that counts, not the pointer that a write goes through. Objects
//! with static storage have their initial values before the program runs. A local is initialised by
//! the instructions between its allocation and its [`Op::Constant`]; all others that write it are wrong.

use super::program::{GlobalId, Op, ProcId, Program};
use rustc_hash::FxHashMap;

/// What a write violates, as a rule.
pub const WRITABLE: &str = "what is written is neither a string literal nor `const`";

/// An instruction.
type Site = (ProcId, usize);

/// The objects of a program that must not be written.
#[derive(Clone, Debug)]
pub struct ReadOnly<'p> {
    program: &'p Program,
    /// By allocation: up to where the object is initialised.
    locals: FxHashMap<Site, usize>,
}

impl<'p> ReadOnly<'p> {
    /// Those of a program.
    pub fn of(program: &'p Program) -> ReadOnly<'p> {
        let mut locals = FxHashMap::default();
        for (id, proc) in program.procs.iter_enumerated() {
            let mut allocated = FxHashMap::default();
            for (pc, instr) in proc.body.iter().enumerate() {
                match &instr.op {
                    Op::Alloc { dst, .. } => _ = allocated.insert(*dst, pc),
                    Op::Constant { object } => {
                        if let Some(at) = allocated.get(object) {
                            locals.insert((id, *at), pc);
                        }
                    }
                    _ => {}
                }
            }
        }
        ReadOnly { program, locals }
    }

    /// Whether there is nothing that must not be written.
    pub fn is_empty(&self) -> bool {
        self.locals.is_empty() && self.program.read_only.is_empty()
    }

    /// Whether an object with static storage must not be written.
    pub fn is_static(&self, global: GlobalId) -> bool {
        self.program.read_only.contains(&global)
    }

    /// Whether an instruction must not write what an allocation has made.
    pub fn is_local(&self, allocated: Site, writes: Site) -> bool {
        let end = self.locals.get(&allocated);
        let begins =
            |end: &usize| writes.0 == allocated.0 && (allocated.1..*end).contains(&writes.1);
        end.is_some_and(|end| !begins(end))
    }
}
