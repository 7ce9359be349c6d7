//! What the statements of tests in C do, and C11's functions.
//!
//! Registers and memory have 64 bits. Operands are evaluated from left to right. As in herd a name is a
//! register unless it is a parameter, which is the address of a location.

use super::access::{Accesses, WORD};
use super::body::Body;
use super::kernel;
use super::refusal::{Lowered, arity, unsupported, wrong};
use crate::front::litmus::ast::c::{
    Binary, Expr as Syntax, ExprKind, Function, Statement, StatementKind, Unary,
};
use crate::front::litmus::ast::{Name, Symbol};
use base::source::Span;
use ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// Lowers the function of a thread; `given` are registers with an initial value.
pub(super) fn lower<'a>(
    b: &mut Body,
    function: &'a Function,
    given: impl Iterator<Item = &'a String>,
) -> Lowered<()> {
    let params = function.params.iter().map(|p| (p.name.text.as_str(), p));
    let mut registers: BTreeSet<&str> = given.map(String::as_str).collect();
    registers.extend(function.registers());
    let mut thread = Thread {
        b,
        params: params.collect(),
        registers,
        labels: 0,
        sections: 0,
    };
    thread.block(&function.body)?;
    thread.end(function)
}

/// A function that is being lowered.
struct Thread<'t, 'b> {
    b: &'t mut Body<'b>,
    params: BTreeMap<&'t str, &'t Symbol>,
    registers: BTreeSet<&'t str>,
    labels: usize,
    /// How many read-side critical sections of RCU are open.
    sections: u32,
}

/// A value of the word's width that is 0 or 1.
fn number(bit: Expr) -> Expr {
    Expr::Cast(Cast::Zero, WORD, Box::new(bit))
}

fn zero() -> Expr {
    Expr::constant(0, WORD)
}

