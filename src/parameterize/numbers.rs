//! Registers with numbers of threads.
//!
//! The number of a thread is the process itself, and a register that counts through the numbers (`for (j = 0; j < n;
//! j++)`) has a process that it has not had since it began. In which order they come is left open, and so is what a
//! number is: all that is known of it is how it compares with the thread's own. A loop may go through all numbers, or
//! through those below or above its own.
//!
//! What such a register is at a location is found by following the commands: nothing, between two numbers (behind
//! `j = 0` and `j++`), or at one.

use super::spawner::{Spawner, kinds};
use crate::commands::arith::{Cond, Linear, Rel, VarId};
use crate::commands::program::{
    Effect, Instances, LocId, Numbers, Program, Scan, ScanAct, Step, ThreadId, Update,
    VariableKind, Which,
};
use base::diag::Diag;
use base::idx::IdVec;
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// All numbers.
const ALL: Numbers = Numbers {
    smaller: true,
    own: true,
    larger: true,
};

/// Takes numbers of threads out of conditions and assignments.
///
/// # Errors
/// What is done with one beyond counting through them, comparing them, and accessing the element at one.
pub fn resolve(program: &mut Program, spawner: Spawner) -> Result<(), Diag> {
    let kinds: Vec<ThreadId> = kinds(program, spawner).collect();
    let uses_numbers = |s: &&Step| !s.elements.is_empty();
    let mut steps = kinds.iter().flat_map(|t| &program.threads[*t].steps);
    let Some(span) = steps.find(uses_numbers).map(|s| s.span) else {
        // Nobody has a number, and how many there are is a number as any other.
        for x in program.vars.ids() {
            if program.vars[x].kind == VariableKind::Count {
                program.vars[x].kind = VariableKind::Shared;
            }
        }
        return Ok(());
    };
    let [thread] = kinds[..] else {
        let what = "an array with an element for each thread beside threads of another kind";
        return Err(no(span, what));
    };
    if program.threads[thread].instances != Instances::Any {
        return Err(no(span, "the number of a thread that there is one of"));
    }
    let registers = Registers::new(program, thread);
    let states = registers.states(program, thread)?;
    let reached = program.threads[thread].steps.iter();
    let reached = reached.filter_map(|s| Some((s, states[s.from].as_ref()?)));
    let assigns = |s: &Step| {
        let mut updates = s.updates.iter();
        updates.any(|(x, _)| registers.counters.contains(x))
    };
    // What is assigned is why a register is no number later.
    for (s, state) in reached.clone().filter(|(s, _)| assigns(s)) {
        registers.resolved(s, state)?;
    }
    let steps = reached.map(|(s, state)| registers.resolved(s, state));
    let steps: Vec<Vec<Step>> = steps.collect::<Result<_, _>>()?;
    program.threads[thread].steps = steps.concat();
    Ok(())
}

fn no(span: Span, what: &str) -> Diag {
    let message = format!("a proof for any number of threads does not support {what}");
    Diag::unsupported(span, message)
}

/// What a register that counts is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counter {
    /// It is between two of these numbers, none of which may be left.
    Between(Numbers),
    /// It is at one of them.
    At(Numbers),
}

/// Those that are known of at a location.
type State = BTreeMap<VarId, Counter>;

/// The registers that have numbers.
struct Registers {
    own: BTreeSet<VarId>,
    /// How many threads there are.
    counts: BTreeSet<VarId>,
    /// What counts.
    counters: BTreeSet<VarId>,
}

/// Where a loop ends.
enum Bound {
    /// At the number of threads.
    Count,
    /// At the own number.
    Own,
    /// Behind it.
    BehindOwn,
}

impl Registers {
    fn new(program: &Program, thread: ThreadId) -> Registers {
        let steps = &program.threads[thread].steps;
        let is_count = |x: VarId| program.vars[x].kind == VariableKind::Count;
        let counted = |u: &Update| matches!(u, Update::Set(v) if v.as_var().is_some_and(is_count));
        let mut counts: BTreeSet<VarId> = program.vars.ids().filter(|x| is_count(*x)).collect();
        let updates = || steps.iter().flat_map(|s| &s.updates);
        let copies = updates().filter(|(_, u)| counted(u)).map(|(x, _)| *x);
        let copies = copies.filter(|x| updates().all(|(y, u)| y != x || counted(u)));
        counts.extend(copies.collect::<Vec<_>>());
        let own = program.own_numbers.clone();
        let mut counters: BTreeSet<VarId> = steps
            .iter()
            .flat_map(|s| s.elements.values().copied())
            .collect();
        for s in steps {
            let vars = s.guard.vars();
            if vars.iter().any(|x| counts.contains(x)) {
                counters.extend(vars);
            }
        }
        counters.retain(|x| !own.contains(x) && !counts.contains(x));
        Registers {
            own,
            counts,
            counters,
        }
    }

