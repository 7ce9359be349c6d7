//! The values that options take: the words of the command line.

use clap::ValueEnum;

/// How many threads a program is checked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// This many.
    Fixed(u32),
    /// Any number.
    Any,
}

/// Reads `any`, or a number of threads.
///
/// # Errors
/// A sentence.
pub fn threads(text: &str) -> Result<Threads, String> {
    match text.parse() {
        Ok(n @ 1..=8) => Ok(Threads::Fixed(n)),
        _ if text == "any" => Ok(Threads::Any),
        _ => Err("a number from 1 to 8, or `any`".to_string()),
    }
}

/// `--arch`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArchName {
    /// x86
    X86,
    /// Power
    Ppc,
    /// AArch64
    Aarch64,
    /// RISC-V
    Riscv,
    /// C11, in herd's dialect: atomics with memory orders
    C11,
    /// The Linux kernel, in the C of its litmus tests
    Lkmm,
}

/// `--source`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceModel {
    /// C11, repaired
    Rc11,
}

/// `--relaxed-loads`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedLoads {
    /// A branch behind them that depends on what was read, as the proofs for RC11 have it
    Branch,
    /// Nothing behind them, as compilers have it
    Bare,
}

/// `--suite`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suite {
    /// The shapes with names, with fences and dependencies: a few hundred tests
    Classic,
    /// Everything of up to six edges and four threads: thousands of tests
    Systematic,
}

/// `--weak-cas`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeakCasArg {
    /// On every machine, as C11 allows: the default
    Always,
    /// On Power, Alpha, and what a model leaves open
    Machine,
}

/// `--search`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchOrderArg {
    /// Breadth first: the default
    Bfs,
    /// Depth first
    Dfs,
    /// Fewer literals first, then breadth
    Bfsh,
    /// Fewer literals first, then depth
    Dfsh,
    /// What --brab guessed first, then breadth
    Bfsa,
    /// What --brab guessed first, then depth
    Dfsa,
}

/// `--strategy`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrategyArg {
    /// Made for TSO, and for flat memory on sc; not for pso
    Tso,
    /// Over events, the memory model a parameter: sc, tso and pso
    Generic,
}

/// `--check`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyArg {
    /// assert(), __VERIFIER_assert(), reach_error()
    Assert,
    /// Accesses outside of every object (null, out of bounds) or after its end (use after free or
    /// return), and freeing what cannot be freed
    Memory,
    /// Uses of the thread library that POSIX and C11 call undefined: unlocking a mutex that another
    /// thread holds, joining a thread twice, destroying a lock that is held
    Misuse,
    /// Memory on the heap that is not freed when the program has ended
    Leak,
    /// Data races, as C11 has them: volatile accesses are not atomic
    Race,
    /// No thread can make progress, and some wait: locks, joins, condition variables, semaphores,
    /// barriers
    Deadlock,
    /// Spin loops and awaits that never end, although every write becomes visible and every thread runs
    Termination,
    /// Signed overflow, and shifts too far
    Overflow,
    /// Division by zero
    Divzero,
    /// Branches, addresses and assertions on what was not initialised
    Uninitialised,
    /// Executions that are not sequentially consistent: no interleaving has them
    Robust,
    /// Results of the calls of --parallel that no order of them has which respects real time
    Linearizable,
    /// Results of calls that no order has which respects the order of the calls of each thread
    Sequential,
    /// Results of calls that no order has which respects moments at which no call runs
    Quiescent,
    /// Every kind but robust, linearizable, sequential and quiescent
    All,
}

/// `--order`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderEncodingArg {
    /// For each axiom of the model, matrix or lazy by the size of the formula
    Auto,
    /// A variable per pair of events, transitive by clauses
    Matrix,
    /// A number per event, compared bit by bit
    Clocks,
    /// Axioms judge candidate executions, and the solver learns why one is inconsistent
    Lazy,
}

/// `--without`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReductionArg {
    /// Constant bits of values
    Values,
    /// Critical sections as units of order
    Sections,
    /// Sums for reads of counters
    Sums,
    /// One order for identical threads
    Symmetry,
    /// Iterations of loops that write what no other thread misses
    Iterations,
}

/// `--engine`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineArg {
    /// A short exploration, then the formula
    Auto,
    /// One formula for all executions
    Sat,
    /// Each execution once
    Explore,
    /// Executions one by one, by brute force: the reference
    Enumerate,
    /// The formula and the executions one by one, and they have to agree
    Both,
}

/// `--data-model`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataModelArg {
    /// long and pointers of 64 bits
    Lp64,
    /// int, long and pointers of 32 bits
    Ilp32,
}

/// `--target`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetArg {
    /// x86-64: its model is tso
    #[value(name = "x86_64")]
    X86_64,
    /// Power, 64 bits, little-endian: its model is power
    Ppc64le,
    /// ARM, 64 bits: its model is aarch64
    Aarch64,
    /// RISC-V, 64 bits: its model is riscv
    Riscv64,
}

/// `--format`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Text,
    /// For programs: an object per line
    Json,
    /// For code scanning: one SARIF log
    Sarif,
    /// For services that show tests: one JUnit report
    Junit,
}

impl Format {
    /// All answers make one report.
    pub fn is_report(self) -> bool {
        matches!(self, Format::Sarif | Format::Junit)
    }
}

/// `--emit`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emit {
    /// Of a litmus test: a C program with pthreads; an assertion fails where the condition holds
    C,
    /// Of an x86 program: the system of any number of processes that is checked
    Cub,
}

/// `--dump`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dump {
    /// The syntax tree
    #[value(name = "after:parse", alias = "after:ast")]
    Parse,
    /// The program over registers and memory
    #[value(name = "after:lower", alias = "after:ir")]
    Lower,
    /// The event graph
    #[value(name = "after:unroll")]
    Unroll,
    /// How many pairs the model's relations must and may have
    #[value(name = "after:analyse")]
    Analyse,
    /// The formula
    #[value(name = "after:encode")]
    Encode,
}

/// `--color`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
