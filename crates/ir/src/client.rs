//! A client of a data structure: threads that call its operations, and what these return.
//!
//! A client is a part of a program, made of procedures without parameters: one for each call, which puts what the call
//! returns into objects of its own, and one for each thread, which makes its calls one after the other. What is asked of
//! their results is asked by other versions of these procedures.

pub use super::program::{Call, CallResult, Client, ClientThread};
use super::program::{GlobalId, Program, ScalarKind, sign_extend};

impl CallResult {
    /// A value as a person writes it: a number, or the object that it is the address of.
    pub fn shown(&self, program: &Program, value: u64) -> String {
        match self.kind {
            ScalarKind::Float if self.width == 32 => f32::from_bits(value as u32).to_string(),
            ScalarKind::Float => f64::from_bits(value).to_string(),
            ScalarKind::Pointer if value != 0 => address(program, value),
            ScalarKind::Pointer => "NULL".to_string(),
            ScalarKind::Integer if self.signed => sign_extend(value, self.width).to_string(),
            ScalarKind::Integer => value.to_string(),
        }
    }
}

/// The object with static storage that an address is in, and where.
fn address(program: &Program, value: u64) -> String {
    let bits = program.data_model.offset_bits();
    let number = (value >> bits).checked_sub(1 + program.procs.len() as u64);
    let global = number.filter(|n| *n < program.globals.len() as u64);
    match global.map(|n| &program.globals[GlobalId(n as u32)]) {
        Some(global) => {
            let path = program.path(global.layout, value & ((1 << bits) - 1));
            format!("&{}{path}", global.name)
        }
        None => format!("{value:#x}"),
    }
}

impl Client {
    /// The calls of all threads, thread after thread, and then those at the end: the order in which results are
    /// listed.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        let of_threads = self.threads.iter().flat_map(|t| &t.calls);
        of_threads.chain(&self.finally)
    }
}
