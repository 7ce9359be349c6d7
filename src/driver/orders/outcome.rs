//! What was found of the orders of a program: plain data, for `report` to print.

use crate::check::orders::{Added, ViolatedThere};
use crate::check::outcome::UnknownReason;
use crate::driver::outcome::ProgramOutcome;
use base::source::Span;
use ir::program::MemoryOrder;
use ir::sites::Site;

/// What was found for a program on some models.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OrdersOutcome {
    /// The models, by their short names.
    pub models: Vec<String>,
    /// The sites, in the order of the text.
    pub sites: Vec<FoundSite>,
    /// The answer.
    pub verdict: OrdersVerdict,
    /// How many choices of orders were looked at.
    pub choices: usize,
    /// Other choices of which no order can be weaker, up to the bounds of the search, where they were wanted.
    pub others: Vec<OtherOrders>,
    /// There are no more of these; false where none were wanted.
    pub has_all: bool,
    /// The program with one order weaker, for each that is needed in the line that is to be explained.
    pub explained: Vec<ProgramOutcome>,
    /// What is new with the weaker orders in that line, a model each.
    pub added: Vec<AddedExecution>,
    /// Seconds of all.
    pub seconds: f64,
}

/// What a weaker order allows that the order in the text does not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AddedExecution {
    /// The site.
    pub site: Site,
    /// Its order in the text.
    pub before: MemoryOrder,
    /// The order that was chosen.
    pub chosen: MemoryOrder,
    /// The model.
    pub model: String,
    /// What is new.
    pub added: Added,
}

/// Other orders of which none can be weaker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OtherOrders {
    /// What they cost, in thousandths of a weight.
    pub cost: u32,
    /// Where they differ from those that were chosen.
    pub differing: Vec<(Site, MemoryOrder)>,
}

/// The answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OrdersVerdict {
    /// These orders keep every property.
    Chosen(Box<ChosenOrders>),
    /// With the strongest orders a property of this kind is violated on a model.
    NotEnough {
        /// The model.
        model: String,
        /// The program with these orders there.
        outcome: Box<ProgramOutcome>,
    },
    /// Not decided.
    Undecided(Undecided),
}

/// Why orders are not decided.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Undecided {
    /// The search has no answer.
    Search(UnknownReason),
    /// The program with the orders that were found has no answer on a model.
    Check(String, UnknownReason),
    /// It violates a property on a model, beyond the bounds of the search.
    Beyond(String),
}

/// Orders that keep every property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChosenOrders {
    /// The program was wrong with its own orders.
    pub is_repair: bool,
    /// What the program's orders cost, and what these do, in thousandths of a weight.
    pub cost: (u32, u32),
    /// The program with them, by model: `SAFE`, perhaps up to a bound.
    pub outcomes: Vec<ProgramOutcome>,
    /// The text of the program with them.
    pub edited: Edited,
}

/// A site and what was found of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundSite {
    /// The site.
    pub site: Site,
    /// The functions that it is in.
    pub functions: Vec<String>,
    /// Its order in the text.
    pub before: MemoryOrder,
    /// The order that was chosen for it.
    pub chosen: Option<MemoryOrder>,
    /// It was to keep its order.
    pub is_kept: bool,
    /// It is a fence that is not in the text, behind the statement that ends here.
    pub is_new: bool,
    /// What is violated with weaker orders than the chosen one.
    pub needed: Vec<NeededOrder>,
}

/// What is violated with an order one step weaker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NeededOrder {
    /// The order.
    pub weaker: MemoryOrder,
    /// The model.
    pub model: String,
    /// What is violated on it.
    pub violated: ViolatedThere,
}

/// The text of a program with other orders.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// The files that have changed.
    pub files: Vec<ChangedFile>,
    /// Changes that have no form in C: the places, and the changes in words.
    pub by_hand: Vec<(Span, String)>,
    /// The text was read again, and is the program with these orders.
    pub is_read_again: bool,
}

/// A file that has changed.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// Its name, as it was given.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The change as a unified diff.
    pub diff: String,
}

impl ChangedFile {
    /// A file whose text becomes another one.
    pub(super) fn new(name: &str, before: &str, after: String) -> ChangedFile {
        let diff = similar::TextDiff::from_lines(before, &after);
        let header = (format!("a/{name}"), format!("b/{name}"));
        let diff = diff.unified_diff().header(&header.0, &header.1).to_string();
        ChangedFile {
            name: name.to_string(),
            text: after,
            diff,
        }
    }
}
