//! Limits are kept even where a pass does not come to ask for them: in the preprocessor and the
//! parser, in one long step, in an allocation that is larger than all before.
//!
//! A thread looks at the clock and at the memory of the process. A pass that asks answers sooner;
//! where a limit is exceeded by a margin that no pass needs, the thread calls a function that gives
//! the answer (`UNKNOWN` with the reason) and ends the process: nothing else stops a pass that does
//! not ask. When the user interrupts the process the same function answers. The command line uses it; a
//! library user who does not start it is never interrupted.

use super::limits::{self, Limits};
use crate::check::outcome::UnknownReason;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long between two looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// Gives the answers that are still to be given, and returns the exit code of the process.
pub type LastWords = Box<dyn FnOnce(&UnknownReason) -> u8 + Send>;

/// Limits with their margin, and what is said when one has been exceeded.
struct Watched {
    end: Option<(Instant, f64)>,
    memory_mb: Option<u64>,
    words: LastWords,
}

static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

/// Watches over work of which so many seconds are spent.
pub fn start(limits: Limits, spent: f64, words: LastWords) {
    // A moment that the clock cannot name never comes.
    let end = limits.timeout.and_then(|seconds| {
        let left = (seconds - spent).max(0.0) + 0.25 + seconds / 20.0;
        let left = Duration::try_from_secs_f64(left).ok()?;
        Some((Instant::now().checked_add(left)?, seconds))
    });
    set(Some(Watched {
        end,
        memory_mb: limits.memory_mb,
        words,
    }));
    if limits.timeout.is_some() || limits.memory_mb.is_some() {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            std::thread::spawn(watch);
        });
    }
}

/// The exit code of a process that the user has interrupted, as shells have it.
pub const INTERRUPTED: i32 = 130;

/// From now on the process ends with the answers that are still to be given when the user interrupts it.
///
/// # Errors
/// The system does not tell of interrupts.
pub fn answer_interrupts() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = watched.take() {
            (watched.words)(&UnknownReason::Interrupted);
        }
        std::process::exit(INTERRUPTED);
    })
}

/// The answer is there.
pub fn stop() {
    set(None);
}

fn set(watched: Option<Watched>) {
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = watched;
}

fn watch() {
    loop {
        std::thread::sleep(INTERVAL);
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reason) = watched.as_ref().and_then(exceeded) else {
            continue;
        };
        // The lock is kept, so that no other thread answers now.
        if let Some(watched) = watched.take() {
            std::process::exit((watched.words)(&reason).into());
        }
    }
}

fn exceeded(watched: &Watched) -> Option<UnknownReason> {
    if let Some((end, seconds)) = watched.end
        && Instant::now() >= end
    {
        return Some(UnknownReason::Timeout(seconds));
    }
    let mb = watched.memory_mb?;
    let used = limits::resident_mb()?;
    (used > mb.saturating_add(mb / 20)).then_some(UnknownReason::Memory(mb))
}
