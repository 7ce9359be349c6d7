//! A session: one input, from its text to an outcome for each model.
//!
//! ```text
//! Input ── read ──▶ ParsedInput ── lower ──▶ Session ── check(model, limits) ──▶ Outcome
//! ```
//!
//! What does not depend on the model is done once: reading, lowering, and for a C program the event
//! graph, if the models are named in advance ([`Session::unroll`]). The passes are listed in
//! [`super::passes`]; each kind of input has a file of its own beside this one.

use super::any_number;
use super::checks::Checks;
use super::claim::{self, Claimed, Comparison, Executions};
use super::cross::{CrossOptions, CrossOutcome};
use super::cubes::{self, PartOutcome, SplitCheck};
use super::error::Error;
use super::harnesses;
use super::input::{Input, InputKind};
use super::limits::Limits;
use super::litmus::LitmusSession;
use super::model::ModelName;
use super::options::SessionOptions;
use super::orders::{
    self, ChangedFile, EditScope, Edited, FoundSite, LitmusOrders, OrdersOptions, OrdersOutcome,
    OrdersVerdict,
};
use super::outcome::Outcome;
use super::parsed::ParsedProgram;
use super::passes::Pass;
use super::program::{Context, Extent, ProgramSession};
use super::program_system;
use super::progress::{Listener, Progress};
use super::system::{CertificateOutcome, SystemSession};
use crate::check::bmc::Part;
use crate::check::loops::Loop;
use crate::check::orders::Orders;
use crate::check::split::Splitting;
use crate::unroll::show;
use base::diag::Diag;
use base::source::{SourceMap, Span};
use cat::model::Model;
use ir::bounds::Bounds;
use ir::program::MemoryOrder;
use ir::sites::SiteKind;
use proof::bundle::Conditions;
use proof::graph::Graph;
use std::collections::BTreeSet;
use std::path::Path;
use systems::cub;

/// An input after its first pass, and a listener that is told what begins.
pub struct ParsedInput {
    name: String,
    sources: SourceMap,
    options: SessionOptions,
    listener: Listener,
    syntax: Syntax,
}

enum Syntax {
    Program(Box<ParsedProgram>),
    /// What has nothing but the first pass before a model counts.
    Other(Lowered),
}

/// One input that has been read and lowered.
pub struct Session {
    name: String,
    sources: SourceMap,
    options: SessionOptions,
    lowered: Lowered,
    listener: Listener,
}

enum Lowered {
    Program(Box<ProgramSession>),
    Litmus(Box<LitmusSession>),
    System(Box<SystemSession>),
}

impl ParsedInput {
    /// Parses an input.
    ///
    /// # Errors
    /// What is wrong with its text.
    pub fn read(
        input: &Input,
        options: &SessionOptions,
        listener: Listener,
    ) -> Result<ParsedInput, Error> {
        listener(Progress::Reading);
        let mut sources = SourceMap::default();
        let options = &options.settled();
        let of_program = match input.kind {
            InputKind::Program => true,
            InputKind::Assembly => options.program.threads.is_some(),
            InputKind::Litmus | InputKind::System => false,
        };
        let syntax = if of_program {
            Syntax::Program(Box::new(ParsedProgram::read(
                &mut sources,
                input,
                &options.program,
            )?))
        } else if input.kind == InputKind::Litmus {
            let test = LitmusSession::read(&mut sources, input, &options.litmus)?;
            Syntax::Other(Lowered::Litmus(Box::new(test)))
        } else {
            let system = SystemSession::read(&mut sources, input)?;
            Syntax::Other(Lowered::System(Box::new(system)))
        };
        Ok(ParsedInput {
            name: input.shown(),
            sources,
            options: options.clone(),
            listener,
            syntax,
        })
    }

    /// The files that were read.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The syntax tree of a program as text.
    pub fn syntax(&self) -> Option<String> {
        match &self.syntax {
            Syntax::Program(program) => Some(program.syntax()),
            Syntax::Other(_) => None,
        }
    }

