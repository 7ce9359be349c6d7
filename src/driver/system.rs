//! A system of any number of processes on its way through the passes: read, or made of an x86
//! program, resolved for the model's memory, explored, and its trace replayed.

use super::error::Error;
use super::input::{Input, InputKind};
use super::limits::{self, Limits};
use super::options::{SystemOptions, SystemStrategy};
use super::outcome::{ExploredNode, Processes, SystemOutcome, SystemVerdict};
use super::system_run::RunNames;
use crate::front::asm;
use crate::lower::asm_system;
use crate::parameterize::Parameterized;
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use systems::certificate;
use systems::cub;
use systems::cube::event::EventCube;
use systems::cube::{AnyCube, Cube, Rules};
use systems::init::is_init_unsatisfiable;
use systems::search::{AbstractTrace, Search, SearchOptions};
use systems::system::{MemorySemantics, Property, RACE, StoreOrder, System, resolve};
use systems::theory::SystemContext;

/// The program that a system was made of.
struct Translated {
    /// If it is one for x86.
    assembly: Option<asm::ast::Program>,
    /// What its variables are called.
    variables: Vec<String>,
    /// What the values of its enumerations stand for.
    constants: BTreeMap<String, i64>,
    /// It has integers without bounds.
    unbounded: bool,
    /// The variables that a C program accesses without being atomic, if its atomic accesses are sequentially
    /// consistent.
    plain: Option<BTreeSet<String>>,
}

/// A model on which a system does what it does on another one, if it has none of some races there.
struct Strongest<'a> {
    name: &'a str,
    races: Vec<Property>,
}

impl Strongest<'_> {
    /// The model itself.
    fn same(name: &str) -> Strongest<'_> {
        let races = Vec::new();
        Strongest { name, races }
    }
}

/// The models on which a C program without data races, whose atomic accesses are sequentially consistent, has the
/// executions of SC: that of the language, and those of machines for which compilers keep that promise.
pub(super) const LANGUAGE: [&str; 4] = ["rc11", "aarch64", "riscv", "power"];

/// A system that has been read.
pub struct SystemSession {
    name: String,
    file: cub::ast::File,
    translated: Option<Translated>,
}

impl SystemSession {
    /// Reads a system.
    ///
    /// # Errors
    /// What is wrong with its text.
    pub fn read(sources: &mut SourceMap, input: &Input) -> Result<SystemSession, Error> {
        let id = match &input.text {
            Some(text) => sources.add(input.shown(), text.as_str()),
            None => sources.load(&input.name).map_err(|e| {
                let diag = Diag::unreadable(&e);
                Error::refused(sources, vec![diag])
            })?,
        };
        let refused = |d| Error::refused(sources, d);
        let (file, translated) = if input.kind == InputKind::Assembly {
            let program = asm::parse(sources, id).map_err(refused)?;
            let translation = asm_system::translate(sources, &program).map_err(refused)?;
            let translated = Translated {
                assembly: Some(program),
                variables: translation.variables,
                constants: translation.constants,
                unbounded: true,
                plain: None,
            };
            (translation.system, Some(translated))
        } else {
            (cub::parse(sources, id).map_err(refused)?, None)
        };
        Ok(SystemSession {
            name: input.shown(),
            file,
            translated,
        })
    }

    /// The system of a C program.
    pub(super) fn of_program(name: &str, system: Parameterized) -> SystemSession {
        SystemSession {
            name: name.to_string(),
            file: system.system,
            translated: Some(Translated {
                assembly: None,
                variables: system.variables,
                constants: system.constants,
                unbounded: system.has_integers,
                plain: system.weak.is_none().then_some(system.plain),
            }),
        }
    }

    /// Its syntax.
    pub fn file(&self) -> &cub::ast::File {
        &self.file
    }

    /// The x86 program that it was made of.
    pub(super) fn program(&self) -> Option<&asm::ast::Program> {
        self.translated.as_ref()?.assembly.as_ref()
    }

    /// The words for a run.
    pub(super) fn names<'a>(&'a self, sources: &'a SourceMap) -> RunNames<'a> {
        RunNames {
            sources,
            variables: self.translated.as_ref().map(|t| t.variables.as_slice()),
            constants: self.translated.as_ref().map(|t| &t.constants),
        }
    }

