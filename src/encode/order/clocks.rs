//! Bit-vector clocks: the paper's encoding of partial orders (Sec. 5).
//!
//! Every node has a number of `ceil(log2 n)` bits, and an edge that holds makes the number of its
//! first node smaller than that of its second. Slow to solve and obviously right: it is kept as
//! the oracle for the matrix, and as the fallback where the matrix would be too large.

use super::instance::Instance;
use crate::encode::circuit::less;
use smt::sat::cnf::{Cnf, Lit};

/// Adds the requirement that the edges agree with one numbering, as far as `stop` answers false.
pub fn assert(cnf: &mut Cnf, instance: &Instance, stop: &dyn Fn() -> bool) {
    let width = usize::BITS - (instance.len.max(2) - 1).leading_zeros();
    let clocks: Vec<Vec<Lit>> = (0..instance.len)
        .map(|_| (0..width).map(|_| cnf.fresh()).collect())
        .collect();
    for (a, b) in instance.fixed.iter().take_while(|_| !stop()) {
        let order = less(cnf, &clocks[*a], &clocks[*b]);
        cnf.clause(&[order]);
    }
    for ((a, b), lit) in instance.edges.iter().take_while(|_| !stop()) {
        let order = less(cnf, &clocks[*a], &clocks[*b]);
        cnf.clause(&[!*lit, order]);
    }
}
