//! Random conjunctions, compared with the SMT solver: what the theory refutes or derives is right,
//! and it misses little.

use super::{Facts, close};
use crate::cub;
use crate::cube::formula::{GroundFormula, GroundTerm, add, before, number, same};
use crate::cube::literals::{Base, Conj, LinSum};
use crate::system::resolve;
use crate::system::{MemorySemantics, Rel, SymId, System};
use crate::theory::context::SystemContext;
use crate::theory::incompleteness::Incompleteness;
use crate::theory::query::EntailmentQuery;
use base::source::SourceMap;

const TEXT: &str = "type l = A | B | C type data array L[proc] : l array O[proc] : bool \
    array D[proc] : data array P[proc] : proc array N[proc] : int array R[proc] : real \
    init (p) { L[p] = A } unsafe (p) { L[p] = C } \
    transition t (p) requires { L[p] = A && P[p] < FIRST } { L[p] := B } \
    transition u (p) requires { L[p] = B } { L[p] := C }";

/// A system with an array of each type, with or without constants.
pub fn system(fixed: bool) -> System {
    let text = match fixed {
        true => format!("number_procs 3 {}", TEXT.replace("FIRST", "#1")),
        false => TEXT.replace("FIRST", "p"),
    };
    let mut sources = SourceMap::default();
    let file = sources.add("t.cub", text);
    let parsed = cub::parse(&sources, file).expect("the text reads");
    resolve(&parsed, MemorySemantics::Flat).expect("the text is typed")
}

/// A small generator of numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % n
    }

    fn cell(&mut self, sym: u32) -> Base {
        Base::cell(SymId(sym), &[self.below(3) as u8])
    }

    fn process(&mut self) -> Base {
        match self.below(2) {
            0 => Base::process(self.below(3) as u8),
            _ => self.cell(3),
        }
    }

    fn rel(&mut self) -> Rel {
        [Rel::Eq, Rel::Ne, Rel::Lt, Rel::Le][self.below(4) as usize]
    }

    /// A literal about some of the kinds; `linear` ones may have any factors.
    pub fn literal(&mut self, fixed: u8, kinds: &[u64], linear: bool) -> GroundFormula {
        match kinds[self.below(kinds.len() as u64) as usize] {
            0 => {
                let sym = self.below(2) as u32;
                let value = GroundTerm::Ctor(self.below(3 - u64::from(sym)) as u16);
                same(
                    self.below(2) == 0,
                    &GroundTerm::Base(self.cell(sym)),
                    &value,
                )
            }
            1 => {
                let sym = self.below(3) as u32;
                let (a, b) = (self.cell(sym), self.cell(sym));
                same(
                    self.below(2) == 0,
                    &GroundTerm::Base(a),
                    &GroundTerm::Base(b),
                )
            }
            2 => {
                let (a, b) = (self.process(), self.process());
                same(
                    self.below(2) == 0,
                    &GroundTerm::Base(a),
                    &GroundTerm::Base(b),
                )
            }
            3 => before(self.below(2) == 0, self.process(), self.process(), fixed),
            k => {
                let int = k == 4;
                let mut sum = LinSum {
                    terms: Vec::new(),
                    constant: self.below(9) as i64 - 4,
                };
                for i in 0..1 + self.below(if linear { 3 } else { 2 }) {
                    let factor = match i {
                        _ if linear => self.below(7) as i64 - 3,
                        0 => 1,
                        _ => -1,
                    };
                    let base = self.cell(if int { 4 } else { 5 });
                    if factor != 0 {
                        sum.add(factor, &LinSum::of(base)).expect("small numbers");
                    }
                }
                number(self.rel(), int, sum)
            }
        }
    }
}

/// How often each was compared, and how often the theory missed it.
#[derive(Default, Debug)]
struct Count {
    refuted: (u32, u32),
    derived: (u32, u32),
    /// Missed, and more than what always holds.
    hidden: u32,
    /// Of those that are missed: not where the theory says that it is incomplete.
    lost: u32,
}

