//! What a litmus test might do to order more, or less: for each access its forms that acquire or release, for each
//! fence the others of the instruction set, and between two accesses of a thread a new fence or a dependency.
//!
//! A place has ways, and a choice is a way for each place. What it makes of the test is text, which the front end
//! reads like any other. [`machine`] has the columns of machines, with a file for each instruction set, [`functions`]
//! the functions of C11 and of the kernel, [`cost`] what orders cost.

mod aarch64;
pub mod cost;
mod functions;
mod machine;
mod ppc;
mod riscv;
mod x86;

use crate::front::litmus::ast;
use base::source::Span;
use cost::Machine;

/// What a way orders, as a set: of two ways of a place the one is at most the other if its set is a part of the other's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ordered(u32);

impl Ordered {
    const NOTHING: Ordered = Ordered(0);
    const LOAD_LOAD: Ordered = Ordered(1);
    const LOAD_STORE: Ordered = Ordered(2);
    const STORE_LOAD: Ordered = Ordered(4);
    const STORE_STORE: Ordered = Ordered(8);
    /// Every pair, for all threads.
    const FULL: Ordered = Ordered(31);
    /// The access behind the place depends on the load before it.
    const DEPENDENCY: Ordered = Ordered(32);
    const ACQUIRE_PC: Ordered = Ordered(64);
    const ACQUIRE: Ordered = Ordered(128);
    const RELEASE: Ordered = Ordered(256);
    const SEQ_CST: Ordered = Ordered(512);
    /// What a fence does that is none of those that are chosen from: less than one that orders loads before all
    /// that follows.
    const OTHER: Ordered = Ordered(1024);

    const fn and(self, other: Ordered) -> Ordered {
        Ordered(self.0 | other.0)
    }

    /// Whether all of this is ordered there, too.
    pub fn is_at_most(self, other: Ordered) -> bool {
        self.0 & !other.0 == 0
    }
}

/// What stands at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write.
    Update,
    /// A fence.
    Fence,
    /// Nothing: it is behind an access, and before another one of its thread.
    New,
}

/// What may stand at a place.
#[derive(Clone, Debug)]
pub struct Way {
    /// The instruction or the call; empty where nothing stands.
    pub text: String,
    /// What it orders.
    pub ordered: Ordered,
    /// What it costs, in thousandths of the weights of [`cost`].
    pub cost: u32,
    change: Change,
}

/// What is done for a way.
#[derive(Clone, Debug)]
enum Change {
    /// Nothing.
    Keep,
    /// Another instruction in place of one.
    Instruction(Box<ast::LineKind>),
    /// A row behind that of the place.
    Row(String),
    /// The line with this number depends on a register; another one is free.
    Dependency {
        line: usize,
        on: String,
        free: String,
    },
    /// Other text.
    Text(Vec<TextEdit>),
}

/// Bytes of a text, and what stands there instead.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TextEdit {
    from: usize,
    to: usize,
    text: String,
}

impl TextEdit {
    fn new(from: usize, to: usize, text: &str) -> TextEdit {
        TextEdit {
            from,
            to,
            text: text.to_string(),
        }
    }
}

impl Way {
    /// Whether it is a dependency.
    pub fn is_dependency(&self) -> bool {
        matches!(self.change, Change::Dependency { .. })
    }
}

/// Where a test chooses how much it orders.
#[derive(Clone, Debug)]
pub struct OrderingPlace {
    /// The instruction or the call; at a new place the access before it.
    pub span: Span,
    /// The thread: 0 is `P0`.
    pub thread: u32,
    /// What stands there.
    pub kind: PlaceKind,
    /// What may stand there, the weakest first.
    pub ways: Vec<Way>,
    /// Which of them does.
    pub now: usize,
}

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
        };
        edited(self.text, edits)
    }
}

/// A text with edits that do not overlap; those at one place come in their order.
fn edited(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|edit| (edit.from, edit.to));
    let (mut out, mut at) = (String::new(), 0);
    for edit in edits {
        out += &text[at..edit.from];
        out += &edit.text;
        at = edit.to;
    }
    out + &text[at..]
}
