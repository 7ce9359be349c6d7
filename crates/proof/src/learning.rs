//! How reasons are found: nothing of it has to be believed, as each is checked ([`super::learnt`]).
//!
//! The formula is made without the axioms that would be large. As long as there is a satisfying assignment,
//! that is read off as an execution, and of what violates an axiom in it the reasons become clauses; then it is
//! solved again. (CAAT: Haas, Maseli, Meyer, Ponce de León, OOPSLA 2022.)
//!
//! Violations are pairs of an `empty` relation, events related to themselves, and for each event that an
//! edge leaves which some execution lacks, a cycle with the fewest of these. A pair is explained as the
//! model's text says: by the cheaper part of a union, the cheapest event in the middle of a sequence, the
//! shortest path of a closure, the first step of the fixpoint that has it.

use super::estimates::Estimates;
use super::facts::{Facts, Node};
use super::gates::Lit;
use super::graph::EventId;
use super::learnt::{Learnt, Open, Reason, Surely, is_open};
use super::relations::Relations;
use base::bits::{BitMatrix, BitSet};
use cat::model::{Axiom, AxiomKind, BaseRel, Model, Rel, RelId, Set, SetId};
use cat::pattern::is_per_location;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// So many ways to derive the pairs of an axiom's relation are usually written down.
pub const LARGE: usize = 4000;

/// Reasons of one execution that are kept, the shortest.
const MOST: usize = 400;

/// The answer of a solver.
pub enum SolverAnswer {
    /// There is no satisfying assignment.
    None,
    /// The value of each variable, from variable 0.
    Assignment(Vec<bool>),
    /// It gave up.
    Limit,
}

/// The axioms that are large, with more ways to derive their pairs than this, and can be judged.
pub fn large_axioms(facts: &Facts, estimates: &Estimates, large: usize) -> Vec<usize> {
    let model = facts.model;
    let axioms = model.axioms.iter().enumerate();
    let found = axioms.filter(|(_, axiom)| {
        !is_per_location(model, axiom.rel)
            && can_be_judged(model, estimates, axiom.rel)
            && ways(model, estimates, axiom.rel) > large
    });
    found.map(|(i, _)| i).collect()
}

/// What is subtracted does not depend on the execution.
fn can_be_judged(model: &Model, estimates: &Estimates, rel: RelId) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![rel]);
    while let Some(rel) = work.pop() {
        if !seen.insert(rel) {
            continue;
        }
        if let Rel::Diff(x, y) = model.rels[rel] {
            let (from, of) = (estimates.of(x), estimates.of(y));
            if !from.may.inter(&of.may).is_subset(&of.must) {
                return false;
            }
            work.push(x);
        } else {
            work.extend(operands(model, rel));
        }
    }
    true
}

fn operands(model: &Model, rel: RelId) -> Vec<RelId> {
    match model.rels[rel] {
        Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Seq(x, y) | Rel::Diff(x, y) => vec![x, y],
        Rel::Inverse(x) | Rel::Plus(x) => vec![x],
        Rel::Rec(v) => vec![model.recs[v]],
        _ => Vec::new(),
    }
}

/// How many ways there are to derive the pairs of a relation and of what it is made of.
fn ways(model: &Model, estimates: &Estimates, rel: RelId) -> usize {
    let (mut seen, mut work, mut ways) = (FxHashSet::default(), vec![rel], 0);
    while let Some(rel) = work.pop() {
        let of = estimates.of(rel);
        if of.may == of.must || !seen.insert(rel) {
            continue;
        }
        let middles = |x: &BitMatrix, y: &BitMatrix| -> usize {
            let row = |m| {
                y.row(m)
                    .iter()
                    .map(|w| w.count_ones() as usize)
                    .sum::<usize>()
            };
            let rows: Vec<usize> = (0..y.len()).map(row).collect();
            x.pairs().map(|(_, m)| rows[m]).sum()
        };
        ways += match model.rels[rel] {
            Rel::Union(..) | Rel::Inter(..) | Rel::Diff(..) => of.may.diff(&of.must).count(),
            Rel::Seq(x, y) => middles(&estimates.of(x).may, &estimates.of(y).may),
            Rel::Plus(x) => middles(&estimates.of(x).may, &of.may),
            _ => 0,
        };
        work.extend(operands(model, rel));
    }
    ways
}

