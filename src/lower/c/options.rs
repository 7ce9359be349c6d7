//! What is asked of a program, as far as its lowering depends on it.

use crate::front::c::target::Target;
use ir::program::PropertyKind;
use std::collections::BTreeSet;
use std::fmt;

/// What is asked of a program, as far as its lowering depends on it.
#[derive(Clone, Debug, Default)]
pub struct LoweringOptions {
    /// Kinds of property that are checked. For [`PropertyKind::Deadlock`] waits on condition
    /// variables end when a thread signals; for [`PropertyKind::Overflow`] and
    /// [`PropertyKind::DivisionByZero`] the operators that may go wrong are asserted not to.
    pub checks: Vec<PropertyKind>,
    /// What violates [`PropertyKind::Assertion`].
    pub errors: Errors,
    /// The machine that the program is read for; where none is named, x86 as the preprocessor has it.
    pub target: Option<Target>,
    /// When a weak compare-exchange may fail for no reason.
    pub weak_cas: WeakCas,
    /// What `main` is called with.
    pub arguments: Arguments,
    /// A signed left shift whose result its type does not have is an overflow, too.
    pub left_shifts: bool,
    /// Addresses and handles of threads may repeat ([`ir::placement`]).
    pub reuse_addresses: bool,
    /// What runs instead of `main`.
    pub harness: Option<Harness>,
    /// The id of a new thread is written before the thread runs, as glibc does; POSIX lets it be written
    /// later.
    pub id_before_thread: bool,
    /// Functions without a body that return any value and write nothing.
    pub havoc: BTreeSet<String>,
    /// Functions without a body may return any value and write nothing, besides whatever else they may do: a
    /// violation that needs no more is one.
    pub unknown_results: bool,
    /// That a subscript leads to no other object is assumed, and not asserted.
    pub subscripts_assumed: bool,
}

/// Functions that are checked without a `main`, by their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harness {
    /// Called first, in this order.
    pub setup: Vec<String>,
    /// What is checked.
    pub entry: Entry,
    /// Called at the end, when all threads have ended.
    pub finally: Vec<String>,
}

/// What a program without `main` begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A call of this function.
    Call(String),
    /// Threads of these functions.
    Threads(Vec<Parallel>),
    /// Threads that make these calls. What is called before and after are calls of the client, too.
    Client(Client),
}

/// Threads that call functions, with arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Client {
    /// What is called first, in this order.
    pub setup: Vec<ClientCall>,
    /// The calls of each thread.
    pub threads: Vec<Vec<ClientCall>>,
    /// What is called when all threads have ended, in this order.
    pub finally: Vec<ClientCall>,
}

/// A call with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientCall {
    /// The function.
    pub function: String,
    /// What it is called with.
    pub arguments: Vec<ClientArgument>,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientArgument {
    /// A number; 0 is a null pointer, too.
    Number(i64),
    /// The value of an enumeration constant or of a variable; the first element of an array.
    Name(String),
    /// The address of a variable.
    Address(String),
    /// The address of a variable of this call alone: what the call puts there is a part of what it returns.
    Out,
}

impl fmt::Display for ClientCall {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let arguments = self.arguments.iter().map(|argument| match argument {
            ClientArgument::Number(n) => n.to_string(),
            ClientArgument::Name(name) => name.clone(),
            ClientArgument::Address(name) => format!("&{name}"),
            ClientArgument::Out => "?".to_string(),
        });
        let arguments: Vec<String> = arguments.collect();
        write!(f, "{}({})", self.function, arguments.join(", "))
    }
}

/// A function that threads run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parallel {
    /// Its name.
    pub function: String,
    /// There is any number of them, none included; otherwise one.
    pub any_number: bool,
}

/// What a C program is called with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Arguments {
    /// Up to three arguments behind the program's name, each of up to eight characters.
    #[default]
    Bounded,
    /// These, behind the program's name.
    Given(Vec<String>),
    /// Any; a program that looks at them gets no verdict.
    Unknown,
}

/// When a weak compare-exchange may fail although it reads what it expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum WeakCas {
    /// On every machine: C11 allows it.
    #[default]
    Always,
    /// On machines that make it of a linked load and a conditional store.
    Machine,
}

/// What violates [`PropertyKind::Assertion`]. Assertions and error functions that are not among it
/// end the process when they fail or are called.
#[derive(Clone, Debug)]
pub struct Errors {
    /// Assertions that fail.
    pub assertions: bool,
    /// Calls of these functions.
    pub calls: Vec<String>,
    /// Reaching these labels.
    pub labels: Vec<String>,
}

/// Functions that only ever mean an error.
pub(super) const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

impl Default for Errors {
    fn default() -> Errors {
        Errors {
            assertions: true,
            calls: ERROR_FUNCTIONS.map(str::to_string).to_vec(),
            labels: Vec::new(),
        }
    }
}

impl Errors {
    /// Nothing: programs end there, and that is all.
    pub fn none() -> Errors {
        Errors {
            assertions: false,
            calls: Vec::new(),
            labels: Vec::new(),
        }
    }
}
