//! What must not happen: kinds of property as `--check` names them, and the rules they consist of.
//!
//! A kind is what people ask for; a rule is what was broken. The rules are finer because others,
//! such as SV-COMP, draw the lines elsewhere.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// Why execution must not pass a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The rule.
    pub rule: Rule,
    /// The kind of property the rule belongs to.
    pub kind: PropertyKind,
    /// The condition as the source has it, or a sentence.
    pub text: String,
}

impl Property {
    /// A property by its rule.
    pub fn new(rule: Rule, text: impl Into<String>) -> Property {
        Property {
            rule,
            kind: rule.kind(),
            text: text.into(),
        }
    }
}

/// Kinds of property, as `--check` names them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PropertyKind {
    /// `assert`, `reach_error`, `__VERIFIER_assert`.
    Assertion,
    /// Dereference of something that is no object, or no longer one, and freeing what cannot be
    /// freed.
    Memory,
    /// A use of the thread library that POSIX and C11 call undefined: unlocking what another thread
    /// holds, joining a thread twice.
    Misuse,
    /// Two conflicting accesses of different threads, not both atomic, that nothing orders (C11,
    /// 5.1.2.4).
    Race,
    /// No thread can make progress: each has ended or waits for another one, or for what no thread does.
    Deadlock,
    /// A thread spins forever that waits for what no thread does, or that has no end, and each other one has
    /// ended or waits, too.
    Termination,
    /// Signed arithmetic whose result its type does not have, and shifts by as many bits as the
    /// type has, or more.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// Memory on the heap that is not freed when the program has ended.
    Leak,
    /// A value decides something that nothing has determined: of a local, of memory on the stack or the
    /// heap that was not written, of a function that returned none ([`super::shadow`]).
    Uninitialised,
    /// An execution is not sequentially consistent: program order and communications have a cycle.
    Robust,
    /// No order of the calls of a client that respects real time has their results ([`super::client`]).
    Linearizable,
    /// No order of the calls of a client that respects the order of each thread has their results.
    Sequential,
    /// No order of the calls of a client that respects moments at which no call runs has their results.
    Quiescent,
}

impl PropertyKind {
    /// All kinds of error of any program. That an execution is not sequentially consistent is none, and what the
    /// calls of a client return is no matter of other programs.
    pub const ALL: [PropertyKind; 10] = [
        PropertyKind::Assertion,
        PropertyKind::Memory,
        PropertyKind::Misuse,
        PropertyKind::Race,
        PropertyKind::Deadlock,
        PropertyKind::Termination,
        PropertyKind::Overflow,
        PropertyKind::DivisionByZero,
        PropertyKind::Leak,
        PropertyKind::Uninitialised,
    ];

    /// The kinds that are about the calls of a client.
    pub const OF_CLIENTS: [PropertyKind; 3] = [
        PropertyKind::Linearizable,
        PropertyKind::Sequential,
        PropertyKind::Quiescent,
    ];

    /// The kinds that are checked when none is named: what the program asserts, and that it
    /// keeps to its objects and to the rules of the thread library. A program without assertions
    /// does not say what it is for; what is an error in every concurrent program is looked for
    /// instead.
    pub fn defaults(has_assertions: bool) -> Vec<PropertyKind> {
        use PropertyKind::{Assertion, Deadlock, Memory, Misuse, Race};
        match has_assertions {
            true => vec![Assertion, Memory, Misuse],
            false => vec![Memory, Misuse, Race, Deadlock],
        }
    }

    /// The name that `--check` takes.
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Assertion => "assert",
            PropertyKind::Memory => "memory",
            PropertyKind::Misuse => "misuse",
            PropertyKind::Race => "race",
            PropertyKind::Deadlock => "deadlock",
            PropertyKind::Termination => "termination",
            PropertyKind::Overflow => "overflow",
            PropertyKind::DivisionByZero => "divzero",
            PropertyKind::Leak => "leak",
            PropertyKind::Uninitialised => "uninitialised",
            PropertyKind::Robust => "robust",
            PropertyKind::Linearizable => "linearizable",
            PropertyKind::Sequential => "sequential",
            PropertyKind::Quiescent => "quiescent",
        }
    }
}

/// Whether it is asked for threads that make no progress: how they wait is followed then.
pub fn asks_for_progress(kinds: &[PropertyKind]) -> bool {
    let waits = [PropertyKind::Deadlock, PropertyKind::Termination];
    waits.iter().any(|kind| kinds.contains(kind))
}

