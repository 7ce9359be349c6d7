//! A model, prepared for executions that grow: which of its relations are kept, and what follows from their
//! pairs.

use crate::execution::{Access, ExecutionEvent};
use crate::model::{AxiomKind, BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use crate::pattern::is_thin_air;
use crate::uses::{Operand, operands};
use base::idx::IdVec;

/// What follows from a new pair of a relation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// It is in this one.
    Copy(RelId),
    /// It is in this one if it is in the first one.
    When(RelId, RelId),
    /// It is in this one unless it is in the first one, which is static.
    Unless(RelId, RelId),
    /// It is in this one if its first event is in the set.
    From(SetId, RelId),
    /// It is in this one if its second event is in the set.
    To(SetId, RelId),
    /// It begins a pair of this one that the first one ends.
    Before(RelId, RelId),
    /// It ends a pair of this one that the first one begins.
    After(RelId, RelId),
    /// Its inverse is in this one.
    Inverse(RelId),
    /// This one is the closure.
    Closure(RelId),
}

/// A model, prepared: which of its relations are kept, and who uses them.
pub struct Plan<'m> {
    pub(super) model: &'m Model,
    /// Where a relation is kept.
    pub(super) slots: IdVec<RelId, Option<u32>>,
    /// How many are.
    pub(super) kept: usize,
    pub(super) users: IdVec<RelId, Vec<Rule>>,
    /// Static relations that are kept.
    pub(super) composed: Vec<RelId>,
    /// By relation: it is not static.
    pub(super) grows: IdVec<RelId, bool>,
    /// The expressions that are `rf`, `co` and `fr`.
    pub(super) bases: [Vec<RelId>; 3],
    /// Static sets that are looked at.
    pub(super) sets: Vec<SetId>,
    /// What axioms ask of relations.
    pub(super) axioms: IdVec<RelId, Vec<AxiomKind>>,
}

