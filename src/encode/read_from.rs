//! Where reads read from (Alg. 1), and what is known of their values before that is decided.
//!
//! A candidate of a read is a literal, which implies that the write happens, the same address and the
//! same value; a read that happens has one. Which literal that is:
//!
//! - *tied* reads: where the candidates form a static coherence chain, nothing is chosen: the literal
//!   "`w` is before the read" in one axiom's order decides, and the read takes the last write before it;
//! - reads inside of critical sections take the last write before them in the order of the sections
//!   ([`super::section_order`]);
//! - all others choose.

use super::relations::{Encoder, SourceByOrder};
use super::values::values;
use crate::relations::bounds::Node;
use crate::unroll::event::EventKind;
use base::idx::Id;
use cat::model::{AxiomKind, BaseRel, RelId};
use cat::pattern::{communicates, is_base, union_parts};
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;

impl Encoder<'_> {
    /// Notes which addresses accesses through pointers may have, and drops the read-from candidates
    /// that are elsewhere.
    fn addresses(&mut self) {
        let Some(values) = &mut self.values else {
            return;
        };
        for n in self.analysis.nodes.ids() {
            let event = self.analysis.event(n);
            if event.cells.is_empty() {
                continue;
            }
            let said = match event.cells.len() {
                1 => FxHashMap::default(),
                _ => values.under(event.guard),
            };
            let set = values.eval(event.addr, &said);
            self.places.insert(n, set);
        }
        for r in self.analysis.nodes.ids() {
            let mut writes = std::mem::take(&mut self.sources[r]);
            writes.retain(|w| !self.places[w].meet(&self.places[&r]).is_none());
            self.sources[r] = writes;
        }
    }

    /// Notes what reads may return, as far as that is known before their sources are.
    pub(super) fn read_values(&mut self) {
        if self.reductions.values {
            self.values = values(self.analysis, self.interrupt);
        }
        self.addresses();
        for (read, set) in self.values.iter().flat_map(|values| &values.of) {
            let width = self
                .analysis
                .graph
                .terms
                .width(self.analysis.graph.events[*read].value);
            let (known, value) = set.known_bits(width);
            // One without values does not happen.
            if !set.is_none() {
                self.blaster.read_has(*read, known, value);
            }
        }
        if let Some(values) = &mut self.values {
            let graph = self.analysis.graph;
            let events = graph.events.iter().flat_map(|e| [e.guard, e.addr, e.value]);
            let checks = graph.checks.iter().flat_map(|c| [c.guard, c.cond]);
            for (term, known, value) in values.constant_bits(events.chain(checks)) {
                self.blaster.term_has(term, known, value);
            }
        }
        if self.reductions.sums {
            self.constant_sums();
        }
        // A read that can only read what its own past wrote has that value; the past of the past
        // ends, so no read is defined by itself.
        for r in self.reads() {
            if let [w] = self.sources[r][..]
                && (self.analysis.event(w).kind == EventKind::Init
                    || self.analysis.base[&BaseRel::Po]
                        .must
                        .contains(w.index(), r.index()))
            {
                self.blaster
                    .read_is(self.analysis.nodes[r], self.analysis.event(w).value);
            }
        }
    }

    fn reads(&self) -> Vec<Node> {
        let reads = self.analysis.nodes.ids();
        reads
            .filter(|n| self.analysis.event(*n).kind == EventKind::Read)
            .collect()
    }

    /// Every read that happens reads from a write (Alg. 1).
    pub(super) fn read_from(&mut self) {
        for r in self.reads() {
            if self.stopped() {
                return;
            }
            let happens = self.exec(r);
            let sources = self.sources[r].clone();
            let literals = match self.tie(r, &sources) {
                Some(tie) => self.tied_literals(r, tie),
                None => match self.last_before(r, &sources) {
                    Some(literals) => literals,
                    None => self.chosen_literals(r, &sources, happens),
                },
            };
            let terms = &self.analysis.graph.terms;
            let value = self.analysis.event(r).value;
            let value = self.blaster.bits(&mut self.cnf, terms, value);
            for (w, lit) in literals {
                self.rf.insert((w, r), lit);
                let written = self.analysis.event(w).value;
                let written = self.blaster.bits(&mut self.cnf, terms, written);
                for (x, y) in value.iter().zip(written.iter()) {
                    self.cnf.clause(&[!happens, !lit, !*x, *y]);
                    self.cnf.clause(&[!happens, !lit, *x, !*y]);
                }
                self.read_shadow(r, w, [happens, lit]);
            }
        }
    }

    /// What is indeterminate of what is written is so of what is read.
    fn read_shadow(&mut self, r: Node, w: Node, [happens, lit]: [Lit; 2]) {
        let graph = self.analysis.graph;
        let of = |n: Node| graph.shadows.get(&self.analysis.nodes[n]).copied();
        let Some(read) = of(r) else {
            return;
        };
        let written = of(w);
        let read = self.blaster.bits(&mut self.cnf, &graph.terms, read);
        let written = match written {
            Some(term) => self
                .blaster
                .bits(&mut self.cnf, &graph.terms, term)
                .to_vec(),
            None => vec![Lit::FALSE; read.len()],
        };
        for (x, y) in read.iter().zip(written) {
            self.cnf.clause(&[!happens, !lit, !*x, y]);
            self.cnf.clause(&[!happens, !lit, *x, !y]);
        }
    }

    fn chosen_literals(&mut self, r: Node, sources: &[Node], happens: Lit) -> Vec<(Node, Lit)> {
        let mut out = Vec::new();
        for w in sources {
            let lit = if sources.len() == 1 {
                happens
            } else {
                self.cnf.fresh()
            };
            let written = self.exec(*w);
            let same = self.same_address(*w, r);
            self.cnf.clause(&[!lit, happens]);
            self.cnf.clause(&[!lit, written]);
            self.cnf.clause(&[!lit, same]);
            out.push((*w, lit));
        }
        let mut some: Vec<Lit> = out.iter().map(|(_, l)| *l).collect();
        some.push(!happens);
        self.cnf.clause(&some);
        // Two sources are impossible by Lemma 3; said outright it prunes the search.
        for (i, (_, a)) in out.iter().enumerate() {
            for (_, b) in &out[i + 1..] {
                if out.len() <= 8 {
                    self.cnf.clause(&[!*a, !*b]);
                }
            }
        }
        if out.len() > 8 {
            self.at_most_one(&out.iter().map(|(_, l)| *l).collect::<Vec<_>>());
        }
        out
    }

    /// At most one of many, by a running disjunction.
    fn at_most_one(&mut self, lits: &[Lit]) {
        let mut seen = Lit::FALSE;
        for l in lits {
            self.cnf.clause(&[!*l, !seen]);
            seen = self.cnf.or(seen, *l);
        }
    }

    /// The chain of a read that can be tied, and the axiom to tie it to.
    fn tie(&self, r: Node, sources: &[Node]) -> Option<(usize, Vec<Node>)> {
        let a = self.analysis;
        let co = &a.base[&BaseRel::Co].must;
        let mut chain = sources.to_vec();
        let static_chain = chain.len() > 1
            && chain.iter().all(|w| a.same_cell(*w, r))
            && chain.iter().enumerate().all(|(i, v)| {
                chain[i + 1..]
                    .iter()
                    .all(|w| co.contains(v.index(), w.index()) || co.contains(w.index(), v.index()))
            });
        if !static_chain {
            return None;
        }
        chain.sort_by(|v, w| {
            co.contains(w.index(), v.index())
                .cmp(&co.contains(v.index(), w.index()))
                .then(v.cmp(w))
        });
        let first = a.event(chain[0]).kind == EventKind::Init
            || a.implies(r, chain[0])
                && a.base[&BaseRel::Po]
                    .must
                    .contains(chain[0].index(), r.index());
        if !first {
            return None;
        }
        let axiom = a.model.axioms.iter().enumerate().rev().find(|(_, axiom)| {
            axiom.kind == AxiomKind::Acyclic && self.orders_read(axiom.rel, r, &chain)
        });
        axiom.map(|(i, _)| (i, chain))
    }

    /// True when a relation contains read-from and from-read between the read and its candidates,
    /// and coherence among them.
    fn orders_read(&self, rel: RelId, r: Node, chain: &[Node]) -> bool {
        let a = self.analysis;
        let parts = union_parts(a.model, rel);
        let has = |base: BaseRel, w: Node| {
            let external = a.event(w).thread != a.event(r).thread;
            parts
                .iter()
                .any(|p| is_base(a.model, *p, base) || external && communicates(a.model, *p, base))
        };
        let must = &a.rels[rel].must;
        chain
            .iter()
            .all(|w| has(BaseRel::Rf, *w) && has(BaseRel::Fr, *w))
            && chain
                .windows(2)
                .all(|w| must.contains(w[0].index(), w[1].index()))
    }

    fn tied_literals(&mut self, r: Node, (axiom, chain): (usize, Vec<Node>)) -> Vec<(Node, Lit)> {
        let must = &self.analysis.rels[self.analysis.model.axioms[axiom].rel].must;
        let mut before = Vec::new();
        for (i, w) in chain.iter().enumerate() {
            let sure = i == 0 || must.contains(w.index(), r.index());
            let never = must.contains(r.index(), w.index());
            before.push(if sure {
                Lit::TRUE
            } else if never {
                Lit::FALSE
            } else {
                self.cnf.fresh()
            });
        }
        let mut out = Vec::new();
        let mut none_later = Lit::TRUE;
        for (w, b) in chain.iter().zip(&before).rev() {
            let written = self.exec(*w);
            let here = self.cnf.and(*b, written);
            let source = self.cnf.and(here, none_later);
            none_later = self.cnf.and(none_later, !here);
            out.push((*w, source));
        }
        out.reverse();
        let chain = chain.into_iter().zip(before).collect();
        self.sources_by_order
            .insert(r, SourceByOrder { axiom, chain });
        out
    }
}