    /// A condition where no number is negative; comparisons of unsigned ones ask whether it is.
    fn natural(&self, c: &Cond, state: &State) -> Cond {
        let all = |cs: &[Cond]| {
            cs.iter()
                .map(|c| self.natural(c, state))
                .collect::<Vec<_>>()
        };
        let is_number =
            |x: &VarId| self.own.contains(x) || self.counts.contains(x) || state.contains_key(x);
        match c {
            Cond::Const(_) => c.clone(),
            Cond::Compare(sum, rel) => {
                let mut terms = sum.terms.iter();
                let range = match (terms.next(), terms.next()) {
                    (Some((x, 1)), None) if is_number(x) => Range::from(0),
                    (Some((x, -1)), None) if is_number(x) => Range::to(0),
                    _ => return c.clone(),
                };
                let known = range.plus(sum.constant).compare(*rel);
                known.map_or_else(|| c.clone(), Cond::Const)
            }
            Cond::Not(c) => self.natural(c, state).negate(),
            Cond::And(cs) => Cond::and(all(cs)),
            Cond::Or(cs) => Cond::or(all(cs)),
        }
    }

    fn is_number(&self, x: VarId) -> bool {
        self.own.contains(&x) || self.counts.contains(&x) || self.counters.contains(&x)
    }

    /// What registers are at each location that is reached.
    fn states(
        &self,
        program: &Program,
        thread: ThreadId,
    ) -> Result<IdVec<LocId, Option<State>>, Diag> {
        let thread = &program.threads[thread];
        let mut states: IdVec<LocId, Option<State>> =
            thread.locations.iter().map(|_| None).collect();
        states[LocId(0)] = Some(State::new());
        let mut work = vec![LocId(0)];
        while let Some(at) = work.pop() {
            for s in thread.steps.iter().filter(|s| s.from == at) {
                let Some(state) = &states[at] else { continue };
                let after = self.after(s, state)?;
                let known = match &states[s.to] {
                    None => after,
                    Some(known) => {
                        let agree = known.iter().filter(|(x, c)| after.get(x) == Some(c));
                        agree.map(|(x, c)| (*x, *c)).collect()
                    }
                };
                if states[s.to].as_ref() != Some(&known) {
                    states[s.to] = Some(known);
                    work.push(s.to);
                }
            }
        }
        Ok(states)
    }

    /// What registers are behind a step.
    fn after(&self, s: &Step, before: &State) -> Result<State, Diag> {
        let mut after = before.clone();
        let guard = self.natural(&s.guard, before);
        for x in guard.vars() {
            if let Some(Counter::Between(numbers)) = before.get(&x).copied() {
                match self.compared(&guard, x) {
                    Some((true, _)) => after.insert(x, Counter::At(numbers)),
                    _ => after.remove(&x),
                };
            }
        }
        for (x, update) in s.updates.iter().filter(|(x, _)| self.counters.contains(x)) {
            match self.assigned(*x, update, before) {
                Some(counter) => after.insert(*x, counter),
                None => after.remove(x),
            };
        }
        Ok(after)
    }

    /// What a register that counts is once it is assigned this; nothing if that is no number.
    fn assigned(&self, x: VarId, update: &Update, before: &State) -> Option<Counter> {
        let Update::Set(value) = update else {
            return None;
        };
        if value.as_constant() == Some(0) {
            return Some(Counter::Between(ALL));
        }
        let base = Linear {
            constant: 0,
            ..value.clone()
        };
        let base = base.as_var()?;
        match (value.constant, before.get(&x)) {
            (1, Some(Counter::At(numbers))) if base == x => Some(Counter::Between(*numbers)),
            (0 | 1, _) if self.own.contains(&base) => Some(Counter::Between(Numbers {
                smaller: false,
                own: value.constant == 0,
                larger: true,
            })),
            _ => None,
        }
    }

