//! What is typed: the one table of options.

use super::c_programs::{CPrograms, Preprocessing, TimeLimit};
use super::cross_args::CrossArgs;
use super::groups::{
    ANY, ASSEMBLY, BOUNDED, C, EVERY, LITMUS, PROGRAM, SOLVER, SYSTEM, SYSTEMS, THREADS, WHOLE,
    groups,
};
use super::incomplete::Incomplete;
use super::orders_args::OrdersArgs;
use super::values::{
    self, ArchName, Color, DataModelArg, Dump, Emit, EngineArg, Format, OrderEncodingArg,
    PropertyArg, ReductionArg, RelaxedLoads, SearchOrderArg, SourceModel, StrategyArg, Suite,
    TargetArg, Threads, WeakCasArg,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Checks concurrent C programs against weak memory models.
#[derive(Parser, Debug)]
#[command(
    name = "wmbmc",
    version,
    groups = groups(),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
#[command(after_help = "\
Verdicts and exit codes:
  SAFE                  no execution violates a property                     0
  UNSAFE                here is an execution that does                      10
  SAFE up to bound N    none, as far as the loops were unwound               5 (0 with --accept-bound)
  UNKNOWN: reason       not decided                                          5
  a wrong command line  1,  a wrong or unsupported input  2,  a bug in wmbmc  6
Of several files or models the worst counts: 6, 1, 2, 10, 5, 0.")]
pub struct CommandLine {
    /// What to do instead of checking files
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The command line, with the options of other tools in this one's words
    #[arg(skip)]
    pub typed: Vec<String>,

    /// C programs (.c, .i), litmus tests (.litmus), systems of any number of processes (.cub) and x86
    /// programs for any number of threads (.asm), each checked on its own
    #[arg(required_unless_present = "compile_commands", value_name = "FILE", groups = EVERY)]
    pub files: Vec<PathBuf>,

    /// Check the C files as one program
    #[arg(long, conflicts_with_all = ["compile_commands", "svcomp", "witness"], groups = C)]
    pub link: bool,

    /// Read this `compile_commands.json`, and check the program that begins in --entry: that file and
    /// those that define what it refers to, each with its own flags
    #[arg(long, value_name = "FILE.json", requires = "entry", conflicts_with_all = ["files", "svcomp", "witness", "stub"], groups = C, group = WHOLE)]
    pub compile_commands: Option<PathBuf>,

    /// The file with `main`
    #[arg(long, value_name = "FILE.c", requires = "compile_commands", groups = C)]
    pub entry: Option<PathBuf>,

    /// As --unwind, for single loops or recursive procedures, by the names the verdict gives
    #[arg(long, value_name = "LOOP:N,..", value_delimiter = ',', groups = BOUNDED)]
    pub unwindset: Vec<String>,

    /// Follow no loop further than N times, not even one that ends by itself, except those of
    /// --unwindset [default: none; of a large program first 1, 2, 4, .., then none]
    #[arg(long, value_name = "N", groups = BOUNDED)]
    pub limit_loops: Option<u32>,

    /// List the loops and recursive procedures by the names --unwindset takes, say how far each is
    /// unwound and why, and stop
    #[arg(long, conflicts_with_all = ["incremental", "dump"], groups = [PROGRAM, THREADS], group = WHOLE)]
    pub show_loops: bool,

    /// What to check: race, leak, .. [default: assert,memory,misuse]
    ///
    /// On rc11 the default has race as well; of a program without assertions it is memory,misuse,race,deadlock. Of
    /// litmus tests there is robust alone.
    #[arg(long, value_name = "KIND,..", value_delimiter = ',', groups = [PROGRAM, ANY, LITMUS])]
    pub check: Vec<PropertyArg>,

    /// Check what a property file of SV-COMP asks instead
    #[arg(long, value_name = "FILE.prp", conflicts_with = "check", group = PROGRAM, group = WHOLE)]
    pub property: Option<PathBuf>,

    /// Answer as SV-COMP asks: the last line is TRUE, FALSE(property) or UNKNOWN
    #[arg(long, requires = "property", conflicts_with_all = ["format", "emit", "dump", "function", "parallel", "havoc", "stub"], group = PROGRAM, group = WHOLE)]
    pub svcomp: bool,

    /// Write a witness of the answer in SV-COMP's format, version 2
    #[arg(long, value_name = "FILE", requires = "property", conflicts_with_all = ["function", "parallel", "havoc", "stub"], group = PROGRAM, group = WHOLE)]
    pub witness: Option<PathBuf>,

    /// Sizes of C's types: long and pointers of 64 bits, or of 32
    #[arg(long, default_value = "lp64", ignore_case = true, groups = C)]
    pub data_model: DataModelArg,

    /// Read a C program as a compiler for this machine does: its macros are defined, and its memory model
    /// is the default of --mm
    #[arg(long, value_name = "MACHINE", conflicts_with = "data_model", groups = C)]
    pub target: Option<TargetArg>,

    /// What a C program is called with, in one word, quoted as for a shell: --args "2 'a b'" [default:
    /// argc up to 4 and arguments of up to 8 characters, where the program looks at them]
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, conflicts_with_all = ["function", "parallel"], groups = C)]
    pub args: Option<String>,

    /// When a weak compare-exchange of C may fail for no reason: on every machine, or on those that
    /// make it of a linked load and a conditional store
    #[arg(long, value_name = "WHEN", default_value = "always", groups = C)]
    pub weak_cas: WeakCasArg,

    /// Whether addresses may repeat: a new object has that of one that has ended, an object lies right
    /// behind another one, a thread has the handle of one that was joined
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, default_value_t = true, groups = C)]
    pub reuse_addresses: bool,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub c: CPrograms,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub incomplete: Incomplete,

    /// Write the violating execution as a graph for Graphviz; of several inputs or models each has a
    /// file of its own, FILE with its name before the extension
    #[arg(long, value_name = "FILE", groups = EVERY, group = SOLVER, group = WHOLE)]
    pub dot: Option<PathBuf>,

    /// Write the answer as a page for a browser: verdict, execution, graph
    ///
    /// The page needs nothing else: it has the verdict, the execution step by step and as a graph, and the program's
    /// text; files as for --dot.
    #[arg(long, value_name = "FILE", groups = EVERY, group = WHOLE)]
    pub html: Option<PathBuf>,

    /// Write the proof of a SAFE answer, for `wmbmc check-proof`
    ///
    /// It says that the program is safe, or that a test's condition never holds or always does, as a directory for
    /// `wmbmc check-proof` and checkers of others; names as for --dot.
    #[arg(long, value_name = "DIR", groups = BOUNDED, group = WHOLE)]
    pub proof: Option<PathBuf>,

    /// Check the proof or certificate of an answer before it is given
    ///
    /// If it is wrong the exit code is 6, and the proof is kept.
    #[arg(long, groups = EVERY, group = WHOLE)]
    pub certify: bool,

    /// Of a system: write the proof that it is safe, for `wmbmc check-certificate`; files as for --dot
    #[arg(long, value_name = "FILE", groups = SYSTEMS, group = WHOLE)]
    pub certificate: Option<PathBuf>,

    /// Of a system: how it is explored [default: generic on pso, tso elsewhere]
    #[arg(long, value_name = "STRATEGY", groups = SYSTEMS)]
    pub strategy: Option<StrategyArg>,

    /// Of a system: give up beyond N processes in a cube
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=30), groups = SYSTEMS)]
    pub max_procs: u8,

    /// Of a system: give up beyond N nodes
    #[arg(long, value_name = "N", default_value_t = 1_000_000, groups = SYSTEMS)]
    pub max_nodes: usize,

    /// Of a system: which cube is explored next; those of fewer processes always come first
    #[arg(long, value_name = "ORDER", groups = SYSTEMS)]
    pub search: Option<SearchOrderArg>,

    /// Of a system: replace cubes by larger ones that no reachable state of N processes is in, and
    /// take that back where it was wrong; `auto` does so when the exact search takes long
    /// [default: auto]
    #[arg(long, value_name = "N|auto|off", groups = SYSTEMS)]
    pub brab: Option<String>,

    /// Of a system: threads that explore it; of a program: strategies that are tried at once, of
    /// which the first answer counts; as many as the machine has processors when 0
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, groups = [PROGRAM, SYSTEM, ASSEMBLY, THREADS, ANY], group = SOLVER)]
    pub jobs: usize,

    /// Prove a C program for any number of threads; check x86 for N
    ///
    /// Of a C program: prove it for any number of the threads that it starts in loops; of an x86 program:
    /// check it for N threads, by bounded model checking of its instructions [default: a C program as it
    /// is, an x86 program for any number of threads]; with --ops: how many threads clients have.
    #[arg(long, value_name = "N|any", value_parser = values::threads, groups = [ASSEMBLY, THREADS, ANY])]
    pub threads: Option<Threads>,

    /// Write the formula in DIMACS form: satisfiable if what is checked is violated; files as for --dot
    #[arg(long, value_name = "FILE", conflicts_with = "incremental", groups = [PROGRAM, THREADS], group = SOLVER)]
    pub dimacs: Option<PathBuf>,

    /// Print sizes and times
    #[arg(long, groups = EVERY)]
    pub stats: bool,

    /// Print a litmus test in another language, and stop
    #[arg(long, value_name = "LANGUAGE", groups = [LITMUS, ASSEMBLY, ANY], group = WHOLE)]
    pub emit: Option<Emit>,

    /// Print what a pass hands on, and stop; `wmbmc passes` lists them
    #[arg(long, value_name = "after:PASS", conflicts_with = "incremental", groups = BOUNDED, group = WHOLE)]
    pub dump: Option<Dump>,

    /// Return 0 for SAFE up to bound N
    #[arg(long, groups = BOUNDED)]
    pub accept_bound: bool,

    /// Show what the tool added to the execution, too
    #[arg(short, long, conflicts_with = "quiet", groups = BOUNDED)]
    pub verbose: bool,

    /// Print the verdict only
    #[arg(short, long, groups = EVERY)]
    pub quiet: bool,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub shared: Shared,
}

