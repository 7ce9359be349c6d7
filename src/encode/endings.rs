//! Whether an execution comes to its end, as a literal: where none does, that nothing is violated says
//! little about the program.

use super::relations::Encoder;
use smt::sat::cnf::Lit;

impl Encoder<'_> {
    /// That all threads end or the process does; and for each place where a thread may go no further that
    /// one does so there.
    pub(super) fn endings(&mut self) -> (Lit, Vec<Lit>) {
        let graph = self.analysis.graph;
        let mut all = Vec::new();
        for thread in graph.threads.iter() {
            let (runs, ended) = (self.lit(thread.guard), self.lit(thread.ended));
            all.push(self.cnf.or(!runs, ended));
        }
        let mut ways: Vec<Lit> = graph.halts.iter().map(|halt| self.lit(*halt)).collect();
        ways.push(self.cnf.all(&all));
        let waits = graph.waits.iter().map(|w| w.guard);
        let places = waits.chain(graph.stops.iter().map(|s| s.guard));
        let halted = places.map(|guard| self.lit(guard)).collect();
        (self.cnf.any(&ways), halted)
    }
}
