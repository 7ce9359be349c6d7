//! Bit-fields: which storage units hold them.
//!
//! Adjacent bit-fields are one memory location (C11 3.14): an access to one of them may read and
//! write the others, and nothing else. The bytes of such a run are divided into naturally aligned
//! scalars, as large as the declared types and the next member allow, so that the members on both
//! sides keep cells of their own. A field that crosses the border of two units has a piece in each.

/// A bit-field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitField {
    /// How many bits, 1 to 64.
    pub width: u8,
    /// Its pieces, from the low bits of its value to the high ones.
    pub pieces: Vec<BitPiece>,
}

/// The part of a bit-field that is in one storage unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitPiece {
    /// Byte offset of the unit in the structure.
    pub offset: u64,
    /// Bits of the unit: 8, 16, 32 or 64.
    pub unit: u8,
    /// Position of the lowest bit in the unit.
    pub low: u8,
    /// How many bits.
    pub count: u8,
}

/// The run of adjacent bit-fields that is being laid out.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// First and last bit of the run, and the largest declared size in bytes.
    extent: Option<(u64, u64, u64)>,
    /// Members of the run: position among the fields, first bit, number of bits.
    pub(super) members: Vec<(usize, u64, u64)>,
}

impl Runs {
    /// Adds `bits` bits at bit `at`, declared with a type of `size` bytes.
    pub(super) fn add(&mut self, at: u64, bits: u64, size: u64) {
        let last = at + bits - 1;
        self.extent = Some(match self.extent {
            None => (at, last, size),
            Some((first, _, largest)) => (first, last, largest.max(size)),
        });
    }

    /// Ends the run; the bytes up to `limit` are free for it. Of each member its position among the
    /// fields, the byte that it begins with, and where its bits are.
    pub(super) fn end(&mut self, limit: u64) -> Vec<(usize, u64, BitField)> {
        let Some((first, last, largest)) = self.extent.take() else {
            return Vec::new();
        };
        let units = units(first / 8, last / 8, limit.max(last / 8 + 1), largest);
        let members = self.members.drain(..).map(|(field, at, bits)| {
            let end = at + bits;
            let pieces = units.iter().filter_map(|(offset, bytes)| {
                let (low, high) = (at.max(offset * 8), end.min((offset + bytes) * 8));
                (low < high).then(|| BitPiece {
                    offset: *offset,
                    unit: (bytes * 8) as u8,
                    low: (low - offset * 8) as u8,
                    count: (high - low) as u8,
                })
            });
            let pieces: Vec<BitPiece> = pieces.collect();
            let offset = pieces.first().map_or(at / 8, |p| p.offset);
            let width = bits as u8;
            (field, offset, BitField { width, pieces })
        });
        members.collect()
    }
}

/// Covers the bytes `first..=last` with aligned units of at most `largest` bytes, without going
/// beyond `limit`: (offset, bytes) each.
fn units(first: u64, last: u64, limit: u64, largest: u64) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    let mut at = first;
    while at <= last {
        let fits =
            |bytes: &u64| *bytes <= largest && at.is_multiple_of(*bytes) && at + bytes <= limit;
        let bytes = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
        out.push((at, bytes));
        at += bytes;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn units_leave_the_neighbours_alone() {
        assert_eq!(units(0, 2, 4, 4), [(0, 4)]);
        assert_eq!(units(0, 2, 3, 4), [(0, 2), (2, 1)]);
        assert_eq!(units(1, 4, 8, 4), [(1, 1), (2, 2), (4, 4)]);
        assert_eq!(units(0, 7, 8, 4), [(0, 4), (4, 4)]);
    }
}