/// Options of checking single files and suites alike.
#[derive(Args, Clone, Debug)]
pub struct Shared {
    /// Memory models: names (`wmbmc models`) or .cat files
    ///
    /// Several are separated by commas, and each has its verdict.
    #[arg(long, value_name = "MODEL,..", value_delimiter = ',', default_value = "sc", groups = EVERY)]
    pub mm: Vec<String>,

    /// The model is the default one.
    #[arg(skip)]
    pub mm_by_default: bool,

    /// Follow loops and recursion at most N times [default: 5]
    ///
    /// The back edge of a loop, and each recursive call, is taken so often; with --incremental there is no limit by
    /// default. Loops that end by themselves after a known number of iterations (128, or 600 when nothing in them
    /// branches) are followed to their end.
    #[arg(long, value_name = "N", groups = BOUNDED)]
    pub unwind: Option<u32>,

    /// Follow loops further and further, until the answer is complete
    ///
    /// The loops that reach their bound are unwound further until the answer is SAFE or UNSAFE, up to --unwind,
    /// --timeout or --memory.
    #[arg(long, groups = BOUNDED)]
    pub incremental: bool,

    /// How the axioms of a model are encoded
    #[arg(long, default_value = "auto", groups = BOUNDED, group = SOLVER)]
    pub order: OrderEncodingArg,

