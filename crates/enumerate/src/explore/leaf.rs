//! The end of an execution: what it violates and the state it leaves.

use super::graph::{Graph, NodeKind, later};
use super::runs::{Answer, RunId, Stop};
use super::{Explorer, Halt};
use crate::allowed::AllowedExecution;
use crate::combine::Combination;
use crate::consistency::ExecutionSkeleton;
use crate::orders::{Location, LocationWitness};
use crate::trace::{InstanceId, ThreadTrace};
use rustc_hash::FxHashMap;

impl Explorer<'_> {
    /// No thread goes on in the graph.
    pub(super) fn leaf(&mut self, graph: &Graph) -> Result<(), Halt> {
        let mut traces: Vec<(InstanceId, ThreadTrace)> = Vec::new();
        // Reads in vain that were not added read from the last write.
        let mut last: Vec<(usize, usize, Option<usize>)> = Vec::new();
        for (id, thread) in graph.threads.iter().enumerate() {
            let run = self.end_of(graph, id, thread.run, &mut last)?;
            let run = &self.runs[run];
            let Stop::Ends(end) = &run.stop else {
                let stopped = "a thread that neither ends nor waits";
                return Err(Halt::refused(
                    stopped,
                    crate::main_span(self.interpreter.program),
                ));
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
        let before = self.found.found.violations.len();
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
        match self.first && self.found.found.violations.len() > before {
            true => Err(Halt::Found),
            false => Ok(()),
        }
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
                    let word = self.word(graph, write)?;
                    let outcomes = self.runs.outcomes(&mut self.interpreter, run, word)?;
                    last.push((thread, position, source));
                    let Some(next) = outcomes.first() else {
                        return Ok(run);
                    };
                    run = *next;
                }
                Stop::Joins(_) => {
                    let answer = Answer::Ending(None);
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