    /// Names and types, for a model's memory.
    fn resolve(
        &self,
        sources: &SourceMap,
        model: &str,
        strategy: SystemStrategy,
    ) -> Result<(System, StoreOrder), Error> {
        let (memory, order) = match (model, strategy) {
            ("sc", SystemStrategy::Tso) => (MemorySemantics::Flat, StoreOrder::Sc),
            ("sc", SystemStrategy::Generic) => (MemorySemantics::Buffered, StoreOrder::Sc),
            ("tso", _) => (MemorySemantics::Buffered, StoreOrder::Tso),
            ("pso", _) => (MemorySemantics::Buffered, StoreOrder::Pso),
            (other, _) => {
                return Err(Error::refused(sources, vec![unsupported_model(other)]));
            }
        };
        match resolve(&self.file, memory) {
            Ok(system) => Ok((system, order)),
            Err(mut diags) => {
                // What has no place at least names the file.
                for d in diags.iter_mut().filter(|d| d.labels.is_empty()) {
                    d.message = format!("{}: {}", self.name, d.message);
                }
                Err(Error::refused(sources, diags))
            }
        }
    }

    /// The system whose instances are looked at on a model: resolved for buffers where that is
    /// possible, as it says then who performs what.
    pub(super) fn instance_system(
        &self,
        model: &str,
        sources: &SourceMap,
    ) -> Result<(System, StoreOrder), Error> {
        if model == "sc"
            && let Ok(found) = self.resolve(sources, model, SystemStrategy::Generic)
        {
            return Ok(found);
        }
        self.resolve(sources, model, SystemStrategy::Tso)
    }

