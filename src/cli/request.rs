//! What is meant: options checked and put into the terms of the stages.

use super::c_programs::{FrontArg, Preprocessing};
use super::incomplete::Incomplete;
use super::options::{CommandLine, Shared, SuiteOptions};
use super::values::{
    self, DataModelArg, Dump, Emit, EngineArg, Format, OrderEncodingArg, PropertyArg, ReductionArg,
    TargetArg, Threads, WeakCasArg,
};
use super::{arguments, output};
use crate::check::litmus::Depth;
use crate::driver::model::built_in;
use crate::driver::options::{
    BoundedOptions, DEFAULT_UNWIND, LitmusOptions, NO_BOUND, ProgramOptions, SystemOptions,
    SystemStrategy,
};
use crate::driver::passes::Pass;
use crate::driver::{self, Input, InputKind, Limits, ModelName};
use crate::encode::Reductions;
use crate::encode::order::Backend;
use crate::front::c;
use crate::front::c::target::Target;
use crate::lower::c::{Entry, Harness, WeakCas};
use base::nearest::nearest;
use ir::bounds::{Bounds, LoopLimit};
use ir::program::{DataModel, PropertyKind};
use linearizable::MAX_CALLS;
use std::path::{Path, PathBuf};
use systems::answer::Brab;
use systems::search::SearchOrder;

/// A run of the checker.
#[derive(Clone, Debug)]
pub struct Request {
    /// The command line.
    pub typed: Vec<String>,
    /// The programs.
    pub inputs: Vec<Input>,
    /// The models, at least one.
    pub models: Vec<ModelName>,
    /// They are the default.
    pub models_by_default: bool,
    /// How each kind of input is checked.
    pub options: driver::SessionOptions,
    /// Time for a file and model, memory of the process.
    pub limits: Limits,
    /// List the loops and stop.
    pub show_loops: bool,
    /// Where the graph of a violation goes.
    pub dot: Option<PathBuf>,
    /// Where the answer goes as a page.
    pub html: Option<PathBuf>,
    /// Where the formula goes.
    pub dimacs: Option<PathBuf>,
    /// Print a litmus test in another language and stop.
    pub emit: Option<Emit>,
    /// Print what a pass hands on and stop.
    pub dump: Option<Pass>,
    /// Safety up to the bound counts as safety.
    pub accept_bound: bool,
    /// Of how many inputs and models this is: where there are several, answers say which they are about.
    pub of: (usize, usize),
    /// Where proofs go.
    pub proof: Option<PathBuf>,
    /// Proofs are checked.
    pub certify: bool,
    /// Where the certificate of a system goes.
    pub certificate: Option<PathBuf>,
    /// The last line is an answer for SV-COMP.
    pub svcomp: bool,
    /// Where the witness goes.
    pub witness: Option<PathBuf>,
}

