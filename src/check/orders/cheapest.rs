//! The cheapest choice of a way for each place that violates no clause: a minimum-cost hitting set, by branch and
//! bound, and the loop that asks for clauses until there are none (an implicit hitting set).

use std::collections::BTreeSet;

/// A place that may be done in one of several ways, each behind those that are weaker.
#[derive(Clone, Debug)]
pub struct ChoicePlace {
    /// What each way costs.
    costs: Vec<u32>,
    /// By pairs of ways: everything that the first one orders the second one does, too.
    at_most: Vec<Vec<bool>>,
}

/// A way for each place, by its position.
pub type Choice = Vec<usize>;

impl ChoicePlace {
    /// A place with ways that have these costs.
    pub fn new(costs: Vec<u32>, is_at_most: impl Fn(usize, usize) -> bool) -> ChoicePlace {
        let ways = costs.len();
        let row = |a: usize| (0..ways).map(|b| is_at_most(a, b)).collect();
        ChoicePlace {
            at_most: (0..ways).map(row).collect(),
            costs,
        }
    }

    /// Whether everything that a way orders another one does, too.
    pub fn is_at_most(&self, a: usize, b: usize) -> bool {
        self.at_most[a][b]
    }

    /// How many ways there are.
    pub fn ways(&self) -> usize {
        self.costs.len()
    }

    fn is_below(&self, a: usize, b: usize) -> bool {
        a != b && self.at_most[a][b] && !self.at_most[b][a]
    }

    /// The ways that are weaker than one with none between.
    pub fn one_step_weaker(&self, way: usize) -> Vec<usize> {
        let weaker = (0..self.ways()).filter(|a| self.is_below(*a, way));
        let between =
            |a: usize| (0..self.ways()).any(|m| self.is_below(a, m) && self.is_below(m, way));
        weaker.filter(|a| !between(*a)).collect()
    }
}

/// What a choice costs.
fn cost_of_choice(places: &[ChoicePlace], choice: &Choice) -> u32 {
    let ways = places.iter().zip(choice);
    ways.map(|(place, way)| place.costs[*way]).sum()
}

/// What is known of a choice that was asked for.
pub enum ChoiceStatus {
    /// It is refuted, and with it each choice that is at most one of these.
    Refuted(Vec<Choice>),
    /// It is not.
    Holds,
    /// A limit was passed.
    Interrupted,
}

/// What the loop has come to.
pub enum Hit {
    /// The cheapest choice that is not refuted.
    Choice(Choice),
    /// Every choice is refuted.
    Nothing,
    /// A limit was passed.
    Interrupted,
}

/// Asks for the cheapest choice that nothing known refutes, until one is not refuted; also how many were asked for.
///
/// # Errors
/// Those of whoever is asked.
pub fn hitting_set<E>(
    places: &[ChoicePlace],
    mut ask: impl FnMut(&Choice) -> Result<ChoiceStatus, E>,
) -> Result<(Hit, usize), E> {
    let mut clauses: Vec<Choice> = Vec::new();
    let mut choices = 0;
    loop {
        let Some(choice) = cheapest(places, &clauses) else {
            return Ok((Hit::Nothing, choices));
        };
        choices += 1;
        match ask(&choice)? {
            ChoiceStatus::Refuted(more) => clauses.extend(more),
            ChoiceStatus::Holds => return Ok((Hit::Choice(choice), choices)),
            ChoiceStatus::Interrupted => return Ok((Hit::Interrupted, choices)),
        }
    }
}

/// The cheapest choice in which for each clause some place has a way that is not at most the clause's. `None` when
/// there is none.
fn cheapest(places: &[ChoicePlace], clauses: &[Choice]) -> Option<Choice> {
    let mut search = Search {
        places,
        clauses,
        best: None,
        seen: BTreeSet::new(),
    };
    search.extend(vec![0; places.len()]);
    search.best.map(|(_, choice)| choice)
}

struct Search<'a> {
    places: &'a [ChoicePlace],
    clauses: &'a [Choice],
    /// The cheapest choice so far, with its cost.
    best: Option<(u32, Choice)>,
    /// Choices that have been extended.
    seen: BTreeSet<Choice>,
}

/// A change of one place.
struct Change {
    /// What it costs more.
    more: u32,
    place: usize,
    way: usize,
}