    /// The strongest model on which the system does what it does on this one, and the races without which it does.
    fn strongest<'a>(&self, model: &'a str, sources: &SourceMap) -> Result<Strongest<'a>, Error> {
        // On SC some systems are none with buffers.
        if model == "sc" {
            return Ok(Strongest::same(model));
        }
        if LANGUAGE.contains(&model) {
            let races = self.races_of_plain(sources)?;
            let missing = || Error::refused(sources, vec![unsupported_model(model)]);
            let name = "sc";
            return Ok(Strongest {
                name,
                races: races.ok_or_else(missing)?,
            });
        }
        let (system, order) = self.resolve(sources, model, SystemStrategy::Generic)?;
        let found = system.strongest(order);
        let name = match found.order {
            same if same == order => model,
            StoreOrder::Sc => "sc",
            StoreOrder::Tso => "tso",
            StoreOrder::Pso => "pso",
        };
        Ok(Strongest {
            name,
            races: found.races,
        })
    }

    /// The races of the variables that a C program accesses without being atomic; nothing where there is no such promise.
    fn races_of_plain(&self, sources: &SourceMap) -> Result<Option<Vec<Property>>, Error> {
        let Some(plain) = self.translated.as_ref().and_then(|t| t.plain.as_ref()) else {
            return Ok(None);
        };
        let (system, _) = self.resolve(sources, "sc", SystemStrategy::Generic)?;
        let symbols = system.symbols.iter_enumerated();
        let data = symbols.filter(|(_, s)| plain.contains(&s.name));
        Ok(system.races_of(&data.map(|(sym, _)| sym).collect()))
    }

    /// Checks the system on a model, by its name.
    ///
    /// # Errors
    /// What is wrong with the system, that it cannot be checked on this model, or that its certificate proves
    /// nothing, which is a bug of this tool.
    pub fn check(
        &self,
        model: &str,
        sources: &SourceMap,
        options: &SystemOptions,
        limits: Limits,
    ) -> Result<SystemOutcome, Error> {
        let strongest = match options.strategy {
            None => self.strongest(model, sources)?,
            Some(_) => Strongest::same(model),
        };
        if strongest.races.is_empty() {
            return self.check_on(model, &strongest, sources, options, limits);
        }
        let half = Limits {
            timeout: limits.timeout.map(|s| s / 2.0),
            ..limits
        };
        let mut found = self.check_on(model, &strongest, sources, options, half)?;
        if matches!(found.verdict, SystemVerdict::Safe) {
            return Ok(found);
        }
        if !LANGUAGE.contains(&model) {
            return self.check_on(model, &Strongest::same(model), sources, options, half);
        }
        // A violation is one with races, too.
        let on_sc = Strongest::same(strongest.name);
        let without = self.check_on(model, &on_sc, sources, options, half)?;
        if matches!(without.verdict, SystemVerdict::Unsafe(_)) {
            return Ok(without);
        }
        found.verdict = with_races(found.verdict);
        Ok(found)
    }

    /// Checks the system on a model as on a stronger one.
    fn check_on(
        &self,
        model: &str,
        on: &Strongest,
        sources: &SourceMap,
        options: &SystemOptions,
        limits: Limits,
    ) -> Result<SystemOutcome, Error> {
        let name = on.name;
        let refused = |diag| Error::refused(sources, vec![diag]);
        let strategy = strategy(options, name).map_err(refused)?;
        let (mut system, order) = self.resolve(sources, name, strategy)?;
        if let Some(formula) = options.formula {
            let mut at = 0..;
            system.unsafes.retain(|_| at.next() == Some(formula));
        }
        system.unsafes.extend(on.races.iter().cloned());
        let vacuous = is_init_unsatisfiable(&SystemContext::new(&system, system.procs)) == Ok(true);
        let contradiction = vacuous.then(|| {
            let message = "no state is initial: `init` contradicts itself";
            Diag::warning(Code::EmptyInit, system.init.span, message)
        });
        let options = &SystemOptions {
            certificate: options.certificate || options.certify,
            ..options.clone()
        };
        let names = self.names(sources);
        let start = Instant::now();
        let search_options = search_options(options, limits, start);
        let found = match strategy {
            SystemStrategy::Tso => on_tso(&system, (name, order), options, &search_options, &names),
            SystemStrategy::Generic => {
                on_events(&system, (name, order), options, &search_options, &names)
            }
        };
        if let (true, Some(text)) = (options.certify, &found.certificate)
            && let CertificateOutcome::Invalid { reason } =
                self.check_certificate(model, sources, text)?
        {
            let message = format!("the certificate of {} is wrong: {reason}", self.name);
            return Err(Error::Internal(message));
        }
        Ok(SystemOutcome {
            model: model.to_string(),
            verdict: found.verdict,
            processes_are: self.translated.as_ref().map_or(Processes::Themselves, |t| {
                Processes::Threads {
                    unbounded: t.unbounded,
                }
            }),
            assumptions: Vec::new(),
            vacuous,
            warnings: system
                .warnings
                .iter()
                .cloned()
                .chain(contradiction)
                .collect(),
            processes: system.procs,
            invariants: system.invariants.len(),
            certificate: found.certificate,
            exploration: found.exploration,
            visited: found.visited,
            remaining: found.remaining,
            nodes: found.nodes,
            seconds: found.seconds,
        })
    }

    /// Checks a certificate on a model, by its name.
    ///
    /// # Errors
    /// The system or the certificate is wrong, or there are none on this model.
    pub fn check_certificate(
        &self,
        model: &str,
        sources: &SourceMap,
        text: &str,
    ) -> Result<CertificateOutcome, Error> {
        let (system, order) = self.certificate_system(model, sources, text)?;
        let (checked, cubes) = match read_certificate(&system, model, sources, text)? {
            Proof::Tso(context, cubes) => (certificate::check(&context, (), &cubes), cubes.len()),
            Proof::Events(context, cubes) => {
                let checked = certificate::check(&context, Rules::of(order), &cubes);
                (checked, cubes.len())
            }
        };
        Ok(match checked {
            Ok(()) => CertificateOutcome::Valid { cubes },
            Err(flaw) => CertificateOutcome::Invalid {
                reason: flaw.to_string(),
            },
        })
    }

    /// The conditions of a certificate as goals in SMT-LIB 2, whether or not it proves anything.
    ///
    /// # Errors
    /// The system or the certificate is wrong, or too large, or there are none on this model.
    pub fn certificate_goals(
        &self,
        model: &str,
        sources: &SourceMap,
        text: &str,
    ) -> Result<String, Error> {
        let (system, order) = self.certificate_system(model, sources, text)?;
        let goals = match read_certificate(&system, model, sources, text)? {
            Proof::Tso(context, cubes) => certificate::goals(&context, (), &cubes),
            Proof::Events(context, cubes) => certificate::goals(&context, Rules::of(order), &cubes),
        };
        goals.map_err(|flaw| Error::refused(sources, vec![Diag::bare(format!("--smt2: {flaw}"))]))
    }

    /// The system that a certificate on a model is about, resolved for its strategy.
    fn certificate_system(
        &self,
        model: &str,
        sources: &SourceMap,
        text: &str,
    ) -> Result<(System, StoreOrder), Error> {
        if certificate::is_of_events(text) {
            return self.resolve(sources, model, SystemStrategy::Generic);
        }
        let of = certificate::model_of(text).unwrap_or(model);
        let mut races = Vec::new();
        if of != model {
            let strongest = self.strongest(model, sources)?;
            if of != strongest.name {
                let diag = Diag::bare(format!("the certificate is for `{of}`, not `{model}`"));
                return Err(Error::refused(sources, vec![diag]));
            }
            races = strongest.races;
        }
        match self.resolve(sources, of, SystemStrategy::Tso)? {
            (_, StoreOrder::Pso) => {
                let diag = Diag::bare("on `pso` certificates are those of the generic strategy");
                Err(Error::refused(sources, vec![diag]))
            }
            (mut system, order) => {
                system.unsafes.extend(races);
                Ok((system, order))
            }
        }
    }
}