impl<'m> Plan<'m> {
    /// Prepares a model.
    ///
    /// # Errors
    /// Why its axioms cannot be judged on growing executions, as a sentence.
    pub fn new(model: &'m Model) -> Result<Plan<'m>, String> {
        let grows = growing(model);
        let is = |base| {
            let all = model.rels.iter_enumerated();
            all.filter(|(_, r)| **r == Rel::Base(base))
                .map(|(id, _)| id)
                .collect()
        };
        let mut plan = Plan {
            model,
            grows,
            bases: [BaseRel::Rf, BaseRel::Co, BaseRel::Fr].map(is),
            slots: model.rels.ids().map(|_| None).collect(),
            kept: 0,
            users: model.rels.ids().map(|_| Vec::new()).collect(),
            composed: Vec::new(),
            sets: Vec::new(),
            axioms: model.rels.ids().map(|_| Vec::new()).collect(),
        };
        let mut used: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
        // Where reads-from and program order have no cycle, dependencies have none.
        let axioms = || model.axioms.iter().filter(|a| !is_thin_air(model, a));
        let mut kept: Vec<RelId> = axioms().map(|a| a.rel).collect();
        let mut queries: Vec<RelId> = model.queries().collect();
        while let Some(next) = queries.pop() {
            if only_grows(model, &plan.grows, next) {
                kept.push(next);
                continue;
            }
            for operand in operands(&model.rels[next]) {
                match operand {
                    Operand::Rel(rel) => queries.push(rel),
                    Operand::Set(set) => plan.set(set)?,
                }
            }
        }
        let mut work = kept.clone();
        while let Some(next) = work.pop() {
            if std::mem::replace(&mut used[next], true) {
                continue;
            }
            if let Rel::Base(BaseRel::Addr | BaseRel::Data | BaseRel::Ctrl) = model.rels[next] {
                return Err("it speaks of dependencies".to_string());
            }
            for operand in operands(&model.rels[next]) {
                match operand {
                    Operand::Rel(rel) => work.push(rel),
                    Operand::Set(set) => plan.set(set)?,
                }
            }
            if let Rel::Rec(v) = model.rels[next] {
                work.push(model.recs[v]);
            }
        }
        for axiom in axioms() {
            plan.axioms[axiom.rel].push(axiom.kind);
        }
        for rel in kept {
            plan.keep(rel);
        }
        for rel in model.rels.ids().filter(|r| used[*r]) {
            if plan.grows[rel] {
                plan.keep(rel);
                plan.rules(rel)?;
            }
        }
        Ok(plan)
    }

    fn keep(&mut self, rel: RelId) {
        if self.slots[rel].is_none() {
            self.slots[rel] = Some(self.kept as u32);
            self.kept += 1;
            if !self.grows[rel] {
                self.composed.push(rel);
            }
        }
    }

    /// A relation is composed with others or closed: it is kept, and this follows from it.
    fn compose(&mut self, rel: RelId, rule: Rule) {
        self.keep(rel);
        self.users[rel].push(rule);
    }

    fn rules(&mut self, rel: RelId) -> Result<(), String> {
        let identity = |model: &Model, rel: RelId| match model.rels[rel] {
            Rel::Identity(set) => Some(set),
            _ => None,
        };
        match self.model.rels[rel] {
            Rel::Union(a, b) => {
                self.compose(a, Rule::Copy(rel));
                self.compose(b, Rule::Copy(rel));
            }
            Rel::Inter(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    if self.grows[one] {
                        self.compose(one, Rule::When(other, rel));
                    }
                }
            }
            Rel::Diff(a, b) if !self.grows[b] => self.compose(a, Rule::Unless(b, rel)),
            Rel::Diff(..) => {
                let text = "it subtracts a relation that grows with the execution";
                return Err(text.to_string());
            }
            Rel::Seq(a, b) => match (identity(self.model, a), identity(self.model, b)) {
                (Some(set), _) => self.compose(b, Rule::From(set, rel)),
                (None, Some(set)) => self.compose(a, Rule::To(set, rel)),
                (None, None) => {
                    self.compose(a, Rule::Before(b, rel));
                    self.compose(b, Rule::After(a, rel));
                }
            },
            Rel::Inverse(a) => self.compose(a, Rule::Inverse(rel)),
            Rel::Plus(a) => self.compose(a, Rule::Closure(rel)),
            Rel::Rec(v) => self.compose(self.model.recs[v], Rule::Copy(rel)),
            Rel::Base(_) | Rel::Empty | Rel::Identity(_) | Rel::Cross(..) => {}
        }
        Ok(())
    }

    /// A set that is looked at, and those that it is made of.
    fn set(&mut self, set: SetId) -> Result<(), String> {
        if self.sets.contains(&set) {
            return Ok(());
        }
        match &self.model.sets[set] {
            Set::Base(BaseSet::FW) => return Err("it speaks of final writes".to_string()),
            Set::Domain(rel) | Set::Range(rel)
                if pairs_of(self.model, *rel).is_none() && !is_of_groups(self.model, *rel) =>
            {
                return Err("it speaks of the ends of a relation that grows".to_string());
            }
            Set::Base(_) | Set::All | Set::Empty | Set::Domain(_) | Set::Range(_) => {}
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                self.set(*a)?;
                self.set(*b)?;
            }
        }
        self.sets.push(set);
        Ok(())
    }

    /// The label of an event; `pair` is the relation between it and the other half of its
    /// read-modify-write.
    pub fn label(&self, event: &ExecutionEvent, pair: Option<BaseRel>) -> Label {
        let holds = |set: &SetId| self.is_in(event, pair, *set);
        Label {
            sets: self.sets.iter().copied().filter(holds).collect(),
            value: event.value,
            pair: pair.unwrap_or(BaseRel::Amo),
        }
    }

    fn is_in(&self, event: &ExecutionEvent, pair: Option<BaseRel>, set: SetId) -> bool {
        let both = |a, b| [a, b].map(|s| self.is_in(event, pair, s));
        let writes = matches!(event.access, Access::Write | Access::Init);
        match &self.model.sets[set] {
            Set::Base(base) => match base {
                BaseSet::R => event.access == Access::Read,
                BaseSet::W => writes,
                BaseSet::F => event.access == Access::Fence,
                BaseSet::IW => event.access == Access::Init,
                BaseSet::FW => false,
                BaseSet::Rmw => pair.is_some() || event.tags.contains(&"RMW"),
                BaseSet::Tag(tag) => event.tags.contains(&tag.as_str()),
            },
            Set::All => true,
            Set::Empty => false,
            Set::Union(a, b) => both(*a, *b) != [false, false],
            Set::Inter(a, b) => both(*a, *b) == [true, true],
            Set::Diff(a, b) => both(*a, *b) == [true, false],
            Set::Domain(rel) => !writes && is_pair(pairs_of(self.model, *rel), pair),
            Set::Range(rel) => writes && is_pair(pairs_of(self.model, *rel), pair),
        }
    }
}

