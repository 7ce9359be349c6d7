//! What a litmus test might do to order more, or less: for each access its forms that acquire or release, for each
//! fence the others of the instruction set, and between two accesses of a thread a new fence or a dependency.
//!
//! A place has ways, and a choice is a way for each place. What it makes of the test is text, which the front end
//! reads like any other. [`place`] has what a place is, [`machine`] has the columns of machines, with a file for each instruction set, [`functions`]
//! the functions of C11 and of the kernel, [`cost`] what orders cost.

mod aarch64;
pub mod cost;
mod functions;
mod machine;
mod place;
mod ppc;
mod riscv;
mod x86;

use crate::front::litmus::ast;
use cost::Machine;
use place::edited;
pub use place::{Ordered, OrderingPlace, PlaceKind, Way};

/// The places of a test.
pub struct Strengthening<'a> {
    test: &'a ast::Test,
    text: &'a str,
    places: Vec<OrderingPlace>,
}

impl<'a> Strengthening<'a> {
    /// The places of a test that has been read from a text; costs of C are those of a machine.
    pub fn new(test: &'a ast::Test, text: &'a str, machine: Machine) -> Strengthening<'a> {
        let places = match test.machine {
            ast::Machine::X86 => machine::places(test, &x86::X86),
            ast::Machine::Ppc => machine::places(test, &ppc::Power),
            ast::Machine::Aarch64 => machine::places(test, &aarch64::Aarch64),
            ast::Machine::Riscv => machine::places(test, &riscv::Riscv),
            ast::Machine::C => functions::places(test, text, machine),
            // Their instructions are printed in another syntax.
            ast::Machine::X86_64 | ast::Machine::Arm => Vec::new(),
        };
        Strengthening { test, text, places }
    }

    /// The places, thread by thread in the order of the text.
    pub fn places(&self) -> &[OrderingPlace] {
        &self.places
    }

    /// The text of the test with a way for each place.
    pub fn text(&self, choice: &[usize]) -> String {
        let chosen = self.places.iter().zip(choice);
        let chosen = chosen.filter(|(place, way)| place.now != **way);
        let chosen: Vec<_> = chosen
            .map(|(place, way)| (place, &place.ways[*way].change))
            .collect();
        let edits = match self.test.machine {
            ast::Machine::X86 => machine::edits(self.test, self.text, &chosen, &x86::X86),
            ast::Machine::Ppc => machine::edits(self.test, self.text, &chosen, &ppc::Power),
            ast::Machine::Aarch64 => {
                machine::edits(self.test, self.text, &chosen, &aarch64::Aarch64)
            }
            ast::Machine::Riscv => machine::edits(self.test, self.text, &chosen, &riscv::Riscv),
            ast::Machine::C => functions::edits(&chosen),
            ast::Machine::X86_64 | ast::Machine::Arm => Vec::new(),
        };
        edited(self.text, edits)
    }
}
