//! Variables that hold few constants become enumerations: the search then tells their values apart
//! without arithmetic, and knows that there are no others.
//!
//! A variable is an enumeration if it may hold at most [`constants::MOST`] constants, and if all sums
//! and comparisons that it occurs in are about such variables alone; they are decided by cases.
//! Variables that are copied to each other or compared have one type if they hold the same constants.
//!
//! What locks a transition is what it reads and writes as it is written. So whatever was read is read
//! afterwards: an enumeration has several values, and cases in which a sum is the same stay apart.

mod constants;
mod rewriting;

use super::ast::File;
use constants::{Integers, Uses};
use rewriting::{Rewriting, Types};
use std::collections::BTreeMap;

/// Makes enumerations of a system's integers, and returns what each of their values stands for.
/// `initial` has the constant that each integer holds at first, and nothing for one that may hold
/// anything; those that it does not have are never read before they are written.
pub fn enumerate(
    system: &mut File,
    initial: &BTreeMap<String, Option<i64>>,
) -> BTreeMap<String, i64> {
    let mut integers = Integers::new(system, initial);
    let uses = Uses::new(system, &integers);
    integers.keep_finite(&uses.together);
    let types = Types::declare(system, &integers, &uses.alike);
    let rewriting = Rewriting {
        integers: &integers,
        types: &types,
    };
    rewriting.system(system);
    types.constants()
}
