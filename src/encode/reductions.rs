//! What makes the formula smaller without changing what it says, and how much it did.

/// Reductions to use; all by default. Leaving one out changes no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Critical sections are ordered as units ([`super::units`]).
    pub sections: bool,
    /// Reads of counters return sums ([`super::sums`]).
    pub sums: bool,
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            sections: true,
            sums: true,
        }
    }
}

/// What reductions did to one formula.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reduced {
    /// Critical sections found.
    pub sections: usize,
    /// Pairs of writes that are ordered by the literal of their sections.
    pub orders: usize,
    /// Reads whose source the order of sections decides.
    pub reads: usize,
    /// Reads of counters that return a sum.
    pub sums: usize,
}
