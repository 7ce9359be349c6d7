//! Building a model's expressions: each is made once, and simplified on the way.
//!
//! Two aims. Equal expressions get equal ids, so that whoever walks the model works once a
//! relation. And what published models write in their own words becomes the form that is cheapest
//! to encode: `rf^-1;co` is `fr`, `co \ (co & int)` is `co & ext`, `[A];r;[B]` is `r & (A*B)`.
//! Each rule below stands with its `match:` and `result:`.

use super::model::{BaseRel, BaseSet, RecId, Rel, RelId, Set, SetId};
use base::idx::IdVec;
use base::source::Span;
use rustc_hash::FxHashMap;

/// The expressions made so far.
#[derive(Default)]
pub(super) struct Builder {
    pub rels: IdVec<RelId, Rel>,
    pub sets: IdVec<SetId, Set>,
    /// The bodies of recursive variables; `None` until the definition is complete.
    pub recs: IdVec<RecId, Option<RelId>>,
    /// Where each relation was first written.
    pub spans: IdVec<RelId, Option<Span>>,
    /// What is being compiled, for `spans`.
    pub here: Option<Span>,
    rel_ids: FxHashMap<Rel, RelId>,
    set_ids: FxHashMap<Set, SetId>,
}

impl Builder {
    fn rel(&mut self, rel: Rel) -> RelId {
        if let Some(id) = self.rel_ids.get(&rel) {
            return *id;
        }
        let id = self.rels.push(rel.clone());
        self.spans.push(self.here);
        self.rel_ids.insert(rel, id);
        id
    }

    fn set(&mut self, set: Set) -> SetId {
        if let Some(id) = self.set_ids.get(&set) {
            return *id;
        }
        let id = self.sets.push(set.clone());
        self.set_ids.insert(set, id);
        id
    }

    pub fn base(&mut self, base: BaseRel) -> RelId {
        self.rel(Rel::Base(base))
    }

    pub fn empty(&mut self) -> RelId {
        self.rel(Rel::Empty)
    }

    /// A new recursive variable.
    pub fn rec(&mut self) -> RelId {
        let id = self.recs.push(None);
        self.rel(Rel::Rec(id))
    }

    pub fn base_set(&mut self, base: BaseSet) -> SetId {
        self.set(Set::Base(base))
    }

    pub fn all(&mut self) -> SetId {
        self.set(Set::All)
    }

    pub fn empty_set(&mut self) -> SetId {
        self.set(Set::Empty)
    }

    pub fn union_sets(&mut self, a: SetId, b: SetId) -> SetId {
        match (&self.sets[a], &self.sets[b]) {
            _ if a == b => a,
            (Set::Empty, _) | (_, Set::All) => b,
            (_, Set::Empty) | (Set::All, _) => a,
            _ => self.set(Set::Union(a.min(b), a.max(b))),
        }
    }

    pub fn inter_sets(&mut self, a: SetId, b: SetId) -> SetId {
        // match: s & (s | t)   result: s
        if self.set_within(a, b) {
            return a;
        }
        if self.set_within(b, a) {
            return b;
        }
        match (&self.sets[a], &self.sets[b]) {
            // match: R & W, R & F, W & F   result: {}
            (Set::Base(x), Set::Base(y)) if is_kind(x) && is_kind(y) => self.empty_set(),
            _ => self.set(Set::Inter(a.min(b), a.max(b))),
        }
    }

    pub fn diff_sets(&mut self, a: SetId, b: SetId) -> SetId {
        if self.set_within(a, b) {
            return self.empty_set();
        }
        match &self.sets[b] {
            Set::Empty => a,
            _ => self.set(Set::Diff(a, b)),
        }
    }

    /// `a` is certainly a subset of `b`; goes down one level of `b`'s unions.
    fn set_within(&self, a: SetId, b: SetId) -> bool {
        let direct =
            |a: SetId, b: SetId| a == b || self.sets[a] == Set::Empty || self.sets[b] == Set::All;
        let below = match self.sets[b] {
            Set::Union(x, y) => direct(a, x) || direct(a, y),
            _ => false,
        };
        let above = match self.sets[a] {
            Set::Inter(x, y) => direct(x, b) || direct(y, b),
            _ => false,
        };
        let initial =
            self.sets[a] == Set::Base(BaseSet::IW) && self.sets[b] == Set::Base(BaseSet::W);
        direct(a, b) || below || above || initial
    }

    pub fn domain(&mut self, r: RelId) -> SetId {
        match self.rels[r] {
            Rel::Empty => self.empty_set(),
            Rel::Identity(s) => s,
            _ => self.set(Set::Domain(r)),
        }
    }

    pub fn range(&mut self, r: RelId) -> SetId {
        match self.rels[r] {
            Rel::Empty => self.empty_set(),
            Rel::Identity(s) => s,
            _ => self.set(Set::Range(r)),
        }
    }

