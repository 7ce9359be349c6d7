//! Steps of counters: what they read says how many are before them.
//!
//! A step that happens only where at least `least` is there has so many others before it in coherence that
//! the initial value and theirs are as much ([`super::counters`]). Of every other thread, those that give come
//! in program order, each only when the one before it does, so how many are before the step is told by "the
//! `k`-th happens and is before it"; likewise those that take. A clause forbids that at most so many that give,
//! and at least so many that take, are before the step if that leaves too little.

use super::counters::{Counter, CounterUpdate, read_by};
use super::facts::Node;
use super::gates::{Lit, Rule};
use super::graph::ThreadId;
use super::relations::Relations;
use cat::model::BaseRel;
use std::collections::BTreeMap;

/// Clauses of one step at most; what would take more is left to the solver.
const MOST: usize = 500;

/// Steps of one thread that give, or that take, in program order.
struct CounterChain {
    gives: bool,
    steps: Vec<Node>,
    by: i128,
}

impl Relations<'_> {
    /// Adds what steps say of those before them.
    pub fn counting(&mut self, counters: &[Counter]) {
        for counter in counters {
            for step in &counter.steps {
                let least = read_by(self.facts, counter, step).into_iter().min();
                let Some((own, lines)) = self.lines(counter, step) else {
                    continue;
                };
                let Some(least) = least else {
                    let happens = self.happens(step.write);
                    self.gates.clause(Rule::Counter, &[!happens]);
                    continue;
                };
                let mut clauses = Vec::new();
                let missing = least - counter.init - own;
                let mut so_far = vec![!self.happens(step.write)];
                if self.forbid(step.write, missing, &lines, &mut so_far, &mut clauses) {
                    for clause in clauses {
                        self.gates.clause(Rule::Counter, &clause);
                    }
                }
            }
        }
        self.finish();
    }

    /// What the own thread and those surely before a step add, at most, and the lines of the others. `None`
    /// where a line has gaps, or steps that differ.
    fn lines(&self, counter: &Counter, step: &CounterUpdate) -> Option<(i128, Vec<CounterChain>)> {
        let facts = self.facts;
        let (po, co) = (&facts.of(BaseRel::Po).must, facts.of(BaseRel::Co));
        let w = step.write;
        let mut own = 0;
        let mut lines: BTreeMap<(bool, Option<ThreadId>), CounterChain> = BTreeMap::new();
        for other in counter.steps.iter().filter(|s| s.write != w) {
            let (v, gives) = (other.write, other.by >= 0);
            if !co.may.contains(v, w) {
                continue;
            }
            if co.must.contains(v, w) {
                own += match gives {
                    true => other.by,
                    false if facts.implies(w, v) => other.by,
                    false => 0,
                };
                continue;
            }
            let line = lines.entry((gives, facts.event(v).thread));
            let line = line.or_insert_with(|| CounterChain {
                gives,
                steps: Vec::new(),
                by: other.by.abs(),
            });
            let follows = |last: &Node| po.contains(*last, v) && facts.implies(v, *last);
            if line.by != other.by.abs() || !line.steps.last().is_none_or(follows) {
                return None;
            }
            line.steps.push(v);
        }
        Some((own, lines.into_values().collect()))
    }

    /// Clauses for every way in which `missing` is still missing behind the rest of the lines; `so_far` says
    /// that something else is so. False when there are too many.
    fn forbid(
        &mut self,
        w: Node,
        missing: i128,
        lines: &[CounterChain],
        so_far: &mut Vec<Lit>,
        out: &mut Vec<Vec<Lit>>,
    ) -> bool {
        let Some((line, rest)) = lines.split_first() else {
            if missing > 0 {
                out.push(so_far.clone());
            }
            return out.len() <= MOST;
        };
        // What those that take may still add to what is missing.
        let takes = rest.iter().filter(|l| !l.gives);
        let takes: i128 = takes.map(|l| l.by * l.steps.len() as i128).sum();
        for count in 0..=line.steps.len() {
            let number = count as i128 * line.by;
            let (left, which) = match line.gives {
                // At most `count`: the next one is not before the step.
                true => (missing - number, line.steps.get(count)),
                // At least `count`: the last of these is.
                false => (
                    missing + number,
                    count.checked_sub(1).map(|i| &line.steps[i]),
                ),
            };
            if left + takes <= 0 {
                continue;
            }
            if let Some(other) = which.copied() {
                let parts = [self.happens(other), self.coherence(other, w)];
                let before = self.gates.all(&parts);
                so_far.push(if line.gives { before } else { !before });
            }
            let done = self.forbid(w, left, rest, so_far, out);
            if which.is_some() {
                so_far.pop();
            }
            if !done {
                return false;
            }
        }
        true
    }
}
