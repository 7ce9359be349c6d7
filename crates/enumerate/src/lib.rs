//! Every execution of a bounded program, one by one: the reference for everything the solver
//! says.
//!
//! Slow and simple on purpose, it shares nothing with the unroller and the encoding, but reads the
//! same programs and models. Each thread is run alone by a small interpreter on concrete numbers,
//! and each of its reads returns any value that some thread may ever write there ([`explore`]); one
//! trace a thread is put together so that every value read is written ([`combine`]); for each
//! location the orders of its writes and the sources of its reads are enumerated ([`orders`]); and
//! each execution that comes of it is judged by the model's axioms ([`consistency`], `cat::eval`).
//!
//! Where all models ask for coherence or for atomicity of read-modify-writes, executions without
//! are left out before they are judged ([`shape`]); that is all the help there is. The cost is
//! exponential in the number of reads and of writes to one location: litmus tests, and programs not
//! much larger.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]

mod access;
pub mod code;
mod combine;
mod consistency;
mod explore;
mod grace;
mod lifetime;
mod loops;
mod objects;
mod options;
mod orders;
mod placement;
mod result;
mod section;
mod shape;
mod step;
mod thin_air;
mod thread_state;
mod trace;
mod value;
mod value_set;
mod violations;

pub use options::EnumerateOptions;
pub use result::{EnumerateError, Enumeration, FinalState, Violated};

use base::source::Span;
use cat::arch::is_kernel;
use cat::eval::Evaluator;
use cat::model::{Flag, FlagKind, Model};
use cat::pattern::{is_atomic, is_coherent};
use combine::{Combination, combinations};
use consistency::ExecutionSkeleton;
use explore::Explorer;
use ir::program::{Observable, ObservableId, Program, mask};
use objects::Initial;
use orders::Limit;
use shape::Shape;
use std::collections::{BTreeMap, BTreeSet};
use trace::{End, SnapshotId, ThreadTrace};

/// Steps of the search for orders of writes for each execution that may be judged.
const STEPS: u64 = 1024;

/// All executions of a program that a model allows; `interrupt` is asked now and then whether to
/// give up.
///
/// # Errors
/// See [`EnumerateError`].
pub fn enumerate(
    program: &Program,
    model: &Model,
    options: &EnumerateOptions,
    interrupt: &dyn Fn() -> bool,
) -> Result<Enumeration, EnumerateError> {
    let mut all = enumerate_all(program, std::slice::from_ref(model), options, interrupt)?;
    Ok(all.pop().expect("one model, one enumeration"))
}

/// [`enumerate`] for several models at once, one answer per model: executions are made once, unless control
/// dependencies end elsewhere on some of the models.
///
/// # Errors
/// See [`EnumerateError`].
pub fn enumerate_all(
    program: &Program,
    models: &[Model],
    options: &EnumerateOptions,
    interrupt: &dyn Fn() -> bool,
) -> Result<Vec<Enumeration>, EnumerateError> {
    let kernel = models.iter().all(is_kernel);
    if !kernel && models.iter().any(is_kernel) && program.has_scopes_of_kernel() {
        let each = models.iter();
        return each
            .map(|m| enumerate(program, m, options, interrupt))
            .collect();
    }
    let shape = Shape {
        coherent: models.iter().all(is_coherent),
        atomic: models.iter().all(is_atomic),
    };
    let mut explorer = Explorer::new(program, options, (shape.coherent, kernel), interrupt);
    explorer.run()?;
    let with_queries = violations::with_queries(models, &options.checks, explorer.has_lifetimes());
    let models = with_queries.as_deref().unwrap_or(models);
    let evaluators: Vec<Evaluator> = models.iter().map(Evaluator::new).collect();
    let mut answers = vec![Enumeration::default(); models.len()];
    let mut candidates = 0;
    let mut limits_reached = explorer.notes.clone();
    let mut limit = Limit {
        found: 0,
        steps: options.max_executions.saturating_mul(STEPS),
    };
    let gave_up = combinations(&explorer, &mut |combination| {
        if !explorer.places_fit(&combination) {
            return Ok(true);
        }
        let left = options.max_executions.saturating_sub(candidates);
        limit.found = usize::try_from(left).unwrap_or(usize::MAX).max(1);
        let Some(skeleton) = ExecutionSkeleton::new(&explorer, &combination, shape, &mut limit)
        else {
            return Ok(true);
        };
        candidates += skeleton.executions();
        let too_many = skeleton.incomplete || candidates > options.max_executions;
        if too_many {
            let text = format!("more than {} executions", options.max_executions);
            limits_reached.push((text, main_span(program)));
            return Ok(false);
        }
        let spurious = combination.traces.iter().any(|(_, trace)| trace.spurious);
        for ((model, evaluator), answer) in models.iter().zip(&evaluators).zip(&mut answers) {
            if spurious && !model.linked {
                continue;
            }
            let mut view = skeleton.view(model)?;
            let mut consistency = evaluator.consistency_check();
            for execution in skeleton.iter() {
                if interrupt() {
                    return Err(EnumerateError::Interrupted);
                }
                answer.candidates += 1;
                if view.allows(&skeleton, &execution, &mut consistency) {
                    let found = violations::found(
                        &skeleton,
                        &view,
                        (model, evaluator),
                        &execution,
                        options,
                    );
                    let traces = || combination.traces.iter();
                    let ended = traces().all(|(_, trace)| trace.ended());
                    let state =
                        ended.then(|| final_state(&explorer, &combination, &skeleton, &execution));
                    let known = |flag: &Flag| {
                        let states = answer.flags.get(&flag.name).zip(state.as_ref());
                        states.is_some_and(|(states, state)| states.contains(state))
                    };
                    let marks = view.flags(evaluator, model, &known);
                    add(
                        &explorer,
                        &combination,
                        (&skeleton, &execution),
                        (found, marks, state),
                        answer,
                    );
                }
            }
        }
        Ok(true)
    })?;
    if gave_up {
        let text = "too many traces that do not go together".to_string();
        limits_reached.push((text, main_span(program)));
    }
    for (model, answer) in models.iter().zip(&mut answers) {
        answer.limits_reached.extend(limits_reached.iter().cloned());
        let unfounded = explorer.unfounded || thin_air::is_possible(program, model);
        if !shape::is_thin(model) && unfounded {
            let text = "values that only justify each other".to_string();
            answer.limits_reached.insert((text, main_span(program)));
        }
    }
    Ok(answers)
}