impl Request {
    /// Makes sense of the options.
    ///
    /// # Errors
    /// A sentence: an unknown model (with the list), a bound that is no number, a limit that is
    /// not positive, several tasks for one answer.
    pub fn from_options(options: &CommandLine) -> Result<Request, String> {
        // SV-COMP asks for a proof, not for a bound.
        let shared = &Shared {
            incremental: options.shared.incremental
                || options.svcomp && engine(options.shared.engine).has_formula(),
            ..options.shared.clone()
        };
        let several = options.files.len() * shared.mm.len() > 1;
        if several && (options.svcomp || options.witness.is_some()) {
            return Err("--svcomp and --witness take one program and one model".to_string());
        }
        // The parser leaves out what an option requires where that conflicts with something typed.
        if options.entry.is_some() && options.compile_commands.is_none() {
            return Err("--entry is given with --compile-commands".to_string());
        }
        check_robust(options)?;
        let stops = options.show_loops || options.dump.is_some() || options.emit.is_some();
        if shared.format.is_report() && stops {
            let message = "--format sarif and --format junit report answers, and --show-loops, --dump and --emit give none";
            return Err(message.to_string());
        }
        if (options.svcomp || options.witness.is_some()) && options.property.is_none() {
            return Err("--svcomp and --witness are given with --property".to_string());
        }
        let data_model = match options.data_model {
            DataModelArg::Lp64 => DataModel::Lp64,
            DataModelArg::Ilp32 => DataModel::Ilp32,
        };
        let mut bounded = bounded(shared)?;
        // There is a proof of what a formula says.
        bounded.by_text = options.proof.is_none() && !options.certify;
        let given = options.unwindset.iter().map(|u| bound(u));
        bounded.bounds.explicit = given.collect::<Result<_, _>>()?;
        bounded.explored.explicit = bounded.bounds.explicit.clone();
        // What is asked of the formula has no answer without one.
        let of_formula = shared.order != OrderEncodingArg::Auto
            || !shared.without.is_empty()
            || options.dimacs.is_some();
        if bounded.engine == driver::Engine::Auto && of_formula {
            bounded.engine = driver::Engine::Sat;
        }
        bounded.bounds.limit = options.limit_loops.map(|times| LoopLimit {
            times,
            is_lifted: false,
        });
        bounded.explored.limit = bounded.bounds.limit;
        Ok(Request {
            typed: options.typed.clone(),
            inputs: inputs(options),
            models: models(shared)?,
            models_by_default: shared.mm_by_default,
            limits: limits(shared.time.timeout, options.c.memory)?,
            options: driver::SessionOptions {
                program: program_options(options, bounded.clone(), data_model)?,
                litmus: LitmusOptions {
                    bounded,
                    depth: depth(shared.states),
                    robust: options.check.contains(&PropertyArg::Robust),
                    details: true,
                },
                system: system_options(options)?,
                any_threads: options.threads == Some(Threads::Any),
            },
            show_loops: options.show_loops,
            dot: options.dot.clone(),
            html: options.html.clone(),
            dimacs: options.dimacs.clone(),
            emit: options.emit,
            dump: options.dump.map(pass),
            accept_bound: options.accept_bound,
            of: (inputs(options).len(), shared.mm.len()),
            proof: options.proof.clone(),
            certify: options.certify,
            certificate: options.certificate.clone(),
            svcomp: options.svcomp,
            witness: options.witness.clone(),
        })
    }
}

fn program_options(
    options: &CommandLine,
    bounded: BoundedOptions,
    data_model: DataModel,
) -> Result<ProgramOptions, String> {
    let words = options.args.as_deref().map(arguments::split);
    let threads = match options.threads {
        Some(Threads::Fixed(n)) => Some(n),
        Some(Threads::Any) | None => None,
    };
    let mut of_program = ProgramOptions {
        bounded: BoundedOptions {
            jobs: options.jobs,
            ..bounded
        },
        c: c::ParseOptions {
            target: options.target.map(target),
            ..parse_options(&options.c.preprocessing, data_model)
        },
        data_model,
        reuse_addresses: options.reuse_addresses,
        weak_cas: weak_cas(options.weak_cas),
        arguments: words.transpose()?,
        checks: None,
        also: Vec::new(),
        specification: None,
        harness: None,
        other_harnesses: Vec::new(),
        spec: None,
        havoc: options.incomplete.unknown(),
        subscripts_assumed: false,
        threads,
    };
    let incomplete = &options.incomplete;
    set_checked(&mut of_program, &options.check, incomplete, threads)?;
    let of_one = options.certify
        || options.proof.is_some()
        || options.dump.is_some()
        || options.dimacs.is_some()
        || options.show_loops;
    if of_one && !of_program.other_harnesses.is_empty() {
        let message = "proofs, formulas, --dump and --show-loops are of one client: its arguments are numbers";
        return Err(message.to_string());
    }
    Ok(of_program)
}

/// `--weak-cas`
pub fn weak_cas(typed: WeakCasArg) -> WeakCas {
    match typed {
        WeakCasArg::Always => WeakCas::Always,
        WeakCasArg::Machine => WeakCas::Machine,
    }
}

/// `--target`
pub fn target(typed: TargetArg) -> Target {
    match typed {
        TargetArg::X86_64 => Target::X86_64,
        TargetArg::Ppc64le => Target::Ppc64le,
        TargetArg::Aarch64 => Target::Aarch64,
        TargetArg::Riscv64 => Target::Riscv64,
    }
}

