//! Nobody sees anything of an atomic section that does not end: see `unroll::section`.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use base::idx::Id;
use cat::model::BaseRel;
use smt::sat::cnf::Lit;

impl Encoder<'_> {
    /// Such a section is the last thing that happens: no other thread reads what it has written, or writes
    /// after it. Read-from and coherence have their literals already.
    pub(super) fn unfinished_sections(&mut self) {
        for unseen in &self.analysis.graph.unseen {
            let Some(w) = self.analysis.node_of.get(&unseen.write).copied() else {
                continue;
            };
            let thread = self.analysis.event(w).thread;
            let when = self.lit(unseen.when);
            let readers = self.rf.iter().filter(|((from, _), _)| *from == w);
            let mut seen: Vec<(Node, Lit)> = readers.map(|((_, r), lit)| (*r, *lit)).collect();
            let co = &self.analysis.base[&BaseRel::Co].may;
            let later: Vec<usize> = co.successors(w.index()).collect();
            for other in later.into_iter().map(Node::from_index) {
                let before = self.coherence(w, other);
                seen.push((other, before));
            }
            for (other, lit) in seen {
                if self.analysis.event(other).thread != thread {
                    let happens = self.exec(other);
                    self.cnf.clause(&[!when, !happens, !lit]);
                }
            }
        }
    }
}