    /// Leave out reductions, which make formulas smaller and change no answer
    #[arg(long, value_name = "REDUCTION,..", value_delimiter = ',', groups = BOUNDED, group = SOLVER)]
    pub without: Vec<ReductionArg>,

    /// How answers are found: explore, sat, enumerate, both
    ///
    /// The executions one by one and one formula for the SAT solver take turns, or one of them answers alone; `both`
    /// compares them.
    #[arg(long, default_value = "auto", groups = BOUNDED)]
    pub engine: EngineArg,

    /// Find all final states of a litmus test
    #[arg(long, group = LITMUS)]
    pub states: bool,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub time: TimeLimit,

    /// How answers are printed: text, json, sarif, junit
    ///
    /// JSON is one object per line, a line per file and model.
    #[arg(long, default_value = "text", groups = EVERY)]
    pub format: Format,

    /// Colours on the terminal
    #[arg(long, value_name = "WHEN", default_value = "auto", groups = EVERY)]
    pub color: Color,
}

/// `wmbmc suite`
#[derive(Args, Debug)]
#[command(groups = groups())]
pub struct SuiteOptions {
    /// Litmus tests, directories with tests below them, or files that list tests (`@all`)
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Compare the answers with a CSV file: a row per test (`file` or `name`), a column per model
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,

