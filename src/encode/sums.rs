//! Counters: what a read of one returns is a sum.
//!
//! A *step* of a location is a write that writes a constant more than a read of its thread has
//! returned, where that read returns what is immediately before the write in coherence. So it is when
//!
//! - the two are a read-modify-write, the model is coherent, and read-modify-writes are atomic; or
//! - both are inside of one critical section, with no other write of the location between them, and
//!   all writes of the location are inside of sections of that lock: the read returns the last one
//!   before it ([`super::section_order`]), and what is between would be a write of another section.
//!
//! When all writes of a location but the initial one are steps, what the `n`-th of them in coherence
//! writes is the initial value and the constants of the first `n`, by induction. So a read returns
//! the initial value and the constants of all steps that happen and are before what it reads from,
//! this one included. Which these are is known
//!
//! - of a read that has every step before it or behind it in program order, creation and join
//!   included: coherence has it return the last one of those before it, and all others of these are
//!   before that one, those behind the read are not. When those before it happen whenever it does,
//!   the sum is a *constant*, and it is made one before anything is solved;
//! - of a read inside of a section: those of the sections before its own, and those before it in its
//!   own;
//! - of the read of a read-modify-write: those before its write in coherence.
//!
//! In the two latter cases the sum of as many truth values is said to be the value, beside what the
//! formula says about values anyway; where all constants are the same one.

use super::circuit::{constant, count, scaled};
use super::reductions::Counter;
use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{CellId, EventKind};
use crate::unroll::term::Term;
use base::idx::Id;
use cat::model::BaseRel;
use ir::program::{BinOp, mask};
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;

/// Steps of one counter beyond which sums are only constants: they take a square of clauses.
const MAX_STEPS: usize = 64;

/// Counters by cell.
type Counters = FxHashMap<CellId, Counter>;

