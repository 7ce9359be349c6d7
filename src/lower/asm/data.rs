//! Variables of a program: shared ones are objects with static storage, those of threads are
//! thread-local ones.

use crate::front::asm::ast::{self, Initial};
use crate::lower::litmus::memory::{Locations, Sizes};
use ir::program::*;

/// Bits of a register and of a variable.
pub(super) const WORD: Width = 32;

/// Makes the variables objects of the program.
pub(super) fn declare(source: &ast::Program, threads: u32, program: &mut Program) -> Locations {
    let layout = program.layouts.push(Layout::Scalar { width: WORD });
    let shared = source.shared.iter().map(|d| (d, false));
    let private = source.private.iter().map(|d| (d, true));
    let mut objects = Vec::new();
    for (data, thread_local) in shared.chain(private) {
        let value = match data.initial {
            Initial::Number(n) => n.bits,
            Initial::ThreadCount(_) => threads.into(),
        };
        let global = program.globals.push(Global {
            name: data.name.text.clone(),
            span: data.name.span,
            layout,
            init: vec![(0, WORD, Expr::constant(value, WORD))],
            thread_local,
        });
        objects.push((data.name.text.clone(), global));
    }
    let sizes = Sizes {
        word: WORD,
        pointer: WORD,
        cell: WORD,
        step: None,
    };
    Locations::of_scalars(sizes, objects.into_iter())
}