/// Solves a formula that lacks some axioms until their reasons leave no assignment. `None`: it gave up, or
/// found an execution that nothing is wrong with.
pub fn learn(
    made: &mut Relations,
    axioms: Vec<usize>,
    solve: &mut dyn FnMut(&[i32]) -> SolverAnswer,
) -> Option<Learnt> {
    let open = facts_of(made);
    let mut learnt = Learnt {
        axioms,
        reasons: Vec::new(),
    };
    let mut known = BTreeSet::new();
    let mut sent = 0;
    loop {
        let new = made.gates.flat[sent..].to_vec();
        sent = made.gates.flat.len();
        let values = match solve(&new) {
            SolverAnswer::None => return Some(learnt),
            SolverAnswer::Limit => return None,
            SolverAnswer::Assignment(values) => values,
        };
        let value = |l: Lit| values.get(l.0.unsigned_abs() as usize) == Some(&(l.0 > 0));
        let mut found = Vec::new();
        for axiom in &learnt.axioms {
            let axiom = &made.facts.model.axioms[*axiom];
            found.extend(violations(made, axiom, &open, &value));
        }
        found.sort_by_key(|reason| (reason.pairs.len() + reason.members.len(), reason.clone()));
        found.dedup();
        found.truncate(MOST);
        let before = learnt.reasons.len();
        for reason in found {
            if !known.contains(&reason) && made.learn(&reason, &learnt.axioms) {
                known.insert(reason.clone());
                learnt.reasons.push(reason);
            }
        }
        if learnt.reasons.len() == before {
            return None;
        }
    }
}

/// What executions decide, with literals.
struct OpenFacts {
    happens: Vec<Lit>,
    pairs: Vec<(Open, Node, Node, Lit)>,
    members: Vec<(SetId, Node, Lit)>,
}

fn facts_of(made: &mut Relations) -> OpenFacts {
    let (facts, estimates) = (made.facts, made.estimates);
    let model = facts.model;
    let happens = (0..facts.len()).map(|n| made.happens(n)).collect();
    let mut pairs = Vec::new();
    for open in Open::ALL {
        let of = facts.of(open.base());
        let mut wanted = of.may.diff(&of.must);
        if open == Open::Loc {
            wanted = wanted.inter(&located(model, estimates, facts));
        }
        for (a, b) in wanted.pairs() {
            let lit = made.base_pair(open.base(), a, b);
            pairs.push((open, a, b, lit));
        }
    }
    let mut members = Vec::new();
    for (id, set) in model.sets.iter_enumerated() {
        if estimates.has(id) && is_open(set) {
            let (may, must) = estimates.members(id);
            for n in (0..facts.len()).filter(|n| may[*n] && !must[*n]) {
                members.push((id, n, made.member(id, n)));
            }
        }
    }
    made.finish();
    OpenFacts {
        happens,
        pairs,
        members,
    }
}

/// Pairs of which it matters whether they are at one place.
fn located(model: &Model, estimates: &Estimates, facts: &Facts) -> BitMatrix {
    let is_loc = |r: RelId| model.rels[r] == Rel::Base(BaseRel::Loc);
    let mut out = facts.none();
    for (id, rel) in model.rels.iter_enumerated() {
        let Some(of) = estimates.known(id) else {
            continue;
        };
        if let Rel::Inter(x, y) = *rel
            && (is_loc(x) || is_loc(y))
        {
            out = out.union(&of.may);
        } else if operands(model, id).into_iter().any(is_loc) {
            return facts.of(BaseRel::Loc).may.clone();
        }
    }
    out
}

