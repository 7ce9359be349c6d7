//! A place of a litmus test at which it chooses how much it orders, its ways, and what each does to the text.

use crate::front::litmus::ast;
use base::source::Span;

/// What a way orders, as a set: of two ways of a place the one is at most the other if its set is a part of the other's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ordered(u32);

impl Ordered {
    pub(super) const NOTHING: Ordered = Ordered(0);
    pub(super) const LOAD_LOAD: Ordered = Ordered(1);
    pub(super) const LOAD_STORE: Ordered = Ordered(2);
    pub(super) const STORE_LOAD: Ordered = Ordered(4);
    pub(super) const STORE_STORE: Ordered = Ordered(8);
    /// Every pair, for all threads.
    pub(super) const FULL: Ordered = Ordered(31);
    /// The access behind the place depends on the load before it.
    pub(super) const DEPENDENCY: Ordered = Ordered(32);
    pub(super) const ACQUIRE_PC: Ordered = Ordered(64);
    pub(super) const ACQUIRE: Ordered = Ordered(128);
    pub(super) const RELEASE: Ordered = Ordered(256);
    pub(super) const SEQ_CST: Ordered = Ordered(512);
    /// What a fence does that is none of those that are chosen from: less than one that orders loads before all
    /// that follows.
    pub(super) const OTHER: Ordered = Ordered(1024);

    pub(super) const fn and(self, other: Ordered) -> Ordered {
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
    /// What it costs, in thousandths of the weights of [`super::cost`].
    pub cost: u32,
    pub(super) change: Change,
}

/// What is done for a way.
#[derive(Clone, Debug)]
pub(super) enum Change {
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
pub(super) struct TextEdit {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
}

impl TextEdit {
    pub(super) fn new(from: usize, to: usize, text: &str) -> TextEdit {
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

/// A text with edits that do not overlap; those at one place come in their order.
pub(super) fn edited(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|edit| (edit.from, edit.to));
    let (mut out, mut at) = (String::new(), 0);
    for edit in edits {
        out += &text[at..edit.from];
        out += &edit.text;
        at = edit.to;
    }
    out + &text[at..]
}
