//! The codes of verdicts.

use crate::check::outcome::UnknownReason;
use base::code::Code;
use ir::program::PropertyKind;

/// The code of a violation.
pub fn of_property(kind: PropertyKind) -> Code {
    match kind {
        PropertyKind::Assertion => Code::Assertion,
        PropertyKind::Memory => Code::MemorySafety,
        PropertyKind::Misuse => Code::Misuse,
        PropertyKind::Race => Code::Race,
        PropertyKind::Deadlock => Code::Deadlock,
        PropertyKind::Overflow => Code::Overflow,
        PropertyKind::DivisionByZero => Code::DivisionByZero,
        PropertyKind::Leak => Code::Leak,
        PropertyKind::Uninitialised => Code::Uninitialised,
        PropertyKind::Robust => Code::NotRobust,
        PropertyKind::Termination => Code::NotTerminating,
        PropertyKind::Linearizable | PropertyKind::Sequential | PropertyKind::Quiescent => {
            Code::NotLinearizable
        }
    }
}

/// The code of a reason why there is no verdict.
pub fn of_unknown(reason: &UnknownReason) -> Code {
    match reason {
        UnknownReason::Unsupported(_) => Code::UnsupportedReached,
        UnknownReason::Timeout(_) => Code::Timeout,
        UnknownReason::Memory(_) => Code::MemoryLimit,
        UnknownReason::Interrupted => Code::Interrupted,
        UnknownReason::NoEnd(_) => Code::NoEnd,
        UnknownReason::NotCertified(_) => Code::NotCertified,
    }
}
