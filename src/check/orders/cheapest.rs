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

/// The implicit hitting set: what is known of choices.
#[derive(Default)]
pub struct HittingSet {
    /// Choices that are refuted, and with each those that are at most it.
    clauses: Vec<Choice>,
    /// Choices that hold, none of them at most another one.
    minimal: Vec<Choice>,
    /// How many choices were asked for.
    pub choices: usize,
}

impl HittingSet {
    /// Asks for the cheapest choice that nothing known refutes, until one is not refuted. One that is at least what
    /// was found before is left out, so that the next time it is another minimal one.
    ///
    /// # Errors
    /// Those of whoever is asked.
    pub fn next<E>(
        &mut self,
        places: &[ChoicePlace],
        mut ask: impl FnMut(&Choice) -> Result<ChoiceStatus, E>,
    ) -> Result<Hit, E> {
        loop {
            let Some(choice) = cheapest(places, &self.clauses, &self.minimal) else {
                return Ok(Hit::Nothing);
            };
            self.choices += 1;
            match ask(&choice)? {
                ChoiceStatus::Refuted(more) => self.clauses.extend(more),
                ChoiceStatus::Holds => {
                    self.minimal.push(choice.clone());
                    return Ok(Hit::Choice(choice));
                }
                ChoiceStatus::Interrupted => return Ok(Hit::Interrupted),
            }
        }
    }
}

/// The cheapest choice in which for each clause some place has a way that is not at most the clause's, and that is not
/// at least one of some others. `None` when there is none.
fn cheapest(places: &[ChoicePlace], clauses: &[Choice], excluded: &[Choice]) -> Option<Choice> {
    let mut search = Search {
        places,
        clauses,
        excluded,
        best: None,
        seen: BTreeSet::new(),
    };
    search.extend(vec![0; places.len()]);
    search.best.map(|(_, choice)| choice)
}

struct Search<'a> {
    places: &'a [ChoicePlace],
    clauses: &'a [Choice],
    excluded: &'a [Choice],
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
        let is_at_most = |a: &Choice, b: &Choice| {
            let mut all = self.places.iter().zip(a.iter().zip(b));
            all.all(|(place, (a, b))| place.is_at_most(*a, *b))
        };
        if self.excluded.iter().any(|least| is_at_most(least, &chosen)) {
            return;
        }
        let clauses = self.clauses.iter();
        let open = clauses.filter(|clause| is_at_most(&chosen, clause));
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
            let found = cheapest(&places, &clauses, &[]);
            assert!(found.iter().all(|found| meets(&found)));
            assert_eq!(found.as_ref().map(cost), expected);
        }
    }

    /// Of sets that cost more the more they have.
    #[test]
    fn the_minimal_choices_are_those_of_brute_force() {
        let mut random = fastrand::Rng::with_seed(47);
        let sets: [u32; 4] = [0, 1, 2, 3];
        let place = || ChoicePlace::new(sets.to_vec(), |a, b| sets[a] & !sets[b] == 0);
        let places: Vec<ChoicePlace> = (0..3).map(|_| place()).collect();
        let all = choices(&places);
        let is_at_most = |a: &Choice, b: &Choice| (0..3).all(|p| places[p].is_at_most(a[p], b[p]));
        for _ in 0..100 {
            let clauses: Vec<Choice> = (0..random.usize(1..5))
                .map(|_| all[random.usize(..all.len())].clone())
                .collect();
            let holds = |choice: &Choice| !clauses.iter().any(|c| is_at_most(choice, c));
            let least = |choice: &&Choice| {
                let mut below = all
                    .iter()
                    .filter(|other| other != choice && is_at_most(other, choice));
                holds(choice) && !below.any(holds)
            };
            let expected: BTreeSet<Choice> = all.iter().filter(least).cloned().collect();
            let (mut known, mut found) = (HittingSet::default(), BTreeSet::new());
            let ask = |choice: &Choice| -> Result<ChoiceStatus, ()> {
                Ok(match clauses.iter().find(|c| is_at_most(choice, c)) {
                    Some(clause) => ChoiceStatus::Refuted(vec![clause.clone()]),
                    None => ChoiceStatus::Holds,
                })
            };
            while let Ok(Hit::Choice(choice)) = known.next(&places, ask) {
                found.insert(choice);
            }
            assert_eq!(found, expected);
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
