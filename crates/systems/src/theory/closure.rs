//! What follows from a conjunction of literals, and its normal form.
//!
//! Finite types are sets of constructors, a word each; other values are classes of equals, in
//! which two processes are never together; processes have a total order; numbers are bounds on
//! differences, closed by shortest paths (over integers `<` is gone and `<>` at a tight bound moves
//! it; over rationals bounds may be strict). Linear literals that are no differences are kept after
//! substitution and tested by Fourier and Motzkin's elimination, exactly over the rationals.
//!
//! A conjunction that has no solution may pass, and what follows be missed, in a few rare cases,
//! all on the safe side (a cube too many is explored, none too few): disequalities that only a
//! count of values refutes, the order of processes together with which of them there are, and
//! integer solutions that only a divisibility argument refutes. The SMT solver ([`super::query`])
//! has no such limits; the tests compare both, and [`super::incompleteness`] says for which
//! literals it is worth asking it.

use super::linear::feasible;
use crate::cube::literals::{Base, BaseKind, Conj, LinSum, LinearLiteral, Literal, Small, small};
use crate::system::Rel;
use base::idx::position;

/// A bound that is none.
const FREE: i64 = i64::MAX;

/// Bounds stay below this, either way.
const LARGE: i64 = 1 << 62;

/// What is known before any literal.
pub struct Facts<'a> {
    /// The constructors a base can have at all.
    pub domain: &'a dyn Fn(Base) -> u128,
    /// Processes below this are the constants `#1`, … in order, before all others.
    pub fixed: u8,
    /// All processes there are, if that is known and the cube has them all.
    pub all_procs: Option<u8>,
}

/// A conjunction, closed: what is equal, which constructors remain, which differences are bounded.
#[derive(Clone, Debug, Default)]
pub struct Closed {
    pub(super) bases: Vec<Base>,
    pub(super) class: Vec<u32>,
    pub(super) mask: Vec<u128>,
    pub(super) has_mask: Vec<bool>,
    pub(super) ne: Vec<(Base, Base)>,
    pub(super) order: Vec<(Base, Base, bool)>,
    pub(super) nodes: Vec<Base>,
    pub(super) bound: Vec<(i64, bool)>,
    pub(super) diff_ne: Vec<(Base, Base, i64)>,
    pub(super) int: Vec<bool>,
    pub(super) lins: Vec<LinearLiteral>,
}

/// Closes a conjunction; nothing when it has no solution.
pub fn close(conj: &Conj, facts: &Facts) -> Option<Closed> {
    let mut c = Closed::default();
    for lit in &conj.lits {
        match *lit {
            Literal::In(a, _) => c.bases.push(a),
            Literal::Eq(a, b) | Literal::Ne(a, b) | Literal::Less(a, b) | Literal::LessEq(a, b) => {
                c.bases.extend([a, b]);
            }
            Literal::Diff { a, b, .. } => c.nodes.extend([a, b]),
        }
    }
    c.bases.sort_unstable();
    c.bases.dedup();
    c.class = (0..position(c.bases.len())).collect();
    c.mask = vec![u128::MAX; c.bases.len()];
    c.has_mask = vec![false; c.bases.len()];
    c.finite(&conj.lits, facts)?;
    c.processes(&conj.lits, facts)?;
    c.numbers(conj)?;
    Some(c)
}

impl Closed {
    fn at(&self, b: Base) -> Option<usize> {
        self.bases.binary_search(&b).ok()
    }

    /// The representative of what is equal to `b`.
    pub fn rep(&self, b: Base) -> Base {
        self.at(b).map_or(b, |i| self.bases[self.class[i] as usize])
    }

    fn find(&self, b: Base) -> usize {
        let i = self.at(b).expect("the bases of all literals are listed");
        self.class[i] as usize
    }

