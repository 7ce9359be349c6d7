//! What cubes of both domains have in common: processes, literals and pending reads.

use super::literals::Conj;
use super::timestamp::PendingRead;
use crate::system::System;
use std::fmt::Debug;
use std::hash::Hash;

/// What cubes have whatever the strategy.
pub trait AnyCube: Clone + Eq + Hash + Debug + Send + Sync {
    /// How many processes it speaks of; the first ones are the constants of the file.
    fn procs(&self) -> u8;
    /// The literals.
    fn conj(&self) -> &Conj;
    /// The pending reads.
    fn reads(&self) -> &[PendingRead];
    /// A measure of its size.
    fn size(&self) -> usize;
    /// Tells of marks, of the whole or of one of its processes; a cube that subsumes another one has
    /// no mark that the other one, or the process in its place, has not.
    fn marks(&self, tell: &mut dyn FnMut(Option<u8>, u64));
    /// Its lines for a person to read.
    fn text(&self, system: &System) -> String;
}