    /// Write the answers in herd7's form; of several models each has a file of its own
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Check a proof of each answer that a condition never holds, or always does
    #[arg(long)]
    pub certify: bool,

    /// Take each N-th test only, beginning with the I-th
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,

    /// Tests at once; as many as the machine has processors when 0
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,

    /// Print the table only
    #[arg(short, long)]
    pub quiet: bool,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub shared: Shared,
}

/// `wmbmc abstract`
#[derive(Args, Debug)]
#[command(after_help = "\
Numbers are mathematical integers here: nothing overflows or wraps around.

The predicates file has a condition per line, over shared variables and thread:local; `#` begins a
comment. A line `invariant CONDITION` is a property to prove beside the program's assertions.")]
#[command(groups = groups())]
pub struct AbstractArgs {
    /// C programs
    #[arg(required = true, value_name = "FILE.c")]
    pub files: Vec<PathBuf>,

    /// The predicates that prove the program on SC; what is missing is discovered
    #[arg(long, value_name = "FILE")]
    pub predicates: Option<PathBuf>,

    /// Memory models: sc, tso, pso
    #[arg(
        long,
        value_name = "MODEL,..",
        value_delimiter = ',',
        default_value = "sc"
    )]
    pub mm: Vec<String>,

    /// Entries of a store buffer, 1 to 8; a proof includes that it never has more. `auto` begins with
    /// one and takes more, at most 4, as long as they overflow
    #[arg(long, value_name = "K|auto", default_value = "auto")]
    pub buffer: String,

    /// How the abstraction is made: a Boolean program from extrapolated predicates by prime implicants,
    /// the same with a query for each cube by size, from extrapolated cubes; `auto` makes no Boolean
    /// program, and asks what follows from a cube when the cube is reached
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub method: AbstractMethod,

    /// Literals of a cube of a Boolean program at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=14))]
    pub cubes: u8,

    /// Extrapolate equalities between buffered values and memory, too (rules 4 and 11)
    #[arg(long)]
    pub equalities: bool,

    /// Threads that build a Boolean program; as many as the machine has processors when 0
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,

    /// States of the abstraction at most
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    pub max_states: usize,

    /// Find as few full fences as possible that make the program safe; print them as a change of the
    /// source, and what is violated without each
    #[arg(long, conflicts_with_all = ["emit", "certificate"])]
    pub infer_fences: bool,

    /// Print what is made of the program on the way, and stop
    #[arg(long, value_name = "WHAT")]
    pub emit: Option<AbstractEmit>,

    /// Write the proof of a safe answer, for `wmbmc check-certificate`; of several files or models each
    /// has a file of its own
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub certificate: Option<PathBuf>,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub c: CPrograms,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub time: TimeLimit,

    /// Print sizes and times
    #[arg(long)]
    pub stats: bool,

    /// Print the verdict only
    #[arg(short, long)]
    pub quiet: bool,

    /// How results are printed; JSON is one object per line, a line per file and model
    #[arg(long, default_value = "text", conflicts_with = "emit")]
    pub format: Format,

    /// Colours on the terminal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `--method` of `wmbmc abstract`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbstractMethod {
    /// Extrapolated predicates, without a Boolean program
    Auto,
    /// Extrapolated predicates, prime implicants
    Predicates,
    /// Extrapolated predicates, a query for each cube
    Search,
    /// Extrapolated predicates and cubes
    Cubes,
}

/// `--emit` of `wmbmc abstract`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbstractEmit {
    /// The program with its store buffers as variables, as C for SC
    Reduced,
    /// The predicates, extrapolated to the model
    Predicates,
    /// The Boolean program
    Boolean,
}