fn compare(seeds: std::ops::Range<u64>, kinds: &[u64], linear: bool) -> Count {
    let systems = [system(false), system(true)];
    let mut count = Count::default();
    for seed in seeds {
        let mut r = Random(seed);
        let system = &systems[r.below(2) as usize];
        let limit = (r.below(3) == 0).then_some(3);
        let context = SystemContext::new(system, limit);
        let fixed = system.fixed;
        let mut conj = Conj::default();
        let (mut all, mut possible) = (Vec::new(), true);
        for _ in 0..1 + r.below(10) {
            let literal = r.literal(fixed, kinds, linear);
            match &literal {
                GroundFormula::Literal(l) => possible &= add(&mut conj, *l),
                GroundFormula::Lin(l) => conj.lins.push(l.clone()),
                GroundFormula::Bool(b) => possible &= b,
                _ => {}
            }
            all.push(literal);
        }
        let mut query = EntailmentQuery::new(&context, Vec::new(), 3, GroundFormula::And(all));
        let Some(truth) = query.is_possible() else {
            continue;
        };
        if !possible {
            assert!(!truth, "seed {seed}: {conj:?}");
            continue;
        }
        let domain = |b: Base| context.domain(&[], b);
        let facts: Facts = context.facts(&domain, 3);
        let Some(closed) = close(&conj, &facts) else {
            assert!(!truth, "seed {seed}: {conj:?}");
            count.refuted.0 += 1;
            continue;
        };
        if !truth {
            count.refuted.0 += 1;
            count.refuted.1 += 1;
            continue;
        }
        let normal = closed.normal(&domain);
        let incompleteness = Incompleteness::of(&closed, &facts);
        for l in &normal.lits {
            assert!(query.implies(l), "seed {seed}: {conj:?} gives {l:?}");
        }
        for l in &normal.lins {
            assert!(query.implies_lin(l), "seed {seed}: {conj:?} gives {l:?}");
        }
        for _ in 0..20 {
            let i = r.literal(fixed, kinds, linear);
            let incompleteness = incompleteness.as_ref();
            let (ours, truth, hidden) = match &i {
                GroundFormula::Literal(l) => (
                    closed.implies(l, &domain),
                    query.implies(l),
                    incompleteness.is_some_and(|g| g.may_miss(&closed, l)),
                ),
                GroundFormula::Lin(l) => (
                    closed.implies_lin(l),
                    query.implies_lin(l),
                    incompleteness.is_some_and(|g| g.may_miss_lin(l)),
                ),
                _ => continue,
            };
            assert!(truth || !ours, "seed {seed}: {conj:?} gives {i:?}");
            count.derived.0 += u32::from(truth);
            count.derived.1 += u32::from(truth && !ours);
            // What always holds is in no cube.
            if truth && !ours && !always(&context, &i) {
                count.hidden += 1;
                count.lost += u32::from(!hidden);
            }
        }
    }
    count
}

/// The literal holds whatever is known.
fn always(context: &SystemContext, i: &GroundFormula) -> bool {
    let mut query = EntailmentQuery::new(context, Vec::new(), 3, GroundFormula::Bool(true));
    match i {
        GroundFormula::Literal(l) => query.implies(l),
        GroundFormula::Lin(l) => query.implies_lin(l),
        _ => false,
    }
}

/// Enough was compared, and not more than so many of a hundred were missed.
fn missed_little(count: &Count, percent: u32) {
    assert!(count.lost * 10 <= count.hidden, "{count:?}");
    for (all, missed) in [count.refuted, count.derived] {
        assert!(all > 40 && missed * 100 <= all * percent, "{count:?}");
    }
}

#[test]
fn constructors_and_processes() {
    missed_little(&compare(0..4000, &[0, 0, 1, 2, 3], false), 30);
}

#[test]
fn differences() {
    missed_little(&compare(0..2000, &[4, 5], false), 2);
}

#[test]
fn sums() {
    missed_little(&compare(0..1500, &[4, 5], true), 15);
}

#[test]
fn everything_together() {
    missed_little(&compare(0..1000, &[0, 1, 2, 3, 4, 5], true), 40);
}