    /// Whether a condition says that a register is below a bound, or that it is not.
    fn compared(&self, c: &Cond, x: VarId) -> Option<(bool, Bound)> {
        let Cond::Compare(sum, Rel::Le) = c else {
            return None;
        };
        let (sign, mut others) = (
            sum.terms.get(&x)?,
            sum.terms.iter().filter(|(y, _)| **y != x),
        );
        let ((y, factor), None) = (others.next()?, others.next()) else {
            return None;
        };
        // `x - y + constant <= 0`, or `y - x + constant <= 0`.
        let (is_below, least) = match (*sign, *factor) {
            (1, -1) => (true, sum.constant),
            (-1, 1) => (false, 1 - sum.constant),
            _ => return None,
        };
        match least {
            1 if self.counts.contains(y) => Some((is_below, Bound::Count)),
            1 if self.own.contains(y) => Some((is_below, Bound::Own)),
            0 if self.own.contains(y) => Some((is_below, Bound::BehindOwn)),
            _ => None,
        }
    }

    /// A step without numbers in what it asks and assigns.
    fn resolved(&self, s: &Step, state: &State) -> Result<Vec<Step>, Diag> {
        let natural = self.natural(&s.guard, state);
        let guarded = natural.vars().into_iter();
        let at = s.elements.values().copied();
        let set = s.updates.iter().map(|(x, _)| *x);
        let counters = guarded.chain(at).chain(set);
        let counters: BTreeSet<VarId> = counters.filter(|x| self.counters.contains(x)).collect();
        let mut step = s.clone();
        let mut counters = counters.into_iter();
        let counter = counters.next();
        if counters.next().is_some() {
            return Err(no(s.span, "two numbers of threads at once"));
        }
        step.updates.retain(|(x, _)| !self.is_number(*x));
        let values = step.updates.iter().filter_map(|(_, u)| match u {
            Update::Set(v) => Some(v),
            Update::Any => None,
        });
        let mut read = values.flat_map(|v| v.terms.keys());
        if read.any(|x| self.is_number(*x)) {
            return Err(no(s.span, "the number of a thread as a value"));
        }
        let Some(counter) = counter else {
            step.guard = self.condition(&natural, None, s.span)?;
            return Ok(vec![step]);
        };
        let scan = |act| {
            let register = counter;
            Some(Scan { register, act })
        };
        if let Some((_, update)) = s.updates.iter().find(|(x, _)| *x == counter) {
            let is_assignment = natural == Cond::Const(true)
                && s.effect == Effect::None
                && s.updates.len() == 1
                && s.elements.is_empty();
            let assigned = self.assigned(counter, update, state);
            let goes_on = matches!(update, Update::Set(v) if v.terms.contains_key(&counter));
            return match (assigned, update) {
                (Some(_), _) if is_assignment && goes_on => {
                    let passed = |which| Step {
                        scan: scan(ScanAct::At {
                            which,
                            next: false,
                            passed: true,
                        }),
                        ..step.clone()
                    };
                    Ok([Which::Own, Which::Other].map(passed).to_vec())
                }
                (Some(_), _) if is_assignment => {
                    step.scan = scan(ScanAct::Begin);
                    Ok(vec![step])
                }
                // Indeterminate, and never asked before it is assigned.
                (None, Update::Any) if is_assignment => Ok(vec![step]),
                _ => Err(no(
                    s.span,
                    "a number of a thread that is not counted from 0, or from the own one, in steps of 1",
                )),
            };
        }
        match state.get(&counter) {
            Some(Counter::Between(from)) => {
                let compared = self.compared(&natural, counter);
                let Some((is_below, bound)) = compared.filter(|_| s.elements.is_empty()) else {
                    let what = "a number of a thread that may be the number of threads";
                    return Err(no(s.span, what));
                };
                let numbers = Numbers {
                    own: from.own && !matches!(bound, Bound::Own),
                    larger: from.larger && matches!(bound, Bound::Count),
                    ..*from
                };
                step.guard = Cond::Const(true);
                if !is_below {
                    step.scan = scan(ScanAct::Done(numbers));
                    return Ok(vec![step]);
                }
                let each = each(numbers).into_iter().map(|which| Step {
                    scan: scan(ScanAct::At {
                        which,
                        next: true,
                        passed: false,
                    }),
                    ..step.clone()
                });
                Ok(each.collect())
            }
            Some(Counter::At(_)) => {
                let guard = |which| self.condition(&natural, Some((counter, which)), s.span);
                let guards = [Which::Smaller, Which::Own, Which::Larger].map(guard);
                let [smaller, own, larger] = guards;
                let (smaller, own, larger) = (smaller?, own?, larger?);
                let ways = match smaller == larger {
                    true => vec![(Which::Own, own), (Which::Other, smaller)],
                    false => vec![
                        (Which::Smaller, smaller),
                        (Which::Own, own),
                        (Which::Larger, larger),
                    ],
                };
                let ways = ways.into_iter().filter(|(_, g)| *g != Cond::Const(false));
                let each = ways.map(|(which, guard)| Step {
                    scan: scan(ScanAct::At {
                        which,
                        next: false,
                        passed: false,
                    }),
                    guard,
                    ..step.clone()
                });
                Ok(each.collect())
            }
            None => Err(no(
                s.span,
                "a number of a thread that does not come from a loop over them",
            )),
        }
    }