    /// Equalities, sets of constructors and disequalities.
    fn finite(&mut self, lits: &[Literal], facts: &Facts) -> Option<()> {
        for lit in lits {
            if let Literal::Eq(a, b) = lit {
                let (x, y) = (self.find(*a), self.find(*b));
                let (low, high): (u32, u32) = (position(x.min(y)), position(x.max(y)));
                for c in &mut self.class {
                    if *c == high {
                        *c = low;
                    }
                }
            }
        }
        // Two processes are never equal; the representative is a process if one is in the class.
        for (i, b) in self.bases.iter().enumerate() {
            let rep = self.class[i] as usize;
            if rep != i && matches!(b.kind(), BaseKind::Proc(_)) {
                return None;
            }
        }
        for lit in lits {
            if let Literal::In(a, m) = lit {
                let i = self.find(*a);
                self.open_mask(i, facts);
                self.mask[i] &= m;
                if self.mask[i] == 0 {
                    return None;
                }
            }
        }
        for lit in lits {
            if let Literal::Ne(a, b) = lit {
                let (x, y) = (self.find(*a), self.find(*b));
                if x == y {
                    return None;
                }
                let pair = (self.bases[x.min(y)], self.bases[x.max(y)]);
                let procs = matches!(
                    (pair.0.kind(), pair.1.kind()),
                    (BaseKind::Proc(_), BaseKind::Proc(_))
                );
                if !procs {
                    self.ne.push(pair);
                }
            }
        }
        self.ne.sort_unstable();
        self.ne.dedup();
        self.exclude(facts)?;
        if let Some(n) = facts.all_procs {
            for b in &self.bases {
                let excluded = (0..n)
                    .filter(|p| self.ne.binary_search(&(Base::process(*p), *b)).is_ok())
                    .count();
                if excluded == usize::from(n) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// From now on the class is of a finite type.
    fn open_mask(&mut self, class: usize, facts: &Facts) {
        if std::mem::replace(&mut self.has_mask[class], true) {
            return;
        }
        for (j, b) in self.bases.iter().enumerate() {
            if self.class[j] as usize == class {
                self.mask[class] &= (facts.domain)(*b);
            }
        }
    }

    /// A value known on one side of `<>` leaves the other.
    fn exclude(&mut self, facts: &Facts) -> Option<()> {
        loop {
            let mut changed = false;
            let mut kept = Vec::with_capacity(self.ne.len());
            for (a, b) in std::mem::take(&mut self.ne) {
                let (x, y) = (self.find(a), self.find(b));
                if self.has_mask[x] || self.has_mask[y] {
                    self.open_mask(x, facts);
                    self.open_mask(y, facts);
                    let (m, k) = (self.mask[x], self.mask[y]);
                    if m & k == 0 {
                        continue;
                    }
                    let single = |m: u128| m.is_power_of_two();
                    if single(m) || single(k) {
                        let (other, gone) = if single(m) { (y, m) } else { (x, k) };
                        self.mask[other] &= !gone;
                        if self.mask[other] == 0 {
                            return None;
                        }
                        changed = true;
                        continue;
                    }
                }
                kept.push((a, b));
            }
            self.ne = kept;
            if !changed {
                return Some(());
            }
        }
    }

    /// The order of processes: transitive closure, no cycle through a strict step.
    fn processes(&mut self, lits: &[Literal], facts: &Facts) -> Option<()> {
        let mut steps: Vec<(Base, Base, bool)> = Vec::new();
        for lit in lits {
            let (a, b, strict) = match *lit {
                Literal::Less(a, b) => (a, b, true),
                Literal::LessEq(a, b) => (a, b, false),
                _ => continue,
            };
            steps.push((self.rep(a), self.rep(b), strict));
        }
        if steps.is_empty() {
            return Some(());
        }
        let mut nodes: Vec<Base> = steps.iter().flat_map(|s| [s.0, s.1]).collect();
        nodes.extend((0..facts.fixed).map(Base::process));
        nodes.sort_unstable();
        nodes.dedup();
        let n = nodes.len();
        // 0 unordered, 1 before or equal, 2 before
        let mut m = vec![0u8; n * n];
        let at = |b: Base| nodes.binary_search(&b).expect("listed above");
        let apart = |a: Base, b: Base, ne: &[(Base, Base)]| {
            let procs = matches!((a.kind(), b.kind()), (BaseKind::Proc(_), BaseKind::Proc(_)));
            (procs && a != b) || ne.binary_search(&(a.min(b), a.max(b))).is_ok()
        };
        for (a, b, strict) in steps {
            let level = if strict || apart(a, b, &self.ne) {
                2
            } else {
                1
            };
            let slot = &mut m[at(a) * n + at(b)];
            *slot = (*slot).max(level);
        }
        for (i, a) in nodes.iter().enumerate() {
            for (j, b) in nodes.iter().enumerate() {
                if let (BaseKind::Proc(x), BaseKind::Proc(y)) = (a.kind(), b.kind())
                    && x < facts.fixed
                    && x < y
                {
                    m[i * n + j] = 2;
                }
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let (x, y) = (m[i * n + k], m[k * n + j]);
                    if x > 0 && y > 0 {
                        m[i * n + j] = m[i * n + j].max(x.max(y));
                    }
                }
            }
        }
        for i in 0..n {
            if m[i * n + i] == 2 {
                return None;
            }
            for j in 0..n {
                if i != j && m[i * n + j] > 0 {
                    self.order.push((nodes[i], nodes[j], m[i * n + j] == 2));
                }
            }
        }
        self.order.sort_unstable();
        let order = &self.order;
        let less = |a: Base, b: Base| order.binary_search(&(a, b, true)).is_ok();
        self.ne.retain(|(a, b)| !less(*a, *b) && !less(*b, *a));
        Some(())
    }

    fn numbers(&mut self, conj: &Conj) -> Option<()> {
        let mut diffs: Vec<Literal> = conj
            .lits
            .iter()
            .filter(|l| matches!(l, Literal::Diff { .. }))
            .copied()
            .collect();
        let mut lins = conj.lins.clone();
        if diffs.is_empty() && lins.is_empty() {
            return Some(());
        }
        loop {
            self.differences(&diffs)?;
            // Known values in linear literals may turn them into differences.
            let mut more = false;
            let mut kept = Vec::new();
            for lit in lins {
                let Some(lin) = self.over_representatives(&lit.lin) else {
                    kept.push(lit);
                    continue;
                };
                match small(lit.rel, lit.int, &lin) {
                    Small::True => {}
                    Small::False => return None,
                    Small::Literal(l) => {
                        more = true;
                        diffs.push(l);
                    }
                    Small::No => kept.push(LinearLiteral { lin, ..lit }),
                }
            }
            kept.sort();
            kept.dedup();
            lins = kept;
            if !more {
                break;
            }
            self.nodes.clear();
        }
        self.lins = lins;
        if !self.lins.is_empty() && !feasible(&self.lins, &self.bounds_as_lins()) {
            return None;
        }
        Some(())
    }

    /// Shortest paths over the differences.
    fn differences(&mut self, diffs: &[Literal]) -> Option<()> {
        self.nodes = vec![Base::ZERO];
        for d in diffs {
            if let Literal::Diff { a, b, .. } = d {
                self.nodes.extend([*a, *b]);
            }
        }
        self.nodes.sort_unstable();
        self.nodes.dedup();
        let n = self.nodes.len();
        self.bound = vec![(FREE, false); n * n];
        self.int = vec![true; n];
        self.diff_ne.clear();
        for i in 0..n {
            self.bound[i * n + i] = (0, false);
        }
        for d in diffs {
            let Literal::Diff {
                a,
                b,
                rel,
                bound,
                int,
            } = *d
            else {
                continue;
            };
            let (i, j) = (self.node(a)?, self.node(b)?);
            for k in [i, j] {
                if k != 0 {
                    self.int[k] = int;
                }
            }
            match rel {
                Rel::Le => self.tighten(i, j, (bound, false)),
                Rel::Lt if int => self.tighten(i, j, (bound - 1, false)),
                Rel::Lt => self.tighten(i, j, (bound, true)),
                Rel::Eq => {
                    self.tighten(i, j, (bound, false));
                    self.tighten(j, i, (-bound, false));
                }
                Rel::Ne => self.diff_ne.push((a, b, bound)),
            }
        }
        self.int[0] = false;
        loop {
            self.shortest()?;
            if !self.exclude_numbers()? {
                return Some(());
            }
        }
    }

    fn node(&self, b: Base) -> Option<usize> {
        self.nodes.binary_search(&b).ok()
    }

    fn tighten(&mut self, i: usize, j: usize, to: (i64, bool)) {
        let n = self.nodes.len();
        let slot = &mut self.bound[i * n + j];
        if to.0 < slot.0 || (to.0 == slot.0 && to.1) {
            *slot = to;
        }
    }

    fn shortest(&mut self) -> Option<()> {
        let n = self.nodes.len();
        for k in 0..n {
            for i in 0..n {
                let x = self.bound[i * n + k];
                if x.0 == FREE {
                    continue;
                }
                for j in 0..n {
                    let y = self.bound[k * n + j];
                    if y.0 == FREE {
                        continue;
                    }
                    // A bound too large to be kept is none, one too small is kept as a larger one.
                    let sum = x.0.saturating_add(y.0);
                    if sum < LARGE {
                        self.tighten(i, j, (sum.max(-LARGE), x.1 || y.1));
                    }
                }
            }
        }
        for i in 0..n {
            let (c, strict) = self.bound[i * n + i];
            if c < 0 || strict {
                return None;
            }
        }
        Some(())
    }

    /// `<>` against the bounds; true when a bound moved.
    fn exclude_numbers(&mut self) -> Option<bool> {
        let n = self.nodes.len();
        let mut moved = false;
        let mut kept = Vec::new();
        for (a, b, c) in std::mem::take(&mut self.diff_ne) {
            let (i, j) = (self.node(a)?, self.node(b)?);
            let (up, down) = (self.bound[i * n + j], self.bound[j * n + i]);
            // a - b <= up and a - b >= -down
            if up.0 != FREE && (up.0 < c || (up.0 == c && up.1)) {
                continue;
            }
            if down.0 != FREE && (-down.0 > c || (-down.0 == c && down.1)) {
                continue;
            }
            let (top, bottom) = (up.0 == c, down.0 != FREE && -down.0 == c);
            if top && bottom {
                return None;
            }
            let int = self.int[i] || self.int[j];
            if top {
                self.tighten(i, j, if int { (c - 1, false) } else { (c, true) });
                moved = true;
            } else if bottom {
                let to = if int { (-c - 1, false) } else { (-c, true) };
                self.tighten(j, i, to);
                moved = true;
            } else {
                kept.push((a, b, c));
            }
        }
        self.diff_ne = kept;
        Some(moved)
    }

    /// `b = rep + offset`, with the first base that is at a fixed distance.
    fn number_rep(&self, b: Base) -> (Base, i64) {
        let Some(i) = self.node(b) else {
            return (b, 0);
        };
        let n = self.nodes.len();
        for j in 0..i {
            let (up, down) = (self.bound[i * n + j], self.bound[j * n + i]);
            if up.0 != FREE && down.0 != FREE && up.0 == -down.0 {
                return (self.nodes[j], up.0);
            }
        }
        (b, 0)
    }

    /// The sum with each base replaced by its representative and distance; nothing when a number
    /// gets too large.
    fn over_representatives(&self, sum: &LinSum) -> Option<LinSum> {
        let mut lin = LinSum {
            terms: Vec::new(),
            constant: sum.constant,
        };
        for (factor, b) in &sum.terms {
            let (rep, offset) = self.number_rep(*b);
            let mut value = if rep == Base::ZERO {
                LinSum::default()
            } else {
                LinSum::of(rep)
            };
            value.constant = offset;
            lin.add(*factor, &value)?;
        }
        Some(lin)
    }

    fn bounds_as_lins(&self) -> Vec<LinearLiteral> {
        let n = self.nodes.len();
        let mut all = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let (c, strict) = self.bound[i * n + j];
                if i == j || c == FREE {
                    continue;
                }
                let mut lin = LinSum::default();
                for (f, k) in [(1, i), (-1, j)] {
                    if k != 0 {
                        let _ = lin.add(f, &LinSum::of(self.nodes[k]));
                    }
                }
                lin.constant = -c;
                let rel = if strict { Rel::Lt } else { Rel::Le };
                all.push(LinearLiteral {
                    rel,
                    int: false,
                    lin,
                });
            }
        }
        all
    }