/// The reasons why an execution violates an axiom.
fn violations(
    made: &Relations,
    axiom: &Axiom,
    open: &OpenFacts,
    value: &dyn Fn(Lit) -> bool,
) -> Vec<Reason> {
    let (facts, estimates) = (made.facts, made.estimates);
    let happen = (0..facts.len()).filter(|n| value(open.happens[*n]));
    let nodes: Vec<Node> = happen.collect();
    let at: FxHashMap<Node, usize> = nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let pairs = open.pairs.iter().filter(|(.., lit)| value(*lit));
    let pairs = pairs.filter_map(|(open, a, b, _)| Some((*open, *at.get(a)?, *at.get(b)?)));
    let pairs: Vec<(Open, usize, usize)> = pairs.collect();
    let members = open.members.iter().filter(|(.., lit)| value(*lit));
    let members = members.map(|(set, n, _)| (*set, *n)).collect();
    let mut source = vec![None; nodes.len()];
    for (open, w, r) in &pairs {
        if *open == Open::Rf {
            source[*r] = Some(*w);
        }
    }
    let mut surely = Surely::new(facts, estimates, nodes, &pairs, members);
    let rel = surely.of(axiom.rel);
    let mut explained = Explained {
        last: surely.last_step(),
        sure: FxHashMap::default(),
        known: FxHashMap::default(),
        facts,
        estimates,
        source,
        surely,
    };
    let mut out = Vec::new();
    match axiom.kind {
        AxiomKind::Acyclic => explained.cycles(axiom.rel, &rel, &mut out),
        kind => {
            let all = kind == AxiomKind::Empty;
            for (a, b) in rel.pairs().filter(|(a, b)| all || a == b) {
                out.push(explained.reason(axiom.rel, &[(a, b)]));
            }
        }
    }
    out
}

/// Something that is so in an execution; events are positions among those that happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fact {
    Happens(usize),
    Pair(Open, usize, usize),
    Member(SetId, usize),
}

/// Why a pair is there: how many facts that count, and all of them.
type Why = Option<Rc<(usize, Vec<Fact>)>>;

/// The pairs of an execution, explained.
struct Explained<'a> {
    facts: &'a Facts<'a>,
    estimates: &'a Estimates,
    surely: Surely<'a>,
    /// By read: what it reads from.
    source: Vec<Option<usize>>,
    last: usize,
    sure: FxHashMap<RelId, Rc<BitMatrix>>,
    known: FxHashMap<(RelId, usize, usize, usize), Why>,
}