/// A certificate that was read, and the system with the history variables that it names.
enum Proof<'s> {
    /// Of the strategy for TSO and flat memory.
    Tso(SystemContext<'s>, Vec<Cube>),
    /// Of the generic strategy.
    Events(SystemContext<'s>, Vec<EventCube>),
}

/// Reads a certificate of a system on a model.
fn read_certificate<'s>(
    system: &'s System,
    model: &str,
    sources: &SourceMap,
    text: &str,
) -> Result<Proof<'s>, Error> {
    let limit = system.procs;
    let proof = if certificate::is_of_events(text) {
        certificate::read_events(system, model, text)
            .map(|(system, cubes)| Proof::Events(SystemContext::new(system, limit), cubes))
    } else {
        certificate::read(system, text)
            .map(|(system, cubes)| Proof::Tso(SystemContext::new(system, limit), cubes))
    };
    proof.map_err(|message| {
        let diag = Diag::bare(format!("the certificate cannot be read: {message}"));
        Error::refused(sources, vec![diag])
    })
}

/// Whether a certificate proves what it claims.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CertificateOutcome {
    /// It does.
    Valid {
        /// How many cubes it has.
        cubes: usize,
    },
    /// It does not.
    Invalid {
        /// Why not.
        reason: String,
    },
}

/// A verdict where executions with races were looked for, too: they are no violations.
fn with_races(verdict: SystemVerdict) -> SystemVerdict {
    match verdict {
        SystemVerdict::Unsafe(run) if run.property == RACE => SystemVerdict::Unknown {
            reason: format!(
                "two threads may access the same variable at once, after {} transitions of {} threads on `sc`; \
                 without such races the model would have no other executions",
                run.transitions, run.processes
            ),
            blocked: run.calls(),
        },
        verdict => verdict,
    }
}

/// Systems cannot be checked on this model.
pub fn unsupported_model(name: &str) -> Diag {
    let message = format!("systems of any number of processes cannot be checked on `{name}`");
    Diag::bare(message).note(
        "they can on sc, tso and pso; C programs without atomic accesses that are not sequentially consistent also on \
         rc11, aarch64, riscv and power",
    )
}

/// The strategy for a model; what it cannot do is refused.
fn strategy(options: &SystemOptions, model: &str) -> Result<SystemStrategy, Diag> {
    let pso = model == "pso";
    match options.strategy {
        Some(SystemStrategy::Tso) if pso => Err(Diag::bare(
            "--strategy tso does not know `pso`; --strategy generic does",
        )),
        None | Some(SystemStrategy::Tso) if !pso => Ok(SystemStrategy::Tso),
        _ if matches!(options.brab, Brab::Always(_)) => {
            Err(Diag::bare("--brab: the generic strategy does not guess"))
        }
        _ => Ok(SystemStrategy::Generic),
    }
}

