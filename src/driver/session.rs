//! A session: one input, from its text to an outcome for each model.
//!
//! ```text
//! Input ── read ──▶ Session ── check(model, limits) ──▶ Outcome
//! ```
//!
//! What does not depend on the model is done once: reading, lowering, and for a C program the event
//! graph, if the models are named in advance ([`Session::unroll`]). The passes are listed in
//! [`super::passes`]; each kind of input has a file of its own beside this one.

use super::checks::Checks;
use super::claim::{self, Claimed, Comparison, Executions};
use super::cross::{CrossOptions, CrossOutcome};
use super::cubes::{self, PartOutcome, SplitCheck};
use super::error::Error;
use super::input::{Input, InputKind};
use super::limits::Limits;
use super::litmus::LitmusSession;
use super::model::ModelName;
use super::options::SessionOptions;
use super::outcome::Outcome;
use super::passes::Pass;
use super::program::{Context, Extent, ProgramSession};
use super::progress::{Listener, Progress};
use super::system::{CertificateOutcome, SystemSession};
use crate::base::diag::Diag;
use crate::base::source::{SourceMap, Span};
use crate::cat::model::Model;
use crate::check::bmc::Part;
use crate::check::loops::Loop;
use crate::check::split::Splitting;
use crate::ir::bounds::Bounds;
use crate::proof::graph::Graph;
use crate::unroll::show;

/// One input that has been read.
pub struct Session {
    name: String,
    sources: SourceMap,
    options: SessionOptions,
    parsed: Parsed,
    listener: Listener,
}

/// An input after its first pass.
enum Parsed {
    Program(Box<ProgramSession>),
    Litmus(Box<LitmusSession>),
    System(Box<SystemSession>),
}

impl Session {
    /// Reads an input.
    ///
    /// # Errors
    /// What is wrong with its text.
    pub fn read(input: &Input, options: &SessionOptions) -> Result<Session, Error> {
        Session::read_and_tell(input, options, Box::new(|_| {}))
    }

