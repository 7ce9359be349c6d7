//! What is typed for `wmbmc orders`.

use super::c_programs::{CPrograms, TimeLimit};
use super::groups::{PROGRAM, groups};
use super::incomplete::Incomplete;
use super::values::{Color, Format, PropertyArg, WeakCasArg};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `wmbmc orders`
#[derive(Args, Debug)]
#[command(after_help = "\
Of a program that is safe the weakest orders are found that keep every checked property on all of the
models; of one that is not, the cheapest stronger ones that do. Each order that has to stay is shown with
what is violated when it is one step weaker.

Of a litmus test the orders, fences and dependencies are found with which its condition holds in no
execution.")]
#[command(groups = groups())]
pub struct OrdersArgs {
    /// C programs and litmus tests
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Read the files as one program
    #[arg(long, group = PROGRAM)]
    pub link: bool,

    /// Memory models, all of them at once; built-in names or .cat files [default: rc11; of a litmus test that of its
    /// instruction set]
    #[arg(long, value_name = "MODEL,..", value_delimiter = ',')]
    pub mm: Vec<String>,

    /// Begin with this order everywhere
    #[arg(long, value_name = "ORDER")]
    pub from: Option<FromOrder>,

    /// Leave the orders in these lines as they are
    #[arg(long, value_name = "FILE:LINE,..", value_delimiter = ',')]
    pub keep: Vec<String>,

    /// Look at the orders in these functions, or threads of a litmus test (`P0`), alone
    #[arg(long, value_name = "F,..", value_delimiter = ',')]
    pub only: Vec<String>,

    /// What orders cost: on which machine
    #[arg(long, value_name = "MACHINE", default_value = "any")]
    pub cost: MachineArg,

    /// List the other choices of which no order can be weaker, up to a hundred
    #[arg(long, group = PROGRAM)]
    pub all: bool,

    /// Let plain and volatile accesses become atomic ones, where no stronger order mends the program
    #[arg(long, group = PROGRAM)]
    pub make_atomic: bool,

    /// Show the execution that is a violation when the order in this line is weaker
    #[arg(long, value_name = "FILE:LINE")]
    pub explain: Option<String>,

    /// Change the files
    #[arg(long)]
    pub apply: bool,

    /// Write the answer as a page that a browser shows without anything else: the orders and why they are needed, and the
    /// text with their lines marked; with several inputs each has a file of its own, FILE with its name before the
    /// extension
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print the formula in which each order is a choice, on each model, and stop
    #[arg(long, value_name = "after:PASS", group = PROGRAM)]
    pub dump: Option<DumpedOrders>,

    /// How often loops are unwound
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub unwind: u32,

    /// What is checked, as for programs
    #[arg(long, value_name = "PROPERTY,..", value_delimiter = ',', group = PROGRAM)]
    pub check: Vec<PropertyArg>,

    /// When a weak compare-exchange of C may fail for no reason, as for programs
    #[arg(long, value_name = "WHEN", default_value = "always", group = PROGRAM)]
    pub weak_cas: WeakCasArg,

    /// Let SAFE up to a bound count as SAFE for the exit code
    #[arg(long)]
    pub accept_bound: bool,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub incomplete: Incomplete,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub c: CPrograms,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub time: TimeLimit,

    /// Print the verdict only
    #[arg(short, long)]
    pub quiet: bool,

    /// How results are printed, text or json; JSON is one object per line, a line per program
    #[arg(long, default_value = "text")]
    pub format: Format,

    /// Colours on the terminal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `--dump` of `wmbmc orders`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DumpedOrders {
    /// The formula
    #[value(name = "after:encode")]
    Encode,
}

/// `--from` of `wmbmc orders`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FromOrder {
    /// The strongest one
    #[value(name = "seq_cst")]
    SeqCst,
}

/// `--cost` of `wmbmc orders`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineArg {
    /// None: a stronger order costs more, and a fence more than an access
    Any,
    /// x86
    X86,
    /// `ARMv8`
    Aarch64,
    /// Power
    Power,
    /// RISC-V
    Riscv,
}
