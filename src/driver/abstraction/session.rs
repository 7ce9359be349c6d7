//! A program that has been read, on each model.

use super::options::{AbstractionMethod, AbstractionOptions, BufferBound, MAX_BUFFER};
use super::outcome::AbstractionOutcome;
use crate::commands::extract::{ThreadCount, extract};
use crate::commands::fuse::fuse;
use crate::commands::program::{Effect, Failure, LocId, Program, Step, ThreadId};
use crate::commands::strength::BufferModel;
use crate::driver::error::Error;
use crate::driver::input::Input;
use crate::driver::options::{ProgramOptions, SessionOptions};
use crate::driver::session::Session;
use crate::predabs::boolean::BooleanProgram;
use crate::predabs::cube::{Cube, MAX_PREDICATES};
use crate::predabs::extrapolate::{extrapolate, lift_cubes, with_temporaries};
use crate::predabs::implicants::CubeSearch;
use crate::predabs::predicates::{self, Predicate, PredicatesFile};
use crate::predabs::print;
use crate::predabs::reduce::reduce;
use base::diag::Diag;
use base::source::SourceMap;
use ir::program::PropertyKind;
use std::sync::OnceLock;

/// A program that has been read, with its predicates.
#[derive(Clone)]
pub struct Abstraction {
    pub(super) input: Input,
    pub(super) sources: SourceMap,
    pub(super) program: Program,
    pub(super) file: PredicatesFile,
    pub(super) options: AbstractionOptions,
    pub(super) discovery: OnceLock<Discovery>,
}

/// Says when to stop.
pub(super) type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// What discovery of predicates on SC came to.
#[derive(Clone)]
pub(super) struct Discovery {
    /// The predicates, those of the file first.
    pub(super) predicates: Vec<Predicate>,
    /// The answer on SC.
    pub(super) outcome: AbstractionOutcome,
}

/// A program on a model.
pub(super) struct OnModel {
    /// The predicates for SC.
    pub(super) given: Vec<Predicate>,
    pub(super) program: Program,
    pub(super) predicates: Vec<Predicate>,
}

impl Abstraction {
    /// Reads a program and its predicates.
    ///
    /// # Errors
    /// What is wrong with them, or not supported.
    pub fn read(input: &Input, options: &AbstractionOptions) -> Result<Abstraction, Error> {
        let session_options = SessionOptions {
            program: ProgramOptions {
                checks: Some(vec![PropertyKind::Assertion]),
                // The commands say where an access is outside of its object.
                subscripts_assumed: true,
                ..options.program.clone()
            },
            ..SessionOptions::default()
        };
        let session = Session::read(input, &session_options)?;
        let mut sources = session.sources().clone();
        let Some(ir) = session.program().filter(|_| session.litmus().is_none()) else {
            let message = format!(
                "{}: predicate abstraction is about C programs",
                input.shown()
            );
            return Err(Error::refused(&sources, vec![Diag::bare(message)]));
        };
        let extracted = extract(ir, ThreadCount::Fixed);
        let mut program = extracted.map_err(|d| Error::refused(&sources, vec![d]))?;
        fuse(&mut program);
        let file = match &options.predicates {
            None => PredicatesFile::default(),
            Some(input) => {
                let id = match &input.text {
                    Some(text) => sources.add(input.shown(), text.as_str()),
                    None => sources.load(&input.name).map_err(|e| {
                        let diag = Diag::unreadable(&e);
                        Error::refused(&sources, vec![diag])
                    })?,
                };
                predicates::parse(&sources, id, &program)
                    .map_err(|d| Error::refused(&sources, d))?
            }
        };
        Ok(Abstraction {
            input: input.clone(),
            sources,
            program,
            file,
            options: options.clone(),
            discovery: OnceLock::new(),
        })
    }

    /// The files that were read.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The smallest and the largest bound of the buffers.
    pub(super) fn bounds(&self) -> (u32, u32) {
        match self.options.buffer {
            BufferBound::Fixed(k) => (k, k),
            BufferBound::Auto => (1, MAX_BUFFER),
        }
    }

