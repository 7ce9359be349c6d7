//! The Linux kernel's accesses and fences, as `linux-kernel.bell` of the kernel's `tools/memory-model` has
//! them: the sets that the kernel's memory model knows them by, and what a machine has for each.
//!
//! On a machine the kernel is compiled like any other program: an annotated access as C11's order that says
//! the same, a barrier as the pairs of accesses it orders (`Documentation/memory-barriers.txt`). A
//! read-modify-write that returns a value and has no suffix has a full barrier before and behind it
//! (`Documentation/atomic_t.txt`). Where critical sections of RCU begin and end a machine does nothing, and
//! no instruction waits for them.

use super::order::{Annotation, Fence, MemoryOrder};
use super::program::{Op, Program};

macro_rules! annotation {
    ($id:ident, $name:literal, $read:expr, $write:expr, $fences:expr, $c11:ident, $doc:literal) => {
        #[doc = $doc]
        pub static $id: Annotation = Annotation {
            name: $name,
            read: &$read,
            write: &$write,
            fences: &$fences,
            c11: Some(MemoryOrder::$c11),
        };
    };
}

annotation!(
    ONCE,
    "once",
    ["ONCE"],
    ["ONCE"],
    [],
    Relaxed,
    "`READ_ONCE`, `WRITE_ONCE`, and what is `_relaxed`."
);
annotation!(
    ACQUIRE,
    "acquire",
    ["ACQUIRE"],
    ["ONCE"],
    [],
    Acquire,
    "`smp_load_acquire`, and what is `_acquire`."
);
annotation!(
    RELEASE,
    "release",
    ["ONCE"],
    ["RELEASE"],
    [],
    Release,
    "`smp_store_release`, and what is `_release`."
);
annotation!(
    MB,
    "mb",
    ["ONCE"],
    ["ONCE"],
    ["MB"],
    AcqRel,
    "A read-modify-write that is fully ordered."
);
annotation!(
    NORETURN,
    "noreturn",
    ["NORETURN"],
    ["ONCE"],
    [],
    Relaxed,
    "A read-modify-write that returns no value."
);
annotation!(
    SRCU_LOCK,
    "srcu-lock",
    ["SRCU-LOCK"],
    [],
    [],
    Relaxed,
    "`srcu_read_lock`: reads the index that `srcu_read_unlock` is given."
);
annotation!(
    SRCU_UNLOCK,
    "srcu-unlock",
    [],
    ["SRCU-UNLOCK"],
    [],
    Relaxed,
    "`srcu_read_unlock`: writes the index."
);
annotation!(
    LOCK_FAIL,
    "lock-fail",
    ["LF"],
    [],
    [],
    Relaxed,
    "A `spin_trylock` that finds the lock taken."
);
annotation!(
    IS_LOCKED,
    "is-locked",
    ["RL", "RU"],
    [],
    [],
    Relaxed,
    "`spin_is_locked`; no model asks apart whether it finds the lock taken (RL) or not (RU)."
);
annotation!(LOCK, "lock", ["LKR"], ["LKW"], [], Acquire, "`spin_lock`.");
annotation!(
    UNLOCK,
    "unlock",
    ["UL"],
    ["UL"],
    [],
    Release,
    "`spin_unlock`."
);
annotation!(
    FAILED,
    "failed",
    ["ONCE", "FAILED-RMW"],
    [],
    [],
    Relaxed,
    "A conditional read-modify-write that writes nothing."
);

/// The annotations by the numbers that `kernel.h` writes where C11 has a memory order, from [`FIRST_ORDER`] on.
pub const ORDERS: [&Annotation; 12] = [
    &ONCE,
    &ACQUIRE,
    &RELEASE,
    &MB,
    &NORETURN,
    &LOCK,
    &UNLOCK,
    &FAILED,
    &LOCK_FAIL,
    &IS_LOCKED,
    &SRCU_LOCK,
    &SRCU_UNLOCK,
];

/// Whether a program has accesses or fences that only the kernel's model knows.
pub fn is_of_kernel(program: &Program) -> bool {
    let of_kernel = |order: &MemoryOrder| match order {
        MemoryOrder::Annotated(annotation) => annotation.c11.is_some(),
        _ => false,
    };
    let code = program.procs.iter().flat_map(|proc| &proc.body);
    code.into_iter().any(|instr| match &instr.op {
        Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => {
            of_kernel(order)
        }
        Op::Cas { success, .. } => of_kernel(success),
        Op::Pair(pair) => of_kernel(&pair.access.order()),
        Op::Fence(Fence::Annotated(_)) => true,
        _ => false,
    })
}