/// Adds an allowed execution to the answer.
fn add(
    explorer: &Explorer,
    combination: &Combination,
    (skeleton, execution): (&ExecutionSkeleton, &[usize]),
    (found, marks, state): (BTreeSet<Violated>, Vec<&Flag>, Option<FinalState>),
    answer: &mut Enumeration,
) {
    answer.allowed += 1;
    for flag in &marks {
        if flag.kind == FlagKind::Wrong {
            let text = format!("executions in which `{}` of the model fails", flag.name);
            let span = main_span(explorer.program);
            answer.limits_reached.insert((text, span));
        }
    }
    let traces = || combination.traces.iter().map(|(_, trace)| *trace);
    let unsupported = traces().filter_map(|t| match &t.end {
        End::Unsupported(text, span) => Some((text.clone(), *span)),
        _ => None,
    });
    let unsupported: Vec<(String, Span)> = unsupported.collect();
    for trace in traces() {
        answer.limits_reached.extend(trace.notes.iter().cloned());
    }
    if skeleton.reads_arbitrary(execution) && !explorer.takes_one() {
        let text = "memory that is not initialised".to_string();
        answer
            .limits_reached
            .insert((text, main_span(explorer.program)));
    }
    if !unsupported.is_empty() {
        answer.unsupported.extend(unsupported);
        return;
    }
    let mut ends = traces().enumerate().map(|(i, t)| t.ends_process(i == 0));
    answer.ends |= state.is_some() || ends.any(|ends| ends);
    answer.stops.extend(traces().filter_map(ThreadTrace::stop));
    for violation in found {
        *answer.violations.entry(violation).or_default() += 1;
    }
    if let Some(state) = state {
        for flag in marks {
            let states = answer.flags.entry(flag.name.clone()).or_default();
            states.insert(state.clone());
        }
        *answer.states.entry(state).or_default() += 1;
    }
}

fn final_state(
    explorer: &Explorer,
    combination: &Combination,
    skeleton: &ExecutionSkeleton,
    execution: &[usize],
) -> FinalState {
    let last = skeleton.last(execution);
    let program = explorer.program;
    let observables = program.observables.iter_enumerated();
    let value = |(id, what): (ObservableId, &Observable)| match what {
        Observable::Register { .. } => {
            let traces = combination.traces.iter().rev();
            let mut said = traces.filter_map(|(_, t)| t.observed.get(&id));
            said.next().copied().unwrap_or(0)
        }
        Observable::Memory {
            global,
            offset,
            width,
        } => {
            let addr = program.static_address(*global) + offset;
            explorer.memory(combination.snapshot, &last, addr, *width)
        }
    };
    observables.map(value).collect()
}

fn main_span(program: &Program) -> Span {
    let main = program
        .main
        .expect("a program without main is refused at once");
    program.procs[main].span
}

impl Explorer<'_> {
    /// What memory contains initially.
    fn contents(&self, snapshot: Option<SnapshotId>, addr: u64) -> Initial {
        let width = self.value_sets.width_of(addr).unwrap_or(8);
        match snapshot.and_then(|s| self.snapshots[s].get(&addr)) {
            Some(value) => Initial::Known(value.word()),
            None => self.objects.initial(addr, width),
        }
    }

    /// What memory contains at the end, byte by byte; `last` are the last writes by location.
    fn memory(
        &self,
        snapshot: Option<SnapshotId>,
        last: &BTreeMap<u64, (u8, u64)>,
        addr: u64,
        width: u8,
    ) -> u64 {
        let before = snapshot.map(|s| &self.snapshots[s]);
        let mut number = 0;
        for i in 0..u64::from(width) / 8 {
            let at = addr + i;
            let near = at.saturating_sub(7)..=at;
            let covers = |start: u64, width: u8| at - start < u64::from(width) / 8;
            let written = last.range(near.clone()).find(|(a, (w, _))| covers(**a, *w));
            let written = written.map(|(a, (_, value))| (*a, *value));
            let written = written.or_else(|| {
                let mut near = before?.range(near);
                let (a, value) = near.find(|(a, value)| covers(**a, value.width))?;
                Some((*a, value.number))
            });
            let byte = match written {
                Some((start, value)) => value >> (8 * (at - start)),
                None => match self.objects.initial(at, 8) {
                    Initial::Known(byte) => byte.number,
                    Initial::Arbitrary(_) => 0,
                },
            };
            number |= (byte & 0xff) << (8 * i);
        }
        number & mask(width)
    }
}