    /// The same, telling a listener what begins.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub fn read_and_tell(
        input: &Input,
        options: &SessionOptions,
        listener: Listener,
    ) -> Result<Session, Error> {
        listener(Progress::Reading);
        let mut sources = SourceMap::default();
        let parsed = match input.kind {
            InputKind::Program => {
                let program = ProgramSession::read(&mut sources, input, &options.program)?;
                Parsed::Program(Box::new(program))
            }
            InputKind::Assembly if options.program.threads.is_some() => {
                let program = ProgramSession::read(&mut sources, input, &options.program)?;
                Parsed::Program(Box::new(program))
            }
            InputKind::Litmus => Parsed::Litmus(Box::new(LitmusSession::read(
                &mut sources,
                input,
                &options.litmus,
            )?)),
            InputKind::System | InputKind::Assembly => {
                Parsed::System(Box::new(SystemSession::read(&mut sources, input)?))
            }
        };
        Ok(Session {
            name: input.shown(),
            sources,
            options: options.clone(),
            parsed,
            listener,
        })
    }

    /// Checks the input on a model.
    ///
    /// # Errors
    /// The input is wrong in a way that only a later pass sees, it cannot be checked on this model,
    /// or a bug of this tool.
    pub fn check(&mut self, model: &Model, limits: Limits) -> Result<Outcome, Error> {
        let sources = &self.sources;
        match &mut self.parsed {
            Parsed::Program(program) => {
                let context = Context {
                    sources,
                    options: &self.options.program,
                    limits,
                    progress: &self.listener,
                };
                let outcome = program.check(model, &context)?;
                Ok(Outcome::Program(Box::new(outcome)))
            }
            Parsed::Litmus(test) => {
                let outcome = test.check(model, sources, &self.options.litmus, limits)?;
                Ok(Outcome::Litmus(Box::new(outcome)))
            }
            Parsed::System(system) => {
                let outcome = system.check(&model.name, sources, &self.options.system, limits)?;
                Ok(Outcome::System(Box::new(outcome)))
            }
        }
    }

    /// Splits the check of a C program on a model into cubes; `None` when it is not hard, a limit was
    /// passed, or the input is no program. With the formula, if that is wanted.
    ///
    /// # Errors
    /// As [`Session::check`].
    pub fn split(
        &mut self,
        model: &Model,
        wanted: Splitting,
        formula: bool,
        limits: Limits,
    ) -> Result<Option<SplitCheck>, Error> {
        let Parsed::Program(program) = &mut self.parsed else {
            return Ok(None);
        };
        let context = Context {
            sources: &self.sources,
            options: &self.options.program,
            limits,
            progress: &self.listener,
        };
        cubes::split(program, model, &context, wanted, formula)
    }

    /// Checks a part of what was split, with the bounds that it was split with; the formula is made as
    /// for other solvers, if it was.
    ///
    /// # Errors
    /// As [`Session::check`]; the formula is another one than that which was split, or what another
    /// solver says is no answer.
    pub fn check_part(
        &mut self,
        model: &Model,
        part: &Part,
        bounds: &Bounds,
        formula: bool,
        limits: Limits,
    ) -> Result<PartOutcome, Error> {
        let Parsed::Program(program) = &mut self.parsed else {
            return Err(Error::Internal("only programs have parts".to_string()));
        };
        let context = Context {
            sources: &self.sources,
            options: &self.options.program,
            limits,
            progress: &self.listener,
        };
        cubes::check(program, model, &context, bounds, part, formula)
    }

    /// What a proof of an answer is about, see [`super::claim`].
    ///
    /// # Errors
    /// The model cannot be used with this program, or a bug of this tool.
    pub fn claim(
        &self,
        model: &Model,
        outcome: &Outcome,
        limits: Limits,
    ) -> Result<Option<Claimed>, Error> {
        let sources = &self.sources;
        match (&self.parsed, outcome) {
            (Parsed::Program(program), Outcome::Program(outcome)) => {
                claim::of_program(program, sources, model, outcome, limits)
            }
            (Parsed::Litmus(test), Outcome::Litmus(outcome)) => {
                claim::of_litmus(test, sources, model, outcome, limits)
            }
            _ => Ok(None),
        }
    }

    /// Compares what a proof is about with this input: the graph must be the one that is made of it with
    /// these bounds, and random executions of the graph must be what the program does. None of them may
    /// do what the proof says that none does.
    ///
    /// # Errors
    /// The input is no program or litmus test, it cannot be checked on this model, or a bug of this tool.
    pub fn compare(
        &mut self,
        claim: (&Graph, &Model, &Bounds),
        executions: Executions,
        limits: Limits,
    ) -> Result<Comparison, Error> {
        let sources = &self.sources;
        match &mut self.parsed {
            Parsed::Program(program) => {
                program.lower(sources, &self.options.program)?;
                claim::with_program(program, sources, claim, executions, limits)
            }
            Parsed::Litmus(test) => claim::with_litmus(test, sources, claim, executions, limits),
            Parsed::System(_) => {
                let diag = Diag::bare(format!("{} is no program", self.name));
                Err(Error::refused(sources, vec![diag]))
            }
        }
    }

    /// Asks three engines about a system on a model, by its name, and compares their answers.
    ///
    /// # Errors
    /// The input is no system, it cannot be checked on this model, or a bug of this tool.
    pub fn cross(
        &self,
        model: &str,
        options: &CrossOptions,
        limits: Limits,
    ) -> Result<CrossOutcome, Error> {
        match &self.parsed {
            Parsed::System(system) => {
                system.cross(model, &self.sources, &self.options.system, options, limits)
            }
            Parsed::Program(_) | Parsed::Litmus(_) => {
                let message = format!("{}: only systems have instances to compare", self.name);
                Err(Error::refused(&self.sources, vec![Diag::bare(message)]))
            }
        }
    }

    /// The files that were read; diagnostics and traces point into them.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The input's name, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads a model, so that its diagnostics point into the files of this session.
    ///
    /// # Errors
    /// There is no such model, or what is wrong with its text.
    pub fn load_model(&mut self, name: &ModelName) -> Result<Model, Error> {
        name.load(&mut self.sources)
    }

    /// What is checked of a C program; nothing before it is lowered.
    pub fn checks(&self) -> Checks {
        match &self.parsed {
            Parsed::Program(program) => program.checks(),
            Parsed::Litmus(_) | Parsed::System(_) => Checks::default(),
        }
    }

    /// Assertions of a C program.
    pub fn assertions(&self) -> usize {
        match &self.parsed {
            Parsed::Program(program) => program.assertions(),
            Parsed::Litmus(_) | Parsed::System(_) => 0,
        }
    }

    /// A C program looks at its arguments, and is checked with few and short ones alone.
    pub fn bounded_arguments(&self) -> bool {
        self.program()
            .is_some_and(|program| program.bounded_arguments)
    }

    /// What is taken for granted about what is not in a C program.
    pub fn assumptions(&self) -> &[String] {
        match &self.parsed {
            Parsed::Program(program) => program.assumptions(),
            Parsed::Litmus(_) | Parsed::System(_) => &[],
        }
    }

    /// Where a C program is written for x86 alone, and why.
    pub fn x86_only(&self) -> Option<(Span, &'static str)> {
        match &self.parsed {
            Parsed::Program(program) => program.x86_only(),
            Parsed::Litmus(_) | Parsed::System(_) => None,
        }
    }

    /// Definitions of macros in a C program that `-D` has replaced.
    pub fn replaced(&self) -> &[Span] {
        match &self.parsed {
            Parsed::Program(program) => program.replaced(),
            Parsed::Litmus(_) | Parsed::System(_) => &[],
        }
    }

    /// Seconds of the passes that all models share.
    pub fn spent(&self) -> f64 {
        match &self.parsed {
            Parsed::Program(program) => program.spent(),
            Parsed::Litmus(_) | Parsed::System(_) => 0.0,
        }
    }

    /// Lowers a C program; everything else has been.
    ///
    /// # Errors
    /// What is wrong with its types, or is not supported.
    pub fn lower(&mut self) -> Result<(), Error> {
        match &mut self.parsed {
            Parsed::Program(program) => program.lower(&self.sources, &self.options.program),
            Parsed::Litmus(_) | Parsed::System(_) => Ok(()),
        }
    }

    /// Whether every loop that has a bound of its own exists.
    ///
    /// # Errors
    /// One does not, or the program cannot be lowered.
    pub fn known_loops(&mut self) -> Result<(), Error> {
        self.lower()?;
        match &self.parsed {
            Parsed::Program(program) => program.known_loops(&self.options.program),
            Parsed::Litmus(test) => test.known_loops(&self.options.litmus),
            Parsed::System(_) => Ok(()),
        }
    }

    /// Unrolls a C program once for all these models. Models named here are checked on the same
    /// event graph afterwards. A limit that is exceeded is no error: the outcomes will say so.
    ///
    /// # Errors
    /// What is wrong with the program: its types, a missing `main`.
    pub fn unroll(
        &mut self,
        models: &[&Model],
        extent: Extent,
        limits: Limits,
    ) -> Result<(), Error> {
        match &mut self.parsed {
            Parsed::Program(program) => {
                let context = Context {
                    sources: &self.sources,
                    options: &self.options.program,
                    limits,
                    progress: &self.listener,
                };
                program.unroll(models, extent, &context)
            }
            Parsed::Litmus(_) | Parsed::System(_) => Ok(()),
        }
    }

    /// The loops of a C program that has been unrolled.
    pub fn loops(&self) -> Option<Vec<Loop>> {
        match &self.parsed {
            Parsed::Program(program) => program.loops(&self.options.program),
            Parsed::Litmus(_) | Parsed::System(_) => None,
        }
    }

    /// The program of a C input that has been lowered, or of a litmus test.
    pub fn program(&self) -> Option<&crate::ir::program::Program> {
        match &self.parsed {
            Parsed::Program(program) => program.program(),
            Parsed::Litmus(test) => Some(&test.test.program),
            Parsed::System(_) => None,
        }
    }

    /// The litmus test, if it is one.
    pub fn litmus(&self) -> Option<&LitmusSession> {
        match &self.parsed {
            Parsed::Litmus(test) => Some(test),
            Parsed::Program(_) | Parsed::System(_) => None,
        }
    }

    /// The system that an x86 program was translated to, or that was read.
    pub fn system(&self) -> Option<&crate::systems::cub::ast::File> {
        match &self.parsed {
            Parsed::System(system) => Some(system.file()),
            Parsed::Program(_) | Parsed::Litmus(_) => None,
        }
    }

    /// Checks a certificate of a system on a model.
    ///
    /// # Errors
    /// The input is no system, or there are no certificates on this model, or the text is none.
    pub fn check_certificate(&self, model: &str, text: &str) -> Result<CertificateOutcome, Error> {
        match &self.parsed {
            Parsed::System(system) => system.check_certificate(model, &self.sources, text),
            Parsed::Program(_) | Parsed::Litmus(_) => {
                let message = format!("{}: only systems have certificates", self.name);
                Err(Error::refused(&self.sources, vec![Diag::bare(message)]))
            }
        }
    }

    /// The conditions of a certificate of a system on a model, as goals in SMT-LIB 2 for any other
    /// solver; each is unsatisfiable if the certificate is valid.
    ///
    /// # Errors
    /// The input is no system, or there are no certificates on this model, or the text is none,
    /// or its goals are too large.
    pub fn certificate_goals(&self, model: &str, text: &str) -> Result<String, Error> {
        match &self.parsed {
            Parsed::System(system) => system.certificate_goals(model, &self.sources, text),
            Parsed::Program(_) | Parsed::Litmus(_) => {
                let message = format!("{}: only systems have certificates", self.name);
                Err(Error::refused(&self.sources, vec![Diag::bare(message)]))
            }
        }
    }

    /// What a pass before the model hands on, as text; `None` when it has none that a person reads,
    /// or a limit was exceeded. A C program has a syntax tree until it is lowered, and an event graph
    /// when it has been unrolled.
    ///
    /// # Errors
    /// Those of the passes on the way.
    pub fn dump(&mut self, pass: Pass) -> Result<Option<String>, Error> {
        if pass == Pass::Lower {
            self.lower()?;
        }
        Ok(match (pass, &self.parsed) {
            (Pass::Parse, Parsed::Program(program)) => program.syntax(),
            (Pass::Lower, Parsed::Program(program)) => program.program().map(|p| p.to_string()),
            (Pass::Lower, Parsed::Litmus(test)) => Some(test.test.program.to_string()),
            (Pass::Unroll, Parsed::Program(program)) => {
                program.graph().map(|g| show::show(g, &self.sources))
            }
            (Pass::Unroll, Parsed::Litmus(test)) => Some(show::show(&test.graph, &self.sources)),
            _ => None,
        })
    }

    /// The same for a pass that a model goes through.
    ///
    /// # Errors
    /// Those of the passes on the way.
    pub fn dump_on(
        &mut self,
        pass: Pass,
        model: &Model,
        limits: Limits,
    ) -> Result<Option<String>, Error> {
        match &mut self.parsed {
            Parsed::Program(program) => {
                let context = Context {
                    sources: &self.sources,
                    options: &self.options.program,
                    limits,
                    progress: &self.listener,
                };
                match pass {
                    Pass::Analyse => program.relations(model, &context),
                    Pass::Encode => program.formula(model, &context),
                    _ => self.dump(pass),
                }
            }
            Parsed::Litmus(test) if pass == Pass::Analyse => {
                test.relations(model, &self.sources, limits)
            }
            Parsed::Litmus(_) | Parsed::System(_) => self.dump(pass),
        }
    }
}

/// Reads an input and checks it on one model.
///
/// # Errors
/// As [`Session::read`] and [`Session::check`].
pub fn check(
    input: &Input,
    model: &Model,
    options: &SessionOptions,
    limits: Limits,
) -> Result<Outcome, Error> {
    Session::read(input, options)?.check(model, limits)
}