/// The number of the first of [`ORDERS`]; `__WMBMC_ONCE` of `kernel.h`.
pub const FIRST_ORDER: u64 = 0x4b00;

/// Functions that are fences, with the sets of the fence.
pub const FENCES: [(&str, &[&str]); 12] = [
    ("smp_mb", &["MB"]),
    ("smp_rmb", &["RMB"]),
    ("smp_wmb", &["WMB"]),
    ("smp_mb__before_atomic", &["BEFORE-ATOMIC"]),
    ("smp_mb__after_atomic", &["AFTER-ATOMIC"]),
    ("smp_mb__after_spinlock", &["AFTER-SPINLOCK"]),
    ("smp_mb__after_unlock_lock", &["AFTER-UNLOCK-LOCK"]),
    (
        "smp_mb__after_srcu_read_unlock",
        &["AFTER-SRCU-READ-UNLOCK"],
    ),
    ("rcu_read_lock", RCU_LOCK),
    ("rcu_read_unlock", RCU_UNLOCK),
    ("synchronize_rcu", SYNC_RCU),
    ("synchronize_rcu_expedited", SYNC_RCU),
];

/// A critical section of RCU begins.
pub const RCU_LOCK: &[&str] = &["RCU-LOCK"];
/// A critical section of RCU ends.
pub const RCU_UNLOCK: &[&str] = &["RCU-UNLOCK"];
/// A grace period of RCU: it ends when all critical sections that had begun have ended.
pub const SYNC_RCU: &[&str] = &["SYNC-RCU"];
/// A grace period of SRCU, which has a location: it ends when all critical sections there that had begun have
/// ended.
pub const SYNC_SRCU: &[&str] = &["SYNC-SRCU"];

/// Whether a fence is a grace period of RCU.
pub fn is_sync_rcu(fence: Fence) -> bool {
    matches!(fence, Fence::Annotated(SYNC_RCU))
}

/// What a fence of the program does to the critical sections of RCU that are open: one more, or one less.
pub fn opens_rcu(fence: Fence) -> Option<bool> {
    match fence {
        Fence::Annotated(RCU_LOCK) => Some(true),
        Fence::Annotated(RCU_UNLOCK) => Some(false),
        _ => None,
    }
}

/// What an access with this order does to the critical sections of SRCU of its location that are open.
pub fn opens_srcu(order: MemoryOrder) -> Option<bool> {
    match order {
        MemoryOrder::Annotated(a) if *a == SRCU_LOCK => Some(true),
        MemoryOrder::Annotated(a) if *a == SRCU_UNLOCK => Some(false),
        _ => None,
    }
}

/// The order of an access that a grace period of SRCU is like: the machine performs it.
pub const GRACE_PERIOD_ORDER: MemoryOrder = MemoryOrder::Annotated(&ONCE);

/// The full barrier.
pub const FULL: Fence = Fence::Membar {
    load_load: true,
    load_store: true,
    store_load: true,
    store_store: true,
};

/// What a machine has for a fence of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnMachines {
    /// This fence.
    Fence(Fence),
    /// Nothing.
    Nothing,
    /// No instruction does the same.
    Unknown,
}

/// What a machine has for the fence with these sets; `None` if it is none of the kernel.
pub fn on_machines(sets: &[&str]) -> Option<OnMachines> {
    let orders = |load_load, store_store| Fence::Membar {
        load_load,
        load_store: false,
        store_load: false,
        store_store,
    };
    let [set] = sets else {
        return None;
    };
    Some(match *set {
        "MB"
        | "BEFORE-ATOMIC"
        | "AFTER-ATOMIC"
        | "AFTER-SPINLOCK"
        | "AFTER-UNLOCK-LOCK"
        | "AFTER-SRCU-READ-UNLOCK" => OnMachines::Fence(FULL),
        "RMB" => OnMachines::Fence(orders(true, false)),
        "WMB" => OnMachines::Fence(orders(false, true)),
        "RCU-LOCK" | "RCU-UNLOCK" => OnMachines::Nothing,
        "SYNC-RCU" | "SYNC-SRCU" => OnMachines::Unknown,
        _ => return None,
    })
}