impl<'t> Thread<'t, '_> {
    fn block(&mut self, statements: &'t [Statement]) -> Lowered<()> {
        statements.iter().try_for_each(|s| self.statement(s))
    }

    fn statement(&mut self, statement: &'t Statement) -> Lowered<()> {
        self.b.span = statement.span;
        match &statement.kind {
            StatementKind::Declare(name, value) => {
                if self.params.contains_key(name.text.as_str()) {
                    let message = format!("`{}` is a parameter, too", name.text);
                    return wrong(name.span, message);
                }
                if let Some(value) = value {
                    let value = self.value(value)?;
                    self.set(name, value);
                }
            }
            StatementKind::Assign(target, value) => match &target.kind {
                ExprKind::Name(name) if !self.params.contains_key(name.as_str()) => {
                    let value = self.value(value)?;
                    let dst = self.b.register(name);
                    self.b.assign(dst, value);
                }
                ExprKind::Deref(addr) => {
                    let addr = self.value(addr)?;
                    let value = self.value(value)?;
                    self.store(addr, value, MemoryOrder::Plain);
                }
                _ => return wrong(target.span, "this cannot be assigned to"),
            },
            StatementKind::Evaluate(call) => {
                if let ExprKind::Call(name, args) = &call.kind {
                    self.call(name, args)?;
                }
            }
            StatementKind::If(cond, then, otherwise) => {
                let (other, end) = (self.label(cond.span), self.label(cond.span));
                let sections = self.sections;
                let cond = self.truth(cond)?;
                let fails = Expr::Unary(UnOp::Not, Box::new(cond));
                self.b.emit(Op::ControlBegin(ControlScope::Always));
                self.b.jump(Some(fails), Some(other.clone()));
                self.block(then)?;
                let after = std::mem::replace(&mut self.sections, sections);
                self.b.jump(None, Some(end.clone()));
                self.here(&other);
                self.block(otherwise)?;
                self.here(&end);
                self.b.emit(Op::ControlEnd(ControlScope::Always));
                self.balanced(after, statement.span)?;
            }
            StatementKind::While(cond, body) => {
                let (start, end) = (self.label(cond.span), self.label(cond.span));
                let sections = self.sections;
                self.b.emit(Op::ControlBegin(ControlScope::Always));
                self.here(&start);
                let cond = self.truth(cond)?;
                let fails = Expr::Unary(UnOp::Not, Box::new(cond));
                self.b.jump(Some(fails), Some(end.clone()));
                self.block(body)?;
                self.b.span = statement.span;
                self.b.jump(None, Some(start));
                self.here(&end);
                self.b.emit(Op::ControlEnd(ControlScope::Always));
                self.balanced(sections, statement.span)?;
            }
            StatementKind::DoWhile(body, cond) => {
                let start = self.label(cond.span);
                let sections = self.sections;
                self.b.emit(Op::ControlBegin(ControlScope::Always));
                self.here(&start);
                self.block(body)?;
                let cond = self.truth(cond)?;
                self.b.jump(Some(cond), Some(start));
                self.b.emit(Op::ControlEnd(ControlScope::Always));
                self.balanced(sections, statement.span)?;
            }
            StatementKind::Block(inner) => self.block(inner)?,
        }
        Ok(())
    }

    /// The end of the function.
    fn end(&mut self, function: &Function) -> Lowered<()> {
        let last = function.body.last();
        last.map_or(Ok(()), |last| self.balanced(0, last.span))
    }

    /// As many critical sections are open as on another way.
    fn balanced(&mut self, sections: u32, span: Span) -> Lowered<()> {
        if self.sections == sections {
            return Ok(());
        }
        wrong(
            span,
            "here some critical sections of RCU are open on one way, and not on another one",
        )
    }

    /// A label that is nowhere else.
    fn label(&mut self, span: Span) -> Name {
        self.labels += 1;
        Name {
            text: format!(" {}", self.labels),
            span,
        }
    }

    fn here(&mut self, label: &Name) {
        let at = (self.b.instrs.len(), label.span);
        self.b.labels.insert(label.text.clone(), at);
    }

    fn set(&mut self, name: &Name, value: Expr) {
        let dst = self.b.register(&name.text);
        self.b.assign(dst, value);
    }

    /// Whether an expression is not 0: of width 1.
    fn truth(&mut self, e: &Syntax) -> Lowered<Expr> {
        match &e.kind {
            ExprKind::Unary(Unary::Not, a) => {
                let a = self.truth(a)?;
                Ok(Expr::Unary(UnOp::Not, Box::new(a)))
            }
            ExprKind::Binary(op @ (Binary::LogicalAnd | Binary::LogicalOr), a, b) => {
                if accesses(b) {
                    let message = "an access behind `&&` or `||` is not supported";
                    return unsupported(b.span, message);
                }
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let op = match op {
                    Binary::LogicalAnd => BinOp::And,
                    _ => BinOp::Or,
                };
                Ok(Expr::binary(op, a, b))
            }
            ExprKind::Binary(op, a, b) if comparison(*op).is_some() => {
                let (op, swapped) = comparison(*op).unwrap_or((BinOp::Eq, false));
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(match swapped {
                    false => Expr::binary(op, a, b),
                    true => Expr::binary(op, b, a),
                })
            }
            _ => {
                let value = self.value(e)?;
                Ok(Expr::binary(BinOp::Ne, value, zero()))
            }
        }
    }

    /// Whether an expression is the address of a location by its name.
    fn is_location(&self, e: &Syntax) -> bool {
        matches!(&e.kind, ExprKind::Name(name) if self.params.contains_key(name.as_str()))
    }

    fn call(&mut self, name: &Name, args: &[Syntax]) -> Lowered<Option<Expr>> {
        let of_c11 = match args.first() {
            Some(first) if name.text.starts_with("atomic_fetch_") => {
                // The kernel's functions of these names have the location behind the operand.
                self.is_location(first) || !args.get(1).is_some_and(|a| self.is_location(a))
            }
            _ => true,
        };
        if of_c11 && let Some(value) = self.c11(name, args)? {
            return Ok(value);
        }
        if let Some(value) = kernel::call(self, name, args)? {
            return Ok(value);
        }
        let message = format!("the function `{}` is not supported", name.text);
        unsupported(name.span, message)
    }

    /// A function of C11; `None` if it is none, and the value of one that has one.
    fn c11(&mut self, name: &Name, args: &[Syntax]) -> Lowered<Option<Option<Expr>>> {
        let Some(rest) = name.text.strip_prefix("atomic_") else {
            return Ok(None);
        };
        let (what, explicit) = match rest.strip_suffix("_explicit") {
            Some(what) => (what, true),
            None if rest == "thread_fence" => (rest, true),
            None => (rest, false),
        };
        let orders = |at: usize| match explicit {
            true => args.get(at).map_or_else(|| arity(name), order),
            false => Ok(MemoryOrder::SeqCst),
        };
        let count = |without: usize, orders: usize| match args.len() {
            n if n == without + if explicit { orders } else { 0 } => Ok(()),
            _ => arity(name),
        };
        let value = match what {
            "thread_fence" => {
                count(0, 1)?;
                let order = orders(0)?;
                if order != MemoryOrder::Relaxed {
                    self.b.emit(Op::Fence(Fence::C11(order)));
                }
                None
            }
            "load" => {
                count(1, 1)?;
                let order = orders(1)?;
                let addr = self.value(&args[0])?;
                Some(self.load(addr, order))
            }
            "store" | "init" => {
                count(2, 1)?;
                let order = match what {
                    "init" => MemoryOrder::Plain,
                    _ => orders(2)?,
                };
                let (addr, value) = (self.value(&args[0])?, self.value(&args[1])?);
                self.store(addr, value, order);
                None
            }
            "exchange" | "fetch_add" | "fetch_sub" | "fetch_or" | "fetch_xor" | "fetch_and" => {
                count(2, 1)?;
                let order = orders(2)?;
                let op = match what {
                    "exchange" => RmwOp::Exchange,
                    "fetch_add" => RmwOp::Add,
                    "fetch_sub" => RmwOp::Sub,
                    "fetch_or" => RmwOp::Or,
                    "fetch_xor" => RmwOp::Xor,
                    _ => RmwOp::And,
                };
                let (addr, operand) = (self.value(&args[0])?, self.value(&args[1])?);
                Some(self.update(addr, op, operand, order))
            }
            "compare_exchange_strong" => {
                count(3, 2)?;
                let both = (orders(3)?, orders(4)?);
                let addr = self.value(&args[0])?;
                let place = self.value(&args[1])?;
                let desired = self.value(&args[2])?;
                let expected = self.load(place.clone(), MemoryOrder::Plain);
                let old = self.compare_exchange(addr, (expected.clone(), desired), both);
                let done = Expr::binary(BinOp::Eq, old.clone(), expected);
                let end = self.label(name.span);
                self.b.emit(Op::ControlBegin(ControlScope::Always));
                self.b.jump(Some(done.clone()), Some(end.clone()));
                self.store(place, old, MemoryOrder::Plain);
                self.here(&end);
                self.b.emit(Op::ControlEnd(ControlScope::Always));
                Some(number(done))
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }
}

impl<'b> Accesses<'b> for Thread<'_, 'b> {
    fn body(&mut self) -> &mut Body<'b> {
        self.b
    }

    fn sections(&mut self) -> &mut u32 {
        &mut self.sections
    }

    fn value(&mut self, e: &Syntax) -> Lowered<Expr> {
        Ok(match &e.kind {
            ExprKind::Number(n) => Expr::constant(n.bits, WORD),
            ExprKind::Name(name) => {
                if let Some(symbol) = self.params.get(name.as_str()) {
                    self.b.memory.address(symbol)?
                } else if self.registers.contains(name.as_str()) {
                    Expr::Local(self.b.register(name))
                } else {
                    let message =
                        format!("`{name}` is no parameter, and nothing is assigned to it");
                    return wrong(e.span, message);
                }
            }
            ExprKind::Deref(addr) => {
                let addr = self.value(addr)?;
                self.load(addr, MemoryOrder::Plain)
            }
            ExprKind::Address(_) => return unsupported(e.span, "`&` is not supported here"),
            ExprKind::Unary(Unary::Minus, a) => {
                let a = self.value(a)?;
                Expr::binary(BinOp::Sub, zero(), a)
            }
            ExprKind::Unary(Unary::Complement, a) => {
                Expr::Unary(UnOp::Not, Box::new(self.value(a)?))
            }
            ExprKind::Binary(op, a, b) if arithmetic(*op).is_some() => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Expr::binary(arithmetic(*op).unwrap_or(BinOp::Add), a, b)
            }
            ExprKind::Unary(Unary::Not, _) | ExprKind::Binary(..) => number(self.truth(e)?),
            ExprKind::Conditional(cond, a, b) => {
                if accesses(a) || accesses(b) {
                    return unsupported(e.span, "an access in one case of `?:` is not supported");
                }
                let cond = self.truth(cond)?;
                let (a, b) = (self.value(a)?, self.value(b)?);
                Expr::Ite(Box::new(cond), Box::new(a), Box::new(b))
            }
            ExprKind::Call(name, args) => match self.call(name, args)? {
                Some(value) => value,
                None => return wrong(e.span, format!("`{}` has no value", name.text)),
            },
        })
    }
}