    pub fn union(&mut self, a: RelId, b: RelId) -> RelId {
        match (&self.rels[a], &self.rels[b]) {
            _ if a == b => a,
            (Rel::Empty, _) => b,
            (_, Rel::Empty) => a,
            _ if self.is_full(a) => a,
            _ if self.is_full(b) => b,
            _ => self.rel(Rel::Union(a.min(b), a.max(b))),
        }
    }

    pub fn inter(&mut self, a: RelId, b: RelId) -> RelId {
        match (&self.rels[a], &self.rels[b]) {
            _ if a == b => a,
            (Rel::Empty, _) | (_, Rel::Empty) => self.empty(),
            // match: r & (S*T)   result: r restricted, see `restrict`
            (_, &Rel::Cross(s, t)) => self.restrict(a, s, t),
            (&Rel::Cross(s, t), _) => self.restrict(b, s, t),
            // match: int & ext   result: 0
            (Rel::Base(BaseRel::Int), Rel::Base(BaseRel::Ext))
            | (Rel::Base(BaseRel::Ext), Rel::Base(BaseRel::Int)) => self.empty(),
            _ => self.rel(Rel::Inter(a.min(b), a.max(b))),
        }
    }

    /// `r & (s * t)`
    fn restrict(&mut self, r: RelId, s: SetId, t: SetId) -> RelId {
        match self.rels[r] {
            // match: [A] & (S*T)   result: [A & S & T]
            Rel::Identity(a) => {
                let both = self.inter_sets(s, t);
                let a = self.inter_sets(a, both);
                self.identity(a)
            }
            // match: (A*B) & (S*T)   result: (A & S) * (B & T)
            Rel::Cross(a, b) => {
                let (a, b) = (self.inter_sets(a, s), self.inter_sets(b, t));
                self.cross(a, b)
            }
            // match: (q & (A*B)) & (S*T)   result: q & ((A & S) * (B & T))
            Rel::Inter(x, y)
                if matches!(self.rels[x], Rel::Cross(..))
                    || matches!(self.rels[y], Rel::Cross(..)) =>
            {
                let (q, product) = if matches!(self.rels[x], Rel::Cross(..)) {
                    (y, x)
                } else {
                    (x, y)
                };
                let product = self.restrict(product, s, t);
                self.plain_restrict(q, product)
            }
            // match: (x;y) & (S*T)   result: (x & (S*_)) ; (y & (_*T))
            Rel::Seq(x, y) => {
                let all = self.all();
                let (x, y) = (self.restrict(x, s, all), self.restrict(y, all, t));
                self.seq(x, y)
            }
            _ => {
                let product = self.cross(s, t);
                self.plain_restrict(r, product)
            }
        }
    }

    /// `r & product`, where `r` is not a product itself.
    fn plain_restrict(&mut self, r: RelId, product: RelId) -> RelId {
        let Rel::Cross(s, t) = self.rels[product] else {
            return self.empty();
        };
        // match: rf & (W*R), and so on   result: rf
        let (from, to) = self.ends(r);
        if self.set_within(from, s) && self.set_within(to, t) {
            return r;
        }
        self.rel(Rel::Inter(r.min(product), r.max(product)))
    }

    /// Sets that a base relation certainly starts and ends in.
    fn ends(&mut self, r: RelId) -> (SetId, SetId) {
        let (from, to) = match self.rels[r] {
            Rel::Base(BaseRel::Rf) => (Some(BaseSet::W), Some(BaseSet::R)),
            Rel::Base(BaseRel::Co) => (Some(BaseSet::W), Some(BaseSet::W)),
            Rel::Base(BaseRel::Fr | BaseRel::Rmw | BaseRel::Amo | BaseRel::Lxsx) => {
                (Some(BaseSet::R), Some(BaseSet::W))
            }
            Rel::Base(BaseRel::Data) => (Some(BaseSet::R), Some(BaseSet::W)),
            Rel::Base(BaseRel::Addr | BaseRel::Ctrl) => (Some(BaseSet::R), None),
            _ => (None, None),
        };
        let mut set = |base: Option<BaseSet>| match base {
            Some(base) => self.base_set(base),
            None => self.all(),
        };
        (set(from), set(to))
    }

