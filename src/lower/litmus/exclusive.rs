//! What models of AArch64 and RISC-V know accesses by: the sets that the read and the write are in.
//!
//! Of a read-modify-write the acquiring half is the read and the releasing one the write. In a statement of C
//! an access has the memory order of C11 that is next to it.

use super::body::Body;
use ir::program::{Annotation, MemoryOrder};

/// The row for a release, an acquire and both.
const fn index(acquire: bool, release: bool) -> usize {
    acquire as usize + 2 * release as usize
}

macro_rules! rows {
    ($name:ident: $([$label:literal, $read:expr, $write:expr]),* $(,)?) => {
        static $name: &[Annotation] = &[$(Annotation {
            name: $label,
            read: &$read,
            write: &$write,
            fences: &[],
            c11: None,
        }),*];
    };
}

rows!(ACCESSES:
    ["plain", [], []],
    ["acquire", ["ACQUIRE"], ["ACQUIRE"]],
    ["release", ["RELEASE"], ["RELEASE"]],
    ["acquire+release", ["ACQUIRE", "RELEASE"], ["ACQUIRE", "RELEASE"]],
);

rows!(EXCLUSIVES:
    ["exclusive", ["EXCLUSIVE"], ["EXCLUSIVE"]],
    ["acquire exclusive", ["EXCLUSIVE", "ACQUIRE"], ["EXCLUSIVE", "ACQUIRE"]],
    ["release exclusive", ["EXCLUSIVE", "RELEASE"], ["EXCLUSIVE", "RELEASE"]],
    [
        "acquire+release exclusive",
        ["EXCLUSIVE", "ACQUIRE", "RELEASE"],
        ["EXCLUSIVE", "ACQUIRE", "RELEASE"]
    ],
);

rows!(UPDATES:
    ["atomic", ["AMO"], ["AMO"]],
    ["acquire atomic", ["AMO", "ACQUIRE"], ["AMO"]],
    ["release atomic", ["AMO"], ["AMO", "RELEASE"]],
    ["acquire+release atomic", ["AMO", "ACQUIRE"], ["AMO", "RELEASE"]],
);

rows!(WITHOUT_RESULT:
    ["atomic, no result", ["AMO", "NORETURN"], ["AMO"]],
    ["release atomic, no result", ["AMO", "NORETURN"], ["AMO", "RELEASE"]],
);

rows!(SINGLE:
    ["acquire-pc", ["ACQUIRE-PC"], []],
    ["failed atomic", ["AMO"], []],
    ["failed acquire atomic", ["AMO", "ACQUIRE"], []],
    ["pick", ["PICK"], []],
);

/// An access that is neither exclusive nor half of a read-modify-write. What C has next to one that acquires
/// (`LDAR`) or releases (`STLR`) is sequentially consistent.
pub(super) fn access(b: &Body, acquire: bool, release: bool) -> MemoryOrder {
    match acquire || release {
        false => b.order(),
        true if b.in_c => MemoryOrder::SeqCst,
        true => MemoryOrder::Annotated(&ACCESSES[index(acquire, release)]),
    }
}

/// `LDAPR`
pub(super) fn acquire_pc(b: &Body) -> MemoryOrder {
    match b.in_c {
        true => MemoryOrder::Acquire,
        false => MemoryOrder::Annotated(&SINGLE[0]),
    }
}

/// A linked load or a conditional store.
pub(super) fn exclusive(b: &Body, acquire: bool, release: bool) -> MemoryOrder {
    match b.in_c {
        true => c11(MemoryOrder::Plain, acquire, release),
        false => MemoryOrder::Annotated(&EXCLUSIVES[index(acquire, release)]),
    }
}

/// A single-instruction read-modify-write.
pub(super) fn update(b: &Body, acquire: bool, release: bool) -> MemoryOrder {
    match b.in_c {
        true => c11(MemoryOrder::Relaxed, acquire, release),
        false => MemoryOrder::Annotated(&UPDATES[index(acquire, release)]),
    }
}

/// One whose result goes nowhere.
pub(super) fn without_result(b: &Body, release: bool) -> MemoryOrder {
    match b.in_c {
        true => c11(MemoryOrder::Relaxed, false, release),
        false => MemoryOrder::Annotated(&WITHOUT_RESULT[usize::from(release)]),
    }
}

/// The event that stands for a selection by a condition.
pub(super) fn pick() -> MemoryOrder {
    MemoryOrder::Annotated(&SINGLE[3])
}

/// The read of a compare-and-swap that stores nothing.
pub(super) fn failed(b: &Body, acquire: bool) -> MemoryOrder {
    match b.in_c {
        true => MemoryOrder::Relaxed,
        false => MemoryOrder::Annotated(&SINGLE[1 + usize::from(acquire)]),
    }
}

fn c11(neither: MemoryOrder, acquire: bool, release: bool) -> MemoryOrder {
    match (acquire, release) {
        (false, false) => neither,
        (true, false) => MemoryOrder::Acquire,
        (false, true) => MemoryOrder::Release,
        (true, true) => MemoryOrder::AcqRel,
    }
}
