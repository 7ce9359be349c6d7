//! Expressions: a number is a list of linear cases with their conditions, a truth value a condition.

use super::naturals::{Naturals, UNSIGNED};
use super::unsupported::{Unsupported, unsupported};
use crate::commands::arith::{Cond, Linear, VarId};
use base::source::Span;
use ir::program::{
    BinOp, Cast, Expr, GlobalId, Instr, LocalId, Op, Proc, Program, UnOp, Width, sign_extend,
};
use std::collections::BTreeSet;

/// A number: exactly one of the conditions holds.
pub type Cases = Vec<(Cond, Linear)>;

/// What a register stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A variable.
    Var(VarId),
    /// A number that it always has.
    Fixed(i128),
    /// The handle of a thread, or what leads to some.
    Handle,
    /// The address of an object, and an offset.
    Address(GlobalId, Linear),
}

/// What expressions of a procedure are read with.
pub struct Reader<'a> {
    /// The program.
    pub ir: &'a Program,
    /// The procedure.
    pub proc: &'a Proc,
    /// Its registers, by number.
    pub bindings: &'a [Binding],
    /// There is any number of threads: unsigned numbers are compared as such, a negative one standing for one
    /// that is large.
    pub any_threads: bool,
    /// The number of the thread.
    pub own: OwnNumbers<'a>,
    /// The arrays with an element for each thread.
    pub arrays: Option<&'a BTreeSet<GlobalId>>,
    /// The numbers that must not be negative; `None` where what may be is refused at once.
    pub naturals: Option<&'a Naturals>,
    /// Where the expression is.
    pub span: Span,
}

/// The number of the thread that a procedure is executed by.
#[derive(Clone, Copy)]
pub struct OwnNumbers<'a> {
    /// The registers that it is in.
    pub registers: &'a BTreeSet<VarId>,
    /// The bits that it is counted with.
    pub width: Width,
}

impl OwnNumbers<'_> {
    /// The value is the number, and so many bits are enough for it.
    fn is_in(&self, value: &Linear, width: Width) -> bool {
        let is_own = value.as_var().is_some_and(|x| self.registers.contains(&x));
        is_own && self.width <= width
    }
}

/// What no number of the abstraction is the result of.
const FLOATING: &str = "floating-point arithmetic";
/// The most cases of a number.
const MAX_CASES: usize = 64;

