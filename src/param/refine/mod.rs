//! What a spurious trace teaches.

pub mod history;