    /// The constructors that remain for a base.
    pub fn mask(&self, b: Base, domain: &dyn Fn(Base) -> u128) -> u128 {
        match self.at(b).map(|i| self.class[i] as usize) {
            Some(i) if self.has_mask[i] => self.mask[i],
            _ => domain(b),
        }
    }

    /// The literal holds wherever the conjunction does.
    pub fn implies(&self, lit: &Literal, domain: &dyn Fn(Base) -> u128) -> bool {
        match *lit {
            Literal::In(a, m) => self.mask(a, domain) & !m == 0,
            Literal::Eq(a, b) => {
                let (x, y) = (self.rep(a), self.rep(b));
                x == y || {
                    let m = self.mask(a, domain);
                    m.is_power_of_two() && m == self.mask(b, domain)
                }
            }
            Literal::Ne(a, b) => {
                let (x, y) = (self.rep(a), self.rep(b));
                let (low, high) = (x.min(y), x.max(y));
                x != y
                    && (matches!((x.kind(), y.kind()), (BaseKind::Proc(_), BaseKind::Proc(_)))
                        || self.ne.binary_search(&(low, high)).is_ok()
                        || self.is_less(x, y)
                        || self.is_less(y, x)
                        || self.mask(x, domain) & self.mask(y, domain) == 0)
            }
            Literal::Less(a, b) => self.is_less(self.rep(a), self.rep(b)),
            Literal::LessEq(a, b) => {
                let (x, y) = (self.rep(a), self.rep(b));
                x == y || self.is_less(x, y) || self.order.binary_search(&(x, y, false)).is_ok()
            }
            Literal::Diff {
                a,
                b,
                rel,
                bound,
                int,
            } => {
                self.implies_diff(a, b, rel, bound)
                    || !self.lins.is_empty() && {
                        let mut lin = LinSum::default();
                        let sides = [(1, a), (-1, b)].into_iter().filter(|s| s.1 != Base::ZERO);
                        for (f, base) in sides {
                            let _ = lin.add(f, &LinSum::of(base));
                        }
                        lin.constant = -bound;
                        self.implies_by_elimination(&LinearLiteral { rel, int, lin })
                    }
            }
        }
    }

