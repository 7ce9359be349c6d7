//! `wmbmc`: a model checker for concurrent programs on weak memory.
//!
//! A [`Session`] reads an [`Input`] (a C program, a litmus test, a system of any number of processes)
//! and checks it on memory models; [`render`] prints an [`Outcome`] as the command line does.
//!
//! ```
//! use wmbmc::{Input, Limits, Session, SessionOptions, Trace, Verdict};
//!
//! let program = "
//!     #include <assert.h>
//!     #include <threads.h>
//!     int x, y, a, b;
//!     int other(void *p) { y = 1; b = x; return 0; }
//!     int main(void) {
//!         thrd_t t;
//!         thrd_create(&t, other, 0);
//!         x = 1;
//!         a = y;
//!         thrd_join(t, 0);
//!         assert(a == 1 || b == 1);
//!     }";
//! let mut session = Session::read(&Input::text("sb.c", program), &SessionOptions::default())?;
//!
//! let sc = wmbmc::model("sc").expect("it is built in");
//! let outcome = session.check(&sc, Limits::default())?;
//! assert!(matches!(outcome.verdict(), Some(Verdict::Safe)));
//!
//! let tso = wmbmc::model("tso").expect("it is built in");
//! let outcome = session.check(&tso, Limits::seconds(60.0))?;
//! assert!(matches!(outcome.verdict(), Some(Verdict::Unsafe(_))));
//! let trace: &Trace = outcome.trace().expect("an execution shows the violation");
//! println!("{}", wmbmc::render_trace(&session, trace));
//! # Ok::<(), wmbmc::Error>(())
//! ```
//!
//! Deeply nested programs are walked by recursion; the command line does its work on a thread with a
//! stack of 256 MiB.
//!
//! # Stages
//!
//! Everything is a stage of one pipeline; a stage uses only the stages before it (Cargo keeps the rule for the
//! first eight, which are crates, and `tests/interface/layers.rs` for the others):
//!
//! ```text
//! base → ir → cat → proof → enumerate → modular → smt → systems → front → lower → compile → strengthen → unroll → relations → encode → check → commands → predabs → parameterize → driver → report → cli
//! ```
//!
//! `generate` stands beside `front`: it makes litmus tests, as text.
//!
//! `ARCHITECTURE.md` draws the picture and says what each module does not know.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]

pub mod check;
pub mod cli;
pub mod commands;
pub mod compile;
pub mod driver;
pub mod encode;
pub mod front;
pub mod generate;
pub mod lower;
pub mod parameterize;
pub mod predabs;
pub mod relations;
pub mod report;
pub mod strengthen;
pub mod unroll;

pub use {base, cat, enumerate, ir, modular, proof, smt, systems};

pub use cat::builtin as model;
pub use cat::model::Model;
pub use check::outcome::{Trace, Verdict};
pub use driver::{
    Engine, Error, Input, InputKind, Limits, ModelName, Outcome, Session, SessionOptions,
};
pub use report::{render, render_trace};