impl Explained<'_> {
    fn sure(&mut self, rel: RelId) -> Rc<BitMatrix> {
        if let Some(sure) = self.sure.get(&rel) {
            return sure.clone();
        }
        let sure = Rc::new(self.surely.within(&self.estimates.of(rel).must));
        self.sure.insert(rel, sure.clone());
        sure
    }

    fn reason(&mut self, rel: RelId, pairs: &[(usize, usize)]) -> Reason {
        let mut all: BTreeSet<Fact> = BTreeSet::new();
        for (a, b) in pairs {
            all.extend([Fact::Happens(*a), Fact::Happens(*b)]);
            if let Some(why) = self.why(rel, *a, *b, self.last) {
                all.extend(why.1.iter().copied());
            }
        }
        let numbers = &self.surely.nodes;
        let event = |n: usize| -> EventId { self.facts.nodes[numbers[n]] };
        let mut reason = Reason::default();
        let mut events = BTreeSet::new();
        for fact in all {
            match fact {
                Fact::Happens(n) => {
                    events.insert(event(n));
                }
                Fact::Pair(open, a, b) => {
                    events.extend([event(a), event(b)]);
                    reason.pairs.push((open, event(a), event(b)));
                }
                Fact::Member(set, n) => {
                    events.insert(event(n));
                    let numbered = self.facts.model.sets.ids().zip(0..);
                    let number = numbered.filter(|(id, _)| *id == set).map(|(_, i)| i);
                    reason.members.extend(number.map(|i| (i, event(n))));
                }
            }
        }
        reason.events = events.into_iter().collect();
        reason
    }

    /// Why a pair is there, as cheaply as is known; `None` when it is not.
    fn why(&mut self, rel: RelId, a: usize, b: usize, step: usize) -> Why {
        if self.sure(rel).contains(a, b) {
            return Some(Rc::default());
        }
        let step = match self.estimates.is_recursive(rel) {
            true => step,
            false => self.last,
        };
        if !self.surely.rel(rel, step).contains(a, b) {
            return None;
        }
        let key = (rel, a, b, step);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let why = self.derived(rel, a, b, step);
        self.known.insert(key, why.clone());
        why
    }

    fn derived(&mut self, rel: RelId, a: usize, b: usize, step: usize) -> Why {
        let model = self.facts.model;
        match model.rels[rel] {
            Rel::Empty => None,
            Rel::Base(BaseRel::Fr) => {
                let w = self.source[a]?;
                let co = self.facts.of(BaseRel::Co);
                let nodes = &self.surely.nodes;
                let mut facts = vec![Fact::Pair(Open::Rf, w, a)];
                if !co.must.contains(nodes[w], nodes[b]) {
                    facts.push(Fact::Pair(Open::Co, w, b));
                }
                Some(Rc::new((facts.len(), facts)))
            }
            Rel::Base(base) => {
                let open = Open::ALL.into_iter().find(|open| open.base() == base)?;
                Some(Rc::new((1, vec![Fact::Pair(open, a, b)])))
            }
            Rel::Union(x, y) => match (self.why(x, a, b, step), self.why(y, a, b, step)) {
                (Some(one), Some(other)) => Some(if other.0 < one.0 { other } else { one }),
                (one, other) => one.or(other),
            },
            Rel::Inter(x, y) => {
                let parts = [self.why(x, a, b, step)?, self.why(y, a, b, step)?];
                Some(together(&parts))
            }
            Rel::Diff(x, _) => self.why(x, a, b, step),
            Rel::Inverse(x) => self.why(x, b, a, step),
            Rel::Seq(x, y) => self.middle((x, y), a, b, step),
            Rel::Plus(x) => self.path(x, a, b, step),
            Rel::Rec(v) => {
                let earlier = (0..step).find(|s| {
                    let body = self.surely.rel(model.recs[v], *s);
                    body.contains(a, b)
                });
                self.why(model.recs[v], a, b, earlier?)
            }
            Rel::Identity(s) => Some(Rc::new(self.member(s, a))),
            Rel::Cross(s, t) => {
                let parts = [Rc::new(self.member(s, a)), Rc::new(self.member(t, b))];
                Some(together(&parts))
            }
        }
    }

    /// The facts about an event's membership in a set; more than are needed, maybe.
    fn member(&mut self, set: SetId, n: usize) -> (usize, Vec<Fact>) {
        let of = &self.facts.model.sets[set];
        if self.estimates.members(set).1[self.surely.nodes[n]] {
            return (0, Vec::new());
        }
        if is_open(of) {
            return (1, vec![Fact::Member(set, n)]);
        }
        let parts: Vec<(usize, Vec<Fact>)> = match *of {
            Set::Union(x, y) => {
                let here = [x, y].into_iter();
                let last = self.last;
                let here = here.filter(|s| self.surely.member(*s, n, last));
                let here: Vec<SetId> = here.take(1).collect();
                here.into_iter().map(|s| self.member(s, n)).collect()
            }
            Set::Inter(x, y) => vec![self.member(x, n), self.member(y, n)],
            Set::Domain(r) | Set::Range(r) => {
                let range = matches!(of, Set::Range(_));
                let rel = self.surely.rel(r, self.last);
                let pair = |m: usize| if range { (m, n) } else { (n, m) };
                let mut others = (0..rel.len()).map(pair);
                match others.find(|(a, b)| rel.contains(*a, *b)) {
                    Some((a, b)) => {
                        let other = if range { a } else { b };
                        let mut why = vec![Fact::Happens(other)];
                        let more = self.why(r, a, b, self.last);
                        why.extend(more.iter().flat_map(|w| w.1.iter().copied()));
                        vec![(why.len(), why)]
                    }
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        let cost = parts.iter().map(|(cost, _)| cost).sum();
        (cost, parts.into_iter().flat_map(|(_, f)| f).collect())
    }

    /// An event that happens costs nothing beside others that it happens with.
    fn happens(&self, m: usize, with: [usize; 2]) -> usize {
        let nodes = &self.surely.nodes;
        let sure = with.iter().any(|n| self.facts.implies(nodes[*n], nodes[m]));
        usize::from(!sure)
    }

    fn middle(&mut self, (x, y): (RelId, RelId), a: usize, b: usize, step: usize) -> Why {
        let (first, second) = (
            self.surely.rel(x, self.step(x, step)),
            self.surely.rel(y, self.step(y, step)),
        );
        let mut best: Why = None;
        for m in first.successors(a).filter(|m| second.contains(*m, b)) {
            let here = self.happens(m, [a, b]);
            let least = best.as_ref().map_or(usize::MAX, |w| w.0);
            if here >= least {
                continue;
            }
            let Some(one) = self.why(x, a, m, step).filter(|w| w.0 + here < least) else {
                continue;
            };
            let Some(other) = self
                .why(y, m, b, step)
                .filter(|w| w.0 + one.0 + here < least)
            else {
                continue;
            };
            let own = Rc::new((here, vec![Fact::Happens(m)]));
            best = Some(together(&[one, other, own]));
            if best.as_ref().is_some_and(|w| w.0 == 0) {
                break;
            }
        }
        best
    }

    fn step(&self, rel: RelId, step: usize) -> usize {
        match self.estimates.is_recursive(rel) {
            true => step,
            false => self.last,
        }
    }

    /// A path of a closure with the fewest steps that some execution lacks.
    fn path(&mut self, x: RelId, a: usize, b: usize, step: usize) -> Why {
        let edges = self.surely.rel(x, self.step(x, step));
        let free = self.sure(x);
        let path = cheapest(&edges, &free, a, b)?;
        let mut parts = Vec::new();
        for hop in path.windows(2) {
            parts.push(self.why(x, hop[0], hop[1], step)?);
            parts.push(Rc::new((
                self.happens(hop[1], [a, b]),
                vec![Fact::Happens(hop[1])],
            )));
        }
        Some(together(&parts))
    }

    /// Cycles of an order, inside of its points and between them.
    fn cycles(&mut self, axiom: RelId, rel: &BitMatrix, out: &mut Vec<Reason>) {
        let sure = self.sure(axiom);
        let point = self.surely.points(axiom);
        let [inside, between] = self.surely.parts(axiom, rel);
        let [free_inside, free_between] = self.surely.parts(axiom, &sure);
        // Of an edge between points: a pair that it stands for.
        let mut stands: FxHashMap<(usize, usize), (usize, usize)> = FxHashMap::default();
        for (a, b) in rel.pairs().chain(sure.pairs()) {
            stands.insert((point[a], point[b]), (a, b));
        }
        for (edges, free, within) in [(inside, free_inside, true), (between, free_between, false)] {
            if edges.is_acyclic() {
                continue;
            }
            let reach = edges.plus();
            for start in (0..edges.len()).filter(|n| reach.contains(*n, *n)) {
                let mut open = edges
                    .successors(start)
                    .filter(|n| !free.contains(start, *n));
                if !open.any(|n| n == start || reach.contains(n, start)) {
                    continue;
                }
                let Some(cycle) = cheapest(&edges, &free, start, start) else {
                    continue;
                };
                let pairs: Vec<(usize, usize)> = cycle
                    .windows(2)
                    .map(|hop| match within {
                        true => (hop[0], hop[1]),
                        false => stands[&(hop[0], hop[1])],
                    })
                    .collect();
                out.push(self.reason(axiom, &pairs));
            }
        }
    }
}

fn together(parts: &[Rc<(usize, Vec<Fact>)>]) -> Rc<(usize, Vec<Fact>)> {
    let mut facts: Vec<Fact> = parts.iter().flat_map(|p| p.1.iter().copied()).collect();
    facts.sort_unstable();
    facts.dedup();
    Rc::new((parts.iter().map(|p| p.0).sum(), facts))
}

/// A path of one or more edges with the fewest that are not free: a search in layers of one cost, each
/// closed under the free edges.
fn cheapest(edges: &BitMatrix, free: &BitMatrix, start: usize, goal: usize) -> Option<Vec<usize>> {
    let mut left = BitSet::full(edges.len());
    if start != goal {
        left.remove(start);
    }
    let mut from = vec![start; edges.len()];
    let mut layer = vec![start];
    let step = |of: &BitMatrix, n: usize, left: &mut BitSet, from: &mut [usize]| {
        let mut new = of.set(n);
        new.inter(left.words());
        left.diff(new.words());
        new.iter().for_each(|m| from[m] = n);
        new
    };
    while left.contains(goal) {
        let mut i = 0;
        while let Some(n) = layer.get(i).copied() {
            layer.extend(step(free, n, &mut left, &mut from).iter());
            i += 1;
        }
        if left.contains(goal) {
            let mut next = Vec::new();
            for n in layer {
                next.extend(step(edges, n, &mut left, &mut from).iter());
            }
            if next.is_empty() {
                return None;
            }
            layer = next;
        }
    }
    let mut path = vec![goal];
    let mut at = from[goal];
    while at != start {
        path.push(at);
        at = from[at];
    }
    path.push(start);
    path.reverse();
    Some(path)
}