    /// No opposite of the literal goes together with the linear literals and the bounds.
    fn implies_by_elimination(&self, lit: &LinearLiteral) -> bool {
        let opposite = |rel: Rel, sign: i64| {
            let mut lin = LinSum::default();
            lin.add(sign, &lit.lin)?;
            Some(LinearLiteral {
                rel,
                int: lit.int,
                lin,
            })
        };
        let cases = match lit.rel {
            Rel::Eq => vec![opposite(Rel::Lt, 1), opposite(Rel::Lt, -1)],
            Rel::Ne => vec![opposite(Rel::Eq, 1)],
            Rel::Lt => vec![opposite(Rel::Le, -1)],
            Rel::Le => vec![opposite(Rel::Lt, -1)],
        };
        let known: Vec<LinearLiteral> = self
            .lins
            .iter()
            .cloned()
            .chain(self.bounds_as_lins())
            .collect();
        cases.into_iter().all(|case| match case {
            Some(case) => !feasible(&[case], &known),
            None => false,
        })
    }

    fn is_less(&self, a: Base, b: Base) -> bool {
        self.order.binary_search(&(a, b, true)).is_ok()
    }

    fn implies_diff(&self, a: Base, b: Base, rel: Rel, c: i64) -> bool {
        let n = self.nodes.len();
        let (Some(i), Some(j)) = (self.node(a), self.node(b)) else {
            return false;
        };
        let (up, down) = (self.bound[i * n + j], self.bound[j * n + i]);
        let below = up.0 < c || (up.0 == c && up.1);
        let above = down.0 != FREE && (-down.0 > c || (-down.0 == c && down.1));
        match rel {
            Rel::Le => up.0 <= c,
            Rel::Lt => below,
            Rel::Eq => up.0 <= c && down.0 != FREE && -down.0 >= c,
            Rel::Ne => {
                below || above || {
                    let ((ra, oa), (rb, ob)) = (self.number_rep(a), self.number_rep(b));
                    // a - b <> c  is  ra - rb <> c - oa + ob
                    let c = c - oa + ob;
                    self.diff_ne.iter().any(|(x, y, d)| {
                        let ((rx, ox), (ry, oy)) = (self.number_rep(*x), self.number_rep(*y));
                        let d = d - ox + oy;
                        (rx, ry, d) == (ra, rb, c) || (ry, rx, -d) == (ra, rb, c)
                    })
                }
            }
        }
    }

