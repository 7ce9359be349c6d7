//! Random conjunctions, compared with the SMT solver: what the theory refutes or derives is right,
//! and it misses little.

use super::{Facts, close};
use crate::base::source::SourceMap;
use crate::front::cub;
use crate::param::cube::formula::{Inst, Term, add, before, number, same};
use crate::param::cube::literals::{Base, Conj, LinSum};
use crate::param::system::resolve;
use crate::param::system::{Memory, Rel, SymId, System};
use crate::param::theory::incompleteness::Gaps;
use crate::param::theory::model::Model;
use crate::param::theory::query::Question;

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
    resolve(&parsed, Memory::Flat).expect("the text is typed")
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
    pub fn literal(&mut self, fixed: u8, kinds: &[u64], linear: bool) -> Inst {
        match kinds[self.below(kinds.len() as u64) as usize] {
            0 => {
                let sym = self.below(2) as u32;
                let value = Term::Ctor(self.below(3 - u64::from(sym)) as u16);
                same(self.below(2) == 0, &Term::Base(self.cell(sym)), &value)
            }
            1 => {
                let sym = self.below(3) as u32;
                let (a, b) = (self.cell(sym), self.cell(sym));
                same(self.below(2) == 0, &Term::Base(a), &Term::Base(b))
            }
            2 => {
                let (a, b) = (self.process(), self.process());
                same(self.below(2) == 0, &Term::Base(a), &Term::Base(b))
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
    /// Of those that are missed: not where the theory says that it has gaps.
    lost: u32,
}

fn compare(seeds: std::ops::Range<u64>, kinds: &[u64], linear: bool) -> Count {
    let systems = [system(false), system(true)];
    let mut count = Count::default();
    for seed in seeds {
        let mut r = Random(seed);
        let system = &systems[r.below(2) as usize];
        let limit = (r.below(3) == 0).then_some(3);
        let model = Model::new(system, limit);
        let fixed = system.fixed;
        let mut conj = Conj::default();
        let (mut all, mut possible) = (Vec::new(), true);
        for _ in 0..1 + r.below(10) {
            let literal = r.literal(fixed, kinds, linear);
            match &literal {
                Inst::Lit(l) => possible &= add(&mut conj, *l),
                Inst::Lin(l) => conj.lins.push(l.clone()),
                Inst::Bool(b) => possible &= b,
                _ => {}
            }
            all.push(literal);
        }
        let mut question = Question::new(&model, Vec::new(), 3, Inst::And(all));
        let Some(truth) = question.is_possible() else {
            continue;
        };
        if !possible {
            assert!(!truth, "seed {seed}: {conj:?}");
            continue;
        }
        let domain = |b: Base| model.domain(&[], b);
        let facts: Facts = model.facts(&domain, 3);
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
        let gaps = Gaps::of(&closed, &facts);
        for l in &normal.lits {
            assert!(question.implies(l), "seed {seed}: {conj:?} gives {l:?}");
        }
        for l in &normal.lins {
            assert!(question.implies_lin(l), "seed {seed}: {conj:?} gives {l:?}");
        }
        for _ in 0..20 {
            let i = r.literal(fixed, kinds, linear);
            let gaps = gaps.as_ref();
            let (ours, truth, hidden) = match &i {
                Inst::Lit(l) => (
                    closed.implies(l, &domain),
                    question.implies(l),
                    gaps.is_some_and(|g| g.may_hide(&closed, l)),
                ),
                Inst::Lin(l) => (
                    closed.implies_lin(l),
                    question.implies_lin(l),
                    gaps.is_some_and(|g| g.may_hide_lin(l)),
                ),
                _ => continue,
            };
            assert!(truth || !ours, "seed {seed}: {conj:?} gives {i:?}");
            count.derived.0 += u32::from(truth);
            count.derived.1 += u32::from(truth && !ours);
            // What always holds is in no cube.
            if truth && !ours && !always(&model, &i) {
                count.hidden += 1;
                count.lost += u32::from(!hidden);
            }
        }
    }
    count
}

/// The literal holds whatever is known.
fn always(model: &Model, i: &Inst) -> bool {
    let mut question = Question::new(model, Vec::new(), 3, Inst::Bool(true));
    match i {
        Inst::Lit(l) => question.implies(l),
        Inst::Lin(l) => question.implies_lin(l),
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
