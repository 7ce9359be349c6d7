//! Instructions in the making: registers, jumps whose target is not known yet.

use super::expr::{binary, number, truth};
use super::formula::InstanceContext;
use super::numbers::Numbers;
use crate::system::SymId;
use base::idx::IdVec;
use base::source::Span;
use ir::program::{BinOp, Cast, Expr, Instr, Local, LocalId, Op, Proc, Width};

/// A jump that has yet to be given its target.
pub struct Jump(usize);

/// A procedure in the making.
pub struct Code {
    pub locals: IdVec<LocalId, Local>,
    body: Vec<Instr>,
    choices: usize,
    /// Of the instructions that come.
    pub span: Span,
}

impl Code {
    /// An empty one.
    pub fn new(span: Span) -> Code {
        Code {
            locals: IdVec::new(),
            body: Vec::new(),
            choices: 0,
            span,
        }
    }

    /// A new register.
    pub fn local(&mut self, name: &str, width: Width) -> LocalId {
        self.locals.push(Local {
            name: name.to_string(),
            width,
        })
    }

    /// How many arbitrary values it takes so far.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// Adds an instruction.
    pub fn push(&mut self, op: Op) {
        self.choices += usize::from(matches!(op, Op::Havoc { .. }));
        self.body.push(Instr {
            span: self.span,
            op,
        });
    }

    /// A register with a value.
    pub fn set(&mut self, name: &str, width: Width, value: Expr) -> LocalId {
        let dst = self.local(name, width);
        self.push(Op::Assign { dst, value });
        dst
    }

    /// Jumps if the condition holds, or always.
    pub fn jump(&mut self, cond: Option<Expr>) -> Jump {
        self.push(Op::Goto { cond, target: 0 });
        Jump(self.body.len() - 1)
    }

    /// A jump leads to what comes next.
    pub fn land(&mut self, jump: Jump) {
        let here = self.body.len();
        if let Op::Goto { target, .. } = &mut self.body[jump.0].op {
            *target = here;
        }
    }

    /// Only executions go on in which this holds.
    pub fn assume(&mut self, cond: Expr) {
        if cond != truth(true) {
            self.push(Op::Assume(cond));
        }
    }

    /// One of `count` small numbers, whichever, of a certain width; with their bits alone being free.
    pub fn any_of(&mut self, count: u64, width: Width) -> Expr {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let bits = u8::try_from(bits.max(1)).unwrap_or(width);
        let dst = self.local("", bits);
        self.push(Op::Havoc { dst });
        if count < 1 << bits {
            let last = Expr::constant(count.saturating_sub(1), bits);
            self.assume(binary(BinOp::Ule, Expr::Local(dst), last));
        }
        match bits == width {
            true => Expr::Local(dst),
            false => Expr::Cast(Cast::Zero, width, Box::new(Expr::Local(dst))),
        }
    }

    /// A number between the bounds for open ones.
    fn any_number(&mut self, numbers: Numbers) -> Expr {
        let dst = self.local("", numbers.width);
        self.push(Op::Havoc { dst });
        let bound = |n: i64| number(n, numbers.width);
        let value = Expr::Local(dst);
        self.assume(binary(BinOp::Sle, bound(-numbers.open), value.clone()));
        self.assume(binary(BinOp::Sle, value.clone(), bound(numbers.open)));
        value
    }

    /// Any value of a symbol.
    pub fn any_value(&mut self, context: &InstanceContext, sym: SymId) -> Expr {
        match context.values(sym) {
            Some(count) => self.any_of(count, context.width(sym)),
            None => self.any_number(context.numbers),
        }
    }

    /// The procedure.
    pub fn proc(self, name: String, params: Vec<LocalId>, span: Span) -> Proc {
        Proc {
            name,
            span,
            params,
            locals: self.locals,
            body: self.body,
            returns: None,
        }
    }
}
