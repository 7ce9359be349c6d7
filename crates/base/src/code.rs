//! The kinds of what is reported, each with a code that stays: `V` for violations, `U` for what is
//! not decided, `W` for warnings, `E` for errors.
//!
//! `docs/diagnostics.md` has a section a code: what it means, an example, and what to do. That text is
//! part of the program, for `wmbmc explain` and for the rules of SARIF.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// The kind of what is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Code {
    /// An assertion is violated.
    Assertion,
    /// Access to memory that is no object's, or no object's any more.
    MemorySafety,
    /// Undefined use of the thread library.
    Misuse,
    /// A data race.
    Race,
    /// No thread can make progress.
    Deadlock,
    /// Signed overflow, or a shift too far.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// Memory on the heap is not freed.
    Leak,
    /// A system or an x86 program reaches an unsafe state.
    UnsafeState,
    /// What a litmus test claims is refuted.
    RefutedClaim,
    /// An answer is not the expected one, or engines contradict each other.
    Disagreement,
    /// What was not initialised decides something.
    Uninitialised,
    /// An execution is not sequentially consistent.
    NotRobust,
    /// A thread spins forever.
    NotTerminating,
    /// The results of calls are those of no order of the calls.
    NotLinearizable,
    /// An unsupported construct is reachable.
    UnsupportedReached,
    /// The time limit is exceeded.
    Timeout,
    /// The memory limit is exceeded.
    MemoryLimit,
    /// The user has interrupted the process.
    Interrupted,
    /// A loop reaches its bound.
    BoundReached,
    /// A search ends without an answer.
    SearchGivesUp,
    /// There is no proof of an answer that was asked for with one.
    NotCertified,
    /// No execution comes to its end.
    NoEnd,
    /// No state is initial.
    EmptyInit,
    /// Part of a quantifier's body does not depend on its variable.
    QuantifierScope,
    /// A program for one machine is checked on another.
    OtherMachine,
    /// A macro of the command line replaces one of the file.
    MacroReplaced,
    /// Several files declare a function differently.
    Misfit,
    /// A program has memory orders, and the default model gives them no meaning.
    OrdersWithoutEffect,
    /// A macro of the command line has no effect, as a header defines it again.
    MacroWithoutEffect,
    /// The command line is wrong.
    CommandLine,
    /// A file cannot be read or written.
    File,
    /// The C preprocessor reports an error.
    Preprocessor,
    /// A text is not of its language.
    Syntax,
    /// A name, a type or a declaration is wrong.
    Meaning,
    /// The input has what is not supported.
    Unsupported,
    /// There is no function `main`.
    NoMain,
    /// Several files do not fit together.
    Linking,
    /// What the options say does not apply to this input.
    NotApplicable,
    /// A memory model does not exist or is wrong.
    MemoryModel,
    /// No loop has this name.
    UnknownLoop,
    /// A bug of this program.
    Bug,
}

impl Code {
    /// Every kind.
    pub const ALL: [Code; 42] = [
        Code::Assertion,
        Code::MemorySafety,
        Code::Misuse,
        Code::Race,
        Code::Deadlock,
        Code::Overflow,
        Code::DivisionByZero,
        Code::Leak,
        Code::UnsafeState,
        Code::RefutedClaim,
        Code::Disagreement,
        Code::Uninitialised,
        Code::NotRobust,
        Code::NotTerminating,
        Code::NotLinearizable,
        Code::UnsupportedReached,
        Code::Timeout,
        Code::MemoryLimit,
        Code::Interrupted,
        Code::BoundReached,
        Code::SearchGivesUp,
        Code::NotCertified,
        Code::NoEnd,
        Code::EmptyInit,
        Code::QuantifierScope,
        Code::OtherMachine,
        Code::MacroReplaced,
        Code::Misfit,
        Code::OrdersWithoutEffect,
        Code::MacroWithoutEffect,
        Code::CommandLine,
        Code::File,
        Code::Preprocessor,
        Code::Syntax,
        Code::Meaning,
        Code::Unsupported,
        Code::NoMain,
        Code::Linking,
        Code::NotApplicable,
        Code::MemoryModel,
        Code::UnknownLoop,
        Code::Bug,
    ];

    /// The code, which stays: `V0004`.
    pub const fn id(self) -> &'static str {
        match self {
            Code::Assertion => "V0001",
            Code::MemorySafety => "V0002",
            Code::Misuse => "V0003",
            Code::Race => "V0004",
            Code::Deadlock => "V0005",
            Code::Overflow => "V0006",
            Code::DivisionByZero => "V0007",
            Code::Leak => "V0008",
            Code::UnsafeState => "V0009",
            Code::RefutedClaim => "V0010",
            Code::Disagreement => "V0011",
            Code::Uninitialised => "V0012",
            Code::NotRobust => "V0013",
            Code::NotTerminating => "V0014",
            Code::NotLinearizable => "V0015",
            Code::UnsupportedReached => "U0001",
            Code::Timeout => "U0002",
            Code::MemoryLimit => "U0003",
            Code::Interrupted => "U0004",
            Code::BoundReached => "U0005",
            Code::SearchGivesUp => "U0006",
            Code::NotCertified => "U0007",
            Code::NoEnd => "U0008",
            Code::EmptyInit => "W0001",
            Code::QuantifierScope => "W0002",
            Code::OtherMachine => "W0003",
            Code::MacroReplaced => "W0004",
            Code::Misfit => "W0005",
            Code::OrdersWithoutEffect => "W0006",
            Code::MacroWithoutEffect => "W0007",
            Code::CommandLine => "E0001",
            Code::File => "E0002",
            Code::Preprocessor => "E0003",
            Code::Syntax => "E0004",
            Code::Meaning => "E0005",
            Code::Unsupported => "E0006",
            Code::NoMain => "E0007",
            Code::Linking => "E0008",
            Code::NotApplicable => "E0009",
            Code::MemoryModel => "E0010",
            Code::UnknownLoop => "E0011",
            Code::Bug => "E0012",
        }
    }

    /// The kind with a code, in capital or small letters.
    pub fn of(id: &str) -> Option<Code> {
        let same = |c: &Code| c.id().eq_ignore_ascii_case(id);
        Code::ALL.into_iter().find(same)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let id = String::deserialize(deserializer)?;
        Code::of(&id).ok_or_else(|| D::Error::custom(format!("there is no code {id}")))
    }
}