    /// Lowers a C program; everything else has been.
    ///
    /// # Errors
    /// What is wrong with its types, or is not supported.
    pub fn lower(self) -> Result<Session, Error> {
        let lowered = match self.syntax {
            Syntax::Program(program) => {
                let options = &self.options.program;
                let lowered = program.lower(&self.sources, options)?;
                let others = program.lower_others(&self.sources, options)?;
                let session = ProgramSession::new(lowered, options).with_others(others);
                Lowered::Program(Box::new(session))
            }
            Syntax::Other(lowered) => lowered,
        };
        Ok(Session {
            name: self.name,
            sources: self.sources,
            options: self.options,
            lowered,
            listener: self.listener,
        })
    }
}

impl Session {
    /// Reads an input.
    ///
    /// # Errors
    /// What is wrong with its text, or not supported.
    pub fn read(input: &Input, options: &SessionOptions) -> Result<Session, Error> {
        ParsedInput::read(input, options, Box::new(|_| {}))?.lower()
    }

    /// Checks the input on a model.
    ///
    /// # Errors
    /// The input is wrong in a way that only a later pass sees, it cannot be checked on this model,
    /// or a bug of this tool.
    pub fn check(&mut self, model: &Model, limits: Limits) -> Result<Outcome, Error> {
        let sources = &self.sources;
        match &mut self.lowered {
            Lowered::Program(program) => {
                let context = Context {
                    sources,
                    options: &self.options.program,
                    limits,
                    progress: &self.listener,
                };
                if self.options.any_threads {
                    return any_number::check(program.lowered(), model, &self.options, &context);
                }
                let outcome = harnesses::check(program, model, &context)?;
                Ok(Outcome::Program(Box::new(outcome)))
            }
            Lowered::Litmus(test) => {
                let outcome = test.check(model, sources, &self.options.litmus, limits)?;
                Ok(Outcome::Litmus(Box::new(outcome)))
            }
            Lowered::System(system) => {
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
        let Lowered::Program(program) = &mut self.lowered else {
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
        let Lowered::Program(program) = &mut self.lowered else {
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
        match (&self.lowered, outcome) {
            (Lowered::Program(program), Outcome::Program(outcome)) => {
                claim::of_program(program, sources, model, outcome, limits)
            }
            (Lowered::Litmus(test), Outcome::Litmus(outcome)) => {
                claim::of_litmus(test, sources, model, outcome, limits)
            }
            _ => Ok(None),
        }
    }

    /// Compares what a proof is about with this input: the graph must be the one that is made of it with
    /// these bounds, or of the conditions of a proof thread by thread on a model with invariants by their numbers; and
    /// random executions of the graph must be what the program, or that of the conditions, does. None of them may do what
    /// the proof says that none does.
    ///
    /// # Errors
    /// The input is no program or litmus test, it cannot be checked on this model, or a bug of this tool.
    pub fn compare(
        &mut self,
        claim: (&Graph, &Model, &Bounds),
        conditions: Option<&Conditions>,
        executions: Executions,
        limits: Limits,
    ) -> Result<Comparison, Error> {
        let sources = &self.sources;
        match &mut self.lowered {
            Lowered::Program(program) => {
                claim::with_program(program, sources, claim, conditions, executions, limits)
            }
            Lowered::Litmus(test) => claim::with_litmus(test, sources, claim, executions, limits),
            Lowered::System(_) => {
                let diag = Diag::bare(format!("{} is no program", self.name));
                Err(Error::refused(sources, vec![diag]))
            }
        }
    }

    /// Asks three engines about a system on a model, by its name, or about a C program with any number of
    /// threads, and compares their answers.
    ///
    /// # Errors
    /// The input is a litmus test, it cannot be checked on this model, or a bug of this tool.
    pub fn cross(
        &self,
        model: &str,
        options: &CrossOptions,
        limits: Limits,
    ) -> Result<CrossOutcome, Error> {
        let (sources, of_systems) = (&self.sources, &self.options.system);
        match &self.lowered {
            Lowered::System(system) => {
                system.cross(model, sources, of_systems, options, limits, None)
            }
            Lowered::Program(program) => any_number::cross(
                program.lowered(),
                model,
                sources,
                of_systems,
                options,
                limits,
            ),
            Lowered::Litmus(_) => {
                let message = format!("{}: a litmus test has no instances to compare", self.name);
                Err(Error::refused(sources, vec![Diag::bare(message)]))
            }
        }
    }

    /// Looks for the memory orders that a C program needs on all of some models.
    ///
    /// # Errors
    /// The input is no C program, it cannot be checked on one of the models, what is asked for does not exist,
    /// or a bug of this tool.
    pub fn orders(
        &self,
        models: &[&Model],
        options: &OrdersOptions,
        limits: Limits,
    ) -> Result<OrdersOutcome, Error> {
        let Lowered::Program(program) = &self.lowered else {
            let diag = Diag::bare(format!("{} is no C program", self.name));
            return Err(Error::refused(&self.sources, vec![diag]));
        };
        let context = Context {
            sources: &self.sources,
            options: &self.options.program,
            limits,
            progress: &self.listener,
        };
        let mut outcome = orders::orders(program, models, options, &context)?;
        if let OrdersVerdict::Chosen(chosen) = &mut outcome.verdict {
            chosen.edited = self.edited(&outcome.sites)?;
        }
        Ok(outcome)
    }

    /// Looks for the orders, fences and dependencies that a litmus test needs on all of some models so that its
    /// condition cannot hold.
    ///
    /// # Errors
    /// The input is no litmus test, a model cannot be used with it, what is asked for does not exist, or a bug of
    /// this tool.
    pub fn litmus_orders(
        &self,
        models: &[&Model],
        options: &OrdersOptions,
        limits: Limits,
    ) -> Result<LitmusOrders, Error> {
        let Lowered::Litmus(test) = &self.lowered else {
            let diag = Diag::bare(format!("{} is no litmus test", self.name));
            return Err(Error::refused(&self.sources, vec![diag]));
        };
        let litmus = &self.options.litmus;
        orders::of_litmus(test, &self.sources, models, (options, litmus), limits)
    }

    /// The formula of a C program on a model in which the memory orders are open, in DIMACS format; `None` when a limit was
    /// exceeded, or of what is no C program.
    ///
    /// # Errors
    /// As of [`Self::orders`].
    pub fn orders_formula(
        &self,
        model: &Model,
        options: &OrdersOptions,
        limits: Limits,
    ) -> Result<Option<String>, Error> {
        let Lowered::Program(program) = &self.lowered else {
            return Ok(None);
        };
        let context = Context {
            sources: &self.sources,
            options: &self.options.program,
            limits,
            progress: &self.listener,
        };
        orders::formula(program, model, options, &context)
    }

    /// The text with the chosen orders. Where it is one file it is read again: it must be the program that was
    /// checked.
    fn edited(&self, found: &[FoundSite]) -> Result<Edited, Error> {
        for scope in [EditScope::All, EditScope::Calls] {
            let edited = orders::edited(&self.sources, found, scope);
            let is_own = |file: &ChangedFile| file.name == self.name;
            match &edited.files[..] {
                [] => return Ok(edited),
                [file] if is_own(file) => {
                    let orders = self.orders_of_text(&file.text);
                    if orders.is_some_and(|o| o == orders::orders_after(found, &edited)) {
                        let is_read_again = true;
                        return Ok(Edited {
                            is_read_again,
                            ..edited
                        });
                    }
                }
                _ if scope == EditScope::Calls => return Ok(edited),
                _ => {}
            }
        }
        Ok(orders::edited(&self.sources, found, EditScope::Nothing))
    }

    /// The orders of this input with another text; `None` when that is not a program.
    fn orders_of_text(&self, text: &str) -> Option<Vec<(SiteKind, MemoryOrder)>> {
        let mut options = self.options.clone();
        let path = Path::new(&self.name);
        let folder = path.parent().filter(|p| p.as_os_str() != "");
        let folder = folder.map(Path::to_path_buf);
        options.program.c.include_dirs.extend(folder);
        let session = Session::read(&Input::text(path, text), &options).ok()?;
        Some(orders::orders_of(session.program()?, &session.sources))
    }

    /// Checks a C program on a model with other memory orders than its own.
    ///
    /// # Errors
    /// As [`Session::check`].
    pub fn check_with_orders(
        &self,
        chosen: &Orders,
        model: &Model,
        limits: Limits,
    ) -> Result<Outcome, Error> {
        let Lowered::Program(program) = &self.lowered else {
            let diag = Diag::bare(format!("{} is no C program", self.name));
            return Err(Error::refused(&self.sources, vec![diag]));
        };
        let context = Context {
            sources: &self.sources,
            options: &self.options.program,
            limits,
            progress: &self.listener,
        };
        let outcome = program.with_orders(chosen).check(model, &context)?;
        Ok(Outcome::Program(Box::new(outcome)))
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

    /// What is checked of a C program.
    pub fn checks(&self) -> Checks {
        match &self.lowered {
            Lowered::Program(program) => program.lowered().checks.clone(),
            Lowered::Litmus(_) | Lowered::System(_) => Checks::default(),
        }
    }

    /// Assertions of a C program.
    pub fn assertions(&self) -> usize {
        match &self.lowered {
            Lowered::Program(program) => program.lowered().program.assertions(),
            Lowered::Litmus(_) | Lowered::System(_) => 0,
        }
    }

    /// A C program looks at its arguments, and is checked with few and short ones alone.
    pub fn bounded_arguments(&self) -> bool {
        self.program()
            .is_some_and(|program| program.bounded_arguments)
    }

    /// What is taken for granted about what is not in a C program.
    pub fn assumptions(&self) -> &[String] {
        match &self.lowered {
            Lowered::Program(program) => &program.lowered().program.assumptions,
            Lowered::Litmus(_) | Lowered::System(_) => &[],
        }
    }

    /// Where a C program is written for x86 alone, and why.
    pub fn x86_only(&self) -> Option<(Span, &'static str)> {
        match &self.lowered {
            Lowered::Program(program) => program.x86_only(),
            Lowered::Litmus(_) | Lowered::System(_) => None,
        }
    }

    /// What a C program has that is most likely not meant so.
    pub fn warnings(&self) -> &[Diag] {
        match &self.lowered {
            Lowered::Program(program) => &program.lowered().program.warnings,
            Lowered::Litmus(_) | Lowered::System(_) => &[],
        }
    }

    /// The places in the text of a C program whose memory orders are weaker than `seq_cst`.
    pub fn weak_orders(&self) -> BTreeSet<Span> {
        let Lowered::Program(program) = &self.lowered else {
            return BTreeSet::new();
        };
        let sites = ir::sites::sites(&program.lowered().program).into_iter();
        let weak = sites.filter(|(_, order)| *order != MemoryOrder::SeqCst);
        let own = weak.filter(|(site, _)| orders::is_own(&self.sources, site));
        own.map(|(site, _)| site.span).collect()
    }

    /// Seconds of the passes that all models share.
    pub fn spent(&self) -> f64 {
        match &self.lowered {
            Lowered::Program(program) => program.spent(),
            Lowered::Litmus(_) | Lowered::System(_) => 0.0,
        }
    }

    /// Whether every loop that has a bound of its own exists.
    ///
    /// # Errors
    /// One does not.
    pub fn known_loops(&self) -> Result<(), Error> {
        match &self.lowered {
            Lowered::Program(program) => program.known_loops(&self.options.program),
            Lowered::Litmus(test) => test.known_loops(&self.options.litmus),
            Lowered::System(_) => Ok(()),
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
        match &mut self.lowered {
            Lowered::Program(program) => {
                let context = Context {
                    sources: &self.sources,
                    options: &self.options.program,
                    limits,
                    progress: &self.listener,
                };
                program.unroll(models, extent, &context)
            }
            Lowered::Litmus(_) | Lowered::System(_) => Ok(()),
        }
    }

    /// The loops of a C program that has been unrolled.
    pub fn loops(&self) -> Option<Vec<Loop>> {
        match &self.lowered {
            Lowered::Program(program) => program.loops(&self.options.program),
            Lowered::Litmus(_) | Lowered::System(_) => None,
        }
    }

    /// The program of a C input or of a litmus test.
    pub fn program(&self) -> Option<&ir::program::Program> {
        match &self.lowered {
            Lowered::Program(program) => Some(&program.lowered().program),
            Lowered::Litmus(test) => Some(&test.test.program),
            Lowered::System(_) => None,
        }
    }

    /// The litmus test, if it is one.
    pub fn litmus(&self) -> Option<&LitmusSession> {
        match &self.lowered {
            Lowered::Litmus(test) => Some(test),
            Lowered::Program(_) | Lowered::System(_) => None,
        }
    }

    /// The system that an x86 program was translated to, or that was read.
    pub fn system(&self) -> Option<&systems::cub::ast::File> {
        match &self.lowered {
            Lowered::System(system) => Some(system.file()),
            Lowered::Program(_) | Lowered::Litmus(_) => None,
        }
    }

    /// The system of a C program with any number of threads, for a model by its name.
    ///
    /// # Errors
    /// What does not fit, another model, or the input is no C program.
    pub fn any_number(&self, model: &str) -> Result<cub::ast::File, Error> {
        match &self.lowered {
            Lowered::Program(program) => {
                let found = program_system::system(program.lowered(), model, &self.sources)?;
                Ok(found.system.file().clone())
            }
            Lowered::Litmus(_) | Lowered::System(_) => {
                let diag = Diag::bare(format!("{} is no C program", self.name));
                Err(Error::refused(&self.sources, vec![diag]))
            }
        }
    }

    /// Checks a certificate of a system on a model, or of a C program for any number of threads.
    ///
    /// # Errors
    /// The input is a litmus test, or there are no certificates on this model, or the text is none.
    pub fn check_certificate(&self, model: &str, text: &str) -> Result<CertificateOutcome, Error> {
        match &self.lowered {
            Lowered::System(system) => system.check_certificate(model, &self.sources, text),
            Lowered::Program(program) => {
                let found = program_system::certifiable(program.lowered(), model, &self.sources)?;
                let system = found.system;
                system.check_certificate(found.model, &self.sources, text)
            }
            Lowered::Litmus(_) => {
                let message = format!(
                    "{}: a litmus test has no certificate of this kind",
                    self.name
                );
                Err(Error::refused(&self.sources, vec![Diag::bare(message)]))
            }
        }
    }

    /// The conditions of a certificate of a system on a model, as goals in SMT-LIB 2 for any other
    /// solver; each is unsatisfiable if the certificate is valid.
    ///
    /// # Errors
    /// The input is a litmus test, or there are no certificates on this model, or the text is none,
    /// or its goals are too large.
    pub fn certificate_goals(&self, model: &str, text: &str) -> Result<String, Error> {
        match &self.lowered {
            Lowered::System(system) => system.certificate_goals(model, &self.sources, text),
            Lowered::Program(program) => {
                let found = program_system::certifiable(program.lowered(), model, &self.sources)?;
                let system = found.system;
                system.certificate_goals(found.model, &self.sources, text)
            }
            Lowered::Litmus(_) => {
                let message = format!(
                    "{}: a litmus test has no certificate of this kind",
                    self.name
                );
                Err(Error::refused(&self.sources, vec![Diag::bare(message)]))
            }
        }
    }

    /// What a pass before the model hands on, as text; `None` when it has none that a person reads,
    /// or a limit was exceeded. A C program has an event graph when it has been unrolled.
    pub fn dump(&self, pass: Pass) -> Option<String> {
        match (pass, &self.lowered) {
            (Pass::Lower, _) => self.program().map(|program| program.to_string()),
            (Pass::Unroll, Lowered::Program(program)) => {
                program.graph().map(|g| show::show(g, &self.sources))
            }
            (Pass::Unroll, Lowered::Litmus(test)) => Some(show::show(&test.graph, &self.sources)),
            _ => None,
        }
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
        match &mut self.lowered {
            Lowered::Program(program) => {
                let context = Context {
                    sources: &self.sources,
                    options: &self.options.program,
                    limits,
                    progress: &self.listener,
                };
                match pass {
                    Pass::Analyse => program.relations(model, &context),
                    Pass::Encode => program.formula(model, &context),
                    _ => Ok(self.dump(pass)),
                }
            }
            Lowered::Litmus(test) if pass == Pass::Analyse => {
                test.relations(model, &self.sources, limits)
            }
            Lowered::Litmus(_) | Lowered::System(_) => Ok(self.dump(pass)),
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
