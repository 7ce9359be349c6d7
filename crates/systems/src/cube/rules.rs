//! The generic strategy: backward reachability over events, the memory model a parameter.
//!
//! It follows Sec. 3.2 of the TSO paper: a transition is put before a cube together with its read
//! and write events; a read is pending until a write satisfies it or it turns out to read the
//! initial value; po, rf and co are chosen, fr follows, and the global order (ghb) of Appendix A
//! must have no cycle. [`super::event`] says which events are kept, `preimage::event` adds those of
//! a transition, `subsume::event` compares, and `search::event` gives that to the search. Of the
//! literals of the paper, `po` is the order in which events are found, `rf` the value that a read
//! takes at once, `ghb` is `preimage::graph`, and `co` and `fence` are sets of timestamps that
//! events yet to be found come before or after. A model is its [`Rules`]:
//!
//! - **SC**: writes reach memory in the step of their transition, so ghb is the order of steps.
//! - **TSO**: a transition's writes reach memory together, after those before them; only what
//!   processes see orders steps of different processes, and the schedule is the coherence order
//!   (Theorem of Sec. 4.1).
//! - **PSO**, which the papers leave as future work: each write reaches memory alone, after those
//!   of its process to the same cell. Here coherence may contradict the schedule (in 2+2W it does).
//!
//! Why under PSO the place of a new write n among the known writes of its cell need not be guessed:
//! the schedule is the order of steps, so ghb has an edge from a new step to all known timestamps,
//! and for every write and pending read of a cell it is decided which of them is first. Take a run
//! with as few pairs (w, n) as possible where n is fired before w and overwrites it. If n directly
//! follows w in coherence order and no read of n comes after w, then n could reach memory just
//! before w instead: its step, the earlier writes of its process to the cell, and what n's own
//! process reads of it allow that, and it is not known. So some read of n comes after w; it was
//! pending when w was found and is when n is found. For writes that do not directly follow each
//! other the same read shows that n is read by, or comes after, a read pending then that comes
//! after w. Hence n overwrites exactly those known writes that this requires.
//!
//! One thing is lost under PSO: when a locked transition reads a cell and writes it, a write that
//! comes after the read comes after the write of the same timestamp, too, and so after what has
//! read that. Of processes that have, their own earlier writes are kept before it; that their reads
//! are before the later write of another process is not kept. A trace may then have no run, and the
//! answer is unknown.

use crate::system::StoreOrder;

/// A memory model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// A write reaches memory when its transition fires.
    pub writes_at_once: bool,
    /// Writes of one transition reach memory independently of each other, and so do those of
    /// several transitions, unless they are of one cell.
    pub writes_one_by_one: bool,
    /// The schedule is the order in which transitions fire, also those of different processes.
    pub steps_in_order: bool,
    /// A write may overwrite one that was fired later.
    pub overtaking: bool,
}

impl Rules {
    /// The rules of a model.
    pub fn of(order: StoreOrder) -> Rules {
        Rules {
            writes_at_once: order == StoreOrder::Sc,
            writes_one_by_one: order == StoreOrder::Pso,
            steps_in_order: order != StoreOrder::Tso,
            overtaking: order == StoreOrder::Pso,
        }
    }
}
