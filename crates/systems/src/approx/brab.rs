//! Backward reachability with approximations and backtracking: Conchon, Goel, Krstić, Mebsout and
//! Zaïdi, "Invariants for finite instances and beyond", FMCAD 2013.
//!
//! Before a node is expanded, a part of its literals that no state of a finite instance satisfies
//! ([`super::oracle`], [`super::candidate`]) takes its place. When a node that meets the initial
//! states descends from such a guess, the guess nearest to it was wrong: from there on the trace is
//! exact. Every cube of that stretch of the trace is then known to be reachable, nothing that
//! subsumes one of them is guessed again, and the search starts anew, from the other guesses as
//! well as from the unsafe formulas.
//!
//! The guesses need not be justified: a search that ends has a set of cubes closed under
//! pre-images that meets no initial state, and its certificate says so without any of this.

use super::candidate;
use super::oracle::Oracle;
use crate::cube::formula::Overflow;
use crate::cube::literals::Base;
use crate::cube::tso::Cube;
use crate::preimage::image::{PreImage, TooLarge};
use crate::search::engine::explore;
use crate::search::options::{Reason, SearchOptions};
use crate::search::space::{Search, SearchVerdict};
use crate::search::strategy::{Change, Changed, Strategy};
use crate::search::tso::Tso;
use crate::subsume::embedding::{Prepared, prepare};
use crate::subsume::tso::subsumes;
use crate::system::{System, Transition};
use crate::theory::context::SystemContext;
use std::borrow::Cow;

/// How often the search starts, at most.
pub const STARTS: usize = 500;

/// What is known of guesses.
pub struct Guesses<'s> {
    oracle: Oracle<'s>,
    /// Guesses of the searches before that were not wrong so far.
    pub kept: Vec<Cube>,
    /// Cubes that hold of reachable states.
    bad: Vec<Prepared>,
}

impl Guesses<'_> {
    /// The first candidate for a node, few processes and literals first.
    pub fn of(&self, context: &SystemContext, cube: &Cube) -> Option<PreImage> {
        candidate::first(context, cube, &self.oracle, &|p| !self.is_bad(context, p))
    }

    /// The cube holds of a reachable state.
    pub fn is_bad(&self, context: &SystemContext, cube: &Prepared) -> bool {
        self.bad.iter().any(|b| subsumes(context, cube, b))
    }
}

/// The strategy for TSO and flat memory, with guesses.
struct Approximated<'g> {
    exact: Tso,
    guesses: &'g Guesses<'g>,
}

impl Strategy for Approximated<'_> {
    type Cube = Cube;

    fn unsafe_cube(&self, context: &SystemContext, formula: Cube) -> Cube {
        self.exact.unsafe_cube(context, formula)
    }

    fn invariant(&self, context: &SystemContext, formula: Cube) -> Cube {
        self.exact.invariant(context, formula)
    }

    fn subsumes(&self, context: &SystemContext, big: &Prepared, small: &Prepared) -> bool {
        self.exact.subsumes(context, big, small)
    }

    fn sees_all(&self, context: &SystemContext, t: &Transition) -> bool {
        self.exact.sees_all(context, t)
    }

    fn preimages(
        &self,
        context: &SystemContext,
        cube: &Cube,
        bases: &[Base],
        call: (&Transition, &[u8]),
        procs: u8,
    ) -> Result<Vec<PreImage>, TooLarge> {
        self.exact.preimages(context, cube, bases, call, procs)
    }

    fn guesses(&self) -> &[Cube] {
        &self.guesses.kept
    }

    fn change(&self, search: &Search, id: usize) -> Result<Changed<Cube>, Overflow> {
        let (context, node) = (&search.context, &search.nodes[id]);
        if !node.guessed
            && let Some(guess) = self.guesses.of(context, &node.prepared.cube)
        {
            let start = &search.starts[usize::from(guess.cube.procs)];
            if !self.is_initial(context, &guess.cube, start)? {
                return Ok(Some((Change::Guessed, guess)));
            }
        }
        let change = self.exact.change(search, id)?;
        Ok(change.filter(|(_, other)| {
            let prepared = prepare(context, other.cube.clone());
            !prepared.is_some_and(|p| self.guesses.is_bad(context, &p))
        }))
    }
}

/// Explores a system with guesses; an unsafe node of the result descends from none.
pub fn search<'s>(system: &Cow<'s, System>, oracle: Oracle, options: &SearchOptions) -> Search<'s> {
    search_again(system, oracle, options, STARTS)
}

/// The same, started at most so often.
fn search_again<'s>(
    system: &Cow<'s, System>,
    oracle: Oracle,
    options: &SearchOptions,
    starts: usize,
) -> Search<'s> {
    let mut guesses = Guesses {
        oracle,
        kept: Vec::new(),
        bad: Vec::new(),
    };
    let mut visited = 0;
    for _ in 0..starts {
        let left = SearchOptions {
            max_nodes: options.max_nodes.saturating_sub(visited),
            ..*options
        };
        let strategy = Approximated {
            exact: Tso {
                generalize: options.generalize,
            },
            guesses: &guesses,
        };
        let mut found = explore(&strategy, system.clone(), &left);
        visited += found.visited;
        found.visited = visited;
        let SearchVerdict::Unsafe(id) = found.verdict else {
            return found;
        };
        let Some(exact) = since_guess(&found, id) else {
            return found;
        };
        let context = &found.context;
        let bad = exact.iter().map(|i| found.nodes[*i].prepared.clone());
        guesses.bad.extend(bad);
        let guessed = found.nodes.iter().filter(|n| n.guessed);
        guesses.kept = guessed
            .filter(|n| !guesses.is_bad(context, &n.prepared))
            .map(|n| n.prepared.cube.clone())
            .collect();
    }
    let mut last = Search::new(system.clone());
    last.visited = visited;
    *last.options = *options;
    last.verdict = SearchVerdict::Unknown(Reason::Guesses);
    last
}

/// The nodes from one that meets the initial states to the first that is no exact pre-image.
fn since_guess(search: &Search, id: usize) -> Option<Vec<usize>> {
    let mut path = vec![id];
    let mut at = id;
    while !search.nodes[at].guessed && !search.nodes[at].generalized {
        at = search.nodes[at].next.as_ref()?.0;
        path.push(at);
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::{Oracle, search_again};
    use crate::concrete::ExplorationLimits;
    use crate::cub;
    use crate::search::{Reason, SearchOptions, SearchVerdict};
    use crate::system::{MemorySemantics, StoreOrder, resolve};
    use base::source::SourceMap;

    #[test]
    fn too_many_wrong_guesses_are_no_limit_of_nodes() {
        let text = "array X[proc] : bool init (p) { X[p] = False } unsafe (p) { X[p] = True } \
            transition t (p) requires { X[p] = True } { X[p] := False }";
        let mut sources = SourceMap::default();
        let file = sources.add("t.cub", text);
        let parsed = cub::parse(&sources, file).expect("the text reads");
        let system = resolve(&parsed, MemorySemantics::Flat).expect("the text is typed");
        let limits = ExplorationLimits {
            states: 100,
            queue: 1,
            until: None,
        };
        let Ok(oracle) = Oracle::new(&system, 2, StoreOrder::Sc, limits) else {
            panic!("no state is unsafe");
        };
        let options = SearchOptions::default();
        let found = search_again(&(&system).into(), oracle, &options, 0);
        assert_eq!(found.verdict, SearchVerdict::Unknown(Reason::Guesses));
    }
}