/// The limits of a search that begins now.
fn search_options(options: &SystemOptions, limits: Limits, start: Instant) -> SearchOptions {
    let until = |s: f64| start + Duration::from_secs_f64(s.min(1e9));
    SearchOptions {
        max_nodes: options.max_nodes,
        max_procs: options.max_procs,
        until: limits.timeout.map(until),
        full: limits.memory_mb.map(limits::watch_memory),
        jobs: options.jobs,
        order: options.search,
        ..SearchOptions::default()
    }
}

/// What a strategy has found.
struct StrategyResult {
    verdict: SystemVerdict,
    certificate: Option<String>,
    exploration: Option<Vec<ExploredNode>>,
    visited: usize,
    remaining: usize,
    nodes: usize,
    seconds: f64,
}

impl StrategyResult {
    fn new<C: AnyCube>(
        system: &System,
        order: StoreOrder,
        answer: SystemAnswer<C>,
        options: &SystemOptions,
        start: Instant,
        names: &RunNames,
    ) -> StrategyResult {
        let seconds = start.elapsed().as_secs_f64();
        let spurious = answer.spurious_trace();
        let search = answer.search();
        let (visited, remaining, nodes) = (search.visited, search.active.len(), search.nodes.len());
        let exploration = options.exploration.then(|| explored(search));
        let verdict = match answer {
            SystemAnswer::Safe(_) => SystemVerdict::Safe,
            SystemAnswer::Unsafe { procs, run, .. } => {
                SystemVerdict::Unsafe(names.run(system, order, procs, &run))
            }
            SystemAnswer::Unknown(_, reason) => SystemVerdict::Unknown {
                reason,
                blocked: spurious.map_or_else(Vec::new, |trace| calls(system, &trace)),
            },
        };
        StrategyResult {
            verdict,
            certificate: None,
            exploration,
            visited,
            remaining,
            nodes,
            seconds,
        }
    }
}

/// The strategy made for TSO and flat memory.
fn on_tso(
    system: &System,
    (model, order): (&str, StoreOrder),
    options: &SystemOptions,
    search: &SearchOptions,
    names: &RunNames,
) -> StrategyResult {
    let start = Instant::now();
    let answer = answer(system, order, search, options.brab);
    let certificate = match &answer {
        SystemAnswer::Safe(search) if options.certificate => Some(certificate::write(
            &search.context.system,
            model,
            search.certificate(),
        )),
        _ => None,
    };
    StrategyResult {
        certificate,
        ..StrategyResult::new(system, order, answer, options, start, names)
    }
}

/// The generic strategy.
fn on_events(
    system: &System,
    (model, order): (&str, StoreOrder),
    options: &SystemOptions,
    search: &SearchOptions,
    names: &RunNames,
) -> StrategyResult {
    let start = Instant::now();
    let answer = answer_on_events(system, order, search);
    let certificate = match &answer {
        SystemAnswer::Safe(search) if options.certificate => Some(certificate::write_events(
            &search.context.system,
            model,
            search.proof(),
        )),
        _ => None,
    };
    StrategyResult {
        certificate,
        ..StrategyResult::new(system, order, answer, options, start, names)
    }
}

/// The transitions of a trace.
fn calls(system: &System, trace: &AbstractTrace) -> Vec<String> {
    let call = |(t, args): &(usize, Vec<u8>)| {
        let names: Vec<String> = args.iter().map(|a| format!("#{}", a + 1)).collect();
        format!("{}({})", system.transitions[*t].name, names.join(", "))
    };
    trace.calls.iter().map(call).collect()
}

/// The nodes that were visited.
fn explored(search: &Search<impl AnyCube>) -> Vec<ExploredNode> {
    let system = &*search.context.system;
    let nodes = search.nodes.iter().enumerate();
    let visited = nodes.filter(|(i, node)| node.visited || search.is_bad(*i));
    let plain = visited.map(|(index, node)| ExploredNode {
        index,
        cube: node.prepared.cube.text(system),
        bad: search.is_bad(index),
        covered: node.subsumed,
        next: node.next.as_ref().map(|(next, (t, args), _)| {
            let name = system.transitions[*t].name.clone();
            (*next, name, args.iter().map(|a| a + 1).collect())
        }),
    });
    plain.collect()
}
