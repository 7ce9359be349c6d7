//! The event graph and the model's axioms as a formula (the paper's Sec. 5).
//!
//! The satisfying assignments of the formula are the executions of the program that the model
//! allows, up to the bound. What is asked of them is left to assumptions: each question is a
//! literal of [`Encoding`].

pub mod axioms;
pub mod bits;
pub mod circuit;
mod counters;
pub mod decision;
mod detours;
mod endings;
pub mod finals;
mod float;
pub mod lazy;
pub mod order;
pub mod positions;
pub mod progress;
pub mod purpose;
mod race;
mod read_from;
mod reductions;
pub mod relations;
mod robust;
mod section;
mod section_order;
mod sums;
mod symmetry;
mod unfinished;
pub mod values;

use crate::relations::bounds::{Analysis, Node};
use crate::unroll::event::{CellId, EventId};
use crate::unroll::term::TermId;
use base::idx::Id;
use bits::Blaster;
use cat::model::BaseRel;
use finals::Finals;
use ir::program::PropertyKind;
use ir::property::asks_for_progress;
use lazy::LazyAxioms;
use order::Backend;
use progress::NoProgress;
pub use race::Pairs;
pub use reductions::{Reduced, Reductions};
pub use relations::EncodeError;
use relations::Encoder;
use smt::sat::cnf::{Cnf, Lit};
use std::collections::BTreeMap;

/// A formula, and where in it the execution is found.
pub struct Encoding {
    /// The clauses.
    pub cnf: Cnf,
    /// How many clauses are for what.
    pub parts: Vec<(String, u64)>,
    /// Literals of values.
    pub blaster: Blaster,
    /// Read-from candidates.
    pub rf: BTreeMap<(EventId, EventId), Lit>,
    /// Coherence: the first write before the second.
    pub co: BTreeMap<(EventId, EventId), Lit>,
    /// By check: it is reached and does not hold.
    pub violated: Vec<Lit>,
    /// Pairs of events that may race, with the literal that they do; see [`Analysis::model`]'s
    /// `race`.
    pub races: Pairs,
    /// Accesses to an object that does not exist and the events that it begins or ends with, each
    /// pair with the literal that it is one; see [`Analysis::model`]'s `lifetime`.
    pub outside_lifetime: Pairs,
    /// By flag of the model: pairs of events that mark an execution, with the literal that they do.
    pub flags: Vec<Pairs>,
    /// The execution is not sequentially consistent; false unless asked for; see [`Analysis::model`]'s `robust`.
    pub not_robust: Lit,
    /// No thread makes progress any more; false unless asked for.
    pub no_progress: NoProgress,
    /// By unsupported construct: it is reached.
    pub unsupported: Vec<Lit>,
    /// By unresolved access: it is reached.
    pub unresolved: Vec<Lit>,
    /// By bound of a loop: it is reached.
    pub bounds_reached: Vec<Lit>,
    /// All threads end, or the process does.
    pub ends: Lit,
    /// By wait and by stop of the event graph: a thread goes no further there. None where every
    /// execution ends.
    pub halted: Vec<Lit>,
    /// Final states.
    pub finals: Finals,
    /// Axioms that are not among the clauses, but judge each satisfying assignment.
    pub lazy: Option<LazyAxioms>,
    /// What reductions did.
    pub reduced: Reduced,
    /// The writes that take a lock, each with the lock.
    pub acquisitions: BTreeMap<EventId, CellId>,
}

/// What is asked of a formula.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queries<'a> {
    /// Violations of these kinds of property; without any it is executions that are asked for.
    pub kinds: &'a [PropertyKind],
    /// Whether an execution ends.
    pub endings: bool,
}