    /// A condition where the register compares so with the own number.
    fn condition(
        &self,
        c: &Cond,
        counter: Option<(VarId, Which)>,
        span: Span,
    ) -> Result<Cond, Diag> {
        let all = |cs: &[Cond]| -> Result<Vec<Cond>, Diag> {
            cs.iter()
                .map(|c| self.condition(c, counter, span))
                .collect()
        };
        Ok(match c {
            Cond::Const(_) => c.clone(),
            Cond::Compare(sum, rel) => match sum.terms.keys().any(|x| self.is_number(*x)) {
                true => {
                    let known = self.difference(sum, counter).and_then(|d| d.compare(*rel));
                    let what = "the number of a thread in this comparison";
                    Cond::Const(known.ok_or_else(|| no(span, what))?)
                }
                false => c.clone(),
            },
            Cond::Not(c) => self.condition(c, counter, span)?.negate(),
            Cond::And(cs) => Cond::and(all(cs)?),
            Cond::Or(cs) => Cond::or(all(cs)?),
        })
    }

    /// What is known of a sum that is a difference of two numbers and a constant.
    fn difference(&self, sum: &Linear, counter: Option<(VarId, Which)>) -> Option<Range> {
        // The own number is 0: a smaller one is negative, and the number of threads is larger than all.
        let rank = |x: VarId| match counter {
            _ if self.own.contains(&x) => Some(Which::Own),
            Some((register, which)) if register == x => Some(which),
            _ => None,
        };
        let terms: Vec<(VarId, i128)> = sum.terms.iter().map(|(x, f)| (*x, *f)).collect();
        let (a, b) = match terms[..] {
            [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => (a, b),
            _ => return None,
        };
        let difference = match (rank(a), rank(b)) {
            (Some(a), Some(b)) if a == Which::Own || b == Which::Own => match (a, b) {
                (Which::Own, Which::Own) => Range::just(0),
                (Which::Larger, _) | (_, Which::Smaller) => Range::from(1),
                (Which::Smaller, _) | (_, Which::Larger) => Range::to(-1),
                (Which::Other, _) | (_, Which::Other) => return None,
            },
            (Some(_), None) if self.counts.contains(&b) => Range::to(-1),
            (None, Some(_)) if self.counts.contains(&a) => Range::from(1),
            _ => return None,
        };
        Some(difference.plus(sum.constant))
    }
}

/// Each way to be among some numbers.
fn each(numbers: Numbers) -> Vec<Which> {
    let Numbers {
        smaller,
        own,
        larger,
    } = numbers;
    let mut ways = Vec::new();
    match (smaller, larger) {
        (true, true) => ways.push(Which::Other),
        (true, false) => ways.push(Which::Smaller),
        (false, true) => ways.push(Which::Larger),
        (false, false) => {}
    }
    if own {
        ways.push(Which::Own);
    }
    ways
}

/// Integers from one to another, both included.
struct Range {
    least: Option<i128>,
    most: Option<i128>,
}

impl Range {
    fn just(n: i128) -> Range {
        Range {
            least: Some(n),
            most: Some(n),
        }
    }

    fn from(n: i128) -> Range {
        Range {
            least: Some(n),
            most: None,
        }
    }

    fn to(n: i128) -> Range {
        Range {
            least: None,
            most: Some(n),
        }
    }

    fn plus(self, n: i128) -> Range {
        Range {
            least: self.least.map(|least| least + n),
            most: self.most.map(|most| most + n),
        }
    }

    /// Whether all of them compare so with 0, or none of them does.
    fn compare(&self, rel: Rel) -> Option<bool> {
        let above = self.least.is_some_and(|least| least > 0);
        let below = self.most.is_some_and(|most| most < 0);
        match rel {
            Rel::Le if self.most.is_some_and(|most| most <= 0) => Some(true),
            Rel::Le if above => Some(false),
            Rel::Eq if above || below => Some(false),
            Rel::Eq if self.least == Some(0) && self.most == Some(0) => Some(true),
            _ => None,
        }
    }
}
