//! What orders accesses to memory: memory orders, fences, and the fences that an access with an
//! order may need on some machine.

/// C11's memory orders, and `Plain` for an access that is not atomic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemoryOrder {
    /// Not atomic.
    Plain,
    /// Not atomic, and of bytes of any type: an access that the machine may do in parts.
    Bytes,
    /// Not atomic for the language, but an access of the machine that nothing replaces
    /// (`volatile`).
    Volatile,
    /// `memory_order_relaxed` (and `consume` loads without a dependency).
    Relaxed,
    /// `memory_order_acquire`.
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcqRel,
    /// `memory_order_seq_cst`.
    SeqCst,
    /// An x86 instruction with the `lock` prefix, or `xchg`: a read-modify-write that is a full
    /// fence by itself, on every model.
    Locked,
    /// What the models of a machine or a language know by sets of their own.
    Annotated(&'static Annotation),
    /// An access of the library to the state of a mutex, semaphore, barrier. The fences beside it
    /// are what orders it; what it is says who synchronises with whom.
    Library(Role),
}

impl MemoryOrder {
    /// The order that C11 calls `memory_order_…`. There is none for `memory_order_consume`.
    pub fn of_c11(name: &str) -> Option<MemoryOrder> {
        Some(match name {
            "memory_order_relaxed" => MemoryOrder::Relaxed,
            "memory_order_acquire" => MemoryOrder::Acquire,
            "memory_order_release" => MemoryOrder::Release,
            "memory_order_acq_rel" => MemoryOrder::AcqRel,
            "memory_order_seq_cst" => MemoryOrder::SeqCst,
            _ => return None,
        })
    }

    /// The order as C11 has it: what an annotated access of a language is compiled as for a machine.
    pub fn compiled(self) -> MemoryOrder {
        match self {
            MemoryOrder::Annotated(annotation) => annotation.c11.unwrap_or(self),
            order => order,
        }
    }

    /// The order of the read of a compare-exchange as long as nothing is stored. An instruction of
    /// the machine or an access of the library is what it is either way.
    pub fn of_failing_read(success: MemoryOrder, failure: MemoryOrder) -> MemoryOrder {
        match success {
            MemoryOrder::Locked | MemoryOrder::Library(_) => success,
            _ => failure,
        }
    }

    /// True when the access is atomic for the language: two of these do not race.
    pub fn is_atomic(self) -> bool {
        !matches!(
            self,
            MemoryOrder::Plain | MemoryOrder::Bytes | MemoryOrder::Volatile
        )
    }
}

/// What an access is to models that know it by sets of their own (`ACQUIRE` of the Linux kernel).
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Annotation {
    /// How the source asks for it.
    pub name: &'static str,
    /// The sets that its read is in.
    pub read: &'static [&'static str],
    /// The sets that its write is in.
    pub write: &'static [&'static str],
    /// The sets of the fences before and behind a read-modify-write that writes; none: no fences.
    pub fences: &'static [&'static str],
    /// C11's order that machines and languages take it for; none of what is an instruction of a machine.
    pub c11: Option<MemoryOrder>,
}

/// What an access of the library does to the object's state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Acquires a mutex: a read-modify-write that acquires when it writes. Only the release that
    /// follows is ever read by another one that does.
    Lock,
    /// Acquires a permit, of which several threads may have one each (semaphore, reader lock): a
    /// read-modify-write that acquires when it writes.
    AcquirePermit,
    /// Releases a mutex or a permit: a write that releases.
    Release,
    /// Waits: a read that acquires.
    Wait,
}

/// A fence the program asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fence {
    /// x86 `mfence`.
    Mfence,
    /// x86 `sfence`.
    Sfence,
    /// x86 `lfence`.
    Lfence,
    /// Power `sync`.
    Sync,
    /// Power `lwsync`.
    Lwsync,
    /// Power `isync`.
    Isync,
    /// Power `eieio`.
    Eieio,
    /// SPARC `membar`, and the kernel's barriers: which pairs it orders.
    Membar {
        /// `#LoadLoad`
        load_load: bool,
        /// `#LoadStore`
        load_store: bool,
        /// `#StoreLoad`
        store_load: bool,
        /// `#StoreStore`
        store_store: bool,
    },
    /// `atomic_thread_fence(order)`.
    C11(MemoryOrder),
    /// What POSIX calls memory synchronization: mutexes, thread creation and join.
    Posix,
    /// What the models of a machine or a language know by these sets.
    Annotated(&'static [&'static str]),
}

