//! What a test is written in, and what its locations are declared as in the program.
//!
//! Locations have the types that the functions want which they are given to: a location that is locked is a
//! `spinlock_t`. Others have the width of the test's values.

use base::idx::IdVec;
use ir::kernel::{IS_LOCKED, LOCK, SRCU_LOCK, SRCU_UNLOCK, UNLOCK};
use ir::litmus::LitmusTest;
use ir::order::Annotation;
use ir::program::*;

/// What the threads of a test are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// The assembly of a machine.
    Assembly,
    /// C11.
    C11,
    /// The C of the Linux kernel.
    Kernel,
}

impl Language {
    /// That of a test.
    pub(super) fn of(test: &LitmusTest) -> Language {
        let of_kernel = |order: &MemoryOrder| matches!(order, MemoryOrder::Annotated(_));
        let mut ops = test.program.procs.iter().flat_map(|p| &p.body);
        let kernel = ops.any(|instr| match &instr.op {
            Op::Fence(Fence::Annotated(_)) | Op::GracePeriod { .. } => true,
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => {
                of_kernel(order)
            }
            Op::Cas { success, .. } => of_kernel(success),
            _ => false,
        });
        match (test.machine.as_str(), kernel) {
            ("C", true) => Language::Kernel,
            ("C", false) => Language::C11,
            _ => Language::Assembly,
        }
    }

    /// The headers that a program needs.
    pub(super) fn headers(self) -> &'static str {
        match self {
            Language::Assembly => {
                "#include <assert.h>\n#include <pthread.h>\n#include <stdint.h>\n\n"
            }
            Language::C11 => {
                "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n\n"
            }
            Language::Kernel => {
                "#include <kernel.h>\n#include <pthread.h>\n\nunsigned long __VERIFIER_nondet_ulong(void);\n"
            }
        }
    }
}

/// What a location is declared as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Object {
    /// A number, or an address.
    Word,
    /// `_Atomic`
    Atomic,
    /// `atomic_long_t`
    Counter,
    /// `spinlock_t`
    Lock,
    /// `struct srcu_struct`
    Domain,
}

impl Object {
    /// What the locations of a test are declared as.
    pub(super) fn of(test: &LitmusTest, language: Language) -> IdVec<GlobalId, Object> {
        let all = test.program.globals.iter();
        let mut objects: IdVec<GlobalId, Object> = all.map(|_| Object::Word).collect();
        if language == Language::Assembly {
            return objects;
        }
        for instr in test.program.procs.iter().flat_map(|p| &p.body) {
            let (addr, object) = match &instr.op {
                Op::Load { addr, order, .. } | Op::Store { addr, order, .. } => {
                    (addr, Object::wanted(*order))
                }
                Op::Rmw {
                    addr, op, order, ..
                } => match (language, op) {
                    (Language::Kernel, RmwOp::Add | RmwOp::Sub) => (addr, Object::Counter),
                    _ => (addr, Object::wanted(*order)),
                },
                Op::Cas { addr, success, .. } => (addr, Object::wanted(*success)),
                Op::GracePeriod { addr, .. } => (addr, Object::Domain),
                _ => continue,
            };
            if let Expr::Global(id) = addr {
                objects[*id] = objects[*id].max(object);
            }
        }
        objects
    }

    /// What a function for accesses with this order wants.
    fn wanted(order: MemoryOrder) -> Object {
        match order {
            MemoryOrder::Plain => Object::Word,
            MemoryOrder::Annotated(a) if [&LOCK, &UNLOCK, &IS_LOCKED].iter().any(|l| is(a, l)) => {
                Object::Lock
            }
            MemoryOrder::Annotated(a) if is(a, &SRCU_LOCK) || is(a, &SRCU_UNLOCK) => Object::Domain,
            MemoryOrder::Annotated(_) => Object::Word,
            _ => Object::Atomic,
        }
    }

    /// The type, of a location of this width.
    pub(super) fn ty(self, width: Width) -> String {
        match self {
            Object::Word => format!("uint{width}_t"),
            Object::Atomic => format!("_Atomic uint{width}_t"),
            Object::Counter => "atomic_long_t".to_string(),
            Object::Lock => "spinlock_t".to_string(),
            Object::Domain => "struct srcu_struct".to_string(),
        }
    }

    /// The member of a record that has the value.
    pub(super) fn member(self) -> &'static str {
        match self {
            Object::Word | Object::Atomic => "",
            Object::Counter => ".counter",
            Object::Lock => ".__locked",
            Object::Domain => ".__index",
        }
    }
}

/// Whether an annotation is another one.
pub(super) fn is(a: &Annotation, b: &Annotation) -> bool {
    a.name == b.name
}