impl Encoder<'_> {
    /// Finds the counters, and makes the reads of them constants that return one number.
    pub fn constant_sums(&mut self) {
        self.section_order.counters = self.counting();
        for (r, cell) in self.reads_of_counters() {
            let (init, steps) = &self.section_order.counters[&cell];
            let Some(writes) = self.writes_beside(r) else {
                continue;
            };
            let Some(placed) = self.placed(r, &writes) else {
                continue;
            };
            let before = placed.into_iter().filter(|(_, before)| *before);
            let before: Vec<Node> = before.map(|(w, _)| w).collect();
            let added = before.iter().filter_map(|w| Some((w, steps.get(w)?)));
            let added: Vec<(&Node, &u64)> = added.collect();
            if added.iter().all(|(w, _)| self.analysis.implies(r, **w)) {
                let sum = added
                    .iter()
                    .fold(*init, |sum, (_, by)| sum.wrapping_add(**by));
                let all = mask(self.width_of(r));
                let event = self.analysis.nodes[r];
                self.blaster.read_has(event, all, sum & all);
                self.section_order.constant.insert(r);
                self.section_order.reduced.sums += 1;
            }
        }
    }

    /// Says of other reads of counters that they return a sum.
    pub fn sums(&mut self) {
        for (r, cell) in self.reads_of_counters() {
            let (init, steps) = self.section_order.counters[&cell].clone();
            if self.section_order.constant.contains(&r) || steps.len() > MAX_STEPS || self.stopped()
            {
                continue;
            }
            let Some(before) = self.steps_before(r, &steps) else {
                continue;
            };
            let width = self.width_of(r);
            let (mut base, mut by, mut open) = (init, None, Vec::new());
            for (w, lit) in before {
                let step = steps[&w];
                match lit {
                    Lit::FALSE => {}
                    Lit::TRUE => base = base.wrapping_add(step),
                    _ if *by.get_or_insert(step) == step => open.push(lit),
                    _ => {
                        by = None;
                        open.clear();
                        break;
                    }
                }
            }
            let Some(by) = by.filter(|_| !open.is_empty()) else {
                continue;
            };
            let number = count(&mut self.cnf, &open);
            let base = constant(base & mask(width), usize::from(width));
            let sum = scaled(&mut self.cnf, &number, by, &base);
            let terms = &self.analysis.graph.terms;
            let value = self.analysis.event(r).value;
            let value = self.blaster.bits(&mut self.cnf, terms, value);
            let happens = self.exec(r);
            for (x, y) in value.iter().zip(sum.iter()) {
                self.cnf.clause(&[!happens, !*x, *y]);
                self.cnf.clause(&[!happens, *x, !*y]);
            }
            self.section_order.reduced.sums += 1;
        }
    }

    /// The steps that may be before what a read returns, each with the literal that it happens and
    /// is.
    fn steps_before(&mut self, r: Node, steps: &FxHashMap<Node, u64>) -> Option<Vec<(Node, Lit)>> {
        let writes = self.writes_beside(r)?;
        let own = writes.iter().copied().find(|w| {
            self.analysis.event(*w).rmw_read == Some(self.analysis.nodes[r])
                && self.analysis.implies(r, *w)
        });
        let before: Vec<(Node, Lit)> = match (own, self.placed(r, &writes)) {
            (_, Some(placed)) => {
                let literals = placed.into_iter();
                literals.map(|(w, b)| (w, Lit::constant(b))).collect()
            }
            (Some(own), None) => {
                let others = writes.into_iter().filter(|w| *w != own);
                let others: Vec<Node> = others.collect();
                let literals = others.into_iter();
                literals.map(|w| (w, self.coherence(w, own))).collect()
            }
            (None, None) => self.before(r)?,
        };
        let mut out = Vec::new();
        for (w, before) in before.into_iter().filter(|(w, _)| steps.contains_key(w)) {
            let happens = match self.analysis.implies(r, w) {
                true => Lit::TRUE,
                false => self.exec(w),
            };
            out.push((w, self.cnf.and(before, happens)));
        }
        Some(out)
    }

    fn width_of(&self, n: Node) -> u8 {
        let graph = self.analysis.graph;
        graph.terms.width(self.analysis.event(n).value)
    }

    /// The reads of counters, each with the cell.
    fn reads_of_counters(&self) -> Vec<(Node, CellId)> {
        let nodes = self.analysis.nodes.ids();
        let of = |r: Node| {
            let event = self.analysis.event(r);
            let [cell] = event.cells[..] else {
                return None;
            };
            let read =
                event.kind == EventKind::Read && self.section_order.counters.contains_key(&cell);
            read.then_some((r, cell))
        };
        nodes.filter_map(of).collect()
    }

    fn counting(&self) -> Counters {
        let graph = self.analysis.graph;
        let mut counters = Counters::default();
        if !self.atomic || !self.analysis.coherent {
            return counters;
        }
        for (cell, writes) in self.analysis.writes_by_cell().iter_enumerated() {
            let init = graph.events[graph.cells[cell].init].value;
            let (Some(init), false) = (graph.terms.as_const(init), writes.is_empty()) else {
                continue;
            };
            let steps = writes.iter().map(|w| Some((*w, self.adds(*w, writes)?)));
            if let Some(steps) = steps.collect::<Option<_>>() {
                counters.insert(cell, (init, steps));
            }
        }
        counters
    }

    /// What a write adds, if it is a step; `writes` are all writes of its location.
    fn adds(&self, w: Node, writes: &[Node]) -> Option<u64> {
        let (a, terms) = (self.analysis, &self.analysis.graph.terms);
        let event = a.event(w);
        let Term::Binary(BinOp::Add, old, by) = terms.get(event.value) else {
            return None;
        };
        let (by, Term::Read(source)) = (terms.as_const(by)?, terms.get(old)) else {
            return None;
        };
        let r = *a.node_of.get(&source)?;
        let po = &a.base[&BaseRel::Po];
        let between = |v: &Node| {
            po.may.contains(r.index(), v.index()) && po.may.contains(v.index(), w.index())
        };
        let together = event.kind == EventKind::Write
            && event.cells.len() == 1
            && a.same_cell(r, w)
            && a.event(r).thread == event.thread
            && po.must.contains(r.index(), w.index())
            && a.implies(w, r)
            && !writes.iter().any(between);
        let atomic = || event.rmw_read == Some(source) && a.stores(r).count() == 1;
        let sections = &self.section_order.sections;
        let lock = |n: &Node| Some(sections.all[*sections.of_write.get(n)?].lock);
        let guarded = || {
            let own = sections.of_write.get(&w);
            own.is_some()
                && own == sections.of_read.get(&r)
                && writes.iter().all(|v| lock(v) == lock(&w))
        };
        (together && (atomic() || guarded())).then_some(by)
    }
}
