//! A queue without locks for one producer and one consumer, and what is tested of it.
//!
//! ```text
//! cargo test
//! cargo wmbmc
//! cargo wmbmc --features textbook
//! ```

pub mod queue;