/// Encodes the executions of an event graph under a model; what costs extra only where it is asked for.
/// Where values alone say that no property is violated, there is nothing to encode.
///
/// # Errors
/// The model uses a recursive relation negatively where it is not known statically, or `interrupt`,
/// asked now and then, answers true (and does so ever after).
pub fn encode(
    analysis: &Analysis,
    backend: Backend,
    reductions: Reductions,
    queries: Queries,
    interrupt: &dyn Fn() -> bool,
) -> Result<Encoding, EncodeError> {
    let graph = analysis.graph;
    // A reduction keeps whether some execution violates a property, and leaves out others, which may be the ones
    // that are not sequentially consistent.
    let reductions = match analysis.model.robust {
        Some(_) => Reductions::NONE,
        None => reductions,
    };
    let mut e = Encoder::new(analysis, backend, reductions, interrupt);
    let enabled = queries.kinds;
    let lazy = match e.is_decided(queries) {
        true => None,
        false => e.executions(enabled),
    };
    if interrupt() {
        return Err(EncodeError::Interrupted);
    }
    let races = e.query_pairs(analysis.model.race);
    let outside_lifetime = e.query_pairs(analysis.model.lifetime);
    e.require_wrong_access(&[&races, &outside_lifetime]);
    let flags = analysis.model.flags.iter();
    let flags = flags.map(|flag| e.query_pairs(Some(flag.rel))).collect();
    let not_robust = e.cycle(analysis.model.robust);
    let no_progress = match asks_for_progress(enabled) {
        true => e.no_progress(),
        false => NoProgress::NONE,
    };
    if let Some(error) = e.error {
        return Err(error);
    }
    let reached = |guard: TermId, e: &mut Encoder| e.lit(guard);
    if !analysis.model.linked {
        for fails in &graph.spurious {
            let fails = e.lit(*fails);
            e.cnf.clause(&[!fails]);
        }
    }
    let mut violated = Vec::new();
    for check in &graph.checks {
        if e.stopped() {
            return Err(EncodeError::Interrupted);
        }
        let (guard, cond) = (reached(check.guard, &mut e), reached(check.cond, &mut e));
        violated.push(e.cnf.and(guard, !cond));
    }
    let unsupported = graph
        .unsupported
        .iter()
        .map(|g| reached(g.guard, &mut e))
        .collect();
    let unresolved = graph
        .unresolved
        .iter()
        .map(|g| reached(g.guard, &mut e))
        .collect();
    let bounds_reached = graph
        .bounds_reached
        .iter()
        .map(|c| match &c.section {
            None => reached(c.guard, &mut e),
            Some(section) => {
                let (guard, disturbed) = (reached(c.guard, &mut e), e.disturbed(section));
                e.cnf.and(guard, disturbed)
            }
        })
        .collect();
    let (ends, halted) = match queries.endings {
        true => e.endings(),
        false => (Lit::TRUE, Vec::new()),
    };
    let finals = e.finals();
    let event = |n: &Node| analysis.nodes[*n];
    let sections = e.section_order.sections.all.iter();
    let acquisitions = sections.map(|s| (event(&s.acquire), s.lock)).collect();
    Ok(Encoding {
        rf: e
            .rf
            .iter()
            .map(|((w, r), l)| ((event(w), event(r)), *l))
            .collect(),
        co: e
            .co
            .iter()
            .map(|((a, b), l)| ((event(a), event(b)), *l))
            .collect(),
        parts: purpose::parts(&e.cnf, analysis.model),
        cnf: e.cnf,
        blaster: e.blaster,
        violated,
        not_robust,
        no_progress,
        races,
        outside_lifetime,
        flags,
        unsupported,
        unresolved,
        bounds_reached,
        ends,
        halted,
        finals,
        lazy,
        reduced: e.section_order.reduced,
        acquisitions,
    })
}

impl Encoder<'_> {
    /// What is known of values says no to everything that is asked.
    fn is_decided(&mut self, queries: Queries) -> bool {
        let (a, graph) = (self.analysis, self.analysis.graph);
        let mut relations = a.model.queries();
        if queries.kinds.is_empty()
            || queries.endings
            || asks_for_progress(queries.kinds)
            || relations.any(|query| !self.open_pairs(query).is_empty())
        {
            return false;
        }
        let open = graph.unsupported.iter().chain(&graph.unresolved);
        let open = open.map(|construct| construct.guard);
        let mut reached = open.chain(graph.bounds_reached.iter().map(|bound| bound.guard));
        let mut checks = graph.checks.iter();
        reached.all(|guard| self.lit(guard) == Lit::FALSE)
            && checks.all(|c| self.lit(c.cond) == Lit::TRUE || self.lit(c.guard) == Lit::FALSE)
    }

    /// The executions that the model allows, but for axioms that are to be judged lazily.
    fn executions(&mut self, enabled: &[PropertyKind]) -> Option<LazyAxioms> {
        self.cnf.turn_to(purpose::READ_FROM);
        self.read_from();
        // Coherence literals first, so that every axiom sees them.
        let co = &self.analysis.base[&BaseRel::Co].may;
        for (a, b) in co.pairs() {
            if self.stopped() {
                break;
            }
            self.coherence(Node::from_index(a), Node::from_index(b));
        }
        self.cnf.turn_to(purpose::REDUCTIONS);
        self.unfinished_sections();
        if let Some(mut values) = self.values.take() {
            self.counters(&mut values);
        }
        self.sums();
        if self.reductions.symmetry {
            self.symmetry(enabled);
        }
        self.cnf.turn_to(purpose::OTHER);
        self.axioms()
    }
}

