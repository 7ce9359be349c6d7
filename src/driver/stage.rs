//! Which stage of the process has begun last, for who has to answer in its place ([`super::watchdog`]).

use std::sync::{Mutex, PoisonError};

static BEGUN: Mutex<Option<&'static str>> = Mutex::new(None);

/// A stage begins, by its name in the statistics.
pub fn begin(stage: &'static str) {
    *BEGUN.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
}

/// The stage that has begun last.
pub fn last_begun() -> Option<&'static str> {
    *BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}
