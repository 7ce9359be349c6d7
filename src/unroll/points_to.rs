//! What a value may be as a pointer: objects, and offsets in each.

use super::id::ObjId;
use num::integer::gcd;
use std::collections::{BTreeMap, BTreeSet};

/// Offsets a pointer may have within one object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offsets {
    /// These.
    Exact(BTreeSet<i64>),
    /// All that are congruent to `base` modulo `stride` (at least 1).
    Stride {
        /// Residue.
        base: u64,
        /// Modulus in bytes.
        stride: u64,
    },
}

/// More exact offsets than this are given up for a stride of 1.
const MAX_EXACT: usize = 64;

impl Offsets {
    fn join(&mut self, other: &Offsets) -> bool {
        match (&*self, other) {
            (Offsets::Exact(mine), Offsets::Exact(others)) if others.is_subset(mine) => {
                return false;
            }
            (mine, others) if mine == others => return false,
            _ => {}
        }
        let before = self.clone();
        *self = match (&*self, other) {
            (Offsets::Exact(a), Offsets::Exact(b)) => {
                let all: BTreeSet<i64> = a.union(b).copied().collect();
                if all.len() > MAX_EXACT {
                    spread(&all)
                } else {
                    Offsets::Exact(all)
                }
            }
            (Offsets::Stride { base, stride }, Offsets::Exact(b))
            | (Offsets::Exact(b), Offsets::Stride { base, stride }) => b.iter().fold(
                Offsets::Stride {
                    base: *base,
                    stride: *stride,
                },
                |acc, o| match acc {
                    Offsets::Stride { base, stride } => {
                        meet(base, stride, o.rem_euclid(stride as i64) as u64, stride)
                    }
                    exact => exact,
                },
            ),
            (Offsets::Stride { base: a, stride: s }, Offsets::Stride { base: b, stride: t }) => {
                meet(*a, *s, *b, *t)
            }
        };
        *self != before
    }

    pub(super) fn shift(&self, by: i64) -> Offsets {
        match self {
            Offsets::Exact(a) => Offsets::Exact(a.iter().map(|o| o.wrapping_add(by)).collect()),
            Offsets::Stride { base, stride } => Offsets::Stride {
                base: (*base as i64).wrapping_add(by).rem_euclid(*stride as i64) as u64,
                stride: *stride,
            },
        }
    }

    /// All multiples of `step` away.
    pub(super) fn blur(&self, step: u64) -> Offsets {
        let step = step.max(1);
        match self {
            Offsets::Exact(a) => {
                let mut bases = a.iter().map(|o| o.rem_euclid(step as i64) as u64);
                let first = bases.next().unwrap_or(0);
                bases.fold(
                    Offsets::Stride {
                        base: first,
                        stride: step,
                    },
                    |acc, b| match acc {
                        Offsets::Stride { base, stride } => meet(base, stride, b % stride, stride),
                        exact => exact,
                    },
                )
            }
            Offsets::Stride { base, stride } => meet(*base, *stride, *base % step, step),
        }
    }

    /// True when a pointer with these offsets may point at `offset`.
    pub fn may_be(&self, offset: u64) -> bool {
        match self {
            Offsets::Exact(a) => a.contains(&(offset as i64)),
            Offsets::Stride { base, stride } => offset % stride == *base,
        }
    }

    /// How many of the offsets are in `0..end`.
    pub fn below(&self, end: u64) -> u64 {
        match self {
            Offsets::Exact(a) => {
                let inside = |o: &&i64| u64::try_from(**o).is_ok_and(|o| o < end);
                a.iter().filter(inside).count() as u64
            }
            Offsets::Stride { base, stride } => end.saturating_sub(*base).div_ceil(*stride),
        }
    }
}

/// The smallest stride set that contains both residue classes.
fn meet(a: u64, s: u64, b: u64, t: u64) -> Offsets {
    let stride = gcd(gcd(s, t), a.abs_diff(b)).max(1);
    Offsets::Stride {
        base: a % stride,
        stride,
    }
}

fn spread(all: &BTreeSet<i64>) -> Offsets {
    let first = *all.first().expect("more than the limit");
    let stride = all.iter().fold(0, |g, o| gcd(g, o.abs_diff(first))).max(1);
    Offsets::Stride {
        base: first.rem_euclid(stride as i64) as u64,
        stride,
    }
}

/// What a value may be as a pointer: objects with offsets. A value that is not a pointer is a
/// plain number, which this does not describe further.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointsTo {
    /// By object; null is never listed.
    pub objects: BTreeMap<ObjId, Offsets>,
}

impl PointsTo {
    /// Adds what `other` may be; true when that changed anything.
    pub fn join(&mut self, other: &PointsTo) -> bool {
        let mut changed = false;
        for (o, offsets) in &other.objects {
            changed |= match self.objects.get_mut(o) {
                Some(mine) => mine.join(offsets),
                None => {
                    self.objects.insert(*o, offsets.clone());
                    true
                }
            };
        }
        changed
    }

    pub(super) fn map(&self, f: impl Fn(&Offsets) -> Offsets) -> PointsTo {
        PointsTo {
            objects: self.objects.iter().map(|(o, x)| (*o, f(x))).collect(),
        }
    }
}

/// What either may be.
pub(super) fn joined(a: &PointsTo, b: &PointsTo) -> PointsTo {
    let mut out = a.clone();
    out.join(b);
    out
}
