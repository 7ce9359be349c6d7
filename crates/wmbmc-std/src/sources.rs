//! The text of this crate, for programs that compile it with others.

/// The files by their names below `src`, the root first.
pub const FILES: [(&str, &str); 11] = [
    ("lib.rs", include_str!("lib.rs")),
    ("any.rs", include_str!("any.rs")),
    ("posix.rs", include_str!("posix.rs")),
    ("thread.rs", include_str!("thread.rs")),
    ("thread/scoped.rs", include_str!("thread/scoped.rs")),
    ("sync.rs", include_str!("sync.rs")),
    ("sync/atomic.rs", include_str!("sync/atomic.rs")),
    ("sync/barrier.rs", include_str!("sync/barrier.rs")),
    ("sync/mutex.rs", include_str!("sync/mutex.rs")),
    ("sync/once.rs", include_str!("sync/once.rs")),
    ("sync/rwlock.rs", include_str!("sync/rwlock.rs")),
];

/// The crate `test` for programs of tests.
pub const HARNESS: &str = include_str!("harness/test.rs");

/// What such a program is linked with where it is run.
pub const STUBS: &str = include_str!("harness/stubs.rs");