    pub(super) fn reduced(&self, model: &str, bound: u32) -> Result<(BufferModel, Program), Error> {
        let refused = |d| Error::refused(&self.sources, vec![d]);
        let Some(buffers) = BufferModel::named(model) else {
            let message = format!("programs cannot be abstracted on `{model}`");
            let diag = Diag::bare(message).note("they can on sc, tso and pso");
            return Err(refused(diag));
        };
        let program = reduce(&self.program, buffers, bound).map_err(refused)?;
        Ok((buffers, program))
    }

    /// The program with the buffers of a model, as C.
    ///
    /// # Errors
    /// What buffers cannot express.
    pub fn reduced_c(&self, model: &str) -> Result<String, Error> {
        Ok(print::c(&self.reduced(model, self.bounds().0)?.1))
    }

    /// The program with the buffers of a model, and with the invariants that are to hold.
    pub(super) fn with_invariants(&self, model: &str, bound: u32) -> Result<Program, Error> {
        let mut program = self.reduced(model, bound)?.1;
        add_invariants(&mut program, &self.file.invariants);
        Ok(program)
    }

    /// The program on a model, with what follows there from predicates for SC.
    pub(super) fn on(
        &self,
        model: &str,
        bound: u32,
        given: &[Predicate],
    ) -> Result<OnModel, Error> {
        let (buffers, mut program) = self.reduced(model, bound)?;
        let all = with_temporaries(&program, given);
        let predicates = extrapolate(&program, buffers, &all, self.options.rules);
        if predicates.len() > MAX_PREDICATES {
            let message = format!(
                "{} predicates are more than the {MAX_PREDICATES} that are supported",
                predicates.len()
            );
            return Err(Error::refused(
                &self.sources,
                vec![Diag::unsupported_input(message)],
            ));
        }
        add_invariants(&mut program, &self.file.invariants);
        Ok(OnModel {
            given: given.to_vec(),
            program,
            predicates,
        })
    }

    /// How cubes are found; nothing when `stop` said so.
    pub(super) fn cube_search(
        &self,
        on: &OnModel,
        method: AbstractionMethod,
        stop: &Stop,
    ) -> Result<Option<CubeSearch>, Error> {
        let size = self.options.cubes;
        Ok(match method {
            AbstractionMethod::Search => Some(CubeSearch::BySize(size)),
            AbstractionMethod::Predicates | AbstractionMethod::Auto => {
                Some(CubeSearch::Primes(size))
            }
            // There is nothing to extrapolate to.
            AbstractionMethod::Cubes if on.program.buffers.is_empty() => {
                Some(CubeSearch::Primes(size))
            }
            AbstractionMethod::Cubes => {
                let sc = self.build(
                    &self.on("sc", 1, &on.given)?,
                    CubeSearch::Primes(size),
                    stop,
                );
                sc.map(|sc| {
                    let cubes: Vec<Cube> = sc.cubes().into_iter().collect();
                    CubeSearch::Among(lift_cubes(&on.program, &on.predicates, &cubes))
                })
            }
        })
    }

    /// The Boolean program for a model; nothing when `stop` said so.
    pub(super) fn build(
        &self,
        on: &OnModel,
        search: CubeSearch,
        stop: &Stop,
    ) -> Option<BooleanProgram> {
        let build = || BooleanProgram::new(&on.program, &on.predicates, search.clone(), stop);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.options.jobs);
        match pool.build() {
            Ok(pool) => pool.install(build),
            // The machine has no more threads: the caller's do.
            Err(_) => build(),
        }
    }
}

/// Makes invariants steps that fail where they do not hold.
pub(super) fn add_invariants(program: &mut Program, invariants: &[Predicate]) {
    let span = program.threads[ThreadId(0)].locations[LocId(0)].span;
    for p in invariants {
        program.invariants.push(Step {
            guard: p.cond.negate(),
            effect: Effect::Fail(Failure::Invariant(p.text.clone())),
            ..Step::new(LocId(0), LocId(0), span)
        });
    }
}