/// By relation: a pair of events does not decide by itself whether it is in it.
fn growing(model: &Model) -> IdVec<RelId, bool> {
    let mut out: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
    // Operands come first, but for variables, which grow.
    for (id, rel) in model.rels.iter_enumerated() {
        out[id] = match *rel {
            Rel::Base(base) => matches!(base, BaseRel::Rf | BaseRel::Co | BaseRel::Fr),
            Rel::Empty | Rel::Identity(_) | Rel::Cross(..) => false,
            Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => out[a] || out[b],
            Rel::Inverse(a) => out[a],
            Rel::Seq(..) | Rel::Plus(_) | Rel::Rec(_) => true,
        };
    }
    out
}

/// No pair of a relation goes when events, sources or places come.
fn only_grows(model: &Model, grows: &IdVec<RelId, bool>, rel: RelId) -> bool {
    let subtracts = |rel: RelId| matches!(model.rels[rel], Rel::Diff(_, b) if grows[b]);
    let (mut seen, mut open) = (vec![rel], vec![rel]);
    while let Some(next) = open.pop() {
        if subtracts(next) {
            return false;
        }
        let body = match model.rels[next] {
            Rel::Rec(v) => Some(Operand::Rel(model.recs[v])),
            _ => None,
        };
        for operand in operands(&model.rels[next]).chain(body) {
            if let Operand::Rel(rel) = operand
                && !seen.contains(&rel)
            {
                seen.push(rel);
                open.push(rel);
            }
        }
    }
    true
}

/// No event is in an atomic group.
fn is_of_groups(model: &Model, rel: RelId) -> bool {
    matches!(
        model.rels[rel],
        Rel::Base(BaseRel::Group | BaseRel::SameAccess)
    )
}

/// `rmw` or a part of it.
fn pairs_of(model: &Model, rel: RelId) -> Option<BaseRel> {
    match model.rels[rel] {
        Rel::Base(base @ (BaseRel::Rmw | BaseRel::Amo | BaseRel::Lxsx)) => Some(base),
        _ => None,
    }
}

/// Whether a pair of this kind is in the relation.
fn is_pair(rel: Option<BaseRel>, pair: Option<BaseRel>) -> bool {
    pair.is_some() && (rel == Some(BaseRel::Rmw) || rel == pair)
}

/// What an event is to a model.
#[derive(Clone, Debug)]
pub struct Label {
    pub(super) sets: Box<[SetId]>,
    pub(super) value: Option<u64>,
    pub(super) pair: BaseRel,
}

impl Label {
    /// Of an event that means nothing to the model.
    pub fn nothing() -> Label {
        Label {
            sets: Box::default(),
            value: None,
            pair: BaseRel::Amo,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn models_without_dependencies_can_be_judged_as_they_grow() {
        for (name, can) in [
            ("sc", true),
            ("tso", true),
            ("pso", true),
            ("rc11", true),
            ("aarch64", false),
            ("power", false),
        ] {
            let model = builtin(name).expect("built in");
            let plan = Plan::new(&model);
            assert_eq!(plan.is_ok(), can, "{name}: {:?}", plan.err());
        }
    }
}
