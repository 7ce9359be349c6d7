//! Semaphores, and whatever else is counted by read-modify-writes: how often before.
//!
//! When every write to a cell is a read-modify-write that adds one or takes one, and no thread gets
//! between its two halves, the value that one of them reads is the initial one plus what those
//! before it in coherence have added, less what they have taken. The formula says so already, but a
//! value at a time; that the fifth to take from an empty semaphore comes behind the fifth that gives
//! to it, a solver learns from the thousands of ways in which they may alternate. Here it is said
//! outright, as clauses over coherence that follow from the rest:
//!
//! Let `w` read at least `least` (as its guard says: what is taken from is not zero). Of every other
//! thread, those that give come in program order, so how many are before `w` is told by the literals
//! "the k-th gives, and is before `w`"; likewise those that take. If at most `k` of each thread's
//! gifts are before `w`, and at least `m` of each thread's takings, then what is there is at most
//! `initial + own + Σk - Σm`; where that is less than `least` a clause forbids it.
//!
//! Sums are of numbers that do not wrap: the values found by [`super::values`] are far from the ends
//! of the word.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::ThreadId;
use crate::unroll::state::conjuncts;
use crate::unroll::term::Term;
use crate::unroll::value_sets::ValueSets;
use base::idx::Id;
use cat::model::BaseRel;
use ir::program::{BinOp, mask, sign_extend};
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;

/// Clauses for one read-modify-write; what would take more is left to the solver.
const MAX_CLAUSES: usize = 2000;

/// A read-modify-write of a counter.
struct CounterUpdate {
    write: Node,
    thread: Option<ThreadId>,
    gives: bool,
}

/// Those of one thread that give, or those that take, in program order: whoever happens, those
/// before it do.
type CounterChain = Vec<Node>;