    /// The literal holds wherever the conjunction does, as far as a look shows.
    pub fn implies_lin(&self, lit: &LinearLiteral) -> bool {
        let Some(lin) = self.over_representatives(&lit.lin) else {
            return false;
        };
        match small(lit.rel, lit.int, &lin) {
            Small::True => true,
            Small::False => false,
            Small::Literal(l) => self.implies(&l, &|_| u128::MAX),
            Small::No => {
                self.implies_by_elimination(lit)
                    || self.lins.iter().any(|l| {
                        l.rel == lit.rel
                            && l.lin.terms == lin.terms
                            && match lit.rel {
                                Rel::Le | Rel::Lt => lin.constant <= l.lin.constant,
                                Rel::Eq | Rel::Ne => lin.constant == l.lin.constant,
                            }
                    })
            }
        }
    }

    /// A smallest conjunction that says the same of everything but existential values, which are
    /// projected away where that is exact or on the safe side.
    pub fn normal(&self, domain: &dyn Fn(Base) -> u128) -> Conj {
        let local = |b: Base| matches!(b.kind(), BaseKind::Some(_));
        let mut out = Conj::default();
        for (i, b) in self.bases.iter().enumerate() {
            let c = self.class[i] as usize;
            if local(*b) {
                continue;
            }
            if self.has_mask[c] {
                let m = self.mask[c];
                if m != domain(*b) {
                    out.lits.push(Literal::In(*b, m));
                }
                if m.is_power_of_two() {
                    continue;
                }
            }
            if c != i && !local(self.bases[c]) {
                out.lits.push(Literal::Eq(self.bases[c], *b));
            }
        }
        let ne = self.ne.iter().filter(|(a, b)| !local(*a) && !local(*b));
        out.lits.extend(ne.map(|(a, b)| Literal::Ne(*a, *b)));
        self.normal_order(&mut out, &local);
        self.normal_numbers(&mut out, &local);
        out.lits.sort_unstable();
        out.lits.dedup();
        out.lins = self.lins.clone();
        out
    }