    pub fn diff(&mut self, a: RelId, b: RelId) -> RelId {
        match (&self.rels[a], &self.rels[b]) {
            _ if a == b || self.is_full(b) => self.empty(),
            (Rel::Empty, _) | (_, Rel::Empty) => a,
            // match: r \ (r & s)   result: r \ s
            (_, &Rel::Inter(x, y)) if x == a => self.diff(a, y),
            (_, &Rel::Inter(x, y)) if y == a => self.diff(a, x),
            // match: r \ int   result: r & ext, and the other way round
            (_, Rel::Base(BaseRel::Int)) => {
                let ext = self.base(BaseRel::Ext);
                self.inter(a, ext)
            }
            (_, Rel::Base(BaseRel::Ext)) => {
                let int = self.base(BaseRel::Int);
                self.inter(a, int)
            }
            // match: r \ id, where r relates nothing to itself   result: r
            (Rel::Base(base), Rel::Identity(_))
                if !matches!(base, BaseRel::Loc | BaseRel::Int | BaseRel::Group) =>
            {
                a
            }
            // match: r \ (R*T), where r is rf, co, … starting in W   result: r; likewise at the end
            (_, &Rel::Cross(s, t)) => {
                let (from, to) = self.ends(a);
                let (starts, ends) = (self.inter_sets(from, s), self.inter_sets(to, t));
                if self.sets[starts] == Set::Empty || self.sets[ends] == Set::Empty {
                    return a;
                }
                self.rel(Rel::Diff(a, b))
            }
            _ => self.rel(Rel::Diff(a, b)),
        }
    }

    pub fn seq(&mut self, a: RelId, b: RelId) -> RelId {
        let all = self.all();
        match (self.rels[a].clone(), self.rels[b].clone()) {
            (Rel::Empty, _) | (_, Rel::Empty) => self.empty(),
            (Rel::Identity(s), Rel::Identity(t)) => {
                let both = self.inter_sets(s, t);
                self.identity(both)
            }
            // match: [S];r   result: r & (S*_)
            (Rel::Identity(s), _) => self.restrict(b, s, all),
            (_, Rel::Identity(t)) => self.restrict(a, all, t),
            // match: rf^-1;co   result: fr
            (Rel::Inverse(x), Rel::Base(BaseRel::Co)) if self.rels[x] == Rel::Base(BaseRel::Rf) => {
                self.base(BaseRel::Fr)
            }
            // match: ([S] | q);r   result: [S];r | q;r
            (Rel::Union(x, y), _) if self.is_identity(x) || self.is_identity(y) => {
                let (left, right) = (self.seq(x, b), self.seq(y, b));
                self.union(left, right)
            }
            (_, Rel::Union(x, y)) if self.is_identity(x) || self.is_identity(y) => {
                let (left, right) = (self.seq(a, x), self.seq(a, y));
                self.union(left, right)
            }
            _ => self.rel(Rel::Seq(a, b)),
        }
    }

    pub fn inverse(&mut self, r: RelId) -> RelId {
        match self.rels[r] {
            Rel::Empty
            | Rel::Identity(_)
            | Rel::Base(
                BaseRel::Loc
                | BaseRel::Int
                | BaseRel::Ext
                | BaseRel::Group
                | BaseRel::SameAccess
                | BaseRel::DifferentValues,
            ) => r,
            Rel::Inverse(inner) => inner,
            Rel::Cross(s, t) => self.cross(t, s),
            _ => self.rel(Rel::Inverse(r)),
        }
    }

    pub fn plus(&mut self, r: RelId) -> RelId {
        match self.rels[r] {
            Rel::Empty | Rel::Identity(_) | Rel::Plus(_) | Rel::Base(BaseRel::Co) => r,
            _ => self.rel(Rel::Plus(r)),
        }
    }

    pub fn identity(&mut self, s: SetId) -> RelId {
        match self.sets[s] {
            Set::Empty => self.empty(),
            _ => self.rel(Rel::Identity(s)),
        }
    }

    pub fn cross(&mut self, s: SetId, t: SetId) -> RelId {
        match (&self.sets[s], &self.sets[t]) {
            (Set::Empty, _) | (_, Set::Empty) => self.empty(),
            _ => self.rel(Rel::Cross(s, t)),
        }
    }

    fn is_full(&self, r: RelId) -> bool {
        matches!(self.rels[r], Rel::Cross(s, t) if self.sets[s] == Set::All && self.sets[t] == Set::All)
    }

    fn is_identity(&self, r: RelId) -> bool {
        matches!(self.rels[r], Rel::Identity(_))
    }
}

fn is_kind(set: &BaseSet) -> bool {
    matches!(set, BaseSet::R | BaseSet::W | BaseSet::F)
}

/// New numbers for the operands of expressions.
pub(super) struct Renumbering<'a> {
    pub rel: &'a dyn Fn(RelId) -> RelId,
    pub set: &'a dyn Fn(SetId) -> SetId,
    pub rec: &'a dyn Fn(RecId) -> RecId,
}

