//! Whether a data structure behaves under concurrent calls as it does when the calls are made one after the other.
//!
//! Herlihy, Wing: Linearizability: a correctness condition for concurrent objects (TOPLAS 1990). An execution of a
//! client ([`ir::client`]) is linearizable if there is an order of its calls in which each comes behind those that had
//! returned when it began, and in which the calls, made one after the other, return what they return in the execution.
//! As in Line-Up (Burckhardt, Dern, Musuvathi, Tan, PLDI 2010) the code itself says what that is:
//!
//! - [`sequential`]: what the calls return in each order, by exploring the program that makes them so;
//! - [`concurrent`]: the client with an assertion about its results, which is checked like any other;
//! - [`history`]: what an execution has returned, and which order explains it: by definition.
//!
//! *Had returned when it began* is a matter of real time, and on weak memory two threads have it in common only as far
//! as they communicate. So each thread of the client counts its calls that have returned, by a release, and looks at the
//! others' counters before each call, by an acquire: what it sees there comes before. That is what any client can do to
//! order its calls; on sequential consistency it is all of real time, on weaker models it is happens-before
//! (Golovin, Kokologiannakis, Vafeiadis: RELINCHE, POPL 2025; Batty, Dodds, Gotsman: Library abstraction for C/C++
//! concurrency, POPL 2013; Burckhardt, Gotsman, Musuvathi, Yang: Concurrent library correctness on the TSO memory model,
//! ESOP 2012).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod concurrent;
mod explained;
pub mod history;
pub mod sequential;

/// Calls of threads that a client may have: there are as many orders as there are merges of the threads.
pub const MAX_CALLS: usize = 8;