/// What to do instead of checking files.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the memory models, or print one as cat text
    Models {
        /// The model to print
        name: Option<String>,
    },
    /// List the passes from an input to its outcome, and what each hands on
    Passes,
    /// Make litmus tests from cycles of candidate relaxations
    Generate(Generate),
    /// Answer many litmus tests, on all processors
    Suite(SuiteOptions),
    /// Ask three engines about systems, and compare their answers: the search for any number of
    /// processes; of fixed numbers of them all states, and bounded model checking
    Cross(CrossArgs),
    /// Prove a C program with endless loops by predicate abstraction
    ///
    /// The program computes with mathematical integers; buffers of every size are included.
    Abstract(AbstractArgs),
    /// Check the certificate of a system, or of a program that predicate abstraction has proved
    CheckCertificate(CheckCertificateArgs),
    /// Find the memory orders that a C program needs, and change its text
    Orders(Box<OrdersArgs>),
    /// Compile litmus tests in C11 by the published mappings, and report final states of the machine that
    /// the source forbids
    CompileCheck(CompileCheckArgs),
    /// Run litmus tests on this machine, beside what a model allows
    Run(RunArgs),
    /// Check proofs that --proof has written, without any trust in what made them
    CheckProof(CheckProofArgs),
    /// Make a folder of independent jobs of a run, for many machines
    Plan(PlanArgs),
    /// Do one job of a plan
    Job(JobArgs),
    /// Put the results of all jobs of a plan together
    Merge(MergeArgs),
    /// Say how far the jobs of a plan are
    Progress(ProgressArgs),
    /// Say what a code of a diagnostic or verdict means, or list all codes
    Explain {
        /// The code: V0004
        code: Option<String>,
    },
    /// Print a script that completes the command line in a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or write the pages of all commands
    Man {
        /// Write wmbmc.1, wmbmc-suite.1, .. here
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// `wmbmc check-certificate`
#[derive(Args, Debug)]
#[command(groups = groups())]
pub struct CheckCertificateArgs {
    /// The system (.cub, .asm), or the C program
    pub file: PathBuf,

    /// The certificate; its first line says which kind it is
    pub certificate: PathBuf,

    /// The memory model it is for [default: of a system sc, of a program what the certificate says]
    #[arg(long, value_name = "MODEL")]
    pub mm: Option<String>,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub preprocessing: Preprocessing,

    /// Write what the answer relies on in SMT-LIB 2, for any other solver: of a program the
    /// entailments, of a system a goal for each condition; each of its answers should be `unsat`
    #[arg(long, value_name = "FILE")]
    pub smt2: Option<PathBuf>,
}

/// `wmbmc run`
#[derive(Args, Debug)]
#[command(groups = groups())]
pub struct RunArgs {
    /// Litmus tests for this machine or in C11, directories with tests below them, or files that list tests (`@all`)
    #[arg(required = true, value_name = "TEST")]
    pub tests: Vec<PathBuf>,

    /// The memory model that outcomes are compared with, built in or a .cat file [default: tso for x86, rc11 for C]
    #[arg(long, value_name = "MODEL")]
    pub mm: Option<String>,

    /// How often each test runs
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub runs: u64,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub time: TimeLimit,

    /// How results are printed, text or json; JSON is one object per line, a line per test
    #[arg(long, default_value = "text")]
    pub format: Format,

    /// Print tests that show what is not allowed only, and how many there are
    #[arg(short, long)]
    pub quiet: bool,
}

/// `wmbmc compile-check`
#[derive(Args, Debug)]
#[command(groups = groups())]
pub struct CompileCheckArgs {
    /// Litmus tests in C11, directories with tests below them, or files that list tests (`@all`)
    #[arg(required = true, value_name = "TEST")]
    pub tests: Vec<PathBuf>,

    /// The memory model of the source
    #[arg(long, value_name = "MODEL", default_value = "rc11")]
    pub source: SourceModel,

    /// The machines, by their memory models
    #[arg(
        long,
        value_name = "MODEL,..",
        value_delimiter = ',',
        default_value = "tso,power,aarch64,riscv"
    )]
    pub targets: Vec<String>,

    /// What stands behind relaxed loads
    #[arg(long, default_value = "branch")]
    pub relaxed_loads: RelaxedLoads,

    /// How answers are found: by the SAT solver, or the enumeration of executions one by one
    #[arg(long, default_value = "sat")]
    pub engine: EngineArg,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub time: TimeLimit,

    /// Print every compiled test, not only those with a violation
    #[arg(long)]
    pub print: bool,

    /// How results are printed, text or json; JSON is one object per line, a line per test and target
    #[arg(long, default_value = "text")]
    pub format: Format,

    /// Print violations, and how many there are, only
    #[arg(short, long)]
    pub quiet: bool,
}