/// How C files are read.
pub fn parse_options(typed: &Preprocessing, data_model: DataModel) -> c::ParseOptions {
    c::ParseOptions {
        pointer_width: data_model.pointer_width(),
        defines: typed.define.clone(),
        redefine: true,
        undefines: typed.undefine.clone(),
        include_dirs: typed.include.clone(),
        quote_dirs: typed.iquote.clone(),
        system_dirs: typed.isystem.clone(),
        after_dirs: typed.idirafter.clone(),
        include_files: typed.include_file.clone(),
        standard: typed.std.clone(),
        target: None,
        reader: match typed.front {
            FrontArg::Own => c::Reader::Own,
            FrontArg::Clang => c::Reader::Clang,
        },
        compiler_flags: typed
            .compiler_flags
            .iter()
            .flat_map(|words| words.split_whitespace().map(str::to_string))
            .collect(),
    }
}

/// The inputs, by what is typed.
fn inputs(options: &CommandLine) -> Vec<Input> {
    match (&options.compile_commands, &options.entry) {
        (Some(commands), Some(entry)) => vec![Input::of_commands(commands, entry)],
        _ => files(&options.files, options.link, &options.incomplete.stub),
    }
}

/// The inputs that files are, as one or each by itself, with files that have bodies for it.
pub fn files(files: &[PathBuf], link: bool, stubs: &[PathBuf]) -> Vec<Input> {
    let with_stubs = |files: &[PathBuf]| Input::linked([files, stubs].concat());
    let each = files.iter();
    match (link, stubs.is_empty()) {
        (true, _) => vec![with_stubs(files)],
        (false, true) => each.map(Input::file).collect(),
        (false, false) => each
            .map(|file| with_stubs(std::slice::from_ref(file)))
            .collect(),
    }
}

fn system_options(options: &CommandLine) -> Result<SystemOptions, String> {
    Ok(SystemOptions {
        formula: None,
        strategy: options.strategy.map(|s| match s {
            values::StrategyArg::Tso => SystemStrategy::Tso,
            values::StrategyArg::Generic => SystemStrategy::Generic,
        }),
        max_procs: options.max_procs,
        max_nodes: options.max_nodes,
        jobs: options.jobs,
        search: search_order(options.search),
        brab: brab(options.brab.as_deref())?,
        certificate: options.certificate.is_some(),
        certify: options.certify,
        exploration: options.dot.is_some(),
    })
}

impl Request {
    /// Where a file of one input and model goes that an option has named. Where there are several
    /// each has one of its own: `g.tso.dot`, `g.first.tso.dot`.
    pub fn output_file(&self, path: &Path, input: &Path, model: &ModelName) -> PathBuf {
        let inputs: Vec<String> = self.inputs.iter().map(Input::shown).collect();
        let models: Vec<String> = self.models.iter().map(ModelName::text).collect();
        let input = self.inputs.iter().position(|i| i.name == input);
        let model = self.models.iter().position(|m| m == model);
        let mut labels = Vec::new();
        labels.extend(input.and_then(|i| output::label(&inputs, i)));
        labels.extend(model.and_then(|i| output::label(&models, i)));
        output::labelled(path, &labels)
    }
}

impl Request {
    /// What is wanted of the proof of an answer; `None` when nothing is.
    pub fn proof(&self, input: &Path, model: &ModelName) -> Option<Wanted> {
        let directory = self.proof.as_ref();
        let directory = directory.map(|path| self.output_file(path, input, model));
        (self.certify || directory.is_some()).then_some(Wanted {
            typed: self.typed.clone(),
            directory,
            check: self.certify,
            limits: self.limits,
            shown: true,
        })
    }
}

/// What is wanted of the proof of an answer.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The command line that asks for it.
    pub typed: Vec<String>,
    /// Where it goes; without, nothing is left of it when it is right.
    pub directory: Option<PathBuf>,
    /// It is checked before the answer is given.
    pub check: bool,
    /// How long it may take.
    pub limits: Limits,
    /// What is being done is shown.
    pub shown: bool,
}

/// A run over many litmus tests.
#[derive(Clone, Debug)]
pub struct SuiteRequest {
    /// Tests, directories, lists.
    pub paths: Vec<PathBuf>,
    /// The models, at least one.
    pub models: Vec<ModelName>,
    /// How they are answered.
    pub options: LitmusOptions,
    /// Time for a test and model.
    pub limits: Limits,
    /// What others answered.
    pub expect: Option<PathBuf>,
    /// Where the answers go in herd7's form.
    pub log: Option<PathBuf>,
    /// Proofs of answers are made and checked.
    pub certify: bool,
    /// Which of how many parts, counted from 0.
    pub shard: (usize, usize),
    /// Tests at once; 0 leaves it to the machine.
    pub jobs: usize,
}

