//! Formulas and values over the cells of a fixed number of processes, as expressions.

use super::expr::{all, and, binary, choose, number, or, truth};
use super::numbers::Numbers;
use super::roles::Cell;
use crate::system::tuples::tuples;
use crate::system::{
    Acc, Form, Lin, Rel, SymId, System, SystemLiteral, Target, Type, Update, UpdateValue, Val,
};
use ir::program::{BinOp, Expr, Width};

/// Bits of a value that is no number.
pub const SMALL: Width = 8;

/// So many of them are told apart.
pub const SMALL_VALUES: usize = 1 << SMALL;

/// What formulas are translated with.
#[derive(Clone, Copy)]
pub struct InstanceContext<'s> {
    pub system: &'s System,
    pub procs: u8,
    pub numbers: Numbers,
    /// How many values of an abstract type there are: enough to tell all of them apart.
    pub abstract_values: usize,
}

/// A formula's variables: the processes they stand for, and how many of them are parameters.
#[derive(Clone, Copy)]
pub struct Env<'e> {
    pub vars: &'e [u8],
    pub params: usize,
}

/// The value of a cell as a process sees it, if the formula says who.
pub type Look<'l> = &'l mut dyn FnMut(Cell, Option<u8>) -> Expr;

impl InstanceContext<'_> {
    /// Bits of the cells of a symbol.
    pub fn width(&self, sym: SymId) -> Width {
        match self.system.types[self.system.symbols[sym].ty].is_number() {
            true => self.numbers.width,
            false => SMALL,
        }
    }

    /// How many values the cells of a symbol may have, if they are no numbers.
    pub fn values(&self, sym: SymId) -> Option<u64> {
        let count = match &self.system.types[self.system.symbols[sym].ty] {
            Type::Int | Type::Real => return None,
            Type::Proc => usize::from(self.procs) + self.system.outside.len(),
            Type::Enum(_, ctors) => ctors.len(),
            Type::Abstract(_) => self.abstract_values,
        };
        u64::try_from(count).ok()
    }

    /// The cells that an update is about, each with the processes that variables stand for.
    pub fn targets(&self, u: &Update, args: &[u8]) -> Vec<(Cell, Vec<u8>)> {
        let arity = self.system.symbols[u.sym].arity;
        match u.target {
            Target::Cell(index) => {
                let index: Vec<u8> = index[..arity].iter().map(|p| p.of(args)).collect();
                vec![(Cell::at(u.sym, &index), args.to_vec())]
            }
            Target::Every(_) => {
                let all = tuples(arity, self.procs).into_iter();
                all.map(|index| (Cell::at(u.sym, &index), [args, &index].concat()))
                    .collect()
            }
        }
    }

    /// A formula; `fence` says whether the buffer is empty.
    pub fn form(&self, f: &Form, env: Env, fence: &Expr, look: Look) -> Expr {
        match f {
            Form::Bool(b) => truth(*b),
            Form::Fence => fence.clone(),
            Form::Literal(lit) => self.literal(lit, env.vars, look),
            Form::And(fs) => {
                let mut parts = Vec::new();
                for f in fs {
                    parts.push(self.form(f, env, fence, look));
                }
                all(parts)
            }
            Form::Or(fs) => {
                let mut any = truth(false);
                for f in fs {
                    any = or(any, self.form(f, env, fence, look));
                }
                any
            }
            Form::Others(var, inner) => {
                let params = &env.vars[..env.params];
                let mut every = truth(true);
                for p in (0..self.procs).filter(|p| !params.contains(p)) {
                    let outer = usize::from(*var).min(env.vars.len());
                    let vars = [&env.vars[..outer], &[p]].concat();
                    let env = Env { vars: &vars, ..env };
                    every = and(every, self.form(inner, env, fence, look));
                }
                every
            }
        }
    }

    fn literal(&self, lit: &SystemLiteral, env: &[u8], look: Look) -> Expr {
        match lit {
            SystemLiteral::Same { equal, a, b, .. } => {
                let op = if *equal { BinOp::Eq } else { BinOp::Ne };
                binary(op, self.val(*a, env, look), self.val(*b, env, look))
            }
            SystemLiteral::Before { strict, a, b } => {
                let op = if *strict { BinOp::Ult } else { BinOp::Ule };
                binary(op, self.val(*a, env, look), self.val(*b, env, look))
            }
            SystemLiteral::Num { rel, lin, .. } => {
                let op = match rel {
                    Rel::Eq => BinOp::Eq,
                    Rel::Ne => BinOp::Ne,
                    Rel::Lt => BinOp::Slt,
                    Rel::Le => BinOp::Sle,
                };
                let zero = number(0, self.numbers.width);
                binary(op, self.lin(lin, env, look), zero)
            }
        }
    }

    fn val(&self, v: Val, env: &[u8], look: Look) -> Expr {
        match v {
            Val::Ctor(k) => number(i64::from(k), SMALL),
            Val::Proc(p) => number(i64::from(p.of(env)), SMALL),
            Val::Acc(a) => access(&a, env, look),
        }
    }

    fn lin(&self, lin: &Lin, env: &[u8], look: Look) -> Expr {
        let width = self.numbers.width;
        let mut sum: Option<Expr> = None;
        for (f, a) in &lin.terms {
            let cell = access(a, env, look);
            let part = match f {
                1 => cell,
                f => binary(BinOp::Mul, number(*f, width), cell),
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => binary(BinOp::Add, sum, part),
            });
        }
        let constant = number(lin.constant, width);
        match sum {
            None => constant,
            Some(sum) if lin.constant == 0 => sum,
            Some(sum) => binary(BinOp::Add, sum, constant),
        }
    }

    /// A new value; nothing where it is any.
    pub fn value(&self, value: &UpdateValue, env: &[u8], look: Look) -> Option<Expr> {
        match value {
            UpdateValue::Val(v) => Some(self.val(*v, env, look)),
            UpdateValue::Num(lin) => Some(self.lin(lin, env, look)),
            UpdateValue::Any => None,
        }
    }
}

fn access(a: &Acc, env: &[u8], look: Look) -> Expr {
    let by = a.by.map(|p| p.of(env));
    look(Cell::of(a, env), by)
}

/// What several cases come to: when one of those that write holds, and the value it gives.
pub fn cases(list: Vec<(Expr, Option<Expr>)>, otherwise: Expr) -> (Expr, Expr) {
    let (mut writes, mut value) = (truth(false), otherwise);
    for (condition, new) in list.into_iter().rev() {
        match new {
            Some(new) => {
                writes = or(condition.clone(), writes);
                value = choose(condition, new, value);
            }
            None => writes = and(super::expr::not(condition), writes),
        }
    }
    (writes, value)
}
