//! What a session says while it works, for who wants to show or to watch it.

use crate::check::outcome::CheckResult;
use enumerate::explore::{self, Watch};
use ir::bounds::Bounds;

/// Something begins.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// An input is read.
    Reading,
    /// A model is checked with some bounds.
    Attempt {
        /// The model's short name.
        model: &'a str,
        /// The bounds.
        bounds: &'a Bounds,
    },
    /// There is an answer for smaller bounds; it is the one that is given if no other is found.
    Established {
        /// The answer.
        answer: &'a CheckResult,
    },
    /// The exploration goes on.
    Exploring {
        /// The model's short name.
        model: &'a str,
        /// How far it has come.
        explored: explore::Progress,
    },
    /// So many harnesses of a program have been checked on a model, of all.
    Harnesses {
        /// The model's short name.
        model: &'a str,
        /// How many have been.
        done: usize,
        /// How many there are.
        all: usize,
    },
    /// The second engine looks at a model; its limits begin anew.
    Enumerating {
        /// The model's short name.
        model: &'a str,
    },
}

/// Is notified of what begins.
pub type Listener = Box<dyn Fn(Progress)>;

/// Shows how far an exploration has come.
pub(super) struct Shown<'a, F> {
    /// Whether to give up.
    pub interrupt: F,
    /// The model's short name.
    pub model: &'a str,
    /// Is notified.
    pub progress: &'a dyn Fn(Progress),
}

impl<F: Fn() -> bool> Watch for Shown<'_, F> {
    fn gives_up(&self) -> bool {
        (self.interrupt)()
    }

    fn sees(&self, explored: explore::Progress) {
        let model = self.model;
        (self.progress)(Progress::Exploring { model, explored });
    }
}