    fn normal_order(&self, out: &mut Conj, local: &dyn Fn(Base) -> bool) {
        for (a, b, strict) in &self.order {
            let between = self.order.iter().any(|(x, y, _)| {
                x == a
                    && y != b
                    && self
                        .order
                        .iter()
                        .any(|(u, v, _)| u == y && v == b && !local(*y))
            });
            if !between && !local(*a) && !local(*b) {
                out.lits.push(if *strict {
                    Literal::Less(*a, *b)
                } else {
                    Literal::LessEq(*a, *b)
                });
            }
        }
    }

    fn normal_numbers(&self, out: &mut Conj, local: &dyn Fn(Base) -> bool) {
        let n = self.nodes.len();
        let keep: Vec<usize> = (0..n)
            .filter(|i| !local(self.nodes[*i]) || self.in_lins(self.nodes[*i]))
            .collect();
        let mut reps = Vec::new();
        for (at, i) in keep.iter().enumerate() {
            let twin = keep[..at].iter().find(|j| {
                let (up, down) = (self.bound[i * n + **j], self.bound[**j * n + i]);
                up.0 != FREE && down.0 != FREE && up.0 == -down.0
            });
            match twin {
                Some(j) => out.lits.push(Literal::Diff {
                    a: self.nodes[*i],
                    b: self.nodes[*j],
                    rel: Rel::Eq,
                    bound: self.bound[i * n + j].0,
                    int: self.int[*i],
                }),
                None => reps.push(*i),
            }
        }
        for i in &reps {
            for j in &reps {
                let (c, strict) = self.bound[i * n + j];
                if i == j || c == FREE {
                    continue;
                }
                let implied = reps.iter().any(|k| {
                    let (x, y) = (self.bound[i * n + k], self.bound[k * n + j]);
                    k != i
                        && k != j
                        && x.0 != FREE
                        && y.0 != FREE
                        && (x.0 + y.0 < c || (x.0 + y.0 == c && (x.1 || y.1 || !strict)))
                });
                if !implied {
                    out.lits.push(Literal::Diff {
                        a: self.nodes[*i],
                        b: self.nodes[*j],
                        rel: if strict { Rel::Lt } else { Rel::Le },
                        bound: c,
                        int: self.int[*i] || self.int[*j],
                    });
                }
            }
        }
        for (a, b, c) in &self.diff_ne {
            let ((ra, oa), (rb, ob)) = (self.number_rep(*a), self.number_rep(*b));
            if local(ra) || local(rb) {
                continue;
            }
            let c = c - oa + ob;
            let int = self.node(*a).is_some_and(|i| self.int[i])
                || self.node(*b).is_some_and(|i| self.int[i]);
            let (a, b, bound) = if ra > rb { (ra, rb, c) } else { (rb, ra, -c) };
            out.lits.push(Literal::Diff {
                a,
                b,
                rel: Rel::Ne,
                bound,
                int,
            });
        }
    }

    fn in_lins(&self, b: Base) -> bool {
        let mut terms = self.lins.iter().flat_map(|l| &l.lin.terms);
        terms.any(|(_, c)| *c == b)
    }
}

#[cfg(test)]
pub mod tests;
