//! Terms: the values of guarded SSA, hash-consed and simplified as they are built.
//!
//! A term has a width of 1 to 64 bits; width 1 is a truth value. Leaves are constants, the values
//! of reads and arbitrary values. Everything else is an operator of the intermediate language.
//!
//! Normal forms keep the rest small: constants stand on the right, `!=`, `<=` and `-` with a
//! constant are expressed by `==`, `<` and `+`, disjunction by conjunction, conjunctions are
//! left-leaning chains without repetition. Two rules do most of the work on guards:
//!
//! - conjunction looks for a literal and its complement in both chains and answers `false`;
//! - disjunction takes out common conjuncts, and `(g & c) | (g & !c)` becomes `g`, so that the
//!   guard after a branch is the guard before it.

use super::id::EventId;
use base::id;
use base::idx::IdVec;
use ir::program::{
    BinOp, Cast, FloatFunction, UnOp, Width, eval_binary, eval_cast, eval_unary, mask, sign_extend,
};
use rustc_hash::FxHashMap;

id!(
    /// A term of one [`Terms`].
    TermId,
    "v"
);

/// A term; operands are terms of the same arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A number.
    Const(u64),
    /// What a read event returns.
    Read(EventId),
    /// An arbitrary value, numbered.
    Nondet(u32),
    /// Bitwise complement.
    Not(TermId),
    /// An operator other than `Or` on truth values, `Ne`, `Ule`, `Sle`.
    Binary(BinOp, TermId, TermId),
    /// `cond ? then : otherwise`
    Ite(TermId, TermId, TermId),
    /// More bits, zeros.
    ZeroExtend(TermId),
    /// More bits, copies of the sign.
    SignExtend(TermId),
    /// Fewer bits.
    Truncate(TermId),
    /// A function of a floating-point number.
    Float(FloatFunction, TermId),
    /// A conversion from or to a floating-point number.
    Convert(Cast, TermId),
}

#[derive(Clone, Debug)]
struct TermNode {
    term: Term,
    width: Width,
    /// How many constants the term chooses between; 0 when it is not a choice between constants.
    choices: u32,
}

/// The most constants an operator is pushed through.
const MAX_CHOICES: u32 = 24;
/// How far down a chain of conjuncts simplification looks.
const MAX_CONJUNCTS: usize = 96;

/// An arena of terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: IdVec<TermId, TermNode>,
    index: FxHashMap<(Term, Width), TermId>,
    /// Conjunctions and disjunctions made so far: where paths meet, the same ones are asked for
    /// again for each value they differ in.
    joined: FxHashMap<(BinOp, TermId, TermId), TermId>,
    nondets: u32,
}

impl Terms {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True when there is no term.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All terms; operands come first.
    pub fn ids(&self) -> impl Iterator<Item = TermId> + use<> {
        self.nodes.ids()
    }

    /// The term named by `id`.
    pub fn get(&self, id: TermId) -> Term {
        self.nodes[id].term
    }

    /// Its bits.
    pub fn width(&self, id: TermId) -> Width {
        self.nodes[id].width
    }

    /// Its value, when it is a constant.
    pub fn as_const(&self, id: TermId) -> Option<u64> {
        match self.nodes[id].term {
            Term::Const(v) => Some(v),
            _ => None,
        }
    }

    /// True for the constant `true`.
    pub fn is_true(&self, id: TermId) -> bool {
        self.width(id) == 1 && self.as_const(id) == Some(1)
    }

    /// True for the constant `false`.
    pub fn is_false(&self, id: TermId) -> bool {
        self.width(id) == 1 && self.as_const(id) == Some(0)
    }

    fn intern(&mut self, term: Term, width: Width) -> TermId {
        if let Some(id) = self.index.get(&(term, width)) {
            return *id;
        }
        let choices = match term {
            Term::Const(_) => 1,
            Term::Ite(_, a, b) => {
                let (a, b) = (self.nodes[a].choices, self.nodes[b].choices);
                if a == 0 || b == 0 || a + b > MAX_CHOICES {
                    0
                } else {
                    a + b
                }
            }
            _ => 0,
        };
        let id = self.nodes.push(TermNode {
            term,
            width,
            choices,
        });
        self.index.insert((term, width), id);
        id
    }

