//! Which addresses are equal.
//!
//! A pointer says which object it leads into ([`super::program`]), so that an access through it is judged
//! by that object: it stays wrong when the object has ended, whatever lies there now. Comparisons look at
//! where the object lies. They are those of words as wide as pointers, and of compare-exchange; a word
//! that is no address is itself. Every object lies at an address of its own, but for these choices of
//! the execution, if the program [`reuses_addresses`](Program::reuses_addresses):
//!
//! - An object on the heap lies where another one on the heap did that had ended before: the thread that
//!   makes it has freed the other one, or threads did that it has joined, or those that created it had
//!   before they did; or where the object lies that it replaces. No two objects that exist at once
//!   lie at one address.
//! - An object with static storage or on the stack lies right behind another one of these: one past the
//!   one is the other's address. At most one lies behind each, each behind at most one, and
//!   no object behind itself by way of others.
//! - A string lies where an equal one does.
//! - A thread has the handle of one that the thread which creates it has joined, or that those who
//!   created that one had; [`Op::SameThread`] compares.
//! - Which of two objects comes first in memory ([`BinOp::PtrLt`]): their order is one of all objects,
//!   in which those that lie at one address have one place, and those of a row follow each other.

use super::program::{BinOp, Op, Program, Width, eval_binary};
use std::collections::BTreeMap;

/// Whether the operator compares where objects lie, on words as wide as pointers.
pub fn compares_addresses(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Eq | Ne | Ult | Ule | Slt | Sle | PtrLt | PtrLe)
}

/// Whether the operator looks at which object comes first in memory.
pub fn orders_addresses(op: BinOp) -> bool {
    matches!(op, BinOp::PtrLt | BinOp::PtrLe)
}

/// The object that a word leads into where addresses are ordered: loops that run backwards end before an object, and no
/// object ends so near the next ([`DataModel::largest_object`](super::program::DataModel::largest_object)).
pub fn ordered_object(word: u64, offset_bits: u32) -> u64 {
    word.wrapping_add(before_object(offset_bits)) >> offset_bits << offset_bits
}

/// How many bytes before an object belong to it where addresses are ordered.
pub fn before_object(offset_bits: u32) -> u64 {
    (1 << offset_bits) / 8
}

/// Whether handles of threads are compared.
pub fn compares_threads(program: &Program) -> bool {
    let mut code = program.procs.iter().flat_map(|p| &p.body);
    program.reuses_addresses && code.any(|i| matches!(i.op, Op::SameThread { .. }))
}

/// Where the objects and threads of one execution are that are not at an address of their own.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// By the address that names it, or the handle: the address, or the handle, where it is.
    at: BTreeMap<u64, u64>,
    /// By the address of an object: that of the one in whose stead it comes in the order of memory.
    order: BTreeMap<u64, u64>,
}

impl Placement {
    /// The object or thread with this name is where another name leads to.
    pub fn put(&mut self, name: u64, at: u64) {
        self.at.insert(name, at);
    }

    /// In the order of memory, the object with this name comes where that of the other one would.
    pub fn put_in_order(&mut self, name: u64, at: u64) {
        self.order.insert(name, at);
    }

    /// The name that an object or thread has been given the place of.
    pub fn taken(&self, name: u64) -> Option<u64> {
        self.at.get(&name).copied()
    }

    /// The handle that all have who have that of this one.
    pub fn handle(&self, handle: u64) -> u64 {
        self.follow(handle, 0)
    }

    /// Where a word leads to, of which the low bits are an offset.
    pub fn address(&self, word: u64, offset_bits: u32) -> u64 {
        self.follow(word, offset_bits)
    }

    /// What an operator makes of two numbers: comparisons look at where they lead to.
    pub fn binary(&self, program: &Program, op: BinOp, a: u64, b: u64, width: Width) -> u64 {
        let model = program.data_model;
        if !compares_addresses(op) || width != model.pointer_width() {
            return eval_binary(op, a, b, width);
        }
        let bits = model.offset_bits();
        let [a, b] = [a, b].map(|word| self.address(word, bits));
        let is_one = ordered_object(a, bits) == ordered_object(b, bits);
        if !orders_addresses(op) || is_one {
            return eval_binary(op, a, b, width);
        }
        let [a, b] = [a, b].map(|word| {
            let object = ordered_object(word, bits);
            let at = self.order.get(&object).copied().unwrap_or(object);
            at.wrapping_add(word.wrapping_sub(object))
        });
        eval_binary(op, a, b, width)
    }

    fn follow(&self, mut word: u64, offset_bits: u32) -> u64 {
        // As often as there are names: then one has come round.
        for _ in 0..=self.at.len() {
            let name = word >> offset_bits << offset_bits;
            let Some(at) = self.at.get(&name) else {
                break;
            };
            word = at.wrapping_add(word - name);
        }
        word
    }
}
