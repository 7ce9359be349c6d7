//! From an x86 program to a weak array-based transition system: the translation of PMCx86
//! (Conchon, Declerck, Zaïdi, ICFEM 2017, Sec. 4), rule by rule, so that a proof of the system is one
//! of the program for every number of threads.
//!
//! A thread is a process. Its instruction pointer is `PC`, an array of program points, each named by
//! the label before it and its line; registers are arrays of mathematical integers, so that nothing
//! wraps around at 2³²; shared variables are `weak`, those of `thread_data` arrays like registers.
//! Integers that only ever hold few constants are enumerations ([`systems::cub::finite`]).
//! What a jump asks is kept as the last result itself, `RES` ([`flags`]). An instruction is one
//! transition; one that reads and writes memory without `lock` is two, with what is to be written in
//! `TMP` between them ([`rules`]). A counter is an array of Booleans with as many `True` cells as its
//! value says ([`counters`]).
//!
//! **Where this differs from the paper**, because the paper is wrong or leaves it open:
//!
//! * `TADDVARREG2` writes the register to memory; it must be the sum.
//! * `xchg` with memory is locked, as the architecture has it; the paper takes it apart.
//! * A failing `cmpxchg` reads only, so a locked one asks for an empty buffer; an unlocked one writes
//!   back what it has read, as the manual says.
//! * Values of registers and flags before they are set are arbitrary, and a conditional jump before
//!   any instruction that sets flags is refused.
//! * The comparison of a counter with `N` has all its transitions at one program point, and its
//!   result is negative where the counter is below `N`.
//! * `dec` of a counter tells whether it becomes 0. A counter that leaves its range is a violation of
//!   its own: the unary number cannot say what the machine would do.
//! * `inc` and `dec` of a counter without `lock` write the whole counter, as it was read.

mod counters;
mod flags;
mod flow;
mod intervals;
mod names;
mod rules;
mod translator;

use crate::front::asm::ast::Program;
use base::diag::Diag;
use base::source::SourceMap;
use std::collections::BTreeMap;
use systems::cub::ast::File;
use systems::cub::finite;
use translator::Translator;

/// A program as a system.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The system; every node has the place of the instruction it stands for.
    pub system: File,
    /// What each variable of the system is called in the program, in the order of the system.
    pub variables: Vec<String>,
    /// The constant that a value of an enumeration stands for.
    pub constants: BTreeMap<String, i64>,
}

/// Translates a program.
///
/// # Errors
/// Jumps that ask for flags that no instruction has set, or that the result alone does not tell.
pub fn translate(sources: &SourceMap, program: &Program) -> Result<Translation, Vec<Diag>> {
    flags::check(program)?;
    let mut t = Translator::new(sources, program);
    for index in 0..program.code.len() {
        rules::instruction(&mut t, index);
    }
    let initial = t.initial_constants();
    let (mut system, variables) = t.finish();
    let constants = finite::enumerate(&mut system, &initial);
    Ok(Translation {
        system,
        variables,
        constants,
    })
}
