//! Values of a thread as sums of symbols, each with a factor, modulo a power of two.
//!
//! A symbol is what some point of a thread has given when it was executed last. So two equal sums are equal
//! numbers, as long as none of their points is executed again in between; where a loop comes back to its header,
//! a register that does not have the same value as at the loop's beginning becomes a symbol of the header (a φ).

use crate::graph::{FrameId, NodeId};
use base::id;
use base::idx::IdVec;
use ir::program::{
    BinOp, Cast, GlobalId, LocalId, ProcId, UnOp, Width, eval_binary, eval_cast, eval_unary, mask,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

id!(
    /// A kind of thread: main, or what one creation starts.
    KindId,
    "kind"
);
id!(
    /// A symbol.
    SymId,
    "s"
);
id!(
    /// A value.
    ValId,
    "v"
);

/// A point of a kind of thread.
pub type At = (KindId, NodeId);

/// Bytes of an object with static storage: the object, their offset, how many.
pub type StaticBytes = (GlobalId, u64, u64);

/// What a symbol stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sym {
    /// A register that was not set.
    Initial(KindId, FrameId, LocalId),
    /// A register where ways come together: of the ways into the header of a loop, or of all ways.
    Phi(At, FrameId, LocalId, bool),
    /// What the instruction there has read or made up.
    Result(At),
    /// Whether the compare-exchange there has stored.
    Done(At),
    /// The object that is allocated there.
    Object(At),
    /// The handle of the thread that is created there.
    Thread(At),
    /// The handle of that thread created there whose number is the count of the loop.
    ThreadOfCount(At, NodeId),
    /// An object with static storage.
    Global(GlobalId),
    /// A thread's own object.
    ThreadLocal(KindId, GlobalId),
    /// A procedure.
    Proc(ProcId),
    /// What the thread was given.
    Argument(KindId),
    /// How often the loop with this header has come back to it.
    Count(At),
    /// The handle of the thread.
    Itself(KindId),
    /// Stands for the count of a loop, where the tests of two loops are compared.
    AnyCount,
    /// An operator on values.
    Term(Operator, Vec<ValId>),
}

/// Operators whose result is no sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// One operand.
    Unary(UnOp),
    /// Two operands.
    Binary(BinOp),
    /// Another width.
    Cast(Cast),
    /// The value is 0; of width 1.
    IsZero,
    /// A condition and two values.
    Ite,
}

/// A sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    /// Bits.
    pub width: Width,
    /// The constant.
    pub constant: u64,
    /// Symbols with their factors, none of which is 0, ascending.
    pub terms: Vec<(SymId, u64)>,
}

/// All values and symbols, each once.
#[derive(Default)]
pub struct Values {
    syms: IdVec<SymId, Sym>,
    sym_ids: FxHashMap<Sym, SymId>,
    sums: IdVec<ValId, Sum>,
    sum_ids: FxHashMap<Sum, ValId>,
}

impl Values {
    /// A symbol.
    pub fn sym(&mut self, sym: Sym) -> SymId {
        if let Some(id) = self.sym_ids.get(&sym) {
            return *id;
        }
        let id = self.syms.push(sym.clone());
        self.sym_ids.insert(sym, id);
        id
    }

    /// A value.
    pub fn sum(&mut self, sum: Sum) -> ValId {
        if let Some(id) = self.sum_ids.get(&sum) {
            return *id;
        }
        let id = self.sums.push(sum.clone());
        self.sum_ids.insert(sum, id);
        id
    }

    /// What a symbol stands for.
    pub fn of_sym(&self, sym: SymId) -> &Sym {
        &self.syms[sym]
    }

    /// The sum that a value is.
    pub fn of(&self, value: ValId) -> &Sum {
        &self.sums[value]
    }

    /// A number.
    pub fn number(&mut self, value: u64, width: Width) -> ValId {
        self.sum(Sum {
            width,
            constant: value & mask(width),
            terms: Vec::new(),
        })
    }

    /// The value of a symbol.
    pub fn symbol(&mut self, sym: Sym, width: Width) -> ValId {
        let sym = self.sym(sym);
        self.sum(Sum {
            width,
            constant: 0,
            terms: vec![(sym, 1)],
        })
    }

    /// The number that a value is.
    pub fn constant(&self, value: ValId) -> Option<u64> {
        let sum = self.of(value);
        sum.terms.is_empty().then_some(sum.constant)
    }