impl Renumbering<'_> {
    pub fn of_rel(&self, rel: &Rel) -> Rel {
        let (r, s) = (self.rel, self.set);
        match *rel {
            Rel::Union(a, b) => Rel::Union(r(a), r(b)),
            Rel::Inter(a, b) => Rel::Inter(r(a), r(b)),
            Rel::Diff(a, b) => Rel::Diff(r(a), r(b)),
            Rel::Seq(a, b) => Rel::Seq(r(a), r(b)),
            Rel::Inverse(a) => Rel::Inverse(r(a)),
            Rel::Plus(a) => Rel::Plus(r(a)),
            Rel::Identity(a) => Rel::Identity(s(a)),
            Rel::Cross(a, b) => Rel::Cross(s(a), s(b)),
            Rel::Rec(id) => Rel::Rec((self.rec)(id)),
            Rel::Base(_) | Rel::Empty => rel.clone(),
        }
    }

    pub fn of_set(&self, set: &Set) -> Set {
        let (r, s) = (self.rel, self.set);
        match *set {
            Set::Union(a, b) => Set::Union(s(a), s(b)),
            Set::Inter(a, b) => Set::Inter(s(a), s(b)),
            Set::Diff(a, b) => Set::Diff(s(a), s(b)),
            Set::Domain(a) => Set::Domain(r(a)),
            Set::Range(a) => Set::Range(r(a)),
            Set::Base(_) | Set::All | Set::Empty => set.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Parts {
        build: Builder,
        po: RelId,
        rf: RelId,
        co: RelId,
        r: SetId,
        w: SetId,
        all: SetId,
    }

    fn parts() -> Parts {
        let mut build = Builder::default();
        let (po, rf, co) = (
            build.base(BaseRel::Po),
            build.base(BaseRel::Rf),
            build.base(BaseRel::Co),
        );
        let (r, w, all) = (
            build.base_set(BaseSet::R),
            build.base_set(BaseSet::W),
            build.all(),
        );
        Parts {
            build,
            po,
            rf,
            co,
            r,
            w,
            all,
        }
    }

    #[test]
    fn equal_expressions_are_one() {
        let Parts {
            mut build, po, rf, ..
        } = parts();
        let (a, b) = (build.union(po, rf), build.union(rf, po));
        assert_eq!(a, b);
        assert_eq!(build.union(a, a), a);
    }

    #[test]
    fn inverse_reads_from_then_coherence_is_from_read() {
        let Parts {
            mut build,
            rf,
            co,
            all,
            ..
        } = parts();
        let back = build.inverse(rf);
        let fr = build.seq(back, co);
        assert_eq!(build.rels[fr], Rel::Base(BaseRel::Fr));
        let id = build.identity(all);
        assert_eq!(build.diff(fr, id), fr);
    }

    #[test]
    fn without_the_internal_part_is_external() {
        let Parts { mut build, co, .. } = parts();
        let (int, ext) = (build.base(BaseRel::Int), build.base(BaseRel::Ext));
        let coi = build.inter(co, int);
        let coe = build.inter(co, ext);
        assert_eq!(build.diff(co, coi), coe);
        assert_eq!(build.inter(int, ext), build.empty());
    }

    #[test]
    fn filters_become_products() {
        let Parts {
            mut build,
            po,
            r,
            w,
            all,
            ..
        } = parts();
        let (reads, writes) = (build.identity(r), build.identity(w));
        let left = build.seq(reads, po);
        let both = build.seq(left, writes);
        let product = build.cross(r, w);
        assert_eq!(both, build.inter(po, product));
        assert_eq!(build.seq(reads, writes), build.empty());
        let id = build.identity(all);
        assert_eq!(build.seq(id, po), po);
    }

    #[test]
    fn filters_that_filter_nothing_are_gone() {
        let Parts {
            mut build,
            rf,
            r,
            w,
            all,
            ..
        } = parts();
        let (product, other) = (build.cross(w, r), build.cross(r, all));
        assert_eq!(build.inter(rf, product), rf);
        assert_eq!(build.diff(rf, other), rf);
        let memory = build.union_sets(r, w);
        let accesses = build.identity(memory);
        assert_eq!(build.seq(rf, accesses), rf);
    }

    #[test]
    fn optional_steps_unfold() {
        let Parts {
            mut build,
            po,
            rf,
            all,
            ..
        } = parts();
        let id = build.identity(all);
        let optional = build.union(id, rf);
        let unfolded = build.seq(optional, po);
        let step = build.seq(rf, po);
        assert_eq!(unfolded, build.union(po, step));
    }

    #[test]
    fn sets_are_simplified() {
        let Parts {
            mut build,
            r,
            w,
            all,
            ..
        } = parts();
        let memory = build.union_sets(r, w);
        let none = build.empty_set();
        assert_eq!(build.inter_sets(r, memory), r);
        assert_eq!(build.inter_sets(r, w), none);
        assert_eq!(build.diff_sets(r, memory), none);
        assert_eq!(build.inter_sets(all, w), w);
        assert_eq!(build.union_sets(all, w), all);
    }
}
