//! Numbers of events, threads, cells and atomic groups, and of what is the same in every pass.

use base::id;

id!(
    /// A memory access or a fence.
    EventId,
    "e"
);
id!(
    /// An instance of a thread: one executed `pthread_create`, or main.
    ThreadId,
    "t"
);
id!(
    /// A scalar of memory that several threads touch.
    CellId,
    "c"
);
id!(
    /// An atomic group: one execution of a section between `atomic_begin` and `atomic_end`.
    GroupId,
    "group"
);
id!(
    /// A memory object or procedure; number 0 is null.
    ObjId,
    "o"
);
id!(
    /// A scalar of an object that some access touched.
    SlotId,
    "s"
);
id!(
    /// A thread instance that is the same in every pass.
    ThreadKey,
    "tk"
);
