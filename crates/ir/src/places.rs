//! Where the scalars of an object are, by arithmetic: an array may be too large to be listed.
//!
//! What is asked for is always a residue class of offsets, so of an array of scalars the elements
//! come from one linear congruence, and of an array of records as many elements are looked at as
//! there are different residues; the others repeat them.

use super::program::*;
use num::Integer;
use num::integer::gcd;

/// Layouts that one question looks at.
const MAX_STEPS: u64 = 1 << 20;

/// What is looked for: scalars of some bits at offsets congruent to `base` modulo `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Bits.
    pub width: Width,
    /// Residue.
    pub base: u64,
    /// Modulus in bytes, at least 1.
    pub stride: u64,
}

/// The offsets of what is wanted in `count` elements of a layout one after the other, ascending;
/// `None` when there are more than `most`, or they are too hard to find.
pub fn places(
    program: &Program,
    layout: LayoutId,
    count: u64,
    wanted: Wanted,
    most: usize,
) -> Option<Vec<u64>> {
    let mut walk = Walk {
        program,
        wanted,
        most,
        steps: 0,
        out: Vec::new(),
    };
    walk.elements(layout, count, 0)?;
    let mut out = walk.out;
    out.sort_unstable();
    out.dedup();
    Some(out)
}

/// The same in an object of so many bytes without a type: anything may be everywhere.
pub fn untyped(size: u64, wanted: Wanted, most: usize) -> Option<Vec<u64>> {
    let bytes = (u64::from(wanted.width) / 8).max(1);
    let mut out = Vec::new();
    congruent(size / bytes, bytes, 0, wanted, most, &mut out)?;
    Some(out)
}

/// True when a layout has a scalar of so many bits.
pub fn has_scalar(program: &Program, layout: LayoutId, width: Width) -> bool {
    match &program.layouts[layout] {
        Layout::Scalar { width: w } => *w == width,
        Layout::Array { elem, count } => *count > 0 && has_scalar(program, *elem, width),
        Layout::Struct { fields, .. } => {
            let mut fields = fields.iter();
            fields.any(|f| has_scalar(program, f.layout, width))
        }
    }
}

struct Walk<'a> {
    program: &'a Program,
    wanted: Wanted,
    most: usize,
    steps: u64,
    out: Vec<u64>,
}

impl Walk<'_> {
    fn one(&mut self, layout: LayoutId, at: u64) -> Option<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let program = self.program;
        match &program.layouts[layout] {
            Layout::Scalar { .. } => self.elements(layout, 1, at),
            Layout::Array { elem, count } => self.elements(*elem, *count, at),
            Layout::Struct { fields, .. } => fields
                .iter()
                .try_for_each(|f| self.one(f.layout, at + f.offset)),
        }
    }

    fn elements(&mut self, elem: LayoutId, count: u64, at: u64) -> Option<()> {
        let bytes = self.program.size_of(elem).max(1);
        if let Layout::Scalar { width } = self.program.layouts[elem] {
            if width != self.wanted.width {
                return Some(());
            }
            return congruent(count, bytes, at, self.wanted, self.most, &mut self.out);
        }
        let stride = self.wanted.stride;
        let period = stride / gcd(bytes, stride);
        for i in 0..count.min(period) {
            let first = self.out.len();
            self.one(elem, at + i * bytes)?;
            let found = self.out[first..].to_vec();
            let again = (count - 1 - i) / period;
            let room = (self.most - self.out.len()) as u64;
            if !found.is_empty() && again > room / found.len() as u64 {
                return None;
            }
            for k in (1..=again).filter(|_| !found.is_empty()) {
                let by = k * period * bytes;
                self.out.extend(found.iter().map(|o| o + by));
            }
        }
        Some(())
    }
}

/// Adds those of `count` elements of `bytes` bytes from offset `at` on that are wanted.
fn congruent(
    count: u64,
    bytes: u64,
    at: u64,
    wanted: Wanted,
    most: usize,
    out: &mut Vec<u64>,
) -> Option<()> {
    let Wanted { base, stride, .. } = wanted;
    let common = gcd(bytes, stride);
    // at + i * bytes = base (mod stride)
    let missing = (base % stride + stride - at % stride) % stride;
    if !missing.is_multiple_of(common) {
        return Some(());
    }
    let step = stride / common;
    let inverse = inverse(bytes / common % step, step);
    let first = (u128::from(missing / common) * u128::from(inverse) % u128::from(step)) as u64;
    let number = count.saturating_sub(first).div_ceil(step);
    if number > (most - out.len()) as u64 {
        return None;
    }
    out.extend((0..number).map(|k| at + (first + k * step) * bytes));
    Some(())
}

/// The inverse of `a` modulo `m`, which have no common divisor; 0 when `m` is 1.
fn inverse(a: u64, m: u64) -> u64 {
    let m = i128::from(m);
    i128::from(a).extended_gcd(&m).x.rem_euclid(m) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrays of records of arrays, with everything in them listed one by one.
    #[test]
    fn arithmetic_finds_what_a_list_has() {
        let mut program = Program::default();
        let int = program.layouts.push(Layout::Scalar { width: 32 });
        let char = program.layouts.push(Layout::Scalar { width: 8 });
        let row = program.layouts.push(Layout::Array {
            elem: int,
            count: 5,
        });
        let field = |name: &str, offset, layout| Field {
            name: name.to_string(),
            offset,
            layout,
        };
        let fields = vec![
            field("row", 0, row),
            field("tag", 20, char),
            field("last", 24, int),
            field("same", 24, int),
        ];
        let record = program.layouts.push(Layout::Struct {
            fields,
            size: 28,
            align: 4,
        });
        let table = program.layouts.push(Layout::Array {
            elem: record,
            count: 7,
        });
        for (layout, count) in [(int, 9), (row, 4), (record, 6), (table, 3)] {
            let size = program.size_of(layout);
            let inner = program.scalars(layout);
            for (width, stride) in (1..90).flat_map(|s| [(8, s), (32, s), (64, s)]) {
                for base in 0..stride {
                    let wanted = Wanted {
                        width,
                        base,
                        stride,
                    };
                    let all = (0..count).flat_map(|i| inner.iter().map(move |s| (i * size, s)));
                    let all = all.map(|(at, (offset, w))| (at + offset, *w));
                    let listed: Vec<u64> = all
                        .filter(|(o, w)| *w == width && o % stride == base)
                        .map(|(o, _)| o)
                        .collect();
                    let found = places(&program, layout, count, wanted, 1 << 12);
                    assert_eq!(found, Some(listed), "{wanted:?}");
                }
            }
        }
        assert!(has_scalar(&program, table, 8) && !has_scalar(&program, row, 8));
    }

    #[test]
    fn large_arrays_cost_nothing() {
        let mut program = Program::default();
        let int = program.layouts.push(Layout::Scalar { width: 32 });
        let wanted = |base, stride| Wanted {
            width: 32,
            base,
            stride,
        };
        let count = 1 << 40;
        assert_eq!(places(&program, int, count, wanted(0, 4), 1000), None);
        let few = places(&program, int, count, wanted(12, 1 << 41), 1000);
        assert_eq!(few, Some(vec![12, 12 + (1 << 41)]));
        assert_eq!(untyped(1 << 40, wanted(0, 1), 1000), None);
    }
}
