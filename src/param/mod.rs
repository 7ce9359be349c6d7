//! Parameterized systems: safe for every number of processes, or not.
//!
//! [`system`] resolves and types a `.cub` file. [`engine`] explores backwards from the unsafe
//! formulas over [`cube`]s: [`pre`] computes pre-images, [`shape`] their normal form, [`subsume`]
//! what is covered, [`init`] what is initial, all over the literals of [`theory`]. [`machine`] is
//! the machine with buffers for a fixed number of processes, which shares only [`system`] with the
//! rest; [`answer`] lets it replay every unsafe trace. [`certificate`] proves safety again.
//!
//! [`generic`] is a second strategy over events, whose memory model is a parameter: SC, TSO or PSO.
//! Both take the ways a transition can go from [`worlds`].

pub mod answer;
pub mod certificate;
pub mod cube;
pub mod engine;
pub mod generic;
pub mod init;
pub mod instance;
mod linear;
pub mod machine;
pub mod pre;
pub mod shape;
pub mod show;
pub mod subsume;
pub mod system;
pub mod theory;
pub mod widen;
pub mod worlds;