impl Serialize for PropertyKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for PropertyKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PropertyKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        let others = [PropertyKind::Robust]
            .into_iter()
            .chain(PropertyKind::OF_CLIENTS);
        let mut kinds = PropertyKind::ALL.into_iter().chain(others);
        let kind = kinds.find(|k| k.name() == name);
        kind.ok_or_else(|| D::Error::custom(format!("there is no kind of property `{name}`")))
    }
}

/// What exactly is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// An assertion fails.
    Assertion,
    /// A function is called that must not be called.
    Call,
    /// A label is reached that must not be reached.
    Label,
    /// An access, or a call through a pointer, goes to something that is no object, no function, or
    /// no longer one.
    Access,
    /// An array is subscripted outside of its elements, though the place is inside of the object that the
    /// array is a part of (C11 6.5.6p8).
    Bounds,
    /// A string literal or an object that is `const` is written (C11 6.4.5p7, 6.7.3p6).
    Constant,
    /// A function is called through a pointer of a type that is not compatible with its own (C11
    /// 6.5.2.2p9).
    CalledType,
    /// Something is freed that cannot be freed.
    Free,
    /// An object of the library is used after its destruction.
    Library,
    /// A function of the library is called where it must not be.
    Misuse,
    /// Some rule of [`PropertyKind::Memory`], for engines that do not say which.
    Memory,
    /// Two accesses race.
    Race,
    /// Deadlock: no thread can make progress.
    Deadlock,
    /// A thread spins forever.
    Termination,
    /// A signed result is not a value of its type.
    Overflow,
    /// A value is shifted by as many bits as it has, or more.
    Shift,
    /// Something is divided by zero.
    DivisionByZero,
    /// Memory is not freed.
    Leak,
    /// A value that nothing has determined decides something.
    Uninitialised,
    /// An execution is not sequentially consistent.
    Robust,
    /// The results of calls are those of no order that respects real time.
    Linearizable,
    /// The results of calls are those of no order that respects the order of each thread.
    Sequential,
    /// The results of calls are those of no order that respects moments at which no call runs.
    Quiescent,
}

impl Rule {
    /// The kind of property it belongs to.
    pub fn kind(self) -> PropertyKind {
        match self {
            Rule::Assertion | Rule::Call | Rule::Label => PropertyKind::Assertion,
            Rule::Access
            | Rule::Bounds
            | Rule::Constant
            | Rule::CalledType
            | Rule::Free
            | Rule::Library
            | Rule::Memory => PropertyKind::Memory,
            Rule::Misuse => PropertyKind::Misuse,
            Rule::Race => PropertyKind::Race,
            Rule::Deadlock => PropertyKind::Deadlock,
            Rule::Termination => PropertyKind::Termination,
            Rule::Overflow | Rule::Shift => PropertyKind::Overflow,
            Rule::DivisionByZero => PropertyKind::DivisionByZero,
            Rule::Leak => PropertyKind::Leak,
            Rule::Uninitialised => PropertyKind::Uninitialised,
            Rule::Robust => PropertyKind::Robust,
            Rule::Linearizable => PropertyKind::Linearizable,
            Rule::Sequential => PropertyKind::Sequential,
            Rule::Quiescent => PropertyKind::Quiescent,
        }
    }
}

impl From<PropertyKind> for Rule {
    /// The rule of a kind, where no more is known.
    fn from(kind: PropertyKind) -> Rule {
        match kind {
            PropertyKind::Assertion => Rule::Assertion,
            PropertyKind::Memory => Rule::Memory,
            PropertyKind::Misuse => Rule::Misuse,
            PropertyKind::Race => Rule::Race,
            PropertyKind::Deadlock => Rule::Deadlock,
            PropertyKind::Termination => Rule::Termination,
            PropertyKind::Overflow => Rule::Overflow,
            PropertyKind::DivisionByZero => Rule::DivisionByZero,
            PropertyKind::Leak => Rule::Leak,
            PropertyKind::Uninitialised => Rule::Uninitialised,
            PropertyKind::Robust => Rule::Robust,
            PropertyKind::Linearizable => Rule::Linearizable,
            PropertyKind::Sequential => Rule::Sequential,
            PropertyKind::Quiescent => Rule::Quiescent,
        }
    }
}
