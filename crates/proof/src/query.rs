//! What no execution does: the negated property, as one clause of ways to violate it.

use super::facts::Node;
use super::gates::{FALSE, Lit, Rule, TRUE};
use super::graph::{Check, Condition, EventId, EventKind, Final, Query, ThreadId};
use super::relations::Relations;
use super::words::equal;
use cat::model::{BaseRel, RelId};

/// Kinds of property after which it is not known what the program does.
const UNDEFINED: [&str; 2] = ["memory", "misuse"];
/// Kinds of property that are judged up to where an assertion fails.
const BEFORE_FAILURES: [&str; 2] = ["race", "deadlock"];

/// Two events that `lifetime.cat` or `race.cat` relates.
struct Wrong {
    ends: (Node, Node),
    /// Both happen and are related.
    related: Lit,
    is_race: bool,
}

impl Relations<'_> {
    /// Adds the negated property.
    pub fn query(&mut self) {
        let graph = self.facts.graph;
        let mut ways: Vec<Lit> = graph.unknown.iter().map(|t| self.lit(*t)).collect();
        let bounds = match &graph.query {
            Query::Violation { complete, .. } => *complete,
            Query::FinalState(_) => true,
        };
        for bound in graph.bounds.iter().filter(|_| bounds) {
            let parts = [
                self.lit(bound.guard),
                bound
                    .section
                    .map_or(TRUE, |(taken, given)| self.disturbed(taken, given)),
            ];
            ways.push(self.gates.all(&parts));
        }
        let wrong = match graph.query {
            Query::Violation { .. } => self.wrong_accesses(),
            Query::FinalState(_) => Vec::new(),
        };
        match &graph.query {
            Query::Violation { kinds, .. } => self.violations(kinds, &wrong, &mut ways),
            Query::FinalState(condition) => {
                let mut all = vec![self.condition(condition)];
                for check in &graph.checks {
                    let violated = self.violated(check);
                    match UNDEFINED.contains(&check.kind.as_str()) {
                        true => ways.push(violated),
                        false => all.push(!violated),
                    }
                }
                for thread in &graph.threads {
                    let parts = [!self.lit(thread.guard), self.lit(thread.ended)];
                    all.push(self.gates.any(&parts));
                }
                ways.push(self.gates.all(&all));
            }
        }
        self.finish();
        for followed in &graph.followed {
            let nodes = self.facts.nodes.iter();
            let mine: Vec<bool> = nodes.map(|e| followed.accesses.contains(e)).collect();
            let wrong = wrong.iter().filter(|w| mine[w.ends.0] || mine[w.ends.1]);
            let mut clause: Vec<Lit> = wrong.map(|w| w.related).collect();
            clause.push(!self.lit(followed.when));
            self.gates.clause(Rule::Followed, &clause);
        }
        self.gates.clause(Rule::Query, &ways);
    }

    /// Accesses to what does not exist, and races, as far as the model asks for them.
    fn wrong_accesses(&mut self) -> Vec<Wrong> {
        let model = self.facts.model;
        let mut out = Vec::new();
        for (rel, is_race) in [(model.lifetime, false), (model.race, true)] {
            for (a, b, related) in rel.map_or(Vec::new(), |rel| self.related(rel)) {
                out.push(Wrong {
                    ends: (a, b),
                    related,
                    is_race,
                });
            }
        }
        out
    }

    fn violations(&mut self, kinds: &[String], wrong: &[Wrong], ways: &mut Vec<Lit>) {
        let graph = self.facts.graph;
        let enabled = |kind: &str| kinds.iter().any(|k| k == kind);
        let after_failures = kinds.iter().any(|k| !BEFORE_FAILURES.contains(&k.as_str()));
        for check in &graph.checks {
            let counts = enabled(&check.kind)
                || UNDEFINED.contains(&check.kind.as_str())
                || check.kind == "assert" && after_failures;
            if counts {
                let violated = self.violated(check);
                ways.push(violated);
            }
        }
        for Wrong {
            ends: (a, b),
            related,
            is_race,
        } in wrong
        {
            let way = match is_race {
                true => {
                    let parts = [*related, self.is_reached(*a), self.is_reached(*b)];
                    self.gates.all(&parts)
                }
                false => *related,
            };
            ways.push(way);
        }
        if enabled("deadlock") {
            let failing = graph.checks.iter().filter(|c| c.kind == "assert");
            let failing: Vec<Lit> = failing.map(|c| self.violated(c)).collect();
            let parts = [self.deadlock(), !self.gates.any(&failing)];
            ways.push(self.gates.all(&parts));
        }
    }

    fn violated(&mut self, check: &Check) -> Lit {
        let parts = [self.lit(check.guard), !self.lit(check.cond)];
        self.gates.all(&parts)
    }

    /// Pairs of a relation in one direction or the other, with the literal that both happen and are
    /// related.
    fn related(&mut self, rel: RelId) -> Vec<(Node, Node, Lit)> {
        let may = &self.estimates.of(rel).may;
        let pairs = may.pairs().filter(|(a, b)| a <= b || !may.contains(*b, *a));
        let pairs: Vec<(Node, Node)> = pairs.collect();
        let mut out = Vec::new();
        for (a, b) in pairs {
            let either = [self.pair(rel, a, b), self.pair(rel, b, a)];
            let parts = [self.gates.any(&either), self.happens(a), self.happens(b)];
            out.push((a, b, self.gates.all(&parts)));
        }
        out
    }

    /// No assertion fails in the thread of an event before it.
    fn is_reached(&mut self, n: Node) -> Lit {
        let graph = self.facts.graph;
        let Some(thread) = self.facts.event(n).thread else {
            return TRUE;
        };
        let mut events = graph.threads[thread as usize].events.iter();
        let position = events.position(|e| *e == self.facts.nodes[n]);
        let before = graph.checks.iter().filter(|c| {
            let place = c.thread == thread && position.is_some_and(|at| c.position <= at);
            c.kind == "assert" && place
        });
        let failing: Vec<Lit> = before.map(|c| self.violated(c)).collect();
        !self.gates.any(&failing)
    }

    /// Every thread has ended or waits forever, and some thread waits.
    fn deadlock(&mut self) -> Lit {
        let graph = self.facts.graph;
        let mut waits: Vec<(ThreadId, Lit)> = Vec::new();
        for wait in &graph.waits {
            let mut all = vec![self.lit(wait.guard)];
            all.extend(wait.reads.iter().map(|r| self.reads_last(*r)));
            waits.push((wait.thread, self.gates.all(&all)));
        }
        let some: Vec<Lit> = waits.iter().map(|(_, l)| *l).collect();
        let mut all = vec![self.gates.any(&some)];
        for (t, thread) in graph.threads.iter().enumerate() {
            let mut ways = vec![!self.lit(thread.guard), self.lit(thread.ended)];
            let own = waits.iter().filter(|(of, _)| *of as usize == t);
            ways.extend(own.map(|(_, l)| *l));
            all.push(self.gates.any(&ways));
        }
        all.extend(graph.halts.iter().map(|halt| !self.lit(*halt)));
        self.gates.all(&all)
    }

    /// What the read reads from, if it happens, is not overwritten; the end of an object wakes no one.
    fn reads_last(&mut self, read: EventId) -> Lit {
        let Some(r) = self.facts.node_of[read as usize] else {
            return TRUE;
        };
        let mut all = Vec::new();
        for w in self.sources[r].clone() {
            let later = self.facts.of(BaseRel::Co).may.successors(w);
            let wakes =
                |n: &Node| !matches!(self.facts.event(*n).kind, EventKind::Begin | EventKind::End);
            let later: Vec<Node> = later.filter(wakes).collect();
            let parts = [!self.rf[&(w, r)], self.none_after(w, &later)];
            all.push(self.gates.any(&parts));
        }
        self.gates.all(&all)
    }

    /// Another thread disturbs a critical section that was left out: it writes the mutex between the
    /// two writes, or sees it taken and goes on.
    fn disturbed(&mut self, taken: EventId, given: EventId) -> Lit {
        let node = |e: EventId| self.facts.node_of[e as usize];
        let (Some(taken), Some(given)) = (node(taken), node(given)) else {
            return TRUE;
        };
        let facts = self.facts;
        let thread = facts.event(taken).thread;
        let mut ways = Vec::new();
        for w in facts.of(BaseRel::Co).may.successors(taken) {
            if facts.event(w).thread != thread && facts.event(w).rmw.is_none() {
                let between = [self.coherence(taken, w), self.coherence(w, given)];
                let parts = [self.happens(w), between[0], between[1]];
                ways.push(self.gates.all(&parts));
            }
        }
        for r in facts.of(BaseRel::Rf).may.successors(taken) {
            if facts.event(r).thread != thread {
                let waits = facts.graph.waits.iter();
                let waits = waits.filter(|w| w.reads == [facts.nodes[r]]);
                let waits: Vec<Lit> = waits.map(|w| self.lit(w.guard)).collect();
                let parts = [
                    self.happens(r),
                    self.rf[&(taken, r)],
                    !self.gates.any(&waits),
                ];
                ways.push(self.gates.all(&parts));
            }
        }
        self.gates.any(&ways)
    }

    fn condition(&mut self, condition: &Condition) -> Lit {
        match condition {
            Condition::All(of) => {
                let of: Vec<Lit> = of.iter().map(|c| self.condition(c)).collect();
                self.gates.all(&of)
            }
            Condition::Any(of) => {
                let of: Vec<Lit> = of.iter().map(|c| self.condition(c)).collect();
                self.gates.any(&of)
            }
            Condition::Not(of) => !self.condition(of),
            Condition::Is(observable, value) => {
                let bits = self.final_value(*observable);
                let beyond = bits.len() < 64 && value >> bits.len() != 0;
                let same = bits
                    .iter()
                    .enumerate()
                    .map(|(i, bit)| if value >> i & 1 == 1 { *bit } else { !*bit });
                let mut same: Vec<Lit> = same.collect();
                same.push(Lit::constant(!beyond));
                self.gates.all(&same)
            }
            Condition::Same(a, b) => {
                let (mut a, mut b) = (self.final_value(*a), self.final_value(*b));
                let width = a.len().max(b.len());
                a.resize(width, FALSE);
                b.resize(width, FALSE);
                equal(&mut self.gates, &a, &b)
            }
        }
    }

    fn final_value(&mut self, observable: u32) -> Vec<Lit> {
        let (facts, graph) = (self.facts, self.facts.graph);
        let cell = match graph.finals[observable as usize] {
            Final::Value(term) => {
                return self.words.bits(&mut self.gates, graph, term).to_vec();
            }
            Final::Cell(cell) => cell,
        };
        let writes = |n: &Node| {
            let event = facts.event(*n);
            event.kind.writes() && event.cells.contains(&cell)
        };
        let writes: Vec<Node> = (0..facts.len()).filter(writes).collect();
        let init = facts.node_of[graph.cells[cell as usize] as usize];
        let mut ways: Vec<Vec<Lit>> = Vec::new();
        for w in &writes {
            let here = init.map_or(TRUE, |init| self.same_address(*w, init));
            let parts = [self.happens(*w), here, self.none_after(*w, &writes)];
            let last = self.gates.all(&parts);
            let value = facts.event(*w).value;
            let bits = self.words.bits(&mut self.gates, graph, value);
            ways.resize(ways.len().max(bits.len()), Vec::new());
            for (way, bit) in ways.iter_mut().zip(bits.iter()) {
                way.push(self.gates.and(last, *bit));
            }
        }
        ways.iter().map(|way| self.gates.any(way)).collect()
    }
}