impl Encoder<'_> {
    /// Adds what follows for counters.
    pub fn counters(&mut self, values: &mut ValueSets) {
        if !self.atomic || !self.analysis.coherent {
            return;
        }
        let graph = self.analysis.graph;
        for (cell, writes) in self.analysis.writes_by_cell().iter_enumerated() {
            let init = graph.events[graph.cells[cell].init].value;
            let Some(init) = graph.terms.as_const(init) else {
                continue;
            };
            let steps: Option<Vec<CounterUpdate>> = writes.iter().map(|w| self.step(*w)).collect();
            let Some(steps) = steps.filter(|s| s.len() > 1) else {
                continue;
            };
            for i in 0..steps.len() {
                if self.stopped() {
                    return;
                }
                self.counted(i128::from(init), &steps, i, values);
            }
        }
    }

    /// A write as a step of a counter: the only one of its read, of the only cell there is, that
    /// changes it by one.
    fn step(&self, w: Node) -> Option<CounterUpdate> {
        let (graph, terms) = (self.analysis.graph, &self.analysis.graph.terms);
        let event = self.analysis.event(w);
        let read = self.analysis.node_of.get(&event.rmw_read?)?;
        let source = &graph.events[event.rmw_read?];
        let alone = self.analysis.stores(*read).count() == 1;
        if event.cells.len() != 1 || source.cells != event.cells || !alone {
            return None;
        }
        let Term::Binary(BinOp::Add, old, by) = terms.get(event.value) else {
            return None;
        };
        let same = |part: &_| match terms.get(*part) {
            Term::Binary(BinOp::Eq, a, b) => {
                (a, b) == (old, source.value) || (b, a) == (old, source.value)
            }
            _ => false,
        };
        let is_old = old == source.value || conjuncts(terms, event.guard).iter().any(same);
        let width = terms.width(event.value);
        let by = sign_extend(terms.as_const(by)?, width);
        (is_old && by.abs() == 1).then_some(CounterUpdate {
            write: w,
            thread: event.thread,
            gives: by > 0,
        })
    }

    /// What the value that one step reads says of those before it.
    fn counted(
        &mut self,
        init: i128,
        steps: &[CounterUpdate],
        this: usize,
        values: &mut ValueSets,
    ) {
        let graph = self.analysis.graph;
        let w = steps[this].write;
        let event = self.analysis.event(w);
        let Some(read) = event.rmw_read.map(|r| graph.events[r].value) else {
            return;
        };
        let said = values.under(event.guard);
        let Some((least, most)) = values.eval(read, &said).ends() else {
            return;
        };
        // The sum is a number, the value what is left of it in a word: they are the same.
        let gives = steps.iter().filter(|s| s.gives).count() as i128;
        let takes = steps.len() as i128 - gives;
        let word = i128::from(mask(graph.terms.width(read))) + 1;
        if init - takes + word <= i128::from(most) || init + gives >= i128::from(least) + word {
            return;
        }
        let Some((own, lines)) = self.lines(steps, this) else {
            return;
        };
        let missing = i128::from(least) - init - own;
        let mut clauses = Vec::new();
        let happens = self.exec(w);
        let done = self.forbid(w, missing, &lines, &mut vec![!happens], &mut clauses);
        if done.is_some() {
            clauses.iter().for_each(|c| self.cnf.clause(c));
        }
    }

    /// What the own thread adds before a step, at most, and the lines of the other ones: those that
    /// take first. `None` when some line has gaps.
    fn lines(
        &self,
        steps: &[CounterUpdate],
        this: usize,
    ) -> Option<(i128, Vec<(bool, CounterChain)>)> {
        let a = self.analysis;
        let (w, thread) = (steps[this].write, steps[this].thread);
        let co = &a.base[&BaseRel::Co].must;
        let po = &a.base[&BaseRel::Po].must;
        let mut own = 0;
        let mut lines: BTreeMap<(bool, Option<ThreadId>), CounterChain> = BTreeMap::new();
        for step in steps.iter().filter(|s| s.write != w) {
            let other = step.write;
            if co.contains(w.index(), other.index()) {
                continue;
            }
            if co.contains(other.index(), w.index()) || step.thread == thread {
                own += match step.gives {
                    true => 1,
                    false => -i128::from(a.implies(w, other)),
                };
                continue;
            }
            let line = lines.entry((step.gives, step.thread)).or_default();
            if line.last().is_some_and(|last| {
                !po.contains(last.index(), other.index()) || !a.implies(other, *last)
            }) {
                return None;
            }
            line.push(other);
        }
        let lines = lines.into_iter().map(|((gives, _), line)| (gives, line));
        Some((own, lines.collect()))
    }

    /// Clauses that forbid every way in which at most so many gifts and at least so many takings of
    /// the rest of the lines are before `w` that fewer than `missing` are there; `so_far` says that
    /// something else is so. `None` when there are too many.
    fn forbid(
        &mut self,
        w: Node,
        missing: i128,
        lines: &[(bool, CounterChain)],
        so_far: &mut Vec<Lit>,
        out: &mut Vec<Vec<Lit>>,
    ) -> Option<()> {
        let Some(((gives, line), rest)) = lines.split_first() else {
            if missing > 0 {
                out.push(so_far.clone());
            }
            return (out.len() <= MAX_CLAUSES).then_some(());
        };
        let there: i128 = rest.iter().map(|(_, line)| line.len() as i128).sum();
        for count in 0..=line.len() {
            let (changed, which) = match gives {
                true => (missing - count as i128, line.get(count)),
                false => (
                    missing + count as i128,
                    count.checked_sub(1).map(|i| &line[i]),
                ),
            };
            if *gives && (changed <= 0 || (rest.is_empty() && changed > 1 && which.is_some())) {
                // Nothing is missing then; or one more is not enough, which a later clause says.
                continue;
            }
            if !gives && changed + there <= 0 {
                continue;
            }
            let lit = which.map(|other| {
                let (happens, before) = (self.exec(*other), self.coherence(*other, w));
                let before = self.cnf.and(happens, before);
                if *gives { before } else { !before }
            });
            so_far.extend(lit);
            let done = self.forbid(w, changed, rest, so_far, out);
            if lit.is_some() {
                so_far.pop();
            }
            done?;
        }
        Some(())
    }
}
