//! The end of an execution: what it violates and the state it leaves.

use super::error::Halt;
use super::graph::{Graph, GraphThread, later};
use super::runs::{NodeKind, RunAnswer, RunId, Stop};
use super::witness::witness;
use super::{Explorer, STEPS_AFTER};
use crate::allowed::AllowedExecution;
use crate::combine::Combination;
use crate::consistency::ExecutionSkeleton;
use crate::objects::Objects;
use crate::orders::{Location, LocationWitness};
use crate::trace::{Claim, End, InstanceId, ThreadTrace};
use ir::program::{Claimed, PropertyKind};
use ir::property::asks_for_progress;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl Explorer<'_> {
    /// No thread goes on in the graph.
    pub(super) fn leaf(&mut self, graph: &Graph) -> Result<(), Halt> {
        if let Some(mutex) = self.disturbed(graph) {
            self.interpreter.omitted.disturbed.insert(mutex);
            return Err(Halt::Restart);
        }
        if self.first && self.is_harmless(graph) {
            return self.count(graph);
        }
        let mut traces: Vec<(InstanceId, ThreadTrace)> = Vec::new();
        // Reads in vain that were not added read from the last write.
        let mut last: Vec<(usize, usize, Option<usize>)> = Vec::new();
        for (id, thread) in graph.threads.iter().enumerate() {
            let run = self.end_of(graph, id, thread.run, &mut last)?;
            let run = &self.runs[run];
            let Stop::Ends(end) = &run.stop else {
                let stopped = "a thread that neither ends nor waits";
                return Err(Halt::refused(stopped, self.interpreter.program.main_span()));
            };
            let trace = (*run.state).clone().finish(end.clone());
            traces.push((thread.instance, trace));
        }
        let combination = Combination {
            traces: traces.iter().map(|(i, t)| (*i, t)).collect(),
            snapshot: graph.snapshot(&self.runs),
        };
        let interpreter = &self.interpreter;
        if !interpreter.places_fit(&combination) {
            return Ok(());
        }
        let evaluator = &self.evaluators[usize::from(self.runs.has_lifetimes)];
        let choices = |skeleton: &ExecutionSkeleton, addr: u64, at: &Location| {
            self.choices(graph, &last, skeleton, addr, at)
        };
        let skeleton = ExecutionSkeleton::of_execution(interpreter, &combination, &choices);
        let Some(skeleton) = skeleton else {
            return Ok(());
        };
        let mut view = skeleton.view(evaluator.model)?;
        let execution = vec![0; skeleton.witnesses.len()];
        let mut consistency = evaluator.consistency_check();
        let allowed = view.allows(&skeleton, &execution, &mut consistency);
        assert!(allowed, "an execution is explored that the model forbids");
        let allowed = AllowedExecution {
            interpreter,
            combination: &combination,
            skeleton: &skeleton,
            view: &view,
            execution: &execution,
        };
        self.found.found.candidates += 1;
        match traces.iter().all(|(_, t)| t.ended()) {
            true => self.found.complete += 1,
            false => self.found.blocked += 1,
        }
        allowed.add(evaluator, &mut self.found.found);
        if self.first {
            let violated = self.found.found.violations.keys().map(|(kind, ..)| *kind);
            let new: BTreeSet<PropertyKind> = violated
                .filter(|kind| !self.found.witnesses.contains_key(kind))
                .collect();
            if !new.is_empty() {
                let of = (&self.runs, graph);
                let witness = witness(interpreter, of, &skeleton, &traces);
                let all = new.into_iter().map(|kind| (kind, witness.clone()));
                self.found.witnesses.extend(all);
                let more = STEPS_AFTER.max(self.steps);
                self.last_step = self.last_step.min(self.steps + more);
            }
        }
        Ok(())
    }

    /// Whether it shows without the relations of the model that an execution violates nothing.
    fn is_harmless(&self, graph: &Graph) -> bool {
        let checks = |kind| self.interpreter.options.checks.contains(&kind);
        let states = || graph.threads.iter().map(|t| &self.runs[t.run].state);
        let claims = || states().flat_map(|s| &s.claims);
        let mut keys: Vec<u64> = claims().map(|c| c.key).collect();
        keys.sort_unstable();
        let is_claimed_once = keys.windows(2).all(|k| k[0] != k[1]);
        let has_thread = |key: u64| graph.threads.iter().any(|t| Objects::handle(t.key) == key);
        let is_claimed_well = |c: &Claim| match &c.claims {
            Some((Claimed::Object, _)) => true,
            Some(_) => has_thread(c.key),
            None => false,
        };
        let ends = |t: &GraphThread| matches!(self.runs[t.run].stop, Stop::Ends(End::Ended(_)));
        let queries = self.evaluators[1].model.queries();
        let mut found = queries.filter(|rel| graph.has_pair(self.plan, *rel));
        // Reads in vain are not in the graph, and may be what is wrong.
        let is_about_reads = checks(PropertyKind::Race)
            || asks_for_progress(&self.interpreter.options.checks)
            || self.runs.has_lifetimes;
        (!is_about_reads || graph.threads.iter().all(ends))
            && found.next().is_none()
            && (!checks(PropertyKind::Leak) || states().all(|s| s.heap.is_empty()))
            && states().all(|s| s.violated.is_empty() && s.decided.is_empty())
            && is_claimed_once
            && claims().all(is_claimed_well)
    }

    /// A mutex of which critical sections were left out, although some thread comes between another one's lock
    /// and release: it reads that the mutex is held and goes on, or writes it.
    fn disturbed(&self, graph: &Graph) -> Option<u64> {
        let sections = self.interpreter.omitted.sections.borrow();
        let mut all = sections.iter().filter(|(addr, free)| {
            let mut locations = graph.locations.iter();
            let Some(mutex) = locations.find(|l| l.addr == **addr) else {
                return false;
            };
            let holds = |w: usize| self.word(graph, w) != Some(**free);
            let goes_on = |r: &usize| {
                let node = &graph.nodes[*r];
                let source = &graph.nodes[node.source];
                source.thread != node.thread && holds(node.source) && !self.runs[node.run].is_idle
            };
            let comes_between = |pair: &[usize]| {
                let [before, after] = [pair[0], pair[1]];
                graph.nodes[before].thread != graph.nodes[after].thread && holds(before)
            };
            mutex.reads.iter().any(goes_on) || mutex.writes.windows(2).any(comes_between)
        });
        all.next().map(|(addr, _)| *addr)
    }

    /// Counts an execution that violates nothing.
    fn count(&mut self, graph: &Graph) -> Result<(), Halt> {
        let mut last = Vec::new();
        let mut has_ended = true;
        let found = &mut self.found.found;
        found.candidates += 1;
        found.allowed += 1;
        for id in 0..graph.threads.len() {
            let run = self.end_of(graph, id, graph.threads[id].run, &mut last)?;
            let (run, found) = (&self.runs[run], &mut self.found.found);
            found.limits_reached.extend(run.state.notes.iter().cloned());
            let is_end = match &run.stop {
                Stop::Ends(End::Ended(_)) => true,
                Stop::Ends(End::Unsupported(text, span)) => {
                    found.unsupported.insert((text.clone(), *span));
                    false
                }
                Stop::Ends(end) => {
                    found.stops.extend(end.stop());
                    found.ends |= *end == End::Halted;
                    false
                }
                _ => false,
            };
            found.ends |= id == 0 && is_end && run.state.returned;
            has_ended &= is_end;
        }
        self.found.found.ends |= has_ended;
        match has_ended {
            true => self.found.complete += 1,
            false => self.found.blocked += 1,
        }
        Ok(())
    }

    /// The last run of a thread, with the reads in vain that were not added: thread, position, source.
    fn end_of(
        &mut self,
        graph: &Graph,
        thread: usize,
        mut run: RunId,
        last: &mut Vec<(usize, usize, Option<usize>)>,
    ) -> Result<RunId, Halt> {
        loop {
            let now = &self.runs[run];
            match now.stop {
                Stop::Reads { addr, .. } => {
                    let position = now.start + now.events.len();
                    let accesses = graph.locations.iter().find(|l| l.addr == addr);
                    let source = accesses.and_then(|l| l.writes.last().copied());
                    let init = accesses.map(|l| l.init);
                    let Some(write) = source.or(init) else {
                        return Ok(run);
                    };
                    let Some(word) = self.word(graph, write) else {
                        return Ok(run);
                    };
                    let outcomes = self.runs.outcomes(&mut self.interpreter, run, word)?;
                    last.push((thread, position, source));
                    let Some(next) = outcomes.first() else {
                        return Ok(run);
                    };
                    run = *next;
                }
                Stop::Joins(_) => {
                    let answer = RunAnswer::Ending(None);
                    run = self.runs.next(&mut self.interpreter, run, answer)?;
                }
                Stop::Chooses(_) | Stop::Ends(_) => return Ok(run),
            }
        }
    }

    /// The order of writes and the sources of reads of a location in the graph.
    fn choices(
        &self,
        graph: &Graph,
        last: &[(usize, usize, Option<usize>)],
        skeleton: &ExecutionSkeleton,
        addr: u64,
        at: &Location,
    ) -> LocationWitness {
        let event = |node: usize| {
            let node = &graph.nodes[node];
            skeleton.number(node.thread, self.runs[node.run].start + node.index)
        };
        let accesses = graph.locations.iter().find(|l| l.addr == addr);
        let writes = accesses.map_or(&[][..], |l| &l.writes);
        let place = |source: Option<usize>| match (accesses, source) {
            (Some(accesses), Some(source)) => writes.len() - later(accesses, source).len(),
            _ => 0,
        };
        let mut sources: FxHashMap<usize, usize> = FxHashMap::default();
        for read in accesses.map_or(&[][..], |l| &l.reads) {
            debug_assert_eq!(graph.nodes[*read].kind, NodeKind::Read);
            sources.insert(event(*read), place(Some(graph.nodes[*read].source)));
        }
        for (thread, position, source) in last {
            sources.insert(skeleton.number(*thread, *position), place(*source));
        }
        LocationWitness {
            order: writes.iter().map(|w| event(*w)).collect(),
            sources: at
                .reads
                .iter()
                .map(|r| sources.get(r).copied().unwrap_or(0))
                .collect(),
        }
    }
}
