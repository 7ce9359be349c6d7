//! Outcomes to bytes. A printer decides nothing: what it says stands in the [`Answer`] it is given, and in the
//! execution that it shows.
//!
//! [`answer`] makes an outcome a value that owns what it says; text, objects, pages and reports are made of
//! that, [`herd`] of a finding. [`text`] is for people, [`json`] for programs, [`herd`] for litmus tests and herd7's users,
//! [`abstraction`] for predicate abstraction, [`fences`] for the fences it finds, [`system`] for systems of any number of processes,
//! [`cross`] for several engines on one, [`fronts`] for two front ends on a program, [`svcomp`] for the competition; [`dot`] draws the execution,
//! [`html`] shows an answer as a page, [`sarif`] and [`junit`] are for services that show results,
//! [`summary`] says an answer in sentences for them, [`codes`] has the codes of verdicts,
//! [`machine`] lists the run of a machine with store buffers, [`stats`] counts, [`native_run`] shows what tests do on the machine at hand, [`c`] writes a litmus
//! test as a C program. [`words`] holds what they share: how a value, a place, a thread and an event are
//! named, and the sentences that say why an execution is weak. [`render`] is the short way for users of the library.

pub mod abstraction;
pub mod answer;
pub mod c;
pub mod codes;
pub mod columns;
pub mod cross;
pub mod cub;
pub mod dot;
pub mod explanation;
pub mod fences;
pub mod fronts;
pub mod herd;
mod history;
pub mod html;
pub mod json;
pub mod junit;
pub mod machine;
pub mod native_run;
pub mod orders;
mod render;
pub mod sarif;
pub mod stats;
mod subject;
mod summary;
pub mod svcomp;
pub mod system;
pub mod table;
pub mod text;
pub mod words;

pub use answer::Answer;
pub use render::{render, render_trace};
pub use subject::Subject;

#[cfg(test)]
mod sample;
