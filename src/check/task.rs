//! What bounded checking is given: a program unrolled, a model, options, and from outside the clock
//! and the limits.

use super::cube::Cube;
use super::foreign::Foreign;
use super::outcome::UnknownReason;
use crate::encode::Reductions;
use crate::encode::order::Backend;
use crate::unroll::event::EventGraph;
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use ir::program::{Program, PropertyKind};
use std::cell::Cell;
use std::rc::Rc;

/// What the check needs from outside: the clock and the limits.
#[derive(Clone)]
pub struct Env {
    /// Seconds since some moment.
    pub now: Rc<dyn Fn() -> f64>,
    /// The limit that has been passed, if one has.
    pub limit: Rc<dyn Fn() -> Option<UnknownReason>>,
    /// Is told which stage begins, by its name in the statistics.
    pub begins: Rc<dyn Fn(&'static str)>,
}

impl Env {
    /// Without a clock, and without limits.
    pub fn unlimited() -> Env {
        Env {
            now: Rc::new(|| 0.0),
            limit: Rc::new(|| None),
            begins: Rc::new(|_| {}),
        }
    }

    /// Whether a limit has been passed, for stages that ask all the time. Where questions come fast most are
    /// answered without a look at the clock, which takes longer than what is done between two of them. Once
    /// the answer is yes it stays so.
    pub fn interrupt(&self) -> impl Fn() -> bool + use<> {
        let Env { now, limit, .. } = self.clone();
        let looked = Cell::new(now());
        // How many of the next questions are not looked into, and of how many one is.
        let (left, every) = (Cell::new(0), Cell::new(1));
        move || {
            if left.get() > 0 {
                left.set(left.get() - 1);
                return false;
            }
            let at = now();
            every.set(match at - looked.replace(at) < MOMENT {
                true => MOST_UNANSWERED.min(2 * every.get()),
                false => 1,
            });
            let passed = limit().is_some();
            left.set(if passed { 0 } else { every.get() - 1 });
            passed
        }
    }
}

/// Seconds between two looks at the clock below which they become rarer.
const MOMENT: f64 = 5e-5;
/// Of so many questions at least one is looked into.
const MOST_UNANSWERED: usize = 64;

/// What is checked.
#[derive(Clone, Copy)]
pub struct CheckTask<'a> {
    /// The program, to replay counterexamples.
    pub program: &'a Program,
    /// The program unwound.
    pub graph: &'a EventGraph,
    /// The memory model.
    pub model: &'a Model,
    /// The program's text.
    pub sources: &'a SourceMap,
}

/// What to check and how.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Kinds of property.
    pub checks: Vec<PropertyKind>,
    /// How orders are encoded.
    pub order: Backend,
    /// What makes the formula smaller.
    pub reductions: Reductions,
    /// Of the solver's random choices; no answer depends on it.
    pub seed: u32,
    /// Find the loops that reach their bound where the answer is about unsupported constructs, too.
    pub loops_at_bound: bool,
    /// Loads outside of objects return any value in the graph, which no other code repeats: a violation may depend on
    /// one, and is none.
    pub loads_outside: bool,
}

/// The part of a formula that is checked.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The executions in this cube.
    pub cube: Cube,
    /// Tells the formula that was split; `None` when none was.
    pub fingerprint: Option<String>,
    /// What another solver says of it.
    pub foreign: Option<Foreign>,
}

/// Why there is no outcome.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CheckError {
    /// The model cannot be used with this program.
    #[error(transparent)]
    Refused(Diag),
    /// A bug of this tool.
    #[error("internal error: {0}")]
    Internal(String),
}