impl SuiteRequest {
    /// Makes sense of the options.
    ///
    /// # Errors
    /// A sentence, as for [`Request::from_options`].
    pub fn from_options(options: &SuiteOptions) -> Result<SuiteRequest, String> {
        let shared = &options.shared;
        Ok(SuiteRequest {
            paths: options.paths.clone(),
            models: models(shared)?,
            options: LitmusOptions {
                bounded: bounded(shared)?,
                // Two engines are compared by all final states.
                depth: depth(shared.states || shared.engine == EngineArg::Both),
                robust: false,
                // Neither the text nor a JUnit report shows them.
                details: matches!(shared.format, Format::Json | Format::Sarif),
            },
            limits: limits(shared.time.timeout, None)?,
            expect: options.expect.clone(),
            log: options.log.clone(),
            certify: options.certify,
            shard: options.shard.as_deref().map_or(Ok((0, 1)), shard)?,
            jobs: options.jobs,
        })
    }
}

fn models(shared: &Shared) -> Result<Vec<ModelName>, String> {
    shared.mm.iter().map(|m| model(m)).collect()
}

/// What `--engine` means.
pub(super) fn engine(typed: EngineArg) -> driver::Engine {
    match typed {
        EngineArg::Auto => driver::Engine::Auto,
        EngineArg::Sat => driver::Engine::Sat,
        EngineArg::Explore => driver::Engine::Explore,
        EngineArg::Enumerate => driver::Engine::Enumerate,
        EngineArg::Both => driver::Engine::Both,
    }
}

/// Unwinding and engines.
fn bounded(shared: &Shared) -> Result<BoundedOptions, String> {
    if shared.incremental && !engine(shared.engine).has_formula() {
        return Err(
            "--incremental asks the solver which loops reach their bound; take --engine auto, sat or both"
                .to_string(),
        );
    }
    let unwind = shared.unwind.unwrap_or(DEFAULT_UNWIND);
    let most = shared.unwind.unwrap_or(u32::MAX);
    Ok(BoundedOptions {
        bounds: Bounds::all(match shared.incremental {
            true => unwind.min(1),
            false => unwind,
        }),
        explored: Bounds::all(shared.unwind.unwrap_or(NO_BOUND)),
        incremental: shared.incremental.then_some(most),
        order: match shared.order {
            OrderEncodingArg::Auto => Backend::Auto,
            OrderEncodingArg::Matrix => Backend::Matrix,
            OrderEncodingArg::Clocks => Backend::Clocks,
            OrderEncodingArg::Lazy => Backend::Lazy,
        },
        reductions: Reductions {
            values: !shared.without.contains(&ReductionArg::Values),
            sections: !shared.without.contains(&ReductionArg::Sections),
            sums: !shared.without.contains(&ReductionArg::Sums),
            symmetry: !shared.without.contains(&ReductionArg::Symmetry),
        },
        iterations: !shared.without.contains(&ReductionArg::Iterations),
        by_text: true,
        engine: engine(shared.engine),
        jobs: 1,
    })
}

fn depth(states: bool) -> Depth {
    match states {
        true => Depth::States,
        false => Depth::Condition,
    }
}

/// `--timeout` and `--memory`
///
/// # Errors
/// A limit that is not positive.
pub fn limits(timeout: Option<f64>, memory_mb: Option<u64>) -> Result<Limits, String> {
    match (timeout, memory_mb) {
        (_, Some(0)) => Err("--memory takes a positive number of MiB".to_string()),
        (Some(seconds), _) if !seconds.is_finite() || seconds <= 0.0 => Err(format!(
            "--timeout takes a positive number of seconds, not {seconds}"
        )),
        _ => Ok(Limits { timeout, memory_mb }),
    }
}

/// `--dump`
fn pass(dump: Dump) -> Pass {
    match dump {
        Dump::Parse => Pass::Parse,
        Dump::Lower => Pass::Lower,
        Dump::Unroll => Pass::Unroll,
        Dump::Analyse => Pass::Analyse,
        Dump::Encode => Pass::Encode,
    }
}