/// What it means that several accesses happen at one point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atomicity {
    /// A critical section: one point of every order, with full fences at both ends.
    Section,
    /// One point of the order that all threads agree on. There are no fences: what was written
    /// before may reach memory later, and a read may see what its thread alone knows of. So what a
    /// thread does to one location is judged access by access.
    Node,
    /// A node that all threads have together: what each of them sees at one moment, once.
    Snapshot,
    /// The pieces of one access whose bytes others access in smaller units: a node that a read sees
    /// all or nothing of.
    Access,
}

/// What a fence event is. Which sets of a cat model it belongs to is the model's business
/// (`cat::arch`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FenceTag {
    /// Asked for by the program.
    Explicit(Fence),
    /// Before an atomic load with this order.
    BeforeLoad(MemoryOrder),
    /// After an atomic load with this order; the load has a control dependency to it.
    AfterLoad(MemoryOrder),
    /// Before an atomic store with this order.
    BeforeStore(MemoryOrder),
    /// After an atomic store with this order.
    AfterStore(MemoryOrder),
    /// Before an atomic read-modify-write with this order.
    BeforeRmw(MemoryOrder),
    /// After an atomic read-modify-write with this order; its read has a control dependency to it.
    AfterRmw(MemoryOrder),
    /// At both ends of an atomic group.
    Group,
}

impl FenceTag {
    /// The fence before an atomic load with this order.
    pub fn before_load(order: MemoryOrder) -> Option<FenceTag> {
        (order == MemoryOrder::SeqCst).then_some(FenceTag::BeforeLoad(order))
    }

    /// The fence after an atomic load with this order.
    pub fn after_load(order: MemoryOrder) -> Option<FenceTag> {
        matches!(order.compiled(), MemoryOrder::Acquire | MemoryOrder::SeqCst)
            .then_some(FenceTag::AfterLoad(order))
    }

    /// The fence before an atomic store with this order.
    pub fn before_store(order: MemoryOrder) -> Option<FenceTag> {
        matches!(order.compiled(), MemoryOrder::Release | MemoryOrder::SeqCst)
            .then_some(FenceTag::BeforeStore(order))
    }

    /// The fence after an atomic store with this order.
    pub fn after_store(order: MemoryOrder) -> Option<FenceTag> {
        (order == MemoryOrder::SeqCst).then_some(FenceTag::AfterStore(order))
    }

    /// The fence before a read-modify-write with this order.
    pub fn before_rmw(order: MemoryOrder) -> Option<FenceTag> {
        use MemoryOrder::{AcqRel, Release, SeqCst};
        matches!(order.compiled(), Release | AcqRel | SeqCst).then_some(FenceTag::BeforeRmw(order))
    }

    /// The fence after a read-modify-write with this order.
    pub fn after_rmw(order: MemoryOrder) -> Option<FenceTag> {
        use MemoryOrder::{AcqRel, Acquire, SeqCst};
        matches!(order.compiled(), Acquire | AcqRel | SeqCst).then_some(FenceTag::AfterRmw(order))
    }

    /// The fences before a compare-exchange: when it succeeds, and when it fails and is a load.
    /// Those of the two outcomes are one where every machine has the same for both.
    pub fn before_cas(success: MemoryOrder, failure: MemoryOrder) -> [Option<FenceTag>; 2] {
        let stores = FenceTag::before_rmw(success);
        let loads = match (success.compiled(), failure.compiled()) {
            (MemoryOrder::SeqCst, MemoryOrder::SeqCst) => stores,
            (_, MemoryOrder::SeqCst) => Some(FenceTag::BeforeLoad(failure)),
            _ => None,
        };
        [stores, loads]
    }

    /// The fences after a compare-exchange, likewise.
    pub fn after_cas(success: MemoryOrder, failure: MemoryOrder) -> [Option<FenceTag>; 2] {
        use MemoryOrder::{AcqRel, Acquire, SeqCst};
        let stores = FenceTag::after_rmw(success);
        let loads = match (success.compiled(), failure.compiled()) {
            (SeqCst, SeqCst) | (Acquire | AcqRel, Acquire) => stores,
            (_, Acquire | SeqCst) => Some(FenceTag::AfterLoad(failure)),
            _ => None,
        };
        [stores, loads]
    }
}