impl Reader<'_> {
    fn width(&self, e: &Expr) -> u8 {
        e.width(self.ir, self.proc)
    }

    fn local(&self, l: LocalId) -> Result<Linear, Unsupported> {
        match &self.bindings[l.0 as usize] {
            Binding::Var(x) => Ok(Linear::var(*x)),
            Binding::Fixed(n) => Ok(Linear::constant(*n)),
            Binding::Handle => Err(self.no("the handle of a thread as a value")),
            Binding::Address(..) => Err(self.no("pointers as values")),
        }
    }

    fn no(&self, what: &str) -> Unsupported {
        unsupported(self.span, what)
    }

    /// Refuses to take a register for an unsigned number in a program with nondeterministic values, which
    /// may be negative as mathematical integers, unless this one is not.
    fn is_natural(&self, e: &Expr) -> Result<(), Unsupported> {
        let chosen = |i: &Instr| matches!(i.op, Op::Havoc { .. } | Op::Indeterminate { .. });
        let mut procs = self.ir.procs.iter();
        let chooses = self.any_threads || procs.any(|p| p.body.iter().any(chosen));
        match e {
            Expr::Const { .. } => Ok(()),
            _ if chooses => match self.naturals {
                Some(naturals) => naturals.want(&self.linear(e)?, self.span),
                None => Err(self.no(UNSIGNED)),
            },
            _ => Ok(()),
        }
    }

    /// An address as an object and an offset.
    pub fn address(&self, e: &Expr) -> Result<(GlobalId, Linear), Unsupported> {
        match e {
            Expr::Global(g) => Ok((*g, Linear::default())),
            Expr::Local(l) => match &self.bindings[l.0 as usize] {
                Binding::Address(g, offset) => Ok((*g, offset.clone())),
                _ => Err(self.no("an access through a pointer")),
            },
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (base, offset) = self.address(a)?;
                let sign = if *op == BinOp::Add { 1 } else { -1 };
                let distance = match self.arrays.is_some_and(|all| all.contains(&base)) {
                    true => self.natural(b)?,
                    false => self.linear(b)?,
                };
                Ok((base, offset.plus(sign, &distance)))
            }
            _ => Err(self.no("an access through a pointer")),
        }
    }

    /// An offset in an array with an element for each thread: what it is made of are numbers of threads, none of which is
    /// negative.
    fn natural(&self, e: &Expr) -> Result<Linear, Unsupported> {
        match e {
            Expr::Cast(Cast::Zero, _, inner) => self.natural(inner),
            Expr::Binary(BinOp::Add, a, b) => Ok(self.natural(a)?.plus(1, &self.natural(b)?)),
            Expr::Binary(BinOp::Mul, a, b) => match self.linear(b)?.as_constant() {
                Some(factor) => Ok(self.natural(a)?.times(factor)),
                None => self.linear(e),
            },
            _ => self.linear(e),
        }
    }

    /// An address that is always the same.
    pub fn fixed_address(&self, e: &Expr) -> Option<(GlobalId, i128)> {
        let (object, offset) = self.address(e).ok()?;
        Some((object, offset.as_constant()?))
    }

    /// A number without cases.
    pub fn linear(&self, e: &Expr) -> Result<Linear, Unsupported> {
        match &self.number(e)?[..] {
            [(_, value)] => Ok(value.clone()),
            _ => Err(self.no("a conditional value in an address")),
        }
    }

    /// A number.
    pub fn number(&self, e: &Expr) -> Result<Cases, Unsupported> {
        if self.width(e) == 1 {
            let c = self.cond(e)?;
            return Ok(match c {
                Cond::Const(b) => vec![(Cond::Const(true), Linear::constant(i128::from(b)))],
                c => vec![(c.negate(), Linear::constant(0)), (c, Linear::constant(1))],
            });
        }
        let one = |v: Linear| Ok(vec![(Cond::Const(true), v)]);
        match e {
            Expr::Const { value, width } => {
                one(Linear::constant(i128::from(sign_extend(*value, *width))))
            }
            Expr::Local(l) => one(self.local(*l)?),
            Expr::Global(_) | Expr::Proc(_) => Err(self.no("pointers as values")),
            Expr::Unary(UnOp::Float(_), _) => Err(self.no(FLOATING)),
            Expr::Unary(UnOp::Neg, a) => Ok(map(self.number(a)?, |v| v.times(-1))),
            Expr::Unary(UnOp::Not, a) => {
                let minus_one = Linear::constant(-1);
                Ok(map(self.number(a)?, |v| minus_one.clone().plus(-1, &v)))
            }
            Expr::Ite(c, a, b) => {
                let c = self.cond(c)?;
                let then = under(&c, self.number(a)?);
                let otherwise = under(&c.negate(), self.number(b)?);
                self.limited(then.into_iter().chain(otherwise).collect())
            }
            Expr::Cast(Cast::Truncate, width, a) => match &**a {
                Expr::Cast(Cast::Sign | Cast::Zero, _, inner) if self.width(inner) <= *width => {
                    self.number(inner)
                }
                _ => match &self.number(a)?[..] {
                    [(_, v)] if v.as_constant().is_some_and(|c| fits(c, *width)) => one(v.clone()),
                    [(_, v)] if self.own.is_in(v, *width) => one(v.clone()),
                    _ => Err(self.no("a conversion to a narrower type")),
                },
            },
            Expr::Cast(Cast::Zero, _, a) if self.width(a) > 1 => {
                self.is_natural(a)?;
                self.number(a)
            }
            Expr::Cast(Cast::Zero | Cast::Sign, _, a) => self.number(a),
            Expr::Cast(..) => Err(self.no(FLOATING)),
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> Result<Cases, Unsupported> {
        if op.is_float() {
            return Err(self.no(FLOATING));
        }
        let (left, right) = (self.number(a)?, self.number(b)?);
        let pairs = |f: &dyn Fn(&Linear, &Linear) -> Option<Linear>| -> Option<Cases> {
            let mut out = Vec::new();
            for (c, x) in &left {
                for (d, y) in &right {
                    out.push((Cond::and([c.clone(), d.clone()]), f(x, y)?));
                }
            }
            Some(out)
        };
        let truth = |v: &Linear| v.as_constant().filter(|c| [0, 1].contains(c));
        let cases = match op {
            BinOp::Add => pairs(&|x, y| Some(x.clone().plus(1, y))),
            BinOp::Sub => pairs(&|x, y| Some(x.clone().plus(-1, y))),
            BinOp::Mul => pairs(&|x, y| match (x.as_constant(), y.as_constant()) {
                (Some(n), _) => Some(y.times(n)),
                (_, Some(n)) => Some(x.times(n)),
                _ => None,
            }),
            BinOp::Shl => pairs(&|x, y| {
                let shift = u32::try_from(y.as_constant()?).ok().filter(|s| *s < 32)?;
                Some(x.times(1 << shift))
            }),
            BinOp::And => pairs(&|x, y| Some(Linear::constant(truth(x)? & truth(y)?))),
            BinOp::Or => pairs(&|x, y| Some(Linear::constant(truth(x)? | truth(y)?))),
            BinOp::Xor => pairs(&|x, y| Some(Linear::constant(truth(x)? ^ truth(y)?))),
            _ => None,
        };
        let cases = cases.ok_or_else(|| {
            self.no(match op {
                BinOp::Mul => "a product of two variables",
                BinOp::Sdiv | BinOp::Udiv | BinOp::Srem | BinOp::Urem => "division",
                _ => "bitwise operators on numbers",
            })
        })?;
        self.limited(cases)
    }

    fn limited(&self, cases: Cases) -> Result<Cases, Unsupported> {
        let possible: Cases = cases
            .into_iter()
            .filter(|(c, _)| *c != Cond::Const(false))
            .collect();
        if possible.len() > MAX_CASES {
            return Err(self.no("a value of this many cases"));
        }
        Ok(possible)
    }

    /// A truth value.
    pub fn cond(&self, e: &Expr) -> Result<Cond, Unsupported> {
        match e {
            Expr::Const { value, .. } => Ok(Cond::Const(*value != 0)),
            Expr::Local(l) => {
                let zero = Cond::equal(&self.local(*l)?, &Linear::constant(0));
                Ok(zero.negate())
            }
            Expr::Unary(_, a) => match e {
                Expr::Unary(UnOp::Not, _) => Ok(self.cond(a)?.negate()),
                _ => self.cond(a),
            },
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (self.cond(c)?, self.cond(a)?, self.cond(b)?);
                Ok(Cond::or([
                    Cond::and([c.clone(), a]),
                    Cond::and([c.negate(), b]),
                ]))
            }
            Expr::Cast(Cast::Truncate, _, a) if self.width(a) > 1 => {
                Err(self.no("a conversion to a narrower type"))
            }
            Expr::Cast(Cast::Zero | Cast::Sign | Cast::Truncate, _, a) => self.cond(a),
            Expr::Cast(..) => Err(self.no(FLOATING)),
            Expr::Binary(op, a, b) if self.width(a) == 1 => {
                let (a, b) = (self.cond(a)?, self.cond(b)?);
                let differ = Cond::or([
                    Cond::and([a.clone(), b.negate()]),
                    Cond::and([a.negate(), b.clone()]),
                ]);
                match op {
                    BinOp::And => Ok(Cond::and([a, b])),
                    BinOp::Or => Ok(Cond::or([a, b])),
                    BinOp::Xor | BinOp::Ne => Ok(differ),
                    BinOp::Eq => Ok(differ.negate()),
                    _ => Err(self.no("arithmetic on truth values")),
                }
            }
            Expr::Binary(op, ..) if op.is_float() => Err(self.no(FLOATING)),
            Expr::Binary(op, a, b) => {
                let (left, right) = (self.number(a)?, self.number(b)?);
                let mut ways = Vec::new();
                for (c, x) in &left {
                    for (d, y) in &right {
                        let compared = match op {
                            BinOp::Ult if self.any_threads => unsigned_less(x, y),
                            BinOp::Ule if self.any_threads => unsigned_less(y, x).negate(),
                            BinOp::Eq => Cond::equal(x, y),
                            BinOp::Ne => Cond::equal(x, y).negate(),
                            BinOp::Slt | BinOp::Ult => Cond::less(x, y),
                            BinOp::Sle | BinOp::Ule => Cond::at_most(x, y),
                            BinOp::PtrLt | BinOp::PtrLe => {
                                return Err(self.no("the order of addresses"));
                            }
                            _ => return Err(self.no("bitwise operators on numbers")),
                        };
                        let is_unsigned = matches!(op, BinOp::Ult | BinOp::Ule);
                        if is_unsigned && !self.any_threads {
                            self.is_natural(if x.as_constant().is_some() { b } else { a })?;
                        }
                        if is_unsigned
                            && !self.any_threads
                            && [x, y]
                                .iter()
                                .any(|v| v.as_constant().is_some_and(|c| c < 0))
                        {
                            return Err(self.no("an unsigned number that is large"));
                        }
                        ways.push(Cond::and([c.clone(), d.clone(), compared]));
                    }
                }
                Ok(Cond::or(ways))
            }
            Expr::Global(_) | Expr::Proc(_) => Err(self.no("pointers as values")),
        }
    }
}

/// `x < y` of unsigned numbers, where a negative number stands for the large one of the same bits.
fn unsigned_less(x: &Linear, y: &Linear) -> Cond {
    let negative = |v: &Linear| Cond::less(v, &Linear::constant(0));
    let (x_large, y_large) = (negative(x), negative(y));
    let less = Cond::less(x, y);
    Cond::or([
        Cond::and([x_large.negate(), y_large.negate(), less.clone()]),
        Cond::and([x_large.negate(), y_large.clone()]),
        Cond::and([x_large, y_large, less]),
    ])
}

fn fits(c: i128, width: u8) -> bool {
    let half = 1_i128 << (width - 1);
    (-half..half).contains(&c)
}

fn map(cases: Cases, f: impl Fn(Linear) -> Linear) -> Cases {
    cases.into_iter().map(|(c, v)| (c, f(v))).collect()
}

fn under(condition: &Cond, cases: Cases) -> Cases {
    let both = |c: Cond| Cond::and([condition.clone(), c]);
    cases.into_iter().map(|(c, v)| (both(c), v)).collect()
}