/// `2/4`: the second of four parts.
fn shard(typed: &str) -> Result<(usize, usize), String> {
    let numbers = typed
        .split_once('/')
        .and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
    match numbers {
        Some((i, n)) if 1 <= i && i <= n => Ok((i - 1, n)),
        _ => Err(format!(
            "--shard takes I/N with I from 1 to N (as in 2/4), not `{typed}`"
        )),
    }
}

/// Whether `--check` asks what the inputs can be asked.
fn check_robust(options: &CommandLine) -> Result<(), String> {
    let others = options
        .check
        .iter()
        .any(|kind| *kind != PropertyArg::Robust);
    let mut inputs = options.files.iter();
    let litmus = inputs.find(|file| InputKind::of(file) == InputKind::Litmus);
    if let (true, Some(file)) = (others, litmus) {
        return Err(format!(
            "--check: a litmus test is asked whether it is robust, and nothing else: {}",
            file.display()
        ));
    }
    if !options.check.contains(&PropertyArg::Robust) {
        return Ok(());
    }
    let proof = options.certify || options.proof.is_some();
    if proof || options.threads == Some(Threads::Any) || options.shared.engine == EngineArg::Explore
    {
        let message = "--check robust is answered by the formula or the enumeration: there are no proofs of it, \
                       it is not asked for any number of threads, and not explored";
        return Err(message.to_string());
    }
    Ok(())
}

/// Sets the kinds of property to check, and what runs instead of `main`.
///
/// # Errors
/// What is checked of calls has none, or they are typed wrongly.
pub fn set_checked(
    options: &mut ProgramOptions,
    typed: &[PropertyArg],
    incomplete: &Incomplete,
    threads: Option<u32>,
) -> Result<(), String> {
    options.checks = checks(typed);
    if incomplete.linearizable {
        options.also.push(PropertyKind::Linearizable);
    }
    let of_client = |kind: &PropertyKind| PropertyKind::OF_CLIENTS.contains(kind);
    let kinds = options.checks.iter().flatten().chain(&options.also);
    let of_client = kinds.copied().find(of_client);
    let mut harnesses = incomplete
        .harnesses(of_client.is_some(), threads)?
        .into_iter();
    options.harness = harnesses.next();
    options.other_harnesses = harnesses.collect();
    options.spec = incomplete.spec.clone();
    let Some(kind) = of_client else {
        return match incomplete.spec {
            None => Ok(()),
            Some(_) => Err("--spec is given with --linearizable".to_string()),
        };
    };
    let threads = match &options.harness {
        Some(Harness {
            entry: Entry::Client(client),
            ..
        }) => client.threads.as_slice(),
        _ => &[],
    };
    if threads.len() < 2 {
        return Err(format!(
            "`{}` is a property of the calls of several threads: --parallel 'push(1),push(2);pop,pop' makes some",
            kind.name()
        ));
    }
    let calls: usize = threads.iter().map(Vec::len).sum();
    if calls > MAX_CALLS {
        return Err(format!(
            "`{}` is checked of up to {MAX_CALLS} calls of threads, and these are {calls}",
            kind.name()
        ));
    }
    Ok(())
}

/// `--check`, sorted, each kind once; `None` when it was not typed.
fn checks(typed: &[PropertyArg]) -> Option<Vec<PropertyKind>> {
    let mut kinds: Vec<PropertyKind> = typed.iter().flat_map(|k| kinds(*k)).copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    (!kinds.is_empty()).then_some(kinds)
}

fn kinds(kind: PropertyArg) -> &'static [PropertyKind] {
    match kind {
        PropertyArg::Assert => &[PropertyKind::Assertion],
        PropertyArg::Memory => &[PropertyKind::Memory],
        PropertyArg::Misuse => &[PropertyKind::Misuse],
        PropertyArg::Race => &[PropertyKind::Race],
        PropertyArg::Leak => &[PropertyKind::Leak],
        PropertyArg::Overflow => &[PropertyKind::Overflow],
        PropertyArg::Divzero => &[PropertyKind::DivisionByZero],
        PropertyArg::Deadlock => &[PropertyKind::Deadlock],
        PropertyArg::Termination => &[PropertyKind::Termination],
        PropertyArg::Uninitialised => &[PropertyKind::Uninitialised],
        PropertyArg::Robust => &[PropertyKind::Robust],
        PropertyArg::Linearizable => &[PropertyKind::Linearizable],
        PropertyArg::Sequential => &[PropertyKind::Sequential],
        PropertyArg::Quiescent => &[PropertyKind::Quiescent],
        PropertyArg::All => &PropertyKind::ALL,
    }
}

