//! Parameterized systems: safe for every number of processes, or not.
//!
//! [`system`] resolves and types a `.cub` file. [`engine`] explores backwards from the unsafe
//! formulas over cubes, what a cube is being the [`strategy`]'s matter. [`tso`] is the one for TSO and
//! flat memory: [`cube`], pre-images ([`pre`]), their normal form ([`shape`]) and what is covered
//! ([`subsume`]). [`generic`] is one over events, whose memory model is a parameter: SC, TSO or PSO.
//! Both take the ways a transition can go from [`worlds`], compare processes as [`matching`] says and
//! ask [`init`] what is initial, all over the literals of [`theory`]; where that does
//! not decide, [`question`] asks the SMT solver. [`order`] says which node comes next, [`brab`]
//! guesses larger cubes from finite instances, and [`vacuous`] sees that nothing is initial.
//! [`learn`] adds history variables where a trace is none of a run, because of what a cube forgot.
//! [`machine`] is the machine with buffers for a fixed number of processes, which shares only
//! [`system`] with the rest; [`answer`] lets it replay every unsafe trace. [`trim`] picks the cubes
//! that a proof needs, and [`certificate`] proves safety again.

// A number that no longer fits would be another one, and the answer wrong.
#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod answer;
pub mod brab;
pub mod certificate;
pub mod cube;
pub mod engine;
pub mod expand;
pub mod generic;
pub mod init;
pub mod instance;
mod learn;
mod linear;
pub mod machine;
pub mod matching;
pub mod order;
pub mod pre;
pub mod question;
pub mod shape;
pub mod strategy;
pub mod subsume;
pub mod system;
pub mod theory;
mod trace;
mod trim;
pub mod tso;
pub mod vacuous;
pub mod widen;
pub mod worlds;
