//! What is typed for `wmbmc cross`.

use super::c_programs::CPrograms;
use super::groups::{PROGRAM, groups};
use super::incomplete::Incomplete;
use super::values::{Color, Format, PropertyArg};
use crate::driver::options::DEFAULT_UNWIND;
use clap::Args;
use std::path::PathBuf;

/// `wmbmc cross`
#[derive(Args, Debug)]
#[command(groups = groups())]
pub struct CrossArgs {
    /// Systems (.cub), x86 programs (.asm), C programs with any number of threads; with --fronts C programs
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Compare two front ends, wmbmc's own and clang, on each C program
    #[arg(long, conflicts_with_all = ["procs", "steps", "front"])]
    pub fronts: bool,

    /// With --fronts: at which levels clang optimises (-O)
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        default_value = "0,1",
        requires = "fronts",
        value_parser = clap::value_parser!(u8).range(0..=3)
    )]
    pub levels: Vec<u8>,

    /// Read the C files as one program
    #[arg(long, group = PROGRAM)]
    pub link: bool,

    /// With --fronts: how often loops are unwound
    #[arg(long, value_name = "N", default_value_t = DEFAULT_UNWIND, requires = "fronts")]
    pub unwind: u32,

    /// Of C programs: what is checked
    #[arg(long, value_name = "KIND,..", value_delimiter = ',')]
    pub check: Vec<PropertyArg>,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub incomplete: Incomplete,

    // clap takes a comment for documentation for the text of the options.
    #[allow(missing_docs)]
    #[command(flatten)]
    pub c: CPrograms,

    /// Numbers of processes; a file with `number_procs` has its own
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        default_value = "2,3",
        value_parser = clap::value_parser!(u8).range(1..=8)
    )]
    pub procs: Vec<u8>,

    /// Transitions of each process that bounded model checking looks at [default: as many as the
    /// longest process has in a run that another engine has found, without a run 6, of .asm 10]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub steps: Option<u32>,

    /// Memory models: sc, tso, pso
    #[arg(
        long,
        value_name = "MODEL,..",
        value_delimiter = ',',
        default_value = "sc"
    )]
    pub mm: Vec<String>,

    /// Give up after S seconds an engine: its verdict is UNKNOWN
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub timeout: f64,

    /// How results are printed; JSON is one object per line, a line per file and model
    #[arg(long, default_value = "text")]
    pub format: Format,

    /// Colours on the terminal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Print whether they agree only
    #[arg(short, long)]
    pub quiet: bool,
}