    /// A number, truncated to its width.
    pub fn constant(&mut self, value: u64, width: Width) -> TermId {
        self.intern(Term::Const(value & mask(width)), width)
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(u64::from(value), 1)
    }

    /// What a read returns.
    pub fn read(&mut self, event: EventId, width: Width) -> TermId {
        self.intern(Term::Read(event), width)
    }

    /// A new arbitrary value.
    pub fn nondet(&mut self, width: Width) -> TermId {
        self.nondets += 1;
        self.intern(Term::Nondet(self.nondets - 1), width)
    }

    /// Bitwise complement; negation of a truth value.
    pub fn not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        match self.nodes[a].term {
            Term::Const(v) => self.constant(!v, width),
            Term::Not(b) => b,
            _ if width > 1 && self.is_choice(a) => self.map_choice(a, &mut |t, x| t.not(x)),
            _ => self.intern(Term::Not(a), width),
        }
    }

    /// The conjuncts of a truth value, outermost last; a long chain is given as one conjunct.
    fn conjuncts(&self, a: TermId) -> Vec<TermId> {
        let mut out = Vec::new();
        let mut rest = a;
        while let Term::Binary(BinOp::And, x, y) = self.nodes[rest].term {
            if out.len() == MAX_CONJUNCTS {
                break;
            }
            out.push(y);
            rest = x;
        }
        out.push(rest);
        out.reverse();
        out
    }

    fn complementary(&self, a: TermId, b: TermId) -> bool {
        self.nodes[a].term == Term::Not(b) || self.nodes[b].term == Term::Not(a)
    }

    /// Conjunction of truth values.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b || self.is_true(b) || self.is_false(a) {
            return a;
        }
        if self.is_true(a) || self.is_false(b) {
            return b;
        }
        self.remembered((BinOp::And, a, b), Self::new_and)
    }

    fn remembered(
        &mut self,
        key: (BinOp, TermId, TermId),
        make: fn(&mut Terms, TermId, TermId) -> TermId,
    ) -> TermId {
        if let Some(made) = self.joined.get(&key) {
            return *made;
        }
        let made = make(self, key.1, key.2);
        self.joined.insert(key, made);
        made
    }

    fn new_and(&mut self, a: TermId, b: TermId) -> TermId {
        let left = self.conjuncts(a);
        let mut result = a;
        for c in self.conjuncts(b) {
            if left.contains(&c) {
                continue;
            }
            if left.iter().any(|l| self.complementary(*l, c)) {
                return self.bool(false);
            }
            result = self.intern(Term::Binary(BinOp::And, result, c), 1);
        }
        if self.is_refuted(&self.conjuncts(result)) {
            return self.bool(false);
        }
        result
    }

    /// Whether `!(x & y)` is among these, and `x` and `y` are.
    pub fn is_refuted(&self, all: &[TermId]) -> bool {
        let denied = all.iter().filter_map(|c| match self.nodes[*c].term {
            Term::Not(inner) => Some(inner),
            _ => None,
        });
        let chain = |t: &TermId| matches!(self.nodes[*t].term, Term::Binary(BinOp::And, ..));
        let mut denied = denied.filter(chain);
        // Mostly the part that came last is not there, so the others are not looked at.
        denied.any(|mut t| {
            while let Term::Binary(BinOp::And, rest, last) = self.nodes[t].term {
                if !all.contains(&last) {
                    return false;
                }
                t = rest;
            }
            all.contains(&t)
        })
    }

    /// A term with another one in the place of what it has been made of.
    pub fn replaced(&mut self, root: TermId, what: TermId, by: TermId) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            // Operands are older than what is made of them.
            if id <= what || done.contains_key(&id) {
                stack.pop();
                continue;
            }
            let is_open = |o: &TermId| *o > what && !done.contains_key(o);
            let before = stack.len();
            stack.extend(operands(self.get(id)).into_iter().flatten().filter(is_open));
            if stack.len() > before {
                continue;
            }
            let new = |o: TermId| match o == what {
                true => by,
                false => done.get(&o).copied().unwrap_or(o),
            };
            let width = self.width(id);
            let made = match self.get(id) {
                Term::Const(_) | Term::Read(_) | Term::Nondet(_) => id,
                Term::Not(a) => self.not(new(a)),
                Term::Binary(BinOp::And, a, b) if width == 1 => self.and(new(a), new(b)),
                Term::Binary(op, a, b) => self.binary(op, new(a), new(b)),
                Term::Ite(c, a, b) => self.ite(new(c), new(a), new(b)),
                Term::ZeroExtend(a) => self.extend(new(a), width, false),
                Term::SignExtend(a) => self.extend(new(a), width, true),
                Term::Truncate(a) => self.truncate(new(a), width),
                Term::Float(function, a) => self.float(function, new(a)),
                Term::Convert(cast, a) => self.convert(cast, new(a), width),
            };
            done.insert(id, if made == what { by } else { made });
            stack.pop();
        }
        match root == what {
            true => by,
            false => done.get(&root).copied().unwrap_or(root),
        }
    }

    /// Disjunction of truth values.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b || self.is_false(b) || self.is_true(a) {
            return a;
        }
        if self.is_false(a) || self.is_true(b) {
            return b;
        }
        if self.complementary(a, b) {
            return self.bool(true);
        }
        self.remembered((BinOp::Or, a, b), Self::new_or)
    }

    fn new_or(&mut self, a: TermId, b: TermId) -> TermId {
        let (left, right) = (self.conjuncts(a), self.conjuncts(b));
        let common: Vec<TermId> = left.iter().copied().filter(|c| right.contains(c)).collect();
        if common.is_empty() {
            // match: x | (!x & r)   result: x | r
            for (one, many) in [(a, &right), (b, &left)] {
                if many.len() > 1 && many.iter().any(|c| self.complementary(*c, one)) {
                    let kept: Vec<TermId> = many
                        .iter()
                        .copied()
                        .filter(|c| !self.complementary(*c, one))
                        .collect();
                    let rest = self.all(&kept);
                    return self.or(one, rest);
                }
            }
            let (na, nb) = (self.not(a), self.not(b));
            // The same either way around, and a chain grows at its end: it is not made anew.
            let chain = |t: TermId| matches!(self.nodes[t].term, Term::Binary(BinOp::And, ..));
            let (first, second) = match (chain(na), chain(nb)) {
                (true, false) => (na, nb),
                (false, true) => (nb, na),
                _ => (na.min(nb), na.max(nb)),
            };
            let neither = self.and(first, second);
            return self.not(neither);
        }
        let rest = |chain: &[TermId]| -> Vec<TermId> {
            chain
                .iter()
                .copied()
                .filter(|c| !common.contains(c))
                .collect()
        };
        let (left, right) = (rest(&left), rest(&right));
        let (left, right) = (self.all(&left), self.all(&right));
        let choice = self.or(left, right);
        let common = self.all(&common);
        self.and(common, choice)
    }

    /// Conjunction of many.
    pub fn all(&mut self, parts: &[TermId]) -> TermId {
        let top = self.bool(true);
        parts.iter().fold(top, |acc, p| self.and(acc, *p))
    }

    /// Disjunction of many.
    pub fn any(&mut self, parts: &[TermId]) -> TermId {
        let bottom = self.bool(false);
        parts.iter().fold(bottom, |acc, p| self.or(acc, *p))
    }

    fn is_choice(&self, a: TermId) -> bool {
        self.nodes[a].choices > 1
    }

    /// Applies `f` to the constants a choice is made between.
    fn map_choice(&mut self, a: TermId, f: &mut dyn FnMut(&mut Terms, TermId) -> TermId) -> TermId {
        match self.nodes[a].term {
            Term::Ite(c, x, y) => {
                let x = self.map_choice(x, f);
                let y = self.map_choice(y, f);
                self.ite(c, x, y)
            }
            _ => f(self, a),
        }
    }

    /// `cond ? a : b`
    pub fn ite(&mut self, cond: TermId, a: TermId, b: TermId) -> TermId {
        if a == b || self.is_true(cond) {
            return a;
        }
        if self.is_false(cond) {
            return b;
        }
        if let Term::Not(c) = self.nodes[cond].term {
            return self.ite(c, b, a);
        }
        if self.width(a) == 1 {
            if self.as_const(a).is_some() || self.as_const(b).is_some() || a == cond || b == cond {
                let not_cond = self.not(cond);
                return match (self.as_const(a), self.as_const(b)) {
                    (Some(1), _) => self.or(cond, b),
                    (Some(_), _) => self.and(not_cond, b),
                    (_, Some(1)) => self.or(not_cond, a),
                    (_, Some(_)) => self.and(cond, a),
                    _ if a == cond => self.or(cond, b),
                    _ => self.and(cond, a),
                };
            }
            if self.complementary(a, b) {
                let same = self.binary(BinOp::Xor, cond, b);
                return same;
            }
        }
        // match: c ? (c ? x : _) : b   result: c ? x : b
        let a = match self.nodes[a].term {
            Term::Ite(c, x, _) if c == cond => x,
            _ => a,
        };
        let b = match self.nodes[b].term {
            Term::Ite(c, _, y) if c == cond => y,
            _ => b,
        };
        if a == b {
            return a;
        }
        let width = self.width(a);
        self.intern(Term::Ite(cond, a, b), width)
    }

    /// Equality.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinOp::Eq, a, b)
    }

    /// A binary operator; both operands have the same width.
    pub fn binary(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let result = if op.is_comparison() { 1 } else { width };
            return self.constant(eval_binary(op, x, y, width), result);
        }
        match op {
            BinOp::And if width == 1 => return self.and(a, b),
            BinOp::Or if width == 1 => return self.or(a, b),
            BinOp::Ne => {
                let eq = self.binary(BinOp::Eq, a, b);
                return self.not(eq);
            }
            BinOp::Ule | BinOp::Sle => {
                let less = if op == BinOp::Ule {
                    BinOp::Ult
                } else {
                    BinOp::Slt
                };
                let greater = self.binary(less, b, a);
                return self.not(greater);
            }
            _ => {}
        }
        if self.nodes[b].choices == 1 && self.is_choice(a) {
            return self.map_choice(a, &mut |t, x| t.binary(op, x, b));
        }
        if self.nodes[a].choices == 1 && self.is_choice(b) {
            return self.map_choice(b, &mut |t, y| t.binary(op, a, y));
        }
        if a == b {
            match op {
                BinOp::And | BinOp::Or => return a,
                BinOp::Xor | BinOp::Sub => return self.constant(0, width),
                BinOp::Eq => return self.bool(true),
                BinOp::Ult | BinOp::Slt => return self.bool(false),
                _ => {}
            }
        }
        let (a, b) = match op {
            BinOp::Eq => self.equal_sums(a, b).unwrap_or((a, b)),
            _ => (a, b),
        };
        if op == BinOp::Eq && a == b {
            return self.bool(true);
        }
        if let (BinOp::Eq, Some(x), Some(y)) = (op, self.as_const(a), self.as_const(b)) {
            return self.bool(x == y);
        }
        let commutes = matches!(
            op,
            BinOp::Add
                | BinOp::Mul
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Eq
                | BinOp::Fadd
                | BinOp::Fmul
                | BinOp::Feq
        );
        let (a, b) =
            if commutes && (self.as_const(a).is_some() || (a > b && self.as_const(b).is_none())) {
                (b, a)
            } else {
                (a, b)
            };
        if let Some(k) = self.as_const(b)
            && let Some(done) = self.binary_const(op, a, k, width)
        {
            return done;
        }
        if op == BinOp::Eq && width == 1 && self.complementary(a, b) {
            return self.bool(false);
        }
        self.intern(
            Term::Binary(op, a, b),
            if op.is_comparison() { 1 } else { width },
        )
    }

    /// Simplifications with a constant on the right.
    fn binary_const(&mut self, op: BinOp, a: TermId, k: u64, width: Width) -> Option<TermId> {
        let ones = mask(width);
        Some(match op {
            BinOp::Add
            | BinOp::Or
            | BinOp::Xor
            | BinOp::Shl
            | BinOp::Lshr
            | BinOp::Ashr
            | BinOp::Sub
                if k == 0 =>
            {
                a
            }
            BinOp::Sub => {
                let negative = self.constant(k.wrapping_neg(), width);
                self.binary(BinOp::Add, a, negative)
            }
            BinOp::Add => match self.nodes[a].term {
                Term::Binary(BinOp::Add, x, c) => {
                    let sum = self.as_const(c)?.wrapping_add(k);
                    let sum = self.constant(sum, width);
                    self.binary(BinOp::Add, x, sum)
                }
                _ => return None,
            },
            BinOp::Mul | BinOp::And if k == 0 => self.constant(0, width),
            BinOp::Mul | BinOp::Udiv | BinOp::Sdiv if k == 1 => a,
            BinOp::And if k == ones => a,
            BinOp::Or if k == ones => self.constant(ones, width),
            BinOp::Xor if k == ones => self.not(a),
            BinOp::Urem if k == 1 => self.constant(0, width),
            BinOp::And | BinOp::Or | BinOp::Xor => match self.nodes[a].term {
                // The bits in front are zero, and stay so.
                Term::ZeroExtend(x) if op == BinOp::And || k <= mask(self.width(x)) => {
                    let small = k & mask(self.width(x));
                    let small = self.constant(small, self.width(x));
                    let part = self.binary(op, x, small);
                    self.extend(part, width, false)
                }
                _ => return None,
            },
            BinOp::Ult if k == 0 => self.bool(false),
            BinOp::Ult if k == 1 => {
                let zero = self.constant(0, width);
                self.eq(a, zero)
            }
            BinOp::Eq if width == 1 => {
                if k == 1 {
                    a
                } else {
                    self.not(a)
                }
            }
            BinOp::Eq => match self.nodes[a].term {
                Term::ZeroExtend(x) => {
                    if k > mask(self.width(x)) {
                        self.bool(false)
                    } else {
                        let (small, w) = (k, self.width(x));
                        let small = self.constant(small, w);
                        self.eq(x, small)
                    }
                }
                Term::SignExtend(x) => {
                    let w = self.width(x);
                    if sign_extend(k & mask(w), w) as u64 & ones != k {
                        self.bool(false)
                    } else {
                        let small = self.constant(k, w);
                        self.eq(x, small)
                    }
                }
                Term::Binary(BinOp::Add, x, c) => {
                    let c = self.as_const(c)?;
                    let moved = self.constant(k.wrapping_sub(c), width);
                    self.eq(x, moved)
                }
                Term::Ite(c, x, y) if self.as_const(x).is_some() || self.as_const(y).is_some() => {
                    let k = self.constant(k, width);
                    let (x, y) = (self.eq(x, k), self.eq(y, k));
                    self.ite(c, x, y)
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// To `width` bits by zeros (`signed` false) or copies of the sign; never fewer bits.
    pub fn extend(&mut self, a: TermId, width: Width, signed: bool) -> TermId {
        let from = self.width(a);
        if from >= width {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            let v = if signed {
                sign_extend(v, from) as u64
            } else {
                v
            };
            return self.constant(v, width);
        }
        if self.is_choice(a) {
            return self.map_choice(a, &mut |t, x| t.extend(x, width, signed));
        }
        match self.nodes[a].term {
            Term::ZeroExtend(x) => self.intern(Term::ZeroExtend(x), width),
            Term::SignExtend(x) if signed => self.intern(Term::SignExtend(x), width),
            _ if signed => self.intern(Term::SignExtend(a), width),
            _ => self.intern(Term::ZeroExtend(a), width),
        }
    }

    /// To `width` bits by dropping high ones; never more bits.
    pub fn truncate(&mut self, a: TermId, width: Width) -> TermId {
        if self.width(a) <= width {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            return self.constant(v, width);
        }
        if self.is_choice(a) {
            return self.map_choice(a, &mut |t, x| t.truncate(x, width));
        }
        match self.nodes[a].term {
            Term::ZeroExtend(x) | Term::SignExtend(x) => {
                let signed = matches!(self.nodes[a].term, Term::SignExtend(_));
                if self.width(x) >= width {
                    self.truncate(x, width)
                } else {
                    self.extend(x, width, signed)
                }
            }
            Term::Truncate(x) => self.truncate(x, width),
            _ => self.intern(Term::Truncate(a), width),
        }
    }

    /// A function of a floating-point number.
    pub fn float(&mut self, function: FloatFunction, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some(v) = self.as_const(a) {
            return self.constant(eval_unary(UnOp::Float(function), v, width), width);
        }
        if self.is_choice(a) {
            return self.map_choice(a, &mut |t, x| t.float(function, x));
        }
        self.intern(Term::Float(function, a), width)
    }

    /// A conversion from or to a floating-point number.
    pub fn convert(&mut self, cast: Cast, a: TermId, width: Width) -> TermId {
        let from = self.width(a);
        if let Some(v) = self.as_const(a) {
            return self.constant(eval_cast(cast, v, from, width), width);
        }
        if self.is_choice(a) {
            return self.map_choice(a, &mut |t, x| t.convert(cast, x, width));
        }
        self.intern(Term::Convert(cast, a), width)
    }

    /// A term as text, for dumps; shared parts are written out each time up to a depth.
    pub fn show(&self, id: TermId) -> String {
        self.show_to(id, 6)
    }

    fn show_to(&self, id: TermId, depth: u32) -> String {
        if depth == 0 {
            return id.to_string();
        }
        let sub = |a: TermId| self.show_to(a, depth - 1);
        match self.nodes[id].term {
            Term::Const(v) => v.to_string(),
            Term::Read(e) => e.to_string(),
            Term::Nondet(n) => format!("any{n}"),
            Term::Not(a) => format!("!{}", sub(a)),
            Term::Binary(op, a, b) => format!("({} {} {})", sub(a), symbol(op), sub(b)),
            Term::Ite(c, a, b) => format!("({} ? {} : {})", sub(c), sub(a), sub(b)),
            Term::ZeroExtend(a) => format!("zext{}({})", self.width(id), sub(a)),
            Term::SignExtend(a) => format!("sext{}({})", self.width(id), sub(a)),
            Term::Truncate(a) => format!("trunc{}({})", self.width(id), sub(a)),
            Term::Float(f, a) => format!("{f:?}({})", sub(a)),
            Term::Convert(cast, a) => format!("{cast:?}{}({})", self.width(id), sub(a)),
        }
    }
}

/// The operands of a term.
pub fn operands(term: Term) -> [Option<TermId>; 3] {
    match term {
        Term::Const(_) | Term::Read(_) | Term::Nondet(_) => [None; 3],
        Term::Not(a)
        | Term::ZeroExtend(a)
        | Term::SignExtend(a)
        | Term::Truncate(a)
        | Term::Float(_, a)
        | Term::Convert(_, a) => [Some(a), None, None],
        Term::Binary(_, a, b) => [Some(a), Some(b), None],
        Term::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Udiv => "/u",
        BinOp::Sdiv => "/",
        BinOp::Urem => "%u",
        BinOp::Srem => "%",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::Lshr => ">>u",
        BinOp::Ashr => ">>",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Ult | BinOp::PtrLt => "<u",
        BinOp::Ule | BinOp::PtrLe => "<=u",
        BinOp::Slt => "<",
        BinOp::Sle => "<=",
        BinOp::Fadd => "+f",
        BinOp::Fsub => "-f",
        BinOp::Fmul => "*f",
        BinOp::Fdiv => "/f",
        BinOp::Feq => "==f",
        BinOp::Flt => "<f",
        BinOp::Fle => "<=f",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_join_to_what_they_were() {
        let mut t = Terms::default();
        let (g, c, d) = (t.nondet(1), t.nondet(1), t.nondet(1));
        let (nc, nd) = (t.not(c), t.not(d));
        let gc = t.and(g, c);
        let gnc = t.and(g, nc);
        assert_eq!(t.or(gc, gnc), g);
        let (x, y) = (t.and(gnc, d), t.and(gnc, nd));
        let joined = t.or(x, y);
        assert_eq!(t.or(joined, gc), g);
        let none = t.and(gc, gnc);
        assert!(t.is_false(none));
    }

    #[test]
    fn operators_go_through_choices_of_constants() {
        let mut t = Terms::default();
        let c = t.nondet(1);
        let (a, b, four) = (t.constant(16, 64), t.constant(32, 64), t.constant(4, 64));
        let p = t.ite(c, a, b);
        let q = t.binary(BinOp::Add, p, four);
        let k = t.constant(20, 64);
        assert_eq!(t.eq(q, k), c);
    }

    #[test]
    fn long_disjunctions_grow_by_a_few_terms() {
        let mut t = Terms::default();
        let parts: Vec<TermId> = (0..200).map(|_| t.nondet(1)).collect();
        let either = t.any(&parts);
        assert!(t.nodes.len() < 5 * parts.len());
        let (last, before) = parts.split_last().expect("there are some");
        let before = t.any(before);
        assert_eq!((t.or(before, *last), t.or(*last, before)), (either, either));
    }
}