/// A built-in name, or the path of a file when it looks like one.
///
/// # Errors
/// It is neither: what exists, and what was probably meant.
pub fn model(typed: &str) -> Result<ModelName, String> {
    if typed.ends_with(".cat") || typed.contains(['/', '\\']) {
        return Ok(ModelName::File(PathBuf::from(typed)));
    }
    let names: Vec<&str> = built_in().map(|(name, _)| name).collect();
    let lower = typed.to_lowercase();
    if names.contains(&lower.as_str()) {
        return Ok(ModelName::BuiltIn(lower));
    }
    let hint = nearest(typed, &names)
        .map(|n| format!("; did you mean `{n}`?"))
        .unwrap_or_default();
    Err(format!(
        "no memory model is called `{typed}`{hint}\n  models: {}\n  or the path of a .cat file",
        names.join(", ")
    ))
}

/// `main.0:10`
fn bound(typed: &str) -> Result<(String, u32), String> {
    let parts = typed
        .rsplit_once(':')
        .and_then(|(name, n)| Some((name, n.parse().ok()?)));
    match parts {
        Some((name, n)) if !name.is_empty() => Ok((name.to_string(), n)),
        _ => Err(format!(
            "--unwindset takes LOOP:N (as in main.0:10), not `{typed}`"
        )),
    }
}

/// `--search`
fn search_order(order: Option<values::SearchOrderArg>) -> SearchOrder {
    match order {
        None | Some(values::SearchOrderArg::Bfs) => SearchOrder::Bfs,
        Some(values::SearchOrderArg::Dfs) => SearchOrder::Dfs,
        Some(values::SearchOrderArg::Bfsh) => SearchOrder::Bfsh,
        Some(values::SearchOrderArg::Dfsh) => SearchOrder::Dfsh,
        Some(values::SearchOrderArg::Bfsa) => SearchOrder::Bfsa,
        Some(values::SearchOrderArg::Dfsa) => SearchOrder::Dfsa,
    }
}

/// `--brab`
fn brab(text: Option<&str>) -> Result<Brab, String> {
    match text {
        None | Some("auto") => Ok(Brab::Late),
        Some("off") => Ok(Brab::Never),
        Some(n) => match n.parse() {
            Ok(n @ 1..=8) => Ok(Brab::Always(n)),
            _ => Err(format!(
                "--brab takes 1 to 8 processes, `auto` or `off`, not `{n}`"
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_names_they_are_shown_by() {
        use clap::ValueEnum;
        let typed = PropertyArg::value_variants()
            .iter()
            .filter(|k| **k != PropertyArg::All);
        let typed: Vec<PropertyArg> = typed.copied().collect();
        // `robust` is no kind of error, and what calls return is a matter of clients.
        let others = 1 + PropertyKind::OF_CLIENTS.len();
        assert_eq!(typed.len(), PropertyKind::ALL.len() + others);
        for kind in typed {
            let name = kind.to_possible_value().expect("none is hidden");
            assert_eq!(
                kinds(kind).iter().map(|k| k.name()).collect::<Vec<_>>(),
                [name.get_name()]
            );
        }
        assert_eq!(checks(&[]), None);
        let both = vec![PropertyKind::Memory, PropertyKind::Race];
        assert_eq!(
            checks(&[PropertyArg::Race, PropertyArg::Memory, PropertyArg::Race]),
            Some(both)
        );
    }

    #[test]
    fn bounds_of_loops() {
        assert_eq!(bound("main.0:10"), Ok(("main.0".to_string(), 10)));
        assert!(bound("main.0").is_err());
        assert!(bound(":3").is_err());
        assert!(bound("f:x").is_err());
    }

    #[test]
    fn shards_count_from_one() {
        assert_eq!(shard("2/4"), Ok((1, 4)));
        for wrong in ["0/4", "5/4", "2", "a/b", "/"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_are_names_or_files() {
        assert_eq!(model("TSO"), Ok(ModelName::BuiltIn("tso".to_string())));
        assert_eq!(
            model("my/own.cat"),
            Ok(ModelName::File(PathBuf::from("my/own.cat")))
        );
        let error = model("tos").expect_err("no such model");
        assert!(error.contains("did you mean `tso`?"), "{error}");
    }
}
