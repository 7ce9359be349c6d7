//! Why a statement is not supported.

use base::diag::Diag;
use base::source::Span;

/// An instruction is not known, or some of its operands are not.
pub(super) fn unknown(text: &str, span: Span) -> Diag {
    let message = format!("the assembly instruction `{text}` is not supported");
    Diag::unsupported(span, message).note(
        "known are the instructions of x86, Power, ARM and RISC-V that litmus tests have, and the barriers of \
         SPARC",
    )
}

/// A flag is no output.
pub(super) fn unknown_flag(name: &str, span: Span) -> Diag {
    let message = format!("the flag `{name}` of this statement is not supported");
    Diag::unsupported(span, message)
}
