//! Limits of time and memory, and the clock: what the pure stages are given from outside; and what is
//! said where a program is larger than unrolling allows.

use super::stage;
use crate::check::bmc::Env;
use crate::check::outcome::UnknownReason;
use crate::unroll::{Largest, UnrollError};
use base::source::Span;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long between two looks at the memory of the process, which cost a system call each.
const MEMORY_INTERVAL: Duration = Duration::from_millis(50);

/// How much a check may use. The default is no limit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// Seconds for one input and one model.
    pub timeout: Option<f64>,
    /// Resident size of the process in MiB.
    pub memory_mb: Option<u64>,
}

impl Limits {
    /// A limit of time, in seconds.
    pub fn seconds(timeout: f64) -> Limits {
        Limits {
            timeout: Some(timeout),
            ..Limits::default()
        }
    }

    /// Which limit has ended a stage, as `env` says, or as there are limits: another clock has seen it
    /// pass, and the two differ by what has been done between the stages.
    pub fn passed(self, env: &Env) -> UnknownReason {
        (env.limit)().unwrap_or(match self {
            Limits {
                timeout: None,
                memory_mb: Some(mb),
            } => UnknownReason::Memory(mb),
            Limits { timeout, .. } => UnknownReason::Timeout(timeout.unwrap_or_default()),
        })
    }
}

/// A clock that is already `spent` seconds old, and limits that are asked often: time is compared
/// at once, memory now and then. A limit that has been passed stays passed.
pub fn env(limits: Limits, spent: f64) -> Env {
    let Limits { timeout, memory_mb } = limits;
    let start = Instant::now();
    let now = move || spent + start.elapsed().as_secs_f64();
    let passed: RefCell<Option<UnknownReason>> = RefCell::new(None);
    let looked = Cell::new(start);
    let limit = move || {
        if passed.borrow().is_none() {
            let at = Instant::now();
            let taken = spent + (at - start).as_secs_f64();
            let found = match (timeout, memory_mb) {
                (Some(seconds), _) if taken >= seconds => Some(UnknownReason::Timeout(seconds)),
                (_, Some(mb)) if at - looked.get() >= MEMORY_INTERVAL => {
                    looked.set(at);
                    resident_mb()
                        .filter(|used| *used > mb)
                        .map(|_| UnknownReason::Memory(mb))
                }
                _ => None,
            };
            *passed.borrow_mut() = found;
        }
        passed.borrow().clone()
    };
    Env {
        now: Rc::new(now),
        limit: Rc::new(limit),
        begins: Rc::new(stage::begin),
    }
}

/// A flag that is true while the process is larger than so many MiB, looked at now and then by a
/// thread of its own until the process ends.
pub fn watch_memory(mb: u64) -> &'static AtomicBool {
    static FULL: AtomicBool = AtomicBool::new(false);
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        std::thread::spawn(move || {
            while let Some(used) = resident_mb() {
                FULL.store(used > mb, Ordering::Relaxed);
                std::thread::sleep(MEMORY_INTERVAL);
            }
        });
    });
    &FULL
}

/// Resident size of the process in MiB; `None` where the system does not say.
pub fn resident_mb() -> Option<u64> {
    status_kb("VmRSS:").map(|kb| kb >> 10)
}

/// Largest resident size of the process so far in MiB; 0 where the system does not say.
pub fn peak_mb() -> u64 {
    status_kb("VmHWM:").map_or(0, |kb| kb >> 10)
}

/// A line of Linux's `/proc/self/status`.
fn status_kb(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Why a program that has a `main` could not be unrolled.
pub(super) fn reason(error: &UnrollError, limits: Limits, env: &Env) -> UnknownReason {
    match error {
        UnrollError::TooLarge {
            limit,
            span,
            largest,
        } => UnknownReason::Unsupported(too_large(*limit, *span, largest)),
        UnrollError::Interrupted | UnrollError::NoMain => limits.passed(env),
    }
}

/// That a program is too large, and which loop and object make it so.
fn too_large(limit: usize, span: Span, largest: &Largest) -> Vec<(String, Span)> {
    let mut why = vec![(format!("the program has more than {limit} events"), span)];
    if let Some(most) = &largest.in_loop {
        let (name, count, events) = (&most.name, most.iterations, most.events);
        let sentence = format!(
            "the largest loop is `{name}`: {events} events in up to {count} iterations a path; \
             `--limit-loops N` follows loops less far"
        );
        why.push((sentence, most.span));
    }
    if let Some(most) = &largest.object {
        let elements = match most.elements {
            0 | 1 => String::new(),
            n => format!(" of {n} elements"),
        };
        let (name, events) = (&most.name, most.events);
        let sentence = format!("the most accessed object is `{name}`{elements}: {events} events");
        why.push((sentence, most.span));
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_passed_stays_passed() {
        let env = env(Limits::seconds(1.0), 2.0);
        assert!((env.now)() >= 2.0);
        assert!(matches!((env.limit)(), Some(UnknownReason::Timeout(_))));
        assert!(matches!((env.limit)(), Some(UnknownReason::Timeout(_))));
    }

    #[test]
    fn a_limit_is_said_though_the_clock_is_early() {
        let limits = Limits::seconds(5.0);
        let said = limits.passed(&env(limits, 0.0));
        assert!(matches!(said, UnknownReason::Timeout(s) if s == 5.0));
        let memory = Limits {
            memory_mb: Some(7),
            ..Limits::default()
        };
        let said = memory.passed(&env(memory, 0.0));
        assert!(matches!(said, UnknownReason::Memory(7)));
    }

    #[test]
    fn no_limit_is_never_passed() {
        assert!((env(Limits::default(), 1e9).limit)().is_none());
    }
}