/// `wmbmc check-proof`
#[derive(Args, Debug)]
pub struct CheckProofArgs {
    /// The directories
    #[arg(required = true, value_name = "DIR")]
    pub directories: Vec<PathBuf>,

    /// Compare the one proof with this program, too: its event graph must be the proof's, and the
    /// program must do what random executions of the graph do; several files, if it was read with --link
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub program: Vec<PathBuf>,

    /// How many executions
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "program")]
    pub executions: usize,

    /// Where the random numbers of the executions begin
    #[arg(long, value_name = "N", default_value_t = 1, requires = "program")]
    pub seed: u64,

    /// Give up on a proof after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
}

/// `wmbmc plan`
#[derive(Args, Debug)]
pub struct PlanArgs {
    /// Jobs at most. Of files a check that a short search does not solve is split, so that there are so
    /// many
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub jobs: u32,

    /// The folder, a new one; the jobs and the merge need it, and nothing else
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// The short search has so many conflicts
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub probe: u32,

    /// The command line of the run that is planned: files and options, or `suite` and its own
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "RUN"
    )]
    pub run: Vec<String>,
}

/// `wmbmc job`
#[derive(Args, Debug)]
pub struct JobArgs {
    /// The folder of the plan
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Which job, from 0
    #[arg(long, value_name = "K")]
    pub index: usize,

    /// Do this task of the job only
    #[arg(long, value_name = "T")]
    pub task: Option<usize>,

    /// Print the result of the task, and keep nothing
    #[arg(long, requires = "task")]
    pub print: bool,

    /// What another solver has printed of the formula in the cube of the task (lines with `s` and `v`);
    /// an assignment is checked and replayed, that there is none is believed
    #[arg(long, value_name = "FILE", requires = "task")]
    pub answer: Option<PathBuf>,
}

/// `wmbmc merge`
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The folder of the plan
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// `wmbmc progress`
#[derive(Args, Debug)]
pub struct ProgressArgs {
    /// The folder of the plan
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// `wmbmc generate`
#[derive(Args, Debug)]
#[command(after_help = "\
Edges, as in herdtools' diy:
  Rfe Fre Coe, Rfi Fri Coi   read-from, from-read, coherence; external, internal
  PodWR PosRR                program order, to a different or the same location
  MFencedWR SyncdWW LwSyncsRW ISyncdRR EieiodWW            with a fence in between
  DpAddrdR DpDatadW DpCtrldW DpCtrlIsyncdR                 with a dependency
  Rmw                        atomic exchange (not on Power)
  PodWWRlxRel FenceScdWRRlxRlx RmwAcqRel                   with memory orders (C11): Na Rlx Acq Rel Sc
  PodWWOnceRelease FenceMbdWROnceOnce FenceSync-rcudWWOnceOnce RcudRROnceOnce   (lkmm): Na Once Acquire Release
  `*` stands for any letter (Pod**), [Rfi,PodRR] for edges that stay together.

Examples:
  wmbmc generate --arch ppc \"SyncdWW Rfe DpAddrdR Fre\"
  wmbmc generate --arch x86 --relax PodWR,Rfi --safe Fre,Coe,MFencedWR --size 6 --out DIR
  wmbmc generate --arch ppc --suite systematic --out DIR")]
pub struct Generate {
    /// Cycles, each in quotes
    #[arg(value_name = "CYCLE", conflicts_with_all = ["relax", "safe", "suite"])]
    pub cycles: Vec<String>,

    /// Architecture of the tests
    #[arg(long)]
    pub arch: ArchName,

    /// All cycles that have one of these edges
    #[arg(long, value_name = "EDGES")]
    pub relax: Vec<String>,

    /// Further edges to make the cycles of
    #[arg(long, value_name = "EDGES")]
    pub safe: Vec<String>,

    /// Let a cycle have several of the edges under --relax
    #[arg(long)]
    pub mix: bool,

    /// Most edges of a cycle
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub size: usize,

    /// How many threads
    #[arg(long, value_name = "MIN..MAX", default_value = "2..4")]
    pub threads: String,

    /// A suite of tests that belong together
    #[arg(long, conflicts_with_all = ["relax", "safe"])]
    pub suite: Option<Suite>,

    /// Write a file per test, and the list @all; `-` prints the tests
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
