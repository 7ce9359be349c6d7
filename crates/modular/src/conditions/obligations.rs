//! What is to be shown of a program, what may be invariants, and what is known of its objects.

use crate::analysis::Analysis;
use crate::answer::Unproved;
use crate::candidates::{Candidate, Scope, candidates};
use crate::cells::{Cells, Guard};
use crate::graph::Place;
use crate::liveness::{Live, live_registers};
use crate::points_to::Class;
use crate::value::{At, KindId};
use base::idx::IdVec;
use base::source::Span;
use ir::program::{Expr, GlobalId, Op, Program, PropertyKind};
use std::collections::BTreeSet;

/// Points of all kinds of threads at most.
const MOST_POINTS: usize = 20_000;

/// What is to be shown of a program.
#[derive(Clone, Debug)]
pub struct ProofQuestion<'a> {
    /// Kinds of property that are asked about.
    pub kinds: &'a [PropertyKind],
    /// While a thread is in an atomic section, no other one does anything.
    pub sections_exclude: bool,
}

/// Which candidates are invariants.
#[derive(Clone, Copy, Debug)]
pub enum Invariants<'a> {
    /// That is not known yet: whether each is assumed is an input.
    Searched,
    /// These.
    Known(&'a BTreeSet<usize>),
}

/// A program whose safety is to be shown, as conditions.
pub struct Obligations<'a> {
    pub(super) program: &'a Program,
    pub(super) question: ProofQuestion<'a>,
    pub(super) analysis: &'a Analysis,
    pub(super) cells: Cells<'a>,
    pub(super) live: IdVec<KindId, Live>,
    /// Some object on a stack must not be written.
    pub(super) has_constants: bool,
    /// What may be invariants.
    pub candidates: Vec<Candidate>,
}

impl<'a> Obligations<'a> {
    /// Looks at a program.
    ///
    /// # Errors
    /// What is not supported.
    pub fn new(
        program: &'a Program,
        question: ProofQuestion<'a>,
        analysis: &'a Analysis,
    ) -> Result<Obligations<'a>, Unproved> {
        let graphs = &analysis.threads.graphs;
        if graphs.iter().map(|g| g.order.len()).sum::<usize>() > MOST_POINTS {
            return Err(Unproved::TooLarge);
        }
        let cells = Cells::new(program, analysis, question.sections_exclude)?;
        let live = graphs.iter().map(|g| live_registers(program, g)).collect();
        let candidates = candidates(program, analysis, &cells, &live);
        let mut code = program.procs.iter().flat_map(|p| &p.body);
        let has_constants = code.any(|i| matches!(i.op, Op::Constant { .. }));
        Ok(Obligations {
            program,
            question,
            analysis,
            cells,
            live,
            has_constants,
            candidates,
        })
    }

    /// The text of the assertion that a candidate holds.
    pub fn holds(&self, candidate: usize) -> String {
        let text = &self.candidates[candidate].text;
        format!("invariant {candidate}: {text} {}", self.when(candidate))
    }

    /// A candidate as people read it: comparisons without `u` are those of signed numbers, as in C.
    pub fn condition(&self, candidate: usize) -> String {
        let Candidate {
            condition, text, ..
        } = &self.candidates[candidate];
        // What has two operands, or three, is between brackets.
        let text = match condition {
            Expr::Binary(..) | Expr::Ite(..) => &text[1..text.len() - 1],
            _ => text,
        };
        text.replace("<=s ", "<= ").replace("<s ", "< ")
    }

    /// When a candidate holds, as a part of a sentence; empty where that is always, or at a loop.
    pub fn when(&self, candidate: usize) -> String {
        match &self.candidates[candidate].scope {
            Scope::Guard(Guard::Lock(class, offset)) => {
                let name = self.cells.name(self.program, *class, *offset);
                // The lock, not a member of it.
                let name = name.split(".__").next().unwrap_or_default();
                format!("while no thread has `{name}`")
            }
            Scope::Guard(Guard::Section) => "outside of atomic sections".to_string(),
            Scope::Guard(Guard::Flag(flag)) => {
                let (global, offset, _) = flag.bytes;
                let name = self.cells.name(self.program, Class::Global(global), offset);
                format!("once a thread has seen `{name}` raised")
            }
            Scope::Cell(_) | Scope::Loop(..) => String::new(),
        }
    }

    /// The header of the loop at which a candidate holds, if it is about one.
    pub fn header(&self, candidate: usize) -> Option<Span> {
        let Scope::Loop(kind, header) = &self.candidates[candidate].scope else {
            return None;
        };
        let graph = &self.analysis.threads.graphs[*kind];
        let Place::Before(frame, pc) = graph.places[*header] else {
            return None;
        };
        let body = &self.program.procs[graph.frames[frame].proc].body;
        Some(body[pc].span)
    }

    /// Whether it matters that threads which a loop creates have different numbers.
    pub fn counts_threads(&self) -> bool {
        let mut conducts = self.analysis.conducts.iter();
        conducts.any(|conduct| !conduct.covered.is_empty())
    }

    /// The text of the assertion that a candidate is assumed.
    pub fn is_assumed(&self, candidate: usize) -> String {
        format!("invariant {candidate} is assumed")
    }

    /// Whether all of an object with static storage is known, and may be written.
    pub(super) fn is_plain(&self, g: GlobalId) -> bool {
        !self.program.undefined.contains_key(&g)
            && !self.program.read_only.contains(&g)
            && !self.program.globals[g].thread_local
    }

    /// Whether an allocation makes one object at most, for each thread, and no loop ends it.
    pub(super) fn ends_at_most_once(&self, (kind, node): At) -> bool {
        let Analysis {
            threads,
            points_to,
            conducts,
        } = self.analysis;
        let in_loop = |(kind, node): At| !threads.graphs[kind].loops[node].is_empty();
        let is_made = |class: &Class| *class == Class::Object((kind, node));
        let mut ends = conducts.iter().flat_map(|c| &c.accesses);
        let ends_in_loop = ends.any(|a| {
            let of = || points_to.of(&threads.values, a.addr);
            a.size.is_none() && in_loop(a.at) && of().objects.keys().any(is_made)
        });
        let is_shared = !points_to.is_private(Class::Object((kind, node)));
        let is_one = !points_to.many[kind] || !is_shared;
        is_one && !in_loop((kind, node)) && !ends_in_loop
    }
}
