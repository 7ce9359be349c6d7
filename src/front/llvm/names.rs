//! Names: of the module, which may be used before they are declared, and of one function, where values and blocks share
//! one set of names and one sequence of numbers.

use base::diag::Diag;
use base::source::Span;
use base::tokens::Parsed;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The names of a module: what is defined, and where what may come later is first used.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// `@name` that is defined or declared.
    pub globals: HashSet<Cow<'a, str>>,
    /// Where `@name` is used first.
    pub global_uses: HashMap<Cow<'a, str>, Span>,
    /// Where `%name` is used first as a type.
    pub type_uses: HashMap<Cow<'a, str>, Span>,
    /// How many globals without a name there are.
    pub unnamed: u64,
    /// How many attachments are locations that are written in place.
    pub locations: u64,
}

/// What a name of a function is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Local {
    /// A parameter or a result.
    Value,
    /// A block.
    Block,
}

/// The names of a function.
#[derive(Default)]
pub(super) struct Locals<'a> {
    /// The number of the next parameter, result or block without a name.
    pub next: u64,
    /// What is defined.
    pub defined: HashMap<Cow<'a, str>, Local>,
    uses: Vec<(Cow<'a, str>, Span, Local)>,
}

impl<'a> Locals<'a> {
    /// Notes that a name is used.
    pub fn used(&mut self, name: Cow<'a, str>, span: Span, what: Local) {
        self.uses.push((name, span, what));
    }

    /// A name with the next number, which is always free: numbers are given in sequence.
    pub fn unnamed(&mut self, what: Local) -> Cow<'a, str> {
        let name: Cow<'a, str> = Cow::Owned(self.next.to_string());
        self.next = self.next.saturating_add(1);
        self.defined.insert(name.clone(), what);
        name
    }

    /// The first use of a name that is not defined, or is something else.
    pub fn check(&self) -> Parsed<()> {
        for (name, span, used) in &self.uses {
            let message = match (self.defined.get(name), used) {
                (Some(Local::Value), Local::Value) | (Some(Local::Block), Local::Block) => continue,
                (Some(Local::Block), Local::Value) => format!("`%{name}` is a block, not a value"),
                (Some(Local::Value), Local::Block) => format!("`%{name}` is a value, not a block"),
                (None, Local::Value) => format!("`%{name}` is not defined in this function"),
                (None, Local::Block) => format!("there is no block `%{name}` in this function"),
            };
            return Err(Box::new(Diag::error(*span, message)));
        }
        Ok(())
    }
}