impl Encoding {
    /// The formula in DIMACS format, with a last clause that asks for one of the `goals`; comments
    /// say what the literals mean. With cubes the format is that of incremental solvers (iCNF), which
    /// says nothing of sizes, and has a line for each cube at the end.
    pub fn dimacs(
        &self,
        analysis: &Analysis,
        goals: &[(PropertyKind, Lit)],
        cubes: Option<&[Vec<Lit>]>,
    ) -> String {
        use std::fmt::Write;
        let graph = analysis.graph;
        let mut out = String::new();
        let _ = writeln!(
            out,
            "c executions of the program allowed by {}",
            analysis.model.name
        );
        for ((w, r), l) in &self.rf {
            let _ = writeln!(out, "c {} = rf {w} {r}", l.0);
        }
        for ((a, b), l) in &self.co {
            let _ = writeln!(out, "c {} = co {a} {b}", l.0);
        }
        for (id, e) in graph.events.iter_enumerated() {
            if let Some(bits) = self.blaster.known(e.guard) {
                let _ = writeln!(out, "c {} = {id} happens", bits[0].0);
            }
            if let Some(bits) = self.blaster.known(e.value) {
                let bits: Vec<String> = bits.iter().map(|l| l.0.to_string()).collect();
                let _ = writeln!(
                    out,
                    "c {} = value of {id}, lowest bit first",
                    bits.join(" ")
                );
            }
        }
        for (site, ways) in &graph.open_orders {
            let events = graph.events.iter_enumerated();
            let there = events.filter(|(_, e)| e.span == site.span);
            let there: Vec<String> = there.map(|(id, _)| id.to_string()).collect();
            for (order, when) in ways {
                if let Some(bits) = self.blaster.known(*when) {
                    let (l, events) = (bits[0].0, there.join(" "));
                    let _ = writeln!(out, "c {l} = order {order:?} of {:?}: {events}", site.kind);
                }
            }
        }
        for (check, l) in graph.checks.iter().zip(&self.violated) {
            let text = one_line(&check.property.text);
            let _ = writeln!(out, "c {} = violated: {text}", l.0);
        }
        for (what, pairs) in [
            ("race", &self.races),
            ("use of what is freed", &self.outside_lifetime),
        ] {
            for ((a, b), l) in pairs {
                let _ = writeln!(out, "c {} = {what}: {a} {b}", l.0);
            }
        }
        for (what, unsupported, lits) in [
            ("unsupported", &graph.unsupported, &self.unsupported),
            ("unresolved access", &graph.unresolved, &self.unresolved),
        ] {
            for (construct, l) in unsupported.iter().zip(lits) {
                let _ = writeln!(out, "c {} = {what}: {}", l.0, one_line(&construct.reason));
            }
        }
        for (at_bound, l) in graph.bounds_reached.iter().zip(&self.bounds_reached) {
            let _ = writeln!(out, "c {} = bound reached: {}", l.0, at_bound.name);
        }
        for (kind, l) in goals {
            let name = kind.name();
            let _ = writeln!(
                out,
                "c {} = {name} is violated before anything unsupported",
                l.0
            );
        }
        let kinds: Vec<&str> = goals.iter().map(|(kind, _)| kind.name()).collect();
        let kinds = kinds.join(", ");
        let _ = writeln!(out, "c the last clause asks for a violation of: {kinds}");
        let (variables, clauses) = (self.cnf.num_vars(), self.cnf.num_clauses() + 1);
        let _ = match cubes {
            None => writeln!(out, "p cnf {variables} {clauses}"),
            Some(_) => writeln!(out, "p inccnf"),
        };
        for clause in self.cnf.flat.split_inclusive(|l| *l == 0) {
            let lits: Vec<String> = clause.iter().map(|l| l.to_string()).collect();
            let _ = writeln!(out, "{}", lits.join(" "));
        }
        let goals: String = goals.iter().map(|(_, l)| format!("{} ", l.0)).collect();
        let _ = writeln!(out, "{goals}0");
        for cube in cubes.unwrap_or_default() {
            let literals: String = cube.iter().map(|l| format!("{} ", l.0)).collect();
            let _ = writeln!(out, "a {literals}0");
        }
        out
    }
}

/// A comment must not end early.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
