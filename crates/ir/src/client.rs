//! A client of a data structure: threads that call its operations, and what these return.
//!
//! A client is a part of a program, made of procedures without parameters: one for each call, which puts what the call
//! returns into objects of its own, and one for each thread, which makes its calls one after the other. What is asked of
//! their results is asked by other versions of these procedures.

use super::program::{GlobalId, ProcId, Program, ScalarKind, Width, sign_extend};
use base::source::Span;

/// Threads that call the operations of a data structure.
#[derive(Clone, Debug)]
pub struct Client {
    /// What begins: it calls `setup`, starts the threads, waits for all of them, and calls `finally`.
    pub main: ProcId,
    /// What is called first, in this order.
    pub setup: Vec<Call>,
    /// The threads.
    pub threads: Vec<ClientThread>,
    /// What is called when all threads have ended, in this order.
    pub finally: Vec<Call>,
}

/// A thread of a client.
#[derive(Clone, Debug)]
pub struct ClientThread {
    /// What makes the calls.
    pub routine: ProcId,
    /// The calls, in their order.
    pub calls: Vec<Call>,
}

/// A call of an operation.
#[derive(Clone, Debug)]
pub struct Call {
    /// The call as it was typed.
    pub text: String,
    /// The operation.
    pub span: Span,
    /// Makes the call.
    pub proc: ProcId,
    /// What it returns.
    pub results: Vec<CallResult>,
}

/// A part of what a call returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallResult {
    /// The object that it is put in.
    pub global: GlobalId,
    /// Of how many bits.
    pub width: Width,
    /// It is a number below 0 when its highest bit is set.
    pub signed: bool,
    /// What the bits are.
    pub kind: ScalarKind,
    /// The parameter through which it is returned; `None` of a returned value.
    pub parameter: Option<String>,
}

impl CallResult {
    /// A value as a person writes it: a number, or the object that it is the address of.
    pub fn shown(&self, program: &Program, value: u64) -> String {
        match self.kind {
            ScalarKind::Float if self.width == 32 => f32::from_bits(value as u32).to_string(),
            ScalarKind::Float => f64::from_bits(value).to_string(),
            ScalarKind::Pointer if value != 0 => address(program, value),
            ScalarKind::Pointer => "NULL".to_string(),
            ScalarKind::Integer if self.signed => {
                (sign_extend(value, self.width) as i64).to_string()
            }
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
