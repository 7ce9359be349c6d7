//! What is typed: the one table of options.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// How often the jump back of a loop is taken when nothing else is said: enough for the loops of
/// typical tests, and little enough that a first answer comes soon.
pub const DEFAULT_UNWIND: u32 = 5;

/// Checks concurrent C programs against weak memory models.
#[derive(Parser, Debug)]
#[command(
    name = "wmbmc",
    version,
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
pub struct Options {
    /// What to do instead of checking files
    #[command(subcommand)]
    pub command: Option<Command>,

    /// C programs (.c, .i), each checked on its own
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Memory models: names (see `wmbmc models`) or paths of .cat files, separated by commas
    #[arg(
        long,
        value_name = "MODEL,..",
        value_delimiter = ',',
        default_value = "sc"
    )]
    pub mm: Vec<String>,

    /// Take the jump back of a loop, and each recursive call, at most N times
    #[arg(long, value_name = "N", default_value_t = DEFAULT_UNWIND)]
    pub unwind: u32,

    /// The same for single loops or recursive procedures, by the names the verdict gives
    #[arg(long, value_name = "LOOP:N,..", value_delimiter = ',')]
    pub unwindset: Vec<String>,

    /// Properties to check
    #[arg(
        long,
        value_name = "KIND,..",
        value_delimiter = ',',
        default_value = "assert,memory"
    )]
    pub check: Vec<Kind>,

    /// How the orders of a model become clauses
    #[arg(long, default_value = "matrix")]
    pub order: Order,

    /// Sizes of C's types: long and pointers of 64 bits, or of 32
    #[arg(long, default_value = "lp64")]
    pub data_model: DataModel,

    /// Look for headers here too
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// Give up after S seconds a file and model: the verdict is UNKNOWN
    #[arg(long, value_name = "S")]
    pub timeout: Option<f64>,

    /// Give up when the process needs more than MB MiB: the verdict is UNKNOWN
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,

    /// How results are printed; JSON is one object a line, a line a file and model
    #[arg(long, default_value = "text")]
    pub format: Format,

    /// Write the violating execution as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Write the formula in DIMACS form
    #[arg(long, value_name = "FILE")]
    pub dimacs: Option<PathBuf>,

    /// Print sizes and times
    #[arg(long)]
    pub stats: bool,

    /// Print what a stage hands on, and stop
    #[arg(long, value_name = "after:STAGE")]
    pub dump: Option<Dump>,

    /// Return 0 for SAFE up to bound N
    #[arg(long)]
    pub accept_bound: bool,

    /// Show what the tool added to the execution, too
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Print the verdict only
    #[arg(short, long)]
    pub quiet: bool,

    /// Colours on the terminal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// What to do instead of checking files.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the memory models, or print one as cat text
    Models {
        /// The model to print
        name: Option<String>,
    },
}

/// `--check`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// assert(), __VERIFIER_assert(), reach_error()
    Assert,
    /// Accesses outside of every object (null, out of bounds) or after its end (use after free or
    /// return), and freeing what cannot be freed
    Memory,
    /// Memory on the heap that is not freed when the program has ended
    Leak,
    /// Data races, as C11 has them: volatile accesses are not atomic
    Race,
    /// Threads that wait for ever: locks, joins, condition variables, semaphores, barriers
    Deadlock,
    /// Signed overflow, and shifts too far
    Overflow,
    /// Division by zero
    Divzero,
}

/// `--order`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// A variable a pair of events, transitive by clauses
    Matrix,
    /// A number an event, compared bit by bit
    Clocks,
}

/// `--data-model`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataModel {
    /// long and pointers of 64 bits
    Lp64,
    /// int, long and pointers of 32 bits
    Ilp32,
}

/// `--format`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// `--dump`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dump {
    /// The syntax tree
    #[value(name = "after:ast")]
    Ast,
    /// The program over registers and memory
    #[value(name = "after:ir")]
    Ir,
    /// The event graph
    #[value(name = "after:unroll")]
    Unroll,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_table_is_consistent() {
        Options::command().debug_assert();
    }
}