/// A memory order of C11.
fn order(e: &Syntax) -> Lowered<MemoryOrder> {
    let ExprKind::Name(name) = &e.kind else {
        return wrong(e.span, "expected a memory order");
    };
    match MemoryOrder::of_c11(name) {
        Some(order) => Ok(order),
        None if name == "memory_order_consume" => {
            unsupported(e.span, "`memory_order_consume` is not supported")
        }
        None => wrong(e.span, format!("`{name}` is no memory order")),
    }
}

/// Whether an expression touches memory.
fn accesses(e: &Syntax) -> bool {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Name(_) => false,
        ExprKind::Deref(_) | ExprKind::Call(..) => true,
        ExprKind::Address(a) | ExprKind::Unary(_, a) => accesses(a),
        ExprKind::Binary(_, a, b) => accesses(a) || accesses(b),
        ExprKind::Conditional(a, b, c) => accesses(a) || accesses(b) || accesses(c),
    }
}

/// The operator whose result has the width of the operands; as herd has it, numbers have a sign.
fn arithmetic(op: Binary) -> Option<BinOp> {
    Some(match op {
        Binary::Add => BinOp::Add,
        Binary::Sub => BinOp::Sub,
        Binary::Mul => BinOp::Mul,
        Binary::Div => BinOp::Sdiv,
        Binary::Rem => BinOp::Srem,
        Binary::And => BinOp::And,
        Binary::Or => BinOp::Or,
        Binary::Xor => BinOp::Xor,
        Binary::Shl => BinOp::Shl,
        Binary::Shr => BinOp::Ashr,
        _ => return None,
    })
}

/// The operator of a comparison, and whether the operands change places.
fn comparison(op: Binary) -> Option<(BinOp, bool)> {
    Some(match op {
        Binary::Eq => (BinOp::Eq, false),
        Binary::Ne => (BinOp::Ne, false),
        Binary::Lt => (BinOp::Slt, false),
        Binary::Le => (BinOp::Sle, false),
        Binary::Gt => (BinOp::Slt, true),
        Binary::Ge => (BinOp::Sle, true),
        _ => return None,
    })
}
