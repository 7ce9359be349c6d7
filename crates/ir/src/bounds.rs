//! How far loops are unwound: one bound for all, others for single ones.
//!
//! A bound counts how often a back edge is taken, or how deep a procedure calls itself. A loop that
//! ends by itself (see [`super::trip_count`]) is followed to its end all the same, unless its own bound
//! is given by name or there is a limit for all loops.

use super::program::{Op, Proc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bounds of all loops and recursive procedures.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// The bound where no other is given.
    pub unwind: u32,
    /// Bounds that are given by name (`main.0`, or a procedure); of several for one name
    /// the last counts.
    pub explicit: Vec<(String, u32)>,
    /// Bounds that turned out to be needed, by name.
    pub deeper: BTreeMap<String, u32>,
    /// How far loops are followed that have no bound by name, even those that end by themselves.
    pub limit: Option<LoopLimit>,
}

/// A limit for all loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoopLimit {
    /// How often.
    pub times: u32,
    /// It is there to have an answer for a part of a large program first, and is lifted after that.
    pub is_lifted: bool,
}

/// How often a loop goes on by itself that is cut at its bound, as far as constants say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub enum Trips {
    /// Nobody knows.
    #[default]
    Unknown,
    /// So often at most.
    Known(u32),
    /// It has been followed far, and nothing was seen that ends it.
    NonTerminating,
}

/// Above this limit the next one is none.
const LARGEST_LIMIT: u32 = 64;

/// One of [`Bounds`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// How often.
    pub times: u32,
    /// It is given by name, so it counts whatever is known of the loop.
    pub explicit: bool,
}

impl Bounds {
    /// The same bound for everything.
    pub fn all(unwind: u32) -> Bounds {
        Bounds {
            unwind,
            explicit: Vec::new(),
            deeper: BTreeMap::new(),
            limit: None,
        }
    }

    /// These for a part of a large program: all loops are followed once, and the limit is lifted
    /// after that.
    pub fn for_a_part(&self) -> Bounds {
        Bounds {
            limit: Some(LoopLimit {
                times: 1,
                is_lifted: true,
            }),
            ..self.clone()
        }
    }

    /// These with a larger limit or none; `None` when the limit is not one to be lifted.
    pub fn lifted(&self) -> Option<Bounds> {
        let limit = self.limit.filter(|l| l.is_lifted)?;
        let times = limit.times.saturating_mul(2);
        let next = LoopLimit { times, ..limit };
        Some(Bounds {
            limit: (times <= LARGEST_LIMIT).then_some(next),
            ..self.clone()
        })
    }

    /// Loops without a bound by name may be followed once more that were followed so often.
    pub fn is_within_limit(&self, times: u32) -> bool {
        self.limit.is_none_or(|l| times < l.times)
    }

    /// So often at most, as far as the limit goes.
    fn limited(&self, times: u32) -> u32 {
        self.limit.map_or(times, |l| times.min(l.times))
    }

    /// No bound is below this.
    pub fn least(&self) -> u32 {
        let explicit = self.explicit.iter().map(|(_, times)| *times);
        let least = explicit.min().unwrap_or(u32::MAX).min(self.unwind);
        self.limited(least)
    }

    /// The greatest bound that is not given by name.
    pub fn largest(&self) -> u32 {
        let deeper = self.deeper.values().copied();
        self.limited(deeper.max().unwrap_or(0).max(self.unwind))
    }

    /// The bound of a loop or a procedure.
    pub fn of(&self, name: &str) -> Bound {
        match self.explicit.iter().rev().find(|(n, _)| n == name) {
            Some((_, times)) => Bound {
                times: *times,
                explicit: true,
            },
            None => Bound {
                times: self.limited(self.deeper.get(name).copied().unwrap_or(self.unwind)),
                explicit: false,
            },
        }
    }

    /// The next bounds when these loops reached their bounds too early: deeper for those, the same
    /// for all others, never above `most`. `None` when none of them may go deeper.
    pub fn after<'a>(&self, reached: impl Iterator<Item = &'a str>, most: u32) -> Option<Bounds> {
        let mut next = self.clone();
        for name in reached {
            let now = self.of(name);
            if !now.explicit && now.times < most && self.is_within_limit(now.times) {
                let more = further(now.times).min(most);
                next.deeper.insert(name.to_string(), more);
            }
        }
        (next != *self).then_some(next)
    }

    /// The same bounds for loops that may not leave out critical sections after all: they are
    /// followed as far as all others. `None` when that is known of each of them.
    pub fn without_sections<'a>(&self, loops: impl Iterator<Item = &'a str>) -> Option<Bounds> {
        let mut next = self.clone();
        for name in loops {
            let times = self.of(name).times;
            next.deeper.entry(name.to_string()).or_insert(times);
        }
        (next != *self).then_some(next)
    }
}

/// The name of the loop that a back edge belongs to: loops of a procedure are numbered in the order
/// of their back edges.
pub fn loop_name(proc: &Proc, back: usize) -> String {
    let before = proc.body.iter().take(back).enumerate();
    let loops = before.filter(|(pc, i)| matches!(i.op, Op::Goto { target, .. } if target <= *pc));
    format!("{}.{}", proc.name, loops.count())
}

/// The bound that is tried after one that was too small: every one as long as that costs little,
/// then a quarter as much again, so that all attempts together cost a small multiple of the last.
/// What a bound costs grows faster than the bound, so steps are small: one that is larger than needed
/// may cost more than all before it.
fn further(times: u32) -> u32 {
    times.saturating_add((times / 4).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_bounds_are_kept() {
        let mut bounds = Bounds::all(1);
        bounds.explicit = vec![("f.0".into(), 7), ("f.0".into(), 3)];
        assert_eq!(
            (bounds.of("f.0").times, bounds.of("f.0").explicit),
            (3, true)
        );
        assert_eq!(bounds.of("g.0").times, 1);
        assert_eq!(bounds.after(["f.0"].into_iter(), 100), None);
    }

    #[test]
    fn a_limit_for_a_part_is_lifted() {
        let whole = Bounds::all(5);
        let mut bounds = whole.for_a_part();
        bounds.explicit = vec![("f.0".into(), 7)];
        let mut seen = Vec::new();
        while let Some(limit) = bounds.limit {
            let times = bounds.of("main.0").times;
            assert_eq!(times, limit.times.min(5));
            assert_eq!(bounds.is_within_limit(times), limit.times > 5);
            assert_eq!(bounds.of("f.0").times, 7);
            seen.push(limit.times);
            bounds = bounds.lifted().expect("it is one to be lifted");
        }
        assert_eq!(seen, [1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(bounds.lifted(), None);
        bounds.limit = Some(LoopLimit {
            times: 3,
            is_lifted: false,
        });
        assert_eq!(bounds.lifted(), None);
        assert_eq!(bounds.after(["main.0"].into_iter(), 100), None);
    }

    #[test]
    fn only_loops_at_their_bound_go_deeper() {
        let mut bounds = Bounds::all(1);
        let mut seen = Vec::new();
        while let Some(next) = bounds.after(["main.0"].into_iter(), 10) {
            seen.push(next.of("main.0").times);
            assert_eq!(next.of("main.1").times, 1);
            bounds = next;
        }
        assert_eq!(seen, [2, 3, 4, 5, 6, 7, 8, 10]);
    }
}