    /// The symbol that a value is.
    pub fn single(&self, value: ValId) -> Option<&Sym> {
        match self.of(value) {
            Sum {
                constant: 0, terms, ..
            } => match terms[..] {
                [(sym, 1)] => Some(self.of_sym(sym)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bytes at an address, where it is that of one place in an object with static storage.
    pub fn static_bytes(&self, addr: ValId, size: u64) -> Option<StaticBytes> {
        let sum = self.of(addr);
        match sum.terms[..] {
            [(object, 1)] => match self.of_sym(object) {
                Sym::Global(g) => Some((*g, sum.constant, size)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds the symbols that a value depends on, those of terms, too. Terms share operands, so each is looked at once.
    pub fn mentioned(&self, value: ValId, out: &mut BTreeSet<SymId>) {
        for (sym, _) in &self.of(value).terms {
            if out.insert(*sym)
                && let Sym::Term(_, operands) = self.of_sym(*sym)
            {
                operands.iter().for_each(|o| self.mentioned(*o, out));
            }
        }
    }

    /// The number that a value is if a symbol is this number, where it depends on nothing else.
    pub fn value_where(&self, value: ValId, is: (SymId, u64)) -> Option<u64> {
        self.sum_where(value, is, &mut FxHashMap::default())
    }

    fn sum_where(
        &self,
        value: ValId,
        (known, is): (SymId, u64),
        found: &mut FxHashMap<SymId, Option<u64>>,
    ) -> Option<u64> {
        let sum = self.of(value);
        let mut number = sum.constant;
        for (sym, factor) in &sum.terms {
            let of = match (self.of_sym(*sym), found.get(sym)) {
                _ if *sym == known => Some(is),
                (_, Some(of)) => *of,
                (Sym::Term(op, operands), None) => {
                    let of = self.term_where((*op, operands), sum.width, (known, is), found);
                    found.insert(*sym, of);
                    of
                }
                _ => None,
            };
            number = number.wrapping_add(factor.wrapping_mul(of?));
        }
        Some(number & mask(sum.width))
    }

    fn term_where(
        &self,
        (op, operands): (Operator, &[ValId]),
        width: Width,
        known: (SymId, u64),
        found: &mut FxHashMap<SymId, Option<u64>>,
    ) -> Option<u64> {
        let mut of = |i: usize| self.sum_where(operands[i], known, found);
        let from = self.of(operands[0]).width;
        Some(match op {
            Operator::Unary(op) => eval_unary(op, of(0)?, from),
            Operator::Binary(op) => eval_binary(op, of(0)?, of(1)?, from),
            Operator::Cast(cast) => eval_cast(cast, of(0)?, from, width),
            Operator::IsZero => u64::from(of(0)? == 0),
            Operator::Ite => match of(0)? {
                0 => of(2)?,
                _ => of(1)?,
            },
        })
    }

    /// `a + factor * b`
    pub fn add(&mut self, a: ValId, b: ValId, factor: u64) -> ValId {
        let (a, b) = (self.of(a).clone(), self.of(b).clone());
        self.sum(a.plus(&b, factor))
    }

    /// An operator that makes no sum, of values that are not all numbers.
    fn term(&mut self, op: Operator, width: Width, operands: Vec<ValId>) -> ValId {
        self.symbol(Sym::Term(op, operands), width)
    }

    /// Whether a value is 0; of width 1.
    pub fn is_zero(&mut self, value: ValId) -> ValId {
        let sum = self.of(value);
        if let Some(number) = self.constant(value) {
            return self.number(u64::from(number == 0), 1);
        }
        if sum.width == 1 {
            return self.unary(UnOp::Not, value);
        }
        // One of the value and its negation stands for both.
        let zero = self.number(0, sum.width);
        let negated = self.add(zero, value, u64::MAX);
        self.term(Operator::IsZero, 1, vec![value.min(negated)])
    }

    /// One operand.
    pub fn unary(&mut self, op: UnOp, a: ValId) -> ValId {
        let width = self.of(a).width;
        if let Some(number) = self.constant(a) {
            return self.number(eval_unary(op, number, width), width);
        }
        match op {
            UnOp::Neg => {
                let zero = self.number(0, width);
                self.add(zero, a, u64::MAX)
            }
            UnOp::Not if width > 1 => {
                let ones = self.number(u64::MAX, width);
                self.add(ones, a, u64::MAX)
            }
            UnOp::Not => match self.single(a) {
                Some(Sym::Term(Operator::Unary(UnOp::Not), inner)) => inner[0],
                _ => self.term(Operator::Unary(op), width, vec![a]),
            },
            UnOp::Float(_) => self.term(Operator::Unary(op), width, vec![a]),
        }
    }

    /// Two operands.
    pub fn binary(&mut self, op: BinOp, a: ValId, b: ValId) -> ValId {
        let width = self.of(a).width;
        let result = if op.is_comparison() { 1 } else { width };
        let (x, y) = (self.constant(a), self.constant(b));
        if let (Some(x), Some(y)) = (x, y) {
            return self.number(eval_binary(op, x, y, width), result);
        }
        let zero = |values: &mut Self| values.number(0, width);
        match (op, x, y) {
            (BinOp::Add, ..) if width > 1 => self.add(a, b, 1),
            (BinOp::Sub, ..) if width > 1 => self.add(a, b, u64::MAX),
            (BinOp::Mul, Some(factor), _) if width > 1 => {
                let zero = zero(self);
                self.add(zero, b, factor)
            }
            (BinOp::Mul, _, Some(factor)) if width > 1 => {
                let zero = zero(self);
                self.add(zero, a, factor)
            }
            (BinOp::Shl, _, Some(by)) if by < u64::from(width) => {
                let zero = zero(self);
                self.add(zero, a, 1 << by)
            }
            (BinOp::Eq, ..) if width > 1 => {
                let difference = self.add(a, b, u64::MAX);
                self.is_zero(difference)
            }
            (BinOp::Ne, ..) if width > 1 => {
                let difference = self.add(a, b, u64::MAX);
                let equal = self.is_zero(difference);
                self.unary(UnOp::Not, equal)
            }
            (BinOp::And, Some(0), _) | (BinOp::Or, _, Some(0)) => a,
            (BinOp::And, _, Some(0)) | (BinOp::Or, Some(0), _) => b,
            (BinOp::And, Some(x), _) if x == mask(width) => b,
            (BinOp::And, _, Some(y)) if y == mask(width) => a,
            (BinOp::Or, Some(x), _) if x == mask(width) => a,
            (BinOp::Or, _, Some(y)) if y == mask(width) => b,
            (BinOp::And | BinOp::Or, ..) if a == b => a,
            _ => self.term(Operator::Binary(op), result, vec![a, b]),
        }
    }

    /// A condition and two values.
    pub fn ite(&mut self, condition: ValId, then: ValId, otherwise: ValId) -> ValId {
        match self.constant(condition) {
            Some(1) => then,
            Some(_) => otherwise,
            None if then == otherwise => then,
            None => {
                let width = self.of(then).width;
                self.term(Operator::Ite, width, vec![condition, then, otherwise])
            }
        }
    }

    /// Another width.
    pub fn cast(&mut self, cast: Cast, to: Width, a: ValId) -> ValId {
        let from = self.of(a).width;
        if let Some(number) = self.constant(a) {
            return self.number(eval_cast(cast, number, from, to), to);
        }
        match cast {
            Cast::Truncate => {
                // Dropping high bits goes with sums, and what was widened before is what it was.
                if let Some(Sym::Term(Operator::Cast(Cast::Zero | Cast::Sign), inner)) =
                    self.single(a)
                    && self.of(inner[0]).width == to
                {
                    return inner[0];
                }
                let narrowed = self.of(a).clone().truncated(to);
                self.sum(narrowed)
            }
            Cast::Zero | Cast::Sign if from == to => a,
            _ => self.term(Operator::Cast(cast), to, vec![a]),
        }
    }

    /// A value with the count of a loop replaced by [`Sym::AnyCount`].
    pub fn of_any_count(&mut self, value: ValId, count: SymId) -> ValId {
        let any = self.sym(Sym::AnyCount);
        let sum = self.of(value).clone();
        let mut out = Sum {
            terms: Vec::new(),
            ..sum
        };
        for (sym, factor) in sum.terms {
            let sym = match self.of_sym(sym).clone() {
                _ if sym == count => any,
                Sym::Term(op, operands) => {
                    let operands = operands.into_iter();
                    let operands = operands.map(|o| self.of_any_count(o, count)).collect();
                    self.sym(Sym::Term(op, operands))
                }
                _ => sym,
            };
            let term = Sum {
                width: out.width,
                constant: 0,
                terms: vec![(sym, factor)],
            };
            out = out.plus(&term, 1);
        }
        self.sum(out)
    }
}

impl Sum {
    /// `self + factor * other`, in the width of this one.
    pub fn plus(&self, other: &Sum, factor: u64) -> Sum {
        let bits = mask(self.width);
        let mut terms: Vec<(SymId, u64)> = Vec::new();
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some((x, f)), Some((y, g))) if x == y => {
                    let term = (*x, f.wrapping_add(g.wrapping_mul(factor)) & bits);
                    a.next();
                    b.next();
                    term
                }
                (Some((x, f)), Some((y, _))) if x < y => {
                    let term = (*x, *f);
                    a.next();
                    term
                }
                (Some((x, f)), None) => {
                    let term = (*x, *f);
                    a.next();
                    term
                }
                (_, Some((y, g))) => {
                    let term = (*y, g.wrapping_mul(factor) & bits);
                    b.next();
                    term
                }
            };
            if next.1 != 0 {
                terms.push(next);
            }
        }
        Sum {
            width: self.width,
            constant: self
                .constant
                .wrapping_add(other.constant.wrapping_mul(factor))
                & bits,
            terms,
        }
    }

    /// The sum modulo a smaller power of two.
    pub fn truncated(&self, width: Width) -> Sum {
        let bits = mask(width);
        let terms = self.terms.iter().map(|(sym, factor)| (*sym, factor & bits));
        Sum {
            width,
            constant: self.constant & bits,
            terms: terms.filter(|(_, factor)| *factor != 0).collect(),
        }
    }
}