impl Search<'_> {
    /// Looks at the choices that are at least this one.
    fn extend(&mut self, chosen: Choice) {
        if !self.seen.insert(chosen.clone()) {
            return;
        }
        let clauses = self.clauses.iter();
        let is_open = |clause: &&Choice| {
            let mut all = self.places.iter().zip(chosen.iter().zip(*clause));
            all.all(|(place, (now, most))| place.is_at_most(*now, *most))
        };
        let open = clauses.filter(is_open);
        let mut open: Vec<Vec<Change>> = open.map(|c| self.changes(&chosen, c)).collect();
        open.sort_by_key(Vec::len);
        // Clauses without a common place are satisfied each at its own cost.
        let (mut least, mut counted) = (cost_of_choice(self.places, &chosen), BTreeSet::new());
        for changes in &open {
            if !changes.iter().any(|change| counted.contains(&change.place)) {
                least += changes.iter().map(|change| change.more).min().unwrap_or(0);
                counted.extend(changes.iter().map(|change| change.place));
            }
        }
        if self.best.as_ref().is_some_and(|(best, _)| *best <= least) {
            return;
        }
        let Some(changes) = open.first() else {
            self.best = Some((least, chosen));
            return;
        };
        for change in changes {
            let mut next = chosen.clone();
            next[change.place] = change.way;
            self.extend(next);
        }
    }

    /// The changes of one place that satisfy a clause; the cheapest first.
    fn changes(&self, chosen: &Choice, clause: &Choice) -> Vec<Change> {
        let mut changes = Vec::new();
        for (at, place) in self.places.iter().enumerate() {
            let (now, most) = (chosen[at], clause[at]);
            let suits = |way: &usize| place.is_at_most(now, *way) && !place.is_at_most(*way, most);
            let suiting: Vec<usize> = (0..place.ways()).filter(suits).collect();
            for way in &suiting {
                if !suiting.iter().any(|other| place.is_below(*other, *way)) {
                    let more = place.costs[*way].saturating_sub(place.costs[now]);
                    let (place, way) = (at, *way);
                    changes.push(Change { more, place, way });
                }
            }
        }
        changes.sort_by_key(|change| (change.more, change.place, change.way));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of pairs that ways order.
    fn place(random: &mut fastrand::Rng) -> ChoicePlace {
        let mut sets: Vec<u32> = (0..random.usize(1..5)).map(|_| random.u32(0..16)).collect();
        sets.push(0);
        sets.sort_by_key(|set| (set.count_ones(), *set));
        sets.dedup();
        let costs = sets.iter().map(|set| 3 * set.count_ones() + set % 3);
        ChoicePlace::new(costs.collect(), |a, b| sets[a] & !sets[b] == 0)
    }

    /// All choices.
    fn choices(places: &[ChoicePlace]) -> Vec<Choice> {
        let mut all = vec![Choice::new()];
        for place in places {
            let longer = all.iter().flat_map(|choice| {
                (0..place.ways()).map(|way| [choice.as_slice(), &[way]].concat())
            });
            all = longer.collect();
        }
        all
    }

    #[test]
    fn the_cheapest_choice_is_that_of_brute_force() {
        let mut random = fastrand::Rng::with_seed(46);
        for _ in 0..300 {
            let places: Vec<ChoicePlace> = (0..4).map(|_| place(&mut random)).collect();
            let all = choices(&places);
            let clauses: Vec<Choice> = (0..random.usize(1..8))
                .map(|_| all[random.usize(..all.len())].clone())
                .collect();
            let meets = |choice: &&Choice| {
                let over = |c: &Choice| (0..4).any(|p| !places[p].is_at_most(choice[p], c[p]));
                clauses.iter().all(over)
            };
            let cost = |choice: &Choice| cost_of_choice(&places, choice);
            let expected = all.iter().filter(meets).map(cost).min();
            let found = cheapest(&places, &clauses);
            assert!(found.iter().all(|found| meets(&found)));
            assert_eq!(found.as_ref().map(cost), expected);
        }
    }

    #[test]
    fn a_step_is_the_smallest_change() {
        let sets = [0, 1, 2, 3, 7];
        let place = ChoicePlace::new(vec![0; 5], |a, b| sets[a] & !sets[b] == 0);
        assert_eq!(place.one_step_weaker(4), [3]);
        assert_eq!(place.one_step_weaker(3), [1, 2]);
        assert_eq!(place.one_step_weaker(1), [0]);
        assert!(place.one_step_weaker(0).is_empty());
    }
}
