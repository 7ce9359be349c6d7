//! Every execution of a bounded program, one by one: the reference for everything the solver
//! says.
//!
//! Slow and simple on purpose, it shares nothing with the unroller and the encoding, but reads the
//! same programs and models. Each thread is run alone by a small interpreter on concrete numbers,
//! and each of its reads returns any value that some thread may ever write there ([`traces`]); one
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
mod allowed;
pub mod code;
mod combine;
mod consistency;
pub mod explore;
mod grace;
mod idle;
mod interpreter;
mod lifetime;
mod loops;
mod objects;
mod omitted;
mod options;
mod orders;
mod placement;
mod result;
mod script;
mod section;
mod shape;
mod step;
mod thin_air;
mod thread_state;
mod trace;
mod traces;
mod value;
mod value_set;
mod violations;

pub use options::EnumerateOptions;
pub use result::{EnumerateError, Enumeration, FinalState, Violated};

use allowed::AllowedExecution;
use cat::arch::is_kernel;
use cat::eval::Evaluator;
use cat::model::Model;
use cat::pattern::{is_atomic, is_coherent};
use combine::combinations;
use consistency::ExecutionSkeleton;
use interpreter::Interpreter;
use ir::program::Program;
use orders::Limit;
use shape::Shape;

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
    let mut interpreter = Interpreter::new(program, options, (shape.coherent, kernel), interrupt);
    interpreter.run()?;
    let with_queries =
        violations::with_queries(models, &options.checks, interpreter.has_lifetimes());
    let models = with_queries.as_deref().unwrap_or(models);
    let evaluators: Vec<Evaluator> = models.iter().map(Evaluator::new).collect();
    let mut answers = vec![Enumeration::default(); models.len()];
    let mut candidates = 0;
    let mut limits_reached = interpreter.notes.clone();
    let mut limit = Limit {
        found: 0,
        steps: options.max_executions.saturating_mul(STEPS),
    };
    let gave_up = combinations(&interpreter, &mut |combination| {
        if !interpreter.places_fit(&combination) {
            return Ok(true);
        }
        let left = options.max_executions.saturating_sub(candidates);
        limit.found = usize::try_from(left).unwrap_or(usize::MAX).max(1);
        let Some(skeleton) = ExecutionSkeleton::new(&interpreter, &combination, shape, &mut limit)
        else {
            return Ok(true);
        };
        candidates += skeleton.executions();
        let too_many = skeleton.incomplete || candidates > options.max_executions;
        if too_many {
            let text = format!("more than {} executions", options.max_executions);
            limits_reached.push((text, program.main_span()));
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
                    let allowed = AllowedExecution {
                        interpreter: &interpreter,
                        combination: &combination,
                        skeleton: &skeleton,
                        view: &view,
                        execution: &execution,
                    };
                    allowed.add(evaluator, answer);
                }
            }
        }
        Ok(true)
    })?;
    if gave_up {
        let text = "too many traces that do not go together".to_string();
        limits_reached.push((text, program.main_span()));
    }
    for (model, answer) in models.iter().zip(&mut answers) {
        answer.limits_reached.extend(limits_reached.iter().cloned());
        let unfounded = interpreter.unfounded || thin_air::is_possible(program, model);
        if !shape::is_thin(model) && unfounded {
            let text = "values that only justify each other".to_string();
            answer.limits_reached.insert((text, program.main_span()));
        }
    }
    Ok(answers)
}
