//! What an option is about, as clap's groups: the inputs it applies to, the solver, whole runs.

use clap::ArgGroup;

/// C programs.
pub const PROGRAM: &str = "C programs (.c, .i)";
/// Litmus tests.
pub const LITMUS: &str = "litmus tests (.litmus)";
/// Systems of any number of processes.
pub const SYSTEM: &str = "systems of any number of processes (.cub)";
/// x86 programs for any number of threads.
pub const ASSEMBLY: &str = "x86 programs (.asm)";
/// x86 programs for a fixed number of threads.
pub const THREADS: &str = "x86 programs with --threads";
/// C programs for any number of threads.
pub const ANY: &str = "C programs with --threads any";

/// All inputs.
pub const EVERY: [&str; 6] = [PROGRAM, LITMUS, SYSTEM, ASSEMBLY, THREADS, ANY];
/// Everything in C.
pub const C: [&str; 2] = [PROGRAM, ANY];
/// What bounded model checking is for.
pub const BOUNDED: [&str; 3] = [PROGRAM, LITMUS, THREADS];
/// What is checked for any number of processes.
pub const SYSTEMS: [&str; 3] = [SYSTEM, ASSEMBLY, ANY];

/// What is about the solver's way, and has no effect on the enumeration of executions.
pub const SOLVER: &str = "the solver";
/// What is about a whole run, and cannot be done by the jobs of a plan.
pub const WHOLE: &str = "whole runs";

/// The groups of options; an option may be in several, and several options of a group may be typed.
pub fn groups() -> Vec<ArgGroup> {
    let names = EVERY.into_iter().chain([SOLVER, WHOLE]);
    names
        .map(|name| ArgGroup::new(name).multiple(true))
        .collect()
}
